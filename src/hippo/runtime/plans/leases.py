"""Work under way, as the control loop sees it: how far its lanes are, what they were promised, where they end.

A lease holds one `AssignmentProgress`, the very object by which a worker walks its lanes. It moves in two ways:
commands are taken when they are sent, and events of the worker are folded in when they arrive. What holds of it:

* It lags behind the worker and is never ahead of it. So it decides nothing for the worker: also a boundary that seems
  to be behind is asked for, and it is the worker's answer that counts.
* What is asked of a lane is asked once: what is wanted at a point is compared with what was promised there before,
  which is what the worker does there. A promise that the worker declined is forgotten.
* Every point of the lease's spans is on the way of one of its lanes; where two come by one point, the first one that
  has not failed and is not told to end before is asked.
* Each lane has an account of its own: studies may have one lane each of what is walked as one.
* All else is derived: the points that are at risk if the worker dies now, the steps that are behind, who has to wait
  for a state that is being written.

It refuses to know plans and trees, and why anybody wants what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hippo.events import Check, LaneEvent
from hippo.lanes import AssignmentProgress, LaneProgress, Place
from hippo.records import AddBoundary, Assignment, Boundary, Keep, NodeId, Point, Shorten, Span, Stage, Stop
from hippo.runtime.studies.study_state import StudyState


@dataclass(slots=True, eq=False)
class LaneAccount:
    """On whose account a lane goes, and as what."""

    #: the study that pays for its device-seconds
    payer: StudyState
    #: device-seconds that it was expected to take when it began: its share, where several are walked as one
    expected_s: float = 0.0
    #: no tuner has asked yet for what it makes
    is_speculative: bool = False


@dataclass(slots=True, eq=False)
class RunningLease:
    """One assignment that a slot works on, as the control loop knows it from events and commands."""

    assignment: Assignment
    #: one for each lane
    accounts: tuple[LaneAccount, ...]
    #: the workload's
    evaluate_every: int = 1
    #: the comparisons that its lanes have told of: (lane, which)
    compared: set[tuple[int, Check]] = field(default_factory=set)
    #: how far each lane is, as far as events have told
    lanes: tuple[LaneProgress, ...] = field(init=False)
    #: follows what a worker says of a lane, or of all
    fold: Callable[[LaneEvent], None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        progress = AssignmentProgress(self.assignment, evaluate_every=self.evaluate_every)
        self.lanes, self.fold = progress.lanes, progress.fold

    def resumed_at(self, lane: int) -> int:
        """Return the step that a lane started from."""
        begin = self.assignment.lanes[lane].begin
        return 0 if begin is None else begin.step

    def nodes_ahead(self, lane: int, node: NodeId) -> list[NodeId]:
        """Return the nodes that a lane goes on to when it has come to a node, in their order."""
        nodes = list(dict.fromkeys(stage.node for stage in self.assignment.lanes[lane].stages))
        return nodes[nodes.index(node) + 1 :]

    # --- how far it is

    @property
    def num_going(self) -> int:
        """How many of its lanes have not ended, as far as events have told."""
        return sum(map(_is_going, self.lanes))

    def num_going_of(self, study: StudyState) -> int:
        """Return the same, of the lanes that a study pays for."""
        lanes = zip(self.lanes, self.accounts, strict=True)
        return sum(_is_going(lane) for lane, account in lanes if account.payer is study)

    def at(self) -> Span:
        """Return the step that its first lane is at that has not ended."""
        lane = next((lane for lane in self.lanes if _is_going(lane)), self.lanes[-1])
        stage = lane.ahead or lane.stage
        return Span(node=stage.node, start=lane.step, stop=lane.step + 1)

    def steps_done(self, stage: Stage) -> int:
        """Return how many steps of a stage of the tree that this lease walks are behind it."""
        for lane in self.lanes:
            point = lane.point
            if point is not None and point.node == stage.node and lane.route.place(stage.point) is not None:
                return min(max(point.step, stage.start), stage.stop) - stage.start
        return 0

    def spans_at_risk(self) -> list[Span]:
        """Return the stages that were being run: of all lanes that are walked as one.

        Of others, in lanes heard of, and in the first of the rest: one that waits for its turn has lost nothing with
        the worker, and a loss that is counted wrongly may fail a trial.
        """
        going = [lane for lane in self.lanes if _is_going(lane)]
        fusion = self.assignment.fusion
        if fusion is None or not fusion.is_fused:
            waiting = [lane for lane in going if lane.point is None]
            going = [lane for lane in going if lane.point is not None] + waiting[:1]
        ahead = [stage for lane in going if (stage := lane.ahead) is not None]
        return [Span(node=stage.node, start=stage.start, stop=stage.stop) for stage in ahead]

    # --- who pays for it

    @property
    def payers(self) -> list[StudyState]:
        """The studies that pay for a lane of it, each once, that of the first lane first."""
        return list({id(account.payer): account.payer for account in self.accounts}.values())

    def payer_of(self, lane: int) -> StudyState:
        """Return the study that pays for a lane."""
        return self.accounts[lane].payer

    def expected_s(self, study: StudyState) -> float:
        """Return the device-seconds that it was expected to take on the account of a study."""
        return sum(account.expected_s for account in self.accounts if account.payer is study)

    def owes(self, study: StudyState) -> bool:
        """Tell whether a study pays for a state that is being written, or for work that is all but over."""
        own = [lane for lane, account in zip(self.lanes, self.accounts, strict=True) if account.payer is study]
        if not own:
            return False
        return not any(map(_is_going, self.lanes)) or any(lane.owes_state for lane in own)

    # --- what it is told

    def lane_to(self, point: Point) -> LaneProgress | None:
        """Return the lane that comes to a point; None if it was told to end before."""
        coming = [(lane, place) for lane in self.lanes if (place := lane.route.place(point)) is not None]
        if not coming:  # the worker will say that it does not, so that the tree has it run by others
            return self.lanes[0]
        reaching = [lane for lane, place in coming if place <= lane.route.end]
        return next((lane for lane in reaching if not lane.is_over), reaching[0] if reaching else None)

    def comes_by(self, point: Point) -> bool:
        """Tell whether a lane begins at a point, or leads through it."""
        lanes = [(lane.begin, progress) for lane, progress in zip(self.assignment.lanes, self.lanes, strict=True)]
        return any(
            (begin is not None and (begin.node, begin.step) == point) or progress.route.place(point) is not None
            for begin, progress in lanes
        )

    def keeps_promise(self, lane: LaneProgress, point: Point, wanted: Boundary) -> bool:
        """Tell whether a lane was already told all that is wanted at a point."""
        place = lane.route.place(point)
        told = None if place is None else lane.route.boundary(place)
        return told is not None and (told.evaluate or not wanted.evaluate) and told.keep >= wanted.keep

    def holds_only(self, point: Point) -> bool:
        """Tell whether a lane is to hold the state at a point in memory, and to write it nowhere."""
        places = [(lane, place) for lane in self.lanes if (place := lane.route.place(point)) is not None]
        wanted = [lane.route.boundary(place) for lane, place in places]
        return any(boundary is not None and boundary.keep is Keep.TRANSIENT for boundary in wanted)

    def add_boundary(self, lane: LaneProgress, point: Point, wanted: Boundary) -> AddBoundary:
        """Return what tells a lane to do this at a point."""
        node, step = point
        command = AddBoundary(lease=self.assignment.lease, lane=lane.number, node=node, step=step, boundary=wanted)
        lane.take(command)
        return command

    def shorten(self, needed: frozenset[Point]) -> list[Shorten]:
        """Return what ends lanes earlier if only these points are needed, where that is news to them."""
        commands = []
        for lane in self.lanes:
            last = _last_needed(lane, needed) if _is_going(lane) else lane.route.end
            if last < lane.route.end:
                node, step = lane.route.point(last)
                command = Shorten(lease=self.assignment.lease, lane=lane.number, node=node, step=step)
                lane.take(command)
                commands.append(command)
        return commands


def _is_going(lane: LaneProgress) -> bool:
    return not (lane.is_over or lane.is_through)


def _last_needed(lane: LaneProgress, points: frozenset[Point]) -> Place:
    """Return the place of the last of these points on a lane's way; without one, that of its first step."""
    if lane.route.point(lane.route.natural_end) in points:
        return lane.route.natural_end
    places = [place for point in points if (place := lane.route.place(point)) is not None]
    first = lane.lane.stages[0]
    return max(places, default=(0, min(first.start + 1, first.stop)))


def stop(running: RunningLease) -> Stop:
    """Return what ends all lanes of a lease at their next step, with a state of each."""
    for lane in running.lanes:
        lane.is_stopping = True  # whether it has begun, or is over at once, its worker says
    return Stop(lease=running.assignment.lease)


def payer_of(lease: RunningLease | None, lane: int) -> StudyState | None:
    """Return the study that pays for what a lane does; None if its lease has ended."""
    return None if lease is None else lease.accounts[lane].payer


def number_of(payer: StudyState | None) -> int:
    """Return the number under which a plan notes who pays; 0 for nobody."""
    return 0 if payer is None else payer.row.study
