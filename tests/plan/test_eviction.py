"""What is written down of states that can no longer be loaded, by those who have no plan in memory."""

from __future__ import annotations

from dataclasses import replace

from hippo.plan import CheckpointLoss, CheckpointRow, Insert, MemoryStore, PlanRow, forget_states
from hippo.plan.eviction import know_states_again

from .plans import PLAN


def state(plan: int, key: str, gone: str = "") -> CheckpointRow:
    return CheckpointRow(
        plan=plan, key=key, node=1, step=1, size_bytes=1, sha256="", state_hash="", seconds=0.0, study=1, gone=gone
    )


def gone(store: MemoryStore) -> dict[str, str]:
    return {row.key: row.gone for row in store.rows(CheckpointRow)}


def test_states_of_one_plan_are_forgotten_once_and_who_knows_it_in_memory_reads_it_again() -> None:
    store = MemoryStore()
    for workload in ("a", "b"):
        store.add_plan(replace(PLAN, plan=0, workload=workload))
    store.commit([Insert(state(2, "there")), Insert(state(2, "broken", "corrupt")), Insert(state(1, "elsewhere"))])
    forget_states(store, 2, ["there", "broken", "elsewhere"], CheckpointLoss.EVICTED)
    assert gone(store) == {"there": "evicted", "broken": "corrupt", "elsewhere": ""}
    assert [row.epoch for row in store.rows(PlanRow)] == [0, 1]
    know_states_again(store, 2, ["there"])
    assert gone(store)["there"] == ""
    assert [row.epoch for row in store.rows(PlanRow)] == [0, 2]
