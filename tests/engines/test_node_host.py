"""A host keeps its events until they are acknowledged, follows orders in order, and refuses a study it cannot serve."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from hippo.checkpoints import MemoryCheckpoints, open_checkpoints
from hippo.engines import host_events, host_link, node_host
from hippo.engines.host_events import EventBatch, EventOutbox, HostPace
from hippo.engines.host_link import HostLink
from hippo.engines.node_host import HostSetup, NodeHost, OrderedCalls
from hippo.errors import HostLostError, HostSilentError, UnreachableStoreError
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened, StepDone
from hippo.records import LeaseId, NodeId, SlotId, Stop
from hippo.training.process.environment import versions

FOREVER = HostPace(quiet_s=1000.0, linger_s=1000.0)
AT_ONCE = HostPace(quiet_s=0.0, linger_s=0.0)


def step(number: int) -> StepDone:
    return StepDone(lease=LeaseId(1), lane=0, node=NodeId(1), step=number, training={}, seconds=0.0)


DONE = AssignmentDone(lease=LeaseId(1), slot=SlotId("host-1/1"))


def taken(outbox: EventOutbox, acknowledged: int, pace: HostPace = AT_ONCE) -> Awaitable[EventBatch]:
    return outbox.take(acknowledged, pace, patience_s=0.05)


# --- events


def test_events_come_again_until_they_are_acknowledged() -> None:
    async def ask() -> None:
        outbox = EventOutbox()
        for number in (1, 2, 3):
            outbox.put(step(number))
        first = await taken(outbox, 0)
        again = await taken(outbox, 0)
        rest = await taken(outbox, 2)
        assert first == again == EventBatch(first=1, events=(step(1), step(2), step(3)))
        assert rest == EventBatch(first=3, events=(step(3),))
        assert (await taken(outbox, 3)).events == ()

    asyncio.run(ask())


def test_a_batch_holds_no_more_than_the_study_can_take_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_events, "MOST_EVENTS", 2)

    async def ask() -> None:
        outbox = EventOutbox()
        for number in (1, 2, 3):
            outbox.put(step(number))
        outbox.close()
        first, second = await taken(outbox, 0), await taken(outbox, 2)
        assert [len(first.events), len(second.events)] == [2, 1]
        assert [first.is_last, second.is_last] == [False, True]

    asyncio.run(ask())


def test_facts_are_gathered_after_an_answer_and_what_frees_a_slot_is_told_at_once() -> None:
    async def ask() -> None:
        outbox = EventOutbox()
        outbox.put(step(1))
        assert (await taken(outbox, 0, FOREVER)).events == (step(1),)  # nobody had asked before
        outbox.put(step(2))
        asking = asyncio.ensure_future(outbox.take(1, FOREVER, patience_s=60.0))
        await asyncio.sleep(0.02)
        assert not asking.done()
        outbox.put(DONE)
        assert (await asyncio.wait_for(asking, 5.0)).events == (step(2), DONE)

    asyncio.run(ask())


def test_facts_are_told_when_the_host_has_lingered() -> None:
    async def ask() -> None:
        outbox = EventOutbox()
        outbox.put(step(1))
        await taken(outbox, 0)
        outbox.put(step(2))
        began = asyncio.get_running_loop().time()
        batch = await outbox.take(1, HostPace(quiet_s=1000.0, linger_s=0.05), patience_s=60.0)
        assert batch.events == (step(2),)
        assert asyncio.get_running_loop().time() - began >= 0.04

    asyncio.run(ask())


@pytest.mark.parametrize(("hosts", "quiet_s", "linger_s"), [(1, 0.02, 0.25), (100, 0.2, 0.25), (2000, 4.0, 5.0)])
def test_hosts_of_large_clusters_gather_for_longer(hosts: int, quiet_s: float, linger_s: float) -> None:
    assert HostPace.of(hosts) == HostPace(quiet_s=pytest.approx(quiet_s), linger_s=linger_s)


class HandWork:
    """What a host has its work run by, which opens the slots that a test says."""

    def start(self, emit: Callable[[EngineEvent], None]) -> None:
        self.emit = emit

    def describe(self, slot: SlotId) -> str:
        return f"worker {slot}"


def test_where_slots_are_is_told_once_and_again_where_an_answer_was_lost() -> None:
    work = HandWork()
    setup = HostSetup(name="host-1", node="n1", checkpoints="states")

    async def poll_thrice() -> list[EventBatch]:
        host = NodeHost(setup, cast(Any, work))
        work.emit(SlotOpened(slot=SlotId("host-1/1")))
        lost, again = [await host.poll(0, AT_ONCE) for _ in range(2)]
        work.emit(step(1))
        return [lost, again, await host.poll(1, AT_ONCE)]

    lost, again, next_one = asyncio.run(poll_thrice())
    assert lost.places == again.places == {"host-1/1": "worker host-1/1 on node n1"}
    assert (next_one.events, next_one.places) == ((step(1),), {})


# --- orders


def test_orders_are_followed_in_the_order_of_their_numbers_and_once() -> None:
    made: list[int] = []
    calls = OrderedCalls()
    for number in (2, 1, 1, 4, 2, 3, 4):
        calls.make(number, lambda number=number: made.append(number))  # type: ignore[misc]
    assert made == [1, 2, 3, 4]


# --- a host that cannot serve a study


def greeted(folder: Path, **other: str) -> dict[str, str]:
    """Return what a host says to a study that keeps its states in a folder."""
    open_checkpoints(str(folder)).write("probe-1", lambda file: file.write(b"hippo"))
    host = NodeHost(HostSetup(name="host-1", node="n1", workers=1, checkpoints=str(folder)))
    return asyncio.run(host.hello({**versions(), "probe": "probe-1", **other}))


def test_a_host_that_sees_the_states_of_the_study_writes_an_answer_beside_them(tmp_path: Path) -> None:
    welcome = greeted(tmp_path)
    assert "problem" not in welcome
    assert set(open_checkpoints(str(tmp_path)).keys()) == {"probe-1", welcome["answer"]}


@pytest.mark.parametrize("name", ["Python", "hippo"])
def test_a_host_of_another_version_refuses_and_names_both(tmp_path: Path, name: str) -> None:
    problem = greeted(tmp_path, **{name: "0.9"})["problem"]
    assert f"{name} 0.9 there, and {name} {versions()[name]} on node n1" in problem


def test_a_folder_that_the_host_does_not_see_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_host, "PROBE_PATIENCE_S", 0.2)
    host = NodeHost(HostSetup(name="host-1", node="n1", workers=1, checkpoints=str(tmp_path / "elsewhere")))
    problem = asyncio.run(host.hello({**versions(), "probe": "probe-1"}))["problem"]
    assert "is not the same place on node n1 as for the study" in problem


class AwayStore(MemoryCheckpoints):
    """A store that cannot be reached, and takes its time to say so."""

    asked = 0

    def open(self, key: str) -> Any:
        self.asked += 1
        threading.Event().wait(0.05)
        raise UnreachableStoreError("nobody answers at http://s3.invalid")

    def check_writable(self) -> None:
        raise UnreachableStoreError("there are no credentials")


@pytest.mark.parametrize(
    ("first", "asked", "told"),
    [
        ({"first": "yes"}, 0, "states cannot be kept by node n1: there are no credentials"),
        # while others train, and not as often as a store would be asked that answers at once
        ({}, 1, "states cannot be read by node n1: nobody answers at http://s3.invalid"),
    ],
)
def test_a_store_that_a_host_cannot_reach_is_told_of_as_such_and_soon(
    monkeypatch: pytest.MonkeyPatch, first: dict[str, str], asked: int, told: str
) -> None:
    monkeypatch.setattr(node_host, "PROBE_PATIENCE_S", 0.04)
    store = AwayStore()
    host = NodeHost(HostSetup(name="host-1", node="n1", workers=1, checkpoints=store))
    assert asyncio.run(host.hello({**versions(), "probe": "probe-1", **first}))["problem"] == told
    assert store.asked == asked


@pytest.mark.parametrize(
    ("workers", "size", "devices", "places"),
    [
        (5, 1, "0,1", ("0", "1", "0", "1", "0")),
        (3, 2, "4,5,6,7", ("4,5", "6,7", "4,5")),
        (2, 1, "GPU-a,GPU-b,GPU-c", ("GPU-a", "GPU-b")),
        (None, 2, "0,1,2", ("0,1",)),
    ],
)
def test_more_workers_than_devices_or_groups_of_them_share_in_turn(
    monkeypatch: pytest.MonkeyPatch, workers: int | None, size: int, devices: str, places: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", devices)
    setup = HostSetup(name="host-1", node="n1", workers=workers, devices_per_slot=size, checkpoints="states")
    assert NodeHost(setup)._places == places


# --- the study's side


class ScriptedHost:
    """A handle whose calls are answered by a function."""

    def __init__(self, answer: Callable[[str, tuple[Any, ...]], Any]) -> None:
        self.answer = answer
        self.calls: list[tuple[Any, ...]] = []
        self.kills = 0

    async def _answered(self, method: str, arguments: tuple[Any, ...]) -> Any:
        await asyncio.sleep(0)
        found = self.answer(method, arguments)
        if isinstance(found, Exception):
            raise found
        return found

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        self.calls.append((method, *arguments))
        return self._answered(method, arguments)

    def kill(self) -> None:
        self.kills += 1


class HearingOwner:
    """Notes what a link tells."""

    pace = AT_ONCE

    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self.lost: list[tuple[list[SlotId], str]] = []

    def on_host_event(self, link: HostLink, event: EngineEvent) -> None:
        self.events.append(event)

    def on_host_lost(self, link: HostLink, reason: str) -> None:
        self.lost.append((list(link.slots), reason))


def run_link(script: list[Any], *, orders: int = 0) -> tuple[ScriptedHost, HearingOwner]:
    """Have a link hear what a host answers to each poll, until it is lost at the script's end."""
    polls = iter([*script, HostLostError("its host is gone")])
    refusals = iter([HostSilentError("no answer")])

    def answer(method: str, arguments: tuple[Any, ...]) -> Any:
        return next(polls) if method == "poll" else next(refusals, None)

    host, owner = ScriptedHost(answer), HearingOwner()

    async def serve() -> None:
        link = HostLink("host-1", node="n1", handle=host, owner=owner)
        for _ in range(orders):
            link.send(Stop(lease=LeaseId(1)))
        while orders and sum(call[0] == "send" for call in host.calls) <= orders:  # until one was given again
            await asyncio.sleep(0.01)
        link.listen()
        while not owner.lost:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)

    asyncio.run(serve())
    return host, owner


