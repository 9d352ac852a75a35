"""A study: one optimisation of one trainer, as users hold it. A view on a runtime; it decides nothing itself."""

from __future__ import annotations

import asyncio
import concurrent.futures
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError, TrialFailedError, TunerError
from hippo.hparams import Config, as_config
from hippo.plan import AbstractPlanStore, StudyRow
from hippo.records import Answer, TrainerSpec, TrialState
from hippo.runtime import Asking, Job, Progress, Runtime, Settings, Statistics
from hippo.schedulers import Standing
from hippo.study.best import NoBestTrialError, best_of, pareto_front
from hippo.study.calls import CallPositions
from hippo.study.reading import Reading, TreeRow
from hippo.study.resuming import say_how_to_resume
from hippo.study.trials import Trial
from hippo.tuners.tuner import describe, record_of, record_text

if TYPE_CHECKING:
    import pandas as pd

#: builds what a call needs of the trainer: what to ship, and what refuses a config
MakeTrainer = Callable[[], tuple[TrainerSpec, Callable[[Config, int], None]]]

#: how often a waiting `ask` looks whether it was cancelled
_WAKE_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What a study is made of, once it is found or made."""

    store: AbstractPlanStore
    row: StudyRow
    settings: Settings
    #: makes the runtime when it is first needed
    runtime: Callable[[], Runtime]
    trainer: MakeTrainer


class Study:
    """One optimisation run. Made by `hippo.create_study` or `hippo.load_study`, or from a storage URL.

    `Study(url).create(...)` is how Hippo's Figure 11 makes one.
    """

    def __init__(self, url: str, opened: Opened | None = None) -> None:
        self._url = url
        self._maybe_opened = opened
        self._calls = CallPositions()

    @property
    def _opened(self) -> Opened:
        if self._maybe_opened is None:
            raise HippoError(f"Study({self._url!r}) is only a place for studies; call .create(...) or hippo.load_study")
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

        name = options.pop("name", command if isinstance(command, str) else command.__name__)
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

    def optimize(self, tuner: Any) -> None:
        """Run a tuner to its end, with a progress bar if standard error is a terminal.

        The same script run again goes on where this one was stopped, by whatever.

        Args:
          tuner: an object with a coroutine `tune(ask)`.

        Raises:
          HippoError: bad input, before anything is trained; or what stopped the study.
          KeyboardInterrupt: Ctrl-C, after running steps were saved.
        """
        from hippo.study.optimizing import optimize

        optimize([(self, tuner)])

    def evaluate(self, config: Mapping[str, Any], until: int) -> Mapping[str, float]:
        """Return the metrics of a config after `until` steps: a trial of its own, by hand.

        Raises:
          TrialFailedError: the trainer raised; the message says what.
        """
        future = self._start_evaluation(config, until)
        return _metrics_of(self._serve(future))

    def eval(self, config: Mapping[str, Any], step: int) -> Mapping[str, float]:
        """Do what `evaluate` does, by its name in Hippo's Figure 11."""
        return self.evaluate(config, until=step)

    async def ask(self, config: Mapping[str, Any], until: int) -> Answer:
        """Return the answer to one request: `evaluate` for those who wait with `await`. Cancelling withdraws it."""
        future = self._start_evaluation(config, until)
        served: asyncio.Task[Answer] = asyncio.create_task(asyncio.to_thread(self._runtime().serve, future))
        try:
            while not served.done():
                # A notebook's stop button cancels the cell, but does not wake the loop that must notice.
                await asyncio.wait([served], timeout=_WAKE_S)
            return served.result()
        finally:
            served.cancel()
            future.cancel()

    def close(self) -> None:
        """Stop the workers of this study's engine, and of every other study that uses it."""
        from hippo.study.runtimes import close_runtime

        close_runtime(self._runtime().engine)

    def _start_evaluation(self, config: Mapping[str, Any], until: int) -> concurrent.futures.Future[Any]:
        asked = as_config(config)
        record = {"evaluate": asked.to_json(), "until": describe(until)}
        return self._start(record_text(record), lambda call: call(asked, until=until))

    def _record_of(self, tuner: Any) -> str:
        """Return what identifies a tuner call.

        Raises:
          TunerError: it is no tuner, cannot be told from another one, or needs a metric that the study lacks.
        """
        if not callable(getattr(tuner, "tune", None)):
            raise TunerError(f"{tuner!r} is no tuner: it has no coroutine tune(self, ask)")
        if getattr(tuner, "needs_metric", False) and not self._opened.settings.objectives:
            raise TunerError(
                f"{type(tuner).__name__} ranks trials, and study {self.name!r} has no metric; "
                "create it with metric='...'"
            )
        return record_text(record_of(tuner))

    def _start(self, record: str, asking: Asking, standing: Standing | None = None) -> concurrent.futures.Future[Any]:
        jobs = [replace(self._job(), standing=standing)]
        return self._calls.start(record, lambda position: self._runtime().start_call(jobs, position, record, asking))

    def _progress(self) -> Progress | None:
        return self._runtime().progress(self._opened.store, self._opened.row.study)

    def _job(self) -> Job:
        spec, check_config = self._opened.trainer()
        return Job(
            store=self._opened.store,
            study=self._opened.row,
            settings=self._opened.settings,
            spec=spec,
            check_config=check_config,
        )

    def _serve(self, future: concurrent.futures.Future[Any]) -> Any:
        try:
            return self._runtime().serve(future)
        except KeyboardInterrupt as stop:
            say_how_to_resume([self], stop)
            raise

    def _runtime(self) -> Runtime:
        return self._opened.runtime()

    # --- results

    @property
    def trials(self) -> list[Trial]:
        """All trials of the current generation, by number."""
        return self._reading().trials(self, self._opened.settings)

    @property
    def best_trial(self) -> Trial:
        """The complete trial with the best value that keeps the constraints; ties go to the smaller number.

        If no trial keeps them, the one that breaks them least.

        Raises:
          ValueError: the study has no metric or several of them, or no trial is complete.
        """
        return best_of(self._complete_trials(), self.name)

    @property
    def has_several_objectives(self) -> bool:
        """Whether trials are better or worse in more than one way."""
        return len(self._opened.settings.objectives) > 1

    @property
    def best_trials(self) -> list[Trial]:
        """The Pareto front: the complete trials that keep the constraints and that no other one dominates.

        Raises:
          ValueError: the study has no metric, or no trial is complete.
        """
        return pareto_front(self._complete_trials())

    def _complete_trials(self) -> list[Trial]:
        if not self._opened.settings.objectives:
            raise NoBestTrialError(f"study {self.name!r} has no metric; create it with metric='...' and mode='...'")
        trials = self.trials
        complete = [trial for trial in trials if trial.state is TrialState.COMPLETE and trial.values is not None]
        if not complete:
            failed = [trial for trial in trials if trial.state is TrialState.FAIL]
            why = f" {len(failed)} failed, the first in {failed[0].error}" if failed else ""
            raise NoBestTrialError(f"no trial of study {self.name!r} is complete yet.{why}")
        return complete

    @property
    def best_value(self) -> float:
        """The best trial's value."""
        value = self.best_trial.value
        assert value is not None
        return value

    @property
    def best_config(self) -> Config:
        """The best trial's config."""
        return self.best_trial.config

    @property
    def best_params(self) -> Mapping[str, Any]:
        """The best trial's params."""
        return self.best_trial.params

    def trials_dataframe(self) -> pd.DataFrame:
        """Return the trials as a table: number, state, value (or values_0, values_1, ...), params_*, step."""
        try:
            import pandas as pd
        except ImportError:
            raise HippoError("trials_dataframe() needs pandas: pip install 'hippo[pandas]'") from None
        trials = self.trials
        names = sorted({name for trial in trials for name in trial.params})
        several = len(self._opened.settings.objectives) > 1
        objectives = range(len(self._opened.settings.objectives)) if several else range(1)
        values = [f"values_{i}" for i in objectives] if several else ["value"]
        columns = ["number", "state", *values, *(f"params_{name}" for name in names), "step"]
        rows = [
            [
                trial.number,
                trial.state.value,
                *(None if trial.values is None else trial.values[i] for i in objectives),
                *(trial.params.get(name) for name in names),
                trial.step,
            ]
            for trial in trials
        ]
        return pd.DataFrame(rows, columns=columns)

    def statistics(self) -> Statistics:
        """Return what the study asked for and what it cost, over all its runs."""
        return self._reading().statistics()

    def counted(self) -> Statistics:
        """Return what `statistics` does but for `trial_seconds`, at once where this process runs the study."""
        counted = self._runtime().statistics(self._opened.store, self._opened.row.study)
        return counted if counted is not None else self.statistics()

    def tree(self) -> list[TreeRow]:
        """Return the nodes of the search plan that the trials of this study walked, parents before children."""
        return self._reading().tree()

    def load_model(self, trial: Trial) -> Any:
        """Return the trained model of a trial; see `Trial.load_model`."""
        from hippo.study.models import load_model

        if trial.point is None:
            raise TrialFailedError(f"trial {trial.number} has no state: it was never answered. {trial.error}")
        job = self._job()
        node, step = trial.point
        if not self._reading().has_state(node, step):
            warnings.warn(
                f"the state of trial {trial.number} after {step} steps was not kept; its steps are run again from the "
                "nearest checkpoint (keep='leaves' keeps the last states of all trials)",
                stacklevel=3,
            )
            self._serve(self._runtime().make_state(job, node, step))
        reading = self._reading()
        return load_model(job.spec, self._runtime().checkpoints, reading.state(node, step), reading.metrics(node, step))

    def _reading(self) -> Reading:
        return Reading(self._opened.store, self._opened.row)

    def __repr__(self) -> str:
        return f"Study({self._url!r})" if self._maybe_opened is None else f"<Study {self.name!r} in {self._url}>"


def _metrics_of(answer: Answer) -> Mapping[str, float]:
    if answer.failure is not None:
        failure = answer.failure
        raise TrialFailedError(
            f"{failure.method}() failed at step {failure.step}: {failure.error}\n{failure.traceback}".rstrip()
        )
    return dict(answer.metrics)
