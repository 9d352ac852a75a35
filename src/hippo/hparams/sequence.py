"""What every sequence is: a hyper-parameter as an exact function of the step.

A sequence has one duty, to tell which segment of it holds a step; values, pieces and sharing follow from that.
This module refuses to know which sequences there are.
"""

from __future__ import annotations

import copyreg
import dataclasses
import hashlib
import inspect
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from hippo.arguments import check_call, explain_calls, made_by_init
from hippo.errors import HparamError
from hippo.frozen import computed_once
from hippo.hparams.pieces import Piece
from hippo.hparams.templates import Template, is_open
from hippo.hparams.values import canonical_text

if TYPE_CHECKING:
    from hippo.hparams.joined import Chain, Take


class PieceInForce(NamedTuple):
    """A piece, and the step before which it is in force; None if it has no end."""

    piece: Piece
    stop: int | None

    def moved(self, offset: int, until: int | None) -> PieceInForce:
        """Return this of a sequence that begins at `offset` and is cut off at `until`."""
        stop = None if self.stop is None else self.stop + offset
        if until is not None:
            stop = until if stop is None else min(stop, until)
        piece = self.piece if self.piece.origin is None else self.piece.shifted(offset)  # a constant, most often
        return PieceInForce(piece, stop)


#: what PyTorch calls the arguments of schedulers that ours are like
_HINTS = {
    "base_lr": "it is called base here",
    "max_lr": "it is called peak here",
    "lr": "the first value comes first, without a name",
    "T_max": "it is called period here",
    "T_0": "it is called t0 here",
    "T_mult": "it is called t_mult here",
    "eta_min": "it is called final here",
    "step_size_up": "it is called up here",
    "step_size_down": "it is called down here",
    "total_iters": "it is called steps here",
    "total_steps": "it is called total here",
}


#: what Hippo's paper calls arguments: Figure 10, and Tables 2 to 4
_PRINTED = {"init": "initial", "factor": "gamma", "duration": "steps", "total_t": "steps"}


