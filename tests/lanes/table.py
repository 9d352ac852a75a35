"""What lanes do at their steps' ends, as a table: lanes, what evaluations say, commands -> what is done, in order.

Every step takes ten seconds. A line says "lane what step": "0 metrics 2", "0 file 2", "0 hash 2", "0 fails 2".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from hippo.records import (
    AddBoundary,
    Boundary,
    Command,
    Keep,
    Lane,
    LaneStage,
    LeaseId,
    NodeId,
    Objective,
    Shorten,
    Stop,
)
from hippo.testing.lanes import lane
from hippo.testing.lanes import stage as stage_under

NEVER = 10**9
STEP_S = 10.0
#: commands get the lease's number when they are sent
LATER = LeaseId(0)
LOSS = Objective(metric="loss", mode="min")

NOTHING = Boundary(evaluate=False, keep=Keep.NOTHING)
METRICS = Boundary(keep=Keep.NOTHING)
TRANSIENT = Boundary(keep=Keep.TRANSIENT)
RESIDENT = Boundary(keep=Keep.RESIDENT)
WRITTEN = Boundary(keep=Keep.WRITTEN)
SILENT = Boundary(evaluate=False, keep=Keep.WRITTEN)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row."""

    claim: str
    lanes: tuple[Lane, ...]
    #: what is done, in order
    done: tuple[str, ...] = ()
    #: after how many steps each lane ends
    ends: tuple[int, ...]
    #: answers to boundaries, as (lane, step, whether it will be done)
    answers: tuple[tuple[int, int, bool], ...] = ()
    #: (node, step) -> loss where it is not 1; None: metrics without a loss; an exception: it is raised
    losses: Mapping[tuple[int, int], float | Exception | None] = field(default_factory=dict)
    #: (lane, step) -> commands that come while that step of that lane is under way
    commands: Mapping[tuple[int, int], tuple[Command, ...]] = field(default_factory=dict)
    evaluate_every: int = NEVER
    checkpoint_every_s: float = 1e9
    #: the first lane begins at the state of (node, step), which was kept so well
    begin: tuple[int, int, Keep] | None = None

    def metrics(self, node: int, step: int) -> dict[str, float]:
        """What an evaluation says there."""
        loss = self.losses.get((node, step), 1.0)
        if isinstance(loss, Exception):
            raise loss
        return {"other": 0.0} if loss is None else {"loss": loss}


def stage(node: int, start: int, stop: int, boundary: Boundary = NOTHING) -> LaneStage:
    """A stage under a learning rate that says of which node it is."""
    return stage_under(node, start, stop, boundary=boundary, lr=float(node))


def one(*stages: LaneStage) -> tuple[Lane, ...]:
    return (lane(*stages),)


def best(threshold: float | None = None, *, mode: str = "min", evaluate: bool = True) -> Boundary:
    objective = Objective(metric="loss", mode=mode)
    return Boundary(evaluate=evaluate, keep=Keep.IF_BEST, objective=objective, threshold=threshold)


def add(step: int, boundary: Boundary = WRITTEN, *, node: int = 1, lane: int = 0) -> AddBoundary:
    return AddBoundary(lease=LATER, lane=lane, node=NodeId(node), step=step, boundary=boundary)


def shorten(step: int, *, node: int = 1, lane: int = 0) -> Shorten:
    return Shorten(lease=LATER, lane=lane, node=NodeId(node), step=step)


STOP = Stop(lease=LATER)


