"""Recurrent networks of lanes on a CUDA device come to what its own kernels make of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from hippo.testing.formations import ConfigFormation, SoloConfig, configs, weights
from hippo.testing.recurrent_lanes import KINDS, NUM_LANES, RecurrentTrainer, assert_alike, results

pytestmark = pytest.mark.slow

STEPS, EXAMPLES, INPUTS, WIDTH = 5, 4, 6, 7
OPTIONS: list[dict[str, Any]] = [
    {},
    {"bias": False, "batch_first": True},
    {"num_layers": 2, "bidirectional": True},
]


@pytest.fixture
def on_device() -> Iterator[None]:
    with torch.device("cuda"):
        yield


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_layers_come_to_what_each_lane_comes_to_alone(kind: str, options: dict[str, Any]) -> None:
    nets = [KINDS[kind](INPUTS, WIDTH, **options).double() for _ in range(NUM_LANES)]
    inputs = torch.randn(STEPS, EXAMPLES, INPUTS, dtype=torch.float64)
    assert_alike(*results(nets, inputs.transpose(0, 1) if options.get("batch_first") else inputs))


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("kind", KINDS)
def test_so_do_cells(kind: str) -> None:
    cells: dict[str, Any] = {"lstm": nn.LSTMCell, "gru": nn.GRUCell, "tanh": nn.RNNCell, "relu": nn.RNNCell}
    more = {"nonlinearity": "relu"} if kind == "relu" else {}
    nets = [cells[kind](INPUTS, WIDTH, **more).double() for _ in range(NUM_LANES)]
    inputs, state = torch.randn(EXAMPLES, INPUTS).double(), torch.randn(EXAMPLES, WIDTH).double()
    assert_alike(*results(nets, inputs, (state, 2 * state) if kind == "lstm" else state))


@pytest.mark.usefixtures("on_device")
def test_what_a_kernel_of_the_device_drops_between_layers_is_refused_in_words() -> None:
    nets: list[nn.Module] = [nn.GRU(INPUTS, WIDTH, num_layers=2, dropout=0.5) for _ in range(NUM_LANES)]
    with pytest.raises(NotImplementedError, match=r"nn\.Dropout"):
        results(nets, torch.randn(STEPS, EXAMPLES, INPUTS))


@pytest.mark.parametrize("net", ["lstm", "gru"])
def test_sixty_updates_as_one_come_to_what_each_lane_comes_to_alone(net: str) -> None:
    trainer, lanes = RecurrentTrainer(net, "adamw", double=True), configs(3)
    trainer.device = "cuda"
    together = ConfigFormation(trainer, lanes)
    metrics = together.train(steps=10)
    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config)
        # cuDNN's own functions end in other bits: 3e-9 was seen of an LSTM
        assert alone.train(steps=10) == pytest.approx(metrics[lane], rel=3e-8)
        expected = weights(alone.state())
        assert float((weights(together.states()[lane]) - expected).norm() / expected.norm()) <= 3e-8  # float64
