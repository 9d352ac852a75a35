"""What objects and networks hold that a trainer reaches is part of its fingerprint, however it came there."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hippo.training import fingerprint, ship
from hippo.training.code.fingerprint import TrainerCode, trainer_code
from hippo.training.code.same_code import require_same_code

pytest.importorskip("torch")

NOW = time.time()
BEGIN = """
import functools, os
import torch
from hippo.testing.trainers import ToyTrainer
class Config:
    def __init__(self):
        self.w = 0.0
class Slotted:
    __slots__ = ("w", "unset")
class Shown(Config):
    def __repr__(self):
        return "Shown"
class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
        self.config = Config()
def filled(thing):
    thing.w = float(os.environ["W"])
    return thing
def weighted(net):
    with torch.no_grad():
        [each.fill_(float(os.environ["W"])) for each in net.parameters()]
    return net
"""
END = """
class Mine(ToyTrainer):
    held = HELD
    def train(self):
        str(THING)
        return super().train()
"""
CONTENTS = {
    "an object": "THING = filled(Config())",
    "one with slots": "THING = filled(Slotted())",
    "one that prints itself": "THING = filled(Shown())",
    "one in a container": "THING = [filled(Config()), print]",
    "one in another": "THING = Config()\nTHING.other = filled(Config())",
    "one in a dictionary of another": "THING = Config()\nTHING.others = {'a': filled(Config())}",
    "weights": "THING = weighted(torch.nn.Linear(1, 1))",
    "weights of its own class": "THING = Own()\nweighted(THING)",
    "an object in a network": "torch.manual_seed(0)\nTHING = Own()\nfilled(THING.config)",
    "a buffer": "torch.manual_seed(0)\nTHING = Own()\nTHING.inner[1].running_mean.fill_(float(os.environ['W']))",
    "whether it trains": "torch.manual_seed(0)\nTHING = Own()\nTHING.train(os.environ['W'] == '1')",
    "whether its weights are frozen": "torch.manual_seed(0)\nTHING = torch.nn.Linear(1, 1)\n"
    "for each in THING.parameters():\n    each.requires_grad = os.environ['W'] == '1'",
    "whether those of one in a list are": "torch.manual_seed(0)\nTHING = [torch.nn.Linear(1, 1)]\n"
    "THING[0].requires_grad_(os.environ['W'] == '1')",
    "whether a tensor learns": "THING = torch.ones(2)\nTHING.requires_grad_(os.environ['W'] == '1')",
    "weights in an object": "THING = Config()\nTHING.teacher = weighted(torch.nn.Linear(1, 1))",
    "weights in a deep network": "THING = weighted(torch.nn.Linear(1, 1))\n"
    "for _ in range(30):\n    THING = torch.nn.Sequential(THING)",
    "an array of an estimator": "from sklearn.preprocessing import StandardScaler\n"
    "THING = StandardScaler().fit([[0.0], [float(os.environ['W'])]])",
    "a loader": "def data():\n    return torch.full((3,), float(os.environ['W']))\n"
    "from torch.utils.data import *\nTHING = DataLoader(TensorDataset(data()))",
    "data sets in a row": "def data():\n    return torch.full((3,), float(os.environ['W']))\n"
    "from torch.utils.data import *\nTHING = ConcatDataset([TensorDataset(data())])",
    "a moment that somebody wrote": f"THING = Config()\nTHING.until = {NOW // 10 * 10} - int(os.environ['W'])",
    "a time to come": f"THING = Config()\nTHING.until = {NOW // 10 * 10} + 1e5 * int(os.environ['W']) + 0.5",
    "a day": "import datetime\nTHING = Config()\n"
    f"THING.until = datetime.datetime.fromtimestamp({NOW // 10 * 10 - 1e5} - int(os.environ['W']))",
    "a device": "THING = Config()\nTHING.device = torch.device('cuda', int(os.environ['W']))",
    "a default": "def THING(config=filled(Config())):\n    return config.w",
    "what is around a function": "def around(config):\n    def inner():\n        return config.w\n    return inner\n"
    "THING = around(filled(Config()))",
    "arguments given before": "def function(config):\n    return config.w\n"
    "THING = functools.partial(function, filled(Config()))",
}
OF_CLASS = {"an object": "HELD = filled(Config())", "weights": "HELD = weighted(torch.nn.Linear(1, 1))"}

Load = Callable[[str, str], type]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Makes a trainer of a module, with a number in its environment."""
    file = tmp_path / "of_contents.py"

    def make(text: str, number: str) -> type:
        monkeypatch.setenv("W", number)
        file.write_text(BEGIN + text + END)
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, file.stem, module)
        spec.loader.exec_module(module)
        trainer: type = module.Mine
        return trainer

    return make


