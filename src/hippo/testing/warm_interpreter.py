"""Behind `warm_programs` and `warm_scripts`: has imported what takes long, and forks children that go on as programs.

A child is what a fresh interpreter would be, which takes seconds to get as far: its descriptors, variables, folder,
search path, `__main__` and chance are its own, and nothing of a trainer was imported before. The mark by which its
processes are known is where the system looks for it. It refuses to know which programs there are.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import gc
import importlib
import os
import pickle
import runpy
import selectors
import socket
import struct
import sys
import tempfile
import threading
import traceback
from typing import Any, NoReturn

_MOST_FDS = 64
#: fields of /proc/self/stat behind the name, counted from 0: where the variables begin and end in memory
_ENV_START, _ENV_END = 47, 48

_ENDED = struct.Struct("i")


def main() -> None:
    """Import, then fork a child for each order, until whoever gives them is gone."""
    control = socket.socket(fileno=int(sys.argv[1]))
    own_path = [os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    found = sys.path if sys.flags.safe_path else sys.path[1:]  # else it begins with the folder of this file
    base_path = [entry for entry in found if entry not in own_path]
    sys.path[:] = [*own_path, *base_path]
    for name in sys.argv[2:]:
        importlib.import_module(name)
    if (torch := sys.modules.get("torch")) is not None:
        torch.optim.SGD([torch.zeros(1)], lr=0.0).zero_grad()  # imports the compiler, as `preload` has it
    for name in sys.argv[2:]:  # what runs as `__main__` wants no module of its name
        package, _, last = name.rpartition(".")
        if hasattr(sys.modules[name], "main"):
            delattr(sys.modules[package], last)
            del sys.modules[name]
    gc.collect()
    gc.freeze()
    Forks(control, base_path).run()


class Forks:
    """The children, and those who wait for their end.

    Args:
      control: where orders come from, each with a socket on which the child's end is told.
      base_path: `sys.path` without what PYTHONPATH adds.
    """

    def __init__(self, control: socket.socket, base_path: list[str]) -> None:
        self._control = control
        self._base_path = base_path
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Fork as ordered. A child is reaped when nobody will ask for it by its id any more."""
        self._selector.register(self._control, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    data, fds, _, _ = socket.recv_fds(self._control, 1, _MOST_FDS)
                    if not data:
                        return
                    self._fork(fds)
                elif isinstance(key.fileobj, int):
                    self._tell_end(key.fileobj, *key.data)
                elif isinstance(key.fileobj, socket.socket):
                    self._reap(key.fileobj, key.data)

    def _fork(self, fds: list[int]) -> None:
        told, status_fd, *passed = fds
        with open(told, "rb") as file:
            order: dict[str, Any] = pickle.load(file)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(status_fd)
            _become(order, passed, self._base_path, parent=parent, close=self._let_go)
        for fd in passed:
            os.close(fd)
        status = socket.socket(fileno=status_fd)
        status.sendall(_ENDED.pack(pid))
        self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))

    def _let_go(self) -> None:
        """Close, in a child, what is not its own."""
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, int):
                os.close(key.fileobj)
                key.data[1].close()
            elif isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()

    def _tell_end(self, pidfd: int, pid: int, status: socket.socket) -> None:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        self._selector.unregister(pidfd)
        os.close(pidfd)
        with contextlib.suppress(OSError):
            status.sendall(_ENDED.pack(code))
        self._selector.register(status, selectors.EVENT_READ, pid)

    def _reap(self, status: socket.socket, pid: int) -> None:
        self._selector.unregister(status)
        status.close()
        os.waitpid(pid, 0)


def _become(order: dict[str, Any], passed: list[int], base_path: list[str], *, parent: int, close: Any) -> NoReturn:
    """Go on as `python -P -m module` would, or as `python script`."""
    code = 1
    try:
        os.setsid()
        close()
        _take_fds(passed, order["fds"])
        os.chdir(order["folder"])
        os.umask(order["umask"])
        _take_variables(order["env"], order["marks"])
        given = [os.path.abspath(entry) for entry in order["env"].get("PYTHONPATH", "").split(os.pathsep) if entry]
        sys.path[:] = dict.fromkeys([*given, *base_path])
        sys.path_importer_cache.clear()
        if (numpy := sys.modules.get("numpy")) is not None:
            numpy.random.seed()  # a fresh one draws from the system, too; Python's own has reseeded itself
        tempfile.tempdir = None
        if (script := order["script"]) is not None:
            sys.argv[:] = [script, *order["arguments"]]
            sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
            runpy.run_path(script, run_name="__main__")
            for thread in threading.enumerate():
                if thread is not threading.main_thread() and not thread.daemon:
                    thread.join()
        else:
            sys.argv[1:] = [*order["arguments"], str(parent)]
            runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):  # as Python does
            print(error.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _take_fds(passed: list[int], wanted: list[int]) -> None:
    """Have descriptors under the numbers that they had where they came from."""
    above = max([*wanted, *passed]) + 1
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, above) for fd in passed]
    for fd in passed:
        os.close(fd)
    for fd, number in zip(moved, wanted, strict=True):
        os.dup2(fd, number)
        os.close(fd)


def _take_variables(env: dict[str, str], marks: list[str]) -> None:
    """Have these variables, and the marks among them also in what the system shows of this process."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    block = ctypes.string_at(start, end - start)
    for name in marks:
        at = block.index(f"{name}=".encode())
        room = block.index(b"\0", at) - at
        text = f"{name}={env[name]}".encode()
        assert len(text) == room, f"{text!r} is not of {room} bytes"
        ctypes.memmove(start + at, text, room)
    os.environ.clear()
    os.environ.update(env)


if __name__ == "__main__":
    main()
