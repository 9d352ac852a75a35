"""Where a lane goes, and how commands that arrive on the way change it. Values in, answers out; nothing runs here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hippo.events import BoundaryAnswered
from hippo.records import AddBoundary, Boundary, Command, Lane, LeaseId, Point, Shorten

#: a place along a lane: number of the stage, then the step; ordered as the lane walks
Place = tuple[int, int]


class Itinerary:
    """The boundaries ahead of one lane. It moves only forward."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._boundaries: dict[Point, Boundary] = {(s.node, s.stop): s.boundary for s in lane.stages}
        self._here: Place = (-1, 0)
        self._natural_end: Place = (len(lane.stages) - 1, lane.stages[-1].stop)
        self._end = self._natural_end
        self._is_over = False

    def arrive(self, stage: int, step: int) -> None:
        """The lane is after `step` steps, the last of them in the stage of this number."""
        self._here = (stage, step)

    def leave(self) -> None:
        """The lane has ended, for whatever reason."""
        self._is_over = True

    @property
    def is_at_end(self) -> bool:
        """Whether nobody needs what lies ahead."""
        return self._here >= self._end

    @property
    def is_cut_here(self) -> bool:
        """Whether it ends here, earlier than it was meant to."""
        return self.is_at_end and self._end < self._natural_end

    def boundary(self, point: Point) -> Boundary | None:
        """Return what is to be done at `point`."""
        return self._boundaries.get(point)

    def add(self, point: Point, boundary: Boundary) -> bool:
        """Take `boundary` up if the lane has not passed `point` and will come there."""
        place = self._place(point)
        if self._is_over or place is None or not self._here <= place <= self._end:
            return False
        known = self._boundaries.get(point)
        self._boundaries[point] = boundary if known is None else _both(known, boundary)
        return True

    def shorten(self, point: Point) -> None:
        """End at `point`, or right here if that is behind."""
        place = self._place(point)
        if place is not None:
            self._end = min(self._end, place)

    def _place(self, point: Point) -> Place | None:
        node, step = point
        for number, stage in enumerate(self._lane.stages):
            if stage.node == node and (stage.start < step <= stage.stop or stage.start == step == stage.stop):
                return number, step
        return None


class Orders:
    """The itineraries of an assignment's lanes, and whether it was told to stop."""

    def __init__(self, lease: LeaseId, lanes: Sequence[Lane]) -> None:
        self._lease = lease
        self.itineraries = tuple(Itinerary(lane) for lane in lanes)
        self.is_stopping = False

    def take(self, commands: Iterable[Command]) -> list[BoundaryAnswered]:
        """Follow commands to this lease, and return the answers that they want; those to other leases are not ours."""
        answers = []
        for command in commands:
            if command.lease != self._lease:
                continue
            if isinstance(command, AddBoundary):
                answers.append(self._add(command))
            elif isinstance(command, Shorten):
                if itinerary := self._itinerary(command.lane):
                    itinerary.shorten((command.node, command.step))
            else:
                self.is_stopping = True
        return answers

    def _add(self, command: AddBoundary) -> BoundaryAnswered:
        itinerary = self._itinerary(command.lane)
        accepted = itinerary is not None and itinerary.add((command.node, command.step), command.boundary)
        return BoundaryAnswered(
            lease=command.lease, lane=command.lane, node=command.node, step=command.step, accepted=accepted
        )

    def _itinerary(self, lane: int) -> Itinerary | None:
        return self.itineraries[lane] if 0 <= lane < len(self.itineraries) else None


def _both(one: Boundary, other: Boundary) -> Boundary:
    """Return the boundary that does what either asks for."""
    more = max(one, other, key=lambda boundary: boundary.keep)
    return replace(more, evaluate=one.evaluate or other.evaluate)
