"""How much of a study was walked as lanes of one program, and how far twins came away from their lanes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hippo.runtime import Statistics
from hippo.study import TreeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedSteps:
    """The steps of a study's lanes: `together` and `alone` are all that were run for it."""

    #: walked with other lanes, as one program; each lane's count
    together: int
    alone: int
    #: how many lanes a step of a program had on average
    mean_lanes: float
    #: device-seconds: of steps walked together, of the others, and of finding out how lanes are walked
    together_seconds: float
    alone_seconds: float
    check_seconds: float
    #: (step, how far a twin was from its trial there, by the way that the trial walked meanwhile), by step
    drifts: tuple[tuple[int, float], ...]


def fused_steps(statistics: Statistics, rows: Iterable[TreeRow]) -> FusedSteps:
    """Return how the steps that were run for a study were walked.

    Args:
      statistics: of the study.
      rows: what `Study.tree` returns, of the same reading.
    """
    # what is walked together may be run ahead of time, and then is not among the steps executed
    run = statistics.steps_executed + statistics.steps_speculative
    seconds = statistics.train_seconds + statistics.speculative_seconds
    return FusedSteps(
        together=statistics.lane_steps_fused,
        alone=run - statistics.lane_steps_fused,
        mean_lanes=statistics.mean_lanes,
        together_seconds=statistics.fused_seconds,
        alone_seconds=max(0.0, seconds - statistics.fused_seconds),
        check_seconds=statistics.fusion_check_seconds,
        drifts=tuple(sorted((row.stop, row.twin_drift) for row in rows if row.twin_drift is not None)),
    )
