"""Sequences made of sequences: one after the other, from milestone to milestone, or the first steps of one.

Every part runs on its own clock: its pieces are those it would have alone, with their origins moved.
"""

from __future__ import annotations

import copyreg
import hashlib
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from hippo.errors import HparamError
from hippo.frozen import computed_once
from hippo.hparams.constants import Constant, checked_milestones
from hippo.hparams.sequence import PieceInForce, Sequence, as_sequence, plain
from hippo.hparams.templates import described
from hippo.hparams.values import whole


class _Parts(Sequence):
    """Parts, each in force from its start until the next one's."""

    _parts: tuple[Sequence, ...]
    #: step at which each part begins, the first at 0
    _starts: tuple[int, ...]

    def segment_at(self, t: float) -> PieceInForce:
        k = bisect_right(self._starts, t) - 1
        start = self._starts[k]
        stop = self._starts[k + 1] if k + 1 < len(self._starts) else None
        return self._parts[k].segment_at(t - start).moved(start, stop)

    @property
    def length(self) -> int | None:
        last = self._parts[-1].length
        return None if last is None else self._starts[-1] + last

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A {type(self).__name__} cannot be changed; build another.")


class Chain(_Parts):
    """One sequence after the other; all but the last need a length. Plain values are Constants."""

    def __init__(self, *parts: object) -> None:
        if not parts:
            raise HparamError(
                "Chain() needs at least one sequence, as in Chain(Warmup(5, 0.1), Exponential(0.1, 0.95))."
            )
        flat: list[Sequence] = []
        for part in map(as_sequence, parts):
            # Chains of chains are flattened: a.then(b).then(c)... may be long, and is walked, not descended.
            flat.extend(part._parts if isinstance(part, Chain) else [part])
        lengths = [_length(part) for part in flat[:-1]]
        self._keep(_parts=tuple(flat), _starts=(0, *accumulate(lengths)))

    def arguments(self) -> dict[str, Any]:
        return {"parts": plain(self._parts)}

    def __repr__(self) -> str:
        return f"Chain({', '.join(map(repr, plain(self._parts)))})"


def _described(part: Sequence) -> Any:
    if type(part) is Constant and (piece := part._segment.piece).kind == "constant":  # nearly always
        return piece.arguments[0]
    return described(plain(part))


def _length(part: Sequence) -> int:
    if part.length is None:
        raise HparamError(
            f"{part!r} has no end, so nothing can follow it in a Chain. Say how many steps it takes: {part!r}.take(10)."
        )
    if type(part.length) is not int or part.length < 1:
        raise HparamError(
            f"The length of {part!r} is {part.length!r}: it must be a number of steps, a whole one, from 1."
        )
    return part.length


