"""The general form of what hippo trains: a few methods around any training code.

hippo calls them; between two calls it may save the state, go elsewhere, and come back, on another machine and after
other trials. This module knows no framework: it imports without torch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from hippo.errors import HparamError, UnknownHparamError, did_you_mean
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.hparams import Config
    from hippo.training.live_states import HeldState, LiveState
    from hippo.training.recording_experience import RecordingExperience, RecordingListener


def check_names(what: str, names: object) -> None:
    """Refuse names of hyper-parameters that are none; None is for all names there are.

    Raises:
      HparamError: a name alone would be taken apart into letters, and what is no text names nothing.
    """
    if isinstance(names, str):
        raise HparamError(f"{what}={names!r}: give the names as a list, [{names!r}]")
    if names is None:
        return
    listed = list(names) if isinstance(names, list | tuple | set | frozenset) else []
    if not listed or not all(isinstance(name, str) and name for name in listed) or len(set(listed)) < len(listed):
        raise HparamError(f"{what} must be a list of names, each once, such as ['lr', 'momentum'], not {names!r}")


class BuiltState(Protocol):
    """A built trainer that may take other states, as long as it is what was built."""

    def settle(self) -> bool:
        """Look whether it still is, at the end of a lane."""

    def load(self, state: HeldState, values: HparamValues) -> bool:
        """Take a state, as if built under these values; return whether that was possible."""


class Trainer(ABC):
    """Trains one model, a step at a time, under hyper-parameters that change from step to step.

    Write `__init__(self, **trainer_args)` to load data: it runs once per worker, and every trial then starts on a
    shallow copy of the trainer as `__init__` left it. For each stretch of training hippo calls, in this order:

    1. `build()`, with `self.hp` = the values in force just before the point of resumption (or of step 0),
    2. `load_state_dict(state)`, unless training begins at step 0,
    3. `setup(hp)` with all values of the next step, then `train()`; `evaluate()` and `state_dict()` where needed,
    4. `setup(hp)` again before each later step at which values change, with the changed ones only,
    5. `close()` at the end.

    The global generators of python, numpy and torch are seeded before each call, so what they hold is no part of the
    state; everything else that a later step depends on must be in `state_dict()`.
    """

    #: names that this trainer understands; None: any. A config that names another one is refused before training
    hparams: ClassVar[tuple[str, ...] | None] = None
    #: the values in force, by name
    hp: HparamValues = HparamValues({}, missing="values are there from build() on, not yet in __init__.")
    #: the study's seed
    seed: int = 0
    #: names of another library's trainer, and for each a sentence on what stands for it here
    _said_otherwise: ClassVar[Mapping[str, str]] = {}

    def build(self) -> None:  # noqa: B027 - nothing to build is fine
        """Make what a trial trains, newly initialised: model, optimizer, counters."""

    def setup(self, hp: Mapping[str, Any]) -> None:  # noqa: B027 - so is nothing to apply
        """Apply the values in `hp`: all of them after `build`, later only those that changed. Must be idempotent."""

    @abstractmethod
    def train(self) -> Mapping[str, Any] | None:
        """Train for one step (an epoch, say), and return metrics of it by name, or None."""

    @abstractmethod
    def evaluate(self) -> Mapping[str, Any]:
        """Return metrics of the model as it is, by name, leaving the training state untouched."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return everything that later steps depend on: numbers, strings, lists, dicts, arrays, tensors."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over a state that `state_dict` returned. It is a copy: keep it, change it."""

    def must_start_over(self) -> bool:
        """Tell, after `load_state_dict`, whether training cannot go on from there although the state is whole.

        Its steps are then run again from the nearest state below, and counted as repeated. For what no checkpoint can
        hold, such as a function that runs.
        """
        return False

    def close(self) -> None:  # noqa: B027 - so is nothing to release
        """Release what `build` or `train` took and garbage collection may be late to find: processes, files."""

    def _note_setup(self, *, has_looked: bool) -> None:  # noqa: B027 - so is nobody who fetches ahead
        """`setup` is through; `has_looked`: at values that are new."""

    def _set_up(self, given: HparamValues, step: int) -> None:
        """Call `setup`, wherever parts of this trainer are."""
        self.setup(given)

    def _check_begun(self, steps: int) -> None:  # noqa: B027 - most are new as `build` made them, and do as they say
        """Raise an error, of a trial that begins, if what `build` made is not as new as it has to be.

        Called again after its first step, with `steps` = 1: if what the trainer asks for was not done there.
        """

    def _as_built(self, pristine: Trainer) -> BuiltState | None:
        """Return, right after `build`, what can bring this trainer to other states; None: each is built anew."""
        return None

    def _runs_free(self) -> bool:
        """Whether what a step comes to depends on which of the trainer's own workers was first."""
        return False

    def _live_copy(self) -> LiveState | None:
        """Return a copy of the present state that the trainer keeps itself; None: it is to be encoded."""
        return None

    def _load_live(self, state: LiveState) -> None:
        """Take over a state that a copy of this trainer keeps, in the place of `load_state_dict`."""
        raise NotImplementedError("a trainer that keeps states takes them")

    def _record_updates(  # noqa: B027 - most trainers have nothing to record
        self, experience: RecordingExperience, listener: RecordingListener, *, is_asked: bool
    ) -> None:
        """Have updates recorded from now on, where that can be.

        Args:
          experience: with this workload, walked alone.
          listener: hears of it.
          is_asked: the study's numerics ask for it, if the trainer has no say in it.
        """

    def _stop_recording(self, why: str) -> bool:
        """Let go of what was recorded, and record no more; tell whether there was anything."""
        return False

    def _base_state(self) -> Mapping[str, Any]:
        """Return, right after `build`, what of its states may stay as it is: tensors, where states have them."""
        return self.state_dict()

    def _outlives_close(self) -> bool:
        """Whether the trainer can still go on after `close`: what a user's `close` does is not known."""
        return type(self).close is Trainer.close and type(self).must_start_over is Trainer.must_start_over

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        """Raise an error if `config` cannot be trained for `until` steps. Called before anything is trained.

        Raises:
          UnknownHparamError: the config names a hyper-parameter that is not among `hparams`.
        """
        if cls.hparams is None:
            return
        for name in config:
            if name not in cls.hparams:
                hint = did_you_mean(name, cls.hparams)
                raise UnknownHparamError(
                    f"{cls.__name__} knows no hyper-parameter {name!r}; it knows {sorted(cls.hparams)}.{hint}"
                )
