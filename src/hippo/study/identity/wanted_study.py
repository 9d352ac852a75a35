"""A study as its user wants it, found in its storage by what it trains, or made there.

It refuses to know where it is trained, and how what its user wrote is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hippo.engines import AbstractEngine
from hippo.plan import AbstractPlanStore, StudyRow
from hippo.records import Workload
from hippo.runtime import Settings
from hippo.runtime.studies.warnings import say
from hippo.study.identity.describing import TrainerDescription
from hippo.study.identity.generations import find_or_add, kept_of, known_keys, private_names, remember_opened
from hippo.study.identity.members import newest_plan
from hippo.study.identity.named_files import say_changed_files
from hippo.study.identity.upgrades import KeptTrainer, say_upgrades

#: what is kept where nobody says otherwise
KEEP, BUDGET = "leaves", "10GB"


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedStudy:
    """What was asked for, checked."""

    name: str
    trainer: TrainerDescription
    #: name of each member -> its seed
    seed_of: Mapping[str, int]
    evaluate_every: int
    numerics: str
    #: takes the place of the code's fingerprint
    version: str | None
    settings: Settings
    #: nobody said which way its metrics count: their names did
    is_mode_guessed: bool
    #: nobody said which states stay
    is_kept_by_default: bool

    def workloads_in(self, store: AbstractPlanStore) -> dict[str, Workload]:
        """Return name of each member -> what it trains, on a plan of its own in this store if it shares with nobody."""
        trainer, version = self.trainer, self.version
        workloads = {
            member: Workload(
                trainer=trainer.name,
                arguments=trainer.spec.arguments,
                code=trainer.code.fingerprint if version is None else f"version {version}",
                compiled=trainer.compiled if version is None else "",
                dataset=trainer.dataset,
                seed=seed,
                evaluate_every=self.evaluate_every,
                numerics=self.numerics,
            )
            for member, seed in self.seed_of.items()
        }
        if self.settings.sharing:
            return workloads
        names = private_names(store, self.name, workloads)
        return {member: replace(workload, private_to=names[member]) for member, workload in workloads.items()}


def find_or_make(
    wanted: WantedStudy,
    store: AbstractPlanStore,
    place: str,
    *,
    load_if_exists: bool,
    forking: AbstractEngine | None,
) -> StudyRow:
    """Return the generation of a study that trains what is wanted, found or made; say what its user may not know.

    Args:
      wanted: what was asked for.
      store: where it is found.
      place: where its checkpoints are.
      load_if_exists: go on with a study of this name, instead of refusing.
      forking: the engine in whose environment it is trained, if a fork was asked for; else None.

    Raises:
      StudyExistsError: there is one, and it is not to be gone on with.
      StorageError: it has other objectives.
    """
    workloads, code = wanted.workloads_in(store), wanted.trainer.code
    keys = known_keys(store, wanted.name, workloads)
    plans = {
        member: newest_plan(store, workload, keys[member], forking=forking) for member, workload in workloads.items()
    }
    kept = kept_of(wanted.settings, place, wanted.trainer.spec, code)
    row, is_new = find_or_add(store, wanted.name, plans, wanted.settings, kept, load_if_exists, code, forking=forking)
    if is_new:
        _say_defaults(wanted, place)
    before = KeptTrainer(store, row, is_new, [plan.plan for plan in plans.values()])
    if wanted.version is None:
        say_upgrades(row.name, before, code.packages)
    say_changed_files(row.name, before, kept["trainer"].get("files", {}))  # who took our advice forgets it
    remember_opened(store, row, kept)
    return row


def _say_defaults(wanted: WantedStudy, place: str) -> None:
    """Say, when a study is made, what was decided for its user."""
    if wanted.is_mode_guessed:
        for objective in wanted.settings.objectives:
            better = "smaller" if objective.mode == "min" else "larger"
            say(
                f"study {wanted.name!r}: by the name of the metric {objective.metric!r}, {better} is better; "
                f"mode={objective.mode!r} says so without a guess"
            )
    if wanted.is_kept_by_default and not place.startswith("memory:"):
        say(
            "",
            here=f"study {wanted.name!r}: the last state of each trial stays in {place}, up to {BUDGET} in all, the "
            "best ones longest; keep= and checkpoint_budget= say otherwise",
        )
