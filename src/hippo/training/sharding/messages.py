"""What a worker says to its peers, and they to it. It refuses to know how it travels."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.records import TrainerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginStep:
    """Worker to peers: bring a trainer to where it can compute a step's shards; answered by `Begun`."""

    #: which of the worker's trainers
    number: int
    spec: TrainerSpec
    #: values under which it was built
    built: Mapping[str, Any]
    #: values that are in force now, and the step
    values: Mapping[str, Any]
    step: int
    #: where processes find each other
    rendezvous: str
    #: trainers that nobody needs any more
    gone: Sequence[int]
    #: of the worker's model, as `HeldBuffers` takes them
    tables: Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """Peer to worker: it is there."""

    #: the names, shapes and types of its model's tensors
    signature: tuple[Any, ...] = ()
    #: or why it is not
    failed: ShardFailed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeShards:
    """Worker to a peer: compute shards of a batch. Tensors go the other way: parameters, then what shards come to."""

    number: int
    batch: ShardedBatch
    #: values in force for the batch
    values: Mapping[str, Any]
    #: parameters that are not trained
    frozen: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedBatch:
    """A batch of which a process has some shards."""

    #: how many samples each shard of the batch has
    sizes: Sequence[int]
    #: how many shards a whole batch has: this one may have fewer
    shards: int
    #: where its chance comes from: the samples that were given out so far
    position: int
    #: the shards of this process, by number
    parts: Mapping[int, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TellFailure:
    """Worker to peer: say what failed in the last batch, if anything; answered by a `ShardFailed` or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFailed:
    """Peer to worker: what the user's code raised there."""

    #: the exception as a pickle; None: it cannot be one
    pickled: bytes | None
    traceback: str


def failure_as_message(error: Exception) -> ShardFailed:
    """Return what was raised, as it can be sent."""
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)  # some can be written, and not read
    except Exception:
        pickled = None
    return ShardFailed(pickled=pickled, traceback="".join(traceback.format_exception(error)))
