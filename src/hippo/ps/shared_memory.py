"""Workers in processes of their own, on memory that they share with the trainer's.

The memory has no name: it is mapped before the processes are forked, and the kernel takes it back with the last of
them, however that ends. So nothing can be left behind, and /dev/shm, which is small in containers, is not used.

A process ends with its trainer: when that is closed or collected, when the process that made it ends, and within a
quarter of a second after that was killed. This module refuses to know what the workers do.
"""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import pickle
import signal
import threading
import warnings
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from hippo.collector import collector_paused
from hippo.errors import GangLostError, TrainerError
from hippo.ps.layout import Array
from hippo.ps.operations import Operation, Report, pickled_report
from hippo.ps.transport import AbstractTransport
from hippo.ps.worker import GangWorker
from hippo.training.process.process_settings import settings_before
from hippo.training.process.streams import loaded

#: how often a worker looks whether its parent lives, and whether what it waits for is there though nobody told it
_LOOK_S = 0.25
#: nobody holds the condition's lock for so long but a worker that was killed; that it is gone is noticed elsewhere
_DEAD_S = 10.0


class SharedMemoryTransport(AbstractTransport):
    """Forks a process for each worker."""

    is_memory_here = True

    def __init__(self) -> None:
        _refuse_cuda()
        self._context = multiprocessing.get_context("fork")
        self._changed = self._context.Condition()
        self._processes: list[BaseProcess] = []
        self._ends: list[Connection] = []
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def allocate(self, size_bytes: int) -> Array:
        return np.frombuffer(mmap.mmap(-1, max(1, size_bytes)), np.uint8)[:size_bytes]

    def lock(self) -> AbstractContextManager[Any]:
        return self._context.Lock()

    def start(self, workers: Sequence[GangWorker]) -> None:
        for worker in workers:
            end, workers_end = self._context.Pipe()
            self._ends.append(end)
            process = self._context.Process(
                target=self._be_worker,
                args=(worker, workers_end, os.getpid()),
                name=f"hippo-ps-{worker.number}",
                daemon=True,
            )
            with warnings.catch_warnings(), collector_paused():
                # The child runs Python and numpy only, and none of the locks that other threads here may hold.
                warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork.*")
                process.start()
            workers_end.close()
            self._processes.append(process)
        self._finalizer = weakref.finalize(self, _end, os.getpid(), list(self._processes), list(self._ends))

    def broadcast(self, operation: Operation) -> None:
        message = pickle.dumps(operation)
        for number, end in enumerate(self._ends):
            try:
                end.send_bytes(message)
            except OSError:
                raise self._lost(number) from None

    def receive(self) -> tuple[int, Report]:
        numbers = {id(end): number for number, end in enumerate(self._ends)}
        sentinels = {process.sentinel: number for number, process in enumerate(self._processes)}
        ready = wait([*self._ends, *sentinels])
        for one in ready:
            if isinstance(one, int):
                continue
            number = numbers[id(one)]
            try:
                report: Report = pickle.loads(self._ends[number].recv_bytes())
            except (EOFError, OSError):
                raise self._lost(number) from None
            return number, report
        raise self._lost(sentinels[ready[0]])  # type: ignore[index]

    def notify(self) -> None:
        if self._changed.acquire(timeout=_DEAD_S):
            self._changed.notify_all()
            self._changed.release()

    def abort(self) -> None:
        pass  # they see the mark

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers, as long as it is not closed."""
        return [process.pid for process in self._processes if process.pid is not None]

    def _lost(self, number: int) -> GangLostError:
        process = self._processes[number]
        process.join(1)
        pid, how = process.pid, _how(process.exitcode)
        self.close()
        return GangLostError(
            f"worker {number} of the parameter server (process {pid}) ended with {how}; the "
            "gang is lost with it, and goes on from the last checkpoint. Mostly the kernel ends processes when memory "
            "runs out: take fewer workers, or fewer branches"
        )

    def _be_worker(self, worker: GangWorker, end: Connection, parent: int) -> None:
        """Be a worker, in a process just forked for it."""
        gc.freeze()  # what is garbage here is the trainer's to collect: connections would be closed, threads joined
        gc.enable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the trainer's to handle
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for other in self._ends:  # or they would never see that we are gone
            other.close()
        settings_before().restore()  # what the trial of now has changed, which others do not share, each step brings
        threading.Thread(target=_follow, args=(parent,), name="hippo-ps-parent", daemon=True).start()
        if (torch := loaded("torch")) is not None and torch.get_num_threads() > 1:
            torch.set_num_threads(1)  # threads of the parent are not here, and waiting for them would be for ever
        while True:
            try:
                operation: Operation = pickle.loads(end.recv_bytes())
            except (EOFError, OSError):
                os._exit(0)
            end.send_bytes(pickled_report(self._carry_out(worker, operation)))

    def _carry_out(self, worker: GangWorker, operation: Operation) -> Report:
        work = worker.work(operation)
        try:
            is_there = next(work)
            while True:
                with self._changed:
                    while not is_there():  # whoever should have told may be gone, or could not get the lock
                        self._changed.wait(_LOOK_S)
                is_there = next(work)
        except StopIteration as end:
            report: Report = end.value
            return report


def _refuse_cuda() -> None:
    torch = loaded("torch")
    if torch is not None and torch.cuda.is_initialized():
        raise TrainerError(
            "CUDA is in use in this process, and the workers of a parameter server are forked from it, which CUDA does "
            "not survive; leave CUDA alone in __init__ and make_tables()"
        )


def _follow(parent: int) -> None:
    """End this process when its parent has ended, whatever the main thread is at."""
    looked = threading.Event()
    while os.getppid() == parent:
        looked.wait(_LOOK_S)
    os.kill(os.getpid(), signal.SIGKILL)


def _how(code: int | None) -> str:
    if code is None:
        return "an unknown status"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"


def _end(owner: int, processes: Sequence[BaseProcess], ends: Sequence[Connection]) -> None:
    if os.getpid() != owner:  # a fork of the owner: they are not its children
        return
    for process in processes:
        process.kill()
    for process in processes:
        process.join()
        process.close()
    for end in ends:
        end.close()
