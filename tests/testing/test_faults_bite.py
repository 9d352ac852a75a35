"""Each kind of fault bites: where what guards against it is broken, the oracle says so."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import hippo.checkpoints.memory
from hippo.errors import HippoError
from hippo.plan import LeaseEnd
from hippo.plan.facts import PlanFacts
from hippo.plan.lease_book import LeaseBook
from hippo.plan.plan_index import PlanIndex
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.turns.intake import Intake
from hippo.runtime.turns.writes import Writes
from hippo.testing import faulty_checkpoints
from hippo.testing.disturbed_run import run_disturbed
from hippo.testing.fault_plans import SEAM_OF, Fault, FaultKind, Seam
from hippo.testing.soak_studies import SOAK_STUDIES

pytestmark = pytest.mark.slow

NAMES = ("grid", "grid, longer", "halving")
EXPECTED = {name: run_disturbed(SOAK_STUDIES[name], resident_bytes=0).results for name in (*NAMES, "forks")}
FURTHEST = {Seam.EVENT: 150, Seam.COMMAND: 4, Seam.WRITE: 12, Seam.READ: 5, Seam.COMMIT: 25}


def bites(kind: FaultKind, tries: int = 12) -> list[str]:
    """Return what the oracle says of the first disturbed study, of so many, with which something is wrong."""
    rng = random.Random(kind.value)
    for _ in range(tries):
        name = rng.choice(NAMES)
        plan = tuple(
            Fault(kind=kind, at=rng.randint(1, FURTHEST[SEAM_OF[kind]]), amount=rng.randint(1, 25))
            if SEAM_OF[kind] is Seam.EVENT
            else Fault(kind=kind, at=rng.randint(1, FURTHEST[SEAM_OF[kind]]), amount=rng.randint(1, 6))
            for _ in range(2)
        )
        try:
            run = run_disturbed(SOAK_STUDIES[name], plan, EXPECTED[name], choose=rng.randrange, resident_bytes=0)
        except HippoError as error:
            return [str(error)]
        if run.wrong:
            return run.wrong
    return []


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (FaultKind.FLIP_BIT, "corrupt"),
        (FaultKind.TRUNCATE_FILE, "corrupt"),
        (FaultKind.LOSE_FILE, "evicted"),
        (FaultKind.CUT_SLOT, "lost"),
        (FaultKind.KILL_WORKER, "lost"),
        (FaultKind.KILL_STUDY, "lost"),
        (FaultKind.KILL_STUDY_BEFORE_COMMIT, "lost"),
        (FaultKind.KILL_STUDY_AFTER_COMMIT, "lost"),
        (FaultKind.FAIL_WRITE, "not kept"),
    ],
)
def test_what_a_fault_costs_is_run_again_and_named_by_its_cause(kind: FaultKind, cause: str) -> None:
    causes: set[str] = set()
    for at in range(1, FURTHEST[SEAM_OF[kind]], max(1, FURTHEST[SEAM_OF[kind]] // 12)):
        plan = (Fault(kind=kind, at=at, amount=2),)
        run = run_disturbed(SOAK_STUDIES["halving"], plan, EXPECTED["halving"], resident_bytes=0)
        assert run.wrong == []
        causes |= run.results.steps.keys()
    assert cause in causes


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.DUPLICATE_EVENT,
        FaultKind.SWAP_EVENTS,
        FaultKind.DUPLICATE_COMMAND,
        FaultKind.FULL_DISK,
        FaultKind.SLOW_WRITE,
        FaultKind.SLOW_READ,
        FaultKind.FAIL_READ,
        FaultKind.SLOW_COMMIT,
        FaultKind.CLOCK_JUMP,
    ],
)
def test_what_costs_nothing_has_no_step_run_again(kind: FaultKind) -> None:
    plan = tuple(Fault(kind=kind, at=at, amount=1 + at % 3) for at in range(1, FURTHEST[SEAM_OF[kind]], 5))
    name = "forks" if SEAM_OF[kind] is Seam.COMMAND else "grid"
    run = run_disturbed(SOAK_STUDIES[name], plan, EXPECTED[name], resident_bytes=0 if name == "grid" else 1 << 20)
    assert (run.wrong, set(run.results.steps)) == ([], {"first"})
    assert run.fired


def check_nothing(*_: Any, **__: Any) -> None:
    pass


Break = Callable[[pytest.MonkeyPatch], None]


def hashes_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(hippo.checkpoints.memory, "check_bytes", check_nothing)


def lost_files_are_not_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PlanFacts, "forget_checkpoint", check_nothing)


def steps_said_twice_count_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PlanFacts, "is_told_again", lambda *_: False)


def files_said_twice_are_recorded_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PlanIndex, "knows_key", lambda *_: False)


def any_end_frees_a_slot(patch: pytest.MonkeyPatch) -> None:
    release = SlotTable.release

    def careless(self: SlotTable, slot: Any, lease: Any) -> None:
        held = self._slots.get(slot)
        release(self, slot, lease if held is None or held.lease is None else held.lease)

    patch.setattr(SlotTable, "release", careless)


def lost_work_is_not_given_out_again(patch: pytest.MonkeyPatch) -> None:
    end = Intake._end_lease

    def careless(self: Intake, lease: Any, how: LeaseEnd, *more: Any, **named: Any) -> Any:
        return end(self, -1 if how is LeaseEnd.LOST else lease, how, *more, **named)  # type: ignore[arg-type]

    patch.setattr(Intake, "_end_lease", careless)


def what_was_not_written_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Writes, "failed", check_nothing)


def leases_of_the_dead_go_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaseBook, "restore", lambda self, row: row)


def a_full_disk_is_like_any_other(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(faulty_checkpoints, "StoreFullError", hippo.errors.CheckpointError)


@pytest.mark.parametrize(
    ("kind", "broken", "said"),
    [
        (FaultKind.FLIP_BIT, hashes_are_not_compared, "undisturbed"),
        (FaultKind.TRUNCATE_FILE, hashes_are_not_compared, "undisturbed"),
        (FaultKind.LOSE_FILE, lost_files_are_not_forgotten, "hangs"),
        (FaultKind.DUPLICATE_EVENT, steps_said_twice_count_twice, "run again"),
        (FaultKind.DUPLICATE_EVENT, files_said_twice_are_recorded_twice, "recorded before"),
        (FaultKind.DUPLICATE_EVENT, any_end_frees_a_slot, "hangs"),
        (FaultKind.CUT_SLOT, lost_work_is_not_given_out_again, "hangs"),
        (FaultKind.CUT_SLOT_LATE_WORDS, lost_work_is_not_given_out_again, "hangs"),
        (FaultKind.KILL_WORKER, lost_work_is_not_given_out_again, "hangs"),
        (FaultKind.FAIL_COMMIT, what_was_not_written_is_forgotten, "never run"),
        (FaultKind.KILL_STUDY, leases_of_the_dead_go_on, "has not ended"),
        (FaultKind.FULL_DISK, a_full_disk_is_like_any_other, "No space left"),
    ],
)
def test_a_broken_guard_is_seen(monkeypatch: pytest.MonkeyPatch, kind: FaultKind, broken: Break, said: str) -> None:
    assert bites(kind, tries=4) == []
    broken(monkeypatch)
    wrong = bites(kind)
    assert any(said in what for what in wrong), wrong
