"""Work that is cut into slices comes to the bits of work that is not, and changes nothing for whoever it waits for."""

from __future__ import annotations

import os
import random
import signal
import threading
from typing import Any

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.clock import SystemClock
from hippo.testing.formations import ConfigFormation
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.jumping_clock import JumpingClock
from hippo.training.codec import state_hash
from hippo.training.fusion.slices import SlicedWork
from hippo.training.process.streams import seed_generators

pytestmark = pytest.mark.usefixtures("one_thread")

NETS = ("mlp", "cnn", "transformer")
OPTIMIZERS = ("sgd", "adam", "groups")
CONFIGS: list[dict[str, Any]] = [{"lr": 0.02 * (1 + lane), "weight_decay": 0.01 * lane} for lane in range(3)]


def formation(net: str, optimizer: str) -> ConfigFormation:
    return ConfigFormation(NetTrainer(net, optimizer, size=16), CONFIGS)


class StoppedClock(SystemClock):
    """Whose durations are what is jumped by."""

    def elapsed(self) -> float:
        return 0.0


def hashes(formation: ConfigFormation) -> list[str]:
    return [state_hash(each) for each in formation.states()]


def run_with_pauses(work: SlicedWork, pauses: list[int]) -> int:
    """Run work that stands still after so many slices, again and again; meanwhile others draw and compute."""
    stops = 0
    while not work.is_over:
        left = [pauses[stops % len(pauses)]]
        stops += 1

        def may_run(_seconds: float, left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] >= 0

        work.go(may_run)
        disturb()
    return stops


def disturb() -> None:
    torch.rand(3)
    random.random()
    numpy.random.rand()
    torch.nn.functional.scaled_dot_product_attention(*torch.rand(3, 1, 2, 4, 8)).sum()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("net", NETS)
def test_lanes_that_stand_between_any_two_operations_come_to_the_same_bits(net: str, optimizer: str) -> None:
    whole, cut = formation(net, optimizer), formation(net, optimizer)
    expected = whole.train(steps=2)
    work = SlicedWork(lambda: cut.train(steps=2))
    stops = run_with_pauses(work, [1])
    assert work.returned == expected
    assert hashes(cut) == hashes(whole)
    assert stops > 100  # operations of 4 updates, forward, backward and the optimizer's


@settings(max_examples=15, deadline=None)
@given(
    net=st.sampled_from(NETS),
    optimizer=st.sampled_from(OPTIMIZERS),
    pauses=st.lists(st.integers(1, 60), min_size=1, max_size=8),
)
def test_bits_are_the_same_wherever_lanes_stand(net: str, optimizer: str, pauses: list[int]) -> None:
    whole, cut = formation(net, optimizer), formation(net, optimizer)
    whole.train()
    run_with_pauses(SlicedWork(cut.train), pauses)
    assert hashes(cut) == hashes(whole)


def test_the_backward_pass_is_cut_node_by_node() -> None:
    times: dict[str, float] = {}
    SlicedWork(formation("mlp", "sgd").train, times=times).go(lambda _seconds: True)
    assert any("Backward" in name for name in times)
    assert any("foreach" in name for name in times)


@pytest.mark.parametrize("net", NETS)
def test_who_waits_draws_and_computes_as_if_there_were_no_slices(net: str) -> None:
    def others() -> list[Any]:
        return [torch.rand(2).tolist(), random.random(), numpy.random.rand()]

    def kernels() -> list[bool]:
        cuda = torch.backends.cuda
        return [cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), torch.is_grad_enabled()]

    lanes = formation(net, "adam")
    seed_generators(1)
    expected = [others() for _ in range(5)]
    switched = kernels()
    work, found = SlicedWork(lanes.train), []
    seed_generators(1)
    for slices in (1, 7, 40, 90, 11):
        left = iter([True] * slices + [False])
        work.go(lambda _seconds, left=left: next(left))
        found.append(others())
        assert kernels() == switched
    work.drop()
    assert found == expected


def test_what_the_work_raises_is_raised_where_it_is_waited_for() -> None:
    def fail() -> None:
        torch.ones(2).sum()
        raise ArithmeticError("3 lanes")

    work = SlicedWork(fail)
    with pytest.raises(ArithmeticError, match="3 lanes"):
        work.go(lambda _seconds: True)
    assert work.is_over


