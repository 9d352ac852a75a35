"""What 52 linear probes on a frozen network cost as a study, evaluations included, walked as one and one by one.

    python benchmarks/bench_probes.py [--runs 3] [--few 4]

Needs psutil, torch and scikit-learn. The study is that of examples/probes.py: 13 learning rates by 4 weight decays, six
steps of ten batches on a frozen vision transformer of random weights, an evaluation on 597 images after each.
CPU-seconds of `optimize` in the process that trains, one thread, checks and all that is done for the first time
included; each run is a process of its own, in turns.

On the example's network (six layers, width 192) one by one takes ten minutes, so 1 and --few probes are run, and what
52 would take lies on the line through both. On a small network (two layers, width 64) all 52 are run both ways, which
shows whether the best config is the same.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import hippo
import probes

MARK = "RESULT "
STEPS = 6
TARGET = 20
#: name -> width and layers
NETWORKS = {"large": (192, 6), "small": (64, 2)}


def run_one(network: str, numerics: str, number: int) -> dict[str, Any]:
    """Run the study of so many probes in this process."""
    from provenance import parts_loaded

    width, layers = NETWORKS[network]
    configs = list(probes.space)
    chosen = configs[:: len(configs) // number][:number]
    study = hippo.create_study(
        "probes",
        trainer=probes.ProbeTrainer,
        trainer_args={"width": width, "layers": layers},
        metric="accuracy",
        mode="max",
        storage="memory://",
        engine=hippo.InlineEngine(max_lanes=len(configs)),
        numerics=numerics,
    )
    began_s = time.process_time()
    study.optimize(hippo.GridSearch(chosen, until=STEPS))
    took_s, counted, best = time.process_time() - began_s, study.statistics(), study.best_trial
    seen = {trial.config.key: [trial.metrics["loss"], trial.metrics["accuracy"]] for trial in study.trials}
    return {
        "cpu_s": took_s,
        "steps_executed": counted.steps_executed,
        "mean_lanes": counted.mean_lanes,
        "best": dict(best.params),
        "accuracy": best.value,
        "seen": seen,
        "parts": sorted(parts_loaded()),
    }


def measured(network: str, numerics: str, number: int) -> dict[str, Any]:
    """Run the study in a process of its own."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, "--one", network, numerics, str(number)])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run: dict[str, Any] = {**json.loads(line.removeprefix(MARK)), "whole_s": found.cpu_s}
    print(f"{network}: {number} probes {numerics}: {run['cpu_s']:.1f} CPU-s of {found.cpu_s:.1f}", file=sys.stderr)
    return run


def pair(network: str, few: int) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Return the study as one, that of probes one by one, and the CPU-seconds that all of these take one by one."""
    everyone = len(probes.space)
    together = measured(network, "fused", everyone)
    if network == "small":
        alone = measured(network, "exact", everyone)
        return together, alone, alone["cpu_s"]
    one, alone = (measured(network, "exact", number) for number in (1, few))
    return together, alone, one["cpu_s"] + (everyone - 1) * (alone["cpu_s"] - one["cpu_s"]) / (few - 1)


def row_of(network: str, pairs: Sequence[tuple[dict[str, Any], dict[str, Any], float]]) -> dict[str, Any]:
    """Return what a network's pairs came to: medians, and the spread of the ratio."""
    together, alone, _ = pairs[0]
    ratios = [alone_s / with_others["cpu_s"] for with_others, _, alone_s in pairs]
    ran, everyone = len(alone["seen"]), len(together["seen"])
    return {
        "network": "{} wide, {} layers".format(*NETWORKS[network]),
        "probes": everyone,
        "one by one": "all" if ran == everyone else f"scaled from {ran}",
        "one_by_one_s": round(statistics.median(alone_s for _, _, alone_s in pairs), 1),
        "together_s": round(statistics.median(found["cpu_s"] for found, _, _ in pairs), 1),
        "times": round(statistics.median(ratios), 1),
        "spread": f"{min(ratios):.1f} to {max(ratios):.1f}",
        "target": TARGET if network == "large" else None,
        "mean_lanes": round(together["mean_lanes"], 1),
        **apart(together["seen"], alone["seen"]),
        "best": f"{together['best']}: {together['accuracy']:.4f}",
        "best one by one": f"{alone['best']}: {alone['accuracy']:.4f}" if ran == everyone else None,
    }


def apart(together: Mapping[str, Sequence[float]], alone: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return how far last metrics are from those of the same probe alone."""
    return {
        "loss_farthest": float(f"{max(abs(together[key][0] - alone[key][0]) / alone[key][0] for key in alone):.1e}"),
        "accuracy_farthest": round(max(abs(together[key][1] - alone[key][1]) for key in alone), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--few", type=int, default=4, help="probes on the large network that run one by one")
    parser.add_argument("--networks", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--one", nargs=3, metavar=("NETWORK", "NUMERICS", "PROBES"), help="run one in this process")
    arguments = parser.parse_args()
    if arguments.one:
        network, numerics, number = arguments.one
        print(MARK + json.dumps(run_one(network, numerics, int(number))))
        return
    from report import markdown_table, write_report

    rows, parts = [], set()
    for network in arguments.networks:
        pairs = [pair(network, arguments.few) for _ in range(arguments.runs)]
        rows.append(row_of(network, pairs))
        parts |= {part for found, alone, _ in pairs for part in (*found["parts"], *alone["parts"])}
    if arguments.dry_run:
        print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]))
        return
    how = f"study of {len(probes.space)} probes, {STEPS} steps and evaluations each; CPU-s, medians of {arguments.runs}"
    write_report("probes", rows, f"{how}; losses relative", seeds="0", also=parts)


if __name__ == "__main__":
    main()