class Piecewise(_Parts):
    """values[k], where k is the number of milestones <= t; a value may be a sequence, on its own clock."""

    #: of one that `switched` made: what it is before `_at`, from which on it is `_after`
    _before: Piecewise | None = None
    _at: int
    _after: Sequence

    def __init__(self, values: Listed[object], milestones: Listed[int]) -> None:
        if isinstance(values, str | bytes | Sequence) or not isinstance(values, Listed):
            raise HparamError(f"Piecewise needs a list of values, such as [0.1, 0.01], not {values!r}.")
        steps = checked_milestones(milestones)
        if len(values) != len(steps) + 1:
            raise HparamError(
                f"Piecewise needs one value more than milestones, not {len(values)} for {len(steps)} milestones: "
                f"Piecewise([0.1, 0.01], [90]) is 0.1 before step 90 and 0.01 from then on."
            )
        self._keep(_parts=tuple(map(as_sequence, values)), _starts=(0, *steps))

    def __getattr__(self, name: str) -> Any:
        """Return all parts, or where they begin, of one that `switched` made: found when somebody wants them."""
        if name not in ("_parts", "_starts") or self._before is None:
            raise AttributeError(name)
        parts: list[Sequence] = []
        starts: list[int] = []
        part: Piecewise = self
        while part._before is not None and "_parts" not in part.__dict__:
            parts.append(part._after)
            starts.append(part._at)
            part = part._before
        self._keep(_parts=(*part._parts, *parts[::-1]), _starts=(*part._starts, *starts[::-1]))
        return self.__dict__[name]

    def segment_at(self, t: float) -> PieceInForce:
        if self._before is not None and t >= self._at:
            return self._after.segment_at(t - self._at).moved(self._at, None)
        return _Parts.segment_at(self, t)

    @property
    def last_start(self) -> int:
        """The step at which its last part begins."""
        return self._starts[-1] if self._before is None else self._at

    @computed_once
    def _digest(self) -> bytes:
        if type(self) is not Piecewise:
            return super()._digest
        ahead: list[Piecewise] = []
        known: Piecewise = self
        while known._before is not None and "_digest" not in known.__dict__:
            ahead.append(known)
            known = known._before
        digest = known._digest if known is not self else _digest_of_parts(self._starts, self._parts)
        for part in reversed(ahead):
            digest = _digest_of_parts((part._at,), (part._after,), digest)
        return digest

    @property
    def values(self) -> list[Any]:
        """The values, as they are written."""
        return list(plain(self._parts))

    @property
    def milestones(self) -> list[int]:
        """The steps at which the next value begins."""
        return list(self._starts[1:])

    def arguments(self) -> dict[str, Any]:
        return {"values": self.values, "milestones": self.milestones}

    def described(self) -> dict[str, Any]:
        """Return the arguments as what JSON can hold; each is canonical, and so are the values of constants."""
        return {"values": list(map(_described, self._parts)), "milestones": list(self._starts[1:])}

    @classmethod
    def written(cls, arguments: dict[str, Any]) -> str:
        return f"Piecewise({arguments['values']!r}, {arguments['milestones']!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._before is None:
            return super().__reduce__()
        state = {"_parts": self._parts, "_starts": self._starts}  # flat: pickle descends
        return copyreg.__newobj__, (Piecewise,), state  # type: ignore[attr-defined]


def switched(before: Sequence, at: int, after: Sequence) -> Sequence:
    """Return the sequence that is `before` until step `at`, and `after` on a clock of its own from then on.

    Switches of switches stay flat, so that a chain of thousands is evaluated by bisection and not by recursion; and
    each holds the one before it, so that one more costs the same after any number of them.
    """
    if at == 0:
        return after
    result = object.__new__(Piecewise)  # not through __init__, which would check all parts again at every switch
    if isinstance(before, Piecewise) and at > before.last_start:
        result._keep(_before=before, _at=at, _after=after)
    elif isinstance(before, Piecewise):
        keep = bisect_right(before._starts, at - 1)  # parts that have begun before `at`
        result._keep(_parts=(*before._parts[:keep], after), _starts=(*before._starts[:keep], at))
    else:
        result._keep(_parts=(before, after), _starts=(0, at))
    return result


def _digest_of_parts(starts: Iterable[int], parts: Iterable[Sequence], digest: bytes = b"") -> bytes:
    """Return what identifies the parts before, whose digest this is, and these ones after them."""
    for start, part in zip(starts, parts, strict=True):
        digest = hashlib.sha256(b"%s|%d|%s" % (digest, start, part._digest)).digest()
    return digest


@dataclass(frozen=True, eq=False, repr=False)
class Take(Sequence):
    """The first `steps` steps of a sequence; after them, the value of the last one is held."""

    sequence: Sequence
    steps: int

    def __post_init__(self) -> None:
        self._keep(sequence=as_sequence(self.sequence), steps=whole("the number of steps to take", self.steps, 1))

    @property
    def length(self) -> int | None:
        return self.steps

    def segment_at(self, t: float) -> PieceInForce:
        if t < self.steps:
            return self.sequence.segment_at(t).moved(0, self.steps)
        return as_sequence(self.sequence(self.steps - 1)).segment_at(0)

    def __repr__(self) -> str:
        return f"{self.sequence!r}.take({self.steps})"
