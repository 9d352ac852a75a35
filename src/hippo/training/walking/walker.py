"""One training state on its way: the life cycle of a Trainer, with chance and values set before each call.

A walker knows one path's values and where it stands. It refuses to know leases, boundaries and checkpoint stores.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

from hippo.errors import CodeChangedError, TrainerError
from hippo.hparams import Piece
from hippo.records import Failure, LaneStart, NodeId, Point
from hippo.training.bases import Bases, StateEncoder, fresh_state
from hippo.training.codec import EncodedState, decode, encode
from hippo.training.failures import DatasetFailed, failure_of, is_resource_error, let_frames_go
from hippo.training.live_states import HeldState
from hippo.training.metrics import checked_metrics
from hippo.training.process.streams import seed_everything
from hippo.training.recording_experience import NO_MEMORY, RecordingExperience, RecordingListener
from hippo.training.slice_memory import memory_told
from hippo.training.trainer import Trainer
from hippo.training.unread_changes import UnreadChanges, UnreadNames, ValueChange
from hippo.training.values import HparamValues, same_values

Pieces = Mapping[str, Piece]


class UserCodeFailed(Exception):
    """The user's code raised; `failure` tells where, `is_resource` whether something ran out."""

    def __init__(self, failure: Failure, *, is_resource: bool = False) -> None:
        super().__init__(failure.error)
        self.failure = failure
        self.is_resource = is_resource


class RecordedStepFailed(Exception):
    """A step failed beside recorded updates, which are gone: from the last state, it may succeed."""


class user_code(memory_told):
    """Turn an exception of the block into a `UserCodeFailed` that names the method and what could not be made."""

    __slots__ = ("_method", "_point")

    def __init__(self, method: str, point: Point) -> None:
        self._method = method
        self._point = point

    def __exit__(self, *raised: object) -> None:
        super().__exit__()
        error = raised[1]
        if error is None or not isinstance(error, Exception) or isinstance(error, CodeChangedError):
            return  # a module that changed meanwhile says nothing about the trial
        cause: BaseException = error
        method = self._method
        if isinstance(error, DatasetFailed):
            cause, method = error.__cause__ or error, error.method
        failed = UserCodeFailed(failure_of(cause, method, self._point), is_resource=is_resource_error(cause))
        let_frames_go(error)
        raise failed from None


def built_base(pristine: Trainer, *, step: int, pieces: Pieces, goal: Point) -> EncodedState | None:
    """Build a trainer for its base alone, as where it would be loaded; None: it has none.

    Raises:
      UserCodeFailed: `build` raised.
    """
    with closing(Walker(pristine, step=step, pieces=pieces, state=None, goal=goal)) as walker:
        return Bases().of_fresh((), functools.partial(fresh_state, walker._trainer))


def built_otherwise(pristine: Trainer, state: EncodedState, *, step: int, pieces: Pieces, goal: Point) -> list[str]:
    """Return the paths of what a state has from its base and `build()` does not make any more, on the CPU.

    Raises:
      UserCodeFailed: `build` raised.
    """
    left = state.shared()
    if not left:
        return []
    with closing(Walker(pristine, step=step, pieces=pieces, state=None, goal=goal)) as walker:
        try:
            made = encode(fresh_state(walker._trainer), state.base)  # what is alike is not copied
        except Exception:  # it is not ready for that yet, and was when the state was written
            return []
    return [path for path, leaf in left.items() if made.leaves.get(path) is not leaf]


#: the node of steps that belong to no plan
NOWHERE = NodeId(-1)


