"""Floats that `make_model` put into modules from hyper-parameters, of several lanes: each lane's own, in one model.

While a model runs for lanes, such a float is a tensor of no dimension that holds a lane's; where a lane is evaluated or
saved, the float itself. It refuses to know losses and optimizers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from hippo.training.fusion.float_places import Place, holder_of
from hippo.training.fusion.lane_tensors import TensorPlace
from hippo.training.fusion.lane_values import LaneValues

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class ModuleFloats:
    """Floats in modules, of each lane.

    Args:
      places: where they are.
      rows: of each lane, what is there.
      made_for: of each lane, the values that `make_model` read when its model was made, by name.
    """

    def __init__(
        self, places: Sequence[Place], rows: Sequence[Sequence[float]], made_for: Sequence[Mapping[str, Any]]
    ) -> None:
        self._places = list(places)
        self._rows = [list(row) for row in rows]
        self._made_for = list(made_for)

    def stacked(self, model: nn.Module) -> list[tuple[Tensor, list[TensorPlace]]]:
        """Return what to put where for all lanes: a tensor with a number for each lane, and its places in a model.

        Its type is the widest of the model's parameters: a float's last digits count as far as theirs.
        """
        dtypes = {each.dtype for each in model.parameters() if each.is_floating_point()}
        dtype = max(dtypes, key=lambda each: torch.finfo(each).bits, default=torch.get_default_dtype())
        device = next((each.device for each in model.parameters()), torch.device("cpu"))
        columns: dict[tuple[float, ...], list[TensorPlace]] = {}
        for place, *column in zip(self._places, *self._rows, strict=True):
            columns.setdefault(tuple(column), []).append(holder_of(model, place))
        return [(torch.tensor(each, dtype=dtype, device=device), places) for each, places in columns.items()]

    def lend(self, model: nn.Module, lane: int) -> None:
        """Give a model a lane's."""
        for place, value in zip(self._places, self._rows[lane], strict=True):
            holder, key = holder_of(model, place)
            holder[key] = value

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, in this order; one may be there twice."""
        self._rows = [self._rows[lane] for lane in lanes]
        self._made_for = [self._made_for[lane] for lane in lanes]

    def check_values(self, trainer: TorchTrainer, values: LaneValues) -> None:
        """Refuse values for which a lane's model was not made, as the lane alone would.

        Raises:
          HparamError: one has changed.
        """
        before = trainer.hp, trainer._model_values
        try:
            for of_lane, made_for in zip(values.each, self._made_for, strict=True):
                trainer.hp, trainer._model_values = of_lane, dict(made_for)
                trainer._check_model_values()
        finally:
            trainer.hp, trainer._model_values = before
