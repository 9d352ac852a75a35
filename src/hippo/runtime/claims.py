"""Whose work comes next: the scheduler's choice alone, or, where studies claim their shares, theirs before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hippo.records import Point
from hippo.runtime.participants import Participant
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.study_state import StudyState
from hippo.schedulers import AbstractScheduler, Claim, StageChain, Standing, fair_lanes


def next_chains(
    scheduler: AbstractScheduler, runs: Sequence[PlanRun], participants: Iterable[Participant], *, limit: int
) -> list[StageChain]:
    """Return up to `limit` chains of stages that can start now, the most urgent first."""
    trees = [run.tree for run in runs]
    studies = claiming_studies(participants)
    if not studies:
        return scheduler.lanes(trees, limit=limit)
    numbers = {id(study): number for number, study in enumerate(studies)}

    def claims_at(tree: int, point: Point) -> list[int]:
        return [numbers[id(study)] for study in runs[tree].studies_at(point) if id(study) in numbers]

    return fair_lanes(trees, [claim_of(study, runs) for study in studies], claims_at, limit=limit)


def share_room(wanting: Sequence[Participant], runs: Iterable[PlanRun], room: int) -> list[tuple[Participant, int]]:
    """Return how many requests each may pull for slots that have nothing to do: whoever has had least comes first."""
    order = list(wanting)
    if len(order) > 1 and claiming_studies(order):
        known = list(runs)
        order.sort(key=lambda participant: claim_of(participant.study, known).rank())
    return [(participant, max(1, room // len(order))) for participant in order[:room]]


def claiming_studies(participants: Iterable[Participant]) -> list[StudyState]:
    """Return the studies at work if any of them claims its share, and there is another one; else none."""
    studies = list({id(participant.study): participant.study for participant in participants}.values())
    is_claimed = len(studies) > 1 and any(study.standing is not None for study in studies)
    return studies if is_claimed else []


def claim_of(study: StudyState, runs: Iterable[PlanRun]) -> Claim:
    """Return a study's standing, with the device-seconds it has used, and those that its running work should take."""
    promised_s = sum(lease.expected_s for run in runs for lease in run.running.values() if lease.payer is study)
    standing = study.standing if study.standing is not None else Standing()
    return Claim(standing=standing, used_s=study.counters.device_seconds + promised_s)
