"""The study's side of the launcher: starts `python -m hippo.engines.worker` and tells it to fork workers.

The launcher is a fresh interpreter that is told everything through its standard input, so that it does not matter
what the study's own `__main__` is: a script without a guard, standard input, a notebook, a test. This module refuses
to know what workers do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import secrets
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from hippo.engines.channel import Channel
from hippo.engines.lifeline import LifeLine, kill_group, kill_marked
from hippo.engines.programs import start_program
from hippo.engines.wire import ForkWorker, LauncherSetup, pack
from hippo.saying import write
from hippo.training.process.environment import THREAD_VARIABLES

_TAIL_BYTES = 4000
#: the variable by which processes of one launcher are known
_MARK = "HIPPO_LAUNCHER"


class LauncherLink:
    """A running launcher.

    Args:
      setup: what it is told.
      on_message: called for each message from it.
      on_end: called once when it is gone; not after `dispose`.
    """

    def __init__(self, setup: LauncherSetup, *, on_message: Callable[[Any], None], on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._ended = asyncio.Event()
        self._forwarded = 0
        self._mark = f"{_MARK}={os.getpid()}-{secrets.token_hex(8)}"
        with contextlib.ExitStack() as undo:
            self._line = undo.enter_context(LifeLine())
            self._errors = undo.enter_context(tempfile.TemporaryFile())
            self._control, theirs = socket.socketpair()
            undo.enter_context(self._control)
            with theirs:
                self._process = _start_program(
                    setup, theirs.fileno(), self._line.watched, self._errors, mark=self._mark
                )
            self._channel = Channel(self._control, on_message=on_message, on_end=self._end)
            undo.pop_all()
        self._line.close_watched()

    def fork_worker(self, order: ForkWorker) -> socket.socket:
        """Have a worker forked, as soon as the launcher is ready; return our end of the socket to it."""
        ours, theirs = socket.socketpair()
        with theirs, contextlib.suppress(OSError):  # the launcher is gone, which `on_end` tells
            # Some hundred bytes, at most one for each slot ahead of the launcher: they fit into the socket's buffer,
            # so this neither blocks nor sends a part.
            socket.send_fds(self._control, [pack(order)], [theirs.fileno()])
        return ours

    def error_tail(self) -> str:
        """Return the end of what was written to standard error while launcher and workers got ready."""
        return self._read_errors(max(0, self._errors_size() - _TAIL_BYTES)).strip()

    def forward_errors(self) -> None:
        """Show what was written there since the last time, such as the warnings of imported modules."""
        news = self._read_errors(self._forwarded)
        self._forwarded = self._errors_size()
        write(news)

    def cut(self) -> None:
        """Have it kill its workers, and end."""
        self._line.cut()

    async def wait_ended(self, *, timeout_s: float) -> None:
        """Wait until it is gone, but no longer than that."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), timeout_s)

    def dispose(self) -> bool:
        """Leave nothing of it behind; return whether it had ended its workers first, as `cut` asks it to."""
        self._channel.close()
        self._line.cut()
        kill_group(self._process.pid)  # with what a module started when it was imported
        self._errors.close()
        has_ended_them = self._process.wait() == 0
        if not has_ended_them:
            kill_marked(self._mark)
        return has_ended_them

    def _end(self) -> None:
        self._ended.set()
        self._on_end()

    def _errors_size(self) -> int:
        return os.fstat(self._errors.fileno()).st_size

    def _read_errors(self, begin: int) -> str:
        # pread: the file's position is the launcher's, who writes there
        return os.pread(self._errors.fileno(), self._errors_size() - begin, begin).decode(errors="replace")


def _start_program(
    setup: LauncherSetup, control: int, line: int, errors: IO[bytes], *, mark: str
) -> subprocess.Popen[bytes]:
    """Start the launcher. Its standard error is kept aside; workers get the real one as soon as they are open."""
    with tempfile.TemporaryFile() as told, _console() as console:
        told.write(pickle.dumps(setup))
        told.seek(0)
        return start_program(
            "hippo.engines.worker",
            control,
            line,
            console.fileno(),
            stdin=told,
            stderr=errors,
            env=worker_environment(threads=setup.threads) | dict([mark.split("=")]),
        )


def _console() -> IO[bytes]:
    """Return standard error; nowhere for a process that began without: its descriptor may be another file's by now."""
    return open(os.devnull if sys.__stderr__ is None else os.dup(2), "wb")


def worker_environment(*, threads: int) -> dict[str, str]:
    """Return the variables of what trains: what decides about bits has to be there before anything is imported."""
    variables = dict(os.environ)
    variables |= dict.fromkeys(THREAD_VARIABLES, str(threads))
    variables["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # cuBLAS is deterministic only with a fixed workspace
    # Asking torch whether there is CUDA must not start CUDA in the launcher: modules ask when they are imported.
    variables["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    # Sets of strings are walked in the same order in every worker of every run, whatever the user's shell says.
    variables["PYTHONHASHSEED"] = "0"
    if (root := _package_root()) is not None:
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, [root, variables.get("PYTHONPATH")]))
    return variables


def _package_root() -> str | None:
    """Return the folder that hippo is imported from, None if every interpreter of this environment finds it."""
    root = Path(__file__).resolve().parents[2]
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    return None if root in installed else str(root)
