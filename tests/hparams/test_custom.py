from __future__ import annotations

import functools
import importlib.util
import json
import math
import pickle
import random
import subprocess
import sys
import textwrap
import threading
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

import hippo
from hippo.errors import HparamError
from hippo.hparams import (
    Chain,
    Config,
    Cosine,
    Piece,
    Piecewise,
    RandomSearchSpace,
    Sequence,
    Template,
    path,
    sequence_from_json,
    uniform,
)
from hippo.hparams.source import code_hash


@dataclass(frozen=True)
class Wave(Sequence):
    height: float
    shape: tuple[int, ...] = (1,)

    def value(self, t: float) -> float:
        return self.height * (1 + math.sin(t)) / 2


class Bare(Sequence):
    def value(self, t: float) -> str:
        return "even" if int(t) % 2 == 0 else "odd"


def test_a_small_class_makes_a_sequence() -> None:
    assert Wave(2.0)(0) == 1.0
    assert Wave(2.0)(0.5) == 1 + math.sin(0.5)
    assert Bare()(3) == "odd"
    assert Chain(Wave(2.0).take(4), Bare())(5) == "odd"


def test_its_pieces_are_told_apart_by_arguments_and_origin() -> None:
    def keys(sequence: Sequence) -> list[str]:
        return [piece.key for _, piece in sequence.pieces(10)]

    assert keys(Wave(2.0)) == keys(Wave(2.0))
    assert len({*keys(Wave(2.0)), *keys(Wave(2)), *keys(Wave(3.0)), *keys(Piecewise([0, Wave(2.0)], [5]))}) == 5


@pytest.mark.parametrize("sequence", [Wave(2.0, (1, 2)), Bare(), Chain(Wave(1.0).take(3), Bare())], ids=repr)
def test_it_survives_json_and_pickle(sequence: Sequence) -> None:
    config = Config(lr=sequence)
    for copy in (Config.from_json(json.loads(json.dumps(config.to_json()))), pickle.loads(pickle.dumps(config))):
        assert copy == config
        assert list(path(copy, 5)) == list(path(config, 5))
        assert copy.values_at(2.5) == config.values_at(2.5)


@pytest.mark.parametrize("sequence", [Bare(), Chain(Wave(1.0).take(3), 2), Piecewise([1, Bare()], [5])], ids=repr)
def test_whoever_takes_no_sequences_of_others_refuses_those_within_ours_too(sequence: Sequence) -> None:
    written = Config(lr=sequence).to_json()
    with pytest.raises(HparamError, match="sequence of a user's own"):
        Config.from_json(written, custom=False)


def test_its_pieces_survive_json_and_pickle() -> None:
    _, (_, piece) = Piecewise([0, Wave(2.0)], [5]).pieces()
    for copy in (Piece.from_json(json.loads(json.dumps(piece.to_json()))), pickle.loads(pickle.dumps(piece))):
        assert copy == piece
        assert copy.at(6) == Wave(2.0)(1)


def test_a_distribution_among_its_arguments_makes_a_template() -> None:
    import numpy as np

    template: Any = Wave(uniform(1, 2))
    assert isinstance(template, Template)
    assert isinstance(RandomSearchSpace({"lr": template}).sample(np.random.default_rng(0))["lr"], Wave)


SCRIPT = """
import pickle, sys
from dataclasses import dataclass
from hippo.hparams import Config, Piecewise, Sequence, path

LEAST = 0.25

def doubled(t):
    return 2 * t

@dataclass(frozen=True)
class Ramp(Sequence):
    slope: float

    def value(self, t):
        return max(doubled(t) * self.slope, LEAST)

config = Config(lr=Piecewise([1.0, Ramp(0.5)], [2]))
pieces = list(path(config, 10))
with open(sys.argv[1], "wb") as file:
    pickle.dump((config, pieces, config.key), file)
"""

READER = """
import pickle, sys
from hippo.hparams import path
with open(sys.argv[1], "rb") as file:
    config, pieces, key = pickle.load(file)
assert config.key == key
assert list(path(config, 10)) == pieces
again = pickle.loads(pickle.dumps(config))
assert again == config and list(path(again, 10)) == pieces
assert type(again["lr"](5)) is float
print(config.values_at(5)["lr"], pieces[1][1]["lr"].at(2), config)
"""


