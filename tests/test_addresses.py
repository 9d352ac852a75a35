"""Addresses at which nobody listens are found so in a moment, and two of one place are found to be one."""

from __future__ import annotations

import socket
import time

import pytest

from hippo.addresses import are_same, is_of_ray_at, listens


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
    assert time.monotonic() - began < 60.0  # what asks for ever is meant, and not a busy machine


@pytest.mark.parametrize("address", ["auto", "local", "ray://head:10001", ""])
def test_of_other_forms_nothing_is_known(address: str) -> None:
    assert listens(address)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("127.0.0.1:6379", "192.0.2.2:6379", True),
        ("localhost:6379", "192.0.2.2:6379", True),
        ("192.0.2.2:6379", "192.0.2.2:6379", True),
        ("127.0.0.1:6380", "192.0.2.2:6379", False),
        ("127.0.0.1:6379", "192.0.2.3:6379", False),
        ("no-such-host.invalid:6379", "192.0.2.2:6379", False),
        ("[::1]:6379", "192.0.2.2:6379", True),
        ("head", "192.0.2.2:6379", False),
    ],
)
def test_a_machine_calls_itself_otherwise_than_others_do(one: str, other: str, is_same: bool) -> None:
    assert are_same(one, other, own="192.0.2.2") is is_same


@pytest.mark.parametrize(
    ("address", "there", "is_meant"),
    [
        (None, "192.0.2.3:6379", True),
        ("auto", "192.0.2.3:6379", True),
        ("local", "192.0.2.2:6379", True),
        ("local", "127.0.0.1:6379", True),
        ("local", "192.0.2.3:6379", False),
        ("192.0.2.2:6379", "192.0.2.3:6379", False),
        ("127.0.0.1:6379", "192.0.2.2:6379", True),
    ],
)
def test_a_cluster_elsewhere_is_none_that_was_to_be_local(address: str | None, there: str, is_meant: bool) -> None:
    assert is_of_ray_at(address, there, own="192.0.2.2") is is_meant
