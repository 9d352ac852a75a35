"""Nodes in virtual time that a study reserves, gives back when they have nothing to do, and gets again when they would.

What a node costs is the time for which it is reserved. This module refuses to know what runs on a node: slots say when
they begin something and when they are done.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence

from hippo.simulation.virtual_world import VirtualWorld


class SimulatedNodes:
    """Nodes by number, of which slots of consecutive numbers are a part.

    The last one is kept: somebody has to hear what there is to do next.

    Args:
      world: where they are.
      nodes: the numbers of the slots of each.
      release_after_s: one on which nothing ran for so long is given back, if its slots are not wanted.
      open_slot, close_slot: called with the number of a slot that comes with its node, or goes.
    """

    def __init__(
        self,
        world: VirtualWorld,
        nodes: Sequence[Sequence[int]],
        *,
        release_after_s: float,
        open_slot: Callable[[int], None],
        close_slot: Callable[[int], None],
    ) -> None:
        self._world = world
        self._nodes = nodes
        self._node_of = {number: node for node, numbers in enumerate(nodes) for number in numbers}
        self._release_after_s = release_after_s
        self._open_slot = open_slot
        self._close_slot = close_slot
        #: None: as many as there are
        self._wanted: int | None = None
        #: node -> since when it is reserved; those that were asked for and are not there yet have it ahead of them
        self._reserved: dict[int, float] = {}
        #: (node, from when, until when)
        self._past: list[tuple[int, float, float]] = []
        #: node -> how many of its slots run something, and since when none does, of those that are there
        self._busy: Counter[int] = Counter()
        self._idle_since: dict[int, float] = {}
        #: raised when all is closed: what was to happen then, does not
        self._version = 0

    def reserved_s(self, until_s: float) -> float:
        """Return for how long slots were reserved until a moment, all summed."""
        now_s = self._world.elapsed()
        spans = [*self._past, *((node, began_s, now_s) for node, began_s in self._reserved.items())]
        return sum(len(self._nodes[node]) * max(0.0, min(end_s, until_s) - began_s) for node, began_s, end_s in spans)

    def has(self, number: int) -> bool:
        """Tell whether the node of a slot is there."""
        return self._node_of[number] in self._idle_since

    def open_all(self) -> None:
        """Reserve all of them, now."""
        for node in range(len(self._nodes)):
            self._reserved[node] = self._world.elapsed()
            self._open(node, self._version)

    def close(self) -> None:
        """Reserve none any more; what was wanted is forgotten."""
        for node in list(self._reserved):
            self._past.append((node, self._reserved.pop(node), self._world.elapsed()))
        self._busy.clear()
        self._idle_since.clear()
        self._wanted = None
        self._version += 1

    def want(self, slots: int | None) -> None:
        """Hear how many slots would have work: nodes come for them after a while, or go."""
        self._wanted = slots
        if not self._reserved:
            return  # all are about to open
        wanted = len(self._node_of) if slots is None else slots
        for node in range(len(self._nodes)):
            if node not in self._reserved and self._num_slots < wanted:
                comes_s = self._world.workload.restart_s
                self._reserved[node] = self._world.elapsed() + comes_s
                self._world.clock.call_later(comes_s, functools.partial(self._open, node, self._version))
        self._world.clock.call_later(0.0, self._release)  # not from within the call of whoever wants them

    def begin(self, number: int) -> None:
        """Note that a slot runs something."""
        self._busy[self._node_of[number]] += 1

    def end(self, number: int) -> None:
        """Note that it does no longer."""
        node = self._node_of[number]
        self._busy[node] -= 1
        if not self._busy[node]:
            self._rest(node)

    @property
    def _num_slots(self) -> int:
        return sum(len(self._nodes[node]) for node in self._reserved)

    def _open(self, node: int, version: int) -> None:
        if version != self._version:
            return
        for number in self._nodes[node]:
            self._open_slot(number)
        self._rest(node)

    def _rest(self, node: int) -> None:
        self._idle_since[node] = self._world.elapsed()
        self._world.clock.call_later(self._release_after_s, self._release)

    def _release(self) -> None:
        """Give those back that had nothing to do for long enough, the last ones first."""
        if self._wanted is None:
            return
        now_s = self._world.elapsed()
        for node in sorted(self._reserved, reverse=True):
            rested_s = -1.0 if self._busy[node] else now_s - self._idle_since.get(node, math.inf)
            is_spare = len(self._reserved) > 1 and self._num_slots - len(self._nodes[node]) >= self._wanted
            if is_spare and rested_s >= self._release_after_s:
                self._past.append((node, self._reserved.pop(node), now_s))
                del self._idle_since[node]
                for number in self._nodes[node]:
                    self._close_slot(number)
