"""What modules make of the command line is what it was where the study was made, or nothing is trained with it."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hippo
from hippo.errors import CodeChangedError, TrainerError
from hippo.records import TrainerSpec
from hippo.server.describers import Describer, SpareProcess
from hippo.training import ship
from hippo.training.code.fingerprint import trainer_code
from hippo.training.code.same_code import require_same_code
from hippo.training.code.shipping import unship

TRAINER = """
from hippo.testing.trainers import ToyTrainer
import told_options as options
import told_models

class Mine(ToyTrainer):
    def train(self):
        {reads}
        return super().train()
"""
PARSED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", default="0.1")
args = parser.parse_known_args()[0]
def rate():
    return args.lr
def unread():
    return 1
"""
OPTIONS = {
    "the list itself": "import sys\nTOLD = sys.argv[1:]\ndef rate():\n    return TOLD",
    "a number of it": "import sys\nTOLD = float(sys.argv[1].partition('=')[2])\ndef rate():\n    return TOLD",
    "what a parser made": PARSED,
    "what is made of that": PARSED.replace("return args.lr", "return LR") + "LR = float(args.lr)\n",
    "what a function made": "import sys\ndef ask(): return sys.argv[1]\nTOLD = ask()\ndef rate(): return TOLD",
    "a class": PARSED
    + "class Rate:\n    def get(self):\n        return args.lr\ndef rate():\n    return Rate().get()\n",
}
MODELS = "import told_options\nfrom told_options import rate\ndef model():\n    return told_options.rate()\n"
NAMES = ("told_trainers", "told_options", "told_models")
Make = Callable[..., ModuleType]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Write a trainer's module and the two that it imports, and import them as a process with this option does."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def made(rate: str, reads: str = "options.rate()", options: str = PARSED) -> ModuleType:
        monkeypatch.setattr(sys, "argv", ["train.py", f"--lr={rate}"])
        for name, text in zip(NAMES, (TRAINER.format(reads=reads), options, MODELS), strict=True):
            (tmp_path / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module("told_trainers")

    yield made
    for name in NAMES:
        sys.modules.pop(name, None)


def shipped(module: ModuleType) -> TrainerSpec:
    return ship(module.Mine, seed=0, evaluate_every=1, workload_key="w")


@pytest.mark.parametrize("what", OPTIONS)
def test_what_others_make_of_the_command_line_is_refused_where_it_is_another(what: str, make: Make) -> None:
    spec = shipped(make("0.5", options=OPTIONS[what]))
    require_same_code(spec, make("0.5", options=OPTIONS[what]).Mine)
    with pytest.raises(CodeChangedError, match=r"^told_options.\w+ of told_trainers is another.* command line"):
        require_same_code(spec, make("0.25", options=OPTIONS[what]).Mine)


@pytest.mark.parametrize("reads", ["told_models.model()", "told_models.rate()", "options.args.lr"])
def test_it_is_found_however_far_and_for_a_class_that_travels_by_value(reads: str, make: Make) -> None:
    module = make("0.5", reads)
    spec = replace(shipped(module), reference=None)
    require_same_code(spec, module.Mine)
    make("0.25", reads)
    with pytest.raises(CodeChangedError, match=r"told_options.args of Mine is another"):
        require_same_code(spec, module.Mine)


def test_options_that_are_taken_from_another_module_count_there(make: Make) -> None:
    taking = "import told_given\nfrom told_given import args\ndef rate():\n    return args.lr\n"
    sys.modules.pop("told_given", None)
    folder = Path(make("0.5").__file__ or "").parent
    (folder / "told_given.py").write_text(PARSED)
    spec = shipped(make("0.5", options=taking))
    sys.modules.pop("told_given")
    with pytest.raises(CodeChangedError, match=r"told_options.args of told_trainers is another"):
        require_same_code(spec, make("0.25", options=taking).Mine)
    sys.modules.pop("told_given")


def test_options_of_a_module_of_a_package_are_found_by_their_dotted_name(make: Make) -> None:
    dotted = "import told_package.given\ndef rate():\n    return told_package.given.args.lr\n"
    folder = Path(make("0.5").__file__ or "").parent / "told_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "given.py").write_text(PARSED)
    spec = shipped(make("0.5", options=dotted))
    del sys.modules["told_package"], sys.modules["told_package.given"]
    with pytest.raises(CodeChangedError, match=r"told_package.given.args of told_trainers is another"):
        require_same_code(spec, make("0.25", options=dotted).Mine)
    del sys.modules["told_package"], sys.modules["told_package.given"]


@pytest.mark.parametrize("reads", ["options.unread()", "pass"])
def test_options_that_a_trainer_does_not_read_say_nothing_of_it(reads: str, make: Make) -> None:
    before = trainer_code(make("0.5", reads).Mine)
    assert trainer_code(make("0.25", reads).Mine).fingerprint == before.fingerprint


def test_the_name_of_the_script_is_no_option(make: Make) -> None:
    named = "import sys\nTOLD = len(sys.argv[0])\ndef rate():\n    return TOLD\n"
    labels = trainer_code(make("0.5", options=named).Mine).labels
    assert "global told_options.TOLD" not in labels


def test_a_module_that_ends_the_program_where_its_options_are_missing_is_said_to(make: Make) -> None:
    strict = "import sys\nif 'lr' not in sys.argv[1]:\n    sys.exit(2)\ndef rate():\n    return 1\n"
    module = make("0.5", options=strict)
    specs = [shipped(module), replace(shipped(module), reference=None, pickled=pickle.dumps(module.Mine))]
    for spec in specs:
        for name in NAMES:
            sys.modules.pop(name, None)
        sys.argv[1] = "other"
        with pytest.raises(TrainerError, match=r"ended the program, .* code 2\. .* command line .* trainer_args"):
            unship(spec)


@pytest.mark.slow
def test_workers_beside_the_study_find_its_command_line(make: Make, tmp_path: Path) -> None:
    reads = "import sys; assert options.args.lr == '0.5' and sys.argv[1:] == ['--lr=0.5']"
    study = hippo.create_study(
        "told",
        trainer=make("0.5", reads).Mine,
        storage="memory://",
        checkpoints=str(tmp_path / "checkpoints"),
        engine=hippo.LocalEngine(workers=1),
        metric="loss",
        mode="min",
    )
    try:
        assert study.evaluate({"lr": 0.1}, until=1)
    finally:
        study.close()


@pytest.mark.slow
def test_a_check_of_a_trainer_finds_the_command_line_of_its_process(make: Make) -> None:
    reads = "import sys; assert options.args.lr == '0.5' and sys.argv[1:] == ['--lr=0.5']"
    assert hippo.check_trainer(make("0.5", reads).Mine, {"lr": 0.1}, steps=2).is_proven


@pytest.mark.slow
def test_a_process_of_a_service_that_looks_at_a_trainer_has_no_options(make: Make) -> None:
    module = make("0.5", options="import sys\nTOLD = sys.argv[1:]\ndef rate():\n    return TOLD")
    order: dict[str, Any] = {"trainer": "told_trainers:Mine", "trainer_args": {}, "dataset": None, "evaluate_every": 1}
    path = [str(Path(module.__file__ or "").parent)]
    described = Describer({**order, "numerics": "exact", "search_path": path}, SpareProcess())
    described.close()
    sys.argv[1:] = []
    for name in NAMES:
        del sys.modules[name]
    require_same_code(described.description.spec, importlib.import_module("told_trainers").Mine)
