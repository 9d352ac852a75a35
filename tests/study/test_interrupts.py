"""What a signal asks for comes about though a loop is held up: nothing of it is an error of somebody else."""

from __future__ import annotations

import signal
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hippo.plan.repeating import Patience
from hippo.study.interrupts import Interruption


class HeldUp:
    """A runtime whose loop waits for a database, and stops later."""

    engine = SimpleNamespace(trains_in_this_process=False)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def stop(self, *, timeout_s: float) -> None:
        self.asked.append("stop")
        raise TimeoutError

    def force(self) -> None:
        self.asked.append("force")
        raise TimeoutError


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_loop_that_is_held_up_keeps_no_other_one_from_stopping() -> None:
    runtimes = [HeldUp(), HeldUp()]
    interruption = Interruption(cast(Any, runtimes))
    interruption.on_signal(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        interruption.check()
    assert [each.asked for each in runtimes] == [["stop"]] * 2


def test_a_second_press_ends_the_wait_for_a_database() -> None:
    waits = threading.Event()

    def attempt() -> None:
        waits.set()
        raise ConnectionError("it is away")

    def ask() -> None:
        with pytest.raises(ConnectionError):
            Patience("the database").repeat(attempt, lambda error: True)

    waiting = threading.Thread(target=ask, daemon=True)
    waiting.start()
    assert waits.wait(30.0)
    interruption = Interruption([])
    interruption.on_signal(signal.SIGINT, None)
    waiting.join(0.2)
    assert waiting.is_alive()
    interruption.on_signal(signal.SIGINT, None)
    waiting.join(30.0)
    assert not waiting.is_alive()
    with pytest.raises(KeyboardInterrupt):
        interruption.check()
