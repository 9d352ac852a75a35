"""Recurrent modules of torch by their shapes alone: torch's own code takes sizes for numbers, and symbols get lost.

One step is taken for all: weights meet each other, the input and the state as they do in torch, and what comes out has
the same shape and no meaning.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def run_by_shapes(model: nn.Module) -> None:
    """Let a model's recurrent modules compute shapes alone."""
    for module in model.modules():
        if isinstance(module, nn.RNNBase):
            module.forward = partial(_layers, module)
        elif isinstance(module, nn.RNNCellBase):
            module.forward = partial(_cell, module)


def _layers(module: nn.RNNBase, given: Any, hx: Any = None) -> Any:
    if module.proj_size or not isinstance(given, Tensor):
        raise NotImplementedError("projections and packed sequences of recurrent modules are not known")
    directions, states = 2 if module.bidirectional else 1, []
    for layer in range(module.num_layers):
        ends = []
        for suffix in ("", "_reverse")[:directions]:
            names = [f"{name}_l{layer}{suffix}" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            state = given.new_zeros((*given.shape[:-1], module.hidden_size))
            ends.append(_step(_gates(module), given, state, *(getattr(module, name, None) for name in names)))
        given = torch.cat(ends, dim=-1)
        states += [end.select(1 if module.batch_first and end.dim() == 3 else 0, 0) for end in ends]
    end = torch.stack(states)
    return given, (end, end) if isinstance(module, nn.LSTM) else end


def _cell(module: nn.RNNCellBase, given: Tensor, hx: Any = None) -> Any:
    state = hx[0] if isinstance(hx, tuple) else hx
    if state is None:
        state = given.new_zeros((*given.shape[:-1], module.hidden_size))
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    end = _step(_gates(module), given, state, *(getattr(module, name) for name in names))
    return (end, end) if isinstance(module, nn.LSTMCell) else end


def _gates(module: nn.Module) -> int:
    """Return how many numbers of a step there are for each of its state."""
    return 4 if isinstance(module, nn.LSTM | nn.LSTMCell) else 3 if isinstance(module, nn.GRU | nn.GRUCell) else 1


def _step(num_gates: int, given: Tensor, state: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    gates, width = F.linear(given, w_ih, b_ih) + F.linear(state, w_hh, b_hh), state.shape[-1]
    if gates.shape[-1] != num_gates * width:  # is noted; a view in so many parts would say it a hundred times as slowly
        raise ValueError(f"{gates.shape[-1]} numbers are no {num_gates} for each of {width}")
    return gates.narrow(-1, 0, width) + state
