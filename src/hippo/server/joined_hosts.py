"""A cluster of hosts that come by themselves: each joins a service from wherever it is, and is told what to run.

Nobody has to reach a host, so it may stand behind a firewall, in a job of a batch system, or in a rank of a large job:
it asks for calls and sends answers, both of which are numbered, so that either may be asked for, or sent, again. This
module refuses to know HTTP. What is said by hosts comes on the web front's loop, what is said to them from the control
loop's thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import re
import threading
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.engines.cluster_hosts import AbstractCluster, ClusterNode
from hippo.engines.host_link import HostHandle
from hippo.engines.hosts_here import LocalHost
from hippo.engines.node_host import HostSetup, environment_of_workers
from hippo.errors import EngineError, HostLeftError, HostLostError, RefusedError
from hippo.records import Assignment, TrainerSpec
from hippo.runtime.studies.warnings import warn
from hippo.server.host_wire import HostReader, call_to_json, texts_from_json, work_of
from hippo.server.served_calls import EventLog, UnknownCallError, call_on_web
from hippo.server.silence import Silence
from hippo.training.process.environment import versions

#: a host that neither asked nor answered for so long is lost; one that was not answered for so long gives its work up
SILENCE_S = 10.0
#: a host that waits for calls is answered after that, so that it knows that the service is there
PATIENCE_S = 5.0
#: what hosts may take to come to their step's end when the service ends
END_S = 15.0
#: after that it is said that work waits for hosts
_SAY_ALONE_S = 10.0
_ID = re.compile("[0-9a-f]{32}")
#: the node that the service itself is on
_HERE = "here"


@dataclass(slots=True, eq=False)
class _Call:
    method: str
    reader: HostReader
    answer: concurrent.futures.Future[Any] = field(default_factory=concurrent.futures.Future)


class JoinedNode:
    """A host's process that has joined. Made, and told things, on the web front's loop.

    Args:
      id: what it calls itself from now on; whoever knows it can speak in its name.
      name: of its machine, for people.
      workers: that it is going to have.
      environment: of these.
      silence: notices that it is not heard of any more.
    """

    def __init__(self, id: str, *, name: str, workers: int, environment: Mapping[str, str], silence: Silence) -> None:
        self.id, self.name, self.workers, self.environment = id, name, workers, environment
        self.silence = silence
        self.is_leaving = self.is_refused = False
        #: whether an engine made it a host of its own, and has not let it go
        self.has_host = False
        self._log = EventLog()
        self._web = asyncio.get_running_loop()
        #: guards what follows
        self._lock = threading.Lock()
        self._calls: dict[int, _Call] = {}
        self._number = 0
        #: raised by its calls, once it is gone
        self._gone: HostLostError | None = None

    # --- from the control loop's thread

    def begin(self, name: str, checkpoints: str | AbstractCheckpointStore) -> None:
        """Have it be a host of this name, and no other one any more."""
        with self._lock:
            self.has_host = True
            self._say("begin", name, checkpoints)

    def refuse(self, reason: str) -> None:
        """Have it end, and say why: it is of no use, and no host any more."""
        with self._lock:
            self.is_refused = True
            self._say("refuse", reason)

    def kill(self, reader: HostReader) -> None:
        """Have it be no host any more, and answer nothing that this reads."""
        with self._lock:
            self.has_host = False
            self._calls = {number: call for number, call in self._calls.items() if call.reader is not reader}
            self._say("kill")

    def call(self, method: str, reader: HostReader, *arguments: Any) -> concurrent.futures.Future[Any]:
        """Have it make a call, and return what holds its answer one day."""
        call = _Call(method, reader)
        with self._lock:
            if self._gone is not None:
                call.answer.set_exception(self._gone)
            else:
                self._calls[self._say(method, *arguments)] = call
        return call.answer

    def _say(self, method: str, *arguments: Any) -> int:
        self._number += 1
        said = [(self._number, call_to_json(self._number, method, arguments))]
        call_on_web(self._web, self._log.extend, said)
        return self._number

    # --- on the web front's loop

    async def wait(self, seen: int, wait_s: float) -> list[tuple[int, str]]:
        """Return the calls behind number `seen`, which was the last one that came to the host."""
        self._log.forget(seen)
        return await self._log.wait(seen, wait_s)

    def take_answer(self, number: int, *, result: Any = None, error: str | None = None) -> None:
        """Take in what came of a call; what was answered before is not heard again.

        Raises:
          RefusedError: it is no answer.
        """
        with self._lock:
            call = self._calls.pop(number, None)
        if call is None or not call.answer.set_running_or_notify_cancel():
            return
        if error is not None:
            call.answer.set_exception(EngineError(error[:2_000]))
            return
        try:
            call.answer.set_result(call.reader.read(call.method, result))
        except RefusedError as refused:
            call.answer.set_exception(HostLostError(str(refused)))
            raise

    def lose(self, error: HostLostError) -> None:
        """Have all its calls raise this, now and later."""
        with self._lock:
            self._gone, self.has_host = error, False
            calls, self._calls = self._calls, {}
        self.silence.end()
        self._log.end()
        for call in calls.values():
            if call.answer.set_running_or_notify_cancel():
                call.answer.set_exception(error)


class JoinedHost(HostHandle):
    """The study's handle of a host that has joined."""

    def __init__(self, node: JoinedNode, name: str, checkpoints: str | AbstractCheckpointStore) -> None:
        self._node = node
        self._reader = HostReader(name)
        self._node.begin(name, checkpoints)

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        match method, arguments:
            case "open_workload", (_, TrainerSpec(workload=workload)):
                self._reader.workloads.add(workload)
            case "submit", (_, Assignment() as assignment):
                self._reader.leases[assignment.lease] = work_of(assignment)
                self._reader.workloads.add(assignment.states_of)
        return asyncio.wrap_future(self._node.call(method, self._reader, *arguments))

    def kill(self) -> None:
        self._node.kill(self._reader)


