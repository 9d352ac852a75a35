"""What goes when states take more than they may: nothing that work needs, and a file behind the write that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hippo.errors import StorageError
from hippo.events import CheckpointWritten, SlotOpened
from hippo.plan import CheckpointRow, StateFile
from hippo.records import Assignment, CheckpointRef, LaneStart, Point
from hippo.runtime.asking.instructions import Fail, Leaving, LookForRoom, RemoveFiles, RoomFound, Unlock, Warn
from hippo.runtime.plans.needs import Needs

from .turns import A, Asker, Bench, FailingStore, Turns, done, only, rows, take, trained

OPENED = SlotOpened(slot=A, environment={})


def written(assignment: Assignment, *, step: int = 2, size: int = 60) -> CheckpointWritten:
    """Return what a worker says that wrote the state at the end of its lane."""
    node = assignment.lanes[0].stages[-1].node
    ref = CheckpointRef(key=f"k{node}-{step}", size_bytes=size, sha256="", state_hash=f"s{node}-{step}")
    return CheckpointWritten(lease=assignment.lease, lane=0, node=node, step=step, checkpoint=ref, seconds=0.1)


@pytest.fixture
def small(asker: Asker, turns: Turns) -> Asker:
    """Who asks for a study whose states may take 100 bytes, wherever they lie."""
    asker.study.settings = replace(asker.study.settings, checkpoint_budget=100)
    turns.files.place = None
    return asker


@pytest.fixture
def removed(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are removed."""
    keys: list[str] = []

    def remove(more: Sequence[str]) -> None:
        keys.extend(more)

    monkeypatch.setattr(turns.files, "remove", remove)
    return keys


def train_all(bench: Bench, asker: Asker, *rates: float, until: int = 2) -> list[Assignment]:
    """Have trials trained in one slot, one after the other, each of which leaves a state of 60 bytes."""
    for rate in rates:
        asker.ask(rate, until=until)
    take(bench, OPENED)
    for number in range(len(rates)):
        assignment = bench.given[number]
        take(bench, *trained(assignment, until=until), written(assignment, step=until), done(assignment))
    return bench.given


def gone(store: FailingStore) -> dict[str, str]:
    return {row.key: row.gone for row in store.rows(CheckpointRow)}


def test_what_is_over_the_budget_is_forgotten_and_then_removed(
    bench: Bench, small: Asker, store: FailingStore, removed: list[str]
) -> None:
    train_all(bench, small, 0.1, 0.2, 0.3)
    assert sorted(gone(store).values()) == ["", "evicted", "evicted"]
    assert sorted(removed) == sorted(key for key, reason in gone(store).items() if reason)


def test_within_the_budget_nobody_looks(bench: Bench, small: Asker, store: FailingStore, removed: list[str]) -> None:
    small.study.settings = replace(small.study.settings, checkpoint_budget=180)
    train_all(bench, small, 0.1, 0.2, 0.3)
    assert set(gone(store).values()) == {""}
    small.study.settings = replace(small.study.settings, checkpoint_budget=None)
    assert removed == []


def test_a_file_stays_where_it_cannot_be_written_down_that_its_state_is_gone(
    bench: Bench, small: Asker, store: FailingStore, removed: list[str]
) -> None:
    first, _ = train_all(bench, small, 0.1, 0.2)[:2]
    removed.clear()
    small.ask(0.3)
    take(bench)
    assignment = bench.given[-1]
    assert assignment.lease != first.lease
    take(bench, *trained(assignment), written(assignment))
    assert len(removed) == 1
    left = next(key for key, reason in gone(store).items() if not reason)
    point = Point(assignment.lanes[0].stages[-1].node, 2)
    store.is_full = True
    run = small.run
    take(bench, RoomFound(store.uuid, (Leaving(run, point, StateFile(left, 60)),), 120))
    assert len(removed) == 1


