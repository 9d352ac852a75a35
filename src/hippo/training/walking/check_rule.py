"""Which steps of a lane are run a second time, and when: one rule for lanes that are real and lanes that are simulated.

Values in, values out. It refuses to know how steps are compared, and who decided that this lane is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hippo.hparams import Piece
from hippo.records import Lane, LaneStage, LaneStart, Point


def checked_step(lane: Lane) -> int | None:
    """Return the step after which a lane's first steps are compared; None if they are not.

    A lane of a new state, or one that begins after step 1, is compared after step 2; one that begins later, two steps
    after its beginning. Either way after the one step that it has, if it has but one.
    """
    first, stop = _first(lane), lane.stages[-1].stop
    if not lane.check or stop == first:
        return None
    return _compared_after(first, stop)


def last_step(lane: Lane) -> int | None:
    """Return the step after which a lane's last step is compared; None if it is not.

    Only a lane that walked through a state can tell what that state forgets, so it takes two steps. The one step of a
    new state tells what an earlier lane left behind: it is walked anew.
    """
    stop = lane.stages[-1].stop
    is_wanted = (lane.check or lane.audit) and (stop - _first(lane) >= 2 or stop == 1)
    return stop if is_wanted and stop != checked_step(lane) else None


def first_change(begin: LaneStart | None, stages: Sequence[LaneStage]) -> int | None:
    """Return the step after which a lane is compared that comes by a change of values; None if it comes by none.

    A trainer that walks through the change is given what changed by `setup`; one that begins there, all values. A value
    that follows a formula counts as changing with every step.
    """
    node, follows = (None, False) if begin is None else (begin.node, _follows_formula(begin.pieces))
    for stage in stages:
        if stage.start < stage.stop:
            if node is not None and (stage.node != node or follows):
                return stage.start + 1
            if node is None:
                node, follows = stage.node, _follows_formula(stage.pieces)
                if follows and stage.stop - stage.start >= 2:
                    return stage.start + 2
    return None


def changed_step(lane: Lane) -> int | None:
    """Return the step after which a lane is compared for its change of values; None if it is not, or is anyway."""
    first, change = _first(lane), lane.change
    if change == checked_step(lane) and (first <= 1 or change == first + 2):
        return None
    return None if change == last_step(lane) else change


def _follows_formula(pieces: Mapping[str, Piece]) -> bool:
    return any(piece.origin is not None for piece in pieces.values())


def steps_run_again(lane: Lane, step: int, *, may_fuse: bool = False) -> tuple[Point, ...]:
    """Return the steps, each by its end, that are run a second time when the lane's first steps are compared.

    Args:
      lane: which.
      step: its `checked_step`.
      may_fuse: the state that it begins from may come from steps that were walked as one with others, so that nothing
        is compared with it.
    """
    node = stage_at(lane, step).node
    before = lane.stages[0].node if lane.begin is None else lane.begin.node
    again = _steps_again(_first(lane), step, may_fuse)
    return tuple([Point(before if each < step else node, each) for each in again])


def stage_at(lane: Lane, step: int) -> LaneStage:
    """Return the stage of a lane in which `step` ends."""
    return next(stage for stage in lane.stages if stage.start < step <= stage.stop)


def steps_wanted(*, first: int, stop: int, may_fuse: bool = False) -> int:
    """Return how many steps a check of a lane from `first` to `stop` runs again; 0: there is nothing to check.

    The lane's last step is one of them, if it is not compared anyway. Of a new state's one step a check says less than
    the next lane's would; where lanes may be walked as one, no later one might be walked alone.
    """
    if stop - first < 1 or (stop == 1 and not may_fuse):
        return 0
    compared = _compared_after(first, stop)
    return len(_steps_again(first, compared, may_fuse)) + (stop - first >= 2 and stop != compared)


def _compared_after(first: int, stop: int) -> int:
    return min(2 if first <= 1 else first + 2, stop)


def _steps_again(first: int, compared: int, may_fuse: bool) -> tuple[int, ...]:
    """Return the ends of the steps that are run again where a lane from `first` on is compared after `compared`."""
    if first <= 1 and compared == 2:
        return (1, 1, 2, 2) if first == 1 and may_fuse else (1, 2)
    return (compared,) if compared == first + 2 else (compared, compared + 1, compared + 1)


def _first(lane: Lane) -> int:
    return 0 if lane.begin is None else lane.begin.step
