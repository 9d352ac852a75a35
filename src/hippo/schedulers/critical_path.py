"""The critical path first: Hippo, section 4.3.

The longest remaining way from anything that can start now to a leaf goes to a slot as a whole, so that what decides
the end of the study starts first, and a state that can stay on its device does.
"""

from __future__ import annotations

from collections.abc import Sequence

from hippo.schedulers.scheduler import StageChain
from hippo.stages import StageTree


class CriticalPath:
    """Picks the longest estimated root-to-leaf chains; ties go to the earlier tree, node and step."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[StageChain]:
        """Return up to `limit` whole chains, and as many more as are bound to slots, the longest first."""
        limit += sum(tree.num_bound for tree in trees)
        roots = [(index, stage) for index, tree in enumerate(trees) for stage in tree.ready(limit)]
        if len(trees) > 1:  # one tree says what is ready in this very order
            roots.sort(key=lambda root: (-trees[root[0]].length(root[1].point), root[0], root[1].point))
        return [StageChain(index, trees[index].longest_path(stage.point)) for index, stage in roots[:limit]]
