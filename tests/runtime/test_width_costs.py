"""What gangs make of steps, and what they take to begin, as far as it is learned."""

import pytest

from hippo.records import LeaseId
from hippo.runtime.timing.start_costs import StartCosts
from hippo.runtime.timing.width_costs import WidthCosts

ONE, TWO = LeaseId(1), LeaseId(2)


def test_until_a_gang_was_seen_most_of_each_slot_is_taken_to_be_of_use():
    costs = WidthCosts()
    assert costs.speedup("shape", 1) == 1.0
    assert costs.speedup("shape", 4) == pytest.approx(3.1)


def test_what_a_width_makes_of_steps_tells_of_other_widths_of_the_same_shape():
    costs = WidthCosts()
    costs.learn("shape", 2, 5.0, alone_s=9.0)
    assert costs.speedup("shape", 4) == pytest.approx(1 + 0.8 * 3)
    assert costs.speedup("other", 4) == pytest.approx(3.1)


def test_a_gang_that_is_slower_than_one_slot_is_of_no_use_and_steps_without_time_say_nothing():
    costs = WidthCosts()
    costs.learn("shape", 2, 0.0, alone_s=9.0)
    assert costs.speedup("shape", 2) == pytest.approx(1.7)
    costs.learn("shape", 2, 18.0, alone_s=9.0)
    assert costs.speedup("shape", 8) == 1.0


def test_a_start_is_what_passes_before_the_first_steps_of_a_lease_without_these():
    starts = StartCosts()
    assert starts.seconds(1) == starts.seconds(4) == 0.0
    starts.note_begun(ONE, 100.0, width=1)
    starts.note_steps(ONE, 130.0, 20.0)
    starts.note_steps(ONE, 190.0, 20.0)  # not the first ones
    assert starts.seconds(1) == starts.seconds(4) == 10.0
    starts.note_begun(TWO, 200.0, width=4)
    starts.note_steps(TWO, 240.0, 40.0)  # device-seconds: ten of each
    assert (starts.seconds(1), starts.seconds(4)) == (10.0, 30.0)


def test_a_lease_that_ended_without_a_step_says_nothing():
    starts = StartCosts()
    starts.note_begun(ONE, 0.0, width=1)
    starts.forget(ONE)
    starts.note_steps(ONE, 50.0, 1.0)
    assert starts.seconds(1) == 0.0


def test_a_lease_is_starting_until_its_first_step_should_have_ended():
    starts = StartCosts()
    starts.note_begun(ONE, 0.0, width=1)
    starts.note_steps(ONE, 30.0, 10.0)
    starts.note_begun(TWO, 100.0, width=1)
    assert starts.is_starting(TWO, 129.0, 10.0)
    assert not starts.is_starting(TWO, 130.0, 10.0)
    assert not starts.is_starting(ONE, 101.0, 10.0)


def test_late_starts_count_for_more_than_the_first_which_began_processes():
    starts = StartCosts()
    for number in range(60):
        starts.note_begun(LeaseId(number), 0.0, width=1)
        starts.note_steps(LeaseId(number), 90.0 if number == 0 else 3.0, 1.0)
    assert starts.seconds(1) == pytest.approx(2.0, abs=0.5)
