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
from hippo.engines.check_orders import CheckSetup, EnvironmentOrder, Order, Report
from hippo.engines.devices import device_field, visible_devices
from hippo.engines.launcher import preload
from hippo.engines.lifeline import adopt_orphans, die_with_parent, kill_descendants, tie_children
from hippo.errors import HippoError
from hippo.training.inquiry.check_runs import RunOrder, carry_out
from hippo.training.process.environment import describe_environment, pin
from hippo.training.retraining import RetrainOrder, retrain
from hippo.training.trainers import Trainers
from hippo.training.walking.fusion_order import FusionOrder, find_out

_CHUNK_BYTES = 1 << 20


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

    def run(self, orders: Sequence[Order]) -> list[Report]:
        """Return a report for each order, or what ended its process."""
        waiting, reports = deque(enumerate(orders)), dict[int, Report]()
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

    def _fork(self, number: int, order: Order, selector: selectors.BaseSelector) -> None:
        told, tell = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(told)
            self._become_run(order, tell, parent=parent)
        os.close(tell)
        selector.register(told, selectors.EVENT_READ, _ForkedRun(number, pid, bytearray()))

    def _become_run(self, order: Order, tell: int, *, parent: int) -> NoReturn:
        code = 1
        try:
            os.setsid()
            die_with_parent(parent=parent)
            adopt_orphans()  # loader workers that a trainer leaves behind
            tie_children()
            pin(self._setup.threads)
            own = os.getpid()
            try:
                report = self._report(order)
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

    def _report(self, order: Order) -> Report:
        match order:
            case RunOrder():
                return carry_out(order, self._setup.spec, self._trainers, SystemClock())
            case RetrainOrder():
                return retrain(order, self._setup.spec, self._trainers, SystemClock())
            case FusionOrder():
                return find_out(order, self._setup.spec, self._trainers)
            case EnvironmentOrder():
                return describe_environment(order.threads, device_field(next(iter(visible_devices()), None)))


def _report_of(run: _ForkedRun) -> Report:
    _, status = os.waitpid(run.pid, 0)
    try:
        report: Report = pickle.loads(run.told)
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
    sys.argv[:] = setup.arguments
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
