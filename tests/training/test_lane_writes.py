"""Large states are written beside their lane, and whoever hears of it cannot tell."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints, WrittenBytes
from hippo.errors import CheckpointError, StoreFullError
from hippo.events import (
    BoundaryAnswered,
    CheckpointFailed,
    CheckpointWritten,
    Evaluated,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.records import AddBoundary, Assignment, Boundary, Keep, Lane, LeaseCommand, LeaseId, NodeId, Point, Stop
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages
from hippo.testing.trainers import ToyTrainer
from hippo.training.walking import lane_states, lane_writer
from hippo.training.walking.lane_states import LaneStates
from hippo.training.walking.lane_writer import LaneWriter

CONSTANT = {"lr": 0.1}
#: no state is too small for a thread
ALWAYS, NEVER = 0, 1 << 40


@pytest.fixture(autouse=True)
def all_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_states, "LEAST_THREADED_BYTES", ALWAYS)


class GatedStore(MemoryCheckpoints):
    """Writes when it is told to, or refuses to."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        #: what the next writes raise
        self.errors: list[CheckpointError] = []
        self.threads: list[str] = []
        self.under_way = self.most_under_way = 0

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        self.threads.append(threading.current_thread().name)
        try:
            assert self.gate.wait(120)
            if self.errors:
                raise self.errors.pop(0)
            return super().write(key, writer)
        finally:
            self.under_way -= 1


class Opener(ToyTrainer):
    """Opens the gate of `store` when it trains the step after three."""

    store: GatedStore
    heard: list[Any]

    def train(self) -> dict[str, float]:
        if self.steps == 3:
            type(self).heard = [type(event) for event in self.host.events]
            self.store.gate.set()
        return super().train()

    host: RememberingHost


class Looks(ToyTrainer):
    """Looks, in its second step, whether what was written before is still in memory."""

    refs: ClassVar[list[weakref.ref[Any]]] = []
    freed: ClassVar[bool | None] = None

    def train(self) -> dict[str, float]:
        if self.steps == 1:
            for thread in list(lane_writer._writing):
                thread.join()
            type(self).freed = self.refs[0]() is None
        return super().train()


def with_store(store: AbstractCheckpointStore, **options: Any) -> RememberingHost:
    host = RememberingHost(checkpoints=store, **options)
    Opener.host = host
    if isinstance(store, GatedStore):
        Opener.store = store
    return host


def names(host: RememberingHost) -> list[str]:
    return [f"{type(event).__name__} {getattr(event, 'step', '')}".strip() for event in host.events]


def at(step: int) -> Lane:
    """Five steps, with a boundary after `step` of them that is written."""
    first, second = stages(CONSTANT, 0, step), stages(CONSTANT, step, 5, keep=Keep.NOTHING)
    return Lane(begin=None, stages=(*first, *second))


@settings(max_examples=25, deadline=None)
@given(
    keeps=st.lists(st.sampled_from([Keep.NOTHING, Keep.TRANSIENT, Keep.RESIDENT, Keep.WRITTEN]), min_size=1),
    every_s=st.sampled_from([0.0, 300.0]),
    raise_at=st.sampled_from([None, 1, 2]),
)
def test_what_is_heard_is_what_a_lane_that_waits_for_the_disk_says(
    keeps: list[Keep], every_s: float, raise_at: int | None
) -> None:
    lane = Lane(
        begin=None,
        stages=tuple(stage for step, keep in enumerate(keeps) for stage in stages(CONSTANT, step, step + 1, keep=keep)),
    )
    spec = spec_of() if raise_at is None else spec_of(raise_in="train", raise_at=raise_at)
    heard = []
    for least in (ALWAYS, NEVER):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(lane_states, "LEAST_THREADED_BYTES", least)
            host = run_lanes(lane, spec=spec, checkpoint_every_s=every_s)
        heard.append((names(host), host.hashes, host.metrics, sorted(host.checkpoints.keys()), host.residents.keys()))
    assert heard[0] == heard[1]