@pytest.mark.parametrize("what", CONTENTS)
def test_what_is_held_counts(what: str, load: Load) -> None:
    text = f"HELD = 0\n{CONTENTS[what]}"
    first = fingerprint(load(text, "1"))
    assert fingerprint(load(text, "1")) == first
    assert fingerprint(load(text, "2")) != first


@pytest.mark.parametrize("what", OF_CLASS)
def test_what_a_class_attribute_holds_counts(what: str, load: Load) -> None:
    text = f"THING = 0\n{OF_CLASS[what]}"
    first = fingerprint(load(text, "1"))
    assert fingerprint(load(text, "1")) == first
    assert fingerprint(load(text, "2")) != first


NOTHING_NEW = {
    "when it began": "import datetime, time\nTHING = Config()\nTHING.began = time.time()\n"
    "THING.day = datetime.datetime.now()\nTHING.there = datetime.datetime.now(datetime.timezone.utc)",
    "what is kept of a property": "class Lazy:\n    @functools.cached_property\n    def long(self):\n"
    "        return object()\nTHING = Lazy()\nif os.environ['W'] == '2':\n    THING.long",
    "a lock": "import threading\nTHING = Config()\nTHING.lock = threading.Lock()",
    "hooks": "torch.manual_seed(0)\nTHING = Own()\nif os.environ['W'] == '2':\n    THING.register_forward_hook(print)",
    "the first and the last day": "import datetime\nTHING = Config()\nTHING.since = datetime.datetime.min\n"
    "THING.until = datetime.datetime.max",
    "the order of a set": "THING = {f'{each}' for each in range(99)} | {Config}",
    "itself": "THING = Config()\nTHING.itself = THING",
    "parameters that are not there yet": "THING = torch.nn.LazyLinear(3)",
    "a long chain": "THING = Config()\nlast = THING\nfor _ in range(3000):\n    last.next = last = Config()",
    "one in many places": "THING = Config()\nfor _ in range(60):\n    more = Config()\n"
    "    more.a = more.b = THING\n    THING = more",
}


@pytest.mark.parametrize("what", NOTHING_NEW)
def test_what_says_nothing_of_results_does_not(what: str, load: Load) -> None:
    text = f"HELD = 0\n{NOTHING_NEW[what]}"
    assert fingerprint(load(text, "1")) == fingerprint(load(text, "2"))


def codes(text: str, load: Load) -> tuple[TrainerCode, TrainerCode]:
    return trainer_code(load(text, "1")), trainer_code(load(text, "2"))


def test_weights_are_what_others_must_have(load: Load) -> None:
    one, other = codes("HELD = 0\nTHING = weighted(torch.nn.Linear(1, 1))", load)
    assert one.parts != other.parts


FILLED = {
    "an object": ("THING = filled(Config())", ["filled global THING"]),
    "a setting": (
        "THING = 1\ndef configure():\n    global THING\n    THING = int(os.environ['W'])\nconfigure()",
        ["filled global THING"],
    ),
    "a cache": ("THING = {}\ndef fill():\n    THING['a'] = int(os.environ['W'])\nfill()", []),
    "a network that is made anew": (
        "THING = torch.nn.Linear(1, 1)\ndef refill():\n    global THING\n    THING = None\nweighted(THING)",
        [],
    ),
    "an object of others": (
        "from sklearn.preprocessing import StandardScaler\n"
        "THING = StandardScaler().fit([[0.0], [float(os.environ['W'])]])",
        [],
    ),
}


@pytest.mark.parametrize("what", FILLED)
def test_what_a_process_may_change_others_need_not_have(what: str, load: Load) -> None:
    text, told = FILLED[what]
    one, other = codes(f"HELD = 0\n{text}", load)
    assert one.fingerprint != other.fingerprint
    ours, theirs = json.loads(one.parts), json.loads(other.parts)
    assert ours.keys() == theirs.keys()
    assert [label for label, part in ours.items() if part != theirs[label]] == told


def test_a_worker_that_fills_an_object_otherwise_says_so(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))  # so that the class travels by its name
    text = "HELD = 0\nTHING = filled(Config())"
    spec = ship(load(text, "1"), seed=0, evaluate_every=1, workload_key="w")
    other = load(text, "2")
    with pytest.warns(UserWarning, match=r"of_contents:Mine: global THING holds something else .* trainer_args"):
        require_same_code(spec, other)
