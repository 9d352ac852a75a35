"""No command shows the password of a database, whether the database can be opened or not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import hippo
from hippo.cli.app import commands, exit_code
from hippo.errors import StorageNameError
from hippo.plan import open_store
from hippo.plan.rows import ROW_TYPES
from hippo.plan.urls import remember_url, shown_url, told_url, words_about
from hippo.testing.servers import PASSWORD
from hippo.testing.trainers import ToyTrainer

#: as it stands in a URL, and as it is
SECRETS = (PASSWORD, "p@ss%/word")

#: every command that takes a storage, and what is given it beside that; "" of study `toy`
LINES = {
    "ask": "toy '{{\"lr\": 0.1}}' --until 1 --workers 1",
    "best": "toy",
    "check": "hippo.testing.trainers:ToyTrainer --study toy --steps 2",
    "dashboard": "--port 0",
    "db upgrade": "",
    "db version": "",
    "doctor": "",
    "delete": "renamed --yes",
    "export": "toy 0 {folder}/out.pt --format state",
    "gc": "--yes",
    "keep": "toy best",
    "logs": "toy 0",
    "plot": "savings toy -o {folder}/picture.html",
    "rename": "toy renamed",
    "reproduce": "toy 0",
    "retry": "toy",
    "serve": "--trainers hippo.testing.* --workers 1 --checkpoints {folder}/served",
    "simulate": "--study toy",
    "studies": "",
    "tell": "toy complete 0",
    "tree": "toy",
    "trials": "toy",
}
#: those that do not end by themselves
_ENDLESS = ("dashboard", "serve")
#: they change what the others look at, the second what the first makes
_LAST = ("rename", "delete")


def names_with_storage(group: click.Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from names_with_storage(command, f"{before}{name} ")
        elif any(option.name == "storage" for option in command.params):
            yield before + name


def said(name: str, url: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = exit_code([*name.split(), *shlex.split(LINES[name].format(folder=folder)), "--storage", url])
    out, err = capfd.readouterr()
    return code, out + err


def test_every_command_that_takes_a_storage_is_looked_at() -> None:
    assert set(names_with_storage(commands)) == set(LINES)


@pytest.mark.parametrize(("scheme", "driver"), [("postgresql", "psycopg"), ("mariadb", "pymysql")])
@pytest.mark.parametrize("name", LINES)
def test_a_server_that_is_not_there_is_named_without_its_password(
    name: str, scheme: str, driver: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(driver)
    if name in _ENDLESS:
        pytest.importorskip("starlette")
    code, text = said(name, f"{scheme}://ada:{PASSWORD}@127.0.0.1:1/hippo", tmp_path, capfd)
    assert code != 0
    assert "ada:***@127.0.0.1:1/hippo" in text
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ada:{PASSWORD}@host:port/hippo",
        f"oracle://ada:{PASSWORD}@host/hippo",
        f"postgresql+asyncpg://ada:{PASSWORD}@host/hippo",
        f"mysql://host/hippo?user=ada&password={PASSWORD}",
        "postgresql://ada:p@ss%/word@127.0.0.1:1/hippo",
        f"postgresql://ada@lab.org:{PASSWORD}@127.0.0.1:1/hippo",
    ],
)
def test_a_url_that_cannot_be_used_is_shown_without_its_password(
    url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, text = said("studies", url, tmp_path, capfd)
    assert (code != 0, "***" in text) == (True, True)
    assert [secret for secret in (*SECRETS, "p@ss", "%/word") if secret in text] == []


@pytest.mark.parametrize("host", ["db:5432", "db.lab.org:1", "[::1]:5432", "db"])
@pytest.mark.parametrize("rest", ["/team", "/x?application_name=a@b", "?user=a@b", ""])
@pytest.mark.parametrize("password", ["p%40s:s", "p@ss:1/x", "p@ss/w@rd", "p?a@ss/w", "p@ss/w?s"])
def test_a_password_is_hidden_up_to_the_last_at_that_may_end_it_and_an_option_is_shown(
    password: str, host: str, rest: str
) -> None:
    shown = shown_url(f"postgresql://ada:{password}@{host}{rest}")
    if "?" in password:  # it may be one of the host's options, or hold what looks like one
        assert "ss/w" not in shown
    else:
        assert shown == f"postgresql://ada:***@{host}{rest}"
    assert shown_url(f"postgresql://ada:p@s?user=w@{host}/team") == f"postgresql://ada:***@{host}/team"


@pytest.mark.parametrize("command", ["studies", "doctor"])
def test_a_driver_that_takes_a_part_of_a_password_for_the_host_tells_nobody(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, text = said(command, "postgresql://ada:p@127.0.0.1:1/horse@db:5432/hippo", tmp_path, capfd)
    assert (code != 0, "***@db:5432/hippo" in text) == (True, True)
    assert [secret for secret in ("127.0.0.1", "horse", "port 1 ") if secret in text] == []


def test_what_a_driver_says_is_told_but_for_pieces_of_what_is_hidden() -> None:
    words = "no host 'ss' for words of ssl, press on"
    given = "postgresql://ada:p@ss/w@host/db"
    for url in (given, remember_url(given)):
        assert words_about(url, words) == "no host '***' for words of ssl, press on"
    for plain in ("postgresql://ada:ss@host/db", "postgresql://ada:@@host/db", "sqlite:///ss.db"):
        assert words_about(plain, words) == words


def test_a_url_that_is_shown_for_two_databases_opens_neither() -> None:
    first, other = (f"postgresql://ada:s@{host}:5432/d@lab" for host in ("one", "two"))
    assert told_url(remember_url(first)) == first
    shown = remember_url(other)
    assert "one" not in shown
    with pytest.raises(StorageNameError, match="stands for several databases: give its URL whole"):
        told_url(shown)
    changed = [f"postgresql://ada:{password}@one/d" for password in ("old", "new")]
    assert [told_url(remember_url(url)) for url in changed] == changed


@pytest.mark.slow
def test_a_study_in_a_server_is_shown_without_the_password_and_none_of_its_rows_holds_it(
    server_url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    study = hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        storage=server_url,
        checkpoints=str(tmp_path / "states"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    study.optimize(hippo.GridSearch({"lr": [0.1, 0.2]}, until=3))
    shown = [repr(study), study.storage, repr(study.trials), str(study.statistics())]
    study.close()
    store = open_store(server_url)
    shown += [repr(store), *(repr(row) for kind in ROW_TYPES for row in store.rows(kind))]
    store.close()
    assert len(shown) > 20
    for name in [*sorted(set(LINES) - {*_ENDLESS, *_LAST}), *_LAST]:
        code, text = said(name, server_url, tmp_path, capfd)
        assert code == 0, (name, text)
        shown.append(text)
    assert [text for text in shown for secret in SECRETS if secret in text] == []
