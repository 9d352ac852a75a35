"""What the hash of code covers: whatever changes values changes it, and nothing else does."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hippo.errors import HparamError
from hippo.hparams import Chain, Exponential, Warmup
from hippo.hparams.source import code_hash

Load = Callable[..., ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Return what makes modules of a project, by name and source, and imports the last one."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made: set[str] = set()

    def build(**sources: str) -> ModuleType:
        made.update(sources)
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        module = None
        for name in sources:
            module = importlib.import_module(name)
        assert module is not None
        return module

    yield build
    for name in made:
        sys.modules.pop(name, None)


SOURCE = """
import functools
from dataclasses import dataclass, field
import numpy as np
import constants
from enum import Enum

class Kind(Enum):
    LOW = 1

class Helper:
    power = 2
    def __init__(self, scale):
        self.scale = scale
    def of(self, t):
        return t ** self.power * self.scale

HELPER = Helper(3)
TABLE = np.arange(5000.0)
OPTIONS = {"a": {1, 2, 3}}
CURVES = {"b": 1, "a": 2}
ODD = np.array([[1, 999999]])

@dataclass
class Mark:
    mark: int = 0

@functools.lru_cache
def cached(t):
    return t + 1

def power(t, exponent):
    return t ** exponent

square = functools.partial(power, exponent=2)

def documented(function):
    @functools.wraps(function)
    def inner(t):
        return 3 * function(t)
    return inner

@documented
def decorated(t):
    return t / 7

class Wave:
    _abc_scale = 1
    def value(self, t, offset=5):
        if Mark(t) == Mark(1):
            return list(CURVES.values())[0] * self._abc_scale + ODD.sum()
        if t in OPTIONS["a"] or Kind.LOW.value > 1:
            return 0
        return HELPER.of(t) + TABLE[7] + cached(t) + square(t) + decorated(t) + constants.SCALE + offset
"""

CONSTANTS = "SCALE = 1\nUNUSED = 0\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("offset=5", "offset=6"),
        ("Helper(3)", "Helper(4)"),
        ("power = 2", "power = 3"),
        ("t ** self.power", "t * self.power"),
        ("np.arange(5000.0)", "np.arange(5000.0); TABLE[2500] += 1"),
        ("np.arange(5000.0)", "np.arange(5000)"),
        ("{1, 2, 3}", "{1, 2, 4}"),
        ("return t + 1", "return t + 2"),
        ("exponent=2", "exponent=3"),
        ("return t ** exponent", "return exponent ** t"),
        ("3 * function(t)", "4 * function(t)"),
        ("t / 7", "t / 8"),
        ("LOW = 1", "LOW = 2"),
        ('CURVES = {"b": 1, "a": 2}', 'CURVES = {"a": 2, "b": 1}'),
        ("np.array([[1, 999999]])", "np.ma.array([[1, 999999]], mask=[[0, 1]])"),
        ("np.array([[1, 999999]])", "np.array([[1, 999999]]).view(np.matrix)"),
        ("@dataclass\n", "@dataclass(eq=False)\n"),
        ("mark: int = 0", "mark: int = field(default=0, compare=False)"),
        ("_abc_scale = 1", "_abc_scale = 2"),
    ],
)
def test_whatever_changes_values_changes_the_hash(load: Load, old: str, new: str) -> None:
    assert old in SOURCE
    before = code_hash(load(constants=CONSTANTS, waving=SOURCE).Wave)
    assert code_hash(load(constants=CONSTANTS, waving=SOURCE.replace(old, new)).Wave) != before


HIDDEN = """
import functools
from dataclasses import dataclass, field

def ramp(t, start=1, slope=1):
    return start + slope * t + __OFFSET

curve = lambda t: ramp(t, start=9)
__OFFSET = 1

@dataclass
class Made:
    table: list = field(default_factory=lambda: [2])
    more: list = field(default_factory=lambda: [3], init=False)

@dataclass(slots=True)
class Slotted:
    height: float = 4.0

class Cached:
    @functools.lru_cache
    def __call__(self, t):
        return 5 * t
    def __add(self, t, by):
        return t + by
    __getitem__ = functools.partialmethod(__add, 6)

