"""A study with several seeds: one study, in which tuners and results see averages, and each seed shares by itself."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import HippoError, UnknownStudyError
from hippo.plan import MemoryStore, PlanLock, TrialRow, Update, plans_of
from hippo.records import TrialState
from hippo.study import end_trials
from hippo.study.results.study_view import counted_in
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.3, hippo.MultiStep(0.3, [4], 0.1), 0.2]})
SEEDS = [0, 3, 7]


def alone(config: hippo.Config, until: int) -> list[float]:
    return [train_alone(ToyTrainer, config, until=until, seed=seed)[until]["loss"] for seed in SEEDS]


def test_answers_are_means_over_the_seeds_of_what_each_config_comes_to_alone(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS)
    study.optimize(hippo.GridSearch(SPACE, until=6))
    assert [trial.value for trial in study.trials] == [
        statistics.fmean(alone(trial.config, 6)) for trial in study.trials
    ]
    assert study.best_value == min(trial.value for trial in study.trials)
    assert study.statistics().steps_executed == len(SEEDS) * (6 * 3 + 2)
    assert [len(trial.replicates) for trial in study.trials] == [3] * 4


def test_halving_goes_by_the_median_if_that_is_wanted(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS, aggregate="median")
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=2, max_steps=8, reduction=4))
    first_rung = {trial.number: statistics.median(alone(trial.config, 2)) for trial in study.trials}
    (winner,) = [trial for trial in study.trials if trial.state is TrialState.COMPLETE]
    assert winner.number == min(first_rung, key=lambda number: first_rung[number])
    assert study.best_trial.number == winner.number


class Streaming(hippo.Tuner):
    def __init__(self, break_after: int | None = None) -> None:
        self._break_after = break_after
        self._came: list[tuple[int, int]] = []

    def record(self) -> dict[str, str]:
        return {"tuner": "streaming"}

    async def tune(self, ask: hippo.Ask) -> None:
        from hippo.tuners.ask import Proposal

        left, promoted = [0.1 * n for n in range(1, 9)], []

        def propose() -> Proposal | None:
            if promoted:
                return Proposal(config=promoted.pop(), until=4)
            return Proposal(config={"lr": left.pop()}, until=2) if left else None

        async for answer in ask.stream(propose):
            self._came.append((answer.trial, answer.step))
            if answer.step == 2 and answer.trial % 3 == 0:
                promoted.append(answer.config)
            if len(self._came) == self._break_after:
                raise BrokenOffError


class BrokenOffError(Exception):
    pass


@pytest.mark.parametrize("moment", [1, 4, 7])
def test_a_broken_off_call_gives_the_same_answers_in_the_same_order_again(
    make_study: MakeStudy, tmp_path: Path, moment: int
) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states"), "seeds": SEEDS}
    broken, again, third = Streaming(moment), Streaming(), Streaming()
    with pytest.raises(BrokenOffError):
        make_study(**durable).optimize(broken)
    make_study(**durable).optimize(again)
    assert again._came[:moment] == broken._came
    study = make_study(**durable)
    before = study.statistics().steps_executed
    study.optimize(third)
    assert third._came == again._came
    assert study.statistics().steps_executed == before


def test_a_trial_fails_if_one_of_its_replicates_does(make_study: MakeStudy) -> None:
    study = make_study(seeds=[0, 1], trainer_args={"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.3}})
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE, TrialState.FAIL]
    assert study.best_params == {"lr": 0.1}
    view = study.read()
    assert counted_in(view) == replace(view.statistics(), trial_seconds=0.0)


def test_a_trial_that_failed_under_one_seed_cannot_be_told_to_have_ended(make_study: MakeStudy) -> None:
    study = make_study(seeds=[0, 1])
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    study.close()
    store = study._opened.store
    (failed,) = store.rows(TrialRow, number=1, member="seed 1")
    store.commit([Update(replace(failed, state=TrialState.FAIL.value))])
    assert end_trials(study, [0, 1], TrialState.PRUNED) == [0]
    assert {row.state for row in store.rows(TrialRow, number=0)} == {"PRUNED"}
    assert {row.state for row in store.rows(TrialRow, number=1)} == {"COMPLETE", "FAIL"}


def test_one_config_can_be_evaluated_by_hand(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS)
    assert study.evaluate({"lr": 0.2}, until=3)["loss"] == statistics.fmean(alone(hippo.Config({"lr": 0.2}), 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": []}, "at least one seed"),
        ({"seeds": [1, 1]}, "none twice"),
        ({"seeds": [1, 2], "seed": 3}, "contradict each other"),
        ({"seeds": [1, 2], "aggregate": "mode"}, "aggregate must be one of"),
    ],
)
def test_seeds_that_cannot_be_used_are_refused(make_study: MakeStudy, options: dict, message: str) -> None:
    with pytest.raises(HippoError, match=message):
        make_study(**options)


# --- one study like any other


@pytest.mark.slow
def test_a_study_with_seeds_has_every_public_member_of_one(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS, keep="all")
    study.optimize(hippo.GridSearch(SPACE, until=6))
    assert type(study) is hippo.Study
    assert (study.generation, study.has_several_objectives) == (1, False)
    assert study.eval({"lr": 0.2}, 3) == study.evaluate({"lr": 0.2}, until=3)
    assert study.counted().steps_executed == study.statistics().steps_executed
    assert study.statistics().trials == {"COMPLETE": 6}
    assert {row.member for row in study.tree()} == {"seed 0", "seed 3", "seed 7"}
    frame = study.trials_dataframe()
    assert list(frame["value"]) == [trial.value for trial in study.trials]
    assert list(frame["seconds"]) == [trial.seconds for trial in study.trials]


def test_what_a_trial_says_are_averages_and_its_seconds_are_added_up(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=6))
    (trial,) = study.trials
    by_seed = [train_alone(ToyTrainer, trial.config, until=6, seed=seed) for seed in SEEDS]
    assert {step: metrics["loss"] for step, metrics in trial.history.items()} == {
        step: statistics.fmean(known[step]["loss"] for known in by_seed) for step in range(1, 7)
    }
    assert trial.metrics == trial.history[6]
    assert [replicate.metrics for replicate in trial.replicates] == [known[6] for known in by_seed]
    assert trial.last_train_metrics == {
        name: statistics.fmean(replicate.last_train_metrics[name] for replicate in trial.replicates)
        for name in trial.last_train_metrics
    }
    assert trial.seconds == sum(replicate.seconds for replicate in trial.replicates)
    assert trial.point == trial.replicates[0].point


def test_there_is_a_model_for_each_seed_and_none_for_the_average(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS, keep="all")
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=6))
    (trial,) = study.trials
    states = [trial.load_state(seed=seed) for seed in SEEDS]
    assert [trial.load_model(seed=seed).state_dict() for seed in SEEDS] == states
    assert [study.load_model(replicate).state_dict() for replicate in trial.replicates] == states
    assert len({repr(state) for state in states}) == 3
    for wrong, message in ((None, "name the seed"), (8, "none of seed 8")):
        with pytest.raises(HippoError, match=message):
            trial.load_model(seed=wrong)
    one = make_study("one")
    one.evaluate({"lr": 0.1}, until=1)
    with pytest.raises(HippoError, match="leave it out"):
        one.trials[0].load_model(seed=0)


def test_a_state_that_was_not_kept_is_made_again_under_its_seed(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS, keep="best")
    study.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.1}], until=6))
    kept = make_study("kept", seeds=SEEDS, keep="all")
    kept.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.1}], until=6))
    with pytest.warns(UserWarning, match="was not kept"):
        again = [study.trials[n].load_state(seed=7) for n in (0, 1)]
    assert again == [kept.trials[n].load_state(seed=7) for n in (0, 1)]


@pytest.fixture
def stored(tmp_path: Path, make_study: MakeStudy) -> str:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study("seeds", seeds=SEEDS, storage=url, checkpoints=str(tmp_path / "states"), keep="all")
    study.optimize(hippo.GridSearch(SPACE, until=6))
    return url


@pytest.mark.slow
def test_it_is_in_the_database_by_its_name_and_reads_the_same(stored: str) -> None:
    assert hippo.get_all_study_names(stored) == ["seeds"]
    study = hippo.load_study("seeds", stored)
    assert [trial.value for trial in study.trials] == [
        statistics.fmean(alone(trial.config, 6)) for trial in study.trials
    ]
    assert study.best_trial.load_state(seed=3) == hippo.load_study("seeds", stored).best_trial.load_state(seed=3)
    hippo.rename_study("seeds", "other", stored)
    assert hippo.load_study("other", stored).best_value == study.best_value
    hippo.delete_study("other", stored)
    assert hippo.get_all_study_names(stored) == []


def test_a_loaded_study_goes_on(stored: str) -> None:
    study = hippo.load_study("seeds", stored, engine=hippo.InlineEngine())
    assert study.evaluate({"lr": 0.4}, until=2)["loss"] == statistics.fmean(alone(hippo.Config({"lr": 0.4}), 2))
    study.close()


@pytest.mark.slow
def test_the_command_line_knows_it_by_its_name(stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    best = hippo.load_study("seeds", stored).best_trial
    for words, said in [
        (["studies"], "seeds"),
        (["trials", "seeds"], f"{best.value:.4g}"[:5]),
        (["best", "seeds"], f"{best.value:.4g}"[:5]),
        (["tree", "seeds"], "seed 7"),
        (["logs", "seeds", "best"], "COMPLETE"),
        (["export", "seeds", "best", str(tmp_path / "state"), "--format", "state", "--seed", "3"], ""),
    ]:
        assert exit_code([*words, "--storage", stored]) == 0, words
        assert said in capsys.readouterr().out


@pytest.mark.slow
def test_optunas_tools_know_it_by_its_name(stored: str) -> None:
    optuna = pytest.importorskip("optuna")
    from hippo.integrations.optuna import HippoStorage

    shown = optuna.load_study(study_name="seeds", storage=HippoStorage(stored))
    best = hippo.load_study("seeds", stored).best_trial
    assert (shown.best_value, shown.best_trial.number) == (best.value, best.number)
    assert shown.best_trial.intermediate_values == {step: metrics["loss"] for step, metrics in best.history.items()}


def test_seeds_are_a_set_and_other_ones_are_another_generation(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    def make(**options: Any) -> hippo.Study:
        return make_study(storage="memory://generations", engine=hippo.InlineEngine(), **options)

    first = make(seeds=[0, 3])
    first.evaluate({"lr": 0.1}, until=2)
    assert [make(seeds=[3, 0]).generation, make(seeds=[0, 3, 7]).generation, make().generation] == [1, 2, 3]
    assert "the seeds changed since generation 1" in capsys.readouterr().err
    (trial,) = hippo.load_study("toy", "memory://generations", generation=1).trials
    assert [replicate.member for replicate in trial.replicates] == ["seed 0", "seed 3"]


def test_an_aggregate_that_differs_from_the_recorded_one_is_refused(make_study: MakeStudy) -> None:
    make_study(storage="memory://aggregates", seeds=[0, 1], aggregate="median")
    with pytest.raises(HippoError, match="aggregate='median'"):
        make_study(storage="memory://aggregates", seeds=[0, 1])


def test_a_trial_is_the_same_one_under_each_seed_whatever_was_asked_first(make_study: MakeStudy) -> None:
    class OneByOne(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            for member, lrs in (("seed 3", (0.1, 0.2)), ("seed 0", (0.2, 0.1)), ("seed 7", (0.2, 0.1))):
                for lr in lrs:
                    await ask.at(member)({"lr": lr}, until=2)

    study = make_study(seeds=SEEDS)
    study.optimize(OneByOne())
    assert [trial.params["lr"] for trial in study.trials] == [0.1, 0.2]
    assert [trial.value for trial in study.trials] == [
        statistics.fmean(alone(trial.config, 2)) for trial in study.trials
    ]


def test_plans_are_taken_in_the_order_of_their_numbers_whatever_that_of_the_seeds_is(make_study: MakeStudy) -> None:
    taken: list[int] = []

    class Noting(MemoryStore):
        def lock(self, plan: int) -> PlanLock:
            taken.append(plan)
            return super().lock(plan)

    store = Noting()
    make_study("first", seeds=[5], storage=store)
    study = make_study(seeds=[0, 5], storage=store)
    assert list(plans_of(store, study._opened.row.study).values()) == [2, 1]
    taken.clear()
    study.evaluate({"lr": 0.1}, until=1)
    assert list(dict.fromkeys(taken)) == [1, 2]


def test_callbacks_hear_of_each_seed_by_its_name(make_study: MakeStudy, tmp_path: Path) -> None:
    heard: list[tuple[str, str, int, str]] = []

    class Hearing(hippo.Callback):
        def on_trial_end(self, event: Any) -> None:
            heard.append((event.study, event.member, event.trial, event.state.value))

    log = tmp_path / "log.csv"
    make_study(seeds=[0, 3], callbacks=[Hearing(), hippo.CSVLog(log)]).optimize(
        hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3)
    )
    assert sorted(heard) == [("toy", f"seed {s}", n, "COMPLETE") for s in (0, 3) for n in (0, 1)]
    losses = [row.split(",") for row in log.read_text().splitlines() if "evaluate,3,loss" in row]
    assert sorted((row[0], row[1]) for row in losses) == [(f"toy (seed {s})", str(n)) for s in (0, 3) for n in (0, 1)]


@pytest.mark.slow
def test_failed_trials_of_every_seed_are_tried_again(make_study: MakeStudy, tmp_path: Path) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states"), "seeds": SEEDS}
    failing = {"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.3}}
    study = make_study(**durable, version="1", trainer_args=failing)
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    assert "told to raise" in study.trials[1].traceback
    assert study.retry_failed() == [1]
    assert [trial.state for trial in hippo.load_study("toy", durable["storage"]).trials] == [
        TrialState.COMPLETE,
        TrialState.WAITING,
    ]


def test_an_unknown_study_is_told_with_the_names_there_are(stored: str) -> None:
    with pytest.raises(UnknownStudyError, match=r"it has \['seeds'\]"):
        hippo.load_study("seeds (seed 0)", stored)


@pytest.mark.slow
def test_seeds_are_trained_beside_each_other_by_worker_processes(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(
        seeds=SEEDS,
        storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path / "states"),
        engine=hippo.LocalEngine(workers=2),
    )
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=2, max_steps=8, reduction=2))
    done = [trial for trial in study.trials if trial.step == 8]
    assert [trial.value for trial in done] == [statistics.fmean(alone(trial.config, 8)) for trial in done]
    assert done


def test_seconds_of_each_seed_are_those_of_its_own_plan(make_study: MakeStudy, tmp_path: Path) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    other = make_study("other", seed=3, **durable)  # so that nodes of the two plans have other numbers
    other.optimize(hippo.GridSearch([{"lr": 0.9}, {"lr": 0.8}], until=2))
    study = make_study("both", seeds=[0, 3], **durable)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=6))
    ((trial,), counted) = study.trials, study.statistics()
    assert counted.trial_seconds == pytest.approx(sum(each.seconds for each in trial.replicates))
    assert all(each.seconds > 0 for each in trial.replicates)


def test_a_trial_that_a_limit_cut_off_under_one_seed_is_neither_complete_nor_the_best(make_study: MakeStudy) -> None:
    rising = FakeEngine(slots=1, metrics=lambda point: {"loss": float(point.step)})  # an early step is the better one
    study = make_study(seeds=[0, 1], engine=rising)
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0.05, 0.6)})
    study.optimize(hippo.Budget(hippo.ASHA(space, 1, 4, 2, num_trials=20), device_seconds=0.012))
    states = [{own.state for own in trial.replicates} for trial in study.trials]
    assert {TrialState.COMPLETE, TrialState.PRUNED} in states
    assert all(
        (trial.state is TrialState.COMPLETE) == (own == {TrialState.COMPLETE})
        for trial, own in zip(study.trials, states, strict=True)
    )
    assert study.best_trial.step == 2


class Sized(ToyTrainer):
    """Has the size 0.02 under seed 0 and 0.04 under seed 1, whose average is 0.03; a momentum makes it larger."""

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "size": 0.02 + 0.02 * self.seed + float(self.hp["momentum"])}


def test_a_bound_that_is_just_kept_on_average_is_kept_for_tuners_and_one_that_is_broken_is_not(
    make_study: MakeStudy,
) -> None:
    study = make_study(trainer=Sized, seeds=[0, 1], constraints=["size <= 0.03"])
    configs = [{"lr": lr, "momentum": momentum} for lr, momentum in ((1e-3, 0.0), (0.3, 0.01), (2e-3, 0.0))]
    study.optimize(hippo.SuccessiveHalving(configs, 1, 2, 3))
    assert [trial.is_feasible for trial in study.trials] == [True, False, True]
    assert [trial.number for trial in study.trials if trial.state is TrialState.COMPLETE] == [2]


class Opposed(hippo.Trainer):
    """Learns the faster the larger its rate is under seed 0, and under seed 1 three times as much the slower."""

    def build(self) -> None:
        self.steps = 0

    def train(self) -> dict[str, float]:
        self.steps += 1
        lr = float(self.hp["lr"])
        return {"loss": 100 - self.steps * (lr if self.seed == 0 else 1.2 - 3 * lr)}

    def evaluate(self) -> dict[str, float]:
        return {"loss": 100.0 - self.steps}

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.steps = state["steps"]


@pytest.mark.parametrize("seeds", [[0, 1], [1, 0]])
def test_a_run_is_tuned_by_the_training_of_all_seeds_whatever_their_order(
    make_study: MakeStudy, seeds: list[int]
) -> None:
    study = make_study(trainer=Opposed, seeds=seeds, evaluate_every=100)
    space = {"lr": hippo.choice(0.1, 0.5, 0.9)}
    study.optimize(hippo.MLTuner(space, 10, check_every=10, sampler="grid", probe=None, prefer=None))
    assert study.best_config == {"lr": 0.1}  # seed 0 alone would have it 0.9
