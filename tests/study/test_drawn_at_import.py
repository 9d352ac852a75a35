"""Data that a module draws without a seed are other ones in each process: refused by name, and no changed code."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import CodeChangedError, TrainerError
from hippo.training import fingerprint, ship
from hippo.training.code.data_forms import changing_names, data_form
from hippo.training.code.same_code import require_same_code

MODULE = """
import collections
import random
import time
import numpy as np
import helper_{name}
from hippo.testing.trainers import ToyTrainer

ROWS = np.random.default_rng().permutation(4000)
SPLIT = [ROWS[:2000], ROWS[2000:]]
START = random.random()
CACHE = {{}}
COUNTS = collections.defaultdict(int)
CALLS = 0
SEEN = [time.time()]

class Drawn(ToyTrainer):
    def train(self):
        {reads}
        return super().train()

class Counting(ToyTrainer):
    def train(self):
        global CALLS
        CALLS += 1
        SEEN.append(CALLS)
        CACHE[CALLS] = COUNTS[CALLS] = random
        return super().train()
"""
HELPER = "import numpy as np\nROWS = np.random.default_rng().random(3)\nTABLE = [1, 2]\n\ndef used(): return 1\n"
Make = Callable[..., ModuleType]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Make]:
    """Write a module and its helper, and import them; again, as another process does."""
    name = f"drawn_{abs(hash(request.node.name))}"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def made(reads: str = "len(ROWS)", helper: str = HELPER) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(MODULE.format(name=name, reads=reads))
        (tmp_path / f"helper_{name}.py").write_text(helper)
        for module in (name, f"helper_{name}"):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield made
    for module in (name, f"helper_{name}"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize("reads", ["len(ROWS)", "SPLIT[0]", "START", "helper.ROWS"])
def test_what_a_worker_draws_for_itself_is_refused_by_name(make: Make, reads: str) -> None:
    module = make(reads.replace("helper", "helper_{}").replace("{}", make().__name__))
    spec = ship(module.Drawn, seed=0, evaluate_every=1, workload_key="w")
    require_same_code(spec, module.Drawn)
    again = make(reads.replace("helper", f"helper_{module.__name__}"))
    name = {"len(ROWS)": "ROWS", "SPLIT[0]": "ROWS, SPLIT", "START": "START"}.get(
        reads, f"helper_{module.__name__}.ROWS"
    )
    with pytest.raises(CodeChangedError, match=rf"^{name} of {module.__name__} (is another one|are others) in each"):
        require_same_code(spec, again.Drawn)


def test_data_of_a_helper_are_compared_also_for_a_class_that_travels_by_value(make: Make) -> None:
    name = make().__name__
    module = make(f"helper_{name}.ROWS")
    spec = replace(ship(module.Drawn, seed=0, evaluate_every=1, workload_key="w"), reference=None)
    require_same_code(spec, module.Drawn)
    make(f"helper_{name}.ROWS")
    with pytest.raises(CodeChangedError, match=rf"helper_{name}.ROWS of Drawn is another one"):
        require_same_code(spec, module.Drawn)


def test_counters_and_caches_are_no_data(make: Make) -> None:
    module = make()
    spec = ship(module.Counting, seed=0, evaluate_every=1, workload_key="w")
    require_same_code(spec, make().Counting)


def test_the_middle_of_an_array_is_part_of_the_fingerprint(make: Make) -> None:
    module = make()
    before = fingerprint(module.Drawn)
    module.ROWS[1000] += 1  # its repr is what it was
    assert fingerprint(module.Drawn) != before


def study(module: ModuleType, folder: Path, **options: Any) -> hippo.Study:
    return hippo.create_study(
        "drawn",
        trainer=module.Drawn,
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        **options,
    )


def test_a_new_generation_names_the_value_that_changed_though_no_code_did(
    make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study(make(), tmp_path).evaluate({"lr": 0.1}, until=1)
    assert study(make(), tmp_path).generation == 2
    told = capsys.readouterr().err
    assert "no code, but the value of ROWS, which the trainer reads, changed (drawn without a seed" in told


@pytest.mark.parametrize(
    ("reads", "helper", "said"),
    [
        ("len([])", HELPER, r"the trainer's code changed \(Drawn.train\(\)\) since generation 1"),
        ("1", HELPER.replace("return 1", "return 2"), r"the trainer's code changed \(module helper_\w+\) since"),
    ],
)
def test_a_new_generation_names_the_function_or_the_file(
    make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], reads: str, helper: str, said: str
) -> None:
    study(make("1"), tmp_path)
    changed = make(reads, helper)
    with pytest.raises(TrainerError, match=r"since study 'drawn' was made; .* \((Drawn.train\(\)|module helper)"):
        hippo.load_study("drawn", f"sqlite:///{tmp_path / 'hippo.db'}", trainer=changed.Drawn).evaluate({}, until=1)
    study(changed, tmp_path)
    assert re.search(said, capsys.readouterr().err)


@pytest.mark.slow
def test_workers_that_draw_their_own_data_train_nothing(make: Make, tmp_path: Path) -> None:
    module = make()
    made = hippo.create_study(
        "drawn",
        trainer=module.Drawn,
        storage=f"sqlite:///{tmp_path / 'hippo.db'}",
        checkpoints=str(tmp_path / "checkpoints"),
        engine=hippo.LocalEngine(workers=1),
        metric="loss",
        mode="min",
    )
    with pytest.raises(TrainerError, match=r"ROWS of drawn_\d+ is another one in each process.*Give it a seed"):
        made.evaluate({"lr": 0.1}, until=2)
    assert made.statistics().steps_executed == 0


def test_max_steps_is_named_where_it_makes_a_generation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.report(x, 0)
        return float(x)

    options = {"sampler": "random", "direction": "minimize", "storage": f"sqlite:///{tmp_path}/hippo.db"}
    options["checkpoints"] = str(tmp_path / "checkpoints")
    for steps in ({}, {"max_steps": 1}):
        hippo.from_optuna(objective).optimize(n_trials=1, engine=hippo.InlineEngine(), **options, **steps)
    assert "max_steps changed (given, the function's reports are steps" in capsys.readouterr().err


# --- what data are


def test_forms_are_of_all_that_is_held() -> None:
    torch, pandas = pytest.importorskip("torch"), pytest.importorskip("pandas")
    large = np.arange(5000)
    other = large.copy()
    other[2500] = -1
    pairs = [
        (large, other),
        ([{"a": large}], [{"a": other}]),
        (torch.from_numpy(large), torch.from_numpy(other)),
        (torch.zeros(2, dtype=torch.bfloat16), torch.zeros(2, dtype=torch.float16)),
        (torch.utils.data.Subset([1, 2, 3], [0, 1]), torch.utils.data.Subset([1, 2, 3], [0, 2])),
        (pandas.DataFrame({"a": large}), pandas.DataFrame({"a": other})),
        (large.astype("float32"), large.astype("float64")),
        (np.array(["a", None]), np.array(["b", None])),
        (large.reshape(2, -1), large),
    ]
    for one, two in pairs:
        assert data_form(one) == data_form(one) is not None
        assert data_form(one) != data_form(two)
    assert data_form([object()]) is None
    assert data_form(torch.empty(0)) is not None
    itself: list[Any] = []
    itself.append((large, itself))
    assert data_form(itself) is None


def test_what_a_module_changes_by_itself_is_known() -> None:
    import ast

    text = "A = []\nB = dict()\nC = [1]\nD = f()\nE = 1\nF = [2]\nG = {}\nH = g(1)\ndef f():\n    global E\n"
    text += "    C.append(2)\n    D[0] = 1\n    H.x = 1\n    F.index(2)\n    return A\n"
    assert changing_names(ast.parse(text)) == {"A", "B", "C", "D", "E", "G", "H"}
