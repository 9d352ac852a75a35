"""What threads say reaches the control loop: in order, on its own thread, and with one call of it for many words."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from hippo.engines.loop_inbox import LoopInbox
from hippo.events import EngineEvent, SlotOpened
from hippo.records import SlotId


def event(number: int) -> EngineEvent:
    return SlotOpened(slot=SlotId(str(number)))


class Heard:
    """A loop's ears."""

    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self.threads: set[threading.Thread] = set()

    def __call__(self, event: EngineEvent) -> None:
        self.events.append(event)
        self.threads.add(threading.current_thread())


@pytest.fixture
def in_loop() -> Callable[[Callable[[LoopInbox, Heard], Awaitable[None]]], Heard]:
    def run(what: Callable[[LoopInbox, Heard], Awaitable[None]], inbox: LoopInbox | None = None) -> Heard:
        heard, inbox = Heard(), inbox or LoopInbox()

        async def opened() -> None:
            inbox.open(heard)
            await what(inbox, heard)

        asyncio.run(opened())
        return heard

    return run


def count_wakings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Note each call by which another thread may wake the running loop."""
    loop, wakings = asyncio.get_running_loop(), []
    wake = loop.call_soon_threadsafe
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *args: (wakings.append(args), wake(*args)))
    return wakings


def test_the_loop_hears_what_another_thread_says_in_order_and_on_its_own_thread(in_loop):
    async def say_from_a_thread(inbox: LoopInbox, heard: Heard) -> None:
        await asyncio.to_thread(lambda: [inbox.put(event(number), event(number + 1)) for number in range(0, 10, 2)])
        await asyncio.sleep(0)

    heard = in_loop(say_from_a_thread)

    assert heard.events == [event(number) for number in range(10)]
    assert heard.threads == {threading.current_thread()}


def test_nothing_is_heard_from_within_the_call_that_says_it(in_loop):
    async def say(inbox: LoopInbox, heard: Heard) -> None:
        inbox.put(event(1))
        assert (heard.events, inbox.is_empty) == ([], False)
        await asyncio.sleep(0)
        assert (heard.events, inbox.is_empty) == ([event(1)], True)

    in_loop(say)


def test_the_loop_is_woken_once_until_it_hears_and_then_once_more(in_loop, monkeypatch):
    async def say_twice(inbox: LoopInbox, heard: Heard) -> None:
        wakings = count_wakings(monkeypatch)
        for first in (0, 10):
            for number in range(10):
                inbox.put(event(first + number))
            inbox.put()
            await asyncio.sleep(0)
        assert len(wakings) == 2

    assert len(in_loop(say_twice).events) == 20


def test_what_was_said_to_a_loop_that_has_ended_is_for_nobody_on_the_next_one(in_loop):
    inbox = LoopInbox()

    async def listen(inbox: LoopInbox, heard: Heard) -> None:
        inbox.put(event(3))
        await asyncio.sleep(0)

    asyncio.run(open_only(inbox))
    assert inbox.is_abandoned
    inbox.put(event(2))  # in silence: everybody who would listen is gone

    assert in_loop(listen, inbox).events == [event(3)]


async def open_only(inbox: LoopInbox) -> None:
    """Leave a loop behind that hears nothing any more."""
    inbox.open(Heard())
