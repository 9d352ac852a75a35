"""Starts hippo's own programs: fresh interpreters, so that it does not matter what the `__main__` of this one is.

It refuses to know what they do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import IO


def start_program(
    module: str,
    *fds: int,
    stdin: int | IO[bytes],
    env: Mapping[str, str],
    stdout: int | None = None,
    stderr: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start `python -m module`; its arguments are descriptors of ours that it gets, and our process id.

    Args:
      module: what is run.
      fds: descriptors that are passed on, under the numbers that they have here.
      stdin: as of `subprocess.Popen`.
      env: all of its variables.
      stdout: as of `subprocess.Popen`.
      stderr: where its errors are kept; None: they are seen.
    """
    return subprocess.Popen(
        # -P: what may be imported is what the trainer says, not what happens to lie in the current folder
        [sys.executable, "-P", "-m", module, *map(str, fds), str(os.getpid())],
        stdin=stdin,
        # a process that began without has other files there by now
        stdout=subprocess.DEVNULL if stdout is None and sys.__stdout__ is None else stdout,
        stderr=stderr,
        pass_fds=fds,
        env=env,
        start_new_session=True,  # Ctrl-C in the terminal is for whoever started it
    )
