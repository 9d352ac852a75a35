"""Sequences and their arguments as JSON, and back.

A sequence is {"sequence": name, "arguments": {...}}; among arguments, a plain dictionary is marked as {"dict": {...}},
and a Constant stands as its value where a sequence would do. User-made ones add the hash of their code.
"""

from __future__ import annotations

import json
from typing import Any

from hippo.errors import HparamError
from hippo.hparams import budgeted, constants, curves, cycles, joined
from hippo.hparams.custom import UnavailableSequence, UnavailableWhole, custom_sequence, identity, is_ours
from hippo.hparams.sequence import Sequence
from hippo.hparams.templates import described
from hippo.hparams.values import canonical_text

CLASSES: dict[str, type[Sequence]] = {
    cls.__name__: cls
    for cls in (
        constants.Constant,
        constants.Step,
        constants.MultiStep,
        curves.Linear,
        curves.Exponential,
        curves.Cosine,
        curves.Polynomial,
        curves.Warmup,
        cycles.CosineWarmRestarts,
        cycles.Cyclic,
        budgeted.OneCycle,
        budgeted.WSD,
        joined.Chain,
        joined.Piecewise,
        joined.Take,
    )
}


def sequence_to_json(sequence: Sequence) -> dict[str, Any]:
    """Return a sequence as what JSON can hold."""
    if is_ours(type(sequence)) and not isinstance(sequence, UnavailableSequence):
        return {"sequence": type(sequence).__name__, "arguments": _arguments(sequence)}
    reference, code, text = identity(sequence)
    return {"sequence": reference, "code": code, "arguments": json.loads(text)}


def sequence_from_json(data: dict[str, Any], *, custom: bool = True) -> Sequence:
    """Return the sequence that `sequence_to_json` described.

    A user-made one whose class cannot be found, or has changed, comes back as an `UnavailableSequence`, and what cannot
    be put together without it as an `UnavailableWhole`.

    Args:
      data: what was described.
      custom: take user-made ones, which imports the modules that they name. False: refuse them, and import nothing.

    Raises:
      HparamError: no sequence of this name exists, or it is user-made and those are refused.
    """
    name = data.get("sequence")
    if "code" in data and not custom:
        raise HparamError(
            f"{name!r} is a sequence of a user's own, which only his module can evaluate; here those are refused. "
            "Write it with the sequences of hippo, as hippo.Piecewise or hippo.Chain of them"
        )
    if "code" in data:
        return custom_sequence(data["sequence"], data["code"], canonical_text(data["arguments"]))
    if name not in CLASSES:
        raise HparamError(f"{name!r} is not a sequence of this version of hippo; it has {sorted(CLASSES)}.")
    arguments = {argument: _decoded(value, custom=custom) for argument, value in data["arguments"].items()}
    parts = arguments.pop("parts", ())
    try:
        return CLASSES[name](*parts, **arguments)
    except HparamError as error:
        text = canonical_text(data)
        if '"code":' not in text:
            raise
        return UnavailableWhole(text, str(error))  # a part whose class is not to be had, and with it its length


def written_plainly(data: dict[str, Any]) -> str | None:
    """Return the repr of the sequence that `sequence_to_json` described, if that can be told without building it."""
    cls = CLASSES.get(data["sequence"]) if "code" not in data else None
    if cls is None or cls.__repr__ is not Sequence.__repr__:
        return None
    written: dict[str, Any] = data["arguments"]
    for value in written.values():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, list | dict):
                return None
    order = _ARGUMENTS.get(cls, ())
    return cls.written({name: written[name] for name in order} if order else written)


#: the arguments in the order in which they are written; JSON text has them by name
_ARGUMENTS = {
    cls: tuple(name for name, field in getattr(cls, "__dataclass_fields__", {}).items() if field.init)
    for cls in CLASSES.values()
}


def arguments_text(sequence: Sequence) -> str:
    """Return the arguments of a sequence as canonical text."""
    return canonical_text(_arguments(sequence))


def arguments_from_text(text: str) -> dict[str, Any]:
    """Return the arguments of a user-made sequence; lists come back as tuples, which nobody can change."""
    return {name: _tupled(_decoded(value)) for name, value in json.loads(text).items()}


def custom_body(reference: str, code: str, text: str) -> Any:
    """Return what evaluates a piece of kind "custom"."""
    return custom_sequence(reference, code, text)


def _arguments(sequence: Sequence) -> dict[str, Any]:
    if type(sequence) is joined.Piecewise:
        return sequence.described()
    return {name: described(value) for name, value in sequence.arguments().items()}


def _decoded(data: Any, *, custom: bool = True) -> Any:
    if isinstance(data, list):
        return [_decoded(item, custom=custom) for item in data]
    if not isinstance(data, dict):
        return data
    if "sequence" in data:
        return sequence_from_json(data, custom=custom)
    return {name: _decoded(item, custom=custom) for name, item in data["dict"].items()}


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
