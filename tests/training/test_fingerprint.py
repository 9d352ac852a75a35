"""What changes a trainer's fingerprint, and what does not."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from hippo.errors import TrainerError
from hippo.hparams.code_forms import imports_of_tree
from hippo.testing.trainers import ToyTrainer
from hippo.training import dataset_identity, fingerprint
from hippo.training.code.fingerprint import trainer_code

BASE = {
    "lab/__init__.py": "",
    "lab/nets.py": "from lab.layers import layer\ndef net():\n    return layer(3)\n",
    "lab/layers.py": "def layer(n):\n    return n\n",
    "lab/late.py": "def late():\n    return 1\n",
    "lab/unused.py": "X = 1\n",
    "lab/mine.py": '''"""A trainer."""
import functools
import math
from hippo.testing.trainers import ToyTrainer
from lab.nets import net

WIDTH = 3
TABLE = {"a": [1, 2], "b": {"x", "y"}}
SPACE = [0.1, 0.01]


class Thing:
    def __init__(self, size):
        self.size = size


DEPTH = 1
THING = Thing(WIDTH + DEPTH)


def scale(x):
    return x * WIDTH


@functools.cache
def cached(x):
    return x + 1


class Base(ToyTrainer):
    def extra(self):
        return 1


class Mine(Base):
    """Doc."""

    rate = 0.5

    def train(self):
        """Doc."""
        from lab.late import late

        # a comment
        scale(net()) + len(TABLE) + late() + cached(1) + THING.size
        return super().train()


if __name__ == "__main__":
    print(SPACE)
''',
}
PRINT = "from lab.mine import Mine; from hippo.training import fingerprint; print(fingerprint(Mine))"


def written(folder: Path, **changes: tuple[str, str]) -> None:
    for name, text in BASE.items():
        old, new = changes.get(Path(name).stem, ("", ""))
        assert old in text
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text.replace(old, new) if old else text)


def printed(folder: Path, *, program: str = PRINT, hash_seed: str = "0", stdin: str | None = None) -> str:
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-"] if stdin is not None else [sys.executable, "-c", program]
    done = subprocess.run(command, input=stdin, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("original")
    written(folder)
    return printed(folder)


CHANGING = {
    "a method": ("mine", "return super().train()", "return super().train() or {}"),
    "a base in the module": ("mine", "return 1", "return 2"),
    "a class attribute": ("mine", "rate = 0.5", "rate = 0.25"),
    "a function that it calls": ("mine", "return x * WIDTH", "return x + WIDTH"),
    "a wrapped function": ("mine", "return x + 1", "return x + 2"),
    "a global number": ("mine", "WIDTH = 3", "WIDTH = 4"),
    "a global set": ("mine", '"y"', '"z"'),
    "a class of a global object": ("mine", "self.size = size", "self.size = 2 * size"),
    "how a global object was made": ("mine", "Thing(WIDTH + DEPTH)", "Thing(WIDTH - DEPTH)"),
    "what a global object was made of": ("mine", "DEPTH = 1", "DEPTH = 2"),
    "a module that it imports": ("nets", "layer(3)", "layer(4)"),
    "a module that this imports": ("layers", "return n", "return -n"),
    "a module imported within a method": ("late", "return 1", "return 2"),
}
EQUAL = {
    "a comment": ("mine", "# a comment", "# another one"),
    "docstrings": ("mine", '"""Doc."""', '"""Other."""'),
    "layout": ("mine", "return x * WIDTH", "return (\n        x * WIDTH\n    )"),
    "a global that it does not reach": ("mine", "SPACE = [0.1, 0.01]", "SPACE = [0.3]"),
    "a module that nobody imports": ("unused", "X = 1", "X = 2"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGING)
def test_changed_code_changes_it(original: str, tmp_path: Path, what: str) -> None:
    name, old, new = CHANGING[what]
    written(tmp_path, **{name: (old, new)})
    assert printed(tmp_path) != original


@pytest.mark.slow
@pytest.mark.parametrize("what", EQUAL)
def test_what_changes_no_meaning_does_not_change_it(original: str, tmp_path: Path, what: str) -> None:
    name, old, new = EQUAL[what]
    written(tmp_path, **{name: (old, new)})
    assert printed(tmp_path) == original


@pytest.mark.slow
def test_it_is_the_same_in_every_process_and_folder(original: str, tmp_path: Path) -> None:
    written(tmp_path)
    assert {printed(tmp_path, hash_seed=seed) for seed in ("1", "2")} == {original}


STDIN = """
from hippo.testing.trainers import ToyTrainer
from hippo.training import fingerprint
WIDTH = 3
class Mine(ToyTrainer):
    def train(self):
        "Doc."
        assert 1 in {WIDTH, 1, 2}, "no"
        return super().train()
