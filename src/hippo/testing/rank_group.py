"""Peers of this very process: real ones, forked from it, for tests of what ranks come to together."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NoReturn

from hippo.engines.lifeline import die_with_parent
from hippo.records import TrainerSpec
from hippo.training.sharding.here import peers_here, set_peers
from hippo.training.sharding.peers import Peers
from hippo.training.trainers import Trainers


@contextmanager
def forked_ranks(ranks: int, *, is_world: bool = False) -> Iterator[Peers | None]:
    """Fork processes that compute with this one where `among` says so; 1: there are none. They end with the block."""
    connections: list[Connection] = []
    children: list[int] = []
    for rank in range(1, ranks):
        here, there = socket.socketpair()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with_parent(parent=parent)
            here.close()
            for each in connections:
                each.close()
            _follow(Connection(there.detach()), rank=rank, ranks=ranks)
        there.close()
        connections.append(Connection(here.detach()))
        children.append(pid)
    try:
        yield Peers(connections, is_world=is_world) if ranks > 1 else None
    finally:
        for each in connections:
            each.close()
        for pid in children:
            os.kill(pid, signal.SIGKILL)  # as workers' ranks end: one that waits for another does not look up
            os.waitpid(pid, 0)


@contextmanager
def among(peers: Peers | None, spec: TrainerSpec) -> Iterator[None]:
    """Train `spec` together with these in the block."""
    before = peers_here()
    if peers is not None:
        peers.spec = replace(spec, workload=repr(spec))  # as studies do: one name, one trainer
    set_peers(peers)
    try:
        yield
    finally:
        set_peers(before)


def _follow(connection: Connection, *, rank: int, ranks: int) -> NoReturn:
    from hippo.training.sharding.peer import Peer

    try:
        Peer(connection, rank=rank, ranks=ranks, trainers=Trainers()).run()
    finally:
        os._exit(0)
