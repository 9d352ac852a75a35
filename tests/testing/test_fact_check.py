"""What is wrong with a database is said, each thing by a sentence of its own; a study as it should be is passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import hippo
from hippo.checkpoints import MemoryCheckpoints
from hippo.plan import (
    CallRow,
    Change,
    CheckpointRow,
    Insert,
    LeaseRow,
    MemoryStore,
    MetricsRow,
    NodeRow,
    RequestRow,
    StepRow,
    TrialRow,
    Update,
)
from hippo.runtime import Runtime
from hippo.study.runtimes import serve_by
from hippo.testing.disturbed_run import UntrainedTrainer
from hippo.testing.fact_check import wrong_facts
from hippo.testing.stepped_engine import SteppedEngine

SPACE = hippo.GridSearchSpace({"lr": [0.1, hippo.MultiStep(0.1, [2], 0.1)]})


@pytest.fixture
def ended() -> tuple[MemoryStore, MemoryCheckpoints]:
    rows, states, engine = MemoryStore("checked"), MemoryCheckpoints(), SteppedEngine()
    serve_by(Runtime(engine, checkpoints=states), "memory://")
    study = hippo.create_study(
        "checked",
        trainer=UntrainedTrainer,
        storage=rows,  # type: ignore[arg-type]
        checkpoints="memory://",
        engine=engine,
        metric="loss",
        mode="min",
    )
    study.optimize(hippo.GridSearch(SPACE, until=4))
    study.close()
    return rows, states


def test_nothing_is_wrong_with_a_study_at_its_end(ended: tuple[MemoryStore, MemoryCheckpoints]) -> None:
    assert wrong_facts(*ended) == []


def another_node(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(NodeRow)[-1], node=99))


def orphan(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(NodeRow)[-1], node=99, parent=98, digest="new"))


def inexact(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(NodeRow)[0], inexact=True))


def first_again(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(StepRow)[0], attempt=1))


def gap_in_attempts(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(StepRow)[0], attempt=2, cause="lost"))


def other_words(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(StepRow)[0], attempt=1, cause="lost", training='{"loss": 7.0}'))


def step_of_no_node(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(StepRow)[0], node=99))


def never_run(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(MetricsRow)[0], step=77))


def open_lease(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(LeaseRow)[0], ended=""))


def failed_call(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(CallRow)[0], state="failed"))


def waiting_trial(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(TrialRow)[0], state="WAITING"))


def pending_request(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(RequestRow)[0], state="pending"))


def undelivered(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(RequestRow)[0], delivery=None))


def short_trial(rows: MemoryStore) -> Change:
    return Update(replace(rows.rows(TrialRow)[0], step=1))


def other_state(rows: MemoryStore) -> Change:
    return Insert(replace(rows.rows(CheckpointRow)[0], key="another", state_hash="another", gone="missing"))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (another_node, "are one path"),
        (orphan, "below node 98"),
        (inexact, "disagreed"),
        (first_again, "for the first time 2 times"),
        (gap_in_attempts, "attempts [0, 2]"),
        (other_words, "in its runs"),
        (step_of_no_node, "not on that node"),
        (never_run, "never run"),
        (open_lease, "has not ended"),
        (failed_call, "is failed"),
        (waiting_trial, "is WAITING"),
        (pending_request, "is pending"),
        (undelivered, "in no delivery"),
        (short_trial, "its row says 1"),
        (other_state, "holds another state"),
    ],
)
def test_what_is_wrong_is_said(
    ended: tuple[MemoryStore, MemoryCheckpoints], spoil: Callable[[MemoryStore], Change], said: str
) -> None:
    rows, states = ended
    rows.commit([spoil(rows)])
    assert any(said in what for what in wrong_facts(rows, states)), wrong_facts(rows, states)


def test_a_checkpoint_that_is_recorded_and_gone_is_wrong_unless_it_was_damaged_on_purpose(
    ended: tuple[MemoryStore, MemoryCheckpoints],
) -> None:
    rows, states = ended
    key = rows.rows(CheckpointRow)[0].key
    states.delete(key)
    assert wrong_facts(rows, states) == [f"checkpoint {key} is recorded, and is not there as it was written"]
    assert wrong_facts(rows, states, damaged=[key]) == []
