"""The training states of lanes that are walked as one: all that an update changes, and a state in the solo format.

A lane's state is read through the template, an ordinary trainer, which is lent what the lane has: what comes out is
what the trainer would have returned alone. This module refuses to know which values are in force.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from torch.optim import Optimizer

from hippo.training.codec import EncodedState, decode
from hippo.training.declarative.optimizer_values import LiveOptimizer
from hippo.training.declarative.torch_state import load_frozen_parameters, scheduler_states
from hippo.training.declarative.trainer_data import batch_size_of
from hippo.training.fusion.fused_averages import FusedAverage
from hippo.training.fusion.fused_descent import FusedDescent
from hippo.training.fusion.fused_optimizers import FusedOptimizer
from hippo.training.fusion.gradient_hooks import require_no_hooks
from hippo.training.fusion.lane_tensors import LaneTensors, TensorsSnapshot, require_shapes
from hippo.training.fusion.module_floats import ModuleFloats
from hippo.training.fusion.refusals import NotFusible
from hippo.training.values import HparamValues, whole_number

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: entries of a state that lanes at one step have in common
_COMMON = ("samples", "position", "stream", "frozen")


class FusedState:
    """The states of several lanes.

    Args:
      trainer: the template, just built.
      values: of each lane, as it is built.
      states: that lanes begin from; None: all are as they are built.
      floats: in the template's modules, which are each lane's own.
    """

    def __init__(
        self,
        trainer: TorchTrainer,
        values: Sequence[HparamValues],
        states: Sequence[EncodedState] | None,
        floats: ModuleFloats,
    ) -> None:
        self._trainer = trainer
        self.floats = floats
        if scheduler_states(trainer):
            raise NotFusible(
                "the trainer keeps a learning-rate scheduler, whose state is each lane's own; give the learning rate "
                "as a sequence of the config instead"
            )
        require_no_hooks(trainer.model)
        require_shapes(trainer.model)
        self.descent = FusedDescent(accumulate=whole_number(trainer.accumulate))
        self.average = (
            None if trainer._average is None else FusedAverage(trainer.model, len(values), ema_decay=trainer.ema_decay)
        )
        #: whose tensors the template has
        self._lent: int | None = None
        begin = _Beginnings(trainer, states, len(values))
        self.tensors = LaneTensors(trainer.model, begin.lanes, begin.load, floats.stacked(trainer.model))
        self.optimizer = FusedOptimizer(trainer, values)
        if begin.rest:
            of_lanes = [begin.rest[number] for number in begin.lanes]
            self.optimizer.load_state_dicts(of_lanes)
            sizes = [batch_size_of(trainer, each.raw) for each in values]  # of the step before
            self.descent.load_state_dicts(of_lanes, self.optimizer.names, batch_sizes=sizes)
            if self.average is not None:
                self.average.load_state_dicts([state["average"] for state in of_lanes])

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, in this order; one may be there twice."""
        self.tensors.keep(lanes)
        self.floats.keep(lanes)
        self.optimizer.keep(lanes)
        self.descent.keep(lanes)
        if self.average is not None:
            self.average.keep(lanes)
        self._lent = None

    def move_on(self) -> None:
        """Take note that a step changes what lanes have."""
        self._lent = None

    def average_weights(self) -> None:
        """Take the lanes' weights as they are into their averages."""
        if self.average is not None:
            self.average.update(self.tensors.all(buffers=False), self.tensors.all(buffers=True))

    def snapshot(self) -> _StateSnapshot:
        """Return a copy of all that a step changes."""
        return _StateSnapshot(
            tensors=self.tensors.snapshot(),
            optimizer=self.optimizer.snapshot(),
            descent=self.descent.snapshot(),
            average=None if self.average is None else self.average.snapshot(),
            feed=self._trainer._training.state_dict(),
        )

    def restore(self, snapshot: _StateSnapshot) -> None:
        """Go back to where `snapshot` was taken; that can be done once."""
        self._lent = None
        self.tensors.restore(snapshot.tensors)
        self.optimizer.restore(snapshot.optimizer)
        self.descent.restore(snapshot.descent)
        if self.average is not None:
            self.average.restore(snapshot.average)
        self._trainer._training.load_state_dict(snapshot.feed)
        self._trainer._training.restart()

    def lend(self, lane: int) -> None:
        """Give the template what a lane has."""
        if self._lent == lane:
            return
        trainer = self._trainer
        self.tensors.lend(lane)
        self.floats.lend(trainer.model, lane)
        if self.average is not None and trainer._average is not None:
            trainer._average.load_state_dict(self.average.state_dict(lane))
            if trainer.evaluated_model is not trainer.model:  # a copy of it, whose modules have floats of their own
                self.floats.lend(trainer.evaluated_model, lane)
        self._lent = lane

    def state_dict(self, lane: int) -> dict[str, Any]:
        """Return the state of a lane, as its trainer would return it if it were walked alone."""
        self.lend(lane)
        with self.with_optimizer_of(lane):
            return self._trainer.state_dict() | self.descent.state_dict(lane, self._trainer.model)

    @contextmanager
    def with_optimizer_of(self, lane: int) -> Iterator[None]:
        """Let the template's optimizer be a lane's in the block, for what only looks at it."""
        live = self._trainer._live
        self._trainer._live = _OptimizerOfLane(self.optimizer, lane, live)  # type: ignore[assignment]
        try:
            yield
        finally:
            self._trainer._live = live


class _StateSnapshot(NamedTuple):
    """Where a `FusedState` was."""

    tensors: TensorsSnapshot
    optimizer: Any
    descent: Any
    average: Any
    feed: dict[str, Any]


class _OptimizerOfLane(NamedTuple):
    """What a trainer asks for the state of its optimizer."""

    optimizer: FusedOptimizer
    lane: int
    of_template: LiveOptimizer

    @property
    def only(self) -> Optimizer:
        """One that says what this lane's would; metrics may tell of its options, or of its state."""
        own = copy.copy(self.of_template.only)
        own.load_state_dict(self.state_dict()["optimizer"])
        return own

    @property
    def by_name(self) -> dict[str, Optimizer]:
        """None: it is not the template's own descent whose gradients wait."""
        return {}

    def state_dict(self) -> dict[str, Any]:
        return self.optimizer.state_dict(self.lane)


class _Beginnings:
    """The states that lanes begin from, each once: siblings begin from one."""

    def __init__(self, trainer: TorchTrainer, states: Sequence[EncodedState] | None, num_lanes: int) -> None:
        self._trainer = trainer
        self._distinct = list({id(state): state for state in states or ()}.values())
        numbers = {id(state): number for number, state in enumerate(self._distinct)}
        #: for each lane the number of its state
        self.lanes = [0] * num_lanes if states is None else [numbers[id(state)] for state in states]
        #: of each state that was loaded, all but the model: of those there may be more than memory has room for
        self.rest: list[dict[str, Any]] = []

    def load(self, number: int) -> None:
        """Bring the template to the state of this number; nothing if lanes begin as they are built.

        Raises:
          NotFusible: lanes at this state are elsewhere than those before.
        """
        if not self._distinct:
            return
        state = decode(self._distinct[number])
        self._trainer.model.load_state_dict(state.pop("model"))
        if number == 0:
            self._trainer._training.load_state_dict(state)
            if "frozen" in state:
                load_frozen_parameters(self._trainer.model, state["frozen"])
        for name in _COMMON:
            if self.rest and state.get(name) != self.rest[0].get(name):
                raise NotFusible(f"lanes begin from states that differ in {name!r}")
        self.rest.append(state)
