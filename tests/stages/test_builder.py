"""The vectors V1 to V11: what the corrected Algorithm 1 must say, and what the printed one says wrongly."""

from __future__ import annotations

import itertools

from hippo.records import AfterStage, AtCheckpoint, AtResident, Fresh, LeaseId, NodeId, Underway
from hippo.schedulers import CriticalPath
from hippo.stages import build_stage_tree

from .vectors import H1, H2, H3, H4, figure_6, lease, plan, rows, view

FIGURE_3 = (  # node id, start, parent, requests
    view(1, 0),  # A: 0.1
    view(2, 100, 1, requests=(300,)),  # B: 0.05
    view(3, 200, 2, requests=(300,)),  # C: 0.02
    view(4, 200, 2, requests=(300,)),  # D: 0.01
    view(5, 200, 1, requests=(300,)),  # E: 0.01
)


def test_v1_different_first_values_make_two_roots() -> None:
    tree = build_stage_tree(
        plan(view(1, 0), view(2, 0), view(3, 100, 1, requests=(200,)), view(4, 100, 2, requests=(200,)))
    )
    assert rows(tree) == {
        (1, 0, 100, Fresh()),
        (2, 0, 100, Fresh()),
        (3, 100, 200, AfterStage((NodeId(1), 100))),
        (4, 100, 200, AfterStage((NodeId(2), 100))),
    }


def test_v2_figure_3_becomes_the_stage_tree_of_figure_4() -> None:
    tree = build_stage_tree(plan(*FIGURE_3))
    a, b = NodeId(1), NodeId(2)
    assert rows(tree) == {
        (1, 0, 100, Fresh()),  # A1
        (1, 100, 200, AfterStage((a, 100))),  # A2
        (2, 100, 200, AfterStage((a, 100))),  # B1
        (2, 200, 300, AfterStage((b, 200))),  # B2
        (3, 200, 300, AfterStage((b, 200))),  # C
        (4, 200, 300, AfterStage((b, 200))),  # D
        (5, 200, 300, AfterStage((a, 200))),  # E
    }
    assert sum(stage.stop - stage.start for stage in tree.stages.values()) == 700


def test_v3_a_fifth_trial_splits_a_stage_and_changes_nothing_else() -> None:
    tree = build_stage_tree(plan(*FIGURE_3, view(6, 150, 1, requests=(300,))))
    a = NodeId(1)
    of_a_and_f = {row for row in rows(tree) if row[0] in (1, 6)}
    assert of_a_and_f == {
        (1, 0, 100, Fresh()),
        (1, 100, 150, AfterStage((a, 100))),  # A3
        (1, 150, 200, AfterStage((a, 150))),  # A4
        (6, 150, 300, AfterStage((a, 150))),  # F
    }
    assert sum(stage.stop - stage.start for stage in tree.stages.values()) == 850


def test_v3_a_branch_below_a_passed_boundary_resumes_from_the_checkpoint_before_it() -> None:
    done = view(1, 0, checkpoints=(100, 200))
    tree = build_stage_tree(plan(done, view(6, 150, 1, requests=(300,))))
    assert rows(tree) == {(1, 100, 150, AtCheckpoint(H1, 100)), (6, 150, 300, AfterStage((H1, 150)))}


def test_v5_figure_6_becomes_the_stage_tree_of_figure_7() -> None:
    assert rows(build_stage_tree(figure_6())) == {
        (1, 10, 15, AtCheckpoint(H1, 10)),
        (1, 20, 30, AtCheckpoint(H1, 20)),
        (2, 20, 25, AtCheckpoint(H2, 20)),
        (3, 30, 35, AtCheckpoint(H3, 30)),
        (3, 35, 40, AfterStage((H3, 35))),
        (4, 40, 50, AfterStage((H3, 40))),
    }


def literal_algorithm_1(nodes: list[tuple[int, int, int | None, tuple[int, ...], tuple[int, ...]]]) -> dict:
    """The paper's Algorithm 1 as printed, for (id, start, parent, checkpoints, requests)."""
    plan_ = {node: (start, parent, ckpts) for node, start, parent, ckpts, _ in nodes}
    found: dict[tuple[int, int], tuple[int, int]] = {}

    def find(node: int, step: int) -> tuple[int, int] | None:
        start, parent, ckpts = plan_[node]
        if parent is None:  # line 18: the root returns before its checkpoints are looked at
            return (node, step)
        below = [c for c in ckpts if c <= step]
        if below:
            return (node, max(below))
        found_above = find(parent, start)
        if plan_[parent][1] is not None:
            found[(parent, start)] = found_above  # type: ignore[assignment]
        return (parent, start)

    for node, _, parent, _, requests in nodes:
        for request in requests:
            if parent is not None:
                found[(node, request)] = find(node, request)  # type: ignore[assignment]
    return found


