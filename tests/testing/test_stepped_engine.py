"""Whoever waits in vain is told so, and nobody else."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import Any

import pytest

from hippo.errors import EngineError
from hippo.testing.stepped_engine import SteppedEngine


def waiting(engine: SteppedEngine, done: concurrent.futures.Future[Any]) -> tuple[threading.Thread, list[Exception]]:
    """Wait in a thread, from before this returns on."""
    raised: list[Exception] = []

    def wait() -> None:
        try:
            engine.serve(done)
        except EngineError as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while engine._serving is not done:
        pass
    return thread, raised


def test_what_was_begun_since_the_loop_looked_is_run_before_anybody_is_told_that_he_waits_in_vain() -> None:
    engine, done = SteppedEngine(), concurrent.futures.Future[Any]()
    thread, raised = waiting(engine, done)
    assert engine.drive(lambda: False), "what is ready runs once more"
    done.set_result(None)  # it was the call itself
    thread.join(120)
    assert not raised


def test_who_waits_in_vain_is_told_when_nothing_was_left_to_do_twice_on_end() -> None:
    engine = SteppedEngine()
    thread, raised = waiting(engine, concurrent.futures.Future())
    assert engine.drive(lambda: False)
    assert not engine.drive(lambda: False)
    thread.join(120)
    (error,) = raised
    assert "waits for nothing" in str(error)


def test_where_nobody_waits_nothing_is_said() -> None:
    engine = SteppedEngine()
    assert not engine.drive(lambda: False)
    done = concurrent.futures.Future[Any]()
    thread, raised = waiting(engine, done)
    assert engine.drive(lambda: False), "it is another wait"
    done.set_result(None)
    thread.join(120)
    assert not raised


def test_who_goes_round_in_a_circle_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = SteppedEngine()
    monkeypatch.setattr("hippo.testing.stepped_engine._MOST_MOVES", 0)
    thread, raised = waiting(engine, concurrent.futures.Future())
    assert not engine.drive(lambda: False)
    thread.join(120)
    assert "circle" in str(raised[0])
