"""A trainer around a function that trains from beginning to end and reports on the way.

A step is the way to the next report. The function itself is no state that could be saved: it goes on only where it
stands still in a worker's memory; elsewhere it is run again from its beginning, and these steps count as repeated.
This module refuses to know whose way of reporting it is: a subclass calls the function.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from hippo.errors import HparamError, TrainerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, Constant
from hippo.training.functions import PausedFunctions, Report, RunningFunction
from hippo.training.metrics import checked_metrics
from hippo.training.process.streams import seed_everything
from hippo.training.trainer import Trainer


class FunctionTrainer(Trainer):
    """Runs `function` from report to report. Made by `hippo.from_optuna` and `hippo.from_ray`.

    Metrics after a step are what was reported there. Where the function ends, its last word is what it returned, or
    else what it reported last; steps beyond its end cost nothing, and repeat it.

    Chance is seeded once, as the function begins, and goes on with it: what it draws is what it would draw if it ran
    in one go. Arguments of `__init__` are passed to it by name.
    """

    #: what is trained
    function: ClassVar[Callable[..., Any]]
    #: whether reports are no steps: the function is one step from its beginning to its end
    in_one_step: ClassVar[bool] = False

    # Names with this prefix are no part of the code's fingerprint: these decide about no result.
    #: names that a config may have; None: any
    _hippo_known: ClassVar[tuple[str, ...] | None] = None
    #: names that a config must have
    _hippo_needed: ClassVar[tuple[str, ...]] = ()
    #: names that it can look up at all; None: it may be any, and what it does not ask for is its own business
    _hippo_read: ClassVar[frozenset[str] | None] = None
    #: how many functions may stand still in a worker beside the one that runs
    _hippo_keep_paused: ClassVar[int] = 0

    def __init__(self, **arguments: Any) -> None:
        self.arguments = arguments
        self._paused = PausedFunctions(self._hippo_keep_paused)  # copies of this trainer share it

    @abstractmethod
    def call(self, values: Mapping[str, Any], report: Report) -> Any:
        """Call the function with these values; return what it returned."""

    @abstractmethod
    def metrics_of(self, returned: Any) -> Mapping[str, Any]:
        """Return what the function returned, which is not None, as metrics.

        Raises:
          TrainerError: it cannot be.
        """

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return type(self).__name__

    def build(self) -> None:
        self._run: RunningFunction | None = None
        self._steps = 0
        self._metrics: dict[str, float] = {}
        self._is_over = False

    def setup(self, hp: Mapping[str, Any]) -> None:
        for name in hp if self._hippo_read is None else hp.keys() & self._hippo_read:
            hp[name]  # so that the others are told of

    def train(self) -> None:
        if not self._is_over:
            run = self._run = self._standing_here()
            run.advance()
            self._take_metrics(run)
        self._steps += 1

    def evaluate(self) -> Mapping[str, Any]:
        return self._metrics

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self._steps, "metrics": self._metrics, "is_over": self._is_over}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._steps, self._metrics, self._is_over = state["steps"], state["metrics"], state["is_over"]

    def must_start_over(self) -> bool:
        return not (self._is_over or self._paused.has(self._key(), self._steps))

    def close(self) -> None:
        run, self._run = getattr(self, "_run", None), None
        if run is None or run.is_over:
            return
        if run.is_standing:
            self._paused.put(self._key(), self._steps, run)
        else:
            run.stop()

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        known = config if cls._hippo_known is None else cls._hippo_known
        for name in config:
            if name not in known:
                raise UnknownHparamError(
                    f"{cls.__name__}() asks for no {name!r}, only for {sorted(known)}.{did_you_mean(name, known)}"
                )
            if not isinstance(config[name], Constant):
                raise HparamError(
                    f"{name}={config[name]!r} changes while it is trained, but {cls.__name__}() is a function, which "
                    "takes its values once, as it begins. Give it constants, or make it a hippo.Trainer."
                )
        for name in cls._hippo_needed:
            if name not in config:
                raise UnknownHparamError(
                    f"{cls.__name__}() asks for {name!r}, and the config has only {sorted(config)}."
                    f"{did_you_mean(name, config)}"
                )

    def _standing_here(self) -> RunningFunction:
        """Return the function where it stands after `_steps` steps; if it is nowhere, run it again up to there."""
        run = self._run or self._paused.take(self._key(), self._steps)
        if run is not None:
            return run
        self._paused.make_room()
        values = copy.deepcopy(dict(self.hp.raw))  # the function's to change: ours say which function it is
        if self.in_one_step:
            return _WholeFunction(lambda report: self.call(values, report))
        run = RunningFunction(lambda report: self.call(values, report))
        seed_everything(self.seed, "train", 0)
        for _ in range(self._steps):  # for checks, which nobody counts: a lane would have begun anew
            run.advance()
        return run

    def _take_metrics(self, run: RunningFunction) -> None:
        self._is_over = run.is_over
        if run.is_over and run.returned is not None:
            self._metrics = checked_metrics(self.metrics_of(run.returned), self.name)
        elif run.reported is not None:
            self._metrics = checked_metrics(run.reported, self.name)
        else:
            raise TrainerError(f"{self.name}() ended without a result: it reported nothing, and returned None.")

    def _key(self) -> str:
        return repr(sorted(self.hp.raw.items()))


class _WholeFunction(RunningFunction):
    """A function that is run to its end at once, in the calling thread: reports are only noted."""

    def advance(self) -> None:
        self.returned = self._call(self._report)
        self.is_over = True

    def _report(self, metrics: Mapping[str, Any]) -> None:
        self.reported = metrics
