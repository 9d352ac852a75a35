"""Work in slices keeps to a number of bytes, whatever else its process allocates."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hippo.records import NodeId, Point
from hippo.training import slice_memory
from hippo.training.fusion.slices import SlicedWork
from hippo.training.slice_memory import SliceMemory, free_bytes, memory_told, resident_reader
from hippo.training.walking.walker import UserCodeFailed, user_code

MIB = 1 << 20

needs_linux = pytest.mark.skipif(resident_reader() is None, reason="this system does not say what a process has")


class Process:
    """Memory that two allocate in turns."""

    def __init__(self) -> None:
        self.resident = 100 * MIB


@given(
    turns=st.lists(st.tuples(st.integers(-40, 40), st.lists(st.integers(-10, 20), max_size=4)), max_size=8),
    most=st.integers(1, 60),
)
def test_what_counts_is_what_grew_while_slices_ran(turns: list[tuple[int, list[int]]], most: int) -> None:
    process = Process()
    memory = SliceMemory(most, lambda: process.resident, give_back=lambda: None)
    taken = largest = 0
    for of_large_job, of_slices in turns:
        process.resident += of_large_job
        memory.enter()
        began, before = process.resident, taken
        for grown in of_slices:
            process.resident += grown
            now = max(0, before + process.resident - began)
            largest = max(largest, now)
            if now > most:
                memory.check()  # where nobody would know what to do about it
                with pytest.raises(MemoryError, match=f"max_bytes={most}"), memory_told():
                    memory.check()
            else:
                memory.check()
        memory.leave()
        taken = max(0, before + process.resident - began)
    assert memory.most_bytes == largest


def test_it_is_told_in_a_trainers_methods_and_no_longer_behind_them() -> None:
    memory = SliceMemory(1, lambda: 2, give_back=lambda: None)
    with pytest.raises(UserCodeFailed) as caught, user_code("train", Point(NodeId(1), 2)):
        memory.check()
    assert (caught.value.is_resource, caught.value.failure.method) == (True, "train")
    memory.check()


def once() -> Callable[[float], bool]:
    """Return what lets one slice run, and then none."""
    answers = iter([True])
    return lambda _seconds: next(answers, False)


def sliced(process: Process, tensors: int) -> SlicedWork:
    """Return work that may have 48 MiB, and allocates so many tensors of 8 MiB, one in each slice."""

    def allocate() -> int:
        with memory_told():
            for _ in range(tensors):
                process.resident += 8 * MIB
                torch.ones(1)
        return tensors

    memory = SliceMemory(48 * MIB, lambda: process.resident, give_back=lambda: None)
    return SlicedWork(allocate, memory=memory)


def test_slices_that_take_more_than_they_may_are_ended() -> None:
    with pytest.raises(MemoryError, match=r"took 56 MiB .* 48 MiB"):
        sliced(Process(), 12).go(lambda _seconds: True)
    work = sliced(Process(), 6)
    assert work.go(lambda _seconds: True)
    assert work.returned == 6


def test_what_others_allocate_between_turns_is_none_of_theirs() -> None:
    process = Process()
    work, turns = sliced(process, 6), 0
    while not work.go(once()):
        process.resident += 32 * MIB
        turns += 1
    assert turns >= 6
    assert work.returned == 6


def test_what_was_taken_in_earlier_turns_is_still_theirs() -> None:
    work = sliced(Process(), 12)

    def run_out() -> None:
        while not work.go(once()):
            pass

    with pytest.raises(MemoryError, match="took 56 MiB"):
        run_out()


@needs_linux
def test_a_process_says_how_much_of_it_is_in_memory() -> None:
    resident = resident_reader()
    assert resident is not None
    before = resident()
    with mmap.mmap(-1, 64 * MIB) as pages:
        for page in range(0, 64 * MIB, mmap.PAGESIZE):
            pages[page] = 1
        assert 56 * MIB < resident() - before < 72 * MIB


@needs_linux
def test_a_machine_says_what_is_free() -> None:
    free = free_bytes()
    assert free is not None
    assert free > MIB


def test_a_group_of_processes_may_have_less_than_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (tmp_path / "max", tmp_path / "current")
    names[0].write_text("9000\n")
    names[1].write_text("2000\n")
    monkeypatch.setattr(slice_memory, "_GROUPS", ((str(names[0]), str(names[1])),))
    assert free_bytes() == 7000
    names[0].write_text("max\n")
    assert free_bytes() != 7000
