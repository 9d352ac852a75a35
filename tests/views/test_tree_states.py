"""What remains of a study is what was asked for and never run, and each part of its tree is in the state it is in."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.plan import Insert, LeaseRow, MemoryStore, PlanRow
from hippo.records import Snapshot
from hippo.stages import build_stage_tree
from hippo.study import StretchLeft, TreeRow, WorkLeft
from hippo.study.results import remaining
from hippo.study.results.slot_leases import running_leases
from hippo.testing.gated_trainer import GatedTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.views import NodeStates, StretchState, tree_states

from .gated import TWO, AsksTogether, caught_study


def row(node: int, parent: int | None, start: int, stop: int) -> TreeRow:
    return TreeRow(node=node, parent=parent, start=start, stop=stop, values="", trials=(0,), checkpoints=(), metrics={})


def left(node: int, start: int, stop: int, *, is_running: bool = False) -> StretchLeft:
    return StretchLeft(member="", node=node, start=start, stop=stop, is_running=is_running)


def parts(found: NodeStates) -> list[tuple[int, int, str]]:
    return [(each.start, each.stop, each.state.value) for each in found.stretches]


def states(rows: list[TreeRow], work: WorkLeft) -> dict[int, tuple[list[tuple[int, int, str]], str]]:
    return {each.row.node: (parts(each), each.end.value) for each in tree_states(rows, work)}


def test_a_running_study_tells_what_a_slot_has_been_given_what_waits_and_the_longest_chain(tmp_path: Path) -> None:
    with caught_study(tmp_path, AsksTogether(TWO)) as (study, trained):
        work, rows, progress = study.work_left(), study.tree(), trained._progress()
        assert progress is not None
        assert work.steps == progress.steps_left  # what the terminal's bar says
        assert work.seconds is not None
        assert work.seconds == pytest.approx(
            progress.seconds_left, rel=0.5
        )  # which learns as steps come, and uses it later
        trunk, first, second = (each.node for each in rows)
        assert work.steps == 2 + 2 + 5 + 2  # of the trunk up to 4, and to 6; of each branch
        assert [(each.node, each.start, each.stop) for each in work.longest] == [(trunk, 2, 4), (first, 4, 9)]
        assert (work.longest_trial, work.slots, work.is_worked_on, work.may_ask_more) == (0, 1, True, False)
        assert work.seconds is not None
        assert work.longest_seconds is not None
        assert work.longest_seconds == pytest.approx(work.seconds * 7 / 11)
        found = states(rows, work)
        running = [each for each in work.stretches if each.is_running]
        assert (trunk, 2) in [(each.node, each.start) for each in running]
        assert found[trunk][0][:2] == [(0, 2, "done"), (2, running[0].stop, "running")]
        assert {found[node][1] for node in (first, second)} <= {"running", "waiting"}
        assert "waiting" in {state for parts, _ in found.values() for *_, state in parts}
    after = hippo.load_study("caught", f"sqlite:///{tmp_path}/hippo.db")
    assert after.work_left().stretches == ()
    assert not after.work_left().is_worked_on
    assert {(tuple(own), end) for own, end in states(after.tree(), after.work_left()).values()} == {
        (((0, 6, "done"),), "done"), (((4, 9, "done"),), "done"), (((6, 8, "done"),), "done"),
    }  # fmt: skip


class BranchesOff(hippo.Tuner):
    """Has three branches walked from step 3 on, for two steps."""

    asks_branches = True

    async def tune(self, ask: hippo.Ask) -> None:
        path = hippo.Config({"lr": 0.1})
        async with ask.branching(await ask(path, until=3)) as lanes:
            await lanes.all([path.switch(at=3, lr=rate) for rate in (0.2, 0.3, 0.4)], until=5)


class GatedBranch(GatedTrainer):
    """Stands still in the second branch alone: the first one is trained to find out how lanes are walked."""

    def train(self) -> dict[str, float]:
        return super().train() if self.hp["lr"] == 0.3 else ToyTrainer.train(self)


@pytest.mark.filterwarnings("ignore:lanes of .* are walked one by one")
def test_of_branches_what_remains_is_counted_from_the_state_at_which_they_begin(tmp_path: Path) -> None:
    with caught_study(tmp_path, BranchesOff(), gate_at=4, node=3, trainer=GatedBranch) as (study, trained):
        work, progress = study.work_left(), trained._progress()
        assert progress is not None
        assert work.steps == progress.steps_left == 1 + 2
        _, root, *branches = study.tree()
        found = {(each.row.member, each.row.node): each for each in tree_states(study.tree(), work)}
        assert (parts(found[root.member, root.node]), found[root.member, root.node].end.value) == ([], "done")
        of_branches = [parts(found[row.member, row.node]) for row in branches]
        assert sum((each[1] - each[0] for own in of_branches for each in own if each[2] == "done"), 0) == 2 + 1
        assert {each[0] for own in of_branches for each in own} <= {3, 4}
    after = hippo.load_study("caught", f"sqlite:///{tmp_path}/hippo.db")
    assert {each.end.value for each in tree_states(after.tree(), after.work_left())} == {"done"}


def test_a_tuner_that_may_want_more_is_known_and_what_no_step_was_timed_for_takes_nobody_knows_how_long(
    tmp_path: Path,
) -> None:
    with caught_study(tmp_path, AsksTogether(TWO, final=False), gate_at=0) as (study, _):
        work = study.work_left()
        assert (work.may_ask_more, work.steps) == (True, 13)
        assert (work.seconds, work.longest_seconds) == (None, None)


def test_of_several_seeds_the_chain_of_the_one_that_is_behind_is_the_longest(tmp_path: Path) -> None:
    with caught_study(tmp_path, AsksTogether(TWO), seeds=[3, 4]) as (study, _):
        work = study.work_left()
        assert work.steps == 11 + 13
        assert [(each.member, each.start, each.stop) for each in work.longest] == [("seed 4", 0, 4), ("seed 4", 4, 9)]
        assert (work.seconds, work.longest_seconds) == (None, None)  # no step of the second was timed
        assert {each.row.member for each in tree_states(study.tree(), work)} == {"seed 3", "seed 4"}


def test_a_node_that_begins_where_its_parent_does_is_reached_by_way_of_it() -> None:
    begins = {1: (None, 0), 2: (1, 4), 3: (2, 4), 4: (None, 0)}
    ways = remaining._with_ancestors([3], begins.__getitem__)
    assert ways == {1, 2, 3}
    nodes = remaining._node_views(ways, begins.__getitem__, {1: [1, 2], 2: [], 3: []}, {}, [(3, 9)])
    tree = build_stage_tree(Snapshot(nodes=nodes))
    assert [(each.node, each.start, each.stop) for _, each in sorted(tree.stages.items())] == [(1, 2, 4), (3, 4, 9)]


def test_what_a_process_that_is_gone_had_given_out_runs_no_more() -> None:
    writer = json.dumps({"host": "elsewhere", "pid": 1, "since": 0.0})
    plan = PlanRow(plan=1, workload="w", declared="{}", fork=0, epoch=2, writer=writer)
    store = MemoryStore()
    store.commit(
        Insert(LeaseRow(plan=1, lease=number, epoch=epoch, slot="a", spans="[[1, 0, 4]]", started_at=1.0, ended=ended))
        for number, epoch, ended in ((1, 1, ""), (2, 2, "done"), (3, 2, ""))
    )
    with store.reading() as rows:
        assert [lease.lease for lease in running_leases(rows, plan, [""])] == [3]


def test_what_failed_ends_its_stretch_and_all_that_would_begin_there(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("failing", trainer=ToyTrainer, trainer_args={"raise_in": "train", "raise_at": 2},
                               storage=url, checkpoints=str(tmp_path / "states"), engine=hippo.InlineEngine(),
                               metric="loss", mode="min")  # fmt: skip
    with pytest.raises(hippo.HippoError):
        study.optimize(AsksTogether([({"lr": hippo.MultiStep(0.1, [4], 0.1)}, 6)]))
    study.close()
    work = hippo.load_study("failing", url).work_left()
    found = [(parts(each), each.end.value) for each in tree_states(study.tree(), work)]
    assert found == [([(0, 2, "done"), (2, 4, "failed")], "failed"), ([(4, 6, "failed")], "failed")]
    assert not work.stretches


def test_what_was_asked_for_once_and_is_no_longer_is_neither_done_nor_waiting(tmp_path: Path) -> None:
    class Leaves(hippo.Tuner):
        def record(self) -> dict[str, object]:
            return {}

        async def tune(self, ask: hippo.Ask) -> None:
            async for _ in ask.any([{"lr": 0.1}, {"lr": 0.2}], until=3):
                break

    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("leaves", trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(Leaves())
    study.close()
    work = study.work_left()
    assert not work.stretches
    ends = [each.end for each in tree_states(study.tree(), work)]
    assert ends == [StretchState.DONE, StretchState.DROPPED]


def test_a_state_that_is_only_to_be_evaluated_is_trained_and_its_end_waits() -> None:
    work = WorkLeft(stretches=(left(1, 4, 4),), reached={("", 1): 4})
    assert states([row(1, None, 0, 4)], work) == {1: ([(0, 4, "done")], "waiting")}


@st.composite
def stretches(draw: st.DrawFn) -> tuple[TreeRow, WorkLeft]:
    """Return a node, and what is known of it: steps that wait lie beyond those that were trained."""
    start, long = draw(st.integers(0, 3)), draw(st.integers(1, 9))
    ends = sorted(draw(st.sets(st.integers(start, start + long), max_size=5)))
    reached = ends[0] if ends else start
    waiting = [
        left(1, one, other, is_running=draw(st.booleans()))
        for one, other in itertools.pairwise(ends)
        if draw(st.booleans())
    ]
    failed = {("", 1): draw(st.integers(start + 1, start + long))} if draw(st.booleans()) else {}
    work = WorkLeft(stretches=tuple(waiting), reached={("", 1): reached}, failed=failed)
    return row(1, None, start, start + long), work


@given(stretches())
def test_the_parts_of_a_node_are_all_of_it_and_none_lies_on_another(given: tuple[TreeRow, WorkLeft]) -> None:
    node, work = given
    (found,) = tree_states([node], work)
    at = node.start
    for each in found.stretches:
        assert each.start == at < each.stop
        at = each.stop
    assert at == node.stop
    waiting = {step for each in work.stretches for step in range(each.start, each.stop)}
    drawn = {
        step
        for each in found.stretches
        if each.state in (StretchState.RUNNING, StretchState.WAITING)
        for step in range(each.start, each.stop)
    }
    assert drawn == waiting
    assert (found.end is StretchState.FAILED) is bool(work.failed)
