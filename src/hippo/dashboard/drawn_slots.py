"""What slots did when, as the page draws it: of very many bars the last ones. This module refuses to know the web."""

from __future__ import annotations

from typing import Any

from hippo.study import LeaseState, Study
from hippo.study.results.walked_tree import WalkedTree
from hippo.views import SlotBar, slot_times

#: bars of slots, and spans of one that are named
_MOST_BARS, _MOST_SPANS = 4_000, 4


def slots_answer(study: Study, tree: WalkedTree, now: float) -> dict[str, Any]:
    """Return what each slot did when, as columns, an entry for each bar; of very many, the last ones.

    Args:
      study: whose.
      tree: its nodes.
      now: in seconds since the epoch.
    """
    times = slot_times(study.leases(), tree.nodes, now=now, most=_MOST_BARS)
    places, bars = {use.slot: place for place, use in enumerate(times.slots)}, times.bars
    return {
        "runs": times.runs,
        "began_at": times.began_at,
        "span_s": times.span_s,
        "from_s": min((bar.began_s for bar in bars), default=0.0),
        "unknown": times.unknown,
        "of": times.of,
        "slots": [
            {
                "slot": use.slot,
                "leases": use.leases,
                "lost": use.lost,
                "busy_s": use.busy_s,
                "idle_s": use.idle_s,
                "present_s": use.present_s,
            }
            for use in times.slots
        ],
        "slot": [places[bar.slot] for bar in bars],
        "member": [bar.member for bar in bars],
        "lease": [bar.lease for bar in bars],
        "lane": [bar.lane for bar in bars],
        "lanes": [bar.lanes for bar in bars],
        "width": [bar.width for bar in bars],
        "state": [bar.state.value for bar in bars],
        "kind": [_kind(bar) for bar in bars],
        "began_s": [round(bar.began_s, 4) for bar in bars],
        "ended_s": [None if bar.ended_s is None else round(bar.ended_s, 4) for bar in bars],
        "said": [_walked(bar) for bar in bars],
    }


def _kind(bar: SlotBar) -> int:
    """Return which colour a bar has: 0 what was lost, 1 what runs, 2 another study's, 3 all else."""
    if bar.state is LeaseState.LOST:
        return 0
    if bar.state is LeaseState.RUNNING:
        return 1
    return 3 if bar.is_own else 2


def _walked(bar: SlotBar) -> str:
    spans = [f"node {span.node}, steps {span.start} to {span.stop}" for span in bar.spans[:_MOST_SPANS]]
    return "\n".join(spans) + (f"\nand {len(bar.spans) - _MOST_SPANS} more" if len(bar.spans) > _MOST_SPANS else "")
