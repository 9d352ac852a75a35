"""A study as its runtime holds it: calls, trials and counters in memory, each change written down as a row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hippo.errors import TrialFailedError
from hippo.hparams import Config
from hippo.plan import (
    AbstractPlanStore,
    CallRow,
    Cause,
    Change,
    CheckpointRow,
    ConfigPath,
    Insert,
    MetricsRow,
    Node,
    RequestRow,
    Rows,
    SearchPlan,
    StepRow,
    StudyRow,
    TrialRow,
    Update,
)
from hippo.records import TrialState, mode_sign
from hippo.runtime.announcer import Announcer
from hippo.runtime.replay import RecordedAnswer, RecordedCall
from hippo.runtime.settings import Progress, Settings, Statistics
from hippo.runtime.tally import TrialTally
from hippo.runtime.warnings import warn
from hippo.schedulers import Standing


@dataclass(slots=True, eq=False)
class Trial:
    """A config on its way through the plan."""

    row: TrialRow
    config: Config
    trail: ConfigPath
    #: requests that wait
    waiting: int = 0

    @property
    def number(self) -> int:
        return self.row.number


@dataclass(slots=True)
class Counters:
    """What a study's steps cost, so far."""

    steps: Counter[Cause] = field(default_factory=Counter)
    train_seconds: float = 0.0
    evaluate_seconds: float = 0.0
    checkpoint_seconds: float = 0.0
    check_seconds: float = 0.0
    speculative_seconds: float = 0.0
    checkpoints: int = 0

    @classmethod
    def load(cls, store: Rows, study: StudyRow) -> Counters:
        """Count what a store knows of a study."""
        counters = cls()
        for step in store.rows(StepRow, plan=study.plan, study=study.study):
            counters.count_step(Cause(step.cause), step.seconds)
        for evaluation in store.rows(MetricsRow, plan=study.plan, study=study.study):
            counters.evaluate_seconds += evaluation.seconds
        for checkpoint in store.rows(CheckpointRow, plan=study.plan, study=study.study):
            counters.count_checkpoint(checkpoint.seconds)
        return counters

    def copy(self) -> Counters:
        """Return the same counts, to be counted on from."""
        return replace(self, steps=Counter(self.steps))

    def count_step(self, cause: Cause, seconds: float, *, count: int = 1) -> None:
        """Count steps that were run for one cause, with their seconds in all."""
        self.steps[cause] += count
        if cause is Cause.CHECK:
            self.check_seconds += seconds
        elif cause is Cause.SPECULATIVE:
            self.speculative_seconds += seconds
        else:
            self.train_seconds += seconds

    @property
    def device_seconds(self) -> float:
        """All seconds that devices spent."""
        return (
            self.train_seconds
            + self.evaluate_seconds
            + self.checkpoint_seconds
            + self.check_seconds
            + self.speculative_seconds
        )

    @property
    def seconds_per_checkpoint(self) -> float:
        """What writing a state takes on average; 0 before the first."""
        return self.checkpoint_seconds / self.checkpoints if self.checkpoints else 0.0

    def count_checkpoint(self, seconds: float, *, count: int = 1) -> None:
        """Count states that were written, with their seconds in all."""
        self.checkpoints += count
        self.checkpoint_seconds += seconds

    def statistics(self, trials: Iterable[TrialRow], *, trial_seconds: float, steps_reached: int) -> Statistics:
        """Return all counts as one record.

        Args:
          trials: all of the study.
          trial_seconds: what training each of them alone would have taken.
          steps_reached: how far each of them is, summed: what nobody has trained yet is not saved.
        """
        rows = list(trials)
        return self.summed(
            steps_asked=sum(row.until for row in rows),
            trials=Counter(row.state for row in rows),
            trial_seconds=trial_seconds,
            steps_reached=steps_reached,
        )

    def summed(
        self, *, steps_asked: int, trials: Mapping[str, int], trial_seconds: float, steps_reached: int
    ) -> Statistics:
        """Return all counts as one record, given the sums over trials that `statistics` makes itself."""
        checked, speculative = self.steps[Cause.CHECK], self.steps[Cause.SPECULATIVE]
        executed = sum(self.steps.values()) - checked - speculative
        repeated = {
            cause.value: count
            for cause, count in sorted(self.steps.items(), key=lambda item: item[0].value)
            if cause not in (Cause.FIRST, Cause.CHECK, Cause.SPECULATIVE)
        }
        return Statistics(
            steps_asked=steps_asked,
            steps_executed=executed,
            steps_repeated=sum(repeated.values()),
            repeated_by_cause=repeated,
            steps_checked=checked,
            steps_speculative=speculative,
            steps_saved=steps_reached - executed,
            device_seconds=self.device_seconds,
            train_seconds=self.train_seconds,
            evaluate_seconds=self.evaluate_seconds,
            checkpoint_seconds=self.checkpoint_seconds,
            check_seconds=self.check_seconds,
            speculative_seconds=self.speculative_seconds,
            trial_seconds=trial_seconds,
            checkpoints_written=self.checkpoints,
            trials={state: count for state, count in sorted(trials.items()) if count},
        )


