"""A study as its runtime holds it: calls, trials and counters in memory, each change written down as a row.

A row is changed here first, and what changed is collected until the control loop makes it durable together with the
facts that it rests on, in one transaction. So memory is never behind the store, and whatever a crash takes away was
told to nobody who outlives the process. A study with several members is still one study, with one sequence of calls,
trials and requests: members differ in the plan that a trial walks, and in nothing else that this module knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from hippo.errors import TrialFailedError
from hippo.frozen import changed
from hippo.hparams import Config
from hippo.members import TARGET_NAME, is_of_branches, scale_of
from hippo.plan import (
    AbstractPlanStore,
    CallRow,
    CallState,
    ChangeLog,
    ConfigPath,
    Insert,
    RequestRow,
    RequestState,
    SearchPlan,
    StudyPlanRow,
    StudyRow,
    TrialRow,
    Update,
    plans_of,
)
from hippo.records import ENDED_STATES, NodeId, TrialState, mode_sign
from hippo.runtime.studies.announcer import Announcer
from hippo.runtime.studies.answers import failed_on_metrics
from hippo.runtime.studies.counters import Counters
from hippo.runtime.studies.replay import RecordedAnswer, RecordedCall, TrialPoint
from hippo.runtime.studies.settings import Progress, Settings, Statistics
from hippo.runtime.studies.shell_lines import where_traceback
from hippo.runtime.studies.stored_trials import StoredTrials
from hippo.runtime.studies.trial_book import MemberTrial, TrialBook, joined
from hippo.runtime.studies.warnings import warn
from hippo.schedulers import FairShare
from hippo.tuners.averaged import AGGREGATES, Aggregate

#: `json.dumps` with options would make one for each text
_encode_sorted = json.JSONEncoder(sort_keys=True).encode


def _next(largest: int | None) -> int:
    """Return the number after the largest, of what is numbered from 0 on."""
    return 0 if largest is None else largest + 1


class StudyState:
    """One generation of a study, in the hands of its runtime."""

    def __init__(self, store: AbstractPlanStore, row: StudyRow, settings: Settings) -> None:
        self.store = store
        self.row = row
        self.settings = settings
        #: a step that takes longer counts as lost; None: for ever
        self.step_timeout_s: float | None = None
        #: its part of the slots' time beside other studies, if its user gave one
        self.fair_share: FairShare | None = None
        self.changes = ChangeLog()
        #: those that were begun here, by number
        self._calls: dict[int, CallRow] = {}
        self._number_of_call: dict[tuple[int, str], int] = {}
        with store.reading() as rows:
            self.counters = Counters.load(rows, row)
            #: how many calls there are; the first so many of them are in the store
            self._num_calls = self._num_stored_calls = _next(rows.largest(CallRow, "call", study=row.study))
            #: name of each member -> its plan
            self.plans = plans_of(rows, row.study)
            self._requests = rows.largest(RequestRow, "request", study=row.study) or 0
            num_trials = _next(rows.largest(TrialRow, "number", study=row.study))
            stored = StoredTrials(store, row.study, settings, num_trials)
            # with constraints, a row does not say whether its trial keeps them: then the next good state is written,
            # best or not
            losses = [] if settings.constraints or settings.keep.top is None else stored.losses(rows)
        self.book = TrialBook(row.study, self.plans, stored, self.changes.append)
        for member, number, step, loss, call in losses:
            self.book.members[member].losses.note(number, step, loss, call=call)
        self.announcer = Announcer(row.name, f"{store.uuid}/{row.study}")
        #: on which the study was trained when it was looked at last
        self._plans: tuple[SearchPlan, ...] = ()

    def take_in(self, plans: Mapping[str, int]) -> None:
        """Have these members, of which some may have come since the study was opened."""
        for member, plan in plans.items():
            if member not in self.plans:
                self.plans[member] = plan
                self.book.take_in(member)

    def make_member(self, member: str, plan: int) -> None:
        """Have a member, written down if it is new, that is trained on a plan of one of the others."""
        if member not in self.plans:
            row = StudyPlanRow(study=self.row.study, member=member, plan=plan, position=len(self.plans))
            self.changes.append(Insert(row))
            self.take_in({member: plan})

    # --- calls

    def begin_call(self, position: int, record: str) -> CallRow:
        """Return the call at this position of the script: the known one if its record is equal, else a new one."""
        known = self._known_call(position, record)
        if known is not None:
            self.set_call_state(known, CallState.RUNNING)
            return known
        self._number_of_call[position, record] = number = self._num_calls
        self._num_calls += 1
        call = CallRow(
            study=self.row.study,
            call=number,
            position=position,
            record=record,
            device_seconds_before=self.counters.device_seconds,
        )
        self._calls[number] = call
        self.book.begin(number)
        self.changes.append(Insert(call))
        return call

    def _known_call(self, position: int, record: str) -> CallRow | None:
        number = self._number_of_call.get((position, record))
        if number is not None:
            return self._calls[number]
        if not self._num_stored_calls:
            return None
        with self.store.durable() as rows:  # those that were begun here are found above
            calls = rows.rows(CallRow, study=self.row.study, position=position, record=record)
        for call in calls[:1]:
            self._number_of_call[position, record] = call.call
            self._calls[call.call] = call
            return call
        return None

    def set_call_state(self, call: CallRow, state: CallState) -> None:
        """Note how far a call is. One that was complete stays so: a re-run only looks at it again."""
        known = self._calls[call.call]
        if known.state == CallState.COMPLETE:
            return
        self._calls[call.call] = changed(known, state=state)
        self.changes.append(Update(self._calls[call.call]))

    def take_up(self, call: CallRow) -> RecordedCall:
        """Return what is written down of a call, and withdraw what an earlier run left pending: who waited is gone."""
        past = RecordedCall()
        trials = self.book.rows_of(call.call)
        if not trials:
            return past  # a new call: there is nothing to look for
        for trial in trials:
            past.nodes[trial.member].add(NodeId(trial.node))
        for request in self.store.rows(RequestRow, study=self.row.study, call=call.call):
            at = TrialPoint(request.trial, request.until, request.member)
            past.asked[at] += 1
            if request.delivery is not None and request.state == RequestState.ANSWERED:
                past.deliveries.setdefault(request.delivery, []).append(RecordedAnswer(at, request.seconds or 0.0))
            elif request.state == RequestState.PENDING:
                self.changes.append(Update(changed(request, state=RequestState.WITHDRAWN)))
            if request.uncovered:
                first, *told = json.loads(request.uncovered)
                past.queries.update(((request.member, number), steps) for number, steps in enumerate(told, start=first))
        return past

    # --- trials

    def trial(
        self, call: CallRow, config: Config, occurrence: int, path_of: Callable[[int], ConfigPath], *, member: str = ""
    ) -> MemberTrial:
        """Return the trial (call, config, occurrence) under a member; see `TrialBook.take_up`."""
        text = _encode_sorted(config.to_json())
        return self.book.take_up(call.call, member, config, text, occurrence, path_of)

    # --- requests

    def add_request(self, trial: MemberTrial, until: int, final: bool, queries: Sequence[int]) -> RequestRow:
        """Write down that metrics were asked for, and what the tuner was told of missing steps before."""
        self._requests += 1
        row = RequestRow(
            study=self.row.study,
            request=self._requests,
            call=trial.row.call,
            trial=trial.number,
            member=trial.row.member,
            until=until,
            final=final,
            uncovered=json.dumps(queries) if queries else "",
        )
        self.changes.append(Insert(row))
        return row

    def settle_request(
        self, row: RequestRow, state: RequestState, delivery: int | None = None, seconds: float | None = None
    ) -> None:
        """Write down that a request was answered or withdrawn."""
        self.changes.append(Update(changed(row, state=state, delivery=delivery, seconds=seconds)))

    # --- objectives and progress

    def note_loss(self, loss: float, row: TrialRow, step: int) -> None:
        """Remember what a trial was answered with after a step: that decides which states are worth keeping."""
        trials = self.book.members[row.member]
        trials.note_loss(loss)
        if self.settings.keep.top is not None:
            trials.losses.note(row.number, step, loss, call=row.call)

    @property
    def best_value(self) -> float | None:
        """The best objective so far, of the trials that may be the best one.

        With constraints, of all answers that keep them: a trial's row does not say by how much it breaks them, and
        under several members nothing says it of their average.
        """
        if self.settings.objective is None:
            return None
        if not self.settings.constraints:
            best = self.book.look(self._plans, self._aggregate).best_loss
        else:
            target = [trials for member, trials in self.book.members.items() if scale_of(member) == TARGET_NAME]
            losses = [trials.best_loss for trials in target]
            best = losses[0] if len(losses) == 1 else None
        return None if best is None else mode_sign(self.settings.objective.mode) * best

    @property
    def _aggregate(self) -> Aggregate:
        return AGGREGATES[self.settings.aggregate]

    def statistics(self, plans: Iterable[SearchPlan] = ()) -> Statistics:
        """Return what the study counted, but for `trial_seconds` and `twin_drift`.

        Args:
          plans: on which the study is trained now; without them, all trials that are on their way are looked at.
        """
        self._plans = tuple(plans)
        sums = self.book.look(self._plans, self._aggregate)
        return self.counters.summed(
            steps_asked=sums.steps_asked, trials=sums.states, trial_seconds=0.0, steps_reached=sums.steps_reached
        )

    def progress(
        self,
        *,
        steps_left: int,
        seconds_left: float,
        may_ask_more: bool,
        plans: Iterable[SearchPlan] = (),
        lanes: int = 0,
        shown: str = "",
    ) -> Progress:
        """Return how far the study is, given what remains of what was asked for; see `statistics` for the plans."""
        self._plans = tuple(plans)
        sums = self.book.look(self._plans, self._aggregate)
        executed = self.counters.steps_executed
        return Progress(
            best_value=self.best_value,
            trials_done=sums.done,
            trials_failed=sums.states[TrialState.FAIL.value],
            trials=sums.trials,
            steps_executed=executed,
            steps_asked=sums.steps_asked,
            steps_saved=max(0, sums.steps_reached - executed),
            steps_left=steps_left,
            may_ask_more=may_ask_more,
            seconds_left=seconds_left if executed else None,
            lanes=lanes,
            shown=shown,
        )

    # --- ends of calls

    def finish_trials(self, call: CallRow, *, promised: Mapping[str, int]) -> None:
        """Give the trials of a call that ended their last states.

        Args:
          call: which.
          promised: member -> the largest step that the call asked it for, extensions not counted: there, trials are
            complete. Trials that were asked for nothing but extensions never are.
        """
        for row in self.book.rows_of(call.call):
            state = TrialState(row.state)
            if state is TrialState.FAIL:
                continue
            if state not in ENDED_STATES:  # else it ended before, and since then somebody may have told how
                asked = self.book.members[row.member].trials.get(row.number)
                is_complete = row.step >= promised.get(row.member, 0) and not (asked is not None and asked.is_aside)
                state = TrialState.COMPLETE if is_complete else TrialState.PRUNED
                self.book.update(changed(row, state=state.value))
                losses = self.book.members[row.member].losses
                (losses.complete if is_complete else losses.forget)(row.number)
            self.announcer.tell_end(row.number, row.member, state)

    def pause_trials(self, call: CallRow) -> None:
        """Give the trials of a call that was interrupted the states they wait in."""
        for row in self.book.rows_of(call.call):
            if row.state == TrialState.RUNNING.value:
                state = TrialState.PAUSED if row.step else TrialState.WAITING
                self.book.update(changed(row, state=state.value))

    def refuse_all_failed(self, call: CallRow, *, is_remote: bool = False) -> None:
        """Refuse a call that came to its end and has no trial that did not fail.

        Args:
          call: which.
          is_remote: whoever hears of it is elsewhere, and has neither the storage nor the study itself.

        Raises:
          TrialFailedError: names the first of them, and what it failed of.
        """
        by_scale: dict[str, list[TrialRow]] = {}
        for row in joined(self.book.rows_of(call.call), self._aggregate):
            by_scale.setdefault(scale_of(row.member), []).append(row)
        for scale, rows in by_scale.items():
            if not is_of_branches(scale) and all(row.state == TrialState.FAIL.value for row in rows):
                raise TrialFailedError(self._said_all_failed(scale, rows, is_remote=is_remote))

    def _said_all_failed(self, scale: str, rows: Sequence[TrialRow], *, is_remote: bool) -> str:
        number, name = rows[0].number, self.row.name
        many = f"all {len(rows)} trials" if len(rows) > 1 else "the only trial"
        first = f"the first (trial {number})" if len(rows) > 1 else f"trial {number}"
        where = "" if scale == TARGET_NAME else f" at scale {scale}"
        storage = "http:" if is_remote else self.store.url  # a client's study has no database to look into
        see = where_traceback(name, number, scale, storage=storage)
        see = see if storage.startswith(("memory:", "http:")) else f"`{see}`"
        retried = any(not failed_on_metrics(row.error) for row in rows)
        mended = "" if not retried else " When that is mended, study.retry_failed() lets them be trained again."
        error = rows[0].error.rstrip(".")
        return f"{many} of study {name!r}{where} failed, {first} in {error}. {see} shows where.{mended}"

    def say_if_nothing_asked(self, call: CallRow) -> None:
        """Warn of a call that came to its end and has no trial: a coroutine that nobody awaited, an empty space."""
        if not self.book.rows_of(call.call):
            message = (
                f"the tuner of study {self.row.name!r} ended without having asked for anything; is there an `await` "
                "before each ask(...)?"
            )
            self.announcer.tell_warning(message)
            warn(message)