def test_the_lane_trains_on_while_its_state_is_written_and_says_nothing_before() -> None:
    store = GatedStore()
    host = run_lanes(at(1), host=with_store(store), spec=spec_of(Opener))
    assert store.threads == ["hippo writes a state"]
    assert CheckpointWritten not in Opener.heard
    assert [kind for kind in Opener.heard if kind is StepDone] == [StepDone]  # two more were trained, and held back
    assert names(host)[:4] == ["StepDone 1", "Evaluated 1", "StatesResident", "CheckpointWritten 1"]
    assert [event.step for event in host.of(StepDone)] == [1, 2, 3, 4, 5]


def test_what_comes_into_memory_is_told_behind_the_state_that_is_being_written() -> None:
    store = GatedStore()
    first, second = stages(CONSTANT, 0, 1), stages(CONSTANT, 1, 2, keep=Keep.RESIDENT)
    threading.Timer(0.2, store.gate.set).start()
    host = run_lanes(Lane(begin=None, stages=(*first, *second)), host=with_store(store))
    behind = names(host)[names(host).index("CheckpointWritten 1") :]
    assert behind[1:] == ["StepDone 2", "Evaluated 2", "StatesResident", "StateHashed 2"]


def test_one_write_is_under_way_at_a_time() -> None:
    store = GatedStore()
    store.gate.set()
    along(CONSTANT, 6, host=with_store(store), checkpoint_every_s=0.0)
    assert (store.most_under_way, len(list(store.keys()))) == (1, 6)


def test_a_small_state_is_written_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_states, "LEAST_THREADED_BYTES", 1 << 18)
    store = GatedStore()
    store.gate.set()
    along(CONSTANT, 1, host=with_store(store))
    along({"lr": 0.1}, 1, host=RememberingHost(checkpoints=store), spec=spec_of(size=40_000), lease=2)
    assert store.threads == [threading.main_thread().name, "hippo writes a state"]


def test_a_store_that_is_full_pauses_the_lane_which_goes_on_where_there_is_room() -> None:
    store = GatedStore()
    store.errors = [StoreFullError("full"), StoreFullError("still full")]
    host = run_lanes(at(1), host=with_store(store), spec=spec_of(Opener))
    assert [(event.step, event.is_waiting) for event in host.of(CheckpointFailed)] == [(1, True), (1, True)]
    assert [event.step for event in host.of(CheckpointWritten)] == [1]
    failed = max(n for n, event in enumerate(host.events) if isinstance(event, CheckpointFailed))
    # it trained on before it heard, and told of it when the state was written
    assert [event.step for event in host.events[:failed] if isinstance(event, StepDone)] == [1]
    assert [event.step for event in host.of(StepDone)] == [1, 2, 3, 4, 5]


def test_who_asks_a_lane_that_waits_for_room_is_answered_at_once() -> None:
    store = GatedStore()
    store.errors = [StoreFullError("full")] * 2
    add = AddBoundary(lease=LeaseId(1), lane=0, node=NodeId(0), step=5, boundary=Boundary())
    host = with_store(store)

    def wait(seconds: float) -> Sequence[LeaseCommand]:
        return [add] if len(host.of(CheckpointFailed)) == 1 else []

    host.wait = wait  # type: ignore[method-assign]
    run_lanes(at(1), host=host, spec=spec_of(Opener))
    answered = names(host).index("BoundaryAnswered 5")
    assert answered < names(host).index("CheckpointWritten 1")
    assert [event.step for event in host.of(CheckpointWritten)] == [1, 5]


class Hears(ToyTrainer):
    """Has a write end amid the step after three, and notes in the next one what was told by then."""

    store: ClassVar[GatedStore]
    host: ClassVar[RememberingHost]
    heard: ClassVar[list[type]] = []

    def train(self) -> dict[str, float]:
        if self.steps == 3:
            self.store.gate.set()
            for thread in list(lane_writer._writing):
                thread.join()
        if self.steps == 4:
            type(self).heard = [type(event) for event in self.host.events]
        return super().train()


def test_a_lane_hears_at_its_steps_end_that_a_state_before_could_not_be_written() -> None:
    store = GatedStore()
    store.errors = [StoreFullError("full")]
    Hears.store, Hears.host = store, RememberingHost(checkpoints=store)
    run_lanes(at(1), host=Hears.host, spec=spec_of(Hears))
    assert CheckpointFailed in Hears.heard