def test_work_that_is_dropped_unwinds_and_goes_no_further() -> None:
    seen: list[str] = []

    def call() -> None:
        try:
            torch.ones(2).sum()
            seen.append("went on")
        finally:
            seen.append("unwound")

    work = SlicedWork(call)
    left = iter([True, False])
    work.go(lambda _seconds: next(left))
    work.drop()
    work.drop()
    assert work.is_over
    assert seen == ["unwound"]


def test_work_that_never_began_is_dropped_without_a_word() -> None:
    work = SlicedWork(lambda: pytest.fail("it ran"))
    assert not work.go(lambda _seconds: False)
    work.drop()
    assert work.go(lambda _seconds: True)


def test_a_slice_is_expected_to_take_what_it_took_and_is_forgiven_slowly() -> None:
    clock, times = JumpingClock(StoppedClock()), {}
    lasts = iter([0.5, 0.1])

    def call() -> None:
        torch.ones(2)
        clock.jump(next(lasts))

    asked: list[float] = []
    for _ in range(2):
        SlicedWork(call, times=times, clock=clock).go(lambda seconds: asked.append(seconds) or True)
    assert asked == [0.0, 0.0, 0.0, 0.5]  # before it begins, and before `ones`, twice
    assert times["ones"] == pytest.approx(0.95 * 0.5)


def test_ctrl_c_while_its_thread_begins_leaves_nothing_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    start, begun = threading.Thread.start, []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        if thread.name == "hippo-slices" and not begun:
            begun.append(thread)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    ended: list[int] = []

    def work() -> str:
        torch.zeros(())
        ended.append(1)
        return "done"

    for goes_on in (True, False):
        begun.clear()
        ended.clear()
        sliced = SlicedWork(work)
        with pytest.raises(KeyboardInterrupt):
            sliced.go(lambda _seconds: True)
        threading.Event().wait(0.2)
        assert ended == []
        if goes_on:
            assert (sliced.go(lambda _seconds: True), sliced.returned, ended) == (True, "done", [1])
        else:
            sliced.drop()
            assert (sliced.is_over, ended) == (True, [])


def test_what_stands_before_its_first_slice_is_dropped_without_one() -> None:
    ended: list[int] = []

    def work() -> None:
        ended.append(0)
        torch.zeros(())
        ended.append(1)

    sliced = SlicedWork(work)
    assert not sliced.go(lambda _seconds: False)
    sliced.drop()
    assert (sliced.is_over, ended) == (True, [])


def test_ctrl_c_as_the_work_stands_is_heard_and_the_work_goes_on() -> None:
    class Interrupted:
        """A lock that was just taken when the interrupt is heard."""

        def __init__(self, lock: Any) -> None:
            self.release, self._lock, self._is_new = lock.release, lock, True

        def acquire(self, blocking: bool = True) -> bool:
            taken: bool = self._lock.acquire(blocking)
            if self._is_new:
                self._is_new = False
                raise KeyboardInterrupt
            return taken

    ended: list[int] = []

    def work() -> None:
        for number in range(4):
            torch.zeros(())
            ended.append(number)

    sliced: Any = SlicedWork(work)
    sliced._back = Interrupted(sliced._back)
    with pytest.raises(KeyboardInterrupt):
        sliced.go(lambda _seconds: len(ended) < 2)
    assert ended == [0, 1]
    assert sliced.go(lambda _seconds: True)
    assert ended == [0, 1, 2, 3]


def test_ctrl_c_amid_a_slice_is_heard_when_the_slice_is_over_and_the_work_stands_whole() -> None:
    ended: list[int] = []

    def work() -> float:
        total = torch.zeros(())
        for number in range(6):
            total = total + number
            if number == 2:
                os.kill(os.getpid(), signal.SIGINT)  # which the main thread hears, as it waits
                threading.Event().wait(0.2)
            ended.append(number)
        return total.item()

    sliced = SlicedWork(work)
    with pytest.raises(KeyboardInterrupt):
        sliced.go(lambda _seconds: True)
    stood = list(ended)
    threading.Event().wait(0.5)
    assert ended == stood  # it computes nothing while others do
    assert sliced.go(lambda _seconds: True)
    assert (sliced.returned, ended) == (15.0, list(range(6)))
