"""What a study has its runtime do: a tuner's call, or the evaluation of one config, prepared and then begun.

Preparing refuses all that can be refused before anything is trained. It refuses to know who waits for a call, and what
a study came to.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hippo.errors import StudyDeletedError
from hippo.hparams import as_config
from hippo.members import BRANCHES, TARGET_NAME, is_of_a_seed
from hippo.plan import StudyRow
from hippo.runtime import Asking, Job, MemberPlan
from hippo.runtime.studies.observers import Observer
from hippo.runtime.studies.warnings import warn_caller
from hippo.schedulers import FairShare
from hippo.study.calls import CallPositions
from hippo.study.opened import Opened
from hippo.study.tuner_checks import asks_branches, check_tuner, scales_of
from hippo.training.trainers import scale_for
from hippo.tuners.averaged import AGGREGATES, Averaged
from hippo.tuners.budgets import checked_steps
from hippo.tuners.tuner import describe, doubts_of, record_of, record_text

#: begins a call that was prepared
Begin = Callable[[], concurrent.futures.Future[Any]]


class StudyCalls:
    """Prepares the calls of one study object, which are counted in the order in which they begin.

    Args:
      opened: the study.
      observer: hears what happens to the trials of each call.
    """

    def __init__(self, opened: Opened, observer: Observer) -> None:
        self.opened = opened
        self._observer = observer
        self._positions = CallPositions()

    def of_config(self, config: Mapping[str, Any], until: int) -> Begin:
        """Return what begins the evaluation of a config: a call of its own."""
        asked = as_config(config)
        until = checked_steps("until", until)
        record = {"evaluate": asked.to_json(), "until": describe(until)}
        return self._prepared(record_text(record), lambda ask: ask(asked, until=until))

    def of_tuner(self, tuner: Any, fair_share: FairShare | None = None) -> Begin:
        """Return what begins a tuner's call, once all that can be refused beforehand was looked at.

        Raises:
          TunerError: it is no tuner, cannot be told from another one, or needs a metric that the study lacks.
          TrainerError: the study's trainer cannot be had here.
        """
        opened = self.opened
        check_tuner(tuner, opened.row.name, opened.settings)
        record, scales = record_text(record_of(tuner)), scales_of(tuner)
        if scales:
            cls = opened.trainer().cls
            opened.members.add(scale_for(cls, str(scale)) for scale in scales)
        names = [str(scale) for scale in scales]
        if asks_branches(tuner, opened.settings) and opened.members.add_branches():
            names.append(BRANCHES)
        begin = self._prepared(record, tuner.tune, fair_share, names, must_not_all_fail=True)
        for doubt in doubts_of(tuner, opened.trainer().cls):
            warn_caller(doubt)
        return begin

    def repeat(self) -> None:
        """Let each call that has ended be gone on with by the next one of its record."""
        self._positions.repeat()

    def _prepared(
        self,
        record: str,
        asking: Asking,
        fair_share: FairShare | None = None,
        scales: Sequence[str] = (),
        *,
        must_not_all_fail: bool = False,
    ) -> Begin:
        row = self.opened.row
        if self.opened.store.rows(StudyRow, study=row.study)[0].deleted:
            raise StudyDeletedError(
                f"study {row.name!r} was deleted, so nobody could find what it trains now; create_study makes it again"
            )
        if self.opened.say_changes is not None:
            self.opened.say_changes()
        job = replace(self.job(scales), fair_share=fair_share, must_not_all_fail=must_not_all_fail)
        runtime = self.opened.runtime()

        def begin() -> concurrent.futures.Future[Any]:
            return self._positions.start(
                record, lambda position: runtime.start_call(job, position, record, self.averaged(asking, scales))
            )

        return begin

    def averaged(self, asking: Asking, scales: Sequence[str] = ()) -> Asking:
        """Return what asks all seeds of the study, and is told averages, if it was made with several."""
        members, settings = self.opened.members, self.opened.settings
        if not any(map(is_of_a_seed, members.target)):
            return asking
        groups = {scale: tuple(members.at(scale)) for scale in scales}
        aggregate, constraints = AGGREGATES[settings.aggregate], settings.constraints
        return lambda ask: asking(Averaged(ask, members.target, aggregate, groups=groups, constraints=constraints))

    def job(self, scales: Sequence[str] = ()) -> Job:
        """Return what the study brings to its runtime: the members of its target, and those at these scales."""
        opened = self.opened
        taken = opened.members.at(TARGET_NAME, *scales)  # first: a call may have made some since
        trainer = opened.trainer()
        return Job(
            store=opened.store,
            study=opened.row,
            settings=opened.settings,
            members={member: MemberPlan(plan=plan, spec=trainer.specs[member]) for member, plan in taken.items()},
            check_config=trainer.check_config,
            wait=opened.wait,
            step_timeout_s=opened.step_timeout_s,
            has_metrics=opened.has_metrics,
            observers=(self._observer,),
            note_stopped=self._positions.note_stopped,
        )
