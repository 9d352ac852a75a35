"""Which states of a plan stay in the memory of slots, and which leave it: what tuners pinned, and what they released.

A slot forgets by itself what was used longest ago. A tuner that knows better says so, and here it becomes commands to
those slots that it concerns. What holds, always:

* **A pin is a wish and no work.** Where the state is in memory, there it stays. Where it is in a file only, it stays in
  the slots that load it. Where it is nowhere, since nobody has made it or its slot was lost, nothing is run for the
  pin's sake; but the next lane that comes by holds it, whoever needs what lies beyond, and so it is made once. So a pin
  never waits, changes no answer, and a re-run may pin what is not there.
* **A slot is told before its lane comes to the state**, not when it says that it has it: in between it might go.
* **What was released goes when nobody needs it**, at once or later: a stage of the tree begins there, or a lane that
  runs has; a trial that its tuner may ask for more stands there; or it is pinned.
* **A released trial's states** are that in which it stands, those at which it is still being asked, and those on its
  way: in its last node, which is its own unless another trial stands there, and before that where no trial that may be
  asked for more comes by. So a branch that is released takes nothing from the trunk; and the trunk that is released,
  once the search goes on along a branch, takes with it the states that it was asked at.
* **A drop is known when it is sent.** A slot follows what it is told in order, so nothing that is given to it later can
  count on the state. What the slot says of it may come late, and then says the same.

Files are no matter of this module: who deletes them has to ask it what is pinned. It refuses to know tuners, and why
anything is pinned or released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from hippo.events import StatesResident
from hippo.plan import Node, SearchPlan
from hippo.records import AddBoundary, Boundary, Command, Drop, Keep, LeaseId, Pin, Point, SlotId, Unpin
from hippo.runtime.plans.leases import RunningLease
from hippo.runtime.studies.trial_book import MemberTrial
from hippo.stages import IncrementalStageTree

#: what a lane does at a pinned state, if nobody wants more there
_HELD = Boundary(evaluate=False, keep=Keep.TRANSIENT)


class PinnedStates:
    """The states of one plan that must not leave the memory that they are in.

    Args:
      plan: whose they are.
      key: `Assignment.states_of`.
    """

    def __init__(self, plan: SearchPlan, key: str) -> None:
        self._plan = plan
        self._key = key
        self._pins: Counter[Point] = Counter()
        #: pinned states -> the slots that know
        self._told: dict[Point, set[SlotId]] = {}
        #: those of which a slot, or a lane that runs, may not know
        self._untold: dict[Point, None] = {}
        self._unpinned: dict[SlotId, list[Point]] = {}

    def __contains__(self, point: object) -> bool:
        return point in self._pins

    @property
    def are_any(self) -> bool:
        """Whether anything is pinned."""
        return bool(self._pins)

    def pin(self, point: Point) -> None:
        """Have a state kept from now on, until it was unpinned as often as it was pinned."""
        self._pins[point] += 1
        if point not in self._told:
            self._told[point] = set()
            self._untold[point] = None

    def unpin(self, point: Point) -> None:
        """Have it kept once less."""
        self._pins[point] -= 1
        if not self._pins[point]:
            del self._pins[point]
            self._untold.pop(point, None)
            for slot in sorted(self._told.pop(point)):
                self._unpinned.setdefault(slot, []).append(point)

    def note(self, event: StatesResident) -> None:
        """Note that states came into the memory of a slot, or left it."""
        if not self._pins:
            return
        for point in event.added:
            if point in self._pins:
                self._untold[point] = None
        for point in event.dropped:  # although it is pinned: there is another worker in the slot, who knows of nothing
            if point in self._pins:
                self._told[point].discard(event.slot)

    def commands(self, running: Iterable[RunningLease]) -> list[Command]:
        """Return what slots, and the lanes that run, were not told yet."""
        if not self._unpinned and not self._untold:  # nearly always, and this is asked in every turn
            return []
        told: list[Command] = [
            Unpin(slot=slot, workload=self._key, points=tuple(points)) for slot, points in self._unpinned.items()
        ]
        self._unpinned = {}
        untold, self._untold = self._untold, {}
        if untold:
            for point in untold:
                told += [self._tell(slot, [point]) for slot in self._holders(point) if slot not in self._told[point]]
            for lease in running:
                pins, boundaries = self._ahead_of(lease, untold)
                told += [*pins, *boundaries]
        return told

    def ahead_of(self, lease: RunningLease) -> tuple[list[Pin], list[AddBoundary]]:
        """Return what the slot of a new lease must be told before its work, and what its lanes must be told then."""
        return self._ahead_of(lease, self._pins) if self._pins else ([], [])

    def _ahead_of(self, lease: RunningLease, points: Iterable[Point]) -> tuple[list[Pin], list[AddBoundary]]:
        slot, news, boundaries = lease.assignment.slot, [], []
        for point in points:
            if not lease.comes_by(point):
                continue
            if slot not in self._told[point]:
                news.append(point)
            lane = None if self._is_somewhere(point) else lease.lane_to(point)
            if lane is not None and not lease.keeps_promise(lane, point, _HELD):
                boundaries.append(lease.add_boundary(lane, point, _HELD))
        return ([self._tell(slot, news)] if news else []), boundaries

    def _tell(self, slot: SlotId, points: Iterable[Point]) -> Pin:
        told = tuple(points)
        for point in told:
            self._told[point].add(slot)
        return Pin(slot=slot, workload=self._key, points=told)

    def _holders(self, point: Point) -> Collection[SlotId]:
        return self._plan.nodes[point.node].residents.get(point.step, ())

    def _is_somewhere(self, point: Point) -> bool:
        return bool(self._holders(point)) or point.step in self._plan.nodes[point.node].checkpoints


class ReleasedStates:
    """The states of one plan that were given up, and the trials that may be asked for more.

    Args:
      plan: whose they are.
      key: `Assignment.states_of`.
    """

    def __init__(self, plan: SearchPlan, key: str) -> None:
        self._plan = plan
        self._key = key
        #: each trial that may be asked for more -> where it was answered last; None: nowhere yet
        self._at: dict[MemberTrial, Point | None] = {}
        #: how many of them stand at a point
        self._standing: Counter[Point] = Counter()
        #: what was given up, and was not asked for since
        self._points: set[Point] = set()
        #: those that slots hold, as far as was told
        self._resident: dict[Point, None] = {}

    def at(self, trial: MemberTrial) -> Point | None:
        """Return where a trial was answered last; None if nowhere, or it was released."""
        return self._at.get(trial)

    def take_up(self, trial: MemberTrial) -> None:
        """Note that something is asked of a trial; more may be."""
        self._at.setdefault(trial, None)

    def move(self, trial: MemberTrial, point: Point) -> None:
        """Note that a trial was answered at a point; it stands at the farthest one."""
        if trial not in self._at:
            return  # it was released while it was asked
        before = self._at[trial]
        if before is not None:
            if point.step <= before.step:
                return
            self._stand_no_longer(before)
        self._at[trial] = point
        self._standing[point] += 1
        self._points.discard(point)

    def leave(self, trial: MemberTrial) -> None:
        """Note that a trial will be asked for no more, though nobody gave it up: its call has ended."""
        point = self._at.pop(trial, None)
        if point is not None:
            self._stand_no_longer(point)

    def give_up(self, trial: MemberTrial, asked: Iterable[Point]) -> None:
        """Let the states of a trial go.

        Args:
          trial: which.
          asked: where it is still being asked.
        """
        own = {point for point in (self.at(trial), *asked) if point is not None}
        self.leave(trial)
        until = max([trial.row.until, *(step for _, step in own)])
        if until:
            own.update(self._on_way(trial.path.node_at(until), until))
        self._points |= own
        self._resident.update(dict.fromkeys(sorted(own)))

    def note(self, event: StatesResident) -> None:
        """Note that states came into the memory of a slot: what was given up before may go from there, too."""
        if self._points:
            self._resident.update(dict.fromkeys(point for point in event.added if point in self._points))

    def drops(self, is_needed: Callable[[Point], bool]) -> list[Drop]:
        """Return what frees the memory of states that nobody needs any more.

        Args:
          is_needed: tells of a state at which no trial stands whether it must stay all the same.
        """
        if not self._resident:
            return []
        going: dict[SlotId, list[Point]] = {}
        for point in list(self._resident):
            is_given_up = point in self._points
            holders = self._plan.nodes[point.node].residents.get(point.step, ()) if is_given_up else ()
            if holders and (point in self._standing or is_needed(point)):
                continue
            del self._resident[point]
            for slot in holders:
                going.setdefault(slot, []).append(point)
        return [Drop(slot=slot, workload=self._key, points=tuple(points)) for slot, points in sorted(going.items())]

    def _on_way(self, end: Node, until: int) -> list[Point]:
        """Return the resident states on a released trial's way that are its own."""
        return [
            Point(node.id, step)
            for node, start, stop in end.spans(until)
            for step in node.residents
            if start < step <= stop and (node is end or not self._is_shared(node, step))
        ]

    def _is_shared(self, node: Node, step: int) -> bool:
        """Tell whether a state before a trial's last node is left alone: another trial comes by, or it is in a file."""
        if step in node.checkpoints:
            return True  # it costs a look at every trial to find out, and saves no training
        return any(other.row.until >= step and other.path.node_at(step) is node for other in self._at)

    def _stand_no_longer(self, point: Point) -> None:
        self._standing[point] -= 1
        if not self._standing[point]:
            del self._standing[point]


