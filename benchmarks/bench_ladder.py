"""The ladder of factors: the demo's grid trial by trial, with Ray Tune, with shared stages, with fused lanes, and both.

    python benchmarks/bench_ladder.py [--repeats 3] [--widths 24 3] [--rungs alone ray ...] [--sample 16]

Each width has a result file of its own, results/ladder_<width>.json, so that one can be measured again by itself.
Needs psutil, torch, scikit-learn and, for the rung `ray`, Ray: pip install "hippo-tune[demo,ray-tune]" psutil. Linux;
three quarters of an hour on two quiet cores, half of that with --sample 16.

56 trials of 24 steps of the demo's net, two slots, one thread each, seed 0. Every run is a process of its own, of which
all processes' CPU-seconds are counted, imports and start included. Within a repeat all rungs run one after the other,
the order moving on by one each time; ratios are taken within a repeat.

`--slots 1` has hippo's rungs in the process of the study itself, kept as results/ladder_one_slot_<width>.json: two
slots share the lanes that there are, so each walks half as many as one, and what a step takes whatever it walks is paid
twice.

* `alone`: hippo with sharing=False.
* `ray`: Ray Tune with the class API, reuse_actors=True and worker niceness 0 (see ray_tune_side.py).
* `staged`: hippo, which trains a beginning that trials have in common once.
* `fused`: hippo with numerics="fused" and sharing=False: each trial is a path of its own, and many are walked as one.
* `both`: the same with sharing.
* `surrogate`: both, on a net 8 times narrower; then the net itself with the config that was best there. Its metrics are
  the net's own, of the trials that it was trained for.

`over` names the rung that a rung is compared with, and `times` is how often fewer CPU-seconds it takes: its own factor.
With --sample N, `alone` and `ray` run 2 and N of the trials, drawn with seed 0, and what 56 would take lies on the line
through both: their trials have nothing in common, so that each costs the same wherever it runs.

Metrics of `alone`, `ray` and `staged` must be equal, bit for bit. How far those of the others are from them is a second
table, results/ladder_metrics_<width>.json. Beside them is `nudged`: staged and exact, with one weight of the initial
model moved to the next number there is. It says how far any rounding carries a trial of so many updates.

A rung more is one more entry of RUNGS.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from bench_ray_tune import MARK, STEPS, Seen, check_installed, column, compare, ratios, run_ray, spread

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import digits
import hippo
from surrogate import ScalableDigits

WIDTHS = (24, 3)
#: rungs that every other one is compared with, besides the one that it stands on
BASELINES = ("alone", "ray")
#: of a sampled rung's shorter run: both slots have work, and hardly more
FEWEST = 2


# --------------------------------------------------------------------------------------------------------------- rungs


class Nudged(digits.DigitsTrainer):
    """The demo's trainer, with one weight moved by as little as can be."""

    def make_model(self):
        model = super().make_model()
        with torch.no_grad():
            weights = model[0].weight.view(-1)
            weights[0] = torch.nextafter(weights[0], torch.tensor(torch.inf))
        return model


def grid(configs: Sequence[Any]) -> Any:
    """Return a tuner that trains all of them to their end."""
    return hippo.GridSearch(configs, until=STEPS)


def run_hippo(
    width: int,
    folder: Path,
    configs: Sequence[Any],
    *,
    make_tuner: Callable[[Sequence[Any]], Any] = grid,
    trainer: type = digits.DigitsTrainer,
    slots: int,
    **options: Any,
) -> dict[str, Any]:
    """Run a study of the demo's net with hippo; return steps, lanes and metrics.

    Args:
      width: channels of the net's first convolution.
      folder: for the database and checkpoints; empty.
      configs: of the trials.
      make_tuner: from the configs.
      trainer: its class.
      slots: workers; one: this process.
      options: of the study.
    """
    study = hippo.create_study(
        "ladder",
        trainer=trainer,
        trainer_args={"width": width},
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=hippo.InlineEngine() if slots == 1 else hippo.LocalEngine(workers=slots),
        metric="val_accuracy",
        mode="max",
        **options,
    )
    study.optimize(make_tuner(configs))
    counted = study.statistics()
    seen = {
        f"{trial.config.key}@{step}": [metrics["val_loss"], metrics["val_accuracy"]]
        for trial in study.trials
        for step, metrics in trial.history.items()
    }
    study.close()
    return {
        "steps_executed": counted.steps_executed,
        "steps_repeated": counted.steps_repeated,
        "mean_lanes": counted.mean_lanes,
        "seen": seen,
    }


def surrogate_of(configs: Sequence[Any]) -> Any:
    """Return a tuner that trains all of them 8 times narrower, and what was best there as it is."""
    return hippo.Surrogate(grid(configs), scale=8)