def test_v6_the_printed_algorithm_loses_the_root_and_overlaps_and_ours_does_not() -> None:
    printed = literal_algorithm_1(
        [(1, 0, None, (10, 20), (15, 30)), (2, 10, 1, (20,), (25,)), (3, 20, 1, (30,), (35, 40)), (4, 40, 3, (), (50,))]
    )
    # H1's requests are lost, and (30, 35] would run twice
    assert printed == {(2, 25): (2, 20), (3, 35): (3, 30), (3, 40): (3, 30), (4, 50): (3, 40)}
    ours = build_stage_tree(figure_6()).stages
    assert {(H1, 15), (H1, 30)} <= set(ours)
    assert {(node, stop): (node, stage.start) for (node, stop), stage in ours.items()} != printed
    in_h3 = sorted((stage.start, stage.stop) for stage in ours.values() if stage.node == H3)
    assert all(stop <= start for (_, stop), (start, _) in itertools.pairwise(in_h3))


def test_v6_without_checkpoints_the_printed_algorithm_makes_no_root_stage_and_ours_does() -> None:
    printed = literal_algorithm_1(
        [
            (1, 0, None, (), ()),
            (2, 100, 1, (), (300,)),
            (3, 200, 2, (), (300,)),
            (4, 200, 2, (), (300,)),
            (5, 200, 1, (), (300,)),
        ]
    )
    assert printed == {
        (2, 300): (1, 100),
        (2, 200): (1, 100),
        (3, 300): (2, 200),
        (4, 300): (2, 200),
        (5, 300): (1, 200),
    }
    assert rows(build_stage_tree(plan(*FIGURE_3))) >= {(1, 0, 100, Fresh())}


def test_v7_known_metrics_are_answered_without_training() -> None:
    assert build_stage_tree(figure_6(h1=(20,), h2=(), h3=(25,), h4=())).stages == {}


def test_v7_a_checkpoint_beyond_the_request_does_not_help() -> None:
    tree = build_stage_tree(figure_6(h1=(), h2=(), h3=(28,), h4=()))
    assert rows(tree) == {(3, 20, 28, AtCheckpoint(H1, 20))}


RUNNING_H1 = (lease(9, (1, 20, 30)),)


def test_v8_a_request_inside_running_work_waits_for_it() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10, 20), requests=(25,)), leases=RUNNING_H1))
    assert rows(tree) == {(1, 20, 25, Underway(LeaseId(9)))}


def test_v8_a_request_beyond_running_work_is_one_stage_after_its_end() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10, 20), requests=(40,)), leases=RUNNING_H1))
    assert rows(tree) == {(1, 20, 30, Underway(LeaseId(9))), (1, 30, 40, AfterStage((H1, 30)))}


def test_v8_an_exact_checkpoint_wins_over_running_work() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10, 20)), view(2, 20, 1, requests=(50,)), leases=RUNNING_H1))
    assert rows(tree) == {(2, 20, 50, AtCheckpoint(H1, 20))}


def test_v8_a_branch_inside_running_work_waits_for_its_boundary() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10, 20)), view(2, 25, 1, requests=(50,)), leases=RUNNING_H1))
    assert rows(tree) == {(1, 20, 25, Underway(LeaseId(9))), (2, 25, 50, AfterStage((H1, 25)))}


def test_v8_a_boundary_that_came_too_late_is_run_again() -> None:
    late = (lease(9, (1, 20, 30), passed=((1, 25),)),)
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(20,)), view(2, 25, 1, requests=(50,)), leases=late))
    assert rows(tree) == {(1, 20, 25, AtCheckpoint(H1, 20)), (2, 25, 50, AfterStage((H1, 25)))}


def test_v8_a_boundary_that_came_too_late_for_one_lane_is_left_by_the_lane_beside_it() -> None:
    late = (lease(9, (1, 0, 30), (2, 0, 30), passed=((1, 25),)),)
    tree = build_stage_tree(plan(view(1, 0), view(2, 0, requests=(25,)), leases=late))
    assert rows(tree) == {(2, 0, 25, Underway(LeaseId(9)))}


