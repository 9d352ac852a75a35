"""Hosts in this process keep the contract of engines, and are lost, repeated and refused as those of a cluster."""

from __future__ import annotations

import pytest

from hippo.engines.hosted import HostedEngine
from hippo.engines.hosts_here import LocalCluster
from hippo.testing.engine_contract import EngineContract
from hippo.testing.trainers import ToyTrainer
from hippo.training.codec import encode


def toy_bytes() -> int:
    """Return what a state of a `ToyTrainer` takes of a slot's memory."""
    trainer = ToyTrainer()
    trainer.build()
    return encode(trainer.state_dict()).size_bytes


@pytest.mark.slow
class TestOneHost(EngineContract):
    def make_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2))

    def make_small_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2, resident_bytes=2 * toy_bytes()))


@pytest.mark.slow
class TestTwoHosts(EngineContract):
    def make_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(2, workers=1))

    def make_small_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(2, workers=1, resident_bytes=2 * toy_bytes()))
