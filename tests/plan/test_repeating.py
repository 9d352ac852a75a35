"""What failed because a connection was lost is done again for a minute, whatever the clock on the wall says."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from hippo.plan.repeating import PATIENCE_S, SPENT_PATIENCE_S, Patience


class Clocks:
    """A clock that time passes on, and another one for people, which somebody sets."""

    def __init__(self, set_to: float = 0.0) -> None:
        self.passed = 0.0
        self.set_to = set_to

    def now(self) -> float:
        return self.passed + self.set_to

    def elapsed(self) -> float:
        return self.passed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        raise AssertionError("nobody waits on a loop")

    def wait(self, seconds: float) -> None:
        self.passed += seconds
        assert self.passed < 10 * PATIENCE_S, "it waits for ever"


class Server:
    """Answers or does not."""

    def __init__(self, clocks: Clocks) -> None:
        self.clocks = clocks
        self.patience = Patience("the database", clock=clocks, wait=clocks.wait)
        #: it answers from here on
        self.back_at = float("inf")

    def answer(self) -> str:
        if self.clocks.passed < self.back_at:
            raise ConnectionError("it is away")
        return "here"

    def ask(self) -> str:
        return self.patience.repeat(self.answer, lambda error: isinstance(error, ConnectionError))

    def waited(self) -> float:
        """Ask one that is away, and return for how long."""
        before = self.clocks.passed
        with pytest.raises(ConnectionError):
            self.ask()
        return self.clocks.passed - before


@pytest.mark.parametrize("set_to", [0.0, 7200.0, -7200.0])
def test_a_server_is_waited_for_a_minute_and_a_clock_that_is_set_changes_nothing(set_to: float) -> None:
    assert PATIENCE_S - 2.0 <= Server(Clocks(set_to)).waited() <= PATIENCE_S


def test_one_that_comes_back_is_said_to_have_been_away(capsys: pytest.CaptureFixture[str]) -> None:
    server = Server(Clocks())
    server.back_at = 20.0
    assert server.ask() == "here"
    assert server.ask() == "here"
    assert capsys.readouterr().err.splitlines() == [
        "hippo: the database does not answer; it is waited for, for 60 s",
        "hippo: the database answers again",
    ]


def test_a_connection_that_was_lost_for_a_moment_is_not_worth_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    server = Server(Clocks())
    server.back_at = 1.0
    assert server.ask() == "here"
    assert capsys.readouterr().err == ""


def test_who_has_waited_in_vain_ends_without_waiting_as_long_again_until_the_server_answers() -> None:
    server = Server(Clocks())
    assert server.waited() > PATIENCE_S - 2.0
    assert server.waited() <= SPENT_PATIENCE_S
    assert server.waited() <= SPENT_PATIENCE_S
    server.back_at = server.clocks.passed + 1.0
    assert server.ask() == "here"
    server.back_at = float("inf")
    assert server.waited() > PATIENCE_S - 2.0


def test_what_does_not_pass_is_tried_once() -> None:
    server, tries = Server(Clocks()), list[int]()

    def attempt() -> None:
        tries.append(1)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        server.patience.repeat(attempt, lambda error: isinstance(error, ConnectionError))
    assert len(tries) == 1


def test_who_waits_ends_at_once_when_somebody_gives_up_and_others_later_wait_as_long_as_ever() -> None:
    tries, ended = threading.Semaphore(0), threading.Event()

    def attempt() -> None:
        tries.release()
        raise ConnectionError("it is away")

    def ask() -> None:
        with pytest.raises(ConnectionError):
            Patience("the database").repeat(attempt, lambda error: True)
        ended.set()

    waiting = threading.Thread(target=ask, daemon=True)
    waiting.start()
    for _ in range(5):  # the next one would be more than half a second away
        assert tries.acquire(timeout=120)
    assert not ended.is_set()
    Patience.give_up()
    assert ended.wait(120)
    assert Server(Clocks()).waited() > PATIENCE_S - 2.0
