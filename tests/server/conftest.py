"""Services in this process, on a free port, with real sockets and workers; and scripts that use or are one."""

from __future__ import annotations

import functools
import json
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

import hippo
from hippo.server.app import make_app
from hippo.server.describers import Describer
from hippo.server.guard import Guard
from hippo.server.service import StudyService
from hippo.server.serving import WebServer
from hippo.server.tokens import TokenFile
from hippo.testing.fake_engine import FakeEngine

TOY = "hippo.testing.trainers:ToyTrainer"


class OnceDescribed(StudyService):
    """A service of tests in which no trainer's code changes: each is described once."""

    def _described(self, order: Mapping[str, Any]) -> Describer:
        return self._describers.get(json.dumps(order, sort_keys=True)) or super()._described(order)


class Served:
    """A service that runs."""

    def __init__(self, folder: Path, *, engine: Any = None, tokens: TokenFile | None = None, **options: Any) -> None:
        self.engine = FakeEngine(slots=2, metrics={"loss": 1.0}) if engine is None else engine
        self.service = options.pop("service", StudyService)(
            options.pop("storage", f"sqlite:///{folder}/hippo.db"),
            engine=self.engine,
            checkpoints=str(folder / "states"),
            trainers=options.pop("trainers", ["hippo.testing.*"]),
            custom_sequences=options.pop("custom_sequences", False),
            withdraw_after_s=options.pop("withdraw_after_s", None),
        )
        app, hosts = make_app(self.service, Guard(tokens), **options), options.get("hosts")
        goodbye = None if hosts is None else hosts.end
        self.server = WebServer(app, host="127.0.0.1", port=0, goodbye=goodbye)
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.port}"

    def study(self, name: str = "study", **options: Any) -> Any:
        given = {"trainer": TOY, "metric": "loss", "mode": "min", "storage": self.url, **options}
        return hippo.create_study(name, **given)

    def stop(self) -> None:
        self.server.stop()
        self.service.end()
        from hippo.study.runtimes import close_runtime

        close_runtime(self.engine)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds; `what` says what went wrong if it never does."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """`httpx.get` and `httpx.post` read them anew each time, in 27 ms, and nothing is encrypted here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def _busy_machines_are_waited_for() -> Iterator[None]:
    """`httpx.get` and `httpx.post` wait for an answer for five seconds, and a machine may stand still for longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._config.DEFAULT_TIMEOUT_CONFIG.read", 60.0)
        patch.setattr("httpx._config.DEFAULT_TIMEOUT_CONFIG.connect", 60.0)
        yield


@pytest.fixture
def as_in_a_terminal() -> Iterator[None]:
    """Have SIGHUP end what is started in a test, also where `nohup` began the tests themselves."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def serve(tmp_path: Path, warm_programs: None) -> Iterator[Callable[..., Served]]:
    """Return what starts a service in a folder of the test's; what describes its trainers is forked."""
    started: list[Served] = []

    def start(**options: Any) -> Served:
        started.append(Served(tmp_path, **options))
        return started[-1]

    yield start
    for served in started:
        served.stop()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """A service whose engine trains nothing, and says that each loss is 1."""
    return serve()
