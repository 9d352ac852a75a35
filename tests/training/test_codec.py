"""States come back as they were, or are refused when they are saved."""

from __future__ import annotations

import collections
import io
import itertools
import pathlib
import pickle
import random
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hippo.errors import CorruptCheckpointError, StateError
from hippo.hparams.source import code_hash
from hippo.training.codec import decode, difference, encode, read_state, state_hash, write_state

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
arrays = hnp.arrays(
    hnp.scalar_dtypes() | hnp.unicode_string_dtypes(min_len=1), hnp.array_shapes(min_dims=0, max_side=3, min_side=0)
)
tensors = st.sampled_from([torch.float32, torch.float64, torch.int64, torch.bfloat16, torch.bool, torch.complex64])
leaves = scalars | arrays | tensors.map(lambda kind: torch.arange(6).reshape(2, 3).to(kind).t())
hashable = st.none() | st.integers() | st.text() | st.binary() | st.tuples(st.integers(), st.text())
states = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(hashable, inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3).map(collections.OrderedDict)
        | st.lists(inner, max_size=3).map(lambda items: collections.deque(items, maxlen=5))
        | st.sets(hashable, max_size=3)
    ),
    max_leaves=8,
)


def through_bytes(state: object) -> Any:
    buffer = io.BytesIO()
    write_state(encode(state), buffer)
    return decode(read_state(buffer.getvalue()))


@given(states)
def test_a_state_comes_back_from_its_bytes_with_its_types(state: Any) -> None:
    back = through_bytes(state)
    assert type(back) is type(state)
    assert difference(back, state) == []


ODD_TYPES = [
    np.float64(0.5),
    np.datetime64("2020-01-01"),
    np.asfortranarray(np.ones((2, 3))),
    np.random.RandomState(0).get_state(legacy=False),
    np.random.default_rng(0).bit_generator.state,
    random.getstate(),
    frozenset({1, "a"}),
    collections.Counter("hippo"),
    collections.defaultdict(list, {1: [2]}),
    range(3),
    slice(1, None, 2),
    bytearray(b"ab"),
    pathlib.Path("a/b"),
    pathlib.PurePosixPath("a/b"),
    pathlib.PureWindowsPath("C:/a"),
    {"__hippo__": "not a tag of ours"},
    torch.Size([1, 2]),
    torch.float16,
    torch.device("cpu"),
    torch.nn.Parameter(torch.ones(2)),
    torch.ones(2, requires_grad=True),
]


@pytest.mark.parametrize("value", ODD_TYPES, ids=lambda value: type(value).__name__)
def test_what_torch_would_refuse_to_load_comes_back_too(value: Any) -> None:
    back = through_bytes({"value": value, "tensor": torch.ones(1)})["value"]
    assert type(back) is type(value)
    assert difference(back, value) == []


STRINGS = [
    np.str_(""),
    np.bytes_(b""),
    np.void(b""),
    np.str_("a\0"),
    np.bytes_(b"a\0"),
    np.void(b"a\0"),
    np.str_("\ud800"),
]


@pytest.mark.parametrize("value", STRINGS, ids=repr)
def test_strings_of_numpy_come_back_with_all_their_characters(value: Any) -> None:
    back = through_bytes([value])[0]
    assert type(back) is type(value)
    assert (back.item(), back.dtype) == (value.item(), value.dtype)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(4))))
def test_an_array_that_came_back_is_encoded_as_before_whatever_its_axes_of_one_element(axes: tuple[int, ...]) -> None:
    for shape in itertools.product((1, 2, 3), repeat=4):
        value = np.zeros(shape).transpose(axes)
        assert state_hash(through_bytes(value)) == state_hash(value)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_arrays_come_back_as_they_lie_in_memory_on_which_the_bits_of_sums_depend(axes: tuple[int, ...]) -> None:
    value = np.random.default_rng(0).normal(size=(5, 1, 7)).astype(np.float32).transpose(axes)
    value = np.broadcast_to(value, [40 if size == 1 else size for size in value.shape]).copy("K")
    back = through_bytes(value)
    assert (back.strides, back.flags.writeable) == (value.strides, True)
    assert (back == value).all()
    assert state_hash(back) == state_hash(value)
    assert np.sum(back) == np.sum(value)