@pytest.mark.parametrize("need", ["base", "begin", "pinned", "wanted"])
def test_what_work_needs_stays(
    bench: Bench, small: Asker, store: FailingStore, turns: Turns, removed: list[str], need: str
) -> None:
    (assignment,) = train_all(bench, small, 0.1)
    point = Point(assignment.lanes[0].stages[-1].node, 2)
    run = small.run
    if need in ("base", "begin"):
        small.ask(0.1, until=4)
    if need == "begin":
        take(bench)
        assert bench.given[-1].lanes[0].begin is not None
    if need == "pinned":
        run.residency.pins.pin(point)
    if need == "wanted":
        run.waiting.want_state(small.study, run.plan.nodes[point.node], 2)
    leaving = Leaving(run, point, StateFile(f"k{point.node}-2", 60))
    found = RoomFound(store.uuid, (leaving,), 60)
    assert only(RemoveFiles, turns.turn(found)) == []
    assert point.step in run.plan.nodes[point.node].checkpoints


def test_what_nobody_needs_goes_behind_its_write(
    bench: Bench, small: Asker, store: FailingStore, turns: Turns, removed: list[str]
) -> None:
    (assignment,) = train_all(bench, small, 0.1)
    point = Point(assignment.lanes[0].stages[-1].node, 2)
    leaving = Leaving(small.run, point, StateFile(f"k{point.node}-2", 60))
    out = turns.turn(RoomFound(store.uuid, (leaving,), 60))
    assert [row.gone for row in rows(out, CheckpointRow)] == ["evicted"]
    (remove,) = only(RemoveFiles, out)
    assert remove.keys == (f"k{point.node}-2",)
    assert remove.after.number >= max(one.id.number for one in out if hasattr(one, "id"))


def test_one_look_at_a_time_and_the_next_when_more_has_come(
    bench: Bench, small: Asker, store: FailingStore, turns: Turns
) -> None:
    small.ask(0.1)
    take(bench, OPENED)
    (assignment,) = bench.given
    looks = [only(LookForRoom, turns.turn(written(assignment, step=step))) for step in (1, 2, 3, 4)]
    assert [len(one) for one in looks] == [0, 1, 0, 0]
    assert looks[1] == [LookForRoom(store, 100)]
    told = only(Warn, turns.turn(RoomFound(store.uuid, (), 240)))
    assert [warning.message.partition(":")[0] for warning in told] == ["checkpoint_budget= of 100 bytes is exceeded"]
    assert only(LookForRoom, turns.turn(written(assignment, step=5, size=1))) == []
    assert only(LookForRoom, turns.turn(written(assignment, step=6, size=2))) == [LookForRoom(store, 100)]
    assert only(Warn, turns.turn(RoomFound(store.uuid, (), 243))) == []  # told before


def broken(*_: object, **__: object) -> None:
    raise StorageError("the disk is full")


def test_a_look_that_fails_ends_the_calls_that_it_concerns_and_there_is_another_one(
    bench: Bench, small: Asker, store: FailingStore, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.ask(0.1)
    take(bench, OPENED)
    (assignment,) = bench.given
    with monkeypatch.context() as failing:
        failing.setattr("hippo.runtime.shell.find_room", broken)
        take(bench, written(assignment, step=1), written(assignment, step=2))
        take(bench)
    assert [str(error) for error in small.errors] == ["the disk is full"]
    assert not turns.coordinator.budget.is_looking(store)
    take(bench, written(assignment, step=3, size=1))
    assert sorted(gone(store).values()) != ["", "", ""]


def test_a_store_that_cannot_say_what_states_take_loses_nothing_else_of_a_batch_and_keeps_no_lock(
    bench: Bench, small: Asker, store: FailingStore, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.ask(0.1)
    take(bench, OPENED)
    (assignment,) = bench.given
    with monkeypatch.context() as failing:
        failing.setattr(store, "totals", broken)
        ended = only(Fail, turns.turn(*trained(assignment), written(assignment)))
        assert [str(one.error) for one in ended] == ["the disk is full"]
        small.leave()
        out = turns.turn(written(assignment, step=1), done(assignment))
    assert [one.run for one in only(Unlock, out)] == [small.run]


def test_a_state_that_a_lane_is_to_be_shown_stays(bench: Bench, small: Asker) -> None:
    (trained_before,) = train_all(bench, small, 0.1)
    point = Point(trained_before.lanes[0].stages[-1].node, 2)
    small.ask(0.2)
    take(bench)
    (lease,) = small.run.running.values()
    assert point not in Needs(small.run)
    (lane,) = lease.assignment.lanes
    shown = LaneStart(node=point.node, step=point.step, checkpoint=None, pieces={})
    lease.assignment = replace(lease.assignment, lanes=(replace(lane, look=shown),))
    assert point in Needs(small.run)
