"""Machines that join a service: what they say is checked, and whatever ends, steps are trained as elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hippo
from hippo.cli.app import exit_code
from hippo.engines.host_events import EventBatch, HostPace
from hippo.engines.hosted import HostedEngine
from hippo.errors import HostLostError, RefusedError
from hippo.events import (
    AssignmentDone,
    BoundaryAnswered,
    Check,
    CheckpointWritten,
    EngineEvent,
    ExactnessChecked,
    SlotOpened,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
    StepsDone,
    TrainerUnusable,
)
from hippo.records import (
    Assignment,
    Boundary,
    CheckpointRef,
    Failure,
    Lane,
    LaneStage,
    LaneStart,
    LeaseId,
    NodeId,
    Point,
    SlotId,
)
from hippo.server.app import make_app
from hippo.server.guard import Guard
from hippo.server.host_wire import HostReader, LeaseWork, result_to_json, work_of
from hippo.server.joined_hosts import JoinedCluster, JoinedHost
from hippo.server.joining import Joining
from hippo.server.link import ServiceLink
from hippo.server.service import StudyService
from hippo.server.tokens import TokenFile
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.ports import free_port
from hippo.testing.study_results import outcomes
from hippo.training.process.environment import versions

from .conftest import wait_for

TOY = "hippo.testing.trainers:ToyTrainer"
GATED = "hippo.testing.gated_trainer:GatedTrainer"
#: what a host says that joins
ME = {"host": "0" * 32, "name": "far", "workers": 1, "environment": {}, "versions": versions()}
#: after that, hosts are lost where a test waits for it; a machine that is only busy may stand still for longer
SILENCE_S = 2.0

# ------------------------------------------------------------------------------------------------- what hosts say

KINDS: tuple[Any, ...] = get_args(EngineEvent)


def read_again(reader: HostReader, batch: EventBatch) -> Any:
    return reader.read("poll", json.loads(json.dumps(result_to_json(batch))))


def of_dicts(event: Any) -> Any:
    """Return an event as workers tell it: its mappings are dicts."""
    for each in dataclasses.fields(event):
        value = getattr(event, each.name)
        if isinstance(value, Mapping):
            setattr(event, each.name, dict(value))
        elif isinstance(value, tuple) and value and isinstance(value[0], Mapping):
            setattr(event, each.name, tuple(map(dict, value)))
    return event


def is_kept_by_databases(data: Any) -> bool:
    """Tell whether all texts and numbers of an event are such that each database keeps them."""
    if isinstance(data, dict):
        return all(map(is_kept_by_databases, (*data, *data.values())))
    if isinstance(data, list):
        return all(map(is_kept_by_databases, data))
    if isinstance(data, str):
        return "\0" not in data and data.isprintable()
    return not isinstance(data, int) or abs(data) < 2**63


def work_that_tells(event: Any) -> LeaseWork:
    """Return the work that an event may be told of; one whose fields no work has is made one of some."""
    if hasattr(event, "lane"):
        event.lane = 0
    if isinstance(getattr(event, "seconds", None), float):
        event.seconds = 1.0
    if isinstance(event, StepsDone):
        event.training = event.training or ({},)
        event.seconds = (1.0,) * len(event.training)
        event.last = event.first + len(event.training) - 1
        points = [(event.node, step) for step in (event.first, event.last)]
    elif isinstance(event, StageFailed):
        points = [(event.failure.node, event.failure.step)]
    elif isinstance(event, ExactnessChecked):
        points = list(event.steps)
    else:
        points = [(event.node, event.step)] if hasattr(event, "node") else []
    steps = {node: range(min(of := [s for n, s in points if n == node]), max(of) + 1) for node, _ in points}
    return LeaseWork(prefix="u/p1/e1-l1", walked=(steps,), steps=(steps,))


@given(st.one_of([st.from_type(kind).map(of_dicts) for kind in KINDS]))
def test_each_event_of_a_host_is_read_as_it_was_told(event: Any) -> None:
    reader = HostReader("host-1")
    if hasattr(event, "slot"):
        event.slot = SlotId(f"host-1/{event.slot}")
    if hasattr(event, "lease"):
        reader.leases[event.lease] = work_that_tells(event)
    if hasattr(event, "workload"):
        reader.workloads.add(event.workload)
    if isinstance(event, CheckpointWritten):
        event.checkpoint = dataclasses.replace(event.checkpoint, key="u/p1/e1-l1-n5-s20")
    batch = EventBatch(first=1, events=(event,), places={SlotId("host-1/1"): "here"})
    assume(is_kept_by_databases(result_to_json(batch)["events"]))
    assert repr(read_again(reader, batch)) == repr(batch)  # NaN is not equal to itself


def test_whole_numbers_among_metrics_stay_whole_on_their_way() -> None:
    reader = HostReader("host-1")
    reader.leases[LeaseId(1)] = WORK
    metrics = {"correct": 3, "loss": 3.0, "seen": 2**70 + 1}
    step = StepDone(lease=LeaseId(1), lane=0, node=NodeId(5), step=11, training=metrics, seconds=0.1)
    (told,) = read_again(reader, EventBatch(first=1, events=(step,))).events
    assert repr(told.training) == repr(metrics)  # 3 and 3.0 are two values for whoever compares evaluations


#: a lane that begins after step 10 of node 4, and walks node 5 up to step 20
WORK = work_of(
    Assignment(
        lease=LeaseId(1),
        prefix="u/p1/e1-l1",
        slot=SlotId("host-1/1"),
        workload="w",
        lanes=(
            Lane(
                begin=LaneStart(node=NodeId(4), step=10, checkpoint=None, pieces={}),
                stages=(LaneStage(node=NodeId(5), start=10, stop=20, pieces={}, boundary=Boundary()),),
            ),
        ),
    )
)
OPENED = SlotOpened(slot=SlotId("host-1/1"))


@pytest.mark.parametrize(
    "told",
    [
        result_to_json(EventBatch(first=1, events=(SlotOpened(slot=SlotId("host-2/1")),))),
        result_to_json(EventBatch(first=1, events=(SlotOpened(slot=SlotId("host-10/1")),))),
        result_to_json(EventBatch(first=1, events=(), places={SlotId("host-2/1"): "here"})),
        result_to_json(EventBatch(first=1, events=(AssignmentDone(lease=LeaseId(7), slot=SlotId("host-1/1")),))),
        result_to_json(EventBatch(first=1, events=(TrainerUnusable(workload="others", reason="so"),))),
        result_to_json(EventBatch(first=1, events=(StatesResident(slot=SlotId("host-1/1"), workload="others"),))),
        {**result_to_json(EventBatch(first=1, events=())), "events": [["HostSetup", {}]]},
        {**result_to_json(EventBatch(first=1, events=())), "events": [["SlotOpened", {"slot": 5}]]},
        {**result_to_json(EventBatch(first=1, events=())), "events": [["SlotOpened"]]},
        {**result_to_json(EventBatch(first=1, events=())), "events": "none"},
        {**result_to_json(EventBatch(first=1, events=())), "first": "1"},
        {**result_to_json(EventBatch(first=1, events=())), "places": [1]},
        {},
        None,
        "text",
    ],
)
def test_what_a_host_cannot_know_or_mean_is_refused(told: Any) -> None:
    reader = HostReader("host-1")
    reader.leases[LeaseId(1)] = WORK
    with pytest.raises(RefusedError):
        reader.read("poll", told)


def written(key: str) -> CheckpointWritten:
    ref = CheckpointRef(key=key, size_bytes=1, sha256="0" * 64, state_hash="0" * 64)
    return CheckpointWritten(lease=LeaseId(1), lane=0, node=NodeId(5), step=20, checkpoint=ref, seconds=0.1)


def failed_at(node: int) -> StageFailed:
    failure = Failure(node=NodeId(node), step=1, method="train", error="ValueError")
    return StageFailed(lease=LeaseId(1), lane=0, failure=failure)


def checked_at(node: int) -> ExactnessChecked:
    steps = (Point(NodeId(node), 11),)
    return ExactnessChecked(
        lease=LeaseId(1), lane=0, which=Check.FIRST_STEPS, proven=True, detail="", seconds=1.0, steps=steps
    )


@pytest.mark.parametrize(
    "key",
    [
        "u/p1/e1-l2-n5-s20",  # of the lease of another host
        "u/p1/e1-l10-n5-s20",  # its number begins alike
        "u/p1/e1-l1-/../../../secret",
        "../e1-l1-n5-s20",
        "",
    ],
)
def test_a_host_tells_of_no_states_of_others(key: str) -> None:
    reader = HostReader("host-1")
    reader.leases[LeaseId(1)] = WORK
    own = EventBatch(first=1, events=(written("u/p1/e1-l1-n5-s20"),))
    assert read_again(reader, own) == own
    with pytest.raises(RefusedError, match="a host told of a state"):
        read_again(reader, EventBatch(first=2, events=(written(key),)))


OWN_KEY = "u/p1/e1-l1-n5-s20"
LANE: Any = {"lease": LeaseId(1), "lane": 0, "node": NodeId(5)}
ONE: Any = {"training": ({},), "seconds": (1.0,)}


@pytest.mark.parametrize(
    ("own", "foreign"),
    [
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"lane": 1}),
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"lane": -1}),
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"node": NodeId(6)}),
        (StepDone(**LANE, step=20, training={}, seconds=1.0), {"step": 21}),
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"step": 10}),  # others walked it
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"node": NodeId(4), "step": 10}),
        (StepDone(**LANE, step=11, training={"loss": math.inf}, seconds=1.0), {"seconds": math.nan}),
        (StepDone(**LANE, step=11, training={}, seconds=0.0), {"seconds": -1.0}),
        (StepDone(**LANE, step=11, training={}, seconds=1.0), {"training": {"l\0ss": 1.0}}),
        (StateHashed(**{**LANE, "node": NodeId(4)}, step=10, state_hash="0"), {"step": 9}),
        (StepsDone(**LANE, first=20, last=20, **ONE), {"first": 21, "last": 21}),
        (StepsDone(**LANE, first=11, last=11, **ONE), {"last": 12}),
        (StepsDone(**LANE, first=11, last=11, **ONE), {"first": 12, "training": (), "seconds": ()}),
        (StepsDone(**LANE, first=11, last=11, **ONE), {"seconds": (math.inf,)}),
        (BoundaryAnswered(**LANE, step=20, accepted=False), {"node": NodeId(6)}),
        (failed_at(5), {"failure": failed_at(6).failure}),
        (failed_at(5), {"failure": dataclasses.replace(failed_at(5).failure, step=2**63)}),
        (failed_at(5), {"failure": dataclasses.replace(failed_at(5).failure, step=30)}),
        (failed_at(5), {"failure": dataclasses.replace(failed_at(5).failure, error="\ud800")}),
        (
            written(OWN_KEY),
            {"checkpoint": dataclasses.replace(written(OWN_KEY).checkpoint, size_bytes=2**70)},
        ),
        (checked_at(5), {"steps": (Point(NodeId(6), 11),)}),
        (checked_at(5), {"steps": (Point(NodeId(5), 30),)}),
    ],
)
def test_a_host_tells_of_no_steps_of_others(own: Any, foreign: dict[str, Any]) -> None:
    reader = HostReader("host-1")
    reader.leases[LeaseId(1)] = WORK
    batch = EventBatch(first=1, events=(own,))
    assert read_again(reader, batch) == batch
    with pytest.raises(RefusedError, match="a host told"):
        read_again(reader, EventBatch(first=2, events=(dataclasses.replace(own, **foreign),)))


def test_of_a_boundary_on_another_lane_the_first_one_says_that_it_comes_too_late() -> None:
    two = [
        Lane(begin=None, stages=(LaneStage(node=NodeId(node), start=0, stop=5, pieces={}, boundary=Boundary()),))
        for node in (5, 6)
    ]
    reader = HostReader("host-1")
    reader.leases[LeaseId(1)] = work_of(
        Assignment(lease=LeaseId(1), prefix="u", slot=SlotId("host-1/1"), workload="w", lanes=tuple(two))
    )
    batch = EventBatch(first=1, events=(BoundaryAnswered(**{**LANE, "node": NodeId(6)}, step=5, accepted=False),))
    assert read_again(reader, batch) == batch


def test_of_a_lease_that_has_ended_a_host_has_nothing_to_tell() -> None:
    reader, slot = HostReader("host-1"), SlotId("host-1/1")
    reader.leases.update({LeaseId(1): WORK, LeaseId(2): WORK})
    done = [AssignmentDone(lease=LeaseId(lease), slot=slot) for lease in (1, 2)]
    first = EventBatch(first=1, events=(done[0],))
    assert read_again(reader, first) == first == read_again(reader, first)  # it may be asked for again
    second = EventBatch(first=2, events=(done[1],))
    assert read_again(reader, second) == second
    assert reader.leases.keys() == {LeaseId(2)}
    with pytest.raises(RefusedError, match="lease 1"):
        read_again(reader, EventBatch(first=3, events=(done[0],)))


GREETING = {"node": "far", "pid": "5", "answer": "probe-0123abcd-host-1"}


def test_a_greeting_is_read_as_it_was_told() -> None:
    assert HostReader("host-1").read("hello", GREETING) == GREETING


@pytest.mark.parametrize(
    "told",
    [
        {"node": 5},
        [],
        None,
        "text",
        {"node": "far", "pid": "5"},
        {"node": "far", "answer": "probe-0123abcd-host-1"},
        GREETING | {"answer": "probe-0123abcd-host-2"},
        GREETING | {"answer": "0123/p1/e1-l2-n2-s4"},  # it would be removed
        GREETING | {"answer": "../probe-0123abcd-host-1"},
    ],
)
def test_a_greeting_that_is_none_is_refused(told: Any) -> None:
    with pytest.raises(RefusedError):
        HostReader("host-1").read("hello", told)


# --------------------------------------------------------------------------------------- a network that loses things


class Losing(httpx.AsyncBaseTransport):
    """Loses some requests on their way, and some answers."""

    def __init__(self, app: Any, chance: random.Random) -> None:
        self._app, self._chance = httpx.ASGITransport(app), chance

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._chance.random() < 0.2:
            raise httpx.ConnectError("lost on its way")
        answer = await self._app.handle_async_request(request)
        if self._chance.random() < 0.2:
            raise httpx.ReadError("the answer was lost")
        return answer


class NotedHost:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[int] = []
        self.is_disposed = False

    async def lose(self, number: int, slot: str, reason: str) -> None:
        self.told.append(number)

    async def poll(self, acknowledged: int, pace: HostPace) -> EventBatch:
        return EventBatch(first=acknowledged + 1, events=(OPENED,))

    def dispose(self) -> None:
        self.is_disposed = True


@pytest.mark.parametrize("seed", range(5))
def test_each_call_is_made_once_and_answered_though_the_network_loses_a_fifth_of_all(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippo.server import joining

    monkeypatch.setattr(joining, "_AGAIN_S", 0.001)
    cluster = JoinedCluster(workers=0, silence_s=60.0)
    service = StudyService(f"sqlite:///{tmp_path}/hippo.db", engine=FakeEngine(), trainers=["none"])
    link = ServiceLink("http://127.0.0.1:1")
    link._options["transport"] = Losing(make_app(service, Guard(None), hosts=cluster), random.Random(seed))
    hosts: list[NotedHost] = []

    def make_host(name: str, checkpoints: str) -> Any:
        hosts.append(NotedHost())
        return hosts[-1]

    async def run() -> None:
        host = Joining(link, make_host, name="far", workers=1, environment={}, tell=lambda _: None)
        running = asyncio.ensure_future(host.run())
        while not (nodes := await cluster.nodes()):
            await asyncio.sleep(0.001)
        handle = cluster.open_host(nodes[-1], name="host-1", checkpoints=str(tmp_path))
        orders = [handle.call("lose", number, "host-1/1", "") for number in range(50)]
        batches = [await handle.call("poll", number, HostPace()) for number in range(20)]
        await asyncio.gather(*orders)
        assert [batch.first for batch in batches] == list(range(1, 21))
        assert batches[0].events == (OPENED,)
        handle.kill()
        while not hosts[0].is_disposed:
            await asyncio.sleep(0.001)
        host.leave_soon()
        await running

    asyncio.run(asyncio.wait_for(run(), 60))
    service.end()
    assert len(hosts) == 1
    assert hosts[0].told == list(range(50))


@pytest.mark.parametrize("how", ["leave_soon", "leave_now"])
def test_a_host_that_is_told_to_leave_before_it_runs_never_joins(how: str) -> None:
    host = Joining(
        ServiceLink("http://127.0.0.1:9"), lambda *_: NotedHost(), name="", workers=1, environment={}, tell=print
    )
    getattr(host, how)()
    asyncio.run(asyncio.wait_for(host.run(), 10))


class Silent(Losing):
    """Loses all requests but the first ones."""

    def __init__(self, app: Any, requests: int) -> None:
        super().__init__(app, random.Random(0))
        self.left = requests

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.left -= 1
        if self.left < 0:
            raise httpx.ConnectError("lost on its way")
        return await self._app.handle_async_request(request)


def test_a_host_that_has_not_heard_of_its_service_for_long_ends_its_work_and_joins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippo.server import joining

    monkeypatch.setattr(joining, "_AGAIN_S", 0.01)
    monkeypatch.setattr(joining, "SILENCE_S", 0.2)
    monkeypatch.setattr(joining, "PATIENCE_S", 0.05)
    cluster = JoinedCluster(workers=0, silence_s=60.0)
    service = StudyService(f"sqlite:///{tmp_path}/hippo.db", engine=FakeEngine(), trainers=["none"])
    link, noted, joined = ServiceLink("http://127.0.0.1:1"), NotedHost(), [0]
    network = link._options["transport"] = Silent(make_app(service, Guard(None), hosts=cluster), 10**9)

    def note_joined() -> None:
        joined[0] += 1

    async def run() -> None:
        host = Joining(
            link, lambda *_: noted, name="far", workers=1, environment={}, joined=note_joined, tell=lambda _: None
        )
        running = asyncio.ensure_future(host.run())
        while not (nodes := await cluster.nodes()):
            await asyncio.sleep(0.001)
        handle = cluster.open_host(nodes[0], name="host-1", checkpoints=str(tmp_path))
        await handle.call("lose", 1, "host-1/1", "")
        network.left = 0
        while not noted.is_disposed:
            await asyncio.sleep(0.01)
        network.left = 10**9
        while joined[0] < 2:
            await asyncio.sleep(0.01)
        assert len({node.id for node in await cluster.nodes()}) == 2  # until the service loses the first one
        host.leave_soon()
        await running

    asyncio.run(asyncio.wait_for(run(), 60))
    service.end()


def test_a_host_that_is_not_heard_of_is_lost_with_all_that_it_was_told() -> None:
    async def run() -> None:
        cluster = JoinedCluster(workers=0, silence_s=0.05)
        node = cluster.join(ME)
        handle = JoinedHost(node, "host-1", "/states")
        answer = handle.call("hello", {})
        with pytest.raises(HostLostError, match="not heard of"):
            await answer
        with pytest.raises(HostLostError, match="not heard of"):
            await handle.call("hello", {})
        assert await cluster.nodes() == []
        with pytest.raises(RefusedError, match="join again"):
            cluster.joined(node.id)

    asyncio.run(run())


# ----------------------------------------------------------------------------------------------------- real machines

SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.2, 0.3, hippo.MultiStep(0.1, [6], 0.1)]})
UNTIL = 12


@pytest.fixture
def join(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return what has a process join a service; they are gone when the test ends."""
    begun: list[subprocess.Popen[str]] = []

    def start(url: str, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "hippo", "join", url, "--workers", "2", *options]
        begun.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, process_group=0))
        return begun[-1]

    yield start
    for process in begun:  # kindly: a service waits for hosts that it has not lost
        process.send_signal(signal.SIGINT)
    for process in begun:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=20)
        process.kill()
        process.wait()


