"""The program behind `python -m hippo.engines.worker`: the launcher, and the workers that it forks.

A worker runs the assignments that the study sends it, one after the other, and keeps trainers, data and recent states
in memory between them. It refuses to know the plan and the database; what it knows came over its socket.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock, SystemClock
from hippo.engines.devices import device_field, num_devices
from hippo.engines.launcher import Launcher, preload
from hippo.engines.lifeline import adopt_orphans, die_with_parent, follow_line, outlive_parent, tie_children
from hippo.engines.rank_processes import StartedPeer, start_peers, watch_peers
from hippo.engines.told_checkpoints import ToldCheckpoints
from hippo.engines.wire import (
    ForkWorker,
    Inbox,
    LauncherSetup,
    Leave,
    PreloadFailed,
    WorkerFailed,
    Writing,
    Wrote,
    pack,
)
from hippo.errors import HippoError, TrainerError
from hippo.events import AssignmentDone, EngineEvent, SlotOpened, TrainerUnusable
from hippo.records import Assignment, Command, Drop, LeaseCommand, Pin, SlotCommand, TrainerSpec, Unpin
from hippo.training.failures import end_of
from hippo.training.live_states import HeldState
from hippo.training.process.environment import describe_environment, pin
from hippo.training.sharding.here import set_peers
from hippo.training.sharding.peers import Peers
from hippo.training.trainers import Trainers
from hippo.training.walking.lanes import run_assignment
from hippo.training.walking.residents import ResidentStates
from hippo.training.walking.standing import StandingWalker

_CHUNK_BYTES = 1 << 18


class WorkerLeft(SystemExit):
    """The study wants this worker to stop, or is gone. Passes through lanes as the end of a process does."""


class Worker:
    """A slot in a process of its own, and the host of the lanes that run there.

    Args:
      connection: socket to the study.
      order: who we are, and on which device.
      trainers: what the launcher has loaded.
      setup: where states are kept, and how many threads there are.
    """

    def __init__(
        self, connection: socket.socket, order: ForkWorker, *, trainers: Trainers, setup: LauncherSetup
    ) -> None:
        self.clock: Clock = SystemClock()
        self.checkpoints: AbstractCheckpointStore = ToldCheckpoints(
            open_checkpoints(setup.checkpoints), tell=self.emit, clock=self.clock
        )
        self.residents: ResidentStates[HeldState] = ResidentStates(setup.resident_bytes)
        self.standing = StandingWalker()
        self._connection = connection
        self._readable = select.poll()  # unlike select() it takes a descriptor beyond 1,023
        self._readable.register(connection, select.POLLIN)
        #: no two messages mix
        self._sending = threading.Lock()
        self._pid = os.getpid()
        self._slot = order.slot
        self._device = order.device
        self._threads = setup.threads
        self._world_size = setup.world_size
        self._peers: Peers | None = None
        self._inbox = Inbox()
        self._arrived: deque[Any] = deque()
        self._specs: dict[str, TrainerSpec] = {}
        self._trainers = trainers

    def emit(self, event: EngineEvent | WorkerFailed | Writing | Wrote) -> None:
        """Send an event to the study, from whatever thread: a state may be written beside its lane."""
        self._end_if_forked()
        message = pack(event)
        try:
            with self._sending:
                self._connection.sendall(message)
        except OSError:
            raise WorkerLeft from None

    def poll(self) -> Sequence[LeaseCommand]:
        """Return the commands for lanes that have arrived; never waits. Those for the slot are followed meanwhile."""
        self._end_if_forked()
        self._receive()
        commands = []
        for command in self._arrived:  # what arrives during an assignment can only be commands
            if isinstance(command, SlotCommand):
                self._follow(command)
            else:
                commands.append(command)
        self._arrived.clear()
        return commands

    def wait(self, seconds: float) -> Sequence[LeaseCommand]:
        """Return the commands that arrive within so many seconds, as soon as there are any."""
        if not self._arrived:
            self._readable.poll(seconds * 1000)
        return self.poll()

    def lead(self, started: Sequence[StartedPeer], *, is_world: bool) -> None:
        """Compute batches together with other processes; end when one of them does."""
        self._peers = Peers([peer.connection for peer in started], is_world=is_world)
        set_peers(self._peers)
        watch_peers(started, on_end=self._end_without_peer)

    def _end_without_peer(self, reason: str) -> None:
        with contextlib.suppress(WorkerLeft):
            self.emit(WorkerFailed(reason=reason))
        os._exit(1)

    def run(self) -> None:
        """Run assignments until the study says to leave, or is gone."""
        environment = describe_environment(self._threads, device_field(self._device), world_size=self._world_size)
        self.emit(SlotOpened(slot=self._slot, environment=environment, devices=num_devices(self._device)))
        while True:
            self._readable.poll()
            self._receive()
            while self._arrived:
                self._handle(self._arrived.popleft())

    def _handle(self, message: TrainerSpec | Assignment | Command) -> None:
        match message:
            case TrainerSpec():
                self._specs[message.workload] = message
            case Assignment():
                pin(self._threads)  # again each time: what ran before may have changed it
                self._run(message)
            case Pin() | Unpin() | Drop():
                self._follow(message)
            case _:  # a command that came when its lease had ended
                pass

    def _follow(self, command: SlotCommand) -> None:
        for event in self.residents.follow(command):
            self.emit(event)

    def _run(self, assignment: Assignment) -> None:
        spec = self._specs[assignment.workload]
        if self._peers is not None:
            self._peers.spec = spec
        try:
            run_assignment(assignment, spec, self._trainers, self, self._slot)
        except TrainerError as error:
            self.emit(TrainerUnusable(workload=spec.workload, reason=str(error)))
        self.emit(AssignmentDone(lease=assignment.lease, slot=self._slot))

    def _end_if_forked(self) -> None:
        """End a process that the trainer forked and that came back from its method: there is one worker here."""
        if os.getpid() != self._pid:
            os.write(2, b"hippo: a process that the trainer had forked came back from its method, and was ended\n")
            os._exit(1)

    def _receive(self) -> None:
        try:
            data = self._connection.recv(_CHUNK_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            raise WorkerLeft from None
        messages = list(self._inbox.feed(data))
        if not data or any(isinstance(message, Leave) for message in messages):
            raise WorkerLeft
        self._arrived += messages


def work(
    order: ForkWorker,
    connection: socket.socket,
    *,
    trainers: Trainers,
    setup: LauncherSetup,
    line: int,
    console: int,
) -> None:
    """Be a worker, in a process just forked for it."""
    device, started = order.device, list[StartedPeer]()
    if setup.ranks > 1:  # first: a fork is safe as long as there is but one thread
        device, started = start_peers(setup, device, trainers=trainers, connection=connection, line=line)
    adopt_orphans()  # what the trainer starts stays below this process, and ends with it
    follow_line(line)
    tie_children()
    if device is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = device  # in time: nothing has touched CUDA yet
    pin(setup.threads)
    worker = Worker(connection, order, trainers=trainers, setup=setup)
    if started:
        worker.lead(started, is_world=setup.is_world)
    os.dup2(console, 2)  # until now, standard error went to a file that the study shows if we cannot start
    faulthandler.enable()
    try:
        worker.run()
    except WorkerLeft:
        pass
    except BaseException as error:
        worker.emit(WorkerFailed(reason=end_of(error)))
        raise


def main() -> None:
    """Be the launcher: prepare, then serve the study until it is gone."""
    fds = control_fd, line, console = [int(argument) for argument in sys.argv[1:4]]
    die_with_parent(parent=int(sys.argv[4]))  # while importing we cannot watch the life line
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the study's to handle
    for fd in fds:
        os.set_inheritable(fd, False)
    control = socket.socket(fileno=control_fd)
    setup: LauncherSetup = pickle.load(sys.stdin.buffer)
    sys.argv[:] = setup.arguments or sys.argv[:1]  # ours are numbers, which a trainer would take for its options
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    try:
        trainers = preload(setup.spec)
    except BaseException as error:
        reason = str(error) if isinstance(error, HippoError) else traceback.format_exc()
        control.sendall(pack(PreloadFailed(reason=reason)))
        return
    outlive_parent()
    launch = partial(work, trainers=trainers, setup=setup, line=line, console=console)
    Launcher(control, line, work=launch).run()


if __name__ == "__main__":
    main()
