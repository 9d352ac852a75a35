"""The walker that a slot's last lane left where it ended, for the lane that comes next.

If the next lane begins exactly there, the walker goes on as if the lanes were one: nothing is built, nothing loaded.
If it begins elsewhere, the trainer may be able to take that state without being built anew. Only the next lane may
have the walker: what others do in between (change a data set, say) might matter to a trainer that was built before.
A lane that is watched by checks builds its own, for what they look for is what going on from a state forgets.
This module refuses to know what a trainer is made of, and how a lane is walked.
"""

from __future__ import annotations

from typing import NamedTuple

from hippo.records import Lane
from hippo.training.process.process_settings import ProcessSettings
from hippo.training.trainer import Trainer
from hippo.training.walking.walker import Walker


class _LeftWalker(NamedTuple):
    owner: str
    walker: Walker
    #: the process's, which the lane set back when it ended
    settings: ProcessSettings


class StandingWalker:
    """Room for one walker that stands still between two lanes of a slot."""

    def __init__(self) -> None:
        self._left: _LeftWalker | None = None

    def leave(self, owner: str, walker: Walker, settings: ProcessSettings) -> None:
        """Leave the walker of a lane that ended well, already closed.

        Args:
          owner: `Assignment.states_of`: names whose nodes they are that the walker came by.
          settings: as the lane found them, and will set them back. If it changed any, they hold for that lane only,
            and so does its walker.
        """
        if walker.can_stand():
            self._left = _LeftWalker(owner, walker, settings)

    def take(self, owner: str, lane: Lane, pristine: Trainer | None) -> Walker | None:
        """Return the walker if `lane` may have it, and let go of it in any case.

        Args:
          owner: of the lane's nodes.
          pristine: the workload's trainer, if there is one already.
        """
        left, self._left = self._left, None
        if left is None or left.owner != owner or left.settings.were_changed:
            return None
        is_watched = lane.is_watched or lane.look is not None or lane.begin is None or lane.begin.metrics is not None
        return left.walker if not is_watched and left.walker.is_of(pristine) else None
