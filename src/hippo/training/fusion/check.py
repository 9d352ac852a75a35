"""Decides how lanes of one shape are walked: once, by what throw-away copies come to, and recorded as a fact.

First it must be right: two lanes walked as one come to what each comes to alone. Then a lane's bits should depend on
the lane alone, whatever its company and its place are. At last it must be worth it: on a CPU, lanes of wide models take
longer together. It refuses to know plans and leases, and leaves no trace in the process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import cast

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
    fused_outcomes,
    solo_outcome,
)
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible, refusal_of
from hippo.training.fusion.shared_products import are_worth_it
from hippo.training.fusion.timed_lanes import TimedLanes
from hippo.training.fusion.whole_blocks import meets_places
from hippo.training.process.streams import fence
from hippo.training.telling import unheard
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.trainer import Trainer
from hippo.training.walking.walker import UserCodeFailed, Walker

#: lanes are right if they end no farther from a lane alone than this part of the way it walked
MOST_DISTANCE = 1e-2
#: and if their losses are no farther from its own, relatively
MOST_LOSS = 1e-5
#: updates that are compared: in the second, momentum and running statistics count
_UPDATES = 2
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
            return self._timed_lanes().worth_it(lanes, fusion)
        except LanesDifferIn as differ:  # a value that is zero where a step begins differs at its later batches only
            if self.same.issuperset(differ.names):
                return Fusion(is_fused=False, detail=str(differ))
            return replace(self, same=self.same.union(differ.names)).decide(keeps_bits=keeps_bits)
        except (SilentOutcome, UserCodeFailed) as failed:  # by a batch of one, say, which lanes may never meet
            is_resource = isinstance(failed, UserCodeFailed) and failed.is_resource
            if not is_resource and self.ends.longer is not None:
                return replace(self, ends=self.ends.longer).decide(keeps_bits=keeps_bits)
            if isinstance(failed, UserCodeFailed):
                raise
            return Fusion(is_fused=False, detail=str(failed))
        except NotFusible as error:
            return Fusion(is_fused=False, detail=str(error))
        except FusedStepFailed as error:
            return Fusion(is_fused=False, detail=error.reason)

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
        raise SilentOutcome("two updates moved no weight, or moved them beyond all numbers: nothing could be compared")

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

    # ------------------------------------------------------------------------------------------------------- walkers

    def _timed_lanes(self) -> TimedLanes:
        return TimedLanes(
            self.goal.node, self._walker, self._fused_walker, self.elapsed, is_on_cpu=_is_on_cpu(self.pristine)
        )

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


class SilentOutcome(NotFusible):
    """A lane alone, and others like it, came to nothing that would tell one outcome from another."""


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
