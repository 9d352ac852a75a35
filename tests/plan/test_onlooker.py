"""A server that neither answers nor ends the connection is named, once, and so is that it has answered."""

from __future__ import annotations

import os
import queue
import threading

import pytest

from hippo.plan.onlooker import SAY_AFTER_S, Onlooker
from hippo.plan.repeating import Patience


class Clock:
    """Time that the test lets pass."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> float:
        return self.passed

    def elapsed(self) -> float:
        return self.passed

    def call_later(self, seconds: float, callback: object) -> None:
        raise AssertionError("nobody waits on a loop")


def test_a_server_that_lets_one_wait_is_named_once_and_again_when_it_has_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    onlooker = Onlooker(clock)
    with onlooker.looking_on("the database db"):
        clock.passed = SAY_AFTER_S - 1.0
        assert onlooker.look()
        assert capsys.readouterr().err == ""
        clock.passed = SAY_AFTER_S
        assert onlooker.look()
        assert onlooker.look()
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("hippo: the database db has not answered for 30 s, and is waited for")
        clock.passed = 70.0
    assert capsys.readouterr().err == "hippo: the database db let us wait for 70 s\n"
    assert not onlooker.look()


def test_one_that_answers_in_time_or_refuses_is_worth_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    onlooker = Onlooker(clock)

    def refused() -> None:
        with onlooker.looking_on("the database db"):
            raise ConnectionError("away")

    with onlooker.looking_on("the database db"):
        pass
    with pytest.raises(ConnectionError):
        refused()
    clock.passed = 1000.0
    assert not onlooker.look()
    assert capsys.readouterr().err == ""


def test_two_that_are_asked_at_a_time_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    onlooker = Onlooker(clock)
    with onlooker.looking_on("the database a"):
        clock.passed = 20.0
        with onlooker.looking_on("the database b"):
            clock.passed = 35.0
            onlooker.look()
            (line,) = capsys.readouterr().err.splitlines()
            assert line.startswith("hippo: the database a has not answered for 35 s")


def test_its_thread_looks_by_itself_and_ends_when_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    said = queue.SimpleQueue[str]()
    monkeypatch.setattr("hippo.plan.onlooker.say", lambda _, here: said.put(here))
    monkeypatch.setattr("hippo.plan.onlooker._LOOK_EVERY_S", 0.01)
    clock = Clock()
    onlooker = Onlooker(clock)

    def threads() -> list[threading.Thread]:
        named = [thread for thread in threading.enumerate() if thread.name == "hippo-onlooker"]
        return [thread for thread in named if thread not in before]

    before = threading.enumerate()
    for _ in range(2):  # a second one begins as the first one did
        with onlooker.looking_on("the database db"):
            clock.passed += SAY_AFTER_S
            assert "has not answered" in said.get(timeout=60.0)
            (looking,) = threads()
        assert "let us wait" in said.get(timeout=60.0)
        looking.join(120)
        assert not looking.is_alive()


def test_a_forked_child_looks_on_for_itself() -> None:
    onlooker = Onlooker()
    with onlooker.looking_on("the database db"):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            onlooker.begin_in_child()
            os.write(write, b"1" if onlooker.look() else b"0")
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 1) == b"0"
        assert onlooker.look()


def test_whoever_waits_for_a_server_is_looked_on_at(capsys: pytest.CaptureFixture[str]) -> None:
    from hippo.plan import onlooker

    clock, shared = Clock(), onlooker.ONLOOKER
    asked: list[bool] = []
    Patience("the database db", clock=clock).repeat(lambda: asked.append(shared.look()), lambda error: False)
    assert asked == [True]
