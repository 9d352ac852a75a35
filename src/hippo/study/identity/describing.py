"""A trainer's class as values: all that a study keeps of it, so that whoever makes the study need not have the class.

`create_study` describes what it is given. A study service has it described by a process of its own, since its own must
import nothing that users name. This module refuses to know where a study is written.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hippo.errors import TrainerError
from hippo.records import TrainerSpec
from hippo.runtime.studies.warnings import say
from hippo.study.identity.workloads import trainer_name
from hippo.training import dataset_identity, resolve, ship
from hippo.training.code.fingerprint import TrainerCode, compiled_fingerprint, trainer_code
from hippo.training.elastic.checks import check_elastic_class
from hippo.training.misspelt import check_misspelt, tell_misspelt
from hippo.training.process.process_settings import default_device


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerDescription:
    """What a study keeps of its trainer, and what workers need to build it."""

    #: qualified name of the class, for people
    name: str
    code: TrainerCode
    #: a fingerprint of its bytecode; empty where it is not to be had
    compiled: str
    #: identity of the data, if it is declared
    dataset: str | None
    #: what is shipped to workers; without the workload's key and seed, which are a member's
    spec: TrainerSpec


def describe_trainer(
    trainer: type | str,
    trainer_args: Mapping[str, Any] | None,
    *,
    dataset: str | None,
    evaluate_every: int,
    numerics: str,
) -> TrainerDescription:
    """Return a class as a study needs it, once it was looked at; this imports it.

    Raises:
      TrainerError: it cannot be imported, or is no trainer, or its arguments do not fit.
    """
    cls = resolve(trainer)
    check_trainer_args(cls, trainer_args)
    check_misspelt(cls)
    tell_misspelt(cls)
    check_elastic_class(cls, numerics)
    code = trainer_code(cls)
    return TrainerDescription(
        name=trainer_name(cls),
        code=code,
        compiled=compiled_fingerprint(cls),
        dataset=dataset_identity(cls, dataset),
        spec=ship(
            trainer,
            trainer_args,
            seed=0,
            evaluate_every=evaluate_every,
            workload_key="",
            numerics=numerics,
            code=code,
        ),
    )


def check_trainer_args(cls: type, trainer_args: Mapping[str, Any] | None) -> None:
    """Refuse arguments that the trainer's `__init__` does not take, or lacks: they fail every trial alike.

    Raises:
      TrainerError: names the argument, and those that it takes.
    """
    try:
        # object.__init__ says that it takes whatever it is given, and takes nothing
        init: Any = cls.__init__  # type: ignore[misc]
        signature = inspect.signature(_takes_nothing if init is object.__init__ else init)
        signature.bind(None, **dict(trainer_args or {}))
    except (TypeError, ValueError) as error:
        if not isinstance(trainer_args, Mapping | None):
            raise TrainerError(f"trainer_args must be a mapping of names to values, not {trainer_args!r}") from None
        names = [name for name in signature.parameters if name != "self"]
        raise TrainerError(f"trainer_args do not fit {cls.__name__}.__init__: {error}. It takes {names}.") from None


def _takes_nothing(self: object) -> None: ...


def say_unsent(study: str) -> None:
    """Say what this script has set that its workers will not have, and that nobody would see."""
    if (device := default_device()) is not None:
        say(
            f"study {study!r}: of torch.set_default_device({device!r}) in a script workers hear nothing. Unless the "
            "trainer's own module says it, set it in build()"
        )


def refuse_put_values(trainer: str, code: TrainerCode) -> None:
    """Refuse a class whose module was given other values than it gives itself, since workers import it as it is.

    Args:
      trainer: "package.module:Class".
      code: of the class.

    Raises:
      TrainerError: names the first value.
    """
    module, _, name = trainer.partition(":")
    for value, (here, there) in sorted(code.put.items()):
        raise TrainerError(
            f"{name} reads {module}.{value}, which is {here!r} in this process, and {there!r} "
            "in the file: it was changed after the import, and worker processes, which import the file, would train "
            f"with {there!r}. Make it an argument of __init__, and give it by trainer_args; or train in this process, "
            "with engine=hippo.InlineEngine()."
        )
