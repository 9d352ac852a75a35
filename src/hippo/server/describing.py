"""The program that imports a trainer on behalf of a service: `python -m hippo.server.describing`, a process of its own.

A service imports nothing that a client names. What it has to know of a trainer, this program tells it as JSON: its
fingerprint, what to ship to workers, and which configs its class refuses. It ends when its input
does, with the service: any thread may have started it, so that it is tied to none.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import IO, Any

from hippo.errors import HippoError, TrainerError
from hippo.hparams import Config
from hippo.server.wire import error_to_json
from hippo.study.identity.describing import TrainerDescription, describe_trainer, refuse_put_values
from hippo.training import Trainer, resolve


def main() -> None:
    """Describe the trainer that the first line of standard input names, then check configs, one line after another."""
    del sys.argv[1:]  # a number of ours, which a trainer would take for an option; workers of a service have none
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what user code prints is not an answer
    if not (first := orders.readline()):  # the service ended before it had a trainer for this process
        return
    order = json.loads(first)
    try:
        described = _described(order)
        cls = resolve(order["trainer"])
    except BaseException as error:  # a module may end its process
        _answer(answers, {"error": _as_trainer_error(error, order["trainer"])})
        return
    _answer(answers, {"described": description_to_json(described)})
    for line in orders:
        _answer(answers, {"refused": [_refused(cls, Config.from_json(c), until) for c, until in json.loads(line)]})


def _described(order: Mapping[str, Any]) -> TrainerDescription:
    for entry in order["search_path"]:
        if entry not in sys.path:
            sys.path.append(entry)
    described = describe_trainer(
        order["trainer"],
        order["trainer_args"],
        dataset=order["dataset"],
        evaluate_every=order["evaluate_every"],
        numerics=order["numerics"],
    )
    if described.spec.reference is None:
        raise TrainerError(f"trainer={order['trainer']!r} cannot be imported by its name where workers are")
    refuse_put_values(described.spec.reference, described.code)
    return described


def _as_trainer_error(error: BaseException, trainer: str) -> dict[str, str]:
    if isinstance(error, HippoError):
        return error_to_json(error)
    return error_to_json(TrainerError(f"trainer={trainer!r} cannot be imported: {type(error).__name__}: {error}"))


def _refused(cls: type[Trainer], config: Config, until: int) -> dict[str, str] | None:
    try:
        cls.check_config(config, until)
    except Exception as error:
        return error_to_json(error if isinstance(error, HippoError) else TrainerError(f"check_config: {error!r}"))
    return None


def _answer(file: IO[bytes], answer: object) -> None:
    file.write(json.dumps(answer).encode() + b"\n")
    file.flush()


def description_to_json(described: TrainerDescription) -> dict[str, Any]:
    """Return a description as JSON holds it; it was refused before if a module was given other values than its own."""
    spec = asdict(described.spec)
    return {
        "name": described.name,
        "code": {
            "fingerprint": described.code.fingerprint,
            "parts": described.code.parts,
            "labels": dict(described.code.labels),
            "packages": dict(described.code.packages),
        },
        "compiled": described.compiled,
        "dataset": described.dataset,
        "spec": {**spec, "search_path": list(spec["search_path"])},
    }


if __name__ == "__main__":
    main()
