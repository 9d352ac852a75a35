"""States leave out what nobody trained, whatever was done to it, and come back whole or are refused by name."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, MemoryCheckpoints
from hippo.errors import CheckpointError, CorruptCheckpointError, MissingCheckpointError
from hippo.events import CheckpointFailed, CheckpointUnusable, CheckpointWritten
from hippo.hparams import Constant, MultiStep, Piecewise
from hippo.records import Keep, Lane, NodeId, Point
from hippo.testing.frozen_body import WIDTH, FrozenBody, FrozenBodyModel
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages, start_at
from hippo.training import Trainer, Trainers
from hippo.training.bases import Bases, others
from hippo.training.codec import EncodedState, decode, difference, encode, read_state, state_hash, write_state
from hippo.training.codec.bases import BaseNeed
from hippo.training.codec.hashing import leaf_digest
from hippo.training.state_files import _read_base, copy_checkpoint, read_checkpoint, write_checkpoint

CONFIG = {"lr": Constant(0.1)}


class NumpyTrainer(Trainer):
    """Arrays of numpy, of which one changes."""

    def build(self) -> None:
        self.fixed, self.changed = np.random.rand(200, 100), np.random.rand(1000)

    def train(self) -> None:
        self.changed = self.changed + np.random.rand(1000)

    def evaluate(self) -> dict[str, float]:
        return {"loss": float(self.changed.sum() + self.fixed.sum())}

    def state_dict(self) -> dict[str, Any]:
        return {"fixed": self.fixed, "changed": self.changed}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.fixed, self.changed = state["fixed"], state["changed"]


def in_folder(folder: Path) -> RememberingHost:
    return RememberingHost(checkpoints=FolderCheckpoints(folder))


def bases_in(store: AbstractCheckpointStore) -> list[str]:
    return [key for key in sorted(store.keys()) if key.rpartition("/")[2].startswith("base-")]


def full_hash(folder: Path, host: RememberingHost, step: int) -> str:
    """The hash of the state as it is recorded, from a copy of all of it."""
    return state_hash(decode(read_checkpoint(host.checkpoints, host.checkpoint(step))))


def every_step(config: Mapping[str, Any], until: int, host: RememberingHost, **options: Any) -> RememberingHost:
    return along(config, until, host=host, checkpoint_every_s=0.0, **options)


# ------------------------------------------------------------------------------------------- what is left out

UNFROZEN = {"lr": Constant(0.1), "unfreeze": Piecewise([False, True], [2])}


@pytest.mark.parametrize(
    ("spec", "config"),
    [
        (spec_of(FrozenBody), CONFIG),
        (spec_of(FrozenBody, optimizer="adam"), CONFIG),
        (spec_of(FrozenBody), UNFROZEN),
        (spec_of(FrozenBody, freezes=("body",)), {"lr": MultiStep(0.1, [2], 0.1)}),
        (spec_of(FrozenBody, is_tied=True), CONFIG),
        (spec_of(FrozenBody, renews=True), CONFIG),
        (spec_of(NumpyTrainer), CONFIG),
    ],
    ids=["frozen", "adam", "unfrozen", "some rows", "tied", "renewed buffer", "numpy"],
)
def test_a_state_that_left_things_out_goes_on_as_if_it_had_not(tmp_path: Path, spec: Any, config: Any) -> None:
    whole = every_step(config, 4, in_folder(tmp_path), spec=spec)
    assert len(bases_in(whole.checkpoints)) == 1
    for step in (1, 2, 3):
        second = resumed(config, step, 4, whole, spec=spec)
        assert second.hashes[4] == whole.hashes[4]
        assert second.metrics[4] == whole.metrics[4]
        assert full_hash(tmp_path, whole, step) == whole.hashes[step]


def test_the_file_of_a_state_holds_what_was_trained(tmp_path: Path) -> None:
    host = every_step(CONFIG, 2, in_folder(tmp_path), spec=spec_of(FrozenBody))
    (base,) = bases_in(host.checkpoints)
    assert (tmp_path / base).stat().st_size > 4 * WIDTH * WIDTH
    assert {host.checkpoint(step).size_bytes < 20_000 for step in (1, 2)} == {True}


def test_what_is_recorded_is_what_states_without_a_base_hash_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = every_step(UNFROZEN, 4, in_folder(tmp_path / "beside"), spec=spec_of(FrozenBody))
    monkeypatch.setattr(Bases, "of_fresh", lambda *_: None)
    alone = every_step(UNFROZEN, 4, in_folder(tmp_path / "alone"), spec=spec_of(FrozenBody))
    assert bases_in(alone.checkpoints) == []
    assert beside.hashes == alone.hashes


def test_a_row_that_changes_makes_the_whole_embedding_a_part_of_the_state() -> None:
    class Rows(FrozenBody):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=self.hp["lr"])

    host = along(CONFIG, 1, spec=spec_of(Rows, freezes=("body", "norm")))
    state = host.residents.get("w", Point(NodeId(0), 1))
    assert state is not None
    assert "state['model']['body.weight']" in state.shared()
    assert "state['model']['embedding.weight']" not in state.shared()


def test_a_model_that_is_trained_as_a_whole_has_no_base_and_takes_none_again(tmp_path: Path) -> None:
    class Whole(FrozenBody):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=self.hp["lr"], weight_decay=0.1)

    host, trainers, spec = in_folder(tmp_path), Trainers(), spec_of(Whole, freezes=())
    every_step(CONFIG, 2, host, spec=spec, trainers=trainers)
    assert bases_in(host.checkpoints) == []
    assert trainers.bases(spec).latest is None
    every_step(CONFIG, 2, host, spec=spec, trainers=trainers, lease=2)
    assert trainers.bases(spec).latest is None
    first = along(CONFIG, 1, spec=spec)  # by another worker: its first state shows what its base is worth
    for held in (host.residents.get("w", Point(NodeId(0), 2)), first.residents.get("w", Point(NodeId(0), 1))):
        assert held is not None
        assert held.base is None


def test_who_kept_nothing_is_not_asked_again_and_others_are() -> None:
    bases, asked = Bases(), list[str]()

    def fresh(kind: str) -> Mapping[str, Any]:
        asked.append(kind)
        return {"w": torch.ones(200, 200)}

    base = bases.of_fresh(("frozen",), lambda: fresh("frozen"))
    assert bases.note_first(("frozen",), encode(fresh("step"), base))
    assert bases.of_fresh(("whole",), lambda: fresh("whole")) is base
    assert not bases.note_first(("whole",), encode({"w": torch.zeros(200, 200)}, base))
    assert bases.of_fresh(("whole",), lambda: fresh("whole again")) is None
    assert asked == ["frozen", "step", "whole"]
    assert bases.latest is base  # others have use for it


def test_forks_and_states_in_memory_share_the_tensors_of_one_base() -> None:
    host, trainers, spec = RememberingHost(), Trainers(), spec_of(FrozenBody)
    for lease, lr in enumerate((0.1, 0.2, 0.3), start=1):
        every_step({"lr": Constant(lr)}, 3, host, spec=spec, trainers=trainers, lease=lease)
    points = sorted(host.residents.keys())
    held = [host.residents.get(*key) for key in points]
    assert len({id(state.leaves["state['model']['body.weight']"]) for state in held if state}) == 1
    assert all(state.size_bytes < 10_000 for state in held if state)


def test_a_base_is_kept_once_for_all_studies_of_a_plan(tmp_path: Path) -> None:
    host = in_folder(tmp_path)
    for lease in (1, 2):
        every_step({"lr": Constant(0.1 * lease)}, 1, host, spec=spec_of(FrozenBody), lease=lease)
    assert len(bases_in(host.checkpoints)) == 1


# ------------------------------------------------------------------------------- any program of writes (property)


@pytest.mark.parametrize(
    "other",
    [
        torch.zeros(4, 4, dtype=torch.int32),
        torch.zeros(2, 8),
        torch.zeros(16),
        torch.zeros(4, 4).t(),
        torch.full((4, 4), -0.0),
        torch.zeros(4, 4, dtype=torch.complex64),
        np.zeros((4, 4), dtype=np.float32),
    ],
    ids=["dtype", "shape", "dims", "stride", "sign", "size", "numpy"],
)
def test_what_has_the_same_bytes_and_is_something_else_is_no_part_of_the_base(other: Any) -> None:
    base = encode({"w": torch.zeros(4, 4)})
    beside = encode({"w": other}, base)
    assert beside.shared() == {}
    assert state_hash(beside) == state_hash({"w": other})


WRITES = ["in place", ".data", "row", "numpy", "set_", "assign", "nan", "strides", "dtype", "nothing"]


def written_to(tensors: dict[str, torch.Tensor], name: str, write: str, value: float) -> None:
    tensor = tensors[name]
    if write == "in place":
        tensor.add_(value)
    elif write == ".data":
        tensor.data[0] = value  # no version counter sees it
    elif write == "row":
        tensor[1:2].mul_(value)
    elif write == "numpy":
        tensor.numpy()[...] = value
    elif write == "set_":
        tensor.set_(torch.full_like(tensor, value))
    elif write == "assign":
        tensors[name] = torch.full_like(tensor, value)
    elif write == "nan":
        tensor[0] = float("nan") if value else -0.0
    elif write == "strides":
        tensors[name] = tensor.t().contiguous().t()
    elif write == "dtype":
        tensors[name] = tensor.view(torch.int32).view(torch.float32).clone()


@settings(max_examples=150, deadline=None)
@given(
    programs=st.lists(
        st.lists(
            st.tuples(st.sampled_from("abc"), st.sampled_from(WRITES), st.sampled_from([0.0, 1.0, 2.5])), max_size=4
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_program_of_writes_comes_back_as_a_full_copy_would(programs: list[list[tuple[str, str, float]]]) -> None:
    tensors = {name: torch.ones(3, 4) for name in "abc"}
    tensors["alias"] = tensors["a"]
    store, base = MemoryCheckpoints(), encode({"model": tensors})
    for number, program in enumerate(programs):
        for name, write, value in program:
            written_to(tensors, name, write, value)
        state = {"model": dict(tensors), "number": number}
        copied = encode({"model": {name: tensor.clone() for name, tensor in tensors.items()}, "number": number})
        beside = encode(state, base)
        for name, tensor in tensors.items():  # what is at rest must not follow what comes later
            assert beside.tree["model"][name].data_ptr() != tensor.data_ptr(), name
        file = _written_beside(store, f"p/{number}", beside)
        assert state_hash(beside) == file.state_hash == state_hash(copied)
        back = decode(_read_beside(store, f"p/{number}", base))
        assert difference(back, copied) == []
        assert [back["model"][name].stride() for name in "abc"] == [tensors[name].stride() for name in "abc"]


def _written_beside(store: MemoryCheckpoints, key: str, state: EncodedState) -> Any:
    """Write a state beside its base however little that saves."""
    store.write(key, lambda file: write_state(state, file, is_difference=True))
    return write_checkpoint(MemoryCheckpoints(), key, state)


def _read_beside(store: MemoryCheckpoints, key: str, base: EncodedState) -> EncodedState:
    with store.open(key) as file:
        return read_state(file, find_base=lambda need: base)


# --------------------------------------------------------------------------- bases that are gone, broken or others


class Pretrained:
    """A folder with a file of pretrained weights, and a run that was trained from them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder / "states", str(folder / "weights.pt")
        self.save(seed=1)
        self.spec = spec_of(FrozenBody, pretrained=self.file)
        self.host = in_folder(self.folder)
        lane = Lane(begin=None, stages=stages(CONFIG, 0, 2))
        run_lanes(lane, spec=self.spec, host=self.host)
        self.base = self.folder / bases_in(self.host.checkpoints)[0]

    def save(self, *, seed: int) -> None:
        torch.manual_seed(seed)
        torch.save(nn.Linear(WIDTH, WIDTH).state_dict(), self.file)

    def go_on(self) -> RememberingHost:
        return resumed(CONFIG, 2, 3, self.host, spec=self.spec)

    @property
    def straight(self) -> str:
        return along(CONFIG, 3, spec=self.spec).hashes[3]


