"""State files: the layout that readers of safetensors know, whole or an error, and old ones for ever."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, MemoryCheckpoints
from hippo.errors import CheckpointError, CorruptCheckpointError, MissingCheckpointError
from hippo.records import CheckpointRef
from hippo.training.codec import decode, difference, encode, read_state, state_hash, write_state
from hippo.training.codec.hashing import leaf_digest
from hippo.training.state_files import read_checkpoint, write_checkpoint

KEY = "3f2a/p1/e1-l3-n5-s20"
STATE = {
    "model": {"weight": torch.arange(6.0).reshape(2, 3), "half": torch.ones(3, dtype=torch.bfloat16)},
    "image": torch.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last),
    "order": np.arange(2000, dtype=np.int64),
    "steps": [1, 2],
    "none": torch.empty(0, 3),
}


def written(state: object) -> tuple[bytes, str]:
    file = io.BytesIO()
    sha256 = write_state(encode(state), file)
    return file.getvalue(), sha256


def parsed(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Read as the format's own words say: length, header, bytes."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def test_readers_of_safetensors_find_tensors_under_their_paths() -> None:
    header, body = parsed(written(STATE)[0])
    entry = header["state['model']['weight']"]
    begin, end = entry["data_offsets"]
    assert (entry["dtype"], entry["shape"]) == ("F32", [2, 3])
    assert np.frombuffer(body[begin:end], "<f4").tolist() == [0, 1, 2, 3, 4, 5]
    assert header["state['model']['half']"]["dtype"] == "BF16"
    assert header["state['image']"]["shape"] == [1, 3, 4, 2]  # as its bytes lie


def test_the_header_keeps_the_rules_of_the_format() -> None:
    data, _ = written(STATE)
    header, body = parsed(data)
    assert all(isinstance(value, str) for value in header.pop("__metadata__").values())
    ends = [0]
    for entry in header.values():
        assert entry["data_offsets"][0] == ends[-1]  # no holes
        ends.append(entry["data_offsets"][1])
    assert ends[-1] == len(body)
    assert int.from_bytes(data[:8], "little") % 8 == 0


def test_the_library_of_the_format_reads_it(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.torch")
    (tmp_path / "state").write_bytes(written(STATE)[0])
    tensors = library.load_file(tmp_path / "state")
    assert torch.equal(tensors["state['model']['weight']"], STATE["model"]["weight"])


def test_a_state_without_tensors_is_a_pickle_of_plain_values() -> None:
    data, sha256 = written({"steps": 3})
    assert data.startswith(b"hippo state 1\n")
    assert hashlib.sha256(data).hexdigest() == sha256


@pytest.mark.parametrize("state", [STATE, {"steps": 3}], ids=["tensors", "plain"])
def test_a_changed_byte_anywhere_is_found(state: object) -> None:
    data, sha256 = written(state)
    assert difference(read_state(data, sha256=sha256), state) == []
    for at in range(0, len(data), max(1, len(data) // 400)):
        altered = bytearray(data)
        altered[at] ^= 1
        with pytest.raises(CorruptCheckpointError):
            read_state(bytes(altered), sha256=sha256)


def test_a_file_that_ends_early_is_corrupt_wherever_it_ends() -> None:
    data, sha256 = written(STATE)
    for length in range(0, len(data), 97):
        with pytest.raises(CorruptCheckpointError):
            read_state(data[:length], sha256=sha256)


def test_a_changed_tensor_is_named() -> None:
    data, sha256 = written(STATE)
    at = data.index(STATE["order"].tobytes()[:64])
    altered = data[:at] + b"\xff" + data[at + 1 :]
    with pytest.raises(CorruptCheckpointError, match=r"altered.*state\['order'\]"):
        read_state(altered, sha256=sha256)


def test_what_is_read_knows_its_digests_and_they_are_those_of_the_bytes() -> None:
    data, _ = written(STATE)
    back = read_state(data)
    assert back.digests
    assert all(leaf_digest(leaf, {}) in back.digests.values() for leaf in decode(back)["model"].values())
    assert state_hash(back) == state_hash(STATE)


def test_a_large_state_is_read_and_hashed_beside_each_other(tmp_path: Path) -> None:
    state = {str(number): torch.randn(300_000) for number in range(3)}
    store = FolderCheckpoints(tmp_path)
    ref = write_checkpoint(store, KEY, encode(state))
    assert difference(read_checkpoint(store, ref), state) == []
    data = bytearray((tmp_path / KEY).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / KEY).write_bytes(data)
    with pytest.raises(CorruptCheckpointError, match=KEY):
        read_checkpoint(store, ref)


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractCheckpointStore:
    return FolderCheckpoints(tmp_path) if request.param == "folder" else MemoryCheckpoints()


def test_what_is_recorded_leads_back_to_the_state(store: AbstractCheckpointStore) -> None:
    ref = write_checkpoint(store, KEY, encode(STATE))
    assert (ref.key, ref.state_hash) == (KEY, state_hash(STATE))
    assert difference(read_checkpoint(store, ref), STATE) == []


def test_another_size_hash_or_key_is_an_error(store: AbstractCheckpointStore) -> None:
    ref = write_checkpoint(store, KEY, encode(STATE))
    with pytest.raises(CorruptCheckpointError, match=f"{ref.size_bytes} bytes, but {ref.size_bytes - 1}"):
        read_checkpoint(store, replace(ref, size_bytes=ref.size_bytes - 1))
    with pytest.raises(CorruptCheckpointError, match="altered"):
        read_checkpoint(store, replace(ref, sha256="0" * 64))
    with pytest.raises(MissingCheckpointError):
        read_checkpoint(store, replace(ref, key="p1/other"))


def test_a_file_that_cannot_be_read_is_no_corruption(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    ref = write_checkpoint(store, KEY, encode(STATE))
    (tmp_path / KEY).unlink()
    (tmp_path / KEY).mkdir()
    with pytest.raises(CheckpointError, match="cannot read checkpoint") as raised:
        read_checkpoint(store, ref)
    assert not isinstance(raised.value, CorruptCheckpointError)


# ------------------------------------------------------------------------------------------------------ old files


def old_file(state: object) -> bytes:
    """Write as hippo did until states got the layout of safetensors."""
    encoded = encode(state)
    file = io.BytesIO()
    torch.save({"size_bytes": encoded.size_bytes, "tree": encoded.tree}, file)
    return file.getvalue()


def test_old_files_are_read_and_verified(store: AbstractCheckpointStore) -> None:
    data = old_file(STATE)
    sha256 = hashlib.sha256(data).hexdigest()
    store.write(KEY, lambda file: file.write(data))
    ref = CheckpointRef(key=KEY, size_bytes=len(data), sha256=sha256, state_hash=state_hash(STATE))
    back = read_checkpoint(store, ref)
    assert difference(back, STATE) == []
    assert state_hash(back) == ref.state_hash
    with pytest.raises(CorruptCheckpointError, match="altered"):
        read_checkpoint(store, replace(ref, sha256="0" * 64))


def test_an_old_state_can_be_written_anew() -> None:
    data, sha256 = io.BytesIO(), ""
    sha256 = write_state(read_state(old_file(STATE)), data)
    assert difference(read_state(data.getvalue(), sha256=sha256), STATE) == []


def test_a_tree_that_names_code_is_not_run() -> None:
    data, _ = written(STATE)
    header, _ = parsed(data)
    start = 8 + int.from_bytes(data[:8], "little") + header["hippo.tree"]["data_offsets"][0]
    with pytest.raises(CorruptCheckpointError, match="a state names no code"):
        read_state(data[:start] + pickle.dumps(print))


# ---------------------------------------------------------------------------------------------------------- layouts


@given(
    shape=st.lists(st.integers(0, 4), max_size=4),
    seed=st.integers(0, 9),
    dtype=st.sampled_from(
        [torch.float32, torch.bfloat16, torch.complex128, torch.bool, torch.int8, torch.float8_e4m3fn]
    ),
)
def test_a_tensor_of_any_type_comes_back_with_its_bits_and_strides(
    shape: list[int], seed: int, dtype: torch.dtype
) -> None:
    chance = torch.Generator().manual_seed(seed)
    dims = torch.randperm(len(shape), generator=chance).tolist()
    tensor = torch.randint(0, 2, shape, generator=chance).to(dtype).permute(dims)
    encoded = encode({"t": tensor})
    data, sha256 = io.BytesIO(), ""
    sha256 = write_state(encoded, data)
    back = decode(read_state(data.getvalue(), sha256=sha256))["t"]
    assert (back.dtype, back.shape, back.stride()) == (dtype, tensor.shape, encoded.tree["t"].stride())
    assert difference({"t": back}, {"t": tensor}) == []
