"""A whole trial, trained by hippo in any process, equals the trial trained alone: with chance in every method."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hippo
from hippo.hparams import Exponential, MultiStep, Piecewise
from hippo.records import Boundary, Lane
from hippo.testing.remembering_host import along, resumed, run_lanes, spec_of, stages, start_at
from hippo.testing.solo import train_alone
from hippo.testing.torch_trainers import DrawingTrainer, draw
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainers
from hippo.training.process.streams import seed_everything

pytestmark = pytest.mark.usefixtures("one_thread")

STEPS = 4
CONFIGS = [
    {"lr": 0.01, "optimizer": Piecewise(["sgd", "adamw"], [2])},
    {"lr": MultiStep(0.01, [2], 0.5), "optimizer": Piecewise(["sgd", "adam"], [3])},
    {"lr": Exponential(0.01, 0.9), "batch_size": Piecewise([12, 16], [1])},
]


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],
)
@given(
    config=st.sampled_from(CONFIGS),
    cut=st.integers(1, STEPS - 1),
    seed=st.integers(0, 99),
    apply_hparams=st.sampled_from(["step", "batch"]),
)
def test_a_trial_cut_anywhere_equals_the_trial_alone_on_a_fresh_and_on_a_dirty_worker(
    config: Any, cut: int, seed: int, apply_hparams: str
) -> None:
    arguments = {"samples_per_step": 36, "apply_hparams": apply_hparams}
    alone = train_alone(DrawingTrainer, config, until=STEPS, trainer_args=arguments, seed=seed)
    spec, dirty = spec_of(DrawingTrainer, seed=seed, **arguments), Trainers()
    along({"lr": 0.5}, 2, spec=replace(spec_of(DrawingTrainer, seed=seed + 1), workload="other"), trainers=dirty)
    along({"lr": 0.5}, 1, spec=spec, trainers=dirty)
    for trainers in (Trainers(), dirty):
        draw()
        first = along(config, cut, spec=spec, trainers=trainers)
        rest = resumed(config, cut, STEPS, first, spec=spec, trainers=trainers)
        assert first.metrics | rest.metrics == alone


@pytest.mark.slow
def test_every_trial_of_a_study_equals_the_trial_alone() -> None:
    engine = hippo.InlineEngine()
    for name in ("first", "second"):  # the second has plans of its own, and finds a worker that is anything but fresh
        study = hippo.create_study(
            name, trainer=DrawingTrainer, storage="memory://solo", engine=engine, metric="loss", mode="min",
            evaluate_every=1, sharing=name == "first",
        )  # fmt: skip
        study.optimize(hippo.GridSearch(CONFIGS, until=STEPS))
        for trial in study.trials:
            assert dict(trial.history) == train_alone(DrawingTrainer, trial.config, until=STEPS)
    study.close()


# ------------------------------------------------------------------------------------ each call by its method and step


class Told(ToyTrainer):
    """Notes a draw from every generator in each of its methods."""

    drawn: tuple[tuple[str, float], ...] = ()

    def note(self, method: str) -> None:
        type(self).drawn = (*type(self).drawn, (method, draw()))

    def __init__(self) -> None:
        super().__init__()
        self.note("init")

    def build(self) -> None:
        self.note("build")
        super().build()

    def setup(self, hp: Mapping[str, Any]) -> None:
        self.note("setup")
        super().setup(hp)

    def train(self) -> dict[str, float]:
        self.note("train")
        return super().train()

    def evaluate(self) -> dict[str, Any]:
        self.note("evaluate")
        return super().evaluate()

    def state_dict(self) -> dict[str, Any]:
        self.note("state_dict")
        return super().state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.note("load_state_dict")
        super().load_state_dict(state)


def drawn_at(method: str, step: int) -> tuple[str, float]:
    seed_everything(0, method, step)
    return method, draw()


def expected(*calls: tuple[str, int]) -> list[tuple[str, float]]:
    return [drawn_at(*call) for call in calls]


def test_each_method_draws_by_its_name_and_step_whatever_was_drawn_before() -> None:
    Told.drawn = ()
    config = {"lr": MultiStep(0.1, [1], 0.5)}
    along(config, 2, spec=spec_of(Told))
    told = Told.drawn
    draw()
    begun = [("init", 0), ("build", 0)]
    first = [("setup", 0), ("train", 0), ("evaluate", 1), ("state_dict", 1)]
    assert list(told) == expected(*begun, *first, ("setup", 1), ("train", 1), ("evaluate", 2), ("state_dict", 2))


def test_a_resumed_lane_draws_by_the_steps_at_which_it_stands() -> None:
    config = {"lr": 0.1}
    first = along(config, 3, spec=spec_of(Told))
    Told.drawn = ()
    resumed(config, 3, 4, first, spec=spec_of(Told))
    begun = [("init", 0), ("build", 0), ("load_state_dict", 3)]
    assert list(Told.drawn) == expected(*begun, ("setup", 3), ("train", 3), ("evaluate", 4), ("state_dict", 4))


def test_an_evaluation_of_a_loaded_state_is_set_up_as_if_it_had_trained_the_step_before() -> None:
    config = {"lr": 0.1}
    first = along(config, 3, spec=spec_of(Told))
    Told.drawn = ()
    (stage,) = stages(config, 2, 3)
    only = replace(stage, start=3, boundary=Boundary(keep=stage.boundary.keep.NOTHING))
    begin = start_at(config, 3, first.checkpoint(3))
    host = run_lanes(Lane(begin=begin, stages=(only,)), spec=spec_of(Told), host=first, lease=2)
    assert host.metrics[3]
    assert list(Told.drawn)[3:] == expected(("setup", 2), ("evaluate", 3))


def test_generators_are_all_three_of_them() -> None:
    seed_everything(0, "train", 0)
    before = (random.getstate()[1][:3], np.random.get_state()[1][:3].tolist(), torch.get_rng_state()[:24].tolist())
    draw()
    after = (random.getstate()[1][:3], np.random.get_state()[1][:3].tolist(), torch.get_rng_state()[:24].tolist())
    assert before != after
