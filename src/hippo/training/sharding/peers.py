"""The peers of a worker, as it sees them: processes that compute some of the shards of each of its batches.

They keep no state: for each batch they are given parameters, buffers and values. So only the worker has a training
state, walks lanes, evaluates and saves, and no two processes can come to differ. It refuses to know who started them.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import TrainerError
from hippo.training.sharding.messages import BeginStep, Begun, ComputeShards, ShardFailed, TellFailure

if TYPE_CHECKING:
    from hippo.records import TrainerSpec
    from hippo.training.sharding.gloo import RankLink
    from hippo.training.sharding.summing import ShardSum


#: who watches the ranks ends this process at once; this is for where nobody does
_SAID_BY_THEN_S = 5.0


class PeerConnection(Protocol):
    """What a `multiprocessing.connection.Connection` can do."""

    def send_bytes(self, data: bytes) -> None:
        """Send a message."""

    def recv_bytes(self) -> bytes:
        """Wait for one."""


class Peers:
    """The other ranks.

    Args:
      connections: to rank 1, 2, ...
      is_world: batches of trainers without shards are cut into one shard for each rank.
    """

    def __init__(self, connections: Sequence[PeerConnection], *, is_world: bool) -> None:
        self._connections = connections
        self.ranks = len(connections) + 1
        self.is_world = is_world
        #: of the assignment under way
        self.spec: TrainerSpec | None = None
        self._link: RankLink | None = None
        self._rendezvous = ""
        self._numbers = 0
        self._gone: list[int] = []
        #: whether each has still to answer what it was asked
        self._owe_answers = False

    def new_number(self) -> int:
        """Return a number for a trainer that was just built."""
        self._numbers += 1
        return self._numbers

    def forget(self, number: int) -> None:
        """Have peers let go of a trainer, when they are next told anything."""
        self._gone.append(number)

    def begin(
        self, number: int, built: Any, values: Any, step: int, signature: tuple[Any, ...], tables: Sequence[Any]
    ) -> None:
        """Bring the peers' copies of a trainer to where they can compute a step's shards.

        Args:
          signature: of the model here, from which theirs may not differ.
          tables: of the model here; of those that differ there, each process has its own.

        Raises:
          TrainerError: what was built there is of other shapes, or this torch has no way to the peers.
          Exception: what the user's code raised there.
        """
        assert self.spec is not None, "peers are asked within an assignment only"
        is_first = self._link is None
        if is_first:
            from hippo.training.sharding.gloo import RankLink, require_gloo

            require_gloo()  # before anybody is told of it, and would wait
            self._rendezvous = os.path.join(tempfile.mkdtemp(prefix="hippo-ranks-"), "store")
        gone, self._gone = tuple(self._gone), []
        message = BeginStep(
            number=number,
            spec=self.spec,
            built=dict(built),
            values=dict(values),
            step=step,
            rendezvous=self._rendezvous,
            gone=gone,
            tables=tables,
        )
        self._tell(message)
        if is_first:
            with _all_or_nobody():
                self._link = RankLink(0, self.ranks, self._rendezvous)
        answers: list[Begun] = [self._hear(each) for each in self._connections]
        if is_first:  # not before all have answered: who meets later than this rank still reads there
            shutil.rmtree(os.path.dirname(self._rendezvous), ignore_errors=True)
        for rank, answer in enumerate(answers, 1):
            raise_failure_of(answer.failed, rank)
            if answer.signature != signature:
                raise TrainerError(
                    f"the model that rank {rank} made has other tensors than rank 0's: {_difference(signature, answer)}"
                    ". make_model() and setup(hp) must depend on values, the seed and the trainer's arguments alone."
                )

    def start(self, messages: Sequence[ComputeShards], tensors: Sequence[Any]) -> None:
        """Have peers compute shards; the message of each is for that rank.

        Args:
          tensors: the model's, which they are given.
        """
        data = [pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL) for message in messages]
        with _all_or_nobody():
            for connection, message in zip(self._connections, data, strict=True):
                _send(connection, message)
            self._way.share(tensors)

    def add_up(self, total: ShardSum) -> None:
        """Add to what this process's shards come to what the peers' do."""
        with _all_or_nobody():
            self._way.add_up(total)

    def raise_failure(self) -> None:
        """Raise what failed at the lowest rank, if anything did.

        Raises:
          Exception: what the user's code raised there.
        """
        self._tell(TellFailure())
        for rank, failed in enumerate([self._hear(each) for each in self._connections], 1):
            raise_failure_of(failed, rank)

    def ask(self, messages: Sequence[bytes]) -> None:
        """Send each peer a message that it answers; what it has not been heard about before is let go."""
        if self._owe_answers:
            self.hear()
        for connection, message in zip(self._connections, messages, strict=True):
            _send(connection, message)
        self._owe_answers = True

    def hear(self) -> list[Any]:
        """Return what each peer answers to what it was asked."""
        self._owe_answers = False
        return [self._hear(each) for each in self._connections]

    @property
    def _way(self) -> RankLink:
        """The way of tensors."""
        assert self._link is not None, "a step begins first"
        return self._link

    def _tell(self, message: object) -> None:
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        for each in self._connections:
            _send(each, data)

    def _hear(self, connection: PeerConnection) -> Any:
        try:
            data = connection.recv_bytes()
        except (EOFError, OSError):
            raise _gone() from None
        return pickle.loads(data)


@contextmanager
def _all_or_nobody() -> Iterator[None]:
    """End this process, and the peers with it, where it fails in the middle of what all do at once.

    They would wait for what it does not send any more, or take what it sends next for that.
    """
    try:
        yield
    except Exception as error:  # memory, mostly: there are copies of all parameters
        raise SystemExit(f"in the middle of what all its ranks do, which cannot go on: {error!r}") from error


def _send(connection: PeerConnection, data: bytes) -> None:
    try:
        connection.send_bytes(data)
    except OSError:
        raise _gone() from None


def _gone() -> SystemExit:
    """Return what ends a process that has lost a rank, once who watches them has had the time to say how that ended."""
    threading.Event().wait(_SAID_BY_THEN_S)
    return SystemExit("one of its ranks has ended")


def raise_failure_of(failed: ShardFailed | None, rank: int) -> None:
    """Raise what failed at a rank, if anything did.

    Raises:
      Exception: what the user's code raised there.
    """
    if failed is None:
        return
    error: Exception | None = None
    if failed.pickled is not None:
        error = pickle.loads(failed.pickled)
    if error is None:
        error = TrainerError(f"rank {rank} failed")
    error.add_note(f"raised in rank {rank}:\n{failed.traceback}")
    raise error


def _difference(signature: tuple[Any, ...], answer: Begun) -> str:
    mine, others = set(signature), set(answer.signature)
    return f"{sorted(others - mine)[:3]} where rank 0 has {sorted(mine - others)[:3]}"
