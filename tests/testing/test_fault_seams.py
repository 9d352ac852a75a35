"""Each seam does what a fault of its kind says, once, and otherwise nothing."""

from __future__ import annotations

import hashlib
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, MemoryCheckpoints, WrittenBytes
from hippo.errors import CheckpointError, CorruptCheckpointError, MissingCheckpointError, StorageError, StoreFullError
from hippo.plan import Insert, MemoryStore, PlanRow
from hippo.simulation.clock import VirtualClock
from hippo.testing.fault_book import FaultBook, FolderLedger, MemoryLedger, PretendedLife
from hippo.testing.fault_plans import LOSSES, MOST_LOSSES_OF_A_PLAN, SEAM_OF, Fault, FaultKind, Seam, draw_plan
from hippo.testing.faulty_checkpoints import FaultyCheckpoints
from hippo.testing.faulty_store import FaultyStore
from hippo.testing.jumping_clock import JumpingClock

DATA = bytes(range(100))
ROW = PlanRow(plan=1, workload="w", declared="{}", fork=0)


def book_of(*kinds: FaultKind, at: int = 1, amount: int = 1) -> FaultBook:
    return FaultBook(tuple(Fault(kind=kind, at=at, amount=amount) for kind in kinds), MemoryLedger())


def write(store: AbstractCheckpointStore, key: str = "a") -> WrittenBytes:
    def writer(file: BinaryIO) -> None:
        file.write(DATA)

    return store.write(key, writer)


def read(store: AbstractCheckpointStore, key: str = "a") -> bytes:
    return store.read(key, sha256=hashlib.sha256(DATA).hexdigest(), size_bytes=len(DATA))


# --- plans and books


def test_a_plan_is_a_function_of_its_seed_and_stays_below_what_fails_a_stage() -> None:
    def drawn(seed: int) -> object:
        return draw_plan(random.Random(seed), list(FaultKind), num_faults=30, occasions=dict.fromkeys(Seam, 9))

    assert drawn(1) == drawn(1) != drawn(2)
    for seed in range(20):
        plan = draw_plan(random.Random(seed), list(FaultKind), num_faults=30, occasions=dict.fromkeys(Seam, 9))
        assert sum(fault.kind in LOSSES for fault in plan) <= MOST_LOSSES_OF_A_PLAN
        assert all(1 <= fault.at <= 9 for fault in plan)


def test_each_kind_has_a_seam() -> None:
    assert SEAM_OF.keys() == set(FaultKind)


def test_a_fault_comes_at_its_occasion_and_once() -> None:
    book = book_of(FaultKind.FAIL_COMMIT, at=3)
    assert [book.take(Seam.COMMIT) is not None for _ in range(5)] == [False, False, True, False, False]


def test_a_fault_that_does_not_fit_waits_for_an_occasion_that_it_fits() -> None:
    book = book_of(FaultKind.FAIL_COMMIT)
    assert book.take(Seam.COMMIT, lambda _: False) is None
    assert book.take(Seam.COMMIT, lambda _: True) is not None


def test_a_fault_that_has_come_in_one_process_comes_in_no_other(tmp_path: Path) -> None:
    plan = (Fault(kind=FaultKind.FAIL_COMMIT, at=1), Fault(kind=FaultKind.SLOW_COMMIT, at=2))
    one = FaultBook(plan, FolderLedger(str(tmp_path)))
    other: FaultBook = pickle.loads(pickle.dumps(one))
    taken = one.take(Seam.COMMIT)
    assert taken is not None
    taken.note("this")
    assert other.take(Seam.COMMIT) is None
    assert other.take(Seam.COMMIT) is not None
    assert FolderLedger(str(tmp_path)).fired() == {0: "this", 1: ""}


# --- checkpoints


@pytest.fixture(params=["memory", "folder"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[FaultBook], FaultyCheckpoints]:
    inner = MemoryCheckpoints() if request.param == "memory" else FolderCheckpoints(tmp_path)
    return lambda book: FaultyCheckpoints(inner, book, PretendedLife())


Made = Callable[[FaultBook], FaultyCheckpoints]


def test_a_write_fails_once_and_leaves_nothing(made: Made) -> None:
    store = made(book_of(FaultKind.FAIL_WRITE))
    with pytest.raises(CheckpointError, match="injected"):
        write(store)
    assert store.keys() == []
    write(store)
    assert read(store) == DATA


@pytest.mark.parametrize(("amount", "times"), [(2, 1), (1, 2)])
def test_a_disk_is_full_for_a_while(made: Made, amount: int, times: int) -> None:
    store = made(book_of(FaultKind.FULL_DISK, amount=amount))
    for _ in range(times):
        with pytest.raises(StoreFullError):
            write(store)
    write(store)
    assert read(store) == DATA


@pytest.mark.parametrize("amount", range(1, 7))
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (FaultKind.TRUNCATE_FILE, CorruptCheckpointError),
        (FaultKind.FLIP_BIT, CorruptCheckpointError),
        (FaultKind.LOSE_FILE, MissingCheckpointError),
    ],
)
def test_what_was_written_whole_is_damaged_later(
    made: Made, kind: FaultKind, error: type[Exception], amount: int
) -> None:
    store = made(book_of(kind, amount=amount))
    assert write(store).size_bytes == len(DATA)
    with pytest.raises(error):
        read(store)
    write(store, "b")
    assert read(store, "b") == DATA


def test_a_read_fails_once(made: Made) -> None:
    store = made(book_of(FaultKind.FAIL_READ))
    write(store)
    with pytest.raises(CheckpointError, match="Input/output"):
        read(store)
    assert read(store) == DATA


def test_the_dead_write_and_delete_nothing() -> None:
    life, inner = PretendedLife(), MemoryCheckpoints()
    store = FaultyCheckpoints(inner, book_of(), life)
    write(store)
    life.end()
    with pytest.raises(CheckpointError, match="killed"):
        write(store, "b")
    store.delete("a")
    assert inner.keys() == ["a"]


# --- the plan's store


@pytest.mark.parametrize(
    ("kind", "is_written"),
    [
        (FaultKind.FAIL_COMMIT, False),
        (FaultKind.KILL_STUDY_BEFORE_COMMIT, False),
        (FaultKind.KILL_STUDY_AFTER_COMMIT, True),
    ],
)
def test_a_commit_that_is_disturbed_is_there_whole_or_not_at_all(kind: FaultKind, is_written: bool) -> None:
    inner, life = MemoryStore(), PretendedLife()
    store = FaultyStore(inner, book_of(kind), life)
    with pytest.raises(StorageError, match="injected"):
        store.commit([Insert(ROW)])
    assert bool(inner.rows(PlanRow)) is is_written
    assert life.is_over is (kind is not FaultKind.FAIL_COMMIT)


def test_after_a_failed_commit_the_same_changes_can_be_written() -> None:
    store = FaultyStore(MemoryStore(), book_of(FaultKind.FAIL_COMMIT), PretendedLife())
    with pytest.raises(StorageError):
        store.commit([Insert(ROW)])
    store.commit([Insert(ROW)])
    assert store.rows(PlanRow) == [ROW]


# --- time


def test_durations_never_go_back_where_a_clock_does() -> None:
    clock = JumpingClock(VirtualClock(began_at=1e9))
    clock.jump(-3600.0)
    assert (clock.now(), clock.elapsed()) == (1e9 - 3600.0, 0.0)
    clock.jump(60.0)
    assert (clock.now(), clock.elapsed()) == (1e9 - 3540.0, 60.0)
