"""What must happen where a stage ends, given who asks and who branches there now."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Sequence

from hippo.plan import Node
from hippo.records import Boundary, Keep, Point
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.study_state import StudyState
from hippo.stages import StageTree

#: asked of the requests at each end of a stage
_evaluate, _final, _is_transient_there = map(operator.attrgetter, ("evaluate", "final", "is_transient"))


def boundary_at(
    node: Node,
    step: int,
    *,
    requests: Sequence[Request],
    tree: StageTree,
    walked: Container[Point],
    payer: StudyState,
    keeps_joint: bool,
    asked_at: Callable[[Point], Sequence[Request]] = lambda _: (),
) -> Boundary:
    """Return what a lane must do after `step` steps on `node`.

    A state is written where another lane branches, or may go on. Where all who ask say that they will not, the study's
    retention decides. Where all who ask, and all who branch, want nothing but a transient state, it stays in memory.

    Args:
      node, step: where.
      requests: those that wait there, for metrics or not, the oldest first.
      tree: what remains to be run.
      walked: points that the same lane walks itself, and needs no state for.
      payer: the study whose lane it is.
      keeps_joint: if values change there, the state is worth writing, since a later trial may branch there.
      asked_at: the requests that wait at another point.
    """
    evaluate = step not in node.metrics and any(map(_evaluate, requests))
    followers = tree.followers(Point(node.id, step))
    branching = [stage.point for stage in followers if stage.point not in walked] if followers else []
    has_joint = bool(followers) and any(stage.node != node.id for stage in followers)
    is_joint = keeps_joint and has_joint
    # in memory a state where values change costs next to nothing: a later trial may branch there
    going_on = [stage.point for stage in followers] if has_joint else branching
    if step not in node.state_requests and _is_transient(requests, going_on, asked_at):
        return Boundary(evaluate=evaluate, keep=Keep.TRANSIENT)
    keeping = [request for request in requests if not request.is_transient]
    if branching or is_joint or step in node.state_requests or not all(map(_final, keeping)):
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    if requests and not keeping:
        return Boundary(evaluate=evaluate, keep=Keep.TRANSIENT)
    keeps_leaves = any(request.study.settings.keep.top is None for request in keeping)
    if payer.settings.keep.keeps_passed or keeps_leaves:
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    if not keeping:
        return Boundary(evaluate=False, keep=Keep.NOTHING)
    objectives = keeping[0].study.settings.objectives
    if len({id(request.study) for request in keeping}) > 1:  # one of them may miss what is not among another's best
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    if not objectives:
        return Boundary(evaluate=evaluate, keep=Keep.RESIDENT)
    if len(objectives) > 1 or keeping[0].is_one_of_several:  # whether it is among the best shows only at the end
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    to_beat = [loss for request in keeping if (loss := request.loss_to_beat) is not None]
    threshold = max(to_beat) if len(to_beat) == len(keeping) else None  # it is enough if one of them is among the best
    return Boundary(evaluate=evaluate, keep=Keep.IF_BEST, objective=objectives[0], threshold=threshold)


def _is_transient(
    requests: Sequence[Request], going_on: Sequence[Point], asked_at: Callable[[Point], Sequence[Request]]
) -> bool:
    """Tell whether no request, here or at the ends of the stages that begin here, needs a state to outlive its slot.

    Args:
      requests: those that wait where it is.
      going_on: where the stages end that begin there; where no request waits at the end of one, those
        further on are not known here.
      asked_at: the requests that wait at a point.
    """
    if not (requests or going_on) or not all(map(_is_transient_there, requests)):
        return False
    return all(_are_transient(asked_at(point)) for point in going_on)


def _are_transient(requests: Sequence[Request]) -> bool:
    return bool(requests) and all(map(_is_transient_there, requests))
