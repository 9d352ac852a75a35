"""The command line as a whole: help, and how errors end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hippo.cli.app import exit_code, main
from hippo.errors import CheckpointError, HippoError, UnknownHparamError


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def run_raising(script: Path, error: type[HippoError], message: str) -> int:
    script.write_text(f"import hippo.errors\nraise hippo.errors.{error.__name__}({message!r})\n")
    return exit_code(["run", str(script)])


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["--help"]) == 0

    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in ("run", "plan", "studies", "trials", "best", "tree"))


@pytest.mark.parametrize("group", [[], ["db"], ["token"]])
def test_without_a_command_the_help_is_shown_in_lines(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    exit_code(group)
    said = "".join(capsys.readouterr())
    assert said.startswith(f"Usage: {' '.join(['hippo', *group])} [OPTIONS] COMMAND")
    assert "\nCommands:\n  " in said


def test_an_unknown_command_is_bad_input_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["tunes"]) == 2

    assert capsys.readouterr().err.count("\n") == 1


def test_an_error_about_what_was_given_exits_with_2(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_raising(script, UnknownHparamError, "config has no 'lrr';\nit has ['lr']") == 2

    assert capsys.readouterr().err == "hippo: config has no 'lrr'; it has ['lr']\n"


def test_an_error_about_what_happened_exits_with_1(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_raising(script, CheckpointError, "the folder is read-only") == 1

    assert capsys.readouterr().err == "hippo: the folder is read-only\n"


def test_an_error_of_the_script_is_told_with_its_own_lines_alone(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("def half(n):\n    return n / 0\nhalf(3)\n")

    assert exit_code(["run", str(script)]) == 1

    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert all(str(script) in line for line in lines if "File" in line)


def test_a_trainer_that_a_command_imports_finds_none_of_its_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hippo", "--version"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert capsys.readouterr().out
    assert sys.argv == ["hippo"]