def cluster_of(serve: Callable[..., Any], *, silence_s: float = 60.0, **options: Any) -> tuple[Any, JoinedCluster]:
    cluster = JoinedCluster(workers=0, silence_s=silence_s)
    return serve(engine=HostedEngine(cluster), hosts=cluster, **options), cluster


def begun_study(served: Any, tmp_path: Path, name: str = "study", **options: Any) -> tuple[Any, Any]:
    """Return a study, and what waits for its grid, which trains three steps of each trial as soon as there is a host.

    It trains more when `may_go_on`.
    """
    gate, log = str(tmp_path / "gate"), str(tmp_path / "steps.log")
    arguments = {"gate": gate, "gate_at": 3, "log": log, "sleep_s": 0.02}
    study = served.study(name, trainer=GATED, trainer_args=arguments, **options)
    return study, ThreadPoolExecutor(1).submit(study.optimize, hippo.GridSearch(SPACE, until=UNTIL))


def may_go_on(tmp_path: Path) -> None:
    (tmp_path / "gate").touch()


def steps(tmp_path: Path) -> int:
    log = tmp_path / "steps.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def results(folder: Path) -> list[Any]:
    study = hippo.load_study("study", storage=f"sqlite:///{folder}/hippo.db")
    found = outcomes(study)
    study.close()
    return found


