"""Tables of MLtuner's experiments, beside what its paper printed: what `claims.py` puts into the documentation.

Sources of the paper's figures: Cui et al. 2018, sections 5.2 to 5.6. It measures nothing.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from provenance import RESULTS
from report import markdown_table, read

Row = Mapping[str, Any]
NOT_YET = "Not measured yet."


def rows_of(name: str) -> list[Row]:
    """Return what was measured, nothing if that was not done yet."""
    return read(f"mltuner_{name}")["rows"] if (RESULTS / f"mltuner_{name}.json").exists() else []


def shown(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table, with the command that made it."""
    made = read(f"mltuner_{name}")["made"]
    return markdown_table(list(columns), list(rows)) + f"\n\nSeeds {made['seeds']}; printed by `{made['command']}`."


def spread(values: Iterable[float | None], digits: int = 0) -> str:
    """Return the median and the range; what has no value is longer than all others."""
    ordered = sorted(math.inf if value is None else value for value in values)
    low, middle, high = (
        "never" if math.isinf(value) else f"{value:,.{digits}f}"
        for value in (ordered[0], statistics.median(ordered), ordered[-1])
    )
    return f"{middle} ({low} to {high})"


def variation_of(values: Sequence[float]) -> str:
    """Return the coefficient of variation."""
    return f"{statistics.stdev(values) / statistics.fmean(values):.3f}" if len(values) > 1 else "-"


