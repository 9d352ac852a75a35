"""A worker on its own, without a launcher."""

from __future__ import annotations

import fcntl
import resource
import socket
from collections.abc import Iterator

import pytest

from hippo.engines.wire import ForkWorker, LauncherSetup, pack
from hippo.engines.worker import Worker
from hippo.records import LeaseId, SlotId, Stop
from hippo.testing.residents_contract import toy
from hippo.training.trainers import Trainers


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip(f"a process may have {hard} files open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_worker_hears_through_a_descriptor_that_select_refuses(many_files: None) -> None:
    ours, theirs = socket.socketpair()
    with ours, socket.socket(fileno=fcntl.fcntl(theirs.detach(), fcntl.F_DUPFD, 1100)) as connection:
        worker = Worker(
            connection, ForkWorker(number=1, slot=SlotId("slot-0"), device=None), trainers=Trainers(),
            setup=LauncherSetup(spec=toy(), checkpoints="memory://", threads=1, resident_bytes=0),
        )  # fmt: skip
        assert worker.wait(0.001) == []
        ours.sendall(pack(Stop(lease=LeaseId(1))))
        assert worker.wait(60) == [Stop(lease=LeaseId(1))]