class Wave:
    def value(self, t):
        return curve(t) + Made().table[0] + Made().more[0] + Slotted().height + Cached()(t) + Cached()[t]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ramp(t, start=9)", "ramp(t, slope=9)"),
        ("__OFFSET = 1", "__OFFSET = 2"),
        ("[2]", "[20]"),
        ("[3]", "[30]"),
        ("height: float = 4.0", "height: float = 40.0"),
        ("5 * t", "50 * t"),
        ("(__add, 6)", "(__add, 60)"),
    ],
)
def test_what_changes_values_out_of_sight_changes_the_hash(load: Load, old: str, new: str) -> None:
    before = code_hash(load(hidden_waving=HIDDEN).Wave)
    assert code_hash(load(hidden_waving=HIDDEN.replace(old, new)).Wave) != before


def test_another_module_of_the_project_counts_and_so_does_what_was_set_there(load: Load) -> None:
    before = code_hash(load(constants=CONSTANTS, waving=SOURCE).Wave)
    module = load(constants=CONSTANTS.replace("SCALE = 1", "SCALE = 2"), waving=SOURCE)
    changed = code_hash(module.Wave)
    module.constants.SCALE = 3
    assert len({before, changed, code_hash(module.Wave)}) == 3


def test_what_a_method_imports_counts(load: Load) -> None:
    source = "class Wave:\n    def value(self, t):\n        from constants import SCALE\n        return SCALE * t\n"
    before = code_hash(load(constants=CONSTANTS, waving=source).Wave)
    assert code_hash(load(constants=CONSTANTS.replace("SCALE = 1", "SCALE = 2"), waving=source).Wave) != before


IMPORTING = "class Wave:\n    def value(self, t):\n        from tables import K, scale\n        return K * scale(t)\n"
TABLES = "K = 1.0\ndef scale(t):\n    return 2.0 * t\n"


def test_a_module_whose_functions_were_edited_after_it_was_imported_is_refused(load: Load, tmp_path: Path) -> None:
    wave = load(tables=TABLES, waving=IMPORTING).Wave
    (tmp_path / "tables.py").write_text("# moved by a line\n" + TABLES)
    code_hash(wave)
    (tmp_path / "tables.py").write_text(TABLES.replace("2.0", "9.0 + 0"))
    with pytest.raises(HparamError, match=r"was changed after 'tables' had been imported from it: scale is not"):
        code_hash(wave)
    importlib.reload(sys.modules["tables"])
    code_hash(wave)


def test_a_constant_that_was_edited_after_its_import_is_the_one_that_was_loaded(load: Load, tmp_path: Path) -> None:
    wave = load(tables=TABLES, waving=IMPORTING).Wave
    (tmp_path / "tables.py").write_text(TABLES.replace("1.0", "9.0 "))
    trained_with_the_old = code_hash(wave)
    importlib.reload(sys.modules["tables"])
    assert code_hash(wave) != trained_with_the_old


def test_what_stands_around_a_lambda_does_not_count(load: Load) -> None:
    one = load(lambdas="below = lambda c: c['lr'] < 0.1\n").below
    other = load(lambdas="\nbelow, bound = lambda c: c['lr'] < 0.1, 3\n").below
    assert code_hash(one) == code_hash(other)


def test_what_is_not_reached_does_not_count(load: Load) -> None:
    before = code_hash(load(constants=CONSTANTS, waving=SOURCE).Wave)
    other = SOURCE + "\nBETWEEN = 1\ndef unused():\n    return 2\n"
    assert code_hash(load(constants=CONSTANTS, waving=other).Wave) == before


def test_what_a_cached_function_has_remembered_does_not_count(load: Load) -> None:
    module = load(constants=CONSTANTS, waving=SOURCE)
    before = code_hash(module.Wave)
    module.Wave().value(9)
    assert code_hash(module.Wave) == before


@pytest.mark.slow
def test_the_hash_is_the_same_in_every_process(load: Load, tmp_path: Path) -> None:
    import os
    import subprocess

    known = code_hash(load(constants=CONSTANTS, waving=SOURCE).Wave)
    program = "from hippo.hparams.source import code_hash; import waving; print(code_hash(waving.Wave))"
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        }
        ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert ran.stdout.strip() == known, ran.stderr


# ------------------------------------------------------------------------------------------ functions and objects


