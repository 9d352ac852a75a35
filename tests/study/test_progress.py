"""How far a study is: rows in a terminal that nobody's prints run into, lines elsewhere, and no invented totals."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import AbstractPlanStore
from hippo.runtime import Progress
from hippo.runtime.study_looks import StudyLooks
from hippo.study.watching.progress import describe, fitted, progress_bar
from hippo.testing.gated_trainer import GatedTrainer
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]


def progress(**changes: Any) -> Progress:
    known: dict[str, Any] = {
        "best_value": 0.25,
        "trials_done": 2,
        "trials": 8,
        "steps_executed": 40,
        "steps_asked": 100,
        "steps_left": 10,
        "seconds_left": 5.0,
    }
    return Progress(**{**known, **changes})


def test_what_is_left_and_how_long_it_takes_is_told_where_it_is_known() -> None:
    assert describe(progress(), elapsed_s=10.0, steps=20) == [
        "best 0.25",
        "2 of 8 trials",
        "about 5 s to go",
        "40 steps",
        "0 saved",
        "10 left",
        "10 s",
        "2 steps/s",
    ]


def test_nothing_is_told_of_an_end_that_nobody_knows() -> None:
    said = ", ".join(describe(progress(may_ask_more=True, trials_failed=1), elapsed_s=10.0, steps=20))
    assert said == "best 0.25, 2 trials done, 1 failed, 40 steps, 0 saved, 10 s, 2 steps/s"


def test_lanes_are_told_where_several_may_be_walked_as_one() -> None:
    assert "8 lanes" in describe(progress(lanes=8), elapsed_s=10.0, steps=20)
    assert "1 lane" in describe(progress(lanes=1), elapsed_s=10.0, steps=20)
    assert not any("lane" in part for part in describe(progress(), elapsed_s=10.0, steps=20))


def test_where_a_tuner_says_that_it_is_comes_before_the_counts_and_moves_no_cursor() -> None:
    said = describe(progress(shown="branch 3,\x1b[2J best speed 0.1", may_ask_more=True), elapsed_s=10.0, steps=20)
    assert said[:3] == ["best 0.25", "branch 3,?[2J best speed 0.1", "2 trials done"]


class Telling(hippo.Tuner):
    """Says where it is, and sees what is shown of it."""

    def __init__(self, look: Callable[[], Progress | None]) -> None:
        self.look = look
        self.seen: list[str] = []

    def record(self) -> Any:
        return {"tuner": "Telling"}

    async def tune(self, ask: hippo.Ask) -> None:
        for where in ("first half", "second half"):
            ask.show(where)
            await ask({"lr": 0.1}, until=1 if where == "first half" else 2)
            now = await asyncio.to_thread(self.look)
            assert now is not None
            self.seen.append(now.shown)


def test_what_a_tuner_says_last_is_shown_while_it_runs_and_not_after(make_study: MakeStudy) -> None:
    study = make_study()
    tuner = Telling(study._progress)
    study.optimize(tuner)
    assert tuner.seen == ["first half", "second half"]
    after = study._progress()
    assert after is not None
    assert after.shown == ""


def test_a_narrow_row_has_whole_numbers_only() -> None:
    assert fitted(["best 0.25", "2 of 8 trials", "40 steps"], 24) == "best 0.25, 2 of 8 trials"


class InTurn(hippo.Tuner):
    """Asks for each config to its end, one after the other."""

    async def tune(self, ask: hippo.Ask) -> None:
        configs = iter([{"lr": 0.1}, {"lr": 0.2}])

        def propose() -> hippo.Proposal | None:
            config = next(configs, None)
            return None if config is None else hippo.Proposal(config=config, until=4, final=True)

        async for _ in ask.stream(propose):
            pass


CONFIGS = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]


@pytest.mark.parametrize(
    ("tuner", "is_known_at_first"),
    [
        (hippo.GridSearch(CONFIGS, until=4), True),
        (hippo.SuccessiveHalving(CONFIGS, min_steps=2, max_steps=4, reduction=2), False),
        (hippo.ASHA(CONFIGS, min_steps=2, max_steps=4, reduction=2), False),
        (InTurn(), False),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_tuner_that_decides_on_the_way_has_no_known_end_and_a_grid_has(
    make_study: MakeStudy, tmp_path: Path, tuner: hippo.Tuner, is_known_at_first: bool
) -> None:
    seen: list[bool] = []
    gate = tmp_path / "gate"

    class Looks(hippo.Callback):
        def on_step(self, event: Any) -> None:
            now = studies[0]._progress()
            assert now is not None
            seen.append(not now.may_ask_more)
            gate.touch()

    gated = {"gate": str(gate), "gate_at": 1}
    studies = [make_study(trainer=GatedTrainer, trainer_args=gated, callbacks=[Looks()])]
    studies[0].optimize(tuner)
    assert seen[0] is is_known_at_first


def test_steps_still_to_come_are_not_saved(make_study: MakeStudy, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    saved = []

    class Looks(hippo.Callback):
        def on_evaluated(self, event: Any) -> None:
            now = studies[0]._progress()
            assert now is not None
            saved.append(now.steps_saved)
            saved.append(hippo.load_study("toy", storage).statistics().steps_saved)

    fork = [{"lr": 0.1}, {"lr": hippo.Piecewise([0.1, 0.2], [4])}]
    studies = [make_study(callbacks=[Looks()], storage=storage, checkpoints=str(tmp_path / "states"))]
    studies[0].optimize(hippo.GridSearch(fork, until=8))
    assert studies[0].statistics().steps_saved == 4
    assert max(saved) <= 4  # 16 were asked for, and at first none of them was trained


class HandClock:
    """A clock that goes on when it is told to, and knows how often it was read."""

    def __init__(self) -> None:
        self.at_s = 0.0
        self.was_read = threading.Semaphore(0)

    def go_to(self, at_s: float) -> None:
        """Set the time, and wait until whoever reads the clock in turns has been through several."""
        self.at_s = at_s
        while self.was_read.acquire(blocking=False):
            pass
        for _ in range(12):
            assert self.was_read.acquire(timeout=120)

    def now(self) -> float:
        return self.at_s

    def elapsed(self) -> float:
        self.was_read.release()
        return self.at_s

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        raise AssertionError("nobody waits on it")


class LeavingReader(io.StringIO):
    """Standard error that is read for one line, as `2>&1 | head -1` does."""

    def write(self, text: str) -> int:
        if "\n" in self.getvalue():
            raise BrokenPipeError("no reader")
        return super().write(text)


def lines_after(
    times_s: list[float], monkeypatch: pytest.MonkeyPatch, out: type[io.StringIO] = io.StringIO
) -> list[str]:
    """Return the lines that a study left in a file while its clock went through these times."""
    error, clock = out(), HandClock()
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr("hippo.study.watching.progress._REFRESH_S", 0.001)
    monkeypatch.setattr("hippo.study.watching.progress._FIRST_LOOK_S", 0.001)
    with progress_bar(lambda: progress(steps_executed=int(clock.at_s)), title="long", clock=clock):
        for at_s in times_s:
            clock.go_to(at_s)
    return error.getvalue().splitlines()


def test_a_file_gets_a_line_after_ten_seconds_then_each_minute_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_after([9.0, 10.0, 69.0, 70.0, 129.0, 130.0, 131.0], monkeypatch)
    assert [re.findall(r"(\d+) steps,", line)[0] for line in lines] == ["10", "70", "130", "131"]
    assert lines[0].startswith("hippo: long: best 0.25, 2 of 8 trials")


def test_a_study_whose_reader_leaves_after_a_line_ends_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(lines_after([10.0], monkeypatch, LeavingReader)) == 1


def test_a_file_gets_nothing_of_a_study_that_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines_after([1.0, 9.0], monkeypatch) == []


def test_who_shows_nothing_looks_at_no_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first look adds up all that a study ever had, and its first request would wait for that."""
    looked: list[int] = []
    monkeypatch.setattr(StudyLooks, "progress", lambda _self, _store, study: looked.append(study))
    known = StudyLooks.steps_executed
    asked: list[int | None] = []

    def steps_executed(self: StudyLooks, store: AbstractPlanStore, study: int) -> int | None:
        asked.append(known(self, store, study))
        return asked[-1]

    monkeypatch.setattr(StudyLooks, "steps_executed", steps_executed)
    monkeypatch.setattr("hippo.study.watching.progress._FIRST_LINE_S", 600.0)  # which a busy machine may take
    study = hippo.create_study(
        "short", trainer=ToyTrainer, trainer_args={"sleep_s": 0.01}, storage="memory://", checkpoints=str(tmp_path),
        metric="loss", mode="min", engine=hippo.InlineEngine(),
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=30))
    study.close()
    assert looked == []
    assert asked[-1] is not None


