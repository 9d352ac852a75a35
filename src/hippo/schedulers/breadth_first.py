"""Stage by stage, the one that begins earliest first: the simple policy that Hippo, section 4.3, decides against."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from hippo.schedulers.scheduler import StageChain
from hippo.stages import StageTree


class BreadthFirst:
    """Picks single stages by (start, tree, node, stop)."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[StageChain]:
        """Return up to `limit` chains of one stage each, and as many more as are bound to slots."""
        limit += sum(tree.num_bound for tree in trees)
        ready = ((stage.start, index, stage.point) for index, tree in enumerate(trees) for stage in tree.all_ready())
        return [StageChain(index, (trees[index].stages[point],)) for _, index, point in heapq.nsmallest(limit, ready)]
