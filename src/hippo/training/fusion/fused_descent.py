"""From losses of lanes to steps of their optimizers, as `hippo.training.declarative.descent` goes with one lane.

It keeps the gradients that wait for more batches, and refuses to know batches and hyper-parameters.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from hippo.training.declarative.descent import BatchWeights
from hippo.training.declarative.optimizer_values import ONLY
from hippo.training.fusion.clipping import clip_lanes
from hippo.training.fusion.fused_optimizers import FusedOptimizer
from hippo.training.fusion.lane_tensors import LaneTensors
from hippo.training.fusion.refusals import NotFusible


class FusedDescent:
    """Steps of the optimizers of lanes.

    Args:
      accumulate: how many batches make one step.
    """

    def __init__(self, *, accumulate: int) -> None:
        self._accumulate = accumulate
        #: batches whose gradients wait, and the sum of their weights
        self._waiting: tuple[int, float] = (0, 0.0)
        self._gradients: dict[str, Tensor | None] = {}
        self._batch_weights = BatchWeights()

    @property
    def is_waiting(self) -> bool:
        """Whether gradients wait for more batches."""
        return self._waiting[0] > 0

    def weight_of(self, samples: int, batch_size: int) -> float:
        """Return how much a batch counts among those that make one step: by its samples."""
        return self._batch_weights.weight_of(samples, batch_size, is_waiting=self.is_waiting)

    def factor(self, weight: float) -> float:
        """Return how much losses of a batch of this weight count among those that make one step."""
        return weight if self._accumulate > 1 else 1.0

    @torch.no_grad()
    def take(
        self,
        optimizer: FusedOptimizer,
        tensors: LaneTensors,
        gradients: Mapping[str, Tensor | None],
        *,
        weight: float,
        clip_norm: float | None,
    ) -> None:
        """Take a step, or let gradients wait until there are enough."""
        batches, weights = self._waiting[0] + 1, self._waiting[1] + weight
        trained = tensors.trained()
        waiting = {name: each for name, each in self._gradients.items() if name in trained}  # others are frozen by now
        gradients = _sums(waiting, gradients)
        if batches < self._accumulate:
            self._waiting, self._gradients = (batches, weights), gradients
            return
        self._waiting, self._gradients = (0, 0.0), {}
        if self._accumulate > 1 and weights != 1.0:
            torch._foreach_div_([each for each in gradients.values() if each is not None], weights)
        if clip_norm is not None:
            clip_lanes(gradients, clip_norm)
        optimizer.step(trained, gradients)

    def state_dict(self, lane: int, model: nn.Module) -> dict[str, Any]:
        """Return the entries of a lane's state that say what waits, as `Descent` has them.

        Args:
          model: whose parameters lie in memory as their gradients shall.
        """
        if not self.is_waiting:
            return {}
        values = {
            name: torch.empty_like(parameter, requires_grad=False).copy_(waits[lane])
            for name, parameter in model.named_parameters()
            if (waits := self._gradients.get(name)) is not None
        }
        return {
            "gradients": {"waiting": {ONLY: list(self._waiting)}, "values": values, **self._batch_weights.state_dict()}
        }

    def load_state_dicts(
        self, states: Sequence[Mapping[str, Any]], names: Collection[str], *, batch_sizes: Sequence[int]
    ) -> None:
        """Take over what `state_dict` returned, of each lane.

        Args:
          names: of the parameters that optimizers have: states once had gradients of others, too.
          batch_sizes: of the step before, in each lane.
        """
        found = [state.get("gradients") for state in states]
        if all(each is None for each in found):
            return
        waiting = [None if each is None else each["waiting"] for each in found]
        if any(each != waiting[0] for each in waiting):
            raise NotFusible(f"gradients of so many batches wait in these lanes: {waiting}")
        units = [((each or {}).get("unit"), size) for each, size in zip(found, batch_sizes, strict=True)]
        if any(each != units[0] for each in units):
            raise NotFusible(f"gradients of batches of several sizes wait in these lanes: {units}")
        self._batch_weights.load_state_dict(found[0] or {}, batch_sizes[0])
        batches, weights = waiting[0][ONLY]  # type: ignore[index]
        self._waiting = (batches, weights)
        rows = [each["values"] for each in found if each is not None]
        self._gradients = {name: torch.stack([row[name] for row in rows]) for name in rows[0] if name in names}

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, in this order."""
        self._gradients = {n: None if g is None else g[list(lanes)] for n, g in self._gradients.items()}

    def snapshot(self) -> Any:
        """Return where this is."""
        gradients = {n: None if g is None else g.clone() for n, g in self._gradients.items()}
        return self._waiting, copy.copy(self._batch_weights), gradients

    def restore(self, snapshot: Any) -> None:
        """Go back to where `snapshot` was called."""
        self._waiting, self._batch_weights, self._gradients = snapshot


def _sums(one: Mapping[str, Tensor | None], other: Mapping[str, Tensor | None]) -> dict[str, Tensor | None]:
    if not one:
        return dict(other)
    return {name: _sum(one.get(name), other.get(name)) for name in {**one, **other}}


def _sum(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
