"""Has hippo's programs forked from interpreters that have imported what they need: tests start hundreds of them.

Importing torch and its compiler takes two seconds of a processor, and hippo half a second; a fork takes milliseconds.
Torch is there for those alone that would import it, and the interpreter was started under the variables of the program.
Tests of how programs are started, and of how they end, have them as users have them.
"""

from __future__ import annotations

import contextlib
import operator
import os
import pickle
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest

from hippo.engines import check_processes, launching
from hippo.engines.programs import start_program
from hippo.records import TrainerSpec
from hippo.server import describers

#: the variables by which processes are known
_MARKS = ("HIPPO_LAUNCHER", "HIPPO_CHECK")
#: variables that scikit-learn, torch, Ray and MLflow set in whatever process imports them, at any time
_OF_LIBRARIES = ("KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "TORCHINDUCTOR_CACHE_DIR", "RAY_", "_MLFLOW_")
#: names of variables that nothing reads while the modules of these programs are imported begin so
_HARMLESS = ("HIPPO_", "PYTEST_", "PYTHONPATH", "AWS_", "COLUMNS", "LINES", *_OF_LIBRARIES)
#: those with torch fill 300 MB
_MOST_INTERPRETERS = 8
_PROGRAM = Path(__file__).with_name("warm_interpreter.py")
_NUMBER = struct.Struct("i")
#: modules that are imported, and variables
_Kind = tuple[tuple[str, ...], frozenset[tuple[str, str]]]
_PROGRAMS_OF_ENGINES = ("hippo.engines.check_program", "hippo.engines.worker")
_WITH_TORCH = (*_PROGRAMS_OF_ENGINES, "hippo.training.torch_trainer")


class WarmPrograms:
    """Starts programs, warm where it pays; `close` ends the interpreters.

    There is an interpreter for all programs that import the same under the same variables, from the second one on:
    libraries add some variables to those of a process of tests.
    """

    def __init__(self) -> None:
        self._threads = threading.local()
        self._guard = threading.Lock()
        #: what is imported, under which variables -> interpreter; None where one program was started
        self._interpreters: dict[_Kind, Interpreter | None] = {}

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Have launchers and checks started by this, as long as the block lasts."""
        with pytest.MonkeyPatch.context() as patch:
            for cls in (launching.LauncherLink, check_processes.CheckProcesses):
                patch.setattr(cls, "__init__", self._noting_trainer(cls.__init__))
            for module in (launching, check_processes, describers):
                patch.setattr(module, "start_program", self.start)
            yield

    def start(self, module: str, *fds: int, env: Mapping[str, str], **files: Any) -> Any:
        """Do what `start_program` does."""
        kind = _kind(module, env, getattr(self._threads, "spec", None))
        if not self._pays(kind):
            return start_program(module, *fds, env=env, **files)
        return self._forked(kind, module, *fds, env=env, **files)

    def fork(self, module: str, *fds: int, env: Mapping[str, str], **files: Any) -> WarmProcess:
        """Do what `start_program` does for a program that needs torch, by a fork."""
        return self._forked((_WITH_TORCH, _decisive(env)), module, *fds, env=env, **files)

    def _forked(self, kind: _Kind, module: str, *fds: int, env: Mapping[str, str], **files: Any) -> WarmProcess:
        with self._guard:
            interpreter = self._interpreters.get(kind) or Interpreter(kind[0], env, is_safe=True)
            self._interpreters[kind] = interpreter
            return interpreter.fork(fds, module=module, env=dict(env), **files)

    def _pays(self, kind: _Kind) -> bool:
        with self._guard:
            is_second = kind in self._interpreters
            num_there = sum(each is not None for each in self._interpreters.values())
            self._interpreters.setdefault(kind, None)
            return is_second and (self._interpreters[kind] is not None or num_there < _MOST_INTERPRETERS)

    def close(self) -> None:
        """End the interpreters."""
        for interpreter in self._interpreters.values():
            if interpreter is not None:
                interpreter.close()
        self._interpreters.clear()

    def _noting_trainer(self, made: Callable[..., None]) -> Callable[..., None]:
        def init(this: Any, setup: Any, **options: Any) -> None:
            self._threads.spec = setup.spec
            try:
                made(this, setup, **options)
            finally:
                self._threads.spec = None

        return init


class WarmProcess:
    """A child of an interpreter, with as much of `subprocess.Popen` as is asked for."""

    def __init__(self, status: socket.socket, stdin: IO[bytes] | None, stdout: IO[bytes] | None) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._status = status
        self._pid: int | None = None

    @property
    def pid(self) -> int:
        """Its process id, as soon as the interpreter is ready; it is nobody else's before `wait` has returned."""
        if self._pid is None:
            self._pid = self._number()
            assert self._pid is not None, "the interpreter that was to fork it has ended"
        return self._pid

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until it has ended; return its exit code.

        Raises:
          TimeoutError: it has not, after so long.
        """
        if self.returncode is None:
            assert self.pid
            self._status.settimeout(timeout_s)
            try:
                code = self._number()
            finally:
                self._status.settimeout(None)  # `poll` waits for nothing
            self._end(code)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended: else its process id may be another's."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def poll(self) -> int | None:
        """Return its exit code if it has ended."""
        if self.returncode is None:
            assert self.pid
            with contextlib.suppress(BlockingIOError):
                self._end(self._number(socket.MSG_DONTWAIT))
        return self.returncode

    def _number(self, flags: int = socket.MSG_WAITALL) -> int | None:
        data = self._status.recv(_NUMBER.size, flags)  # they are sent whole
        return _NUMBER.unpack(data)[0] if data else None

    def _end(self, code: int | None) -> None:
        self._status.close()
        self.returncode = -9 if code is None else code  # with its interpreter


class Interpreter:
    """One that has imported these modules under these variables.

    Args:
      modules: what is imported.
      env: all of its variables, beside which marks get room.
      is_safe: whether it looks for modules as `python -P` does.
    """

    def __init__(self, modules: tuple[str, ...], env: Mapping[str, str], *, is_safe: bool) -> None:
        room = f"{os.getpid()}-{'0' * 16}"  # as long as any that a child writes there
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *(["-P"] if is_safe else []), str(_PROGRAM), str(theirs.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**env, **dict.fromkeys(_MARKS, room)},
                start_new_session=True,
            )

    def fork(
        self,
        fds: tuple[int, ...] = (),
        *,
        module: str | None = None,
        script: str | None = None,
        arguments: tuple[str, ...] = (),
        folder: str | None = None,
        stdin: int | IO[bytes],
        env: dict[str, str],
        stdout: int | IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
    ) -> WarmProcess:
        """Have a child that goes on as a program of ours, a `module`, or as a `script` with its arguments."""
        status, theirs = socket.socketpair()
        with contextlib.ExitStack() as stack:
            stack.enter_context(theirs)
            ours_in: IO[bytes] | None = None
            ours_out: IO[bytes] | None = None
            if isinstance(stdin, int):
                assert stdin == subprocess.PIPE
                read, write = os.pipe()
                stack.callback(os.close, read)
                ours_in = open(write, "wb")  # noqa: SIM115 - the process's, as Popen has it
            else:
                read = stdin.fileno()
            told_out = 1
            if stdout == subprocess.PIPE:
                out, told_out = os.pipe()
                stack.callback(os.close, told_out)
                ours_out = open(out, "rb")  # noqa: SIM115
            elif stdout is not None and not isinstance(stdout, int):
                told_out = stdout.fileno()
            order = {
                "module": module,
                "script": script,
                "arguments": [*map(str, fds), *arguments],
                "fds": [0, 1, 2, *fds],
                "folder": folder or os.getcwd(),
                "umask": _umask(),
                "env": env,
                "marks": [name for name in _MARKS if name in env],
            }
            told = stack.enter_context(tempfile.TemporaryFile())
            told.write(pickle.dumps(order))
            told.seek(0)
            aside = 2 if stderr is None else stderr.fileno()
            passed = [told.fileno(), theirs.fileno(), read, told_out, aside, *fds]
            socket.send_fds(self._control, [b"."], passed)
        return WarmProcess(status, ours_in, ours_out)

    def close(self) -> None:
        """End it."""
        self._control.close()
        self._process.kill()
        self._process.wait()


def _kind(module: str, env: Mapping[str, str], spec: TrainerSpec | None) -> _Kind:
    if module in _PROGRAMS_OF_ENGINES:
        return _WITH_TORCH if _imports_torch(spec) else _PROGRAMS_OF_ENGINES, _decisive(env)
    return (module,), _decisive(env)


def _decisive(env: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return those variables that may be read while modules are imported."""
    return frozenset((name, env[name]) for name in env if not name.startswith(_HARMLESS))


def _imports_torch(spec: TrainerSpec | None) -> bool:
    """Tell whether a process that gets a trainer is sure to import torch with it."""
    if spec is None:
        return False
    if spec.pickled is not None:
        return b"hippo.training.torch_trainer" in spec.pickled
    assert spec.reference is not None
    module, _, name = spec.reference.partition(":")
    try:
        bases = operator.attrgetter(name)(sys.modules[module]).__mro__
    except (KeyError, AttributeError):
        return False
    values = (value for base in bases for value in vars(sys.modules[base.__module__]).values())
    return any(isinstance(value, ModuleType) and value.__name__ == "torch" for value in values)


def _umask() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")  # os.umask() would change it
    return int(status.partition("Umask:")[2].split()[0], 8)