class Walker:
    """A trainer's copy that walks one path, step by step.

    Args:
      pristine: the trainer as its `__init__` left it.
      step: the steps that `state` has behind it.
      pieces: in force just before `step`, or at step 0.
      state: None for a freshly initialised one.
      goal: the point that cannot be made if `build` or `load_state_dict` raises.
      bases: what states of its workload are encoded beside; None: each is a copy of all.
      must_be_new: refuse a trainer that begins with what another trial has left in it.
    """

    def __init__(
        self,
        pristine: Trainer,
        *,
        step: int,
        pieces: Pieces,
        state: HeldState | None,
        goal: Point,
        bases: Bases | None = None,
        must_be_new: bool = False,
    ) -> None:
        self.step = step
        self._goal = goal
        self._read: set[str] = set()
        self._changes = UnreadChanges()
        #: whether it is still to be told which names nobody looked at, since it began with a new trial
        self.owes_unread = step == 0
        self._is_set_up = False
        self._pristine = pristine
        #: where it stands; None before it has trained
        self._at: Point | None = None
        with user_code("build", goal):
            self._trainer = copy.copy(pristine)
            self._trainer.hp = self._values(pieces, max(step - 1, 0))
            self._seed("build", 0)
            self._trainer.build()
            if must_be_new:
                self._trainer._check_begun(0)
        self._built = self._trainer._as_built(pristine)
        self._encoder = StateEncoder(self._trainer, bases, begin=state)
        if state is not None:
            try:
                with user_code("load_state_dict", goal):
                    self._seed("load_state_dict", step)
                    if isinstance(state, EncodedState):
                        self._trainer.load_state_dict(decode(state))
                    else:
                        self._trainer._load_live(state)
            except UserCodeFailed:
                self.close()  # nobody else knows it
                raise

    @property
    def unread(self) -> UnreadNames:
        """The names in force that the trainer never looked at, and those that it did."""
        names = set(self._trainer.hp)
        return tuple(sorted(names - self._read)), tuple(sorted(names & self._read))

    def record(self, experience: RecordingExperience, listener: RecordingListener, *, is_asked: bool) -> None:
        """Have updates recorded from now on, where the trainer can do that and has nothing against it.

        Args:
          experience: with its workload, walked alone.
          listener: hears of it.
          is_asked: the study's numerics ask for it, if the trainer has no say in it.
        """
        self._trainer._record_updates(experience, listener, is_asked=is_asked)

    def train(self, node: NodeId, pieces: Pieces, *, setups: int = 1) -> dict[str, float]:
        """Train for one step on `node`, and return what `train` returned.

        Args:
          node: of the step.
          pieces: in force there.
          setups: how often to call `setup`, if it is called at all. It must make no difference.

        Raises:
          UserCodeFailed: `setup` or `train` raised.
          RecordedStepFailed: it did so beside a recording, which has gone; this walker is not to be used any more.
        """
        goal = Point(node, self.step + 1)
        with user_code("setup", goal):
            before, values = self._trainer.hp, self._values(pieces, self.step)
            self._trainer.hp = self._changes.watch(before, values, self.step)
            changed = values.changed_since(before) if self._is_set_up else values.raw
            if changed or not self._is_set_up:
                for _ in range(setups):
                    self._setup(changed, self.step)
            self._is_set_up = True
        try:
            with user_code("train", goal):
                self._seed("train", self.step)
                returned = self._trainer.train()
                metrics = {} if returned is None else checked_metrics(returned, "train")
                if self.step == 0:
                    self._trainer._check_begun(1)
        except UserCodeFailed as failed:
            self._at = None
            why = NO_MEMORY if failed.is_resource else f"a step failed beside a recording: {failed.failure.error}"
            if self._trainer._stop_recording(why):
                raise RecordedStepFailed from failed
            raise
        self.step += 1
        self._at = Point(node, self.step)
        return metrics

    def evaluate(self, node: NodeId) -> dict[str, float]:
        """Return the metrics after `step` steps, taken under the values of the step before."""
        trainer = self.settled(node)
        while True:
            try:
                with user_code("evaluate", Point(node, self.step)):
                    self._seed("evaluate", self.step)
                    return checked_metrics(trainer.evaluate(), "evaluate")
            except UserCodeFailed as failed:
                if not failed.is_resource or not trainer._stop_recording(NO_MEMORY):
                    raise

    def take_unread_changes(self) -> list[ValueChange]:
        """Return the changes of values that the trainer has not looked at; called when it trained and was evaluated."""
        return self._changes.take()

    def settled(self, node: NodeId) -> Trainer:
        """Return the trainer; if it was just loaded, set up as if it had trained the last step itself."""
        if not self._is_set_up:
            with user_code("setup", Point(node, self.step)):
                self._setup(self._trainer.hp.raw, max(self.step - 1, 0))
        return self._trainer

    def set_up(self, node: NodeId) -> None:
        """Set the trainer up as if it had trained the last step itself: `setup` is then given only what changes."""
        self.settled(node)
        self._is_set_up = True

    def encode(self, node: NodeId) -> EncodedState:
        """Return a copy of the state after `step` steps, beside its base."""
        with user_code("state_dict", Point(node, self.step)):
            self._seed("state_dict", self.step)
            state = self._trainer.state_dict()
            if not isinstance(state, Mapping):
                raise TrainerError(
                    f"state_dict() returned {state!r:.80}; return a dict of everything that train() changes, or {{}} "
                    "if there is nothing (is a `return` missing?)"
                )
            return self._encoder.encode(state)

    def copy(self, node: NodeId) -> HeldState:
        """Return a copy of the state for this process alone: one that the trainer keeps itself, if it does that."""
        with user_code("state_dict", Point(node, self.step)):
            live = self._trainer._live_copy()
        return self.encode(node) if live is None else live

    @property
    def bases(self) -> Bases | None:
        """What its states are encoded beside."""
        return self._encoder.bases

    def can_stand(self) -> bool:
        """Tell, of a walker that was closed, whether another lane may go on with it; called where its lane ended."""
        if self._built is not None and not self._built.settle():
            self._built = None
        return self._at is not None and self._trainer._outlives_close()

    def is_of(self, pristine: Trainer | None) -> bool:
        """Whether this walker's trainer is a copy of that one."""
        return self._pristine is pristine

    def stands_at(self, begin: LaneStart) -> bool:
        """Whether a lane that begins there would go on from here, under the values of the last step."""
        values = self._values(begin.pieces, max(begin.step - 1, 0))
        return self._at == (begin.node, begin.step) and same_values(values.raw, self._trainer.hp.raw)

    def fork(self, *, step: int, pieces: Pieces, state: HeldState, goal: Point) -> bool:
        """Go to `state`, after `step` steps, as a new walker would begin from it, without building the trainer anew.

        Returns:
          Whether that was possible; if not, this walker is not to be used any more.
        """
        self._read, self._changes = set(), UnreadChanges()
        values = self._values(pieces, max(step - 1, 0))
        with user_code("load_state_dict", goal):
            if self._built is None or not self._built.load(state, values):
                return False
        self._encoder.take_over(state)
        self._trainer.hp, self.step, self._goal, self._is_set_up = values, step, goal, False
        self._at, self.owes_unread = None, step == 0
        return True

    @property
    def must_start_over(self) -> bool:
        """Whether the trainer cannot go on from the state that it was given."""
        with user_code("must_start_over", self._goal):
            return self._trainer.must_start_over()

    def close(self) -> None:
        """Let the trainer release what it holds. What it did is done: an exception here changes no result."""
        with suppress(Exception):
            self._trainer.close()

    def _setup(self, values: Mapping[str, Any], step: int) -> None:
        self._seed("setup", step)
        missing = (
            f"setup() gets only the values that changed, here {sorted(values)}; "
            "ask `if name in hp` first, or read self.hp, which has them all."
        )
        looked_at: set[str] = set()
        in_force = self._trainer.hp
        self._trainer.hp = in_force.recording(looked_at)
        try:
            self._trainer._set_up(HparamValues(values, read=looked_at, missing=missing), step)
        finally:
            self._trainer.hp = in_force
        self._read |= looked_at
        self._changes.note_looks(looked_at)
        self._trainer._note_setup(has_looked=not looked_at.isdisjoint(values))

    def _values(self, pieces: Pieces, step: int) -> HparamValues:
        def at(t: float) -> dict[str, Any]:
            return {name: piece.at(t) for name, piece in pieces.items()}

        return HparamValues(at(step), read=self._read, at=at, step=step)

    def _seed(self, stream: str, step: int) -> None:
        seed_everything(self._trainer.seed, stream, step)
