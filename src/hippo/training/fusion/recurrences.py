"""Recurrent networks of lanes, step by step: `vmap` has no rule for torch's own kernels of them.

Each is what the documentation of `torch.nn` says: LSTM (Hochreiter and Schmidhuber 1997; projections: Sak et al. 2014),
GRU (Cho et al. 2014, with the reset after the product, as cuDNN has it), and Elman's. What a layer makes of its inputs
is one product for all steps, as in those kernels. It refuses to know modules, and how dropout is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

#: hidden state; of an LSTM with what its cells hold
_State = tuple[Tensor, ...]


class _Weights(NamedTuple):
    """Those of one layer, in one direction."""

    of_input: Tensor
    of_hidden: Tensor
    input_bias: Tensor | None
    hidden_bias: Tensor | None
    projection: Tensor | None = None

    @classmethod
    def of(cls, params: Sequence[Tensor], *, has_biases: bool) -> _Weights:
        """Return those that lie in this order; a projection, if there is one, is the last."""
        of_input, of_hidden, *others = params
        biases = others[:2] if has_biases else (None, None)
        return cls(of_input, of_hidden, *biases, *others[2 * has_biases :])

    def given(self, inputs: Tensor) -> Tensor:
        """Return what a layer makes of its inputs, of any number of steps."""
        return functional.linear(inputs, self.of_input, self.input_bias)

    def remembered(self, hidden: Tensor) -> Tensor:
        """Return what it makes of a hidden state."""
        return functional.linear(hidden, self.of_hidden, self.hidden_bias)


#: what a layer makes of one step's inputs, the state before, weights -> the state after
_Cell = Callable[[Tensor, _State, _Weights], _State]


def _lstm(given: Tensor, state: _State, weights: _Weights) -> _State:
    hidden, cell = state
    enter, forget, new, leave = (given + weights.remembered(hidden)).chunk(4, -1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    hidden = leave.sigmoid() * cell.tanh()
    return (hidden if weights.projection is None else functional.linear(hidden, weights.projection)), cell


def _gru(given: Tensor, state: _State, weights: _Weights) -> _State:
    (hidden,) = state
    reset, update, new = given.chunk(3, -1)
    own_reset, own_update, own_new = weights.remembered(hidden).chunk(3, -1)
    new = (new + (reset + own_reset).sigmoid() * own_new).tanh()
    return ((hidden - new) * (update + own_update).sigmoid() + new,)


def _elman(activation: Callable[[Tensor], Tensor]) -> _Cell:
    def cell(given: Tensor, state: _State, weights: _Weights) -> _State:
        return (activation(given + weights.remembered(state[0])),)

    return cell


def _walked(cell: _Cell, inputs: Tensor, state: _State, weights: _Weights, *, backwards: bool) -> tuple[Tensor, _State]:
    """Return the hidden states of a layer after each step, steps x examples x features, and the last state."""
    steps = list(weights.given(inputs).unbind(0))
    hidden: list[Tensor] = []
    for given in reversed(steps) if backwards else steps:
        state = cell(given, state, weights)
        hidden.append(state[0])
    return torch.stack(hidden[::-1] if backwards else hidden), state


def _network(kind: str) -> Callable[..., tuple[Tensor, ...]]:
    """Return what computes layers over all steps; its arguments are those of torch's function of this name."""
    cell = _CELLS[kind]

    def network(
        inputs: Tensor,
        before: Sequence[Tensor] | Tensor,
        params: Sequence[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Tensor, ...]:
        parts = _parts(before)
        is_projected = kind == "lstm" and parts[0].shape[-1] != parts[1].shape[-1]
        ways, ends = 2 if bidirectional else 1, []
        size = 2 + 2 * has_biases + is_projected
        outputs = inputs.transpose(0, 1).contiguous() if batch_first else inputs
        for layer in range(num_layers):
            if layer and dropout and train:
                _require_cpu(outputs)
                outputs = functional.dropout(outputs, dropout, training=True)
            found = []
            for way in range(ways):
                number = layer * ways + way
                weights = _Weights.of(params[number * size : (number + 1) * size], has_biases=has_biases)
                state = tuple(part[number] for part in parts)
                hidden, end = _walked(cell, outputs, state, weights, backwards=way == 1)
                found.append(hidden)
                ends.append(end)
            outputs = torch.cat(found, -1) if bidirectional else found[0]
        last = (torch.stack(each) for each in zip(*ends, strict=True))
        return (outputs.transpose(0, 1) if batch_first else outputs, *last)

    return network


def _parts(state: Sequence[Tensor] | Tensor) -> _State:
    return (state,) if isinstance(state, Tensor) else tuple(state)


def _require_cpu(tensor: Tensor) -> None:
    if tensor.device.type != "cpu":
        raise NotImplementedError(
            "dropout between layers of a recurrent network is drawn by a kernel of the device's; put an nn.Dropout "
            "between networks of one layer"
        )


def _one_step(kind: str) -> Callable[..., _State | Tensor]:
    """Return what computes one step of one layer; its arguments are those of torch's function of this name."""
    cell = _CELLS[kind]

    def step(
        inputs: Tensor,
        before: Sequence[Tensor] | Tensor,
        of_input: Tensor,
        of_hidden: Tensor,
        input_bias: Tensor | None = None,
        hidden_bias: Tensor | None = None,
    ) -> _State | Tensor:
        weights = _Weights(of_input, of_hidden, input_bias, hidden_bias)
        state = cell(weights.given(inputs), _parts(before), weights)
        return state if kind == "lstm" else state[0]

    return step


_CELLS: Mapping[str, _Cell] = {
    "lstm": _lstm,
    "gru": _gru,
    "rnn_tanh": _elman(torch.tanh),
    "rnn_relu": _elman(torch.relu),
}
#: torch's function -> what computes the same by operations that `vmap` knows
RECURRENCES: Mapping[Any, Callable[..., Any]] = {
    **{getattr(torch, kind): _network(kind) for kind in _CELLS},
    **{getattr(torch, f"{kind}_cell"): _one_step(kind) for kind in _CELLS},
}


def is_packed(args: Sequence[Any]) -> bool:
    """Tell whether arguments are those of packed sequences, where the number of examples of each step comes second."""
    return len(args) > 1 and isinstance(args[1], Tensor) and not args[1].is_floating_point()
