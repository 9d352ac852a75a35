"""Every tuner keeps the contract of tuners. A new one joins by a class of its own here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import hippo
from hippo.errors import TunerError, UnknownMetricError
from hippo.records import TrialState
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.tuner_contract import SAFE_LR, MakeStudy, TunerContract
from hippo.tuners import (
    ASHA,
    BOHB,
    PASHA,
    PB2,
    PBT,
    BeamSearch,
    Budget,
    Deadline,
    GridSearch,
    Hyperband,
    MedianStopping,
    MLTuner,
    Sampled,
    SamplerSearch,
    SharingAware,
    StoppingASHA,
    SuccessiveHalving,
    Surrogate,
    metric,
)

GRID = hippo.GridSearchSpace(
    {"lr": [hippo.MultiStep(lr, [at], 0.1) for lr in (0.1, 0.5, 0.2) for at in (2, 3)], "momentum": [0.0, 0.5]}
)
DRAWS = hippo.RandomSearchSpace({"lr": hippo.quniform(0.05, 0.6, 0.05), "momentum": hippo.choice(0.0, 0.5)})


class TestGridSearch(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return GridSearch(GRID, until=3)


class TestGridSearchWithExtension(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return GridSearch(GRID, until=3, extra_steps=3)


class TestRandomSearch(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return hippo.RandomSearch(DRAWS, num_trials=8, until=3, seed=1)


class TestSuccessiveHalving(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return SuccessiveHalving(GRID, 1, 4, 2, extra_steps=2)


class TestSuccessiveHalvingOfDraws(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return SuccessiveHalving(DRAWS, 1, 4, 2, num_trials=12, ties="distinct", seed=1)


class TestEarlyStopTuner(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        schedule = hippo.Schedule.from_milestones((1, 12), (3, 6), (4, 2))
        return hippo.EarlyStopTuner(schedule, GRID, metric.ExtractSingleNumber("loss"), mode="min")


class TestHyperband(TunerContract):
    def make_tuner(self) -> Any:
        return Hyperband(DRAWS, max_steps=9, seed=1)


class TestHyperbandWithInfiniteHorizon(TunerContract):
    def make_tuner(self) -> Any:
        return Hyperband(DRAWS, max_steps=4, reduction=2, horizon="infinite", seed=1)


class TestASHA(TunerContract):
    def make_tuner(self) -> Any:
        return ASHA(GRID, 1, 4, 2)


class TestDelayedASHA(TunerContract):
    def make_tuner(self) -> Any:
        return ASHA(DRAWS, 1, 4, 2, num_trials=10, delay=True, ties="distinct", extra_steps=2, seed=2)


class TestASHAThatSpeculates(TunerContract):
    def make_tuner(self) -> Any:
        return ASHA(GRID, 1, 4, 2, extra_steps=2, speculate=True)


class TestStoppingASHA(TunerContract):
    def make_tuner(self) -> Any:
        return StoppingASHA(GRID, 1, 4, 2)


class TestPASHA(TunerContract):
    def make_tuner(self) -> Any:
        return PASHA(GRID, 1, 8, 2)


class TestMedianStopping(TunerContract):
    def make_tuner(self) -> Any:
        return MedianStopping(GRID, 1, 4, min_trials=2)


class TestPBT(TunerContract):
    def make_tuner(self) -> Any:
        return PBT(DRAWS, population=4, interval=2, max_steps=6, seed=1)


class TestSynchronousPBT(TunerContract):
    def make_tuner(self) -> Any:
        return PBT(DRAWS, population=4, interval=2, max_steps=6, synchronous=True, seed=1)


class TestPB2(TunerContract):
    def make_tuner(self) -> Any:
        space = hippo.RandomSearchSpace({"lr": hippo.uniform(0.05, 0.6)})
        return PB2(space, population=4, interval=2, max_steps=6, seed=1)


class TestBeamSearch(TunerContract):
    def make_tuner(self) -> Any:
        return BeamSearch([{"lr": 0.1}, {"lr": 0.5}], milestones=[2, 4], beam=2, choices={"lr": [0.05, 0.2]})


class TestMLTuner(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        # what rolls in a bowl of chance never converges by much more than its noise, unless windows are few
        return MLTuner(
            DRAWS, 16, check_every=4, sampler="random", progress="slope", windows=2, max_trials=6, patience=2, seed=2
        )

    def test_it_ends_where_all_trials_are_equal_and_slots_are_many(self, make_study: MakeStudy) -> None:
        """The fake engine's `train` says nothing, by which no branch can be compared."""
        with pytest.raises(UnknownMetricError, match=r"but nothing; let it return {'slope'"):
            make_study(engine=FakeEngine(slots=4)).optimize(self.make_tuner())

    @pytest.mark.parametrize("nan", ["fail", "worst"])
    def test_nan_is_never_the_best_and_is_told(self, make_study: MakeStudy, nan: str) -> None:
        """A branch is not evaluated, and one that diverged is given up, as is any other that is too slow."""
        study = make_study(trouble="nan", nan=nan)
        study.optimize(self.make_tuner())
        assert float(study.best_config.values_at(0)["lr"]) <= SAFE_LR
        risky = [trial for trial in study.trials if float(trial.config.values_at(0)["lr"]) > SAFE_LR]
        assert risky
        assert all(trial.state is TrialState.PRUNED for trial in risky)

    def test_several_objectives_and_constraints_do_not_end_it(self, make_study: MakeStudy) -> None:
        """A plateau is one of one objective; constraints say nothing about it."""
        study = make_study(metric=["loss", "luck"], mode=["min", "max"])
        with pytest.raises(TunerError, match=r"one objective, and the study has 2: \['loss', 'luck'\]"):
            study.optimize(self.make_tuner())


