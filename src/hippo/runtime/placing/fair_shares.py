"""Whose work comes next: the scheduler's choice alone, or, where studies have fair shares, these before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hippo.records import Point
from hippo.runtime.asking.participants import Participant
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.study_state import StudyState
from hippo.schedulers import AbstractScheduler, FairShare, StageBundle, StageChain, Turns, Usage, fair_lanes, pack
from hippo.schedulers.packing import Claims


def next_chains(
    scheduler: AbstractScheduler, runs: Sequence[PlanRun], participants: Iterable[Participant], *, limit: int
) -> list[StageChain]:
    """Return up to `limit` chains of stages that can start now, the most urgent first."""
    trees = [run.remaining.tree for run in runs]
    claims = claims_of(runs, participants)
    if claims is None:
        return scheduler.lanes(trees, limit=limit)
    return fair_lanes(trees, claims.usages, claims.studies_at, limit=limit)


def next_bundles(
    scheduler: AbstractScheduler,
    runs: Sequence[PlanRun],
    participants: Sequence[Participant],
    *,
    limit: int,
    num_slots: int,
    max_lanes: int | None,
) -> list[StageBundle]:
    """Return what up to `limit` slots are given now, the most urgent first.

    Where a plan allows lanes to be walked as one, packing chooses in the scheduler's place: which lanes go together is
    half of which come first.

    Args:
      scheduler: chooses among chains, each of which is a bundle by itself.
      runs, participants: what remains, and who asks.
      limit: how many slots are free.
      num_slots: how many there are.
      max_lanes: of the engine.
    """
    rules = [
        run.formations.rules(
            max_lanes=max_lanes,
            is_pulled=any(participant.is_pulling and run in participant.runs for participant in participants),
            is_speculative=run.waiting.is_speculative,
        )
        if run.formations.may_fuse
        else None
        for run in runs
    ]
    if not any(rules):
        chains = next_chains(scheduler, runs, participants, limit=limit)
        return [StageBundle((chain,)) for chain in chains]
    return pack(
        [run.remaining.tree for run in runs],
        rules,
        limit=limit,
        num_slots=num_slots,
        lanes_running=sum(lease.num_going for run in runs for lease in run.running.values()),
        claims=claims_of(runs, participants),
    )


def claims_of(runs: Sequence[PlanRun], participants: Iterable[Participant]) -> Claims | None:
    """Return what studies with fair shares claim; None if none was given one, or there is only one."""
    studies = sharing_studies(participants)
    if not studies:
        return None
    numbers = {id(study): number for number, study in enumerate(studies)}

    def studies_at(tree: int, point: Point) -> list[int]:
        return [numbers[id(study)] for study in runs[tree].waiting.studies_at(point) if id(study) in numbers]

    return Claims(usages=[usage_of(study, runs) for study in studies], studies_at=studies_at)


def share_room(wanting: Sequence[Participant], runs: Iterable[PlanRun], room: int) -> list[tuple[Participant, int]]:
    """Return how many requests each may pull for idle slots: the study that has had least comes first."""
    order = list(wanting)
    if sharing_studies(order):
        known = list(runs)
        turns = Turns([usage_of(participant.study, known) for participant in order])
        order = [order[number] for number in sorted(range(len(order)), key=turns.rank)]
    return [(participant, max(1, room // len(order))) for participant in order[:room]]


def sharing_studies(participants: Iterable[Participant]) -> list[StudyState]:
    """Return the studies at work if any of them was given a fair share, and there is another one; else none."""
    studies = list({id(participant.study): participant.study for participant in participants}.values())
    is_shared = len(studies) > 1 and any(study.fair_share is not None for study in studies)
    return studies if is_shared else []


def usage_of(study: StudyState, runs: Iterable[PlanRun]) -> Usage:
    """Return a study's fair share, with the device-seconds it has used, and those that its running work should take."""
    promised_s = sum(lease.expected_s(study) for run in runs for lease in run.running.values())
    fair_share = study.fair_share if study.fair_share is not None else FairShare()
    return Usage(fair_share=fair_share, used_s=study.counters.device_seconds + promised_s)
