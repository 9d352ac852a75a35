"""From simulations to a page of tables and to pictures, each beside what the paper printed."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from published import SECTION_6_2, TABLE_1, TABLE_5
from spaces import single_space, study_family

import hippo

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from run import Run

#: (figure, experiment, sharing) -> its runs, one for each seed
Found = dict[tuple[str, str, bool], list["Run"]]
FIGURE_OF = {"multi_high": "Figure 13", "multi_low": "Figure 14"}
COLOURS = {"paper_alone": "#c9c9c9", "paper_hippo": "#8fb8de", "alone": "#8a8a8a", "hippo": "#20639b"}
NOTES = Path(__file__).with_name("deviations.md")


def write_page(runs: Sequence[Run], page: Path, pictures: Path) -> None:
    """Write the page, and draw the pictures that it shows."""
    found = by_experiment(runs)
    draw_single(found, pictures / "paper_single.png")
    draw_multi(found, pictures / "paper_multi.png")
    page.write_text(page_text(found), encoding="utf-8")


def by_experiment(runs: Sequence[Run]) -> Found:
    """Return the runs that differ only in their seed together."""
    found: Found = defaultdict(list)
    for run in runs:
        found[run.figure, run.experiment, run.sharing].append(run)
    return found


def page_text(found: Found) -> str:
    """Return the whole page."""
    sections = [HEAD, table_1(), table_5(found), *(multi_table(found, family) for family in FIGURE_OF)]
    return "\n".join([*sections, NOTES.read_text(encoding="utf-8")])


HEAD = """\
# The evaluation of Hippo's paper, simulated

Written by `python benchmarks/paper/run.py`; do not edit. **Simulated**: hippo's runtime, scheduler and tuners on a
virtual clock, 40 slots, no GPU. **Reconstructed spaces**: the paper prints examples, numbers of trials and merge rates
of its search spaces, not the values; [spaces.py](spaces.py) has one of many sets of values that fit. *Trial-based* is
the same system with `sharing=False`. Means over seeds, with the least and the greatest where they differ; savings are
ratios of means. Bounds are what the distinct steps, or the longest chain of waiting with its starts, take at least.

![GPU-hours and end-to-end hours of the four studies](../../docs/images/paper_single.png)
"""


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def mean(runs: Sequence[Run], name: str) -> float:
    return statistics.fmean(getattr(run, name) for run in runs)


def spread(runs: Sequence[Run], name: str, digits: int = 1) -> str:
    """Return the mean, and the least and greatest where they differ."""
    values = [getattr(run, name) for run in runs]
    low, middle, high = (f"{value:.{digits}f}" for value in (min(values), statistics.fmean(values), max(values)))
    return middle if low == high else f"{middle} ({low}-{high})"


def saving(found: Found, figure: str, experiment: str, name: str) -> float:
    """Return trial-based by hippo."""
    return mean(found[figure, experiment, False], name) / mean(found[figure, experiment, True], name)


def table_1() -> str:
    rows = []
    for name, (trials, printed) in TABLE_1.items():
        space, until = single_space(name)
        rows.append([name, trials, len(space), printed, f"{hippo.merge_rate(space, until):.4f}"])
    return "## Table 1: the search spaces\n\n" + table(
        ["space", "trials, paper", "trials", "merge rate p, paper", "p"], rows
    )


def table_5(found: Found) -> str:
    """Return Table 5, once for each of its two measures."""
    parts = ["## Table 5 and Figure 12: single studies\n"]
    for title, name, bound in (
        ("GPU-hours", "gpu_hours", "gpu_hours_bound"),
        ("End-to-end hours", "end_to_end_h", "end_to_end_bound_h"),
    ):
        rows = []
        for study, published in TABLE_5.items():
            shared, alone = found["single", study, True], found["single", study, False]
            printed = getattr(published, name)
            by_bound = mean(shared, name) / mean(shared, bound)
            rows.append(
                [
                    study, *printed, f"{printed[0] / printed[2]:.2f}", spread(alone, name), spread(shared, name),
                    f"{saving(found, 'single', study, name):.2f}", spread(shared, bound), f"{by_bound:.3f}",
                ]
            )  # fmt: skip
        columns = ["study", "Ray Tune, paper", "Hippo-trial, paper", "Hippo, paper", "saving, paper"]
        columns += ["trial-based", "hippo", "saving", "bound", "hippo by bound"]
        parts.append(f"{title}:\n\n" + table(columns, rows))
    rows = []
    for study in TABLE_5:
        shared, alone = found["single", study, True], found["single", study, False]
        explored = spread(shared, "merge_rate", 2)
        counts = [spread(shared, name, 0) for name in ("steps_executed", "steps_repeated", "starts")]
        rows.append([study, explored, *counts, spread(alone, "starts", 0), len(shared)])
    columns = ["study", "merge rate of what was explored", "steps executed", "of them repeated", "starts"]
    parts.append("What hippo ran:\n\n" + table([*columns, "starts, trial-based", "seeds"], rows))
    return "\n".join(parts)


def multi_table(found: Found, family: str) -> str:
    """Return what Figure 13 or 14 shows, as a table."""
    printed, (gpu_up_to, time_up_to) = SECTION_6_2[family]
    studies = study_family(family)
    rows = []
    for run in studies.runs:
        shared, alone = found[family, run, True], found[family, run, False]
        q = hippo.merge_rate(studies.together(run), studies.until)
        rows.append(
            [
                run, printed.get(run, ""), f"{q:.3f}", spread(shared, "merge_rate", 2),
                spread(alone, "gpu_hours"), spread(shared, "gpu_hours"),
                f"{saving(found, family, run, 'gpu_hours'):.2f}",
                spread(alone, "end_to_end_h"), spread(shared, "end_to_end_h"),
                f"{saving(found, family, run, 'end_to_end_h'):.2f}", spread(shared, "steps_repeated", 0),
            ]
        )  # fmt: skip
    columns = ["studies", "q, paper", "q", "merge rate of what was explored"]
    columns += [
        "GPU-hours, trial-based",
        "hippo",
        "saving",
        "end-to-end h, trial-based",
        "hippo",
        "saving",
        "steps repeated",
    ]
    what = "high" if family == "multi_high" else "low"
    picture = "\n![Savings of S1 to S8](../../docs/images/paper_multi.png)\n" if family == "multi_low" else ""
    return (
        f"## {FIGURE_OF[family]}: several studies at once, {what} merge rates\n\n"
        + table(columns, rows)
        + f"\nThe paper prints savings by up to {gpu_up_to} of GPU-hours and {time_up_to} of time, against Ray Tune.\n"
        + picture
    )


# -------------------------------------------------------------------------------------------------------- the pictures


def draw_single(found: Found, path: Path) -> None:
    """Draw GPU-hours and end-to-end hours: trial-based and hippo, as printed and as simulated."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    for axes, name, title in zip(
        figure.subplots(1, 2), ("gpu_hours", "end_to_end_h"), ("GPU-hours", "end-to-end hours"), strict=True
    ):
        bars = {
            "Ray Tune, printed in the paper": (COLOURS["paper_alone"], [getattr(p, name)[0] for p in TABLE_5.values()]),
            "Hippo, printed in the paper": (COLOURS["paper_hippo"], [getattr(p, name)[2] for p in TABLE_5.values()]),
            "trial-based, simulated": (COLOURS["alone"], [mean(found["single", s, False], name) for s in TABLE_5]),
            "hippo, simulated": (COLOURS["hippo"], [mean(found["single", s, True], name) for s in TABLE_5]),
        }
        draw_bars(axes, list(TABLE_5), bars)
        axes.set_title(title)
    figure.get_axes()[0].legend(fontsize=9)
    figure.suptitle("Hippo's evaluation, simulated on 40 GPUs with reconstructed spaces", fontsize=12)
    save(figure, path)


