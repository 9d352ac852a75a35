"""What a `TorchTrainer`'s `make_model` asks for in order to be narrower, or shallower, than its target.

At scale 1 each of these gives back what it was given. This module refuses to know what becomes of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from hippo.errors import TrainerError, listed
from hippo.scale import TARGET, Scale
from hippo.surrogates import ParametrizationRule, rule_named
from hippo.training.trainer import Trainer


class UnlessSet:
    """A property in whose place a trainer may have an attribute of its own."""

    def __init__(self, method: Any) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, trainer: Any, _cls: type) -> Any:
        return self if trainer is None else self._method(trainer)


class ScaleNotes:
    """What was learned of a trainer's models at a scale; all copies of one trainer share it."""

    def __init__(self) -> None:
        #: what is asked for while somebody listens; None: nobody does
        self._asked: set[str] | None = None
        #: method -> what it asked for before there was a model: what it keeps of that is the target's, too
        self.asked_before: dict[str, set[str]] = {"__init__": set(), "build": set()}
        #: names that there were -> what is known of targets, with the values of those names that they were made under
        self.known: dict[frozenset[str], list[tuple[dict[str, Any], Any]]] = {}
        self._remarks: list[str] = []
        self._remarked: set[str] = set()

    def note(self, name: str, trainer: ScaledTrainer) -> None:
        """Take note that a trainer's code asked for this."""
        if self._asked is not None:
            self._asked.add(name)
        elif not trainer._surrogate_scale.is_target and "_surrogate_options" not in vars(trainer):
            self.asked_before["build"].add(name)

    def remark(self, message: str) -> None:
        """Keep what users should know, said once, for whoever made the trainer."""
        if message not in self._remarked:
            self._remarked.add(message)
            self._remarks.append(message)

    def take_remarks(self) -> list[str]:
        """Return, once, what users should know."""
        taken, self._remarks = self._remarks, []
        return taken

    @contextmanager
    def asked(self) -> Iterator[set[str]]:
        """Collect what is asked for in the block."""
        outer, self._asked = self._asked, set()
        try:
            yield self._asked
        finally:
            self._asked = outer


class ScaledTrainer(Trainer):
    """A trainer whose model can be made at other scales than the target's: what `TorchTrainer` is made of."""

    #: least width that `scaled` and `scaled_config` make: below, the best rates of narrow models drift
    min_width: int = 8

    _surrogate_scale: Scale = TARGET
    _surrogate_notes: ScaleNotes

    @UnlessSet
    def scale(self) -> Fraction:
        """The width by that of the target: 1 unless the model stands in for a wider one."""
        self._surrogate_notes.note("scale", self)
        return Fraction(1, self._surrogate_scale.width)

    @UnlessSet
    def residual_scale(self) -> float:
        """What blocks multiply by what they add to their stream, so that fewer may stand for more: 1 in the target."""
        self._surrogate_notes.note("residual_scale", self)
        return self._surrogate_rule.residual(Fraction(1, self._surrogate_scale.depth))

    def scaled(self, width: int) -> int:
        """Return a width of the target at the scale of this model: 192 is 24 at 1/8.

        Call it in `make_model` for each width that is to shrink; not for the number of classes or of input channels.
        What `__init__` keeps is not the target's when `make_model` is called for that.

        Raises:
          TrainerError: what comes out is no whole number, or below `min_width`.
        """
        self._surrogate_notes.note("scaled", self)
        return self._divided("scaled", width, self._surrogate_scale.width, self.min_width)

    def scaled_depth(self, blocks: int) -> int:
        """Return a number of blocks of the target at the scale of this model.

        Raises:
          TrainerError: what comes out is no whole number.
        """
        self._surrogate_notes.note("scaled_depth", self)
        return self._divided("scaled_depth", blocks, self._surrogate_scale.depth, 1)

    def scaled_rank(self, rank: int) -> int:
        """Return the rank of adapters at the scale of this model: the target's, unless the scale names another.

        Raises:
          TrainerError: it is no rank, or the scale's is not below it.
        """
        self._surrogate_notes.note("scaled_rank", self)
        if type(rank) is not int or rank < 1:
            raise TrainerError(f"scaled_rank({rank!r}): give the target's rank, a whole number of at least 1")
        own = self._surrogate_scale.rank
        if own is not None and own >= rank:
            raise TrainerError(
                f"scaled_rank({rank}) at scale {self._surrogate_scale} would be {own}: the rank of a surrogate's "
                "adapters must be below the target's"
            )
        return rank if own is None else own

    def scaled_config(self, config: Any) -> Any:
        """Return a copy of a Hugging Face config whose widths and numbers of heads are at the scale of this model.

        Raises:
          TrainerError: a size that has to shrink cannot, or none is known of this config.
        """
        from hippo.training.scaled.configs import left_as_it_is, scaled_config

        self._surrogate_notes.note("scaled_config", self)
        times = self._surrogate_scale.width
        made = scaled_config(config, times, min_width=self.min_width)
        if times > 1 and (left := left_as_it_is(config, made, min_width=self.min_width)):
            self._surrogate_notes.remark(
                f"scaled_config() knows nothing of {listed(left, 6)} of {type(config).__name__}, and left them as they "
                "are: set them by self.scaled(n) in make_model() if they are widths"
            )
        return made

    def attention_scale(self, target_dim: int, dim: int) -> float:
        """Return what attention multiplies its logits by, for heads of `dim`, and of `target_dim` in the target.

        In the target it is `dim ** -0.5`. Where the number of heads is scaled, and not their width, there is no need.
        """
        if min(target_dim, dim) < 1:
            raise TrainerError(f"attention_scale({target_dim!r}, {dim!r}): heads are at least 1 wide")
        return float(target_dim**-0.5 * self._surrogate_rule.logits(target_dim, dim))

    @property
    def _surrogate_rule(self) -> ParametrizationRule:
        return rule_named(self._surrogate_scale.parametrization)

    def _divided(self, method: str, number: int, times: int, least: int) -> int:
        if type(number) is not int or number < 1:
            raise TrainerError(f"{method}({number!r}): give the target's number, a whole one of at least 1")
        if times == 1:
            return number
        kind = "depth" if method == "scaled_depth" else "scale"
        if number % times:
            below, above = number // times * times, -(-number // times) * times
            near = " and ".join(str(each) for each in (below, above) if each)
            raise TrainerError(
                f"{method}({number}) at {kind} 1/{times} would be {number / times:g}, which is no whole number; the "
                f"nearest that divide: {near}"
            )
        if number // times < least:
            largest = largest_divisor(number, least)
            raise TrainerError(
                f"{method}({number}) at scale 1/{times} would be {number // times}, below min_width = {least}; "
                + (f"the largest scale that works is {largest}" if largest > 1 else "it cannot be scaled")
                + f". Or set {type(self).__name__}.min_width, if narrow models are to be trusted."
            )
        return number // times


def largest_divisor(width: int, least: int) -> int:
    """Return by how much a width can be divided at most, so that at least `least` remains."""
    return next((times for times in range(width // least, 1, -1) if width % times == 0), 1)
