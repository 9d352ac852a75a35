"""A page beside a service acts on its studies, for those who may, by what hippo offers; other pages only read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import hippo
from hippo.errors import OptionError, ServiceError, UnreachableDatabaseError
from hippo.records import Metrics, Point

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
import httpx
from starlette.testclient import TestClient

from hippo.dashboard.app import make_dashboard
from hippo.plan import open_store
from hippo.plan.sql_store import SqlStore
from hippo.server import enqueuing

from ..server.conftest import _busy_machines_are_waited_for
from .served import ServedPage, Waits

__all__ = ["_busy_machines_are_waited_for"]  # a fixture

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]  # each service describes its trainer


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServedPage]]:
    started: list[ServedPage] = []

    def start(*, has_tokens: bool = True, metrics: Callable[[Point], Metrics] | None = None) -> ServedPage:
        started.append(ServedPage(tmp_path, has_tokens=has_tokens, metrics=metrics))
        return started[-1]

    yield start
    for served in started:
        served.stop()


@pytest.fixture
def served(serve: Callable[..., ServedPage]) -> ServedPage:
    return serve()


def got(served: ServedPage, path: str, right: str | None, **parameters: Any) -> httpx.Response:
    headers = {} if right is None else {"Authorization": f"Bearer {served.tokens[right]}"}
    return httpx.get(f"{served.origin}/dashboard/api/{path}", params=parameters, headers=headers)


def acted(served: ServedPage, right: str | None, act: str, **said: Any) -> httpx.Response:
    headers = {} if right is None else {"Authorization": f"Bearer {served.tokens[right]}"}
    body = {"study": "study", "act": act, **said}
    return httpx.post(f"{served.origin}/dashboard/api/acts", json=body, headers=headers)


def possible(served: ServedPage, right: str | None) -> list[str]:
    found: list[str] = got(served, "acts", right, study="study").json()["acts"]
    return found


def wait_until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def rows(served: ServedPage) -> Any:
    return hippo.load_study("study", served.storage).trials


# --- who may


def test_the_page_comes_to_everybody_and_what_it_shows_to_those_who_may_read(served: ServedPage) -> None:
    served.study()
    page = httpx.get(f"{served.origin}/dashboard", follow_redirects=True)
    assert (page.status_code, page.url.path) == (200, "/dashboard/")
    assert httpx.get(f"{served.origin}/dashboard/page/main.js").status_code == 200
    for path in ("rights", "overview", "tree", "trials", "acts", "changes"):
        answer = got(served, path, None, study="study")
        assert (answer.status_code, "wants a token" in answer.json()["error"]) == (401, True), path
    assert [each["name"] for each in got(served, "overview", "read").json()["studies"]] == ["study"]
    assert got(served, "rights", "read").json() == {
        "storage": served.storage, "has_tokens": True, "name": "a-read", "right": "read", "acts": True,
        "optuna": False,
    }  # fmt: skip


def test_no_token_opens_anything_but_in_its_header(served: ServedPage) -> None:
    token = served.tokens["admin"]
    for where in ({"params": {"token": token, "authorization": token}}, {"cookies": {"hippo-token": token}},
                  {"auth": ("a-admin", token)}):  # fmt: skip
        assert httpx.get(f"{served.origin}/dashboard/api/overview", **where).status_code == 401


def test_a_revoked_token_opens_nothing(served: ServedPage) -> None:
    assert got(served, "overview", "read").status_code == 200
    served.file.revoke("a-read")
    assert got(served, "overview", "read").status_code == 401


def test_each_act_needs_its_right_and_none_is_offered_to_those_who_lack_it(served: ServedPage) -> None:
    served.study()
    assert possible(served, "read") == []
    assert possible(served, "write") == ["enqueue"]
    assert possible(served, "admin") == ["enqueue", "keep", "delete"]
    lacking = [("read", "stop"), ("read", "enqueue"), ("read", "retry"), ("write", "keep"), ("write", "delete")]
    for right, act in lacking:
        answer = acted(served, right, act, keep="all", config={"lr": 0.1}, until=1)
        assert (answer.status_code, f"has the right '{right}'" in answer.json()["error"]) == (403, True), act
    assert [trial.number for trial in rows(served)] == []


def test_without_tokens_pages_of_others_act_no_more_than_they_read(serve: Callable[..., ServedPage]) -> None:
    served = serve(has_tokens=False)
    served.study()
    url, body = f"{served.origin}/dashboard/api/acts", {"study": "study", "act": "delete"}
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
        assert httpx.post(url, json=body, headers=headers).status_code == 403
    as_a_form = {"Content-Type": "text/plain", "Origin": served.origin}  # what a form of another page can send
    assert httpx.post(url, content=b'{"study": "study", "act": "delete"}', headers=as_a_form).status_code == 415
    assert "study" in hippo.get_all_study_names(served.storage)
    assert httpx.post(url, json=body, headers={"Origin": served.origin}).status_code == 200
    assert hippo.get_all_study_names(served.storage) == []


# --- what is done


def test_a_study_is_stopped_and_its_script_is_told_and_goes_on_when_it_is_run_again(served: ServedPage) -> None:
    study = served.study()
    thread, raised = served.run(study, Waits())
    wait_until(lambda: "stop" in possible(served, "write") and any(trial.value for trial in rows(served)))
    assert "delete" not in possible(served, "admin")
    assert "stop it first" in acted(served, "admin", "delete").json()["error"]
    assert "run again, goes on" in acted(served, "write", "stop").json()["done"]
    thread.join(120)
    (error,) = raised
    assert isinstance(error, ServiceError)
    assert "stopped at the service, by a-write" in str(error)
    wait_until(lambda: "stop" not in possible(served, "write"))
    refused = acted(served, "write", "stop")
    assert (refused.status_code, "nothing to stop" in refused.json()["error"]) == (409, True)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    assert [(trial.number, trial.step) for trial in rows(served)] == [(0, 2), (1, 4)]


def test_a_config_is_enqueued_as_a_trial_of_its_own_and_twice_as_two(served: ServedPage) -> None:
    study = served.study()
    drop = {"sequence": "MultiStep", "arguments": {"initial": 0.1, "milestones": [2], "gamma": 0.1}}
    for config in ({"lr": 0.1}, {"lr": drop, "momentum": 0.5}, {"lr": 0.1}):
        answer = acted(served, "write", "enqueue", config=config, until=3)
        assert answer.json() == {"done": "a trial of 3 steps is enqueued"}
    wait_until(lambda: [trial.step for trial in rows(served)] == [3, 3, 3])
    assert {trial.config["lr"] for trial in rows(served)} == {
        hippo.Config({"lr": 0.1})["lr"], hippo.MultiStep(0.1, [2], 0.1),
    }  # fmt: skip
    study.evaluate({"lr": 0.1}, until=3)  # a script's own call, at the place that the first one has
    assert len(rows(served)) == 4


def test_what_was_enqueued_and_not_trained_goes_on_with_the_script_after_a_restart(
    serve: Callable[..., ServedPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve(has_tokens=False)
    served.study()
    with monkeypatch.context() as patch:
        patch.setattr(served.engine, "submit", lambda assignment: None)  # it is stopped before anything is trained
        for _ in range(2):
            acted(served, None, "enqueue", config={"lr": 0.1}, until=3).raise_for_status()
        acted(served, None, "enqueue", config={"lr": {"sequence": "Constant", "arguments": {"value": 0.2}}}, until=4)
        wait_until(lambda: len(rows(served)) == 3)
        served.stop()
    assert [trial.step for trial in rows(served)] == [0, 0, 0]
    served.file.revoke("a-read"), served.file.revoke("a-write"), served.file.revoke("a-admin")
    again = serve(has_tokens=False)
    study = again.study()
    study.evaluate({"lr": 0.5}, until=1)
    wait_until(lambda: "stop" not in possible(again, None))
    study.evaluate({"lr": 0.5}, until=2)  # nothing is left that would go on
    assert sorted(trial.step for trial in rows(again)) == [1, 2, 3, 3, 4]
    acted(again, None, "enqueue", config={"lr": 0.1}, until=3).raise_for_status()  # the third of its kind
    wait_until(lambda: sorted(trial.step for trial in rows(again)) == [1, 2, 3, 3, 3, 4])


def test_what_was_enqueued_and_cannot_go_on_keeps_no_script_from_it(
    serve: Callable[..., ServedPage], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    served = serve()
    study = served.study()
    with monkeypatch.context() as patch:
        patch.setattr(served.engine, "submit", submitted := Mock())
        acted(served, "write", "enqueue", config={"lr": 0.1}, until=3).raise_for_status()
        wait_until(lambda: submitted.called)  # a trial is written down before that
        served.service.enqueued = enqueuing.EnqueuedTrials(custom=False)  # as after a restart
    refused = Mock(side_effect=OptionError("there is no lr any more"))
    monkeypatch.setattr(enqueuing, "begin_enqueued", refused)
    study.evaluate({"lr": 0.5}, until=2)
    assert refused.call_count == 1
    assert (
        "of what was enqueued for study 'study', one does not go on: there is no lr any more" in capfd.readouterr().err
    )


def test_what_was_enqueued_goes_on_once_while_it_runs(
    serve: Callable[..., ServedPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve()
    study, submit, held = served.study(), served.engine.submit, []
    begun = Mock(wraps=enqueuing.begin_enqueued)
    monkeypatch.setattr(enqueuing, "begin_enqueued", begun)
    with monkeypatch.context() as patch:
        patch.setattr(served.engine, "submit", lambda each: held.append((asyncio.get_running_loop(), each)))
        acted(served, "write", "enqueue", config={"lr": 0.1}, until=3).raise_for_status()
        wait_until(lambda: len(held) == 1)
    study.evaluate({"lr": 0.5}, until=2)
    assert sorted(trial.step for trial in rows(served)) == [0, 2]
    loop, assignment = held[0]
    loop.call_soon_threadsafe(submit, assignment)
    wait_until(lambda: sorted(trial.step for trial in rows(served)) == [2, 3])
    study.evaluate({"lr": 0.5}, until=2)
    assert len(rows(served)) == 3
    assert begun.call_count == 1


def test_what_was_enqueued_outlives_an_outage_of_the_database(
    served: ServedPage, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    study, commit = served.study(), SqlStore.commit

    def refuse(store: SqlStore, changes: Sequence[Any]) -> None:
        monkeypatch.setattr(SqlStore, "commit", commit)
        raise UnreachableDatabaseError("postgresql://inner-host/db cannot be used: refused")

    study.evaluate({"lr": 0.5}, until=1)
    monkeypatch.setattr(SqlStore, "commit", refuse)
    acted(served, "write", "enqueue", config={"lr": 0.1}, until=3).raise_for_status()
    said = ""

    def is_told() -> bool:
        nonlocal said
        said += capfd.readouterr().err
        return "goes on when the study's script runs" in said

    wait_until(is_told)
    assert "Traceback" not in said
    study.evaluate({"lr": 0.5}, until=2)
    wait_until(lambda: sorted(trial.step for trial in rows(served)) == [1, 2, 3])


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"config": {"lr": 0.1}}, "takes a config"),
        ({"config": [1], "until": 2}, "takes a config"),
        ({"config": {"lr": 0.1}, "until": 0}, "until"),
        ({"config": {"lr": 0.1}, "until": 101}, "more than the 100 steps"),
        ({"config": {"lr": {"sequence": "os:system", "arguments": {}}}, "until": 2}, "os:system"),
        ({"config": {"lr": {"sequence": "Step"}}, "until": 2}, "no config"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_it_is_enqueued(
    served: ServedPage, said: dict[str, Any], why: str
) -> None:
    served.study()
    answer = acted(served, "write", "enqueue", **said)
    assert answer.status_code == 400, answer.text
    assert why in answer.json()["error"]
    assert rows(served) == []


def test_nothing_is_enqueued_where_nobody_brought_a_trainer(served: ServedPage, tmp_path: Path) -> None:
    served.study()
    served.service._studies.clear()  # as after a restart
    assert "enqueue" not in possible(served, "admin")
    answer = acted(served, "write", "enqueue", config={"lr": 0.1}, until=2)
    assert (answer.status_code, "run its script once more" in answer.json()["error"]) == (400, True)


def test_failed_trials_are_retried_when_the_study_does_not_run(serve: Callable[..., ServedPage]) -> None:
    broken = [True]

    def metrics(point: Point) -> Metrics:
        if broken[0]:
            raise RuntimeError("no disk")
        return {"loss": 1.0}

    served = serve(metrics=metrics)
    study = served.study()
    both = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2)
    with pytest.raises(hippo.HippoError, match="no disk"):
        study.optimize(both)
    assert "retry" in possible(served, "write")
    broken[0] = False
    thread, _ = served.run(served.study(), Waits())
    wait_until(lambda: len(rows(served)) == 3)
    assert "stop" in possible(served, "write")
    assert "retry" not in possible(served, "write")
    assert acted(served, "write", "retry").status_code == 409  # its plan is written to
    acted(served, "write", "stop")
    thread.join(120)
    wait_until(lambda: "retry" in possible(served, "write"))
    assert "3 trials are trained again" in acted(served, "write", "retry").json()["done"]
    assert "retry" not in possible(served, "write")
    served.study().optimize(both)
    assert {trial.state.value for trial in rows(served) if trial.until == 2 and trial.call == 0} == {"COMPLETE"}


def test_a_study_keeps_other_states_and_is_deleted(served: ServedPage) -> None:
    served.study()
    bad = acted(served, "admin", "keep", keep="most")
    assert (bad.status_code, "most" in bad.json()["error"]) == (400, True)
    assert acted(served, "admin", "keep").status_code == 400
    assert "keeps top:3 from now on" in acted(served, "admin", "keep", keep="top:3").json()["done"]
    assert hippo.load_study("study", served.storage)._opened.settings.keep.top == 3
    assert "is deleted" in acted(served, "admin", "delete").json()["done"]
    assert hippo.get_all_study_names(served.storage) == []
    assert acted(served, "admin", "delete").status_code == 404


@pytest.mark.parametrize("said", [{"act": "rm"}, {"act": ["stop"]}, {"act": "stop", "study": 3}, {"act": None}])
def test_an_act_that_there_is_none_of_is_refused(served: ServedPage, said: dict[str, Any]) -> None:
    answer = acted(served, "admin", **{"act": "stop", **said})
    assert (answer.status_code, "one of the acts" in answer.json()["error"]) == (400, True)


def test_what_is_said_is_no_larger_than_it_has_to_be(served: ServedPage) -> None:
    answer = acted(served, "admin", "enqueue", config={"lr": "x" * 1_000_001}, until=1)
    assert (answer.status_code, "bytes at most" in answer.json()["error"]) == (400, True)


# --- a page that only reads


def test_the_dashboard_of_a_process_of_its_own_offers_nothing_and_says_so_when_it_is_asked(storage: str) -> None:
    store, own = open_store(storage), "http://127.0.0.1:8411"
    with TestClient(make_dashboard(store), base_url=own) as client:
        assert client.get("/api/rights").json()["acts"] is False
        told = client.get("/api/acts", params={"study": "many"}).json()
        assert (told["acts"], "only reads" in told["why"]) == ([], True)
        answer = client.post("/api/acts", json={"study": "many", "act": "delete"}, headers={"Origin": own})
        assert (answer.status_code, "only reads" in answer.json()["error"]) == (400, True)
    assert "many" in hippo.get_all_study_names(storage)
    store.close()
