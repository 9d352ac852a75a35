"""What a signal asks for comes about though a loop is held up: nothing of it is an error of somebody else."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.clock import SystemClock
from hippo.errors import StoreFullError
from hippo.plan.repeating import Patience
from hippo.study.interrupts import Interruption, heard_once, interruptible
from hippo.testing.trainers import ToyTrainer


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
    interruption.on_signal(signal.SIGINT)
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
    assert waits.wait(120)
    interruption = Interruption([])
    interruption.on_signal(signal.SIGINT)
    waiting.join(0.2)
    assert waiting.is_alive()
    interruption.on_signal(signal.SIGINT)
    waiting.join(120)
    assert not waiting.is_alive()
    with pytest.raises(KeyboardInterrupt):
        interruption.check()


def test_a_sigterm_that_is_sent_twice_is_no_second_press_and_ctrl_c_behind_it_is() -> None:
    heard: list[int] = []
    hear = heard_once(heard.append)
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGINT, signal.SIGTERM):
        hear(number)
    assert heard == [signal.SIGTERM, signal.SIGINT, signal.SIGINT]


def test_a_sigterm_that_comes_later_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.0, 1.9, 2.1, 2.1])
    monkeypatch.setattr(SystemClock, "elapsed", lambda clock: next(times))
    heard: list[int] = []
    hear = heard_once(heard.append)
    for _ in range(3):
        hear(signal.SIGTERM)
    assert len(heard) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_study_that_is_sent_sigterm_twice_or_loses_its_terminal_waits_for_its_steps(number: int) -> None:
    runtime, before = HeldUp(), signal.signal(number, signal.SIG_DFL)  # another test's library has one of its own

    def run() -> None:
        with interruptible(cast(Any, [runtime])):
            for _ in range(2):
                os.kill(os.getpid(), number)

    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 128 + number
    assert runtime.asked == ["stop"]
    assert signal.signal(number, before) is signal.SIG_DFL


def test_a_study_that_nohup_began_goes_on_when_its_terminal_is_closed() -> None:
    runtime, before = HeldUp(), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible(cast(Any, [runtime])):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert runtime.asked == []


@pytest.mark.parametrize(("number", "kind"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_is_not_forgotten_for_a_state_that_cannot_be_written_as_all_stops(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    number: signal.Signals,
    kind: type[BaseException],
) -> None:
    sent: list[int] = []

    def full(*_: Any) -> None:
        if not sent:
            sent.append(number)
            os.kill(os.getpid(), number)
        raise StoreFullError("no room there.")

    monkeypatch.setattr(FolderCheckpoints, "write", full)
    study = hippo.create_study(
        "toy", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/a.db", checkpoints=str(tmp_path / "states"),
        metric="loss", mode="min", engine=hippo.InlineEngine(),
    )  # fmt: skip
    with pytest.raises(kind) as ended:
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    study.close()
    if kind is SystemExit:
        assert ended.value.args == (143,)
    said = capfd.readouterr().err
    assert "hippo: no room there." in said
    assert "stopped study 'toy'" in said
