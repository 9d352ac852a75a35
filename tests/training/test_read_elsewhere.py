"""Settings that one module of the project reads of a file or the environment, for another's functions, count."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hippo.training import ship, telling
from hippo.training.code.fingerprint import fingerprint
from hippo.training.code.same_code import require_same_code

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


MADE = {
    "lab.net.RATE": "RATE = float(os.environ['RATE'])\ndef rate(): return RATE\n",
    "lab.net.Net.rate": "class Net:\n    rate = float(os.environ['RATE'])\ndef rate(): return Net.rate\n",
    "lab.net.f.of": "def f(x, of=float(os.environ['RATE'])): return of\ndef rate(): return f(0)\n",
    "lab.net.rate.by": "def rate(x=0, *, z=1, by=float(os.environ['RATE'])): return by\n",
    "lab.net.Net.f.of": "class Net:\n    @staticmethod\n    def f(of=float(os.environ['RATE'])): return of\n"
    "def rate(): return Net.f()\n",
    "lab.settings.RATE": "from lab.settings import RATE\ndef rate(): return RATE\n",
}


@pytest.mark.parametrize("travels", ["by name", "by value"])
@pytest.mark.parametrize("name", MADE)
def test_a_worker_where_a_module_comes_to_something_else_says_so(name: str, travels: str, load: Load) -> None:
    spec = ship(load("0.5", f"import os\n{MADE[name]}"), seed=0, evaluate_every=1, workload_key="w")
    spec = replace(spec, workload=f"{name} {travels}", reference=spec.reference if travels == "by name" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        require_same_code(spec, load("0.5", f"import os\n{MADE[name]}"))
    telling._told.clear()
    with pytest.warns(UserWarning, match=f": {re.escape(name)} came to something else in this process than where"):
        require_same_code(spec, load("0.25", f"import os\n{MADE[name]}"))


def test_a_worker_that_has_not_imported_a_module_yet_says_nothing_of_it(load: Load) -> None:
    net = "def rate():\n    from lab.later import LATER\n    return LATER\n"
    load("0.5", net)
    file = Path(sys.modules["lab"].__file__ or "").parent / "later.py"
    file.write_text(SETTINGS.replace("RATE =", "LATER =") + "def later(): return LATER\n")
    trainer = load("0.5", net)
    importlib.import_module("lab.later")
    spec = ship(trainer, seed=0, evaluate_every=1, workload_key="w")
    assert "filled what lab.later.LATER came to" in spec.code
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in (spec, replace(spec, reference=None)):
            require_same_code(each, load("0.25", net))


def test_a_default_that_is_drawn_or_told_by_a_machine_does_not_count(load: Load) -> None:
    net = "import os, time\ndef rate(at=time.time(), cores=os.cpu_count(), there=os.path.abspath('x')): return at\n"
    assert fingerprint(load("0.5", net)) == fingerprint(load("0.5", net))
    assert "rate." not in ship(load("0.5", net), seed=0, evaluate_every=1, workload_key="w").code


def test_a_function_named_like_one_in_a_wrapper_does_not_stand_for_a_modules_global(load: Load) -> None:
    net = "import os\ndef func(x, of=1.0): return x\nof = float(os.environ['RATE'])\ndef rate(): return of\n"
    assert fingerprint(load("0.5", net)) != fingerprint(load("0.25", net))


def test_a_default_that_is_written_out_has_no_part_of_its_own(load: Load) -> None:
    net = "NAMES = ['a']\ndef rate(x=float('inf'), n=len(NAMES), d=dict(a=1), first=NAMES[0]): return x\n"
    code = ship(load("0.5", net), seed=0, evaluate_every=1, workload_key="w").code
    assert "filled what lab.settings.RATE came to" not in code
    assert "filled what lab.net." not in code
