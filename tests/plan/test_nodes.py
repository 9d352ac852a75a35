"""A node of the plan: which part of a path is its own, who ran it, what keeps a path from going on, what it took."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from hippo.plan import Node
from hippo.plan.nodes import view_of
from hippo.records import CheckpointRef, Failure, LeaseId, NodeId, SlotId


def chain(*starts: int) -> list[Node]:
    """Return nodes that begin at 0 and at these steps, each the child of the one before it."""
    nodes = [Node(NodeId(1), None, 0, {})]
    for number, start in enumerate(starts, start=2):
        nodes.append(Node(NodeId(number), nodes[-1], start, {}))
    return nodes


ascending = st.lists(st.integers(1, 12), unique=True, max_size=4).map(sorted)


def failure(node: Node, step: int) -> Failure:
    return Failure(node=node.id, step=step, method="train", error="ValueError: no")


def test_the_state_where_a_child_begins_is_its_parents() -> None:
    root, child = chain(5)
    assert child.owner_of(5) is root
    assert child.owner_of(6) is child


@given(ascending, st.integers(1, 15))
def test_a_path_is_cut_into_the_parts_of_its_nodes_and_each_step_belongs_to_the_part_it_lies_in(
    starts: list[int], until: int
) -> None:
    tip = chain(*starts)[-1]
    steps = [(node, step) for node, start, stop in tip.spans(until) for step in range(start + 1, stop + 1)]
    assert [step for _, step in steps] == list(range(1, until + 1))
    assert all(tip.owner_of(step) is node for node, step in steps)


def test_a_failure_concerns_the_very_step_that_failed_and_all_after_it() -> None:
    (root,) = chain()
    root.failures = (failure(root, 3),)
    assert root.failure_before(2) is None
    assert root.failure_before(3) is root.failures[0]
    assert root.failure_before(9) is root.failures[0]


def test_a_failure_concerns_a_child_that_begins_at_the_step_that_failed_and_none_that_begins_before() -> None:
    root, at_failure = chain(3)
    _, before = chain(2)
    before.parent = root
    root.failures = (failure(root, 3),)
    assert at_failure.failure_before(9) is root.failures[0]
    assert before.failure_before(9) is None


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 3))))
def test_every_run_of_a_step_is_known_by_its_lease(runs: list[tuple[int, int]]) -> None:
    (node,) = chain()
    for step, lease in runs:
        node.runs.add(step, LeaseId(lease))
    every = [(step, lease) for step in range(11) for lease in range(5)]
    assert {each for each in every if node.runs.has_by(each[0], LeaseId(each[1]))} == set(runs)
    assert {step for step in range(11) if node.runs.has(step)} == {step for step, _ in runs}


def test_steps_that_a_lease_runs_in_a_row_are_one_entry_however_many() -> None:
    (node,) = chain()
    for step in range(1, 1000):
        node.runs.add(step, LeaseId(1))
    assert node.runs == [(1, 999, 1)]


def test_whoever_asks_for_less_after_more_pays_for_less() -> None:
    (node,) = chain()
    node.seconds.update(dict.fromkeys(range(1, 9), 1.0))
    assert [node.seconds_until(step) for step in (8, 3, 5, 8)] == [8.0, 3.0, 5.0, 8.0]


looks = st.tuples(st.just("look"), st.integers(1, 12), st.integers(0, 4))
costs = st.tuples(st.just("cost"), st.integers(1, 12), st.integers(1, 9))


@given(ascending, st.lists(st.one_of(looks, costs), max_size=30))
def test_a_path_took_what_its_steps_took_whenever_and_from_wherever_it_is_asked(
    starts: list[int], moves: list[tuple[str, int, int]]
) -> None:
    """Sums are kept while they grow, and seconds of earlier steps may be told late, though each only once."""
    nodes = chain(*starts)
    taken: dict[int, int] = {}
    for what, step, number in moves:
        if what == "cost" and step not in taken:
            taken[step] = number
            nodes[-1].owner_of(step).seconds[step] = number
        elif what == "look":
            below = nodes[nodes.index(nodes[-1].owner_of(step)) :]  # whoever's path this step is part of
            tip = below[number % len(below)]
            assert tip.seconds_until(step) == sum(seconds for at, seconds in taken.items() if at <= step)


def test_a_view_of_a_node_says_what_it_says_in_order_and_does_not_change_with_it() -> None:
    root, child = chain(2)
    for step in (9, 4, 7):
        child.metrics[step] = {}
        child.add_request(step, 1, evaluate=True)
        child.want_state(step, 1)
        child.add_checkpoint(step, CheckpointRef(key=str(step), size_bytes=1, sha256="", state_hash=""))
    above = view_of(root, None)
    view = view_of(child, above)
    child.remove_checkpoint(7)
    assert (view.metrics, view.requests, view.state_requests, view.states) == ((4, 7, 9),) * 4
    assert view.parent is above


changes = st.tuples(st.sampled_from(["file", "a", "b"]), st.booleans(), st.integers(1, 3))


@given(st.lists(changes, max_size=30))
def test_a_state_is_there_as_long_as_a_file_or_a_slot_holds_it(made: list[tuple[str, bool, int]]) -> None:
    (root,) = chain()
    held: set[tuple[str, int]] = set()
    for where, is_added, step in made:
        before = {at for _, at in held}
        (held.add if is_added else held.discard)((where, step))
        after = {at for _, at in held}
        if where != "file":
            change = root.add_resident if is_added else root.remove_resident
            assert change(step, SlotId(where)) is (before != after)
        elif is_added:
            root.add_checkpoint(step, CheckpointRef(key=str(step), size_bytes=1, sha256="", state_hash=""))
        elif step in root.checkpoints:
            root.remove_checkpoint(step)
        assert list(root.states) == sorted(after)
