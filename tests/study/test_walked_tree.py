"""A tree that is kept from reading to reading is the one that a fresh reading has, whatever trials do in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import hippo
from hippo.plan import TrialRow
from hippo.study.results.trial_changes import TrialChanges
from hippo.study.results.walked_tree import WalkedTree
from hippo.testing.fake_engine import FakeEngine

from .looks import LooksInBetween

CONFIGS = [
    {"lr": rate if at == 9 else hippo.MultiStep(rate, [at], 0.1), "momentum": momentum}
    for rate in (0.1, 0.2)
    for at in (2, 4, 9)
    for momentum in (0.5, hippo.MultiStep(0.5, [3], 0.5))
]


def made(seeds: int) -> hippo.Study:
    many = {"seeds": list(range(seeds))} if seeds > 1 else {}
    return hippo.create_study("s", trainer="hippo.testing.trainers:ToyTrainer", storage="memory://", metric="loss",
                              checkpoints="memory://", mode="min", engine=FakeEngine(slots=2), **many)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(
    rounds=st.lists(
        st.lists(st.tuples(st.sampled_from(range(len(CONFIGS))), st.integers(1, 8)), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    ),
    seeds=st.sampled_from([1, 2]),
)
def test_it_is_the_tree_of_the_last_view(rounds: list[list[tuple[int, int]]], seeds: int) -> None:
    study, tree = made(seeds), WalkedTree()
    for asked in rounds:
        for config, until in asked:
            study.evaluate(CONFIGS[config], until=until)
        tree.take(study.read())
        rows = study.tree()
        assert tree.rows(tree.most_shared(1_000)) == rows
        assert len(tree.nodes) == len(rows)
        assert tree.distinct_steps == sum(row.stop - row.start for row in rows)
        for most in range(1, len(rows)):
            few = tree.rows(tree.most_shared(most))
            kept = {(row.member, row.node) for row in few}
            assert len(few) == most
            assert few == [row for row in rows if (row.member, row.node) in kept]
            assert all(row.parent is None or (row.member, row.parent) in kept for row in few)
            left = [len(row.trials) for row in rows if (row.member, row.node) not in kept]
            assert min(len(row.trials) for row in few) >= max(left)
        for number in (0, len(study.trials) - 1):
            walked = tree.rows(tree.walked_by({number}))
            assert walked == [row for row in rows if number in row.trials]
    study.close()


def test_a_trial_that_is_asked_further_walks_on_and_older_views_stay_as_they_were() -> None:
    study, tree, lengths = made(1), WalkedTree(), list[int]()
    before = study.read()

    def look() -> None:
        tree.take(study.read())
        rows = study.tree()
        assert tree.rows(tree.most_shared(1_000)) == rows
        lengths.append(rows[-1].stop)

    tree.take(before)
    assert tree.rows(tree.most_shared(10)) == []
    study.optimize(LooksInBetween([(CONFIGS[1], until) for until in (1, 3, 3, 8)], look))
    assert lengths == [1, 3, 3, 8]
    assert before.tree() == []
    study.close()


@dataclass
class OneTrial:
    """What `WalkedTree.take` asks of a view, of one trial whose path is said."""

    node: int
    until: int
    look: int
    #: of its reader
    changes: Any

    @property
    def _reader(self) -> Any:
        return self

    @property
    def rows(self) -> Any:
        row = TrialRow(study=1, number=0, call=0, config="{}", occurrence=0, node=self.node, until=self.until, step=0,
                       state="RUNNING")  # fmt: skip
        return {(0, ""): row}

    @property
    def facts(self) -> Any:
        return {"": self}

    def is_known(self, node: int) -> bool:
        return node > 0

    def spans(self, node: int, until: int) -> list[tuple[int, int, int]]:
        return [(span, start, min(stop, until)) for span, start, stop in PATH if start < until and span <= node]


PATH = [(1, 0, 4), (2, 4, 8)]


def test_a_trial_that_is_asked_for_less_leaves_the_nodes_that_it_does_not_come_to() -> None:
    tree, changes = WalkedTree(), TrialChanges()
    for node, until, walked in ((0, 3, []), (2, 8, [1, 2]), (2, 3, [1]), (1, 4, [1])):
        is_found = until == 8  # a way that was not known is looked for again, though the trial did not change
        changes.take([] if is_found else [(0, "")])
        view: Any = OneTrial(node, until, changes.looks, changes)
        tree.take(view)
        assert [number for _, number in tree.nodes] == walked
