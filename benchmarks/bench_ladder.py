"""The ladder of factors: the demo's grid trial by trial, with Ray Tune, with shared stages, as lanes of one program, and both.

    python benchmarks/bench_ladder.py [--repeats 3] [--widths 24 3] [--rungs alone ray staged fused both]

Needs psutil, torch, scikit-learn and, for the rung `ray`, Ray: pip install "hippo[demo,ray]" psutil. Linux; half an
hour on two quiet cores.

56 trials of 24 steps of the demo's net, two slots, one thread each, seed 0. Every run is a process of its own, of which
all processes' CPU-seconds are counted, imports and start included. Within a repeat all rungs run one after the other,
the order moving on by one each time; ratios are taken within a repeat.

* `alone`: hippo with sharing=False, all 56 trials in full.
* `ray`: Ray Tune with the class API, reuse_actors=True and worker niceness 0 (see ray_tune_side.py).
* `staged`: hippo, which trains a beginning that trials have in common once.
* `fused`: hippo with numerics="fused" and sharing=False, so that each trial is a path of its own, and many are walked
  as one program.
* `both`: the same with sharing.

`over` names the rung that a rung is compared with, and `times` is how often fewer CPU-seconds it takes: a factor by
itself. Metrics of `alone`, `ray` and `staged` must be equal, bit for bit; `farthest` is how far any metric of any trial
at any step is from theirs, and `best` the best accuracy of a trial at its end. A rung more is one more line of RUNGS.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench_ray_tune import MARK, STEPS, Seen, check_installed, column, compare, ratios, run_ray, spread

WIDTHS = (24, 3)
#: what every other rung is also compared with
BASELINES = ("alone", "ray")


# --------------------------------------------------------------------------------------------------------------- rungs


def run_hippo(
    width: int, folder: Path, *, make_tuner: Callable[[Any], Any] | None = None, **options: Any
) -> dict[str, Any]:
    """Run the demo's grid with hippo; return seconds, steps, lanes and metrics.

    Args:
      width: channels of the net's first convolution.
      folder: for the database and checkpoints.
      make_tuner: from the demo's space; None: its grid.
      options: of the study.
    """
    import digits
    import hippo

    study = hippo.create_study(
        "ladder",
        trainer=digits.DigitsTrainer,
        trainer_args={"width": width},
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=hippo.LocalEngine(workers=2),
        metric="val_accuracy",
        mode="max",
        **options,
    )
    tuner = hippo.GridSearch(digits.space, until=STEPS) if make_tuner is None else make_tuner(digits.space)
    began = time.perf_counter()
    study.optimize(tuner)
    seconds, counted = time.perf_counter() - began, study.statistics()
    seen = {
        f"{trial.config.key}@{step}": [metrics["val_loss"], metrics["val_accuracy"]]
        for trial in study.trials
        for step, metrics in trial.history.items()
    }
    study.close()
    return {
        "optimize_s": seconds,
        "steps_executed": counted.steps_executed,
        "steps_repeated": counted.steps_repeated,
        "mean_lanes": counted.mean_lanes,
        "seen": seen,
    }


def run_with_ray(width: int, folder: Path) -> dict[str, Any]:
    """Run the demo's grid with Ray Tune."""
    import digits

    found = run_ray("grid", list(digits.space), {"width": width}, folder)
    return {**found, "steps_repeated": 0, "mean_lanes": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One way to come to the best of the demo's 56 trials."""

    #: runs it in this process, given the width and an empty folder
    run: Callable[[int, Path], dict[str, Any]]
    #: the rung that it is compared with, to tell its own factor; None: it is where the ladder begins
    over: str | None = None
    #: its metrics are those of the others that are exact, bit for bit
    is_exact: bool = True
    widths: Sequence[int] = WIDTHS
    #: width -> how many times fewer CPU-seconds than `over` it should take
    targets: Mapping[int, float] = field(default_factory=dict)


RUNGS: Mapping[str, Rung] = {
    "alone": Rung(run=functools.partial(run_hippo, sharing=False)),
    "ray": Rung(run=run_with_ray, over="alone"),
    "staged": Rung(run=run_hippo, over="alone"),
    "fused": Rung(run=functools.partial(run_hippo, sharing=False, numerics="fused"), over="alone", is_exact=False),
    "both": Rung(
        run=functools.partial(run_hippo, numerics="fused"), over="staged", is_exact=False, targets={24: 1.1, 3: 1.6}
    ),
}


# ----------------------------------------------------------------------------------------------------------- measuring


def run_one(name: str, width: int) -> dict[str, Any]:
    """Run a rung in this process, and say which code took part."""
    from provenance import parts_loaded

    with tempfile.TemporaryDirectory() as folder:
        found = RUNGS[name].run(width, Path(folder))
    return {**found, "parts": sorted(parts_loaded())}


def measured(name: str, width: int) -> dict[str, Any]:
    """Run a rung in a process of its own, and count the CPU-seconds of all that it starts."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, "--one", name, "--widths", str(width)])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    return {**json.loads(line.removeprefix(MARK)), "wall_s": found.wall_s, "cpu_s": found.cpu_s}


def repeated(names: Sequence[str], width: int, repeats: int) -> list[dict[str, dict[str, Any]]]:
    """Run rungs in turns, each repeat beginning with another one.

    Raises:
      RuntimeError: rungs that are exact came to different metrics.
    """
    known: Seen = {}
    found = []
    for number in range(repeats):
        runs = {}
        for name in (names[(number + k) % len(names)] for k in range(len(names))):
            runs[name] = measured(name, width)
            print(f"width {width}, repeat {number}: {name} {runs[name]['cpu_s']:.1f} CPU-s", file=sys.stderr)
        compare({name: run for name, run in runs.items() if RUNGS[name].is_exact}, known)
        found.append({name: runs[name] for name in names})
    return found


# ----------------------------------------------------------------------------------------------------------- reporting


def rows_of(width: int, repeats: list[dict[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return a row for each rung: medians over the repeats, and ratios within a repeat."""
    names = list(repeats[0])
    exact: Seen = {}
    for name in names:
        exact |= repeats[0][name]["seen"] if RUNGS[name].is_exact else {}
    return [row_of(width, name, repeats, exact) for name in names]


def row_of(width: int, name: str, repeats: list[dict[str, dict[str, Any]]], exact: Seen) -> dict[str, Any]:
    """Return the row of a rung."""
    rung, cpu_s = RUNGS[name], column(repeats, name, "cpu_s")

    def over(other: str | None) -> str | None:
        if other is None or other == name or other not in repeats[0]:
            return None
        return spread(ratios(column(repeats, other, "cpu_s"), cpu_s), 2)

    return {
        "width": width,
        "rung": name,
        "repeats": len(repeats),
        "cpu_s": spread(cpu_s, 1),
        "wall_s": spread(column(repeats, name, "wall_s"), 1),
        "steps_executed": spread(column(repeats, name, "steps_executed"), 0),
        "steps_repeated": spread(column(repeats, name, "steps_repeated"), 0),
        "mean_lanes": spread(column(repeats, name, "mean_lanes"), 1),
        "over": rung.over,
        "times": over(rung.over),
        "target": rung.targets.get(width),
        **{f"times_{baseline}": over(baseline) for baseline in BASELINES},
        "best": spread([best_of(repeat[name]["seen"]) for repeat in repeats], 4),
        "farthest_loss": farthest([repeat[name]["seen"] for repeat in repeats], exact, 0),
        "farthest_accuracy": farthest([repeat[name]["seen"] for repeat in repeats], exact, 1),
    }


def best_of(seen: Seen) -> float:
    """Return the best accuracy of a trial at its end."""
    return max(accuracy for point, (_, accuracy) in seen.items() if point.endswith(f"@{STEPS}"))


def farthest(found: Sequence[Seen], exact: Seen, metric: int) -> str | None:
    """Return how far a metric is from that of an exact run, at most; None if there was none.

    Args:
      found: of each repeat.
      metric: 0 for the loss, 1 for the accuracy.
    """
    distances = [
        abs(metrics[metric] - exact[point][metric])
        for seen in found
        for point, metrics in seen.items()
        if point in exact
    ]
    return f"{max(distances):.4f}" if distances else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--widths", nargs="+", type=int, default=list(WIDTHS), help="channels of the first convolution")
    parser.add_argument("--rungs", nargs="+", choices=list(RUNGS), default=list(RUNGS))
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--one", choices=list(RUNGS), help="run one in this process, and print it")
    arguments = parser.parse_args()
    if arguments.one:
        print(MARK + json.dumps(run_one(arguments.one, *arguments.widths)))
        return
    if "ray" in arguments.rungs:
        check_installed()
    from process_cpu import adopt_orphans
    from report import markdown_table, write_report

    adopt_orphans()
    rows: list[dict[str, Any]] = []
    parts: set[str] = set()
    for width in arguments.widths:
        names = [name for name in arguments.rungs if width in RUNGS[name].widths]
        repeats = repeated(names, width, arguments.repeats)
        parts |= {part for repeat in repeats for run in repeat.values() for part in run["parts"]}
        rows += rows_of(width, repeats)
    if arguments.dry_run:
        print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]))
        return
    how = (
        f"56 trials of {STEPS} steps of the demo's grid, two slots; CPU-seconds of all processes, start included; median "
        f"(least-greatest) of {arguments.repeats} repeats, ratios within a repeat"
    )
    write_report("ladder", rows, how, seeds="0", also=parts)


if __name__ == "__main__":
    main()
