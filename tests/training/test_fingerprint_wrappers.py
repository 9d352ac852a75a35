"""A trainer reaches code and values through wrappers, bound methods and objects: what differs there, differs."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from hippo.hparams.source import code_hash
from hippo.training import fingerprint

pytest.importorskip("torch")

BEGIN = """
import functools, os
from dataclasses import dataclass, field
import numpy
import torch
from hippo.testing.trainers import ToyTrainer
KK = "KK"
def times(k, x):
    return x * k
def same(x):
    return x
class Scale:
    def __init__(self, k):
        self.k = k
    def by(self, x):
        return x * self.k
class Holder:
    def __init__(self, *held):
        self.held = held
class Called:
    def __init__(self, func, k=1.0):
        self.func, self.k = func, k
    def __call__(self, x):
        return self.func(x) * self.k
"""
END = """
class Mine(ToyTrainer):
    {member}
    def train(self):
        str(({read}))
        return super().train()
"""
#: what the class holds, with @ where two trainers differ
MEMBERS = {
    "a partial": "g = functools.partial(times, @)",
    "a static partial": "g = staticmethod(functools.partial(times, @))",
    "a partial method": "op = functools.partialmethod(times, @)",
    "a partial of a partial": "g = functools.partial(functools.partial(times, 2.0), @)",
    "a partial of a class": "g = functools.partial(Scale, @)",
    "partials in a list": "g = [functools.partial(times, @)]",
    "partials in a dictionary": "g = {'a': functools.partial(times, k=@)}",
    "an object that holds a function": "g = Called(same, @)",
    "a bound method": "g = Scale(@).by",
    "a bound method in a container": "g = [Scale(@).by]",
    "an object in a partial": "g = functools.partial(times, Scale(@))",
    "lambdas of one line": "g = ((lambda x: x * 2.0), (lambda x: x * 3.0))[@ == 2.0]",
    "a lambda in an object": "g = Holder((lambda x: x * 2.0), (lambda x: x * 3.0)) if @ == 2.0 else Holder()",
    "a lambda in an object in an object": "g = Holder(Holder(((lambda x: 2.0), (lambda x: 3.0))[@ == 2.0]))",
    "the hidden part of an array": "g = numpy.ma.masked_array([1.0, 2.0, 3.0], [@ == 2.0, False, False])",
    "the scale of a tensor": "g = torch.quantize_per_tensor(torch.ones(2), @ / 10, 0, torch.qint8)",
    "a conjugated tensor": "g = torch.tensor([complex(1, @)]).conj()",
    "a negated tensor": "g = torch.tensor([complex(1, @)]).conj().imag",
    "a value made with the environment": "g = Called(same, float(os.environ[KK]))",
    "a bound method of the environment": "g = Scale(float(os.environ[KK])).by",
}
#: code beside the class, reached by the name THING
CODE = {
    "the class of an object in a list": "class In:\n    def g(self, x):\n        return x * @\nTHING = [In()]",
    "the class of an object in an object": "class In:\n    def g(self, x):\n        return x * @\nTHING = Holder(In())",
    "the class of an object that holds a function": (
        "class By:\n    def __init__(self, func):\n        self.func = func\n"
        "    def __call__(self, x):\n        return self.func(x) * @\nTHING = By(same)"
    ),
    "a class whose method is called func": "class THING:\n    def func(self):\n        return @",
    "a network in a network": (
        "class In(torch.nn.Module):\n    def forward(self, x):\n        return x * @\n"
        "THING = Holder(torch.nn.Sequential(In()))"
    ),
    "a decorator that is a class": (
        "class By:\n    def __init__(self, k):\n        self.k = k\n    def __call__(self, fn):\n"
        "        self.fn = fn\n        return functools.update_wrapper(self, fn)\nTHING = By(float(@))(same)"
    ),
    "a method for one kind of argument": (
        "class In:\n    @functools.singledispatchmethod\n    def op(self, x):\n        return x\n"
        "    @op.register\n    def _(self, x: int):\n        return @\n"
        "    @op.register\n    def _(self, x: float):\n        return x\nTHING = In"
    ),
    "an attribute of a function": "def THING(x):\n    return x * THING.k\nTHING.k = @",
    "a metaclass": (
        "class Meta(type):\n    def k(cls):\n        return @\nclass THING(metaclass=Meta):\n    pass"
    ),
    "the names of arguments in a lambda": (
        "A, B = (lambda v: times(k=v, x=2)), (lambda v: times(x=v, k=2))\nTHING = A if @ == 2.0 else B"
    ),
    "a global that begins with two underscores": "__K = @\ndef THING(x):\n    return x * __K",
    "an object that is called and has no hash": (
        "@dataclass\nclass In:\n    k: float\n    def __call__(self, x):\n        return x * self.k\nTHING = In(@)"
    ),
    "a class made by a call": "THING = __import__('dataclasses').make_dataclass('THING', [('k', float, @)])",
    "the factory of a field": "@dataclass\nclass THING:\n    k: list = field(default_factory=lambda: [@])",
    "the default of a field in slots": "@dataclass(slots=True)\nclass THING:\n    k: float = @",
    "a lambda by its place in a line": "A, B = (lambda x: x * 2.0), (lambda x: x * 3.0)\nTHING = A if @ == 2.0 else B",
}  # fmt: skip
#: classes of which others take defaults away, with what makes them
MAKERS = {
    "pydantic, a default": ("pydantic", "class THING(pydantic.BaseModel):\n    k: float = @"),
    "pydantic, a factory": (
        "pydantic", "class THING(pydantic.BaseModel):\n    k: list = pydantic.Field(default_factory=lambda: [@])"
    ),
    "pydantic, a private attribute": (
        "pydantic", "class THING(pydantic.BaseModel):\n    _k: float = pydantic.PrivateAttr(default=@)"
    ),
    "pydantic, a bound": ("pydantic", "class THING(pydantic.BaseModel):\n    k: float = pydantic.Field(9, gt=@)"),
    "pydantic, a validator": (
        "pydantic", "def by(v):\n    return v * @\nclass THING(pydantic.BaseModel):\n"
        "    k: __import__('typing').Annotated[float, pydantic.AfterValidator(by)]"
    ),
    "attrs, a default": ("attrs", "@attrs.define\nclass THING:\n    k: float = @"),
    "attrs, a factory": ("attrs", "@attrs.define\nclass THING:\n    k: list = attrs.field(factory=lambda: [@])"),
    "attrs, one of two converters": (
        "attrs", "@attrs.define\nclass A:\n    k: float = attrs.field(converter=lambda v: v)\n"
        "@attrs.define\nclass B:\n    k: float = attrs.field(converter=lambda v: v * @)\nTHING = [A, B]"
    ),
    "settings of a file": ("configparser", "THING = configparser.ConfigParser()\nTHING.read_dict({'a': {'k': '@'}})"),
}  # fmt: skip
#: made with the environment variable KK, and reached by the name THING
MADE = {
    "a partial": "functools.partial(times, float(os.environ[KK]))",
    "a bound method": "Scale(float(os.environ[KK])).by",
    "an object that holds a function": "Called(same, float(os.environ[KK]))",
}
HELPERS = {
    "a function": "K = float(os.environ['KK'])\ndef g(x):\n    return x * K",
    "settings of a file": "import json\nSETTINGS = json.loads(os.environ['KK'])\ndef g(x):\n    return x * SETTINGS",
    "a class": "K = float(os.environ['KK'])\nclass g:\n    def by(self, x):\n        return x * K",
    "an attribute of a class": "class g:\n    k = float(os.environ['KK'])",
}


class Lab:
    """Imports trainers from a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        monkeypatch.syspath_prepend(folder)

    def fingerprint(self, text: str, *, value: str = "2.0", helper: str | None = None) -> str:
        self.monkeypatch.setenv("KK", value)
        for name, written in (("wrappers_lab_helper", helper), ("wrappers_lab", text)):
            if written is None:
                continue
            path = self.folder / f"{name}.py"
            path.write_text(written)
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            self.monkeypatch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
        return fingerprint(module.Mine)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return Lab(tmp_path, monkeypatch)


