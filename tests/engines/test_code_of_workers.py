"""The code that trains is the code that was recorded, whatever happens to files and modules meanwhile."""

from __future__ import annotations

import importlib
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hippo
from hippo.errors import CodeChangedError, TrainerError
from hippo.training.code import as_loaded

ENGINES = [hippo.InlineEngine, pytest.param(lambda: hippo.LocalEngine(1), marks=pytest.mark.slow)]
LOCAL = pytest.param(lambda: hippo.LocalEngine(1), marks=pytest.mark.slow)
numbers = itertools.count(1)

TRAINER = """
from hippo.testing.trainers import ToyTrainer
def scale():
    return 1.0
class Mine(ToyTrainer):
    def evaluate(self):
        return {"loss": scale()}
"""


class Notebook:
    """A process that lives on, in which modules are written, imported, edited and reloaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"edited_{next(numbers)}"
        self.file = folder / f"{self.name}.py"
        self.studies: list[hippo.Study] = []
        self.file.write_text(TRAINER)

    @property
    def module(self) -> ModuleType:
        return importlib.import_module(self.name)

    def edit(self, old: str = "1.0", new: str = "2500.0") -> None:
        text = self.file.read_text()
        assert old in text
        self.file.write_text(text.replace(old, new))

    def reload(self) -> None:
        importlib.reload(self.module)

    def study(self, engine: Any, **options: Any) -> hippo.Study:
        options = {"trainer": self.module.Mine, "metric": "loss", "mode": "min", **options}
        place = {"storage": f"sqlite:///{self.folder}/hippo.db", "checkpoints": str(self.folder / "checkpoints")}
        self.studies.append(hippo.create_study("edited", engine=engine, **place, **options))
        return self.studies[-1]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    monkeypatch.syspath_prepend(str(tmp_path))
    notebook = Notebook(tmp_path)
    yield notebook
    for study in notebook.studies:
        study.close()
    sys.modules.pop(notebook.name, None)


def loss(study: hippo.Study, until: int = 1) -> float:
    return study.evaluate({"lr": 0.1}, until=until)["loss"]


@pytest.mark.parametrize("make_engine", ENGINES)
def test_edited_and_reloaded_code_is_what_trains(notebook: Notebook, make_engine: Callable[[], Any]) -> None:
    engine = make_engine()
    assert loss(notebook.study(engine)) == 1.0
    notebook.edit()
    notebook.reload()
    assert loss(notebook.study(engine)) == 2500.0
    assert loss(notebook.study(hippo.InlineEngine())) == 2500.0  # and that is what is recorded


@pytest.mark.slow
def test_a_changed_helper_that_was_reloaded_is_what_trains(notebook: Notebook) -> None:
    (notebook.folder / f"{notebook.name}_helper.py").write_text("def scale():\n    return 1.0\n")
    notebook.edit("def scale():\n    return 1.0\n", f"from {notebook.name}_helper import scale\n")
    engine = hippo.LocalEngine(1)
    assert loss(notebook.study(engine)) == 1.0
    helper = sys.modules[f"{notebook.name}_helper"]
    Path(str(helper.__file__)).write_text("def scale():\n    return 2500.0\n")
    importlib.reload(helper)
    notebook.reload()
    assert loss(notebook.study(engine)) == 2500.0


@LOCAL.marks[0]
def test_the_old_and_the_new_code_take_turns_on_one_engine(notebook: Notebook) -> None:
    engine = hippo.LocalEngine(1)
    old = notebook.study(engine)
    assert loss(old) == 1.0
    notebook.edit()
    notebook.reload()
    new = notebook.study(engine)
    assert [loss(study, until) for until in (2, 3) for study in (new, old)] == [2500.0, 1.0, 2500.0, 1.0]


@pytest.mark.slow
def test_the_same_version_with_other_code_trains_the_other_code(notebook: Notebook) -> None:
    engine = hippo.LocalEngine(1)
    notebook.edit("return 1.0", "raise ValueError")
    first = notebook.study(engine, version="1")
    with pytest.raises(Exception, match="ValueError"):
        loss(first)
    notebook.edit("raise ValueError", "return 1.0")
    notebook.reload()
    second = notebook.study(engine, version="1")
    assert second.evaluate({"lr": 0.2}, until=1)["loss"] == 1.0


@pytest.mark.slow
def test_a_file_edited_before_workers_import_it_is_refused_and_nothing_is_recorded(notebook: Notebook) -> None:
    study = notebook.study(hippo.LocalEngine(1))
    notebook.edit()
    with pytest.raises(TrainerError, match=r"was changed after the study was made: function scale would not be"):
        loss(study)
    assert study.statistics().steps_executed == 0
    notebook.edit("2500.0", "1.0")
    assert loss(study) == 1.0


def test_a_file_edited_before_an_inline_study_runs_trains_the_imported_code(notebook: Notebook) -> None:
    study = notebook.study(hippo.InlineEngine())
    notebook.edit()
    with pytest.warns(UserWarning, match="the code that was imported"):
        assert loss(study) == 1.0


@pytest.mark.slow
def test_a_module_imported_late_is_refused_if_it_was_changed_meanwhile(notebook: Notebook) -> None:
    late = notebook.folder / f"{notebook.name}_late.py"
    late.write_text("def scale():\n    return 1.0\n")
    notebook.edit('{"loss": scale()}', f'{{"loss": __import__("{late.stem}").scale() if self.steps > 1 else scale()}}')
    notebook.edit("def scale", f"def never():\n    import {late.stem}\ndef scale")
    study = notebook.study(hippo.LocalEngine(1))
    assert loss(study) == 1.0
    late.write_text("def scale():\n    return 2500.0\n")
    with pytest.raises(TrainerError, match=f"module {late.stem} would not be what was recorded"):
        loss(study, 2)
    assert {trial.state.value for trial in study.trials}.isdisjoint({"FAIL"})


def test_code_that_was_edited_and_not_reloaded_is_told_and_counts_as_imported(notebook: Notebook) -> None:
    engine = hippo.InlineEngine()
    assert loss(notebook.study(engine)) == 1.0
    notebook.edit()
    with pytest.warns(UserWarning, match=f"{notebook.name}.py was changed after"):
        study = notebook.study(engine)
    assert (study.generation, loss(study, 2)) == (1, 1.0)
    with warnings.catch_warnings(action="error"):
        notebook.study(engine)  # told once


def test_code_that_was_edited_before_anybody_looked_is_refused(notebook: Notebook) -> None:
    assert notebook.module.Mine
    notebook.edit()
    with pytest.raises(TrainerError, match=r"scale\(\) is not what the file says now. Use importlib.reload"):
        notebook.study(hippo.InlineEngine())


def test_another_part_of_the_file_may_be_edited_at_any_time(notebook: Notebook) -> None:
    assert notebook.module.Mine
    notebook.edit("def scale", "# a comment\nSPACE = [0.1]\ndef scale")
    study = notebook.study(hippo.InlineEngine())
    notebook.reload()
    assert notebook.study(hippo.InlineEngine()).generation == study.generation == 1


def test_a_class_from_before_a_reload_is_refused(notebook: Notebook) -> None:
    old = notebook.module.Mine
    notebook.edit('"loss": scale()', '"loss": 2 * scale()')
    notebook.reload()
    with pytest.raises(TrainerError, match=r"Mine.evaluate\(\) is not what the file says now"):
        notebook.study(hippo.InlineEngine(), trainer=old)


def test_an_inline_study_whose_module_was_reloaded_with_other_code_is_refused(notebook: Notebook) -> None:
    study = notebook.study(hippo.InlineEngine())
    assert loss(study) == 1.0
    notebook.edit()
    notebook.reload()
    with pytest.raises(TrainerError, match="was changed after the study was made"):
        loss(study, 2)


def test_a_value_put_into_the_module_is_refused_where_workers_would_not_have_it(notebook: Notebook) -> None:
    notebook.edit("def scale():\n    return 1.0", "SCALE = 1.0\ndef scale():\n    return SCALE")
    notebook.module.SCALE = 2500.0  # type: ignore[attr-defined]
    with pytest.raises(TrainerError, match=r"\.SCALE, which is 2500.0 in this process, and 1.0 in the file"):
        notebook.study(hippo.LocalEngine(1))
    assert loss(notebook.study(hippo.InlineEngine())) == 2500.0


@pytest.mark.parametrize(
    "other",
    [
        "if True:\n    SCALE = 3.0",
        "globals()['SCALE'] = 3.0",
        "def change():\n    global SCALE\n    SCALE = 3.0\nchange()",
    ],
)
def test_a_value_that_a_module_gives_in_some_other_way_is_nobodys_change(notebook: Notebook, other: str) -> None:
    notebook.edit("def scale():\n    return 1.0", f"SCALE = 1.0\n{other}\ndef scale():\n    return SCALE")
    notebook.study(hippo.LocalEngine(1))


HELPED = "import {helper}\ndef scale():\n    return {helper}.SCALE * {helper}.TABLE['scale']"


@pytest.fixture
def settings(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Gives a module that the trainer's module reads, with a file that is older than this process."""
    monkeypatch.setattr(as_loaded, "_began_at", lambda: float("inf"))
    helper = f"settings_{next(numbers)}"
    (notebook.folder / f"{helper}.py").write_text("SCALE = 1.0\nTABLE = {'scale': 1.0}\nSEEN = {'calls': 0}\n")
    notebook.edit("def scale():\n    return 1.0", HELPED.format(helper=helper))
    yield importlib.import_module(helper)
    sys.modules.pop(helper, None)


