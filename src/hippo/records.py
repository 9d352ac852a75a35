"""The values that rooms hand to each other: ids, work to do, and what is known. Frozen, without behaviour.

Steps are absolute, counted from initialisation; a span of steps `(start, stop]` leads from the state after `start`
steps to the state after `stop` steps, and the state at a boundary belongs to the span that ends there.
This module refuses to know SQL, torch, time and processes.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NewType, Protocol

from hippo.errors import TunerError
from hippo.frozen import frozen, frozen_tuple
from hippo.hparams import Config, Piece

NodeId = NewType("NodeId", int)
PlanId = NewType("PlanId", int)
StudyId = NewType("StudyId", int)
CallId = NewType("CallId", int)
TrialId = NewType("TrialId", int)
RequestId = NewType("RequestId", int)
LeaseId = NewType("LeaseId", int)
SlotId = NewType("SlotId", str)


class Point(NamedTuple):
    """A boundary of the tree: the state, or the metrics, of a node after so many steps."""

    node: NodeId
    step: int


#: whether a smaller or a larger value of an objective is better
Mode = Literal["min", "max"]
#: metrics by name, as recorded
Metrics = Mapping[str, float]


# ---------------------------------------------------------------------------------------------------- workloads


#: numerics of workloads whose lanes may be walked as one program; "fused-fast" lets bits depend on a lane's company
FUSED, FUSED_FAST = "fused", "fused-fast"
#: of workloads whose steps depend on which worker was first, so that two runs of one never agree
ASYNC = "async"
#: of workloads whose trainers are divided among any number of processes, on which bits depend
ELASTIC = "elastic"
#: all that there are: see `Workload.numerics`
NUMERICS = ("exact", "fast", FUSED, FUSED_FAST, ASYNC, ELASTIC)
#: in one slot at once, where nothing else says so; on a GPU, and elsewhere
MOST_LANES_OF_GPU, MOST_LANES = 256, 64


def may_fuse(numerics: str) -> bool:
    """Tell whether lanes of a workload with these numerics may be walked as one program."""
    return numerics in (FUSED, FUSED_FAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The declared part of what makes training states comparable (DESIGN: workload). Equal workloads share a plan."""

    #: qualified name of the trainer's class, for people
    trainer: str
    #: the trainer's arguments as canonical JSON text
    arguments: str
    #: fingerprint of the trainer's code
    code: str
    #: a fingerprint of its bytecode, by which a script from standard input and its file are known to be one; no part of
    #: the key, and empty where it is not to be had
    compiled: str = ""
    #: identity of the data set, if one was declared
    dataset: str | None = None
    #: the seed of every stream of chance
    seed: int = 0
    #: metrics are taken whenever this many steps are complete, and at every step asked for
    evaluate_every: int = 1
    #: "exact" (solo lanes, bit for bit), "fast" (operations without a deterministic form are allowed), "fused" (lanes
    #: may be walked as one program), "fused-fast" (the same, and a lane's last bits may depend on its company),
    #: "async" (workers of one trainer run free, so that no step is compared with another run of it) or "elastic" (a
    #: trainer is divided among any number of processes, on which bits depend)
    numerics: str = "exact"
    #: how much smaller than its target the model is, as `hippo.Scale` is written: "1" is the target itself
    scale: str = "1"
    #: raised when a rule of ours that changes bits changes
    exactness: int = 1
    #: names the one study that may use the plan, or None: open to all
    private_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerSpec:
    """All that a process needs to build the trainer of a workload."""

    #: key of the workload, which names resident states and trainers within a worker
    workload: str
    #: "package.module:Class", or None when the class travels by value
    reference: str | None
    #: the class, pickled by value, or None when it travels by reference
    pickled: bytes | None
    #: keyword arguments of the trainer's `__init__`, as canonical JSON text
    arguments: str
    #: entries for `sys.path` that the import needs
    search_path: tuple[str, ...]
    seed: int
    evaluate_every: int
    #: part -> hash of the trainer's code when the study was made, as JSON text, which a worker compares with what it
    #: imported; empty: it compares nothing
    code: str = ""
    #: the workload's
    numerics: str = "exact"
    #: the workload's
    scale: str = "1"
    #: into how many equal parts a step can be cut, each for a slot, without a change of its results
    shards: int = 1


class Exactness(enum.Enum):
    """What the checks said of a workload: whether going on from a state equals never having stopped."""

    UNCHECKED = "unchecked"
    PROVEN = "proven"
    FAILED = "failed"


# ------------------------------------------------------------------------------------------- the plan, as seen


