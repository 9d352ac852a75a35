"""A service with a page beside it, in this process: real sockets, tokens, and an engine that trains nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hippo
from hippo.dashboard.app import make_dashboard
from hippo.records import Metrics, Point
from hippo.server.acting import ServiceActs
from hippo.server.app import make_app
from hippo.server.guard import Guard
from hippo.server.service import StudyService
from hippo.server.serving import WebServer
from hippo.server.tokens import TokenFile
from hippo.study.runtimes import close_runtime
from hippo.testing.fake_engine import FakeEngine

TOY = "hippo.testing.trainers:ToyTrainer"


class Waits(hippo.Tuner):
    """Asks for one trial, and waits for ever then."""

    def record(self) -> dict[str, Any]:
        return {}

    async def tune(self, ask: Any) -> None:
        await ask({"lr": 0.1}, until=2)
        await asyncio.Event().wait()


class ServedPage:
    """A service, its page, and what opens them: a token for each right.

    Args:
      folder: for all of it.
      has_tokens: ask for them.
      metrics: what the engine says of a point.
    """

    def __init__(self, folder: Path, *, has_tokens: bool, metrics: Callable[[Point], Metrics] | None = None) -> None:
        self.storage = f"sqlite:///{folder}/hippo.db"
        self.engine = FakeEngine(slots=2, metrics=metrics)
        self.service = StudyService(
            self.storage, engine=self.engine, checkpoints=str(folder / "states"), trainers=["hippo.testing.*"]
        )
        known = TokenFile(folder / "tokens.json")
        self.tokens = {right: known.add(f"a-{right}", right) for right in ("read", "write", "admin")}
        self.file = known
        guard = Guard(known if has_tokens else None)
        page = make_dashboard(self.service.store, guard=guard, acts=ServiceActs(self.service, most_steps=100))
        self.server = WebServer(make_app(self.service, guard, beside={"/dashboard": page}), host="127.0.0.1", port=0)
        self.server.start()
        self.origin = f"http://127.0.0.1:{self.server.port}"
        self.has_tokens = has_tokens

    def study(self, name: str = "study", *, right: str = "write") -> Any:
        url = self.origin.replace("//", f"//a-{right}:{self.tokens[right]}@") if self.has_tokens else self.origin
        return hippo.create_study(name, trainer=TOY, metric="loss", mode="min", storage=url)

    def run(self, study: Any, tuner: Any) -> tuple[threading.Thread, list[BaseException]]:
        """Run a tuner on a thread; return that, and what it raised."""
        raised: list[BaseException] = []

        def optimize() -> None:
            try:
                study.optimize(tuner)
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=optimize)
        thread.start()
        return thread, raised

    def stop(self) -> None:
        self.server.stop()
        self.service.end()
        close_runtime(self.engine)
