"""What is not refused, because it may be meant, and is told all the same; and what breaks where nobody looks."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError, StorageError

pytestmark = pytest.mark.timeout(60)

#: what is typed, words of the warning
WARNED = [
    ("run(trainer=trainer(load_state_dict=lambda self, state: 1 / 0))", "raised ZeroDivisionError"),
    (
        "run(GridSearch([{'lr': 0.1, 'momentun': 0.9}], until=3), trainer=trainer(setup=lambda self, hp: None))",
        "the trainer did not look at ['momentun'] in its first step; it read ['lr']",
    ),
    ("torun({'lrr': 0.1})", "the trainer did not look at ['lrr']"),
    ("torun({'lr': 0.1, 'batchsize': 32})", "the trainer did not look at ['batchsize']"),
    ("ASHA(GRID, 1, 9, num_trials=5)", "none need get beyond step 1"),
    ("run(type('T', (Tuner,), {'tune': TuneNever})())", "ended without having asked for anything"),
    ("run(type('T', (Tuner,), {'tune': TuneForgetsAwait})())", "is there an `await` before each ask(...)?"),
]


@pytest.mark.parametrize(("typed", "words"), WARNED)
def test_what_has_no_effect_is_told_in_a_warning(names: dict[str, Any], typed: str, words: str) -> None:
    with pytest.warns((UserWarning, RuntimeWarning), match=re.escape(words)):
        eval(typed, names)


#: members of a callback, words on standard error
CALLBACKS = [
    ({"on_step": lambda self: 3}, "raised in on_step()"),
    ({"on_step": lambda self, event: 1 / 0}, "ZeroDivisionError"),
    ({"on_step": 3}, "'int' object is not callable"),
    ({"flush": lambda self: 1 / 0}, "raised in flush()"),
]


@pytest.mark.parametrize(("members", "words"), CALLBACKS)
def test_a_callback_that_raises_is_told_and_the_study_goes_on(
    names: Any, capsys: pytest.CaptureFixture[str], members: dict[str, Any], words: str
) -> None:
    study = names.run(callbacks=[type("Mine", (hippo.Callback,), members)()])
    err = capsys.readouterr().err
    assert "the callback Mine raised" in err
    assert words in err
    assert study.best_value > 0


@pytest.mark.parametrize("name", ["GridSpace", "LocalEngin", "Asha", "grid_search", "creat_study"])
def test_a_misspelt_name_of_the_package_is_answered_by_the_nearest(name: str) -> None:
    with pytest.raises(AttributeError, match="Did you mean"):
        getattr(hippo, name)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("CosineAnnealingLR", "Cosine"),
        ("SequentialLR", "Chain"),
        ("LambdaLR", "Sequence"),
        ("MultiStepLR", "MultiStep"),
    ],
)
def test_a_scheduler_of_torch_is_answered_by_the_sequence_of_its_curve(theirs: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"Did you mean '{ours}'"):
        getattr(hippo, theirs)


@pytest.mark.parametrize("use", [hippo.get_all_study_names, lambda url: hippo.load_study("toy", url)])
def test_a_database_that_was_cut_is_named(databases: Path, use: Callable[[str], Any]) -> None:
    with pytest.raises(StorageError, match=r"cut\.db"):
        use(f"sqlite:///{databases}/cut.db")


#: what a module does when a worker imports it, words of the error
AT_IMPORT = [
    ("raise RuntimeError('no data here')", "no data here"),
    ("sys.exit('no GPU here')", "no GPU here"),
    ("import no_such_package_at_all", "no_such_package_at_all"),
]

MODULE = """
import os, sys
from hippo.testing.trainers import ToyTrainer
if os.getpid() != {pid}:
    {breaks}
class Breaks(ToyTrainer):
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(("breaks", "words"), AT_IMPORT)
def test_a_module_that_breaks_only_in_workers_stops_the_study_with_its_words(
    names: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: str, words: str
) -> None:
    (tmp_path / "breaks_in_workers.py").write_text(MODULE.format(pid=os.getpid(), breaks=breaks))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "breaks_in_workers", raising=False)
    with pytest.raises(HippoError, match=words):
        names.run(
            trainer="breaks_in_workers:Breaks",
            engine=hippo.LocalEngine(workers=1),
            checkpoints=str(tmp_path / "states"),
        )
