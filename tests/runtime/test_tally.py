"""A look at a study's progress says what a walk over all trials and their paths would."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hippo.plan import Node, SearchPlan, TrialRow
from hippo.records import TrialState, may_be_best
from hippo.runtime.studies.tally import TrialTally

from ..plan.plans import CONFIGS, new_plan, run_step


class Trials:
    """Trials on their way, and all that a look should say of them."""

    def __init__(self) -> None:
        self.rows: dict[int, TrialRow] = {}
        self.plan = new_plan()
        self.configs: dict[int, int] = {}
        #: trials of an earlier process
        self.unknown: set[int] = set()
        self.tally = TrialTally(self.rows, self.end_of)

    def end_of(self, row: TrialRow) -> Node | None:
        return None if row.number in self.unknown else self.node_at(row, row.until)

    def node_at(self, row: TrialRow, step: int) -> Node:
        return self.plan.path(CONFIGS[self.configs[row.number]]).node_at(step)

    def set(self, row: TrialRow, **changes: Any) -> None:
        self.rows[row.number] = replace(row, **changes)
        self.tally.note(row.number)

    def steps_reached(self, row: TrialRow) -> int:
        end = self.end_of(row)
        return row.step if end is None or row.step >= row.until else end.steps_reached(row.until)

    def least_loss(self) -> float | None:
        rows = list(self.rows.values())
        counted = may_be_best((TrialState(row.state), row.step, row.call) for row in rows)
        losses = [row.loss for row, is_counted in zip(rows, counted, strict=True) if is_counted]
        return min((loss for loss in losses if loss is not None), default=None)

    def check(self, plans: list[SearchPlan]) -> None:
        self.tally.look(plans)
        rows = self.rows.values()
        assert self.tally.asked == sum(row.until for row in rows)
        assert +self.tally.states == Counter(row.state for row in rows)
        assert self.tally.done == sum(row.state == "FAIL" or row.step >= row.until for row in rows)
        assert self.tally.least_loss == self.least_loss()
        assert self.tally.steps_reached == sum(map(self.steps_reached, rows))


def act(trials: Trials, rng: Random) -> None:
    """Do one thing of those that happen while a study runs."""
    number = rng.randrange(6)
    row = trials.rows.get(number)
    if row is None:
        trials.configs[number] = rng.randrange(len(CONFIGS))
        trials.unknown |= {number} if rng.random() < 0.2 else set()
        row = TrialRow(study=1, number=number, call=rng.randrange(2), config="", occurrence=0)
        trials.set(row, until=rng.randint(1, 12))
    elif rng.random() < 0.5:  # some steps are trained, by whichever study
        for step in range(1, rng.randint(1, 12)):
            node = trials.node_at(row, step)
            if step > node.runs.furthest:
                run_step(trials.plan, node, step)
    elif rng.random() < 0.3:
        trials.set(row, until=row.until + rng.randint(0, 3))
    else:
        step, loss = rng.randint(0, row.until), rng.choice([None, 0.25, 0.5, 1.0])
        trials.set(row, state=rng.choice([state.value for state in TrialState]), step=step, loss=loss)


@given(st.integers(0, 2**32))
def test_a_look_says_what_a_walk_over_everything_would_however_much_happened_since_the_last_one(seed: int) -> None:
    rng, trials = Random(seed), Trials()
    for _ in range(rng.randint(1, 40)):
        act(trials, rng)
        if rng.random() < 0.4:
            trials.check([trials.plan] if rng.random() < 0.8 else [])


def test_a_look_places_only_trials_that_changed_or_whose_node_is_trained_through() -> None:
    trials = Trials()
    trials.configs = {0: 0, 1: 0, 2: 6}
    for number in trials.configs:
        trials.set(TrialRow(study=1, number=number, call=0, config="", occurrence=0), until=12)
    trials.check([trials.plan])
    looked_up: list[int] = []
    trials.tally._node_of = lambda row: looked_up.append(row.number)  # type: ignore[func-returns-value]
    run_step(trials.plan, trials.node_at(trials.rows[0], 1), 1)
    trials.tally.look([trials.plan])
    assert (looked_up, trials.tally.steps_reached) == ([], 2)
