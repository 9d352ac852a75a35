"""Optuna's dashboard stands beside hippo's, where it is installed, and only reads."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("optuna")
pytest.importorskip("starlette")

from starlette.testclient import TestClient

from hippo.dashboard.app import make_dashboard
from hippo.plan import open_store
from hippo.testing.browser import browser_program, open_browser

OWN = "http://127.0.0.1"


def stand_in(made: list[Any]) -> ModuleType:
    """Return a module in the place of Optuna's dashboard, that says what it was asked."""

    def wsgi(storage: Any) -> Callable[..., list[bytes]]:
        made.append(storage)

        def application(environ: dict[str, Any], start: Callable[..., None]) -> list[bytes]:
            start("203 Told", [("Content-Type", "text/plain"), ("X-Query", environ["QUERY_STRING"])])
            names = sorted(study.study_name for study in storage.get_all_studies())
            return [environ["PATH_INFO"].encode("latin-1"), b" ", ",".join(names).encode()]

        return application

    module = ModuleType("optuna_dashboard")
    module.__dict__["wsgi"] = wsgi
    module.__spec__ = ModuleSpec("optuna_dashboard", None)
    return module


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    storages: list[Any] = []
    monkeypatch.setitem(sys.modules, "optuna_dashboard", stand_in(storages))
    return storages


@pytest.fixture
def client(storage: str, made: list[Any]) -> Iterator[TestClient]:
    store = open_store(storage)
    with TestClient(make_dashboard(store, optuna_storage=storage), base_url=OWN) as client:
        yield client
    store.close()


def test_optunas_page_and_all_it_asks_for_is_answered_by_optunas_application(
    client: TestClient, made: list[Any]
) -> None:
    assert client.get("/api/rights").json()["optuna"] is True
    assert made == []  # nobody asked for it yet
    moved = client.get("/optuna", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, "/dashboard")
    for path in ("/dashboard", "/dashboard/studies/3", "/static/bundle.js", "/csv/3", "/api/meta", "/api/studies/3"):
        answer = client.get(path, params={"after": "1"})
        assert (answer.status_code, answer.headers["x-query"]) == (203, "after=1")
        assert answer.text.startswith(f"{path} ")
        assert "failing,halving,many" in answer.text
    assert len(made) == 1
    assert client.get("/api/overview").json()["studies"]  # hippo's own is still hippo's


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_written_through_optunas_page(client: TestClient, made: list[Any], method: str) -> None:
    answer = client.request(method, "/api/studies/3")
    assert (answer.status_code, "only reads" in answer.json()["reason"]) == (405, True)
    assert made == []


def test_optunas_page_answers_no_other_page_and_no_other_name(client: TestClient, made: list[Any]) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert client.get("/api/studies", headers=headers).status_code == 403
    assert made == []


def test_without_it_there_is_no_such_page(storage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna_dashboard", None)  # as if it were not installed
    store = open_store(storage)
    with TestClient(make_dashboard(store, optuna_storage=storage), base_url=OWN) as client:
        assert client.get("/api/rights").json()["optuna"] is False
        assert client.get("/optuna").status_code == 404
    store.close()


@pytest.mark.slow
def test_optunas_own_page_shows_studies_in_a_browser(storage: str) -> None:
    pytest.importorskip("optuna_dashboard")
    pytest.importorskip("aiohttp")
    if browser_program() is None:
        pytest.skip("no Chromium here (apt-get install chromium)")
    from .test_in_a_browser import started

    process, page = started(storage, "--port", "0")

    async def story() -> None:
        async with open_browser() as browser:
            await browser.show(f"{page}/", "document.querySelector('a[href=optuna]')")
            await browser.ask("document.querySelector('a[href=optuna]').click()")
            # hippo's page names it, too, and is there until Optuna's has come
            await browser.wait_for("location.pathname == '/dashboard' && document.body.innerText.includes('halving')")
            found = "[...document.querySelectorAll('a')].find((each) => each.innerText.includes('halving'))"
            await browser.ask(f"{found}.click()")
            await browser.wait_for("location.pathname.includes('/dashboard/studies/')")
            await browser.wait_for("document.body.innerText.includes('Best Trial')")

    try:
        asyncio.run(story())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
