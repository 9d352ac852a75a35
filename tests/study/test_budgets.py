"""States stay within their budget while studies run; what work needs, and what others train on, stays all the same."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import CheckpointRow, open_store
from hippo.study.options import make_budget

MakeStudy = Callable[..., hippo.Study]
RATES = [{"lr": 0.05 * number} for number in range(1, 9)]
#: what a state of the trainer below takes, about
STATE = 18_100
LARGE: dict[str, Any] = {"trainer_args": {"size": 1000}}


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states"), **LARGE}


def check_files(study: hippo.Study, durable: dict[str, Any]) -> list[int]:
    """See that files are those that rows name, once all is removed that was to be; return their sizes."""
    study.close()
    known = {row.key: row.size_bytes for row in open_store(durable["storage"]).rows(CheckpointRow, gone="")}
    there = {
        path.relative_to(durable["checkpoints"]).as_posix(): path.stat().st_size
        for path in Path(durable["checkpoints"]).rglob("e*-l*")
    }
    assert there == known
    return list(there.values())


def test_states_stay_within_their_budget_and_the_best_ones_are_those_that_stay(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(checkpoint_budget=3 * STATE, **durable)
    study.optimize(hippo.GridSearch(RATES, until=5))
    found = check_files(study, durable)
    assert len(found) == 3
    assert sum(found) <= 3 * STATE
    again = hippo.load_study("toy", durable["storage"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of one that is made again
        for trial in sorted(again.trials, key=lambda trial: trial.value or 0.0)[:3]:
            trial.load_state()


def test_what_went_is_trained_again_to_the_same_metrics(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(checkpoint_budget=3 * STATE, **durable)
    study.optimize(hippo.GridSearch(RATES, until=5))
    study.close()  # with what is in memory
    study = make_study(checkpoint_budget=3 * STATE, **durable)
    study.optimize(hippo.GridSearch(RATES, until=8))
    alone = make_study("alone", **LARGE)
    alone.optimize(hippo.GridSearch(RATES, until=8))
    assert [t.metrics for t in study.trials if t.step == 8] == [t.metrics for t in alone.trials]
    assert study.statistics().repeated_by_cause == {"evicted": 5 * 5}
    assert sum(check_files(study, durable)) <= 3 * STATE


def test_within_the_budget_a_longer_grid_in_a_later_process_trains_nothing_again(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=5))
    study.close()
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=8))
    assert study.statistics().steps_repeated == 0
    assert study.statistics().steps_executed == 8 * len(RATES)


def test_a_budget_below_one_state_is_told_once_and_costs_no_result(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(checkpoint_budget="10kB", **durable)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        study.optimize(hippo.GridSearch(RATES, until=5))
    texts = [str(warning.message) for warning in told]
    assert [text.partition(" (")[0] for text in texts if "less than one state" in text] == [
        "checkpoint_budget= of 10.0 kB is less than one state takes"
    ]
    assert len(study.trials) == len(RATES)
    assert check_files(study, durable) == []


@pytest.mark.filterwarnings("ignore:.*checkpoint:UserWarning")
def test_a_state_that_is_made_again_is_there_until_it_is_loaded_however_small_the_budget(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(checkpoint_budget="10kB", **durable)
    study.optimize(hippo.GridSearch(RATES[:2], until=5))
    serve = hippo.Study._serve

    def slowly(waiting: hippo.Study, begin: Any) -> Any:
        served = serve(waiting, begin)
        for _ in range(5):
            study.counted()  # a turn of the loop
        return served

    monkeypatch.setattr(hippo.Study, "_serve", slowly)
    for trial in study.trials:
        assert trial.load_model()
    assert sum(check_files(study, durable)) == 0


def test_states_that_work_needs_exceed_the_budget_and_that_is_told(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=5))
    study.close()
    study = make_study(checkpoint_budget=2 * STATE, **durable)
    with pytest.warns(UserWarning, match=r"checkpoint_budget= of 36.2 kB is exceeded: states that work needs"):
        study.optimize(hippo.GridSearch(RATES, until=8))
    assert study.statistics().steps_repeated == 0
    assert sum(check_files(study, durable)) <= 2 * STATE


def test_states_of_plans_that_nobody_trains_on_make_room(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    before = make_study("before", seed=1, keep="all", **durable)
    before.optimize(hippo.GridSearch(RATES[:3], until=5))
    hippo.delete_study("before", durable["storage"])
    study = make_study(checkpoint_budget=4 * STATE, **durable)
    study.optimize(hippo.GridSearch(RATES[:4], until=5))
    found = check_files(study, durable)
    assert len(found) == 4
    assert {row.plan for row in open_store(durable["storage"]).rows(CheckpointRow, gone="")} == {2}


def test_states_of_a_plan_that_another_process_trains_on_stay(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    before = make_study("before", seed=1, **durable)
    before.optimize(hippo.GridSearch(RATES[:3], until=5))
    before.close()
    lock = open_store(durable["storage"]).lock(1)
    lock.acquire()
    study = make_study(checkpoint_budget=4 * STATE, **durable)
    try:
        study.optimize(hippo.GridSearch(RATES[:4], until=5))
    finally:
        lock.release()
    rows = open_store(durable["storage"]).rows(CheckpointRow, gone="")
    assert sorted(row.plan for row in rows) == [1, 1, 1, 2]


def test_of_studies_that_train_at_once_the_largest_budget_holds(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    engine = hippo.InlineEngine()
    one = make_study("one", checkpoint_budget=2 * STATE, engine=engine, **durable)
    other = make_study("other", checkpoint_budget=5 * STATE, engine=engine, **durable)
    hippo.optimize([(one, hippo.GridSearch(RATES, until=5)), (other, hippo.GridSearch(RATES, until=5))])
    assert len(check_files(one, durable)) in (2, 5)  # the one that ended last has its own from then on
    unbounded = make_study("unbounded", checkpoint_budget=None, **durable)
    unbounded.optimize(hippo.GridSearch(RATES, until=6))
    assert len(check_files(unbounded, durable)) > 5


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("2kB", 2_000), ("2KB", 2_000), ("2kiB", 2_048), ("2KiB", 2_048), (" 1.5 GB ", 1_500_000_000), ("1TiB", 2**40)],
)
def test_a_budget_is_read_however_kilo_is_written(text: str, size_bytes: int) -> None:
    assert make_budget(text) == size_bytes


def test_states_in_memory_have_a_budget_too(make_study: MakeStudy) -> None:
    study = make_study(checkpoint_budget=3 * STATE, **LARGE)
    study.optimize(hippo.GridSearch(RATES, until=5))
    held: Any = study._runtime().checkpoints
    deadline = time.monotonic() + 60.0
    while len(list(held.keys())) > 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(list(held.keys())) == 3


def test_states_that_went_with_another_process_are_not_counted(make_study: MakeStudy, tmp_path: Path) -> None:
    options: dict[str, Any] = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": "memory://", **LARGE}
    study = make_study(**options)
    study.optimize(hippo.GridSearch(RATES[:4], until=5))
    study.close()
    study = make_study(checkpoint_budget=4 * STATE, **options)
    study.optimize(hippo.GridSearch(RATES[4:], until=5))
    held: Any = study._runtime().checkpoints
    assert len(list(held.keys())) == 4


def test_what_is_kept_is_said_when_a_study_is_made_and_only_then(
    make_study: MakeStudy, durable: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    make_study(**durable)
    said = capsys.readouterr().err
    assert f"the last state of each trial stays in {durable['checkpoints']}, up to 10GB in all" in said
    make_study(**durable)
    make_study("other", keep="best", **durable)
    make_study("third", checkpoint_budget="1GB", **durable)
    assert capsys.readouterr().err == ""


def test_another_rule_and_another_budget_hold_from_the_next_time_on(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES[:4], until=5))
    study = make_study(keep="best", **durable)
    study.optimize(hippo.GridSearch(RATES[:2], until=5))
    assert len(check_files(study, durable)) == 1


@pytest.mark.slow
def test_workers_write_within_the_budget_and_a_grid_is_extended_in_another_process(tmp_path: Path) -> None:
    script = tmp_path / "extend.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            import hippo
            from hippo.testing.trainers import ToyTrainer

            if __name__ == "__main__":
                until, budget = int(sys.argv[1]), int(sys.argv[2])
                study = hippo.create_study("grid", trainer=ToyTrainer, trainer_args={"size": 1000}, metric="loss",
                                           mode="min", engine=hippo.LocalEngine(workers=2), checkpoint_budget=budget)
                study.optimize(hippo.GridSearch([{"lr": 0.05 * n} for n in range(1, 9)], until=until))
                counted = study.statistics()
                study.close()
                print(counted.steps_executed, counted.steps_repeated)
            """
        )
    )

    def run(until: int, budget: int) -> str:
        command = [sys.executable, str(script), str(until), str(budget)]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120).stdout

    assert run(5, 10**9) == "40 0\n"
    assert run(8, 10**9) == "64 0\n"
    run(10, 4 * STATE)
    files = list((tmp_path / "hippo_checkpoints").rglob("e*-l*"))
    assert sum(path.stat().st_size for path in files) <= 4 * STATE
