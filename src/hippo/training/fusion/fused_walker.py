"""Several training states on their way as one: the life cycle of lanes that are at one step.

Each lane comes to what `Walker` would bring it to alone, but for last bits, and its state has the same format. A fused
walker knows its lanes' values and where they stand. It refuses to know leases, boundaries and checkpoint stores, and
what becomes of lanes that it cannot walk.
"""

from __future__ import annotations

import copy
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from hippo.errors import CodeChangedError
from hippo.records import Fusion, NodeId, Point
from hippo.training.bases import Bases, StateEncoder
from hippo.training.codec import EncodedState
from hippo.training.declarative.optimizer_values import APPLIED
from hippo.training.failures import is_resource_error
from hippo.training.fusion.compiled_loss import LossCompiler
from hippo.training.fusion.fused_metrics import FusedMetrics
from hippo.training.fusion.fused_state import FusedState
from hippo.training.fusion.fused_step import FusedStep
from hippo.training.fusion.lane_models import LaneModels
from hippo.training.fusion.lane_values import LaneValues, Pieces, values_of
from hippo.training.fusion.module_floats import ModuleFloats
from hippo.training.fusion.reasons import reason_of
from hippo.training.fusion.recorded_loss import LossRecorder
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible, refusal_of
from hippo.training.fusion.template_setup import set_up_template
from hippo.training.fusion.twin_lane import TwinLane
from hippo.training.metrics import checked_metrics
from hippo.training.process.streams import seed_everything
from hippo.training.recording_experience import NO_MEMORY
from hippo.training.slice_memory import memory_told
from hippo.training.trainer import Trainer
from hippo.training.unread_changes import UnreadChanges, UnreadNames, ValueChange
from hippo.training.walking.walker import UserCodeFailed, user_code

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class FusedStepFailed(Exception):
    """A step of all lanes could not be taken; they stand where they stood. `is_resource`: something ran out."""

    def __init__(self, reason: str, *, is_resource: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_resource = is_resource


class FusedWalker:
    """Lanes of one workload at one step with one batch size, walked as one program.

    One copy of the trainer is built for all of them, as the template: it gives them its methods, its feed, and its
    model's modules, into which a lane's tensors are put when it is evaluated or encoded.

    Args:
      pristine: the trainer as its `__init__` left it.
      step: the steps that the states have behind them.
      pieces: of each lane, in force just before `step`, or at step 0.
      states: of each lane; None for freshly initialised ones, all or none. Lanes that begin from one object load it
        once.
      goals: of each lane, the point that cannot be made if `build` or `load_state_dict` raises.
      fusion: how lanes of their shape are walked.
      with_drift: one lane more is walked, a twin of the first that tells how fast that one parts from itself.
      compiler: decides when updates are compiled; None: they never are.
      recorder: has updates recorded, where their device can; None: they never are.
      bases: what states of the workload are encoded beside; None: each is a copy of all.

    Raises:
      NotFusible: the workload cannot be walked so.
      LanesDifferIn: the lanes cannot, since what is built for them depends on values in which they differ.
      UserCodeFailed: `build` or `load_state_dict` raised.
    """

    def __init__(
        self,
        pristine: Trainer,
        *,
        step: int,
        pieces: Sequence[Pieces],
        states: Sequence[EncodedState | None],
        goals: Sequence[Point],
        fusion: Fusion,
        with_drift: bool = False,
        compiler: LossCompiler | None = None,
        recorder: LossRecorder | None = None,
        bases: Bases | None = None,
    ) -> None:
        reason = refusal_of(pristine)
        if reason is not None:
            raise NotFusible(reason)
        self.step = step
        self.num_lanes = len(pieces)
        self._fusion, self._with_drift = fusion, with_drift
        self._read: set[str] = set()
        #: names that were looked at among the values in force
        self._looks: set[str] = set()
        self._changes = [UnreadChanges() for _ in pieces]
        #: whether it is still to be told which names nobody looked at, since it began with new trials
        self.owes_unread = step == 0
        self._is_set_up = False
        with _refusals_pass("build", goals[0]):
            self._values = values_of(self._with_twin(pieces), max(step - 1, 0), self._read, self._looks)
            self._trainer, floats = self._built(pristine)
        distinct = {id(state): state for state in states}
        encoders = {key: StateEncoder(self._trainer, bases, begin=state) for key, state in distinct.items()}
        self._encoders = [encoders[id(state)] for state in states]
        begin = None if states[0] is None else self._with_twin(cast(Sequence[EncodedState], states))
        with _refusals_pass("load_state_dict", goals[0]):
            self._seed("load_state_dict", step)
            self._state = FusedState(self._trainer, self._values.each, begin, floats)
        #: lets the optimizer of `lent` be a lane's, for what only looks at it
        self.with_optimizer_of = self._state.with_optimizer_of
        self._step = FusedStep(self._trainer, self._state, fusion, compiler, recorder)
        #: the twin of the first lane, if there is one
        self.drifting = self._new_twin()
        self._evaluation = FusedMetrics(self._trainer, self._state.tensors, fusion)
        #: metrics of all lanes where they stand, if they were evaluated together; empty if that was not possible
        self._together: list[dict[str, float]] | None = None

    @property
    def unread(self) -> UnreadNames:
        """The names in force that the trainer never looked at, and those that it did."""
        names = {name for values in self._values.each for name in values}
        return tuple(sorted(names - self._read)), tuple(sorted(names & self._read))

    @property
    def has_trunk(self) -> bool:
        """Whether the lanes have parameters in common, which are frozen."""
        return self._state.tensors.has_trunk

    @property
    def was_evaluated_together(self) -> bool:
        """Whether the lanes' metrics, where they stand, were computed as one program."""
        return bool(self._together)

    def train(self, nodes: Sequence[NodeId], pieces: Sequence[Pieces]) -> list[dict[str, float]]:
        """Train all lanes for one step, and return what `train` would have returned, per lane.

        Whatever it raises, all lanes stand as they did before.

        Args:
          nodes: of the step, one per lane.
          pieces: in force there, in each lane.

        Raises:
          LanesDifferIn: something other than the optimizers looked at values in which lanes differ.
          NotFusible: the workload cannot be walked so.
          FusedStepFailed: anything else was raised; each lane alone will show whether it is to blame.
        """
        assert len(nodes) == len(pieces) == self.num_lanes, "lanes that have left are taken out by keep()"
        looks: set[str] = set()
        try:
            values = values_of(self._with_twin(pieces), self.step, self._read, looks)
        except Exception as error:  # of a sequence that a user wrote
            raise FusedStepFailed(reason_of(error)) from error
        in_common: set[str] = set()
        self._together = None
        before, was_set_up = self._state.snapshot(), self._is_set_up
        try:
            values.require_common(values.missing_somewhere)
            self._set_up(values, in_common)
            self._seed("train", self.step)
            with memory_told():
                metrics = self._step.take(values, in_common)
        except Exception as error:
            if is_resource_error(error):  # what the step had computed may fill the memory that going back needs
                traceback.clear_frames(error.__traceback__)
            was_recorded = self._step.drop_recording()
            self._state.restore(before)
            self._is_set_up = was_set_up
            if isinstance(error, CodeChangedError | NotFusible | LanesDifferIn):
                raise
            values.require_common(in_common)  # lanes that differ in it may well raise, and are not to blame
            if not was_recorded:
                raise FusedStepFailed(reason_of(error), is_resource=is_resource_error(error)) from error
            why = NO_MEMORY if is_resource_error(error) else f"a step failed beside a recording: {reason_of(error)}"
        else:
            self._enter(values, looks)
            return [checked_metrics(each, "train") for each in metrics[: self.num_lanes]]
        del before
        self._step.refuse_recordings(why)
        return self.train(nodes, pieces)

    def evaluate(self, lane: int, node: NodeId) -> dict[str, float]:
        """Return the metrics of a lane after `step` steps, taken under its values of the step before.

        Raises:
          UserCodeFailed: `evaluate` raised for this lane.
        """
        if self._fusion.evaluates_together and self._together is None:
            self._together = self._evaluated_together()
        return self._together[lane] if self._together else self.evaluate_alone(lane, node)

    def evaluate_alone(self, lane: int, node: NodeId) -> dict[str, float]:
        """Return the metrics of a lane, to the bits that it would be evaluated to alone.

        Raises:
          UserCodeFailed: `evaluate` raised for this lane.
        """
        point = Point(node, self.step)
        while True:
            self._state.lend(lane)
            self._trainer.hp = self._values.each[lane]
            try:
                with user_code("setup", point):
                    self._settle()
                with user_code("evaluate", point), self._state.with_optimizer_of(lane):
                    self._seed("evaluate", self.step)
                    return checked_metrics(self._trainer.evaluate(), "evaluate")
            except UserCodeFailed as failed:
                if not failed.is_resource or not self._step.drop_recording():
                    raise
            self._step.refuse_recordings(NO_MEMORY)

    def encode(self, lane: int, node: NodeId) -> EncodedState:
        """Return a copy of a lane's state after `step` steps, in the solo format, beside its base."""
        self._trainer.hp = self._values.each[lane]
        with user_code("state_dict", Point(node, self.step)):
            self._seed("state_dict", self.step)
            return self._encoders[lane].encode(self._state.state_dict(lane))

    def lent(self, lane: int) -> TorchTrainer:
        """Return the template, whose model, and average, have what a lane has until anything else is asked for."""
        self._state.lend(lane)
        return self._trainer

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, which are numbered anew in this order; the others have left."""
        self._step.drop_recording()  # it is of all of them
        with_twin = self._with_twin(lanes)
        if stays := self.drifting is not None and lanes[0] == self.drifting.lane:
            with_twin[-1] = self.drifting.twin
        self._state.keep(with_twin)
        self._values = self._values.keep(with_twin)
        self._encoders = [self._encoders[lane] for lane in lanes]
        self._changes = [self._changes[lane] for lane in lanes]
        self._together = [self._together[lane] for lane in lanes] if self._together else None
        self.num_lanes = len(lanes)
        if stays and self.drifting is not None:
            self.drifting.lane, self.drifting.twin = 0, len(lanes)
        else:
            self.drifting = self._new_twin()

    def take_unread_changes(self) -> list[ValueChange]:
        """Return the changes of values that nobody looked at, of each name one; called when lanes were evaluated."""
        found: dict[str, ValueChange] = {}
        for changes in self._changes:
            changes.note_looks(self._looks)
            for change in changes.take():
                found.setdefault(change.name, change)
        return [found[name] for name in sorted(found)]

    def close(self) -> None:
        """Let the trainer release what it holds. What it did is done: an exception here changes no result."""
        self._step.drop_recording()
        with suppress(Exception):
            self._trainer.close()

    def _built(self, pristine: Trainer) -> tuple[TorchTrainer, ModuleFloats]:
        """Return the template, and the floats in its modules that are each lane's own."""
        self._trainer = trainer = cast("TorchTrainer", copy.copy(pristine))
        self._values.require_common(self._values.missing_somewhere)
        looks: set[str] = set()
        trainer.hp = self._values.each[0].recording(looks)
        self._seed("build", 0)
        with LaneModels(trainer, self._values, self._fusion.own_floats, looks) as models:
            trainer.build()
        # what optimizers are made of may differ: the fused one asks for each lane's
        self._values.require_common(looks - trainer._live.reads)
        return trainer, models.floats

    def _with_twin(self, lanes: Sequence[Any]) -> list[Any]:
        """Return something of each lane, and of the first one twice if it is walked beside a copy of itself."""
        has_twin = self._with_drift or (len(lanes) == 1 and self._fusion.has_twin)
        return [*lanes, lanes[0]] if has_twin else list(lanes)

    def _new_twin(self) -> TwinLane | None:
        if not self._with_drift:
            return None
        computed = self._trainer._descent.computed
        return TwinLane(self._state.tensors.trained_of, 0, self.num_lanes, computed=computed)

    def _set_up(self, values: LaneValues, in_common: set[str]) -> None:
        """Call `setup` as a lane alone would, for all of them."""
        trainer = self._trainer
        before, trainer.hp = self._values.each[0], values.each[0].recording(in_common)
        if type(trainer).setup is not Trainer.setup:
            # lanes agree in all that it may look at, but for rates and the like, which are the optimizer's
            values.require_common(values.differing - APPLIED)
            changed = values.each[0].changed_since(before) if self._is_set_up else values.each[0].raw
            if changed or not self._is_set_up:
                self._seed("setup", self.step)
                set_up_template(trainer, changed)
                self._state.tensors.refresh()
            values.require_common(in_common)
        self._is_set_up = True

    def _settle(self) -> None:
        """If lanes were just loaded, set the template up as if they had trained the last step themselves."""
        if not self._is_set_up:
            self._seed("setup", max(self.step - 1, 0))
            set_up_template(self._trainer, self._trainer.hp.raw)

    def _evaluated_together(self) -> list[dict[str, float]]:
        """Return the metrics of all lanes; none if that cannot be: each lane alone will show why."""
        in_common: set[str] = set()
        self._trainer.hp = self._values.each[0].recording(in_common)
        try:
            self._settle()
            self._seed("evaluate", self.step)
            metrics = [checked_metrics(each, "evaluate") for each in self._evaluation.metrics()]
            self._values.require_common(in_common)
        except Exception:
            return []
        return metrics

    def _enter(self, values: LaneValues, looks: set[str]) -> None:
        """Take note of a step that was taken under these values."""
        for changes, before, now in zip(self._changes, self._values.each, values.each, strict=False):
            changes.note_looks(self._looks)
            changes.watch(before, now, self.step)
            changes.note_looks(looks)
        self._values, self._looks = values, looks
        self.step += 1
        if self.drifting is not None:
            self.drifting.note_step()

    def _seed(self, stream: str, step: int) -> None:
        seed_everything(self._trainer.seed, stream, step)


@contextmanager
def _refusals_pass(method: str, point: Point) -> Iterator[None]:
    """Turn exceptions of the block into `UserCodeFailed`, but for those that say how lanes cannot be walked."""
    refusal: NotFusible | LanesDifferIn | None = None
    with user_code(method, point):
        try:
            yield
        except (NotFusible, LanesDifferIn) as error:
            refusal = error
    if refusal is not None:
        raise refusal
