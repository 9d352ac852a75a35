"""A worker of a parameter server as an actor of Ray: what it is made of, and how it hears of others.

Its calls come in threads of their own, so that its shard answers while the worker computes. This module knows Ray by
what it is handed: handles of actors, and two functions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.errors import GangLostError, TrainerError
from hippo.ps.layout import BranchLayout
from hippo.ps.operations import ClocksDone, Report, RunClocks, pickled_report
from hippo.ps.remote_shards import ShardHost, ShardLink
from hippo.ps.rules import rule_named
from hippo.ps.shard import Rows
from hippo.records import TrainerSpec
from hippo.training.code.shipping import unship_instance
from hippo.training.process.environment import describe_environment, numerics, pin, pin_late_torch, versions
from hippo.training.process.late_imports import late_imports_noticed
from hippo.training.process.script_floats import floats_as
from hippo.training.process.streams import seed_library

#: how often a worker looks whether what it waits for is there though nobody told it: a word of others may be lost
_LOOK_S = 0.25
#: all steps are begun by one process, one after the other; who has not heard of one after so long never will
_BEGIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetup:
    """All that a worker needs to begin."""

    number: int
    spec: TrainerSpec
    layout: BranchLayout
    #: a name of `hippo.ps.rules`
    rule: str
    most_staleness: int
    #: of what must agree, where the trainer is
    versions: Mapping[str, str]
    #: which operations are allowed there: see `numerics`
    numerics: str


def versions_here() -> dict[str, str]:
    """Return what must agree among the trainer's process and those of its workers: name -> version."""
    found = describe_environment(1)
    return {**versions(), **{name: found[name] for name in ("numpy", "torch")}}


def processor_here() -> str:
    """Return which kind of processor this machine has: bits may depend on it."""
    return describe_environment(1)["device"]


class ActorLink(ShardLink):
    """The way to other workers: calls of their actors.

    Args:
      number: of this worker.
      peers: handles of all workers' actors.
      get: waits for what calls return.
    """

    def __init__(self, number: int, peers: Sequence[Any], get: Callable[[Any], Any]) -> None:
        self._number = number
        self._peers = peers
        self._get = get
        self._sent: list[Any] = []
        #: of the step under way; whoever is at another one does not listen
        self.step = 0

    def ask(self, owner: int, method: str, *arguments: Any) -> Any:
        return self._got(self._peers[owner].answer.remote(self.step, method, *arguments))

    def send(self, owner: int, method: str, *arguments: Any) -> None:
        self._sent.append(self._peers[owner].answer.remote(self.step, method, *arguments))

    def settle(self) -> None:
        sent, self._sent = self._sent, []
        self._got(sent)
        for number, peer in enumerate(self._peers):
            if number != self._number:
                peer.look.remote()

    def _got(self, sent: Any) -> Any:
        try:
            return self._get(sent)
        except Exception as error:  # whatever Ray says of an actor that is not there
            raise GangLostError(f"another worker of the parameter server cannot be reached: {error}") from error


class WorkerActor:
    """What an actor runs: one `ShardHost`. `run` has a thread of its own, and each call of others, too."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        #: of the step that has begun last
        self._step = 0
        #: of a step that is to be given up
        self._aborted = 0
        #: counts what may have brought what the worker waits for
        self._news = 0
        self._host: ShardHost | None = None
        self._link: ActorLink | None = None
        self._numerics = "exact"

    def open(self, setup: WorkerSetup, attributes: bytes, peers: Sequence[Any]) -> str:
        """Become a worker; return on which kind of processor.

        Args:
          setup: which.
          attributes: of the trainer, as `__init__` left them.
          peers: handles of all workers' actors, its own too.

        Raises:
          TrainerError: the trainer does not arrive here, or it is not the trainer that was sent.
        """
        import ray

        if setup.versions != versions_here():
            here, there = _shown(versions_here()), _shown(setup.versions)
            raise TrainerError(f"{here} are on this node, and {there} where the trainer is: use one of each")
        pin(1)  # as workers on one node, whose bits are to be the same
        self._numerics = setup.numerics
        trainer: Any = unship_instance(setup.spec, attributes)
        self._floats = floats_as(setup.spec.floats)
        self._floats.__enter__()  # for as long as this process is one
        self._link = ActorLink(setup.number, peers, ray.get)
        self._host = ShardHost(
            setup.number,
            trainer,
            setup.layout,
            rule_named(setup.rule),
            most_staleness=setup.most_staleness,
            lock=threading.Lock(),
            link=self._link,
        )
        return processor_here()

    def run(self, step: int, run: RunClocks, rows: Rows) -> tuple[bytes, Rows | None]:
        """Do a step; return the worker's report as a pickle, and its shard's rows if it was done."""
        assert self._host is not None, "it was opened"
        assert self._link is not None, "it was opened"
        self._link.step = step
        with self._changed:
            self._host.begin(run, rows)
            if self._aborted == step:
                self._host.abort()
            self._step = step
            self._changed.notify_all()
        with late_imports_noticed(_prepare_library), numerics(self._numerics):
            pin(1)  # once more: threads are a thread's own
            report = self._done(self._host)
        return pickled_report(report), self._host.rows() if isinstance(report, ClocksDone) else None

    def answer(self, step: int, method: str, *arguments: Any) -> Any:
        """Do for another worker what it asks of the shard.

        Raises:
          GangLostError: the step never begins here.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._step >= step, _BEGIN_S):
                raise GangLostError(f"step {step} did not begin here within {_BEGIN_S:.0f} s")
            if self._step > step:
                return None  # said in a step that was given up, and nobody waits for it
        answer = getattr(self._host, method)(*arguments)
        if method == "take":
            self.look()
        return answer

    def look(self) -> None:
        """Have the worker look whether what it waits for is there."""
        with self._changed:
            self._news += 1
            self._changed.notify_all()

    def abort(self, step: int) -> None:
        """Have the worker give up a step, whether or not it has begun here."""
        with self._changed:
            self._aborted = step
            if self._host is not None and self._step == step:
                self._host.abort()
        self.look()

    def _done(self, host: ShardHost) -> Report:
        work = host.work()
        try:
            is_there = next(work)
            while True:
                self._wait(is_there)
                is_there = next(work)
        except StopIteration as end:
            report: Report = end.value
            return report

    def _wait(self, is_there: Callable[[], bool]) -> None:
        while True:
            seen = self._news  # before it is looked: what comes meanwhile is looked at again
            if is_there():
                return
            with self._changed:
                self._changed.wait_for(lambda seen=seen: self._news != seen, _LOOK_S)  # type: ignore[misc]


def _prepare_library(name: str) -> None:
    """Bring a library that `gradients` has just imported to where it would be in a worker that was forked."""
    if name == "torch":
        pin_late_torch()
    seed_library(name)


def _shown(found: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {version}" for name, version in found.items())
