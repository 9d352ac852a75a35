"""The lock of a plan in a file is lost neither by accident nor without a word."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippo.errors import PlanLockedError, PlanTakenOverError, StorageError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, Update, open_store
from hippo.plan.locks import lock_file, locks_held
from hippo.plan.sql_opening import open_sql_store
from hippo.testing.store_contract import NODE, PLAN


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AbstractPlanStore]:
    """A store that holds the lock of its plan 1."""
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    store.add_plan(PLAN)
    lock = store.lock(1)
    lock.acquire()
    yield store
    lock.release()
    store.close()


def is_locked(path: Path) -> bool:
    with (path / "hippo.db.plan1.lock").open("r+") as file:
        try:
            lock_file(file.fileno())
        except BlockingIOError:
            return True
        return False


def opened_files() -> Iterator[os.stat_result]:
    """Yield what this process's descriptors lead to."""
    for fd in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):
            yield os.fstat(fd)


def test_a_process_that_copies_the_folder_of_its_database_keeps_the_lock(
    store: AbstractPlanStore, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.copytree(tmp_path, tmp_path_factory.mktemp("backup") / "copy")
    assert is_locked(tmp_path)


def test_a_lock_that_is_given_back_is_free_though_a_program_is_started_with_its_descriptors(tmp_path: Path) -> None:
    lock: Any = open_store(f"sqlite:///{tmp_path}/hippo.db").lock(1)
    lock.acquire()
    inherited = os.dup(lock._lock._fd)  # as in a child that has not called exec() yet
    assert is_locked(tmp_path)
    lock.release()
    assert not is_locked(tmp_path)
    os.close(inherited)


def test_a_forked_child_neither_holds_nor_drops_its_parents_lock(tmp_path: Path) -> None:
    lock: Any = open_store(f"sqlite:///{tmp_path}/hippo.db").lock(1)
    lock.acquire()
    file = (tmp_path / "hippo.db.plan1.lock").stat()
    assert any(os.path.samestat(each, file) for each in opened_files())
    if (child := os.fork()) == 0:
        code = 2
        try:
            lock.release()
            code = any(os.path.samestat(each, file) for each in opened_files())
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert is_locked(tmp_path)
    assert (tmp_path / "hippo.db.plan1.lock").read_text()
    lock.release()


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EOPNOTSUPP])
def test_where_opened_files_cannot_be_locked_processes_lock_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.fcntl", refuse)
    lock = open_store(f"sqlite:///{tmp_path}/hippo.db").lock(1)
    lock.acquire()
    monkeypatch.undo()
    assert is_locked(tmp_path)
    lock.release()
    assert not is_locked(tmp_path)


def test_a_file_system_without_locks_is_no_other_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    monkeypatch.setattr("fcntl.fcntl", refuse)
    monkeypatch.setattr("fcntl.lockf", refuse)
    with pytest.raises(StorageError, match=r"plan 1 of .* cannot be locked: No locks available"):
        store.lock(1).acquire()


def test_a_lock_on_a_full_disk_is_held_without_a_name_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    for name in ("pwrite", "ftruncate"):
        monkeypatch.setattr(os, name, refuse)
    lock = store.lock(1)
    lock.acquire()
    assert is_locked(tmp_path)
    lock.release()
    assert not is_locked(tmp_path)
    store.lock(1).acquire()


def test_a_database_on_a_full_disk_says_what_to_do(tmp_path: Path) -> None:
    store = open_sql_store(f"sqlite:///{tmp_path}/hippo.db")
    with store._database.connect() as connection:  # SQLite's own limit says what a full disk does
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()

    def fill(connection: Any) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        connection.exec_driver_sql("CREATE TABLE much AS SELECT randomblob(100000) AS bytes")

    with pytest.raises(StorageError, match=r"disk is full.*Make room.*goes on where it was"):
        store.change_tables(fill)
    store.close()


def test_a_database_that_may_not_grow_says_what_to_look_at(tmp_path: Path) -> None:
    store = open_sql_store(f"sqlite:///{tmp_path}/hippo.db")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))  # refuses as a quota does, other than a full disk
    try:
        with pytest.raises(StorageError, match=r"disk I/O error.*a quota.*goes on where it was"):
            store.change_tables(
                lambda connection: connection.exec_driver_sql(
                    "CREATE TABLE much AS SELECT randomblob(1000000) AS bytes"
                )
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.close()


def take_over(url: str) -> None:
    """Begin an epoch, as another process does that got the lock."""
    other = open_store(url)
    other.commit([Update(replace(PLAN, plan=1, epoch=8, writer="another"))])
    other.close()


@pytest.mark.parametrize("has_written", [False, True])
def test_a_writer_whose_lock_file_was_removed_writes_nothing_once_another_has_taken_over(
    store: AbstractPlanStore, tmp_path: Path, has_written: bool
) -> None:
    store.commit([Update(replace(PLAN, plan=1, epoch=7, writer="this"))] if has_written else [Insert(NODE)])
    (tmp_path / "hippo.db.plan1.lock").unlink()
    store.commit([Insert(replace(NODE, node=2))])  # nobody has
    before = len(store.rows(NodeRow))
    take_over(store.url)
    for _ in range(2):
        with pytest.raises(PlanTakenOverError, match=r"(?s)plan 1 of .*taken over by another process.*run the script"):
            store.commit([Insert(replace(NODE, node=3))])
    assert len(store.rows(NodeRow)) == before


def test_plans_are_locked_together_while_a_block_lasts(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    with locks_held(map(store.lock, (1, 2))):
        for plan in (1, 2):
            with pytest.raises(PlanLockedError):
                store.lock(plan).acquire()
    with locks_held(map(store.lock, (1, 2))):
        pass


def test_where_one_of_several_plans_is_taken_none_is_locked(store: AbstractPlanStore) -> None:
    with pytest.raises(PlanLockedError), locks_held(map(store.lock, (2, 1))):
        pass
    with locks_held([store.lock(2)]):
        pass


def test_what_others_write_to_a_plan_that_is_not_locked_is_their_right(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    store.add_plan(PLAN)
    lock = store.lock(1)
    lock.acquire()
    store.commit([Update(replace(PLAN, plan=1, epoch=7, writer="this"))])
    lock.release()
    take_over(store.url)
    store.commit([Insert(NODE)])
    lock.acquire()
    store.commit([Update(replace(PLAN, plan=1, epoch=9, writer="this"))])
    store.commit([Insert(replace(NODE, node=2))])
    lock.release()


def test_a_commit_that_comes_before_this_one_has_noted_that_it_landed_is_no_other_writers(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippo.plan.held_plans.HeldPlans.settle", lambda *_: None)
    store.commit([Update(replace(PLAN, plan=1, epoch=7, writer="this"))])
    with (
        store._database.engine.connect()
    ):  # so that the next one, of another thread, say, needs a connection of its own
        store.commit([Insert(NODE)])
    assert len(store.rows(NodeRow)) == 1
