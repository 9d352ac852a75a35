"""The states of a plan that are in the memory of slots, of which nothing is written down."""

from __future__ import annotations

from collections.abc import Iterable

from hippo.plan.listener import PlanListener
from hippo.plan.plan_nodes import PlanNodes
from hippo.records import Point, SlotId


class SlotStates:
    """Which slot holds which states; a node knows its own, and this knows those of a slot.

    Args:
      nodes: of the plan.
      listener: hears of each state that can be loaded now and could not before, or no longer.
    """

    def __init__(self, nodes: PlanNodes, listener: PlanListener) -> None:
        self._nodes = nodes
        self._listener = listener
        self._held: dict[SlotId, dict[Point, None]] = {}

    def note(self, slot: SlotId, *, added: Iterable[Point] = (), dropped: Iterable[Point] = ()) -> None:
        """Note that states came into the memory of a slot, or left it; what needs one that left is run again."""
        held = self._held.setdefault(slot, {})
        for point in added:
            try:
                node = self._nodes[point.node]
            except KeyError:  # a machine that has joined a service may name any
                continue
            held[point] = None
            if node.add_resident(point.step, slot):
                self._listener.touched(node, point.step)
        for point in dropped:
            if held.pop(point, ...) is None and self._nodes[point.node].remove_resident(point.step, slot):
                self._listener.touched(self._nodes[point.node], point.step)

    def lose_slot(self, slot: SlotId) -> None:
        """Note that all states in the memory of a slot are gone with it."""
        self.note(slot, dropped=list(self._held.get(slot, ())))
        self._held.pop(slot, None)
