"""Slots of two speeds: makespans of ResNet56's grid and successive halving, with and without regard to speed.

    python benchmarks/bench_mixed_slots.py

Simulated: steps of 60 s on a fast slot, and 60 s to begin with a state that a slot does not hold. `blind`: what is
most urgent goes to the slot that is free first. `bound_h`: all work in all slots, or the longest way in a fast one,
whichever takes longer; no order of work can do better. `fast_only_h`: without the slow slots.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent / "paper"))

from experiments import EXTRA_EPOCHS, RUNG_ENDS, RUNGS, START_S
from spaces import single_space

import hippo
from hippo.runtime.timing.slot_speeds import SlotSpeeds
from hippo.simulation import SimulatedWorkload, simulate
from report import write_report

STEP_S = 60.0
SPACE = single_space("resnet56")[0]
STUDIES = {
    "grid": (hippo.GridSearch(SPACE, until=120), 120),
    "SHA": (hippo.SuccessiveHalving(SPACE, **RUNGS, extra_steps=EXTRA_EPOCHS), RUNG_ENDS[-1]),
}
#: (fast, slow, speed of the slow ones)
CLUSTERS = ((2, 2, 0.5), (5, 5, 0.5), (20, 20, 0.5), (6, 6, 0.25), (20, 20, 0.25))


def simulated(tuner, slots):
    """Return a simulation on these slots."""
    workload = SimulatedWorkload(seconds_per_step=STEP_S, start_s=START_S)
    return simulate(tuner, workload, slots=slots, keep_intervals=False, keep_facts=False)


def hours(tuner, slots):
    """Return the makespan."""
    return simulated(tuner, slots).makespan_s / 3600


def row(study, fast, slow, speed):
    """Return the figures of one study on one cluster, the slow slots opened first."""
    tuner, longest = STUDIES[study]
    slots = [speed] * slow + [1.0] * fast
    with mock.patch.object(SlotSpeeds, "differ", False):
        blind = hours(tuner, slots)
    seeing = simulated(tuner, slots)
    seen = seeing.makespan_s / 3600
    bound = max(seeing.steps_executed / sum(slots), longest) * STEP_S / 3600
    return {
        "study": study,
        "slots": f"{fast} fast, {slow} of {speed:g}",
        "bound_h": round(bound, 2),
        "fast_only_h": round(hours(tuner, [1.0] * fast), 2),
        "blind_h": round(blind, 2),
        "seeing_h": round(seen, 2),
        "times": round(blind / seen, 2),
        "at_most_times": round(blind / bound, 2),
    }


def main():
    """Print and keep."""
    rows = [row(study, *cluster) for study in STUDIES for cluster in CLUSTERS]
    write_report("mixed_slots", rows, "Makespans on slots of two speeds, simulated", seeds="none")


if __name__ == "__main__":
    main()
