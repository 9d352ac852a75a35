"""What trackers are told of a study, in which runs, and what happens where they cannot be reached."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError, OptionError
from hippo.integrations.prefixes import Held
from hippo.integrations.trackers import Found, RunName, TrackedRow, Tracker, check_texts, needed
from hippo.records import TrialState

MakeStudy = Callable[..., hippo.Study]
#: two trials that share two of five steps
FORK = [{"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": hippo.Piecewise([0.1, 0.3], [2])}]


class RunsInMemory:
    """Runs that outlive a script, as those of a server do."""

    where = "memory"

    def __init__(self) -> None:
        self.begun: list[tuple[str, Mapping[str, str]]] = []
        self.params: dict[RunName, Mapping[str, str]] = {}
        self.rows: dict[RunName, list[TrackedRow]] = {}
        self.links: dict[RunName, tuple[int, int]] = {}
        self.facts: dict[RunName, dict[str, str]] = {}
        self.ended: list[tuple[int, str]] = []
        self.num_closed = 0

    def begin(self, study: str, identity: str, facts: Mapping[str, str]) -> None:
        self.begun.append((study, facts))

    def find(self, run: RunName) -> Found | None:
        if run not in self.params:
            return None
        held = Held({row.key for row in self.rows[run]}, *self.links.get(run, (None, 0)))
        return Found(held, self.facts[run].get("state", ""))

    def make(self, run: RunName, params: Mapping[str, str]) -> None:
        assert run not in self.params, "made twice"
        self.params[run], self.rows[run], self.facts[run] = params, [], {}

    def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
        self.rows[run] += rows

    def link(self, run: RunName, parent: RunName, fork_step: int) -> None:
        self.links[run] = (parent.trial, fork_step)

    def describe(self, run: RunName, facts: Mapping[str, str]) -> None:
        self.facts[run].update(facts)

    def end(self, run: RunName, state: TrialState) -> None:
        self.facts[run]["state"] = state.value
        self.ended.append((run.trial, state.value))

    def close(self) -> None:
        self.num_closed += 1

    def curve(self, trial: int, name: str, study: str = "toy") -> dict[int, float]:
        """Return the values of a metric in a trial's run."""
        (run,) = [run for run in self.params if (run.study, run.trial) == (study, trial)]
        return {row.key.step: row.metrics[name] for row in self.rows[run] if name in row.metrics}


def tracker(runs: Any, **options: Any) -> Tracker:
    return Tracker(runs, **{"whole_curves": False, "wait_s": 60.0, **options})


