"""What walking lanes as one is worth to a schedule: makespans of simulated studies with and without.

    python benchmarks/bench_packing.py [--trees 2400] [--processes 2]

A quarter of an hour on two cores. Everything runs on a virtual clock, through the control loop that would train: a step
of F lanes takes a + b F steps of one, and evaluations, checkpoints and starts take no time. That sets the packing apart
from all else: what a and b are on a machine, and how long a step is, bench_fusion.py says.

Costs are learned in each study as it runs: of every shape four lanes are tried first. Trees are drawn by chance (see
`hippo.testing.drawn_trees`), each with a number of slots from 1 to 8, of lanes (2, 4, 16 or 64) and a cost b from 0 to
1, a = 1 - b; ASHA's losses are those of random walks of nine seeds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import runpy
import statistics
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "paper"))

from spaces import single_space  # noqa: E402

from hippo import ASHA, Config, GridSearch  # noqa: E402
from hippo.simulation import SimulatedWorkload, simulate  # noqa: E402
from hippo.testing.drawn_trees import AskAtOnce, drawn_trials  # noqa: E402
from report import write_report  # noqa: E402

LANES = 16
ALONE = SimulatedWorkload(seconds_per_step=1.0)
ASHA_SEEDS = range(9)
#: slots -> makespan that a prototype of the policy came to, with costs known beforehand and losses of its own
ASHA_SAID = {1: 940, 2: 429, 8: 181}


def together(fixed: float, per_lane: float) -> SimulatedWorkload:
    """Return what training costs where a step of F lanes takes so many steps of one."""
    return SimulatedWorkload(seconds_per_step=1.0, fused=(fixed, per_lane))


def compared(tuner, slots, fused, *, lanes=LANES, **options):
    """Return the simulations of a tuner with lanes walked one by one, and as one."""
    alone = simulate(tuner, ALONE, slots=slots, keep_intervals=False, **options)
    both = simulate(tuner, fused, slots=slots, lanes=lanes, keep_intervals=False, **options)
    return alone, both


def row(study, slots, fused, runs, said=None):
    """Return what pairs of simulations came to, as medians."""
    alone = statistics.median(solo.makespan_s for solo, _ in runs)
    packed = statistics.median(both.makespan_s for _, both in runs)
    return {
        "study": study,
        "slots": slots,
        "a": fused.fused[0],
        "b": fused.fused[1],
        "one by one": round(alone),
        "as one": round(packed),
        "ratio": round(statistics.median(both.makespan_s / solo.makespan_s for solo, both in runs), 3),
        "mean lanes": round(statistics.median(both.mean_lanes for _, both in runs), 1),
        "prototype": said,
    }


def grids():
    """Yield rows of grids: all is asked for at once."""
    usual = together(0.7, 0.3)
    digits = runpy.run_path(str(HERE.parent / "examples" / "digits.py"), run_name="digits")
    resnet, epochs = single_space("resnet56")
    mobilenet, more_epochs = single_space("mobilenet_v2")
    for name, space, until, slots, fused, said in (
        ("digits' grid", digits["space"], digits["STEPS"], 1, usual, 190),
        ("digits' grid", digits["space"], digits["STEPS"], 8, usual, 43),
        ("digits' grid", digits["space"], digits["STEPS"], 8, together(0.4, 0.6), 53),
        ("ResNet-56's grid", resnet, epochs, 1, usual, 8147),
        ("ResNet-56's grid", resnet, epochs, 8, usual, 1086),
        ("MobileNetV2's grid", mobilenet, more_epochs, 2, usual, 1716),
    ):
        yield row(name, slots, fused, [compared(GridSearch(space, until=until), slots, fused)], said)


def halvings():
    """Yield rows of ASHA: it pulls as slots get free."""
    usual = together(0.7, 0.3)
    configs = [Config({"lr": number / 1000}) for number in range(200)]
    for slots, said in ASHA_SAID.items():
        tuner = ASHA(configs, 3, 81, reduction=3)
        runs = [compared(tuner, slots, usual, seed=seed) for seed in ASHA_SEEDS]
        yield row("ASHA, 200 trials, 3 to 81 steps", slots, usual, runs, said)


def drawn(seed):
    """Return the makespan of a drawn tree with lanes walked as one, by that of lanes walked one by one."""
    warnings.simplefilter("ignore")  # of lanes that save too little together
    rng = random.Random(seed)
    trials, slots, per_lane = drawn_trials(rng), rng.randint(1, 8), rng.random()
    fused, lanes = together(1.0 - per_lane, per_lane), rng.choice((2, 4, 16, 64))
    alone, both = compared(AskAtOnce(trials), slots, fused, lanes=lanes, metric=None, mode=None)
    assert (both.steps_executed, both.steps_repeated) == (alone.steps_executed, 0)
    return both.makespan_s / alone.makespan_s


def of_trees(ratios):
    """Return the row of all drawn trees."""
    return {
        "trees": len(ratios),
        "ratio, median": round(statistics.median(ratios), 3),
        "mean": round(statistics.fmean(ratios), 3),
        "worst": round(max(ratios), 3),
        "above 1.02": f"{sum(ratio > 1.02 for ratio in ratios) / len(ratios):.2%}",
        "above 1.10": f"{sum(ratio > 1.10 for ratio in ratios) / len(ratios):.2%}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=2400, help="how many are drawn")
    parser.add_argument("--processes", type=int, default=2, help="that draw trees at a time")
    arguments = parser.parse_args()
    how = "simulated seconds, a step of one lane takes one; medians of {} seeds for ASHA"
    write_report("packing", [*grids(), *halvings()], how.format(len(ASHA_SEEDS)), seeds="0 to 8")
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        ratios = pool.map(drawn, range(arguments.trees), chunksize=20)
    how = "makespan of trees drawn by chance, lanes walked as one by lanes walked one by one; simulated"
    write_report("packing_trees", [of_trees(ratios)], how, seeds=f"0 to {arguments.trees - 1}")


if __name__ == "__main__":
    main()
