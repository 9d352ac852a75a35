"""A recorded study that is replayed by what was asked of its trials: the same trials, in the same states."""

import contextlib
import sqlite3

import pytest

import hippo
from hippo.simulation import Replay, SimulatedWorkload, simulate
from hippo.testing.trainers import ToyTrainer

CONFIGS = [{"lr": lr} for lr in (0.1, 0.2, 0.3, 0.4)]


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'hippo.db'}"


def trained(url, tmp_path, *tuners, trainer=ToyTrainer, **options):
    study = hippo.create_study(
        "study", trainer=trainer, storage=url, checkpoints=str(tmp_path / "checkpoints"), engine=hippo.InlineEngine(),
        mode="min", **{"metric": "loss", **options},
    )  # fmt: skip
    for tuner in tuners:
        study.optimize(tuner)
    study.close()
    return study


def retraced(url, **options):
    replay = Replay("study", url)
    return simulate(replay.tuner(), replay.workload(), slots=1, curve=replay, **replay.options, **options)


def states(study):
    return [(trial.config, trial.step, trial.state, trial.value) for trial in study.trials]


def test_equal_configs_of_two_calls_are_trials_of_their_own(url, tmp_path):
    tuners = [hippo.GridSearch(CONFIGS, until=steps) for steps in (3, 5)]
    study = trained(url, tmp_path, *tuners)
    alone = retraced(url, sharing=False)
    assert alone.trials == 8
    assert alone.steps_executed == alone.steps_asked == study.statistics().steps_asked == 4 * 3 + 4 * 5


@pytest.mark.parametrize("speculate", [False, True])
def test_what_the_best_trial_was_trained_beyond_the_others_makes_none_of_them_pruned(url, tmp_path, speculate):
    tuner = hippo.ASHA(CONFIGS, 1, 4, 2, extra_steps=3, speculate=speculate)
    study = trained(url, tmp_path, tuner)
    again = retraced(url).study
    assert sorted(states(again), key=repr) == sorted(states(study), key=repr)
    assert again.best_config == study.best_config
    assert {"COMPLETE", "PRUNED"} <= {trial.state.value for trial in study.trials}


def test_pruned_trials_stay_so_where_all_that_went_on_failed(url, tmp_path):
    trouble = {"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.4}}
    tuner = hippo.ASHA(CONFIGS, 1, 2, 4)  # of which the last one is promoted
    study = trained(url, tmp_path, tuner, trainer_args=trouble)
    assert {trial.state.value for trial in study.trials} == {"FAIL", "PRUNED"}
    assert {trial.state.value for trial in retraced(url).study.trials} == {"PRUNED"}


def test_branches_are_trained_again_and_not_evaluated(url, tmp_path):
    def train(state, hp):
        while True:
            loss = state["place"] ** 2
            state["place"] *= 1 - hp["lr"]
            yield loss

    loop = hippo.LoopTrainer(lambda: {"place": 1.0}, train, lambda state: {"distance": abs(state["place"])})
    tuner = hippo.MLTuner({"lr": hippo.uniform(0.0, 0.9)}, 15, check_every=5, sampler="grid", windows=5)
    study = trained(url, tmp_path, tuner, trainer=loop, metric="distance", evaluate_every=100)
    again = retraced(url)
    assert sorted(states(again.study), key=repr) == sorted(states(study), key=repr)
    assert again.evaluations == 2  # of the live path, after 10 and 15 steps


def test_a_step_that_was_checked_before_it_was_heard_of_has_its_seconds(url, tmp_path):
    study = trained(url, tmp_path, hippo.GridSearch(CONFIGS[:1], until=4))
    with contextlib.closing(sqlite3.connect(tmp_path / "hippo.db")) as database, database:
        checked = "(select node, step from hippo_step where cause = 'check')"
        update = f"update hippo_step set attempt = {{}} where (node, step) in {checked} and attempt = {{}}"
        for new, old in ((2, 0), (0, 1), (1, 2)):
            assert database.execute(update.format(new, old)).rowcount
        database.execute("update hippo_step set seconds = 1000 where cause = 'check'")
    again = retraced(url)
    assert again.study.best_value == study.best_value
    assert again.makespan_s < 1000


def test_it_is_told_that_trials_of_surrogates_are_left_out(tmp_path):
    tuner = hippo.Surrogate(hippo.GridSearch(CONFIGS, until=2), 8, eager_transfer=None)
    storage = f"sqlite:///{tmp_path / 'simulated.db'}"
    simulate(tuner, SimulatedWorkload(seconds_per_step=1.0, scale_costs={8: 0.1}), slots=1, storage=storage)
    said = Replay("simulation", storage).describe_guesses()
    assert said.startswith("4 trials of study 'simulation' are of surrogates, or branches")