def put_number(settings: Any) -> None:
    settings.SCALE = 2500.0


def put_item(settings: Any) -> None:
    settings.TABLE["scale"] = 2500.0


@pytest.mark.parametrize("put", [put_number, put_item])
def test_a_value_put_into_a_module_that_the_trainer_reads_makes_another_workload(
    notebook: Notebook, settings: Any, put: Callable[[Any], None]
) -> None:
    assert loss(notebook.study(hippo.InlineEngine())) == 1.0
    put(settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert loss(notebook.study(hippo.InlineEngine())) == 2500.0


@pytest.mark.parametrize("put", [put_number, put_item])
def test_a_value_put_into_a_module_after_the_study_was_made_trains_nothing(
    notebook: Notebook, settings: Any, put: Callable[[Any], None]
) -> None:
    study = notebook.study(hippo.InlineEngine())
    put(settings)
    with pytest.raises(TrainerError, match=rf"value of {settings.__name__}\.\w+ differs"):
        loss(study)


@pytest.mark.slow
@pytest.mark.parametrize("put", [put_number, put_item])
def test_a_value_put_into_a_module_is_refused_by_workers_which_do_not_have_it(
    notebook: Notebook, settings: Any, put: Callable[[Any], None]
) -> None:
    put(settings)
    with pytest.raises(TrainerError, match="is not there where the module is imported again"):
        loss(notebook.study(hippo.LocalEngine(1)))


def test_a_value_that_the_trainers_own_module_puts_into_another_is_there_for_all(
    notebook: Notebook, settings: Any
) -> None:
    notebook.edit("class Mine", f"{settings.__name__}.SCALE = 2500.0\nclass Mine")
    assert loss(notebook.study(hippo.InlineEngine())) == 2500.0


def test_what_a_module_counts_or_keeps_for_itself_is_nobodys_change(notebook: Notebook, settings: Any) -> None:
    counting = f"def scale():\n    {settings.__name__}.SEEN['calls'] += 1\n    return 1.0\nKEPT = {{}}"
    text = notebook.file.read_text()
    notebook.file.write_text(text.replace(text[text.index("def scale") : text.index("class")], counting + "\n"))
    file = Path(settings.__file__)
    file.write_text(file.read_text() + "def count():\n    SEEN['calls'] += 1\n")
    importlib.reload(settings)
    study = notebook.study(hippo.InlineEngine())
    assert loss(study) == 1.0
    assert loss(study, 2) == 1.0
    assert notebook.study(hippo.InlineEngine()).generation == 1


def test_a_changed_code_error_is_a_trainer_error() -> None:
    assert issubclass(CodeChangedError, TrainerError)
