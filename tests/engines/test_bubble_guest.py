"""A guest computes while its rank waits, within its limits, and whatever becomes of it the rank goes on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

from hippo.clock import SystemClock
from hippo.engines.bubble_guest import BubbleGuest
from hippo.engines.bubble_policy import BubbleLimits
from hippo.testing.jumping_clock import JumpingClock
from hippo.training.fusion.slices import SlicedWork


class StoppedClock(SystemClock):
    """Whose durations are what is jumped by."""

    def elapsed(self) -> float:
        return 0.0


class Slices:
    """A source whose work is slices of given lengths, without end unless it raises."""

    def __init__(self, clock: JumpingClock, length_s: Callable[[], float]) -> None:
        self._clock, self._length_s = clock, length_s
        self.lane_steps = 0
        self.memory = None
        self._times: dict[str, float] = {}

    def next_work(self) -> SlicedWork | None:
        work = SlicedWork(lambda: self._run(work), times=self._times, clock=self._clock)
        return work

    def _run(self, work: SlicedWork) -> None:
        while True:
            work.reach("slice")
            self._clock.jump(self._length_s())
            self.lane_steps += 1


class Rank:
    """A rank whose steps have one bubble, which is over at a moment of a clock that slices move."""

    def __init__(self, length_s: Callable[[], float], **limits: float) -> None:
        self.clock = JumpingClock(StoppedClock())
        self.source = Slices(self.clock, length_s)
        self.told: list[str] = []
        given = BubbleLimits(observed_steps=1, **limits)  # type: ignore[arg-type]
        self.guest = BubbleGuest(self.source, limits=given, clock=self.clock, tell=self.told.append)
        self.has_filled = threading.Event()
        self._tell_of_filling()
        self.guest.begin_step()

    def step(self, bubble_s: float) -> float:
        """Take a step, and return by how much its bubble was overrun."""
        self.guest.begin_step()
        until_s = self.clock.elapsed() + bubble_s

        self.has_filled.clear()

        def wait() -> str:
            if threading.current_thread().name == "hippo-bubbles":  # slices move the clock, for as long as they run
                while self.clock.elapsed() < until_s and not self.has_filled.wait(0.001):
                    pass
            self.clock.jump(max(0.0, until_s - self.clock.elapsed()))
            return "message"

        assert self.guest.wait(wait) == "message"
        late_s = self.clock.elapsed() - until_s
        self.clock.jump(1.0)  # what the rank computes
        return late_s

    def _tell_of_filling(self) -> None:
        """Have `has_filled` say that no slice of a wait runs any more."""
        fill = self.guest._fill

        def fill_and_say(*arguments: Any) -> Any:
            try:
                return fill(*arguments)
            finally:
                self.has_filled.set()

        self.guest._fill = fill_and_say  # type: ignore[method-assign]


def test_slices_run_in_a_bubble_and_end_before_it_does() -> None:
    rank = Rank(lambda: 0.1)
    late = [rank.step(1.0) for _ in range(6)]
    rank.guest.close()
    report = rank.guest.report()
    assert max(late) < 1e-6
    assert report.filled > 0.5
    assert report.overruns == 0


def test_what_is_trained_before_the_first_step_and_after_the_last_is_no_rate_beside_them() -> None:
    rank = Rank(lambda: 0.1)
    left = iter([True] * 10)
    rank.guest.warm_up(1e9, lambda: next(left, False))
    before = rank.source.lane_steps
    for _ in range(4):
        rank.step(1.0)
    rank.guest.begin_step()
    beside = rank.source.lane_steps - before
    left = iter([True] * 10)
    rank.guest.run_out(1e9, lambda: next(left, False))
    rank.guest.close()
    report = rank.guest.report()

    assert 0 < min(before, beside) < rank.source.lane_steps - beside
    assert (report.lane_steps, report.lane_steps_beside) == (rank.source.lane_steps, beside)
    assert report.lane_steps_per_s == beside / report.seconds
    assert f", {beside} of lanes in {report.seconds:.1f} s, {report.lane_steps} of lanes in all" in str(report)


def test_steps_in_which_the_large_job_does_something_else_are_not_the_guests_fault() -> None:
    rank = Rank(lambda: 10.0, observed_every=7)  # longer than all bubbles
    for step in range(40):
        rank.step(1.0)
        rank.clock.jump(50.0 if step % 10 == 5 else 0.0)
    rank.guest.close()

    assert rank.guest.report().slowdown == pytest.approx(0.0)
    assert rank.guest.report().seconds > 4 * 50.0


@pytest.mark.parametrize("kind", [SystemExit, RuntimeError])
def test_what_a_signals_handler_raises_amid_a_slice_is_raised_in_the_large_job(kind: type[BaseException]) -> None:
    def end(*_: object) -> None:
        raise kind("preempted")

    def length_s() -> float:
        if rank.source.lane_steps == 5:
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait(0.3)
        return 0.1

    def train() -> None:
        for _ in range(20):
            rank.step(1.0)

    rank = Rank(length_s)
    usual = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(kind, match="preempted"):
            train()
    finally:
        signal.signal(signal.SIGTERM, usual)
        rank.guest.close()
    assert not rank.guest.is_broken
    assert rank.told == []


def test_an_exit_just_before_a_slice_is_the_large_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(self: object, may_run: object) -> bool:
        raise SystemExit("preempted")

    rank = Rank(lambda: 0.1)
    rank.step(1.0)
    monkeypatch.setattr(SlicedWork, "go", end)
    with pytest.raises(SystemExit, match="preempted"):
        rank.step(1.0)
    monkeypatch.undo()
    rank.guest.close()
    assert rank.told == []


def test_a_guest_that_exits_stops_and_the_large_job_goes_on() -> None:
    def length_s() -> float:
        if rank.source.lane_steps == 5:
            raise SystemExit("mine")
        return 0.1

    rank = Rank(length_s)
    for _ in range(6):
        rank.step(1.0)
    rank.guest.close()
    assert rank.told == ["SystemExit: mine"]


def test_steps_that_are_only_observed_are_left_alone() -> None:
    rank = Rank(lambda: 0.1)
    rank.step(1.0)
    assert rank.source.lane_steps == 0
    rank.guest.close()


def test_a_slice_that_overruns_by_far_is_not_begun_again_in_such_a_bubble() -> None:
    lengths = iter([0.1] * 3 + [10.0] + [10.0] * 100)
    rank = Rank(lambda: next(lengths))
    late = [rank.step(1.0) for _ in range(8)]
    rank.guest.close()
    assert sum(each > 1e-6 for each in late) == 1


def test_a_guest_that_slows_the_rank_down_again_and_again_is_stopped_and_told_of() -> None:
    rank = Rank(lambda: 0.1, judged_steps=2)
    rank.guest._may_run = lambda *_: not rank.guest.policy.is_observing  # type: ignore[method-assign]
    for _ in range(60):
        rank.guest.begin_step()
        rank.guest.wait(lambda: rank.clock.jump(0.5))
        rank.clock.jump(1.0 if rank.guest.policy.is_observing or rank.guest.stopped else 2.0)
    assert len(rank.told) == 1
    assert "slowed the large job down" in rank.told[0]
    before = rank.source.lane_steps
    rank.step(1.0)
    assert rank.source.lane_steps == before
    left = iter([True] * 10)
    rank.guest.run_out(1e9, lambda: next(left, False))
    assert rank.source.lane_steps > before  # so that lanes come to a checkpoint when the large job has ended
    rank.guest.close()


def test_a_guest_whose_study_is_over_is_neither_judged_nor_counted() -> None:
    rank = Rank(lambda: 0.1)
    for _ in range(5):
        rank.step(1.0)
    rank.guest._drop()
    rank.source.next_work = lambda: None  # type: ignore[method-assign]
    rank.guest.has_ended = True
    before = rank.guest.report()
    for _ in range(100):
        rank.guest.begin_step()
        rank.guest.wait(lambda: rank.clock.jump(1.0))
        rank.clock.jump(2.0)  # the large job becomes slower, by itself
        assert rank.guest.policy.slowdown == 0.0
    after = rank.guest.report()
    rank.guest.close()
    assert not rank.told
    assert (after.with_guest_s, after.filled_s, after.waited_s, after.stopped) == (
        before.with_guest_s, before.filled_s, before.waited_s, "",
    )  # fmt: skip
    assert after.steps == before.steps + 100


def test_what_slices_raise_stops_the_guest_and_not_the_rank() -> None:
    def fail() -> float:
        raise ArithmeticError("3 lanes")

    rank = Rank(fail)
    for _ in range(5):
        rank.step(1.0)
    assert rank.told == ["ArithmeticError: 3 lanes"]
    assert rank.guest.report().stopped == "ArithmeticError: 3 lanes"
    rank.guest.close()


@pytest.mark.parametrize("steps", [0, 3])
def test_what_a_wait_raises_is_raised_where_the_rank_waits(steps: int) -> None:
    rank = Rank(lambda: 0.1)
    for _ in range(steps):
        rank.step(1.0)
    rank.guest.begin_step()

    def wait() -> None:
        raise ConnectionError("a rank is gone")

    with pytest.raises(ConnectionError, match="a rank is gone"):
        rank.guest.wait(wait)
    rank.guest.close()


def test_the_rank_keeps_its_threads() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        rank = Rank(lambda: 0.1)
        for _ in range(3):
            rank.step(1.0)
        assert torch.get_num_threads() == 2
        assert rank.source.lane_steps > 0
        rank.guest.close()
    finally:
        torch.set_num_threads(threads)


def test_a_slice_that_took_long_once_is_tried_again() -> None:
    lengths = iter([3.0])
    rank = Rank(lambda: next(lengths, 0.1), observed_every=1000, judged_steps=1000)
    assert rank.step(1.0) == 0.0  # which is observed
    assert rank.step(1.0) > 1.0
    late = [rank.step(1.0) for _ in range(20)]
    rank.guest.close()
    assert late == [0.0] * 20
    assert rank.source.lane_steps > 10


def test_a_way_back_that_took_long_once_is_forgiven() -> None:
    rank = Rank(lambda: 0.1, observed_every=1000, judged_steps=1000)
    rank.step(1.0)
    rank.guest._back_s = 3.0
    rank.step(1.0)
    assert rank.source.lane_steps == 0
    for _ in range(20):
        rank.step(1.0)
    rank.guest.close()
    assert rank.source.lane_steps > 10