class Residency:
    """What slots are told of the states of one plan.

    Args:
      plan, tree: whose they are, and what remains to be run of it.
      key: `Assignment.states_of`.
      running: the leases under way.
    """

    def __init__(
        self, plan: SearchPlan, tree: IncrementalStageTree, key: str, running: Mapping[LeaseId, RunningLease]
    ) -> None:
        self.pins = PinnedStates(plan, key)
        self.released = ReleasedStates(plan, key)
        self._tree = tree
        self._running = running

    def note(self, event: StatesResident) -> None:
        """Note that states came into the memory of a slot, or left it; the plan knows by now."""
        self.pins.note(event)
        self.released.note(event)

    def commands(self) -> list[Command]:
        """Return what slots were not told yet: what to keep, what no longer, and what to drop."""
        begins: set[Point] | None = None

        def is_needed(point: Point) -> bool:
            nonlocal begins
            if point in self.pins or self._tree.is_base(point):
                return True
            if begins is None:  # there may be ten thousand leases, and nothing may have been released
                begins = self._begins()
            return point in begins

        return [*self.pins.commands(self._running.values()), *self.released.drops(is_needed)]

    def _begins(self) -> set[Point]:
        """Return where lanes under way begin: those that wait for their turn have not loaded their state yet."""
        begins = (lane.begin for lease in self._running.values() for lane in lease.assignment.lanes)
        return {Point(begin.node, begin.step) for begin in begins if begin is not None}
