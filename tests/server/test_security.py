"""What a service refuses to whom, and that it imports nothing that a client names."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import hippo
from hippo.errors import HippoError, OptionError, RefusedError, ServiceError, TrainerError, UnknownStudyError
from hippo.server.link import ServiceLink, UnreachableError
from hippo.server.serving import check_host
from hippo.server.tokens import TokenFile

from .conftest import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]  # each service describes its trainer

TOY = "hippo.testing.trainers:ToyTrainer"
MADE = {"name": "s", "trainer": TOY, "metric": "loss", "mode": "min"}


def post(served: Any, path: str, said: Any, **headers: str) -> httpx.Response:
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    return httpx.post(served.url + path, content=body, headers={"Content-Type": "application/json", **headers})


def message_of(response: httpx.Response) -> str:
    told = response.json()["error"]
    assert set(told) == {"type", "message"}
    return str(told["message"])


@pytest.fixture
def begun(served: Any) -> tuple[Any, str]:
    """A service, and the path of a call there that was begun."""
    study = post(served, "/v1/studies", MADE).json()["study"]
    said = {"position": 0, "record": "{}", "client": "me"}
    call = post(served, f"/v1/studies/{study}/calls", said).json()["call"]
    return served, f"/v1/studies/{study}/calls/{call}"


def entries(path: str, *given: Any, served: Any) -> httpx.Response:
    return post(served, f"{path}/entries", {"first": 0, "seen": 0, "quiet": True, "entries": list(given)})


def ask(config: Any, until: Any = 2, **more: Any) -> dict[str, Any]:
    return {"kind": "ask", "proposal": {"config": config, "until": until}, **more}


# --- nothing that a client names is imported


@pytest.mark.parametrize("module", ["this", "antigravity"])
def test_a_sequence_of_a_users_own_is_refused_and_its_module_is_not_imported(
    begun: tuple[Any, str], module: str
) -> None:
    sys.modules.pop(module, None)
    served, path = begun
    zen = {"sequence": f"{module}:Zen", "code": "0", "arguments": {}}
    nested = {"sequence": "Chain", "arguments": {"parts": [zen, zen]}}
    told = entries(path, ask({"lr": zen}), ask({"lr": nested}), served=served).json()["refused"]
    assert sorted(told) == ["0", "1"]
    assert all("refused" in each["message"] for each in told.values())
    assert module not in sys.modules


def test_the_service_does_not_import_the_trainer(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "imported_by"
    (tmp_path / "guest_trainer.py").write_text(
        "import os\n"
        "from hippo.testing.trainers import ToyTrainer, append_line\n"
        f"append_line({str(witness)!r}, str(os.getpid()))\n"
        "class Guest(ToyTrainer):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    served = serve(trainers=["guest_trainer"])
    served.study(trainer="guest_trainer:Guest").optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    importers = set(map(int, witness.read_text().split()))
    assert importers
    assert os.getpid() not in importers
    assert "guest_trainer" not in sys.modules


def test_the_process_that_waits_for_the_next_trainer_describes_its_code_as_it_is_then(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "guest_trainer.py"
    text = "from hippo.testing.trainers import ToyTrainer\nclass Guest(ToyTrainer):\n    value = {}\n"
    file.write_text(text.format(1))
    monkeypatch.syspath_prepend(str(tmp_path))
    served = serve(trainers=["guest_trainer"])
    assert served.study(trainer="guest_trainer:Guest").generation == 1
    waiting = served.service._spare._process
    assert waiting is not None
    assert waiting.poll() is None
    file.write_text(text.format(22))
    assert served.study(trainer="guest_trainer:Guest").generation == 2
    assert served.service._spare._process is not waiting
    served.stop()
    assert waiting.poll() is not None


@pytest.mark.parametrize("name", ["Scripted", "hippo.testing.scripted.ScriptedTrainer"])
def test_a_class_that_an_allowed_module_got_from_elsewhere_is_refused(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "guest_trainer.py").write_text(
        "import hippo.testing.scripted\nfrom hippo.testing.scripted import ScriptedTrainer as Scripted\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    served = serve(trainers=["guest_trainer"])
    executes_anything = {"step": "raise SystemExit"}
    with pytest.raises(RefusedError, match=r"hippo\.testing\.scripted:ScriptedTrainer' is not among those"):
        served.study(trainer=f"guest_trainer:{name}", trainer_args=executes_anything)


@pytest.mark.parametrize(
    "trainer",
    ["os:system", "hippo.cli.app:main", "hippo.testingx:A", "../x:A", "a b:C", "hippo.testing.trainers", 3, None],
)
def test_a_trainer_that_is_not_allowed_is_refused_before_any_process_starts_for_it(
    served: Any, trainer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    described: list[Any] = []
    monkeypatch.setattr("hippo.server.service.Describer", lambda order, _: described.append(order))
    response = post(served, "/v1/studies", {**MADE, "trainer": trainer})
    assert response.status_code == 400
    assert "trainer" in message_of(response)
    assert described == []


def test_a_trainer_by_value_is_refused_before_anything_is_sent(served: Any) -> None:
    from hippo.testing.trainers import ToyTrainer

    with pytest.raises(TrainerError, match=r"by their name alone.*--trainers"):
        served.study(trainer=ToyTrainer)


@pytest.mark.parametrize("name", ["storage", "checkpoints", "engine", "callbacks", "checkpoint_budget"])
def test_no_path_and_no_place_is_taken_from_a_client(served: Any, name: str) -> None:
    response = post(served, "/v1/studies", {**MADE, name: "/etc/passwd"})
    assert response.status_code == 400
    assert "service's choice" in message_of(response)


def test_a_module_that_ends_its_process_ends_no_service(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_all.py").write_text("import os\nos._exit(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    served = serve(trainers=["ends_all", "hippo.testing.*"])
    with pytest.raises(ServiceError, match="ended"):
        served.study(trainer="ends_all:Gone")
    assert served.study().evaluate({"lr": 0.1}, until=1) == {"loss": 1.0}


# --- bounds


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"no json", "no JSON"),
        (b"[1]", "JSON object"),
        (b'{"name": NaN}', "NaN"),
        (b'{"name": 1e999}', "1e999"),
        (b'{"name": ' + b"[" * 40 + b"]" * 40 + b"}", "nested deeper than 32"),
        (b'{"name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ""),
        (b"\xff\xfe", "no JSON"),
    ],
)
def test_a_body_that_is_none_is_refused_in_words(served: Any, body: bytes, said: str) -> None:
    response = post(served, "/v1/studies", body)
    assert response.status_code == 400
    assert said in message_of(response)


def test_a_body_that_is_too_large_is_refused(served: Any) -> None:
    response = post(served, "/v1/studies", b'{"name": "' + b"x" * 16_000_001 + b'"}')
    assert response.status_code == 413
    assert "16000000 bytes" in message_of(response)


def test_more_entries_than_a_batch_takes_are_refused(begun: tuple[Any, str]) -> None:
    served, path = begun
    response = entries(path, *[{"kind": "show", "text": ""}] * 10_001, served=served)
    assert response.status_code == 400
    assert "10000 entries" in message_of(response)


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        ({"config": {"lr": 0.1}, "until": 2}, "config"),
        ({"config": 3, "until": 2}, "config"),
        ({"config": {}, "until": 0}, "until"),
        ({"config": {}, "until": True}, "until"),
        ({"config": {}, "until": 1.5}, "until"),
        ({"config": {}, "until": 10**9}, "--max-steps"),
        ({"config": {}, "until": 2, "final": 1}, "final"),
        ({"config": {}, "until": 2, "path": "/etc"}, "no field 'path'"),
        ({"config": {}}, "until"),
        ({"config": {"lr": {"sequence": "Nope", "arguments": {}}}, "until": 2}, "Nope"),
        ({"config": {"lr": {"sequence": "Linear", "arguments": 3}}, "until": 2}, "config"),
        (None, "JSON object"),
    ],
)
def test_a_request_that_is_none_is_refused_by_itself(begun: tuple[Any, str], proposal: Any, said: str) -> None:
    served, path = begun
    good = ask({"lr": {"sequence": "Constant", "arguments": {"value": 0.1}}})
    told = entries(path, good, {"kind": "ask", "proposal": proposal}, served=served).json()
    assert list(told["refused"]) == ["1"]
    assert said in told["refused"]["1"]["message"]


@pytest.mark.parametrize(
    "entry",
    [
        3,
        {},
        {"kind": "exec"},
        {"kind": "unpin", "entry": "x"},
        {"kind": "withdraw"},
        {"kind": "limit", "seconds": 10**400, "device_seconds": None},
        {"kind": "limit", "seconds": None, "device_seconds": -(10**400)},
    ],
)
def test_an_entry_that_is_none_is_refused(begun: tuple[Any, str], entry: Any) -> None:
    served, path = begun
    assert entries(path, entry, served=served).status_code == 400


def test_a_batch_that_is_sent_twice_is_one_batch(begun: tuple[Any, str]) -> None:
    served, path = begun
    good = ask({"lr": {"sequence": "Constant", "arguments": {"value": 0.1}}})
    assert [entries(path, good, served=served).json()["taken"] for _ in range(2)] == [1, 1]
    events = httpx.get(f"{served.url}{path}/answers?wait=5").json()["events"]
    assert [number for event in events for number, _ in event["answers"]] == [0]


def test_a_batch_that_came_too_early_is_refused(begun: tuple[Any, str]) -> None:
    served, path = begun
    response = post(served, f"{path}/entries", {"first": 3, "seen": 0, "quiet": True, "entries": []})
    assert response.status_code == 400
    assert "have not come" in message_of(response)


def test_events_come_as_server_sent_events_behind_the_last_one_that_was_seen(begun: tuple[Any, str]) -> None:
    served, path = begun
    entries(path, ask({"lr": {"sequence": "Constant", "arguments": {"value": 0.1}}}), served=served)
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "0"}
    with httpx.stream("GET", f"{served.url}{path}/answers", headers=headers) as response:
        lines = response.iter_lines()
        assert next(lines) == "id: 1"
        assert json.loads(next(lines).removeprefix("data: "))["answers"][0][0] == 0


@pytest.mark.parametrize("path", ["/v1/studies/99/trials", "/v1/studies/99/statistics"])
def test_a_study_that_nobody_opened_is_not_found(served: Any, path: str) -> None:
    assert httpx.get(served.url + path).status_code == 404


def test_a_study_of_a_name_that_there_is_not_is_named(served: Any) -> None:
    with pytest.raises(UnknownStudyError, match="nope"):
        hippo.load_study("nope", storage=served.url)


def test_a_call_that_there_is_not_is_not_found(served: Any) -> None:
    study = post(served, "/v1/studies", MADE).json()["study"]
    response = httpx.get(f"{served.url}/v1/studies/{study}/calls/abc/answers")
    assert response.status_code == 404
    assert response.json()["error"]["type"] == "UnknownCallError"


def test_a_second_client_goes_on_and_the_first_one_hears_so(begun: tuple[Any, str]) -> None:
    served, path = begun
    post(served, path.rpartition("/")[0], {"position": 0, "record": "{}", "client": "you"})
    response = entries(path, served=served)
    assert response.status_code == 409
    assert "another process" in message_of(response)


def test_a_client_that_waits_for_events_hears_that_another_one_goes_on(begun: tuple[Any, str]) -> None:
    served, path = begun
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(httpx.get, f"{served.url}{path}/answers?after=0&wait=30")
        (call,) = served.service._calls.values()
        wait_for(lambda: bool(call.events._waiting), "the client never waits")
        post(served, path.rpartition("/")[0], {"position": 0, "record": "{}", "client": "you"})
        (event,) = waiting.result().json()["events"]
    assert event["ended"] == "interrupted"
    assert "another process went on with this call" in event["error"]["message"]


# --- who may


def test_without_tokens_no_web_page_and_no_other_name_is_answered(served: Any) -> None:
    page = post(served, "/v1/studies", MADE, Origin="http://evil.example")
    other = post(served, "/v1/studies", MADE, Host="evil.example")
    form = post(served, "/v1/studies", MADE, **{"Content-Type": "text/plain"})
    assert [page.status_code, other.status_code, form.status_code] == [403, 403, 415]


def test_without_tokens_no_address_of_others_is_listened_at() -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        check_host(host, has_tokens=False)
    check_host("0.0.0.0", has_tokens=True)
    for host in ("0.0.0.0", "::", "10.0.0.1", "example.org"):
        with pytest.raises(OptionError, match="hippo token add"):
            check_host(host, has_tokens=False)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


def test_tokens_open_what_their_right_says(
    serve: Callable[..., Any], tokens: TokenFile, capfd: pytest.CaptureFixture[str]
) -> None:
    reader, writer = tokens.add("rita", "read"), tokens.add("will", "write")
    served = serve(tokens=tokens)
    with pytest.raises(RefusedError, match="wants a token"):
        served.study()
    with pytest.raises(RefusedError, match="wants a token"):
        served.study(storage=served.url.replace("//", "//x:wrong@"))
    with pytest.raises(RefusedError, match="'rita' has the right 'read'; this needs 'write'"):
        served.study(storage=served.url.replace("//", f"//rita:{reader}@"))
    url = served.url.replace("//", f"//will:{writer}@")
    study = served.study(storage=url)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert hippo.get_all_study_names(served.url.replace("//", f"//rita:{reader}@")) == ["study"]
    tokens.revoke("will")
    with pytest.raises(RefusedError, match="wants a token") as refused:
        study.evaluate({"lr": 0.2}, until=2)
    shown = [repr(study), study.storage, repr(study._link), str(refused.value), *capfd.readouterr()]
    assert not any(writer in text for text in shown)


def test_who_has_no_token_or_not_the_right_is_told_so_by_the_status(
    serve: Callable[..., Any], tokens: TokenFile
) -> None:
    reader = tokens.add("rita", "read")
    served = serve(tokens=tokens)
    statuses = [post(served, "/v1/studies", MADE, **headers).status_code for headers in (
        {}, {"Authorization": "Bearer x"}, {"Authorization": f"Bearer {reader}"},
    )]  # fmt: skip
    assert statuses == [401, 401, 403]


def test_no_token_stands_in_an_error_of_a_service_that_is_gone() -> None:
    for url in (
        "http://me:secret-token@127.0.0.1:1",
        "http://me:secret-token@127.0.0.1:1/x",
        "http://me:secret-token@h:p",
    ):
        with pytest.raises(HippoError) as error:
            hippo.create_study("s", trainer=TOY, storage=url, metric="loss")
        assert "secret-token" not in f"{error.value}{error.value!r}"


def test_tokens_that_cannot_be_read_for_now_make_clients_wait_and_are_told_of_at_the_service_alone(
    serve: Callable[..., Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    link = ServiceLink(serve(tokens=tokens).url.replace("http://", f"http://ada:{tokens.add('ada', 'read')}@"))
    (tmp_path / "tokens.json").chmod(0o644)
    for _ in range(2):
        with pytest.raises(UnreachableError, match="not there for now"):
            link.request("GET", "/v1/studies")
    told = httpx.get(f"{link.url}/v1/studies", headers={"Authorization": "Bearer guessed"}).text
    assert "tokens" in told
    assert str(tmp_path) not in told
    httpx.get(f"{link.url}/v1/studies")
    httpx.get(f"{link.url}/v1/studies", headers={"Authorization": "Bearer guessed"})
    assert capfd.readouterr().err.count("chmod 600") == 1, "once, though others come without a token in between"
    (tmp_path / "tokens.json").chmod(0o600)
    assert link.request("GET", "/v1/studies") == {"studies": []}


def test_a_file_of_tokens_holds_none_and_only_its_owner_reads_it(tokens: TokenFile, tmp_path: Path) -> None:
    token = tokens.add("ada", "admin")
    file = tmp_path / "tokens.json"
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert tokens.entry_of(token) is not None
    assert tokens.entry_of(token[:-1]) is None
    file.chmod(0o640)
    with pytest.raises(OptionError, match="chmod 600"):
        tokens.entries()


def test_what_a_killed_process_left_beside_the_tokens_is_in_nobodys_way(
    tokens: TokenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens.add("ada", "admin")
    before = set(tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(SystemExit))
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(SystemExit):
            tokens.add("bob", "read")
    assert len(set(tmp_path.iterdir()) - before) == 1
    tokens.add("eve", "read")
    assert [entry.name for entry in tokens.entries()] == ["ada", "eve"]
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("name", "right"), [("", "read"), ("a b", "read"), ("ada", "root"), ("../x", "read")])
def test_a_token_needs_a_name_and_a_right_that_there_is(tokens: TokenFile, name: str, right: str) -> None:
    with pytest.raises(OptionError):
        tokens.add(name, right)


def test_two_tokens_of_one_name_and_one_that_is_not_there_are_refused(tokens: TokenFile) -> None:
    tokens.add("ada", "read")
    with pytest.raises(OptionError, match="already"):
        tokens.add("ada", "read")
    with pytest.raises(OptionError, match=r"no token 'bob'.*'ada'"):
        tokens.revoke("bob")


# --- clients


@pytest.mark.parametrize("url", ["http://", "http://h:x", "http://h/path", "http://name@h:1", "http://h:1?a=b"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="URL of a study service"):
        ServiceLink(url)


@pytest.mark.parametrize(("spoken", "older"), [(0, "hippo here"), (2, "the service")])
def test_a_service_of_another_protocol_is_refused(
    served: Any, monkeypatch: pytest.MonkeyPatch, spoken: int, older: str
) -> None:
    monkeypatch.setattr("hippo.server.link.PROTOCOL", spoken)
    with pytest.raises(ServiceError, match=f"upgrade {older}"):
        served.study()


def test_what_is_done_to_databases_is_not_done_to_services(served: Any) -> None:
    for function in (hippo.delete_study, hippo.keep_states if hasattr(hippo, "keep_states") else hippo.delete_study):
        with pytest.raises((OptionError, TypeError), match=r"study service|missing"):
            function("s", storage=served.url)


def test_a_stream_that_had_nothing_more_is_offered_room_again_if_an_answer_was_on_its_way() -> None:
    from hippo.server.sessions import RemoteStream

    stream = RemoteStream(0, lambda number, room: None, lambda: None)
    answer: Any = type("Answer", (), {"cancelled": lambda self: False})()
    stream.note_answer(Any, lambda: 4, answer)  # it is told by event 5
    stream.note_pulled(is_exhausted=True, seen=4)
    assert stream.demand
    stream.note_pulled(is_exhausted=True, seen=5)
    assert not stream.demand
