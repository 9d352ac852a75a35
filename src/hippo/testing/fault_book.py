"""Which faults of a plan have come, for all processes of a study: each comes once, whoever is there first.

Every process counts its own occasions. Who comes to an occasion at which a fault is due takes that fault, in one atomic
step, so that none comes twice, in a second process or in a second life of the study. This module refuses to know how a
fault is brought about.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from hippo.testing.fault_plans import SEAM_OF, Fault, FaultPlan, Seam

#: begins what an error says that a fault brought about: a call may end with such an error, and with no other
INJECTED = "injected:"


def is_injected(error: Exception) -> bool:
    """Tell whether an error, or that of which it tells, was brought about by a fault."""
    return INJECTED in str(error)


class FaultLedger(Protocol):
    """Remembers which faults have come, by their numbers in a plan."""

    def claim(self, number: int) -> bool:
        """Take a fault; return False if somebody has."""

    def note(self, number: int, what: str) -> None:
        """Write down what a fault hit."""

    def fired(self) -> dict[int, str]:
        """Return number -> what it hit, of all that have come."""


class MemoryLedger:
    """A ledger for a study in this process alone."""

    def __init__(self) -> None:
        self._fired: dict[int, str] = {}

    def claim(self, number: int) -> bool:
        if number in self._fired:
            return False
        self._fired[number] = ""
        return True

    def note(self, number: int, what: str) -> None:
        self._fired[number] = what

    def fired(self) -> dict[int, str]:
        return dict(sorted(self._fired.items()))


class FolderLedger:
    """A ledger for many processes: a file for each fault that has come, which outlives whoever made it.

    Args:
      folder: is there, and empty at first.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def claim(self, number: int) -> bool:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self._folder / str(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC))
            return True
        return False

    def note(self, number: int, what: str) -> None:
        (self._folder / str(number)).write_text(what, encoding="utf-8")

    def fired(self) -> dict[int, str]:
        found = {int(file.name): file.read_text(encoding="utf-8") for file in self._folder.iterdir()}
        return dict(sorted(found.items()))


class StudyLife(Protocol):
    """The life of the process that a study runs in, or of what stands for one."""

    #: it was killed: nothing that it does now has an effect
    is_over: bool

    def end(self) -> None:
        """Kill it."""


class ProcessLife:
    """The life of this very process."""

    is_over = False

    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class PretendedLife:
    """A life that ends in appearance: the seams do nothing from then on, so that what was durable is all that is left.

    Args:
      on_end: called once, when it ends.
    """

    def __init__(self, on_end: Callable[[], None] = lambda: None) -> None:
        self.is_over = False
        self._on_end = on_end

    def end(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._on_end()


class FaultBook:
    """The faults that have not come yet, for one process. It can be pickled, and then counts anew.

    Args:
      plan: what shall go wrong.
      ledger: shared by all processes.
    """

    def __init__(self, plan: FaultPlan, ledger: FaultLedger) -> None:
        self.plan = plan
        self.ledger = ledger
        self._counts = dict.fromkeys(Seam, 0)
        self._ahead = self._in_order()

    def __getstate__(self) -> tuple[FaultPlan, FaultLedger]:
        return self.plan, self.ledger

    def __setstate__(self, state: tuple[FaultPlan, FaultLedger]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def _in_order(self) -> dict[Seam, list[int]]:
        numbers = sorted(range(len(self.plan)), key=lambda number: (self.plan[number].at, number))
        return {seam: [number for number in numbers if SEAM_OF[self.plan[number].kind] is seam] for seam in Seam}

    def take(self, seam: Seam, fits: Callable[[Fault], bool] = lambda _: True) -> TakenFault | None:
        """Count an occasion; return the fault that comes now, if any.

        Args:
          seam: where.
          fits: whether a fault can come at this occasion; else it waits for another one.
        """
        self._counts[seam] += 1
        ahead = self._ahead[seam]
        for number in ahead:
            fault = self.plan[number]
            if fault.at > self._counts[seam]:
                return None
            if fits(fault):
                ahead.remove(number)
                return TakenFault(number, fault, self.ledger) if self.ledger.claim(number) else None
        return None


class TakenFault:
    """A fault that comes now.

    Args:
      number: in its plan.
      fault: itself.
      ledger: hears what it hit.
    """

    def __init__(self, number: int, fault: Fault, ledger: FaultLedger) -> None:
        self.kind = fault.kind
        self.amount = fault.amount
        self._number = number
        self._ledger = ledger

    def note(self, what: str) -> None:
        """Write down what was hit."""
        self._ledger.note(self._number, what)
