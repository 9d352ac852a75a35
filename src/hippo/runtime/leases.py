"""Work under way: what was promised at which boundary, and how far its lanes are."""

from __future__ import annotations

from dataclasses import dataclass, field

from hippo.records import Assignment, Boundary, Keep, Lane, Point, Stage


@dataclass(slots=True, eq=False)
class RunningLease:
    """One assignment on its way. Today it has one lane; every lane is walked alike."""

    assignment: Assignment
    #: the study that pays
    study: int
    #: what the worker was told to do at each boundary
    promised: dict[Point, Boundary] = field(default_factory=dict)
    #: how many stages of each lane are complete
    stages_done: list[int] = field(default_factory=list)
    #: where a lane is
    point: Point | None = None
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
        stages = self.assignment.lanes[lane].stages
        done = self.stages_done[lane]
        while done < len(stages) and (stages[done].node, stages[done].stop) != point and point[0] != stages[done].node:
            done += 1
        if done < len(stages) and (stages[done].node, stages[done].stop) == point:
            done += 1
        self.stages_done[lane] = done

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
        return (
            told is not None
            and (told.evaluate or not wanted.evaluate)
            and _STRENGTH[told.keep] >= _STRENGTH[wanted.keep]
        )

    def farthest(self, points: frozenset[Point]) -> tuple[int, Point] | None:
        """Return the lane and the last of its points that is among those needed; None if none is."""
        for index, lane in enumerate(self.assignment.lanes):
            last = _last_needed(lane, points)
            if last is not None:
                return index, last
        return None


#: what keeps more is larger
_STRENGTH = {keep: strength for strength, keep in enumerate((Keep.NOTHING, Keep.RESIDENT, Keep.IF_BEST, Keep.WRITTEN))}


def _last_needed(lane: Lane, points: frozenset[Point]) -> Point | None:
    for stage in reversed(lane.stages):
        within = [step for node, step in points if node == stage.node and stage.start < step <= stage.stop]
        if within:
            return (stage.node, max(within))
    return None
