"""What a store knows of a study, read without writing, and no more of it than changed since it was read last.

A `StudyReader` takes views of a study (see `study_view.py`), and reads for each only what changed since the last one:
facts that were inserted (they never change), and trials that were inserted or changed. It refuses to know who writes,
and what a plan is.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hippo.collector import collector_paused
from hippo.frozen import maker
from hippo.hparams import Config, Constant, Piece
from hippo.hparams import Sequence as HparamSequence
from hippo.hparams.config import flat_params_of
from hippo.members import TARGET_NAME, is_of_a_seed, is_of_branches, scale_of
from hippo.plan import (
    AbstractPlanStore,
    Among,
    CheckpointRow,
    FailureRow,
    FusionFacts,
    MetricsRow,
    Moment,
    PlanRow,
    Rows,
    StepKind,
    StepRow,
    StudyRow,
    TrialRow,
    plans_of,
)
from hippo.records import CheckpointRef, TrialState
from hippo.runtime import Settings
from hippo.runtime.studies.counters import Counters
from hippo.runtime.studies.warnings import warn_caller
from hippo.study.results.best import NoBestTrialError, best_of, best_rows
from hippo.study.results.fact_cache import FactCache, Marks
from hippo.study.results.kept_states import KeptStates, read_kept_states
from hippo.study.results.node_rows import piece_values
from hippo.study.results.slot_leases import LeaseCache, SlotLease
from hippo.study.results.study_view import StudyView
from hippo.study.results.trial_changes import TrialChanges, TrialKey
from hippo.study.results.trial_lines import LineCache
from hippo.study.results.trials import Trial
from hippo.study.results.way_costs import WayCosts

if TYPE_CHECKING:
    from hippo.study.study import Study


class StudyReader:
    """Takes views of a study, and keeps what cannot change for the next one. For any thread.

    Args:
      store: to be read.
      row: of which study.
      settings: its choices.
      study: whose trials these are, for what a trial can have done.
      scale: of the surrogates that are read, and nothing else. None: the whole study is, and its trials are the
        target's.
    """

    def __init__(
        self, store: AbstractPlanStore, row: StudyRow, settings: Settings, study: Study, *, scale: str | None = None
    ) -> None:
        self.settings = settings
        self.study = study
        self.store = store
        self._row = row
        self._scale = scale
        #: name of each member that is read -> its plan
        self.plans: dict[str, int] = {}
        self.facts: dict[str, FactCache] = {}
        #: the members whose trials are shown: one, or one for each seed
        self.shown: tuple[str, ...] = ()
        self._counted: tuple[Marks, Counters] | None = None
        self.way_costs = WayCosts(store)
        #: of each plan
        self._leases: dict[int, LeaseCache] = {}
        self._learn_members(store)
        self._guard = threading.RLock()
        self._view: StudyView | None = None
        #: what `changes` of the store said when the view was taken
        self._seen: object = None
        self._rows: dict[TrialKey, TrialRow] = {}
        #: number of the last change of trials that is known
        self._last_change = 0
        self._configs: dict[int, Config] = {}
        self._params: dict[int, Mapping[str, Any]] = {}
        self._reprs: dict[str, Constant | str] = {}
        #: which trials changed between two looks
        self.changes = TrialChanges()
        #: what tables say of trials
        self.lines = LineCache()
        #: as `TrialSource` has it
        self.sequences: dict[tuple[int, str], HparamSequence | None] = {}
        #: best trials of which was said that they break the constraints: one line reads `best_trial` often
        self._warned_of: set[int] = set()

    def _learn_members(self, rows: Rows) -> None:
        """Look which members there are: surrogates come while a study is read."""
        known = plans_of(rows, self._row.study)
        own = {member: plan for member, plan in known.items() if self._scale in (None, scale_of(member))}
        if own != self.plans:
            self.plans = own
            self.facts = {m: self.facts.get(m) or FactCache(self.store, plan) for m, plan in own.items()}
            self._leases = {}
            self.shown = tuple(member for member in own if scale_of(member) == (self._scale or TARGET_NAME))

    @property
    def has_several_seeds(self) -> bool:
        """Whether trials are averages over seeds."""
        return any(map(is_of_a_seed, self.shown))

    def read(self) -> StudyView:
        """Return the study as it is now."""
        with self._guard:
            seen = self.store.changes()  # before the rows: what comes in between is read twice, and not missed
            if self._view is None or seen != self._seen:
                with collector_paused(), self.store.reading() as rows:
                    self._learn_members(rows)
                    self._rows = self._refreshed(rows)
                    self._view = StudyView(self, self._rows, _marks(rows), self.changes.looks)
                self._seen = seen
            return self._view

    def _refreshed(self, rows: Moment) -> dict[TrialKey, TrialRow]:
        """Return the rows of trials by number and member; those that did not change are the same objects as before."""
        known = dict(self._rows)
        own: dict[str, Any] = {"study": self._row.study}
        if self._scale is not None:
            own["member"] = Among(list(self.plans))
        # of fifty thousand a hundred change between two looks
        order = () if self._last_change else _KEY
        found = rows.columns(TrialRow, _FIELDS, order=order, changed_after=self._last_change, **own)
        fresh = {key: row for key, row in _by_key(sorted(found)).items() if known.get(key) != row}
        known.update(fresh)
        self.changes.take(fresh)
        self._last_change = rows.last_change(TrialRow)
        return known

    # --- the best trial, without a view of all others

    @property
    def rows_tell(self) -> bool:
        """Whether a trial has one row, which says how good it is: one objective, and nothing that it must keep."""
        return self.settings.objective is not None and not self.settings.constraints and not self.has_several_seeds

    def best_trial(self) -> Trial:
        """Return the best trial, by its row if that tells.

        Raises:
          NoBestTrialError: there is none, or there are several objectives.
        """
        if not self.rows_tell:
            return self.read().best_trial
        with self.store.reading() as rows:
            (member,) = self.shown
            numbers = best_rows(rows, self._row.study, member)
            own: dict[str, Any] = {"study": self._row.study, "member": member, "number": Among(numbers)}
            found = rows.columns(TrialRow, _FIELDS, **own) if numbers else []
            marks = _marks(rows)
        return self.best_among(StudyView(self, _by_key(found), marks).trials)

    def best_among(self, trials: Iterable[Trial]) -> Trial:
        """Return the best of trials that may be compared.

        Raises:
          NoBestTrialError: none has a value, or there are several objectives.
        """
        best = best_of(self.some([trial for trial in trials if trial.values is not None]), self._row.name)
        if best.violation and best.number not in self._warned_of:
            self._warned_of.add(best.number)
            broken = ", ".join(str(each) for each in best.constraints if each.violation(best.metrics) > 0)
            warn_caller(
                f"no trial of {self.said} keeps its constraints; trial {best.number} is the one that "
                f"breaks them least: it breaks {broken or 'them, as a metric is NaN'}"
            )
        return best

    def some(self, trials: list[Trial]) -> list[Trial]:
        """Return trials of which there must be some.

        Raises:
          NoBestTrialError: there is none; says why.
        """
        if not self.settings.objectives:
            raise NoBestTrialError(
                f"study {self._row.name!r} has no metric; create it with metric='...' and mode='...'"
            )
        if not trials:
            with self.store.reading() as rows:
                failed = rows.columns(
                    TrialRow,
                    ("error",),
                    order=("number",),
                    study=self._row.study,
                    state=TrialState.FAIL.value,
                    member=Among(list(self.shown)),
                )
            why = f". {len(failed)} failed, the first in {failed[0][0]}" if failed else " yet."
            raise NoBestTrialError(f"no trial of {self.said} is complete{why}{self._elsewhere()}")
        return trials

    @property
    def said(self) -> str:
        """Whose trials are shown, for messages."""
        of = f"study {self._row.name!r}"
        return of if self._scale is None else f"{of} at scale {self._scale}"

    def _elsewhere(self) -> str:
        scales = dict.fromkeys(scale_of(member) for member in self.plans if member not in self.shown)
        scales = dict.fromkeys(scale for scale in scales if not is_of_branches(scale))
        at = ", ".join(f"study.surrogates[{scale!r}]" for scale in scales)
        return f" The target has none; its surrogates' trials are in {at}." if at else ""

    # --- what views look up

    def config_of(self, number: int, text: str) -> Config:
        """Return the config of a trial, which never changes."""
        known = self._configs.get(number)
        if known is None:
            known = self._configs[number] = Config.from_json(json.loads(text))
        return known

    def flat_params_of(self, number: int, text: str) -> Mapping[str, Any]:
        """Return what a table shows of a trial's config."""
        known = self._params.get(number)
        if known is None:
            known = self._params[number] = flat_params_of(json.loads(text), self._reprs)
        return known

    def drifts(self, member: str) -> Mapping[int, float]:
        """Return node -> how far a twin came away from its lane there, as is known now."""
        with self.store.reading() as rows:
            (row,) = rows.rows(PlanRow, plan=self.plans[member])
        return FusionFacts.from_text(row.fusion).drifts

    def counters(self, marks: Marks) -> Counters:
        """Return what the study's steps cost, as of a moment."""
        with self._guard, self.store.reading() as rows:
            before, counters = self._counted or (_NO_MARKS, Counters())
            if before.steps > marks.steps or before.metrics > marks.metrics or before.checkpoints > marks.checkpoints:
                before, counters = _NO_MARKS, Counters()
            counters = counters.copy()
            # members may share a plan, and their steps count once
            own = {"plan": Among(sorted(set(self.plans.values()))), "study": self._row.study}
            for text, count, _, seconds, _ in rows.totals(
                StepRow, ("cause",), "seconds", after=before.steps, upto=marks.steps, **own
            ):
                kind = StepKind.from_text(text)
                counters.count_step(kind.cause, seconds, lanes=kind.lanes, count=count)
            for _, _, seconds, _ in rows.totals(
                MetricsRow, (), "seconds", after=before.metrics, upto=marks.metrics, **own
            ):
                counters.evaluate_seconds += seconds
            for count, _, seconds, _ in rows.totals(
                CheckpointRow, (), "seconds", after=before.checkpoints, upto=marks.checkpoints, **own
            ):
                counters.count_checkpoint(seconds, count=count)
            counters.count_fusion_checks(rows, set(self.plans.values()), self._row.study)
            self._counted = (marks, counters)
            return counters

    def leases(self) -> list[SlotLease]:
        """Return the work that slots were given on the plans, each once, as is known now."""
        with self._guard, collector_paused(), self.store.reading() as rows:
            for plan, members in _by_plan(self.plans).items():
                self._leases.setdefault(plan, LeaseCache(plan, members))
            return [lease for cache in self._leases.values() for lease in cache.read(rows)]

    def kept_states(self) -> KeptStates:
        """Return what the plans hold in files now."""
        with self._guard, collector_paused(), self.store.reading() as rows:
            return read_kept_states(rows, _by_plan(self.plans), self.settings.checkpoint_budget)

    def pieces(self, member: str, nodes: Iterable[Any]) -> Mapping[int, Mapping[str, Piece]]:
        """Return node -> the pieces in force, for nodes of a member's plan."""
        found = piece_values(self.store, self.plans[member], nodes)
        return {
            node: {name: Piece.from_json(value) for name, value in pieces.items()} for node, pieces in found.items()
        }

    def states(self, member: str, nodes: Iterable[int]) -> Mapping[int, Mapping[int, CheckpointRef]]:
        """Return node -> step -> where its state lies, for all that can be loaded now."""
        names = ("node", "step", "key", "size_bytes", "sha256", "state_hash")
        with self.store.reading() as rows:
            found = rows.columns(CheckpointRow, names, plan=self.plans[member], node=Among(list(nodes)), gone="")
        kept: dict[int, dict[int, CheckpointRef]] = {}
        for node, step, key, size_bytes, sha256, state_hash in found:
            ref = CheckpointRef(key=key, size_bytes=size_bytes, sha256=sha256, state_hash=state_hash)
            kept.setdefault(node, {})[step] = ref
        return kept

    def state_at(self, member: str, node: int, step: int) -> tuple[int, Mapping[str, Piece], CheckpointRef] | None:
        """Return the step, the pieces in force just before it, and where the state lies; None if it is not kept."""
        ref = self.states(member, [node]).get(node, {}).get(step)
        return None if ref is None else (step, self.pieces(member, [node])[node], ref)


#: what tells a row from the others of its study; in its order a database has an index of them, and sorts nothing
_KEY = ("number", "member")
#: all fields of a trial
_FIELDS = tuple(TrialRow.__dataclass_fields__)
_made = maker(TrialRow)
_NO_MARKS = Marks(steps=0, metrics=0, failures=0, checkpoints=0)


def _by_key(found: Iterable[tuple[Any, ...]]) -> dict[TrialKey, TrialRow]:
    """Return rows of trials from all their fields."""
    return {(row.number, row.member): row for row in _made(found)}


def _by_plan(plans: Mapping[str, int]) -> Mapping[int, Sequence[str]]:
    """Return plan -> the members that are trained on it: mostly one."""
    members: dict[int, list[str]] = {}
    for member, plan in plans.items():
        members.setdefault(plan, []).append(member)
    return members


def _marks(rows: Moment) -> Marks:
    return Marks(
        steps=rows.mark(StepRow),
        metrics=rows.mark(MetricsRow),
        failures=rows.mark(FailureRow),
        checkpoints=rows.mark(CheckpointRow),
    )
