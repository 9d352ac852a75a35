"""Slots in virtual time: workers that come, are lost by chance or by order, and come again.

When a worker is lost decides about everything after it, so chance is a function of seed and lease, and of nothing that
was drawn before. This module refuses to know what runs in a slot does there, and who decides.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

from hippo.events import AssignmentDone, SlotLost, SlotOpened
from hippo.records import Assignment, LeaseCommand, LeaseId, SlotCommand, SlotId, TrainerSpec, may_fuse
from hippo.simulation.lanes import AssignmentRun
from hippo.simulation.paths import uniform
from hippo.simulation.virtual_world import VirtualWorld
from hippo.simulation.workers import SimulatedWorker

#: of every slot
ENVIRONMENT = {"engine": "simulated"}


class SimulatedSlots:
    """The slots of an engine, and what runs in them.

    Args:
      world: where they are.
      speeds: of each slot, by number.
      nodes: on which each is.
      seed: of the losses of workers.
    """

    def __init__(self, world: VirtualWorld, speeds: Sequence[float], *, nodes: Sequence[str], seed: int) -> None:
        self._world = world
        self._speeds = speeds
        self._nodes = nodes
        self._seed = seed
        self._ids = (SlotId(f"simulated-{number}") for number in itertools.count(1))
        #: by workload; empty as long as slots are closed
        self._specs: dict[str, TrainerSpec] = {}
        self._workers: dict[SlotId, SimulatedWorker] = {}
        self._runs: dict[LeaseId, AssignmentRun] = {}

    @property
    def are_free(self) -> bool:
        """Whether nothing runs in any of them."""
        return not self._runs

    # --- what an engine is told

    def open_workload(self, spec: TrainerSpec) -> None:
        """Learn of a workload; the first one opens the slots."""
        is_first = not self._specs
        self._specs[spec.workload] = spec
        if is_first:
            self._world.clock.call_later(0.0, self._open_all)

    def submit(self, assignment: Assignment) -> None:
        """Begin an assignment in its slot."""
        lease, worker, spec = assignment.lease, self._workers[assignment.slot], self._specs[assignment.workload]
        worker.cost = self._world.workload.cost_at(spec.scale)
        worker.helpers = tuple(self._workers[peer] for peer in assignment.peers)
        worker.speedup = self._world.workload.speedup(assignment.width)
        run = AssignmentRun(
            self._world,
            assignment,
            worker,
            evaluate_every=spec.evaluate_every,
            may_fuse=may_fuse(spec.numerics),
            lost_at_s=self._draw_loss(lease, assignment.width),
            on_loss=functools.partial(self.lose, assignment.slot, "a simulated loss"),
            on_end=self._finish,
        )
        self._runs[lease] = run
        for each in (worker, *worker.helpers):
            each.run = run
        run.begin()

    def send(self, command: LeaseCommand) -> None:
        """Have a command followed where its lease runs, if it does."""
        run = self._runs.get(command.lease)
        if run is not None:
            run.take(command)

    def follow(self, command: SlotCommand) -> None:
        """Follow a command to a slot, if it is there."""
        worker = self._workers.get(command.slot)
        if worker is None:
            return
        said = worker.residents.follow(command)
        if worker.run is not None:  # what its lane put there before may not be told yet
            worker.run.say(said)
        else:
            for event in said:
                self._world.soon(event)

    def close(self) -> None:
        """End all that runs, in silence; slots open again with the next workload."""
        for run in self._runs.values():
            run.end()
        self._runs.clear()
        self._workers.clear()
        self._specs.clear()

    def _finish(self, run: AssignmentRun) -> None:
        self._forget(run)
        if not run.is_out_of_reach:
            self._world.emit(AssignmentDone(lease=run.assignment.lease, slot=run.assignment.slot))

    def _forget(self, run: AssignmentRun) -> None:
        run.end()
        for worker in (run.worker, *run.worker.helpers):
            if worker.run is run:
                worker.run = None
        del self._runs[run.assignment.lease]

    # --- workers come and go

    def _open_all(self) -> None:
        for number in range(len(self._speeds)):
            self._open(number)
        for at_s, number in self._world.workload.losses_at:
            self._world.clock.call_at(at_s, functools.partial(self._lose_number, number % len(self._speeds)))

    def _open(self, number: int) -> None:
        slot = next(self._ids)
        self._workers[slot] = SimulatedWorker(number, self._speeds[number], self._world.workload.resident_states)
        self._world.emit(SlotOpened(slot=slot, environment=dict(ENVIRONMENT), node=self._nodes[number]))

    def _draw_loss(self, lease: LeaseId, width: int) -> float:
        rate = self._world.workload.losses_per_device_hour * width
        if not rate:
            return math.inf
        return self._world.elapsed() - 3600.0 / rate * math.log(uniform(self._seed, lease))

    def _lose_number(self, number: int) -> None:
        for slot, worker in list(self._workers.items()):
            if worker.number == number:
                self.lose(slot, "a loss that the simulation was told of")

    def lose(self, slot: SlotId, reason: str) -> None:
        """Lose the worker of a slot, with what it ran; nothing if it is lost already, and only out of reach."""
        worker = self._workers.pop(slot, None)
        if worker is None:
            return
        self._world.meter.losses_at.append(self._world.elapsed())
        concerned = [run for run in self._runs.values() if worker in (run.worker, *run.worker.helpers)]
        for run in concerned:
            run.lose()
            if not self._world.workload.late_results:
                self._forget(run)
        self._world.emit(SlotLost(slot=slot, reason=reason))
        self._world.clock.call_later(self._world.workload.restart_s, functools.partial(self._reopen, worker.number))

    def _reopen(self, number: int) -> None:
        if self._specs:  # else it was closed meanwhile
            self._open(number)
