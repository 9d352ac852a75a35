"""What failed because a connection was lost is done again for a minute, whatever the clock on the wall says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hippo.plan.repeating import PATIENCE_S, repeated


class Clocks:
    """A clock that time passes on, and another one for people, which somebody sets."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.set_to = 0.0

    def now(self) -> float:
        return self.passed + self.set_to

    def elapsed(self) -> float:
        return self.passed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        raise AssertionError("nobody waits on a loop")

    def wait(self, seconds: float) -> None:
        self.passed += seconds


@pytest.mark.parametrize("jump", [0.0, 7200.0, -7200.0])
def test_a_server_is_waited_for_a_minute_and_a_clock_that_is_set_changes_nothing(jump: float) -> None:
    clocks, tries = Clocks(), 0

    def attempt() -> None:
        nonlocal tries
        tries += 1
        clocks.set_to = jump if tries > 1 else 0.0
        raise ConnectionError("it is away")

    with pytest.raises(ConnectionError):
        repeated(attempt, lambda _: True, clock=clocks, wait=clocks.wait)
    assert PATIENCE_S - 2.0 <= clocks.passed <= PATIENCE_S


def test_what_does_not_pass_is_tried_once() -> None:
    tries: list[int] = []

    def attempt() -> None:
        tries.append(1)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        repeated(attempt, lambda error: isinstance(error, ConnectionError))
    assert len(tries) == 1
