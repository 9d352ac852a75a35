"""What a study with surrogates, or with branches in plans of their own, spent on each kind of its members.

Of what surrogates spared it nothing is known, and nothing is said.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hippo.members import BRANCHES, TARGET_NAME, is_of_branches, scale_of
from hippo.plan import Among, Cause, MetricsRow, StepKind, StepRow
from hippo.study.results.study_view import StudyView


class ScaleCost(NamedTuple):
    """What was spent at one scale."""

    #: such as "1/8"; "1" is the target, and "branches" are all of these together
    scale: str
    #: those that were asked for, at each seed
    trials: int
    #: that were executed for the study's trials
    steps: int
    #: of steps and evaluations
    seconds: float


def scale_costs(view: StudyView) -> list[ScaleCost]:
    """Return what was spent at each scale, the target first; nothing for a study that has neither."""
    plans: dict[str, list[int]] = {TARGET_NAME: []}
    for member, plan in view.plans.items():
        plans.setdefault(_kind_of(member), []).append(plan)
    if len(plans) == 1:
        return []
    trials = [_kind_of(row.member) for row in view.rows.values()]
    reader, marks, found = view._reader, view.marks, []
    with reader.store.reading() as rows:
        for scale, own in plans.items():
            of_these: dict[str, Any] = {"plan": Among(sorted(set(own))), "study": reader._row.study}
            steps, seconds = 0, 0.0
            for text, count, _, took, _ in rows.totals(StepRow, ("cause",), "seconds", upto=marks.steps, **of_these):
                if StepKind.from_text(text).cause not in (Cause.CHECK, Cause.SPECULATIVE):
                    steps += count
                seconds += took
            for _, _, took, _ in rows.totals(MetricsRow, (), "seconds", upto=marks.metrics, **of_these):
                seconds += took
            found.append(ScaleCost(scale, trials.count(scale), steps, seconds))
    return found


def _kind_of(member: str) -> str:
    scale = scale_of(member)
    return BRANCHES if is_of_branches(scale) else scale
