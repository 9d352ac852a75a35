"""The states that the plans of a study hold in files: what they take, who would miss them, and what they are worth.

Rows say all of it: no folder is looked into, so that files which no row names are not seen; `hippo gc` sees those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hippo.plan import CheckpointRow, Moment, Rank, forecast_one
from hippo.runtime.studies.worths import WorthReader


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptState:
    """A state in a file."""

    #: the members of the study on whose plan it is; ("",) for the only one
    members: tuple[str, ...]
    node: int
    step: int
    size_bytes: int
    #: who would miss it, over all studies of the plan; `Rank.SPARE`: nobody, and it goes when room is needed
    rank: Rank
    #: what it would take to make it again from the others, by itself
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStates:
    """What a study's plans hold in files, and what is no longer there."""

    #: by member, node and step
    states: tuple[KeptState, ...]
    #: why states went, as `CheckpointLoss` says -> how many, and their bytes
    gone: Mapping[str, tuple[int, int]]
    #: bytes that all states of the database may take together, as the study was made; None: no bound
    budget: int | None


def read_kept_states(rows: Moment, plans: Mapping[int, Sequence[str]], budget: int | None) -> KeptStates:
    """Return what is in files at a moment.

    Args:
      rows: the moment.
      plans: number of each plan -> the members of the study that are trained on it.
      budget: of the study.
    """
    worths, states = WorthReader(rows), list[KeptState]()
    gone: dict[str, tuple[int, int]] = {}
    for plan, members in plans.items():
        ranked = worths.read(plan)
        for point, file in sorted(ranked.held.files.items()):
            again = forecast_one(ranked.held, point)
            states.append(
                KeptState(
                    members=tuple(members),
                    node=point.node,
                    step=point.step,
                    size_bytes=file.size_bytes,
                    rank=ranked.worth(point).rank,
                    steps=again.steps,
                    seconds=again.seconds,
                )
            )
        for why, count, _, size, _ in rows.totals(CheckpointRow, ("gone",), "size_bytes", plan=plan):
            if why:
                before = gone.get(why, (0, 0))
                gone[why] = (before[0] + count, before[1] + int(size))
    return KeptStates(states=tuple(states), gone=gone, budget=budget)
