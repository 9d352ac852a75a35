import math
import random
import warnings

import numpy as np
import optuna
import pytest
from optuna.samplers import CmaEsSampler, GPSampler, NSGAIISampler, QMCSampler, RandomSampler, TPESampler
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from hippo.integrations.optuna import ReseededSampler

SAMPLERS = {
    "cmaes": lambda: CmaEsSampler(n_startup_trials=0),
    "nsga2": lambda: NSGAIISampler(population_size=4),
    "qmc": lambda: QMCSampler(scramble=True, warn_asynchronous_seeding=False),
    "random": RandomSampler,
    "tpe": lambda: TPESampler(n_startup_trials=0),
    "tpe groups": lambda: TPESampler(n_startup_trials=0, multivariate=True, group=True),
}


def reseeded(name, seed=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return ReseededSampler(SAMPLERS[name](), seed=seed)


def objective(trial):
    x = trial.suggest_float("x", 1e-4, 1, log=True)
    return (math.log10(x) + 2) ** 2 + (trial.suggest_int("n", 1, 9) - 4) ** 2 + trial.suggest_categorical("k", [0, 1])


# ------------------------------------------------------------------------------------------------ Optuna's own tests


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cmaes", "nsga2", "qmc", "tpe"])  # the random one is within each of them
class TestWhatOptunaAsksOfEverySampler(BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self, name):
        return lambda: reseeded(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tpe", "qmc"])
class TestWhatOptunaAsksOfThoseThatSampleRelatively(RelativeSamplerTestCase):
    @pytest.fixture
    def sampler(self, name):
        return lambda: reseeded(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nsga2", "random", "tpe"])
class TestWhatOptunaAsksOfThoseForSeveralObjectives(MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self, name):
        return lambda: reseeded(name)


@pytest.mark.parametrize("name", ["cmaes"])
class TestWhatOptunaAsksOfThoseForOneObjective(SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self, name):
        return lambda: reseeded(name)


# ------------------------------------------------------------------------------------------------------------ ours


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_study_goes_on_with_a_new_sampler_as_it_would_have_with_the_old_one(name):
    whole = optuna.create_study(sampler=reseeded(name))
    whole.optimize(objective, n_trials=14)
    resumed = optuna.create_study(sampler=reseeded(name))
    resumed.optimize(objective, n_trials=6)
    resumed.sampler = reseeded(name)
    resumed.optimize(objective, n_trials=8)
    assert [trial.params for trial in resumed.trials] == [trial.params for trial in whole.trials]


@pytest.mark.parametrize("name", ["random", "tpe", "nsga2"])
def test_another_seed_proposes_something_else(name):
    params = []
    for seed in (0, 1):
        study = optuna.create_study(sampler=reseeded(name, seed))
        study.optimize(objective, n_trials=3)
        params.append([trial.params for trial in study.trials])
    assert params[0] != params[1]


def test_parameters_of_one_trial_are_drawn_independently():
    study = optuna.create_study(sampler=reseeded("random"))
    draws = []
    for _ in range(200):
        trial = study.ask()
        draws.append([trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)])
    # the correlation of 200 independent pairs has a standard deviation of 0.07
    assert abs(np.corrcoef(np.array(draws).T)[0, 1]) < 0.25


def test_the_sampler_that_was_given_is_left_as_it_was():
    given, untouched = RandomSampler(seed=1), RandomSampler(seed=1)
    optuna.create_study(sampler=ReseededSampler(given)).optimize(objective, n_trials=2)
    assert given._rng.rng.uniform() == untouched._rng.rng.uniform()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng, random.Random])
def test_generators_of_a_users_own_sampler_are_seeded_whatever_they_are(make):
    class Own(RandomSampler):
        def __init__(self):
            super().__init__()
            self.mine = make()

        def sample_independent(self, study, trial, param_name, param_distribution):
            return self.mine.uniform(0, 1)

    draws = [optuna.create_study(sampler=ReseededSampler(Own())).ask().suggest_float("x", 0, 1) for _ in range(2)]
    assert draws[0] == draws[1]


@pytest.mark.slow
def test_a_gaussian_process_is_reseeded_too():
    studies = [optuna.create_study(sampler=ReseededSampler(GPSampler(n_startup_trials=3))) for _ in range(2)]
    for study in studies:
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=5)
    assert studies[0].best_params == studies[1].best_params
