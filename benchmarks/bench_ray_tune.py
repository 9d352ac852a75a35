"""Hippo against Ray Tune on real training: grid, successive halving, ASHA and four studies at once on two cores.

    python benchmarks/bench_ray_tune.py [--repeats 5] [--width 1] [--studies grid sha ...] [--systems shared alone ray]

Needs psutil, torch, scikit-learn and Ray: pip install "hippo-tune[demo,ray-tune]" psutil. Linux; a quiet machine;
an hour.
Each study has a result file of its own, results/ray_tune_<study>.json, so that one can be measured again by itself.

The same trainer, seeds, configs and numbers of evaluations everywhere; two trials at a time, one thread each. Every run
is a process of its own, of which all processes' CPU-seconds are counted, imports and start included. Within a repeat
all systems run one after the other, the order moving on by one each time; ratios are taken within a repeat. Each run
says which metrics it found for which config at which step, and where two runs trained the same, they must be equal.

systems: `shared` is hippo, `alone` is hippo with sharing=False, `ray` is Ray Tune with the class API,
reuse_actors=True and worker niceness 0 (see ray_tune_side.py for what else is done so that it looks its best).
"""

from __future__ import annotations

import argparse
import functools
import json
import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

STEPS, MIN_STEPS, REDUCTION = 24, 6, 2
STUDIES = ("grid", "sha", "asha", "four-studies")
SYSTEMS = ("shared", "alone", "ray")
#: hippo on the workers of a Ray cluster, for bench_ray_engine.py
ON_RAY = ("shared-on-ray", "alone-on-ray")
MARK = "RESULT "
#: config, step -> the metrics there, as bits
Seen = dict[str, list[float]]


# ------------------------------------------------------------------------------------------------ one run of one system


def groups_of(study: str, configs: list[Any]) -> list[int]:
    """Return to which study each config belongs: one for all, or one for each kind of batch size and momentum."""
    if study != "four-studies":
        return [0] * len(configs)
    kinds = list(dict.fromkeys((config["batch_size"], config["momentum"]) for config in configs))
    return [kinds.index((config["batch_size"], config["momentum"])) for config in configs]


def hippo_tuner(study: str, configs: list[Any]) -> Any:
    """Return the tuner of a study, or of each of four studies."""
    import hippo
    from hippo.tuners.asha import ASHA

    if study == "grid":
        return hippo.GridSearch(configs, until=STEPS)
    if study == "asha":
        return ASHA(configs, min_steps=MIN_STEPS, max_steps=STEPS, reduction=REDUCTION)
    return hippo.SuccessiveHalving(configs, min_steps=MIN_STEPS, max_steps=STEPS, reduction=REDUCTION)


def run_hippo(
    study: str, configs: list[Any], trainer_args: dict[str, Any], folder: Path, sharing: bool, on_ray: bool = False
) -> dict[str, Any]:
    """Run a study with hippo; return seconds, steps and metrics."""
    import digits
    import hippo

    starting_s = start_ray() if on_ray else 0.0
    engine = hippo.RayEngine(workers_per_node=2) if on_ray else hippo.LocalEngine(workers=2)
    groups = groups_of(study, configs)
    pairs = []
    for group in sorted(set(groups)):
        opened = hippo.create_study(
            f"{study}-{group}",
            trainer=digits.DigitsTrainer,
            trainer_args=trainer_args,
            storage=f"sqlite:///{folder / 'hippo.db'}",
            checkpoints=str(folder / "checkpoints"),
            engine=engine,
            metric="val_loss",
            mode="min",
            sharing=sharing,
        )
        mine = [config for config, its in zip(configs, groups, strict=True) if its == group]
        pairs.append((opened, hippo_tuner(study, mine)))
    began = time.perf_counter()
    hippo.optimize(pairs)
    seconds = time.perf_counter() - began
    counted = [opened.statistics() for opened, _ in pairs]
    seen: Seen = {}
    for opened, _ in pairs:
        for trial in opened.trials:
            for step, metrics in trial.history.items():
                seen[f"{trial.config.key}@{step}"] = [metrics["val_loss"], metrics["val_accuracy"]]
    for opened, _ in pairs:
        opened.close()
    return {
        "optimize_s": seconds,
        "starting_s": starting_s,
        "ending_s": end_ray() if on_ray else 0.0,
        "steps_executed": sum(c.steps_executed for c in counted),
        "steps_asked": sum(c.steps_asked for c in counted),
        "seen": seen,
    }


