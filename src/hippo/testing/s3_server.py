"""A server that speaks like S3, on this machine, for tests and benchmarks: moto's.

It is no fake of hippo's: clients talk to it by HTTP, as to any other, from any process. It refuses to know what is put.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hippo.errors import EngineError
from hippo.testing.ports import free_port

_START_S = 60.0
_LOOK_S = 0.05


@contextmanager
def s3_server() -> Iterator[Mapping[str, str]]:
    """Run a server on a free port; yield the variables of the environment by which clients find it.

    Raises:
      EngineError: it does not start.
    """
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    variables = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    environment = {**os.environ, **variables}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_answers(server, port)
            yield variables
        finally:
            server.kill()


def s3_client(variables: Mapping[str, str]) -> Any:
    """Return a client of boto3 for a server of `s3_server`: it makes buckets, and looks at what lies in them."""
    import boto3  # type: ignore[import-untyped]

    return boto3.client(
        "s3",
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        region_name=variables["AWS_DEFAULT_REGION"],
    )


def _wait_answers(server: subprocess.Popen[bytes], port: int) -> None:
    pause = threading.Event()
    for _ in range(round(_START_S / _LOOK_S)):
        if server.poll() is not None:
            break
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        pause.wait(_LOOK_S)
    raise EngineError("moto's server does not start: is moto[s3,server] installed?")
