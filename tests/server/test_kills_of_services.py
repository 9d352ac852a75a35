"""A client or a service that is killed: the script, run again or still running, comes to what it comes to otherwise."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from hippo.testing.ports import free_port
from hippo.testing.servers import KINDS, wanted_server

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent

Undisturbed = Callable[[str], tuple[list[str], list[str]]]


class Place:
    """A folder with a service, which can be killed and started, and its clients."""

    def __init__(self, folder: Path, storage: str = "sqlite:///hippo.db") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.storage = storage
        self.folder, self.port, self.log = folder, free_port(), folder / "steps.log"
        self.processes: list[subprocess.Popen[str]] = []

    def start_service(self) -> subprocess.Popen[str]:
        service = self._start(
            "a_service.py", str(self.folder), str(self.port), environment={"HIPPO_STORAGE": self.storage}
        )
        for _ in range(2400):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return service
            time.sleep(0.05)
        raise AssertionError("the service does not come up")

    def start_client(self, study: str, tuner: str) -> subprocess.Popen[str]:
        return self._start("a_client.py", f"http://127.0.0.1:{self.port}", study, str(self.log), tuner)

    def _start(
        self, script: str, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(HERE / script), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if script == "a_client.py" else None,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.processes.append(process)
        return process

    def steps(self) -> list[str]:
        """Return "step values" of each step that began to be trained."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.partition(" ")[2] for line in lines]

    def wait_for(self, steps: int) -> None:
        for _ in range(2400):
            if len(self.steps()) >= steps:
                return
            time.sleep(0.05)
        raise AssertionError(f"only {len(self.steps())} steps were trained")

    def result_of(self, client: subprocess.Popen[str]) -> list[str]:
        output, _ = client.communicate(timeout=120)
        assert client.returncode == 0, output
        return [line for line in output.splitlines() if line[:1].isdigit()]

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "disturbed")
    yield made
    made.end()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """What a client comes to that nobody disturbs, given its tuner: its trials, and the steps that were trained."""
    known: dict[str, tuple[list[str], list[str]]] = {}

    def result_and_steps(tuner: str) -> tuple[list[str], list[str]]:
        if tuner not in known:
            calm = Place(tmp_path_factory.mktemp("calm"))
            try:
                calm.start_service()
                known[tuner] = calm.result_of(calm.start_client("ada", tuner)), calm.steps()
            finally:
                calm.end()
        return known[tuner]

    return result_and_steps


def test_two_clients_killed_twice_each_train_each_step_once(place: Place, undisturbed: Undisturbed) -> None:
    expected, steps = undisturbed("grid")
    place.start_service()
    for target in (25, 60):
        clients = [place.start_client(name, "grid") for name in ("ada", "bob")]
        place.wait_for(target)
        for client in clients:
            client.kill()
            client.wait()
    clients = [place.start_client(name, "grid") for name in ("ada", "bob")]
    assert [place.result_of(client) for client in clients] == [expected] * 2
    assert len(place.steps()) == len(steps)


@pytest.mark.parametrize("tuner", ["grid", "asha"])
def test_a_client_outlives_a_service_that_is_killed_and_started_again(
    place: Place, undisturbed: Undisturbed, tuner: str
) -> None:
    expected, steps = undisturbed(tuner)
    service = place.start_service()
    client = place.start_client("ada", tuner)
    for target in (20, 50):
        place.wait_for(target)
        service.send_signal(signal.SIGKILL)
        service.wait()
        service = place.start_service()
    result = place.result_of(client)
    if tuner == "grid":
        assert result == expected
        repeated = len(place.steps()) - len(steps)
        # what each of two workers ran at each of two kills: since its last checkpoint, and a lane that ended in the
        # quarter of a second before, of which nothing was written yet
        assert 0 <= repeated <= 2 * 2 * (12 + 12)
    else:  # which trials it promotes depends on the order in which they end
        assert len(result) == len(expected)
        assert "COMPLETE" in "".join(result)


@pytest.mark.usefixtures("as_in_a_terminal")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 143)])
def test_a_service_that_is_stopped_kindly_ends_its_workers_and_trains_nothing_twice(
    place: Place, undisturbed: Undisturbed, number: signal.Signals, code: int
) -> None:
    expected, steps = undisturbed("grid")
    service = place.start_service()
    client = place.start_client("ada", "grid")
    place.wait_for(30)
    os.kill(service.pid, number)
    assert service.wait(timeout=100) == code
    place.start_service()
    assert place.result_of(client) == expected
    assert sorted(place.steps()) == sorted(steps)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_a_service_on_a_database_server_serves_two_clients_of_which_one_is_killed(
    tmp_path: Path, undisturbed: Undisturbed, kind: str
) -> None:
    expected, steps = undisturbed("grid")
    with wanted_server(kind) as server:
        place = Place(tmp_path / "disturbed", server.new_database())
        try:
            service = place.start_service()
            ada, bob = (place.start_client(name, "grid") for name in ("ada", "bob"))
            place.wait_for(25)
            ada.kill()
            ada.wait()
            assert place.result_of(bob) == expected
            assert place.result_of(place.start_client("ada", "grid")) == expected
            assert sorted(place.steps()) == sorted(steps)
            shown = Path(f"/proc/{service.pid}/cmdline").read_bytes()
            assert server.sql_password.encode() not in shown
        finally:
            place.end()
