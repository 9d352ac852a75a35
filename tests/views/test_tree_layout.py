"""Nodes are drawn where nothing lies on anything else, for any tree."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.study import TreeRow
from hippo.views import TreeLine, tree_layout


def row(node: int, parent: int | None, start: int, stop: int, member: str = "") -> TreeRow:
    return TreeRow(
        node=node, parent=parent, start=start, stop=stop, values="", trials=(node,), checkpoints=(), metrics={},
        member=member,
    )  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> list[TreeRow]:
    """Return the nodes of a tree, or of several; a node begins where its parent was walked, or at its end."""
    rows: list[TreeRow] = []
    for node in range(1, draw(st.integers(1, 25)) + 1):
        parent = draw(st.sampled_from([None, *rows]))
        start = 0 if parent is None else draw(st.integers(parent.start, parent.stop))
        rows.append(row(node, None if parent is None else parent.node, start, start + draw(st.integers(0, 9))))
    return rows


def lies_on(one: TreeLine, other: TreeLine) -> bool:
    return one.line == other.line and max(one.start, other.start) < min(one.stop, other.stop)


@given(trees())
def test_each_node_has_a_line_and_no_two_lie_on_one_another(rows: list[TreeRow]) -> None:
    layout = tree_layout(rows)
    assert sorted(each.row.node for each in layout.lines) == sorted(each.node for each in rows)
    lines = layout.lines
    assert not [(one, other) for i, one in enumerate(lines) for other in lines[:i] if lies_on(one, other)]
    assert {each.line for each in lines} == set(range(layout.height))
    assert layout.width == max(each.stop for each in lines)


@given(trees())
def test_a_branch_leaves_its_parent_where_that_is_and_crosses_no_line_on_its_way(rows: list[TreeRow]) -> None:
    layout = tree_layout(rows)
    by_node = {each.row.node: each for each in layout.lines}
    for each in layout.lines:
        if each.row.parent is None:
            assert each.from_line is None
            continue
        parent = by_node[each.row.parent]
        assert each.from_line == parent.line <= each.line
        assert parent.start <= each.start <= parent.stop
        passed = [other for other in layout.lines if parent.line < other.line < each.line]
        assert not [other for other in passed if other.start < each.start < other.stop]


@given(trees())
def test_it_is_the_same_every_time(rows: list[TreeRow]) -> None:
    assert tree_layout(rows) == tree_layout(list(rows))


def test_one_way_is_one_line_however_often_it_changes() -> None:
    rows = [row(1, None, 0, 5), row(2, 1, 5, 9), row(3, 2, 9, 12)]
    assert [each.line for each in tree_layout(rows).lines] == [0, 0, 0]


def test_members_of_a_study_are_trees_of_their_own() -> None:
    rows = [row(1, None, 0, 5, "seed 0"), row(2, 1, 5, 9, "seed 0"), row(1, None, 0, 5, "seed 1")]
    layout = tree_layout(rows)
    assert [(each.row.member, each.row.node, each.line) for each in layout.lines] == [
        ("seed 0", 1, 0),
        ("seed 0", 2, 0),
        ("seed 1", 1, 1),
    ]


def test_a_part_of_a_tree_without_its_parent_is_refused() -> None:
    with pytest.raises(ValueError, match="parent 1"):
        tree_layout([row(2, 1, 3, 4)])


def test_nothing_is_an_empty_picture() -> None:
    layout = tree_layout([])
    assert (layout.lines, layout.height, layout.width) == ((), 0, 0)


def test_a_chain_as_deep_as_any_is_drawn_and_ten_thousand_nodes_take_a_moment() -> None:
    chain = [row(node, node - 1 or None, node - 1, node) for node in range(1, 5_001)]
    wide = [row(5_000 + node, 5_000, 5_000, 5_010) for node in range(1, 5_001)]
    began = time.process_time()
    layout = tree_layout([*chain, *wide])
    assert time.process_time() - began < 5  # 0.05 s on most machines
    assert layout.height == 5_000
