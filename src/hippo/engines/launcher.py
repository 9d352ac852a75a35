"""The launcher: imports what the trainer needs once, then forks a worker whenever the study wants one.

A fork costs milliseconds where importing torch costs seconds. The launcher stays single-threaded, never touches CUDA
(what CUDA starts does not survive a fork), reaps its workers and kills what they leave behind.
It refuses to know what a worker does, and decides nothing: the study says when to fork.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import sys
import traceback
from collections import deque
from collections.abc import Callable
from typing import NoReturn

from hippo.engines.lifeline import adopt_orphans, descendants_now, die_with_parent, kill_descendants, kill_group
from hippo.engines.wire import Exited, Forked, ForkWorker, Inbox, pack
from hippo.errors import EngineError
from hippo.records import TrainerSpec
from hippo.training.trainers import Trainers

_CHUNK_BYTES = 1 << 16
_MOST_FDS = 64  # more than one message brings


def preload(spec: TrainerSpec) -> Trainers:
    """Import what the trainer's module imports, so that each worker has it from its first moment.

    Returns:
      Trainers that know the class already; none is built.

    Raises:
      TrainerError: it cannot be imported.
      EngineError: importing it started CUDA, which no forked worker could use.
    """
    trainers = Trainers()
    trainer = trainers.load(spec)
    torch = sys.modules.get("torch")
    if torch is not None:
        # The first optimizer in a process imports torch._dynamo, which takes longer than torch itself; the first use of
        # it, what profilers would listen with.
        torch.optim.SGD([torch.zeros(1)], lr=0.0).zero_grad()
        if torch.cuda.is_initialized():
            raise EngineError(
                f"importing {trainer.__module__!r} started CUDA, which workers forked from here could not use. Move "
                "what uses a device (tensors, models, torch.cuda calls) from the module into the trainer's methods."
            )
    gc.freeze()  # the collector then writes to none of these pages, and workers go on sharing them
    return trainers


class Launcher:
    """Forks workers on demand and sees them off.

    Args:
      control: socket to the study.
      line: the watched end of the life line.
      work: what a worker does with its order and its socket to the study.
    """

    def __init__(self, control: socket.socket, line: int, *, work: Callable[[ForkWorker, socket.socket], None]) -> None:
        self._control = control
        self._line = line
        self._work = work
        self._inbox = Inbox()
        self._sockets: deque[int] = deque()
        #: process id -> number
        self._workers: dict[int, int] = {}

    def run(self) -> None:
        """Serve the study until its life line is cut; then kill every worker and wait until all are gone."""
        adopt_orphans()
        self._imported = descendants_now()
        self._child_ended, wakeup = socket.socketpair()
        for end in (self._child_ended, wakeup):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda signum, frame: None)  # a wake-up needs some handler
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        self._selector = selectors.DefaultSelector()
        for source in (self._line, self._control, self._child_ended):
            self._selector.register(source, selectors.EVENT_READ)
        while self._line not in (ready := self._wait()):
            if self._child_ended in ready:
                self._child_ended.recv(_CHUNK_BYTES)
                self._reap()
            if self._control in ready:
                self._take_orders()
        self._end_all()

    def _wait(self) -> list[object]:
        return [key.fileobj for key, _ in self._selector.select()]

    def _take_orders(self) -> None:
        data, sockets, _, _ = socket.recv_fds(self._control, _CHUNK_BYTES, _MOST_FDS)
        self._sockets += sockets  # in the order of their messages, each there no later than its message
        if not data:
            self._selector.unregister(self._control)  # the life line, too, is about to be cut
        for order in self._inbox.feed(data):
            self._fork(order, self._sockets.popleft())

    def _fork(self, order: ForkWorker, connection: int) -> None:
        # else the worker would print what is still buffered a second time; where nobody takes it, it may
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        launcher = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become_worker(order, connection, launcher=launcher)
        os.close(connection)
        self._workers[pid] = order.number
        self._tell(Forked(number=order.number, pid=pid))

    def _become_worker(self, order: ForkWorker, connection: int, *, launcher: int) -> NoReturn:
        code = 1
        try:
            os.setsid()
            die_with_parent(parent=launcher)
            self._let_go()
            os.set_inheritable(connection, False)
            self._work(order, socket.socket(fileno=connection))
            code = 0
        except SystemExit as error:  # the study says that it was the trainer's
            code = error.code if isinstance(error.code, int) else 1
        except KeyboardInterrupt:
            code = 130
        except BaseException:
            traceback.print_exc()
        finally:  # leave without what the launcher's own end would do
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _let_go(self) -> None:
        """Drop, in a fork, what belongs to the launcher."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        self._control.close()
        self._child_ended.close()
        for connection in self._sockets:
            os.close(connection)

    def _reap(self) -> None:
        while ended := _next_ended(os.WNOHANG):
            pid, status = ended
            if pid in self._workers:  # else an orphan of a worker
                kill_group(pid)
                number = self._workers.pop(pid)
                # Living workers adopt their own orphans: what else is left to us was started by dead ones, or by
                # a module when we imported it.
                kill_descendants(spare=self._imported | self._workers.keys())
                self._tell(Exited(number=number, code=os.waitstatus_to_exitcode(status)))

    def _tell(self, message: object) -> None:
        with contextlib.suppress(OSError):  # the study is gone
            self._control.sendall(pack(message))

    def _end_all(self) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(1)  # should the kernel not let one of them go, do not stay for it
        for pid in self._workers:
            kill_group(pid)
        kill_descendants()
        while _next_ended(0):
            pass


def _next_ended(options: int) -> tuple[int, int] | None:
    """Return the process id and status of a child that ended, None if there is none."""
    try:
        pid, status = os.waitpid(-1, options)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None
