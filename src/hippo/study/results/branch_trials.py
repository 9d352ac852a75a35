"""What branches that were walked as lanes of one program came to, beside the path that they left."""

from __future__ import annotations

from hippo.members import is_of_branches, scale_of
from hippo.study.results.study_view import StudyView
from hippo.study.results.trials import Trial, view_of


def branch_trials(view: StudyView) -> list[Trial]:
    """Return the trials that branches are, by where they begin and by number."""
    members = {member: place for place, member in enumerate(view.plans) if is_of_branches(scale_of(member))}
    rows = [row for row in view.rows.values() if row.member in members]
    rows.sort(key=lambda row: (members[row.member], row.number))
    return [view_of(row, view.facts[row.member], view._reader) for row in rows]