def filled(text: str, value: str) -> str:
    """Return a text with a value at each @ that begins no decorator."""
    return re.sub("@(?![a-z])", value, text)


def trainer(code: str = "", member: str = "pass", read: str = "") -> str:
    return BEGIN + code + END.format(member=member, read=read)


@pytest.mark.parametrize("member", MEMBERS.values(), ids=list(MEMBERS))
def test_what_a_class_holds_in_wrappers_and_objects_counts(lab: Lab, member: str) -> None:
    one, other, again = (
        lab.fingerprint(trainer(member=filled(member, value)), value=value) for value in ("2.0", "3.0", "2.0")
    )
    assert one == again
    assert one != other


@pytest.mark.parametrize("code", CODE.values(), ids=list(CODE))
def test_code_that_is_reached_through_objects_counts(lab: Lab, code: str) -> None:
    one, other, again = (lab.fingerprint(trainer(filled(code, value), read="THING")) for value in ("2.0", "3.0", "2.0"))
    assert one == again
    assert one != other


@pytest.mark.parametrize("code", CODE.values(), ids=list(CODE))
def test_code_that_a_class_holds_in_objects_counts(lab: Lab, code: str) -> None:
    one, other, again = (
        lab.fingerprint(trainer(filled(code, value), member="held = THING")) for value in ("2.0", "3.0", "2.0")
    )
    assert one == again
    assert one != other


