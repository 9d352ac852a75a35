"""What a study is made of once it is found or made, and what is told of it when one begins to look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hippo.plan import AbstractPlanStore, StudyRow
from hippo.plan.urls import shown_url
from hippo.runtime import Runtime, Settings
from hippo.runtime.studies.observers import StudyBegun
from hippo.study.identity.members import StudyMembers
from hippo.study.identity.study_trainer import MakeTrainer
from hippo.study.watching.callbacks import Callback


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What a study is made of, once it is found or made."""

    store: AbstractPlanStore
    row: StudyRow
    members: StudyMembers
    settings: Settings
    #: whether the store was opened for this study alone, and is closed with it
    has_own_store: bool
    #: makes the runtime when it is first needed
    runtime: Callable[[], Runtime]
    trainer: MakeTrainer
    #: says so where the trainer's class is no longer what it was when the study was made; None: workers import it
    say_changes: Callable[[], None] | None = None
    #: wait while another process writes to the plan
    wait: bool = True
    #: a step that takes longer counts as lost; None: for ever
    step_timeout_s: float | None = None
    callbacks: tuple[Callback, ...] = ()
    #: that trials have its metrics is known from elsewhere, so that one without them fails alone though it comes first
    has_metrics: bool = False

    @property
    def plans(self) -> Mapping[str, int]:
        """Name of each member -> its plan, those of the target first."""
        return self.members.plans

    def begun(self, url: str) -> StudyBegun:
        """Return what those hear first who hear what happens to its trials."""
        return StudyBegun(
            study=self.row.name,
            identity=identity_of(self.store, self.row),
            generation=self.row.generation,
            storage=shown_url(url),
            sharing=self.settings.sharing,
        )


def identity_of(store: AbstractPlanStore, row: StudyRow) -> str:
    """Return what no other study has, wherever it is."""
    return f"{store.uuid}/{row.study}"
