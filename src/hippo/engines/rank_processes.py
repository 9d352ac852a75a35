"""The processes that a worker starts to compute batches together with it: forked first of all, and tied to it.

They are in the worker's process group, so that whoever kills the worker kills them. Where the worker ends by itself,
the kernel ends them (Linux), and its end of their connection closes. Where one of them ends, the worker ends, too: what
it has under way cannot be finished, and the study gives it to another worker. This module refuses to know what ranks
compute.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import NoReturn

from hippo.engines.lifeline import die_with_parent, follow_line
from hippo.engines.wire import LauncherSetup
from hippo.training.process.environment import pin
from hippo.training.trainers import Trainers


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedPeer:
    """One of them."""

    rank: int
    pid: int
    connection: Connection


def start_peers(
    setup: LauncherSetup, device: str | None, *, trainers: Trainers, connection: socket.socket, line: int
) -> tuple[str | None, list[StartedPeer]]:
    """Fork the peers of a worker, which is this process; return its own device, and them.

    Args:
      device: the devices of all ranks, as CUDA_VISIBLE_DEVICES names them.
      connection: of the worker to the study, which is no business of theirs.
      line: the study's life line.
    """
    _stay_on_this_node()  # before anything of the user's runs, whose change of the environment it would seem
    devices = [None] * setup.ranks if device is None else device.split(",")
    started: list[StartedPeer] = []
    for rank in range(1, setup.ranks):
        here, there = socket.socketpair()
        worker = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with_parent(parent=worker)
            here.close()
            connection.close()
            for earlier in started:  # else that one would not notice when the worker is gone
                earlier.connection.close()
            _be_peer(there, setup, devices[rank], rank=rank, trainers=trainers, line=line)
        there.close()
        started.append(StartedPeer(rank=rank, pid=pid, connection=Connection(here.detach())))
    return devices[0], started


def _stay_on_this_node() -> None:
    """Have ranks talk over the loopback device: a machine's name need not lead anywhere."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")


def watch_peers(peers: Sequence[StartedPeer], *, on_end: Callable[[str], None]) -> None:
    """Wait for the end of each peer, in threads, and tell how it ended."""
    for peer in peers:
        threading.Thread(target=_wait_for, args=(peer, on_end), name=f"hippo-rank-{peer.rank}", daemon=True).start()


def _wait_for(peer: StartedPeer, on_end: Callable[[str], None]) -> None:
    how = "ended"
    with contextlib.suppress(ChildProcessError):
        code = os.waitstatus_to_exitcode(os.waitpid(peer.pid, 0)[1])
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    on_end(f"its rank {peer.rank} (pid {peer.pid}) {how}")


def _be_peer(
    there: socket.socket, setup: LauncherSetup, device: str | None, *, rank: int, trainers: Trainers, line: int
) -> NoReturn:
    code = 1
    try:
        follow_line(line)
        if device is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = device  # in time: nothing has touched CUDA yet
        pin(setup.threads)
        worker = Connection(there.detach())
        worker.poll(None)
        from hippo.training.sharding.peer import Peer  # not before it is needed: it needs torch, as nobody else here

        Peer(worker, rank=rank, ranks=setup.ranks, trainers=trainers).run()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:  # leave without what the launcher's own end would do
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