WHAT_BOUNDARIES_WANT = [
    Case(claim="where nothing is wanted nothing is done", lanes=one(stage(1, 0, 3)), ends=(3,)),
    Case(
        claim="metrics are taken where a boundary asks for them",
        lanes=one(stage(1, 0, 3, METRICS), stage(2, 3, 4)),
        done=("0 metrics 3",),
        ends=(4,),
    ),
    Case(
        claim="metrics are taken at multiples of evaluate_every, once",
        lanes=one(stage(1, 0, 4, METRICS), stage(2, 4, 5)),
        evaluate_every=2,
        done=("0 metrics 2", "0 metrics 4"),
        ends=(5,),
    ),
    Case(
        claim="a state that is only held is told by its hash",
        lanes=one(stage(1, 0, 2, RESIDENT)),
        done=("0 metrics 2", "0 hash 2"),
        ends=(2,),
    ),
    Case(
        claim="a transient state is neither hashed nor written",
        lanes=one(stage(1, 0, 2, TRANSIENT), stage(2, 2, 3, TRANSIENT)),
        done=("0 metrics 2", "0 metrics 3"),
        ends=(3,),
    ),
    Case(
        claim="a state is written where a boundary wants that, with metrics or without",
        lanes=one(stage(1, 0, 2, WRITTEN), stage(2, 2, 3, SILENT)),
        done=("0 metrics 2", "0 file 2", "0 file 3"),
        ends=(3,),
    ),
    Case(
        claim="a stage without steps does what its boundary wants, and no more",
        lanes=one(stage(1, 2, 2, RESIDENT)),
        begin=(1, 2, Keep.WRITTEN),
        evaluate_every=2,
        done=("0 metrics 2", "0 hash 2"),
        ends=(2,),
    ),
    Case(
        claim="a stage without steps and without a wish evaluates nothing",
        lanes=one(stage(1, 2, 2)),
        begin=(1, 2, Keep.WRITTEN),
        evaluate_every=2,
        ends=(2,),
    ),
    Case(
        claim="a state that is in a file already is not written again",
        lanes=one(stage(1, 2, 2, WRITTEN)),
        begin=(1, 2, Keep.WRITTEN),
        done=("0 metrics 2", "0 hash 2"),
        ends=(2,),
    ),
    Case(
        claim="a state that was only in memory is in no file yet",
        lanes=one(stage(1, 2, 2, WRITTEN)),
        begin=(1, 2, Keep.RESIDENT),
        done=("0 metrics 2", "0 file 2"),
        ends=(2,),
    ),
    Case(
        claim="a lane goes on from a transient state",
        lanes=one(stage(1, 2, 3, TRANSIENT)),
        begin=(1, 2, Keep.TRANSIENT),
        done=("0 metrics 3",),
        ends=(3,),
    ),
]


def is_best(claim: str, boundary: Boundary, loss: float | None, what: str) -> Case:
    told = ("0 metrics 2",) if boundary.evaluate else ()
    lanes = one(stage(1, 0, 2, boundary))
    return Case(claim=claim, lanes=lanes, losses={(1, 2): loss}, done=(*told, f"0 {what} 2"), ends=(2,))


WHAT_IS_BEST = [
    is_best("the first state is the best so far", best(), 1.0, "file"),
    is_best("a smaller loss is better", best(2.0), 1.0, "file"),
    is_best("a larger loss is not", best(0.5), 1.0, "hash"),
    is_best("an equal loss is not", best(1.0), 1.0, "hash"),
    is_best("the larger metric has the smaller loss, where that is the mode", best(-1.0, mode="max"), 2.0, "file"),
    is_best("the smaller metric has not", best(-1.0, mode="max"), 0.5, "hash"),
    is_best("NaN is never best, and not even the first", best(), math.nan, "hash"),
    is_best("NaN is not better than a bad one", best(1e9), math.nan, "hash"),
    is_best("where the objective is missing nothing is best", best(), None, "hash"),
    is_best("where nothing was evaluated nothing is best", best(evaluate=False), 1.0, "hash"),
]

HOW_OLD_A_CHECKPOINT_MAY_BE = [
    Case(
        claim="a checkpoint is written at the step's end at which the last one is too old",
        lanes=one(stage(1, 0, 9)),
        checkpoint_every_s=35.0,
        done=("0 file 4", "0 file 8"),
        ends=(9,),
    ),
    Case(
        claim="any checkpoint makes the next one due later",
        lanes=one(stage(1, 0, 3, SILENT), stage(2, 3, 8)),
        checkpoint_every_s=40.0,
        done=("0 file 3", "0 file 7"),
        ends=(8,),
    ),
    Case(
        claim="at an age of nothing each step is written, once",
        lanes=one(stage(1, 0, 2, WRITTEN)),
        checkpoint_every_s=0.0,
        done=("0 file 1", "0 metrics 2", "0 file 2"),
        ends=(2,),
    ),
    Case(
        claim="where a state is due and need only be held, its file tells its hash",
        lanes=one(stage(1, 0, 2, RESIDENT)),
        checkpoint_every_s=20.0,
        done=("0 metrics 2", "0 file 2"),
        ends=(2,),
    ),
    Case(
        claim="a state that a lane only began from is not written because it is old",
        lanes=one(stage(1, 2, 2, RESIDENT)),
        begin=(1, 2, Keep.RESIDENT),
        checkpoint_every_s=0.0,
        done=("0 metrics 2", "0 hash 2"),
        ends=(2,),
    ),
    Case(
        claim="each lane has an age of its own",
        lanes=(lane(stage(1, 0, 2)), lane(stage(2, 0, 4))),
        checkpoint_every_s=30.0,
        done=("1 file 3",),
        ends=(2, 4),
    ),
]

