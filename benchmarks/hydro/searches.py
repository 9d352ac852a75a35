"""Random search and ASHA for real, in all ways: a wide perceptron, the demo's net, and a character model.

    python benchmarks/hydro/searches.py --one NAME WAY SEED TRIALS   # in this process, as run.py starts it

What would take too long is run for a few trials, and what all would take lies on the line through two of such runs:
their trials have nothing in common, so that each costs the same wherever it runs. ASHA has none such: how many it
promotes depends on how many there are. What trial-based ASHA takes is the steps that it asked for in the staged run,
each of which is what a step of random search takes trial by trial. Rows say which of these they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import numpy as np
from models import Characters, Perceptron
from ways import FEWEST, MARK, WAYS, Configs, Search, measured, run_search, scaled_up

import digits
import hippo
from surrogate import ScalableDigits

#: of a trial of the perceptron and of the character model
STEPS = 12
#: of the digits', as in the demo
DIGITS_RUNGS = {"min_steps": 3, "max_steps": digits.STEPS, "reduction": 3}
CHARACTER_RUNGS = {"min_steps": 3, "max_steps": STEPS, "reduction": 3}


def drawn_rates(number: int, seed: int) -> list[dict[str, Any]]:
    """Return configs that have nothing in common: rate, momentum and what the rate falls by are continuous."""
    chance = np.random.default_rng(seed)
    return [
        {
            "lr": hippo.Step(10.0 ** chance.uniform(-4, 0), STEPS // 3, chance.uniform(0.01, 0.9)),
            "momentum": chance.uniform(0.5, 0.999),
        }
        for _ in range(number)
    ]


def drawn_schedules(number: int, seed: int) -> list[dict[str, Any]]:
    """Return different configs out of a grid of 240: those of one rate begin alike. Rates as in the paper."""
    rates = [round(10.0**exponent, 6) for exponent in np.linspace(-5, -1, 12)]
    space = [
        {"lr": hippo.Step(rate, size, gamma)}
        for rate in rates
        for size in (3, 4, 6, 8)
        for gamma in (0.01, 0.1, 0.3, 0.6, 0.9)
    ]
    order = np.random.default_rng(seed).permutation(len(space))
    return [space[number] for number in order[:number]]


def drawn_digits(number: int, seed: int) -> Configs:
    """Return so many of the demo's 56 configs, in an order that the seed decides."""
    configs = list(digits.space)
    return [configs[place] for place in np.random.default_rng(seed).permutation(len(configs))[:number]]


def to_the_end(steps: int) -> Callable[[Configs], Any]:
    """Return what makes random search of configs that are drawn already."""
    return lambda configs: hippo.GridSearch(configs, until=steps)


def asha(rungs: Mapping[str, int]) -> Callable[[Configs], Any]:
    """Return what makes ASHA of configs that are drawn already."""
    return lambda configs: hippo.ASHA(configs, **rungs, num_trials=len(configs))


_CHARACTERS = {"trainer": Characters, "trainer_args": {"batch": 4, "updates": 10}, "draw": drawn_schedules}
_DIGITS = {"trainer": ScalableDigits, "trainer_args": {}, "draw": drawn_digits, "num_trials": 56}
_ACCURACY = {"metric": "val_accuracy", "mode": "max"}
SEARCHES: Mapping[str, Search] = {
    "mlp 512, random": Search(
        trainer=Perceptron,
        trainer_args={"batch": 64, "updates": 40},
        draw=drawn_rates,
        tuner=to_the_end(STEPS),
        num_trials=200,
        evaluate_every=STEPS,
    ),
    "digits 24, ASHA": Search(**_DIGITS, **_ACCURACY, tuner=asha(DIGITS_RUNGS)),
    "characters 128, random": Search(
        **_CHARACTERS, tuner=to_the_end(STEPS), num_trials=200, evaluate_every=STEPS
    ),
    "characters 128, ASHA": Search(**_CHARACTERS, tuner=asha(CHARACTER_RUNGS), num_trials=200, evaluate_every=3),
}  # fmt: skip
#: search -> way -> trials that are run of it; 0: none, see the docstring of this file
WIDE = {
    "mlp 512, random": {"trial by trial": 8, "scaled": 16, "scaled and fused": 200, "scaled and fused, best 20": 200},
}
DIGITS = {
    "digits 24, ASHA": dict.fromkeys(("trial by trial", "staged", "fused", "scaled", "all"), 56),
}
CHARACTERS = {
    "characters 128, random": {"trial by trial": 8, "staged": 200, "fused": 24, "scaled": 16, "all": 200},
    "characters 128, ASHA": {"trial by trial": 0, "staged": 200, "fused": 200, "scaled": 200, "all": 200},
}
PARTS: Mapping[str, Mapping[str, Mapping[str, int]]] = {"wide": WIDE, "digits": DIGITS, "characters": CHARACTERS}


def search_rows(kinds: Mapping[str, Mapping[str, int]], seeds: Sequence[int]) -> tuple[list[dict[str, Any]], set[str]]:
    """Run searches in their ways; return rows, and the parts of the code that took part."""
    rows: list[dict[str, Any]] = []
    parts: set[str] = set()
    for seed in seeds:
        runs: dict[tuple[str, str], dict[str, Any]] = {}
        for name, ways in kinds.items():
            for way, number in ways.items():
                runs[name, way] = run_of(name, way, seed, number, runs)
                parts |= set(runs[name, way]["parts"])
            rows += [row_of(name, way, seed, runs) for way in ways]
    return rows, parts


def run_of(
    name: str, way: str, seed: int, number: int, runs: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[str, Any]:
    """Run a search in one way, or as much of it as says what it takes."""
    script, all_of_them = Path(__file__), SEARCHES[name].num_trials
    if number == all_of_them:
        return measured(script, name, way, seed, number)
    if number:
        few = measured(script, name, way, seed, FEWEST)
        return scaled_up(few, measured(script, name, way, seed, number), all_of_them)
    alone = runs[name.replace("ASHA", "random"), way]
    return {**alone, "trials": 0, "best": None}


def row_of(name: str, way: str, seed: int, runs: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a way took, beside trial by trial."""
    run, alone = runs[name, way], alone_cpu_s(name, runs)
    cpu_s = alone if way == "trial by trial" else run["cpu_s"]
    number = SEARCHES[name].num_trials
    how = {number: "all run", 0: "steps of the staged run, each as in random search"}
    return {
        "search": name,
        "way": way,
        "seed": seed,
        "trials": number,
        "how": how.get(run["trials"], f"scaled from {FEWEST} and {run['trials']}"),
        "steps_executed": round(run["steps_executed"]) if run["trials"] else round(runs[name, "staged"]["steps_asked"]),
        "mean_lanes": round(run["mean_lanes"], 1),
        "cpu_s": round(cpu_s, 1),
        "times": round(alone / cpu_s, 2),
        "best": None if run["best"] is None else round(run["best"], 4),
        "config": run["config"] if run["best"] is not None else None,
    }


def alone_cpu_s(name: str, runs: Mapping[tuple[str, str], Mapping[str, Any]]) -> float:
    """Return the CPU-seconds of a search trial by trial."""
    run = runs[name, "trial by trial"]
    if run["trials"]:
        return float(run["cpu_s"])
    return float(run["cpu_s"] * runs[name, "staged"]["steps_asked"] / run["steps_executed"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=4, required=True, metavar=("NAME", "WAY", "SEED", "TRIALS"))
    name, way, seed, number = parser.parse_args().one
    print(MARK + json.dumps(run_search(SEARCHES[name], WAYS[way], int(seed), int(number))))


if __name__ == "__main__":
    main()