LOUD = """
import hippo
from hippo.testing.trainers import ToyTrainer

class Loud(ToyTrainer):
    def train(self):
        print("epoch", self.steps, flush=True)
        return super().train()

study = hippo.create_study("loud", trainer=Loud, trainer_args={"sleep_s": 0.15}, storage="memory://", metric="loss",
                           mode="min", engine=hippo.LocalEngine(workers=1))
study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=5))
"""


def in_a_terminal(program: str, folder: Path) -> str:
    """Run a program on a terminal of 24 rows, and return all that it was sent."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "LINES": "24", "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    sent = b""
    readable = select.poll()  # unlike select() it takes a descriptor beyond 1,023
    readable.register(ours, select.POLLIN)
    try:
        while readable.poll(60_000):
            sent += os.read(ours, 65536)
    except OSError:  # its end
        pass
    os.close(ours)
    assert process.wait() == 0
    return sent.decode()


@pytest.mark.slow
def test_the_prints_of_workers_stay_whole_and_the_terminal_is_given_back(tmp_path: Path) -> None:
    sent = in_a_terminal(LOUD, tmp_path)
    assert "\0337\033[?7l\033[" in sent  # rows were shown
    scrolled = re.sub(
        r"\0337.*?\0338|\033\[2A", "", sent, flags=re.DOTALL
    )  # what is drawn in the rows comes in one piece
    lines = [line.strip() for line in scrolled.splitlines()]
    assert {line for line in lines if "epoch" in line} == {f"epoch {step}" for step in range(5)}
    assert re.findall(r"\033\[\d*(?:;\d+)?r", sent)[-1] == "\033[r"  # the whole screen scrolls again
    assert lines[-1].startswith("hippo: loud: best")
