"""The evaluation of Hippo's paper in simulation: Table 1, Table 5 with Figure 12, and Figures 13 and 14.

    python benchmarks/paper/run.py [--seeds 10] [--multi-seeds 3] [--workers 2]

Minutes on two cores; another run gives the same figures. Writes RESULTS.md beside this file, results/paper.json above
it, and pictures into docs/images.

Simulated: hippo's own runtime, scheduler and tuners on a virtual clock; no GPU is used. The search spaces are
reconstructed (spaces.py). The metric is a random walk along the tree of prefixes, so equal prefixes have equal scores.
Trial-based is the same system with sharing=False: each trial is trained alone, and goes on from rung to rung.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bounds import Bounds, free_bounds, rung_bounds
from experiments import FIGURES, GPUS, START_S, Experiment
from results_page import write_page

from hippo.simulation import PowerLaw, RandomWalk, SimulatedWorkload
from hippo.simulation import simulate as run_simulation
from provenance import made_by
from report import keep, read

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One simulation, and what it could at best have come to."""

    figure: str
    experiment: str
    sharing: bool
    seed: int
    gpu_hours: float
    end_to_end_h: float
    steps_executed: int
    steps_repeated: int
    lanes: int
    starts: int
    #: of what it explored: steps of all trials each alone, by distinct steps
    merge_rate: float
    #: distinct steps of what it explored, in GPU-hours, without any start
    gpu_hours_bound: float
    #: work or chain, whichever is longer, and the first start: after a rung, a worker may hold the state that goes on
    end_to_end_bound_h: float


def simulate(figure: str, name: str, sharing: bool, seed: int) -> Run:
    """Run one experiment on the virtual clock."""
    experiment = next(one for one in FIGURES[figure] if one.name == name)
    workload = SimulatedWorkload(seconds_per_step=experiment.slot_seconds_per_step, start_s=START_S)
    found = run_simulation(
        experiment.tuners(experiment.ties),
        workload,
        slots=experiment.slots,
        # a walk costs time for every step, of which BERT's trials have 27,000
        curve=RandomWalk(seed) if experiment.is_ranked else PowerLaw(seed),
        seed=seed,
        sharing=sharing,
        keep_intervals=False,
    )
    bounds = _bounds(experiment, [(trial.config, trial.step) for study in found.studies for trial in study.trials])
    return Run(
        figure=figure,
        experiment=name,
        sharing=sharing,
        seed=seed,
        gpu_hours=found.device_hours * experiment.gpus_per_trial,
        end_to_end_h=found.makespan_s / 3600,
        steps_executed=found.steps_executed,
        steps_repeated=found.steps_repeated,
        lanes=found.lanes,
        starts=found.starts,
        merge_rate=bounds.merge_rate,
        gpu_hours_bound=bounds.steps_distinct * experiment.seconds_per_step / 3600,
        end_to_end_bound_h=(bounds.end_to_end * experiment.slot_seconds_per_step + START_S) / 3600,
    )


def _bounds(experiment: Experiment, reached: Sequence[tuple[object, int]]) -> Bounds:
    bound = rung_bounds if experiment.has_barriers else free_bounds
    return bound(reached, experiment.rungs, slots=experiment.slots)


def _simulate(arguments: tuple[str, str, bool, int]) -> Run:
    return simulate(*arguments)


def plan(seeds: int, multi_seeds: int) -> list[tuple[str, str, bool, int]]:
    """Return what is to be run: the longest first, so that no worker is left with one at the end."""
    found = [
        (figure, experiment.name, sharing, seed)
        for figure, experiments in FIGURES.items()
        for experiment in experiments
        for sharing in (True, False)
        for seed in range(1 if not experiment.is_ranked else seeds if figure.startswith("single") else multi_seeds)
    ]
    longest = ("BERT-Base grid", "S8", "S4")
    return sorted(found, key=lambda entry: (*(entry[1] != name for name in longest), entry))


def run_all(entries: Iterable[tuple[str, str, bool, int]], workers: int) -> list[Run]:
    """Run everything, in so many processes, and say how far it is."""
    entries = list(entries)
    runs = []
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for number, run in enumerate(pool.map(_simulate, entries), 1):
            runs.append(run)
            if number % 20 == 0 or number == len(entries):
                print(f"{number} of {len(entries)} simulations", file=sys.stderr)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="of each single study")
    parser.add_argument("--multi-seeds", type=int, default=3, help="of each family of studies")
    parser.add_argument("--workers", type=int, default=2, help="simulations at a time")
    parser.add_argument("--draw-only", action="store_true", help="page and pictures from results/paper.json")
    arguments = parser.parse_args()
    if arguments.draw_only:
        runs = [Run(**row) for row in read("paper")["rows"]]
    else:
        began = time.perf_counter()
        runs = run_all(plan(arguments.seeds, arguments.multi_seeds), arguments.workers)
        print(f"{len(runs)} simulations in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        made = made_by(
            seeds=f"0 to {arguments.seeds - 1}, several studies at once 0 to {arguments.multi_seeds - 1}",
            took_s=time.perf_counter() - began,
            also=["benchmarks/paper/spaces"],
        )
        how = f"simulated, reconstructed spaces, {GPUS} GPUs, {START_S:.0f} s for a start"
        keep("paper", [asdict(run) for run in runs], how, made)
    write_page(runs, Path(__file__).with_name("RESULTS.md"), ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
