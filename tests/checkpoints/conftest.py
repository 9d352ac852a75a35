from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from hippo.testing.s3_server import s3_client, s3_server


@pytest.fixture(scope="session")
def server() -> Iterator[Mapping[str, str]]:
    """The environment in which an S3 server is found."""
    pytest.importorskip("moto")
    pytest.importorskip("s3fs")
    with s3_server() as variables:
        yield variables


@pytest.fixture
def bucket(server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """An empty bucket's name, in an environment in which this process, and what it starts, finds it."""
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    name = f"b{abs(hash(request.node.nodeid)) % 10**12}"
    s3_client(server).create_bucket(Bucket=name)
    return name
