"""Settings that one module of the project reads of a file or the environment, for another's functions, count."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippo.training.code.fingerprint import fingerprint

TRAINER = """
from hippo.testing.trainers import ToyTrainer
import lab.settings
from lab.net import rate

class Mine(ToyTrainer):
    def train(self):
        {reads}
        return super().train()
"""
SETTINGS = "import os\nRATE = float(os.environ['RATE'])\nWIDTH = int('3') * 2\nUNREAD = os.environ['RATE']\n"
READS = {
    "a name": "from lab.settings import RATE\ndef rate():\n    return RATE\n",
    "another name for it": "from lab.settings import RATE as R\ndef rate():\n    return R\n",
    "a module": "from lab import settings\ndef rate():\n    return settings.RATE\n",
    "another name for that": "import lab.settings as given\ndef rate():\n    return given.RATE\n",
    "a dotted name": "import lab.settings\ndef rate():\n    return lab.settings.RATE\n",
    "what a package hands on": "import lab\ndef rate():\n    return lab.RATE\n",
    "where it is imported late": "def rate():\n    from .settings import RATE\n    return RATE\n",
    "a class": "from lab.settings import RATE\nclass Net:\n    rate = RATE\ndef rate():\n    return Net.rate\n",
}
Load = Callable[..., type]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Write a project, and import its trainer where the environment says this rate."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "lab").mkdir()

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] in ("lab", "of_settings")]:
            del sys.modules[name]

    def made(rate: str, net: str, reads: str = "rate()") -> type:
        monkeypatch.setenv("RATE", rate)
        files = {"__init__": "from .settings import RATE", "settings": SETTINGS, "net": net}
        for name, text in files.items():
            (tmp_path / "lab" / f"{name}.py").write_text(text)
        (tmp_path / "of_settings.py").write_text(TRAINER.format(reads=reads))
        forget()
        importlib.invalidate_caches()
        trainer: type = importlib.import_module("of_settings").Mine
        return trainer

    yield made
    forget()


@pytest.mark.parametrize("how", READS)
def test_what_another_modules_functions_read_of_settings_counts(how: str, load: Load) -> None:
    before = fingerprint(load("0.5", READS[how]))
    assert fingerprint(load("0.5", READS[how])) == before
    assert fingerprint(load("0.25", READS[how])) != before


def test_what_the_trainer_reads_by_a_dotted_name_counts(load: Load) -> None:
    first, second = (fingerprint(load(rate, "rate = 1", "lab.settings.RATE")) for rate in ("0.5", "0.25"))
    assert first != second


def test_what_nobody_reads_and_what_the_text_says_does_not(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    net = "from lab.settings import WIDTH, UNREAD\ndef rate():\n    return WIDTH\n"
    first, second = (fingerprint(load(rate, net)) for rate in ("0.5", "0.25"))
    assert first == second
    known = fingerprint(load("0.5", net))
    monkeypatch.setattr("hippo.training.code.trainer_survey.read_elsewhere", lambda trees: frozenset())
    assert fingerprint(load("0.5", net)) == known


def test_what_is_loaded_as_it_trains_makes_no_other_code(load: Load) -> None:
    late = "def rate():\n    import lab.late\n    return lab.late.value()\n"
    trainer = load("0.5", late)
    (Path(sys.modules["lab"].__file__ or "").parent / "late.py").write_text(
        "import os\nfrom lab.much_later import LATER\nOWN = os.environ['RATE']\ndef value():\n    return LATER, OWN\n"
    )
    (Path(sys.modules["lab"].__file__ or "").parent / "much_later.py").write_text(SETTINGS.replace("RATE =", "LATER ="))
    importlib.invalidate_caches()
    before = fingerprint(trainer)
    assert sys.modules["lab.net"].rate() == (0.5, "0.5")
    assert "lab.much_later" in sys.modules
    assert fingerprint(trainer) == before


def test_what_others_have_imported_makes_no_other_code(load: Load) -> None:
    net = "def rate():\n    from lab.later import LATER\n    return LATER\n"
    load("0.5", net)
    file = Path(sys.modules["lab"].__file__ or "").parent / "later.py"
    file.write_text(SETTINGS.replace("RATE =", "LATER ="))
    trainer = load("0.5", net)
    importlib.import_module("lab.later")  # a script does, before its study is made
    before = fingerprint(trainer)
    assert fingerprint(load("0.5", net)) == before


def test_what_one_trainer_imports_late_counts_for_another_that_imports_it_at_once(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for rate in ("0.5", "0.25"):
        first = load(rate, "def rate():\n    from lab.later import LATER\n    return LATER\n")
        folder = Path(sys.modules["lab"].__file__ or "").parent
        (folder / "later.py").write_text(SETTINGS.replace("RATE =", "LATER ="))
        (folder.parent / "of_others.py").write_text(TRAINER.format(reads="rate()").replace("settings", "later"))
        fingerprint(first)
        monkeypatch.delitem(sys.modules, "of_others", raising=False)
        found.add(fingerprint(importlib.import_module("of_others").Mine))
    assert len(found) == 2
