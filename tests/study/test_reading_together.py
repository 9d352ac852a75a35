"""Threads that read one study at a time do not wait for each other: caches are locked before the store, never after."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import hippo
from hippo.plan.store import MemoryStore
from hippo.study.results.fact_cache import FactCache
from hippo.study.results.remaining import what_remains
from hippo.testing.trainers import ToyTrainer

PATH = hippo.Config({"lr": 0.1})


class LooksAtItself(hippo.Tuner):
    """Looks at its study before branches are walked, after that, and while something waits."""

    asks_branches = True

    def __init__(self, look: Callable[[], object]) -> None:
        self.look = look

    def record(self) -> dict[str, Any]:
        return {"tuner": "looks"}

    async def tune(self, ask: hippo.Ask) -> None:
        answer = await ask(PATH, until=3)
        self.look()
        async with ask.branching(answer) as lanes:
            await lanes.all([PATH.switch(at=3, lr=rate) for rate in (0.2, 0.3)], until=5)
        self.look()
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(ask({"lr": rate}, until=9)) for rate in (0.4, 0.5)]
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            self.look()


@pytest.mark.filterwarnings("ignore:lanes of .* are walked one by one")
def test_no_cache_is_asked_while_the_store_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = threading.local()
    usual = MemoryStore.reading

    @contextmanager
    def noted(self: MemoryStore) -> Iterator[Any]:
        with usual(self) as rows:
            reading.depth = getattr(reading, "depth", 0) + 1
            try:
                yield rows
            finally:
                reading.depth -= 1

    def refusing(name: str) -> Callable[..., Any]:
        real = getattr(FactCache, name)

        def ask(*given: Any) -> Any:
            assert not getattr(reading, "depth", 0), f"{name} takes a lock for whose owner the store's may be waited"
            asked.add(name)
            return real(*given)

        return ask

    asked: set[str] = set()
    monkeypatch.setattr(MemoryStore, "reading", noted)
    for name in ("nodes", "walked_to", "trained", "evaluated", "with_what_follows"):
        monkeypatch.setattr(FactCache, name, refusing(name))
    study = hippo.create_study(
        "study", trainer=ToyTrainer, storage="memory://", checkpoints="memory://", engine=hippo.InlineEngine(),
        metric="loss", mode="min",
    )  # fmt: skip
    seconds, left = [], []

    def look() -> None:
        view = study.read()
        seconds.append(view.statistics().trial_seconds)
        left.append(what_remains(view).steps)
        assert [trial.metrics for trial in view.trials]

    study.optimize(LooksAtItself(look))
    assert 0 < seconds[0] < seconds[1]
    assert left[-1] > 0
    assert {"trained", "evaluated", "with_what_follows"} <= asked