def test_shared_steps_are_in_one_run_and_the_other_is_linked_to_it(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    study = make_study(callbacks=[tracker(runs)])
    study.optimize(hippo.GridSearch(FORK, until=5))
    first, second = study.trials
    (fork,) = runs.links.items()
    parent, child = (first, second) if fork[0].trial == 1 else (second, first)
    assert (fork[0].trial, fork[1]) == (child.number, (parent.number, 2))
    assert runs.curve(parent.number, "loss") == {step: m["loss"] for step, m in parent.history.items()}
    assert runs.curve(child.number, "loss") == {s: m["loss"] for s, m in child.history.items() if s > 2}
    trained = {step: m["slope"] for step, m in parent.train_metrics.items()}
    assert runs.curve(parent.number, "train/slope") == trained
    assert runs.ended == [(0, "COMPLETE"), (1, "COMPLETE")]
    assert runs.num_closed == 1


def test_whole_curves_are_in_each_run_where_they_are_wanted(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    study = make_study(callbacks=[tracker(runs, whole_curves=True)])
    study.optimize(hippo.GridSearch(FORK, until=5))
    assert runs.links == {}
    for trial in study.trials:
        assert runs.curve(trial.number, "loss") == {step: m["loss"] for step, m in trial.history.items()}


def test_without_sharing_nothing_is_linked(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    make_study(callbacks=[tracker(runs)], sharing=False).optimize(hippo.GridSearch(FORK, until=5))
    assert runs.links == {}
    assert [sorted(runs.curve(trial, "loss")) for trial in (0, 1)] == [[1, 2, 3, 4, 5]] * 2


def test_sequences_are_told_as_text_and_by_the_value_that_each_step_had(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    config = {"lr": hippo.Piecewise([0.1, 0.2], [2]), "momentum": 0.5}
    make_study(callbacks=[tracker(runs)]).optimize(hippo.GridSearch([config], until=4))
    assert list(runs.params.values()) == [{"lr": "Piecewise([0.1, 0.2], [2])", "momentum": "0.5"}]
    assert runs.curve(0, "hparams/lr") == {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.2}
    assert runs.curve(0, "hparams/momentum") == {}  # a constant says it all as text


def test_a_script_that_is_run_again_goes_on_in_the_same_runs(make_study: MakeStudy, tmp_path: Path) -> None:
    runs, places = RunsInMemory(), {"storage": f"sqlite:///{tmp_path}/h.db", "checkpoints": str(tmp_path / "s")}
    make_study(callbacks=[tracker(runs)], **places).optimize(hippo.GridSearch(FORK, until=3))
    rows = {run: list(known) for run, known in runs.rows.items()}
    make_study(callbacks=[tracker(runs)], **places).optimize(hippo.GridSearch(FORK, until=3))
    assert runs.rows == rows
    assert runs.ended == [(0, "COMPLETE"), (1, "COMPLETE")]
    make_study(callbacks=[tracker(runs)], **places).optimize(hippo.GridSearch(FORK, until=5))  # another tuner
    assert {run.trial for run in runs.rows} == {0, 1, 2, 3}


def test_what_was_lost_in_a_crash_is_written_when_the_script_is_run_again(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    runs, places = RunsInMemory(), {"storage": f"sqlite:///{tmp_path}/h.db", "checkpoints": str(tmp_path / "s")}
    make_study(callbacks=[tracker(runs)], **places).optimize(hippo.GridSearch(FORK, until=5))
    whole = {run: {row.key: row.metrics for row in rows} for run, rows in runs.rows.items()}
    for rows in runs.rows.values():
        del rows[len(rows) // 2 :]
    make_study(callbacks=[tracker(runs)], **places).optimize(hippo.GridSearch(FORK, until=5))
    assert {run: {row.key: row.metrics for row in rows} for run, rows in runs.rows.items()} == whole


def test_a_study_of_the_same_name_elsewhere_has_runs_of_its_own(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    both = tracker(runs)
    for lr in (0.1, 0.2):  # each in a memory of its own
        make_study(callbacks=[both]).optimize(hippo.GridSearch([{"lr": lr}], until=2))
    assert [params["lr"] for params in runs.params.values()] == ["0.1", "0.2"]
    assert len({run.identity for run in runs.params}) == 2


def test_each_seed_has_a_run_of_its_own(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    make_study(callbacks=[tracker(runs)], seeds=[0, 3]).optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert sorted(run.study for run in runs.params) == ["toy (seed 0)", "toy (seed 3)"]
    assert runs.curve(0, "loss", "toy (seed 0)") != runs.curve(0, "loss", "toy (seed 3)")


def test_a_failure_is_told_and_a_trial_that_is_tried_again_goes_on(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    study = make_study(callbacks=[tracker(runs)], trainer_args={"raise_in": "train", "raise_if": {"lr": 0.2}})
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
    (failed,) = [facts for run, facts in runs.facts.items() if run.trial == 1]
    assert failed["state"] == "FAIL"
    assert failed["failure"].startswith("train() at step 1: ValueError: told to raise")
    assert "Traceback" in failed["traceback"]
    study.retry_failed()
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
    assert [state for trial, state in runs.ended if trial == 1] == ["FAIL"]  # and no second run was made


def test_a_tracker_that_cannot_be_reached_is_told_of_once_and_the_study_goes_on(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    class Unreachable(RunsInMemory):
        def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
            raise ConnectionError("no route\nto host")

    study = make_study(callbacks=[tracker(Unreachable())])
    study.optimize(hippo.GridSearch(FORK, until=5))
    study.optimize(hippo.GridSearch([{"lr": 0.7}], until=5))
    said = capsys.readouterr().err
    assert said.count("memory cannot be written to (ConnectionError: no route to host). The study goes on") == 1
    assert {trial.state.value for trial in study.trials} == {"COMPLETE"}


@pytest.fixture
def is_free() -> Iterator[threading.Event]:
    """Return what lets a tracker that hangs go on, at the end at the latest."""
    event = threading.Event()
    yield event
    event.set()


def test_a_tracker_that_hangs_holds_up_neither_training_nor_the_end(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], is_free: threading.Event
) -> None:
    class Hanging(RunsInMemory):
        def begin(self, study: str, identity: str, facts: Mapping[str, str]) -> None:
            is_free.wait(60)

    runs = Hanging()
    study = make_study(callbacks=[tracker(runs, wait_s=0.01)])
    study.optimize(hippo.GridSearch(FORK, until=5))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE"] * 2
    assert "memory has not taken everything within wait_s=0.01 seconds" in capsys.readouterr().err
    assert not runs.params
    is_free.set()
    study.optimize(hippo.GridSearch([{"lr": 0.7}], until=5))


class StillClock:
    """A clock that stands, so that rows are sent by their number alone."""

    def now(self) -> float:
        return 1000.0

    elapsed = now

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        raise NotImplementedError


def test_rows_are_sent_together_where_they_come_fast(make_study: MakeStudy) -> None:
    class Counting(RunsInMemory):
        sizes: list[int]

        def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
            self.sizes = [*getattr(self, "sizes", []), len(rows)]
            super().write(run, rows)

    runs = Counting()
    study = make_study(callbacks=[tracker(runs, clock=StillClock())])
    study.optimize(hippo.GridSearch([{"lr": 0.001}], until=150))
    assert runs.sizes == [1, 200, 99]  # the first at once, so that one sees it begin; 300 rows in all
    assert {row.told_at for rows in runs.rows.values() for row in rows} == {1000.0}


def test_two_studies_of_one_name_that_run_at_once_are_told_apart(make_study: MakeStudy) -> None:
    runs = RunsInMemory()
    both = tracker(runs)
    studies = [make_study(callbacks=[both]) for _ in range(2)]
    tuners = [hippo.GridSearch([{"lr": lr}], until=3) for lr in (0.1, 0.2)]
    hippo.optimize(list(zip(studies, tuners, strict=True)))
    assert sorted(params["lr"] for params in runs.params.values()) == ["0.1", "0.2"]
    assert [len(rows) for rows in runs.rows.values()] == [6, 6]


def test_arguments_of_trackers_are_checked() -> None:
    with pytest.raises(OptionError, match="whole_curves must be True or False, not 'no'"):
        tracker(RunsInMemory(), whole_curves="no")
    with pytest.raises(OptionError, match="wait_s must be a number of seconds above 0"):
        tracker(RunsInMemory(), wait_s=0)
    with pytest.raises(OptionError, match="MLflow: uri must be a text that is not empty, not 3"):
        check_texts("MLflow", uri=3)


def test_a_package_that_is_missing_is_named_with_the_line_to_type() -> None:
    with pytest.raises(HippoError, match=r"hippo\.X\(\.\.\.\) needs no_such: pip install 'hippo-tune\[wandb\]'"):
        needed("no_such", "hippo.X", "wandb")
