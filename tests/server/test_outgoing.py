"""What a client hears was written first, and what is heard within a moment is written together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import hippo
from hippo.server.outgoing import GATHER_S, PendingEvents
from hippo.server.service import EventLog


class HandClock:
    """A clock whose timers a test fires."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def now(self) -> float:
        return self.now_s

    def elapsed(self) -> float:
        return self.now_s

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        self.timers.append((self.now_s + seconds, callback))

    def fire(self) -> None:
        at_s, callback = self.timers.pop(0)
        self.now_s = max(self.now_s, at_s)
        callback()


class Listener:
    """Writes down what is written and what is told, in their order."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.happened: list[Any] = []
        self.error: Exception | None = None
        self.events = PendingEvents(self._hear, self._write, self.clock)

    def _hear(self, events: Sequence[Mapping[str, Any]]) -> None:
        self.happened.append([event["event"] for event in events])

    def _write(self) -> Exception | None:
        self.happened.append("written")
        return self.error

    def add(self, *numbers: int) -> None:
        for number in numbers:
            self.events.add({"event": number})


def test_the_first_event_after_a_silence_waits_for_nobody() -> None:
    listener = Listener()
    listener.add(1)
    assert listener.happened == []
    listener.clock.fire()
    assert (listener.happened, listener.clock.now_s) == (["written", [1]], 100.0)


def test_events_that_follow_are_written_together_and_told_in_order() -> None:
    listener = Listener()
    listener.add(1)
    listener.clock.fire()
    listener.add(2, 3)
    listener.add(4)
    assert len(listener.clock.timers) == 1
    listener.clock.fire()
    assert listener.happened == ["written", [1], "written", [2, 3, 4]]
    assert listener.clock.now_s == 100.0 + GATHER_S


def test_what_could_not_be_written_is_never_told() -> None:
    listener = Listener()
    listener.error = OSError("disk full")
    listener.add(1)
    listener.clock.fire()
    assert listener.happened == ["written"]


def test_a_call_that_has_ended_tells_nothing_more() -> None:
    listener = Listener()
    listener.add(1)
    listener.events.close()
    listener.clock.fire()
    assert listener.happened == []


@pytest.mark.slow  # the service describes its trainer in a process of its own
def test_an_answer_is_in_the_file_of_the_database_when_its_client_may_hear_it(
    served: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, written = 0, []
    extend = EventLog.extend

    def looked_at(self: EventLog, events: Sequence[tuple[int, str]]) -> None:
        nonlocal told
        told += sum(text.count('"metrics"') for _, text in events)
        with sqlite3.connect(f"file:{tmp_path}/hippo.db?mode=ro", uri=True) as reader:
            written.append((told, reader.execute("SELECT count(*) FROM hippo_metrics").fetchone()[0]))
        extend(self, events)

    monkeypatch.setattr(EventLog, "extend", looked_at)
    served.study().optimize(hippo.GridSearch([{"lr": 0.01 * i} for i in range(1, 41)], until=1))
    assert told == 40
    assert all(answers <= facts for answers, facts in written)
    assert len(written) < 20  # in groups
