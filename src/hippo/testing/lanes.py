"""Lanes made by hand, for tests of what runs them."""

from __future__ import annotations

from hippo.events import CheckpointWritten
from hippo.hparams import as_config, path
from hippo.records import Boundary, Lane, LaneStage, LaneStart, NodeId

_WRITTEN = Boundary()


def stage(node: int, start: int, stop: int, *, boundary: Boundary = _WRITTEN, lr: float = 0.1) -> LaneStage:
    """Return a stage under a constant learning rate."""
    ((_, pieces),) = path(as_config({"lr": lr}), 1)
    return LaneStage(node=NodeId(node), start=start, stop=stop, pieces=pieces, boundary=boundary)


def lane(*stages: LaneStage, begin: LaneStart | None = None) -> Lane:
    """Return a lane, of a new state unless it begins from a known one."""
    return Lane(begin=begin, stages=stages)


def after(written: CheckpointWritten, *, lr: float = 0.1) -> LaneStart:
    """Return the beginning at a state that was written under a constant learning rate."""
    pieces = stage(written.node, 0, written.step, lr=lr).pieces
    return LaneStart(node=written.node, step=written.step, checkpoint=written.checkpoint, pieces=pieces)
