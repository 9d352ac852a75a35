"""Law 5.3 for torch: stopping anywhere and going on elsewhere never changes a bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hippo.events import ExactnessChecked, StageFailed
from hippo.hparams import Cosine, Exponential, MultiStep, Piecewise
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training import Trainers

pytestmark = pytest.mark.usefixtures("one_thread")

STEPS = 5
#: sizes after which no batch of 1 is left over, which batch norm refuses to train on: steps of 36 in epochs of 48
BATCH_SIZES = (6, 8, 10, 12, 16, 20)

trainers = st.fixed_dictionaries(
    {
        "optimizer": st.sampled_from(["sgd", "adam", "adamw"]),
        "widths": st.lists(st.integers(2, 6), min_size=1, max_size=2),
        "batch_norm": st.booleans(),
        "dropout": st.sampled_from([0.0, 0.3]),
        "augment": st.booleans(),
        "samples_per_step": st.sampled_from([None, 36]),
        "apply_hparams": st.sampled_from(["step", "batch"]),
    }
)
learning_rates = st.sampled_from([0.1, MultiStep(0.1, [1, 3], 0.5), Exponential(0.1, 0.9), Cosine(0.1, 4)])
momenta = st.sampled_from([0.9, Piecewise([0.0, 0.9], [2])])
batch_sizes = st.builds(
    lambda sizes, at: Piecewise(list(sizes), [at]),
    st.tuples(st.sampled_from(BATCH_SIZES), st.sampled_from(BATCH_SIZES).map(float)),
    st.integers(1, STEPS - 1),
)
configs = st.fixed_dictionaries({"lr": learning_rates, "momentum": momenta, "batch_size": batch_sizes})


def facts(*hosts: RememberingHost) -> tuple[Any, ...]:
    """What the walk of a path comes to, in one stretch or in several."""
    for host in hosts:
        assert not host.of(StageFailed), host.one(StageFailed).failure.traceback
    metrics = {step: each for host in hosts for step, each in host.metrics.items()}
    training = {step: each for host in hosts for step, each in host.training.items()}
    return metrics, training, hosts[-1].hashes[STEPS]


def in_two(config: Any, cut: int, spec: Any, **elsewhere: Any) -> tuple[Any, ...]:
    first = along(config, cut, spec=spec)
    return facts(first, resumed(config, cut, STEPS, first, spec=spec, **elsewhere))


@pytest.mark.slow
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],
)
@given(config=configs, arguments=trainers, cut=st.integers(1, STEPS - 1), seed=st.integers(0, 99))
def test_a_cut_anywhere_changes_no_bit(config: Any, arguments: Any, cut: int, seed: int) -> None:
    spec = spec_of(BlobsTrainer, seed=seed, **arguments)
    whole = facts(run_lanes(Lane(begin=None, stages=stages(config, 0, STEPS), check=True), spec=spec))
    assert in_two(config, cut, spec) == whole

    dirty = Trainers()
    other = replace(spec_of(BlobsTrainer, seed=seed + 1), workload="other")
    along({"lr": 0.5}, 2, spec=other, trainers=dirty)
    along({"lr": 0.5}, 1, spec=spec, trainers=dirty)
    torch.randn(seed)
    assert in_two(config, cut, spec, trainers=dirty) == whole


CONFIG = {"lr": MultiStep(0.1, [3], 0.1), "batch_size": Piecewise([8, 10], [2])}


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw"])
def test_loader_workers_change_no_bit(optimizer: str) -> None:
    def spec(num_workers: int) -> Any:
        return spec_of(BlobsTrainer, optimizer=optimizer, samples_per_step=36, num_workers=num_workers)

    alone = facts(along(CONFIG, STEPS, spec=spec(0)))
    assert facts(along(CONFIG, STEPS, spec=spec(2))) == alone
    first = along(CONFIG, 3, spec=spec(2))
    assert facts(first, resumed(CONFIG, 3, STEPS, first, spec=spec(0))) == alone


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw"])
def test_the_two_step_check_proves_it(optimizer: str) -> None:
    host = run_lanes(
        Lane(begin=None, stages=stages(CONFIG, 0, 2), check=True), spec=spec_of(BlobsTrainer, optimizer=optimizer)
    )
    assert host.one(ExactnessChecked).proven


@pytest.mark.slow
def test_the_two_step_check_names_what_is_missing() -> None:
    class Forgetful(BlobsTrainer):
        def state_dict(self) -> dict[str, Any]:
            state = super().state_dict()
            state["optimizer"]["state"] = {}
            return state

    host = run_lanes(Lane(begin=None, stages=stages(CONFIG, 0, 2), check=True), spec=spec_of(Forgetful))
    assert "state['model']['0.weight']" in host.one(ExactnessChecked).detail
    assert host.hashes[2] == run_lanes(Lane(begin=None, stages=stages(CONFIG, 0, 2)), spec=spec_of(Forgetful)).hashes[2]


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_change_of_optimizer_begins_it_anew_with_and_without_a_resume(cut: int) -> None:
    config = {"lr": 0.01, "optimizer": Piecewise(["sgd", "adamw"], [2])}
    spec = spec_of(BlobsTrainer)
    assert in_two(config, cut, spec) == facts(along(config, STEPS, spec=spec))


@pytest.mark.slow
def test_averages_of_the_users_own_ride_along() -> None:
    class Averaged(BlobsTrainer):
        def build(self) -> None:
            super().build()
            self.ema = torch.optim.swa_utils.AveragedModel(self.model)

        def update(self, loss: torch.Tensor) -> None:
            super().update(loss)
            self.ema.update_parameters(self.model)

        def state_dict(self) -> dict[str, Any]:
            return super().state_dict() | {"ema": self.ema.state_dict()}

        def load_state_dict(self, state: dict[str, Any]) -> None:
            super().load_state_dict(state)
            self.ema.load_state_dict(state["ema"])

    spec = spec_of(Averaged)
    assert in_two(CONFIG, 2, spec) == facts(along(CONFIG, STEPS, spec=spec))