@pytest.fixture
def alone(tmp_path: Path) -> list[Any]:
    """What the grid comes to on this machine."""
    folder = tmp_path / "alone"
    folder.mkdir()
    study = hippo.create_study(
        "study",
        trainer=TOY,
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=str(folder / "states"),
        metric="loss",
        mode="min",
        engine=hippo.LocalEngine(workers=1),
    )
    study.optimize(hippo.GridSearch(SPACE, until=UNTIL))
    study.close()
    return results(folder)


#: of four trials, of which one parts from another at step 6
STEPS = 4 * UNTIL - 6


def test_what_a_joined_machine_trains_is_what_this_one_does(
    serve: Callable[..., Any], join: Callable[..., Any], tmp_path: Path, alone: list[Any]
) -> None:
    served, _ = cluster_of(serve)
    join(served.url)
    may_go_on(tmp_path)
    study, training = begun_study(served, tmp_path)
    training.result(120)
    assert study.statistics().steps_executed == STEPS
    assert results(tmp_path) == alone


@pytest.mark.slow
def test_what_ran_on_a_machine_that_is_killed_runs_again_on_another(
    serve: Callable[..., Any],
    join: Callable[..., Any],
    tmp_path: Path,
    alone: list[Any],
    recwarn: pytest.WarningsRecorder,
) -> None:
    served, _ = cluster_of(serve, silence_s=SILENCE_S)
    first = join(served.url)
    study, training = begun_study(served, tmp_path)
    wait_for(lambda: steps(tmp_path) >= 6, "nothing is trained")
    first.kill()
    first.wait()
    may_go_on(tmp_path)
    join(served.url)
    training.result(120)
    assert any("it was not heard of" in str(told.message) for told in recwarn)
    found = study.statistics()
    assert found.steps_executed - found.steps_repeated == STEPS
    assert results(tmp_path) == alone


