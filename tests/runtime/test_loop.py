"""Quiet is exact: never while a callback is ready, always before the loop waits."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import Callable

import pytest

from hippo import GridSearch, create_study
from hippo.engines import InlineEngine
from hippo.runtime import Runtime
from hippo.runtime.loop import ControlThread
from hippo.runtime.other_waits import OtherWaits, WatchedLoop, leaves_more_to_run
from hippo.testing.fake_engine import FakeEngine


def test_quiet_is_when_everybody_waits_and_not_between_two_steps_of_a_coroutine() -> None:
    seen: list[str] = []
    waits: list[asyncio.Future[None]] = []

    def on_quiet() -> bool:
        seen.append("quiet")
        for wait in waits:
            wait.set_result(None)
        return bool(waits)

    async def busy() -> None:
        for _ in range(5):
            seen.append("busy")
            await asyncio.sleep(0)
        waits.append(asyncio.get_running_loop().create_future())  # a timer might be due before the loop looks
        await waits[0]
        waits.clear()
        seen.append("woken")

    loop = ControlThread(on_quiet)
    loop.submit(busy()).result(timeout=60)
    loop.stop()
    first = seen.index("busy")
    assert seen[first : first + 7] == ["busy"] * 5 + ["quiet", "woken"]


def test_whoever_makes_something_ready_when_all_is_quiet_is_heard_without_a_wait() -> None:
    asked: list[asyncio.Future[None]] = []

    def on_quiet() -> bool:
        if not asked or asked[0].done():
            return False
        asked[0].set_result(None)
        return True

    async def waits_for_nothing_else() -> str:
        asked.append(asyncio.get_running_loop().create_future())
        await asked[0]
        return "heard"

    loop = ControlThread(on_quiet)
    assert loop.submit(waits_for_nothing_else()).result(timeout=60) == "heard"
    loop.stop()


def test_whoever_still_runs_when_the_loop_ends_is_cancelled() -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    loop = ControlThread(lambda: False)
    loop.submit(waits())
    loop.submit(asyncio.sleep(0)).result(timeout=60)  # it waits by now
    loop.stop()
    assert ended == ["cancelled"]


# --- calls that begin together


def test_what_begins_together_begins_at_one_moment_in_its_order() -> None:
    runtime, seen = Runtime(InlineEngine(), checkpoints="memory://"), []

    async def call(name: str) -> None:
        seen.append(f"{name} begins")
        await asyncio.sleep(0)
        seen.append(f"{name} goes on")

    with runtime.beginning():
        calls = [runtime._submit(call("first"))]
        assert not concurrent.futures.wait(calls, timeout=0.05).done
        calls.append(runtime._submit(call("second")))
    assert not concurrent.futures.wait(calls, timeout=60).not_done
    assert seen == ["first begins", "second begins", "first goes on", "second goes on"]


def test_where_nothing_was_begun_the_loop_is_given_back() -> None:
    runtime = Runtime(InlineEngine(), checkpoints="memory://")
    with runtime.beginning():
        loop = runtime._loop
        assert loop is not None
    loop.submit(asyncio.sleep(0)).result(timeout=60)
    while runtime._loop is not None:  # until all is quiet
        time.sleep(0.001)


def test_a_timer_whose_time_has_come_may_still_wake_somebody_until_it_has() -> None:
    waits, woken = OtherWaits(), list[str]()

    async def look() -> list[bool]:
        loop = asyncio.get_running_loop()
        waits.context().run(loop.call_later, 0.001, woken.append, "timer")
        cancelled = waits.context().run(loop.call_later, 0.001, woken.append, "cancelled")
        cancelled.cancel()
        time.sleep(0.05)  # no callback runs meanwhile
        before = waits.is_busy()
        while not woken:
            await asyncio.sleep(0.01)
        return [before, waits.is_busy()]

    with asyncio.Runner(loop_factory=WatchedLoop) as runner:
        assert runner.run(look()) == [True, False]
    assert woken == ["timer"]


def test_whoever_forces_a_runtime_that_is_closed_meanwhile_has_nothing_left_to_end() -> None:
    runtime, begun = Runtime(InlineEngine(), checkpoints="memory://"), threading.Event()

    async def force() -> None:
        begun.set()
        await asyncio.Event().wait()

    runtime._control.force = force  # type: ignore[method-assign]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        forced = pool.submit(runtime.force)
        assert begun.wait(120)
        runtime.close()
        assert forced.result(60) is None


@pytest.mark.parametrize(
    ("begin", "is_left"),
    [
        (lambda loop: None, False),
        (lambda loop: loop.call_soon(len, ()), True),
        (lambda loop: loop.call_later(0.0, len, ()), True),
        (lambda loop: loop.create_future().set_result(None), False),
    ],
)
def test_a_turn_that_scheduled_anything_on_the_loop_leaves_it_more_to_run(
    begin: Callable[[asyncio.AbstractEventLoop], object], is_left: bool
) -> None:
    left: list[bool] = []

    def turn() -> bool:
        begin(asyncio.get_running_loop())
        return False

    def on_quiet() -> bool:
        left.append(leaves_more_to_run(turn))
        return False

    async def wait() -> None:
        await asyncio.sleep(0.001)

    loop = ControlThread(on_quiet)
    loop.submit(wait()).result(timeout=60)
    loop.stop()
    assert set(left) == {is_left}


def test_an_engine_that_answers_on_the_loop_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    look_s = 60.0  # the look for stuck work would find each of them, so much later
    monkeypatch.setattr("hippo.runtime.shell._LOOK_FOR_STUCK_S", look_s)
    study = create_study(
        "fake",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage="memory://",
        checkpoints="memory://",
        engine=FakeEngine(slots=1),
        metric="loss",
        mode="min",
    )
    began = time.perf_counter()
    study.optimize(GridSearch([{"lr": 0.1 + number} for number in range(10)], until=2))
    assert time.perf_counter() - began < look_s