class NodeFacts(Protocol):
    """What the stage tree reads of a node: the plan's own node, or a view of it at one moment."""

    @property
    def id(self) -> NodeId:
        """Its number."""

    @property
    def parent(self) -> NodeFacts | None:
        """The node that it goes on from; None for a root."""

    @property
    def start(self) -> int:
        """The step at which it begins; the state there belongs to an ancestor."""

    @property
    def states(self) -> Sequence[int]:
        """Steps whose state can be loaded, wherever it is, ascending, each in (start, ...]."""

    @property
    def checkpoints(self) -> Container[int]:
        """Those of them whose state is in a file; the others are resident only, in the memory of slots."""

    @property
    def training(self) -> Container[int]:
        """Steps of which is known that they were trained, and what `train` returned."""

    @property
    def metrics(self) -> Container[int]:
        """Steps whose metrics are known."""

    @property
    def requests(self) -> Collection[int]:
        """Steps whose metrics were asked for, known or not."""

    @property
    def step_requests(self) -> Collection[int]:
        """Steps that were asked for without their metrics: that they are trained is enough."""

    @property
    def state_requests(self) -> Collection[int]:
        """Steps whose state was asked for in a file: to load a model, not to answer a tuner."""


@frozen
class NodeView:
    """`NodeFacts` as they were at one moment."""

    id: NodeId
    #: compared and printed by the snapshot's other nodes: chains of nodes are long
    parent: NodeView | None = field(compare=False, repr=False)
    start: int
    states: tuple[int, ...] = ()
    checkpoints: tuple[int, ...] = ()
    training: tuple[int, ...] = ()
    metrics: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    step_requests: tuple[int, ...] = ()
    state_requests: tuple[int, ...] = ()


@frozen
class Span:
    """A stretch (start, stop] of one node."""

    node: NodeId
    start: int
    stop: int


@frozen
class LeaseView:
    """Work under way: the spans of its lanes, and the boundaries that came too late for it."""

    id: LeaseId
    spans: tuple[Span, ...]
    #: boundaries inside its spans at which it leaves no state behind
    passed: frozenset[Point] = frozenset()


@frozen
class Snapshot:
    """A plan at one moment: every node that a pending request or a lease touches, with its ancestors."""

    nodes: Mapping[NodeId, NodeFacts]
    leases: tuple[LeaseView, ...] = ()


# ------------------------------------------------------------------------------------------------------- stages


@frozen_tuple
class Fresh:
    """A stage that begins with a newly initialised state."""


@frozen_tuple
class AtCheckpoint:
    """A stage that begins from the recorded state of `node` after `step` steps."""

    node: NodeId
    step: int


@frozen_tuple
class AtResident:
    """A stage that begins from a state of `node` that is in the memory of slots only, so it can begin only there."""

    node: NodeId
    step: int


@frozen_tuple
class AfterStage:
    """A stage that begins where the stage ending at `point` ends."""

    point: Point


@frozen_tuple
class Underway:
    """A stage that a lease is walking already: not to be scheduled, but its end can be waited for."""

    lease: LeaseId


Base = Fresh | AtCheckpoint | AtResident | AfterStage | Underway


@frozen
class Stage:
    """A stretch (start, stop] of a node that is still to be run; `start == stop` means: only evaluate."""

    node: NodeId
    start: int
    stop: int
    base: Base

    @property
    def point(self) -> Point:
        """Where it ends, which names it within its tree."""
        return Point(self.node, self.stop)


# -------------------------------------------------------------------------------------------------- assignments


class Keep(enum.IntEnum):
    """How well the state at a boundary is kept: the larger, the better."""

    #: not at all: nothing goes on from it
    NOTHING = 0
    #: in memory only, as long as there is room, and not even hashed: it dies with its slot
    TRANSIENT = 1
    #: in memory only, as long as there is room, and its hash is told
    RESIDENT = 2
    #: written to the checkpoint store if its objective beats `Boundary.threshold`
    IF_BEST = 3
    #: written
    WRITTEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """Which metric counts, in which direction."""

    metric: str
    mode: Mode

    def loss(self, metrics: Metrics) -> float:
        """Return what is to be made small, infinity for NaN; KeyError if the metric is missing."""
        value = metrics[self.metric]
        return math.inf if math.isnan(value) else mode_sign(self.mode) * value


