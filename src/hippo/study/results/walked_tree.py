"""Which trials walk each node of a study's tree, kept from reading to reading; whoever draws a tree asks for a part.

Most of what a tree costs is what is said of each node. A picture holds some thousand of them; so who walks where is
known of all, and rows are made of those that are drawn. This module refuses to know how they are drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Set

from hippo.collector import collector_paused
from hippo.hparams import Piece
from hippo.plan import TrialRow
from hippo.study.results.path_facts import PathFacts, names_trained_in
from hippo.study.results.study_view import StudyView, TreeRow
from hippo.study.results.trial_changes import NO_LOOK, TrialKey, changed_since

#: a node of a member
NodeKey = tuple[str, int]


class WalkedTree:
    """The nodes that the trials of one study walk. It takes later and later views of that study, on one thread."""

    def __init__(self) -> None:
        self._view: StudyView | None = None
        #: the trials whose ways are known, and those that have none so far
        self._rows: dict[TrialKey, TrialRow] = {}
        self._unknown: set[TrialKey] = set()
        #: node -> number of each trial that walks it -> how far it is asked to go there
        self._stops: dict[NodeKey, dict[int, int]] = {}
        #: node -> its steps as far as trials ask for them, and those of all; of nodes among `_walked_anew`, of before
        self._steps: dict[NodeKey, int] = {}
        self._distinct = 0
        self._walked_anew: set[NodeKey] = set()
        #: what a node begins with: it never changes
        self._values: dict[NodeKey, str] = {}

    def take(self, view: StudyView) -> None:
        """Learn what changed since the last view."""
        if view is self._view:
            return
        with collector_paused():
            known, facts = self._rows, view.facts
            last = NO_LOOK if self._view is None else self._view.look
            for key in {*changed_since(view, last), *self._unknown}:
                row, before = view.rows[key], known.get(key)
                paths = facts[row.member]
                if before is not None:
                    if (before.node, before.until) == (row.node, row.until):
                        known[key] = row
                        continue
                    self._forget(before, paths)
                if not paths.is_known(row.node):  # it is looked for again: a trial that never began has none
                    self._unknown.add(key)
                    known.pop(key, None)
                    continue
                self._unknown.discard(key)
                known[key] = row
                for node, _, stop in paths.spans(row.node, row.until):
                    self._stops.setdefault((row.member, node), {})[row.number] = stop
                    self._walked_anew.add((row.member, node))
        self._view = view

    def _forget(self, row: TrialRow, paths: PathFacts) -> None:
        for node, _, _ in paths.spans(row.node, row.until):
            stops = self._stops[row.member, node]
            stops.pop(row.number, None)
            self._walked_anew.add((row.member, node))
            if not stops:
                del self._stops[row.member, node]

    @property
    def nodes(self) -> Collection[NodeKey]:
        """All nodes."""
        return self._stops.keys()

    def parents(self) -> set[NodeKey]:
        """Return the nodes from which others go on."""
        facts = self.view.facts
        return {
            (member, above) for member, node in self._stops if (above := facts[member].begin_of(node)[0]) is not None
        }

    @property
    def distinct_steps(self) -> int:
        """How many steps there are in all nodes, each once, as far as trials ask for them."""
        caches = self.view.caches
        for key in self._walked_anew:
            member, node = key
            stops = self._stops.get(key)
            steps = max(stops.values()) - caches[member].trained_from(node) if stops else 0
            self._distinct += steps - self._steps.get(key, 0)
            self._steps[key] = steps
        self._walked_anew.clear()
        return self._distinct

    def most_shared(self, most: int, *, of: str | None = None) -> list[NodeKey]:
        """Return the nodes through which most trials go, in the order of the tree: with each node all above it.

        Args:
          most: how many at most.
          of: only those of this member; None: of all.
        """
        own = self._stops if of is None else {key: stops for key, stops in self._stops.items() if key[0] == of}
        if len(own) <= most:
            return self.in_order(own)
        # more trials go through a parent, or as many, and it stands before its children
        least = sorted(map(len, own.values()), reverse=True)[most - 1]
        more = [key for key, stops in own.items() if len(stops) > least]
        as_many = self.in_order(key for key, stops in own.items() if len(stops) == least)
        return self.in_order([*more, *as_many[: most - len(more)]])

    def in_order(self, nodes: Iterable[NodeKey]) -> list[NodeKey]:
        """Return nodes in the order of the tree: parents before children."""
        members = {member: place for place, member in enumerate(self.view.plans)}
        if len(members) == 1:
            return sorted(nodes)
        return sorted(nodes, key=lambda key: (members[key[0]], key[1]))

    def walked_by(self, numbers: Set[int]) -> list[NodeKey]:
        """Return the nodes that some of these trials walk, in the order of the tree."""
        facts, rows = self.view.facts, self._rows
        found: set[NodeKey] = set()
        for key in itertools.product(numbers, self.view.plans):
            row = rows.get(key)
            if row is not None:
                found.update((row.member, node) for node, _, _ in facts[row.member].spans(row.node, row.until))
        return self.in_order(found)

    def furthest(self, nodes: Iterable[NodeKey]) -> set[int]:
        """Return the numbers of some trials: for each of these nodes one that came furthest in it."""
        found: set[int] = set()
        for member, node in nodes:
            stops = self._stops[member, node]

            def came(number: int, member: str = member, stops: Mapping[int, int] = stops) -> tuple[int, int]:
                return min(stops[number], self._rows[number, member].step), stops[number]

            found.add(max(stops, key=came))
        return found

    def trained_names(self, nodes: Collection[NodeKey]) -> set[str]:
        """Return the names of what `train()` returned in the first step known of each of these nodes."""
        by_member: dict[str, set[int]] = {}
        for member, node in nodes:
            by_member.setdefault(member, set()).add(node)
        return {name for member, own in by_member.items() for name in names_trained_in(self.view.facts[member], own)}

    def rows(self, nodes: Collection[NodeKey], *, with_values: bool = True) -> list[TreeRow]:
        """Return what `StudyView.tree` says of these nodes, in their order.

        Which states are kept is looked up when it is asked for: states come and go.

        Args:
          nodes: which.
          with_values: say what each begins with; else it is empty, unless it was said before.
        """
        with collector_paused():
            by_member: dict[str, dict[int, Mapping[int, int]]] = {}
            for member, node in nodes:
                by_member.setdefault(member, {})[node] = self._stops[member, node]
            rows = (
                self.view.tree_rows(member, stops, self._values, with_values=with_values)
                for member, stops in by_member.items()
            )
            return [row for own in rows for row in own]

    def pieces(self, member: str, node: int) -> Mapping[str, Piece]:
        """Return the pieces in force in a node, by hyper-parameter."""
        return self.view._reader.pieces(member, [node])[node]

    @property
    def view(self) -> StudyView:
        """The view that was taken last."""
        assert self._view is not None, "it was given a view first"
        return self._view
