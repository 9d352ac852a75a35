"""What a doctor finds in things that work and in broken ones, and that nothing of his stays there."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.checkpoints.store import WrittenBytes
from hippo.doctor import ProbeFinding, ProbeVerdict
from hippo.doctor.findings import Told
from hippo.engines.cluster_hosts import NodeLook
from hippo.engines.hosted import HostedEngine
from hippo.engines.hosts_here import LocalCluster
from hippo.errors import OptionError
from hippo.testing.pooler import pooler_program, running_pooler
from hippo.testing.servers import PASSWORD, DatabaseServer, wanted_server
from hippo.training.process.environment import versions

OK, FAILED, SKIPPED = ProbeVerdict.OK, ProbeVerdict.FAILED, ProbeVerdict.SKIPPED


def works(found: list[ProbeFinding]) -> bool:
    """Tell whether nothing failed: a busy machine may well be slow."""
    return not [each for each in found if each.verdict in (FAILED, SKIPPED)]


@contextmanager
def silent_server() -> Iterator[int]:
    """Accept connections and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for each in kept:
            each.close()


class Overwriting(FolderCheckpoints):
    """A store that keeps the last of a name."""

    def write(self, key: str, writer: object) -> WrittenBytes:  # type: ignore[override]
        self.delete(key)
        return super().write(key, writer)  # type: ignore[arg-type]


def test_a_database_file_and_a_folder_that_are_not_there_are_not_made(tmp_path: Path) -> None:
    found = hippo.diagnose(storage=f"sqlite:///{tmp_path}/new.db", checkpoints=tmp_path / "a" / "b")
    assert [each.what for each in found] == ["connect", "latency", "lock", "write", "write and read"]
    assert works(found)
    assert list(tmp_path.iterdir()) == []


def test_what_was_in_a_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    assert works(hippo.diagnose(checkpoints=str(tmp_path)))
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_a_store_that_overwrites_is_told_and_emptied(tmp_path: Path) -> None:
    (found,) = hippo.diagnose(checkpoints=Overwriting(tmp_path))
    assert found.verdict is FAILED
    assert "written again under the same name" in found.told
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (found,) = hippo.diagnose(checkpoints=tmp_path / "file" / "states")
    assert (found.verdict, "cannot be written to" in found.told) == (FAILED, True)


def test_a_full_disk_is_told() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")

    class Full(FolderCheckpoints):
        def write(self, key: str, writer: object) -> WrittenBytes:  # type: ignore[override]
            with open("/dev/full", "wb", buffering=0) as file:
                return writer(file)  # type: ignore[operator,no-any-return]

    (found,) = hippo.diagnose(checkpoints=Full("/tmp"))
    assert (found.verdict, "No space left" in found.told) == (FAILED, True)


def test_a_file_that_is_no_database_is_told_and_what_needs_it_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database at all" * 100)
    found = hippo.diagnose(storage=f"sqlite:///{tmp_path}/x.db")
    assert [each.verdict for each in found] == [FAILED, SKIPPED, SKIPPED, SKIPPED]
    assert "not a database" in found[0].told


@pytest.mark.parametrize("scheme", ["postgresql", "mysql", "http"])
def test_a_server_that_accepts_and_says_nothing_is_given_up(scheme: str) -> None:
    pytest.importorskip({"postgresql": "psycopg", "mysql": "pymysql", "http": "httpx"}[scheme])
    with silent_server() as port:
        path = "" if scheme == "http" else "/hippo"
        found = hippo.diagnose(storage=f"{scheme}://ada:s3cret@127.0.0.1:{port}{path}", limit_s=0.5)
    assert (found[0].verdict, "no answer within 0.5 s" in found[0].told) == (FAILED, True)
    assert "s3cret" not in str(found)


@pytest.mark.parametrize("limit_s", [0, -1, float("nan"), float("inf"), True, "5"])
def test_a_limit_that_is_none_is_refused(limit_s: object) -> None:
    with pytest.raises(OptionError, match="limit_s="):
        hippo.diagnose(checkpoints="x", limit_s=limit_s)  # type: ignore[arg-type]


