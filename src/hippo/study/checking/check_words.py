"""The sentences in which a check says how a run was made, what it raised, and that nothing was found."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hippo.errors import HparamError, TrainerError, UnknownHparamError
from hippo.hparams import Config
from hippo.records import Failure
from hippo.training.inquiry.culprits import RunVariation

MOST_PATHS = 3
#: our own files
_PACKAGE = Path(__file__).resolve().parents[2]


def nothing_found(variation: RunVariation) -> str:
    """Return what is said where no culprit was found."""
    if variation is RunVariation.LOADER_WORKERS:
        return (
            "A sample depends on more than its index and the global generators: a counter or a generator that the "
            "data set keeps, which each loader worker has a copy of."
        )
    nothing = "Nothing that the trainer, its classes and modules or the process hold tells the two apart before it: "
    if variation in (RunVariation.AGAIN, RunVariation.ELSEWHERE, RunVariation.HASH_SEED):
        return (
            f"{nothing}it depends on the time, on a number of the process, on a file, or on a generator that nobody "
            "seeds (os.urandom, secrets, a library's own). A measured time among the metrics is no function of the "
            "state: leave it out."
        )
    return f"{nothing}it is kept by a library, by another process, or in a file."


def begun(variation: RunVariation, what: str) -> str:
    """Return how a run began or was made, as the beginning of a sentence."""
    return {
        RunVariation.UNDISTURBED: "without evaluations and state_dict() in between",
        RunVariation.AFTER_ANOTHER: "in a worker that has trained another config",
        RunVariation.AGAIN: "trained again in a second process",
        RunVariation.HASH_SEED: "under another PYTHONHASHSEED",
        RunVariation.ELSEWHERE: "in another folder, with other environment variables",
        RunVariation.LOADER_WORKERS: f"with {what}",
        RunVariation.RESUMED: f"in {what}",
        RunVariation.RESUMED_TWICE: f"in {what}",
        RunVariation.STEP_BY_STEP: "trained alone, from the state before it",
    }.get(variation, what)


def raised(variation: RunVariation, what: str, failure: Failure) -> str:
    """Return what is told of a run that raised where the reference did not."""
    advice = (
        " A state is loaded into a trainer that was only built: make there, before loading, all that the state has."
        if failure.method == "load_state_dict"
        else ""
    )
    return (
        f"{begun(variation, what)}, {failure.method}() raises {' '.join(failure.error.split())}, which it does not "
        f"where the same steps are trained in one go.{advice}\n{_users_lines(failure.traceback)}"
    )


def _users_lines(traceback: str) -> str:
    """Return a traceback without the frames that lead to the user's code, indented."""
    head, *frames = re.split(r'^(?=  File ")', traceback.rstrip(), flags=re.MULTILINE)
    own = [frame for frame in frames if f'File "{_PACKAGE}{os.sep}training' not in frame]
    return "\n".join(f"   {line}" for line in "".join((head, *own)).splitlines())


def unusable(name: str, failure: Failure, config: Config) -> Exception:
    """Return the error for a trainer that does not even train once."""
    said = failure.error.splitlines()[0] if failure.error else ""
    kind, _, message = said.partition(": ")
    known = kind.rpartition(".")[2]
    if known == "UnknownHparamError":
        return UnknownHparamError(f"{message.strip(chr(34))} Give it: config={{...}}, or --hparam NAME=VALUE.")
    if known == "HparamError":
        return HparamError(message)
    return TrainerError(
        f"{name} cannot be checked, since its {failure.method}() raised {said}\n{failure.traceback.rstrip()}"
    )


def count_of(steps: int) -> str:
    """Return a number of steps in words."""
    return f"{steps} step{'s' if steps > 1 else ''}"