class StudyState:
    """One generation of a study, in the hands of its runtime."""

    def __init__(self, store: AbstractPlanStore, row: StudyRow, settings: Settings) -> None:
        self.store = store
        self.row = row
        self.settings = settings
        #: a step that takes longer counts as lost; None: for ever
        self.step_timeout_s: float | None = None
        #: what it may claim among other studies, if anybody cares
        self.standing: Standing | None = None
        self.counters = Counters.load(store, row)
        self.calls = store.rows(CallRow, study=row.study)
        self.rows: dict[int, TrialRow] = {trial.number: trial for trial in store.rows(TrialRow, study=row.study)}
        self.trials: dict[int, Trial] = {}
        self._numbers = {(row.call, row.config, row.occurrence): row.number for row in self.rows.values()}
        self._numbers_of: dict[int, list[int]] = {}
        for trial in self.rows.values():
            self._numbers_of.setdefault(trial.call, []).append(trial.number)
        self._requests = max((request.request for request in store.rows(RequestRow, study=row.study)), default=0)
        self._changes: list[Change] = []
        self.announcer = Announcer(row.name)
        self._tally = TrialTally(self.rows, self._end_of)
        #: on which the study was trained when it was looked at last
        self._plans: tuple[SearchPlan, ...] = ()
        # whether a trial keeps the constraints is not in its row: then the next good state is written, best or not
        losses = [row.loss for row in self.rows.values() if row.loss is not None and not settings.constraints]
        self.best_loss: float | None = min(losses, default=None)

    @property
    def has_changes(self) -> bool:
        """Whether there are row changes that nobody took, or that were put back."""
        return bool(self._changes)

    def take_changes(self) -> list[Change]:
        """Return the row changes since the last call."""
        taken, self._changes = self._changes, []
        return taken

    def put_back(self, changes: Sequence[Change]) -> None:
        """Take changes back that could not be made durable; they come again with the next ones."""
        self._changes[:0] = changes

    # --- calls

    def begin_call(self, position: int, record: str) -> CallRow:
        """Return the call at this position of the script: the known one if its record is equal, else a new one."""
        for call in self.calls:
            if call.position == position and call.record == record:
                self.set_call_state(call, "running")
                return call
        call = CallRow(
            study=self.row.study,
            call=len(self.calls),
            position=position,
            record=record,
            device_seconds_before=self.counters.device_seconds,
        )
        self.calls.append(call)
        self._changes.append(Insert(call))
        return call

    def set_call_state(self, call: CallRow, state: str) -> None:
        """Note how far a call is. One that was complete stays so: a re-run only looks at it again."""
        known = self.calls[call.call]
        if known.state == "complete":
            return
        self.calls[call.call] = replace(known, state=state)
        self._changes.append(Update(self.calls[call.call]))

    def take_up(self, call: CallRow) -> RecordedCall:
        """Return what is written down of a call, and withdraw what an earlier run left pending: who waited is gone."""
        trials = set(self._numbers_of.get(call.call, ()))
        past = RecordedCall(deliveries={}, uncovered={})
        if not trials:
            return past  # a new call: there is nothing to look for
        for request in self.store.rows(RequestRow, study=self.row.study):
            if request.trial not in trials:
                continue
            past.asked[request.trial, request.until] += 1
            if request.delivery is not None and request.state == "answered":
                answer = RecordedAnswer(request.trial, request.until, request.seconds or 0.0)
                past.deliveries.setdefault(request.delivery, []).append(answer)
            elif request.state == "pending":
                self._changes.append(Update(replace(request, state="withdrawn")))
            if request.uncovered:
                first, *values = json.loads(request.uncovered)
                past.uncovered.update(enumerate(values, start=first))
        return past

    # --- trials

    def trial(self, call: CallRow, config: Config, occurrence: int, trail_of: Callable[[int], ConfigPath]) -> Trial:
        """Return the trial (call, config, occurrence), made if this is the first one hears of it.

        Args:
          call, config, occurrence: who it is.
          trail_of: its way through the plan, by its number.
        """
        text = json.dumps(config.to_json(), sort_keys=True)
        number = self._numbers.setdefault((call.call, text, occurrence), len(self.rows))
        if number not in self.rows:
            row = TrialRow(study=self.row.study, number=number, call=call.call, config=text, occurrence=occurrence)
            self.rows[number] = row
            self._numbers_of.setdefault(call.call, []).append(number)
            self._changes.append(Insert(row))
        trial = self.trials[number] = Trial(self.rows[number], config, trail_of(number))
        self._tally.note(number)  # its path is another one, if its plan was read anew
        return trial

    def rows_of(self, call: CallRow) -> list[TrialRow]:
        """Return the trials of a call."""
        return [self.rows[number] for number in self._numbers_of.get(call.call, ())]

    def update_trial(self, trial: Trial, row: TrialRow) -> None:
        """Give a trial's row other values."""
        if row != trial.row:
            trial.row = self.rows[row.number] = row
            self._tally.note(row.number)
            self._changes.append(Update(row))

    # --- requests

    def add_request(self, trial: Trial, until: int, final: bool, uncovered: str) -> RequestRow:
        """Write down that metrics were asked for, and what the tuner was told of what is uncovered before."""
        self._requests += 1
        row = RequestRow(
            study=self.row.study,
            request=self._requests,
            trial=trial.number,
            until=until,
            final=final,
            uncovered=uncovered,
        )
        self._changes.append(Insert(row))
        return row

    def settle_request(
        self, row: RequestRow, state: str, delivery: int | None = None, seconds: float | None = None
    ) -> None:
        """Write down that a request was answered or withdrawn."""
        self._changes.append(Update(replace(row, state=state, delivery=delivery, seconds=seconds)))

    # --- objectives and progress

    def note_loss(self, loss: float) -> None:
        """Remember the best loss, which decides what is worth keeping."""
        if self.best_loss is None or loss < self.best_loss:
            self.best_loss = loss

    @property
    def best_value(self) -> float | None:
        """The best objective so far, of the trials that may be the best one.

        With constraints, of all answers that keep them: a trial's row does not say by how much it breaks them.
        """
        if self.settings.objective is None:
            return None
        self._tally.look(self._plans)
        best = self.best_loss if self.settings.constraints else self._tally.least_loss
        return None if best is None else mode_sign(self.settings.objective.mode) * best

    def statistics(self, plans: Iterable[SearchPlan] = ()) -> Statistics:
        """Return what the study counted, but for `trial_seconds`.

        Args:
          plans: on which the study is trained now; without them, all trials that are on their way are looked at.
        """
        self._plans = tuple(plans)
        self._tally.look(self._plans)
        tally = self._tally
        return self.counters.summed(
            steps_asked=tally.asked, trials=tally.states, trial_seconds=0.0, steps_reached=tally.steps_reached
        )

    def _end_of(self, row: TrialRow) -> Node | None:
        """Return the node in which a trial's path ends; None for one of an earlier call, of which nothing is known."""
        trial = self.trials.get(row.number)
        return None if trial is None else trial.trail.node_at(row.until)

    def progress(
        self, *, steps_left: int, seconds_left: float, may_ask_more: bool, plans: Iterable[SearchPlan] = ()
    ) -> Progress:
        """Return how far the study is, given what remains of what was asked for; see `statistics` for the plans."""
        counts = self.statistics(plans)
        return Progress(
            best_value=self.best_value,
            trials_done=self._tally.done,
            trials_failed=self._tally.states[TrialState.FAIL.value],
            trials=len(self.rows),
            steps_executed=counts.steps_executed,
            steps_asked=counts.steps_asked,
            steps_saved=max(0, counts.steps_saved),
            steps_left=steps_left,
            may_ask_more=may_ask_more,
            seconds_left=seconds_left if counts.steps_executed else None,
        )

    def finish_trials(self, call: CallRow, *, promised: int) -> None:
        """Give the trials of a call that ended their last states.

        Args:
          call: which.
          promised: the largest step that the call asked for, extensions not counted: there, trials are complete.
        """
        for row in self.rows_of(call):
            if row.state == TrialState.FAIL.value:
                continue
            state = TrialState.COMPLETE if row.step >= promised else TrialState.PRUNED
            self._set_state(row, state)
            self.announcer.tell_end(row.number, state)

    def refuse_all_failed(self, call: CallRow) -> None:
        """Refuse a call that came to its end and has no trial that did not fail.

        Raises:
          TrialFailedError: names the first of them, and what it failed of.
        """
        rows = self.rows_of(call)
        if rows and all(row.state == TrialState.FAIL.value for row in rows):
            many = f"all {len(rows)} trials" if len(rows) > 1 else "the only trial"
            first = f"the first (trial {rows[0].number})" if len(rows) > 1 else f"trial {rows[0].number}"
            raise TrialFailedError(
                f"{many} of study {self.row.name!r} failed, {first} in {rows[0].error.rstrip('.')}. "
                f"`hippo logs {self.row.name} {rows[0].number}` shows where. When that is mended, "
                "study.retry_failed() lets them be trained again."
            )

    def say_if_nothing_asked(self, call: CallRow) -> None:
        """Warn of a call that came to its end and has no trial: a coroutine that nobody awaited, an empty space."""
        if not self.rows_of(call):
            warn(
                f"the tuner of study {self.row.name!r} ended without having asked for anything; is there an `await` "
                "before each ask(...)?"
            )

    def pause_trials(self, call: CallRow) -> None:
        """Give the trials of a call that was interrupted the states they wait in."""
        for row in self.rows_of(call):
            if row.state == TrialState.RUNNING.value:
                self._set_state(row, TrialState.PAUSED if row.step else TrialState.WAITING)

    def _set_state(self, row: TrialRow, state: TrialState) -> None:
        if row.state != state.value:
            new = self.rows[row.number] = replace(row, state=state.value)
            self._tally.note(row.number)
            if row.number in self.trials:
                self.trials[row.number].row = new
            self._changes.append(Update(new))
