"""Makes room in the store of checkpoints: what goes when the states of a database take more than they may.

The budget is one for all plans of a database whose states lie in one place. So all of them are looked at: those that
this process trains on, whose control loop alone may say what goes, and those that nobody trains on, which are taken
over for a moment. What others train on stays.

The shell calls it between two turns, since it reads rows; what it finds goes into the next one, which looks once more
whether work needs a state, and records what goes.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from contextlib import ExitStack

from hippo.plan import (
    AbstractPlanStore,
    CheckpointLoss,
    CheckpointRow,
    RankedStates,
    Rows,
    StudyPlanRow,
    StudyRow,
    choose,
    forget_states,
    take_unless_used,
)
from hippo.runtime.asking.instructions import Leaving, RoomFound
from hippo.runtime.plans.needs import Needs
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.worths import WorthReader

#: with so many states in the budget, a tenth of it is freed at once: all are looked at each time
_MANY = 100
_FREED_AT_ONCE = 0.1
#: plans that nobody trains on of which states may go, the largest ones: each is a lock to take
_MOST_IDLE = 50


def find_room(
    store: AbstractPlanStore,
    runs: Iterable[PlanRun],
    limit: int,
    *,
    place: str | None,
    there: Container[str] | None,
) -> tuple[RoomFound, list[str]]:
    """Return what is to go of the plans under way, and the files of other plans, whose states were forgotten just now.

    Args:
      store: the database.
      runs: the plans that this process writes to.
      limit: how many bytes the states may take.
      place: where they lie, as studies name it; None: wherever that is.
      there: the names of those that are there; None: all that rows name.
    """
    ours = {run.plan.row.plan: run for run in runs if run.store.uuid == store.uuid}
    sizes = _sizes_at(store, place)
    with ExitStack() as locks:
        idle = sorted((number for number in sizes if number not in ours), key=lambda number: -sizes[number])
        held = [*(number for number in sizes if number in ours)]
        held += [number for number in idle[:_MOST_IDLE] if take_unless_used(locks, store, number)]
        with store.reading() as rows:
            worths = WorthReader(rows, there=there)
            kept = [worths.read(number) for number in held]
        total = sum(each.held.size_bytes for each in kept)
        if there is None:  # else what others hold is in their own memory
            total += sum(sizes[number] for number in idle if number not in held)
        needs = {at: Needs(ours[number]) for at, number in enumerate(held) if number in ours}
        chosen = choose(
            kept,
            _excess(kept, total, limit),
            is_needed=lambda at, point: at in needs and point in needs[at],
        )
        leaving, removed = [], []
        for at, number in enumerate(held):
            going = [(point, kept[at].held.files[point]) for which, point in chosen if which == at]
            if number in ours:
                leaving += [Leaving(ours[number], point, file) for point, file in going]
            elif going:
                keys = [file.key for _, file in going]
                forget_states(store, number, keys, CheckpointLoss.EVICTED)
                removed += keys
                total -= sum(file.size_bytes for _, file in going)
    return RoomFound(store.uuid, tuple(leaving), total), removed


def forget_spare(store: AbstractPlanStore, plan: int, *, there: Container[str] | None) -> list[str]:
    """Forget the states of a plan that nobody would miss, unless somebody trains on it; return their files.

    Args:
      store, plan: which.
      there: the names of the states that are there; None: all that rows name.
    """
    with ExitStack() as locks:
        if not take_unless_used(locks, store, plan):
            return []
        with store.reading() as rows:
            kept = WorthReader(rows, there=there).read(plan)
        keys = [kept.held.files[point].key for point in kept.spare()]
        if keys:
            forget_states(store, plan, keys, CheckpointLoss.EVICTED)
        return keys


def plans_by_place(rows: Rows) -> dict[str, set[int]]:
    """Return each place where studies keep their states, as they name it -> their plans; deleted studies count."""
    places = {row.study: json.loads(row.settings).get("checkpoints") for row in rows.rows(StudyRow)}
    plans: dict[str, set[int]] = {}
    for member in rows.rows(StudyPlanRow):
        if (place := places.get(member.study)) is not None:
            plans.setdefault(place, set()).add(member.plan)
    return plans


def _sizes_at(store: AbstractPlanStore, place: str | None) -> dict[int, int]:
    """Return the plans that have states, with their bytes, of which a study keeps them in a place; None: anywhere."""
    with store.reading() as rows:
        plans = None if place is None else plans_by_place(rows).get(place, set())
        sizes = rows.totals(CheckpointRow, ("plan",), "size_bytes", gone="")
    return {plan: int(size) for plan, _, _, size, _ in sizes if plans is None or plan in plans}


def _excess(kept: Iterable[RankedStates], total: int, limit: int) -> int:
    """Return how many bytes are to be freed."""
    count = sum(len(each.held.files) for each in kept)
    if total <= limit:
        return 0
    target = limit * (1 - _FREED_AT_ONCE) if count >= _MANY else limit
    return total - int(target)
