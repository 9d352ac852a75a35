"""Decides how lanes of one shape are walked: once, by what throw-away copies come to, and recorded as a fact.

First it must be right: two lanes walked as one come to what each comes to alone. Then a lane's bits should depend on
the lane alone, whatever its company and its place are. At last it must be worth it: on a CPU, lanes of wide models take
longer together. It refuses to know plans and leases, and leaves no trace in the process.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import Any, cast

import torch

from hippo.clock import Clock, ProcessorClock, SystemClock
from hippo.records import Fusion, Point
from hippo.training.codec import EncodedState
from hippo.training.declarative.torch_attributes import device_of
from hippo.training.fusion.changed_pieces import PieceChange, changed
from hippo.training.fusion.fused_metrics import are_alike
from hippo.training.fusion.fused_walker import FusedStepFailed, FusedWalker
from hippo.training.fusion.in_double import in_double
from hippo.training.fusion.lane_models import own_floats
from hippo.training.fusion.lane_values import LaneValues, Pieces, values_of
from hippo.training.fusion.outcomes import (
    Ends,
    EvaluatedLanes,
    LaneOutcome,
    evaluations,
    few_batches,
    fused_outcomes,
    solo_outcome,
)
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible, refusal_of
from hippo.training.fusion.shared_products import are_worth_it
from hippo.training.fusion.whole_blocks import meets_places
from hippo.training.process.streams import fence
from hippo.training.telling import unheard
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.trainer import Trainer
from hippo.training.values import whole_number
from hippo.training.walking.walker import UserCodeFailed, Walker

#: lanes are right if they end no farther from a lane alone than this part of the way it walked
MOST_DISTANCE = 1e-2
#: and if their losses are no farther from its own, relatively
MOST_LOSS = 1e-5
#: lanes that take a greater part than this of what they take one by one are not worth it
MOST_SECONDS = 0.95
#: numbers of lanes that are timed, as long as each leaves no more than this part of a lane's share
_TRIED, _SAVED = (4, 16, 64), 0.9
#: and on a GPU, which may have room for many more small ones
_TRIED_ON_GPU = (*_TRIED, 256)
#: where a share is between these parts of what a lane takes alone, both are timed again, so many times in turns: what
#: else the machine did at one of two moments made a perceptron of width 512 seem to gain in six of twelve checks
_CLOSE, _TURNS = (0.4, 1.4), 4
#: where 16 lanes leave more than this part of what one takes alone, nobody asks 64: they would save little, too
_LITTLE = 0.75
#: where a few batches of more lanes would take longer than these seconds, nobody asks; and nobody times any again
_LONGEST_S = 1.0
#: updates that are compared: in the second, momentum and running statistics count
_UPDATES = 2
#: batches, at most, and repetitions that are timed
_TIMED, _TIMES = 4, 3
#: no more batches than take these seconds one lane after the other
_ENOUGH_S = 0.05
#: a coarse clock may have seen nothing pass
_TICK_S = 1e-9
#: formations in which lane a must come to the same bits, wherever it stands
_FORMATIONS = ("ab", "ba", "bba", "abba", "babba", "b" * 14 + "ab")

#: how lanes are walked unless a reason is found to do it otherwise
_PLAIN = Fusion(is_fused=True, shares_products=False)
#: the lane's own values; where alone it says nothing, since nothing moves yet, or since it diverges, others like them
_CHANGES = (
    PieceChange(),
    PieceChange(later=1),
    PieceChange(later=16),
    PieceChange(factor=2.0**-4),
    PieceChange(factor=2.0**-10),
    PieceChange(factor=2.0**-40),
    PieceChange(factor=2.0**-110),
    PieceChange(later=1, zero=1e-3),
)
#: by this the values of the second lane differ from those of the first
_OTHER = 0.875


def decide(
    pristine: Trainer,
    *,
    step: int,
    pieces: Pieces,
    state: EncodedState | None,
    goal: Point,
    numerics: str,
    clock: Clock | None = None,
) -> tuple[Fusion, float]:
    """Return how lanes like this one are walked, and the seconds that it took to find out.

    Args:
      pristine: the trainer as its `__init__` left it.
      step: the steps that `state` has behind it.
      pieces: in force just before `step`, or at step 0; and in the steps from there on.
      state: that the lane begins from; None for a freshly initialised one.
      goal: the lane's next point.
      numerics: of the workload: "fused", or "fused-fast", which promises nothing about bits.
      clock: to time updates by; None: the machine's own.
    """
    elapsed = SystemClock().elapsed
    # what others compute on this machine says nothing about lanes; but only one thread's own time can be told apart
    timer = elapsed if torch.get_num_threads() > 1 or torch.cuda.is_available() else ProcessorClock().elapsed
    started_s = elapsed()
    with fence(), unheard():
        check = FusionCheck(pristine, step, pieces, state, goal, timer if clock is None else clock.elapsed)
        fusion = check.decide(keeps_bits=numerics == "fused")
    return fusion, elapsed() - started_s


def _is_on_cpu(trainer: Trainer) -> bool:
    return device_of(cast(TorchTrainer, trainer).device).type == "cpu"


@dataclass(frozen=True, slots=True)
class FusionCheck:
    """Walks copies of one lane, alone and as lanes of formations."""

    pristine: Trainer
    step: int
    pieces: Pieces
    state: EncodedState | None
    goal: Point
    #: tells seconds, to time by
    elapsed: Callable[[], float]
    #: names in which its lanes do not differ, since what is computed depends on them
    same: frozenset[str] = frozenset()
    #: with which batches the steps end that are compared
    ends: Ends = Ends.SHORTEST

    def decide(self, *, keeps_bits: bool) -> Fusion:
        """Return how such lanes are walked.

        Args:
          keeps_bits: a lane's bits should depend on the lane alone; where they cannot, as on any GPU, the verdict
            says so.
        """
        reason = refusal_of(self.pristine)
        if reason is not None:
            return Fusion(is_fused=False, detail=reason)
        try:
            lanes, fusion = self._with_own_floats(self._right_lanes(_PLAIN))
            fusion = _with_shared_products(self, lanes, fusion)
            keeps_bits = keeps_bits and _is_on_cpu(self.pristine)  # a GPU's kernels are chosen by the number of lanes
            fusion = self._company_free(lanes, fusion) if keeps_bits else replace(fusion, keeps_bits=False)
            fusion = replace(fusion, evaluates_together=self._evaluates_together(lanes, fusion))
            return self._worth_it(lanes, fusion)
        except LanesDifferIn as differ:  # a value that is zero where a step begins differs at its later batches only
            if self.same.issuperset(differ.names):
                return Fusion(is_fused=False, detail=str(differ))
            return replace(self, same=self.same.union(differ.names)).decide(keeps_bits=keeps_bits)
        except NotFusible as error:
            return Fusion(is_fused=False, detail=str(error))
        except FusedStepFailed as error:
            return Fusion(is_fused=False, detail=error.reason)
        except UserCodeFailed as failed:  # by a batch of one sample, say, which such lanes may never meet
            if failed.is_resource or self.ends is not Ends.SHORTEST:
                raise
            return replace(self, ends=Ends.SHORT).decide(keeps_bits=keeps_bits)

    # -------------------------------------------------------------------------------------------------- is it right

    def _right_lanes(self, fusion: Fusion) -> dict[str, Pieces]:
        """Return two lanes, "a" and "b", that come to the same together and alone, but for rounding.

        Raises:
          NotFusible: they do not.
        """
        try:
            return self._lanes(fusion)
        except NotAlike:
            double = replace(self, pristine=in_double(self.pristine))
            try:
                return double._lanes(fusion)
            except Exception:  # many programs compute in float32 alone
                pass
            raise

    def _lanes(self, fusion: Fusion) -> dict[str, Pieces]:
        """Return two lanes, "a" and "b", that come to the same together and alone.

        Raises:
          NotFusible: they do not.
        """
        first, alone = self._first()
        same = self.same
        while True:
            other = changed(first, PieceChange(factor=_OTHER), but=same, since=self.step)
            other_alone = self._alone(other)
            if other_alone is None or not other_alone.says_something:
                other, other_alone = first, alone
            try:
                together = self._together([first, other], fusion)
            except LanesDifferIn as differ:
                if same.issuperset(differ.names):
                    raise NotFusible(str(differ)) from None
                same = same.union(differ.names)
                continue
            for lane, solo in zip(together, (alone, other_alone), strict=True):
                _require_equal(lane, solo)
            return {"a": first, "b": other}

    def _first(self) -> tuple[Pieces, LaneOutcome]:
        """Return the lane, or one like it, and what it comes to alone, which has to say something."""
        error: UserCodeFailed | None = None
        for change in _CHANGES:
            pieces = changed(self.pieces, change, since=self.step)
            try:
                alone = self._run_alone(pieces)
            except UserCodeFailed as failed:
                error = error or failed
                continue
            if alone.says_something:
                return pieces, alone
        if error is not None:
            raise error
        raise NotFusible("two updates moved no weight, or moved them beyond all numbers: nothing could be compared")

    def _alone(self, pieces: Pieces) -> LaneOutcome | None:
        try:
            return self._run_alone(pieces)
        except UserCodeFailed:
            return None

    def _run_alone(self, pieces: Pieces) -> LaneOutcome:
        with closing(self._walker(pieces)) as walker:
            return solo_outcome(walker, self.goal.node, pieces, updates=_UPDATES, ends=self.ends)

    def _together(self, lanes: Sequence[Pieces], fusion: Fusion) -> list[LaneOutcome]:
        with closing(self._fused_walker(lanes, fusion)) as walker:
            return fused_outcomes(walker, self.goal.node, lanes, updates=_UPDATES, ends=self.ends)

    def _with_own_floats(self, lanes: dict[str, Pieces]) -> tuple[dict[str, Pieces], Fusion]:
        """Return two lanes that differ in floats of their models, too, and where these are; else the lanes given.

        Lanes of a model that cannot be computed with a tensor in a float's place are walked apart by its value.
        """
        fusion = _PLAIN
        if type(self.pristine).setup is not Trainer.setup:  # which may write them, in one model for all
            return lanes, fusion
        places = own_floats(self.pristine, self._values([lanes["a"], changed(lanes["a"], PieceChange(factor=_OTHER))]))
        if not places:
            return lanes, fusion
        own = replace(fusion, own_floats=places)
        try:
            found = self._right_lanes(own)
        except (NotFusible, FusedStepFailed) as error:
            why = error.reason if isinstance(error, FusedStepFailed) else str(error)
            return lanes, replace(fusion, detail=f"lanes that differ in floats of modules are walked apart: {why}")
        is_theirs = own_floats(self.pristine, self._values([found["a"], found["b"]])) == places
        return (found, own) if is_theirs else (lanes, fusion)

    def _values(self, lanes: Sequence[Pieces]) -> LaneValues:
        return values_of(lanes, max(self.step - 1, 0), set(), set())

    # -------------------------------------------------------------------------------- does it depend on the lane alone

    def _company_free(self, lanes: dict[str, Pieces], plain: Fusion) -> Fusion:
        """Return how a lane is walked so that its bits are its own; where there is no such way, say so.

        Args:
          plain: how it is walked as far as that is settled.
        """

        def has_places(way: Fusion) -> bool:
            return meets_places(lambda formation: self._together([lanes[name] for name in formation], way))

        free = next((way for way in (plain, replace(plain, in_blocks=True)) if not has_places(way)), None)
        for fusion in filter(None, (free, replace(plain, is_aligned=True))):
            found = list(self._bits(lanes, fusion))
            if all(outcome.has_bits_of(found[0]) for outcome in found[1:]):
                if fusion != plain:
                    self._right_lanes(fusion)
                lone = self._together([lanes["a"]], fusion)[0]
                return replace(fusion, has_twin=not lone.has_bits_of(found[0]))
        company = "the last bits of a lane depend on the lanes beside it"
        return replace(plain, keeps_bits=False, detail="; ".join(filter(None, (company, plain.detail))))

    def _bits(self, lanes: dict[str, Pieces], fusion: Fusion) -> Iterator[LaneOutcome]:
        """Yield what lane a comes to in several formations, at each of its places."""
        for formation in _FORMATIONS:
            try:
                outcomes = self._together([lanes[name] for name in formation], fusion)
            except FusedStepFailed as failed:
                if failed.is_resource and len(formation) > _UPDATES:
                    continue  # then no formation is as large
                raise
            yield from (outcome for name, outcome in zip(formation, outcomes, strict=True) if name == "a")

    def _evaluates_together(self, lanes: dict[str, Pieces], fusion: Fusion) -> bool:
        """Whether lanes over a trunk can be evaluated as one program, too, which runs the trunk once."""
        both = self._evaluated("ab", lanes, fusion, also_alone=True)
        if both is None or not all(map(are_alike, both.together, both.alone, itertools.repeat(MOST_LOSS))):
            return False
        for formation in ("ba", "bba", _FORMATIONS[-1], "a") if fusion.keeps_bits else ():
            try:
                other = self._evaluated(formation, lanes, fusion, also_alone=False)
            except FusedStepFailed as failed:
                if failed.is_resource and len(formation) > _UPDATES:
                    continue  # then no formation is as large
                raise
            if other is None or not both.has_bits_of(0, other, formation.index("a")):
                return False
        return True

    def _evaluated(
        self, formation: str, lanes: dict[str, Pieces], fusion: Fusion, *, also_alone: bool
    ) -> EvaluatedLanes | None:
        """Return what lanes of a formation are evaluated to as one program after an update, and alone if asked."""
        pieces = [lanes[name] for name in formation]
        with closing(self._fused_walker(pieces, replace(fusion, evaluates_together=True))) as walker:
            return evaluations(walker, self.goal.node, pieces, also_alone=also_alone)

    # ------------------------------------------------------------------------------------------------- is it worth it

    def _worth_it(self, lanes: dict[str, Pieces], fusion: Fusion) -> Fusion:
        """Return how many lanes are worth walking at once, or that none are: each number takes less per lane."""
        pace = _Pace(functools.partial(self._seconds_alone, lanes["a"]))
        timed: dict[int, float] = {}
        best, of_best = math.inf, 0
        for num_lanes in _TRIED if _is_on_cpu(self.pristine) else _TRIED_ON_GPU:
            if num_lanes > _TRIED[1] and (pace.is_long(num_lanes, timed) or best > _LITTLE):
                break
            together = [lanes["a"], lanes["b"]] * (num_lanes // 2)
            seconds = self._seconds_together(together, fusion, pace.batches(num_lanes))
            if seconds is None:
                break
            timed[num_lanes] = seconds / pace.alone_s(num_lanes)
            share, before = timed[num_lanes] / num_lanes, best
            if share < best * _SAVED:
                best, of_best = share, num_lanes
            if num_lanes > _TRIED[0] and share > before * _SAVED:
                break
        if of_best and _CLOSE[0] < best < _CLOSE[1]:
            together = [lanes["a"], lanes["b"]] * (of_best // 2)
            best = self._share_in_turns(together, fusion, pace.batches(of_best))
        took = f"{of_best} lanes take as long as {of_best * best:.1f} one by one" if of_best else "no memory"
        if best > MOST_SECONDS:
            return Fusion(is_fused=False, detail=f"{took}: walking them together gains nothing")
        most = _TRIED[-1]
        if of_best == _TRIED[1] and pace.is_long(most, timed) and best <= _LITTLE:  # so nobody timed the most
            of_best = most if foretold(timed, most) / most < best * _SAVED else of_best
        return replace(fusion, lanes_at_first=of_best, detail="; ".join(filter(None, (took, fusion.detail))))

    def _seconds_alone(self, pieces: Pieces, batches: int) -> float:
        with closing(self._walker(pieces)) as walker, _updates(walker.settled(self.goal.node), batches):
            return min(self._timed(lambda: walker.train(self.goal.node, pieces)))

    def _seconds_together(self, lanes: Sequence[Pieces], fusion: Fusion, batches: int) -> float | None:
        """Return the seconds of a few batches, or None where lanes are too many for the memory."""
        nodes = [self.goal.node] * len(lanes)
        try:
            with closing(self._fused_walker(lanes, fusion)) as walker, _updates(walker.lent(0), batches):
                return min(self._timed(lambda: walker.train(nodes, lanes)))
        except FusedStepFailed as failed:
            if failed.is_resource:
                return None
            raise

    def _share_in_turns(self, lanes: Sequence[Pieces], fusion: Fusion, batches: int) -> float:
        """Return a lane's share of the seconds of a few batches, in parts of what it takes alone."""
        node, alone_s, together_s = self.goal.node, math.inf, math.inf
        with (
            closing(self._walker(lanes[0])) as alone,
            closing(self._fused_walker(lanes, fusion)) as together,
            _updates(alone.settled(node), batches),
            _updates(together.lent(0), batches),
        ):
            together.train([node] * len(lanes), lanes)
            for _ in range(_TURNS):
                alone_s = min(alone_s, *self._timed(lambda: alone.train(node, lanes[0])))
                started_s = self.elapsed()
                together.train([node] * len(lanes), lanes)
                together_s = min(together_s, self.elapsed() - started_s)
        return together_s / len(lanes) / max(alone_s, _TICK_S)

    def _timed(self, train: Any) -> Iterator[float]:
        """Yield the seconds of steps; the first, in which much is made that stays, counts only if it is long."""
        spent_s = 0.0
        for number in range(1 + _TIMES):
            started_s = self.elapsed()
            train()
            seconds = self.elapsed() - started_s
            spent_s += seconds
            if number or seconds > _LONGEST_S:
                yield seconds
            if spent_s > _LONGEST_S:
                return

    # ------------------------------------------------------------------------------------------------------- walkers

    def _walker(self, pieces: Pieces) -> Walker:
        return Walker(self.pristine, step=self.step, pieces=pieces, state=self.state, goal=self.goal)

    def _fused_walker(self, lanes: Sequence[Pieces], fusion: Fusion) -> FusedWalker:
        return FusedWalker(
            self.pristine,
            step=self.step,
            pieces=lanes,
            states=[self.state] * len(lanes),
            goals=[self.goal] * len(lanes),
            fusion=fusion,
        )


