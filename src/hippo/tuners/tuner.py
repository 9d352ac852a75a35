"""What a tuner is: an object with one coroutine, and a record that tells whether a re-run is the same call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Protocol

from hippo.errors import HparamError, TunerError
from hippo.hparams import (
    Config,
    ConfigList,
    Distribution,
    GridSearchSpace,
    RandomSearchSpace,
    Sequence,
    as_config,
)
from hippo.hparams.source import code_hash
from hippo.scale import Scale
from hippo.tuners.ask import Ask


class StudyLike(Protocol):
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
    #: the surrogates that it asks beside the target, by `ask.at(str(scale))`: they are made before it begins
    scales: tuple[Scale, ...] = ()
    #: whether it asks for branches that are walked as one program, by `ask.branching`
    asks_branches: bool = False

    async def tune(self, ask: Ask) -> Any:
        """Ask until it is known what was to be known."""
        raise NotImplementedError(f"{type(self).__name__} has no tune(self, ask) coroutine; write one")

    def doubts(self, trainer: type[Any]) -> tuple[str, ...]:
        """Return what of a trainer's class may be meant, and hardly suits this tuner: users hear it before it runs."""
        return ()

    def record(self) -> dict[str, Any]:
        """Return what identifies this call, as JSON values: the class and its arguments, a space by its configs."""
        return describe_tuner(self)

    def __call__(self, study: StudyLike) -> Any:
        """Run on a study, as in Hippo's Figure 11: the same as `study.optimize(tuner)`."""
        return study.optimize(self)


def record_of(tuner: Any) -> dict[str, Any]:
    """Return a tuner's record, also of one that is no `Tuner`."""
    make_record = getattr(tuner, "record", None)
    record: dict[str, Any] = make_record() if make_record is not None else describe_tuner(tuner)
    if not isinstance(record, dict):
        raise TunerError(f"{type(tuner).__name__}.record() returned {record!r}; return a dictionary of JSON values")
    return record


def doubts_of(tuner: Any, trainer: type[Any]) -> tuple[str, ...]:
    """Return what of a trainer's class hardly suits a tuner, also of one that is no `Tuner`: such have no doubts."""
    doubts: Callable[[type[Any]], tuple[str, ...]] | None = getattr(tuner, "doubts", None)
    return () if doubts is None else doubts(trainer)


def describe_tuner(tuner: Any) -> dict[str, Any]:
    """Return the class of a tuner and its arguments, or its public attributes, as JSON values.

    Raises:
      TunerError: one of them cannot be told from another in the next process.
    """
    if is_dataclass(tuner):
        arguments = {f.name: getattr(tuner, f.name) for f in fields(tuner)}
    else:
        arguments = {name: value for name, value in sorted(vars(tuner).items()) if not name.startswith("_")}
    described: dict[str, Any] = {"tuner": type(tuner).__qualname__}
    for name, value in arguments.items():
        try:
            described[name] = describe(value)
        except HparamError as error:
            raise TunerError(
                f"{type(tuner).__name__}.{name} is {value!r}, which may be another one in the next process, so that a "
                f"re-run would not be recognised. Name the attribute _{name} if it decides nothing, or write a "
                f"record(self) method that returns JSON values. ({error})"
            ) from None
    return described


def describe(value: Any) -> Any:
    """Return a JSON value that is equal for equal arguments of a tuner, in every process, and for no others.

    What JSON cannot hold counts by its state and its code: functions, arrays, objects of any class.

    Raises:
      HparamError: there is something in it whose state cannot be compared.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # of numpy
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, GridSearchSpace | ConfigList):
        return {"configs": hash_of_configs(value)}
    if isinstance(value, RandomSearchSpace):
        return {"distributions": value.to_json()}
    if isinstance(value, Config):
        return value.to_json()
    if isinstance(value, Mapping):
        if all(type(key) is str for key in value):
            return {key: describe(item) for key, item in value.items()}
        return {"items": _sorted([describe(key), describe(item)] for key, item in value.items())}
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, Mapping) for item in value):
            return _describe_mappings(value)
        return [describe(item) for item in value]
    if isinstance(value, set | frozenset):
        return {"set": _sorted(map(describe, value))}
    if type(value).__module__.partition(".")[0] == "hippo" and " at 0x" not in repr(value):
        return _describe_ours(value)
    name = getattr(value, "__qualname__", type(value).__qualname__)
    return f"{name} {code_hash(value)}"


def _describe_mappings(value: Iterable[Mapping[Any, Any]]) -> Any:
    try:
        return {"configs": hash_of_configs(value)}
    except HparamError:  # some other list of dictionaries
        return [describe(item) for item in value]


def _describe_ours(value: Any) -> Any:
    """Return what comes with hippo as its text, or as JSON where its text does not tell all."""
    if callable(getattr(value, "record", None)):
        return value.record()
    if isinstance(value, Sequence | Distribution):
        described = value.to_json()
        if '"code":' in json.dumps(described):  # a user-made sequence is in it, which is more than its text
            return described
    return repr(value)


def _sorted(items: Iterable[Any]) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def hash_of_configs(configs: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of configs in their order."""
    digest = hashlib.sha256()
    for config in configs:
        digest.update(as_config(config).key.encode())
        digest.update(b"\n")
    return digest.hexdigest()


def record_text(record: Mapping[str, Any]) -> str:
    """Return the canonical text of a call's record."""
    try:
        return json.dumps(record, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise TunerError(f"record() returned {record!r}, which JSON cannot hold: {error}") from None
