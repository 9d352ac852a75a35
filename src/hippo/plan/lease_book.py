"""Work under way, and work that was lost: who walks which stretch of which node.

A lease is written down when it is opened and when it ends, and never in between: what it left out on the way (`passed`)
matters only as long as it runs. It refuses to know what a lease is told, and who works under it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hippo.frozen import changed
from hippo.plan.change_log import ChangeLog
from hippo.plan.listener import PlanListener
from hippo.plan.nodes import Node
from hippo.plan.plan_nodes import PlanNodes
from hippo.plan.rows import Insert, LeaseEnd, LeaseRow, PlanRow, Update
from hippo.records import LeaseId, LeaseView, NodeId, Point, Span


@dataclass(slots=True)
class _Lease:
    view: LeaseView
    row: LeaseRow


class LeaseBook:
    """The leases of one plan.

    Args:
      row: the plan as it is written down.
      nodes: of the plan.
      changes: what happens to a lease is written down there.
      listener: hears of it.
    """

    def __init__(self, row: PlanRow, nodes: PlanNodes, changes: ChangeLog, listener: PlanListener) -> None:
        self._plan, self._epoch = row.plan, row.epoch
        self._nodes = nodes
        self._changes = changes
        self._listener = listener
        self._open: dict[LeaseId, _Lease] = {}
        self._lost: dict[NodeId, list[tuple[int, int]]] = {}
        #: the largest number that a lease of this plan ever had
        self.last = 0

    def begin_epoch(self, epoch: int) -> None:
        """Open leases in this epoch from now on; every lease of the one before it is void."""
        for lease in self.views():
            self.close(lease.id, LeaseEnd.VOID)
        self._epoch = epoch

    def views(self) -> list[LeaseView]:
        """Return the leases that are open."""
        return [lease.view for lease in self._open.values()]

    def open(
        self,
        lease: LeaseId,
        spans: Sequence[Span],
        *,
        slot: str,
        started_at: float,
        lanes: Sequence[int] | None = None,
        peers: Sequence[str] = (),
    ) -> None:
        """Mark work as under way.

        Args:
          lease: its number, larger than `last`.
          spans: of all its lanes, lane by lane.
          slot: where.
          started_at: seconds since the epoch.
          lanes: how many of the spans are each lane's; None: one lane walks all of them.
          peers: other slots that take part.
        """
        assert lease > self.last, f"lease {lease} is not larger than {self.last}"
        counts = [len(spans)] if lanes is None else list(lanes)
        assert sum(counts) == len(spans), f"{counts} are not the lanes of {len(spans)} spans"
        row = LeaseRow(
            plan=self._plan,
            lease=lease,
            epoch=self._epoch,
            slot=slot,
            spans=spans_to_text(spans),
            started_at=started_at,
            lanes=str(counts),  # of whole numbers that is JSON, and a lease writes it twice
            peers=json.dumps(list(peers)) if peers else None,
        )
        self._changes.append(Insert(row))
        self.last = lease
        view = LeaseView(id=lease, spans=tuple(spans))
        self._open[lease] = _Lease(view, row)
        self._listener.opened(view, [self._nodes[span.node] for span in spans])

    def mark_passed(self, lease: LeaseId, point: Point) -> None:
        """Note that a running lease leaves nothing behind at a point; of one that has ended, that says nothing."""
        known = self._open.get(lease)
        if known is not None:
            known.view = changed(known.view, passed=known.view.passed | {point})
            self._listener.passed(lease, point)

    def close(self, lease: LeaseId, how: LeaseEnd, *, ended_at: float | None = None) -> None:
        """End a lease, if it is open, and write down how it ended, and when; None: nobody saw when that was."""
        known = self._open.pop(lease, None)
        if known is None:
            return
        if how != LeaseEnd.DONE:
            self._note_lost(known.view.spans)
        self._listener.closed(lease)
        self._changes.append(Update(changed(known.row, ended=how, ended_at=ended_at)))

    def restore(self, row: LeaseRow) -> LeaseRow | None:
        """Take up a lease of an earlier epoch that is not done; return its row if it must be ended now."""
        self._note_lost(Span(node=NodeId(node), start=a, stop=b) for node, a, b in json.loads(row.spans))
        return None if row.ended else changed(row, ended=LeaseEnd.VOID)

    def was_lost(self, node: Node, step: int) -> bool:
        """Tell whether a step was under way when work was lost."""
        return any(start < step <= stop for start, stop in self._lost.get(node.id, ()))

    def has_passed_boundary(self, node: Node, step: int) -> bool:
        """Tell whether a step is walked by a lease to which a boundary was named too late."""
        return any(
            span.node == node.id and span.start < step <= span.stop
            for lease in self._open.values()
            if lease.view.passed
            for span in lease.view.spans
        )

    def _note_lost(self, spans: Iterable[Span]) -> None:
        for span in spans:
            self._lost.setdefault(span.node, []).append((span.start, span.stop))


def spans_to_text(spans: Iterable[Span]) -> str:
    """Return spans as JSON."""
    return str([[span.node, span.start, span.stop] for span in spans])  # of whole numbers that is JSON
