"""A service whose database does not answer for a while: its clients wait for it, as they wait for the service itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import UnreachableDatabaseError
from hippo.plan.sql_store import SqlStore
from hippo.server.link import ServiceLink, UnreachableError


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
    served: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
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
