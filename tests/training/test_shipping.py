"""Trainers travel by name where they can and by value where they must; who cannot is told why."""

from __future__ import annotations

import subprocess
import sys
import threading
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippo.errors import TrainerError
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainer, Trainers, resolve, ship
from hippo.training.code.shipping import unship


def shipped(trainer: Any, **args: Any) -> Any:
    return ship(trainer, args, seed=0, evaluate_every=1, workload_key="w")


def test_an_importable_class_travels_by_name() -> None:
    spec = shipped(ToyTrainer, size=2)
    assert (spec.reference, spec.pickled) == ("hippo.testing.trainers:ToyTrainer", None)
    assert unship(spec) is ToyTrainer
    assert shipped("hippo.testing.trainers:ToyTrainer", size=2) == spec


def test_a_local_class_travels_by_value_to_another_process(tmp_path: Path) -> None:
    extra = 3

    class Local(ToyTrainer):
        def answer(self) -> int:
            return extra

    spec = shipped(Local)
    assert spec.reference is None
    (tmp_path / "class").write_bytes(spec.pickled)
    program = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))().answer())"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "class"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3\n", "")


def run_script(folder: Path, text: str) -> str:
    script = folder / "script.py"
    script.write_text(f"from hippo.testing.trainers import ToyTrainer\nfrom hippo.training import ship\n{text}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=folder)
    return done.stdout + done.stderr


SHIPPED = "ship(Mine, seed=0, evaluate_every=1, workload_key='w').reference"


def test_a_class_of_a_script_travels_by_value(tmp_path: Path) -> None:
    assert run_script(tmp_path, f"class Mine(ToyTrainer): pass\nprint({SHIPPED})") == "None\n"


def test_a_class_beside_a_script_travels_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from hippo.testing.trainers import ToyTrainer\nclass Mine(ToyTrainer): pass\n")
    assert run_script(tmp_path, f"from mine import Mine\nprint({SHIPPED})") == "mine:Mine\n"


def test_a_class_in_a_module_that_only_this_process_knows_travels_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("only_here")
    module.__file__ = "only_here.py"
    monkeypatch.setitem(sys.modules, "only_here", module)
    text = "from hippo.testing.trainers import ToyTrainer\nclass Mine(ToyTrainer):\n    pass\n"
    exec(text, vars(module))
    spec = shipped(module.Mine)
    monkeypatch.delitem(sys.modules, "only_here")
    assert unship(spec).__name__ == "Mine"


def test_a_global_that_cannot_travel_is_named(tmp_path: Path) -> None:
    text = "import threading\nlock = threading.Lock()\nclass Mine(ToyTrainer):\n    def train(self): return lock\n"
    told = run_script(tmp_path, text + SHIPPED)
    assert "cannot ship Mine to workers: its global 'lock' is a _thread.lock (TypeError: cannot pickle" in told


def test_a_variable_around_the_class_that_cannot_travel_is_named() -> None:
    lock = threading.Lock()

    class Local(ToyTrainer):
        def train(self) -> dict[str, float]:
            with lock:
                return super().train()

    with pytest.raises(TrainerError, match=r"the variable 'lock' around its method train\(\) is a _thread.lock"):
        shipped(Local)


MODULES_OF_OTHER_CLASSES = """
import sys, types
class Lazy(types.ModuleType):
    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'Lazy' object")
lazy = sys.modules["lazy"] = Lazy("lazy")
lazy.inner = Lazy("lazy.inner")
class Mine(ToyTrainer):
    def build(self):
        lazy.flag = lazy.inner.flag = False
        super().build()
"""


def test_modules_of_classes_of_their_own_travel_by_name(tmp_path: Path) -> None:
    back = "import pickle; from hippo.training.code.shipping import _dumped\nthings = [lazy, lazy.inner, sys]"
    same = "print([a is b for a, b in zip(pickle.loads(_dumped(things)), things)])"
    text = f"{MODULES_OF_OTHER_CLASSES}\nprint({SHIPPED})\n{back}\n{same}"
    assert run_script(tmp_path, text) == "None\n[True, True, True]\n"


@pytest.mark.slow
def test_a_script_may_set_flags_of_torch_backends(tmp_path: Path) -> None:
    text = "import torch\nclass Mine(ToyTrainer):\n    def build(self): torch.backends.cudnn.benchmark = False\n"
    spec = "spec = ship(Mine, seed=0, evaluate_every=1, workload_key='w')"
    use = f"from hippo.training.code.shipping import unship\n{spec}\n"
    assert run_script(tmp_path, f"{text}{use}unship(spec)().build()\nprint(spec.reference)") == "None\n"


def test_what_arrives_in_its_own_process_is_another_class_and_leaves_the_first_as_it_is() -> None:
    class Local(ToyTrainer):
        def answer(self) -> int:
            return len(BAD_ARGUMENTS)

    before = Local.answer
    arrived: Any = unship(shipped(Local))
    assert arrived is not Local
    assert (Local.answer, arrived().answer()) == (before, len(BAD_ARGUMENTS))


BAD_REFERENCES = [
    ("no_such_module:Trainer", "importing 'no_such_module' raised ModuleNotFoundError"),
    ("hippo.testing.trainers:ToyTrianer", "has no 'ToyTrianer'. Did you mean 'ToyTrainer'"),
    ("hippo.testing.trainers", "write 'package.module:Class'"),
    ("os:getcwd", "is not a class derived from hippo.Trainer"),
    (ToyTrainer(), "pass the class itself, not an instance"),
    (Trainer, r"Trainer does not define evaluate\(\), load_state_dict\(\), state_dict\(\), train\(\)"),
]


@pytest.mark.parametrize(("trainer", "message"), BAD_REFERENCES)
def test_what_is_no_trainer_is_refused(trainer: Any, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        resolve(trainer)


BAD_ARGUMENTS = [
    ({"f": print}, r"trainer_args\['f'\] is a builtins.builtin_function_or_method"),
    ({"a": {"b": [1, {2}]}}, r"trainer_args\['a'\]\['b'\]\[1\] is a builtins.set"),
    ({"a": {1: 2}}, r"trainer_args\['a'\] has the key 1; keys must be strings"),
    ({"lr": float("nan")}, r"trainer_args\['lr'\] is nan, which JSON cannot hold"),
]


@pytest.mark.parametrize(("args", "message"), BAD_ARGUMENTS)
def test_arguments_that_json_cannot_hold_are_named(args: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        shipped(ToyTrainer, **args)


def test_a_class_that_does_not_arrive_is_told() -> None:
    with pytest.raises(TrainerError, match="cannot be unpickled in a worker: UnpicklingError"):
        unship(replace(shipped(ToyTrainer), reference=None, pickled=b"garbage"))


def test_a_worker_makes_one_trainer_per_workload_with_the_studys_seed() -> None:
    class Seeded(ToyTrainer):
        made = 0

        def __init__(self) -> None:
            type(self).made += 1
            self.seen = self.seed

    trainers, spec = Trainers(), replace(shipped(Seeded), seed=7)
    first = trainers.pristine(spec)
    assert trainers.pristine(spec) is first
    assert first.seen == 7  # type: ignore[attr-defined]
    assert type(first).made == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(("said", "shards"), [(4, 4), (["a", "b"], 1), (True, 1)])
def test_a_class_says_into_how_many_parts_its_steps_can_be_cut(said: object, shards: int) -> None:
    class Mine(ToyTrainer):
        pass

    assert shipped(Mine).shards == 1
    Mine.shards = said  # type: ignore[attr-defined]
    assert shipped(Mine).shards == shards
