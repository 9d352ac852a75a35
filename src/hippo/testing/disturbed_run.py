"""A study run to its end in this process and in memory, whatever goes wrong: in milliseconds, and the same each time.

What outlives a process is here what outlives a *life*: rows, checkpoints, and which faults have come. A life ends when
the study is killed, which is pretended; then the next one begins, as a user would start the script again. This module
refuses to know which faults there are.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from hippo.checkpoints import MemoryCheckpoints
from hippo.errors import HippoError
from hippo.plan import AbstractPlanStore, MemoryStore
from hippo.runtime import Runtime
from hippo.study import Study, create_study, load_study
from hippo.study.runtimes import close_runtime, serve_by
from hippo.testing.fault_book import FaultBook, MemoryLedger, PretendedLife, is_injected
from hippo.testing.fault_plans import FaultPlan
from hippo.testing.faulty_checkpoints import FaultyCheckpoints
from hippo.testing.faulty_engine import FaultyEngine
from hippo.testing.faulty_store import FaultyStore
from hippo.testing.soak_oracle import all_that_is_wrong
from hippo.testing.soak_studies import SoakStudy, run_calls
from hippo.testing.stepped_engine import SteppedEngine
from hippo.testing.study_results import StudyResults, results_of
from hippo.training.trainer import Trainer

_PLACE = "memory://"
_NAME = "disturbed"


class UntrainedTrainer(Trainer):
    """Names a workload for an engine that trains nothing."""

    def train(self) -> None:
        raise NotImplementedError("a stepped engine trains nothing")

    def evaluate(self) -> dict[str, Any]:
        raise NotImplementedError("a stepped engine evaluates nothing")

    def state_dict(self) -> dict[str, Any]:
        raise NotImplementedError("a stepped engine has states of its own")

    def load_state_dict(self, state: dict[str, Any]) -> None:
        raise NotImplementedError("a stepped engine has states of its own")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbedRun:
    """What came of it."""

    results: StudyResults
    #: how it differs from the undisturbed run, and whatever else is wrong; empty if all is well
    wrong: list[str]
    #: the faults that came
    fired: FaultPlan
    lives: int


def run_disturbed(
    of: SoakStudy,
    plan: FaultPlan = (),
    expected: StudyResults | None = None,
    *,
    choose: Callable[[int], int | None] = lambda _: 0,
    slots: int = 2,
    resident_bytes: int = 1 << 20,
) -> DisturbedRun:
    """Run a study to its end, while faults of a plan come.

    Args:
      of: the study.
      plan: what goes wrong.
      expected: what the undisturbed run came to; None: this is one.
      choose: which slot goes on, as in `SteppedEngine`.
      slots, resident_bytes: as there.

    Raises:
      HippoError: the study ended with an error that no fault brought about.
    """
    ledger, rows, states = MemoryLedger(), MemoryStore("disturbed"), MemoryCheckpoints()
    lives, is_over = 0, False
    while not is_over:
        lives += 1
        book, life = FaultBook(plan, ledger), PretendedLife()
        stepped = SteppedEngine(slots=slots, choose=choose, resident_bytes=resident_bytes)
        engine = FaultyEngine(stepped, book, life, has_processes=False)
        serve_by(Runtime(engine, checkpoints=FaultyCheckpoints(states, book, life), clock=stepped.clock), _PLACE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            is_over = _live(of, FaultyStore(rows, book, life), engine, life)
    fired, results = ledger.fired(), results_of(load_study(_NAME, cast(str, rows)), rows)
    wrong = all_that_is_wrong(results, expected, rows, states, plan=plan, fired=fired)
    return DisturbedRun(results=results, wrong=wrong, fired=tuple(plan[number] for number in fired), lives=lives)


def _live(of: SoakStudy, store: AbstractPlanStore, engine: FaultyEngine, life: PretendedLife) -> bool:
    """Have one life, or the beginning of one; return whether the study came to its end in it."""
    try:
        run_calls(_make_study(of, store, engine), of, life)
    except HippoError as error:
        if not is_injected(error):
            raise
        return False
    finally:
        with contextlib.suppress(HippoError):  # of the dead, who can write nothing any more
            close_runtime(engine)
    return not life.is_over


def _make_study(of: SoakStudy, store: AbstractPlanStore, engine: FaultyEngine) -> Study:
    return create_study(
        _NAME,
        trainer=UntrainedTrainer,
        version="1",  # that of its code need not be worked out for each life
        storage=store,
        checkpoints=_PLACE,
        engine=engine,
        metric="loss",
        mode="min",
        **of.options,
    )