@pytest.mark.parametrize(("maker", "code"), MAKERS.values(), ids=list(MAKERS))
def test_defaults_that_others_take_out_of_a_class_count(lab: Lab, maker: str, code: str) -> None:
    pytest.importorskip(maker)
    text = f"import {maker}\n{code}\n"
    one, other, again = (lab.fingerprint(trainer(filled(text, value), read="THING")) for value in ("2.0", "3.0", "2.0"))
    assert one == again
    assert one != other
    if isinstance(made := vars(sys.modules["wrappers_lab"])["THING"], type):  # of a user-made sequence, likewise
        before = code_hash(made)
        lab.fingerprint(trainer(filled(text, "3.0"), read="THING"))
        assert code_hash(vars(sys.modules["wrappers_lab"])["THING"]) != before


@pytest.mark.parametrize("made", MADE.values(), ids=list(MADE))
def test_what_wraps_a_function_counts_by_what_it_was_made_with(lab: Lab, made: str) -> None:
    text = trainer(f"THING = {made}\n", read="THING")
    one, other, again = (lab.fingerprint(text, value=value) for value in ("2.0", "3.0", "2.0"))
    assert one == again
    assert one != other


@pytest.mark.parametrize("helper", HELPERS.values(), ids=list(HELPERS))
def test_what_another_module_makes_of_the_environment_for_itself_counts(lab: Lab, helper: str) -> None:
    text = trainer("import wrappers_lab_helper\n", read="wrappers_lab_helper.g")
    one, other, again = (
        lab.fingerprint(text, value=value, helper="import os\n" + helper) for value in ("2.0", "3.0", "2.0")
    )
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    "made",
    [
        "import time\nK = time.time()",
        "import uuid\nK = uuid.uuid4().hex",
        "import tempfile\nK = tempfile.mkdtemp()",
        "K = os.cpu_count() + int(float(os.environ['KK']))",
        "K = os.path.join('/data', os.environ['KK'])",
        "K = dict()\ndef fill():\n    K['k'] = os.environ['KK']\nfill()",
    ],
    ids=["time", "chance", "a folder", "cores", "a place", "a cache"],
)
def test_what_another_module_makes_anew_at_each_start_does_not(lab: Lab, made: str) -> None:
    text = trainer("import wrappers_lab_helper\n", read="wrappers_lab_helper.g")
    helper = f"import os\n{made}\ndef g(x):\n    return K"
    assert lab.fingerprint(text, value="2.0", helper=helper) == lab.fingerprint(text, value="3.0", helper=helper)


def test_the_name_of_a_module_does_not_count_in_what_wraps_its_functions(lab: Lab) -> None:
    text = trainer(filled(CODE["a decorator that is a class"], "2.0"), member="held = THING")
    before = lab.fingerprint(text)
    path = lab.folder / "another_name.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("another_name", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    lab.monkeypatch.setitem(sys.modules, "another_name", module)
    spec.loader.exec_module(module)
    assert fingerprint(module.Mine) == before


def test_what_an_installed_object_says_of_itself_does_not_count_where_only_a_method_of_it_is_used(lab: Lab) -> None:
    made = "import logging\nlogging.getLogger('lab').setLevel(int(float(os.environ[KK])))\n"
    text = trainer(made + "THING = logging.getLogger('lab').info\n", read="THING")
    assert lab.fingerprint(text, value="10") == lab.fingerprint(text, value="20")