def grouped(rows: Sequence[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return rows by the values of some columns, in their order."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


#: how many times as long as MLtuner others took to 76 % on Cifar10 (Figure 3)
PAPER_TIMES = {"Hyperband, infinite": "9", "GP": "3 (Spearmint)"}


def target_table(name: str = "target") -> str:
    """Return steps and CPU-seconds until a model is good enough, and ratios seed by seed."""
    rows = rows_of(name)
    if not rows:
        return NOT_YET
    by_side = grouped(rows, "side")
    own = {row["seed"]: row for row in by_side["MLTuner",]}
    table = []
    for (side,), found in by_side.items():
        ratios = [
            [ratio(row[what], own[row["seed"]][what]) for row in found if row["seed"] in own]
            for what in ("steps", "cpu_s")
        ]
        is_own = side == "MLTuner"
        times = ["1", "1"] if is_own else [spread(each, 1) for each in ratios]
        table.append(
            [
                side, spread(row["steps"] for row in found), spread((row["cpu_s"] for row in found), 1), *times,
                "1" if is_own else PAPER_TIMES.get(side),
            ]
        )  # fmt: skip
    columns = ["side", "steps", "CPU-s", "steps by MLTuner's", "CPU-s by MLTuner's", "time by MLtuner's, paper"]
    return shown(name, columns, table)


def ratio(other: float | None, own: float | None) -> float | None:
    """Return how many times as long another one took; 0 if this one never came to the target, and the other did."""
    if own is None:
        return 1.0 if other is None else 0.0
    return None if other is None else other / own


def rates_table() -> str:
    """Return how far below the best of a grid the chosen learning rates are."""
    rows = rows_of("rates")
    if not rows:
        return NOT_YET
    table = [
        [
            optimizer, f"{found[0]['best of grid']:.3f}", found[0]["rates within 2 points"],
            ", ".join(f"{row['lr']:.2g}" for row in found), ", ".join(f"{row['points below']:.1f}" for row in found),
            "within 2",
        ]
        for (optimizer,), found in grouped(rows, "optimizer").items()
    ]  # fmt: skip
    columns = ["optimizer", "best of 11 rates", "rates within 2 points", "chosen: TPE, TPE, grid"]
    return shown("rates", [*columns, "points below the best", "points below, paper"], table)


def variation_table() -> str:
    """Return how much runs differ that differ by their seed alone."""
    rows = rows_of("variation")
    if not rows:
        return NOT_YET
    table = [
        [
            model, len(found), spread((row["accuracy"] for row in found), 3),
            variation_of([row["accuracy"] for row in found]), spread(row["steps"] for row in found),
            variation_of([row["steps"] for row in found]), "0.01, 0.22",
        ]
        for (model,), found in grouped(rows, "model").items()
    ]  # fmt: skip
    columns = ["model", "runs", "accuracy", "its CoV", "steps in all", "their CoV", "CoV of accuracy and time, paper"]
    return shown("variation", columns, table)


def starts_table() -> str:
    """Return what becomes of bad first settings."""
    rows = rows_of("starts")
    if not rows:
        return NOT_YET
    by_start = grouped(rows, "start", "retune")
    table = [
        [start, *(spread((row["accuracy"] for row in by_start[start, retune]), 3) for retune in (True, False))]
        for start in dict.fromkeys(start for start, _ in by_start)
    ]
    return shown("starts", ["lr, momentum, batch size", "accuracy, with later searches", "without"], table)


def doubled_table() -> str:
    """Return what as many tunables again cost that do nothing."""
    rows = rows_of("doubled")
    if not rows:
        return NOT_YET
    by_number = grouped(rows, "tunables")
    table = [
        [number, spread(row["steps of branches"] for row in found), spread((row["accuracy"] for row in found), 3)]
        for (number,), found in by_number.items()
    ]
    few, many = by_number[3,], by_number[6,]
    times = [b["steps of branches"] / a["steps of branches"] for a, b in itertools.zip_longest(few, many)]
    table[1].append(f"{spread(times, 2)}; paper: about 2")
    table[0].append("1")
    return shown("doubled", ["tunables", "steps of branches", "accuracy", "steps by those of 3"], table)


def share_table() -> str:
    """Return what part of a run are branches, by its length."""
    rows = rows_of("share")
    if not rows:
        return NOT_YET
    table = [
        [length, spread(row["live path"] for row in found), spread((row["share of branches"] for row in found), 2)]
        for (length,), found in grouped(rows, "steps allowed").items()
    ]
    return shown("share", ["steps allowed", "live path", "share of branches in all steps"], table)


def lanes_table() -> str:
    """Return what a step of a branch costs, one by one and as lanes of one program."""
    rows = rows_of("lanes")
    if not rows:
        return NOT_YET
    columns = [
        "branches", "one by one, ms a step", "as lanes, ms a step", "times faster", "least",
        "beside an exact path, ms a step", "times faster beside an exact path",
    ]  # fmt: skip
    return shown("lanes", columns, [[row[column] for column in columns] for row in rows])


def whole_table() -> str:
    """Return what whole runs cost, by how many branches are tried at a time and how they are walked."""
    rows = rows_of("whole")
    if not rows:
        return NOT_YET
    shown_rows = []
    for tunables in dict.fromkeys(row["tunables"] for row in rows):
        for side in dict.fromkeys(row["side"] for row in rows):
            own = [row for row in rows if (row["tunables"], row["side"]) == (tunables, side)]
            digits = {"cpu_s": 1, "training_cpu_s": 1, "steps": 0, "accuracy": 3, "mean lanes": 1}
            told = [spread([row[name] for row in own], places) for name, places in digits.items()]
            shown_rows.append([tunables, side, *told])
    columns = ["tunables", "branches", "CPU-s", "of training", "steps", "accuracy", "mean lanes"]
    return shown("whole", columns, shown_rows)


def requests_table() -> str:
    """Return what a one-step request of a run costs, beside those of the benchmark's chain."""
    rows = rows_of("requests")
    if not rows:
        return NOT_YET
    names = ("step_ms", "last_steps_ms", "chain_step_ms", "fork_ms", "chain_fork_ms")
    table = [
        [road, sum(row["requests"] for row in found), *(spread((row[name] for row in found), 2) for name in names)]
        for (road,), found in grouped(rows, "road").items()
    ]
    columns = ["road", "requests", "a step, ms", "the last 100", "the chain's", "a fork, ms", "the chain's forks"]
    return shown("requests", columns, table)


TABLES: Mapping[str, Callable[[], str]] = {
    "mltuner_target": target_table,
    "mltuner_long": functools.partial(target_table, "long"),
    "mltuner_rates": rates_table,
    "mltuner_variation": variation_table,
    "mltuner_starts": starts_table,
    "mltuner_doubled": doubled_table,
    "mltuner_share": share_table,
    "mltuner_lanes": lanes_table,
    "mltuner_whole": whole_table,
    "mltuner_requests": requests_table,
}
