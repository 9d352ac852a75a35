"""A node of a Ray cluster that is lost takes its slots along, and a node that joins is used."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.events import SlotLeaving, SlotLost, SlotOpened, StepDone
from hippo.testing.control_loop import ControlLoop, open_slots
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import only, toy
from hippo.training.process.environment import versions

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cluster(ray_nodes: Callable[..., AbstractContextManager[Any]]) -> Iterator[Any]:
    with ray_nodes(num_cpus=1) as cluster:
        yield cluster


@pytest.fixture
def nodes(cluster: Any) -> Iterator[Any]:
    """A Ray cluster of a head without CPUs for us, and of two nodes with one each; both may be lost."""
    yield cluster
    for node in set(cluster.worker_nodes) - set(cluster.workers):
        cluster.remove_node(node)
    cluster.workers += [add_node(cluster) for _ in range(2 - len(cluster.workers))]
    cluster.wait_for_nodes()


def add_node(cluster: Any, **resources: Any) -> Any:
    return cluster.add_node(**{"num_cpus": 1, "object_store_memory": 100 * 1024**2, **resources})


def test_a_node_whose_raylet_is_killed_loses_its_slots_and_another_one_that_joins_is_used(
    nodes: Any, tmp_path: Path
) -> None:
    with ControlLoop(hippo.RayEngine(), str(tmp_path)) as loop:
        loop.open_workload(toy())
        slots = loop.wait_for_slots(2)
        assert len({slot.partition("/")[0] for slot in slots}) == 2
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
        nodes.workers.pop(0).kill_raylet()
        loop.serve_until(lambda events: only(SlotLost, events))
        (lost,) = only(SlotLost, loop.events)
        assert re.search("its host (is gone|does not answer)", lost.reason)
        nodes.workers.append(add_node(nodes))
        loop.serve_until(lambda events: len(open_slots(events)) == 2)
        assert only(StepDone, loop.run(toy().workload, lane(stage(2, 0, 1))))


def test_a_node_whose_end_was_announced_is_emptied_before_and_is_no_longer_used(nodes: Any, tmp_path: Path) -> None:
    with ControlLoop(hippo.RayEngine(), str(tmp_path)) as loop:
        loop.open_workload(toy())
        loop.wait_for_slots(2)
        drain(nodes.workers.pop(0).node_id)
        loop.serve_until(lambda events: only(SlotLost, events))
        (leaving,) = only(SlotLeaving, loop.events)
        (lost,) = only(SlotLost, loop.events)
        assert (lost.slot, lost.announced) == (leaving.slot, True)
        assert "is about to be taken away" in lost.reason
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
        assert len(open_slots(loop.events)) == 1


def drain(node: str) -> None:
    """Announce what a provider announces when it takes a machine back."""
    from ray._raylet import GcsClient
    from ray.core.generated import autoscaler_pb2

    reason = autoscaler_pb2.DrainNodeReason.Value("DRAIN_NODE_REASON_PREEMPTION")
    client = GcsClient(address=ray.get_runtime_context().gcs_address)
    accepted, why = client.drain_node(node, reason, "taken back", round(1000 * (time.time() + 120)))
    assert accepted, why


def test_each_node_says_what_is_on_it_though_others_have_taken_its_cpus(nodes: Any) -> None:
    @ray.remote(num_cpus=1)
    class Busy:
        def ready(self) -> bool:
            return True

    busy = [Busy.remote() for _ in range(2)]
    assert ray.get([each.ready.remote() for each in busy]) == [True, True]
    looks = hippo.RayEngine().describe_nodes()
    assert [look.problem for look in looks] == ["", ""]
    assert hippo.RayEngine().foretell_environment() == looks[0].environment == hippo.LocalEngine(1).environment()
    assert {look.environment["torch"] for look in looks} == {hippo.LocalEngine(1).environment()["torch"]}
    assert [look.versions for look in looks] == [versions(), versions()]


def test_one_node_of_several_is_one_that_others_do_not_use(nodes: Any, tmp_path: Path) -> None:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    first, second = sorted(node.node_id for node in nodes.workers)

    @ray.remote(num_cpus=1, scheduling_strategy=NodeAffinitySchedulingStrategy(first, soft=False))
    class Busy:
        def ready(self) -> bool:
            return True

    busy = Busy.remote()
    assert ray.get(busy.ready.remote())
    with ControlLoop(hippo.RayEngine(most_nodes=1), str(tmp_path)) as loop:
        loop.open_workload(toy())
        loop.wait_for_slots(1)
        (link,) = loop.engine._hosts
        assert loop.engine._hosts._book.node_of(link.name) == second


def test_several_workers_share_a_device_where_more_are_asked_for_than_there_are(nodes: Any, tmp_path: Path) -> None:
    add_node(nodes, num_cpus=3, num_gpus=1, resources={"devices": 1})  # or so it says
    nodes.wait_for_nodes()
    with ControlLoop(hippo.RayEngine(workers_per_node=3, resources={"devices": 1}), str(tmp_path)) as loop:
        loop.open_workload(toy())
        slots = loop.wait_for_slots(3)
        opened = only(SlotOpened, loop.events)
        assert loop.engine.foretell_environment() == opened[0].environment  # though Ray hides devices from who looks
        assert {(slot.environment["device"], slot.devices) for slot in opened} == {("unknown GPU", 1)}
        assert len({slot.partition("/")[0] for slot in slots}) == 1
        assert ray.available_resources().get("GPU", 0) == 0  # it is theirs as long as they are there
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
