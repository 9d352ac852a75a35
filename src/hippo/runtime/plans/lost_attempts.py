"""Attempts that came to nothing through no fault of a trial: a worker died, or memory ran out.

They are counted as long as this process lives and are no facts: the next process may have another machine.
"""

from __future__ import annotations

from collections.abc import Iterable

from hippo.plan import Shape
from hippo.records import LeaseId, NodeId, Point, Span, Stage

#: a stage may be lost with its worker so many times before it fails. From a later state it is another one: who came on
#: is not what kills its workers, and long stages on machines that come and go would be given up
MOST_LOSSES = 3


class LostAttempts:
    """How often work of one plan was lost, and where resources ran out."""

    def __init__(self) -> None:
        #: the leases that each was lost with: a word that comes twice tells of one loss
        self._lost: dict[Span | Point | Shape, set[LeaseId]] = {}
        #: nodes on which memory ran out, perhaps because of what ran beside them
        self._crowded: set[NodeId] = set()

    def is_one_too_many(self, at: Span | Point | Shape, lease: LeaseId) -> bool:
        """Count a loss of a stage, of resources in a step, or of who decided how lanes of a shape are walked.

        Returns:
          Whether it was one too many.
        """
        leases = self._lost.setdefault(at, set())
        leases.add(lease)
        return len(leases) >= MOST_LOSSES

    def is_suspect(self, stage: Stage) -> bool:
        """Tell whether a stage is to be walked without company: its next loss may be one too many, or memory ran out.

        What several lanes are lost with counts for each of them, and only one may be to blame.
        """
        span = Span(node=stage.node, start=stage.start, stop=stage.stop)
        is_last_attempt = len(self._lost.get(span, ())) >= MOST_LOSSES - 1
        return is_last_attempt or stage.node in self._crowded

    def note_crowded(self, node: NodeId) -> None:
        """Note that resources ran out on a node: from now on it runs by itself."""
        self._crowded.add(node)

    @property
    def has_crowded(self) -> bool:
        """Whether resources ever ran out."""
        return bool(self._crowded)

    def is_crowded(self, stages: Iterable[Stage]) -> bool:
        """Tell whether resources ran out in one of these stages before."""
        return bool(self._crowded) and any(stage.node in self._crowded for stage in stages)
