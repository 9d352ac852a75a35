"""The workers of a pool and what they can run, without a process: who is where, who is killed, who is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hippo.engines.pool_workers import PoolWorkers, WorkerLink
from hippo.engines.pool_workloads import PoolWorkloads
from hippo.engines.wire import Leave
from hippo.events import AssignmentWaits
from hippo.records import Assignment, Drop, LeaseId, SlotId, Stop, TrainerSpec
from hippo.testing.lanes import lane, stage

SPEC = TrainerSpec(
    workload="w",
    reference="lab:Trainer",
    pickled=None,
    arguments="{}",
    search_path=(),
    seed=0,
    evaluate_every=1,
    code='{"file of lab": "old"}',
)


class Wire:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.is_open = True

    def send(self, message: object) -> None:
        self.sent.append(message)

    def close(self) -> None:
        self.is_open = False


def link(number: int = 1, **known: Any) -> WorkerLink:
    known = {"slot": SlotId(f"local-{number}"), "device": None, "is_open": True} | known
    return WorkerLink(number=number, channel=Wire(), **known)  # type: ignore[arg-type]


def workers(*links: WorkerLink) -> PoolWorkers:
    table = PoolWorkers()
    for each in links:
        table.add(each)
    return table


def assignment(lease: int = 1) -> Assignment:
    return Assignment(
        lease=LeaseId(lease), prefix="p", slot=SlotId("local-1"), workload="w", lanes=(lane(stage(1, 0, 2)),)
    )


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The process groups that are killed."""
    pids: list[int] = []
    monkeypatch.setattr("hippo.engines.pool_workers.kill_group", pids.append)
    return pids


# ---------------------------------------------------------------------------------------------------- one worker


def test_a_worker_that_is_doomed_before_it_is_forked_is_killed_as_soon_as_it_is(killed):
    worker = link()
    worker.doom("it got stuck")
    assert killed == []
    worker.note_fork(7)
    assert (killed, worker.why_it_ended) == ([7], "it got stuck")


def test_a_worker_that_is_doomed_later_is_killed_at_once_and_another_one_never(killed):
    doomed, other = link(1), link(2)
    doomed.note_fork(7)
    other.note_fork(8)
    doomed.doom("it got stuck")
    assert killed == [7]


def test_a_worker_is_told_of_a_workload_before_its_first_assignment_and_when_it_has_changed():
    worker, changed = link(), replace(SPEC, evaluate_every=2)
    one, two, three = assignment(1), assignment(2), assignment(3)
    worker.submit(one, SPEC)
    worker.submit(two, SPEC)
    worker.submit(three, changed)
    assert worker.channel.sent == [SPEC, one, two, changed, three]
    assert worker.lease == 3


# ---------------------------------------------------------------------------------------------------- all of them


def test_a_command_finds_the_worker_in_its_slot_or_with_its_lease():
    one, two = link(1, lease=LeaseId(5)), link(2, lease=LeaseId(6))
    table = workers(one, two)
    assert table.find(Stop(lease=LeaseId(6))) is two
    assert table.find(Stop(lease=LeaseId(7))) is None
    assert table.find(Drop(slot=SlotId("local-1"), workload="w", points=())) is one
    assert table.find(Drop(slot=SlotId("local-9"), workload="w", points=())) is None


def test_a_worker_that_left_its_slot_lives_until_its_process_has_ended(killed):
    first, successor = link(1, pid=7), link(2, slot=SlotId("local-1"), pid=8)
    table = workers(first)
    assert table.send_away(SlotId("local-1")) is first
    assert SlotId("local-1") not in table
    assert (first.channel.sent, first.channel.is_open) == ([Leave()], False)
    table.add(successor)
    table.kill()
    assert killed == [7, 8]
    assert table.note_exit(1) is None
    assert list(table) == [successor]
    assert table.note_exit(2) is successor


def test_nobody_is_waited_for_where_workers_only_import_as_yet():
    async def leave() -> None:
        async with asyncio.timeout(10):
            await workers(link(is_open=False)).leave(timeout_s=1000.0)

    asyncio.run(leave())


