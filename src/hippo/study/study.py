"""A study: one optimisation of one trainer, as users hold it. A view on a runtime; it decides nothing itself."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hippo.arguments import explain_calls
from hippo.errors import (
    CorruptCheckpointError,
    HippoError,
    MissingCheckpointError,
    OptionError,
    StudyDeletedError,
    StudyStoppedError,
    TrainerError,
    TrialFailedError,
    TunerError,
    UnknownScaleError,
)
from hippo.hparams import Config, Piece, as_config
from hippo.members import BRANCHES, TARGET_NAME, is_of_a_seed, is_of_branches, scale_of, seed_member
from hippo.plan import AbstractPlanStore, StudyRow
from hippo.plan.urls import shown_url
from hippo.records import Answer, CheckpointRef, TrainerSpec
from hippo.runtime import Asking, Job, MemberPlan, Progress, Runtime, Settings, Statistics, check_config, check_known
from hippo.runtime.observers import StudyBegun
from hippo.runtime.warnings import warn_caller
from hippo.schedulers import FairShare
from hippo.study.asked_together import AskedTogether
from hippo.study.branch_trials import branch_trials
from hippo.study.callbacks import Callback, CallbackThread
from hippo.study.calls import CallPositions
from hippo.study.failures import FailureLines, LogLines
from hippo.study.known_trials import KnownTrials
from hippo.study.local_views import LocalView
from hippo.study.lost_states import forget_state
from hippo.study.members import StudyMembers
from hippo.study.reading import StudyReader, counted_in
from hippo.study.recorded_results import RecordedResults, ResultsOfReader, Surrogates
from hippo.study.retrying import retry_failed
from hippo.study.trials import Trial
from hippo.study.tuner_checks import asks_branches, check_tuner, scales_of
from hippo.training.trainers import scale_for
from hippo.tuners.averaged import AGGREGATES, Averaged
from hippo.tuners.budgets import checked_steps
from hippo.tuners.tuner import describe, doubts_of, record_of, record_text

if TYPE_CHECKING:
    from hippo.study.reproduction import Reproduction
    from hippo.training import Trainer


class StudyTrainer(NamedTuple):
    """What a study needs of its trainer."""

    #: what to ship for each member of the study
    specs: Mapping[str, TrainerSpec]
    #: refuses a config that it cannot be trained with
    check_config: Callable[[Config, int], None]
    cls: type[Trainer]


class MakeTrainer(Protocol):
    """Builds what is needed of a trainer."""

    def __call__(self, *, to_train: bool = True) -> StudyTrainer:
        """Return it.

        Args:
          to_train: refuse a trainer whose code changed; else it only loads what was trained, and that is warned of.

        Raises:
          TrainerError: it cannot be had here, or has changed.
        """


#: where a state is: its step, the pieces in force just before it, and its checkpoint
State = tuple[int, Mapping[str, Piece], CheckpointRef]

#: begins a call that was prepared
Begin = Callable[[], concurrent.futures.Future[Any]]

#: how often a waiting `ask` looks whether it was cancelled
_WAKE_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What a study is made of, once it is found or made."""

    store: AbstractPlanStore
    row: StudyRow
    members: StudyMembers
    settings: Settings
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

    @property
    def plans(self) -> Mapping[str, int]:
        """Name of each member -> its plan, those of the target first."""
        return self.members.plans


#: what others say for `until`
_UNTIL = dict.fromkeys(("steps", "step", "epochs", "max_steps", "num_steps", "max_t"), "say how many steps: until=")


