"""Work under way, and work that was lost: who walks which stretch of which node."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hippo.plan.nodes import Node
from hippo.plan.rows import LeaseEnd, LeaseRow
from hippo.records import LeaseId, LeaseView, NodeId, Point, Span


@dataclass(slots=True)
class _Lease:
    view: LeaseView
    row: LeaseRow


class LeaseBook:
    """The leases of one plan."""

    def __init__(self) -> None:
        self._open: dict[LeaseId, _Lease] = {}
        self._lost: dict[NodeId, list[tuple[int, int]]] = {}
        #: the largest number that a lease of this plan ever had
        self.last = 0

    def views(self) -> list[LeaseView]:
        """Return the leases that are open."""
        return [lease.view for lease in self._open.values()]

    def open(self, row: LeaseRow, spans: Sequence[Span]) -> LeaseView:
        """Begin a lease, under a number larger than `last`, and return it."""
        assert row.lease > self.last, f"lease {row.lease} is not larger than {self.last}"
        self.last = row.lease
        lease = self._open[LeaseId(row.lease)] = _Lease(LeaseView(id=LeaseId(row.lease), spans=tuple(spans)), row)
        return lease.view

    def mark_passed(self, lease: LeaseId, point: Point) -> bool:
        """Note that a lease leaves nothing behind at a point; return whether it is open: else that says nothing."""
        known = self._open.get(lease)
        if known is None:
            return False
        known.view = replace(known.view, passed=known.view.passed | {point})
        return True

    def close(self, lease: LeaseId, how: LeaseEnd) -> LeaseRow | None:
        """End a lease and return its row as it is now; None if it was not open."""
        known = self._open.pop(lease, None)
        if known is None:
            return None
        if how != LeaseEnd.DONE:
            self._note_lost(known.view.spans)
        return replace(known.row, ended=how)

    def restore(self, row: LeaseRow) -> LeaseRow | None:
        """Take up a lease of an earlier epoch; return its row if it must be ended now: its study is gone."""
        self.last = max(self.last, row.lease)
        if row.ended == LeaseEnd.DONE:
            return None
        self._note_lost(Span(node=NodeId(node), start=a, stop=b) for node, a, b in json.loads(row.spans))
        return None if row.ended else replace(row, ended=LeaseEnd.VOID)

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
    return json.dumps([[span.node, span.start, span.stop] for span in spans])
