"""What is read of a study is what the whole plan says, whoever wrote it and whenever it was looked at before."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hippo
from hippo.collector import collector_paused
from hippo.errors import TrialFailedError
from hippo.plan import (
    AbstractPlanStore,
    Cause,
    Change,
    FailureRow,
    Insert,
    PlanRow,
    SearchPlan,
    StudyRow,
    TrialRow,
    Update,
    open_store,
)
from hippo.plan.listener import NullListener
from hippo.records import Constraint, Failure, LeaseId, Objective
from hippo.runtime import Settings
from hippo.study import NoBestTrialError, StudyView
from hippo.study.results.reading import StudyReader
from hippo.study.results.study_view import counted_in
from hippo.study.results.trial_costs import TrialCost, TrialCosts
from hippo.testing.servers import emptied

from ..plan.plans import CONFIGS, ref
from .whole_plan import WholePlan, said

MakeStudy = Callable[..., hippo.Study]

ONE = Settings(objectives=(Objective(metric="loss", mode="min"),))
LARGER = Settings(objectives=(Objective(metric="loss", mode="max"),))
BOUND = Settings(
    objectives=(Objective(metric="loss", mode="min"),),
    constraints=(Constraint(metric="size", relation="<=", bound=0.5),),
)
TWO = Settings(objectives=(Objective(metric="loss", mode="min"), Objective(metric="size", mode="max")))


class Writer:
    """Another process that trains: writes down trials and facts, by chance, as a runtime does.

    Args:
      store: where.
      settings: of both studies.
      rng: decides what happens.
      names: of the studies, which share a plan.
    """

    def __init__(self, store: AbstractPlanStore, settings: Settings, rng: Random, names: str = "ab") -> None:
        self.store = store
        self.settings = settings
        self.rng = rng
        plan = store.add_plan(PlanRow(plan=0, workload=names, declared="{}", fork=0))
        self.studies = [store.add_study(StudyRow(study=0, name=n, generation=1), {"": plan.plan}) for n in names]
        self.plan = SearchPlan(plan, NullListener())
        self.rows: dict[tuple[int, int], TrialRow] = {}
        self.changes: list[Change] = []
        self.keys = 0
        self.failures = 0

    def act(self) -> None:
        """Do one thing of those that happen to trials."""
        acts: list[Callable[[], None]] = [
            self.ask,
            self.train,
            self.train,
            self.finish,
            self.fail,
            self.retry,
            self.drop,
        ]
        self.rng.choice(acts if self.rows else [self.ask])()

    def commit(self) -> None:
        """Make durable what was done since the last time."""
        self.store.commit([*self.plan.changes.take(), *self.changes])
        self.changes.clear()

    def ask(self) -> None:
        study = self.rng.choice(self.studies).study
        config = self.rng.choice(CONFIGS)
        number = sum(1 for known, _ in self.rows if known == study)
        text = json.dumps(config.to_json(), sort_keys=True)
        row = TrialRow(study=study, number=number, call=self.rng.randrange(2), config=text, occurrence=number)
        self.changes.append(Insert(row))
        self._set(row, until=self.rng.randint(1, 12))

    def train(self) -> None:
        """Train some steps of a trial, evaluate and keep some of them, and answer what is known by then."""
        row = self.rng.choice(list(self.rows.values()))
        path, first = self.plan.path(_config(row)), self.rng.randint(0, row.until)
        for step in range(1, first + 1):
            node = path.node_at(step)
            if step not in node.training:
                cause = self.rng.choice([Cause.FIRST, Cause.FIRST, Cause.SPECULATIVE])
                self._run(node, step, cause, row.study)
            elif self.rng.random() < 0.1:
                self._run(node, step, Cause.LOST, row.study)
            if self.rng.random() < 0.1:
                self.plan.facts.record_check(node, step, 0.25, study=row.study)
            if self.rng.random() < 0.5 and step not in node.metrics:
                self._evaluate(node, step, row.study)
        if first > row.step:
            self._answer(row, path.node_at(first), first)

    def _run(self, node: Any, step: int, cause: Cause, study: int) -> None:
        # seconds are fractions of two: their sums are the same in any order
        seconds, slope = self.rng.randrange(1, 64) / 64, {"slope": self.rng.random()}
        self.plan.facts.record_step(node, step, slope, seconds, lease=LeaseId(1), cause=cause, study=study)
        if self.rng.random() < 0.3:
            self.keys += 1
            self.plan.facts.record_checkpoint(node, step, ref(f"k{self.keys}"), 0.5, study=study)

    def _evaluate(self, node: Any, step: int, study: int) -> None:
        loss = self.rng.choice([0.5, 1.0, 2.0, math.nan, math.inf, -math.inf])
        metrics = {"loss": loss, "size": self.rng.choice([0.0, 1.0])}
        self.plan.facts.record_metrics(node, step, metrics, self.rng.randrange(1, 64) / 64, study=study)

    def _answer(self, row: TrialRow, node: Any, step: int) -> None:
        if step not in node.metrics:
            self._evaluate(node, step, row.study)
        losses = [objective.loss(node.metrics[step]) for objective in self.settings.objectives]
        loss = losses[0] if len(losses) == 1 and math.isfinite(losses[0]) else None
        if row.state != "FAIL":
            self._set(row, step=step, loss=loss, state=self.rng.choice(["RUNNING", "PAUSED"]))

    def finish(self) -> None:
        row = self.rng.choice(list(self.rows.values()))
        if row.state != "FAIL":
            self._set(row, state="COMPLETE" if row.step == row.until else self.rng.choice(["PRUNED", "PAUSED"]))

    def fail(self) -> None:
        row = self.rng.choice(list(self.rows.values()))
        step = self.rng.randint(1, row.until)
        node = self.plan.path(_config(row)).node_at(step)
        self.failures += 1
        failure = Failure(node=node.id, step=step, method="train", error="e", traceback=f"lines {self.failures}")
        self.plan.facts.record_failure(failure)
        self._set(row, state="FAIL", error=f"train() at step {step}")

    def retry(self) -> None:
        """Take every failure back."""
        self.commit()
        failed = self.store.rows(FailureRow, voided=False, plan=self.plan.row.plan)
        self.changes += [Update(replace(row, voided=True)) for row in failed]
        for row in list(self.rows.values()):
            if row.state == "FAIL":
                self._set(row, state="PAUSED", error="")
        for node in self.plan.nodes.values():
            node.failures = ()

    def drop(self) -> None:
        """Lose a state that is kept."""
        kept = [(node, step) for node in self.plan.nodes.values() for step in node.checkpoints]
        if kept:
            node, step = self.rng.choice(kept)
            self.plan.facts.forget_checkpoint(node, step, node.checkpoints[step].key, "evicted")

    def _set(self, row: TrialRow, **changes: Any) -> None:
        until = changes.get("until", row.until)
        now = replace(row, node=self.plan.path(_config(row)).node_at(until).id, **changes)
        self.rows[row.study, row.number] = now
        self.changes.append(Update(now))


def _config(row: TrialRow) -> hippo.Config:
    return hippo.Config.from_json(json.loads(row.config))


def contents(read: Any, *, but: str = "") -> dict[str, Any]:
    """Return all that a view says, or the whole plan, but for what trials say of one thing."""
    trials = [{name: text for name, text in said(trial).items() if name != but} for trial in read.trials]
    return {"trials": trials, "statistics": repr(read.statistics())}


def costs(known: TrialCosts, view: StudyView) -> tuple[list[tuple[int, TrialCost]], TrialCost]:
    """Return what a study had spent at each of its trials and in all, for who has looked before, or never."""
    known.take(view)
    return list(known.of_trials().items()), known.total


def best_number(ask: Callable[[], Any]) -> int | None:
    try:
        return int(ask().number)
    except NoBestTrialError:
        return None


def front_numbers(view: StudyView) -> list[int]:
    try:
        return [trial.number for trial in view.best_trials]
    except NoBestTrialError:
        return []


def reader_of(store: AbstractPlanStore, row: StudyRow, choices: Settings) -> StudyReader:
    return StudyReader(store, row, choices, study=None)  # type: ignore[arg-type]  # nothing is loaded


def check_one_look(store: AbstractPlanStore, row: StudyRow, choices: Settings, known: StudyReader) -> None:
    """Compare what a reader says that looked before with one that never did, and with the whole plan."""
    whole, fresh = WholePlan(store, row, choices), reader_of(store, row, choices)
    assert contents(known.read()) == contents(fresh.read()) == contents(whole)
    assert repr(known.read().tree()) == repr(whole.tree())
    counted = repr(replace(whole.statistics(), trial_seconds=0.0))
    assert [repr(counted_in(each.read())) for each in (known, reader_of(store, row, choices))] == [counted] * 2
    if len(choices.objectives) == 1:
        assert best_number(lambda: known.read().best_trial) == best_number(known.best_trial) == whole.best
    assert front_numbers(known.read()) == whole.front


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    return tmp_path_factory.mktemp("reading")


numbers = iter(range(10**9))


_each = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
_seeds, _choices = st.integers(0, 2**32), st.sampled_from([ONE, LARGER, BOUND, TWO])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@given(seed=_seeds, choices=_choices)
@settings(_each, max_examples=40)
def test_whatever_is_written_between_two_looks_the_next_one_sees_what_a_first_one_would(
    kind: str, folder: Path, seed: int, choices: Settings
) -> None:
    check_looks("memory://" if kind == "memory" else f"sqlite:///{folder}/{next(numbers)}.db", seed, choices)


@pytest.mark.slow
@given(seed=_seeds, choices=_choices)
@settings(_each, max_examples=6)
def test_so_does_one_in_a_server(server_url: str, seed: int, choices: Settings) -> None:
    check_looks(emptied(server_url), seed, choices)


def check_looks(url: str, seed: int, choices: Settings) -> None:
    """Write at random, on two plans, and compare looks that go on from earlier ones with first ones."""
    rng = Random(seed)
    written = open_store(url)
    writers = [Writer(written, choices, rng, names) for names in ("ab", "cd")]
    store = written if url == "memory://" else open_store(url)
    readers = [
        (row, reader_of(store, row, choices), TrialCosts()) for row in [*writers[0].studies, *writers[1].studies]
    ]
    old: list[tuple[StudyView, dict[str, Any], Any]] = []
    for _ in range(rng.randint(1, 12)):
        for writer in rng.sample(writers, rng.randint(1, 2)):
            for _ in range(rng.randint(1, 6)):
                writer.act()
            writer.commit()
        for row, reader, spent in readers:
            if rng.random() < 0.25:
                check_one_look(store, row, choices, reader)
            if rng.random() < 0.25:
                view = reader.read()
                assert costs(spent, view) == (first := costs(TrialCosts(), view))
                assert first[1].steps == WholePlan(store, row, choices).statistics().steps_executed
            if rng.random() < 0.25:
                whole, view = WholePlan(store, row, choices), reader_of(store, row, choices).read()
                old.append((reader.read(), contents(whole, but="traceback"), costs(TrialCosts(), view)))
    for view, expected, spent_then in old:  # most of them are asked for the first time, long after they were taken
        assert contents(view, but="traceback") == expected  # failures may have been taken back since
        assert costs(TrialCosts(), view) == spent_then
    store.close()
    written.close()


# --- by example


def test_a_trial_that_is_complete_no_more_has_no_place_among_those_that_are() -> None:
    writer = Writer(open_store("memory://"), ONE, Random(0))
    writer.ask()
    ((study, _),) = writer.rows
    reader, spent = (
        reader_of(writer.store, next(row for row in writer.studies if row.study == study), ONE),
        TrialCosts(),
    )
    writer._set(*writer.rows.values(), state="COMPLETE")
    writer.commit()
    assert [number for number, _ in costs(spent, reader.read())[0]] == [0]
    writer.fail()
    writer.commit()
    assert costs(spent, reader.read())[0] == []


SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.3, hippo.MultiStep(0.1, [2], 0.5)]})


def test_a_reading_stays_what_it_was_while_others_train(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=2))
    before = study.read()
    study.optimize(hippo.GridSearch(SPACE, until=4))
    assert [(trial.step, set(trial.history)) for trial in before.trials] == [(2, {1, 2})] * 3
    assert before.statistics().steps_asked == 6
    assert [trial.step for trial in study.trials] == [2, 2, 2, 4, 4, 4]
    assert study.best_value < before.best_value


def test_what_did_not_change_is_not_read_again(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=2))
    assert study.read() is study.read()
    first, again = study.trials, study.trials
    assert first == again
    assert first is not again  # whoever sorts it does so for himself
    study.evaluate({"lr": 0.1}, until=2)
    assert len(study.trials) == 4


def test_a_reading_says_what_the_study_says(make_study: MakeStudy) -> None:
    study = make_study(mode="max")
    study.optimize(hippo.GridSearch(SPACE, until=4))
    view = study.read()
    best = study.best_trial
    assert (view.best_trial.number, view.best_value, view.best_config) == (best.number, best.value, best.config)
    assert (view.best_params, view.statistics(), view.tree()) == (study.best_params, study.statistics(), study.tree())
    assert best.point is not None
    assert view.metrics(*best.point) == best.metrics
    assert view.metrics(best.point[0], 99) is None


def test_a_loss_that_is_no_number_is_the_best_only_where_there_is_no_other(make_study: MakeStudy) -> None:
    study = make_study(nan="worst", trainer_args={"nan_at": 2})
    study.optimize(hippo.GridSearch(SPACE, until=2))
    assert [trial.losses for trial in study.trials] == [(math.inf,)] * 3
    assert study.best_trial.number == study.read().best_trial.number == 0
    study.evaluate({"lr": 0.3}, until=3)
    assert study.best_trial.number == study.read().best_trial.number == 3


def test_a_constraint_is_kept_though_no_row_tells_of_it(make_study: MakeStudy) -> None:
    study = make_study(constraints=["luck <= 0.5"])
    study.optimize(hippo.GridSearch([{"lr": 0.05 * n} for n in range(1, 8)], until=2))
    trials = [trial for trial in study.trials if trial.metrics["luck"] <= 0.5] or study.trials
    assert study.best_trial.number == min(trials, key=lambda t: (t.violation, t.losses, t.number)).number


def test_generations_and_studies_that_were_deleted_are_read_apart(make_study: MakeStudy) -> None:
    first = make_study(storage=(url := "memory://read-apart"))
    first.optimize(hippo.GridSearch(SPACE, until=2))
    view = first.read()
    hippo.delete_study("toy", storage=url)
    second = make_study(storage=url)
    second.optimize(hippo.GridSearch([{"lr": 0.2}], until=2))
    assert [len(study.trials) for study in (first, second)] == [3, 1]
    assert [len(view.trials), view.statistics().steps_asked, second.statistics().steps_asked] == [3, 6, 2]


def test_a_study_that_no_store_keeps_facts_of_has_trials_and_no_metrics() -> None:
    store = open_store("memory://")
    plan = store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
    study = store.add_study(StudyRow(study=0, name="lean", generation=1), {"": plan.plan})
    row = TrialRow(study=1, number=0, call=0, config="{}", occurrence=0, node=7, until=4, step=4, state="COMPLETE")
    store.commit([Insert(replace(row, loss=0.5))])
    (trial,) = reader_of(store, study, ONE).read().trials
    assert (trial.metrics, trial.history, trial.seconds, trial.point, trial.traceback) == ({}, {}, 0.0, None, "")
    assert reader_of(store, study, ONE).read().statistics().steps_asked == 4


@pytest.mark.slow
def test_a_database_that_may_only_be_read_is_read_like_any_other(make_study: MakeStudy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study(storage=url, checkpoints=str(tmp_path / "states"))
    study.optimize(hippo.GridSearch(SPACE, until=2))
    read_only = hippo.load_study("toy", storage=f"sqlite:///file:{tmp_path}/hippo.db?mode=ro&uri=true")
    assert contents(read_only.read()) == contents(study.read())
    assert read_only.best_value == study.best_value
    study.evaluate({"lr": 0.7}, until=3)
    assert contents(read_only.read()) == contents(study.read())


def test_a_failure_that_was_taken_back_is_still_told_by_a_reading_of_before(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 1})
    with pytest.raises(TrialFailedError):
        study.evaluate({"lr": 0.1}, until=3)
    before = study.read()
    assert study.retry_failed() == [0]
    assert "told to raise" in before.trials[0].traceback
    assert study.trials[0].traceback == ""


def test_a_chain_of_forks_longer_than_the_looks_up_is_read_whole(make_study: MakeStudy) -> None:
    study = make_study()
    changing = hippo.Config({"lr": hippo.Piecewise([0.1 + n / 100 for n in range(40)], list(range(1, 40)))})
    study.evaluate(changing, until=40)
    (trial,) = study.trials
    assert set(trial.history) == set(trial.train_metrics) == set(range(1, 41))
    assert len(study.tree()) == 40


def test_the_collector_goes_on_when_all_is_read_and_stays_off_for_whoever_turned_it_off() -> None:
    with pytest.raises(KeyError), collector_paused(), collector_paused():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
