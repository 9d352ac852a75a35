"""The process group that torch knows, of all ranks of a worker, for as long as one trainer is divided among them.

`fully_shard` wants the default group. It is there from a trainer's `build` to its `close` only: nothing else that this
process trains may find one, and wait for ranks that are elsewhere. Where one rank fails in the middle of what all do
together, it cuts its connections, so that the others fail, too, instead of waiting for it. (gloo itself has no way to
give up: its `abort` and `shutdown` leave the others waiting.) This module refuses to know what is sent.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from datetime import timedelta
from typing import Any

import torch
import torch.distributed

from hippo.errors import TrainerError
from hippo.training.elastic.asked_of_pieces import answer_for_wholes, number_handlers
from hippo.training.elastic.freed_memory import give_back_at_once
from hippo.training.sharding.gloo import require_gloo

#: never decides: the end of a process is noticed by who started it, and a step that hangs by the study's own limit
_PATIENCE = timedelta(days=7)
#: what errors of the transport name as their place
_TRANSPORT = "gloo/transport"


class _GroupKnown:
    """The group of this process that is ours."""

    group: RankGroup | None = None


_known = _GroupKnown()


class RankGroup:
    """All ranks, met: once it is made, all of them have made theirs.

    Args:
      rank: of this process; 0 is the worker.
      ranks: how many there are.
      rendezvous: a file in which they find each other, which does not exist before.

    Raises:
      SystemExit: they could not meet, and some may still wait. The worker and all its ranks have to end.
    """

    def __init__(self, rank: int, ranks: int, rendezvous: str) -> None:
        distributed: Any = torch.distributed  # whose stubs leave out most of it
        before = _open_sockets()
        try:
            require_distributed()
            require_no_group()
            store = distributed.FileStore(rendezvous, ranks)
            distributed.init_process_group("gloo", store=store, rank=rank, world_size=ranks, timeout=_PATIENCE)
            # Nobody goes on while others are still meeting: one that failed then would leave them waiting for it, and
            # numbers that torch gives to groups would differ from then on.
            distributed.barrier()
        except Exception as error:
            raise SystemExit(f"its ranks could not meet: {error}") from error
        _known.group = self
        give_back_at_once(True)
        answer_for_wholes(True)
        self.rank, self.ranks = rank, ranks
        self.mesh = distributed.device_mesh.init_device_mesh("cpu", (ranks,))
        self._sockets = {fd: inode for fd, inode in _open_sockets().items() if before.get(fd) != inode}

    def cut(self) -> None:
        """Have what the others wait for fail; nothing can be done together any more."""
        for fd, inode in self._sockets.items():
            if _open_sockets().get(fd) != inode:
                continue  # closed meanwhile
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(fd)) as connection:
                if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):  # gloo cannot bear that to end
                    connection.shutdown(socket.SHUT_RDWR)

    def leave(self) -> None:
        """Part."""
        if _known.group is self:
            _known.group = None
            give_back_at_once(False)
            answer_for_wholes(False)
            distributed: Any = torch.distributed
            distributed.destroy_process_group()


def leave_last() -> None:
    """Leave the group of a trainer that was never closed, since its build failed, if there is one."""
    if _known.group is not None:
        _known.group.leave()


def require_no_group() -> None:
    """Refuse a process that has a group already; one of a trainer that was never closed is left.

    Raises:
      TrainerError: says so.
    """
    leave_last()
    distributed: Any = torch.distributed
    if distributed.is_initialized():
        raise TrainerError(
            "numerics='elastic' needs the default process group of torch.distributed, and something in this "
            "process has made one already: leave init_process_group() out of the trainer and its modules"
        )


def require_distributed() -> None:
    """Refuse a torch by which no parameters can be divided.

    Raises:
      TrainerError: says what it lacks.
    """
    require_gloo()
    try:
        from torch.distributed.fsdp import fully_shard  # noqa: F401
    except ImportError as error:
        raise TrainerError(
            f"this torch has no torch.distributed.fsdp.fully_shard ({error}), which numerics='elastic' divides "
            "parameters by: use torch 2.6 or newer, or an engine without ranks="
        ) from None
    number_handlers()


def is_cut(error: BaseException) -> bool:
    """Tell whether an error says no more than that another rank has gone, or has failed and cut its connections."""
    return isinstance(error, RuntimeError) and _TRANSPORT in str(error)


def _open_sockets() -> dict[int, int]:
    """Return the sockets of this process, and what tells each from a later one of its number."""
    found = {}
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):
            status = os.fstat(int(name))
            if stat.S_ISSOCK(status.st_mode):
                found[int(name)] = status.st_ino
    return found
