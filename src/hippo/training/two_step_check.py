"""The two-step check: is step [1, 2), run again from its checkpoint, the step that was run the first time?

It runs once per workload, beside a lane that passes there anyway, and finds most states that forget something. It
records no metrics and leaves the lane that it watches as it was.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from hippo.clock import Clock
from hippo.records import LaneStage, Metrics
from hippo.training.codec import EncodedState, difference
from hippo.training.trainer import Trainer
from hippo.training.walker import Pieces, UserCodeFailed, Walker

#: paths named in a message; a forgotten optimizer would otherwise name every parameter
MOST_PATHS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the check said."""

    proven: bool
    #: if not proven: which parts of the state differ
    detail: str
    seconds: float


class TwoStepCheck:
    """Watches a lane after each step's training, before anything is evaluated.

    Args:
      pristine: the trainer as its `__init__` left it.
      begin: the state after step 1, if the lane begins there.
      pieces: in force at step 0.
    """

    def __init__(self, pristine: Trainer, clock: Clock, *, begin: EncodedState | None, pieces: Pieces) -> None:
        self._pristine = pristine
        self._clock = clock
        self._first = begin
        self._pieces = pieces

    def see(self, walker: Walker, stage: LaneStage, training: Metrics) -> Verdict | None:
        """Look at a lane that has just been trained for a step; after the second, return what came of it.

        Args:
          training: what `train` returned for that step.
        """
        if walker.step > 2 or (walker.step == 2 and self._first is None):
            return None
        started_s = self._clock.elapsed()
        try:
            state = walker.encode(stage.node)
            if walker.step == 1:
                self._first = state
                return None
            different = self._again(stage, state, training)
        except UserCodeFailed:
            self._first = None  # that says nothing about what a state forgets, and fails whoever needs it by itself
            return None
        return Verdict(proven=not different, detail=_listed(different), seconds=self._clock.elapsed() - started_s)

    def _again(self, stage: LaneStage, state: EncodedState, training: Metrics) -> list[str]:
        goal = (stage.node, 2)
        walker = Walker(self._pristine, step=1, pieces=self._pieces, state=self._first, goal=goal)
        with closing(walker):
            repeated = walker.train(stage.node, stage.pieces)
            paths = difference(state, walker.encode(stage.node))
        metrics = difference(dict(training), repeated)
        return paths + [f"what train() returned{path.removeprefix('state')}" for path in metrics]


def _listed(paths: list[str]) -> str:
    more = len(paths) - MOST_PATHS
    return ", ".join(paths[:MOST_PATHS]) + (f" and {more} more" if more > 0 else "")