def test_v9_work_lost_with_its_lease_is_in_the_next_tree_from_the_last_checkpoint() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(20, 25), requests=(30,))))
    assert rows(tree) == {(1, 25, 30, AtCheckpoint(H1, 25))}


def test_v11_a_checkpoint_without_metrics_is_only_evaluated() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10, 20), metrics=(10,), requests=(20, 30))))
    assert rows(tree) == {(1, 20, 20, AtCheckpoint(H1, 20)), (1, 20, 30, AtCheckpoint(H1, 20))}


def test_v11_the_building_of_a_chain_of_ten_thousand_nodes_does_not_recurse() -> None:
    chain = [view(i, i, i - 1 if i else None, requests=(10_000,) if i == 9_999 else ()) for i in range(10_000)]
    assert len(build_stage_tree(plan(*chain))) == 10_000


def test_a_stage_behind_running_work_is_not_ready() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(20,), requests=(40,)), leases=RUNNING_H1))
    assert tree.ready(limit=9) == []


def test_a_lost_state_is_made_again_for_whoever_asks_for_the_state_alone() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10,), metrics=(30,), state_requests=(30,))))
    assert rows(tree) == {(1, 10, 30, AtCheckpoint(H1, 10))}


# --- states in memory only, and steps asked for without metrics


def test_v12_a_state_in_memory_only_is_begun_from_where_it_is() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10,), resident=(10, 20), requests=(30,))))
    assert rows(tree) == {(1, 20, 30, AtResident(H1, 20))}


def test_v12_without_its_slot_the_steps_of_a_state_in_memory_are_run_again() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10,), training=(15, 20), requests=(30,))))
    assert rows(tree) == {(1, 10, 30, AtCheckpoint(H1, 10))}


def test_v12_a_branch_begins_at_its_parents_state_in_memory_and_at_the_file_once_there_is_one() -> None:
    branch = view(2, 20, 1, requests=(50,))
    in_memory = build_stage_tree(plan(view(1, 0, resident=(20,)), branch))
    in_file = build_stage_tree(plan(view(1, 0, resident=(20,), checkpoints=(20,)), branch))
    assert rows(in_memory) == {(2, 20, 50, AtResident(H1, 20))}
    assert rows(in_file) == {(2, 20, 50, AtCheckpoint(H1, 20))}


def test_v12_who_asks_for_the_state_itself_has_one_in_memory_written_where_it_is() -> None:
    tree = build_stage_tree(plan(view(1, 0, checkpoints=(10,), resident=(20,), state_requests=(10, 20))))
    assert rows(tree) == {(1, 20, 20, AtResident(H1, 20))}


def test_v12_a_state_in_memory_without_metrics_is_evaluated_where_it_is() -> None:
    tree = build_stage_tree(plan(view(1, 0, resident=(20,), requests=(20,))))
    assert rows(tree) == {(1, 20, 20, AtResident(H1, 20))}


def test_v13_a_step_that_was_trained_answers_who_asks_for_no_metrics() -> None:
    tree = build_stage_tree(plan(view(1, 0, training=(20,), step_requests=(20, 30), checkpoints=(20,))))
    assert rows(tree) == {(1, 20, 30, AtCheckpoint(H1, 20))}


def test_v13_a_step_whose_training_is_not_known_is_run_though_its_state_is_there() -> None:
    tree = build_stage_tree(plan(view(1, 0, training=(10,), step_requests=(20,), checkpoints=(10, 20))))
    assert rows(tree) == {(1, 10, 20, AtCheckpoint(H1, 10))}


def test_v5_critical_paths_come_longest_first_and_ties_go_to_the_smaller_node() -> None:
    lanes = CriticalPath().lanes([build_stage_tree(figure_6())], limit=4)
    points = [[stage.point for stage in lane.stages] for lane in lanes]
    assert points == [[(H3, 35), (H3, 40), (H4, 50)], [(H1, 30)], [(H1, 15)], [(H2, 25)]]


def test_nodes_without_a_step_between_them_begin_from_the_nearest_ancestor_that_has_one() -> None:
    nodes = (view(1, 0, checkpoints=(100,)), view(2, 100, 1), view(3, 100, 2), view(4, 100, 3, requests=(200,)))
    assert rows(build_stage_tree(plan(*nodes))) == {(4, 100, 200, AtCheckpoint(NodeId(1), 100))}
