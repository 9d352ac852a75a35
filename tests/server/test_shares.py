"""Several users of one service: each has the part that its token says, however many studies it has."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import OptionError
from hippo.server.tokens import TokenFile
from hippo.testing.trainers import append_line

from .conftest import OnceDescribed, Served

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]


class SlowCounter(hippo.Trainer):
    """Takes its time for each step, and appends its rate to a log."""

    def __init__(self, log: str) -> None:
        self.log = log

    def build(self) -> None:
        self.steps = 0

    def train(self) -> dict[str, Any]:
        time.sleep(0.02)
        append_line(self.log, repr(self.hp["lr"]))
        self.steps += 1
        return {}

    def evaluate(self) -> dict[str, float]:
        return {"loss": self.hp["lr"] / self.steps}

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.steps = state["steps"]


def test_a_user_with_three_studies_has_no_more_than_one_with_one(serve: Callable[..., Served], tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    keys = {name: tokens.add(name, "write") for name in ("ada", "bob")}
    served = serve(
        tokens=tokens, engine=hippo.LocalEngine(workers=1), trainers=["tests.server.*"], service=OnceDescribed
    )

    log = tmp_path / "steps.log"

    def study(user: str, number: int) -> Any:
        url = served.url.replace("http://", f"http://{user}:{keys[user]}@")
        of = {"trainer": "tests.server.test_shares:SlowCounter", "trainer_args": {"log": str(log)}}
        return served.study(f"{user} {number}", storage=url, **of)

    def rates(user: str, number: int) -> list[dict[str, float]]:
        return [{"lr": ("ada", "bob").index(user) + number / 10 + rate / 1000} for rate in range(1, 26)]

    bobs = [study("bob", number) for number in range(3)]
    threads = [
        threading.Thread(target=one.optimize, args=(hippo.GridSearch(rates("bob", number), until=2),), daemon=True)
        for number, one in enumerate(bobs)
    ]
    for thread in threads:
        thread.start()
    ada = study("ada", 0)
    ada.optimize(hippo.GridSearch(rates("ada", 0), until=2))
    assert ada.statistics().steps_executed == 50
    is_hers = [float(rate) < 1 for rate in log.read_text().splitlines()]
    meanwhile = is_hers[is_hers.index(True) : len(is_hers) - is_hers[::-1].index(True)]  # from her first to her last
    assert meanwhile.count(False) < 100, "as much as hers, and not three times as much"
    for thread in threads:
        thread.join(60)


@pytest.mark.parametrize("share", [0, -1.0, float("nan"), float("inf"), True, "2"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: Any) -> None:
    with pytest.raises(OptionError, match="a share is a number above 0"):
        TokenFile(tmp_path / "tokens.json").add("ada", "write", share=share)
    assert not (tmp_path / "tokens.json").exists()


def test_a_file_of_tokens_from_before_there_were_shares_is_read(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("ada", "write")
    text = (tmp_path / "tokens.json").read_text("utf-8")
    (tmp_path / "tokens.json").write_text(text.replace(',\n   "share": 1.0,\n   "priority": 0', ""), "utf-8")
    assert "share" not in (tmp_path / "tokens.json").read_text("utf-8")
    entry = TokenFile(tmp_path / "tokens.json").entry_of(token)
    assert entry is not None
    assert (entry.share, entry.priority) == (1.0, 0)


def test_calls_that_have_ended_are_forgotten_after_a_while(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.server.service.ENDED_KEPT_S", 0.2)
    study = served.study()
    for rate in (0.1, 0.2, 0.3):
        study.optimize(hippo.GridSearch([{"lr": rate}], until=1))
    deadline = time.monotonic() + 120
    while served.service._calls and time.monotonic() < deadline:
        time.sleep(0.05)
    assert served.service._calls == {}
    assert [one.calls for one in served.service._studies.values()] == [{}]
    study.optimize(hippo.GridSearch([{"lr": 0.4}], until=1))
    assert len(study.trials) == 4
