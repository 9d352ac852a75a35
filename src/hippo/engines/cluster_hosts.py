"""The hosts of a cluster: one on each node, and another one in the place of one that is lost.

Unless they are lost one after the other before a slot of theirs is open: then that node is left alone. This module
refuses to know what a cluster is made of, and what hosts are told to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import math
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hippo.checkpoints import AbstractCheckpointStore
from hippo.engines.engine import Emit
from hippo.engines.host_book import MOST_FAILED_STARTS, HostBook
from hippo.engines.host_events import HostPace
from hippo.engines.host_link import HostHandle, HostLink, LinkOwner
from hippo.engines.state_probe import StateProbe
from hippo.errors import EngineError, HippoError
from hippo.events import EngineEvent, EngineFailed, SlotLost, SlotOpened
from hippo.records import SlotId
from hippo.training.process.environment import versions
from hippo.training.telling import tell_once, warn

#: how often new nodes are looked for
_LOOK_FOR_NODES_S = 1.0
#: after that, whoever waits for a host is told what it waits for
_SAY_WAITING_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A machine that may have a host."""

    #: no other machine ever has it
    id: str
    #: its name or address, for people
    name: str
    #: number of workers; None: as many as suit what the host finds there
    workers: int | None = None
    #: it was announced that the machine is about to be taken away: nothing is to begin there
    is_leaving: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLook:
    """What was found on a node that may have a host."""

    #: its name or address, for people
    name: str
    #: what must agree with the study's: name -> version
    versions: Mapping[str, str]
    #: of its workers
    environment: Mapping[str, str]
    #: why nothing can be said of it; empty: something can
    problem: str = ""


class AbstractCluster(Protocol):
    """Where hosts come from. Its coroutines run on the control loop."""

    #: what may keep a host from starting, and what to do then, for people
    start_hint: str = ""

    async def connect(self) -> None:
        """Reach the cluster, if that is not done already.

        Raises:
          EngineError: says why it cannot be reached, and what to do.
        """

    async def nodes(self) -> list[ClusterNode]:
        """Return the nodes that are there now and may have a host each, always in the same order.

        Raises:
          EngineError: none ever will, as hosts are asked for; says which would.
        """

    async def free(self, nodes: list[ClusterNode]) -> list[ClusterNode]:
        """Return those of them that have what a host would ask for; others would keep it waiting."""
        return nodes

    async def ask_for(self, slots: int, *, most_nodes: int | None) -> None:
        """Hear that so many more slots would have work than its nodes can have; a cluster that can may grow.

        Args:
          most_nodes: more of them than these, all in all, are of no use; None: there is no such limit.
        """

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: str | AbstractCheckpointStore) -> HostHandle:
        """Begin to start a host there; its first call waits until it is up."""

    def refuse(self, node: ClusterNode, reason: str) -> bool:
        """Do without a node whose hosts are of no use; False: all nodes are alike, and none would be of more use."""
        return False

    def describe_environment(self) -> Mapping[str, str]:
        """Return the environment of the workers of a node; from any thread, and may take seconds."""

    def describe_nodes(self) -> list[NodeLook]:
        """Return what is on each node, in the order of `nodes`; from any thread, and may take seconds.

        Raises:
          EngineError: the cluster cannot be reached, or no node of it can be used.
        """
        return []

    def disconnect(self) -> None:
        """Let the cluster go; it may be connected again. No thread can be asked for help when the process ends."""


