"""A call that ends while its client says something: the client hears that it ended, and does not begin it anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import hippo
from hippo.server.link import ServiceLink
from hippo.server.served_calls import EventLog, ServedCall, ServedStudy, UnknownCallError
from hippo.server.service import StudyService
from hippo.server.sessions import CallSession, SaidEntry

TOY = "hippo.testing.trainers:ToyTrainer"
WITHDRAWN = [SaidEntry(kind="withdraw", fields={"entries": [0]})]


def some_call() -> ServedCall:
    nothing: Any = None
    read = ServedStudy(study=nothing, describer=None)
    return ServedCall(
        id="call",
        client="client",
        study=read,
        session=CallSession(nothing),
        events=EventLog(),
        told=None,
        begun=asyncio.Event(),
        ended=asyncio.Event(),
        silence=nothing,
    )


@pytest.mark.parametrize(
    "say",
    [
        lambda service, call: service.seen(call, 1),
        lambda service, call: service.close(call, "complete"),
        lambda service, call: service.take(call, 0, WITHDRAWN, seen=1, is_quiet=True),
    ],
    ids=["seen", "close", "take"],
)
def test_what_is_said_to_a_call_that_ends_meanwhile_is_said_to_nobody(
    say: Callable[[StudyService, ServedCall], Coroutine[Any, Any, object]],
    served: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hippo.server.service._looked_at", lambda describer, entries: list(entries))

    async def said() -> object:
        call = some_call()
        saying = asyncio.create_task(say(served.service, call))
        await asyncio.sleep(0.05)
        assert not saying.done()
        call.ended.set()
        return await asyncio.wait_for(saying, 60.0)

    assert asyncio.run(said()) is None


def test_entries_for_a_call_that_has_ended_count_as_taken_in(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.server.service._looked_at", lambda describer, entries: list(entries))
    study = served.study()
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
    ((id, call),) = served.service._calls.items()
    assert call.ended.is_set()
    link = ServiceLink(served.url)
    path = f"/v1/studies/{call.study.study._opened.row.study}/calls/{id}/entries"
    entries = [{"kind": "withdraw", "entries": [0]}] * 3
    answer = link.request("POST", path, {"first": 7, "seen": 0, "quiet": True, "entries": entries})
    assert answer == {"taken": 10, "refused": {}}
    link.close()


def test_a_question_to_a_call_that_has_ended_has_no_answer() -> None:
    async def asked() -> None:
        call = some_call()
        call.ended.set()
        await call.on_loop(lambda: 1)

    with pytest.raises(UnknownCallError, match="has ended"):
        asyncio.run(asked())


def test_a_service_that_ends_while_a_call_runs_has_nothing_to_complain_of(
    served: Any, caplog: pytest.LogCaptureFixture
) -> None:
    link = ServiceLink(served.url)
    made = link.request("POST", "/v1/studies", {"name": "s", "trainer": TOY, "metric": "loss", "mode": "min"})
    begun = {"position": 0, "record": "{}", "client": "ada"}
    call = link.request("POST", f"/v1/studies/{made['study']}/calls", begun)["call"]
    entry = {"kind": "show", "text": "at work"}
    said = {"first": 0, "seen": 0, "quiet": True, "entries": [entry]}
    link.request("POST", f"/v1/studies/{made['study']}/calls/{call}/entries", said)
    link.close()
    served.stop()
    assert [record.getMessage() for record in caplog.records] == []
