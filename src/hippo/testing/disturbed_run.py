"""A study run to its end in this process and in memory, whatever goes wrong: in milliseconds, and the same each time.

What outlives a process is here what outlives a *life*: rows, checkpoints, and which faults have come. A life ends when
the study is killed, which is pretended, or when it ends with an error; then the next one begins, as a user would start
the script again. This module refuses to know which faults there are.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from hippo.checkpoints import MemoryCheckpoints
from hippo.errors import HippoError
from hippo.plan import MemoryStore
from hippo.runtime import Runtime
from hippo.study import create_study
from hippo.study.runtimes import serve_by
from hippo.testing.fact_check import wrong_facts
from hippo.testing.fault_book import FaultBook, MemoryLedger, PretendedLife
from hippo.testing.fault_plans import FaultKind, FaultPlan
from hippo.testing.faulty_checkpoints import FaultyCheckpoints
from hippo.testing.faulty_engine import FaultyEngine
from hippo.testing.faulty_store import FaultyStore
from hippo.testing.soak_studies import SoakStudy, run_calls
from hippo.testing.stepped_engine import SteppedEngine
from hippo.testing.study_results import StudyResults, results_of
from hippo.testing.trainers import ToyTrainer

_PLACE = "memory://"
#: of errors that no fault explains
_MOST_ERRORS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbedRun:
    """What came of it."""

    results: StudyResults
    #: what is wrong with the rows that it left
    wrong: list[str]
    #: the faults that came
    fired: FaultPlan
    lives: int


def run_disturbed(
    of: SoakStudy,
    plan: FaultPlan,
    *,
    choose: Callable[[int], int | None] = lambda _: 0,
    slots: int = 2,
    resident_bytes: int = 1 << 20,
) -> DisturbedRun:
    """Run a study to its end, while faults of a plan come.

    Args:
      of: the study.
      plan: what goes wrong.
      choose: which slot goes on, as in `SteppedEngine`.
      slots, resident_bytes: as there.

    Raises:
      HippoError: the study ended with an error that no fault explains.
    """
    ledger, rows, states = MemoryLedger(), MemoryStore("disturbed"), MemoryCheckpoints()
    lives = 0
    while True:
        lives += 1
        before = len(ledger.fired())
        book, life = FaultBook(plan, ledger), PretendedLife()
        store = FaultyStore(rows, book, life)
        stepped = SteppedEngine(slots=slots, choose=choose, resident_bytes=resident_bytes)
        engine = FaultyEngine(stepped, book, life, has_processes=False)
        serve_by(Runtime(engine, checkpoints=FaultyCheckpoints(states, book, life), clock=stepped.clock), _PLACE)
        study = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                study = create_study(
                    "disturbed", trainer=ToyTrainer, storage=store, checkpoints=_PLACE, engine=engine, metric="loss",
                    mode="min", **of.options,
                )  # fmt: skip
                run_calls(study, of)
        except HippoError:
            if len(ledger.fired()) == before:
                raise
        else:
            if not life.is_over:
                break
        finally:
            with contextlib.suppress(HippoError):
                if study is not None:
                    study.close()
    fired = tuple(plan[number] for number in ledger.fired())
    damaged = {what for number, what in ledger.fired().items() if plan[number].kind in DAMAGE}
    return DisturbedRun(
        results=results_of(study, rows), wrong=wrong_facts(rows, states, damaged=damaged), fired=fired, lives=lives
    )


#: after these a checkpoint may be damaged, and nobody need have noticed
DAMAGE = frozenset({FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT, FaultKind.LOSE_FILE})
