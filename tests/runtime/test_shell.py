"""Carrying out: what rests on a write happens behind it, or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hippo.errors import StorageError
from hippo.events import SlotOpened
from hippo.plan import LeaseRow, StepRow
from hippo.plan.store import key_of
from hippo.runtime.asking.instructions import Announce, Submit, WriteId
from hippo.runtime.shell import LAG_S
from hippo.runtime.studies.requests import Request

from .turns import A, Asker, B, Bench, FailingStore, GroupingStore, Turns, done, take, trained


def awaited(bench: Bench, request: Request) -> asyncio.Future[Any]:
    """Return what the answer to a request comes with."""

    async def open_on_a_loop() -> asyncio.Future[Any]:
        return bench.shell.futures.open(request.id)

    return asyncio.run(open_on_a_loop())


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
    assert turns.coordinator.work.slots.num_free_of(None) == 1


def test_an_answer_whose_facts_cannot_be_written_is_told_to_nobody(
    bench: Bench, asker: Asker, store: FailingStore
) -> None:
    answer = awaited(bench, asker.ask())
    take(bench, OPENED)
    store.is_full = True
    take(bench, *trained(bench.given[0]))
    assert not answer.done()
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


# --- writes that wait for one another


class Lagging:
    """A bench whose database takes writes in groups, after a first turn that gave out some work."""

    def __init__(self) -> None:
        self.store = GroupingStore()
        self.turns = Turns(store=self.store)
        self.bench = Bench(self.turns)
        self.asker = Asker(self.turns)
        self.answer = awaited(self.bench, self.asker.ask())
        take(self.bench, OPENED)
        self.store.batches.clear()

    def train(self) -> None:
        take(self.bench, *trained(self.bench.given[0]))


@pytest.fixture
def lagging() -> Lagging:
    return Lagging()


def test_a_tuner_hears_before_the_write_which_follows_a_quarter_of_a_second_later(lagging: Lagging) -> None:
    lagging.train()
    assert lagging.answer.result() == "answer 1"
    assert lagging.store.batches == []
    assert lagging.turns.clock.advance()
    assert lagging.turns.clock.elapsed() == LAG_S
    assert len(lagging.store.batches) == 1


def test_writes_that_waited_are_one_transaction_in_their_order_with_one_change_for_each_row(lagging: Lagging) -> None:
    lagging.train()
    take(lagging.bench, done(lagging.bench.given[0]))
    lagging.bench.shell.flush()
    (batch,) = lagging.store.batches
    assert len({(type(change.row), key_of(change.row)) for change in batch}) == len(batch)
    assert [row.ended for row in lagging.store.rows(LeaseRow)] == ["done"]


def test_whoever_reads_has_everything_written_first(lagging: Lagging) -> None:
    lagging.train()
    with lagging.store.reading() as rows:
        assert len(rows.rows(StepRow)) == 2
    assert len(lagging.store.batches) == 1
    lagging.turns.clock.advance()
    assert len(lagging.store.batches) == 1


def test_a_write_that_may_not_wait_takes_those_before_it_along(lagging: Lagging) -> None:
    lagging.train()
    lagging.asker.ask(0.2)
    lagging.bench.shell.carry_out(lagging.turns.coordinator.write(lagging.store))
    assert len(lagging.store.batches) == 1
    assert len(lagging.store.rows(StepRow)) == 2


def test_observers_hear_when_the_write_has_been_made_by_a_reader_or_by_the_clock(lagging: Lagging) -> None:
    heard: list[int] = []

    class Observer:
        hears_failures_only = False

        def observe(self, event: Any) -> None:
            heard.append(len(lagging.store.rows(StepRow)))

    with lagging.asker.study.announcer.heard_by([Observer()]):
        lagging.train()
        assert heard == []
        with lagging.store.reading():
            assert heard == []
        lagging.turns.clock.advance()
    assert heard == [2, 2]


def test_a_turn_costs_the_same_however_much_observers_are_still_to_hear(
    lagging: Lagging, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, lagging_store = lagging.bench.shell, lagging.store.uuid
    lagging.train()
    told = Announce(lagging.asker.study.announcer, (), WriteId(lagging_store, 1_000_000))
    shell.carry_out([told] * 1000)
    asked: list[Any] = []
    is_durable = shell._is_durable
    monkeypatch.setattr(shell, "_is_durable", lambda after: (asked.append(after), is_durable(after))[1])
    for _ in range(10):
        shell.turn()
    assert asked == [told.after] * 10


def test_a_lagging_write_that_fails_ends_its_calls_and_comes_again(lagging: Lagging) -> None:
    lagging.train()
    lagging.store.is_full = True
    lagging.turns.clock.advance()
    assert [str(error) for error in lagging.asker.errors] == ["the disk is full"]
    lagging.store.is_full = False
    take(lagging.bench, done(lagging.bench.given[0]))
    lagging.bench.shell.flush()
    assert len(lagging.store.rows(StepRow)) == 2


def test_a_reader_that_nothing_up_to_date_can_be_shown_is_told(lagging: Lagging) -> None:
    lagging.train()
    lagging.store.is_full = True
    with pytest.raises(StorageError), lagging.store.reading():
        pass
    lagging.store.is_full = False
    with lagging.store.reading() as rows:
        assert len(rows.rows(StepRow)) == 2


def test_a_shell_is_idle_only_when_all_is_written(lagging: Lagging) -> None:
    lagging.train()
    assert not lagging.bench.shell.is_idle
    lagging.bench.shell.flush()
    assert lagging.bench.shell.is_idle


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


def test_a_turn_that_only_wrote_is_followed_by_none(bench: Bench, asker: Asker) -> None:
    asker.ask()
    take(bench, OPENED)
    bench.shell.take(trained(bench.given[0])[0])
    assert not bench.shell.turn()


@pytest.mark.parametrize("slots", [1, 2])
def test_when_work_was_given_out_there_is_another_turn_only_where_a_slot_is_free(
    bench: Bench, asker: Asker, turns: Turns, slots: int
) -> None:
    asker.ask()
    take(bench)
    turns.coordinator.is_watching = True  # else that begins with the work
    for slot in (A, B)[:slots]:
        bench.shell.take(SlotOpened(slot=slot, environment={}))
    assert bench.shell.turn() is (slots == 2)
    assert len(bench.given) == 1


def test_a_turn_whose_write_failed_is_followed_by_another(bench: Bench, asker: Asker, store: FailingStore) -> None:
    asker.ask()
    take(bench, OPENED)
    store.is_full = True
    bench.shell.take(trained(bench.given[0])[0])
    assert bench.shell.turn()
