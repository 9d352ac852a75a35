"""What identifies a call of a tuner: the state of its arguments, in every process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import TunerError
from hippo.testing.trainers import ToyTrainer
from hippo.tuners.tuner import record_text


def hook(answer: Any) -> None:
    """Do nothing."""


def other_hook(answer: Any) -> None:
    """Do something."""
    print(answer)


class Counter:
    def __init__(self, start: int) -> None:
        self.start = start


@dataclass(frozen=True)
class Hooked(hippo.Tuner):
    """A tuner of a user's, whose argument may be anything."""

    argument: Any

    async def tune(self, ask: hippo.Ask) -> Any:
        return await ask({"lr": 0.1}, until=2)


def record(argument: Any) -> str:
    return record_text(Hooked(argument).record())


TABLE = np.arange(5000.0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([hook], [other_hook]),
        ({"a": [hook]}, {"a": [other_hook]}),
        ({"x", "y"}, {"x", "z"}),
        ([{1, 2}], [{1, 3}]),
        (TABLE, np.where(TABLE == 2500, -1, TABLE)),
        ([[TABLE]], [[TABLE.astype(np.float32)]]),
        (Counter(1), Counter(2)),
        ([Counter(1).__init__], [Counter(2).__init__]),
        ({1: "a"}, {"1": "a"}),
        ([{"f": hook}], [{"f": other_hook}]),
        (" at 0x1", " at 0x2"),
    ],
)
def test_a_record_holds_the_state_of_arguments_at_any_depth(one: Any, other: Any) -> None:
    import copy

    assert record(one) == record(copy.deepcopy(one)) != record(other)
    json.loads(record(one))
    assert "0x7" not in record(one)


@pytest.mark.parametrize(
    ("plain", "wrapped"),
    [(0.25, np.float64(0.25)), (9, np.int64(9)), (True, np.True_), ("a", np.str_("a")), ([0.5], [np.float32(0.5)])],
)
def test_a_number_of_numpy_is_the_number(plain: Any, wrapped: Any) -> None:
    assert record(wrapped) == record(plain)
    assert record(np.float64(0.1)) != record(np.float32(0.1))
    assert record(np.longdouble(0.1)) != record(0.1)


@pytest.mark.parametrize("hidden", [threading.Lock(), [threading.Lock()], {"a": {"b": threading.Lock()}}])
def test_what_cannot_be_told_from_another_is_refused(hidden: Any) -> None:
    with pytest.raises(TunerError, match=r"Hooked.argument is .*Name the attribute _argument.*lock"):
        record(hidden)


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from test_records import Counter, record, hook
print(record([{"b", "a", "c"}, frozenset("xyz"), hook, Counter(3), {"k": {1.5, "s"}}]))
"""


@pytest.mark.slow
def test_a_record_is_the_same_whatever_the_hash_seed() -> None:
    folder = str(Path(__file__).parent)
    texts = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, folder], env=environment, capture_output=True, text=True, check=True
        )
        texts.add(ran.stdout)
    assert len(texts) == 1


def test_a_script_whose_tuner_holds_a_function_is_resumed(tmp_path: Path) -> None:
    for calls, argument in enumerate(([hook], [hook], [other_hook])):
        study = hippo.create_study(
            "hooked",
            trainer=ToyTrainer,
            storage=f"sqlite:///{tmp_path}/hooked.db",
            checkpoints=str(tmp_path),
            engine=hippo.InlineEngine(),
            metric="loss",
            mode="min",
        )
        with contextlib.closing(study):
            study.optimize(Hooked(argument))
            assert len(study.trials) == (1, 1, 2)[calls]