@pytest.mark.slow
def test_a_class_of_a_script_travels_to_a_process_without_the_script(tmp_path: Path) -> None:
    script, data = tmp_path / "script.py", tmp_path / "data"
    script.write_text(SCRIPT)
    subprocess.run([sys.executable, str(script), str(data)], check=True)
    script.unlink()
    result = subprocess.run([sys.executable, "-c", READER, str(data)], check=True, capture_output=True, text=True)
    assert result.stdout == "3.0 0.25 Config({'lr': Piecewise([1.0, Ramp(slope=0.5)], [2])})\n"


@pytest.mark.slow
def test_a_class_of_a_module_that_is_not_on_the_path_travels_by_value(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_loader("off_the_path", loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["off_the_path"] = module
    try:
        exec(SCRIPT.partition("config =")[0], module.__dict__)
        config = Config(lr=Piecewise([1.0, module.Ramp(0.5)], [2]))
        (tmp_path / "data").write_bytes(pickle.dumps((config, list(path(config, 10)), config.key)))
    finally:
        del sys.modules["off_the_path"]
    subprocess.run([sys.executable, "-c", READER, str(tmp_path / "data")], check=True, stdout=subprocess.DEVNULL)


def test_a_class_that_depends_on_what_cannot_be_compared_is_refused_by_name() -> None:
    lock = threading.Lock()

    @dataclass(frozen=True)
    class Locked(Sequence):
        def value(self, t: float) -> float:
            with lock:
                return t

    with pytest.raises(HparamError, match="Locked cannot be told from a changed one: Locked -> value -> lock is <"):
        Locked()(0)


# ---------------------------------------------------------------------------------------------------- code hash


def compiled(source: str, folder: Path, name: str = "Wave") -> type:
    """Return a class of a module of its own, with source."""
    file = folder / f"module_{len(list(folder.iterdir()))}.py"
    file.write_text(textwrap.dedent(source))
    namespace: dict[str, Any] = {"__name__": "made", "Sequence": Sequence}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    found = namespace[name]
    assert isinstance(found, type)
    return found


PLAIN = """
LEAST = 0

def half(t):
    return t / 2

class Wave(Sequence):
    def value(self, t):
        return max(half(t), LEAST)
"""


def test_comments_docstrings_and_layout_do_not_change_the_hash(tmp_path: Path) -> None:
    other = '''
    LEAST = 0  # nothing is below it


    def half(t):
        """Halve."""
        return (t
                / 2)

    class Wave(Sequence):
        """A wave."""
        def value(self, t):
            """Its value."""
            # the larger one
            return max(half(t), LEAST)
    '''
    assert code_hash(compiled(PLAIN, tmp_path)) == code_hash(compiled(other, tmp_path))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max(half", "min(half"),
        ("t / 2", "t / 3"),
        ("LEAST = 0", "LEAST = 1"),
        ("def value", "scale = 2\n    def value"),
    ],
)
def test_changed_code_functions_and_constants_change_the_hash(tmp_path: Path, old: str, new: str) -> None:
    assert code_hash(compiled(PLAIN, tmp_path)) != code_hash(compiled(PLAIN.replace(old, new), tmp_path))


def without_source(expression: str = "", *, body: str = "") -> Any:
    """Return a class of which there is no source, whose value is an expression or what a body returns."""
    namespace: dict[str, Any] = {"__name__": "made", "Sequence": Sequence, "dataclass": dataclass}
    sys.modules.setdefault("made", ModuleType("made"))  # where dataclasses look
    body = textwrap.indent(body or f"return {expression}", " " * 8)
    exec(f"@dataclass(frozen=True)\nclass Wave(Sequence):\n    v: float\n    def value(self, t):\n{body}", namespace)
    return namespace["Wave"]


def test_without_source_the_bytecode_is_hashed() -> None:
    assert code_hash(without_source("t + 1")) == code_hash(without_source("(t + 1)"))
    assert code_hash(without_source("t + 1")) != code_hash(without_source("t - 1"))
    assert code_hash(without_source("t + 1")) != code_hash(without_source("t + 2"))


@dataclass(frozen=True)
class Lasting(Sequence):
    lasts: Any

    def value(self, t: float) -> float:
        return 0.1

    @property
    def length(self) -> int | None:
        return self.lasts  # type: ignore[no-any-return]


@pytest.mark.parametrize("lasts", [0, -3, 2.5, True, "2"])
def test_a_length_that_is_no_number_of_steps_is_refused(lasts: object) -> None:
    assert Chain(Lasting(2), 0.9)(2) == 0.9
    with pytest.raises(HparamError, match=r"The length of Lasting\(.*must be a number of steps"):
        Chain(Lasting(lasts), 0.9)


def test_a_template_is_another_one_when_its_code_changes() -> None:
    def template(expression: str) -> Any:
        return without_source(expression)(hippo.uniform(0, 1))

    assert template("self.v") == template("(self.v)")
    assert template("self.v") != template("2 * self.v")
    assert hippo.Linear(hippo.uniform(0, 1), 0.5).to_json().keys() == {"template", "arguments", "named"}


def test_where_an_exception_goes_counts_without_source() -> None:
    inside = "try:\n    a = 1 / t\n    b = a / (t - 1)\nexcept ZeroDivisionError:\n    return 9\nreturn b"
    behind = "try:\n    a = 1 / t\nexcept ZeroDivisionError:\n    return 9\nelse:\n    b = a / (t - 1)\nreturn b"
    assert code_hash(without_source(body=inside)) == code_hash(without_source(body=inside))
    assert code_hash(without_source(body=inside)) != code_hash(without_source(body=behind))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"code": "0" * 16}, "has changed since"), ({"sequence": "no_such_module:Wave"}, "cannot be imported")],
)
def test_a_recorded_sequence_whose_class_is_gone_can_be_shown_but_not_evaluated(
    changes: dict[str, str], reason: str
) -> None:
    data = {**Wave(2.0).to_json(), **changes}
    ghost = sequence_from_json(data)
    assert ghost.to_json() == data
    assert ghost == pickle.loads(pickle.dumps(ghost))
    assert "Wave" in repr(ghost)
    with pytest.raises(HparamError, match=reason):
        ghost(1)


