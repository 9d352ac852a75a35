"""hippo on a Ray cluster: against its own local workers, and against Ray Tune on the same cluster.

    python benchmarks/bench_ray_engine.py [--repeats 5] [--stages 300] [--width 1] [--only stages studies] [--dry-run]

Needs psutil, torch, scikit-learn and Ray: pip install "hippo-tune[demo,ray-tune]" psutil. Linux; a quiet machine;
an hour.

`stages`: a grid of trials of one step each that does nothing, on one worker; milliseconds of a trial from its grant to
the next one's, wall, and of the study's process, CPU. The first twenty are not counted.

`studies`: the demo's grid (see bench_ray_tune.py), each run in a process of its own with a cluster of its own of two
CPUs. `local`: two workers of LocalEngine. `shared-on-ray`: RayEngine with two workers on one node. `alone-on-ray`: the
same with sharing=False. `ray`: Ray Tune, class API, reuse_actors=True. Of all processes' CPU-seconds, imports and the
cluster included; ratios within a repeat. To start Ray is to import it and to begin a cluster; to end it,
`ray.shutdown`: what is beyond a local study and these two is hippo's own. Metrics of equal configs are equal
everywhere, bit for bit, or it stops.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from bench_ray_tune import check_installed, column, compare, measured, ratios, spread, start_ray

SYSTEMS = {"local": "shared", "shared-on-ray": "shared-on-ray", "alone-on-ray": "alone-on-ray", "ray": "ray"}
MARK = "STAGES "
#: of the first trials something is still being imported
_WARM = 20


def trivial_stages(system: str, number: int) -> dict[str, float]:
    """Return the milliseconds that a trial of one step takes, once all is warm."""
    import hippo
    from hippo.testing.trainers import ToyTrainer

    ends: list[tuple[float, float]] = []

    class Noting(hippo.Callback):
        def on_answered(self, event: Any) -> None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            ends.append((time.perf_counter(), used.ru_utime + used.ru_stime))

    if system == "ray":
        start_ray()
    engine = hippo.RayEngine(workers_per_node=1) if system == "ray" else hippo.LocalEngine(workers=1)
    with tempfile.TemporaryDirectory() as folder:
        study = hippo.create_study(
            "trivial",
            trainer=ToyTrainer,
            storage=f"sqlite:///{folder}/hippo.db",
            checkpoints=f"{folder}/states",
            engine=engine,
            metric="loss",
            mode="min",
            callbacks=[Noting()],
            keep="best",
            checkpoint_budget=None,
        )
        study.optimize(hippo.GridSearch([{"lr": 0.1 + i / 1e4} for i in range(number)], until=1))
        study.close()
    (began_s, began_cpu_s), *_, (ended_s, ended_cpu_s) = ends[_WARM:]
    counted = len(ends) - _WARM - 1
    return {"wall_ms": 1e3 * (ended_s - began_s) / counted, "cpu_ms": 1e3 * (ended_cpu_s - began_cpu_s) / counted}


def stage_rows(repeats: int, number: int) -> tuple[list[dict[str, Any]], set[str]]:
    """Return a row for each engine, and which code took part."""
    parts: set[str] = set()
    found: dict[str, list[dict[str, float]]] = {"local": [], "ray": []}
    for turn in range(repeats):
        for system in sorted(found, reverse=bool(turn % 2)):
            command = [sys.executable, __file__, "--one", system, str(number)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            (line,) = [line for line in said.splitlines() if line.startswith(MARK)]
            run = json.loads(line.removeprefix(MARK))
            parts.update(run.pop("parts"))
            found[system].append(run)
            print(f"stages {turn}: {system} {run}", file=sys.stderr)
    rows = [
        {
            "what": f"{number} trials of one trivial step",
            "system": system,
            "repeats": repeats,
            "wall_ms": spread([run["wall_ms"] for run in runs], 2),
            "cpu_ms": spread([run["cpu_ms"] for run in runs], 2),
        }
        for system, runs in found.items()
    ]
    return rows, parts


def study_rows(repeats: int, width: int) -> tuple[list[dict[str, Any]], set[str]]:
    """Run the demo's grid everywhere, in turns; return a row for each system, and which code took part."""
    from process_cpu import adopt_orphans

    adopt_orphans()
    known: dict[str, list[float]] = {}
    parts: set[str] = set()
    found: list[dict[str, dict[str, Any]]] = []
    names = list(SYSTEMS)
    for turn in range(repeats):
        runs = {}
        for k in range(len(names)):
            name = names[(turn + k) % len(names)]
            runs[name] = measured("grid", SYSTEMS[name], width)
            parts |= set(runs[name]["parts"])
            print(f"studies {turn}: {name} {runs[name]['wall_s']:.1f} s", file=sys.stderr)
        compare(runs, known)
        found.append(runs)
    rows = []
    for name in names:
        excess = [repeat[name]["wall_s"] - repeat[name]["starting_s"] - repeat["local"]["wall_s"] for repeat in found]
        own = [beyond - repeat[name]["ending_s"] for beyond, repeat in zip(excess, found, strict=True)]
        cpu = column(found, name, "cpu_s")
        rows.append(
            {
                "what": f"the demo's grid, width {width}",
                "system": name,
                "repeats": repeats,
                "steps_executed": round(statistics.median(column(found, name, "steps_executed"))),
                "wall_s": spread(column(found, name, "wall_s"), 1),
                "of it to start Ray": spread(column(found, name, "starting_s"), 1),
                "of it to end Ray": spread(column(found, name, "ending_s"), 1),
                "wall beyond local and Ray's start": spread(excess, 1),
                "and beyond Ray's end": spread(own, 1),
                "cpu_s": spread(cpu, 1),
                "steps by shared-on-ray": round(
                    statistics.median(
                        ratios(column(found, name, "steps_executed"), column(found, "shared-on-ray", "steps_executed"))
                    ),
                    2,
                ),
                "cpu by shared-on-ray": spread(ratios(cpu, column(found, "shared-on-ray", "cpu_s")), 2),
                "cpu by alone-on-ray": spread(ratios(cpu, column(found, "alone-on-ray", "cpu_s")), 2),
            }
        )
    return rows, parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--stages", type=int, default=300)
    parser.add_argument("--width", type=int, default=1, help="channels of the net's first layer")
    parser.add_argument("--only", nargs="+", choices=["stages", "studies"], default=["stages", "studies"])
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "NUMBER"), help="what a process of its own does")
    arguments = parser.parse_args()
    if arguments.one:
        system, number = arguments.one
        found = trivial_stages(system, int(number))
        from provenance import parts_loaded

        print(MARK + json.dumps({**found, "parts": sorted(parts_loaded())}))
        return
    check_installed()
    from report import write_report

    how = f"two workers, one thread each; median (least-greatest) of {arguments.repeats} repeats, in turns"
    for name, rows, parts in [
        *(
            [("ray_engine_stages", *stage_rows(arguments.repeats, arguments.stages))]
            if "stages" in arguments.only
            else []
        ),
        *([("ray_engine", *study_rows(arguments.repeats, arguments.width))] if "studies" in arguments.only else []),
    ]:
        if arguments.dry_run:
            print(*rows, sep="\n")
        else:
            write_report(name, rows, how, seeds="0", also=parts)


if __name__ == "__main__":
    main()