class OpensLate(Opener):
    """Opens the gate of `store` only when the state after two steps is copied."""

    def state_dict(self) -> dict[str, Any]:
        if self.steps == 2:
            self.store.gate.set()
        return super().state_dict()


@pytest.mark.parametrize(("least", "is_open"), [(NEVER, True), (ALWAYS, False)], ids=["in place", "beside"])
def test_a_boundary_that_is_promised_at_the_end_while_a_state_waits_for_room_is_kept(
    monkeypatch: pytest.MonkeyPatch, least: int, is_open: bool
) -> None:
    """Also where that is the state before, of which the lane hears when it is about to write its last one."""
    monkeypatch.setattr(lane_states, "LEAST_THREADED_BYTES", least)
    store = GatedStore()
    store.errors = [StoreFullError("full")]
    if is_open:
        store.gate.set()
    lane = Lane(begin=None, stages=stages(CONSTANT, 0, 2, keep=Keep.NOTHING))
    add = AddBoundary(lease=LeaseId(1), lane=0, node=NodeId(0), step=2, boundary=Boundary(keep=Keep.RESIDENT))
    host = with_store(store)
    host.wait = lambda seconds: [add]  # type: ignore[method-assign]
    run_lanes(lane, host=host, spec=spec_of(OpensLate), checkpoint_every_s=0.0)
    assert host.one(BoundaryAnswered).accepted
    assert host.residents.get("w", Point(NodeId(0), 2)) is not None
    assert [event.step for event in host.of(CheckpointWritten)] == [1, 2]


def test_a_lane_that_is_told_to_stop_gives_a_full_store_up_and_holds_its_state() -> None:
    store = GatedStore()
    store.errors = [StoreFullError("full")] * 9
    host = with_store(store)
    host.wait = lambda seconds: [Stop(lease=LeaseId(1))]  # type: ignore[method-assign]
    run_lanes(at(1), host=host, spec=spec_of(Opener))
    failed = [(event.step, event.is_waiting) for event in host.of(CheckpointFailed)]
    assert failed[:2] == [(1, True), (1, False)]
    assert host.residents.get("w", Point(NodeId(0), 1)) is not None


def test_a_state_that_no_store_takes_is_held_and_its_hash_is_told_behind_the_failure() -> None:
    store = GatedStore()
    store.errors = [CheckpointError("no such disk")]
    every = stages(CONSTANT, 0, 1, keep=Keep.WRITTEN)
    host = run_lanes(at(1), host=with_store(store), spec=spec_of(Opener))
    assert host.one(CheckpointFailed).reason == "no such disk"
    told = names(host)
    assert told.index("CheckpointFailed 1") < told.index("StateHashed 1") < told.index("StepDone 2")
    assert host.one(StateHashed).state_hash == run_lanes(Lane(begin=None, stages=every)).hashes[1]
    assert host.residents.get("w", Point(NodeId(0), 1)) is not None


def test_a_state_that_was_only_due_by_its_age_is_held_where_no_store_takes_it() -> None:
    store = GatedStore()
    store.gate.set()
    store.errors = [CheckpointError("no such disk")]
    lane = Lane(begin=None, stages=stages(CONSTANT, 0, 3, keep=Keep.NOTHING))
    host = run_lanes(lane, host=with_store(store), checkpoint_every_s=0.0)
    assert [event.step for event in host.of(CheckpointFailed)] == [1]
    assert [event.step for event in host.of(CheckpointWritten)] == [2, 3]
    assert host.residents.keys() == {("w", Point(NodeId(0), 1))}


def test_a_failure_is_told_behind_the_state_before_it() -> None:
    class Fails(Opener):
        def train(self) -> dict[str, float]:
            trained = super().train()
            if self.steps == 4:
                raise ValueError("no more")
            return trained

    host = run_lanes(at(1), host=with_store(GatedStore()), spec=spec_of(Fails))
    assert [type(event) for event in host.events[-3:]] == [StepDone, Evaluated, StageFailed]
    assert names(host).index("CheckpointWritten 1") == 3


