"""Times updates of lanes, alone and as one program, and tells how many are worth walking at once.

It refuses to know whether lanes come to the same.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import Any, cast

from hippo.records import Fusion, NodeId
from hippo.training.fusion.fused_walker import FusedStepFailed, FusedWalker
from hippo.training.fusion.lane_values import Pieces
from hippo.training.fusion.outcomes import few_batches
from hippo.training.trainer import Trainer
from hippo.training.values import whole_number
from hippo.training.walking.walker import Walker

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
#: batches, at most, and repetitions that are timed
_TIMED, _TIMES = 4, 3
#: no more batches than take these seconds one lane after the other
_ENOUGH_S = 0.05
#: a coarse clock may have seen nothing pass
_TICK_S = 1e-9


@dataclass(frozen=True, slots=True)
class TimedLanes:
    """Walks copies of lanes to time them."""

    #: of a lane's next point
    node: NodeId
    #: walks a lane alone
    walker: Callable[[Pieces], Walker]
    #: walks lanes as one program
    fused_walker: Callable[[Sequence[Pieces], Fusion], FusedWalker]
    #: tells seconds
    elapsed: Callable[[], float]
    is_on_cpu: bool

    def worth_it(self, lanes: Mapping[str, Pieces], fusion: Fusion) -> Fusion:
        """Return how many lanes are worth walking at once, or that none are: each number takes less per lane.

        Args:
          lanes: "a" and "b", which are walked in any number.
          fusion: how, as far as that is settled.
        """
        pace = _Pace(functools.partial(self._seconds_alone, lanes["a"]))
        timed: dict[int, float] = {}
        best, of_best = math.inf, 0
        for num_lanes in _TRIED if self.is_on_cpu else _TRIED_ON_GPU:
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
        with closing(self.walker(pieces)) as walker, _updates(walker.settled(self.node), batches):
            return min(self._timed(lambda: walker.train(self.node, pieces)))

    def _seconds_together(self, lanes: Sequence[Pieces], fusion: Fusion, batches: int) -> float | None:
        """Return the seconds of a few batches, or None where lanes are too many for the memory."""
        nodes = [self.node] * len(lanes)
        try:
            with closing(self.fused_walker(lanes, fusion)) as walker, _updates(walker.lent(0), batches):
                return min(self._timed(lambda: walker.train(nodes, lanes)))
        except FusedStepFailed as failed:
            if failed.is_resource:
                return None
            raise

    def _share_in_turns(self, lanes: Sequence[Pieces], fusion: Fusion, batches: int) -> float:
        """Return a lane's share of the seconds of a few batches, in parts of what it takes alone."""
        node, alone_s, together_s = self.node, math.inf, math.inf
        with (
            closing(self.walker(lanes[0])) as alone,
            closing(self.fused_walker(lanes, fusion)) as together,
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
