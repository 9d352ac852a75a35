"""The optimizers of all lanes of a formation as one, which takes a step of stacked parameters.

Options are each lane's own, and so is the state: a lane's slice of it is what torch's optimizer would have come to
alone, and is saved as such. Shapes: F lanes; parameters, gradients and state are [F, ...], by their names in
`named_parameters` (tied ones once). It refuses to know losses, batches and how gradients are computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from hippo.training.declarative.optimizer_values import APPLIED, ONLY
from hippo.training.declarative.optimizer_warnings import tell_if_state_is_lost
from hippo.training.fusion.clipping import clip_lanes
from hippo.training.fusion.fused_averages import FusedAverage
from hippo.training.fusion.made_optimizers import MadeOptimizer, make_optimizers, require_alike
from hippo.training.fusion.parameter_parts import Entry, GroupOptions, ParameterPart, make_parts
from hippo.training.fusion.update_rules import RULES
from hippo.training.values import HparamValues

__all__ = ["FusedAverage", "FusedOptimizer", "clip_lanes"]

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class OptimizerSnapshot(NamedTuple):
    """Where a `FusedOptimizer` was."""

    made: Sequence[MadeOptimizer]
    parts: Sequence[ParameterPart]


class FusedOptimizer:
    """What `make_optimizer` made for each lane, as one: SGD, Adam or AdamW over stacked parameters.

    Args:
      trainer: whose `make_optimizer` is asked; it lends its model as the template of each lane's.
      values: of the hyper-parameters of each lane.

    Raises:
      NotFusible: what is made cannot be trained as one.
      LanesDifferIn: names of values by which some lanes have an optimizer of another kind than others.
    """

    def __init__(self, trainer: TorchTrainer, values: Sequence[HparamValues]) -> None:
        self._trainer = trainer
        made = make_optimizers(trainer, values)
        require_alike(made)
        self._parts: list[ParameterPart] = []
        self._begin(made)

    @property
    def names(self) -> frozenset[str]:
        """The names of the parameters that are trained: those that `make_optimizer` put into a group."""
        return frozenset(name for part in self._parts for name in part.names)

    @property
    def reads(self) -> frozenset[str]:
        """The names of hyper-parameters that `make_optimizer` read."""
        return frozenset().union(*(each.values for each in self._made))

    def apply(self, values: Sequence[HparamValues]) -> None:
        """Bring the options of each lane to the values that are in force now.

        A lane in which another name changed than those that are applied begins anew. If this raises, nothing has
        changed.

        Raises:
          NotFusible: what is made now cannot be trained as one.
          LanesDifferIn: as when it began.
        """
        changed = {lane: names for lane, each in enumerate(self._made) if (names := each.changes(values[lane]))}
        if not changed:
            return
        made, anew = list(self._made), []
        for lane, new in zip(changed, make_optimizers(self._trainer, [values[lane] for lane in changed]), strict=True):
            if changed[lane] <= APPLIED:
                new = made[lane].with_options(new)
            else:
                anew.append(lane)
            made[lane] = new
        require_alike(made)
        for lane in anew:
            before, after = {ONLY: self._made[lane].optimizer}, {ONLY: made[lane].optimizer}
            tell_if_state_is_lost(before, after, type(self._trainer).__name__, sorted(changed[lane] - APPLIED))
        if made[0].structure != self._made[0].structure:
            self._begin(made)  # then all lanes do
            return
        self._take(made)
        for part in self._parts:
            part.begin_anew(anew)

    @torch.no_grad()
    def step(self, params: Mapping[str, Tensor], grads: Mapping[str, Tensor | None]) -> None:
        """Update the parameters of all lanes in place.

        Args:
          params: name -> [F, ...].
          grads: name -> [F, ...]; a parameter that has none stays as it is, without decay, as torch does it.
        """
        for part in tuple(self._parts):
            found = [grads.get(name) for name in part.names]
            given = [each for each in found if each is not None]
            if not given:
                continue
            if len(given) < len(found):
                part = self._split(part, [index for index, each in enumerate(found) if each is not None])
            part.update(self._groups[part.group], [params[name] for name in part.names], given)

    def state_dict(self, lane: int) -> dict[str, Any]:
        """Return the entry of a trainer's state, as the lane alone would have it; its tensors are views."""
        made, state = self._made[lane], {}
        for part in self._parts:
            for index, name in enumerate(part.names):
                entry = self._rule.entry(made.options[part.group], part.updates[lane], part.kept(index, lane))
                if entry:
                    state[made.numbers[name]] = entry
        return {"optimizer": {**made.optimizer.state_dict(), "state": state}}

    def load_state_dicts(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Take over what `state_dict` returned, or a lane alone, for each lane.

        Raises:
          ValueError: torch's, where a state is of another kind of optimizer.
        """
        entries = [made.loaded(state["optimizer"]) for made, state in zip(self._made, states, strict=True)]
        self._take(self._made)
        self._parts = self._make_parts(entries)

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes, which take the numbers 0, 1, ... in this order."""
        self._take([self._made[lane] for lane in lanes])
        self._parts = [part.of_lanes(lanes) for part in self._parts]

    def snapshot(self) -> OptimizerSnapshot:
        """Return all that `restore` needs to come back here."""
        lanes = range(len(self._made))
        return OptimizerSnapshot(list(self._made), [part.of_lanes(lanes) for part in self._parts])

    def restore(self, snapshot: OptimizerSnapshot) -> None:
        """Come back to where `snapshot` was taken; that can be done again."""
        self._take(list(snapshot.made))
        self._parts = [part.of_lanes(range(len(snapshot.made))) for part in snapshot.parts]

    # ----------------------------------------------------------------------------------------------------- the rest

    def _take(self, made: list[MadeOptimizer]) -> None:
        """Put the options that were made in force."""
        self._made = made
        self._rule = RULES[type(made[0].optimizer)]
        self._groups = [
            GroupOptions(self._rule, [each.options[group] for each in made]) for group in range(len(made[0].groups))
        ]
        for part in self._parts:
            part.numbers = None

    def _begin(self, made: list[MadeOptimizer]) -> None:
        self._take(made)
        self._parts = self._make_parts([{}] * len(made))

    def _make_parts(self, entries: Sequence[Mapping[str, Entry]]) -> list[ParameterPart]:
        parameters = dict(self._trainer.model.named_parameters())
        return make_parts(self._rule, self._made[0].groups, parameters, entries)

    def _split(self, part: ParameterPart, given: Sequence[int]) -> ParameterPart:
        """Part these parameters from the others, which have no gradient now, and return theirs."""
        others = [index for index in range(len(part.names)) if index not in set(given)]
        parts = part.picked(given), part.picked(others)
        at = next(index for index, each in enumerate(self._parts) if each is part)
        self._parts[at : at + 1] = parts
        return parts[0]
