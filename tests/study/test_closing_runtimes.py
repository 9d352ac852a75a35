"""An engine's runtime is closed whatever happens while its steps come to their ends, and nothing stays open."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

import hippo
from hippo.plan import MemoryStore, open_store
from hippo.runtime import Runtime
from hippo.study.runtimes import close_runtime
from hippo.testing.fake_engine import FakeEngine


@pytest.mark.parametrize("stop", [KeyboardInterrupt, TimeoutError])
def test_a_second_signal_while_steps_end_leaves_no_runtime_open(
    monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    engine, closed = FakeEngine(), list[Runtime]()
    study = hippo.create_study(
        "closed", trainer="hippo.testing.trainers:ToyTrainer", storage="memory://", checkpoints="memory://",
        engine=engine, metric="loss", mode="min",
    )  # fmt: skip
    study.evaluate({"lr": 0.1}, until=1)
    close = Runtime.close

    def interrupted(_: Runtime, *, timeout_s: float) -> None:
        raise stop

    def note(runtime: Runtime) -> None:
        closed.append(runtime)
        close(runtime)

    monkeypatch.setattr(Runtime, "stop", interrupted)
    monkeypatch.setattr(Runtime, "close", note)
    with pytest.raises(stop):
        close_runtime(engine, stop_timeout_s=1.0)
    assert len(closed) == 1
    close_runtime(engine)
    assert len(closed) == 1, "it is nobody's any more"


def test_a_closed_study_leaves_no_file_open_and_can_be_read_and_run_again(tmp_path: Path) -> None:
    study = hippo.create_study(
        "closed", trainer="hippo.testing.trainers:ToyTrainer", storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path / "checkpoints"), engine=hippo.InlineEngine(), metric="loss", mode="min",
    )  # fmt: skip

    def files() -> list[str]:
        return [each.path for each in psutil.Process().open_files() if each.path.startswith(str(tmp_path))]

    assert study.trials == []
    study.evaluate({"lr": 0.1}, until=1)
    assert files()
    study.close()
    assert files() == []
    assert [trial.until for trial in study.trials] == [1]
    study.evaluate({"lr": 0.1}, until=2)
    study.close()
    assert files() == []


@pytest.mark.parametrize("is_given", [True, False])
def test_a_study_closes_a_store_only_if_that_was_opened_for_it(
    monkeypatch: pytest.MonkeyPatch, *, is_given: bool
) -> None:
    closed = list[MemoryStore]()
    monkeypatch.setattr(MemoryStore, "close", lambda store: closed.append(store))
    study = hippo.create_study(
        "closed", trainer="hippo.testing.trainers:ToyTrainer", checkpoints="memory://", engine=FakeEngine(),
        storage=open_store("memory://") if is_given else "memory://", metric="loss", mode="min",
    )  # fmt: skip
    study.close()
    assert bool(closed) is not is_given
