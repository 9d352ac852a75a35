"""Evaluates all lanes as one program, which runs what they have in common once for every batch.

Worth it over a frozen trunk alone: elsewhere lane by lane is as fast, and comes to the bits of a lane alone. It refuses
to know steps and values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.func import vmap

from hippo.errors import MetricError
from hippo.records import Fusion
from hippo.training.feeding.data import to_device
from hippo.training.feeding.weighted_means import WeightedMeans
from hippo.training.fusion.fused_loss import as_lanes, lane_functions, model_out_of_reach
from hippo.training.fusion.lane_tensors import LaneTensors
from hippo.training.fusion.stand_in import StandIn, note_returned

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class FusedMetrics:
    """Evaluates lanes.

    Args:
      trainer: whose `metrics` are computed, on its validation set.
      tensors: of the lanes.
      fusion: how they are computed.
    """

    def __init__(self, trainer: TorchTrainer, tensors: LaneTensors, fusion: Fusion) -> None:
        self._trainer, self._tensors, self._fusion = trainer, tensors, fusion
        #: what the model returns, batch by batch, each [L, ...]; None: nobody asks for it
        self.returned: list[Tensor] | None = None

    def metrics(self) -> list[dict[str, float]]:
        """Return each lane's metrics, as `TorchTrainer.evaluate` does one lane's."""
        trainer = self._trainer
        trainer._validation.give(trainer.hp)
        trainer.model.eval()
        means = [WeightedMeans() for _ in range(self._tensors.num_lanes)]
        with (
            torch.no_grad(),
            as_lanes(trainer, self._fusion),
            lane_functions(self._fusion),
            trainer._descent.autocast(),
        ):
            for batch, size in zip(trainer._validation.batches(), trainer._validation.sizes, strict=True):
                found = self._of_batch(to_device(batch, trainer._device))
                for lane, of_lane in enumerate(means):
                    of_lane.add({name: values[lane] for name, values in found.items()}, samples=size)
        return [of_lane.result() for of_lane in means]

    def _of_batch(self, batch: Any) -> dict[str, list[float]]:
        names = list(self._tensors.stacked)

        def of_lane(tensors: list[Tensor]) -> tuple[dict[str, Tensor], list[Tensor]]:
            model = StandIn(self._trainer.model, self._tensors, dict(zip(names, tensors, strict=True)))
            returned = [] if self.returned is None else note_returned(model)
            with model_out_of_reach(self._trainer, model):
                metrics = self._trainer.metrics(model, batch)  # type: ignore[arg-type]
            return {name: _number(name, value) for name, value in metrics.items()}, returned

        found, returned = vmap(of_lane, randomness="same")(list(self._tensors.stacked.values()))
        if self.returned is not None:
            self.returned += returned
        return {name: values.tolist() for name, values in found.items()}


def _number(name: str, value: Any) -> Tensor:
    number = torch.as_tensor(value)
    if number.dim() != 0 or number.is_complex():
        raise MetricError(f"{name!r} of a batch has shape {tuple(number.shape)}; return its mean.")
    return number.to(torch.float64)


def are_alike(one: Mapping[str, float], other: Mapping[str, float], most: float) -> bool:
    """Whether metrics have the same names, and values that are relatively this close."""
    return one.keys() == other.keys() and all(
        value == other[name] or math.isclose(value, other[name], rel_tol=most) for name, value in one.items()
    )
