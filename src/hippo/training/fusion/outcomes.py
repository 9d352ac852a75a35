"""What a few updates come to, alone or in a formation, and how far two of them are apart.

It refuses to know what follows from that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from torch import Tensor

from hippo.records import Metrics, NodeId
from hippo.training.feeding.data import StepBatch
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.fusion.in_double import double_batch, is_in_double
from hippo.training.fusion.lane_tensors import require_shapes, same_bits
from hippo.training.fusion.lane_values import Pieces
from hippo.training.fusion.refusals import NotFusible
from hippo.training.trainer import Trainer
from hippo.training.values import HparamValues, whole_number
from hippo.training.walking.walker import Walker

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: epochs in which short batches are looked for; where steps cross their ends, many more may have others
_EPOCHS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class LaneOutcome:
    """What one lane came to."""

    #: weights that are trained, and buffers, by name: before, and after
    before: Mapping[str, Tensor]
    after: Mapping[str, Tensor]
    #: mean over the updates
    loss: float
    #: of a fused lane, what its optimizer was given and has of each parameter: too little to tell how far lanes are
    #: apart. But bits by which gradients differ may take many updates to show in weights, which are larger
    optimizer: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def says_something(self) -> bool:
        """Whether weights moved, and all is finite: only then another outcome can be compared with it."""
        return math.isfinite(self.loss) and 0 < _norm(self.after, self.before) < math.inf

    def distance_to(self, alone: LaneOutcome) -> tuple[float, str]:
        """Return how far this is from a lane alone, by the way that that one walked; and what is off most."""
        apart = {name: _norm({name: self.after[name]}, alone.after) for name in alone.after}
        farthest = max(apart, key=lambda name: (math.isnan(apart[name]), apart[name]))
        return math.hypot(*apart.values()) / _norm(alone.after, alone.before), farthest

    def has_bits_of(self, other: LaneOutcome) -> bool:
        """Whether both are one, bit for bit."""
        return all(same_bits(tensor, other.after[name]) for name, tensor in self.after.items()) and all(
            name in other.optimizer and same_bits(tensor, other.optimizer[name])
            for name, tensor in self.optimizer.items()
        )


def solo_outcome(walker: Walker, node: NodeId, pieces: Pieces, *, updates: int, ends: Ends) -> LaneOutcome:
    """Return what a lane comes to alone in its next updates.

    Raises:
      NotFusible: it cannot be compared with another one.
    """
    trainer = cast("TorchTrainer", walker.settled(node))
    require_shapes(trainer.model)
    before = _tensors(trainer)
    with few_batches(trainer, updates * whole_number(trainer.accumulate), ends=ends):
        metrics = walker.train(node, pieces)
    after = _tensors(trainer)
    if grown := [name for name, each in before.items() if name in after and after[name].shape != each.shape]:
        raise NotFusible(
            f"an update changes the shape of {grown[0]!r} of the model; make_model() has to give it its shape"
        )
    return LaneOutcome(before, after, metrics["loss"])


def fused_outcomes(
    walker: FusedWalker, node: NodeId, pieces: Sequence[Pieces], *, updates: int, ends: Ends
) -> list[LaneOutcome]:
    """Return what lanes come to in a formation, in their next updates."""
    before = [_tensors(walker.lent(lane)) for lane in range(len(pieces))]
    trainer = walker.lent(0)
    with few_batches(trainer, updates * whole_number(trainer.accumulate), ends=ends), _given_to(walker) as given:
        metrics = walker.train([node] * len(pieces), pieces)
    found: list[LaneOutcome] = []
    for lane in range(len(pieces)):
        after = _tensors(walker.lent(lane))
        with walker.with_optimizer_of(lane):
            gradients = {name: each[lane] for name, each in given.items()}
            found.append(LaneOutcome(before[lane], after, metrics[lane]["loss"], _of_optimizer(trainer) | gradients))
    return found


@contextmanager
def _given_to(walker: FusedWalker) -> Iterator[dict[str, Tensor]]:
    """Collect the gradients that the lanes' optimizer is given in the block, update by update."""
    optimizer, given = walker._state.optimizer, dict[str, Tensor]()
    step, number = optimizer.step, itertools.count()

    def collect(params: Mapping[str, Tensor], grads: Mapping[str, Tensor | None]) -> None:
        update = next(number)
        given.update({f"gradient {update} of {n}": each.clone() for n, each in grads.items() if each is not None})
        step(params, grads)

    optimizer.step = collect  # type: ignore[method-assign]
    try:
        yield given
    finally:
        del optimizer.step


