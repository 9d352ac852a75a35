"""All transports keep their contract."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

from hippo.ps.shared_memory import SharedMemoryTransport
from hippo.ps.transport import AbstractTransport, InProcessTransport
from hippo.testing.ps_trainers import NoisyServer
from hippo.testing.transport_contract import TransportContract

from .apart import ApartTransport


class TestInProcess(TransportContract):
    has_processes = False

    def make_transport(self) -> AbstractTransport:
        return InProcessTransport()


class TestMemoryApart(TransportContract):
    has_processes = False

    def make_transport(self) -> AbstractTransport:
        return ApartTransport()


class OfOneProcess:
    """Part of a cycle, and notes the process in which it is collected."""

    def __init__(self, noted: Path) -> None:
        self.noted, self.itself = noted, self

    def __del__(self) -> None:
        with self.noted.open("a") as file:
            file.write(f"{os.getpid()}\n")


class CollectingServer(NoisyServer):
    """Its workers collect their garbage."""

    def gradients(self, tables: Any, share: Any) -> Any:
        assert gc.isenabled()
        gc.collect()
        return super().gradients(tables, share)


class TestSharedMemory(TransportContract):
    def make_transport(self) -> AbstractTransport:
        return SharedMemoryTransport()

    def test_what_is_garbage_here_is_collected_by_no_worker(
        self, tmp_path: Path, without_garbage_collection: None
    ) -> None:
        OfOneProcess(tmp_path / "noted")
        gang = self.make_gang(CollectingServer())
        gang.run(self.run_of(self.filled(gang)))
        gang.close()
        gc.collect()
        assert (tmp_path / "noted").read_text().split() == [str(os.getpid())]


class BroadcastingTransport(SharedMemoryTransport):
    """As if the memory were on other machines: forks are operations of the owners."""

    is_memory_here = False


class TestSharedMemoryOfOwners(TransportContract):
    def make_transport(self) -> AbstractTransport:
        return BroadcastingTransport()