HOW_BOUNDARIES_ARE_ADDED = [
    Case(
        claim="a boundary ahead, or at the end of the step under way, is taken up",
        lanes=one(stage(1, 0, 5)),
        commands={(0, 2): (add(2, SILENT), add(4, RESIDENT))},
        answers=((0, 2, True), (0, 4, True)),
        done=("0 file 2", "0 metrics 4", "0 hash 4"),
        ends=(5,),
    ),
    Case(
        claim="a boundary behind, beyond the end, or on another node is declined",
        lanes=one(stage(1, 0, 5), stage(2, 5, 7)),
        commands={(0, 3): (add(2), add(6), add(8, node=2), add(5, node=2), add(3, node=7))},
        answers=((0, 2, False), (0, 3, False), (0, 5, False), (0, 6, False), (0, 8, False)),
        ends=(7,),
    ),
    Case(
        claim="a boundary in a later stage is taken up",
        lanes=one(stage(1, 0, 2), stage(2, 2, 5)),
        commands={(0, 1): (add(4, node=2),)},
        answers=((0, 4, True),),
        done=("0 metrics 4", "0 file 4"),
        ends=(5,),
    ),
    Case(
        claim="a transient state that another wants to be told of, or written, is",
        lanes=one(stage(1, 0, 2, TRANSIENT), stage(1, 2, 3, TRANSIENT)),
        commands={(0, 1): (add(3, RESIDENT),), (0, 2): (add(2, SILENT),)},
        done=("0 metrics 2", "0 file 2", "0 metrics 3", "0 hash 3"),
        ends=(3,),
        answers=((0, 3, True), (0, 2, True)),
    ),
    Case(
        claim="the boundaries at one point do what any of them asks for",
        lanes=one(stage(1, 0, 3, RESIDENT)),
        commands={(0, 1): (add(3, NOTHING), add(2, SILENT), add(2, METRICS), add(3, SILENT), add(3, RESIDENT))},
        answers=((0, 2, True), (0, 2, True), (0, 3, True), (0, 3, True), (0, 3, True)),
        done=("0 metrics 2", "0 file 2", "0 metrics 3", "0 file 3"),
        ends=(3,),
    ),
    Case(
        claim="a boundary for any lane is taken up while another is walked",
        lanes=(lane(stage(1, 0, 2)), lane(stage(2, 0, 4))),
        commands={(0, 2): (add(3, node=2, lane=1), add(2, node=2, lane=7), add(2, node=2, lane=0))},
        answers=((0, 2, False), (1, 3, True), (7, 2, False)),
        done=("1 metrics 3", "1 file 3"),
        ends=(2, 4),
    ),
    Case(
        claim="a boundary for a lane that has ended is declined",
        lanes=(lane(stage(1, 0, 2)), lane(stage(2, 0, 4))),
        commands={(1, 1): (add(2),)},
        answers=((0, 2, False),),
        ends=(2, 4),
    ),
]

