"""Averages of the weights of lanes along their training, as `hippo.training.declarative.averages` has them of one.

Shapes: F lanes; tensors are [F, ...], by their names in `named_parameters` and `named_buffers` (tied ones once). What
all lanes have in common is there once, and expanded: of a frozen network there is no copy for each. It refuses to know
losses and optimizers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hippo.training.declarative.named_tensors import named_tensors
from hippo.training.fusion.refusals import NotFusible


class AverageSnapshot(NamedTuple):
    """Where a `FusedAverage` was."""

    tensors: Mapping[str, Tensor]
    updates: Sequence[int]


class FusedAverage:
    """The averages of the weights of all lanes.

    Args:
      model: the template of each lane's, newly made.
      num_lanes: how many there are.
      ema_decay: as `ModelAverage` takes it; None: all updates count alike, and buffers are averaged, too.
    """

    def __init__(self, model: nn.Module, num_lanes: int, *, ema_decay: float | None) -> None:
        self._model = model
        self._ema_decay = ema_decay
        self._tensors = {
            name: each.detach().clone().expand(num_lanes, *each.shape) for name, each in named_tensors(model).items()
        }
        #: of each lane: they were in other formations before
        self._updates = [0] * num_lanes

    @torch.no_grad()
    def update(self, params: Mapping[str, Tensor], buffers: Mapping[str, Tensor]) -> None:
        """Take the weights of all lanes as they are into their averages.

        Args:
          params: name -> [F, ...].
          buffers: likewise.
        """
        averaged = dict(params) if self._ema_decay is not None else {**params, **buffers}
        # counters, such as those of batch norm, are the model's last ones, here as there
        moving = {name: each for name, each in averaged.items() if each.is_floating_point() and any(self._updates)}
        for name, each in {**params, **buffers}.items():
            if name not in moving:
                self._tensors[name] = _copied(each)
        if moving:
            self._move(moving)
        self._updates = [done + 1 for done in self._updates]

    def slices(self, lane: int) -> dict[str, Tensor] | None:
        """Return the average of a lane by name, as views; None before its first update."""
        return {name: each[lane] for name, each in self._tensors.items()} if self._updates[lane] else None

    def state_dict(self, lane: int) -> dict[str, Any]:
        """Return what `ModelAverage.state_dict` would for a lane alone; tensors are views."""
        names = {id(each): name for name, each in named_tensors(self._model).items()}
        state = self._model.state_dict(keep_vars=True)
        for key, own in state.items():
            if isinstance(own, Tensor):  # a module may have a state of another kind beside
                state[key] = self._tensors[names[id(own)]][lane]
        return {"model": state, "updates": self._updates[lane]}

    def load_state_dicts(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Take over what `state_dict` returned, or `ModelAverage`'s, for each lane.

        Raises:
          NotFusible: only some lanes have begun to average.
        """
        names = {id(each): name for name, each in named_tensors(self._model).items()}
        for key, own in self._model.state_dict(keep_vars=True).items():
            if isinstance(own, Tensor):
                self._tensors[names[id(own)]] = _stacked([state["model"][key] for state in states], own)
        self._updates = [int(state["updates"]) for state in states]
        if 0 < sum(map(bool, self._updates)) < len(states):
            raise NotFusible(
                f"the averages of these lanes have {self._updates} updates behind them: only some have begun"
            )

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes, which take the numbers 0, 1, ... in this order."""
        self._tensors = {name: _picked(each, lanes) for name, each in self._tensors.items()}
        self._updates = [self._updates[lane] for lane in lanes]

    def snapshot(self) -> AverageSnapshot:
        """Return all that `restore` needs to come back here."""
        return AverageSnapshot({name: _copied(each) for name, each in self._tensors.items()}, list(self._updates))

    def restore(self, snapshot: AverageSnapshot) -> None:
        """Come back to where `snapshot` was taken; that can be done again."""
        self._tensors = {name: _copied(each) for name, each in snapshot.tensors.items()}
        self._updates = list(snapshot.updates)

    # ----------------------------------------------------------------------------------------------------- the rest

    def _move(self, towards: Mapping[str, Tensor]) -> None:
        """PieceChange averages towards weights, each lane's by how many updates it has behind it."""
        shares = [self._share(done) for done in self._updates]
        averages, weights, columns = [], [], []
        for name, weight in towards.items():
            average = self._tensors[name]
            if _is_common(average) and _is_common(weight) and len(set(shares)) == 1:
                average, weight = average[:1], weight[:1]
            else:
                average = self._tensors[name] = average.contiguous()
            averages.append(average)
            weights.append(weight)
            # a column even where all lanes have one share: a number's way through the kernel has other last bits
            column = torch.tensor(shares[: len(average)], dtype=average.dtype, device=average.device)
            columns.append(column.view(-1, *[1] * (average.dim() - 1)))
        torch._foreach_lerp_(averages, weights, columns)

    def _share(self, updates: int) -> float:
        return 1.0 / (updates + 1) if self._ema_decay is None else 1.0 - self._ema_decay


def _is_common(tensor: Tensor) -> bool:
    """Whether lanes have one tensor in common."""
    return tensor.stride(0) == 0


def _copied(tensor: Tensor) -> Tensor:
    tensor = tensor.detach()
    return tensor[:1].clone().expand(tensor.shape) if _is_common(tensor) else tensor.clone()


def _picked(tensor: Tensor, lanes: Sequence[int]) -> Tensor:
    if _is_common(tensor):
        return tensor[:1].expand(len(lanes), *tensor.shape[1:])
    return tensor.index_select(0, torch.tensor(lanes, dtype=torch.int64, device=tensor.device))


def _stacked(rows: Sequence[Tensor], like: Tensor) -> Tensor:
    first = rows[0].to(like.device, copy=True)
    if all(each is rows[0] or torch.equal(each, rows[0]) for each in rows):
        return first.expand(len(rows), *first.shape)
    return torch.stack([each.to(like.device) for each in rows])
