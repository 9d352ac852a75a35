"""What a doctor finds of a service that runs: what a token opens, and no word of the token itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.doctor import ProbeVerdict
from hippo.server.tokens import TokenFile


@pytest.mark.parametrize(("right", "told"), [("read", "train nothing"), ("write", "read and write")])
def test_what_a_token_opens_is_told(right: str, told: str, serve: Callable[..., Any], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    token = tokens.add("ada", right)
    served = serve(tokens=tokens)
    found = hippo.diagnose(storage=served.url.replace("://", f"://ada:{token}@"))
    assert [each.verdict for each in found] == [ProbeVerdict.OK] * 2, found
    assert (told in found[1].told, token in str(found)) == (True, False)


def test_a_token_that_the_service_does_not_know_is_told_without_it(serve: Callable[..., Any], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    tokens.add("bob", "admin")  # the file of no token is not there, and that is another trouble
    served = serve(tokens=tokens)
    connected, rights = hippo.diagnose(storage=served.url.replace("://", "://ada:n0ne@"))
    assert (connected.verdict, rights.verdict) == (ProbeVerdict.OK, ProbeVerdict.FAILED)
    assert ("wants a token" in rights.told, "n0ne" in rights.told) == (True, False)
