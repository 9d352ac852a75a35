"""Pieces: the atomic stretches that every sequence lowers to, and by which training states are told apart.

A piece is a closed form with arguments and an absolute origin. Two pieces are the same iff their keys are equal texts;
values that happen to coincide do not count. A piece knows neither where it begins to be in force nor where it ends.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Protocol

from hippo.errors import HparamError
from hippo.hparams.formulas import FORMULAS
from hippo.hparams.values import Value, canonical, canonical_text


class Body(Protocol):
    """The user-made function behind a piece of kind "custom"."""

    def value(self, t: float) -> Any:
        """Return the value `t` steps after the origin."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A closed form of the step, with its origin.

    Equality and hash are those of `key`: types count, so pieces of 1, 1.0 and True are three.
    """

    #: "constant", "structure" (a constant list or dict), "custom", or a name in `FORMULAS`
    kind: str
    #: scalars; a structure is kept as its JSON text, so that nobody can change what is stored
    arguments: tuple[bool | int | float | str | None, ...]
    #: absolute step from which the form counts; constants have none
    origin: int | None
    #: for "custom": what evaluates it; not part of the identity, which is in the arguments
    body: Body | None = field(default=None, repr=False)
    #: the canonical text that identifies the piece
    key: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", canonical_text([self.kind, self.arguments, self.origin]))

    def at(self, t: float) -> Value:
        """Return the value at the absolute step `t`, which may lie within a step.

        Raises:
          HparamError: the value is not finite there.
        """
        if self.origin is None:
            value = self.arguments[0]
            return json.loads(str(value)) if self.kind == "structure" else value
        if self.body is not None:
            return canonical(self.body.value(t - self.origin))
        return self._closed_form(t - self.origin)

    def _closed_form(self, t: float) -> float:
        try:
            value = FORMULAS[self.kind](t, *self.arguments)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise HparamError(
                f"The {self.kind} piece {self.arguments} leaves the range of floats {t} steps after its origin; "
                f"end it earlier with .take(n), or choose arguments that do not grow without bound."
            )
        return value + 0.0  # -0.0 becomes 0.0

    def __str__(self) -> str:
        if self.kind == "constant":
            return repr(self.arguments[0])
        if self.kind == "structure":
            return str(self.arguments[0])
        return f"{self.kind}({', '.join(map(repr, self.arguments))})@{self.origin}"

    def shifted(self, steps: int) -> Piece:
        """Return the same form, begun `steps` later; a constant is the same everywhere."""
        if self.origin is None or steps == 0:
            return self
        return Piece(self.kind, self.arguments, self.origin + steps, self.body)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Piece) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the piece as what JSON can hold."""
        return {"kind": self.kind, "arguments": list(self.arguments), "origin": self.origin}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Piece:
        """Return the piece that `to_json` described.

        A user-made one whose class cannot be found, or has changed, comes back too, but raises when evaluated.
        """
        kind, arguments, origin = data["kind"], tuple(data["arguments"]), data["origin"]
        if kind != "custom":
            return cls(kind, arguments, origin)
        from hippo.hparams.codec import custom_body

        return cls(kind, arguments, origin, custom_body(*arguments))


def constant(value: Value) -> Piece:
    """Return the piece that is `value`, a canonical one, for ever."""
    if isinstance(value, list | dict):
        return Piece("structure", (canonical_text(value),), None)
    return Piece("constant", (value,), None)


def curve(kind: str, *arguments: float) -> Piece:
    """Return the piece of this kind on its own clock: origin 0, every argument a float."""
    if not all(map(math.isfinite, arguments)):
        raise HparamError(
            f"The {kind} piece would need the arguments {arguments}, which leave the range of floats; "
            f"bring the ends of the sequence closer together."
        )
    return Piece(kind, tuple(map(float, arguments)), 0)