HOW_LANES_END_EARLIER = [
    Case(
        claim="a lane that is shortened ends there, and leaves its state",
        lanes=one(stage(1, 0, 9)),
        commands={(0, 2): (shorten(4),)},
        done=("0 file 4",),
        ends=(4,),
    ),
    Case(
        claim="a lane that is shortened to a point behind it ends at its step's end",
        lanes=one(stage(1, 0, 2), stage(2, 2, 9)),
        commands={(0, 4): (shorten(1),)},
        done=("0 file 4",),
        ends=(4,),
    ),
    Case(
        claim="a lane that is shortened to its end is as it was",
        lanes=one(stage(1, 0, 3)),
        commands={(0, 1): (shorten(3), shorten(3, node=7), shorten(3, lane=7))},
        ends=(3,),
    ),
    Case(
        claim="the end of a lane only comes nearer",
        lanes=one(stage(1, 0, 9)),
        commands={(0, 2): (shorten(4), shorten(6), add(5))},
        answers=((0, 5, False),),
        done=("0 file 4",),
        ends=(4,),
    ),
    Case(
        claim="a lane that is cut at a boundary does what that wants, and is in a file",
        lanes=one(stage(1, 0, 3, best(0.0)), stage(2, 3, 9)),
        commands={(0, 1): (shorten(3),)},
        done=("0 metrics 3", "0 file 3"),
        ends=(3,),
    ),
    Case(
        claim="a lane that is shortened to a transient state leaves no file",
        lanes=one(stage(1, 0, 3, TRANSIENT), stage(1, 3, 5)),
        commands={(0, 1): (shorten(3),)},
        done=("0 metrics 3",),
        ends=(3,),
    ),
    Case(
        claim="a lane that is stopped at a transient state leaves a file: its slot may end",
        lanes=one(stage(1, 0, 3, TRANSIENT), stage(1, 3, 5)),
        commands={(0, 3): (STOP,)},
        done=("0 metrics 3", "0 file 3"),
        ends=(3,),
    ),
    Case(
        claim="a lane that is shortened before it begins walks that far",
        lanes=(lane(stage(1, 0, 2)), lane(stage(2, 0, 9))),
        commands={(0, 1): (shorten(3, node=2, lane=1),)},
        done=("1 file 3",),
        ends=(2, 3),
    ),
    Case(
        claim="a lane that is stopped leaves its state, and no other one begins",
        lanes=(lane(stage(1, 0, 9)), lane(stage(2, 0, 9)), lane(stage(3, 0, 9))),
        commands={(0, 2): (STOP, add(5), add(5, node=2, lane=1))},
        answers=((0, 5, False), (1, 5, False)),
        done=("0 file 2",),
        ends=(2, 0, 0),
    ),
    Case(
        claim="a stop in a later lane ends that one",
        lanes=(lane(stage(1, 0, 2)), lane(stage(2, 0, 9))),
        commands={(1, 3): (STOP,)},
        done=("1 file 3",),
        ends=(2, 3),
    ),
    Case(
        claim="a lane that is stopped at its end leaves its state, too",
        lanes=one(stage(1, 0, 3, METRICS)),
        commands={(0, 3): (STOP,)},
        done=("0 metrics 3", "0 file 3"),
        ends=(3,),
    ),
]

WHAT_LANES_DO_TO_EACH_OTHER = [
    Case(
        claim="lanes that come by one point write files of their own",
        lanes=(lane(stage(1, 0, 2, WRITTEN)), lane(stage(1, 0, 2, WRITTEN), stage(2, 2, 3, SILENT))),
        done=("0 metrics 2", "0 file 2", "1 metrics 2", "1 file 2", "1 file 3"),
        ends=(2, 3),
    ),
    Case(
        claim="a lane that fails ends, and the others go on",
        lanes=(lane(stage(1, 0, 2, WRITTEN), stage(1, 2, 9)), lane(stage(2, 0, 2, RESIDENT))),
        losses={(1, 2): ValueError("no")},
        done=("0 fails 2", "1 metrics 2", "1 hash 2"),
        ends=(2, 2),
    ),
    Case(
        claim="a lane that failed takes up nothing",
        lanes=(lane(stage(1, 0, 2, METRICS), stage(1, 2, 9)), lane(stage(2, 0, 2))),
        losses={(1, 2): ValueError("no")},
        commands={(1, 1): (add(5),)},
        answers=((0, 5, False),),
        done=("0 fails 2",),
        ends=(2, 2),
    ),
]

TABLE = [
    *WHAT_BOUNDARIES_WANT,
    *WHAT_IS_BEST,
    *HOW_OLD_A_CHECKPOINT_MAY_BE,
    *HOW_BOUNDARIES_ARE_ADDED,
    *HOW_LANES_END_EARLIER,
    *WHAT_LANES_DO_TO_EACH_OTHER,
]
