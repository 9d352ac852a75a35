"""How a lane comes to what it begins from: a state, and a trainer. It refuses to know who walks it then."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from hippo.hparams import Piece
from hippo.lanes import LaneProgress
from hippo.records import Lane, LaneStart, Point, may_fuse
from hippo.training.codec import EncodedState
from hippo.training.live_states import HeldState, encoded_state
from hippo.training.process.process_settings import ProcessSettings, settings_kept
from hippo.training.trainer import Trainer
from hippo.training.trainers import require_fit
from hippo.training.walking.checks import compare_loaded_state
from hippo.training.walking.lane_setting import LaneSetting
from hippo.training.walking.lane_states import LaneStates
from hippo.training.walking.walker import built_base, user_code


class LaneBeginning:
    """What one lane begins from."""

    def __init__(self, setting: LaneSetting, progress: LaneProgress, states: LaneStates) -> None:
        self._setting = setting
        self._progress = progress
        self._states = states

    @property
    def lane(self) -> Lane:
        """Which lane it is."""
        return self._progress.lane

    @property
    def first_goal(self) -> Point:
        """What cannot be made if there is no trainer."""
        first = self.lane.stages[0]
        return Point(first.node, max(first.stop if first.start == first.stop else first.start + 1, 1))

    @property
    def step(self) -> int:
        """How many steps the state that it begins from has behind it."""
        return 0 if self.lane.begin is None else self.lane.begin.step

    @property
    def pieces(self) -> Mapping[str, Piece]:
        """The pieces in force just before that, or at step 0."""
        return self.lane.stages[0].pieces if self.lane.begin is None else self.lane.begin.pieces

    def recall(self, begin: LaneStart) -> None:
        """Begin where a walker stands already."""
        self._states.recall(begin)

    def load(self) -> HeldState | None:
        """Return the state that it begins from; None if it is a new one, or if it is not there, which is told."""
        begin = self.lane.begin
        if begin is None:
            return None
        return self._states.load(begin, functools.partial(self._make_base, begin))

    def pristine(self) -> Trainer:
        """Return the trainer as its `__init__` left it.

        Raises:
          UserCodeFailed: `__init__` raised.
        """
        with user_code("__init__", self.first_goal):
            pristine = self._pristine()
        require_fit(pristine, self._setting.spec.numerics)
        return pristine

    def refuse(self, begin: LaneStart, reason: str) -> None:
        """Tell that nothing can begin there, which nobody needs to hear of."""
        self._states.refuse(begin, reason, is_expected=True)

    def evaluates_alike(self, state: HeldState | None, pristine: Trainer, settings: ProcessSettings) -> bool:
        """Compare the state that the lane begins from, or one that it is shown, with its recorded metrics, if any.

        Where they differ nobody knows what would come of the lane: who wants it all the same, asks again.
        """
        begin, shown = self.lane.begin, self.lane.look
        # a lane that begins after step 1 and is checked is compared with one that walks there itself, which says more
        if begin is not None and begin.metrics is not None and not (self.lane.check and begin.step == 1):
            shown = begin
        elif shown is not None:
            state = self._states.peek(shown, functools.partial(self._make_base, shown))
        if shown is None or state is None:
            return True
        verdict = compare_loaded_state(
            shown,
            encoded_state(state),
            pristine,
            self._setting.host.clock,
            settings=settings,
            was_fused=may_fuse(self._setting.spec.numerics),
        )
        if verdict.proven is False:
            self._states.emit(self._setting.said_of(self._progress.number, verdict))
        return verdict.proven is not False

    def _make_base(self, begin: LaneStart) -> EncodedState | None:
        with user_code("__init__", self.first_goal):
            pristine = self._pristine()
        return built_base(pristine, step=begin.step, pieces=begin.pieces, goal=self.first_goal)

    def _pristine(self) -> Trainer:
        trainers, spec = self._setting.trainers, self._setting.spec
        if trainers.built(spec) is not None:
            return trainers.pristine(spec)
        number = self._progress.number
        with settings_kept(lambda changes: self._setting.tell_left(number, "__init__()", changes)):
            return trainers.pristine(spec)
