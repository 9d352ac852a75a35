"""`hippo token`, as its users type it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hippo.cli.app import exit_code
from hippo.server.tokens import RIGHTS, Right, TokenFile

Type = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


@pytest.fixture
def typed(tokens: Path, capsys: pytest.CaptureFixture[str]) -> Type:
    """Return what types `hippo token ...`, and returns its exit code, what it printed, and its errors."""

    def type_in(*arguments: str) -> tuple[int, str, str]:
        code = exit_code(["token", *arguments, "--tokens", str(tokens)])
        return code, *capsys.readouterr()

    return type_in


def test_a_token_is_printed_once_alone_and_opens_what_was_said(typed: Type, tokens: Path) -> None:
    code, printed, said = typed("add", "ada", "--right", "read")
    token = printed.removesuffix("\n")
    assert code == 0
    entry = TokenFile(tokens).entry_of(token)
    assert entry is not None
    assert (entry.name, RIGHTS[entry.right]) == ("ada", frozenset({Right.READ}))
    assert token not in said
    assert "http://ada:TOKEN@HOST:8400" in said
    assert token not in typed("list")[1]


def test_names_and_rights_are_listed(typed: Type) -> None:
    typed("add", "ada", "--share", "2")
    typed("add", "wall", "--right", "read", "--priority", "-1")
    assert typed("list") == (0, "ada\twrite\t2\t0\nwall\tread\t1\t-1\n", "")


def test_a_token_that_is_revoked_opens_nothing(typed: Type, tokens: Path) -> None:
    token = typed("add", "ada")[1].strip()
    assert typed("revoke", "ada") == (0, "", "")
    assert TokenFile(tokens).entry_of(token) is None
    assert typed("list")[1] == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "ada"), "there is a token 'ada' already; revoke it first"),
        (("add", "a b"), "cannot name a token"),
        (("add", "bob", "--right", "root"), "'root' is not one of"),
        (("revoke", "bob"), "there is no token 'bob'; there are ['ada']"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(typed: Type, arguments: tuple[str, ...], said: str) -> None:
    typed("add", "ada")
    code, printed, error = typed(*arguments)
    assert (code, printed, error.count("\n")) == (2, "", 1)
    assert said in error


def test_a_file_that_is_not_there_or_that_others_may_read_is_refused(typed: Type, tokens: Path) -> None:
    assert typed("list")[0] == 2
    typed("add", "ada")
    tokens.chmod(0o644)
    code, _, error = typed("list")
    assert code == 2
    assert "chmod 600" in error