def start_ray() -> float:
    """Start a Ray cluster of two CPUs on this machine, for this process; return the seconds that takes, import and all.

    A process that has imported Ray already does not count that.
    """
    os.environ |= {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}  # Ray's workers are nice by 15 otherwise
    began = time.perf_counter()
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    return time.perf_counter() - began


def end_ray() -> float:
    """End the cluster of `start_ray`; return the seconds that takes."""
    import ray

    began = time.perf_counter()
    ray.shutdown()
    return time.perf_counter() - began


def run_ray(study: str, configs: list[Any], trainer_args: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run a study with Ray Tune; return seconds, steps and metrics."""
    os.environ |= {
        "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # no result files
        "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
        "RAY_AIR_NEW_OUTPUT": "0",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path[:1], os.environ.get("PYTHONPATH", "")]),
    }
    from ray import tune

    import digits
    import ray_tune_side as side

    starting_s = start_ray()
    groups = groups_of(study, configs)
    rungs = [STEPS] if study == "grid" else [MIN_STEPS, 2 * MIN_STEPS, STEPS]
    scheduler = {
        "grid": side.Halving,
        "sha": side.Halving,
        "asha": side.AsynchronousHalving,
        "four-studies": side.Halving,
    }
    history = side.History()
    began = time.perf_counter()
    results = tune.Tuner(
        tune.with_resources(
            tune.with_parameters(
                side.RayTrainable, trainer=digits.DigitsTrainer, trainer_args=trainer_args, configs=configs
            ),
            {"cpu": 1},
        ),
        param_space={"trial": tune.grid_search(list(range(len(configs))))},
        tune_config=tune.TuneConfig(
            max_concurrent_trials=None, reuse_actors=True, scheduler=scheduler[study](rungs, groups, REDUCTION)
        ),
        run_config=tune.RunConfig(storage_path=str(folder), verbose=0, callbacks=[history]),
    ).fit()
    seconds = time.perf_counter() - began
    assert not results.errors, results.errors
    ending_s = end_ray()
    seen = {f"{configs[number].key}@{step}": metrics for (number, step), metrics in history.seen.items()}
    steps = {"steps_executed": len(seen), "steps_asked": len(seen)}
    return {"optimize_s": seconds, "starting_s": starting_s, "ending_s": ending_s, **steps, "seen": seen}


def run_one(study: str, system: str, width: int) -> dict[str, Any]:
    """Run one study with one system in this process."""
    import digits

    configs = list(digits.space)
    with tempfile.TemporaryDirectory() as folder:
        if system == "ray":
            return run_ray(study, configs, {"width": width}, Path(folder))
        sharing, on_ray = system.startswith("shared"), system in ON_RAY
        return run_hippo(study, configs, {"width": width}, Path(folder), sharing, on_ray)


# ------------------------------------------------------------------------------------------------------- comparing them


def measured(study: str, system: str, width: int) -> dict[str, Any]:
    """Run one study with one system in a process of its own, and count the CPU-seconds of all that it starts."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, "--one", study, system, "--width", str(width)])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    return {**json.loads(line.removeprefix(MARK)), "wall_s": found.wall_s, "cpu_s": found.cpu_s}


def compare(runs: dict[str, dict[str, Any]], known: Seen) -> int:
    """Check that metrics of equal configs at equal steps are equal, bit for bit; return how many were compared.

    Raises:
      RuntimeError: names the first that differ.
    """
    compared = 0
    for system, run in runs.items():
        for point, metrics in run["seen"].items():
            if known.setdefault(point, metrics) != metrics:
                raise RuntimeError(f"{system} found {metrics} where another run found {known[point]}: {point}")
            compared += 1
    return compared - len(known)


def rows_of(study: str, repeats: list[dict[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield a row of the report for each system: medians over the repeats, and ratios to hippo within a repeat."""
    for system in repeats[0]:
        of = functools.partial(column, repeats, system)
        yield {
            "study": study,
            "system": system,
            "repeats": len(repeats),
            "steps_executed": spread(of("steps_executed"), 0),
            "wall_s": spread(of("wall_s"), 1),
            "cpu_s": spread(of("cpu_s"), 1),
            "optimize_s": spread(of("optimize_s"), 1),
            **{
                f"{name}_by_shared": spread(ratios(of(name), column(repeats, "shared", name)), 2)
                if "shared" in repeats[0]
                else ""
                for name in ("steps_executed", "wall_s", "cpu_s", "optimize_s")
            },
        }


def column(repeats: list[dict[str, dict[str, Any]]], system: str, name: str) -> list[float]:
    return [repeat[system][name] for repeat in repeats]


def ratios(these: list[float], those: list[float]) -> list[float]:
    return [a / b for a, b in zip(these, those, strict=True)]


def spread(values: list[float], digits: int) -> str:
    """Return the median, and the least and the greatest where they are not the same."""
    low, middle, high = (f"{of(values):.{digits}f}" for of in (min, statistics.median, max))
    return middle if low == high else f"{middle} ({low}-{high})"


def repeat(study: str, systems: list[str], repeats: int, width: int) -> tuple[list[dict[str, Any]], set[str]]:
    """Run a study with all systems, again and again; return the rows of its report, and which code took part."""
    known: Seen = {}
    found = []
    parts: set[str] = set()
    for number in range(repeats):
        order = [systems[(number + k) % len(systems)] for k in range(len(systems))]
        runs = {}
        for system in order:
            runs[system] = measured(study, system, width)
            parts |= set(runs[system]["parts"])
            print(f"{study} {number}: {system} {runs[system]['wall_s']:.1f} s", file=sys.stderr)
        compare(runs, known)
        found.append({system: runs[system] for system in systems})
    print(f"{study}: metrics of equal configs are equal at all {len(known)} points", file=sys.stderr)
    return list(rows_of(study, found)), parts


def check_installed() -> None:
    """Say what to install, before anything runs."""
    for module, command in (("ray", 'pip install "ray[tune]"'), ("psutil", "pip install psutil")):
        try:
            __import__(module)
        except ImportError:
            sys.exit(f"this benchmark needs {module}; install it by: {command}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--width", type=int, default=1, help="channels of the net's first layer")
    parser.add_argument("--studies", nargs="+", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--one", nargs=2, metavar=("STUDY", "SYSTEM"), help="run one in this process, and print it")
    arguments = parser.parse_args()
    if arguments.one:
        found = run_one(*arguments.one, arguments.width)
        from provenance import parts_loaded

        print(MARK + json.dumps({**found, "parts": sorted(parts_loaded())}))
        return
    check_installed()
    from process_cpu import adopt_orphans
    from report import write_report

    adopt_orphans()
    how = (
        f"56 configs of the demo's space, at most {STEPS} steps, net of width {arguments.width}, two trials at a time; "
        f"median (least-greatest) of {arguments.repeats} repeats; shared = hippo, alone = hippo without sharing, ray = "
        "Ray Tune with reuse_actors=True; metrics of equal configs were equal bit for bit"
    )
    for study in arguments.studies:
        rows, parts = repeat(study, arguments.systems, arguments.repeats, arguments.width)
        write_report(f"ray_tune_{study.replace('-', '_')}", rows, how, seeds="0", also=parts)


if __name__ == "__main__":
    main()