def draw_bars(axes: Axes, groups: Sequence[str], bars: dict[str, tuple[str, list[float]]]) -> None:
    """Draw bars side by side in each group, and write the shared one's saving above it."""
    width = 0.8 / len(bars)
    for number, (label, (colour, heights)) in enumerate(bars.items()):
        places = [group - 0.4 + (number + 0.5) * width for group in range(len(groups))]
        drawn = axes.bar(places, heights, width, color=colour, label=label)
        if number in (1, 3):  # beside what it saves against
            (_, before) = list(bars.values())[0 if number == 1 else 2]
            labels = [f"{b / h:.1f}x" for b, h in zip(before, heights, strict=True)]
            axes.bar_label(drawn, labels, fontsize=8, padding=2)
    axes.set_xticks(range(len(groups)), [group.replace(" ", "\n") for group in groups])
    axes.spines[["top", "right"]].set_visible(False)


def draw_multi(found: Found, path: Path) -> None:
    """Draw how much S1 to S8 save, and what the paper printed as its greatest savings."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    for number, (axes, family) in enumerate(zip(figure.subplots(1, 2, sharey=True), FIGURE_OF, strict=True)):
        runs = list(study_family(family).runs)
        bars: dict[str, Any] = {
            "GPU-hours": (COLOURS["hippo"], [saving(found, family, run, "gpu_hours") for run in runs]),
            "end-to-end": (COLOURS["paper_hippo"], [saving(found, family, run, "end_to_end_h") for run in runs]),
        }
        for place, (label, (colour, heights)) in enumerate(bars.items()):
            drawn = axes.bar(
                [g - 0.2 + 0.4 * place for g in range(len(runs))], heights, 0.38, color=colour, label=label
            )
            axes.bar_label(drawn, [f"{height:.1f}x" for height in heights], fontsize=8, padding=2)
        for (label, (colour, _)), limit in zip(bars.items(), SECTION_6_2[family][1], strict=True):
            axes.axhline(
                limit, color=colour, linestyle="--", linewidth=1, label=f"{label}, at most, in the paper: {limit}x"
            )
        axes.set_xticks(range(len(runs)), runs)
        axes.set_title(f"{FIGURE_OF[family]}: {('high', 'low')[number]} merge rates")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=8, loc="upper left")
    axes.set_ylim(top=9)  # room for the legend
    figure.get_axes()[0].set_ylabel("trial-based / hippo")
    figure.suptitle("Several studies at once, simulated on 40 GPUs with reconstructed spaces", fontsize=12)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