@pytest.mark.filterwarnings("ignore:lanes of .* are walked one by one")
class TestMLTunerWithFusedBranches(TestMLTuner):
    """Its branches are trials of other members, and the study's own are those of the live path and the probe."""

    def make_tuner(self) -> Any:
        return replace(super().make_tuner(), branches="fused", together=2)

    @pytest.mark.parametrize("nan", ["fail", "worst"])
    def test_nan_is_never_the_best_and_is_told(self, make_study: MakeStudy, nan: str) -> None:
        study = make_study(trouble="nan", nan=nan)
        study.optimize(self.make_tuner())
        assert float(study.best_config.values_at(0)["lr"]) <= SAFE_LR
        branches = study.branch_trials
        assert any(float(trial.config.values_at(0)["lr"]) > SAFE_LR for trial in branches)
        assert all(trial.state is TrialState.PRUNED for trial in branches)


class TestBOHB(TunerContract):
    def make_tuner(self) -> Any:
        return BOHB(DRAWS, max_steps=9, seed=1)


class TestSamplerSearch(TunerContract):
    def make_tuner(self) -> Any:
        return SamplerSearch("tpe", DRAWS, until=3, num_trials=8, seed=1)


class TestASHAOverASampler(TunerContract):
    def make_tuner(self) -> Any:
        return ASHA(Sampled("tpe", DRAWS), 1, 4, 2, num_trials=10, seed=1)


class TestHyperbandOverASampler(TunerContract):
    def make_tuner(self) -> Any:
        return Hyperband(Sampled("tpe", DRAWS), max_steps=4, reduction=2, seed=1)


class TestSharingAwareHalving(TunerContract):
    def make_tuner(self) -> Any:
        return SuccessiveHalving(SharingAware(Sampled("tpe", DRAWS)), 1, 4, 2, num_trials=8, seed=1)


class TestBudget(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return Budget(GridSearch(GRID, until=3), device_seconds=1e6)


class TestDeadline(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return Deadline(SuccessiveHalving(GRID, 1, 4, 2), seconds=1e6)


class TestSurrogateOfAGrid(TunerContract):
    def make_tuner(self) -> Any:
        return Surrogate(GridSearch(GRID, until=4), scale=8)


class TestSurrogateOfASHA(TunerContract):
    def make_tuner(self) -> Any:
        return Surrogate(ASHA(GRID, 1, 4, 2), scale=2, top=2, eager_transfer=0.25)


class TestSurrogateThatWaits(TunerContract):
    asks_in_a_fixed_order = True

    def make_tuner(self) -> Any:
        return Surrogate(SuccessiveHalving(DRAWS, 1, 4, 2, num_trials=6, seed=1), scale=8, eager_transfer=None)


class TestSurrogateWithFixedValues(TunerContract):
    def make_tuner(self) -> Any:
        return Surrogate(GridSearch(GRID, until=3), scale=8, fixed_on_target={"momentum": [0.0, 0.9]})
