"""A database of an older schema in a server is upgraded like a file, and an upgrade that was broken off is ended."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from hippo.cli.app import exit_code
from hippo.errors import PlanLockedError, StorageError
from hippo.plan import LeaseRow, PlanRow, StepRow, TrialRow, open_store
from hippo.plan.migrations import schema_version, upgrade, upgrading
from hippo.plan.rows import Row
from hippo.plan.sql_opening import open_sql_store
from hippo.plan.tables import CHANGED, SCHEMA_VERSION, TABLES
from hippo.testing.servers import PASSWORD, DatabaseServer

from ..plan.test_server_stores import CutCommits, in_another_process
from .studies import HERE, made_from, run_again

pytestmark = pytest.mark.slow
SAID = json.loads((HERE / "schema_4.json").read_text())
#: columns that came after schema 4
LATER: dict[type[Row], tuple[str, ...]] = {
    PlanRow: ("fusion",),
    LeaseRow: ("ended_at", "lanes", "peers"),
    TrialRow: (CHANGED,),
}


@pytest.fixture
def old(server_url: str, tmp_path: Path) -> str:
    """Return the URL of a database of schema 4 in a server: what a file of then holds, in tables of then."""
    store = open_sql_store(server_url)
    file = sa.create_engine(made_from(HERE / "schema_4.sql", tmp_path))

    def fill(connection: sa.Connection) -> None:
        for kind, names in LATER.items():
            for name in names:
                connection.exec_driver_sql(f"ALTER TABLE {TABLES[kind].name} DROP COLUMN {name}")
        with file.connect() as source:
            inserted = 0
            for kind, table in TABLES.items():
                columns = [column for column in table.columns if column.name not in LATER.get(kind, ())]
                rows = source.execute(sa.select(*columns).order_by(sa.text("rowid"))).mappings().all()
                names = [*(column.name for column in columns), "inserted"]
                values = [{**row, "inserted": inserted + number} for number, row in enumerate(rows, 1)]
                inserted += len(rows)
                if values:
                    connection.execute(sa.insert(sa.table(table.name, *map(sa.column, names))), values)
        connection.execute(sa.text(f"UPDATE hippo_counter SET inserted = {inserted}"))
        connection.execute(sa.text("UPDATE hippo_database SET schema_version = 4"))

    store.change_tables(fill)
    store.close()
    file.dispose()
    return server_url


def columns(server: DatabaseServer, url: str) -> list[tuple[object, ...]]:
    """Return table, name, type, collation and whether it may be unknown, of each column."""
    name = url.rpartition("/")[2]
    schema = "public" if server.kind == "postgresql" else name
    said = "table_name, column_name, data_type, collation_name, is_nullable"
    found = server.execute(
        f"select {said} from information_schema.columns where table_schema = '{schema}' order by 1, 2", name
    )
    return [tuple(row) for row in found]


def test_the_commands_say_what_version_there_is_and_upgrade_it(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> tuple[int, str, str]:
        code = exit_code(["db", *words, "--storage", old])
        out, err = capsys.readouterr()
        assert PASSWORD not in out + err
        return code, out, err

    assert said("version")[:2] == (0, "4\n")
    with pytest.raises(StorageError, match=re.escape("`hippo db upgrade --storage ")):
        open_store(old)
    code, out, err = said("upgrade")
    assert (code, out) == (0, "")
    assert f"of version {SCHEMA_VERSION} now; it was of version 4" in err
    assert said("version") == (0, f"{SCHEMA_VERSION}\n", "")
    assert "nothing to do" in said("upgrade")[2]


def test_it_has_the_columns_of_a_new_one(database_server: DatabaseServer, old: str) -> None:
    new = database_server.new_database()
    open_store(new).close()
    assert columns(database_server, old) != columns(database_server, new)
    upgrade(old)
    assert columns(database_server, old) == columns(database_server, new)


@pytest.mark.parametrize("name", ["plain", "averaged"])
def test_a_script_that_is_run_again_trains_nothing(old: str, name: str) -> None:
    upgrade(old)
    store = open_store(old)
    before = len(store.rows(StepRow))
    assert run_again(name, old) == {**SAID[name], "device_seconds": None}
    assert len(store.rows(StepRow)) == before > 0
    store.close()


def test_an_upgrade_that_breaks_off_is_ended_by_the_next_one(
    database_server: DatabaseServer, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = columns(database_server, old)

    def broken(op: Any) -> list[str]:
        upgrading.to_schema_5(op)
        raise RuntimeError("the lights went out")

    with monkeypatch.context() as patched:
        patched.setitem(upgrading.STEPS, 5, broken)
        with pytest.raises(StorageError, match="the lights went out"):
            upgrade(old)
    assert schema_version(old) == 4
    if database_server.kind == "postgresql":  # MySQL does not undo a change of a table
        assert columns(database_server, old) == before
    assert upgrade(old).after == SCHEMA_VERSION
    assert run_again("plain", old) == {**SAID["plain"], "device_seconds": None}


def test_a_commit_whose_reply_was_lost_is_no_upgrade_by_somebody_else(
    database_server: DatabaseServer, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        cuts = CutCommits(door, database_server.port)

        def last(op: Any) -> list[str]:
            cuts.is_next = True
            return ["so it was", *upgrading.to_schema_5(op)]

        monkeypatch.setitem(upgrading.STEPS, 5, last)
        upgraded = upgrade(old.replace(f":{database_server.port}/", f":{door.getsockname()[1]}/"))
    assert (cuts.count, upgraded.before, upgraded.said) == (1, 4, ("so it was",))
    assert schema_version(old) == SCHEMA_VERSION


def test_a_database_in_which_a_study_runs_is_not_upgraded(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = open_sql_store(old, any_version=True)
    writer.lock(1).acquire()
    in_another_process(monkeypatch)
    with pytest.raises(PlanLockedError):
        upgrade(old)
    writer.close()
    assert schema_version(old) == 4


def test_a_schema_that_was_never_kept_in_a_server_is_refused(old: str, database_server: DatabaseServer) -> None:
    database_server.execute("update hippo_database set schema_version = 3", old.rpartition("/")[2])
    with pytest.raises(StorageError, match=r"(?s)version 3, which no hippo has kept in a server.*Upgrade the file"):
        upgrade(old)
    assert schema_version(old) == 3
