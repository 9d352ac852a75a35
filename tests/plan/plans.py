"""How tests of the plan write plans down: a small tree of configs, and facts without the parts that do not matter."""

from __future__ import annotations

from hippo.hparams import Config, Constant, MultiStep, Piecewise
from hippo.plan import Cause, MemoryStore, Node, NullListener, PlanRow, SearchPlan
from hippo.records import CheckpointRef, LeaseId, Metrics, Span

PLAN = PlanRow(plan=1, workload="w", declared="{}", fork=0)
#: they branch at 4, 6 and 8; two of them begin at a value of their own
CONFIGS = [
    Config({"lr": lr, "bs": bs})
    for lr in (Constant(0.1), MultiStep(0.1, [4], 0.1), MultiStep(0.1, [4, 8], 0.1), Constant(0.2))
    for bs in (Constant(32), Piecewise([32, 64], [6]))
]
TRUNK = CONFIGS[0]
BRANCH = CONFIGS[2]


def new_plan() -> SearchPlan:
    return SearchPlan(PLAN, NullListener())


def node_at(plan: SearchPlan, config: Config, step: int) -> Node:
    return plan.path(config).node_at(step)


def run_step(
    plan: SearchPlan,
    node: Node,
    step: int,
    training: Metrics | None = None,
    *,
    lease: int = 1,
    cause: Cause = Cause.FIRST,
    seconds: float = 1.0,
) -> bool:
    """Record a step that was trained."""
    return plan.facts.record_step(node, step, training or {}, seconds, lease=LeaseId(lease), cause=cause, study=1)


def run_steps(plan: SearchPlan, node: Node, steps: range, *, lease: int = 1) -> None:
    for step in steps:
        run_step(plan, node, step, lease=lease)


def evaluate(plan: SearchPlan, node: Node, step: int, metrics: Metrics | None = None, *, seconds: float = 1.0) -> bool:
    """Record an evaluation."""
    return plan.facts.record_metrics(node, step, metrics or {"loss": 1.0}, seconds, study=1)


def ref(key: str, state_hash: str = "s") -> CheckpointRef:
    return CheckpointRef(key=key, size_bytes=1, sha256="b", state_hash=state_hash)


def keep(plan: SearchPlan, node: Node, step: int, key: str) -> bool:
    """Record a checkpoint."""
    return plan.facts.record_checkpoint(node, step, ref(key), 1.0, study=1)


def lend(plan: SearchPlan, lease: int, *spans: tuple[Node, int, int]) -> LeaseId:
    """Open a lease for (node, start, stop]."""
    walked = [Span(node=node.id, start=start, stop=stop) for node, start, stop in spans]
    plan.leases.open(LeaseId(lease), walked, slot="a", started_at=0.0)
    return LeaseId(lease)


def reopened(plan: SearchPlan, store: MemoryStore) -> SearchPlan:
    """Write down what changed, and return the plan as another process would read it."""
    store.commit(plan.changes.take())
    return SearchPlan.load(store, store.rows(PlanRow)[0], NullListener())