class ClusterHosts(LinkOwner):
    """Hosts on the nodes of a cluster, as long as they are wanted.

    Args:
      cluster: where they come from.
      most_nodes: how many nodes are used at most; None: all.
      idle_release_s: a host that had nothing to do for so long is closed, if the others suffice; None: never.
      checkpoints: where the study keeps its states.
      emit: takes events of hosts, and about them.
      welcome: is handed each host that has come.
    """

    def __init__(
        self,
        cluster: AbstractCluster,
        *,
        most_nodes: int | None,
        idle_release_s: float | None,
        checkpoints: str | AbstractCheckpointStore,
        emit: Emit,
        welcome: Callable[[HostLink], None],
    ) -> None:
        self._cluster = cluster
        self._most_nodes = most_nodes
        self._idle_release_s = idle_release_s
        self._checkpoints = checkpoints
        self._emit = emit
        self._welcome = welcome
        #: those that listen, by name
        self._links: dict[str, HostLink] = {}
        self._book = HostBook()
        self._names = (f"host-{number}" for number in itertools.count(1))
        self._tasks: set[asyncio.Task[None]] = set()
        self._probe: StateProbe | None = None
        #: whether any host ever came
        self._has_come = False
        #: set when a host is lost, or more are wanted at last: nodes are looked at again at once
        self._look_now = asyncio.Event()
        #: whether there were enough hosts when nodes were looked at, or slots were wanted, the last time
        self._has_sufficed = True
        self.is_open = False

    def __iter__(self) -> Iterator[HostLink]:
        return iter(list(self._links.values()))

    def of(self, slot: SlotId) -> HostLink | None:
        """Return the host of a slot; None if the slot is gone."""
        link = self._links.get(slot.partition("/")[0])
        return link if link is not None and slot in link.slots else None

    def open(self) -> None:
        """Have a host on each node from now on."""
        self.is_open = True
        self._begin(self._keep_hosts())

    def want(self, slots: int | None) -> None:
        """Have as many hosts as so many slots need, if there are nodes; hosts that have nothing to do go later."""
        self._book.wanted = slots
        suffices = self._book.suffices(self._links, asyncio.get_running_loop().time())
        # while there is more work than slots, which is so as a rule, it would be so with each turn of the loop
        if self._has_sufficed and not suffices:
            self._look_now.set()
        self._has_sufficed = suffices

    async def close(self, *, timeout_s: float) -> None:
        """Close all hosts, and let the cluster go."""
        self.is_open = False
        for task in self._tasks:
            task.cancel()
        closing = (link.close(timeout_s=timeout_s) for link in self._links.values())
        await asyncio.gather(*self._tasks, *closing, return_exceptions=True)
        self._forget_hosts()
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.remove()
            self._cluster.disconnect()

    # ------------------------------------------------------------------------------------------- hosts come

    async def _keep_hosts(self) -> None:
        """Have a host on each node, as long as the engine is open."""
        try:
            if self._probe is None:
                probe = StateProbe(self._checkpoints)
                await asyncio.to_thread(probe.write)
                self._probe = probe
            await self._cluster.connect()
            while True:
                nodes = await self._cluster.nodes()
                # Where no more are allowed, a host that waited for what others use would have to be waited for.
                free = nodes if self._most_nodes is None else await self._cluster.free(nodes)
                self._open_hosts(nodes, free)
                now = asyncio.get_running_loop().time()
                if self._book.without_room_s(has_room=bool(free) or not nodes, now=now) > _SAY_WAITING_S:
                    tell_once(("hosts", "no room"), f"no node has room for a host. {self._cluster.start_hint}".rstrip())
                self._release({node.id for node in nodes if node.is_leaving})
                staying = sum(node.workers or 1 for node in nodes if not node.is_leaving)
                missing = max(0, (self._book.wanted or 0) - staying)
                await self._cluster.ask_for(missing, most_nodes=self._most_nodes)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._look_now.wait(), _LOOK_FOR_NODES_S)
                self._look_now.clear()
        except (HippoError, OSError) as error:
            self._fail(str(error))
        except RuntimeError as error:
            if "after shutdown" not in str(error):  # else the process ends, and no thread can be had any more
                self._fail(f"{type(error).__name__}: {error}")

    def _open_hosts(self, nodes: list[ClusterNode], free: Collection[ClusterNode]) -> None:
        book, now = self._book, asyncio.get_running_loop().time()
        nodes = [node for node in nodes if book.is_usable(node.id) or not self._refuses(node, book.why(node.id))]
        usable = [node for node in nodes if book.is_usable(node.id)]
        if nodes and not usable and not book:
            raise EngineError(f"{MOST_FAILED_STARTS} hosts in a row were of no use. The last one: {book.why_failed}")
        for node in usable:
            has_room = self._most_nodes is None or (len(book) < self._most_nodes and node in free)
            if has_room and not node.is_leaving and not book.has_on(node.id) and not book.suffices(self._links, now):
                name = next(self._names)
                book.begin(name, node=node.id, slots=node.workers or 1, now=now)
                self._begin(self._open_host(node, name))
        self._has_sufficed = book.suffices(self._links, now)

    async def _open_host(self, node: ClusterNode, name: str) -> None:
        assert self._probe is not None, "hosts come when there is something that they can look for"
        handle = self._cluster.open_host(node, name=name, checkpoints=self._checkpoints)
        link = HostLink(name, node=node.name, handle=handle, owner=self)
        asyncio.get_running_loop().call_later(_SAY_WAITING_S, self._say_waiting, node, name)
        try:
            first = {} if self._has_come else {"first": "yes"}
            welcome = await link.greet({**versions(), "probe": self._probe.key, **first})
            problem = welcome.get("problem") or await asyncio.to_thread(self._probe.take_answer, welcome)
        except asyncio.CancelledError:
            link.dispose()
            raise
        except Exception as error:
            link.dispose()
            self._book.fail(name, f"the host on node {node.name} did not start: {error}")
            self._look_now.set()
            return
        if problem:
            link.dispose()
            if self._refuses(node, problem):
                self._book.end(name)
                self._look_now.set()
            else:
                self._fail(problem)
            return
        self._has_come = True
        self._links[name] = link
        link.listen()
        self._welcome(link)

    def _refuses(self, node: ClusterNode, reason: str) -> bool:
        """Tell whether the others can go on without a node that is of no use."""
        is_refused = self._cluster.refuse(node, reason)
        if is_refused:
            warn(f"node {node.name} is left out: {reason}")
        return is_refused

    def _release(self, leaving: Collection[str]) -> None:
        """Close hosts that have had nothing to do for a while, as long as those that stay suffice; and empty others.

        Args:
          leaving: nodes that are about to be taken away.
        """
        now = asyncio.get_running_loop().time()
        idle_since_s = -math.inf if self._idle_release_s is None else now - self._idle_release_s
        for link in sorted(self._links.values(), key=lambda link: link.last_busy_s):
            if self._book.node_of(link.name) in leaving:
                self._book.leave(link.name)
                link.leave()
                is_over, reason = not link.busy, f"node {link.node} is about to be taken away"
            else:
                is_over = not link.busy and link.last_busy_s <= idle_since_s
                is_over = is_over and self._book.suffices(self._links, now, without=link.name)
                reason = "its host had nothing to do"
            if is_over:
                link.dispose()
                self._lose_slots(link, reason, announced=True)
                self._book.end(link.name)

    def _say_waiting(self, node: ClusterNode, name: str) -> None:
        if name in self._book and name not in self._links:
            said = f"node {node.name} has not started its host after {_SAY_WAITING_S:.0f} s. {self._cluster.start_hint}"
            warn(said.rstrip())

    # ------------------------------------------------------------------------------------------- and go

    @property
    def pace(self) -> HostPace:
        return HostPace.of(len(self._links))

    def on_host_event(self, link: HostLink, event: EngineEvent) -> None:
        if isinstance(event, EngineFailed):
            self._give_up_host(link, event.reason)
            return
        if isinstance(event, SlotOpened):
            self._book.note_open(link.name, len(link.slots))
        self._emit(event)

    def on_host_lost(self, link: HostLink, reason: str) -> None:
        self._lose_slots(link, f"node {link.node}: {reason}", announced=link.is_leaving)
        if link.is_leaving:
            self._book.end(link.name)
        else:
            self._book.fail(link.name, reason)
        self._look_now.set()

    def _lose_slots(self, link: HostLink, reason: str, *, announced: bool = False) -> None:
        del self._links[link.name]
        for slot in list(link.slots):
            self._emit(SlotLost(slot=slot, reason=reason, announced=announced))
        link.slots.clear()

    def _give_up_host(self, link: HostLink, reason: str) -> None:
        """Go on without a host that cannot have workers, if there are others."""
        link.dispose()
        self._lose_slots(link, f"node {link.node}: {reason}")
        self._book.fail(link.name, reason, is_hopeless=True)
        self._look_now.set()
        if self._links:
            warn(f"a node is left out: {reason}")

    def _fail(self, reason: str) -> None:
        """The engine cannot go on: leave nothing, and say so; the next workload opens hosts again."""
        self.is_open = False
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        self._forget_hosts()
        self._emit(EngineFailed(reason=reason))

    def _forget_hosts(self) -> None:
        for link in self._links.values():
            link.dispose()
        self._links.clear()
        self._book.clear()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        # of nobody's context: what a tuner's call begins is counted as what it waits for
        task = asyncio.get_running_loop().create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