def losses_of(objectives: Sequence[Objective], metrics: Metrics) -> tuple[float, ...]:
    """Return the objectives, signs turned so that smaller is better; KeyError if a metric is missing.

    Of several that are not all numbers each is infinite: what diverged is behind all that did not, and is not the best
    in what it came to nonetheless.
    """
    losses = tuple([objective.loss(metrics) for objective in objectives])
    if len(losses) > 1 and any(math.isnan(metrics[objective.metric]) for objective in objectives):
        return (math.inf,) * len(losses)
    return losses


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A bound that a metric must keep."""

    metric: str
    #: "<=" or ">="
    relation: str
    bound: float

    def violation(self, metrics: Metrics) -> float:
        """Return by how much the bound is broken; not above zero if it is kept; KeyError if the metric is missing."""
        excess = metrics[self.metric] - self.bound
        return excess if self.relation == "<=" else -excess

    def __str__(self) -> str:
        return f"{self.metric} {self.relation} {self.bound!r}"


@frozen
class Boundary:
    """What is done when a lane reaches the end of one of its stages."""

    #: take metrics here even where `evaluate_every` would not
    evaluate: bool = True
    keep: Keep = Keep.WRITTEN
    #: with `Keep.IF_BEST`: the objective that decides
    objective: Objective | None = None
    #: with `Keep.IF_BEST`: the best loss so far (smaller is better), None if there is none
    threshold: float | None = None

    def is_written(self, metrics: Metrics | None) -> bool:
        """Tell whether the state is to be written, given the metrics there; an objective that is NaN is never best."""
        if self.keep is not Keep.IF_BEST:
            return self.keep is Keep.WRITTEN
        if self.objective is None or metrics is None or self.objective.metric not in metrics:
            return False
        if math.isnan(metrics[self.objective.metric]):
            return False
        return self.threshold is None or self.objective.loss(metrics) < self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRef:
    """Where a state lies, and how to tell that it is whole."""

    #: name within the checkpoint store, never used twice
    key: str
    size_bytes: int
    #: what tells that the file is whole, by a SHA-256, hexadecimal: of its bytes, or of those beneath which it has
    #: digests of all others
    sha256: str
    #: SHA-256 of the canonical state, hexadecimal: equal for equal states whatever their bytes on disk
    state_hash: str


@frozen
class LaneStart:
    """The state that a lane starts from: the one after `step` steps on `node`."""

    node: NodeId
    step: int
    #: None: only resident in the worker's memory
    checkpoint: CheckpointRef | None
    #: pieces in force just before the resume point
    pieces: Mapping[str, Piece]
    #: what an evaluation of this state once said, if the one who loads it is to compare; else None
    metrics: Metrics | None = None


@frozen
class LaneStage:
    """One stage of a lane, with the pieces in force in it and what happens at its end."""

    node: NodeId
    start: int
    stop: int
    pieces: Mapping[str, Piece]
    boundary: Boundary

    @property
    def point(self) -> Point:
        """Where it ends."""
        return Point(self.node, self.stop)


@frozen
class Lane:
    """A chain of stages that one training state walks without leaving the device."""

    #: None: a freshly initialised state
    begin: LaneStart | None
    #: in order, each beginning where the one before it ended
    stages: tuple[LaneStage, ...]
    #: run early steps, and the last one, a second time, and compare; see `hippo.training.check_rule`
    check: bool = False
    #: run the last step a second time, and compare
    audit: bool = False
    #: run the step that ends here a second time, from its checkpoint, and compare: values change where it begins
    change: int | None = None
    #: a recorded state, with its metrics, to be evaluated and compared before the lane begins, and then forgotten
    look: LaneStart | None = None

    @property
    def is_watched(self) -> bool:
        """Whether any of its steps is run a second time."""
        return self.check or self.audit or self.change is not None


@frozen
class Fusion:
    """Whether lanes of one shape are walked as one program: a fact of their plan, since their last bits depend on it.

    The first worker that is given one decides, by throw-away copies of it, and walks none.
    """

    #: False: they are walked one by one
    is_fused: bool
    #: in products of many matrices each lane's has an alignment of its own, since else bits depend on its place
    is_aligned: bool = False
    #: functions of one tensor are computed in whole blocks, since else bits depend on places; where products are
    #: aligned, whatever is computed element by element is
    in_blocks: bool = False
    #: products of what a trunk returned with what each lane has of its own are computed as one
    shares_products: bool = True
    #: a lane without company is walked beside a copy of itself, since one lane alone is computed by other kernels
    has_twin: bool = False
    #: lanes over a common trunk are evaluated by one program, too, which runs the trunk once for all of them
    evaluates_together: bool = False
    #: a lane's bits are promised to depend on the lane alone, so that two runs of a step must agree. False: they were
    #: found to depend on the lanes beside it, or nobody asked for the promise
    keeps_bits: bool = True
    #: floats in modules of which each lane has its own, whether or not lanes differ in them: the name of a module, and
    #: the way from it. Lanes whose models would differ in anything else are walked apart
    own_floats: tuple[tuple[str, ...], ...] = ()
    #: how many were found to be worth walking at once; what steps take says more, later
    lanes_at_first: int = 4
    #: what was found, as users read it: why not, if they are not
    detail: str = ""


@frozen
class Assignment:
    """A tuple of lanes, given to one slot under one lease."""

    lease: LeaseId
    #: prefix of the keys of checkpoints written under this lease; unique to (plan, epoch, lease)
    prefix: str
    slot: SlotId
    workload: str
    lanes: tuple[Lane, ...]
    #: slots of the same node that take part, each with its share of every step; the lease is theirs, too, and the loss
    #: of any is its loss
    peers: tuple[SlotId, ...] = ()
    #: names the plan whose nodes these are: each database numbers its own, and a slot may hold states of several.
    #: Empty: the workload has one plan only
    plan: str = ""
    #: write a checkpoint at a step's end when the last one is older
    checkpoint_every_s: float = 300.0
    #: see to it that what `build()` makes is in the store, where states are written without it
    keep_base: bool = True
    #: of its lanes, which are all of one shape. None: not decided yet, in a workload whose numerics allow fusion
    fusion: Fusion | None = None
    #: a twin is walked beside the first lane of each formation, to see how fast that one parts from itself
    twin: bool = False
    #: updates of lanes that are walked as one are compiled where that pays; their last bits may depend on it
    compile: bool = False

    @property
    def width(self) -> int:
        """How many slots walk it together."""
        return 1 + len(self.peers)

    @property
    def states_of(self) -> str:
        """Under which name the slot's memory holds the states that it makes."""
        return self.plan or self.workload


