"""Every error that hippo raises, as one tree.

Each class also inherits the builtin it resembles, so that code which knows nothing of hippo still catches it sensibly.
A message says what happened, with which values, and what to do about it; the docstring is the message if none is given.
This module refuses to know anything else of hippo.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class HippoError(Exception):
    """Something went wrong in hippo."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class ArgumentError(HippoError, TypeError):
    """A function was called with arguments that it does not have, or without one that it needs."""


class MissingExtraError(HippoError, ModuleNotFoundError):
    """Something was asked for that needs a package which is not installed."""


class HparamError(HippoError, ValueError):
    """A hyper-parameter, sequence or config cannot be what it was asked to be."""


class UnknownHparamError(HparamError, KeyError):
    """A hyper-parameter was named that does not exist."""

    __str__ = Exception.__str__  # KeyError would show the repr of the message


class SpaceError(HippoError, ValueError):
    """A search space cannot be built or enumerated."""


class BudgetError(HippoError, ValueError):
    """A number of steps, a rung or a reduction factor is out of its bounds."""


class TunerError(HippoError, ValueError):
    """A tuner was asked for something it cannot do."""


class UnknownArgumentError(TunerError, ArgumentError):
    """A tuner was made with an argument that it does not have."""


class BranchError(HippoError, RuntimeError):
    """A message to or from a training system came out of order, or asks what the system cannot do."""


class GangLostError(HippoError, RuntimeError):
    """A worker process of a parameter server is gone, and its gang with it."""


class OptionError(HippoError, ValueError):
    """An option of a study has a value that it cannot have."""


class TrainerError(HippoError, TypeError):
    """A trainer cannot be imported, shipped to workers, or does not keep the Trainer's word."""


class CodeChangedError(TrainerError):
    """The trainer's code is not what it was when the study was made."""


class StateError(TrainerError):
    """A training state holds something that cannot be saved safely."""


class MetricError(HippoError, ValueError):
    """A metric is missing, not a number, or not a finite one."""


class UnknownMetricError(MetricError, KeyError):
    """The study's metric is not among those that `evaluate` returned."""

    __str__ = Exception.__str__


class TrialFailedError(HippoError, RuntimeError):
    """A trial failed, and its answer was needed."""


class ExactnessError(HippoError, RuntimeError):
    """Two runs of one stage disagree, so sharing would change results."""


class EnvironmentChangedError(HippoError, RuntimeError):
    """The environment differs from the one in which this workload was first trained."""


class StorageError(HippoError, RuntimeError):
    """The database cannot be used."""


class MissingStorageError(StorageError, ValueError):
    """There is no database, or nothing in it."""


class StorageNameError(StorageError, ValueError):
    """What is to be the URL of a database is none, or that of one of another kind."""


class UnreachableDatabaseError(StorageError):
    """The database does not answer, and was waited for: later, it may."""


class PlanLockedError(StorageError):
    """Another process is writing to this search plan."""

    #: it is this very process, through another engine: to wait for it might be to wait for oneself
    is_held_here = False


class PlanTakenOverError(StorageError):
    """Another process writes to this search plan since this one lost its connection to the database, or its lock."""


class StudyExistsError(StorageError, ValueError):
    """A study of this name exists already."""


class UnknownStudyError(StorageError, KeyError):
    """There is no study of this name."""

    __str__ = Exception.__str__


class UnknownScaleError(OptionError, KeyError):
    """The study has no surrogates at this scale."""

    __str__ = Exception.__str__


class StudyDeletedError(StorageError):
    """The study was deleted while it ran."""


class StudyStoppedError(HippoError, RuntimeError):
    """The study was stopped, or its engine closed, before what was asked for was there."""


class CheckpointError(HippoError, RuntimeError):
    """A checkpoint cannot be written or read."""


class StoreFullError(CheckpointError):
    """There is no room for a checkpoint, which may change."""


class UnreachableStoreError(CheckpointError):
    """The store of checkpoints cannot be reached, which may change."""


class StoreRefusalError(CheckpointError):
    """The store of checkpoints refuses a request, which waiting does not mend; nothing is said of what it holds."""


class MissingCheckpointError(CheckpointError):
    """A checkpoint is not where it was written."""


class CorruptCheckpointError(CheckpointError):
    """A checkpoint's bytes are not those that were written."""


class EngineError(HippoError, RuntimeError):
    """The engine cannot start or keep its workers."""


class HostLostError(EngineError):
    """A host of an engine is gone, with all its workers."""


class HostLeftError(HostLostError):
    """A host is gone that said so before: what ran there is not to blame."""


class HostSilentError(EngineError):
    """A host of an engine did not answer, and may have done what it was told or not."""


class ServiceError(HippoError, RuntimeError):
    """A study service refused a request, or cannot be reached."""


class RefusedError(ServiceError, ValueError):
    """A study service refused what it was asked: the message says what it takes."""


class SimulationError(HippoError, ValueError):
    """A simulation cannot be run as it was described."""


class SimulationChangedError(SimulationError):
    """A simulation that was run again came to other facts than those recorded."""


#: a traceback of a recursion, or a message that holds a tensor, is cut to so many characters
MOST_TEXT = 1 << 16


def storable_text(text: str) -> str:
    """Return a text that any database can hold, and not longer than anybody reads.

    File names in another encoding bring lone surrogates, which no database encodes. Of a long text its middle is left
    out: what happened stands at one end, where at the other.
    """
    text = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    if len(text) <= MOST_TEXT:
        return text
    half = MOST_TEXT // 2 - 50
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names of many, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the known name closest to `name`, or an empty string."""
    near = nearest(name, known)
    return f" Did you mean {near!r}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`; None if none is close."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)
