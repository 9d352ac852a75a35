"""What is durable, row by row: one frozen record per table, the same for every store.

Values are canonical text: a float is its shortest exact form, and NaN is a value like others. Fields whose metadata
says `key` make up the primary key. By its first field and one marked `indexed`, rows are found without a look at all
others. A row once inserted changes only where a field is marked `mutable`.
"""

from __future__ import annotations

import enum
from dataclasses import Field, field
from typing import Any, ClassVar

from hippo.frozen import frozen, frozen_tuple


def _key(**default: Any) -> Any:
    return field(metadata={"key": True}, **default)


def _indexed() -> Any:
    return field(metadata={"indexed": True})


def _mutable(**default: Any) -> Any:
    return field(metadata={"mutable": True}, **default)


class CheckpointLoss(enum.StrEnum):
    """Why a checkpoint can no longer be used."""

    CORRUPT = "corrupt"
    MISSING = "missing"
    #: its study no longer keeps it
    EVICTED = "evicted"


class LeaseEnd(enum.StrEnum):
    """How a lease ended."""

    #: its lanes came to their ends
    DONE = "done"
    #: its slot is gone
    LOST = "lost"
    #: the process that had given it out no longer writes to the plan
    VOID = "void"


class CallState(enum.StrEnum):
    """Where a call of a tuner stands."""

    RUNNING = "running"
    COMPLETE = "complete"
    #: with an exception, of the tuner's or of hippo's
    FAILED = "failed"
    #: stopped before its end, by its user or with its process
    INTERRUPTED = "interrupted"


class RequestState(enum.StrEnum):
    """Where a request stands."""

    PENDING = "pending"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class Row:
    """One row of one table. A state in it is text, as its database holds it: the value of the enumeration named."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


@frozen
class PlanRow(Row):
    """A search plan: everything known of one workload in one environment."""

    plan: int = _key()
    #: key of the workload
    workload: str
    #: the workload's fields, as JSON
    declared: str
    #: 0 for the first environment, 1 for the next one asked for, ...
    fork: int
    #: the environment's fields, as JSON; empty until the first worker told
    environment: str = _mutable(default="")
    #: value of `Exactness`
    exactness: str = _mutable(default="unchecked")
    #: raised whenever a process takes over the writing
    epoch: int = _mutable(default=0)
    #: who writes, or wrote last: host and process
    writer: str = _mutable(default="")
    created_at: float = 0.0
    #: `FusionFacts` as text; empty until anything is known
    fusion: str = _mutable(default="")


@frozen
class NodeRow(Row):
    """A node of a search plan. It has no end."""

    plan: int = _key()
    node: int = _key()
    parent: int | None
    start: int
    #: the pieces in force, as JSON: {name: piece}
    pieces: str
    #: the trial that has the whole root to itself; empty where the root is shared
    owner: str = ""
    #: two runs of it disagreed
    inexact: bool = _mutable(default=False)
    #: names its whole path from the root, by `hippo.plan.codec.node_digest`: what it is looked up by
    digest: str = field(default="", metadata={"length": 32})


@frozen
class StepRow(Row):
    """A step of training that was run. The first attempt that is no check is the fact; later ones were repeated."""

    plan: int = _key()
    node: int = _key()
    step: int = _key()
    attempt: int = _key()
    #: text of a `StepKind`
    cause: str
    #: the study whose request caused it
    study: int
    #: what `train` returned, as canonical JSON
    training: str
    seconds: float


@frozen
class MetricsRow(Row):
    """What `evaluate` returned after a step."""

    plan: int = _key()
    node: int = _key()
    step: int = _key()
    #: canonical JSON
    metrics: str
    seconds: float
    study: int


@frozen
class StateRow(Row):
    """The hash of the state after a step, as first seen."""

    plan: int = _key()
    node: int = _key()
    step: int = _key()
    state_hash: str


@frozen
class CheckpointRow(Row):
    """A state in the checkpoint store: a resource, which may vanish."""

    plan: int = _key()
    key: str = _key()
    node: int
    step: int
    size_bytes: int
    sha256: str
    state_hash: str
    seconds: float
    study: int
    #: value of `CheckpointLoss`; empty while it can be used
    gone: str = _mutable(default="")


@frozen
class FailureRow(Row):
    """A user's exception, or work lost too often: a fact of an attempt."""

    plan: int = _key()
    number: int = _key()
    node: int
    step: int
    method: str
    error: str
    traceback: str
    #: set by `retry_failed`
    voided: bool = _mutable(default=False)