def test_a_lane_that_is_interrupted_lets_its_state_be_written_first() -> None:
    class Interrupted(Opener):
        def train(self) -> dict[str, float]:
            super().train()
            if self.steps == 4:
                raise KeyboardInterrupt
            return {}

    host = with_store(GatedStore())
    with pytest.raises(KeyboardInterrupt):
        run_lanes(at(1), host=host, spec=spec_of(Interrupted))
    assert [event.step for event in host.of(CheckpointWritten)] == [1]


def left_while_full(error: BaseException) -> RememberingHost:
    """Return a host whose store is full, and who is broken off while a lane waits for room."""
    store = GatedStore()
    store.errors = [StoreFullError("full")] * 9
    host = with_store(store)

    def wait(seconds: float) -> Sequence[LeaseCommand]:
        raise error

    host.wait = wait  # type: ignore[method-assign]
    return host


def test_what_a_lane_said_behind_a_state_that_is_never_written_is_told_where_it_breaks_off() -> None:
    host = left_while_full(SystemExit())
    with pytest.raises(SystemExit):
        run_lanes(at(1), host=host, spec=spec_of(Opener))
    assert [event.step for event in host.of(CheckpointWritten)] == []
    assert [event.step for event in host.of(StepDone)][:2] == [1, 2]


def test_an_interrupt_while_a_failure_waits_for_room_ends_the_lane_in_silence() -> None:
    class Fails(Opener):
        def train(self) -> dict[str, float]:
            trained = super().train()
            if self.steps == 4:
                raise ValueError("no more")
            return trained

    host = left_while_full(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_lanes(at(1), host=host, spec=spec_of(Fails))
    assert not lane_writer._writing


def test_a_state_that_was_written_leaves_memory_though_the_lane_trains_on() -> None:
    known, refs = lane_states._StateWrite, Looks.refs

    class Noted:
        def __new__(cls, **fields: Any) -> Any:
            made = known(**fields)
            refs.append(weakref.ref(made))
            return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lane_states, "_StateWrite", Noted)
        run_lanes(at(1), spec=spec_of(Looks))
    assert Looks.freed is True


def test_what_a_lane_leaves_by_is_raised_in_the_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    def vanish(*_: object, **options: object) -> None:
        raise SystemExit("the study is gone")

    monkeypatch.setattr(lane_states, "write_checkpoint", vanish)
    with pytest.raises(SystemExit, match="the study is gone"):
        along(CONSTANT, 2, checkpoint_every_s=0.0)


def test_a_lane_whose_write_was_given_up_says_nothing_more() -> None:
    told: list[str] = []
    gate = threading.Event()
    writer: LaneWriter[str] = LaneWriter(told.append)

    def write() -> str:
        gate.wait(20)
        return "written"

    writer.start(write)
    writer.emit("behind")
    writer.abandon()
    gate.set()
    writer.wait()
    assert told == []


def test_what_is_said_while_a_write_is_told_comes_behind_it() -> None:
    told: list[str] = []
    writer: LaneWriter[str] = LaneWriter(told.append)
    for number in range(200):
        writer.start(lambda number=number: f"{number} written")  # type: ignore[misc]
        writer.emit(f"{number} behind")
        writer.emit(f"{number} further behind")
        writer.wait()
    expected = [f"{number} {what}" for number in range(200) for what in ("written", "behind", "further behind")]
    assert told == expected


def test_a_process_that_forks_waits_for_the_write() -> None:
    told: list[str] = []
    gate = threading.Event()
    writer: LaneWriter[str] = LaneWriter(told.append)

    def write() -> str:
        gate.wait(20)
        return "written"

    writer.start(write)
    threading.Timer(0.2, gate.set).start()
    child = os.fork()
    if child == 0:
        os._exit(0 if told == ["written"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    writer.wait()


def test_a_lanes_states_are_freed_when_it_ends_also_those_that_a_thread_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[weakref.ref[LaneStates]] = []
    known = LaneStates.__init__

    def noted(states: LaneStates, assignment: Assignment, *args: Any, **options: Any) -> None:
        known(states, assignment, *args, **options)
        freed.append(weakref.ref(states))

    monkeypatch.setattr(LaneStates, "__init__", noted)
    gc.disable()
    try:
        along(CONSTANT, 3, checkpoint_every_s=0.0)
        assert [states() for states in freed] == [None]
    finally:
        gc.enable()