OPENED = SlotOpened(slot=SlotId("host-1/1"))


def test_what_a_host_says_twice_is_heard_once_and_acknowledged() -> None:
    script = [
        EventBatch(first=1, events=(OPENED, step(1))),
        EventBatch(first=1, events=(OPENED, step(1), step(2))),
        EventBatch(first=3, events=(step(2), step(3))),
    ]
    host, owner = run_link(script)
    assert owner.events == [OPENED, step(1), step(2), step(3)]
    assert [call[1] for call in host.calls] == [0, 2, 3, 4]


def test_a_host_that_is_gone_is_lost_once_with_the_slots_that_are_open() -> None:
    lost_slot = SlotOpened(slot=SlotId("host-1/2"))
    events = (OPENED, lost_slot, SlotLost(slot=lost_slot.slot, reason="killed"))
    host, owner = run_link([EventBatch(first=1, events=events)])
    assert owner.lost == [([OPENED.slot], "its host is gone")]
    assert host.kills == 1


def test_a_host_that_is_silent_for_a_moment_is_asked_again_and_loses_nothing() -> None:
    script = [HostSilentError("no answer"), EventBatch(first=1, events=(OPENED,)), HostSilentError("no answer")]
    host, owner = run_link(script)
    assert owner.events == [OPENED]
    assert [call[1] for call in host.calls] == [0, 0, 1, 1]


def test_a_host_that_stands_still_is_lost_though_nobody_says_that_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_link, "_POLL_SILENCE_S", 0.01)
    monkeypatch.setattr(host_link, "_SILENCE_S", 0.0)
    monkeypatch.setattr(host_link, "_ASK_AGAIN_S", 0.0)
    owner = HearingOwner()

    class StoppedHost(ScriptedHost):
        def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
            return asyncio.get_running_loop().create_future()

    async def serve() -> None:
        HostLink("host-1", node="n1", handle=StoppedHost(lambda *_: None), owner=owner).listen()
        async with asyncio.timeout(5):
            while not owner.lost:
                await asyncio.sleep(0.01)

    asyncio.run(serve())
    assert owner.lost == [([], "its host does not answer: nothing for 0 s")]


def test_an_order_without_an_answer_is_given_again_under_its_number() -> None:
    host, _ = run_link([], orders=2)
    assert [call[1] for call in host.calls if call[0] == "send"] == [1, 2, 1]
