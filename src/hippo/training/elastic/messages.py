"""What a worker says to its peers about a trainer that all of them have in pieces. It refuses to know how it travels.

Each message is answered by one `Followed`, when what it asks for is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.records import TrainerSpec
from hippo.training.sharding.messages import ShardFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRank:
    """Meet the others, and build a trainer of which each has a part."""

    spec: TrainerSpec
    #: under which it is built
    values: Mapping[str, Any]
    #: where processes find each other: a file that does not exist yet
    rendezvous: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpRank:
    """Call `setup`."""

    #: all that are in force, those that it is given, and the step
    values: Mapping[str, Any]
    given: Mapping[str, Any]
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DescendRank:
    """Take a step down the loss of a batch, or let its gradient wait."""

    #: the samples of this rank, and by what to multiply their loss so that the mean over ranks is the batch's
    part: Any
    share: float
    #: of the batch among those that make one step
    weight: float
    #: where its chance comes from: the samples that were given out so far
    position: int
    #: in force for the batch
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRank:
    """Compute the loss of a batch, and that of this rank's samples: is it a mean over samples?"""

    whole: Any
    part: Any
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateRank:
    """Compute the metrics of a batch of the validation set."""

    batch: Any
    #: which batch it is, and the samples that were given out so far: where its chance comes from
    number: int
    position: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatherRank:
    """Put the pieces of a state together, for rank 0."""

    #: the names of the state's parts
    parts: Sequence[str]
    #: shapes and types of its tensors that lie in pieces, in their order, as rank 0 has them
    forms: Sequence[tuple[Any, ...]]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterRank:
    """Take this rank's pieces of a state that rank 0 has."""

    #: the state, with an `AbsentTensor` for each of its tensors
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentTensor:
    """The place of a tensor that comes by another way."""

    shape: tuple[int, ...]
    #: torch's name of its type
    dtype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveRanks:
    """Let go of the trainer, and part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Peer to worker: it is done."""

    #: what came of it
    said: Any = None
    #: or what was raised
    failed: ShardFailed | None = None
    #: since the connection of the ranks was cut: another one failed first
    is_cut: bool = False


#: what a peer follows with a trainer that it has a part of
ElasticMessage = (
    BuildRank | SetUpRank | DescendRank | CompareRank | EvaluateRank | GatherRank | ScatterRank | LeaveRanks
)
