"""`hippo token`, as its users type it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
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


def test_tokens_that_are_made_at_one_moment_are_all_there(tokens: Path) -> None:
    script = "import sys; from hippo.server.tokens import TokenFile; print(flush=True); sys.stdin.read()\n" + (
        "for number in range(20): TokenFile(sys.argv[1]).add(f'{sys.argv[2]}-{number}', 'read')"
    )
    makers = [
        subprocess.Popen([sys.executable, "-c", script, str(tokens), name], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE) for name in ("ada", "bob")
    ]  # fmt: skip
    for each in makers:
        assert each.stdout is not None
        with each.stdout:
            each.stdout.readline()
    for each in makers:
        assert each.stdin is not None
        each.stdin.close()
    for each in makers:
        each.wait(60)
    assert [each.returncode for each in makers] == [0, 0]
    assert len(TokenFile(tokens).entries()) == 40


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


HASH = "0" * 64
DAMAGED = [
    "",
    "{",
    "[1]",
    '{"tokens": 5}',
    '{"tokens": ["ada"]}',
    '{"tokens": [{"name": "ada"}]}',
    f'{{"tokens": [{{"name": 7, "right": "read", "sha256": "{HASH}"}}]}}',
    f'{{"tokens": [{{"name": "ada", "right": ["read"], "sha256": "{HASH}"}}]}}',
    '{"tokens": [{"name": "ada", "right": "read", "sha256": "cut"}]}',
    "[" * 100_000,
    "\0",
]


@pytest.mark.parametrize("text", DAMAGED, ids=[text[:60] for text in DAMAGED])
@pytest.mark.parametrize("command", [("add", "bob"), ("list",), ("revoke", "ada")], ids=lambda command: command[0])
def test_a_damaged_file_stays_as_it_is_and_it_is_said_what_to_do(
    typed: Type, tokens: Path, text: str, command: tuple[str, ...]
) -> None:
    tokens.write_text(text)
    tokens.chmod(0o600)
    code, printed, error = typed(*command)
    assert (code, printed, error.count("\n")) == (2, "", 1)
    assert f"{tokens} is damaged, or no file of tokens, and stays as it is. Put a copy of it back" in error
    assert f"move it away, and make each token anew: `hippo token add NAME --tokens {tokens}`" in error
    assert tokens.read_text() == text


def test_an_entry_that_was_changed_by_hand_is_named_with_its_file(typed: Type, tokens: Path) -> None:
    typed("add", "ada")
    whole = tokens.read_text()
    tokens.write_text(whole.replace('"share": 1.0', '"share": 0'))
    assert f"{tokens}, token 'ada': a share is a number above 0, not 0" in typed("list")[2]
    tokens.write_text(whole.replace('"write"', '"root"'))
    assert f"{tokens}: the right of token 'ada' is none of" in typed("list")[2]


def test_a_file_that_cannot_be_written_is_said_to_be_no_output(
    typed: Type, tokens: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("add", "ada")
    whole = tokens.read_text()

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "replace", refuse)
    code, printed, error = typed("add", "bob")
    assert (code, printed) == (2, "")
    assert f"the file of tokens {tokens} cannot be written: Read-only file system." in error
    assert (tokens.read_text(), sorted(os.listdir(tokens.parent))) == (whole, [f".{tokens.name}.lock", tokens.name])


def test_a_folder_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert exit_code(["token", "add", "ada", "--tokens", str(tmp_path / "no" / "tokens.json")]) == 2
    assert "cannot be written: No such file or directory. Its folder must be there" in capsys.readouterr().err
