"""Whoever may read a database's file and not write it sees what others write, each time as of one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hippo.errors import StorageError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, open_store
from hippo.plan.file_reader import FileReader
from hippo.testing.store_contract import NODE


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database with one row, and without a journal: nobody has it open."""
    url = f"sqlite:///{tmp_path}/hippo.db"
    store = open_store(url)
    store.commit([Insert(NODE)])
    store.close()
    assert not list(tmp_path.glob("*-wal"))
    return url


@pytest.fixture
def reader(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[AbstractPlanStore]:
    with monkeypatch.context() as patch:  # root may write everything
        patch.setattr("hippo.plan.sqlite_file._may_write", lambda path: False)
        store = open_store(url, must_exist=True)
        store.rows(NodeRow)
    yield store
    store.close()


@pytest.fixture
def add(url: str) -> Iterator[Callable[[int], None]]:
    """Add a row, as a process that goes on writing."""
    writers: list[AbstractPlanStore] = []

    def add(node: int) -> None:
        if not writers:
            writers.append(open_store(url))
        writers[0].commit([Insert(replace(NODE, node=node))])

    yield add
    for writer in writers:
        writer.close()


def nodes(store: AbstractPlanStore) -> list[int]:
    return [row.node for row in store.rows(NodeRow)]


def test_what_is_written_after_the_first_look_is_seen(reader: AbstractPlanStore, add: Callable[[int], None]) -> None:
    seen = [reader.changes()]
    assert reader.changes() == seen[0]
    for node in (2, 3):
        add(node)
        seen.append(reader.changes())
        assert reader.changes() == seen[-1]
        assert nodes(reader)[-1] == node
    assert len(set(map(str, seen))) == 3


def test_what_a_writer_wrote_that_has_ended_is_seen(reader: AbstractPlanStore, url: str, tmp_path: Path) -> None:
    before = reader.changes()
    writer = open_store(url)
    writer.commit([Insert(replace(NODE, node=2))])
    writer.close()
    assert not list(tmp_path.glob("*-wal"))
    assert reader.changes() != before
    assert nodes(reader) == [1, 2]


def test_a_journal_of_another_file_is_watched_anew(
    reader: AbstractPlanStore, add: Callable[[int], None], url: str, tmp_path: Path
) -> None:
    add(2)
    before = reader.changes()
    for path in tmp_path.glob("hippo.db*"):
        path.rename(path.with_name(f"old-{path.name}"))
    writer = open_store(url)
    writer.commit([Insert(replace(NODE, node=7))])
    assert reader.changes() != before
    assert nodes(reader) == [7]
    writer.close()


@pytest.mark.parametrize("has_journal", [False, True])
def test_all_that_is_read_together_is_of_one_moment(
    reader: AbstractPlanStore, add: Callable[[int], None], has_journal: bool
) -> None:
    if has_journal:
        add(2)
    with reader.reading() as rows:
        before = rows.rows(NodeRow)
        add(3)
        assert rows.rows(NodeRow) == before
    assert nodes(reader)[-1] == 3


def test_a_file_that_is_changed_while_it_is_read_without_locks_is_to_be_read_again(
    reader: AbstractPlanStore, url: str
) -> None:
    def read() -> None:
        with reader.reading() as rows:
            rows.rows(NodeRow)
            writer = open_store(url)
            writer.commit([Insert(replace(NODE, node=2))])
            writer.close()  # which moves the journal into the file

    with pytest.raises(StorageError, match=r"was written to meanwhile.*Read it again"):
        read()
    assert nodes(reader) == [1, 2]


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_journal_that_comes_or_goes_while_the_file_is_opened_is_looked_for_again(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    reader, usual = FileReader(tmp_path / "hippo.db"), FileReader._has_journal
    reader._journaled = FileReader(tmp_path / "is not there")._journaled
    looks: list[int] = []

    def look(self: FileReader) -> bool:
        looks.append(1)
        if is_refused and len(looks) == 1:
            raise StorageError("a journal without an index")
        return len(looks) == 1 or usual(self)

    monkeypatch.setattr(FileReader, "_has_journal", look)
    with reader.connect() as connection:
        assert connection.exec_driver_sql("SELECT node FROM hippo_node").all() == [(1,)]
    assert len(looks) == 2
    looks.clear()
    assert reader.changes() != reader.changes()


def test_whoever_may_only_read_is_told_so_on_writing(reader: AbstractPlanStore) -> None:
    with pytest.raises(StorageError, match="To train, the file and its folder must be there and writable"):
        reader.commit([Insert(replace(NODE, node=2))])
