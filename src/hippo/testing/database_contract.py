"""What stores in databases promise beyond what every store does, as tests: what fits, and many processes at once.

Subclass, give a fixture `url` of a new database, and inherit the questions.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from hippo.errors import StorageError, storable_text
from hippo.plan import AbstractPlanStore, FailureRow, Insert, NodeRow, StudyRow, TrialRow, Update, open_store
from hippo.testing.store_contract import DIGITS, NODE, PLAN, TRIAL, PlanStoreContract

FAILURE = FailureRow(plan=1, number=1, node=1, step=1, method="train", error="e", traceback="t")
PROCESSES = 6


class _OpenDatabase:
    @pytest.fixture
    def store(self, url: str) -> Iterator[AbstractPlanStore]:
        store = open_store(url)
        yield store
        store.close()


class DatabaseTextsContract(_OpenDatabase):
    """A value is kept exactly, or refused: it never comes back as another one."""

    def test_a_long_text_is_kept_whole(self, store: AbstractPlanStore) -> None:
        text = "é€😀x" * 20_000  # 200 KB; a TEXT of MySQL ends at 64 KB
        store.commit([Insert(replace(NODE, pieces=text))])
        assert store.rows(NodeRow)[0].pieces == text

    def test_a_text_that_servers_do_not_take_is_refused_by_its_field(self, store: AbstractPlanStore) -> None:
        with pytest.raises(StorageError, match=r"NodeRow\.pieces is a text of 9\.0 million characters.*8 MiB"):
            store.commit([Insert(replace(NODE, node=2)), Insert(replace(NODE, pieces="x" * 9_000_000))])
        assert store.rows(NodeRow) == []

    def test_a_key_that_servers_do_not_index_is_refused_by_its_field(self, store: AbstractPlanStore) -> None:
        with pytest.raises(StorageError, match=r"TrialRow\.member has 256 characters.*at most 255"):
            store.commit([Insert(replace(TRIAL, member="m" * 256))])
        store.commit([Insert(replace(TRIAL, member="é" * 255))])
        assert store.rows(TrialRow)[0].member == "é" * 255

    @pytest.mark.parametrize("loss", [float("nan"), float("inf"), float("-inf")])
    def test_a_loss_that_is_no_number_is_refused_and_not_kept_as_unknown(
        self, store: AbstractPlanStore, loss: float
    ) -> None:
        with pytest.raises(StorageError, match=r"TrialRow\.loss is -?(nan|inf)"):
            store.commit([Insert(replace(TRIAL, loss=loss))])
        assert store.rows(TrialRow) == []

    @pytest.mark.parametrize("loss", [-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, -1 / 3, 1e22])
    def test_a_loss_is_kept_exactly_and_ordered_as_a_number(self, store: AbstractPlanStore, loss: float) -> None:
        store.commit([Insert(replace(TRIAL, number=n, loss=x)) for n, x in enumerate([loss, -1e308])])
        store.commit([Update(replace(TRIAL, number=1, loss=-1.5e308))])
        with store.reading() as rows:
            found = rows.columns(TrialRow, ("loss",), order=("loss",))
        assert found == [(-1.5e308,), (loss,)]

    @pytest.mark.parametrize("pair", [("a", "A"), ("a", "a "), ("é", "e"), ("ß", "ss"), ("a", "a\t")])
    def test_names_that_differ_are_two(self, store: AbstractPlanStore, pair: tuple[str, str]) -> None:
        store.commit([Insert(replace(TRIAL, member=member)) for member in pair])
        assert [row.member for row in store.rows(TrialRow)] == sorted(pair)
        for name in pair:
            store.add_study(replace(DIGITS, name=name), {"": 1})
            assert store.add_plan(replace(PLAN, workload=name)).workload == name
        assert [row.name for row in store.rows(StudyRow, name=pair[0])] == [pair[0]]

    def test_what_a_failure_says_is_kept_whatever_characters_it_has(self, store: AbstractPlanStore) -> None:
        said = storable_text("file \udcff\ud800 and \0 and \\ and ' and % and :x and 😀")
        store.commit([Insert(replace(FAILURE, error=said))])
        assert store.rows(FailureRow)[0].error == said

    def test_what_cannot_be_encoded_is_refused_and_nothing_of_the_commit_is_kept(
        self, store: AbstractPlanStore
    ) -> None:
        for text in ("\ud83d", "\udcc3\udca9"):  # the second would be an é to a driver that escapes bytes
            with pytest.raises(StorageError):
                store.commit([Insert(replace(FAILURE, number=2)), Insert(replace(FAILURE, error=text))])
        assert store.rows(FailureRow) == []

    def test_the_character_null_is_kept_or_refused(self, store: AbstractPlanStore) -> None:
        row, said = replace(FAILURE, error="a\0b"), ""
        try:
            store.commit([Insert(row)])
        except StorageError as error:
            said = str(error)
        assert store.rows(FailureRow) == ([] if "U+0000" in said else [row])


class DatabaseSharingContract(_OpenDatabase):
    """Several processes, or several stores of one, on the same database."""

    def test_whoever_reads_sees_one_moment_though_others_write(self, url: str, store: AbstractPlanStore) -> None:
        other = open_store(url)
        with store.reading() as rows:
            assert rows.rows(NodeRow) == []
            other.commit([Insert(NODE), Insert(TRIAL)])
            assert rows.rows(NodeRow) == []
            assert rows.rows(TrialRow) == []
        assert store.rows(NodeRow) == [NODE]
        other.close()

    def test_a_commit_of_another_store_is_noticed(self, url: str, store: AbstractPlanStore) -> None:
        other, before = open_store(url), store.changes()
        other.commit([Insert(NODE)])
        assert store.changes() != before
        assert store.changes() == store.changes()
        other.close()

    def test_what_a_store_shows_of_its_url_opens_it_again(self, store: AbstractPlanStore) -> None:
        again = open_store(store.url)
        assert again.uuid == store.uuid
        again.close()

    @pytest.mark.slow
    def test_processes_that_open_a_new_database_at_once_find_the_same(self, url: str) -> None:
        assert len(set(_in_processes(_uuid_of, url))) == 1

    @pytest.mark.slow
    def test_processes_that_number_plans_and_studies_at_once_get_each_number_once(
        self, url: str, store: AbstractPlanStore
    ) -> None:
        found = [pair for pairs in _in_processes(_add_some, url) for pair in pairs]
        assert sorted(plan for plan, _ in found) == list(range(1, 4 * PROCESSES + 1))
        assert sorted(study for _, study in found) == list(range(1, 4 * PROCESSES + 1))

    @pytest.mark.slow
    def test_a_plan_that_another_process_writes_is_locked_and_its_writer_is_named(
        self, url: str, store: AbstractPlanStore
    ) -> None:
        context = multiprocessing.get_context("spawn")
        taken, done = context.Event(), context.Event()
        holder = context.Process(target=_hold, args=(url, taken, done))
        holder.start()
        try:
            assert taken.wait(120)  # it has to start, and to import all this
            with pytest.raises(StorageError, match=r"(?s)plan 1 of .* is being written by .*process.*wait=True"):
                store.lock(1).acquire()
            holder.kill()  # a killed writer blocks nobody
            holder.join(30)
            _acquire_soon(store)
        finally:
            holder.kill()


class DatabaseContract(DatabaseTextsContract, DatabaseSharingContract, PlanStoreContract):
    """Asks a store in a database for all that it promises."""


def _uuid_of(url: str, number: int) -> str:
    return open_store(url).uuid


def _add_some(url: str, number: int) -> list[tuple[int, int]]:
    store = open_store(url)
    names = [f"{number}-{turn}" for turn in range(4)]
    return [
        (
            store.add_plan(replace(PLAN, workload=name)).plan,
            store.add_study(replace(DIGITS, name=name), {"": 1}).study,
        )
        for name in names
    ]


def _hold(url: str, taken: Any, done: Any) -> None:
    store = open_store(url)
    store.lock(1).acquire()
    taken.set()
    done.wait(60)


def _acquire_soon(store: AbstractPlanStore) -> None:
    """Take a lock whose holder was killed: a server notices within moments that its session ended."""
    for _ in range(600):
        try:
            store.lock(1).acquire()
        except StorageError:
            multiprocessing.Event().wait(0.1)
        else:
            return
    raise AssertionError("the lock of a killed process is still held after a minute")


def _in_processes(work: Callable[[str, int], Any], url: str) -> list[Any]:
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        return pool.starmap(work, [(url, number) for number in range(PROCESSES)])
