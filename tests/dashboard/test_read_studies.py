"""What a dashboard makes of a study is made once for each state of it, and what is dear now and then."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.dashboard.read_studies import ReadStudies
from hippo.dashboard.stale_answers import MAKER
from hippo.errors import OptionError
from hippo.plan import open_store
from hippo.testing.trainers import ToyTrainer

from .conftest import HandClock


class Grows:
    """A study that is written to, and a dashboard's reading of it."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/hippo.db"
        self._place = str(folder / "states")
        self.clock: Any = HandClock()
        self.write(1)
        self.read = ReadStudies(open_store(self.url), self.clock).named("grows")

    def write(self, until: int) -> None:
        study = hippo.create_study("grows", trainer=ToyTrainer, storage=self.url, checkpoints=self._place,
                                   engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
        study.close()

    def trials(self) -> dict[str, Any]:
        self.clock.seconds += 2.0
        return {"trials": len(self.read.study.trials)}


def test_it_is_made_once_until_something_is_written(tmp_path: Path) -> None:
    grows = Grows(tmp_path)
    first = grows.read.once("trials", grows.trials)
    assert grows.read.once("trials", grows.trials) is first
    assert grows.read.once("others", grows.trials) is not first
    grows.write(2)
    assert [grows.read.once("trials", grows.trials), first] == [{"trials": 2}, {"trials": 1}]
    with grows.read.tree() as tree:
        assert {number for row in tree.rows(tree.most_shared(9)) for number in row.trials} == {0, 1}


def test_what_is_dear_rests_for_five_times_as_long_and_says_when_to_ask_again(tmp_path: Path) -> None:
    grows = Grows(tmp_path)

    def asked(seconds: float) -> dict[str, Any]:
        grows.clock.seconds = seconds
        return grows.read.now_and_then("trials", grows.trials)

    assert asked(0.0) == {"trials": 1, "again_s": None}
    assert asked(100.0) == {"trials": 1, "again_s": None}  # nothing was written
    grows.write(2)
    assert asked(101.0) == {"trials": 2, "again_s": None}
    grows.write(3)
    assert asked(103.0) == {"trials": 2, "again_s": 10.0}
    assert asked(112.9)["again_s"] > 0
    assert asked(130.0) == {"trials": 3, "again_s": None}


def settle() -> None:
    """Wait until nothing is made meanwhile."""
    for thread in threading.enumerate():
        if thread.name == MAKER:
            thread.join(120)


def test_whoever_watches_waits_for_nothing_dear_but_for_the_first(tmp_path: Path) -> None:
    grows, may_end = Grows(tmp_path), threading.Event()
    may_end.set()

    def long() -> dict[str, Any]:
        assert may_end.wait(120)
        return grows.trials()

    def asked(seconds: float) -> dict[str, Any]:
        grows.clock.seconds = seconds
        return grows.read.now_and_then("trials", long)

    assert asked(0.0) == {"trials": 1, "again_s": None}
    grows.write(2)
    may_end.clear()
    assert asked(12.0) == {"trials": 1, "again_s": 2.0}  # its rest is over
    assert asked(12.5) == {"trials": 1, "again_s": 2.0}  # and it is being made
    grows.clock.seconds = 12.0
    may_end.set()
    settle()
    assert asked(14.0) == {"trials": 2, "again_s": None}
    grows.write(3)
    assert asked(25.0) == {"trials": 2, "again_s": 2.0}  # and so each time
    settle()
    assert asked(28.0) == {"trials": 3, "again_s": None}
    grows.write(4)
    assert asked(48.0) == {"trials": 4, "again_s": None}  # nobody has asked for longer than it rests: it is made now


def test_what_is_made_in_no_time_is_made_at_once(tmp_path: Path) -> None:
    grows = Grows(tmp_path)

    def quick() -> dict[str, Any]:
        grows.clock.seconds += 0.05
        return {"trials": len(grows.read.study.trials)}

    assert grows.read.now_and_then("trials", quick)["trials"] == 1
    grows.write(2)
    grows.clock.seconds = 0.31
    assert grows.read.now_and_then("trials", quick)["trials"] == 2


def test_what_goes_wrong_while_nobody_waits_is_told_to_whoever_asks_next(tmp_path: Path) -> None:
    grows = Grows(tmp_path)
    grows.read.now_and_then("trials", grows.trials)
    grows.write(2)
    grows.clock.seconds = 12.0

    def broken() -> dict[str, Any]:
        raise OptionError("the study is gone")

    assert grows.read.now_and_then("trials", broken)["trials"] == 1
    settle()
    with pytest.raises(OptionError, match="gone"):
        grows.read.now_and_then("trials", broken)
    assert grows.read.now_and_then("trials", grows.trials)["trials"] == 2


def test_what_does_not_hold_until_something_is_written_is_made_anew(tmp_path: Path) -> None:
    grows, made = Grows(tmp_path), list[int]()

    def make() -> int:
        made.append(len(made))
        return len(made)

    asked = [grows.read.once("slots", make, lambda number: number == 2) for _ in range(4)]
    assert asked == [1, 2, 2, 2]


def test_what_is_dear_holds_nobody_else_up(tmp_path: Path) -> None:
    grows, begun, may_end = Grows(tmp_path), threading.Event(), threading.Event()

    def long() -> dict[str, Any]:
        begun.set()
        assert may_end.wait(120)
        return {}

    thread = threading.Thread(target=grows.read.now_and_then, args=("storage", long))
    thread.start()
    assert begun.wait(120)
    asked = grows.read.once("trials", grows.trials), grows.read.now_and_then("others", grows.trials)
    may_end.set()
    thread.join(120)
    assert [each["trials"] for each in asked] == [1, 1]


def test_what_is_of_a_study_at_work_rests_and_is_then_made_anew_though_nothing_was_written(tmp_path: Path) -> None:
    grows = Grows(tmp_path)

    def asked(seconds: float, holds: bool) -> Any:
        grows.clock.seconds = seconds
        return grows.read.rested("tree", grows.trials, lambda made: holds)

    first = asked(0.0, False)[0]
    assert asked(11.9, False)[0] is first
    second, again_s = asked(40.0, False)
    assert (second is first, again_s) == (False, None)
    assert asked(100.0, True)[0] is second


def test_while_something_dear_rests_not_even_what_changed_is_read(tmp_path: Path) -> None:
    grows = Grows(tmp_path)
    grows.read.now_and_then("trials", grows.trials)
    before = grows.read.study.read()
    grows.write(2)
    grows.read.now_and_then("trials", grows.trials)
    assert before._reader._view is before