def _with_shared_products(check: FusionCheck, lanes: dict[str, Pieces], fusion: Fusion) -> Fusion:
    """Return how lanes are walked where products of what a trunk returned are worth computing as one."""
    both = [lanes["a"], lanes["b"]]
    with closing(check._fused_walker(both, fusion)) as walker:
        if not walker.has_trunk:
            return fusion
        if not are_worth_it(lambda: fused_outcomes(walker, check.goal.node, both, updates=_UPDATES, ends=check.ends)):
            return fusion
    sharing = replace(fusion, shares_products=True)
    check._right_lanes(sharing)
    return sharing


def _updates(trainer: Trainer, batches: int) -> AbstractContextManager[None]:
    """Let a trainer's steps end after so many batches, but no sooner than after an update."""
    return few_batches(trainer, max(batches, whole_number(cast(Any, trainer).accumulate)))


class _Pace:
    """How many batches are timed: fewer where they are long, and of one lane as many as of those it is compared with.

    Args:
      seconds_alone: times so many batches of a lane alone.
    """

    def __init__(self, seconds_alone: Callable[[int], float]) -> None:
        self._alone_s = functools.cache(lambda batches: max(seconds_alone(batches), _TICK_S))

    def batches(self, num_lanes: int) -> int:
        """Return how many batches of so many lanes are timed."""
        return min(_TIMED, math.ceil(_ENOUGH_S / (num_lanes * self._alone_s(1))))

    def alone_s(self, num_lanes: int) -> float:
        """Return the seconds of as many batches of a lane alone."""
        return self._alone_s(self.batches(num_lanes))

    def is_long(self, num_lanes: int, timed: Mapping[int, float]) -> bool:
        """Whether so many lanes would take too long to be timed.

        Args:
          timed: lanes -> what they took, in parts of what one took alone.
        """
        return foretold(timed, num_lanes) * self.alone_s(num_lanes) > _LONGEST_S


def foretold(timed: Mapping[int, float], num_lanes: int) -> float:
    """Return what so many lanes take, on the line through what fewer took: by number, of two or more."""
    (few, few_s), *_, (more, more_s) = sorted(timed.items())
    return more_s + max(0.0, more_s - few_s) / (more - few) * (num_lanes - more)


class NotAlike(NotFusible):
    """Lanes came to something else together than alone."""


def _require_equal(lane: LaneOutcome, alone: LaneOutcome) -> None:
    distance, farthest = lane.distance_to(alone)
    if not distance <= MOST_DISTANCE:
        raise NotAlike(
            f"after two updates as one program, a lane is off by {distance:.0e} of the way that it walks alone, most "
            f"in {farthest!r}"
        )
    off = abs(lane.loss - alone.loss)
    if not off <= MOST_LOSS * abs(alone.loss):
        raise NotAlike(f"two updates as one program have the mean loss {lane.loss!r}, and {alone.loss!r} alone")
