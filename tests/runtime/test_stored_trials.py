"""Of calls that nobody took up only sums are known, and a look says the same as if all trials were here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hippo.plan import CallRow, Change, ConfigPath, MemoryStore, StudyRow, TrialRow
from hippo.records import Objective, TrialState, may_be_best
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.trial_book import joined
from hippo.tuners.averaged import AGGREGATES

from .runs import config

LOSS = Objective(metric="loss", mode="min")


class Watched(MemoryStore):
    """Rows in memory, and which of them whole rows were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[type, dict[str, Any]]] = []

    def rows(self, kind: Any, **equal: Any) -> Any:
        self.asked.append((kind, equal))
        return super().rows(kind, **equal)


def new_study(*members: str, **settings: Any) -> StudyState:
    store = Watched()
    row = store.add_study(StudyRow(study=0, name="toy", generation=1), dict.fromkeys(members or ("",), 1))
    return StudyState(store, row, Settings(objectives=(LOSS,), **settings))


def reopened(study: StudyState) -> StudyState:
    study.store.commit(study.changes.take())
    return StudyState(study.store, study.row, study.settings)


def no_path(number: int) -> ConfigPath:
    class NoPath:
        def node_at(self, until: int) -> None:
            return None

    return NoPath()  # type: ignore[return-value]


def ask(study: StudyState, call: CallRow, lr: float, member: str = "", **changes: Any) -> TrialRow:
    row = study.trial(call, config(lr), 0, no_path, member=member).row
    study.book.update(replace(row, **changes))
    return replace(row, **changes)


def said_by_all(rows: list[TrialRow]) -> tuple[Any, ...]:
    whole = joined(rows, AGGREGATES["mean"])
    counted = may_be_best((TrialState(row.state), row.step, row.call) for row in whole)
    losses = [row.loss for row, counts in zip(whole, counted, strict=True) if counts and row.loss is not None]
    return (
        len(whole),
        Counter(row.state for row in whole),
        sum(row.step >= row.until or row.state == "FAIL" for row in whole),
        min(losses, default=None),
        sum(row.until for row in rows),
        sum(row.step for row in rows),
    )


def said_by(study: StudyState) -> tuple[Any, ...]:
    sums = study.book.look([], AGGREGATES["mean"])
    return (sums.trials, +sums.states, sums.done, sums.best_loss, sums.steps_asked, sums.steps_reached)


def act(study: StudyState, rng: Random, members: list[str]) -> None:
    call = study.begin_call(rng.randrange(3), "tuner")
    changes = {
        "until": rng.randint(1, 5),
        "step": rng.randint(0, 5),
        "state": rng.choice([state.value for state in TrialState]),
        "loss": rng.choice([None, 0.25, 0.5, 1.0]),
    }
    ask(study, call, rng.randrange(5) / 8, rng.choice(members), **changes)


@given(st.integers(0, 2**32), st.sampled_from([[""], ["seed 0", "seed 1"]]))
def test_a_look_counts_trials_of_calls_that_nobody_took_up(seed: int, members: list[str]) -> None:
    rng, study = Random(seed), new_study(*members)
    for _ in range(rng.randint(1, 30)):
        act(study, rng, members)
        if rng.random() < 0.2:
            study = reopened(study)
        if rng.random() < 0.3:
            study.store.commit(study.changes.take())
            rows = study.store.rows(TrialRow)
            assert said_by(study) == said_by_all(rows)


def test_a_study_is_opened_and_a_new_call_begun_without_its_trials() -> None:
    study = new_study()
    call = study.begin_call(0, "grid")
    for number in range(5):
        ask(study, call, 0.1 * number, step=3, until=3, loss=1.0 - number / 8, state="COMPLETE")
    store: Any = study.store
    store.commit(study.changes.take())
    store.asked.clear()
    again = reopened(study)
    new = again.begin_call(0, "sha")
    assert again.take_up(new).asked == {}
    assert ask(again, new, 0.1).number == 5
    assert not any(kind is TrialRow for kind, _ in store.asked)


def test_a_call_that_is_taken_up_reads_its_own_trials_and_finds_them_again() -> None:
    study = new_study()
    one, other = study.begin_call(0, "grid"), study.begin_call(1, "grid")
    numbers = [ask(study, call, lr).number for call in (one, other) for lr in (0.1, 0.2)]
    store: Any = study.store
    again = reopened(study)
    store.asked.clear()
    assert [ask(again, again.begin_call(1, "grid"), lr).number for lr in (0.1, 0.2, 0.3)] == [*numbers[2:], 4]
    assert [equal for kind, equal in store.asked if kind is TrialRow] == [{"study": 1, "call": other.call}]


def test_a_call_that_is_taken_up_says_at_which_nodes_its_trials_are() -> None:
    study = new_study()
    one, other = study.begin_call(0, "grid"), study.begin_call(1, "grid")
    for node, (call, lr) in enumerate([(one, 0.1), (one, 0.2), (other, 0.1)], start=7):
        ask(study, call, lr, node=node)
    again = reopened(study)
    assert dict(again.take_up(again.begin_call(0, "grid")).nodes) == {"": {7, 8}}


def test_of_trials_that_wait_those_count_that_came_furthest() -> None:
    study = new_study()
    call = study.begin_call(0, "grid")
    for lr, step, loss in ((0.1, 2, 0.1), (0.2, 3, 0.5), (0.3, 3, 0.75)):
        ask(study, call, lr, step=step, until=4, loss=loss, state="PAUSED")
    assert said_by(reopened(study))[3] == 0.5


def test_changes_are_of_rows_that_were_read() -> None:
    study = new_study()
    ask(study, study.begin_call(0, "grid"), 0.1, step=2, until=3)
    again = reopened(study)
    ask(again, again.begin_call(0, "grid"), 0.1, step=3, until=3)
    changes: list[Change] = again.changes.take()
    assert [(type(change).__name__, type(change.row).__name__) for change in changes] == [
        ("Update", "CallRow"),
        ("Update", "TrialRow"),
    ]