class EvaluatedLanes(NamedTuple):
    """What lanes are evaluated to after an update, lane by lane."""

    #: as one program
    together: list[Metrics]
    #: each by itself, if asked
    alone: list[Metrics]
    #: what the model returned in the one program: a metric is a mean, and seldom shows last bits
    returned: list[list[Tensor]]

    def has_bits_of(self, lane: int, other: EvaluatedLanes, of_other: int) -> bool:
        """Whether a lane comes to the same, bit for bit, as a lane of another formation."""
        mine, theirs = self.returned[lane], other.returned[of_other]
        # of another length where metrics keep what they call once
        is_alike = len(mine) == len(theirs) and all(map(same_bits, mine, theirs))
        return is_alike and self.together[lane] == other.together[of_other]


def evaluations(
    walker: FusedWalker, node: NodeId, pieces: Sequence[Pieces], *, also_alone: bool
) -> EvaluatedLanes | None:
    """Return what lanes are evaluated to after their next update; None: not together.

    On one batch, and on the last one if that is shorter: what is asked is whether metrics can be computed so.
    """
    trainer, lanes = walker.lent(0), range(len(pieces))
    if not walker.has_trunk or trainer._average is not None:
        return None
    returned = walker._evaluation.returned = list[Tensor]()
    with few_batches(trainer, whole_number(trainer.accumulate)):
        walker.train([node] * len(pieces), pieces)
        together: list[Metrics] = [walker.evaluate(lane, node) for lane in lanes]
        if not walker.was_evaluated_together:
            return None
        alone: list[Metrics] = [walker.evaluate_alone(lane, node) for lane in lanes if also_alone]
    return EvaluatedLanes(together, alone, [[each[lane] for each in returned] for lane in lanes])


class Ends(Enum):
    """The batches with which steps that are compared end, unless none ever has fewer samples than others.

    Where whole batches are aligned in memory, whatever a lane's place, short ones may not be; and kernels take few rows
    another way than many.
    """

    WHOLE = "whole"
    #: one with an odd number of samples
    SHORT = "short"
    #: and one with as few as any batch has, by which not every trainer can be trained
    SHORTEST = "shortest"

    @property
    def longer(self) -> Ends | None:
        """The ends for trainers that cannot be trained by these; None: there are none."""
        return {Ends.SHORTEST: Ends.SHORT, Ends.SHORT: Ends.WHOLE}.get(self)


@contextmanager
def few_batches(trainer: Trainer, most: int, *, ends: Ends = Ends.WHOLE) -> Iterator[None]:
    """Let a trainer's steps have so many batches, and its evaluations no more, for the block."""
    of_torch = cast(Any, trainer)
    training, validation = of_torch._training, of_torch._validation
    is_double = is_in_double(trainer)
    of_torch._training = _LimitedFeed(training, most, ends=ends, is_double=is_double)
    of_torch._validation = _LimitedValidation(validation, most, is_double=is_double)
    try:
        yield
    finally:
        of_torch._training, of_torch._validation = training, validation


