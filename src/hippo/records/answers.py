"""What a request comes to: metrics, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hippo.errors import TunerError
from hippo.hparams import Config
from hippo.records.ids import NodeId, Point
from hippo.records.objectives import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a trial cannot go on: a user's exception, or work that was lost too often."""

    node: NodeId
    #: the step that was being run, or evaluated
    step: int
    #: name of the Trainer's method, or "worker"
    method: str
    #: type and message of the exception
    error: str
    traceback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request comes to: the metrics of a config after so many steps."""

    config: Config
    step: int
    #: number of the trial within its study
    trial: int
    metrics: Metrics
    #: the study's objectives, signs turned so that smaller is better; infinity for a trial that failed
    losses: tuple[float, ...]
    #: by how much each of the study's constraints is broken: kept where it is not above zero
    violations: tuple[float, ...] = ()
    #: names the training state that was evaluated: equal for trials that share their whole path; None if there is none
    state: Point | None = None
    #: 0, or 1, 2, ... for further trials with an equal config
    occurrence: int = 0
    #: the member of the study that was asked; empty for the only one, and for what is an average over several
    member: str = ""
    #: device-seconds that training and evaluating the whole path took, for whichever study
    seconds: float = 0.0
    #: step -> what `train` returned in that step, along the whole path
    train_metrics: Mapping[int, Metrics] = field(default_factory=dict)
    #: step -> device-seconds that training in that step took when it was first run, along the whole path; evaluations,
    #: checkpoints and later runs of the step are not in it
    step_seconds: Mapping[int, float] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def loss(self) -> float:
        """The first objective.

        Raises:
          TunerError: there is none.
        """
        if not self.losses:
            raise no_losses(self)
        return self.losses[0]

    @property
    def trace(self) -> Mapping[int, Metrics]:
        """`train_metrics`, by its first name."""
        return self.train_metrics


def no_losses(answer: Answer) -> TunerError:
    """Return the error of an answer by which nothing can be ranked."""
    return TunerError(
        f"trial {answer.trial} has no loss at step {answer.step}: the study has no metric, or the answer is one to "
        "evaluate=False. Create the study with metric='...', or compare answer.metrics, or answer.train_metrics"
    )
