"""A study: one optimisation of one trainer, as users hold it. A view on a runtime; it decides nothing itself."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hippo.arguments import explain_calls
from hippo.errors import (
    HippoError,
    OptionError,
    StudyStoppedError,
    TrainerError,
    TrialFailedError,
    TunerError,
    UnknownScaleError,
)
from hippo.hparams import as_config
from hippo.members import TARGET_NAME, is_of_branches, scale_of
from hippo.plan import StudyRow
from hippo.plan.urls import shown_url
from hippo.records import Answer
from hippo.runtime import Progress, Runtime, Statistics, check_config, check_known
from hippo.runtime.studies.warnings import warn_or_say
from hippo.study.asked_together import AskedTogether
from hippo.study.known_trials import KnownTrials
from hippo.study.last_states import LastStates, replicate_of
from hippo.study.opened import Opened
from hippo.study.results.branch_trials import branch_trials
from hippo.study.results.local_views import LocalView
from hippo.study.results.reading import StudyReader
from hippo.study.results.recorded_results import RecordedResults, ResultsOfReader, Surrogates
from hippo.study.results.study_view import counted_in
from hippo.study.results.trials import Trial
from hippo.study.retrying import retry_failed
from hippo.study.study_calls import Begin, StudyCalls
from hippo.study.watching.callbacks import CallbackThread
from hippo.study.watching.failures import FailureLines, LogLines
from hippo.tuners.budgets import checked_steps

if TYPE_CHECKING:
    from hippo.study.reproduction import Reproduction


#: how often a waiting `ask` looks whether it was cancelled
_WAKE_S = 0.25

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
        #: evaluations that were begun and that nobody waits for yet
        self._enqueued: list[concurrent.futures.Future[Any]] = []
        self._asked_together = AskedTogether(self._runtime)
        given, begun = ((), None) if opened is None else (opened.callbacks, opened.begun(url))
        self._callbacks = CallbackThread([FailureLines(url), LogLines(), *given], begun)
        self._maybe_calls = None if opened is None else StudyCalls(opened, self._callbacks)

    @property
    def _calls(self) -> StudyCalls:
        if self._maybe_calls is None:
            raise HippoError(f"{self!r} is only a place for studies; call .create(...) or hippo.load_study")
        return self._maybe_calls

    @property
    def _opened(self) -> Opened:
        return self._calls.opened

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
        self._enqueued.append(self._calls.of_config(asked, until)())

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
        return _metrics_of(self._answered(self._serve(self._calls.of_config(config, until))))

    @explain_calls(until="it is called step here, as in the paper; study.evaluate(config, until=...) is the same")
    def eval(self, config: Mapping[str, Any], step: int) -> Mapping[str, float]:
        """Do what `evaluate` does, by its name in Hippo's Figure 11."""
        return self.evaluate(config, until=step)

    @explain_calls(**_UNTIL)
    async def ask(self, config: Mapping[str, Any], until: int) -> Answer:
        """Return the answer to one request: `evaluate` for those who wait with `await`. Cancelling withdraws it.

        Those that `asyncio.gather` makes together begin together, and share what they have in common.
        """
        future = await self._asked_together.begin(self._calls.of_config(config, until))
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
        """Stop the workers of this study's engine, and of every other study that uses it; let go of the database.

        The study can be read, and run again, afterwards: that opens what it needs.
        """
        from hippo.study.runtimes import close_runtime

        close_runtime(self._runtime().engine)  # which a tuner may not, nor let go of the plans that it trains on
        if self._opened.has_own_store:
            self._opened.store.close()

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

    def _keep_only_best(self) -> None:
        """Remove what a study that keeps only the best states has no use for, now that a tuner's call has ended.

        The call has all that it asked for, whether that can be done or not.
        """
        if self._opened.settings.keep.top is None:
            return
        try:
            self._runtime().keep_only_best(self._opened.store, sorted(set(self._opened.plans.values())))
        except HippoError as error:
            warn_or_say(
                f"study {self.name!r} is done, and states that it does not keep are there still: {error} The next call "
                "that ends removes them, or `hippo gc`."
            )

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
        """Return `statistics` without `trial_seconds` and `twin_drift`, at once where this process runs the study.

        Of trials that an earlier process was never answered all that it asked, `steps_saved` then counts what it was
        answered, and not what others have trained of their ways.
        """
        counted = self._runtime().statistics(self._opened.store, self._opened.row.study)
        return counted if counted is not None else counted_in(self.read())

    def load_model(self, trial: Trial, seed: int | None = None) -> Any:
        """Return the trained model of a trial; see `Trial.load_model`."""
        return self._states.load_model(trial, seed)

    def load_state(self, trial: Trial, seed: int | None = None) -> Any:
        """Return the whole training state of a trial; see `Trial.load_state`."""
        return self._states.load_state(trial, seed)

    @property
    def _states(self) -> LastStates:
        return LastStates(self._calls, self._serve, self._reader_of)

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
            replicate_of(trial, seed, "state"),
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

    def __repr__(self) -> str:
        url = shown_url(self._url)
        return f"Study({url!r})" if self._maybe_calls is None else f"<Study {self.name!r} in {url}>"


def _metrics_of(answer: Answer) -> Mapping[str, float]:
    if answer.failure is not None:
        failure = answer.failure
        raise TrialFailedError(
            f"{failure.method}() failed at step {failure.step}: {failure.error}\n{failure.traceback}".rstrip()
        )
    return dict(answer.metrics)
