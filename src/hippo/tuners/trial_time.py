"""How long the branches of a search are trained: as long as it takes until one of them is seen to converge.

Cui, Ganger, Gibbons 2018, "MLtuner: System Support for Automatic Machine Learning Tuning", Algorithm 1.

Deviations. The paper doubles the time with each setting that it adds; here as many settings are tried at one length as
have to agree before a search may end. A search needs that many anyway, and four unlucky settings in a row would make
all later branches sixteen times as long. The paper's loop never ends if nothing converges: here branches have a bound,
and if all are there, the fastest of those that make any progress is taken. Time is not doubled while no branch is
alive, since there is nobody whom it would help. With more branches alive than may be, the slowest are given up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hippo.tuners.branching import Branch, Branches
from hippo.tuners.convergence import AGREEING
from hippo.tuners.settings import ProposedSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTime:
    """For how long each later branch of a search is trained, and who was found on the way."""

    time: float
    #: those that converge, in order of proposal; or the fastest alone, if none does
    candidates: tuple[Branch, ...]


async def decide_trial_time(
    settings: ProposedSettings, branches: Branches, *, together: int, max_live: int
) -> TrialTime | None:
    """Return the trial time, or None if no setting makes any progress.

    Args:
      settings: whence branches come.
      branches: trains them.
      together: how many new branches there are in each round.
      max_live: how many may be alive at the end of a round.
    """
    time = 0.0
    live: list[Branch] = []
    num_tried = 0  # of the settings that did not diverge, at this length
    while True:
        new = settings.fork(together)
        live += new
        await branches.run(live, time)
        # the first one is what as many steps take as there are windows
        time = max([time, *map(branches.time_of, live)])
        live = _without_diverged(live, settings, branches)
        num_tried += sum(branch in live for branch in new)
        converging = [branch for branch in live if branches.convergence(branch).is_converging]
        if converging:
            _give_up((branch for branch in live if branch not in converging), settings, branches)
            return _decided(converging, settings, branches)
        if not new and all(map(branches.is_at_bound, live)):
            return _least_bad(live, settings, branches)
        live = _fastest(live, max_live, settings, branches)
        if live and (not new or num_tried >= AGREEING):
            time, num_tried = 2 * time, 0  # `run` keeps to the bound


def _decided(candidates: list[Branch], settings: ProposedSettings, branches: Branches) -> TrialTime:
    """Return the best branch's run time: others were trained for another number of steps, if steps differ in cost."""
    for branch in candidates:
        settings.report(branch, is_over=True)
    best = max(candidates, key=branches.speed)  # the first of equal ones
    return TrialTime(time=branches.time_of(best), candidates=tuple(candidates))


def _least_bad(live: list[Branch], settings: ProposedSettings, branches: Branches) -> TrialTime | None:
    best = max(live, key=branches.speed, default=None)
    if best is None or branches.speed(best) == 0:
        _give_up(live, settings, branches)
        return None
    _give_up((branch for branch in live if branch is not best), settings, branches)
    return _decided([best], settings, branches)


def _without_diverged(live: list[Branch], settings: ProposedSettings, branches: Branches) -> list[Branch]:
    diverged = [branch for branch in live if branches.convergence(branch).has_diverged]
    _give_up(diverged, settings, branches)
    for branch in live:
        if branch not in diverged:
            settings.report(branch, is_over=False)
    return [branch for branch in live if branch not in diverged]


def _fastest(live: list[Branch], most: int, settings: ProposedSettings, branches: Branches) -> list[Branch]:
    ranked = sorted(live, key=branches.speed, reverse=True)
    _give_up(ranked[most:], settings, branches)
    return [branch for branch in live if not branch.is_freed]


def _give_up(given_up: Iterable[Branch], settings: ProposedSettings, branches: Branches) -> None:
    for branch in list(given_up):
        settings.report(branch, is_over=True)
        branches.free(branch)
