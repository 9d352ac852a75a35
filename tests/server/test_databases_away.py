"""A service whose database does not answer for a while: clients wait for it as they wait for the service itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import TunerError, UnreachableDatabaseError
from hippo.plan.sql_store import SqlStore
from hippo.plan.stored_nodes import StoredNodes
from hippo.server.link import ServiceLink, UnreachableError
from hippo.server.sessions import CallSession, SaidEntry
from hippo.testing.fake_engine import FakeEngine

from .conftest import OnceDescribed

TOY = "hippo.testing.trainers:ToyTrainer"


class Outage:
    """A database that refuses work at some of its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *methods: str) -> None:
        self.left = 0
        self.num_refused = 0
        for method in methods:
            monkeypatch.setattr(SqlStore, method, self._refusing(getattr(SqlStore, method)))

    def _refusing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def maybe(*given: Any, **named: Any) -> Any:
            if self.left:
                self.left -= 1
                self.num_refused += 1
                raise UnreachableDatabaseError("postgresql://inner-host/db cannot be used: refused")
            return real(*given, **named)

        return maybe


def test_a_script_outlives_a_database_that_is_away_for_a_while(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    served = serve(service=OnceDescribed)
    outage = Outage(monkeypatch, "commit", "rows", "reading")

    class Grid(hippo.Tuner):
        async def tune(self, ask: Any) -> None:
            for i in range(1, 6):
                answers.append(await ask({"lr": 0.1 * i}, until=2))
                if len(answers) == 2:
                    outage.left = 5

    answers: list[Any] = []
    study = served.study()
    study.optimize(Grid())
    assert outage.num_refused == 5
    assert [answer.metrics for answer in answers] == [{"loss": 1.0}] * 5
    assert [trial.step for trial in study.trials] == [2] * 5
    said = capfd.readouterr().err
    assert "goes on when its client reaches the database again" in said
    assert "its database does not answer for now; trying again for 10 minutes" in said


def test_a_client_hears_that_the_database_is_away_and_not_where_it_is(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = Outage(monkeypatch, "commit", "rows", "reading")
    study = served.study()
    link = ServiceLink(served.url)
    for ask in (lambda: served.study("another"), study.statistics, lambda: link.request("GET", "/v1/studies")):
        outage.left = 1
        with pytest.raises(UnreachableError, match=r"\(HTTP 503\): its database does not answer for now") as raised:
            ask()
        assert not outage.left
        assert "inner-host" not in str(raised.value)
    link.close()


class Estimating(hippo.Tuner):
    """Asks how many steps are missing before each request, and tries a config of that many steps."""

    def __init__(self, disturb: Callable[[int], object]) -> None:
        self.disturb = disturb
        self.missing: list[int] = []

    def record(self) -> dict[str, Any]:
        return {"tuner": "estimating"}

    async def tune(self, ask: Any) -> None:
        configs = [{"lr": hippo.Piecewise([0.1, 0.1 * i], [i])} for i in range(2, 7)]
        for i, config in enumerate(configs):
            self.missing += [ask.uncovered(one, 8) for one in configs]
            self.disturb(i)
            self.missing.append(ask.uncovered(config, 8))
            await ask(config, until=8)


def let_rest(served: Any) -> None:
    """End the calls of a service as an outage of its database does; their clients do not hear of it."""
    for call in list(served.service._calls.values()):
        call.loop.call_soon_threadsafe(call.session._closed.set_exception, UnreachableDatabaseError("it is away"))
        while not call.ended.is_set():
            time.sleep(0.01)


def test_a_call_that_is_begun_anew_is_told_again_what_its_tuner_knows_and_nothing_of_it_for_a_new_question(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    served = serve(service=OnceDescribed)
    undisturbed = Estimating(lambda i: None)
    fake = FakeEngine(slots=2)
    options: Any = {"metric": "loss", "mode": "min", "storage": "memory://", "checkpoints": str(tmp_path / "beside")}
    hippo.create_study("beside", trainer=TOY, engine=fake, **options).optimize(undisturbed)
    tuner = Estimating(lambda i: let_rest(served) if i in (1, 3) else None)
    served.study().optimize(tuner)
    assert tuner.missing == undisturbed.missing
    assert len(set(tuner.missing)) > 3
    again = Estimating(lambda i: None)
    served.study().optimize(again)
    assert again.missing == tuner.missing


def test_a_question_whose_answer_is_lost_is_said_again_and_counts_once(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    request, lost = ServiceLink.request, list[int]()

    def lossy(self: ServiceLink, method: str, path: str, said: Any = None, **named: Any) -> Any:
        answer = request(self, method, path, said, **named)
        if said and "uncovered" in said and said["query"] == 6 and not lost:
            lost.append(answer["uncovered"])
            raise UnreachableError("its answer is lost")
        return answer

    served = serve(service=OnceDescribed)
    tuner, again = Estimating(lambda i: None), Estimating(lambda i: None)
    monkeypatch.setattr(ServiceLink, "request", lossy)
    served.study().optimize(tuner)
    served.study().optimize(again)
    assert lost == [tuner.missing[6]]
    assert again.missing == tuner.missing


def test_what_was_refused_before_the_database_was_away_stays_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    session, done = CallSession(lambda events: None), []

    def carry_out(number: int, said: SaidEntry) -> None:
        done.append(number)
        if done == [0, 2]:
            raise UnreachableDatabaseError("away")

    monkeypatch.setattr(session, "_expect", lambda asked: None)
    monkeypatch.setattr(session, "_carry_out", carry_out)
    entries = [SaidEntry(kind="show"), SaidEntry(kind="show", refused=TunerError("no")), SaidEntry(kind="show")]
    with pytest.raises(UnreachableDatabaseError):
        session.take(0, entries, is_quiet=True)
    for _ in range(2):  # it goes on where it was, and the answer that tells what is refused may be lost
        assert list(session.take(0, entries, is_quiet=True)) == [1]
    assert done == [0, 2, 2]
    assert session.take(3, [SaidEntry(kind="show")], is_quiet=True) == {}


@pytest.mark.slow
@pytest.mark.parametrize("refused", [1, 2])
def test_a_batch_is_asked_though_the_database_is_away_as_it_is_taken_in(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    first = serve(service=OnceDescribed)
    first.study().optimize(hippo.GridSearch({"lr": [0.1, 0.2]}, until=2))
    first.stop()
    looks: list[int] = []
    usual = StoredNodes.expect

    def expect(self: StoredNodes, ways: Any) -> None:
        looks.append(1)
        if len(looks) == refused:  # when all that is asked is looked up, or when the first of it is
            raise UnreachableDatabaseError("postgresql://inner-host/db cannot be used: refused")
        usual(self, ways)

    monkeypatch.setattr(StoredNodes, "expect", expect)
    study = serve(service=OnceDescribed).study()
    study.optimize(hippo.GridSearch({"lr": [0.1, 0.2, 0.3]}, until=2))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE"] * 5
    assert len(looks) > refused
