"""A round of the soak: one study, in as many lives as it takes, and everything that must hold of it afterwards.

The oracle is the undisturbed run of the same study: its trials, metrics and states must be found again, to the last
bit. Beyond that nothing may hang, no process may be left, the database must be consistent, and steps may have been run
again only for causes that the faults explain. This module refuses to know how a round was drawn.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import secrets
import signal
import threading
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from hippo.engines.lifeline import marked
from hippo.plan import Cause, open_store
from hippo.study import load_study
from hippo.testing.fact_check import wrong_facts
from hippo.testing.fault_plans import LOSSES, Fault, FaultKind, FaultPlan
from hippo.testing.soak_life import MARK, STUDY, SoakTask, ledger_of, live, states_of, storage_of
from hippo.testing.study_results import StudyResults, differences, results_of

#: a life that takes longer hangs: undisturbed ones take seconds, and a full disk is tried again every five
LIFE_S = 120.0
#: the law says a second; a machine that is busy with other rounds gets some more
GONE_S = 5.0
_LOOK_S = 0.02

#: after these a checkpoint may be damaged, and nobody need have noticed
DAMAGE = frozenset({FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT, FaultKind.LOSE_FILE})

_KILLS = frozenset(
    {FaultKind.KILL_STUDY, FaultKind.KILL_STUDY_BEFORE_COMMIT, FaultKind.KILL_STUDY_AFTER_COMMIT}
)
#: of steps that were run in any case
_RUN_ANYWAY = frozenset({Cause.FIRST.value, Cause.CHECK.value, Cause.SPECULATIVE.value})
#: fault -> causes for which steps may be run again after it. What a lane holds in memory only goes with its slot, and
#: where a call ends with an error nobody asks for the states of what runs: those are states that were not kept.
_EXPLAINED: Mapping[FaultKind, Set[Cause]] = {
    **dict.fromkeys(LOSSES | _KILLS, {Cause.LOST, Cause.NOT_KEPT}),
    **dict.fromkeys((FaultKind.FAIL_WRITE, FaultKind.FAIL_COMMIT), {Cause.LOST, Cause.NOT_KEPT}),
    **dict.fromkeys((FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT), {Cause.CORRUPT}),
    **dict.fromkeys((FaultKind.LOSE_FILE, FaultKind.FAIL_READ), {Cause.EVICTED}),
    FaultKind.DELAY_EVENTS: {Cause.LATE},
    FaultKind.DELAY_COMMANDS: {Cause.LATE},
}


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
    lives, wrong, ended = 0, [], False
    while not (wrong or ended):
        lives += 1
        code, wrong = _live_once(task, plan, folder)
        ended = code == 0
    fired = ledger_of(folder).fired()
    found = None
    if ended:
        found, facts = _look_at(folder, plan, fired)
        wrong += facts
        if expected is not None:
            wrong += differences(expected, found)
        wrong += unexplained(found, expected, [plan[number] for number in fired])
    return SoakRound(fired={plan[n]: what for n, what in fired.items()}, lives=lives, wrong=wrong, results=found)


def unexplained(found: StudyResults, expected: StudyResults | None, fired: list[Fault]) -> list[str]:
    """Return the causes for which steps were run again though no fault explains it, a sentence each."""
    causes = {cause.value for fault in fired for cause in _EXPLAINED.get(fault.kind, ())} | _RUN_ANYWAY
    causes |= set() if expected is None else expected.steps.keys()
    return [
        f"{count} steps were run again, cause {cause!r}, after no fault but {sorted({f.kind.value for f in fired})}"
        for cause, count in sorted(found.steps.items())
        if cause not in causes
    ]


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
        wrong.append(f"a life ended with an error that no fault explains:\n{_tail(folder)}")
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


def _look_at(folder: Path, plan: FaultPlan, fired: Mapping[int, str]) -> tuple[StudyResults, list[str]]:
    store = open_store(storage_of(folder))
    damaged = {what for number, what in fired.items() if plan[number].kind in DAMAGE}
    try:
        wrong = wrong_facts(store, states_of(folder), damaged=damaged)
        return results_of(load_study(STUDY, storage_of(folder)), store), wrong
    finally:
        store.close()


def _tail(folder: Path) -> str:
    text = (folder / "life.log").read_text(encoding="utf-8", errors="replace")
    return text[-6000:]
