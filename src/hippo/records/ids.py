"""The numbers and names by which all rooms speak of one thing."""

from __future__ import annotations

from typing import NamedTuple, NewType

NodeId = NewType("NodeId", int)
PlanId = NewType("PlanId", int)
StudyId = NewType("StudyId", int)
CallId = NewType("CallId", int)
TrialId = NewType("TrialId", int)
RequestId = NewType("RequestId", int)
LeaseId = NewType("LeaseId", int)
SlotId = NewType("SlotId", str)


class Point(NamedTuple):
    """A boundary of the tree: the state, or the metrics, of a node after so many steps."""

    node: NodeId
    step: int
