"""numerics="fast": for models that have no deterministic operations. Drift is told once, and stops nothing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import hippo
from hippo.errors import ExactnessError
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
FORKED = [{"lr": hippo.MultiStep(0.1, [at], 0.5)} for at in (2, 4)]


class Drifting(ToyTrainer):
    """Rounds otherwise each time, as atomic additions do."""

    def train(self) -> dict[str, float]:
        metrics = super().train()
        self.weights[0] += int.from_bytes(os.urandom(4), "big") * 1e-16
        return metrics


class Flags(ToyTrainer):
    """Tells which operations are allowed."""

    def evaluate(self) -> dict[str, Any]:
        exact = (torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic)
        return {"loss": 0.0, "exact": sum(exact), "benchmark": torch.backends.cudnn.benchmark}


@pytest.fixture
def make_study() -> Iterator[MakeStudy]:
    studies: list[hippo.Study] = []
    engine = hippo.InlineEngine()

    def make(name: str, trainer: Any, **options: Any) -> hippo.Study:
        options = {"storage": "memory://numerics", "engine": engine, "metric": "loss", "mode": "min", **options}
        studies.append(hippo.create_study(name, trainer=trainer, **options))
        return studies[-1]

    yield make
    for study in studies:
        study.close()


def test_drift_is_told_once_and_stops_nothing(make_study: MakeStudy) -> None:
    study = make_study("fast", Drifting, numerics="fast")
    with pytest.warns(UserWarning, match="differ, as numerics='fast' allows") as told:
        study.optimize(hippo.GridSearch(FORKED, until=9))
    assert len([each for each in told if "numerics" in str(each.message)]) == 1
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.evaluate(FORKED[0], until=12)


def test_the_same_trainer_is_refused_where_bits_are_promised(make_study: MakeStudy) -> None:
    with pytest.raises(ExactnessError):
        make_study("exact", Drifting).optimize(hippo.GridSearch(FORKED, until=9))


def test_fast_and_exact_numbers_never_share_a_plan(make_study: MakeStudy) -> None:
    for name, numerics in (("exact", "exact"), ("fast", "fast")):
        study = make_study(name, ToyTrainer, numerics=numerics)
        study.evaluate({"lr": 0.1}, until=3)
        assert study.statistics().steps_executed == 3


@pytest.mark.parametrize(("numerics", "exact"), [("exact", 2), ("fast", 0)])
def test_flags_are_those_of_the_workload_and_given_back(make_study: MakeStudy, numerics: str, exact: int) -> None:
    before = torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic
    metrics = make_study(numerics, Flags, numerics=numerics).evaluate({"lr": 0.1}, until=2)
    assert (metrics["exact"], metrics["benchmark"]) == (exact, 0)
    assert (torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic) == before


def test_other_numerics_are_refused(make_study: MakeStudy) -> None:
    with pytest.raises(
        ValueError, match=r"numerics must be one of \['exact', 'fast', 'fused', 'fused-fast', 'async', 'elastic'\], not"
    ):
        make_study("quick", ToyTrainer, numerics="quick")