# ---------------------------------------------------------------------------------------------------- bad input


class Empty(Sequence):
    pass


class Hidden(Sequence):
    def __init__(self, height: float) -> None:
        self.height = height

    def value(self, t: float) -> float:
        return self.height


@dataclass
class Mutable(Sequence):
    height: float

    def value(self, t: float) -> float:
        return self.height


@dataclass(frozen=True)
class Inheriting(Wave):
    """Inherits fields, and is made of something else."""

    def __init__(self, bottom: float) -> None:
        super().__init__(1.0)
        object.__setattr__(self, "bottom", bottom)


@dataclass(frozen=True)
class OnceGiven(Sequence):
    bottom: InitVar[float]

    def __post_init__(self, bottom: float) -> None:
        object.__setattr__(self, "low", bottom)

    def value(self, t: float) -> float:
        return float(self.low)  # type: ignore[attr-defined]


class Bottomed:
    def __init__(self, bottom: float) -> None:
        self.bottom = bottom


class Mixed(Bottomed, Sequence):
    def value(self, t: float) -> float:
        return self.bottom


class Made(Sequence):
    def __new__(cls, bottom: float) -> Made:
        made = super().__new__(cls)
        made.__dict__["bottom"] = bottom
        return made

    def value(self, t: float) -> float:
        return float(self.__dict__["bottom"])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Empty()(0), "Empty needs a method"),
        (lambda: Hidden(1.0)(0), "Hidden has arguments that hippo cannot see, 'height'"),
        (lambda: Inheriting(1.0)(0), "Inheriting has arguments that hippo cannot see, 'bottom'"),
        (lambda: OnceGiven(1.0)(0), "OnceGiven has arguments that hippo cannot see, 'bottom'"),
        (lambda: Mixed(1.0)(0), "Mixed has arguments that hippo cannot see, 'bottom'"),
        (lambda: Made(1.0)(0), "Made has arguments that hippo cannot see, 'bottom'"),
        (lambda: Mutable(1.0)(0), "Mutable could change while it is shared"),
        (lambda: Wave(math.nan)(0), "cannot be nan"),
    ],
)
def test_classes_that_cannot_be_sequences_are_refused_with_advice(build: Any, message: str) -> None:
    with pytest.raises(HparamError, match=message):
        build()


@dataclass(frozen=True)
class Drawn(Sequence):
    height: float

    def value(self, t: float) -> float:
        return self.height * t * random.random()


@dataclass(frozen=True)
class Counting(Sequence):
    seen: ClassVar[list[float]] = []

    def value(self, t: float) -> int:
        self.seen.append(t)
        return len(self.seen)


@pytest.mark.parametrize("sequence", [Drawn(0.1), Counting(), Chain(Wave(2.0).take(4), Drawn(0.1))], ids=repr)
def test_a_sequence_that_draws_or_counts_its_calls_is_refused(sequence: Sequence) -> None:
    config = Config(lr=sequence)
    for use in (lambda: list(path(config, 5)), lambda: config.key, lambda: pickle.dumps(config)):
        with pytest.raises(HparamError, match="must depend on t and on the fields alone"):
            use()


