"""Slots over time: a bar for each lane of each lease in each of its slots, and times that add up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.records import NodeId, Span
from hippo.study import LeaseState, SlotLease, TreeRow
from hippo.testing.trainers import ToyTrainer
from hippo.views import slots

NODE = TreeRow(node=1, parent=None, start=0, stop=9, values="", trials=(0,), checkpoints=(), metrics={})


def lease(
    number: int = 1,
    *,
    slot: str = "a",
    began: float = 0.0,
    ended: float | None = 1.0,
    state: LeaseState = LeaseState.DONE,
    lanes: int = 1,
    peers: tuple[str, ...] = (),
    node: int = 1,
    members: tuple[str, ...] = ("",),
    epoch: int = 1,
) -> SlotLease:
    spans = tuple((Span(node=NodeId(node), start=0, stop=lane + 1),) for lane in range(lanes))
    return SlotLease(members=members, lease=number, epoch=epoch, slot=slot, peers=peers, lanes=spans, state=state,
                     began_at=1000.0 + began, ended_at=None if ended is None else 1000.0 + ended)  # fmt: skip


@st.composite
def leases(draw: st.DrawFn) -> list[SlotLease]:
    """Return leases with ends at whole seconds; of one slot they may overlap, as those of two processes do."""
    made = []
    for number in range(draw(st.integers(0, 12))):
        began, long = draw(st.integers(0, 30)), draw(st.integers(0, 8))
        state = draw(st.sampled_from(list(LeaseState)))
        is_known = state is not LeaseState.RUNNING and draw(st.booleans())
        slot, *peers = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True))
        made.append(
            lease(number, slot=slot, peers=tuple(peers), began=began, ended=began + long if is_known else None,
                  state=state, lanes=draw(st.integers(1, 3)), node=draw(st.sampled_from([1, 2])),
                  epoch=draw(st.sampled_from([1, 2])))
        )  # fmt: skip
    return made


@given(given_leases=leases(), now=st.sampled_from([None, 1020.0, 1100.0]))
def test_each_lane_has_a_bar_in_each_slot_and_seconds_at_work_are_counted_once(
    given_leases: list[SlotLease], now: float | None
) -> None:
    times = slots(given_leases, [NODE], now=now)
    wanted = [
        (slot, each.lease, lane)
        for each in given_leases
        for slot in (each.slot, *each.peers)
        for lane in range(len(each.lanes))
    ]
    assert sorted((bar.slot, bar.lease, bar.lane) for bar in times.bars) == sorted(wanted)
    assert [use.slot for use in times.slots] == sorted({slot for slot, _, _ in wanted})
    for use in times.slots:
        own = [bar for bar in times.bars if bar.slot == use.slot]
        known = [(bar.began_s, bar.ended_s) for bar in own if bar.ended_s is not None]
        seconds = {second for began, ended in known for second in range(int(began), int(ended))}
        assert use.busy_s == len(seconds)
        present = set()
        for epoch in (1, 2):
            lives = [bar for bar in own if bar.epoch == epoch]
            ends = [bar.ended_s if bar.ended_s is not None else bar.began_s for bar in lives]
            present |= set(range(int(min((bar.began_s for bar in lives), default=0)), int(max(ends, default=0))))
        assert use.busy_s + use.idle_s == use.present_s == len(present)
        assert use.leases == len({bar.lease for bar in own})
        assert use.lost == len({bar.lease for bar in own if bar.state is LeaseState.LOST})
    for bar in times.bars:
        assert bar.is_own is (bar.spans[0].node == 1)
        assert 0 <= bar.began_s <= (bar.began_s if bar.ended_s is None else bar.ended_s) <= times.span_s
    assert {bar.lease for bar in times.bars if bar.ended_s is None} == {
        each.lease for each in given_leases if each.ended_at is None and each.state is not LeaseState.RUNNING
    }
    unknown = [each for each in given_leases if each.ended_at is None and each.state is not LeaseState.RUNNING]
    assert times.unknown == len(unknown)


def test_a_slot_is_idle_only_while_its_process_is_there() -> None:
    days = [lease(1, ended=4.0), lease(2, began=6.0, ended=8.0), lease(3, began=90000.0, ended=90002.0, epoch=2)]
    (use,) = slots(days, [NODE]).slots
    assert (use.busy_s, use.idle_s, use.present_s) == (8.0, 2.0, 10.0)


def test_what_runs_is_drawn_until_now_and_without_a_now_until_the_last_moment_that_is_known() -> None:
    both = [lease(1, ended=3.0), lease(2, slot="b", began=1.0, ended=None, state=LeaseState.RUNNING)]
    assert [bar.ended_s for bar in slots(both, [NODE]).bars] == [3.0, 3.0]
    assert [bar.ended_s for bar in slots(both, [NODE], now=1010.0).bars] == [3.0, 10.0]
    assert slots(both, [NODE], now=1010.0).span_s == 10.0
    # nothing runs: the picture ends with its last lease
    assert slots(both[:1], [NODE], now=1010.0).span_s == 3.0
    # a clock that is behind the one that wrote draws nothing backwards
    assert [bar.ended_s for bar in slots(both, [NODE], now=5.0).bars] == [3.0, 3.0]


def test_a_gang_is_led_by_one_slot_and_is_in_all_of_them() -> None:
    bars = slots([lease(peers=("b", "c"))], [NODE]).bars
    assert [(bar.slot, bar.leads, bar.width) for bar in bars] == [("a", True, 3), ("b", False, 3), ("c", False, 3)]


def test_slots_are_in_the_order_of_the_numbers_in_their_names() -> None:
    names = ["local-10", "local-2", "node1/3", "local-1"]
    times = slots([lease(number, slot=name) for number, name in enumerate(names)], [NODE])
    assert [use.slot for use in times.slots] == ["local-1", "local-2", "local-10", "node1/3"]


def test_a_clock_that_was_set_back_makes_no_bar_shorter_than_nothing() -> None:
    times = slots([lease(began=5.0, ended=2.0)], [NODE])
    (bar,), (use,) = times.bars, times.slots
    assert (bar.began_s, bar.ended_s) == (0.0, 0.0)
    assert (use.busy_s, use.present_s) == (0.0, 0.0)


def test_work_of_any_member_of_a_plan_is_the_studys_own() -> None:
    row = TreeRow(node=1, parent=None, start=0, stop=9, values="", trials=(0,), checkpoints=(), metrics={}, member="y")
    (bar,) = slots([lease(members=("x", "y"))], [row]).bars
    assert (bar.is_own, bar.member) == (True, "x")


def test_another_studys_work_on_the_same_plan_is_told_apart() -> None:
    storage, engine = "memory://slots", hippo.InlineEngine()
    one, other = (
        hippo.create_study(name, trainer=ToyTrainer, storage=storage, checkpoints="memory://", engine=engine,
                           metric="loss", mode="min") for name in ("one", "other")
    )  # fmt: skip
    one.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    other.optimize(hippo.GridSearch([{"lr": 0.2}], until=2))
    seen = {study.name: slots(study.leases(), study.tree()) for study in (one, other)}
    one.close()
    assert [(bar.is_own, bar.steps) for bar in seen["one"].bars] == [(True, 3), (False, 2)]
    assert [bar.is_own for bar in seen["other"].bars] == [False, True]
