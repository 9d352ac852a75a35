"""Recurrent networks of lanes come to what torch's own kernels make of each, with the very numbers that these draw."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.utils.rnn import PackedSequence, pack_sequence

from hippo.testing.recurrent_lanes import KINDS, NUM_LANES, assert_alike, results
from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.lane_tensors import LaneTensors

STEPS, EXAMPLES, INPUTS, WIDTH = 5, 4, 6, 7
OPTIONS: list[dict[str, Any]] = [
    {},
    {"bias": False, "batch_first": True},
    {"num_layers": 2, "bidirectional": True},
    {"num_layers": 2, "bias": False},
    {"num_layers": 3, "dropout": 0.4},
    {"num_layers": 2, "dropout": 0.4, "bidirectional": True, "batch_first": True},
]
PROJECTED: list[dict[str, Any]] = [{"proj_size": 3}, {"proj_size": 3, "num_layers": 2, "bidirectional": True}]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("kind", "options"),
    [*((kind, each) for kind in KINDS for each in OPTIONS), *(("lstm", each) for each in PROJECTED)],
    ids=str,
)
def test_layers_come_to_what_each_lane_comes_to_alone(kind: str, options: dict[str, Any], *, training: bool) -> None:
    nets = [KINDS[kind](INPUTS, WIDTH, **options).double().train(training) for _ in range(NUM_LANES)]
    inputs = torch.randn(STEPS, EXAMPLES, INPUTS, dtype=torch.float64)
    assert_alike(*results(nets, inputs.transpose(0, 1) if options.get("batch_first") else inputs))


@pytest.mark.parametrize("kind", KINDS)
def test_so_they_do_from_a_state_and_over_one_text(kind: str) -> None:
    nets = [KINDS[kind](INPUTS, WIDTH, num_layers=2).double() for _ in range(NUM_LANES)]
    state = torch.randn(2, WIDTH, dtype=torch.float64)
    inputs = torch.randn(STEPS, INPUTS, dtype=torch.float64)
    assert_alike(*results(nets, inputs, (state, 2 * state) if kind == "lstm" else state))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_so_do_cells(kind: str, *, bias: bool) -> None:
    cells: dict[str, Any] = {"lstm": nn.LSTMCell, "gru": nn.GRUCell, "tanh": nn.RNNCell, "relu": nn.RNNCell}
    more = {"nonlinearity": "relu"} if kind == "relu" else {}
    nets = [cells[kind](INPUTS, WIDTH, bias=bias, **more).double() for _ in range(NUM_LANES)]
    inputs, state = torch.randn(EXAMPLES, INPUTS).double(), torch.randn(EXAMPLES, WIDTH).double()
    assert_alike(*results(nets, inputs, (state, 2 * state) if kind == "lstm" else state))


def test_weights_of_lanes_are_not_laid_out_in_one_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CUDA device torch would do that as soon as it found that weights are others, and lanes' have no memory."""
    net = nn.GRU(INPUTS, WIDTH)
    tensors = LaneTensors(net, range(1), lambda _number: None)
    before = {name: vars(net)[name] for name in ("_flat_weights", "_flat_weight_refs")}

    def walked(own: dict[str, Tensor]) -> Tensor:
        with tensors.put(own):
            output: Tensor = net(torch.ones(STEPS, INPUTS))[0]
        return output

    with monkeypatch.context() as patched, DrawAsSolo():
        patched.setattr(nn.GRU, "flatten_parameters", lambda _net: pytest.fail("it lays them out"))
        found = vmap(walked)({name: 2 * tensor for name, tensor in tensors.trained().items()})
    assert all(vars(net)[name] is each for name, each in before.items())
    assert not torch.allclose(net(torch.ones(STEPS, INPUTS))[0], found[0])


def test_a_frozen_network_is_walked_once_by_torchs_own_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no lane has a part in is none of lanes."""
    monkeypatch.setattr("hippo.training.fusion.chance.RECURRENCES", {})
    frozen, inputs = nn.GRU(INPUTS, WIDTH), torch.randn(STEPS, EXAMPLES, INPUTS)
    with DrawAsSolo():
        found = vmap(lambda scale: scale * frozen(inputs)[0])(torch.ones(NUM_LANES))
    torch.testing.assert_close(found[1], frozen(inputs)[0])


def test_packed_sequences_are_left_to_torch() -> None:
    nets = [nn.LSTM(INPUTS, WIDTH) for _ in range(NUM_LANES)]
    params, _ = stack_module_state(nets)
    packed: PackedSequence = pack_sequence([torch.randn(5, INPUTS), torch.randn(2, INPUTS)])
    with DrawAsSolo(), pytest.raises(RuntimeError, match="Batching rule not implemented"):
        vmap(lambda own: functional_call(nets[0], own, (packed,))[1][0])(params)
