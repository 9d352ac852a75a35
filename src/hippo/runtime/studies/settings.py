"""What a study is made with, and what it counted."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from hippo.plan import KeepRule
from hippo.records import Constraint, Objective

#: bytes, unless a study says otherwise
DEFAULT_BUDGET = 10 * 10**9
#: what is kept, unless a study says otherwise
LEAVES = KeepRule("leaves")


def bytes_as_text(size: int) -> str:
    """Return a number of bytes as people write it, such as "1.5 GB"."""
    from rich.filesize import decimal  # not before it is needed: `import hippo` must be quick

    return decimal(size)


class NanPolicy(enum.Enum):
    """What an objective that is NaN means."""

    #: the trial has failed
    FAIL = "fail"
    #: the trial ranks last, and may go on
    WORST = "worst"


class NondeterminismPolicy(enum.Enum):
    """What it means that two runs of one stage disagree."""

    #: the study stops
    STOP = "stop"
    #: a warning; the first run's facts stay
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The choices that belong to a study and are kept with it."""

    #: none: tuners of this study look at the metrics themselves
    objectives: tuple[Objective, ...]
    #: bounds that good trials keep
    constraints: tuple[Constraint, ...] = ()
    keep: KeepRule = LEAVES
    #: how many bytes the states of a database may take where the study keeps its own; None: as many as there are
    checkpoint_budget: int | None = DEFAULT_BUDGET
    nan: NanPolicy = NanPolicy.FAIL
    nondeterminism: NondeterminismPolicy = NondeterminismPolicy.STOP
    sharing: bool = True
    checkpoint_every_s: float = 300.0
    #: what `build()` makes is written once, where states leave out what they have kept of it
    keep_base: bool = True
    #: walk a twin beside lanes that are walked as one
    twin: bool = False
    #: compile their updates where that pays
    compile: bool = False
    #: how the values of several members become one: a name of `hippo.tuners.averaged.AGGREGATES`
    aggregate: str = "mean"
    #: None: whatever the trainer accepts
    hparams: tuple[str, ...] | None = None

    @property
    def goes_by(self) -> tuple[str, ...]:
        """The metrics by which trials are compared: those of the objectives, and then of the constraints."""
        return (*(each.metric for each in self.objectives), *(each.metric for each in self.constraints))

    @property
    def objective(self) -> Objective | None:
        """The one objective; None if there is none, or more than one."""
        return self.objectives[0] if len(self.objectives) == 1 else None

    def to_text(self) -> str:
        """Return them as JSON."""
        fields = asdict(self)
        fields.update(keep=self.keep.text, nan=self.nan.value, nondeterminism=self.nondeterminism.value)
        return json.dumps(fields, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """Return the settings that `to_text` wrote, in this release or an earlier one."""
        fields = json.loads(text)
        objectives = [Objective(**kept) for kept in fields.pop("objectives")]
        constraints = [Constraint(**kept) for kept in fields.pop("constraints")]
        hparams = fields.pop("hparams")
        return cls(
            objectives=tuple(objectives),
            constraints=tuple(constraints),
            keep=KeepRule(fields.pop("keep")),
            nan=NanPolicy(fields.pop("nan")),
            nondeterminism=NondeterminismPolicy(fields.pop("nondeterminism")),
            hparams=None if hparams is None else tuple(hparams),
            **fields,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What a study asked for, and what it cost. A step counts where the request that caused it was made."""

    #: sum over the trials of the largest step asked for
    steps_asked: int = 0
    #: steps of training that were run for this study, repeated ones included, checks not
    steps_executed: int = 0
    #: those of them that had been run before
    steps_repeated: int = 0
    #: why they were run again -> how many
    repeated_by_cause: Mapping[str, int] = field(default_factory=dict)
    #: steps that were run once more to prove that the workload resumes exactly
    steps_checked: int = 0
    #: steps that were run ahead of time, while slots were idle, for the trials that led; not in `steps_executed`
    steps_speculative: int = 0
    #: steps that trials reached and that were not run for this study; what is still to be run is not saved
    steps_saved: int = 0
    #: seconds that devices spent on steps, evaluations and checkpoints for this study
    device_seconds: float = 0.0
    train_seconds: float = 0.0
    evaluate_seconds: float = 0.0
    checkpoint_seconds: float = 0.0
    check_seconds: float = 0.0
    #: seconds of finding out whether trials of a shape can be walked as one, and how; once for each shape of a plan
    fusion_check_seconds: float = 0.0
    speculative_seconds: float = 0.0
    #: seconds that training and evaluating each trial by itself would have taken, by the recorded seconds of its steps
    trial_seconds: float = 0.0
    checkpoints_written: int = 0
    #: steps that were walked together with those of other lanes, as one program; each lane's counts
    lane_steps_fused: int = 0
    #: how many lanes a step of a program had on average, lone ones included: 1 where nothing is fused
    mean_lanes: float = 1.0
    #: seconds of the steps that were walked together: this study's share of them
    fused_seconds: float = 0.0
    #: with `twin=True`: how far the twin that came away most was from its trial, by the way that the trial walked
    #: meanwhile, of all trials on the same plan; None: none was walked for two steps
    twin_drift: float | None = None
    #: state -> number of trials
    trials: Mapping[str, int] = field(default_factory=dict)

    @property
    def merge_rate(self) -> float:
        """Steps asked for over steps run, repeated ones not counted; infinity if none was run for this study."""
        distinct = self.steps_executed - self.steps_repeated
        return self.steps_asked / distinct if distinct else float("inf")

    @property
    def time_weighted_merge_rate(self) -> float:
        """Seconds of all trials run alone over seconds of the steps that were run."""
        spent = self.train_seconds + self.evaluate_seconds
        return self.trial_seconds / spent if spent else float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A study at one moment, for a progress display."""

    best_value: float | None
    #: answered as far as they were asked, or failed
    trials_done: int
    trials: int
    #: of those that are done
    trials_failed: int = 0
    steps_executed: int
    steps_asked: int
    #: steps that trials have reached, and that were not run for them: steps still to come are not among them
    steps_saved: int = 0
    #: lanes under way, in plans whose numerics allow that several are walked as one; 0 elsewhere
    lanes: int = 0
    #: steps that remain to be run, as far as they have been asked for
    steps_left: int
    #: the tuner may ask for more than that when it is answered: what remains in all is not known
    may_ask_more: bool = False
    #: expected seconds until these are run, None if nothing is known yet
    seconds_left: float | None
    #: where its tuners say that they are
    shown: str = ""
