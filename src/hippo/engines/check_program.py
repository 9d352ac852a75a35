"""The program behind `python -m hippo.engines.check_program`: forks a fresh process for each run of a check.

It imports what the trainer needs once, as a launcher does, so that a run begins in a process that has trained nothing,
milliseconds after it was ordered. It refuses to know what runs are compared with.
"""

from __future__ import annotations

import os
import pickle
import selectors
import sys
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, NoReturn

from hippo.clock import SystemClock
from hippo.engines.launcher import preload
from hippo.engines.lifeline import adopt_orphans, die_with_parent, kill_descendants, tie_children
from hippo.errors import HippoError
from hippo.records import TrainerSpec
from hippo.training.check_runs import RunOrder, RunReport, carry_out
from hippo.training.environment import pin
from hippo.training.trainers import Trainers

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSetup:
    """What the program is told once."""

    spec: TrainerSpec
    #: intra-op threads of each run
    threads: int
    #: runs at a time
    parallel: int


#: why there is no report
Problem = str


@dataclass(slots=True)
class _ForkedRun:
    """A run in a process of its own."""

    number: int
    pid: int
    told: bytearray


class CheckProgram:
    """Carries out orders, a few at a time, each in a process forked for it."""

    def __init__(self, setup: CheckSetup, trainers: Trainers) -> None:
        self._setup = setup
        self._trainers = trainers

    def run(self, orders: Sequence[RunOrder]) -> list[RunReport | Problem]:
        """Return a report for each order, or what ended its process."""
        waiting, reports = deque(enumerate(orders)), dict[int, RunReport | Problem]()
        with selectors.DefaultSelector() as selector:
            while waiting or selector.get_map():
                while waiting and len(selector.get_map()) < self._setup.parallel:
                    number, order = waiting.popleft()
                    self._fork(number, order, selector)
                for key, _ in selector.select():
                    run: _ForkedRun = key.data
                    if data := os.read(key.fd, _CHUNK_BYTES):
                        run.told += data
                        continue
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    reports[run.number] = _report_of(run)
        return [reports[number] for number in range(len(orders))]

    def _fork(self, number: int, order: RunOrder, selector: selectors.BaseSelector) -> None:
        told, tell = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(told)
            self._become_run(order, tell, parent=parent)
        os.close(tell)
        selector.register(told, selectors.EVENT_READ, _ForkedRun(number, pid, bytearray()))

    def _become_run(self, order: RunOrder, tell: int, *, parent: int) -> NoReturn:
        code = 1
        try:
            os.setsid()
            die_with_parent(parent=parent)
            adopt_orphans()  # loader workers that a trainer leaves behind
            tie_children()
            pin(self._setup.threads)
            own = os.getpid()
            try:
                report: RunReport | Problem = carry_out(order, self._setup.spec, self._trainers, SystemClock())
            except HippoError as error:
                report = str(error)
            except SystemExit as error:
                report = f"the trainer's code ended its process: sys.exit({error.code!r})"
            except Exception:  # ours
                report = traceback.format_exc()
            if os.getpid() == own:  # else the trainer forked, and its child came back from a method
                with open(tell, "wb") as file:
                    pickle.dump(report, file)
                kill_descendants()
            code = 0
        finally:
            os._exit(code)


def _report_of(run: _ForkedRun) -> RunReport | Problem:
    _, status = os.waitpid(run.pid, 0)
    try:
        report: RunReport | Problem = pickle.loads(run.told)
    except Exception:
        code = os.waitstatus_to_exitcode(status)
        return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with exit code {code}"
    return report


def main() -> None:
    """Take a setup and then orders from standard input until it ends, and answer each on what was standard output."""
    die_with_parent(parent=int(sys.argv[1]))
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what user code prints is not an answer
    setup: CheckSetup = pickle.load(orders)
    try:
        program = CheckProgram(setup, preload(setup.spec))
    except Exception as error:
        _answer(answers, str(error) if isinstance(error, HippoError) else traceback.format_exc())
        return
    _answer(answers, None)
    while True:
        try:
            batch = pickle.load(orders)
        except EOFError:
            return
        _answer(answers, program.run(batch))


def _answer(file: IO[bytes], answer: object) -> None:
    pickle.dump(answer, file)
    file.flush()


if __name__ == "__main__":
    main()
