"""Storages and studies that are not there, and results that nobody has."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.errors import StorageError
from hippo.testing.trainers import ToyTrainer

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    ('load_study("toi", DB)', RuntimeError, "Did you mean 'toy'?"),
    ('load_study("Toy", DB)', RuntimeError, "Did you mean 'toy'?"),
    ('load_study("", DB)', ValueError, "a study's name must be a string that is not empty, not ''"),
    ("load_study(3, DB)", ValueError, "a study's name must be a string that is not empty, not 3"),
    ("load_study(None, DB)", ValueError, "a study's name must be a string that is not empty, not None"),
    ('load_study("toy", "sqlite:///nowhere.db")', RuntimeError, "there is no database '"),
    ('load_study("toy", "memory://")', RuntimeError, "there is no study 'toy' in memory://"),
    ('load_study("toy", None)', ValueError, "storage must be a database URL such as 'sqlite:///hippo.db', not None;"),
    ('load_study("toy", 3)', ValueError, "storage must be a database URL such as 'sqlite:///hippo.db', not 3;"),
    (
        'load_study("toy", T/"hippo.db")',
        ValueError,
        "storage must be a database URL such as 'sqlite:///hippo.db', not PosixPath('",
    ),
    (
        'load_study("toy", str(T/"hippo.db"))',
        RuntimeError,
        "/hippo.db' is not a database URL; write for instance 'sqlite:///hippo.db', or",
    ),
    (
        'load_study("toy", "sqlite:///text.db")',
        RuntimeError,
        "/text.db cannot be used: file is not a database. The file is not an SQLite",
    ),
    (
        'load_study("toy", "sqlite:///empty.db")',
        RuntimeError,
        "/empty.db' is an empty file: no study was ever kept in it",
    ),
    (
        'load_study("toy", "sqlite:///other.db")',
        RuntimeError,
        "/other.db holds 1 tables (notes, ...) that are not hippo's",
    ),
    (
        'load_study("toy", "sqlite:///folder")',
        RuntimeError,
        "/folder cannot be used: unable to open database file. The file and its folder",
    ),
    ('load_study("toy", DB, generation=0)', RuntimeError, "study 'toy' has no generation 0; it has [1]"),
    ('load_study("toy", DB, generation=7)', RuntimeError, "study 'toy' has no generation 7; it has [1]"),
    ('load_study("toy", DB, generation="1")', RuntimeError, "study 'toy' has no generation '1'; it has [1]"),
    ('load_study("toy", DB, generation=1.0)', RuntimeError, "study 'toy' has no generation 1.0; it has [1]"),
    (
        'load_study("toy", DB, engine="local")',
        ValueError,
        "engine must be hippo.LocalEngine(workers=...), hippo.InlineEngine() or",
    ),
    (
        'load_study("toy", DB, engine=InlineEngine)',
        ValueError,
        "engine must be hippo.LocalEngine(workers=...), hippo.InlineEngine() or",
    ),
    (
        'load_study("toy", DB, callbacks=[3])',
        ValueError,
        "callbacks: 3 is not derived from hippo.Callback; write a class with the",
    ),
    (
        'load_study("toy", DB, callbacks=len)',
        ValueError,
        "callbacks must be a list of hippo.Callback objects, not <built-in function",
    ),
    (
        'load_study("toy", DB, trainer=3)',
        TypeError,
        "trainer=3 is not a class derived from hippo.Trainer; pass the class itself,",
    ),
    (
        'load_study("toy", DB, trainer=dict)',
        TypeError,
        "trainer=<class 'dict'> is not a class derived from hippo.Trainer; pass the",
    ),
    (
        'load_study("toy", DB, trainer="no.such:Thing")',
        TypeError,
        "cannot import trainer 'no.such:Thing', because importing 'no.such' raised",
    ),
    (
        'load_study("toy", DB, trainer="no.such:Thing").evaluate({"lr":0.1}, until=2)',
        TypeError,
        "cannot import trainer 'no.such:Thing', because importing 'no.such' raised",
    ),
    ('load_study("toy", DB, metric="loss")', TypeError, "'metric': a study keeps the metric that it was made with"),
    (
        'load_study(study_name="toy", storage=DB)',
        TypeError,
        "'study_name': it is called name here, and may stand first without it",
    ),
    (
        'load_study("toy", DB, sampler=None)',
        TypeError,
        "'sampler': a tuner has one: study.optimize(hippo.SamplerSearch(\"tpe\", space,",
    ),
    ("load_study()", TypeError, "load_study() was called wrongly: missing a required argument: 'name'. It is"),
    ('delete_study("toi", DB)', RuntimeError, "Did you mean 'toy'?"),
    ("delete_study(None, DB)", ValueError, "a study's name must be a string that is not empty, not None"),
    ('delete_study("toy", "sqlite:///nowhere.db")', RuntimeError, "there is no database '"),
    ('delete_study("toy", None)', ValueError, "storage must be a database URL such as 'sqlite:///hippo.db', not None;"),
    ('delete_study("toy", "memory://")', RuntimeError, "there is no study 'toy' in memory://"),
    (
        'delete_study("toy", "sqlite:///empty.db")',
        RuntimeError,
        "/empty.db' is an empty file: no study was ever kept in it",
    ),
    (
        'delete_study(study_name="toy", storage=DB)',
        TypeError,
        "'study_name': it is called name here, and may stand first without it",
    ),
    ('rename_study("toi", "new", DB)', RuntimeError, "Did you mean 'toy'?"),
    ('rename_study("toy", "", DB)', ValueError, "a study's name must be a string that is not empty, not ''"),
    ('rename_study("toy", None, DB)', ValueError, "a study's name must be a string that is not empty, not None"),
    ('rename_study("toy", 3, DB)', ValueError, "a study's name must be a string that is not empty, not 3"),
    ('rename_study("toy", "toy", DB)', RuntimeError, "there is a study 'toy' in sqlite:///"),
    (
        'rename_study("toy", "a\\0b", DB)',
        ValueError,
        "the study's name 'a\\x00b' holds what a database cannot: lone surrogates,",
    ),
    ('rename_study("toy", "new", "sqlite:///nowhere.db")', RuntimeError, "there is no database '"),
    (
        'rename_study("toy", "new", None)',
        ValueError,
        "storage must be a database URL such as 'sqlite:///hippo.db', not None;",
    ),
    ('rename_study("toy", DB)', ValueError, "/hippo.db' is a URL, and no study's name; is storage='sqlite:///"),
    ("get_all_study_names(None)", ValueError, "storage must be a database URL such as 'sqlite:///hippo.db', not None;"),
    ("get_all_study_names(3)", ValueError, "storage must be a database URL such as 'sqlite:///hippo.db', not 3;"),
    ('get_all_study_names("sqlite:///nowhere.db")', RuntimeError, "there is no database '"),
    (
        'get_all_study_names("sqlite:///text.db")',
        RuntimeError,
        "/text.db cannot be used: file is not a database. The file is not an SQLite",
    ),
    (
        'get_all_study_names("sqlite:///other.db")',
        RuntimeError,
        "/other.db holds 1 tables (notes, ...) that are not hippo's",
    ),
    (
        'get_all_study_names("sqlite:///empty.db")',
        RuntimeError,
        "/empty.db' is an empty file: no study was ever kept in it",
    ),
    (
        'get_all_study_names("oracle://u:secret@host/db")',
        RuntimeError,
        "storage='oracle://u:***@host/db': hippo keeps studies in",
    ),
    ("get_all_study_names(storages=DB)", TypeError, "Did you mean 'storage'?"),
    (
        'hippo.Study("hippo.db").create(None, ToyTrainer, None, ["lr"])',
        RuntimeError,
        "storage='hippo.db' is not a database URL; write for instance",
    ),
    (
        'hippo.Study("memory://").create(None, ToyTrainer, "memory://", "lr", engine=InlineEngine())',
        ValueError,
        "hparams='lr': give the names as a list, ['lr']",
    ),
    ("hippo.Study(DB).trials", Exception, "Study('sqlite:///"),
    ("hippo.Study(DB).optimize(GridSearch(GRID, until=3))", Exception, "Study('sqlite:///"),
    (
        'hippo.Study(None).create(None, ToyTrainer, None, ["lr"])',
        ValueError,
        "storage must be a database URL such as 'sqlite:///hippo.db', not None;",
    ),
    (
        'create("toy", storage=DB, checkpoints=str(T/"states"), load_if_exists=False)',
        RuntimeError,
        "there is a study 'toy' in sqlite:///",
    ),
    (
        'create("toy", storage=DB, checkpoints=str(T/"states"), mode="max")',
        RuntimeError,
        "study 'toy' was made with 'loss' (min), nan='fail', and is opened with 'loss'",
    ),
    (
        'create("toy", storage=DB, checkpoints=str(T/"states"), metric="luck")',
        RuntimeError,
        "study 'toy' was made with 'loss' (min), nan='fail', and is opened with 'luck'",
    ),
    (
        'create("toy", storage=DB, checkpoints=str(T/"states"), constraints="luck <= 1")',
        RuntimeError,
        "study 'toy' was made with 'loss' (min), nan='fail', and is opened with 'loss'",
    ),
    (
        'create("toy", storage=DB, checkpoints=str(T/"states"), nan="worst")',
        RuntimeError,
        "study 'toy' was made with 'loss' (min), nan='fail', and is opened with 'loss'",
    ),
    (
        'create("toy", storage="sqlite:///text.db", checkpoints=str(T/"states"))',
        RuntimeError,
        "/text.db cannot be used: file is not a database. The file is not an SQLite",
    ),
    (
        'create("toy", storage="sqlite:///other.db", checkpoints=str(T/"states"))',
        RuntimeError,
        "/other.db holds 1 tables (notes, ...) that are not hippo's",
    ),
    (
        'create("toy", storage="sqlite:///folder", checkpoints=str(T/"states"))',
        RuntimeError,
        "/folder cannot be used: unable to open database file. The file and its folder",
    ),
    ('load_study("toy", DB).load_model(3)', RuntimeError, "3 is no trial; give one of study.trials, as in"),
    ('load_study("toy", DB).load_model("best")', RuntimeError, "'best' is no trial; give one of study.trials, as in"),
    ('load_study("toy", DB).load_state(0)', RuntimeError, "0 is no trial; give one of study.trials, as in"),
    ('create("empty").best_trial', ValueError, "no trial of study 'empty' is complete yet."),
    ('create("empty").best_value', ValueError, "no trial of study 'empty' is complete yet."),
    ('create("empty").best_params', ValueError, "no trial of study 'empty' is complete yet."),
    ('create("empty").best_config', ValueError, "no trial of study 'empty' is complete yet."),
    ('create("empty").load_model(None)', RuntimeError, "None is no trial; give one of study.trials, as in"),
    (
        'create("empty", metric=None, mode=None).best_trial',
        ValueError,
        "study 'empty' has no metric; create it with metric='...' and mode='...'",
    ),
    (
        'create("empty").trials_dataframe("csv")',
        TypeError,
        "Study.trials_dataframe() was called wrongly: too many positional arguments.",
    ),
    (
        'create("empty").ask()',
        TypeError,
        "Study.ask() was called wrongly: missing a required argument: 'config'. It is",
    ),
    (
        'create("empty").retry_failed(3)',
        TypeError,
        "Study.retry_failed() was called wrongly: too many positional arguments. It is",
    ),
    (
        'create("empty").stop(3)',
        TypeError,
        "Study.stop() was called wrongly: too many positional arguments. It is called",
    ),
]


@pytest.fixture(autouse=True)
def databases_here(databases: Path, tmp_path: Path) -> None:
    shutil.copytree(databases, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_what_is_not_there_is_named(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)


@pytest.mark.parametrize("file", ["text.db", "no folder/hippo.db"])
def test_what_the_database_refuses_brings_no_frames_of_its_library_along(databases: Path, file: str) -> None:
    with pytest.raises(StorageError) as raised:
        hippo.create_study(
            "toy", trainer=ToyTrainer, metric="loss", mode="min", storage=f"sqlite:///{databases}/{file}"
        )
    shown = "".join(traceback.format_exception(raised.value))
    assert "sqlalchemy" not in shown
    assert shown.count("  File ") <= 12