@pytest.mark.slow
@pytest.mark.usefixtures("as_in_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_machine_that_is_told_to_leave_ends_at_a_step_and_nothing_is_trained_twice(
    serve: Callable[..., Any],
    join: Callable[..., Any],
    tmp_path: Path,
    alone: list[Any],
    recwarn: pytest.WarningsRecorder,
    number: int,
) -> None:
    served, cluster = cluster_of(serve)
    first = join(served.url)
    study, training = begun_study(served, tmp_path)
    wait_for(lambda: steps(tmp_path) >= 6, "nothing is trained")
    join(served.url)
    for _ in range(1 if number == signal.SIGINT else 2):  # a wrapper, and its process group
        os.kill(first.pid, number)
    wait_for(lambda: any(node.is_leaving for node in list(cluster._joined.values())), "it does not say that it leaves")
    may_go_on(tmp_path)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 0
    assert "ends at its next step" in said
    training.result(120)
    assert study.statistics().steps_repeated == 0
    assert not [told for told in recwarn if "lost" in str(told.message)]
    assert study.statistics().steps_executed == STEPS
    assert results(tmp_path) == alone


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_machine_joins_again_where_its_service_was_started_anew(
    join: Callable[..., Any], tmp_path: Path, alone: list[Any], number: int
) -> None:
    port = free_port()
    command = [sys.executable, "-m", "hippo", "serve", "--hosts", "--workers", "0", "--port", str(port)]
    command += ["--trainers", "hippo.testing.*", "--storage", f"sqlite:///{tmp_path}/hippo.db"]
    machine = join(f"http://127.0.0.1:{port}")  # which waits for the service
    service = subprocess.Popen([*command, "--checkpoints", "states"], cwd=tmp_path)
    try:
        arguments = {"sleep_s": 0.15, "log": str(tmp_path / "steps.log")}
        options: dict[str, Any] = {"trainer": TOY, "trainer_args": arguments, "metric": "loss"}
        wait_for(lambda: is_there(port), "the service does not come up")
        study = hippo.create_study("study", storage=f"http://127.0.0.1:{port}", mode="min", **options)
        training = ThreadPoolExecutor(1).submit(study.optimize, hippo.GridSearch(SPACE, until=UNTIL))
        wait_for(lambda: steps(tmp_path) >= 6, "nothing is trained")
        service.send_signal(number)
        service.wait(120)
        service = subprocess.Popen([*command, "--checkpoints", "states"], cwd=tmp_path)
        training.result(200)
        wait_for(lambda: is_there(port), "the service does not come up again")
        repeated = study.statistics().steps_repeated
        assert repeated == 0 or number == signal.SIGKILL  # where it is stopped kindly, lanes leave a checkpoint first
        machine.send_signal(signal.SIGINT)
        assert machine.wait(120) == 0
    finally:
        service.terminate()
        service.wait()
    assert results(tmp_path) == alone


