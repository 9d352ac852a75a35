"""A round of the soak: one study, in as many lives as it takes, and everything that must hold of it afterwards.

Nothing may hang, no process may be left a moment after a life has ended, and no life may end with an error that no
fault brought about. What must hold of results is in `soak_oracle`. This module refuses to know how a round was drawn.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import secrets
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hippo.engines.lifeline import marked
from hippo.plan import open_store
from hippo.study import load_study
from hippo.testing.fault_plans import KILLS_OF_STUDY, Fault, FaultPlan
from hippo.testing.soak_life import MARK, STUDY, SoakTask, ledger_of, live, states_of, storage_of
from hippo.testing.soak_oracle import all_that_is_wrong
from hippo.testing.study_results import StudyResults, results_of

# what a life needs is imported once, and each begins as a fork of that process
multiprocessing.set_forkserver_preload(["hippo.testing.soak_life"])

#: a life that takes longer hangs: undisturbed ones take seconds, and a full disk is tried again every five
LIFE_S = 120.0
#: the law says a second; a machine that is busy with other rounds gets some more
GONE_S = 5.0
_LOOK_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakRound:
    """What came of a round."""

    #: the faults that came, and what they hit
    fired: Mapping[Fault, str]
    lives: int
    #: how the undisturbed run and this one differ, and whatever else is wrong; empty if all is well
    wrong: list[str]
    #: None if it did not come to its end
    results: StudyResults | None


def run_round(task: SoakTask, plan: FaultPlan, folder: Path, expected: StudyResults | None) -> SoakRound:
    """Run a study to its end, whatever happens to it.

    Args:
      task: which.
      plan: what happens to it.
      folder: empty, for all that it keeps.
      expected: what the undisturbed run came to; None: this is one.
    """
    (folder / "faults").mkdir(parents=True)
    lives, code = 0, -1
    wrong: list[str] = []
    while code != 0 and not wrong:
        lives += 1
        before = _num_kills(plan, folder)
        code, wrong = _live_once(task, plan, folder)
        if code == -signal.SIGKILL and _num_kills(plan, folder) == before and not wrong:
            wrong.append("a life was killed, and not by us: was memory short?")
    fired = ledger_of(folder).fired()
    found = None
    if code == 0:
        store = open_store(storage_of(folder))
        found = results_of(load_study(STUDY, storage_of(folder)), store)
        wrong += all_that_is_wrong(found, expected, store, states_of(folder), plan=plan, fired=fired)
        store.close()
    return SoakRound(fired={plan[n]: what for n, what in fired.items()}, lives=lives, wrong=wrong, results=found)


def _num_kills(plan: FaultPlan, folder: Path) -> int:
    return sum(plan[number].kind in KILLS_OF_STUDY for number in ledger_of(folder).fired())


def _live_once(task: SoakTask, plan: FaultPlan, folder: Path) -> tuple[int, list[str]]:
    """Have one life; return its exit code, and what is wrong with its end."""
    mark = secrets.token_hex(8)
    process = multiprocessing.get_context("forkserver").Process(target=live, args=(task, plan, str(folder), mark))
    process.start()
    process.join(LIFE_S)
    hung = process.exitcode is None
    if hung:
        _end_hung(process.pid)
        process.join()
    code = process.exitcode
    assert code is not None, "it was waited for"
    process.close()
    left = _left(f"{MARK}={mark}")
    wrong = [f"processes {left} were left alive {GONE_S:g} s after their study"] if left else []
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if hung:
        wrong.append(f"a life hung for {LIFE_S:g} s; the end of its log:\n{_tail(folder)}")
    elif code > 0:
        wrong.append(f"a life ended with an error that no fault brought about:\n{_tail(folder)}")
    elif code < 0 and code != -signal.SIGKILL:
        wrong.append(f"a life was ended by signal {-code}:\n{_tail(folder)}")
    return code, wrong


def _end_hung(pid: int | None) -> None:
    assert pid is not None, "it was started"
    os.kill(pid, signal.SIGUSR1)  # it says where it stands
    threading.Event().wait(1.0)
    os.kill(pid, signal.SIGKILL)


def _left(mark: str) -> list[int]:
    """Return the processes of a life that are still there after a while."""
    for _ in range(int(GONE_S / _LOOK_S)):
        if not marked(mark):
            return []
        threading.Event().wait(_LOOK_S)
    return marked(mark)


def _tail(folder: Path) -> str:
    """Return the end of what lives said; nothing if the first ended before it could speak."""
    log = folder / "life.log"
    return log.read_text(encoding="utf-8", errors="replace")[-6000:] if log.exists() else ""
