"""What lies in a file on its way into an object store goes with the process that wrote it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_KILLED_AMID_A_PUT = """
import os, signal
from hippo.checkpoints import spool

spool.MOST_IN_MEMORY = 4
written = spool.Spool()
written.write(b"weights")

class Killed:
    def put_file(self, path, name):
        with open(path, "rb") as file:
            assert file.read() == b"weights"
        os.kill(os.getpid(), signal.SIGKILL)

written.put(Killed(), "bucket/key")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files need a name to be opened once more")
def test_who_is_killed_amid_a_put_leaves_no_file_behind(tmp_path: Path) -> None:
    known = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", _KILLED_AMID_A_PUT], env=known, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
