"""Work under way: what was promised at which boundary, and how far its lanes are."""

from __future__ import annotations

from dataclasses import dataclass, field

from hippo.events import Check
from hippo.records import Assignment, Boundary, Keep, Lane, Point, Span, Stage
from hippo.runtime.study_state import StudyState


@dataclass(slots=True, eq=False)
class RunningLease:
    """One assignment on its way. Today it has one lane; every lane is walked alike."""

    assignment: Assignment
    #: the study that pays
    payer: StudyState
    #: seconds that it was expected to take when it began
    expected_s: float = 0.0
    #: nobody needs yet what it makes
    is_speculative: bool = False
    #: what the worker was told to do at each boundary
    promised: dict[Point, Boundary] = field(default_factory=dict)
    #: how many stages of each lane are complete
    stages_done: list[int] = field(default_factory=list)
    #: where a lane is
    point: Point | None = None
    #: lanes that ended with an exception
    failed: set[int] = field(default_factory=set)
    #: where metrics were told, and the state that must be kept there not yet
    unwritten: Point | None = None
    #: the comparisons that its lanes have told of: (lane, which)
    compared: set[tuple[int, Check]] = field(default_factory=set)
    #: the stop that was last asked of a lane, to ask for it once
    shortened_to: Point | None = None

    def __post_init__(self) -> None:
        for lane in self.assignment.lanes:
            self.promised.update({(stage.node, stage.stop): stage.boundary for stage in lane.stages})
            self.stages_done.append(0)

    def resumed_at(self, lane: int) -> int:
        """Return the step that a lane started from."""
        begin = self.assignment.lanes[lane].begin
        return 0 if begin is None else begin.step

    def note_step(self, lane: int, point: Point) -> None:
        """Note that a lane has come to a point."""
        self.point = point
        self.unwritten = None  # a lane goes on only when nothing is left to do where it was
        stages = self.assignment.lanes[lane].stages
        done = self.stages_done[lane]
        while done < len(stages) and (stages[done].node, stages[done].stop) != point and point[0] != stages[done].node:
            done += 1
        if done < len(stages) and (stages[done].node, stages[done].stop) == point:
            done += 1
        self.stages_done[lane] = done

    def at(self) -> Span:
        """Return the step that its first lane is at."""
        stages = self.assignment.lanes[0].stages
        done = min(self.stages_done[0], len(stages) - 1)
        start = self.point[1] if self.point is not None else stages[0].start
        return Span(node=stages[done].node, start=start, stop=start + 1)

    def note_metrics(self, point: Point) -> None:
        """Note that metrics were told; where the state is to be kept, that comes next."""
        boundary = self.promised.get(point)
        if boundary is not None and boundary.keep > Keep.TRANSIENT:
            self.unwritten = point

    def note_state(self, point: Point) -> None:
        """Note that a state was written, or need not be."""
        if self.unwritten == point:
            self.unwritten = None

    def owes(self, study: StudyState) -> bool:
        """Tell whether a study pays for a state that is being written, or for work that is all but over."""
        is_through = all(
            number in self.failed or self.stages_done[number] == len(lane.stages)
            for number, lane in enumerate(self.assignment.lanes)
        )
        return self.payer is study and (is_through or self.unwritten is not None)

    def steps_done(self, stage: Stage) -> int:
        """Return how many steps of a stage of the tree that this lease walks are behind it."""
        if self.point is None or self.point[0] != stage.node:
            return 0
        return min(max(self.point[1], stage.start), stage.stop) - stage.start

    def points_at_risk(self) -> list[Point]:
        """Return the ends of the stages that were being run."""
        at_risk = []
        for lane, done in zip(self.assignment.lanes, self.stages_done, strict=True):
            if done < len(lane.stages):
                at_risk.append((lane.stages[done].node, lane.stages[done].stop))
        return at_risk

    def keeps_promise(self, point: Point, wanted: Boundary) -> bool:
        """Tell whether the worker was already told all that is wanted at a point."""
        told = self.promised.get(point)
        return told is not None and (told.evaluate or not wanted.evaluate) and told.keep >= wanted.keep

    def cut(self, needed: frozenset[Point]) -> tuple[int, Point] | None:
        """Return the lane that may end earlier, and where, if only these points are needed and that is news to it."""
        lanes = self.assignment.lanes
        lane, point = next(
            ((index, last) for index, lane in enumerate(lanes) if (last := _last_needed(lane, needed)) is not None),
            (0, _first_step(lanes[0])),
        )
        end = lanes[lane].stages[-1]
        if point in ((end.node, end.stop), self.shortened_to):
            return None
        self.shortened_to = point
        return lane, point

    def is_cut_before(self, point: Point) -> bool:
        """Tell whether the lane was told to end before a point of its way."""
        if self.shortened_to is None:
            return False
        lane = self.assignment.lanes[0]
        return (_place(lane, point) or (0, 0)) > (_place(lane, self.shortened_to) or (0, 0))


def _place(lane: Lane, point: Point) -> tuple[int, int] | None:
    """Return where a point lies along a lane: number of the stage, then the step."""
    return next(
        (
            (number, point[1])
            for number, stage in enumerate(lane.stages)
            if stage.node == point[0] and (stage.start < point[1] <= stage.stop or stage.start == point[1])
        ),
        None,
    )


def _first_step(lane: Lane) -> Point:
    first = lane.stages[0]
    return (first.node, min(first.start + 1, first.stop))


def _last_needed(lane: Lane, points: frozenset[Point]) -> Point | None:
    for stage in reversed(lane.stages):
        within = [step for node, step in points if node == stage.node and stage.start < step <= stage.stop]
        if within:
            return (stage.node, max(within))
    return None
