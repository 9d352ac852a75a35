"""The model, or the training state, that a trial came to: loaded where it was kept, and else made again.

It refuses to know how steps are run: they are begun by the study's runtime, and waited for by who serves its calls.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from hippo.errors import CorruptCheckpointError, MissingCheckpointError, OptionError, TrialFailedError
from hippo.hparams import Piece
from hippo.members import scale_of, seed_member
from hippo.plan import CheckpointLoss, CheckpointRow
from hippo.records import CheckpointRef, TrainerSpec
from hippo.runtime.studies.warnings import warn_caller
from hippo.study.lost_states import forget_state
from hippo.study.results.reading import StudyReader
from hippo.study.results.trials import Trial
from hippo.study.study_calls import Begin, StudyCalls

#: where a state is: its step, the pieces in force just before it, and its checkpoint
State = tuple[int, Mapping[str, Piece], CheckpointRef]


class LastStates:
    """Loads the last states of a study's trials.

    Args:
      calls: of the study.
      serve: begins what makes a state again, and waits for it.
      reader_of: returns what reads the member that a trial is of.
    """

    def __init__(
        self, calls: StudyCalls, serve: Callable[[Begin], Any], reader_of: Callable[[Trial], StudyReader]
    ) -> None:
        self._opened = calls.opened
        self._calls = calls
        self._serve = serve
        self._reader_of = reader_of

    def load_model(self, trial: Trial, seed: int | None) -> Any:
        """Return the trained model of a trial; see `Trial.load_model`."""
        from hippo.study.models import load_model

        found = replicate_of(trial, seed, "model")

        def load(state: State) -> Any:
            specs = self._opened.trainer(to_train=False).specs
            return load_model(specs[found.member], self._opened.runtime().checkpoints, state, found.metrics or None)

        return self._loaded(found, load)

    def load_state(self, trial: Trial, seed: int | None) -> Any:
        """Return the whole training state of a trial; see `Trial.load_state`."""
        from hippo.study.models import load_state

        found = replicate_of(trial, seed, "state")

        def spec() -> TrainerSpec:
            return self._opened.trainer(to_train=False).specs[found.member]

        return self._loaded(found, lambda state: load_state(self._opened.runtime().checkpoints, state, spec))

    def _loaded(self, trial: Trial, load: Callable[[State], Any]) -> Any:
        """Return what is loaded of the last state of a trial, made again if it was not kept, is gone or corrupt."""
        if trial.point is None:
            raise TrialFailedError(f"trial {trial.number} has no state: it was never answered. {trial.error}".rstrip())
        reader = self._reader_of(trial)
        state = reader.state_at(trial.member, *trial.point)
        if state is None:
            if (lost := _lost(reader, trial.member, *trial.point)) is not None:
                _warn_of_steps(trial, lost)
            elif self._opened.settings.keep.top is not None:
                _warn_of_steps(trial, "was not kept", " (keep='leaves' keeps the last states of all trials)")
            else:
                _warn_of_steps(trial, "was not kept", " (a larger checkpoint_budget= keeps more states)")
            with self._made_again(trial) as state:
                return load(state)
        try:
            return load(state)
        except (MissingCheckpointError, CorruptCheckpointError) as error:
            job = self._calls.job([scale_of(trial.member)])  # raises where nobody could train it again: it stays known
            forget_state(job.store, job.members[trial.member].plan, state[2].key, error)
            _warn_of_steps(trial, f"cannot be read ({error})")
            with self._made_again(trial) as state:
                return load(state)

    @contextmanager
    def _made_again(self, trial: Trial) -> Iterator[State]:
        """Yield where the last state of a trial is, once its steps were run again; it stays while the block lasts."""
        point = trial.point
        assert point is not None, "a trial without a state was refused"
        job = self._calls.job([scale_of(trial.member)])
        with ExitStack() as stack:

            def begin() -> concurrent.futures.Future[None]:
                held = self._opened.runtime().hold_state(job, trial.member, *point)
                stack.callback(held.let_go)
                return held.made

            self._serve(begin)
            state = self._reader_of(trial).state_at(trial.member, *point)
            assert state is not None, "it was just made, and is held until it is loaded"
            yield state


def replicate_of(trial: Trial, seed: int | None, what: str) -> Trial:
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


def _lost(reader: StudyReader, member: str, node: int, step: int) -> str | None:
    """Return what became of a state that was written and is not there, though no budget took it; None: nothing."""
    with reader.store.reading() as rows:
        found = rows.columns(CheckpointRow, ("gone",), plan=reader.plans[member], node=node, step=step)
    losses = {gone for (gone,) in found}
    if not losses or CheckpointLoss.EVICTED in losses:
        return None
    return f"was written, and its file was found to be {' or '.join(sorted(losses))}"


def _warn_of_steps(trial: Trial, why: str, hint: str = "") -> None:
    warn_caller(
        f"the state of trial {trial.number} after {trial.step} steps {why}; its steps are run again from the nearest "
        f"checkpoint{hint}"
    )