def test_a_value_that_is_not_finite_is_refused() -> None:
    @dataclass(frozen=True)
    class Pole(Sequence):
        def value(self, t: float) -> float:
            return math.inf if t == 3 else 1 / (t - 3)

    assert Pole()(2) == -1.0
    with pytest.raises(HparamError, match="cannot be inf"):
        Pole()(3)


def test_a_value_that_nobody_would_call_is_refused_where_the_class_is_made() -> None:
    with pytest.raises(HparamError, match=r"Mine.value would never be called: Mine is a Cosine.*Derive from hippo.Seq"):

        class Mine(Cosine):
            def value(self, t: float) -> float:
                return 0.5

    with pytest.raises(HparamError, match=r"Loud.__call__ would never be called by training"):

        class Loud(Sequence):
            def __call__(self, t: float) -> float:
                return 0.5


def test_a_named_sequence_of_ours_keeps_its_pieces() -> None:
    class Named(Cosine):
        """The usual one."""

    assert Named(0.1, 10)(10) == 0.0
    assert list(Named(0.1, 10).pieces()) == list(Cosine(0.1, 10).pieces())


def test_whoever_trains_with_a_named_sequence_of_ours_is_told_what_to_write() -> None:
    class Usual(Cosine):
        """As everybody here takes it."""

    with pytest.raises(HparamError, match=r"Usual is a Cosine by another name.* `def usual\(\): return Cosine\(...\)`"):
        Usual(0.1, 10).to_json()


# ------------------------------------------------------------------------------------- made of more than its fields


@dataclass(frozen=True)
class Table(Sequence):
    values: list[float]
    doubled: list[float] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", [2 * value for value in self.values])

    def value(self, t: float) -> float:
        return self.values[int(t)] + self.doubled[int(t)]

    @classmethod
    def offset(cls, by: float) -> Table:
        made = cls([1.0])
        object.__setattr__(made, "by", by)
        return made


def test_a_list_that_is_changed_after_a_sequence_was_used_changes_no_value() -> None:
    values = [1.0, 2.0]
    table = Table(values)
    ((_, piece),) = table.pieces()
    values[1] = 50.0
    assert piece.at(1) == pickle.loads(pickle.dumps(table))(1) == 6.0
    with pytest.raises(HparamError, match=r"What Table\(.*\) depends on was changed after it was used first"):
        table(1)


def test_an_attribute_that_is_no_field_is_refused_before_and_after_the_first_use() -> None:
    bare: Any = Bare()
    assert bare(0) == "even"
    bare.height = 2
    with pytest.raises(HparamError, match="was changed after it was used first"):
        bare(0)
    with pytest.raises(HparamError, match="Table has attributes that hippo cannot see, 'by'"):
        Table.offset(2.0)(0)
    assert Table([1.0])(0) == 3.0


@dataclass(frozen=True)
class Percent(Sequence):
    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", self.share / 100)

    def value(self, t: float) -> float:
        return self.share


def test_a_sequence_that_its_record_would_make_another_one_is_refused() -> None:
    with pytest.raises(HparamError, match=r"Percent.*0.5\) comes out as Percent.*0.005\) when it is made again"):
        Percent(50)(0)


def test_what_a_sequence_has_computed_from_its_fields_once_is_no_attribute_to_refuse() -> None:
    class Summed(Wave):
        @functools.cached_property
        def total(self) -> float:
            return float(sum(self.shape))

        def value(self, t: float) -> float:
            return self.total

    summed = Summed(1.0, (1, 2))
    assert (summed.total, summed(0), summed.total) == (3.0, 3.0, 3.0)


@dataclass(frozen=True, slots=True)
class Slotted(Sequence):
    height: float

    def value(self, t: float) -> float:
        return self.height


def test_fields_in_slots_travel() -> None:
    assert pickle.loads(pickle.dumps(Slotted(2.0)))(0) == 2.0


MEMORY: dict[float, float] = {}


@dataclass(frozen=True)
class Remembering(Sequence):
    def value(self, t: float) -> float:
        return MEMORY.setdefault(t, math.sin(t))


def test_a_sequence_that_changes_what_it_depends_on_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(HparamError, match=r"value.* of Remembering changes what it depends on, global MEMORY, so"):
            Remembering()(0)
