"""Several studies at once, on one engine: shared where they are alike, each as if it had been alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError
from hippo.runtime import Runtime
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]


def space(*rates: float) -> hippo.GridSearchSpace:
    return hippo.GridSearchSpace({"lr": [hippo.Piecewise([0.1, rate], [4]) for rate in rates]})


def test_every_trial_equals_training_it_alone_and_common_steps_run_once(make_study: MakeStudy) -> None:
    engine = hippo.InlineEngine()
    studies = [make_study(name, engine=engine, storage="memory://many") for name in ("a", "b")]
    spaces = [space(0.2, 0.3), space(0.3, 0.4)]
    hippo.optimize([(study, hippo.GridSearch(s, until=6)) for study, s in zip(studies, spaces, strict=True)])
    executed = sum(study.statistics().steps_executed for study in studies)
    assert executed == 4 + 3 * 2
    assert sum(study.statistics().steps_asked for study in studies) == 4 * 6
    for study in studies:
        for trial in study.trials:
            assert trial.history == train_alone(ToyTrainer, trial.config, until=6)


def test_studies_that_opened_one_database_each_by_itself_keep_all_their_trials(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    engine, durable = hippo.InlineEngine(), {"storage": f"sqlite:///{tmp_path}/hippo.db"}
    studies = [make_study(name, engine=engine, **durable) for name in ("a", "b")]
    hippo.optimize([(study, hippo.GridSearch(space(0.2, 0.3), until=6)) for study in studies])
    assert [[trial.step for trial in study.trials] for study in studies] == [[6, 6], [6, 6]]
    assert sum(study.statistics().steps_executed for study in studies) == 8


def test_a_later_study_trains_only_what_no_earlier_one_did(make_study: MakeStudy, tmp_path: Path) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    make_study("first", **durable).optimize(hippo.GridSearch(space(0.2, 0.3), until=6))
    second = make_study("second", **durable)
    second.optimize(hippo.GridSearch(space(0.3, 0.4), until=6))
    assert second.statistics().steps_executed == 2


def test_studies_of_different_workloads_run_side_by_side(make_study: MakeStudy) -> None:
    engine = hippo.InlineEngine()
    studies = [make_study(f"seed-{seed}", engine=engine, storage="memory://seeds", seed=seed) for seed in (0, 1)]
    hippo.optimize([(study, hippo.GridSearch(space(0.2, 0.3), until=6)) for study in studies], shares=[2, 1])
    assert [study.statistics().steps_executed for study in studies] == [8, 8]
    assert studies[0].best_value != studies[1].best_value


@pytest.mark.parametrize("between_s", [0.0, 0.1])
def test_a_higher_priority_is_served_first(
    make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, between_s: float
) -> None:
    """However long it takes until the second call has begun: nothing is given out before."""
    start_call = Runtime.start_call

    def start_slowly(self: Runtime, *args: Any) -> Any:
        try:
            return start_call(self, *args)
        finally:
            time.sleep(between_s)

    monkeypatch.setattr(Runtime, "start_call", start_slowly)
    engine, log = hippo.InlineEngine(), tmp_path / "log"
    low, high = (
        make_study(name, engine=engine, storage="memory://priorities", trainer_args={"log": str(log)})
        for name in ("low", "high")
    )
    grids = [hippo.GridSearch([{"lr": lr}], until=until) for lr, until in ((0.1, 9), (0.2, 3))]
    hippo.optimize([(low, grids[0]), (high, grids[1])], priorities=[0, 1])
    lines = log.read_text().splitlines()
    assert all("0.2" in line for line in lines[:3])
    assert len(lines) == 9 + 3 + 4  # four steps are run twice, to check


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priorities": [1]}, "priorities has 1 values for 2 studies"),
        ({"priorities": [1, 0.5]}, "a priority is a whole number"),
        ({"shares": [1, 0]}, "a share is a number above 0"),
    ],
)
def test_standings_that_cannot_be_used_are_refused(make_study: MakeStudy, options: dict, message: str) -> None:
    engine = hippo.InlineEngine()
    pairs = [(make_study(name, engine=engine), hippo.GridSearch(space(0.2), until=2)) for name in ("a", "b")]
    with pytest.raises(HippoError, match=message):
        hippo.optimize(pairs, **options)


def test_where_several_are_ended_by_errors_each_of_them_is_told(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(hippo.Tuner):
        def __init__(self, what: str) -> None:
            self.what = what

        async def tune(self, ask: hippo.Ask) -> None:
            raise LookupError(self.what)

    engine = hippo.InlineEngine()
    studies = [make_study(name, engine=engine) for name in ("a", "b", "c")]
    with pytest.raises(LookupError, match="no list"):
        hippo.optimize(list(zip(studies, map(Broken, ["no list", "no table", "no list"]), strict=True)))
    told = [line for line in capsys.readouterr().err.splitlines() if "was ended, too" in line]
    assert told == ["hippo: study 'b' was ended, too: LookupError: no table"]


class Untold(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it has no text")


def test_an_error_of_a_tuner_that_has_no_text_is_raised_itself_when_the_other_study_is_done(
    make_study: MakeStudy,
) -> None:
    class Raises:
        async def tune(self, ask: hippo.Ask) -> None:
            raise Untold

    a, b = (make_study(name) for name in "ab")
    with pytest.raises(Untold):
        hippo.optimize([(a, Raises()), (b, hippo.GridSearch({"lr": [0.1, 0.2]}, until=2))])
    assert [trial.state for trial in b.trials] == [hippo.TrialState.COMPLETE] * 2


def test_a_study_deleted_while_it_runs_ends_with_a_clear_error_and_others_go_on(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    engine = hippo.InlineEngine()
    doomed, other = (
        make_study(name, engine=engine, trainer_args={"sleep_s": 0.05}, **durable) for name in ("doomed", "other")
    )

    class Deleting(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            for until in range(1, 100):
                await ask({"lr": 0.5}, until=until)
                if until == 3:
                    hippo.delete_study("doomed", durable["storage"])

    with pytest.raises(HippoError, match="study 'doomed' was deleted while it ran"):
        hippo.optimize([(doomed, Deleting()), (other, hippo.GridSearch([{"lr": 0.1}], until=40))])
    assert other.best_trial.step == 40
    assert hippo.get_all_study_names(durable["storage"]) == ["other"]
    with pytest.raises(HippoError, match="study 'doomed' was deleted, so nobody could find what it trains now"):
        doomed.evaluate({"lr": 0.1}, until=2)
