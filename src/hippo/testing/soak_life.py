"""One life of a study that is disturbed: what a script of a user's does, from its start to its end or its death.

It runs in a process of its own, which faults may kill. This module refuses to know whether what came of it is right.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hippo.checkpoints import FolderCheckpoints
from hippo.clock import SystemClock
from hippo.engines import AbstractEngine, InlineEngine, LocalEngine
from hippo.errors import HippoError
from hippo.plan import open_store
from hippo.runtime import Runtime
from hippo.study import Study, create_study
from hippo.study.runtimes import serve_by
from hippo.testing.fault_book import FaultBook, FaultLedger, FolderLedger, ProcessLife, StudyLife, is_injected
from hippo.testing.fault_plans import FaultPlan
from hippo.testing.faulty_checkpoints import FaultyCheckpoints
from hippo.testing.faulty_engine import FaultyEngine
from hippo.testing.faulty_store import FaultyStore
from hippo.testing.jumping_clock import JumpingClock
from hippo.testing.soak_studies import SoakStudy, run_calls, soak_study

#: marks all processes that a life has started
MARK = "HIPPO_SOAK_MARK"
STUDY = "soak"


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakTask:
    """A study to be disturbed, in a form that travels to another process."""

    #: of `SOAK_STUDIES`, or of those that a user's space makes
    study: str
    #: "package.module:Class"
    trainer: str
    trainer_args: Mapping[str, Any] = field(default_factory=dict)
    metric: str = "loss"
    mode: str = "min"
    #: a user's own: name -> values; None for that of the built-in studies
    space: Mapping[str, Any] | None = None
    until: int = 0
    #: "inline" or "local"
    engine: str = "inline"
    workers: int = 2
    resident_bytes: int | None = None
    checkpoint_every_s: float = 300.0

    def what(self) -> SoakStudy:
        """Return what the study does."""
        return soak_study(self.study, self.space, self.until)


def storage_of(folder: Path) -> str:
    """Return the database of a study in a folder."""
    return f"sqlite:///{folder}/hippo.db"


def states_of(folder: Path) -> FolderCheckpoints:
    """Return the checkpoints of a study in a folder."""
    return FolderCheckpoints(folder / "states")


def ledger_of(folder: Path) -> FolderLedger:
    """Return which faults have come to a study in a folder."""
    return FolderLedger(str(folder / "faults"))


def live(task: SoakTask, plan: FaultPlan, folder: str, mark: str) -> None:
    """Run a study in a folder to its end, or go on with it, and leave this process.

    Exit code 0: it came to its end. 1: it ended with an error that no fault brought about, told in "life.log".
    """
    here = Path(folder)
    _speak_into(here / "life.log")
    os.environ[MARK] = mark
    ledger = ledger_of(here)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            _run(task, plan, here, ledger)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _speak_into(log: Path) -> None:
    """Have this process, and all that it starts, speak into a file; SIGUSR1 has it say where it stands."""
    with open(log, "ab", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    faulthandler.enable(file=2)
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=True)


def _run(task: SoakTask, plan: FaultPlan, folder: Path, ledger: FaultLedger) -> None:
    life = ProcessLife()
    while True:
        try:
            study = _make_study(task, FaultBook(plan, ledger), life, folder)
            break
        except HippoError as error:
            if not is_injected(error):
                raise
    run_calls(study, task.what(), life)
    study.close()


def _make_study(task: SoakTask, book: FaultBook, life: StudyLife, folder: Path) -> Study:
    is_local = task.engine == "local"
    inner: AbstractEngine = (
        LocalEngine(workers=task.workers, resident_bytes=task.resident_bytes)
        if is_local
        else InlineEngine(resident_bytes=task.resident_bytes)
    )
    engine = FaultyEngine(inner, book, life, has_processes=is_local)
    states = FaultyCheckpoints(states_of(folder), book, life, may_kill=is_local)
    place = str(folder / "states")
    serve_by(Runtime(engine, checkpoints=states, clock=JumpingClock(SystemClock())), place)
    return create_study(
        STUDY,
        trainer=task.trainer,
        trainer_args=task.trainer_args,
        storage=FaultyStore(open_store(storage_of(folder)), book, life),
        checkpoints=place,
        engine=engine,
        metric=task.metric,
        mode=task.mode,
        checkpoint_every_s=task.checkpoint_every_s,
        **task.what().options,
    )
