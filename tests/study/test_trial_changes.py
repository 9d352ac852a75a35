"""Whoever keeps something of each trial hears which ones changed: none is missed, and looks are not mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.study.results.study_view import StudyView
from hippo.study.results.trial_changes import TrialChanges, TrialKey, changed_since
from hippo.study.results.trial_costs import TrialCosts
from hippo.study.results.trial_lines import TrialLine, trial_lines
from hippo.testing.trainers import ToyTrainer

from .looks import LooksInBetween

KEYS = st.tuples(st.integers(0, 5), st.sampled_from(["", "seed 1"]))


@given(looks=st.lists(st.lists(KEYS, max_size=4, unique=True), max_size=8), since=st.integers(0, 9))
def test_what_changed_since_a_look_is_all_that_later_ones_found(looks: list[list[TrialKey]], since: int) -> None:
    changes = TrialChanges()
    for changed in looks:
        changes.take(changed)
    assert changes.looks == len(looks)
    found = changes.since(since)
    assert sorted(found) == sorted({key for changed in looks[since:] for key in changed})
    latest = [max(number for number, changed in enumerate(looks) if key in changed) for key in found]
    assert latest == sorted(latest)


def test_an_earlier_look_is_told_as_a_first_one_would_have(tmp_path: Path) -> None:
    url, views, told = f"sqlite:///{tmp_path}/hippo.db", list[StudyView](), list[Any]()
    lines = list[list[TrialLine]]()
    study = hippo.create_study("toy", trainer=ToyTrainer, storage=url, checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    looking = hippo.load_study("toy", url)

    def of(view: StudyView) -> Any:
        costs = TrialCosts()
        costs.take(view)
        return trial_lines(view), view.statistics(), dict(costs.of_trials())

    def look() -> None:
        views.append(looking.read())
        lines.append(trial_lines(views[-1]))
        told.append(of(hippo.load_study("toy", url).read()))

    rates = [hippo.Piecewise([0.1, 0.01 * rate], [rate]) for rate in (1, 2)]  # ways end in other nodes as they go on
    further = [({"lr": rate}, until) for until in (1, 2, 5) for rate in rates]
    study.optimize(LooksInBetween(further, look))
    study.close()
    look()
    assert len({repr(each) for each in told}) == len(told) == 7
    assert [view.look for view in views] == sorted({view.look for view in views})
    for number in (6, 2, 5, 0, 6, 3):  # later ones first: what was kept of them is none of the earlier ones'
        fresh = StudyView(looking.read()._reader, views[number].rows, views[number].marks, views[number].look)
        assert of(fresh) == told[number]
    assert lines == [each for each, _, _ in told], "what was returned before stays as it was"
    first, last = views[0], views[-1]
    assert set(changed_since(first, last.look)) == first.rows.keys()
    assert set(changed_since(last, first.look)) == {key for key, row in last.rows.items() if row != first.rows.get(key)}
