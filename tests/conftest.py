"""What every test of this project starts from."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import socket
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

# One thread in each test process: several of them share few cores, and bits depend on the number of threads.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from hippo.testing.servers import DatabaseServer
    from hippo.testing.warm_programs import WarmPrograms

# Machines that run these tests are busy: a slow example is no bug, and how slow is what benchmarks are for.
# The same examples each time, so that a change fails by what it changed. make test-properties draws others.
settings.register_profile(
    "hippo", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True, derandomize=True
)
settings.register_profile("new_examples", settings.get_profile("hippo"), derandomize=False)
settings.load_profile("new_examples" if os.environ.get("HIPPO_TEST_NEW_EXAMPLES") else "hippo")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have questions about reruns answered at once.

    A process of several tells of each test, which nobody answers, and then asks about the next one: without this, the
    question waits until what was told is acknowledged, which takes 40 ms and is the most of a quick test.
    """
    connection = getattr(getattr(config, "failures_db", None), "sock", None)
    if connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_handlecrashitem(crashitem: str, sched: Any) -> None:
    """Have the test fail under which a process died: it is no lateness, and would be asked for again as if it were."""
    failures = getattr(sched.config, "failures_db", None)
    if failures is not None:
        failures.set_test_reruns(crashitem, 0)


# Collecting ten thousand tests makes millions of objects that stay: a quarter of its time went into walking them. The
# tests themselves make few cycles, and look after those that they are about.


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 10)


@pytest.fixture(scope="session", autouse=True)
def _as_nice_as_before() -> Iterator[None]:
    """`hippo gc` lets others come first for as long as its process lives, which here is all tests after it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "nice", lambda _: 0)
        yield


@pytest.fixture(scope="module", autouse=True)
def _collected_once() -> Iterator[None]:
    """What outlives a module of tests, such as caches, outlives the session: the collector walks it no more."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def server() -> Iterator[Mapping[str, str]]:
    """The environment in which an S3 server is found."""
    pytest.importorskip("moto")
    pytest.importorskip("s3fs")
    from hippo.testing.s3_server import s3_server

    with s3_server() as variables:
        yield variables


@pytest.fixture
def bucket(server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket's name, in an environment in which this process, and what it starts, finds it."""
    from hippo.testing.s3_server import s3_client

    for name, value in server.items():
        monkeypatch.setenv(name, value)
    name = f"b{uuid.uuid4().hex}"  # a test that is asked for once more finds an empty one, too
    s3_client(server).create_bucket(Bucket=name)
    return name


@pytest.fixture(scope="session")
def _warm() -> Iterator[WarmPrograms]:
    from hippo.testing.warm_programs import WarmPrograms

    warm = WarmPrograms()
    yield warm
    warm.close()


@pytest.fixture
def warm_programs(_warm: WarmPrograms) -> Iterator[None]:
    """Programs of hippo that are forked: for tests of what they do, and not of how they start and end."""
    with _warm.used():
        yield


@contextlib.contextmanager
def _two_ray_nodes(*, num_cpus: int) -> Iterator[Any]:
    """Run a Ray cluster of a head without CPUs and of two nodes, and be connected to it."""
    import ray
    from ray.cluster_utils import Cluster

    # sockets lie in here, and their names may have 107 characters
    before, os.environ["RAY_TMPDIR"] = os.environ.get("RAY_TMPDIR"), tempfile.mkdtemp(prefix="r", dir="/tmp")
    small = {"object_store_memory": 100 * 1024**2}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **small})
    try:
        cluster.workers = [cluster.add_node(num_cpus=num_cpus, **small) for _ in range(2)]
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(os.environ.pop("RAY_TMPDIR"), ignore_errors=True)
        if before is not None:
            os.environ["RAY_TMPDIR"] = before


@pytest.fixture(scope="session")
def ray_nodes() -> Callable[..., AbstractContextManager[Any]]:
    """What runs a Ray cluster of two nodes, with so many CPUs (`num_cpus`) each, as long as a block lasts."""
    return _two_ray_nodes


@pytest.fixture(scope="session", params=["postgresql", "mysql"])
def database_server(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    """A database server of each kind in turn; one is started for all tests of a process."""
    pytest.importorskip("sqlalchemy")
    from hippo.testing.servers import wanted_server

    with wanted_server(request.param) as server:
        yield server


@pytest.fixture
def server_url(database_server: DatabaseServer) -> str:
    """The URL of a new database in a server."""
    return database_server.new_database()