@frozen
class Slot:
    """Room for one assignment."""

    id: SlotId
    #: plan and point of each state in its memory
    resident: frozenset[tuple[str, Point]] = frozenset()
    #: steps it takes in the time in which the fastest slot takes one, as far as that is known
    speed: float = 1.0
    #: names the machine that it is on; empty: all are on one
    node: str = ""
    #: how many GPUs or the like it has; 1 where it is a part of a machine's processors
    devices: int = 1


# ------------------------------------------------------------------------- commands to running leases, and to slots


@frozen
class AddBoundary:
    """Leave metrics and a state at (node, step), if the lane has not passed it; answered by `BoundaryAnswered`."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    boundary: Boundary


@frozen
class Shorten:
    """End the lane once it is at or beyond (node, step): no request needs the rest."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int


@frozen
class Stop:
    """End every lane of the lease at its current step's end, leaving a checkpoint there."""

    lease: LeaseId


LeaseCommand = AddBoundary | Shorten | Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Keep these states in a slot's memory, even if others must go for them, or as soon as it comes to hold them."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpin:
    """Let these states leave a slot's memory again, as others do when there is no room."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Remove these states from a slot's memory, but those that are pinned; it says by `StatesResident` what is gone."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


SlotCommand = Pin | Unpin | Drop
Command = LeaseCommand | SlotCommand


# ------------------------------------------------------------------------------------------------------ answers


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


class TrialState(enum.Enum):
    """Where a trial stands, in Optuna's words."""

    WAITING = "WAITING"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    COMPLETE = "COMPLETE"
    PRUNED = "PRUNED"
    FAIL = "FAIL"


#: those of trials that came to an end of which somebody decided how
ENDED_STATES = (TrialState.COMPLETE, TrialState.PRUNED)


def may_be_best(trials: Iterable[tuple[TrialState, int, int]]) -> list[bool]:
    """Return of each trial, as (state, steps answered, call), whether it is compared when the best one is asked for.

    Complete trials are. A call that has not come to its end, since it runs or was stopped, has none yet: of its trials
    those count that came furthest, so that values after the same number of steps are compared.
    """
    listed = list(trials)
    complete, waiting = TrialState.COMPLETE, (TrialState.PAUSED, TrialState.RUNNING)
    furthest: dict[int, int] = {}
    for state, step, call in listed:
        if state in waiting:
            furthest[call] = max(furthest.get(call, 1), step)
    return [state is complete or (state in waiting and step == furthest[call]) for state, step, call in listed]


def mode_sign(mode: str) -> float:
    """Return the factor that turns an objective of this mode into a loss: 1 for "min", -1 for "max"."""
    return -1.0 if mode == "max" else 1.0
