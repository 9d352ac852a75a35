"""What the page will ask next is asked before: of the newest study, then of what somebody looks at, and politely."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from sqlalchemy import Engine, event

from hippo.plan import open_store

from .conftest import NAME, OWN

pytest.importorskip("starlette")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from hippo.dashboard.app import make_dashboard
from hippo.dashboard.guarding import in_thread
from hippo.dashboard.prefetching import QUESTIONS, PrefetchingDashboard


def asked_of(study: str) -> list[str]:
    """Return all that is asked ahead of a study."""
    return [f"{name}?{urlencode({'study': study, **more})}" for name, more in QUESTIONS]


class Recorder:
    """A dashboard of two studies that notes what it is asked; some of it is not answered before it may be."""

    def __init__(self, *held: str) -> None:
        self.asked: list[str] = []
        self.held = {each: threading.Event() for each in held}
        names = ["overview", "acts", *[name for name, _ in QUESTIONS]]
        self.app = PrefetchingDashboard(
            Starlette(routes=[Route(f"/api/{name}", in_thread(self._answer)) for name in names])
        )

    def _answer(self, request: Request) -> JSONResponse:
        name, asked = request.url.path.rpartition("/")[2], request.url.query
        question = f"{name}?{asked}" if asked else name
        self.asked.append(question)
        assert question not in self.held or self.held[question].wait(120)
        if request.query_params.get("study") == "nobody":
            return JSONResponse({"error": "there is none"}, status_code=404)
        return JSONResponse({"studies": [{"name": "old"}, {"name": "new"}]})

    @contextmanager
    def served(self) -> Iterator[TestClient]:
        with TestClient(self.app, base_url=OWN) as client:
            yield client

    def wait(self) -> list[str]:
        """Wait until all was asked; return what was since the last time."""
        until(lambda: self.app.is_done)
        asked, self.asked = self.asked, []
        return asked


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_list_is_asked_for_first_then_all_of_the_newest_study_and_of_another_one_when_somebody_looks() -> None:
    recorder = Recorder()
    with recorder.served() as client:
        assert recorder.wait() == ["overview", *asked_of("new")]
        client.get("/api/slots", params={"study": "old"})
        assert recorder.wait() == ["slots?study=old", *asked_of("old")]
        client.get("/api/slots", params={"study": "old"})
        client.get("/api/tree", params={"study": "new"})
        client.get("/api/tree", params={"study": "nobody"})
        client.get("/api/acts", params={"study": "other"})
        assert recorder.wait() == ["slots?study=old", "tree?study=new", "tree?study=nobody", "acts?study=other"]


def test_nothing_is_asked_while_somebody_waits_for_an_answer() -> None:
    recorder = Recorder("overview", "slots?study=old")
    with recorder.served() as client:
        until(lambda: recorder.asked == ["overview"])
        looker = threading.Thread(target=client.get, args=("/api/slots",), kwargs={"params": {"study": "old"}})
        looker.start()
        until(lambda: recorder.asked == ["overview", "slots?study=old"])
        recorder.held["overview"].set()
        time.sleep(0.2)
        assert recorder.asked == ["overview", "slots?study=old"]
        recorder.held["slots?study=old"].set()
        looker.join()
        assert recorder.wait()[2:] == [*asked_of("new"), *asked_of("old")]


@pytest.mark.parametrize("study", [NAME, "seeded"])
def test_what_was_asked_ahead_is_not_read_again(storage: str, study: str) -> None:
    read: list[str] = []

    def note(connection: object, cursor: object, statement: str, *more: object) -> None:
        read.append(statement)

    def kinds() -> set[str]:
        names = {"trial", "node", "step", "metrics", "checkpoint", "lease"}
        found = {name for name in names if any(f"FROM hippo_{name}" in statement for statement in read)}
        read.clear()
        return found

    store = open_store(storage)
    app = PrefetchingDashboard(make_dashboard(store))
    event.listen(Engine, "before_cursor_execute", note)
    try:
        with TestClient(app, base_url=OWN) as client:
            until(lambda: app.is_done)
            if study != "seeded":  # that is the newest: nobody has to look at it
                assert client.get("/api/rungs", params={"study": study}).status_code == 200
                until(lambda: app.is_done)
            assert kinds() == {"trial", "node", "step", "metrics", "checkpoint", "lease"}
            for name, more in QUESTIONS:
                assert client.get(f"/api/{name}", params={**more, "study": study}).status_code == 200, name
            assert kinds() == set()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        store.close()