def test_an_array_with_gaps_comes_back_by_rows() -> None:
    value = np.arange(48.0).reshape(2, 6, 4).transpose(2, 0, 1)[::-1, :, ::2]
    back = through_bytes(value)
    assert back.flags.c_contiguous
    assert (back == value).all()


def test_channels_last_tensors_stay_so() -> None:
    image = torch.ones(2, 3, 4, 4).to(memory_format=torch.channels_last)
    assert through_bytes(image).is_contiguous(memory_format=torch.channels_last)


def test_a_modules_versions_stay_with_its_state() -> None:
    state = torch.nn.BatchNorm1d(2).state_dict()
    assert through_bytes(state)._metadata == state._metadata


def test_neither_saving_nor_loading_shares_storage() -> None:
    weight = torch.zeros(3)
    saved = encode({"w": weight})
    weight += 1
    first, second = decode(saved), decode(saved)
    first["w"] += 5
    assert second["w"].tolist() == [0, 0, 0]


def test_one_object_reached_twice_stays_one() -> None:
    shared = torch.zeros(3)
    back = through_bytes({"a": shared, "b": [shared]})
    assert back["a"] is back["b"][0]


class Keyed:
    """Has its keys as attributes."""

    def __getattr__(self, name: str) -> Any:
        return {"width": 3}[name]


REFUSED = [
    ({"conf": Keyed()}, r"state\['conf'\] is a .*Keyed, .*: store the plain values that it is made of"),
    ({"net": torch.nn.Linear}, r"state\['net'\] is a builtins.type, .*: store the plain values that it is made of"),
    ({"sampler": {"rng": np.random.default_rng(0)}}, r"state\['sampler'\]\['rng'\].*bit_generator.state"),
    ([random.Random()], r"state\[0\] is a random.Random.*getstate"),
    ({"g": torch.Generator()}, r"state\['g'\] is a torch._C.Generator.*get_state"),
    ({"f": lambda: 0}, r"state\['f'\] is a builtins.function"),
    ({"lock": threading.Lock()}, r"state\['lock'\] is a _thread.lock"),
    ({"net": torch.nn.Linear(1, 1)}, r"state\['net'\] is a torch.*Linear, .*: store its .state_dict\(\)"),
    ({"net": torch.jit.script(torch.nn.Linear(1, 1))}, r"RecursiveScriptModule, .*: store its .state_dict\(\)"),
    ({"o": np.array([None])}, r"state\['o'\] is a numpy array of object"),
    ({"s": torch.eye(2).to_sparse()}, r"state\['s'\] is a torch.sparse_coo tensor"),
    ({"d": collections.defaultdict(lambda: 0)}, r"state\['d'\] is a defaultdict"),
]


@pytest.mark.parametrize(("state", "message"), REFUSED)
def test_what_cannot_be_saved_is_refused_by_its_path(state: object, message: str) -> None:
    with pytest.raises(StateError, match=message):
        encode(state)


def test_a_state_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append({"again": loop})
    with pytest.raises(StateError, match=r"state\[0\]\['again'\] contains itself"):
        encode(loop)


