"""Optuna's pictures are of the study that was given, or say why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo import visualization
from hippo.errors import OptionError
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer

pytest.importorskip("plotly")
pytest.importorskip("optuna")
SPACE = hippo.GridSearchSpace({"lr": [0.01, 0.1, 0.3], "momentum": [0.0, 0.5, 0.9]})
OF_ONE_OBJECTIVE = (
    "plot_contour", "plot_edf", "plot_intermediate_values", "plot_optimization_history", "plot_parallel_coordinate",
    "plot_param_importances", "plot_rank", "plot_slice",
)  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    made = hippo.create_study("toy", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                              checkpoints="memory://", engine=hippo.InlineEngine(), mode="min")  # fmt: skip
    made.optimize(hippo.GridSearch(SPACE, until=3))
    yield made
    made.close()


def test_the_history_has_the_value_of_each_trial(study: Study) -> None:
    figure = visualization.plot_optimization_history(study)
    values, best = figure.data[0], figure.data[1]
    assert list(values.y) == [trial.value for trial in study.trials]
    assert best.y[-1] == study.best_value


@pytest.mark.slow
@pytest.mark.parametrize("plot", OF_ONE_OBJECTIVE)
def test_each_of_one_objective_is_drawn(study: Study, plot: str) -> None:
    assert getattr(visualization, plot)(study, dark=True).data


def test_the_front_of_several_objectives_is_drawn(tmp_path: Path) -> None:
    made = hippo.create_study("two", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db",
                              metric=["loss", "luck"], mode=["min", "min"], checkpoints="memory://",
                              engine=hippo.InlineEngine())  # fmt: skip
    made.optimize(hippo.GridSearch(SPACE, until=2))
    figure = visualization.plot_pareto_front(made)
    made.close()
    assert sum(len(trace.x) for trace in figure.data) == 9


@pytest.mark.parametrize(("plot", "count"), [("plot_slice", 2), ("plot_optimization_history", 0)])
def test_what_cannot_be_drawn_together_is_refused(study: Study, plot: str, count: int) -> None:
    with pytest.raises(OptionError, match=r"draws one study, not 2|a list of them"):
        getattr(visualization, plot)([study] * count)


def test_a_study_that_nobody_else_finds_says_what_to_do() -> None:
    made = hippo.create_study("hidden", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                              engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    made.optimize(hippo.GridSearch(SPACE, until=1))
    with pytest.raises(OptionError, match="storage='memory://NAME'"):
        visualization.plot_slice(made)
    made.close()


def test_an_older_generation_is_not_taken_for_the_latest(study: Study) -> None:
    class Changed(ToyTrainer):
        def train(self) -> Any:
            return {"slope": 1.0}

    newer = hippo.create_study("toy", trainer=Changed, storage=study.storage, metric="loss", mode="min",
                               checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
    newer.optimize(hippo.GridSearch(SPACE, until=1))
    assert newer.generation == 2
    with pytest.raises(OptionError, match="latest generation, 2, and study 'toy' is given in generation 1"):
        visualization.plot_slice(study)
    newer.close()
