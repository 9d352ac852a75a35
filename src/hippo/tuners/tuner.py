"""What a tuner is: an object with one coroutine, and a record that tells whether a re-run is the same call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Protocol

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
        return {"tuner": type(self).__qualname__, **_arguments(self)}

    def __call__(self, study: Study) -> Any:
        """Run on a study, as in Hippo's Figure 11: the same as `study.optimize(tuner)`."""
        return study.optimize(self)


def _arguments(tuner: Any) -> dict[str, Any]:
    if is_dataclass(tuner):
        return {f.name: describe(getattr(tuner, f.name)) for f in fields(tuner)}
    return {name: describe(value) for name, value in sorted(vars(tuner).items()) if not name.startswith("_")}


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
