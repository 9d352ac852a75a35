"""All transports keep their contract."""

from __future__ import annotations

from hippo.ps.shared_memory import SharedMemoryTransport
from hippo.ps.transport import AbstractTransport, InProcessTransport
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


class TestSharedMemory(TransportContract):
    def make_transport(self) -> AbstractTransport:
        return SharedMemoryTransport()


class BroadcastingTransport(SharedMemoryTransport):
    """As if the memory were on other machines: forks are operations of the owners."""

    is_memory_here = False


class TestSharedMemoryOfOwners(TransportContract):
    def make_transport(self) -> AbstractTransport:
        return BroadcastingTransport()