@frozen
class LeaseRow(Row):
    """Work given to a slot. Leases of an older epoch are void."""

    plan: int = _key()
    lease: int = _key()
    epoch: int
    slot: str
    #: JSON: [[node, start, stop], ...]
    spans: str
    started_at: float
    #: value of `LeaseEnd`; empty while it runs
    ended: str = _mutable(default="")
    #: when that was; None while it runs, and where nobody was there to see it end
    ended_at: float | None = _mutable(default=None)
    #: JSON: how many of the spans each lane walks, in order; None in rows of databases that were older than this field
    lanes: str | None = None
    #: JSON: slots that take part beside `slot`; None: there is none
    peers: str | None = None


@frozen
class TotalsRow(Row):
    """What a study has spent on a plan, in one kind of facts, up to a mark: a sum kept, so that nobody adds it anew.

    It is no fact of its own. What came after the mark is added by whoever reads it.
    """

    plan: int = _key()
    study: int = _key()
    #: text of a `StepKind` for steps that were run, else "evaluation" or "checkpoint"
    kind: str = _key()
    #: how many
    count: int = _mutable()
    #: what they took together
    seconds: float = _mutable()
    #: the latest step among them
    furthest: int = _mutable()
    #: the mark of the facts' table (`Moment.mark`) up to which they are counted: the same in all rows of a plan
    mark: int = _mutable()


@frozen
class StudyRow(Row):
    """A study, as one generation of its code sees it."""

    study: int = _key()
    name: str = _mutable()
    generation: int
    #: metric, mode and the other choices that are part of a study, as JSON
    settings: str = _mutable(default="{}")
    created_at: float = 0.0
    deleted: bool = _mutable(default=False)


@frozen
class StudyPlanRow(Row):
    """A member of a study, and the search plan that it is trained on."""

    study: int = _key()
    #: names the member within the study: empty for the only one, "seed 3" for one of several seeds
    member: str = _key()
    plan: int
    #: its place among the members, in the order in which the user named them
    position: int


@frozen
class CallRow(Row):
    """One call of a tuner."""

    study: int = _key()
    call: int = _key()
    #: position among the calls of the script
    position: int = _indexed()
    #: the tuner and its arguments, as canonical JSON
    record: str
    #: value of `CallState`
    state: str = _mutable(default=CallState.RUNNING)
    #: what the study had spent when the call first began
    device_seconds_before: float = 0.0


@frozen
class TrialRow(Row):
    """One config as a tuner call sees it, on the plan of one member. The rows of all members share the number."""

    study: int = _key()
    number: int = _key()
    member: str = _key(default="")
    call: int = _indexed()
    #: JSON
    config: str
    #: 0, or 1, 2, ... for further trials of the call with an equal config
    occurrence: int
    #: the node that holds `until`
    node: int = _mutable(default=0)
    #: the largest step asked for
    until: int = _mutable(default=0)
    #: the largest step answered
    step: int = _mutable(default=0)
    #: value of `TrialState`
    state: str = _mutable(default="WAITING")
    #: the study's objective at `step`, signed so that smaller is better
    loss: float | None = _mutable(default=None)
    #: why it failed
    error: str = _mutable(default="")


@frozen
class RequestRow(Row):
    """A trial's metrics asked for."""

    study: int = _key()
    request: int = _key()
    #: the trial's call, by which a re-run of it finds what it asked
    call: int = _indexed()
    trial: int
    #: which of the trial's rows
    member: str = ""
    until: int
    final: bool
    #: JSON: [n, value, ...]: what the tuner's n-th and following questions how much is uncovered were answered
    uncovered: str = ""
    #: value of `RequestState`
    state: str = _mutable(default=RequestState.PENDING)
    #: which delivery of the call's answers it was part of, counted from 0
    delivery: int | None = _mutable(default=None)
    #: the seconds that the answer named
    seconds: float | None = _mutable(default=None)


ROW_TYPES: tuple[type[Row], ...] = (
    PlanRow,
    NodeRow,
    StepRow,
    MetricsRow,
    StateRow,
    CheckpointRow,
    FailureRow,
    LeaseRow,
    TotalsRow,
    StudyRow,
    StudyPlanRow,
    CallRow,
    TrialRow,
    RequestRow,
)

#: kinds whose changes are numbered as they are committed: of many such rows few change, and readers ask for those
FOLLOWED_TYPES: tuple[type[Row], ...] = (TrialRow,)


@frozen_tuple
class Insert:
    """A new row."""

    row: Row


@frozen_tuple
class Update:
    """Mutable fields of a row that exists take these values."""

    row: Row


Change = Insert | Update