class Study(LocalView, RecordedResults):
    """One optimisation run. Made by `hippo.create_study` or `hippo.load_study`, or from a storage URL.

    `Study(url).create(...)` is how Hippo's Figure 11 makes one.
    """

    _instead = (
        "its connections and its loop stay here. There, hippo.load_study(NAME, STORAGE) reads it, and "
        "hippo.create_study(...), as here, goes on with it"
    )

    def __init__(self, url: str, opened: Opened | None = None) -> None:
        self._url = url
        self._maybe_opened = opened
        self._calls = CallPositions()
        #: evaluations that were begun and that nobody waits for yet
        self._enqueued: list[concurrent.futures.Future[Any]] = []
        self._asked_together = AskedTogether(self._runtime)
        given, begun = ((), None) if opened is None else (opened.callbacks, _begun(opened, url))
        self._callbacks = CallbackThread([FailureLines(url), LogLines(), *given], begun)

    @property
    def _opened(self) -> Opened:
        if self._maybe_opened is None:
            raise HippoError(f"{self!r} is only a place for studies; call .create(...) or hippo.load_study")
        return self._maybe_opened

    def create(
        self, dataset: str | None, command: type | str, ckpt_path: str | None, hp_set: Sequence[str], **options: Any
    ) -> Study:
        """Make a study as in Hippo's Figure 11, on the storage that this one was made with.

        Args:
          dataset: identity of the data set.
          command: the trainer: a class, or "package.module:Class".
          ckpt_path: folder for checkpoints.
          hp_set: names of the hyper-parameters that are tuned; others are refused.
          **options: as for `hippo.create_study`; `name` is the trainer's by default.
        """
        from hippo.study.creating import create_study

        name = options.pop("name", command if isinstance(command, str) else getattr(command, "__name__", None))
        if name is None:
            raise TrainerError(f"command={command!r} is no trainer: pass a class, or 'package.module:Class'")
        return create_study(
            name,
            trainer=command,
            storage=self._url,
            checkpoints=ckpt_path,
            dataset=dataset,
            hparams=hp_set,
            **options,
        )

    # --- running

    @property
    def name(self) -> str:
        """The study's name."""
        return self._opened.row.name

    @property
    def storage(self) -> str:
        """The URL of the study's storage."""
        return self._url

    @property
    def generation(self) -> int:
        """1, or more if the trainer's code, arguments or data changed since the study was made."""
        return self._opened.row.generation

    @explain_calls(
        n_trials="the tuner has it: study.optimize(hippo.RandomSearch(space, num_trials=..., until=...)), say",
        timeout="put a limit around the tuner: hippo.Deadline(tuner, seconds=...)",
        n_jobs="the engine says how many run at a time: create_study(..., engine=hippo.LocalEngine(workers=...))",
        callbacks="callbacks belong to the study: create_study(..., callbacks=[...])",
        until="the tuner has it: study.optimize(hippo.GridSearch(space, until=...)), say",
        space="the tuner has it: study.optimize(hippo.GridSearch(space, until=...)), say",
    )
    def optimize(self, tuner: Any = None) -> None:
        """Run a tuner to its end, with a progress bar if standard error is a terminal.

        The same script run again goes on where this one was stopped, by whatever.

        Args:
          tuner: an object with a coroutine `tune(ask)`; left out, only what was enqueued is run.

        Raises:
          HippoError: bad input, before anything is trained; or what stopped the study.
          KeyboardInterrupt: Ctrl-C, after running steps were saved.
        """
        from hippo.study.optimizing import optimize, run_enqueued

        if tuner is None:
            run_enqueued(self)
        else:
            optimize([(self, tuner)])

    @explain_calls()
    def stop(self) -> None:
        """Have the running `optimize` of this study end: running lanes leave a checkpoint, and it returns.

        For other threads and callbacks; returns at once. The same code run again goes on.
        """
        self._runtime().end_study(self._opened.store, self._opened.row.study)

    @explain_calls(**_UNTIL)
    def enqueue(self, config: Mapping[str, Any], until: int) -> None:
        """Have a config trained as well, as a trial of its own, beside whatever runs now or next.

        Returns at once; the next `optimize` of this study, or the one that runs, ends only when it has an answer.
        `optimize()` without a tuner runs just what was enqueued.

        Raises:
          HippoError: the config cannot be trained.
        """
        asked = as_config(config)
        until = checked_steps("until", until)
        check_known(asked, self._opened.settings.hparams)
        self._opened.trainer().check_config(asked, until)
        check_config(asked, until)
        self._enqueued.append(self._begin_evaluation(asked, until))

    @explain_calls()
    def retry_failed(self) -> list[int]:
        """Let the trials that failed be trained again, from where they failed; return their numbers.

        What failed them is no longer held against them: the same code run again, or the next `optimize` with the same
        tuner, asks for them once more. A trial whose objective was NaN did not fail in training, and is none of them.

        Raises:
          TunerError: trials are enqueued, which are on their way.
          PlanLockedError: the study is running.
        """
        if any(not future.done() for future in self._enqueued):
            raise TunerError(
                f"trials of study {self.name!r} are enqueued and on their way: study.optimize() runs them, and then "
                "those that failed can be tried again"
            )
        numbers = retry_failed(self._opened.store, self._opened.row)
        if numbers:
            self._calls.repeat()
        return numbers

    @explain_calls(**_UNTIL)
    def evaluate(self, config: Mapping[str, Any], until: int) -> Mapping[str, float]:
        """Return the metrics of a config after `until` steps: a trial of its own, by hand.

        Raises:
          TrialFailedError: the trainer raised; the message says what.
          StudyStoppedError: the study was stopped meanwhile.
        """
        return _metrics_of(self._answered(self._serve(self._prepare_evaluation(config, until))))

    @explain_calls(until="it is called step here, as in the paper; study.evaluate(config, until=...) is the same")
    def eval(self, config: Mapping[str, Any], step: int) -> Mapping[str, float]:
        """Do what `evaluate` does, by its name in Hippo's Figure 11."""
        return self.evaluate(config, until=step)

    @explain_calls(**_UNTIL)
    async def ask(self, config: Mapping[str, Any], until: int) -> Answer:
        """Return the answer to one request: `evaluate` for those who wait with `await`. Cancelling withdraws it.

        Those that `asyncio.gather` makes together begin together, and share what they have in common.
        """
        future = await self._asked_together.begin(self._prepare_evaluation(config, until))
        served: asyncio.Task[Answer | None] = asyncio.create_task(asyncio.to_thread(self._runtime().serve, future))
        try:
            while not served.done():
                # A notebook's stop button cancels the cell, but does not wake the loop that must notice.
                await asyncio.wait([served], timeout=_WAKE_S)
            return self._answered(served.result())
        finally:
            served.cancel()
            future.cancel()

    def _answered(self, answer: Answer | None) -> Answer:
        """Return an answer, or say why there is none."""
        if answer is None:
            raise StudyStoppedError(
                f"study {self.name!r} was stopped before this was answered; the same code, run again, goes on there"
            )
        return answer

    def close(self) -> None:
        """Stop the workers of this study's engine, and of every other study that uses it."""
        from hippo.study.runtimes import close_runtime

        close_runtime(self._runtime().engine)

    def _prepare_evaluation(self, config: Mapping[str, Any], until: int) -> Begin:
        asked = as_config(config)
        until = checked_steps("until", until)
        record = {"evaluate": asked.to_json(), "until": describe(until)}
        return self._prepare_call(record_text(record), lambda ask: ask(asked, until=until))

    def _begin_evaluation(self, config: Mapping[str, Any], until: int) -> concurrent.futures.Future[Any]:
        return self._prepare_evaluation(config, until)()

    def _prepare(self, tuner: Any, fair_share: FairShare | None = None) -> Begin:
        """Return what begins a tuner's call, once all that can be refused beforehand was looked at.

        Raises:
          TunerError: it is no tuner, cannot be told from another one, or needs a metric that the study lacks.
          TrainerError: the study's trainer cannot be had here.
        """
        check_tuner(tuner, self.name, self._opened.settings)
        if self._opened.say_changes is not None:
            self._opened.say_changes()
        record, scales = record_text(record_of(tuner)), scales_of(tuner)
        if scales:
            cls = self._opened.trainer().cls
            self._opened.members.add(scale_for(cls, str(scale)) for scale in scales)
        names = [str(scale) for scale in scales]
        if asks_branches(tuner, self._opened.settings) and self._opened.members.add_branches():
            names.append(BRANCHES)
        begin = self._prepare_call(record, tuner.tune, fair_share, names, must_not_all_fail=True)
        for doubt in doubts_of(tuner, self._opened.trainer().cls):
            warn_caller(doubt)
        return begin

    def _prepare_call(
        self,
        record: str,
        asking: Asking,
        fair_share: FairShare | None = None,
        scales: Sequence[str] = (),
        *,
        must_not_all_fail: bool = False,
    ) -> Begin:
        row = self._opened.row
        if self._opened.store.rows(StudyRow, study=row.study)[0].deleted:
            raise StudyDeletedError(
                f"study {row.name!r} was deleted, so nobody could find what it trains now; create_study makes it again"
            )
        job = replace(self._job(scales), fair_share=fair_share, must_not_all_fail=must_not_all_fail)
        runtime = self._runtime()

        def begin() -> concurrent.futures.Future[Any]:
            return self._calls.start(
                record, lambda position: runtime.start_call(job, position, record, self._averaged(asking, scales))
            )

        return begin

    def _averaged(self, asking: Asking, scales: Sequence[str]) -> Asking:
        """Return what asks all seeds of the study, and is told averages, if it was made with several."""
        members, aggregate = self._opened.members, AGGREGATES[self._opened.settings.aggregate]
        if not any(map(is_of_a_seed, members.target)):
            return asking
        groups = {scale: tuple(members.at(scale)) for scale in scales}
        return lambda ask: asking(Averaged(ask, members.target, aggregate, groups=groups))

    def _known_trials(self) -> KnownTrials | None:
        """Return the trials so far, to tell later ones from; None where equal trials share nothing."""
        return KnownTrials(self._opened.store, self._opened.row) if self._opened.settings.sharing else None

    def _take_enqueued(self) -> list[concurrent.futures.Future[Any]]:
        taken, self._enqueued = self._enqueued, []
        return taken

    def _progress(self) -> Progress | None:
        return self._runtime().progress(self._opened.store, self._opened.row.study)

    def _steps_executed(self) -> int | None:
        return self._runtime().steps_executed(self._opened.store, self._opened.row.study)

    def _job(self, scales: Sequence[str] = ()) -> Job:
        """Return what the study brings to its runtime: the members of its target, and those at these scales."""
        taken = self._opened.members.at(TARGET_NAME, *scales)  # first: a call may have made some since
        trainer = self._opened.trainer()
        return Job(
            store=self._opened.store,
            study=self._opened.row,
            settings=self._opened.settings,
            members={member: MemberPlan(plan=plan, spec=trainer.specs[member]) for member, plan in taken.items()},
            check_config=trainer.check_config,
            wait=self._opened.wait,
            step_timeout_s=self._opened.step_timeout_s,
            observers=(self._callbacks,),
        )

    def _keep_only_best(self) -> None:
        """Remove what a study that keeps only the best states has no use for, now that a tuner's call has ended."""
        if self._opened.settings.keep.top is not None:
            self._runtime().keep_only_best(self._opened.store, sorted(set(self._opened.plans.values())))

    def _flush_callbacks(self) -> None:
        self._callbacks.flush()

    def _serve(self, begin: Begin) -> Any:
        from hippo.study.optimizing import run_together

        return run_together([(self, begin)])[0]

    def _runtime(self) -> Runtime:
        return self._opened.runtime()

    # --- results: see `RecordedResults` for the rest of them

    @cached_property
    def _reader(self) -> StudyReader:
        return StudyReader(self._opened.store, self._opened.row, self._opened.settings, self)

    @property
    def branch_trials(self) -> list[Trial]:
        """What branches that were walked as lanes of one program came to, beside the path that they left.

        They are listed by where they begin, which their `member` names, and by number.
        """
        return branch_trials(self.read())

    def _branches_at(self, scale: str) -> RecordedResults:
        """Return what branches came to that begin at one state, as their member is named."""
        opened = self._opened
        if not opened.members.at(scale):
            raise UnknownScaleError(
                f"study {self.name!r} has no {scale!r}; `hippo tree` names the branches that it has"
            )
        return ResultsOfReader(StudyReader(opened.store, opened.row, opened.settings, self, scale=scale))

    @cached_property
    def surrogates(self) -> Surrogates:
        """What the study's surrogates came to: `study.surrogates["1/8"]`, by scale; empty if it has none."""
        opened = self._opened

        def reader_at(scale: str) -> StudyReader:
            return StudyReader(opened.store, opened.row, opened.settings, self, scale=scale)

        return Surrogates(self.name, opened.members.scales, reader_at)

    def _reader_of(self, trial: Trial) -> StudyReader:
        """Return what reads the member that a trial is of."""
        scale = scale_of(trial.member)
        return self._reader if scale == TARGET_NAME or is_of_branches(scale) else self.surrogates[scale]._reader

    def counted(self) -> Statistics:
        """Return `statistics` without `trial_seconds` and `twin_drift`, at once where this process runs the study."""
        counted = self._runtime().statistics(self._opened.store, self._opened.row.study)
        return counted if counted is not None else counted_in(self.read())

    def load_model(self, trial: Trial, seed: int | None = None) -> Any:
        """Return the trained model of a trial; see `Trial.load_model`."""
        from hippo.study.models import load_model

        found = self._trial_of(trial, seed, "model")

        def load(state: State) -> Any:
            specs = self._opened.trainer(to_train=False).specs
            return load_model(specs[found.member], self._runtime().checkpoints, state, found.metrics or None)

        return self._loaded(found, load)

    def load_state(self, trial: Trial, seed: int | None = None) -> Any:
        """Return the whole training state of a trial; see `Trial.load_state`."""
        from hippo.study.models import load_state

        found = self._trial_of(trial, seed, "state")

        def spec() -> TrainerSpec:
            return self._opened.trainer(to_train=False).specs[found.member]

        return self._loaded(found, lambda state: load_state(self._runtime().checkpoints, state, spec))

    def reproduce(
        self,
        trial: Trial | int,
        seed: int | None = None,
        *,
        checkpoints: str | None = None,
        trainer: type | None = None,
    ) -> Reproduction:
        """Train a trial once more, alone and from its beginning, and compare all that is recorded of it bit for bit.

        Nothing is written. It needs the trainer as it was, and a database; where checkpoints are there as well, it
        names the tensor that differs.

        Args:
          trial: one of `study.trials`, or its number.
          seed: which of the seeds, in a study with several.
          checkpoints: where its states are now, if not where they were written: a copy from another machine.
          trainer: its class, sent to the process that trains, where its module is a script that would run something
            when it is imported.

        Raises:
          OptionError: there is no such trial, or it failed, or it has no metrics.
          TrainerError: the trainer cannot be had here, or its code has changed.
        """
        from hippo.study.reproduction import reproduce

        if not isinstance(trial, Trial):
            trial = self.trial(trial)
        if is_of_branches(scale_of(trial.member)):
            raise OptionError(
                f"trial {trial.number} among {trial.member!r} is a branch that was walked beside others, from a state "
                "of the study's own path on: no run of it alone says the same. What went on along it is among "
                "study.trials, and is reproduced"
            )
        reader = self._reader_of(trial)
        return reproduce(
            self._opened,
            self._trial_of(trial, seed, "state"),
            checkpoints=checkpoints or self._checkpoint_place(),
            pieces_of=reader.pieces,
            states_of=reader.states,
            trainer=trainer,
        )

    def _checkpoint_place(self) -> str:
        """Return where states were written, without opening anything there."""
        opened = self._opened
        (row,) = opened.store.rows(StudyRow, study=opened.row.study)
        place: str = json.loads(row.settings)["checkpoints"]
        return place

    def _trial_of(self, trial: Trial, seed: int | None, what: str) -> Trial:
        """Return the trial that is meant: with several seeds, that of one of them."""
        if not isinstance(trial, Trial):
            raise TrialFailedError(
                f"{trial!r} is no trial; give one of study.trials, as in study.load_model(study.best_trial)"
            )
        scale = scale_of(trial.member)
        if not trial.replicates:
            if seed is not None and trial.member != seed_member(seed, scale):
                raise OptionError(f"seed={seed!r} is for studies made with seeds=[...]; leave it out")
            return trial
        found = {replicate.member: replicate for replicate in trial.replicates}
        if seed is None or seed_member(seed, scale) not in found:
            of = "" if seed is None else f" none of seed {seed!r}, but"
            raise OptionError(
                f"trial {trial.number} has{of} a {what} for each of {list(found)}, and none for their average; name "
                f"the seed: load_{what}(seed=...), or --seed on the command line"
            )
        return found[seed_member(seed, scale)]

    def _loaded(self, trial: Trial, load: Callable[[State], Any]) -> Any:
        """Return what is loaded of the last state of a trial, made again if it was not kept, is gone or corrupt."""
        if trial.point is None:
            raise TrialFailedError(f"trial {trial.number} has no state: it was never answered. {trial.error}".rstrip())
        state = self._reader_of(trial).state_at(trial.member, *trial.point)
        if state is None:
            hint = "a larger checkpoint_budget= keeps more states"
            if self._opened.settings.keep.top is not None:
                hint = "keep='leaves' keeps the last states of all trials"
            _warn_of_steps(trial, "was not kept", f" ({hint})")
            with self._made_again(trial) as state:
                return load(state)
        try:
            return load(state)
        except (MissingCheckpointError, CorruptCheckpointError) as error:
            job = self._job([scale_of(trial.member)])  # an error, where nobody could train it again: it stays known
            forget_state(job.store, job.members[trial.member].plan, state[2].key, error)
            _warn_of_steps(trial, f"cannot be read ({error})")
            with self._made_again(trial) as state:
                return load(state)

    @contextmanager
    def _made_again(self, trial: Trial) -> Iterator[State]:
        """Yield where the last state of a trial is, once its steps were run again; it stays while the block lasts."""
        point = trial.point
        assert point is not None, "a trial without a state was refused"
        job = self._job([scale_of(trial.member)])
        with ExitStack() as stack:

            def begin() -> concurrent.futures.Future[None]:
                held = self._runtime().hold_state(job, trial.member, *point)
                stack.callback(held.let_go)
                return held.made

            self._serve(begin)
            state = self._reader_of(trial).state_at(trial.member, *point)
            assert state is not None, "it was just made, and is held until it is loaded"
            yield state

    def __repr__(self) -> str:
        url = shown_url(self._url)
        return f"Study({url!r})" if self._maybe_opened is None else f"<Study {self.name!r} in {url}>"


def identity_of(store: AbstractPlanStore, row: StudyRow) -> str:
    """Return what no other study has, wherever it is."""
    return f"{store.uuid}/{row.study}"


def _begun(opened: Opened, url: str) -> StudyBegun:
    return StudyBegun(
        study=opened.row.name,
        identity=identity_of(opened.store, opened.row),
        generation=opened.row.generation,
        storage=shown_url(url),
        sharing=opened.settings.sharing,
    )


def _warn_of_steps(trial: Trial, why: str, hint: str = "") -> None:
    warn_caller(
        f"the state of trial {trial.number} after {trial.step} steps {why}; its steps are run again from the nearest "
        f"checkpoint{hint}"
    )


def _metrics_of(answer: Answer) -> Mapping[str, float]:
    if answer.failure is not None:
        failure = answer.failure
        raise TrialFailedError(
            f"{failure.method}() failed at step {failure.step}: {failure.error}\n{failure.traceback}".rstrip()
        )
    return dict(answer.metrics)
