"""The places that users start a study from, each as a process that a test can interrupt and kill."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import psutil
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

#: what no wait of these tests needs, however busy the machine
PATIENCE_S = 60.0


class Host(Protocol):
    """A process in which a study runs."""

    #: the study's process
    pid: int

    def interrupt(self) -> None:
        """Press Ctrl-C, or the notebook's stop button."""

    def kill(self) -> None:
        """Kill the study's process with SIGKILL."""

    def wait(self) -> str:
        """Wait until the code has ended; return all that users saw."""

    def close(self) -> None:
        """End the process, if it has not."""


class Program:
    """A Python program.

    Args:
      arguments: what follows `python` on the command line.
      folder: where it runs.
      told: its standard input.
    """

    def __init__(self, *arguments: str, folder: Path, told: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
            # a test run in the background of a shell ignores Ctrl-C, and what it starts would inherit that
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.pid = self._process.pid
        assert self._process.stdin is not None
        self._process.stdin.write(told)
        self._process.stdin.close()
        self._seen: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def interrupt(self) -> None:
        os.killpg(self.pid, signal.SIGINT)  # as a terminal does

    def kill(self) -> None:
        self._process.kill()

    @property
    def seen(self) -> str:
        """What users saw so far."""
        return "".join(self._seen)

    def wait(self) -> str:
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return self.seen

    def close(self) -> None:
        self.kill()
        self.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._seen.append(line)


class Notebook:
    """A notebook's kernel, in which the source is the first cell."""

    def __init__(self, folder: Path) -> None:
        self._manager = KernelManager()
        self._manager.start_kernel(cwd=str(folder))
        self.pid = self._manager.provisioner.process.pid
        self._client: BlockingKernelClient = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=PATIENCE_S)
        self._cell = ""

    def run(self, cell: str) -> None:
        """Begin to execute a cell."""
        self._cell = self._client.execute(cell)

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> str:
        return "".join(self._outputs())

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def _outputs(self) -> Iterator[str]:
        """Yield what the cell shows, until it has ended or its kernel has."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                message = self._client.get_iopub_msg(timeout=0.2)
                content = message["content"]
                if message["parent_header"].get("msg_id") != self._cell:
                    continue
                if content.get("execution_state") == "idle":
                    return
                yield content.get("text", "")
                yield "\n".join(content.get("traceback", ()))
            if not self._manager.is_alive():
                return
        raise TimeoutError(f"the cell has not ended after {PATIENCE_S} s")


@contextlib.contextmanager
def start(place: str, source: str, folder: Path) -> Iterator[Host]:
    """Run a study's source in one of `PLACES`; in the end the process is no more."""
    host = PLACES[place](source, folder)
    try:
        yield host
    finally:
        host.close()


def _script(source: str, folder: Path) -> Host:
    (folder / "study.py").write_text(source)
    return Program("study.py", folder=folder)


def _standard_input(source: str, folder: Path) -> Host:
    return Program("-", folder=folder, told=source)


def _pytest(source: str, folder: Path) -> Host:
    (folder / "test_study.py").write_text(_as_test(source))
    return Program("-m", "pytest", "-p", "no:cacheprovider", "test_study.py", folder=folder)


def _as_test(source: str) -> str:
    """Put what follows the line "# run" of a study's source into a test."""
    module, _, body = source.partition("# run\n")
    return f"{module}def test_study():\n{textwrap.indent(body, '    ')}"


def _notebook(source: str, folder: Path) -> Host:
    notebook = Notebook(folder)
    notebook.run(source)
    return notebook


PLACES: dict[str, Callable[[str, Path], Host]] = {
    "script": _script,
    "stdin": _standard_input,
    "pytest": _pytest,
    "notebook": _notebook,
}


def processes_of(host: Host) -> list[psutil.Process]:
    """Return the processes that a study's process started, and those that they started."""
    try:
        return psutil.Process(host.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def is_gone(process: psutil.Process) -> bool:
    """Tell whether a process has ended, though perhaps nobody has reaped it yet."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(what: str, condition: Callable[[], object], *, timeout_s: float = PATIENCE_S) -> None:
    """Look until a condition holds.

    Raises:
      TimeoutError: it does not, after so long.
    """
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {timeout_s} s still not: {what}")
        time.sleep(0.005)