def run_with_ray(width: int, folder: Path, configs: Sequence[Any], *, slots: int) -> dict[str, Any]:
    """Run the same trials with Ray Tune, on two slots: no step of it is shared, whatever their number."""
    found = run_ray("grid", list(configs), {"width": width}, folder)
    return {"steps_executed": found["steps_executed"], "steps_repeated": 0, "mean_lanes": 1.0, "seen": found["seen"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One way to come to the best of the demo's trials."""

    #: runs it in this process, given the width, an empty folder and the configs, with so many slots (`slots`)
    run: Callable[..., dict[str, Any]]
    #: the rung that it stands on, to tell its own factor; None: the ladder begins here
    over: str | None = None
    #: its metrics are those of the other exact ones, bit for bit
    is_exact: bool = True
    #: a part of its trials may be run in the place of all
    can_be_sampled: bool = False
    widths: Sequence[int] = WIDTHS
    #: width -> how many times fewer CPU-seconds than `over` it should take
    targets: Mapping[int, float] = field(default_factory=dict)


RUNGS: Mapping[str, Rung] = {
    "alone": Rung(run=functools.partial(run_hippo, sharing=False), can_be_sampled=True),
    "ray": Rung(run=run_with_ray, over="alone", can_be_sampled=True),
    "staged": Rung(run=run_hippo, over="alone"),
    "fused": Rung(run=functools.partial(run_hippo, sharing=False, numerics="fused"), over="alone", is_exact=False),
    "both": Rung(
        run=functools.partial(run_hippo, numerics="fused"), over="staged", is_exact=False, targets={24: 1.1, 3: 1.6}
    ),
    "surrogate": Rung(
        run=functools.partial(run_hippo, make_tuner=surrogate_of, trainer=ScalableDigits, numerics="fused"),
        over="both",
        is_exact=False,
        widths=(24,),
    ),
}
#: no rung: only its metrics count
NUDGED = "nudged"
YARDSTICKS = {NUDGED: Rung(run=functools.partial(run_hippo, trainer=Nudged), is_exact=False)}


# ----------------------------------------------------------------------------------------------------------- measuring


def run_one(name: str, width: int, num_trials: int, slots: int) -> dict[str, Any]:
    """Run a rung in this process, and say which code took part."""
    from provenance import parts_loaded

    configs = list(digits.space)
    if num_trials < len(configs):
        configs = random.Random(0).sample(configs, num_trials)
    with tempfile.TemporaryDirectory() as folder:
        found = (RUNGS | YARDSTICKS)[name].run(width, Path(folder), configs, slots=slots)
    return {**found, "parts": sorted(parts_loaded())}


def measured(name: str, width: int, num_trials: int, slots: int) -> dict[str, Any]:
    """Run a rung in a process of its own, and count the CPU-seconds of all that it starts."""
    from process_cpu import measure

    options = {"--one": name, "--widths": width, "--sample": num_trials, "--slots": slots}
    found = measure([sys.executable, __file__, *(str(each) for option in options.items() for each in option)])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run = {**json.loads(line.removeprefix(MARK)), "wall_s": found.wall_s, "cpu_s": found.cpu_s, "trials": num_trials}
    print(f"width {width}: {name}, {num_trials} trials, {found.cpu_s:.1f} CPU-s", file=sys.stderr)
    return run


def estimated(few: Mapping[str, Any], many: Mapping[str, Any], num_trials: int) -> dict[str, Any]:
    """Return what so many trials would take, given runs of some of them, of which each costs the same."""
    times = (num_trials - few["trials"]) / (many["trials"] - few["trials"])
    scaled = ("cpu_s", "wall_s", "steps_executed")
    return {**many, **{name: few[name] + times * (many[name] - few[name]) for name in scaled}}


def run_of(name: str, width: int, sample: int, slots: int) -> dict[str, Any]:
    """Run a rung, or as much of it as says what it takes."""
    num_trials = len(digits.space)
    if not RUNGS[name].can_be_sampled or sample >= num_trials:
        return measured(name, width, num_trials, slots)
    few, many = (measured(name, width, number, slots) for number in (FEWEST, sample))
    return estimated(few, many, num_trials)


def repeated(
    names: Sequence[str], width: int, repeats: int, sample: int, slots: int
) -> list[dict[str, dict[str, Any]]]:
    """Run rungs in turns, each repeat beginning with another one.

    Raises:
      RuntimeError: rungs that are exact came to different metrics.
    """
    known: Seen = {}
    found = []
    for number in range(repeats):
        runs = {}
        for name in (names[(number + k) % len(names)] for k in range(len(names))):
            runs[name] = run_of(name, width, sample, slots)
        compare({name: run for name, run in runs.items() if RUNGS[name].is_exact}, known)
        found.append({name: runs[name] for name in names})
    return found


# ----------------------------------------------------------------------------------------------------------- reporting


def row_of(width: int, name: str, repeats: Sequence[Mapping[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return the row of a rung: medians over the repeats, and ratios within a repeat."""
    rung, cpu_s, ran = RUNGS[name], column(repeats, name, "cpu_s"), repeats[0][name]["trials"]

    def over(other: str | None) -> str | None:
        if other is None or other == name or other not in repeats[0]:
            return None
        return spread(ratios(column(repeats, other, "cpu_s"), cpu_s), 2)

    return {
        "width": width,
        "rung": name,
        "trials": f"{ran}" if ran == len(digits.space) else f"{len(digits.space)}, scaled from {ran}",
        "repeats": len(repeats),
        "cpu_s": spread(cpu_s, 1),
        "wall_s": spread(column(repeats, name, "wall_s"), 1),
        "steps_executed": spread(column(repeats, name, "steps_executed"), 0),
        "steps_repeated": spread(column(repeats, name, "steps_repeated"), 0),
        "mean_lanes": spread(column(repeats, name, "mean_lanes"), 1),
        "over": rung.over,
        "times": over(rung.over),
        "target": rung.targets.get(width),
        "best": round(best_of(repeats[0][name]["seen"]), 4) if ran == len(digits.space) else None,
        **{f"times_{baseline}": over(baseline) for baseline in BASELINES},
    }


def metrics_row(width: int, name: str, run: Mapping[str, Any], exact: Mapping[str, Any]) -> dict[str, Any]:
    """Return how far a run's metrics are from those of an exact one."""
    both = [(metrics, exact["seen"][point]) for point, metrics in run["seen"].items()]
    losses, accuracies = ([abs(mine[k] - its[k]) for mine, its in both] for k in (0, 1))
    near = [loss <= 1e-2 and accuracy <= 1e-2 for loss, accuracy in zip(losses, accuracies, strict=True)]
    first = min(
        (int(point.rpartition("@")[2]) for point, ok in zip(run["seen"], near, strict=True) if not ok), default=None
    )
    return {
        "width": width,
        "rung": name,
        "steps_executed": run["steps_executed"],
        "distinct": exact["steps_executed"],
        "steps_repeated": run["steps_repeated"],
        "points": len(both),
        "loss_farthest": round(max(losses), 4),
        "loss_99%": round(sorted(losses)[len(losses) * 99 // 100], 4),
        "accuracy_farthest": round(max(accuracies), 4),
        "both_within_0.01": f"{sum(near) / len(near):.1%}",
        "first_step_beyond": first,
        "best": round(best_of(run["seen"]), 4),
        "best_exact": round(best_of(exact["seen"]), 4),
    }


def metrics_rows(width: int, runs: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the row of each rung that is not exact, and of the yardstick, which runs now."""
    others = {name: run for name, run in runs.items() if not RUNGS[name].is_exact}
    others[NUDGED] = measured(NUDGED, width, len(digits.space), slots=2)
    return [metrics_row(width, name, run, runs["staged"]) for name, run in others.items()]


def best_of(seen: Seen) -> float:
    """Return the best accuracy of a trial at its end; no number where none was trained so far."""
    ends = (accuracy for point, (_, accuracy) in seen.items() if point.endswith(f"@{STEPS}"))
    return max(ends, default=math.nan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--widths", nargs="+", type=int, default=list(WIDTHS), help="channels of the first convolution")
    parser.add_argument("--rungs", nargs="+", choices=list(RUNGS), default=list(RUNGS))
    parser.add_argument("--sample", type=int, default=len(digits.space), help="trials of alone and ray that are run")
    parser.add_argument("--slots", type=int, default=2, choices=(1, 2), help="of hippo's rungs")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--one", choices=[*RUNGS, *YARDSTICKS], help="run one in this process, and print it")
    arguments = parser.parse_args()
    if arguments.one:
        print(MARK + json.dumps(run_one(arguments.one, *arguments.widths, arguments.sample, arguments.slots)))
        return
    if arguments.sample <= FEWEST:
        parser.error(f"--sample {arguments.sample}: name more than {FEWEST}, which are run besides")
    if "ray" in arguments.rungs:
        check_installed()
    from process_cpu import adopt_orphans
    from report import markdown_table, write_report

    adopt_orphans()
    for width in arguments.widths:
        names = [name for name in arguments.rungs if width in RUNGS[name].widths]
        repeats = repeated(names, width, arguments.repeats, arguments.sample, arguments.slots)
        rows = [row_of(width, name, repeats) for name in names]
        parts = {part for repeat in repeats for run in repeat.values() for part in run["parts"]}
        # no metric depends on the number of slots
        apart = metrics_rows(width, repeats[0]) if "staged" in names and arguments.slots == 2 else []
        if arguments.dry_run:
            for table in filter(None, (rows, apart)):
                print(markdown_table(list(table[0]), [list(row.values()) for row in table]), end="\n\n")
            continue
        how = (
            f"56 trials of {STEPS} steps of the demo's grid, {'two slots' if arguments.slots == 2 else 'one slot'}; "
            f"CPU-seconds of all processes, start included; median (least-greatest) of {arguments.repeats} repeats, "
            "ratios within a repeat"
        )
        name = f"ladder_{width}" if arguments.slots == 2 else f"ladder_one_slot_{width}"
        write_report(name, rows, how, seeds="0", also=parts)
        if apart:
            how = "metrics at all steps of all trials of the demo's grid, by how far they are from exact ones"
            write_report(f"ladder_metrics_{width}", apart, how, seeds="0", also=parts)


if __name__ == "__main__":
    main()