class SequenceType(type):
    """Calls a sequence's class: a distribution among the arguments gives a template instead of a sequence."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if not _PRINTED.keys().isdisjoint(named):
            named = _as_ours(cls, named)
        if any(map(is_open, arguments)) or (named and any(map(is_open, named.values()))):
            return Template(cls, arguments, named)
        try:
            return super().__call__(*arguments, **named)
        except TypeError:
            check_call(cls.__init__, (None, *arguments), named, _HINTS)  # type: ignore[misc]
            raise

    @property
    def __signature__(cls) -> inspect.Signature:  # what `help` shows; else `__call__` above would say it takes anything
        return made_by_init(cls)


class Sequence(metaclass=SequenceType):
    """A hyper-parameter as a function of the step.

    To make one of your own, write a frozen dataclass with a `value` method:

        @dataclass(frozen=True)
        class Wave(Sequence):
            height: float

            def value(self, t: float) -> float:
                return self.height * (1 + math.sin(t)) / 2

    Its code is part of its identity, so that a changed one shares nothing with its former self. `t` counts from the
    step at which the sequence begins, and may lie within a step. Override `length` if the sequence has an end.
    """

    def __init_subclass__(cls, **named: Any) -> None:
        """Refuse a subclass whose methods training would never call.

        Raises:
          HparamError: it gives a `value` to a sequence that has pieces of its own, or overrides what is built on them.
        """
        super().__init_subclass__(**named)
        if cls.__module__.startswith("hippo.hparams."):
            return
        written = vars(cls)
        if "value" in written and "segment_at" not in written and cls.segment_at is not Sequence.segment_at:
            base = next(base for base in cls.__mro__[1:] if "segment_at" in vars(base))
            raise HparamError(
                f"{cls.__name__}.value would never be called: {cls.__name__} is a {base.__name__}, which has pieces of "
                f"its own. Derive from hippo.Sequence, keep the {base.__name__} in a field, and call that in value."
            )
        for name in ("__call__", "pieces"):
            if name in written:
                raise HparamError(
                    f"{cls.__name__}.{name} would never be called by training; override value(self, t) instead."
                )

    #: whether it is a `Constant`, which this module cannot import each time that it is asked
    _is_constant: ClassVar[bool] = False

    def segment_at(self, t: float) -> PieceInForce:
        """Return the segment that holds `t`, on the sequence's own clock; of no use to callers but other sequences.

        Neighbouring segments may hold equal pieces; `pieces` joins them.
        """
        from hippo.hparams.custom import custom_piece

        return PieceInForce(custom_piece(self), None)

    @property
    def length(self) -> int | None:
        """How many steps it takes, or None if it has no end; what is after the end is only held."""
        return None

    def __call__(self, t: float) -> Any:
        """Return the value at step `t`, which may lie within a step: `t = step + i / n`.

        It is what JSON can hold; which of that it is, only the reader of the sequence knows.

        Raises:
          HparamError: `t` is negative or not finite, or the value is not finite.
        """
        try:
            step = t if type(t) is int else float(t)
        except (TypeError, ValueError):
            step = math.nan
        if not 0 <= step < math.inf:
            raise HparamError(f"A sequence is called with a step, a finite number from 0 on, not {t!r}.")
        return self.segment_at(step).piece.at(step)

    def pieces(self, until: int | None = None) -> Iterator[tuple[int, Piece]]:
        """Yield (start, piece) in canonical form, lazily and possibly without end.

        Starts ascend from 0 and are below `until`, if given; neighbouring pieces differ.
        """
        start: int | None = 0
        last: Piece | None = None
        while start is not None and (until is None or start < until):
            segment = self.segment_at(start)
            if segment.piece != last:
                last = segment.piece
                yield start, last
            start = segment.stop

    @explain_calls()
    def then(self, following: Any) -> Chain:
        """Return this sequence followed by another, which begins on a clock of its own."""
        from hippo.hparams.joined import Chain

        return Chain(self, following)

    @explain_calls()
    def take(self, steps: int) -> Take:
        """Return the first `steps` steps of this sequence, which then has a length."""
        from hippo.hparams.joined import Take

        return Take(self, steps)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that build an equal sequence, by name."""
        written = {field.name: getattr(self, field.name) for field in _fields(self) if field.init}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in written.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the sequence as what JSON can hold; `sequence_from_json` is the way back."""
        from hippo.hparams.codec import sequence_to_json

        return sequence_to_json(self)

    @computed_once
    def key(self) -> str:
        """The canonical text that identifies the sequence as it is written."""
        return canonical_text(self.to_json())

    @computed_once
    def _digest(self) -> bytes:
        """What identifies the sequence as `key` does, at a cost that a switched one does not pay for its whole past."""
        return hashlib.sha256(self.key.encode()).digest()

    def _keep(self, **arguments: object) -> None:
        """Store arguments in their final form; only for use while a sequence is being built."""
        for name, value in arguments.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def _compared(self, other: object) -> bool:
        raise HparamError(
            f"{self!r} changes with the step, so it is neither smaller nor larger than {other!r}. Compare a value of "
            f"it: sequence(0) is the one at the first step."
        )

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __repr__(self) -> str:
        return self.written(self.arguments())

    @classmethod
    def written(cls, arguments: dict[str, Any]) -> str:
        """Return how a person writes the sequence of these arguments, as `arguments` returns them."""
        defaults = {field.name: field.default for field in _fields(cls)}
        shown = []
        for name, value in arguments.items():
            default = defaults.get(name, dataclasses.MISSING)
            if default is dataclasses.MISSING:
                shown.append(repr(value))
            elif type(value) is not type(default) or value != default:  # types count: 0.0 is not the default 0
                shown.append(f"{name}={value!r}")
        return f"{cls.__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        from hippo.hparams.custom import is_ours, shipped

        if is_ours(type(self)):
            state = {name: value for name, value in self.__dict__.items() if name not in ("key", "_digest")}
            return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]
        return shipped(self)


def _as_ours(cls: Any, named: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that are named as in the paper by our names, where a class has these and not the paper's."""
    own = {field.name for field in _fields(cls)}
    spelled = {
        _PRINTED[name] if name not in own and _PRINTED.get(name) in own - named.keys() else name: value
        for name, value in named.items()
    }
    if "total_t" in named and "steps" in spelled and "final" in own and spelled.keys().isdisjoint(("slope", "final")):
        spelled["final"] = 0.0  # Linear(total_t) falls to zero
    return spelled


def _fields(sequence: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(sequence) if dataclasses.is_dataclass(sequence) else ()


def plain(argument: Any) -> Any:
    """Return what a person would write for an argument: the value of a Constant, also within lists and dictionaries."""
    if isinstance(argument, Sequence):
        return argument.value if argument._is_constant else argument  # type: ignore[attr-defined]
    if isinstance(argument, list | tuple):
        return [plain(item) for item in argument]
    if isinstance(argument, dict):
        return {name: plain(item) for name, item in argument.items()}
    return argument


def as_sequence(value: object) -> Sequence:
    """Return a sequence as it is, and a plain value as a Constant.

    Raises:
      HparamError: the value is a distribution, or not what JSON can hold.
    """
    from hippo.hparams.constants import Constant

    if isinstance(value, Sequence):
        return value
    if is_open(value):
        raise HparamError(f"{value!r} is not a value yet: give it to a RandomSearchSpace, or call .sample(rng) first.")
    if isinstance(value, type) and issubclass(value, Sequence):
        raise HparamError(f"{value.__name__} is a class; call it with its arguments, as in {value.__name__}(...).")
    try:
        return Constant(plain(value))
    except RecursionError:
        return Constant(value)  # says that it is nested too deeply
