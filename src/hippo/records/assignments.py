"""What is given to a slot: lanes under one lease, and whether these are walked as one program."""

from __future__ import annotations

from hippo.frozen import frozen
from hippo.records.ids import LeaseId, Point, SlotId
from hippo.records.lanes import Lane


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
