"""A free port stays free until a server listens there."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from hippo.testing import ports
from hippo.testing.ports import free_port


def test_a_free_port_is_none_that_a_system_gives_to_others() -> None:
    found = {free_port() for _ in range(20)}
    assert len(found) > 10
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        assert max(found) < other.getsockname()[1]


def test_a_port_at_which_somebody_listens_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.listen()
        drawn: Any = iter([port, port, free_port()])
        monkeypatch.setattr(ports.secrets, "choice", lambda _: next(drawn))
        assert free_port() != port
        monkeypatch.setattr(ports.secrets, "choice", lambda _: port)
        with pytest.raises(RuntimeError, match="no free port"):
            free_port()
