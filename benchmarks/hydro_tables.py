"""The tables of the evaluation of surrogates, as its page has them, from the result files of benchmarks/hydro/.

It measures nothing. What was not measured yet says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from provenance import RESULTS
from report import markdown_table, read

Rows = list[dict[str, Any]]


def printed_by(*names: str) -> str:
    """Return a line that says which commands printed a table, as they were recorded, and how busy the machine was."""
    said = []
    for name in names:
        made = read(name)["made"]
        said.append(f"`{made['command']}`, load {made['machine']['load_1min']} on {made['machine']['cores']} cores")
    return f"\n\nPrinted by {'; '.join(dict.fromkeys(said))}."


def measured(*names: str) -> list[str]:
    """Return those of some results that there are."""
    return [name for name in names if (RESULTS / f"{name}.json").exists()]


def table(names: tuple[str, ...], columns: Mapping[str, str]) -> str:
    """Return columns of result files, one below the other.

    Args:
      names: of the results.
      columns: name in a row -> title.
    """
    there = measured(*names)
    if not there:
        return "Not measured yet."
    rows = [[shown(row.get(column)) for column in columns] for name in there for row in read(name)["rows"]]
    return markdown_table(list(columns.values()), rows) + printed_by(*there)


def shown(value: Any) -> Any:
    """Return a cell: yes and no for booleans."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


_TRANSFER = {
    "task": "model", "optimizer": "optimizer", "rule": "rule", "S": "S", "width": "width",
    "best_log2_lr": "best log2 lr", "off_octaves": "octaves off",
    "loss": "its loss", "regret": "regret of the target", "target": "wanted",
    "is_met": "met",
}  # fmt: skip
_DECAY = {
    "optimizer": "optimizer", "log2_decay": "log2 of decay", "loss": "loss of the target",
    "mup_apart": "S = 8, apart", "standard_apart": "without rule", "is_met": "within 0.05",
}  # fmt: skip
_FORMS = {
    "optimizer": "optimizer", "updates": "updates", "factors": "rates by factors",
    "rates_by_multipliers": "by multipliers", "farthest": "weights apart", "target": "wanted", "is_met": "met",
}  # fmt: skip
_RANKING = {
    "config": "config", "lr": "lr", "gamma": "gamma", "momentum": "momentum", "batch_size": "batch",
    **{f"loss_S{ratio}": f"loss, S = {ratio}" for ratio in (1, 2, 4, 8)},
    **{f"rank_S{ratio}": f"place, S = {ratio}" for ratio in (1, 2, 4, 8)},
}  # fmt: skip
_AGREEMENT = {
    "S": "S", "spearman": "Spearman's rho", "same_best": "same best", "of_best_three": "of the best three",
    "swapped_pairs": "pairs swapped, of 45", "regret": "regret",
}  # fmt: skip
_SEARCHES = {
    "search": "search", "way": "way", "seed": "seed", "trials": "trials", "how": "how", "steps_executed": "steps",
    "mean_lanes": "at once", "cpu_s": "CPU-s", "times": "times fewer", "best": "best, of the target where scaled",
}  # fmt: skip
_GPU = {
    "way": "way", "seed": "seed", "how": "how", "mean_lanes": "at once", "wall_s": "seconds", "times": "times sooner",
    "best": "best, of the target where scaled",
}  # fmt: skip
_SIMULATED = {
    "table": "table", "model": "model", "gpus": "GPUs", "trials": "trials", "S": "S", "paper": "paper",
    "paper_is_estimated": "its baseline estimated", "times_paper": "by the paper's costs",
    "times_here": "by costs here",
}  # fmt: skip
_ABLATION = {
    "what": "ResNet-18",
    "S": "S",
    "makespan_h": "makespan, h",
    "times": "times sooner",
    "peak": "peak throughput",
}

TABLES: Mapping[str, Callable[[], str]] = {
    "hydro_transfer": partial(
        table, (
            "hydro_transfer_mlp",
            "hydro_transfer_cnn",
            "hydro_transfer_wide_cnn",
            "hydro_transfer_transformer",
        ),
        _TRANSFER,
    ),
    "hydro_decay": partial(table, ("hydro_decay",), _DECAY),
    "hydro_forms": partial(table, ("hydro_forms",), _FORMS),
    "hydro_ranking": partial(table, ("hydro_ranking",), _RANKING),
    "hydro_agreement": partial(table, ("hydro_agreement",), _AGREEMENT),
    "hydro_searches": partial(
        table, ("hydro_wide", "hydro_digits", "hydro_characters"), _SEARCHES
    ),
    "hydro_gpu": partial(table, ("hydro_gpu",), _GPU),
    "hydro_simulated": partial(table, ("hydro_simulated",), _SIMULATED),
    "hydro_ablation": partial(table, ("hydro_ablation",), _ABLATION),
}  # fmt: skip