print(fingerprint(Mine))
"""


@pytest.mark.slow
def test_from_standard_input_the_bytecode_counts(tmp_path: Path) -> None:
    first = printed(tmp_path, stdin=STDIN)
    assert printed(tmp_path, stdin=STDIN.replace('"Doc."', "# nothing"), hash_seed="3") == first
    assert printed(tmp_path, stdin=STDIN.replace("WIDTH = 3", "WIDTH = 4")) != first
    assert printed(tmp_path, stdin=STDIN.replace("1 in", "2 in")) != first


def made(number: int) -> type:
    class Local(ToyTrainer):
        def train(self) -> dict[str, float]:
            return {"number": number}

    return Local


def test_what_a_class_closes_over_counts() -> None:
    assert fingerprint(made(1)) == fingerprint(made(1))
    assert fingerprint(made(1)) != fingerprint(made(2))


def test_a_data_set_is_identified_by_what_is_declared() -> None:
    class Declares(ToyTrainer):
        dataset = ("digits", 2)

    assert dataset_identity(ToyTrainer) is None
    assert dataset_identity(Declares) == '["digits", 2]'
    assert dataset_identity(Declares, "other") == '"other"'


@pytest.mark.parametrize("dataset", [object(), float("nan"), {1, 2}])
def test_a_data_set_that_is_no_plain_value_is_refused(dataset: Any) -> None:
    with pytest.raises(TrainerError, match="cannot identify a data set"):
        dataset_identity(ToyTrainer, dataset)


def test_an_optimizer_of_ones_own_is_the_same_code_after_torch_has_wrapped_its_step() -> None:
    import torch

    class Plain(torch.optim.Optimizer):
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": 0.1})

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            pass

    class Using(ToyTrainer):
        def make(self) -> Any:
            return Plain([torch.zeros(1)])

    before, written = fingerprint(Using), Plain.step
    Using().make()
    assert Plain.step is not written
    assert fingerprint(Using) == before


def test_code_that_was_looked_at_once_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fingerprint(ToyTrainer)

    def refused(*_: Any) -> Any:
        raise AssertionError("it parses")

    for module in ("hparams.code_forms", "training.code.code_parts", "training.code.as_loaded"):
        monkeypatch.setattr(sys.modules[f"hippo.{module}"], "syntax_tree", refused)
    monkeypatch.setattr("dis.get_instructions", refused)
    assert fingerprint(ToyTrainer) == expected


def test_a_method_that_was_replaced_since_by_one_of_its_name_and_line_counts(tmp_path: Path) -> None:
    def made(text: str) -> Any:
        namespace: dict[str, Any] = {}
        exec(compile(text, str(tmp_path / "cell.py"), "exec"), namespace)
        return namespace["train"]

    class Here(ToyTrainer):
        train = made("def train(self):\n    return 1")

    found = [fingerprint(Here)]
    for text in (
        "def train(self):\n    return 2",
        "def train(self):\n    return 1.0",
        "def train(self):\n    return 1",
    ):
        Here.train = made(text)  # type: ignore[method-assign]
        found.append(fingerprint(Here))
    assert found[0] == found[3] != found[1] != found[2] != found[0]


WRAPPED = """
import functools
from hippo.testing.trainers import ToyTrainer

