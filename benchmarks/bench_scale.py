"""What deciding costs at scale: many trials on many virtual slots, all decided by the real runtime.

    python benchmarks/bench_scale.py [--trials 10000 100000] [--slots 1000 10000] [--profile FILE]

Successive halving over a grid of step-wise hyper-parameters, so that trials share prefixes; plan in memory, a step of
five or six virtual minutes. Measured around the whole simulation, its own work included; `decision_us_per_stage` is the
CPU time that the control loop spent in its turns (plan, stage tree, scheduler, bookkeeping) for each stage, and
`tree_and_scheduler_us` the time within the stage tree and the scheduler alone, which is what the target is for. Of the
latter, what reading the clock ten times a stage takes is measured first and left out.
"""

import argparse
import cProfile
import itertools
import pstats
import resource
import time

import hippo
from hippo import Piecewise
from hippo.runtime.placing import slot_choice
from hippo.schedulers import CriticalPath
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate
from hippo.stages import IncrementalStageTree, StageTree
from report import write_report

TARGET_US = 50


def space(trials):
    """Return a grid: learning rates that change after steps 1 and 2, times 50 weight decays, times 2 batch sizes."""
    rates = max(1, trials // 100)
    width = max(2, round(rates ** (1 / 3)))
    levels = itertools.islice(itertools.product(range(rates), range(width), range(width)), rates)
    return hippo.GridSearchSpace(
        {
            "lr": [Piecewise([0.1 + first, 100.1 + middle, 10_000.1 + last], [1, 2]) for last, middle, first in levels],
            "weight_decay": [Piecewise([0.0, 1e-5 * (1 + number)], [2]) for number in range(50)],
            "batch_size": [64, 128],
        }
    )


class Meter:
    """CPU time within the stage tree and the scheduler, calls from within each other counted once."""

    def __init__(self):
        self._is_inside = False
        self._own_s = 0.0
        self.reset()
        nothing = self._watched(lambda: None)
        for _ in range(100_000):
            nothing()
        self._own_s = self._seconds / self._calls

    def reset(self):
        self._seconds, self._calls = 0.0, 0

    @property
    def seconds(self):
        """What was measured, without what measuring took."""
        return self._seconds - self._calls * self._own_s

    def watch(self, owner, *names):
        for name in names:
            setattr(owner, name, self._watched(getattr(owner, name)))

    def _watched(self, function):
        def watched(*arguments, **options):
            if self._is_inside:
                return function(*arguments, **options)
            self._is_inside, began = True, time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self._seconds += time.thread_time() - began
                self._calls += 1
                self._is_inside = False

        return watched


METER = Meter()
METER.watch(
    IncrementalStageTree,
    *("touched", "opened", "closed", "passed", "recost", "take_underway", "_settle"),
)
METER.watch(StageTree, "followers", "underway")
METER.watch(CriticalPath, "lanes")
METER.watch(slot_choice, "place")


def measure(trials, slots, profile=None):
    """Simulate one study and return its row."""
    METER.reset()
    seconds = {"batch_size": {64: 360.0, 128: 300.0}}
    workload = SimulatedWorkload(seconds_per_step=seconds, start_s=60.0, load_s=10.0, save_s=10.0, evaluate_s=30.0)
    tuner = hippo.SuccessiveHalving(space(trials), min_steps=3, max_steps=27, reduction=3)
    profiler = cProfile.Profile()
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    if profile:
        import threading

        threading.setprofile(lambda *_: (threading.setprofile(None), profiler.enable()))
    simulation = simulate(
        tuner, workload, slots=slots, curve=RandomWalk(seed=1), keep_intervals=False, keep_facts=False
    )
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    if profile:
        with open(profile, "w") as file:
            for key in ("tottime", "cumulative"):
                pstats.Stats(profiler, stream=file).sort_stats(key).print_stats(60)
    return {
        "trials": trials,
        "slots": slots,
        "stages": simulation.stages,
        "steps": simulation.steps_executed,
        "merge_rate": round(simulation.steps_asked / simulation.steps_executed, 3),
        "makespan_h": round(simulation.makespan_s / 3600, 2),
        "wall_s": round(wall_s, 2),
        "cpu_us_per_stage": round(1e6 * cpu_s / simulation.stages),
        "decision_us_per_stage": round(simulation.decision_us_per_stage),
        "tree_and_scheduler_us_per_stage": round(1e6 * METER.seconds / simulation.stages),
        "target_us": TARGET_US,
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--slots", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--profile", help="write cProfile's view of the control loop's thread into this file")
    parser.add_argument("--no-report", action="store_true", help="print only")
    arguments = parser.parse_args()
    rows = [
        measure(trials, slots, arguments.profile)
        for trials, slots in zip(arguments.trials, arguments.slots, strict=True)
    ]
    for row in rows:
        print(row)
    if not arguments.no_report and not arguments.profile:
        write_report("scale", rows, "Virtual slots and trials, all decided by the real runtime", seeds="1")


if __name__ == "__main__":
    main()