def test_nothing_to_try_is_refused() -> None:
    with pytest.raises(OptionError, match="needs something to try"):
        hippo.diagnose()


@pytest.mark.slow
def test_a_database_in_a_server_is_as_it_was(database_server: DatabaseServer, server_url: str) -> None:
    name = server_url.rpartition("/")[2]
    tables = (  # MySQL tells of other databases, too, and PostgreSQL calls the only schema of this one so
        "select table_name from information_schema.tables where table_name like 'hippo%'"
        f" and table_schema in ('{name}', 'public')"
    )
    assert works(hippo.diagnose(storage=server_url))
    assert database_server.execute(tables, name) == []
    hippo.create_study("s", trainer="hippo.testing.trainers:ToyTrainer", storage=server_url, metric="loss").close()
    before = database_server.execute("select commits, inserted from hippo_counter", name)
    found = hippo.diagnose(storage=server_url)
    assert works(found), found
    assert found[3].told == "a commit was begun and taken back"
    assert database_server.execute("select commits, inserted from hippo_counter", name) == before


@pytest.mark.slow
def test_a_wrong_password_is_told_without_it(server_url: str) -> None:
    found = hippo.diagnose(storage=server_url.replace(PASSWORD, "wr0ng"))
    assert (found[0].verdict, "Check user and password" in found[0].told) == (FAILED, True)
    assert "wr0ng" not in str(found)


@pytest.mark.slow
def test_another_schema_is_told(database_server: DatabaseServer, server_url: str) -> None:
    hippo.create_study("s", trainer="hippo.testing.trainers:ToyTrainer", storage=server_url, metric="loss").close()
    column = "version" if "version" in _columns(database_server, server_url) else "schema_version"
    database_server.execute(f"update hippo_database set {column} = 999", server_url.rpartition("/")[2])
    found = hippo.diagnose(storage=server_url)
    assert (found[0].verdict, "newer" in found[0].told) == (FAILED, True)


def _columns(server: DatabaseServer, url: str) -> set[object]:
    query = "select column_name from information_schema.columns where table_name = 'hippo_database'"
    return {row[0] for row in server.execute(query, url.rpartition("/")[2])}


@pytest.mark.slow
def test_a_bucket_is_as_it_was_and_one_that_is_not_there_is_told(bucket: str, server: Mapping[str, str]) -> None:
    from hippo.testing.s3_server import s3_client

    assert works(found := hippo.diagnose(checkpoints=bucket)), found
    name = bucket.removeprefix("s3://").partition("/")[0]
    assert s3_client(server).list_objects_v2(Bucket=name)["KeyCount"] == 0
    (missing,) = hippo.diagnose(checkpoints="s3://nobodys-bucket-at-all/x")
    assert (missing.verdict, "there is no bucket" in missing.told) == (FAILED, True)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_a_pooler_is_told_by_its_mode(mode: str) -> None:
    if pooler_program() is None:
        pytest.skip("pgbouncer is not installed")
    with wanted_server("postgresql") as server:
        direct = server.new_database()
        with running_pooler(server, mode) as port:
            found = hippo.diagnose(storage=direct.replace(f":{server.port}/", f":{port}/"))
    assert [each.verdict is FAILED for each in found] == [False, False, mode == "transaction", False], found


def test_an_engine_walks_and_nothing_of_it_stays(tmp_path: Path) -> None:
    found = hippo.diagnose(checkpoints=tmp_path / "states", engine=hippo.InlineEngine())
    assert works(found)
    assert [(each.subject, each.what) for each in found[-2:]] == [("engine", "walk"), ("engine", "train")]
    assert found[-2].told.startswith("two steps, with a state between them; device ")
    assert re.fullmatch(
        r"4 networks, 2 steps each: by themselves \(proven to resume exactly\); "
        r"(\d+ steps as one program, \de[-+]\d\d apart|none as one program: it does not pay)",
        found[-1].told,
    )
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@pytest.mark.slow
def test_workers_that_cannot_write_are_told_of(tmp_path: Path) -> None:
    assert works(hippo.diagnose(engine=hippo.LocalEngine(workers=1), limit_s=120))
    (tmp_path / "file").touch()
    found = hippo.diagnose(checkpoints=str(tmp_path / "file"), engine=hippo.LocalEngine(workers=1), limit_s=120)
    verdicts = [("store", FAILED), ("engine", FAILED), ("engine", SKIPPED)]
    assert [(each.subject, each.verdict) for each in found] == verdicts