class _LimitedFeed:
    """A feed whose steps have so many batches, and no others: they end sooner than they would, or later."""

    def __init__(self, feed: Any, most: int, *, ends: Ends, is_double: bool) -> None:
        self._feed, self._most, self._ends, self._is_double = feed, most, ends, is_double

    def step(self, batch_size: int) -> Iterator[StepBatch]:
        short = [] if self._ends is Ends.WHOLE or batch_size == 1 else self._short_sizes(batch_size)
        # of as many steps as it takes: an update may want more batches than one step has
        steps = itertools.chain.from_iterable(self._feed.step(batch_size) for _ in itertools.count())
        whole = itertools.islice(steps, max(self._most - len(short), 1))
        for fed in itertools.chain(whole, *(itertools.islice(self._feed.step(size), 1) for size in short)):
            yield fed._replace(batch=double_batch(fed.batch)) if self._is_double else fed

    def _short_sizes(self, batch_size: int) -> list[int]:
        """Return sizes of short batches, the smallest last; none, if no end of a step or an epoch makes any."""
        length, samples = getattr(self._feed, "_length", None), self._feed._samples_per_step
        odd = batch_size - 1 - batch_size % 2
        if length is None or samples is None:  # nobody knows what comes
            return [odd]
        found = short_sizes(length, samples, batch_size)
        shortest = {min(found)} if found and self._ends is Ends.SHORTEST else set[int]()
        return sorted({odd} | shortest, reverse=True) if found else []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._feed, name)


def short_sizes(length: int, samples: int, batch_size: int) -> set[int]:
    """Return the sizes of the batches that steps of so many samples have at their ends, or at the ends of epochs.

    Args:
      length: samples of an epoch.
      samples: of a step.
      batch_size: of all other batches.
    """
    found, begin = set[int](), 0
    for _ in range(_EPOCHS):
        within = (length - begin) // samples  # steps that end in this epoch
        begin += within * samples
        parts = [samples] if within else []
        if begin < length:
            left = samples - (length - begin)
            parts += [length - begin, left % length]  # whole epochs between them are as the first part of all
            begin = left
        found.update(part % batch_size for part in parts)
        begin %= length
        if not begin:
            break
    return found - {0}


class _LimitedValidation:
    """The first batches of a validation set, and the last one if that is shorter."""

    def __init__(self, feed: Any, most: int, *, is_double: bool) -> None:
        self._feed, self._is_double = feed, is_double
        last = len(feed.sizes) - 1
        ends_short = last >= most and feed.sizes[last] < feed.sizes[0]
        self._numbers = [*range(min(most, last + 1)), *([last] if ends_short else [])]
        self.sizes = [feed.sizes[number] for number in self._numbers]

    def give(self, values: HparamValues) -> None:
        self._feed.give(values)

    def batches(self) -> Iterator[Any]:
        for batch in self._feed.batches(self._numbers):
            yield double_batch(batch) if self._is_double else batch


def _tensors(trainer: TorchTrainer) -> dict[str, Tensor]:
    """Return copies of what training may change; of an average of weights, too."""
    found: dict[str, Tensor] = {name: each for name, each in trainer.model.named_parameters() if each.requires_grad}
    found.update(trainer.model.named_buffers())
    if trainer.evaluated_model is not trainer.model:
        found.update({f"average of {name}": each for name, each in trainer.evaluated_model.named_parameters()})
    return {name: each.detach().clone() for name, each in found.items()}


def _of_optimizer(trainer: TorchTrainer) -> dict[str, Tensor]:
    """Return copies of the tensors in the state of a trainer's optimizer."""
    states = trainer._live.state_dict()["optimizer"]["state"]
    return {
        f"{name} of parameter {number}": value.detach().clone()
        for number, entries in states.items()
        for name, value in entries.items()
        if isinstance(value, Tensor)
    }


def _norm(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> float:
    """Return the norm of the difference of all tensors of `one` from those of `other`, 0 where there is none."""
    return math.hypot(
        *(float((tensor.double() - other[name].double()).norm()) for name, tensor in one.items() if name in other)
    )
