"""What must hold of a study that was disturbed, once it has come to its end.

The oracle is the undisturbed run of the same study: its trials, metrics and states must be found again, to the last
bit. Beyond that the database must be whole, and steps may have been run again only for causes that the faults explain.
This module refuses to know how a study is disturbed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from hippo.checkpoints import AbstractCheckpointStore
from hippo.plan import AbstractPlanStore, Cause
from hippo.testing.fact_check import wrong_facts
from hippo.testing.fault_plans import KILLS_OF_STUDY, LOSSES, Fault, FaultKind, FaultPlan
from hippo.testing.study_results import StudyResults, differences

#: after these a checkpoint may be damaged, and nobody need have noticed
_DAMAGE = frozenset({FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT, FaultKind.LOSE_FILE})
_REFUSALS = frozenset({FaultKind.FAIL_WRITE, FaultKind.FAIL_COMMIT})

#: cause -> faults after which steps may be run again for it. What a lane holds in memory only goes with its slot; and
#: where a call ends with an error, nobody asks for the states of what runs: those are states that were not kept.
_EXPLAIN: Mapping[str, Set[FaultKind]] = {
    Cause.LOST.value: LOSSES | KILLS_OF_STUDY | _REFUSALS,
    Cause.NOT_KEPT.value: LOSSES | KILLS_OF_STUDY | _REFUSALS,
    Cause.CORRUPT.value: {FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT},
    Cause.EVICTED.value: {FaultKind.LOSE_FILE},
    Cause.LATE.value: {FaultKind.DELAY_EVENTS, FaultKind.DELAY_COMMANDS},
}
#: of steps that were run in any case
_RUN_ANYWAY = frozenset({Cause.FIRST.value, Cause.CHECK.value, Cause.SPECULATIVE.value})


def all_that_is_wrong(
    found: StudyResults,
    expected: StudyResults | None,
    store: AbstractPlanStore,
    states: AbstractCheckpointStore,
    *,
    plan: FaultPlan,
    fired: Mapping[int, str],
) -> list[str]:
    """Return what is wrong with a study that has come to its end, a sentence each; empty if all is well.

    Args:
      found: what it came to.
      expected: what the undisturbed one came to; None if there is nothing to compare with.
      store, states: what it left.
      plan: what was to go wrong.
      fired: number in the plan -> what it hit, of the faults that came.
    """
    damaged = {what for number, what in fired.items() if plan[number].kind in _DAMAGE}
    wrong = wrong_facts(store, states, damaged=damaged)
    if expected is not None:
        wrong += differences(expected, found)
    return wrong + unexplained(found, expected, [plan[number] for number in fired])


def unexplained(found: StudyResults, expected: StudyResults | None, fired: Sequence[Fault]) -> list[str]:
    """Return the causes for which steps were run again though no fault explains it, a sentence each."""
    came = {fault.kind for fault in fired}
    usual = _RUN_ANYWAY if expected is None else _RUN_ANYWAY | expected.steps.keys()
    return [
        f"{count} steps were run again, cause {cause!r}, after no fault but {sorted(kind.value for kind in came)}"
        for cause, count in sorted(found.steps.items())
        if cause not in usual and came.isdisjoint(_EXPLAIN.get(cause, ()))
    ]
