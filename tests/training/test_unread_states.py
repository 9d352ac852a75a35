"""A state that a store does not give is not lost: nobody may forget it, and train up to it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.errors import CheckpointError, StoreRefusalError, UnreachableStoreError
from hippo.events import CheckpointFailed, CheckpointUnusable, StepDone
from hippo.hparams import Constant
from hippo.records import Lane, LeaseId, Stop
from hippo.testing.frozen_body import FrozenBody
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages, start_at
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainer
from hippo.training.state_files import read_checkpoint

CONFIG = {"lr": Constant(0.1)}


class SilentStore(FolderCheckpoints):
    """A folder that raises for so many of its next reads of keys with a word in them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.errors: list[CheckpointError] = []
        self.word = ""
        self.deleted: list[str] = []

    def open(self, key: str) -> BinaryIO:
        if self.errors and self.word in key:
            raise self.errors.pop(0)
        return super().open(key)

    def delete(self, key: str) -> None:
        self.deleted.append(key)
        super().delete(key)


@pytest.fixture
def store(tmp_path: Path) -> SilentStore:
    return SilentStore(tmp_path / "states")


def resumed(store: SilentStore, *, trainer: type[Trainer] = ToyTrainer, stops: bool = False) -> RememberingHost:
    """Train two steps, then a third from the file alone, by another process as it were."""
    spec = spec_of(trainer)
    ref = along(CONFIG, 2, spec=spec, host=RememberingHost(checkpoints=store)).checkpoint(2)
    host = RememberingHost(checkpoints=store)
    if stops:
        host.wait = lambda seconds: [Stop(lease=LeaseId(2))]  # type: ignore[method-assign]
    lane = Lane(begin=start_at(CONFIG, 2, ref), stages=stages(CONFIG, 2, 3))
    return run_lanes(lane, spec=spec, host=host, lease=2)


def failed(host: RememberingHost) -> list[tuple[int, bool]]:
    return [(event.step, event.is_waiting) for event in host.of(CheckpointFailed)]


def test_a_lane_waits_for_a_store_that_cannot_be_reached_and_goes_on_from_its_state(store: SilentStore) -> None:
    store.errors = [UnreachableStoreError("slow down"), UnreachableStoreError("slow down")]
    host = resumed(store)
    assert failed(host) == [(2, True), (2, True)]
    assert host.of(CheckpointUnusable) == []
    assert host.hashes[3] == along(CONFIG, 3).hashes[3]


def test_a_lane_that_is_told_to_stop_while_it_waits_ends_and_loses_nothing(store: SilentStore) -> None:
    store.errors = [UnreachableStoreError("slow down")] * 9
    host = resumed(store, stops=True)
    assert failed(host) == [(2, True)]
    assert (host.of(CheckpointUnusable), host.of(StepDone)) == ([], [])
    assert len(store.errors) == 7


def test_a_lane_whose_state_is_refused_tells_that_and_ends(store: SilentStore) -> None:
    store.errors = [StoreRefusalError("access is denied")]
    host = resumed(store)
    assert (failed(host), host.one(CheckpointFailed).reason) == ([(2, False)], "access is denied")
    assert (host.of(CheckpointUnusable), host.of(StepDone)) == ([], [])


@pytest.mark.parametrize("kind", [UnreachableStoreError, StoreRefusalError])
def test_a_base_that_cannot_be_read_now_is_made_and_left_where_it_is(
    store: SilentStore, kind: type[CheckpointError]
) -> None:
    store.errors, store.word = [kind("not now")], "base-"
    host = resumed(store, trainer=FrozenBody)
    assert (failed(host), store.errors, store.deleted) == ([], [], [])
    assert host.hashes[3] == along(CONFIG, 3, spec=spec_of(FrozenBody)).hashes[3]


@pytest.mark.parametrize("kind", [UnreachableStoreError, StoreRefusalError])
def test_a_base_that_nobody_can_make_is_told_by_what_kept_it(store: SilentStore, kind: type[CheckpointError]) -> None:
    ref = along(CONFIG, 2, spec=spec_of(FrozenBody), host=RememberingHost(checkpoints=store)).checkpoint(2)
    store.errors, store.word = [kind("not now")], "base-"
    with pytest.raises(kind, match=r"needs its base .*not now"):
        read_checkpoint(store, ref)


def test_a_call_that_is_refused_its_states_ends_and_the_next_one_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def steps_of(until: int) -> tuple[int, int]:
        study = hippo.create_study(
            "toy",
            trainer=ToyTrainer,
            storage=f"sqlite:///{tmp_path}/a.db",
            checkpoints=str(tmp_path / "states"),
            metric="loss",
            mode="min",
            keep="all",
            engine=hippo.InlineEngine(),
        )
        try:
            study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
            found = study.statistics()
            return found.steps_executed, found.steps_repeated
        finally:
            study.close()

    def refuse(*_: Any) -> BinaryIO:
        raise StoreRefusalError("access is denied")

    steps_of(2)
    with monkeypatch.context() as patched:
        patched.setattr(FolderCheckpoints, "open", refuse)
        with pytest.raises(hippo.HippoError, match="access is denied"):
            steps_of(4)
    assert steps_of(4) == (4, 0)
