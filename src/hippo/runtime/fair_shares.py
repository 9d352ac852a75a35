"""Whose work comes next: the scheduler's choice alone, or, where studies have fair shares, these before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hippo.records import Point
from hippo.runtime.participants import Participant
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.study_state import StudyState
from hippo.schedulers import AbstractScheduler, FairShare, StageChain, Usage, fair_lanes


def next_chains(
    scheduler: AbstractScheduler, runs: Sequence[PlanRun], participants: Iterable[Participant], *, limit: int
) -> list[StageChain]:
    """Return up to `limit` chains of stages that can start now, the most urgent first."""
    trees = [run.remaining.tree for run in runs]
    studies = sharing_studies(participants)
    if not studies:
        return scheduler.lanes(trees, limit=limit)
    numbers = {id(study): number for number, study in enumerate(studies)}

    def studies_at(tree: int, point: Point) -> list[int]:
        return [numbers[id(study)] for study in runs[tree].waiting.studies_at(point) if id(study) in numbers]

    return fair_lanes(trees, [usage_of(study, runs) for study in studies], studies_at, limit=limit)


def share_room(wanting: Sequence[Participant], runs: Iterable[PlanRun], room: int) -> list[tuple[Participant, int]]:
    """Return how many requests each may pull for idle slots: the study that has had least comes first."""
    order = list(wanting)
    if len(order) > 1 and sharing_studies(order):
        known = list(runs)
        order.sort(key=lambda participant: usage_of(participant.study, known).rank())
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
