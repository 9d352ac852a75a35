"""How tests of the runtime write down a plan at work: one study, requests without tuners, leases without engines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hippo.clock import SystemClock
from hippo.events import CheckpointWritten, Evaluated, StateHashed, StepDone
from hippo.hparams import Config, as_config
from hippo.plan import LeaseEnd, MemoryStore, PlanRow, StudyRow, TrialRow
from hippo.records import (
    Assignment,
    CheckpointRef,
    LeaseId,
    NodeId,
    Objective,
    Slot,
    SlotId,
    TrainerSpec,
)
from hippo.runtime.plans.facts import absorb
from hippo.runtime.plans.outcomes import Outcome
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.trial_book import MemberTrial
from hippo.schedulers import CriticalPath

LOSS = Objective(metric="loss", mode="min")
SPEC = TrainerSpec(
    workload="w", reference="m:T", pickled=None, arguments="{}", search_path=(), seed=0, evaluate_every=10**9
)


class Bench:
    """A plan at work that a test drives by hand: it asks, gives work out, and says what workers say."""

    def __init__(self, **settings: Any) -> None:
        self.store = MemoryStore()
        self.row = self.store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
        self.run = PlanRun(self.store, self.row, SPEC, SystemClock())
        self.study = self.new_study(**settings)
        self._requests = itertools.count(1)
        self._keys = itertools.count(1)

    def new_study(self, name: str = "toy", **settings: Any) -> StudyState:
        row = self.store.add_study(StudyRow(study=0, name=name, generation=1), {"": self.row.plan})
        return StudyState(self.store, row, Settings(**{"objectives": (LOSS,), **settings}))

    def request(
        self,
        config: Mapping[str, Any],
        until: int,
        *,
        study: StudyState | None = None,
        final: bool = False,
        is_speculative: bool = False,
        evaluate: bool = True,
        is_transient: bool = False,
    ) -> Request:
        """Return a request that nobody has put in yet."""
        wanted, number = as_config(config), next(self._requests)
        path = self.run.plan.path(wanted)
        row = TrialRow(study=1, number=number, call=0, config="", occurrence=0, until=until)
        return Request(
            id=number,
            book=cast(Any, None),
            study=study or self.study,
            trial=MemberTrial(row, wanted, path),
            node=path.node_at(until),
            until=until,
            final=final,
            is_extension=is_speculative,
            is_speculative=is_speculative,
            comes_alone=False,
            evaluate=evaluate,
            is_transient=is_transient,
            row=None,
        )

    def ask(self, config: Mapping[str, Any], until: int, **options: Any) -> Request:
        """Put a request in."""
        request = self.request(config, until, **options)
        self.run.waiting.add(request)
        return request

    def give_out(self, lease: int = 1) -> Assignment:
        """Give the most urgent chain to a slot."""
        (chain,) = CriticalPath().lanes([self.run.remaining.tree], limit=1)
        served = self.run.waiting.along(chain.stages)
        return self.run.assign([chain.stages], Slot(id=SlotId("a")), LeaseId(lease), [served])

    def give_out_together(self, lease: int = 1) -> Assignment:
        """Give all chains that can start now to one slot, under one lease, the most urgent first."""
        chains = [chain.stages for chain in CriticalPath().lanes([self.run.remaining.tree], limit=100)]
        served = [self.run.waiting.along(stages) for stages in chains]
        return self.run.assign(chains, Slot(id=SlotId("a")), LeaseId(lease), served)

    def say(self, event: Any) -> Outcome:
        """Let a worker say something; return what it came to."""
        outcome = Outcome()
        absorb(self.run, event, outcome)
        return outcome

    def step(self, node: NodeId, step: int, *, lease: int = 1, lane: int = 0, **training: float) -> Outcome:
        return self.say(StepDone(lease=LeaseId(lease), lane=lane, node=node, step=step, training=training, seconds=1.0))

    def steps(self, node: NodeId, steps: range, *, lease: int = 1, lane: int = 0) -> None:
        for step in steps:
            self.step(node, step, lease=lease, lane=lane)

    def evaluated(self, node: NodeId, step: int, loss: float, *, lease: int = 1, lane: int = 0) -> Outcome:
        return self.say(
            Evaluated(lease=LeaseId(lease), lane=lane, node=node, step=step, metrics={"loss": loss}, seconds=1.0)
        )

    def hashed(self, node: NodeId, step: int, state_hash: str, *, lease: int = 1) -> Outcome:
        return self.say(StateHashed(lease=LeaseId(lease), lane=0, node=node, step=step, state_hash=state_hash))

    def written(self, node: NodeId, step: int, *, key: str = "", state_hash: str = "s", lease: int = 1) -> Outcome:
        ref = CheckpointRef(key=key or f"k{next(self._keys)}", size_bytes=1, sha256="", state_hash=state_hash)
        return self.say(
            CheckpointWritten(lease=LeaseId(lease), lane=0, node=node, step=step, checkpoint=ref, seconds=1.0)
        )

    def end(self, lease: int = 1, how: LeaseEnd = LeaseEnd.DONE) -> Outcome:
        outcome = Outcome()
        self.run.end_lease(LeaseId(lease), how, outcome)
        return outcome


def numbers(requests: Sequence[Request]) -> list[int]:
    return [request.id for request in requests]


def config(lr: object = 0.1, **more: object) -> Config:
    return Config({"lr": lr, **more})
