"""`RayEngine` keeps the contract of engines on a Ray cluster of one machine, and refuses what it cannot use."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

import hippo
from hippo.engines.hosted import HostedEngine
from hippo.engines.ray_cluster import RayCluster
from hippo.testing.engine_contract import EngineContract
from hippo.testing.trainers import ToyTrainer
from hippo.training.codec import encode

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray cluster on this machine, to which this process is connected."""
    ray.init(
        address="local",
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=200 * 1024**2,
    )
    yield
    ray.shutdown()


def toy_bytes() -> int:
    """Return what a state of a `ToyTrainer` takes of a slot's memory."""
    trainer = ToyTrainer()
    trainer.build()
    return encode(trainer.state_dict()).size_bytes


@pytest.mark.usefixtures("cluster")
class TestRayEngine(EngineContract):
    def make_engine(self) -> HostedEngine:
        return hippo.RayEngine(workers_per_node=2)

    def make_small_engine(self) -> HostedEngine:
        cluster = RayCluster(
            workers_per_node=2,
            threads=1,
            devices_per_slot=1,
            resources={},
            address=None,
            resident_bytes=2 * toy_bytes(),
        )
        return HostedEngine(cluster)
