"""What states are worth is read from the rows of the studies that are trained on their plan, and of no others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hippo.plan import (
    CallRow,
    CallState,
    CheckpointRow,
    Insert,
    KeepRule,
    MemoryStore,
    MetricsRow,
    NodeRow,
    PlanRow,
    Rank,
    RequestRow,
    StudyPlanRow,
    StudyRow,
    TrialRow,
    Update,
    Worth,
)
from hippo.records import Constraint, Objective, Point
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.worths import WorthReader

LOSS = Objective(metric="loss", mode="min")
SIZE = Objective(metric="size", mode="min")
BEST, LIVE = Worth(Rank.BEST), Worth(Rank.LIVE)


class Database:
    """Plans of one node each, with states after steps 4 and 6, and a study on each."""

    def __init__(self, *settings: Settings) -> None:
        self.store = MemoryStore()
        for number, each in enumerate(settings, start=1):
            self.store.add_plan(PlanRow(plan=0, workload=f"w{number}", declared="{}", fork=0))
            kept = json.dumps({"settings": each.to_text()})
            self.store.add_study(StudyRow(study=0, name=f"s{number}", generation=1, settings=kept), {"": number})
            self.add(NodeRow(plan=number, node=1, parent=None, start=0, pieces="{}"))
            self.add(CallRow(study=number, call=0, position=0, record="", state=CallState.COMPLETE))
            for step in (4, 6):
                self.add(self.file(number, step))

    def add(self, row: object) -> None:
        self.store.commit([Insert(row)])  # type: ignore[arg-type]

    def file(self, plan: int, step: int, gone: str = "") -> CheckpointRow:
        where: dict[str, Any] = {"plan": plan, "key": f"{plan}-{step}", "node": 1, "step": step, "study": plan}
        return CheckpointRow(**where, size_bytes=1, sha256="", state_hash="", seconds=0.0, gone=gone)

    def trial(
        self, study: int, number: int, step: int, loss: float, *, state: str = "COMPLETE", member: str = ""
    ) -> None:
        who: dict[str, Any] = {"study": study, "number": number, "call": 0, "config": "", "occurrence": 0, "node": 1}
        self.add(TrialRow(**who, member=member, until=step, step=step, state=state, loss=loss))

    def worths(self, plan: int = 1, there: set[str] | None = None) -> dict[int, Worth]:
        """Return step -> what the state after it is worth."""
        read = WorthReader(self.store, there=there).read(plan)
        assert set(read.worths) <= set(read.held.files)
        assert all(file.key.startswith(f"{plan}-") for file in read.held.files.values())
        return {step: read.worths[Point(1, step)] for node, step in read.worths}


def keeping(text: str, *objectives: Objective, **more: object) -> Settings:
    return Settings(objectives=objectives or (LOSS,), keep=KeepRule(text), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("two", [False, True])
def test_states_are_weighed_by_the_studies_of_their_own_plan(two: bool) -> None:
    each = keeping("best", LOSS, SIZE) if two else keeping("best")
    database = Database(each, each)
    for number, (study, step, loss) in enumerate([(1, 4, 0.5), (1, 6, 0.75), (2, 4, 0.625), (2, 6, 0.25)]):
        database.trial(study, number, step, loss)
        text = json.dumps({"loss": loss, "size": loss})
        database.add(MetricsRow(plan=study, node=1, step=step, metrics=text, seconds=0.0, study=study))
    assert (database.worths(1), database.worths(2)) == ({4: BEST}, {6: BEST})


def test_trials_of_a_scale_are_ranked_among_themselves_though_they_have_the_numbers_of_the_targets() -> None:
    database = Database(keeping("best"), keeping("best"))
    database.add(StudyPlanRow(study=1, member="1/8", plan=2, position=1))
    for number, step in enumerate((4, 6)):
        database.trial(1, number, step, (0.25, 0.5)[number])
        database.trial(1, number, step, (0.5, 0.25)[number], member="1/8")
    assert (database.worths(1), database.worths(2)) == ({4: BEST}, {6: BEST})


def test_a_state_whose_file_is_gone_is_not_weighed_and_the_one_before_it_is() -> None:
    database = Database(keeping("best"))
    database.trial(1, 0, 6, 0.5)
    assert database.worths() == {6: BEST}
    assert database.worths(there={"1-4"}) == {4: BEST}
    database.store.commit([Update(database.file(1, 6, gone="evicted"))])
    assert database.worths() == {4: BEST}


def test_of_deleted_studies_nothing_is_missed() -> None:
    database = Database(keeping("leaves"))
    database.trial(1, 0, 6, 0.5)
    (row,) = database.store.rows(StudyRow)
    database.store.commit([Update(replace(row, deleted=True))])
    assert database.worths() == {}


def test_a_call_that_has_not_ended_may_ask_for_more_but_of_what_it_asked_for_last() -> None:
    database = Database(keeping("best"), keeping("best"))
    for study in (1, 2):
        database.trial(study, 0, 6, 0.25, state="PAUSED")
        database.trial(study, 1, 4, 0.75, state="PAUSED")
    (call,) = database.store.rows(CallRow, study=1)
    database.store.commit([Update(replace(call, state=CallState.INTERRUPTED))])
    assert database.worths() == {6: LIVE, 4: LIVE}
    asked = RequestRow(study=1, request=1, call=0, trial=1, until=4, final=False)
    database.add(asked)
    database.add(replace(asked, study=2, final=True))  # what another study asks for last is its own affair
    assert database.worths() == {6: LIVE, 4: LIVE}
    database.add(replace(asked, request=2, final=True))
    assert database.worths() == {6: LIVE}


def test_trials_that_break_constraints_come_behind_all_that_keep_them() -> None:
    database = Database(keeping("top:2", constraints=(Constraint(metric="size", relation="<=", bound=1.0),)))
    for number, (step, loss, size) in enumerate([(4, 0.25, 3.0), (6, 0.5, 1.0)]):
        database.trial(1, number, step, loss)
        text = json.dumps({"loss": loss, "size": size})
        database.add(MetricsRow(plan=1, node=1, step=step, metrics=text, seconds=0.0, study=1))
    assert database.worths() == {6: BEST, 4: Worth(Rank.BEST, -1)}
