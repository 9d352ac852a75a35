"""The members of a study, and their plans: its target's, and those of surrogates and branches, as tuners need them.

A member is a row (study, member, plan), made once and never changed. It refuses to know who trains there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from hippo.clock import SystemClock
from hippo.engines import AbstractEngine
from hippo.errors import StorageError, TunerError
from hippo.members import BRANCHES, TARGET_NAME, at_scale, is_of_branches, scale_of
from hippo.plan import AbstractPlanStore, Insert, PlanRow, StudyPlanRow, StudyRow, plans_of
from hippo.records import FUSED, FUSED_FAST, TrainerSpec, Workload, may_fuse
from hippo.runtime import changed_fields
from hippo.scale import Scale
from hippo.study.identity.workloads import known_key

#: numerics of a path -> those with which its branches are walked as one program
_BRANCHES_OF = {"exact": FUSED, "fast": FUSED_FAST}


class StudyMembers:
    """The members of one generation of a study.

    Args:
      store: where they are written.
      row: of the study.
      forking: the engine of a user who asked for plans in its environment, where that changed; else None.
    """

    def __init__(self, store: AbstractPlanStore, row: StudyRow, *, forking: AbstractEngine | None = None) -> None:
        self._store = store
        self._row = row
        self._forking = forking
        #: name of each member -> its plan, those of the target first
        self.plans: dict[str, int] = {}
        #: name -> what it is trained as, and the key of that
        self._workloads: dict[str, tuple[Workload, str]] = {}
        self._take_in(plans_of(store, row.study))

    def _take_in(self, plans: Mapping[str, int]) -> None:
        for member, plan in plans.items():
            self.plans[member] = plan
            (row,) = self._store.rows(PlanRow, plan=plan)
            self._workloads[member] = (Workload(**json.loads(row.declared)), row.workload)

    def at(self, *scales: str) -> dict[str, int]:
        """Return the members at these scales, with their plans, in their order."""
        if not {TARGET_NAME, *scales} <= {scale_of(member) for member in self.plans}:
            self._look()  # a call has made members since, in this process or another one
        return {member: plan for member, plan in self.plans.items() if scale_of(member) in scales}

    @property
    def target(self) -> tuple[str, ...]:
        """The names of the target's members."""
        return tuple(self.at(TARGET_NAME))

    @property
    def target_workload(self) -> Workload:
        """What the first of the target's members is trained as."""
        return self._workloads[self.target[0]][0]

    def scales(self) -> list[str]:
        """Return the scales of the study's surrogates, also of those that others have made since, the oldest first."""
        self._look()
        scales = dict.fromkeys(map(scale_of, self.plans))
        return [scale for scale in scales if scale != TARGET_NAME and not is_of_branches(scale)]

    def _look(self) -> None:
        self._take_in({m: plan for m, plan in plans_of(self._store, self._row.study).items() if m not in self.plans})

    def specs(self, spec: TrainerSpec) -> dict[str, TrainerSpec]:
        """Return how each member is trained, given how one of them is."""
        return {
            member: replace(spec, seed=workload.seed, scale=workload.scale, numerics=workload.numerics, workload=key)
            for member, (workload, key) in self._workloads.items()
        }

    # --- surrogates

    def add(self, scales: Iterable[Scale]) -> None:
        """Have members at these scales: one for each of the target's, of the same workload at another scale."""
        missing = [scale for scale in scales if not self.at(str(scale))]
        if missing and (missing := [scale for scale in missing if str(scale) not in self.scales()]):
            targets = {m: self._workloads[m][0] for m in self.target}
            self._make(
                {at_scale(m, str(s)): replace(target, scale=str(s)) for s in missing for m, target in targets.items()}
            )

    def add_branches(self) -> bool:
        """Have members that walk branches as one program: one for each of the target's, of its workload as "fused".

        Return whether there are such: a target whose own trials are walked so needs none.

        Raises:
          TunerError: the workload's steps do not agree from one run to the next.
        """
        numerics = self.target_workload.numerics
        if may_fuse(numerics):
            return False
        if numerics not in _BRANCHES_OF:
            raise TunerError(
                f"branches cannot be walked as one program beside a path with numerics={numerics!r}, whose steps "
                "depend on more than the state that they begin with: create the study with one of "
                f"{sorted(_BRANCHES_OF)}, or have branches trained one by one"
            )
        if not self.at(BRANCHES):
            fused = _BRANCHES_OF[numerics]
            self._make({at_scale(m, BRANCHES): replace(self._workloads[m][0], numerics=fused) for m in self.target})
        return True

    def _make(self, wanted: Mapping[str, Workload]) -> None:
        made = {member: self._plan_of(workload) for member, workload in wanted.items()}
        rows = [
            StudyPlanRow(study=self._row.study, member=member, plan=plan.plan, position=position)
            for position, (member, plan) in enumerate(made.items(), start=len(self.plans))
        ]
        try:
            self._store.commit([Insert(row) for row in rows])
        except StorageError:  # another process made them at this moment, on the same plans
            if not made.keys() <= plans_of(self._store, self._row.study).keys():
                raise
        self._take_in({member: plan.plan for member, plan in made.items()})

    def _plan_of(self, workload: Workload) -> PlanRow:
        key = known_key(workload, self._store.rows(PlanRow), of_study=None)
        return newest_plan(self._store, workload, key, forking=self._forking)


def target_plans(store: AbstractPlanStore, study: int) -> dict[str, int]:
    """Return name of each of the target's members -> its plan: what tells a generation of a study from others."""
    return {member: plan for member, plan in plans_of(store, study).items() if scale_of(member) == TARGET_NAME}


def has_surrogates_elsewhere(store: AbstractPlanStore, study: int, forking: AbstractEngine | None) -> bool:
    """Tell whether surrogates of a study were trained in another environment than this engine's.

    A search may have been stopped before its target was trained, whose plan knows no environment then.
    """
    surrogates = [plan for member, plan in plans_of(store, study).items() if scale_of(member) != TARGET_NAME]
    rows = [store.rows(PlanRow, plan=plan)[0] for plan in surrogates] if forking is not None else []
    return any(_has_changed(row, forking) for row in rows)


def _has_changed(plan: PlanRow, engine: AbstractEngine | None) -> bool:
    if engine is None or not plan.environment:
        return False
    return bool(changed_fields(json.loads(plan.environment), engine.foretell_environment()))


def newest_plan(
    store: AbstractPlanStore, workload: Workload, key: str, *, forking: AbstractEngine | None = None
) -> PlanRow:
    """Return the newest plan of a workload; with `forking`, one for this engine's environment if that changed."""
    known = store.rows(PlanRow, workload=key)
    fork = max((row.fork for row in known), default=0)
    if any(row.fork == fork and _has_changed(row, forking) for row in known):
        fork += 1
    return store.add_plan(
        PlanRow(
            plan=0,
            workload=key,
            declared=json.dumps(asdict(workload), sort_keys=True),
            fork=fork,
            created_at=SystemClock().now(),
        )
    )
