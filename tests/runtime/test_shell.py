"""Carrying out: what rests on a write happens behind it, or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hippo.events import SlotOpened
from hippo.plan import LeaseRow, StepRow
from hippo.runtime.instructions import Submit

from .turns import A, Asker, Bench, FailingStore, Turns, done, trained


@pytest.fixture
def store() -> FailingStore:
    return FailingStore()


@pytest.fixture
def turns(store: FailingStore) -> Turns:
    return Turns(store=store)


@pytest.fixture
def bench(turns: Turns) -> Bench:
    return Bench(turns)


@pytest.fixture
def asker(turns: Turns) -> Asker:
    return Asker(turns)


def take(bench: Bench, *events: Any) -> None:
    """Let the shell take in events, and take turns until nothing is left to do."""
    for event in events:
        bench.shell.take(event)
    for _ in range(9):
        if not bench.shell.turn():
            return
    raise AssertionError("it never comes to rest")


OPENED = SlotOpened(slot=A, environment={})


def test_work_begins_when_its_lease_is_durable(bench: Bench, asker: Asker, store: FailingStore) -> None:
    durable: list[list[int]] = []
    bench.submit = lambda assignment: durable.append([row.lease for row in store.rows(LeaseRow)])  # type: ignore[method-assign]
    asker.ask()
    take(bench, OPENED)
    assert durable == [[1]]


def test_work_whose_lease_cannot_be_written_never_begins_and_its_slot_is_free(
    bench: Bench, asker: Asker, store: FailingStore, turns: Turns
) -> None:
    asker.ask()
    take(bench)
    store.is_full = True
    take(bench, OPENED)
    assert bench.given == []
    assert [str(error) for error in asker.errors] == ["the disk is full"] * len(asker.errors) != []
    assert turns.coordinator.work.slots.num_free == 1


def test_an_answer_whose_facts_cannot_be_written_is_told_to_nobody(
    bench: Bench, asker: Asker, store: FailingStore
) -> None:
    request = asker.ask()
    take(bench, OPENED)
    store.is_full = True
    take(bench, *trained(bench.given[0]))
    assert not request.future.done()
    assert [str(error) for error in asker.errors] == ["the disk is full"]


def test_what_could_not_be_written_is_written_before_what_comes_later(
    bench: Bench, asker: Asker, store: FailingStore
) -> None:
    asker.ask()
    take(bench, OPENED)
    store.is_full = True
    take(bench, *trained(bench.given[0]))
    store.is_full = False
    take(bench, done(bench.given[0]))
    assert len(store.rows(StepRow)) == 2
    assert [row.ended for row in store.rows(LeaseRow)] == ["done"]


def test_a_database_that_fails_is_not_tried_again_until_there_is_news(
    bench: Bench, asker: Asker, store: FailingStore
) -> None:
    asker.ask()
    take(bench, OPENED)
    store.is_full = True
    take(bench, *trained(bench.given[0]))  # comes to rest, although changes are left
    assert len(asker.errors) == 1


def test_a_lock_that_is_given_up_behind_a_write_that_failed_takes_the_plan_from_memory(
    bench: Bench, asker: Asker, store: FailingStore, turns: Turns
) -> None:
    asker.ask()
    take(bench, OPENED)
    store.is_full = True
    asker.leave()
    take(bench, done(bench.given[0]))
    store.is_full = False
    assert turns.take_over() is not turns.run


def test_observers_hear_nothing_before_it_is_durable(bench: Bench, asker: Asker, store: FailingStore) -> None:
    heard: list[int] = []

    class Observer:
        hears_failures_only = False

        def observe(self, event: Any) -> None:
            heard.append(len(store.rows(StepRow)))

    with asker.study.announcer.heard_by([Observer()]):
        asker.ask()
        take(bench, OPENED)
        store.is_full = True
        take(bench, *trained(bench.given[0]))
        assert heard == []
        store.is_full = False
        take(bench, done(bench.given[0]))
    assert heard == [2, 2]


def test_whoever_waits_for_events_looks_again_when_there_were_some(bench: Bench, asker: Asker) -> None:
    async def wait() -> list[Submit]:
        asker.ask()
        waiting = asyncio.ensure_future(bench.shell.until(lambda: bool(bench.given)))
        await asyncio.sleep(0)
        assert not waiting.done()
        take(bench, OPENED)
        take(bench, OPENED)
        await asyncio.wait_for(waiting, 5)
        return bench.given  # type: ignore[return-value]

    assert len(asyncio.run(wait())) == 1
