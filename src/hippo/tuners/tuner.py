"""What a tuner is: an object with one coroutine, and a record that tells whether a re-run is the same call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Protocol

from hippo.errors import TunerError
from hippo.hparams import Config, ConfigList, GridSearchSpace, RandomSearchSpace, as_config
from hippo.tuners.ask import Ask


class Study(Protocol):
    """What a tuner may be called on."""

    def optimize(self, tuner: Any) -> Any:
        """Run the tuner to its end."""


class Tuner:
    """Picks which configs deserve more steps. Subclasses write `tune`.

    A tuner must decide by its arguments and its answers alone: a re-run replays the answers and expects the same
    questions.
    """

    #: whether it ranks trials by the study's own metric, which the study must have then
    needs_metric: ClassVar[bool] = False

    async def tune(self, ask: Ask) -> Any:
        """Ask until it is known what was to be known."""
        raise NotImplementedError(f"{type(self).__name__} has no tune(self, ask) coroutine; write one")

    def record(self) -> dict[str, Any]:
        """Return what identifies this call, as JSON values: the class and its arguments, a space by its configs."""
        return describe_tuner(self)

    def __call__(self, study: Study) -> Any:
        """Run on a study, as in Hippo's Figure 11: the same as `study.optimize(tuner)`."""
        return study.optimize(self)


def record_of(tuner: Any) -> dict[str, Any]:
    """Return a tuner's record, also of one that is no `Tuner`."""
    make_record = getattr(tuner, "record", None)
    record: dict[str, Any] = make_record() if make_record is not None else describe_tuner(tuner)
    return record


def describe_tuner(tuner: Any) -> dict[str, Any]:
    """Return the class of a tuner and its arguments, or its public attributes, as JSON values.

    Raises:
      TunerError: one of them cannot be told from another in the next process.
    """
    if is_dataclass(tuner):
        arguments = {f.name: getattr(tuner, f.name) for f in fields(tuner)}
    else:
        arguments = {name: value for name, value in sorted(vars(tuner).items()) if not name.startswith("_")}
    described = {"tuner": type(tuner).__qualname__, **{name: describe(value) for name, value in arguments.items()}}
    for name, value in described.items():
        if isinstance(value, str) and " at 0x" in value:
            raise TunerError(
                f"{type(tuner).__name__}.{name} is {value}, which is another one in each process, so that a re-run "
                f"would not be recognised. Name the attribute _{name} if it decides nothing, or write a record(self) "
                "method that returns JSON values."
            )
    return described


def describe(value: Any) -> Any:
    """Return a JSON value that is equal for equal arguments of a tuner."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, GridSearchSpace | ConfigList):
        return {"configs": hash_of_configs(value)}
    if isinstance(value, RandomSearchSpace):
        return {"distributions": value.to_json()}
    if isinstance(value, Config):
        return value.to_json()
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, Mapping) for item in value):
            return {"configs": hash_of_configs(value)}
        return [describe(item) for item in value]
    return repr(value)


def hash_of_configs(configs: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of configs in their order."""
    digest = hashlib.sha256()
    for config in configs:
        digest.update(as_config(config).key.encode())
        digest.update(b"\n")
    return digest.hexdigest()


def record_text(record: Mapping[str, Any]) -> str:
    """Return the canonical text of a call's record."""
    return json.dumps(record, sort_keys=True)
