"""CPU-seconds of a command and of every process that it starts, however it starts them.

`resource.RUSAGE_CHILDREN` is not enough: Ray's daemons leave their parent, and do not wait for their children.
"""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

#: how often processes are looked at: what one does between the last look and its end is missed
POLL_S = 0.1
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a command printed, and what it took."""

    output: str
    wall_s: float
    cpu_s: float
    #: how many processes there were, over its life
    processes: int


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends, so that they stay below this one. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def measure(command: Sequence[str], *, timeout_s: float = 1800.0) -> Measured:
    """Run a command to its end, and that of all its processes.

    Raises:
      RuntimeError: it failed, or took longer than `timeout_s`; with the end of what it wrote.
    """
    strangers = {process.pid for process in psutil.Process().children(recursive=True)}
    seen: dict[tuple[int, float], float] = {}
    with tempfile.TemporaryFile("w+") as written:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT)
        while process.poll() is None:
            _look(seen, strangers)
            if time.perf_counter() - began > timeout_s:
                process.kill()
            time.sleep(POLL_S)
        wall_s = time.perf_counter() - began
        _wait_for_the_rest(seen, strangers)
        written.seek(0)
        output = written.read()
    if process.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} ended with exit code {process.returncode} after {wall_s:.0f} s of at most "
            f"{timeout_s:.0f}:\n{output[-4000:]}"
        )
    return Measured(output=output, wall_s=wall_s, cpu_s=sum(seen.values()), processes=len(seen))


def _look(seen: dict[tuple[int, float], float], strangers: set[int]) -> int:
    """Note the CPU-seconds so far of every process below this one that was not there before; return how many live."""
    alive = 0
    for process in _ours(strangers):
        try:
            times = process.cpu_times()
            seen[process.pid, process.create_time()] = times.user + times.system
            alive += process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            continue
    return alive


def _wait_for_the_rest(seen: dict[tuple[int, float], float], strangers: set[int], *, patience_s: float = 15.0) -> None:
    """Wait for daemons that outlive the command, and end what does not end by itself."""
    deadline = time.perf_counter() + patience_s
    while _look(seen, strangers) and time.perf_counter() < deadline:
        time.sleep(POLL_S)
    left = _ours(strangers)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=patience_s)


def _ours(strangers: set[int]) -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if process.pid not in strangers]
