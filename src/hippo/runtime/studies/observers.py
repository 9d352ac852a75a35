"""What happens to a study's trials, as values, and who hears of it.

Events speak of trials and steps, as users do. An observer hears of nothing that a crash could still undo: events are
kept back until the facts they rest on are durable. This module refuses to know what observers make of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hippo.hparams import Config
from hippo.records import Metrics, TrialState


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyBegun:
    """A study is about to tell what happens to its trials; told once, before all else, to callbacks only."""

    study: str
    #: what no other study has, whatever its name and wherever it is; the same when a script is run again, another one
    #: for each generation
    identity: str
    generation: int
    #: the storage's URL, without its password
    storage: str
    #: trials that begin alike share those steps
    sharing: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrained:
    """A step on a trial's path was trained, by whichever trial; each step is told once to each trial, in order."""

    study: str
    trial: int
    step: int
    config: Config
    #: what `train` returned
    train_metrics: Metrics
    #: the member of the study under which it happened, its seed say; empty for the only one
    member: str = ""
    #: of the study, as `StudyBegun` has it
    identity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEvaluated:
    """A trial's path was evaluated after a step, whether its tuner asked for that or not."""

    study: str
    trial: int
    step: int
    config: Config
    #: what `evaluate` returned
    metrics: Metrics
    #: the member of the study under which it happened, its seed say; empty for the only one
    member: str = ""
    #: of the study, as `StudyBegun` has it
    identity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialAnswered:
    """The tuner was told the metrics it asked for; the steps on the way were told before."""

    study: str
    trial: int
    step: int
    config: Config
    metrics: Metrics
    #: an earlier run of the same script was told so already
    is_known: bool = False
    #: the member of the study under which it happened, its seed say; empty for the only one
    member: str = ""
    #: of the study, as `StudyBegun` has it
    identity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailed:
    """A trial cannot go on."""

    study: str
    trial: int
    step: int
    config: Config
    #: the Trainer's method that raised, or "worker"
    method: str
    #: type and message of the exception
    error: str
    #: empty where nothing was raised: an objective that is NaN, a lost worker
    traceback: str
    #: an earlier run of the same script was told so already
    is_known: bool = False
    #: the member of the study under which it happened, its seed say; empty for the only one
    member: str = ""
    #: of the study, as `StudyBegun` has it
    identity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEnded:
    """A trial got its last state: failed at once, complete or pruned when its tuner has ended."""

    study: str
    trial: int
    config: Config
    state: TrialState
    #: the member of the study under which it happened, its seed say; empty for the only one
    member: str = ""
    #: of the study, as `StudyBegun` has it
    identity: str = ""


StudyEvent = StepTrained | StepEvaluated | TrialAnswered | TrialFailed | TrialEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyWarned:
    """The process that runs a study warned of something in it: for whoever is elsewhere, and did not see that."""

    study: str
    message: str


def study_of(event: StudyEvent, generation: int = 1) -> str:
    """Return what tells an event's study from all others, and the members of one study from each other.

    Args:
      event: of whichever kind.
      generation: of the study; the first one goes without saying.
    """
    of = [f"generation {generation}"] if generation > 1 else []
    of += [event.member] if event.member else []
    return f"{event.study} ({', '.join(of)})" if of else event.study


class Observer(Protocol):
    """What watches a study in this process: a log, a progress display, a user's callbacks."""

    @property
    def hears_failures_only(self) -> bool:
        """Whether of events only `TrialFailed` is of interest: a million trials are then spared the rest."""

    def observe(self, event: StudyEvent | StudyWarned) -> None:
        """Hear of an event. Called on the control loop, which waits: whatever takes time belongs elsewhere."""
