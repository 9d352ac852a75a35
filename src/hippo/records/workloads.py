"""What makes training states comparable, and what a process needs to build their trainer."""

from __future__ import annotations

import enum
from dataclasses import dataclass

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
    #: how torch computed with floats in the process that made the study, as text; empty: as it begins
    floats: str = ""
    #: into how many equal parts a step can be cut, each for a slot, without a change of its results
    shards: int = 1


class Exactness(enum.Enum):
    """What the checks said of a workload: whether going on from a state equals never having stopped."""

    UNCHECKED = "unchecked"
    PROVEN = "proven"
    FAILED = "failed"
