"""What must happen where a stage ends, given who asks and who branches there now."""

from __future__ import annotations

from collections.abc import Container, Sequence

from hippo.plan import Node
from hippo.records import Boundary, Keep, Point
from hippo.runtime.requests import Request
from hippo.runtime.settings import KeepPolicy
from hippo.runtime.study_state import StudyState
from hippo.stages import StageTree


def boundary_at(
    node: Node,
    step: int,
    *,
    requests: Sequence[Request],
    tree: StageTree,
    walked: Container[Point],
    payer: StudyState,
    keeps_joint: bool,
) -> Boundary:
    """Return what a lane must do after `step` steps on `node`.

    A state is written where somebody else branches, or may go on. Where all who ask say that they will not, the study's
    retention decides.

    Args:
      node, step: where.
      requests: those that wait for metrics there, the oldest first.
      tree: what remains to be run.
      walked: points that the same lane walks itself, and needs no state for.
      payer: the study whose lane it is.
      keeps_joint: if values change there, the state is worth writing, since somebody may branch there later.
    """
    evaluate = bool(requests) and step not in node.metrics
    followers = tree.followers((node.id, step))
    branches = any(stage.point not in walked for stage in followers)
    is_joint = keeps_joint and any(stage.node != node.id for stage in followers)
    if branches or is_joint or step in node.state_requests or any(not request.final for request in requests):
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    policies = {request.study.settings.keep for request in requests}
    if payer.settings.keep is KeepPolicy.ALL or policies & {KeepPolicy.LEAVES, KeepPolicy.ALL}:
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    if not requests:
        return Boundary(evaluate=False, keep=Keep.NOTHING)
    objectives = requests[0].study.settings.objectives
    if not objectives:
        return Boundary(evaluate=evaluate, keep=Keep.RESIDENT)
    if len(objectives) > 1:  # whether it is among the best shows only at the end
        return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
    best = requests[0].best_loss
    return Boundary(evaluate=evaluate, keep=Keep.IF_BEST, objective=objectives[0], threshold=best)
