"""`hippo plan MODULE:NAME --until N`."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.cli.near import near_misses
from hippo.cli.output import sign_of_life

SPACE = """
import hippo

space = hippo.GridSearchSpace({"lr": [hippo.Constant(0.1), hippo.MultiStep(0.1, [20], 0.1)]})
def made(): return space
near = hippo.GridSearchSpace({"lr": [0.3, 0.1 + 0.2], "layers": [1, 1.0], "width": [8, 9]})
number = 3
random = hippo.RandomSearchSpace({"lr": hippo.choice(0.1, 0.2)})
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A fresh module in the current folder; its name differs, because Python imports a name only once."""
    name = f"space_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(SPACE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    return name


def test_a_file_named_like_a_loaded_module_is_not_taken_for_it(
    module: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "threading.py").write_text(SPACE)
    assert exit_code(["plan", "threading.py:space", "--until", "3"]) == 2
    assert f"the module 'threading' from {threading.__file__} has its name" in capsys.readouterr().err
    for _ in range(2):  # a file that was looked at before is the one that is loaded
        assert exit_code(["plan", f"{module}.py:space", "--until", "3"]) == 0


@pytest.mark.parametrize("name", ["space", "made"])
def test_the_merge_rate_is_known_before_anything_runs(
    module: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["plan", f"{module}:{name}", "--until", "30", "--format", "json"]) == 0

    (row,) = json.loads(capsys.readouterr().out)
    assert row == {"configs": 2, "until": 30, "steps_asked": 60, "steps_distinct": 40, "merge_rate": 1.5}


def test_values_that_only_look_equal_are_pointed_at(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code(["plan", f"{module}:near", "--until", "5"])

    assert capsys.readouterr().err.splitlines() == [
        "hippo: layers: 1 and 1.0 are nearly, but not exactly, equal: they share nothing",
        "hippo: lr: 0.3 and 0.30000000000000004 are nearly, but not exactly, equal: they share nothing",
    ]


def test_integers_that_no_float_holds_are_compared_too() -> None:
    huge = 10**400
    configs = [hippo.Config({"seed": seed}) for seed in (1.5, huge, huge + 1, 2 * huge)]
    assert near_misses(configs, until=3) == [("seed", huge, huge + 1)]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("space", "MODULE:NAME"),
        ("no_such_module:space", "no_such_module"),
        ("{module}:spaces", "has no 'spaces'"),
        ("{module}:number", "is an int"),
    ],
)
def test_a_space_that_cannot_be_found_is_bad_input(
    module: str, reference: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["plan", reference.format(module=module), "--until", "5"]) == 2
    assert message in capsys.readouterr().err


def test_until_of_zero_is_bad_input(module: str) -> None:
    assert exit_code(["plan", f"{module}:space", "--until", "0"]) == 2


def test_a_space_without_end_is_drawn_from(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["plan", f"{module}:random", "--until", "3", "--samples", "8", "--format", "json"]) == 0

    said = capsys.readouterr()
    (row,) = json.loads(said.out)
    assert row["configs"] == 8
    assert row["steps_distinct"] == 6
    assert "of 8 configs drawn with seed 0" in said.err


def test_what_takes_long_gives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()
    monkeypatch.setattr("hippo.cli.output._SIGN_OF_LIFE_S", 0.001)
    monkeypatch.setattr("hippo.cli.output.say", lambda message: told.set() if "1,000,000" in message else None)

    with sign_of_life("comparing 1,000,000 configs"):
        assert told.wait(120)


@pytest.mark.parametrize("name", ["study", "makes"])
@pytest.mark.parametrize("command", [["plan", "--until", "3"], ["simulate"]])
def test_a_study_is_no_space_and_is_named_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], name: str
) -> None:
    (tmp_path / "toy.py").write_text(
        "import hippo\n\ndef makes(): return hippo.create_study('s', trainer='no.such:Trainer')\n\nstudy = makes()\n"
    )
    monkeypatch.chdir(tmp_path)
    assert exit_code([command[0], f"toy.py:{name}", *command[1:]]) == 2
    assert f"toy.py:{name} is a study, and none is made or run here" in capsys.readouterr().err
    assert not [*tmp_path.glob("*.db")]
