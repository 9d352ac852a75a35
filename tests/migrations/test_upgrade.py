"""A database of an older schema: refused until it is upgraded, and then all that it was, by today's names."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import hippo
from hippo.cli.app import exit_code
from hippo.errors import HippoError, PlanLockedError, StorageError
from hippo.plan import CallRow, RequestRow, TrialRow, open_store, plans_of
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.rows import StudyRow
from hippo.plan.tables import SCHEMA_VERSION

from .studies import DUMP, EARLIER, EXPECTED, STUDIES, described, made_from, make, run

SAID = json.loads(EXPECTED.read_text())
SEEDS = {name: options["seeds"] for name, (options, _) in STUDIES.items() if "seeds" in options}


@pytest.fixture
def old(tmp_path: Path) -> str:
    """Return the URL of a database of schema 2."""
    return made_from(DUMP, tmp_path)


@pytest.fixture(scope="module")
def upgraded_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    url = made_from(DUMP, tmp_path_factory.mktemp("upgraded"))
    upgrade(url)
    return Path(url.removeprefix("sqlite:///"))


@pytest.fixture
def upgraded(tmp_path: Path, upgraded_file: Path) -> str:
    """Return the URL of a database that was of schema 2."""
    return f"sqlite:///{shutil.copy(upgraded_file, tmp_path)}"


def same(description: dict[str, Any], than: dict[str, Any]) -> bool:
    return json.loads(json.dumps(description)) == {**than, "device_seconds": pytest.approx(than["device_seconds"])}


@pytest.mark.parametrize("open_it", [hippo.get_all_study_names, open_store, lambda url: make("plain", url, {})])
def test_an_old_database_is_refused_by_a_message_that_names_the_command(
    old: str, open_it: Callable[[str], object]
) -> None:
    with pytest.raises(StorageError, match=re.escape(f"`hippo db upgrade --storage {old}`")):
        open_it(old)


def test_every_study_is_there_by_one_name_and_what_was_deleted_is_not(upgraded: str) -> None:
    assert sorted(hippo.get_all_study_names(upgraded)) == sorted(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_reads_the_same_trials_and_values_and_what_they_cost(upgraded: str, name: str) -> None:
    study = hippo.load_study(name, upgraded)
    if name == "median":  # schema 2 did not say how values are aggregated: that is known when the script is run again
        study = make(name, upgraded, STUDIES[name][0])
    assert same(described(study), SAID[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STUDIES if name != "broken"])
def test_a_script_that_is_run_again_arrives_where_it_was_without_training_anything(upgraded: str, name: str) -> None:
    options, calls = STUDIES[name]
    study = make(name, upgraded, options)
    run(study, calls)
    assert study.generation == (2 if name in EARLIER else 1)
    assert same(described(study), SAID[name])
    rows = open_store(upgraded).rows(RequestRow, study=study._opened.row.study)
    assert {row.state for row in rows} == {"answered"}  # each was recorded: none was asked anew and left


@pytest.mark.slow
def test_a_call_that_was_broken_off_goes_on_in_the_order_of_its_answers(upgraded: str) -> None:
    options, (broken,) = STUDIES["broken"]
    study = make("broken", upgraded, options)
    before = study.statistics().steps_executed
    again = type(broken)(break_after=5)
    run(study, [again])
    assert (again._came, study.statistics().steps_executed) == (5, before)
    complete = make("complete", upgraded, {"seeds": [0, 1]})
    for each in (study, complete):
        run(each, [type(broken)()])
    assert [trial.value for trial in study.trials] == [trial.value for trial in complete.trials]


def test_an_earlier_generation_is_read_by_its_number(upgraded: str) -> None:
    for name in EARLIER:
        study = hippo.load_study(name, upgraded, generation=1)
        assert [(trial.step, trial.state.value) for trial in study.trials] == [(2, "COMPLETE")] * 3
        assert [len(trial.replicates) for trial in study.trials] == [len(SEEDS.get(name, []))] * 3


@pytest.mark.parametrize("name", SEEDS)
def test_seeds_that_were_studies_are_members_in_their_order(upgraded: str, name: str) -> None:
    store = open_store(upgraded)
    for row in store.rows(StudyRow, name=name, deleted=False):
        assert list(plans_of(store, row.study)) == [f"seed {seed}" for seed in SEEDS[name]]
        numbers = {trial.number for trial in store.rows(TrialRow, study=row.study)}
        assert numbers == set(range(len(numbers)))


@pytest.mark.slow
def test_what_was_spent_before_a_call_is_what_all_seeds_had_spent(old: str) -> None:
    with closing(sqlite3.connect(old.removeprefix("sqlite:///"))) as database:
        query = (
            "select position, sum(device_seconds_before) from hippo_call join hippo_study using (study) "
            "where name like 'averaged (seed %' group by position"
        )
        spent = dict(database.execute(query).fetchall())
    upgrade(old)
    study = hippo.load_study("averaged", old)._opened.row.study
    calls = open_store(old).rows(CallRow, study=study)
    assert {call.position: call.device_seconds_before for call in calls} == pytest.approx(spent)
    assert [call.state for call in calls] == ["complete"] * 3


@pytest.mark.slow
def test_trials_are_paired_by_what_they_are_and_not_by_their_numbers(old: str) -> None:
    with closing(sqlite3.connect(old.removeprefix("sqlite:///"))) as database:
        find = "select study from hippo_study where name = 'averaged (seed 1)'"
        (study,) = database.execute(find).fetchone()
        for table, column in (("trial", "number"), ("request", "trial")):  # 0 and 1 change places
            for one, other in ((0, -1), (1, 0), (-1, 1)):
                change = f"update hippo_{table} set {column} = ? where study = ? and {column} = ?"
                database.execute(change, (other, study, one))
        database.commit()
    upgrade(old)
    assert same(described(hippo.load_study("averaged", old)), SAID["averaged"])


@pytest.mark.slow
def test_studies_of_a_loop_over_seeds_stay_studies_of_their_own(old: str) -> None:
    said = upgrade(old).said
    assert len(said) == len(SEEDS)
    assert not any("loop" in sentence or "alone" in sentence for sentence in said)


@pytest.mark.slow
def test_seeds_are_not_joined_under_a_name_that_another_study_has(old: str) -> None:
    with closing(sqlite3.connect(old.removeprefix("sqlite:///"))) as database:
        database.execute("update hippo_study set name = 'averaged' where name = 'plain'")
        database.commit()
    said = " ".join(upgrade(old).said)
    assert "'averaged (seed 0)', 'averaged (seed 1)' stay studies of their own" in said
    assert same(described(hippo.load_study("averaged", old)), SAID["plain"])
    assert len(hippo.load_study("averaged (seed 1)", old).trials) == len(SAID["averaged"]["trials"])


def tables(url: str) -> dict[str, Any]:
    """Return the columns, the primary key and the indexes of each table."""
    looking = sa.inspect(sa.create_engine(url))
    return {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in looking.get_columns(name)],
            looking.get_pk_constraint(name)["constrained_columns"],
            [(i["name"], i["column_names"]) for i in looking.get_indexes(name)],
        )
        for name in looking.get_table_names()
    }


def test_an_upgraded_database_has_the_tables_of_a_new_one(upgraded: str, tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    open_store(new)
    assert tables(upgraded) == tables(new)


@pytest.mark.slow
def test_a_database_in_which_a_study_runs_is_not_upgraded(old: str) -> None:
    from hippo.plan.sql_opening import open_sql_store

    lock = open_sql_store(old, any_version=True).lock(1)
    lock.acquire()
    try:
        with pytest.raises(PlanLockedError):
            upgrade(old)
    finally:
        lock.release()
    assert schema_version(old) == 2
    assert upgrade(old).after == SCHEMA_VERSION


def test_an_upgrade_that_breaks_off_leaves_all_as_it_was(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hippo.plan.migrations import to_3

    before = list(sqlite3.connect(old.removeprefix("sqlite:///")).iterdump())
    monkeypatch.setattr(to_3._Joining, "_take_facts", lambda *_: 1 / 0)
    with pytest.raises(StorageError, match="ZeroDivisionError"):
        upgrade(old)
    assert list(sqlite3.connect(old.removeprefix("sqlite:///")).iterdump()) == before


# --- the commands


@pytest.mark.slow
def test_the_commands_say_what_version_there_is_and_what_was_done(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> tuple[int, str, str]:
        code = exit_code(["db", *words, "--storage", old])
        return (code, *capsys.readouterr())

    code, out, err = said("version")
    assert (code, out) == (0, "2\n")
    assert "hippo db upgrade" in err
    code, out, err = said("upgrade")
    assert (code, out) == (0, "")
    assert "'averaged' has the seeds that were studies of their own: 'averaged (seed 0)', 'averaged (seed 1)'" in err
    assert f"of version {SCHEMA_VERSION} now; it was of version 2" in err
    assert said("version") == (0, f"{SCHEMA_VERSION}\n", "")
    assert "nothing to do" in said("upgrade")[2]


def test_of_a_newer_database_an_upgrade_says_that_it_is_hippo_that_is_old(old: str) -> None:
    with closing(sqlite3.connect(old.removeprefix("sqlite:///"))) as database, database:
        database.execute(f"UPDATE hippo_database SET schema_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StorageError, match=r"a newer hippo wrote it. Upgrade hippo"):
        upgrade(old)


def test_without_alembic_an_upgrade_says_what_to_install(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alembic.migration", None)
    with pytest.raises(HippoError, match=re.escape("pip install 'hippo-tune[alembic]'")):
        upgrade(old)
    assert schema_version(old) == 2


@pytest.mark.slow
def test_a_new_database_needs_no_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['alembic'] = None; from hippo.plan import open_store; import hippo.cli.app; "
        f"print(open_store('sqlite:///{tmp_path}/new.db').schema_version)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == f"{SCHEMA_VERSION}\n"