def test_workers_are_told_to_leave_and_waited_for_until_the_last_has_left():
    async def leave() -> list[WorkerLink]:
        one, two = link(1), link(2)
        table = workers(one, two)
        leaving = asyncio.create_task(table.leave(timeout_s=1000.0))
        await asyncio.sleep(0)
        table.remove(one)
        await asyncio.sleep(0)
        assert not leaving.done()
        table.remove(two)
        async with asyncio.timeout(10):
            await leaving
        return [one, two]

    assert [worker.channel.sent for worker in asyncio.run(leave())] == [[Leave()]] * 2


@pytest.mark.parametrize(("timeout_s", "is_waited_for"), [(0.001, True), (0.0, False)])
def test_who_writes_is_waited_for_while_it_gets_on_if_there_is_any_time(monkeypatch, timeout_s, is_waited_for):
    monkeypatch.setattr("hippo.engines.pool_workers._LOOK_S", 0.001)
    monkeypatch.setattr("hippo.engines.pool_workers._MOST_SILENT_S", 0.02)

    async def leave() -> int:
        writer = link(is_writing=True)
        table = workers(writer)
        leaving = asyncio.create_task(table.leave(timeout_s=timeout_s))
        while not leaving.done() and writer.progress < 100:
            writer.progress += 1
            await asyncio.sleep(0.001)
        writer.is_writing = False
        async with asyncio.timeout(10):
            await leaving
        return writer.progress

    assert (asyncio.run(leave()) == 100) == is_waited_for


def test_who_writes_and_gets_no_further_is_given_up(monkeypatch):
    monkeypatch.setattr("hippo.engines.pool_workers._LOOK_S", 0.001)
    monkeypatch.setattr("hippo.engines.pool_workers._MOST_SILENT_S", 0.005)

    async def leave() -> None:
        async with asyncio.timeout(10):
            await workers(link(is_writing=True)).leave(timeout_s=0.001)

    asyncio.run(leave())


# ------------------------------------------------------------------------------------------------ what they can run


def test_workers_run_workloads_whose_code_agrees_with_all_that_they_know():
    known = PoolWorkloads(SPEC)
    helped = replace(SPEC, workload="helped", code='{"file of lab": "old", "module aid": "old"}')
    assert known.agree_with(helped)
    known.add(helped)
    assert (known.first, known.others, known["helped"]) == (SPEC, (helped,), helped)
    assert not known.agree_with(replace(SPEC, workload="edited", code='{"file of lab": "new"}'))
    assert not known.agree_with(replace(SPEC, workload="edited", code='{"module aid": "new"}'))


def test_workers_run_no_workload_that_they_could_not_import():
    known = PoolWorkloads(SPEC)
    known.refuse("w")
    assert not known.agree_with(SPEC)
    assert known.agree_with(replace(SPEC, workload="other"))


def test_a_worker_is_heard_of_as_long_as_it_writes_and_has_work_and_is_in_its_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hippo.engines.pool_workers._TELL_OF_WRITE_S", 0.0)
    told: list[Any] = []
    worker = link(lease=LeaseId(3))

    async def until(is_so: Callable[[], bool]) -> None:
        while not is_so():
            await asyncio.sleep(0)

    async def write() -> None:
        for _ in range(3):
            worker.note_writing(told.append)
        await until(lambda: len(told) > 2)
        worker.is_writing = False
        await until(lambda: not worker.is_watched)
        before, worker.lease = len(told), None
        worker.note_writing(told.append)
        worker.channel.close()
        await until(lambda: not worker.is_watched)
        assert (len(told), worker.told) == (before, 0)

    asyncio.run(asyncio.wait_for(write(), 60))
    assert set(told) == {AssignmentWaits(lease=LeaseId(3))}


def test_of_a_write_that_hangs_nobody_hears_until_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.engines.pool_workers._TELL_OF_WRITE_S", 0.0)
    monkeypatch.setattr("hippo.engines.pool_workers._MOST_TOLD", 4)
    told: list[Any] = []
    worker = link(lease=LeaseId(3))

    async def write() -> None:
        for times in (1, 2):
            worker.note_writing(told.append)
            while worker.is_watched:
                await asyncio.sleep(0)
            assert (len(told), worker.is_writing) == (4 * times, True)

    asyncio.run(asyncio.wait_for(write(), 60))