def is_there(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


# -------------------------------------------------------------------------------------------------------- bad input


def test_a_service_that_takes_no_hosts_says_so(served: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["join", served.url]) != 0
    assert "hippo serve --hosts" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "127.0.0.1:8400", "http://127.0.0.1/studies", "http://ada@here"])
def test_what_is_no_url_of_a_service_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["join", url]) == 2
    assert "http://" in capsys.readouterr().err


@pytest.mark.parametrize("right", ["read", "write"])
def test_a_token_that_is_not_for_joining_opens_nothing_to_hosts(
    serve: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str
) -> None:
    tokens = TokenFile(tmp_path / "tokens")
    served, _ = cluster_of(serve, tokens=tokens)
    token = tokens.add("ada", right)
    assert exit_code(["join", served.url.replace("//", f"//ada:{token}@")]) != 0
    assert "needs 'join'" in capsys.readouterr().err


def test_a_token_for_joining_opens_nothing_else(serve: Callable[..., Any], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens")
    served, _ = cluster_of(serve, tokens=tokens)
    token = tokens.add("node", "join")
    for method, path in (("GET", "/v1/studies"), ("POST", "/v1/studies"), ("GET", "/dashboard/api/overview")):
        answer = httpx.request(method, served.url + path, headers={"Authorization": f"Bearer {token}"}, json={})
        assert answer.status_code in (403, 404)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "says host"),
        (ME | {"host": "0"}, "says host"),
        (ME | {"host": 5}, "says host"),
        (ME | {"workers": 0}, "says host"),
        (ME | {"workers": True}, "says host"),
        (ME | {"environment": []}, "says environment"),
        (ME | {"environment": {"torch": 5}}, "says environment"),
        (ME | {"versions": {"Python": "2.7"}}, "install the same on both"),
    ],
)
def test_a_host_that_cannot_be_used_is_refused(serve: Callable[..., Any], said: Any, message: str) -> None:
    served, _ = cluster_of(serve)
    answer = httpx.post(served.url + "/v1/hosts", json=said)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["calls", "answers", "leave"])
def test_who_has_not_joined_is_told_to(serve: Callable[..., Any], path: str) -> None:
    served, _ = cluster_of(serve)
    answer = httpx.post(f"{served.url}/v1/hosts/0123/{path}", json={})
    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "UnknownCallError"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("calls", {"seen": "0", "wait": 1}),
        ("calls", {"seen": 0, "wait": 1e9}),
        ("answers", {"answers": {}}),
        ("answers", {"answers": [{"call": "1"}]}),
        ("answers", {"answers": [{"call": 1, "error": 5}]}),
        ("leave", {}),
    ],
)
def test_strange_things_that_a_host_says_are_refused(serve: Callable[..., Any], path: str, said: Any) -> None:
    served, _ = cluster_of(serve)
    host = httpx.post(served.url + "/v1/hosts", json=ME).json()["host"]
    assert httpx.post(f"{served.url}/v1/hosts/{host}/{path}", json=said).status_code == 400
