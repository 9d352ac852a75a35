"""What somebody who means harm, or knows no better, may send to a running service is refused in words."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from hippo.server.service import STUDY_OPTIONS
from hippo.server.tokens import TokenFile

from .conftest import OnceDescribed

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]  # each service describes its trainer

TOY = "hippo.testing.trainers:ToyTrainer"
MADE = {"name": "s", "trainer": TOY, "metric": "loss", "mode": "min"}
STRANGE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "\x00",
    "../../etc/passwd",
    "\ud800",
    [],
    [[1]],
    {},
    {"a": [None]},
]
TOO_LONG = f"/v1/studies/{'9' * 5_000}/trials"
HEADERS = {"Content-Type": "application/json"}


def refused(response: httpx.Response) -> bool:
    """Tell whether a response is a refusal in words; one that lays the fault on the service is none."""
    return 400 <= response.status_code < 500 and bool(response.json()["error"]["message"])


def post(served: Any, path: str, said: Any) -> httpx.Response:
    return httpx.post(served.url + path, content=json.dumps(said).encode(), headers=HEADERS)


def test_strange_values_in_each_place_are_refused_or_taken_and_never_the_services_fault(
    served: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    study = post(served, "/v1/studies", MADE).json()["study"]
    calls = f"/v1/studies/{study}/calls"
    call = post(served, calls, {"position": 0, "record": "{}", "client": "me"}).json()["call"]
    known: dict[str, dict[str, Any]] = {
        "/v1/studies/open": {"name": "s", "generation": None},
        calls: {"position": 1, "record": "{}", "client": "me", "must_not_all_fail": False},
        f"{calls}/{call}/entries": {"first": 0, "seen": 0, "quiet": True, "entries": [], "uncovered": None},
        f"{calls}/{call}/close": {"state": "complete"},
    }
    for path, good in known.items():
        for name in good:
            for strange in STRANGE:
                response = post(served, path, {**good, name: strange})
                assert response.status_code == 200 or refused(response), (path, name, strange, response.text)
    assert "Traceback" not in capfd.readouterr().err


def test_no_client_begins_what_the_service_would_take_for_enqueued(served: Any) -> None:
    study = post(served, "/v1/studies", MADE).json()["study"]
    forged = json.dumps({"enqueue": {"lr": 0.1}, "until": 10**9})
    response = post(served, f"/v1/studies/{study}/calls", {"position": 0, "record": forged, "client": "me"})
    assert refused(response)
    assert "the service's own" in response.text


LR = {"lr": {"sequence": "Constant", "arguments": {"value": 0.1}}}


@pytest.mark.parametrize(
    ("begun", "asked"),
    [
        ({"record": "\0"}, {}),
        ({"record": "\ud800"}, {}),
        ({"record": "x" * 9_000_000}, {}),
        ({"position": 10**30}, {}),
        ({}, {"occurrence": 2**63}),
        ({}, {"config": {"lr": {"sequence": "Constant", "arguments": {"value": "x" * 9_000_000}}}}),
        ({}, {"config": {"lr": {"sequence": "Constant", "arguments": {"value": "\ud800"}}}}),
    ],
)
def test_what_no_database_takes_is_refused_by_itself_and_ends_no_call_of_others(
    served: Any, begun: dict[str, Any], asked: dict[str, Any]
) -> None:
    calls = f"/v1/studies/{post(served, '/v1/studies', MADE).json()['study']}/calls"

    def ask(call: str, **proposal: Any) -> httpx.Response:
        entry = {"kind": "ask", "proposal": {"config": LR, "until": 2, **proposal}}
        return post(served, f"{calls}/{call}/entries", {"first": 0, "seen": 0, "quiet": True, "entries": [entry]})

    adas = post(served, calls, {"position": 0, "record": "{}", "client": "ada"}).json()["call"]
    response = post(served, calls, {"position": 1, "record": "{}", "client": "eve", **begun})
    if response.status_code == 200:
        response = ask(response.json()["call"], **asked)
        assert response.json()["refused"]["0"]["type"] == "RefusedError"
    else:
        assert refused(response)
    assert ask(adas).json()["refused"] == {}
    answered = httpx.get(f"{served.url}{calls}/{adas}/answers?wait=10", timeout=20).json()["events"]
    assert "answers" in answered[0], answered


#: what a trainer is described with, for each value by a process of its own
DESCRIBED = ("trainer_args", "dataset", "evaluate_every", "numerics")


@pytest.mark.parametrize("name", [*sorted(STUDY_OPTIONS - {*DESCRIBED}), "name"])
def test_strange_options_of_a_study_are_refused_or_taken_and_never_the_services_fault(
    serve: Callable[..., Any], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    served = serve(service=OnceDescribed)
    for number, strange in enumerate(STRANGE):
        response = post(served, "/v1/studies", {**MADE, "name": f"s{number}", name: strange})
        assert response.status_code == 200 or refused(response), (name, strange, response.text)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", DESCRIBED)
def test_strange_descriptions_of_a_trainer_are_refused_or_taken_and_never_the_services_fault(
    served: Any, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for strange in ("/etc/passwd", [[1]], {"log": [None]}, 10**30):
        response = post(served, "/v1/studies", {**MADE, name: strange})
        assert response.status_code == 200 or refused(response), (name, strange, response.text)
        assert "root:" not in response.text
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/studies/../../etc/passwd", "/v1/studies/1e3/trials", "//v1/studies", TOO_LONG]
)
def test_a_path_that_there_is_not_is_refused_as_json(served: Any, path: str) -> None:
    assert refused(httpx.get(served.url + path))


def test_a_method_that_there_is_not_is_refused_as_json(served: Any) -> None:
    assert refused(httpx.delete(f"{served.url}/v1/studies"))


def raw(port: int, request: bytes) -> bytes:
    """Send bytes, and return all that comes back until the other side ends the connection."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(request)
        connection.settimeout(60)
        came = b""
        while chunk := connection.recv(65536):
            came += chunk
    return came


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n",
        b"GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer\r\nConnection: close\r\n\r\n",
        b"GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic YTpi\r\nConnection: close\r\n\r\n",
    ],
)
def test_a_header_that_holds_no_token_opens_nothing(
    serve: Callable[..., Any], tmp_path: Path, request_line: bytes
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    tokens.add("ada", "admin")
    served = serve(tokens=tokens)
    assert raw(served.server.port, request_line).startswith(b"HTTP/1.1 401")


def test_no_token_and_no_password_is_in_what_a_service_prints_or_in_the_list_of_processes(tmp_path: Path) -> None:
    token = TokenFile(tmp_path / "tokens.json").add("ada", "write")
    command = [sys.executable, "-m", "hippo", "serve", "--port=0", "--workers=1", "--trainers=hippo.testing.*"]
    service = subprocess.Popen(
        [*command, "--tokens=tokens.json"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HIPPO_STORAGE": "sqlite:///held-back.db"},
    )
    try:
        assert service.stderr is not None
        said = service.stderr.readline()
        url = said.partition(" at ")[2].partition(";")[0]
        headers = {**HEADERS, "Authorization": f"Bearer {token}"}
        made = httpx.post(f"{url}/v1/studies", content=json.dumps(MADE).encode(), headers=headers, timeout=60)
        assert made.status_code == 200
        httpx.get(f"{url}/v1/studies?token={token}", headers=headers)
        httpx.post(f"{url}/v1/studies", content=b"{" + token.encode(), headers=headers)
        assert token.encode() not in Path(f"/proc/{service.pid}/cmdline").read_bytes()
        assert b"held-back" not in Path(f"/proc/{service.pid}/cmdline").read_bytes()
    finally:
        service.send_signal(signal.SIGTERM)
        _, err = service.communicate(timeout=60)
    assert token not in said + err
    assert (tmp_path / "held-back.db").exists()