@pytest.fixture
def run(tmp_path: Path) -> Pretrained:
    return Pretrained(tmp_path)


def broken(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("harm", [Path.unlink, broken, lambda file: os.truncate(file, 99)])
def test_a_base_that_is_gone_or_broken_is_made_anew_where_build_makes_the_same(
    run: Pretrained, harm: Callable[[Path], None]
) -> None:
    kept = run.base.read_bytes()
    harm(run.base)
    host = run.go_on()
    assert host.of(CheckpointUnusable) == []
    assert host.hashes[3] == run.straight
    assert run.base.read_bytes() == kept


class InBytes:
    """As much of a store as reads one file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self, key: str) -> io.BytesIO:
        return io.BytesIO(self.data)


def test_whatever_bit_of_a_base_flips_it_is_corrupt_or_what_it_was() -> None:
    file, base = io.BytesIO(), encode({"model": {"weight": torch.ones(3), "bias": torch.zeros(2)}, "order": [1, 2]})
    write_state(base, file)
    (path,) = (path for path in base.leaves if "weight" in path)
    need = BaseNeed(state_hash(base), (path,), (leaf_digest(base.leaves[path], {}),))
    data = file.getvalue()
    refused = 0
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << (at + 1) % 8
        try:
            read = _read_base(cast(Any, InBytes(bytes(flipped))), "base", need)
        except CorruptCheckpointError:
            refused += 1
        else:
            assert not list(others(read, need))
    assert refused > len(data) / 2


def test_a_pretrained_file_that_changed_matters_to_nobody_whose_base_is_kept(run: Pretrained) -> None:
    expected = run.straight
    run.save(seed=2)
    assert run.go_on().hashes[3] == expected


@pytest.mark.parametrize(("harm", "is_corrupt"), [(Path.unlink, False), (broken, True)])
def test_a_base_that_nobody_can_make_is_told_with_the_tensor_that_changed(
    run: Pretrained, harm: Callable[[Path], None], is_corrupt: bool
) -> None:
    harm(run.base)
    run.save(seed=2)
    told = run.go_on().one(CheckpointUnusable)
    assert told.corrupt is is_corrupt
    assert run.base.name in told.reason
    assert "state['model']['body.weight']" in told.reason
    assert "state['model']['embedding.weight']" not in told.reason
    assert run.go_on().of(CheckpointWritten) == []


def test_another_state_under_the_name_of_a_base_is_refused(run: Pretrained) -> None:
    run.base.unlink()
    with run.base.open("wb") as target:
        write_state(encode({"model": {"body.weight": torch.ones(3)}}), target)
    run.save(seed=2)
    assert "other bytes" in run.go_on().one(CheckpointUnusable).reason


def test_without_a_kept_base_states_depend_on_build_and_say_so(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    torch.manual_seed(1)
    torch.save(nn.Linear(WIDTH, WIDTH).state_dict(), file)
    store = FolderCheckpoints(tmp_path / "states")
    spec = spec_of(FrozenBody, pretrained=str(file))
    host, trainers = RememberingHost(), Trainers()
    along(CONFIG, 2, spec=spec, host=host, trainers=trainers)
    state = host.residents.get("w", Point(NodeId(0), 2))
    assert state is not None
    ref = write_checkpoint(store, "u/p1/state", state, keep_base=False)
    assert list(store.keys()) == ["u/p1/state"]

    def built() -> EncodedState:
        model = Trainers().pristine(spec).make_model()
        return encode({"model": model.state_dict()})

    made = Bases().add(trainers.bases(spec).latest or built())
    assert state_hash(read_checkpoint(store, ref, make_base=lambda: made)) == ref.state_hash
    with pytest.raises(MissingCheckpointError, match=r"u/p1/base-[0-9a-f]{16}.*no trainer here"):
        read_checkpoint(store, ref)
    other = encode({"model": FrozenBodyModel().state_dict()})
    with pytest.raises(MissingCheckpointError, match=r"build\(\) makes something else of .*body.weight"):
        read_checkpoint(store, ref, make_base=lambda: other)
    assert list(store.keys()) == ["u/p1/state"]


def test_of_two_that_write_a_base_the_second_takes_the_firsts(tmp_path: Path) -> None:
    class Raced(FolderCheckpoints):
        """Another worker writes each base just before."""

        def write(self, key: str, writer: Callable[[BinaryIO], object]) -> Any:
            if "base-" in key and not (tmp_path / key).exists():
                super().write(key, writer)
            return super().write(key, writer)

    host = RememberingHost(checkpoints=Raced(tmp_path))
    along(CONFIG, 2, spec=spec_of(FrozenBody), host=host)
    assert host.of(CheckpointFailed) == []
    assert resumed(CONFIG, 2, 3, host, spec=spec_of(FrozenBody)).hashes[3]


def test_a_folder_that_fills_up_while_a_base_is_written_pauses_the_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, failures = os.fsync, [OSError(errno.ENOSPC, "No space left on device")]

    def full(handle: int) -> None:
        if failures:
            raise failures.pop()
        fsync(handle)

    host = in_folder(tmp_path / "states")
    (tmp_path / "states" / "p1").mkdir(parents=True)
    monkeypatch.setattr(os, "fsync", full)
    along(CONFIG, 2, spec=spec_of(FrozenBody), host=host)
    assert [(event.is_waiting, "base-" in event.reason) for event in host.of(CheckpointFailed)] == [(True, True)]
    assert [event.step for event in host.of(CheckpointWritten)] == [2]
    assert len(bases_in(host.checkpoints)) == 1


def test_a_base_that_vanished_is_written_again_by_whoever_needs_it_next(run: Pretrained) -> None:
    trainers = Trainers()
    every_step(CONFIG, 1, run.host, spec=run.spec, trainers=trainers, lease=2)
    run.base.unlink()
    every_step(CONFIG, 1, run.host, spec=run.spec, trainers=trainers, lease=3)
    assert run.base.exists()


def test_a_state_in_memory_needs_no_file_of_its_base(run: Pretrained) -> None:
    begin = start_at(CONFIG, 2)
    run.base.unlink()
    run.save(seed=2)
    stage = stages(CONFIG, 2, 3, keep=Keep.RESIDENT)
    host = run_lanes(Lane(begin=begin, stages=stage), spec=run.spec, host=run.host, lease=2)
    assert host.of(CheckpointUnusable) == []


def test_a_base_that_cannot_be_read_is_neither_corrupt_nor_lost(run: Pretrained) -> None:
    run.base.unlink()
    run.base.symlink_to(run.base)  # a way that leads to itself
    run.save(seed=2)
    told = run.go_on()
    assert told.of(CheckpointUnusable) == []
    failed = told.one(CheckpointFailed)
    assert (failed.is_waiting, "Nothing is forgotten" in failed.reason) == (False, True)


def test_a_trainer_that_has_no_state_before_it_is_set_up_is_saved_whole(tmp_path: Path) -> None:
    class Late(NumpyTrainer):
        def setup(self, hp: Mapping[str, Any]) -> None:
            self.late = getattr(self, "late", None) or {"made": np.zeros(20_000)}

        def state_dict(self) -> dict[str, Any]:
            return {**super().state_dict(), **self.late}

        def load_state_dict(self, state: dict[str, Any]) -> None:
            super().load_state_dict(state)
            self.late = {"made": state["made"]}

    whole = every_step(CONFIG, 2, in_folder(tmp_path), spec=spec_of(Late))
    assert bases_in(whole.checkpoints) == []
    assert resumed(CONFIG, 1, 2, whole, spec=spec_of(Late)).hashes[2] == whole.hashes[2]


def test_a_difference_without_its_base_is_no_state() -> None:
    base = encode({"w": torch.ones(3)})
    state = encode({"w": torch.ones(3)}, base)
    store = MemoryCheckpoints()
    store.write("k", lambda file: write_state(state, file, is_difference=True))
    with pytest.raises(MissingCheckpointError, match="beside a base"):
        read_state(store.open("k"))


@pytest.mark.parametrize("keep_base", [True, False])
def test_a_copy_is_read_like_the_state_and_takes_its_base_along(tmp_path: Path, keep_base: bool) -> None:
    store, base = FolderCheckpoints(tmp_path), encode({"frozen": torch.ones(40_000), "head": torch.zeros(4)})
    state = encode({"frozen": torch.ones(40_000), "head": torch.ones(4), "steps": 3}, base)
    ref = write_checkpoint(store, "u/p1/e1-l1-n1-s3", state, keep_base=keep_base)
    copy = copy_checkpoint(store, ref, "u/p2/e1-l2-n1-s3")
    assert copy == replace(ref, key="u/p2/e1-l2-n1-s3")
    assert len(bases_in(store)) == (2 if keep_base else 0)
    for key in [ref.key, *(key for key in bases_in(store) if "/p1/" in key)]:
        store.delete(key)  # each folder has all that its states need
    back = read_checkpoint(store, copy, make_base=None if keep_base else lambda: base)
    assert (state_hash(back), difference(back, state)) == (ref.state_hash, [])
    again = copy_checkpoint(store, copy, "u/p2/e1-l3-n1-s3")  # the base is there
    assert state_hash(read_checkpoint(store, again, make_base=lambda: base)) == ref.state_hash


@pytest.mark.parametrize(
    ("loss", "error"),
    [("cut", CorruptCheckpointError), ("altered", CorruptCheckpointError), ("gone", MissingCheckpointError)],
)
@pytest.mark.parametrize("kind", ["tensors", "plain", "beside a base"])
def test_what_is_not_the_state_is_not_copied(
    tmp_path: Path, kind: str, loss: str, error: type[CheckpointError]
) -> None:
    store, place = FolderCheckpoints(tmp_path), torch.ones(40_000)
    state = {"place": list(range(100))} if kind == "plain" else {"place": place, "head": torch.ones(100)}
    base = encode({"place": place}) if kind == "beside a base" else None
    ref = write_checkpoint(store, "u/p1/state", encode(state, base))
    file = tmp_path / ref.key
    whole = file.read_bytes()
    if loss == "gone":
        file.unlink()
    elif loss == "cut":
        file.write_bytes(whole[:-1])
    else:
        at = len(whole) // 2
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(error, match="u/p1/state"):
        copy_checkpoint(store, ref, "u/p2/state")
    assert not store.has("u/p2/state")
