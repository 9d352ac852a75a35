"""Addresses at which nobody listens are found so in a moment."""

from __future__ import annotations

import socket
import time

import pytest

from hippo.addresses import listens


@pytest.mark.parametrize(("family", "host", "written"), [(socket.AF_INET, "127.0.0.1", "127.0.0.1:{}")])
def test_who_listens_is_found(family: socket.AddressFamily, host: str, written: str) -> None:
    with socket.socket(family) as server:
        server.bind((host, 0))
        server.listen()
        assert listens(written.format(server.getsockname()[1]))


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "[::1]:1", "localhost:1", "no-such-host.invalid:80", "127.0.0.1:99999"]
)
def test_where_nobody_listens_is_found_in_a_moment(address: str) -> None:
    began = time.monotonic()
    assert not listens(address, patience_s=2.0)
    assert time.monotonic() - began < 8.0


@pytest.mark.parametrize("address", ["auto", "local", "ray://head:10001", ""])
def test_of_other_forms_nothing_is_known(address: str) -> None:
    assert listens(address)
