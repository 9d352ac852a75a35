"""What a doctor finds of a service that runs: what a token opens, and no word of the token itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.doctor import ProbeVerdict
from hippo.server.joined_hosts import JoinedCluster
from hippo.server.tokens import TokenFile

READ, WRITE = "0 studies; the token may read, and train nothing", "0 studies; the token may read and write"
MAY_JOIN = "; this machine may join it"


@pytest.mark.parametrize(
    ("right", "hosts", "told"),
    [
        ("read", False, READ),
        ("read", True, READ),
        ("write", False, WRITE),
        ("write", True, WRITE),
        ("admin", False, WRITE),
        ("admin", True, WRITE + MAY_JOIN),
        ("join", True, "the token may join it as a machine that trains, and see no study"),
    ],
)
def test_what_a_token_opens_is_told(
    right: str, hosts: bool, told: str, serve: Callable[..., Any], tmp_path: Path
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    token = tokens.add("ada", right)
    served = serve(tokens=tokens, hosts=JoinedCluster(workers=0) if hosts else None)
    found = hippo.diagnose(storage=served.url.replace("://", f"://ada:{token}@"))
    assert [each.verdict for each in found] == [ProbeVerdict.OK] * 2, found
    assert (found[1].told, token in str(found)) == (told, False)


def test_a_machine_that_may_join_hears_where_none_may(serve: Callable[..., Any], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    token = tokens.add("ada", "join")
    served = serve(tokens=tokens)
    connected, rights = hippo.diagnose(storage=served.url.replace("://", f"://ada:{token}@"))
    assert (connected.verdict, rights.verdict) == (ProbeVerdict.OK, ProbeVerdict.FAILED)
    assert "hippo serve --hosts" in rights.told


def test_a_token_that_the_service_does_not_know_is_told_without_it(serve: Callable[..., Any], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    tokens.add("bob", "admin")  # the file of no token is not there, and that is another trouble
    served = serve(tokens=tokens)
    connected, rights = hippo.diagnose(storage=served.url.replace("://", "://ada:n0ne@"))
    assert (connected.verdict, rights.verdict) == (ProbeVerdict.OK, ProbeVerdict.FAILED)
    assert ("wants a token" in rights.told, "n0ne" in rights.told) == (True, False)