class Below:
    def __init__(self, bound: Any) -> None:
        self.bound = bound

    def __call__(self, config: Any) -> bool:
        return bool(config["lr"] < self.bound)

    def passes(self, config: Any) -> bool:
        return self(config)


def below(config: Any, bound: float) -> bool:
    return bool(config["lr"] < bound)


def closure(limit: Any) -> Any:
    def inner(config: Any) -> bool:
        return bool(config["lr"] < limit.bound)

    return inner


@pytest.mark.parametrize(
    "make",
    [
        Below,
        lambda bound: Below(bound).passes,
        lambda bound: functools.partial(below, bound=bound),
        lambda bound: closure(Below(bound)),
        lambda bound: closure(Below(np.full(3000, bound))),
        lambda bound: lambda config: config["lr"] < bound,
        lambda bound: lambda config, at=bound: config["lr"] < at,  # defaults stand in no line, and in no bytecode
        lambda bound: lambda config, *, at=bound: config["lr"] < at,
    ],
    ids=[
        "instance",
        "bound method",
        "partial",
        "closure over an object",
        "closure over an array",
        "lambda",
        "default",
        "keyword-only default",
    ],
)
def test_functions_are_told_apart_by_what_they_hold(make: Any) -> None:
    assert code_hash(make(0.9)) == code_hash(make(0.9)) != code_hash(make(0.3))


def test_in_which_order_arguments_were_written_does_not_count() -> None:
    one, other = functools.partial(below, bound=1, config={}), functools.partial(below, config={}, bound=1)
    assert code_hash(one) == code_hash(other)


def test_in_which_order_attributes_beside_slots_were_set_does_not_count() -> None:
    @dataclasses.dataclass(slots=True)
    class Slotted:
        top: float = 1.0
        floor: float = 0.0

    class Open(Slotted):
        pass

    one, other = Open(), Open()
    one.here, one.there = 1, 2  # type: ignore[attr-defined]
    other.there, other.here = 2, 1  # type: ignore[attr-defined]
    assert code_hash(Below(one)) == code_hash(Below(other))
    other.floor = 0.5
    assert code_hash(Below(one)) != code_hash(Below(other))


def test_what_hippo_describes_itself_has_the_hash_of_its_description_for_ever() -> None:
    assert code_hash(Chain(Warmup(5, 0.1), Exponential(0.1, 0.95))) == "54d20c6c80522ce0"


def test_two_lambdas_in_one_line_are_two() -> None:
    one, other = lambda config: config["lr"] < 0.1, lambda config: config["lr"] < 0.2
    assert code_hash(one) != code_hash(other)


def test_what_holds_itself_is_hashed() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert code_hash(Below(ring)) == code_hash(Below(ring))


@pytest.mark.parametrize(
    "hidden", [threading.Lock(), (i for i in range(3)), sys.stdout], ids=["lock", "generator", "file"]
)
def test_what_has_no_contents_to_compare_is_refused_by_name(hidden: Any) -> None:
    with pytest.raises(HparamError, match=rf"Below -> \.bound is .*{type(hidden).__name__}.*no contents that could be"):
        code_hash(Below(hidden))


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(HparamError, match="nested too deeply"):
        code_hash(Below(deep))


def test_tensors_count_by_their_contents() -> None:
    torch = pytest.importorskip("torch")
    assert code_hash(Below(torch.zeros(3))) == code_hash(Below(torch.zeros(3))) != code_hash(Below(torch.ones(3)))


class Steps(frozenset[int]):
    pass


class Lazy:
    @functools.cached_property
    def table(self) -> list[int]:
        return [1, 2]


def test_what_was_computed_or_drawn_before_does_not_count() -> None:
    lazy, other = Lazy(), Lazy()
    other.name = "lazy"  # type: ignore[attr-defined]
    bounds = [lazy, other, np.random.mtrand._rand]
    before = [code_hash(Below(bound)) for bound in bounds]
    np.random.rand()
    assert lazy.table == other.table
    assert [code_hash(Below(bound)) for bound in bounds] == before


def test_a_set_of_ones_own_counts_by_what_is_in_it() -> None:
    first, second = Steps([0, 8]), Steps([8, 0])  # which have one place in the table of the set
    assert list(first) != list(second)
    assert code_hash(Below(first)) == code_hash(Below(second)) != code_hash(Below(Steps([1])))
