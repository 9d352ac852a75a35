"""pgbouncer for tests: a pooler of one's own in front of a PostgreSQL server, for as long as a block lasts."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hippo.clock import SystemClock
from hippo.testing.ports import free_port
from hippo.testing.servers import DatabaseServer, owner_of

_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
_START_S = 30.0


def pooler_program() -> str | None:
    """Return where pgbouncer is; None if it is not installed."""
    return shutil.which("pgbouncer", path=_PATH)


@contextmanager
def running_pooler(server: DatabaseServer, mode: str) -> Iterator[int]:
    """Start pgbouncer in front of a PostgreSQL server, and yield its port.

    Args:
      server: what connections lead to.
      mode: what is handed out, "session" or "transaction".
    """
    program = pooler_program()
    assert program is not None
    folder, port = Path(tempfile.mkdtemp(prefix="hippo-pooler-")), free_port()
    user = owner_of(folder, "postgres")
    (folder / "users").write_text(f'"{server.admin}" "{server.sql_password}"\n')
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
* = host=127.0.0.1 port={server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = {mode}
ignore_startup_parameters = extra_float_digits
"""
    )
    for name in ("users", "pgbouncer.ini"):
        (folder / name).chmod(0o644)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, str(folder / "pgbouncer.ini")], user=user, stdout=log, stderr=log)
    try:
        _wait_for(process, port, folder / "log")
        yield port
    finally:
        process.kill()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    clock, pause = SystemClock(), threading.Event()
    deadline = clock.elapsed() + _START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None or clock.elapsed() > deadline:
                raise RuntimeError(f"pgbouncer did not start: {log.read_text()[-2000:]}") from None
            pause.wait(0.05)
        else:
            return