def doubled(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return 2 * function(*arguments)
    return wrapper

def tripled(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return 7 * function(*arguments)
    return wrapper

@tripled
def helped(x):
    return x + 5

class Mine(ToyTrainer):
    @doubled
    def evaluate(self):
        return helped(1)
"""


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        (WRAPPED.replace("2 * function", "3 * function"), False),
        (WRAPPED.replace("helped(1)", "helped(2)"), False),
        (WRAPPED.replace("7 * function", "8 * function"), False),
        (WRAPPED.replace("x + 5", "x + 6"), False),
        (WRAPPED.replace("    return wrapper", "    # it is done\n    return wrapper"), True),
        (WRAPPED.replace("functools.wraps(function)\n", "functools.wraps(function)\n\n"), True),
    ],
)
@pytest.mark.parametrize("is_file", [True, False])
def test_what_stands_around_a_method_counts_as_the_method_does(
    text: str, is_same: bool, is_file: bool, tmp_path: Path
) -> None:
    def found(folder: Path, module: str) -> str:
        folder.mkdir()
        (folder / "wrapped.py").write_text(module)
        asked = "from hippo.training import fingerprint\nprint(fingerprint(Mine))\n"
        script = ["-c", f"from wrapped import Mine\n{asked}"] if is_file else ["-"]
        done = subprocess.run(
            [sys.executable, *script], input=module + asked, capture_output=True, text=True, cwd=folder, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert (found(tmp_path / "one", WRAPPED) == found(tmp_path / "other", text)) == is_same


def test_what_stands_around_a_method_of_a_notebook_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(text: str) -> str:
        cells, name = types.ModuleType("cells"), f"<cell of {text.count('3 *')}>"
        monkeypatch.setitem(sys.modules, "cells", cells)
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
        exec(compile(text, name, "exec"), vars(cells))
        return fingerprint(cells.Mine)

    assert found(WRAPPED) == found(WRAPPED) != found(WRAPPED.replace("2 * function", "3 * function"))


def test_a_class_of_a_notebook_is_the_same_whatever_cell_runs_just_now(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    (tmp_path / "other_cell.py").write_text("VALUE = 1\n")
    asks = "found.append(fingerprint(Mine))"
    program = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
def run(cell):
    shell.run_cell(cell).raise_error()
run("from hippo.training import fingerprint; found = []")
run({WRAPPED!r} + "\\n" + {asks!r})
run({asks!r})
run("import other_cell; " + {asks!r})  # which the class does not reach
run("async def ask(): " + {asks!r})
run("import asyncio; await asyncio.gather(ask(), ask())")  # in a task no cell is seen to run
run({WRAPPED.replace("2 * function", "3 * function")!r} + "\\n" + {asks!r})
print(*shell.user_ns["found"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60,
        env={**os.environ, "IPYTHONDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *same, changed = done.stdout.splitlines()[-1].split()
    assert len(same) == 5
    assert len(set(same)) == 1
    assert changed != same[0]


# ------------------------------------------------------------------------------------------------------- registries

#: ways to reach code that nobody names; in each a 1 stands where the code is changed
REGISTRIES = {
    "a decorator that fills a dictionary": """
KNOWN = {}
def register(f):
    KNOWN[f.__name__] = f
    return f
@register
def net():
    return 1
""",
    "a list": """
KNOWN = []
def net():
    return 1
KNOWN.append(net)
""",
    "an update": """
KNOWN = {}
def net():
    return 1
KNOWN.update(net=net)
""",
    "lambdas": """
KNOWN = {"a": lambda: 0, "b": lambda: 1}
""",
    "a set": """
def other():
    return 0
def net():
    return 1
KNOWN = {net, other}
""",
    "a dictionary within another": """
KNOWN = {"nets": {}}
def net():
    return 1
KNOWN["nets"]["net"] = net
""",
    "a class of its own": """
class Registry(dict):
    def register(self, f):
        self[f.__name__] = f
        return f
KNOWN = Registry()
@KNOWN.register
def net():
    return 1
""",
    "an object": """
class Registry:
    def __init__(self):
        self.known = {}
    def register(self, name):
        def put(f):
            self.known[name] = f
            return f
        return put
KNOWN = Registry()
@KNOWN.register("net")
def net():
    return 1
""",
    "classes": """
KNOWN = {}
def register(cls):
    KNOWN[cls.__name__] = cls
    return cls
@register
class Net:
    def __call__(self):
        return 1
""",
    "what inherits": """
class KNOWN:
    known = {}
    def __init_subclass__(cls):
        KNOWN.known[cls.__name__] = cls
class Net(KNOWN):
    def __call__(self):
        return 1
""",
    "single dispatch": """
import functools
@functools.singledispatch
def KNOWN(x):
    return 0
@KNOWN.register
def _(x: int):
    return 1
""",
    "a function with arguments": """
import functools
def net(size):
    return 1
KNOWN = {"net": functools.partial(net, 3)}
""",
}
TRAINER = """
from hippo.testing.trainers import ToyTrainer
class Mine(ToyTrainer):
    def train(self):
        len(str(KNOWN))
        return super().train()
"""


def loaded(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch, *, name: str = "of_registries") -> type:
    folder.mkdir()
    file = folder / f"{name}.py"
    file.write_text(text + TRAINER)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    trainer: type = module.Mine
    return trainer


@pytest.mark.parametrize("what", REGISTRIES)
def test_what_is_in_a_registry_counts(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = REGISTRIES[what]
    first = fingerprint(loaded(tmp_path / "first", text, monkeypatch))
    again = fingerprint(loaded(tmp_path / "again", "\n\n" + text, monkeypatch, name="of_another_name"))
    assert again == first
    assert fingerprint(loaded(tmp_path / "changed", text.replace("1", "2"), monkeypatch)) != first


def test_the_class_of_a_registry_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = REGISTRIES["a class of its own"]
    first = fingerprint(loaded(tmp_path / "first", text, monkeypatch))
    changed = text.replace("self[f.__name__] = f", "self[f.__name__.upper()] = f")
    assert fingerprint(loaded(tmp_path / "changed", changed, monkeypatch)) != first


def test_what_a_process_puts_into_a_registry_is_no_part_that_others_must_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = loaded(tmp_path / "first", REGISTRIES["a list"], monkeypatch)
    before = trainer_code(trainer)
    sys.modules[trainer.__module__].KNOWN.clear()  # type: ignore[attr-defined]
    after = trainer_code(trainer)
    assert after.fingerprint != before.fingerprint
    assert after.parts == before.parts


def test_registries_of_others_are_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import json, re\nKNOWN = {'a': json.dumps, 'b': re.Scanner}\n"
    labels = trainer_code(loaded(tmp_path / "first", text, monkeypatch)).labels
    assert not [label for label in labels if "holds" in label]


@pytest.mark.parametrize(
    "said", ['importlib.import_module("lab.late")', '__import__("lab.late")', 'import_module("lab.late", None)']
)
def test_a_module_that_is_imported_by_a_text_counts(said: str) -> None:
    assert "lab.late" in imports_of_tree(ast.parse(f"def late():\n    return {said}"), "")


@pytest.mark.parametrize(
    "said", [f"import_module('.late', {package})" for package in ("__package__", "package=__name__", "'lab'")]
)
def test_a_module_that_is_imported_by_a_relative_text_counts(said: str) -> None:
    assert imports_of_tree(ast.parse(said), "lab") == {"lab.late"}


@pytest.mark.parametrize("said", ["import_module(name)", 'import_module(".late")', 'find("lab.late")', "(f())()"])
def test_what_does_not_say_a_module_imports_none(said: str) -> None:
    assert imports_of_tree(ast.parse(said), "") == frozenset()


class AttributesAreKeys(dict[str, Any]):
    """A config as many write it: what is no key raises KeyError."""

    __getattr__ = dict.__getitem__


SETTINGS = AttributesAreKeys(width=8, func=3)


class ReadsSettings(ToyTrainer):
    """Reads it."""

    def train(self) -> Any:
        return {"width": SETTINGS.width, **super().train()}


def test_a_dictionary_whose_keys_are_attributes_is_compared_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(ReadsSettings)
    monkeypatch.setitem(SETTINGS, "width", 9)
    assert fingerprint(ReadsSettings) != before