def trained(monkeypatch: pytest.MonkeyPatch, *results: tuple[list[float], str, int]) -> ProbeFinding:
    """Return what is said of networks that came to this, by themselves and as one program."""
    told = iter(results)
    monkeypatch.setattr("hippo.doctor.engines._EngineProbe.walk", lambda probe: Told("walked"))
    monkeypatch.setattr("hippo.doctor.engines._EngineProbe._trained", lambda probe, numerics: next(told))
    return hippo.diagnose(engine=hippo.InlineEngine())[-1]


def test_a_device_on_which_equal_steps_differ_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = trained(monkeypatch, ([1.0, 2.0], "failed", 0))
    assert found.verdict is FAILED
    assert "two runs of the same step came to different bits" in found.told


@pytest.mark.parametrize("loss", [2.1, float("nan")])
def test_networks_that_come_to_something_else_as_one_program_have_failed(
    monkeypatch: pytest.MonkeyPatch, loss: float
) -> None:
    found = trained(monkeypatch, ([1.0, 2.0], "proven", 0), ([1.0, loss], "proven", 4))
    assert found.verdict is FAILED
    assert "use numerics='exact' on this device" in found.told


def test_without_torch_no_networks_are_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert trained(monkeypatch).told == "not tried: torch is not installed here"


class Stuck(hippo.InlineEngine):
    """An engine whose slots never open."""

    def open_workload(self, spec: object) -> None:
        pass


def test_an_engine_that_opens_no_slot_has_failed(tmp_path: Path) -> None:
    found, after = hippo.diagnose(engine=Stuck(), limit_s=1.0)
    assert (found.verdict, after.verdict) == (FAILED, SKIPPED)
    assert "no answer within 1 s" in found.told


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(OptionError, match="the class InlineEngine; make one of it"):
        hippo.diagnose(engine=hippo.InlineEngine)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="something to try"):
        hippo.diagnose()


class Nodes(LocalCluster):
    """A cluster of which each node says what it is told to."""

    looks: Sequence[NodeLook] = ()

    def describe_nodes(self) -> list[NodeLook]:
        return list(self.looks)


def look(name: str, *, hippo_version: str | None = None, device: str = "A", problem: str = "") -> NodeLook:
    found = versions() | ({"hippo": hippo_version} if hippo_version else {})
    return NodeLook(name=name, versions=found, environment={"device": device, "torch": "2"}, problem=problem)


@pytest.mark.parametrize(
    ("looks", "verdict", "told"),
    [
        ([look("a"), look("b")], OK, "2 nodes with Python .*: 2 with device A, torch 2$"),
        (
            [look("a"), look("b"), look("c", device="B")],
            OK,
            "2 with device A, torch 2; 1 with device B, .*one kind",
        ),
        ([look("a"), look("b", hippo_version="0.0.1")], FAILED, "hippo .* here, and hippo 0.0.1 on node b"),
        ([look("a", problem="No module named 'hippo'")], FAILED, "node a: No module named 'hippo'"),
    ],
)
def test_nodes_of_a_cluster_are_compared_before_anything_walks(
    monkeypatch: pytest.MonkeyPatch, looks: list[NodeLook], verdict: ProbeVerdict, told: str
) -> None:
    monkeypatch.setattr("hippo.doctor.engines._EngineProbe.walk", lambda probe: Told("walked"))
    monkeypatch.setattr("hippo.doctor.engines._EngineProbe.train", lambda probe: Told("trained"))
    cluster = Nodes()
    cluster.looks = looks
    found = hippo.diagnose(engine=HostedEngine(cluster))
    assert [each.what for each in found] == ["nodes", "walk", "train"]
    assert found[0].verdict is verdict
    assert re.search(told, found[0].told)
