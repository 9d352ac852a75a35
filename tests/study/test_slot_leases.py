"""What slots did is read as it was written down: where, from when to when, and how it ended."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import hippo
from hippo.plan import (
    Insert,
    LeaseEnd,
    LeaseRow,
    MemoryStore,
    PlanRow,
    SearchPlan,
    Update,
    is_writing,
    open_store,
    whoami,
)
from hippo.plan.listener import NullListener
from hippo.records import LeaseId, NodeId, Slot, SlotId, Span
from hippo.schedulers import CriticalPath
from hippo.simulation import SimulatedWorkload, simulate
from hippo.study import LeaseState, SlotLease
from hippo.study.results.slot_leases import LeaseCache
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer

from ..runtime.runs import Bench, config

WRITER = json.dumps({"host": "elsewhere", "pid": 1, "since": 100.0})
PLAN = PlanRow(plan=1, workload="w", declared="{}", fork=0, epoch=2, writer=WRITER)


def span(node: int, start: int, stop: int) -> Span:
    return Span(node=NodeId(node), start=start, stop=stop)


def lease(number: int, *, began_at: float = 200.0, epoch: int = 2) -> LeaseRow:
    return LeaseRow(plan=1, lease=number, epoch=epoch, slot="a", spans="[[1, 0, 4]]", started_at=began_at, lanes="[1]")


def read(cache: LeaseCache, store: MemoryStore) -> list[SlotLease]:
    with store.reading() as rows:
        return cache.read(rows)


def states(leases: list[SlotLease]) -> dict[int, tuple[LeaseState, float | None]]:
    return {each.lease: (each.state, each.ended_at) for each in leases}


def test_a_study_that_was_trained_says_when_each_lease_began_and_ended(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("toy", trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": hippo.MultiStep(0.1, [2], 0.5)}], until=4))
    study.close()
    leases = hippo.load_study("toy", url).leases()
    walked = [each for lease in leases for lane in lease.lanes for each in lane]
    assert sum(each.stop - each.start for each in walked) == 6
    assert {lease.state for lease in leases} == {LeaseState.DONE}
    ends = [lease.ended_at for lease in leases]
    assert all(end is not None and lease.began_at <= end for lease, end in zip(leases, ends, strict=True))
    # one slot: each begins when the one before it has ended
    assert all(one <= other.began_at for one, other in zip(ends[:-1], leases[1:], strict=True) if one is not None)


def test_lanes_that_are_walked_as_one_are_told_apart() -> None:
    study = hippo.create_study("toy", trainer=ToyTrainer, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=FakeEngine(fuses=True), numerics="fused")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1 * n} for n in range(1, 9)], until=4))
    leases = study.leases()
    study.close()
    # the first finds out whether they can be, and walks none
    lanes = [lane for lease in leases[1:] for lane in lease.lanes]
    assert len({lane[0].node for lane in lanes}) == len(lanes) == 8
    assert max(len(lease.lanes) for lease in leases) > 1
    assert all([each.stop for each in lane] == [4] for lease in leases for lane in lease.lanes)


def test_chains_of_stages_and_peers_are_written_down_lane_by_lane() -> None:
    plan = SearchPlan(PLAN, NullListener())
    root = plan.path(hippo.Config({"lr": 0.1})).node_at(9)
    spans = [Span(node=root.id, start=start, stop=stop) for start, stop in ((0, 2), (2, 5), (5, 9))]
    plan.leases.open(LeaseId(1), spans, slot="a", started_at=0.0, lanes=[2, 1], peers=["b", "c"])
    store = MemoryStore()
    store.commit([Insert(PLAN), *plan.changes.take()])
    (found,) = read(LeaseCache(1, [""]), store)
    assert (found.lanes, found.peers) == (((spans[0], spans[1]), (spans[2],)), ("b", "c"))
    with pytest.raises(AssertionError, match="not the lanes of 3 spans"):
        plan.leases.open(LeaseId(2), spans, slot="a", started_at=0.0, lanes=[2, 2])


def test_the_slots_of_a_gang_are_written_down() -> None:
    bench = Bench()
    bench.ask(config(0.1), 6)
    (chain,) = CriticalPath().lanes([bench.run.remaining.tree], limit=1)
    served = bench.run.waiting.along(chain.stages)
    bench.run.assign([chain.stages], Slot(id=SlotId("a")), LeaseId(1), [served], peers=(SlotId("b"),))
    bench.store.commit(bench.run.plan.changes.take())
    (row,) = bench.store.rows(LeaseRow)
    assert (row.slot, row.peers, row.lanes) == ("a", '["b"]', "[1]")


def test_who_looks_again_reads_what_came_and_what_ended() -> None:
    store, cache = MemoryStore(), LeaseCache(1, [""])
    store.commit([Insert(PLAN), Insert(lease(1)), Insert(lease(2))])
    assert states(read(cache, store)) == {1: (LeaseState.RUNNING, None), 2: (LeaseState.RUNNING, None)}
    store.commit([Update(replace(lease(1), ended=LeaseEnd.DONE, ended_at=250.0)), Insert(lease(3))])
    now = {1: (LeaseState.DONE, 250.0), 2: (LeaseState.RUNNING, None), 3: (LeaseState.RUNNING, None)}
    assert states(read(cache, store)) == now
    store.commit([Update(replace(lease(2), ended=LeaseEnd.LOST, ended_at=260.0))])
    assert states(read(cache, store)) == {**now, 2: (LeaseState.LOST, 260.0)}
    assert states(read(cache, store)) == states(read(LeaseCache(1, [""]), store))


def test_what_a_later_writer_left_open_is_void() -> None:
    store = MemoryStore()
    store.commit([Insert(PLAN), Insert(lease(1, epoch=1)), Insert(lease(2, began_at=99.0))])
    # the second began before its writer did: it is in virtual time, which nobody's clock tells
    assert {state for state, _ in states(read(LeaseCache(1, [""]), store)).values()} == {LeaseState.VOID}


def test_a_writer_that_is_gone_writes_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = json.loads(whoami())
    assert is_writing(json.dumps(own), since=own["since"] + 1)
    assert not is_writing(json.dumps({**own, "pid": ended.pid}), since=own["since"] + 1)
    assert is_writing(json.dumps({**own, "pid": ended.pid, "host": "elsewhere"}), since=own["since"] + 1)
    assert not is_writing(json.dumps(own), since=own["since"] - 1)
    assert (own["pid"], own["host"]) == (os.getpid(), socket.gethostname())


@pytest.mark.parametrize("writer", ["", "somebody", "{}", "[]", "null", '{"host": "a", "pid": null, "since": 1}'])
def test_a_writer_that_says_nothing_of_itself_writes_nothing(writer: str) -> None:
    assert not is_writing(writer, since=1e12)


def test_a_simulated_study_has_the_ends_of_its_virtual_clock() -> None:
    done = simulate(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4), SimulatedWorkload(seconds_per_step=60.0),
                    slots=2)  # fmt: skip
    leases = done.study.leases()
    assert {lease.state for lease in leases} == {LeaseState.DONE}
    assert max(lease.ended_at or 0.0 for lease in leases) - min(lease.began_at for lease in leases) == done.makespan_s


def test_a_simulation_of_an_older_hippo_is_run_again_and_compared(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    tuner, workload = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4), SimulatedWorkload(seconds_per_step=1.0)
    simulate(tuner, workload, slots=2, storage=storage)
    store = open_store(storage)
    store.close()
    import sqlite3

    with sqlite3.connect(tmp_path / "hippo.db") as database:
        database.execute("update hippo_lease set lanes = null, ended_at = null")
    database.close()
    again = simulate(tuner, workload, slots=2, storage=storage)
    assert again.makespan_s == 4.0
    assert all(lease.ended_at is not None for lease in again.study.leases())
