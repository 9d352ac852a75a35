"""Where work begins among slots that differ in speed, turn by turn, and what moves from a slow one to a fast one."""

from __future__ import annotations

from typing import Any

from hippo.events import SlotOpened, StepDone
from hippo.records import Assignment, LeaseId, SlotId, Stop
from hippo.runtime.asking.instructions import Instructions, Send, Submit

from .turns import Asker, Turns, only

FAST, SLOW = SlotId("fast"), SlotId("slow")
LONG = 1000


def opened(*slots: SlotId, **environment: str) -> list[SlotOpened]:
    return [SlotOpened(slot=slot, environment=environment) for slot in slots]


def known(turns: Turns, **seconds: float) -> None:
    """Have slots known for steps of so many seconds."""
    for slot, taken_s in seconds.items():
        for _ in range(8):
            turns.coordinator.work.slots.speeds.note(SlotId(slot), "any", taken_s)


def steps(assignment: Assignment, *numbers: int) -> list[StepDone]:
    node = assignment.lanes[0].stages[0].node
    return [
        StepDone(lease=assignment.lease, lane=0, node=node, step=step, training={}, seconds=1.0) for step in numbers
    ]


def begun(said: Instructions) -> list[tuple[SlotId, int]]:
    """Return which slots were given work, and how many steps."""
    given = [submit.assignment for submit in only(Submit, said)]
    return [(each.slot, sum(stage.stop - stage.start for stage in each.lanes[0].stages)) for each in given]


def ended(said: Instructions) -> list[LeaseId]:
    """Return which leases were told to end at their next step."""
    return [send.command.lease for send in only(Send, said) if isinstance(send.command, Stop)]


def slow_at_work(until: int = LONG, *, slots: Any = None, slow_s: float = 4.0, **options: Any) -> tuple[Any, ...]:
    """Have the slow slot begin a lane, take a step of it, and the fast one open with nothing to do."""
    turns = Turns(**options)
    asker = Asker(turns)
    asker.ask(until=until)
    (lane,) = turns.begun(SLOW)
    known(turns, fast=1.0, slow=slow_s)
    said = turns.settle(*steps(lane, 1), *(opened(FAST) if slots is None else slots))
    return turns, asker, lane, said


# ------------------------------------------------------------------------------------------------------ moves


def test_work_in_a_slow_slot_is_ended_to_go_on_in_a_fast_one_that_has_nothing_to_do() -> None:
    for slow_s in (4.0, 64.0):  # one step of it takes longer than all that moving costs
        _, _, lane, said = slow_at_work(slow_s=slow_s)
        assert ended(said) == [lane.lease], "it is told once"


def test_work_stays_where_moving_it_would_not_pay() -> None:
    cases: list[dict[str, Any]] = [
        {"until": 2},  # what is left costs less than to begin elsewhere
        {"slow_s": 1.0},  # no slot is faster
        {"numerics": "fused"},  # several lanes may go to a slot
    ]
    for case in cases:
        assert ended(slow_at_work(**case)[-1]) == [], case


def test_work_stays_while_a_tuner_would_pull_for_the_fast_slot() -> None:
    turns, asker, lane, _ = slow_at_work(slots=[])
    Asker(turns, "beside")  # has no stream
    asker.has_demand = True
    assert ended(turns.turn(*steps(lane, 2), *opened(FAST))) == []
    asker.has_demand = False
    assert ended(turns.settle(*steps(lane, 3))) == [lane.lease]


def test_work_moves_to_no_slot_of_another_environment() -> None:
    said = slow_at_work(slots=opened(FAST, cpu="another"), slots_may_differ=True)[-1]
    assert ended(said) == []
    said = slow_at_work(slots=opened(FAST), slots_may_differ=True)[-1]
    assert len(ended(said)) == 1


# ------------------------------------------------------------------------------------------------------ waits


def test_a_lane_waits_for_a_fast_slot_that_is_free_sooner_than_a_slow_one_is_through() -> None:
    for ahead, expected in ((4, []), (400, [(SLOW, 20)])):
        turns = Turns()
        asker = Asker(turns)
        asker.ask(until=ahead + 1)
        (lane,) = turns.begun(FAST)
        known(turns, fast=1.0, slow=4.0)
        asker.ask(0.5, until=20)
        assert begun(turns.settle(*steps(lane, 1), *opened(SLOW))) == expected, ahead