DIFFERENT = [
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    ([1], (1,)),
    ({"a": 1}, {"b": 1}),
    (b"", ""),
    ([[1], 2], [[1, 2]]),
    (np.zeros(2), np.zeros(2, dtype=np.float32)),
    (torch.zeros(2), torch.zeros(2, 1)),
    (torch.zeros(2), np.zeros(2, dtype=np.float32)),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_states_have_different_hashes(one: object, other: object) -> None:
    assert state_hash(one) != state_hash(other)


@pytest.mark.parametrize("kind", [np.longdouble, np.clongdouble])
@pytest.mark.parametrize("part", [lambda array: array, lambda array: array[0], lambda array: np.asfortranarray(array)])
def test_the_hash_ignores_bits_of_long_doubles_that_are_of_no_number(kind: Any, part: Any) -> None:
    found = []
    for filling in (0, 255):
        array = np.full(4 * np.dtype(kind).itemsize, filling, np.uint8).view(kind).reshape(2, 2)
        np.add([[1, 2], [3, 4]], kind(0), out=array)
        found.append(part(array))
    assert state_hash(found[0]) == state_hash(found[1]) != state_hash(found[0] + np.finfo(np.longdouble).eps * 8)
    assert code_hash(partial(max, found[0])) == code_hash(partial(max, found[1]))
    assert (decode(encode(found[1])) == found[0]).all()


def test_the_hash_ignores_strides_and_the_order_of_a_dict() -> None:
    wide = torch.arange(6).reshape(2, 3)
    assert state_hash({"a": wide, "b": 1}) == state_hash({"b": 1, "a": wide.t().contiguous().t()})


def test_the_hash_is_one_of_this_format_for_ever() -> None:
    state = {"step": 3, "w": torch.arange(3.0), "rate": 0.1, "tag": ("a", None, True, b"b")}
    assert state_hash(state) == "964536155276ed822599be2083105ac1588e1e8da67c3c9682ee30256449783d"


def test_differences_are_named_by_their_paths() -> None:
    one, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    other.load_state_dict(one.state_dict())
    with torch.no_grad():
        other.bias += 1
    a = {"model": one.state_dict(), "steps": [1, 2], "seen": 1}
    b = {"model": other.state_dict(), "steps": [1, 3]}
    assert difference(a, b) == ["state['model']['bias']", "state['steps'][1]", "state['seen'] (only in one of them)"]


def test_pickles_that_differ_are_called_so() -> None:
    one, other = "model", "".join(["mo", "del"])  # equal, and no longer one object
    pickles = pickle.dumps([one, one]), pickle.dumps([one, other])
    assert difference({"m": pickles[0]}, {"m": pickles[1]}) == ["state['m'] (a pickle)"]
    assert difference({"m": b"one."}, {"m": b"two."}) == ["state['m']"]


def test_a_file_that_names_code_is_not_run() -> None:
    buffer = io.BytesIO()
    write_state(encode({"a": 1}), buffer)
    header = buffer.getvalue().split(b"\n")[0] + b"\n"
    with pytest.raises(CorruptCheckpointError, match="a state names no code"):
        read_state(header + pickle.dumps(print))
    with pytest.raises(CorruptCheckpointError):
        read_state(b"PK\x03\x04 no archive")


def _versioned(version: Any) -> collections.OrderedDict[str, Any]:
    state: collections.OrderedDict[str, Any] = collections.OrderedDict(weight=torch.zeros(2))
    state._metadata = {"": {"version": version}}  # type: ignore[attr-defined]  # as a module's state_dict() has it
    return state


@pytest.mark.parametrize("num_others", range(18))
def test_versions_of_modules_are_in_memory_once_and_nobody_changes_them(num_others: int) -> None:
    for number in range(num_others):
        encode(_versioned(100 + number))
    one, other = encode(_versioned(1)), encode(_versioned(1))
    assert one.tree["value"][1] is other.tree["value"][1]
    decode(one)._metadata[""]["version"] = 7
    assert decode(other)._metadata == {"": {"version": 1}}


def test_dicts_of_one_state_come_back_apart_though_what_they_have_beside_their_items_is_equal() -> None:
    encode(_versioned(1))
    back = decode(encode([_versioned(1), _versioned(1)]))
    back[0]._metadata[""]["version"] = 7
    assert back[1]._metadata == {"": {"version": 1}}


@pytest.mark.parametrize("version", [1, True, 1.0, -0.0, torch.ones(1)])
def test_versions_keep_their_types(version: Any) -> None:
    encode(_versioned(1)), encode(_versioned(0.0)), encode(_versioned(torch.zeros(1)))
    found = decode(encode(_versioned(version)))._metadata[""]["version"]
    assert (type(found), repr(found)) == (type(version), repr(version))