class JoinedCluster(AbstractCluster):
    """The hosts that have joined a service, and workers beside it.

    Args:
      workers: beside the service; None: one for each device or core; 0: none.
      silence_s: a host that neither asked nor answered for so long is lost.
    """

    def __init__(self, *, workers: int | None, silence_s: float = SILENCE_S) -> None:
        self._silence_s = silence_s
        here = ClusterNode(id=_HERE, name="the service's", workers=workers)
        self._here = [] if workers == 0 else [here]
        self._lock = threading.Lock()
        self._joined: dict[str, JoinedNode] = {}
        #: those that the engine was told of last
        self._listed: dict[str, JoinedNode] = {}
        self._has_ended = False
        #: since when there has been work and no host, on the control loop's clock; None: there is
        self._alone_since_s: float | None = None
        self._has_said_alone = False

    # --- for hosts, on the web front's loop

    def join(self, asked: Mapping[str, Any]) -> JoinedNode:
        """Take a host in, or find it: what it asked may come twice.

        Raises:
          RefusedError: it does not say who it is, or is of another version.
        """
        id, name, workers = (asked.get(key) for key in ("host", "name", "workers"))
        there, theirs = texts_from_json(asked.get("environment")), texts_from_json(asked.get("versions"))
        if not isinstance(id, str) or not _ID.fullmatch(id) or type(workers) is not int or not 1 <= workers <= 10_000:
            raise RefusedError("a host that joins says host (32 digits of its choice), name and workers (a number)")
        if there is None or theirs is None:
            raise RefusedError("a host that joins says environment and versions, each of them text by name")
        for what, ours in versions().items():
            if (other := theirs.get(what, "none")) != ours:
                raise RefusedError(
                    f"the service runs {what} {ours}, and the host on {str(name)[:100]!r} {what} {other[:40]}: install "
                    "the same on both"
                )
        with self._lock:
            if self._has_ended:
                raise UnknownCallError("the service is about to end")
            if id not in self._joined:
                silence = Silence(self._silence_s, lambda: self._lose(id))
                self._joined[id] = JoinedNode(
                    id, name=str(name)[:100], workers=workers, environment=there, silence=silence
                )
            return self._joined[id]

    def joined(self, id: str) -> JoinedNode:
        """Return a host that has joined.

        Raises:
          UnknownCallError: there is none, or no more.
        """
        with self._lock:
            node = self._joined.get(id)
        if node is None:
            raise UnknownCallError("the service knows no such host (any more); it is to join again")
        return node

    def _lose(self, id: str) -> None:
        self.forget(id, HostLostError(f"it was not heard of for {self._silence_s:.0f} s"))

    def forget(self, id: str, error: HostLostError) -> None:
        """Have a host be gone; its calls raise this."""
        with self._lock:
            node = self._joined.pop(id, None)
        if node is not None:
            node.lose(error)

    # --- for the engine, on the control loop

    async def connect(self) -> None:
        """Hosts come by themselves."""

    async def nodes(self) -> list[ClusterNode]:
        with self._lock:
            self._listed = {id: node for id, node in self._joined.items() if not node.is_refused}
        return self._here + [
            ClusterNode(id=node.id, name=node.name, workers=node.workers, is_leaving=node.is_leaving)
            for node in self._listed.values()
        ]

    async def ask_for(self, slots: int, *, most_nodes: int | None) -> None:
        """Say so, once, where work waits for hosts and none come: nobody can be asked for them."""
        now_s = asyncio.get_running_loop().time()
        if not slots or self._here or self._listed:
            self._alone_since_s, self._has_said_alone = None, False
        elif self._alone_since_s is None:
            self._alone_since_s = now_s
        elif now_s - self._alone_since_s > _SAY_ALONE_S and not self._has_said_alone:
            self._has_said_alone = True
            warn("work waits, and no machine has joined this service: `hippo join URL` there has it trained")

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: str | AbstractCheckpointStore) -> HostHandle:
        if node.id == _HERE:
            return LocalHost(HostSetup(name=name, node=node.name, workers=node.workers, checkpoints=checkpoints))
        return JoinedHost(self._listed[node.id], name, checkpoints)  # calls of one that has gone meanwhile say so

    def refuse(self, node: ClusterNode, reason: str) -> bool:
        """Have one that has joined end: nobody knows how it is set up, and others' work is not to suffer for it."""
        joined = self._listed.get(node.id)
        if joined is not None:
            joined.refuse(reason)
        return joined is not None

    def describe_environment(self) -> Mapping[str, str]:
        with self._lock:
            joined = list(self._joined.values())
        return environment_of_workers(threads=1) if self._here or not joined else joined[0].environment

    def disconnect(self) -> None:
        """Hosts stay, and wait for work."""

    async def end(self) -> None:
        """Let all hosts go, and take none in any more: the service ends, and they are to look for the next one.

        What runs there comes to its step's end first, if that takes no more than some seconds. On the web front's loop,
        while it still answers them.
        """
        with self._lock:
            self._has_ended = True
            joined = list(self._joined.values())
        for node in joined:
            node.is_leaving = True
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + END_S
        while any(node.has_host for node in joined) and loop.time() < give_up_at:
            await asyncio.sleep(0.05)
        for node in joined:
            self.forget(node.id, HostLeftError("the service ended"))
