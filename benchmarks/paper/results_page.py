"""From simulations to a page of tables and to pictures, each beside what the paper printed."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds import distinct_stretches, makespan_bound
from experiments import EPOCH_SECONDS, EPOCHS_ALONE, GPUS, HIPPO_RESNET_SECONDS, RAY_SECONDS, RUNG_ENDS, START_S
from published import SECTION_6_2, TABLE_1, TABLE_5, rounded_from
from spaces import MULTI, single_space, study_family

import hippo
from report import markdown_table

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
    sections = [HEAD, table_1(), rates_table(), seconds_table(), table_5(found), ties_table(found)]
    sections += [multi_table(found, family) for family in FIGURE_OF]
    return "\n".join([*sections, notes_text(found)])


def notes_text(found: Found) -> str:
    """Return what differs from the paper and why, with the figures that it cites."""
    return NOTES.read_text(encoding="utf-8").format(**notes_figures(found))


def notes_figures(found: Found) -> dict[str, str]:
    """Return the figures of the notes, by the names that they have there."""
    shared = {key: runs for key, runs in found.items() if key[2]}
    over = max(mean(runs, "gpu_hours") / mean(runs, "gpu_hours_bound") for runs in shared.values()) - 1
    repeated = max(run.steps_repeated / run.steps_executed for runs in shared.values() for run in runs)
    sha, sha_alone = (found["single", "ResNet56 SHA", sharing] for sharing in (True, False))
    starts = mean(sha_alone, "starts") * START_S / EPOCHS_ALONE["ResNet56 SHA"]
    first_rung = _tree("resnet56", RUNG_ENDS[0])
    mobilenet = _widths(_tree("mobilenet_v2", 80))
    on_two = makespan_bound(_tree("bert_base", 27_000), begin=0, end=27_000, slots=GPUS // 2)
    return {
        "over_bound": f"{math.ceil(100 * over)} %",
        "repeated": f"{math.ceil(100 * repeated)} %",
        "ray_seconds": f"{RAY_SECONDS['ResNet56 SHA']}",
        "hippo_seconds": f"{HIPPO_RESNET_SECONDS}",
        "start_share": f"{100 * starts / (RAY_SECONDS['ResNet56 SHA'] - HIPPO_RESNET_SECONDS):.0f} %",
        "sha_chains": f"{_widths(first_rung)[-1]}",
        "sha_first_rung": f"{makespan_bound(first_rung, begin=0, end=RUNG_ENDS[0], slots=GPUS):.0f}",
        "sha_bound": f"{mean(sha, 'end_to_end_bound_h'):.1f}",
        "sha_over_bound": f"{100 * mean(sha, 'end_to_end_h') / mean(sha, 'end_to_end_bound_h') - 100:.0f} %",
        "mobilenet_branches": f"{min(mobilenet[10:])} to {max(mobilenet)}",
        "mobilenet_bound": f"{mean(found['single', 'MobileNetV2 grid', True], 'end_to_end_bound_h'):.1f}",
        "bert_on_two": f"{on_two * EPOCH_SECONDS['BERT-Base grid'] / 2 / 3600:.1f}",
        "least_q_of_four": f"{least_q_of_four():.2f}",
    }


def _tree(name: str, until: int) -> list[tuple[int, int]]:
    return distinct_stretches((config, until) for config in single_space(name)[0])


def _widths(tree: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many branches a tree has at each step."""
    return [sum(start <= step < stop for start, stop in tree) for step in range(max(stop for _, stop in tree))]


def least_q_of_four() -> float:
    """Return the least q of four studies, of which two have what is printed for the second family's S2.

    Distinct steps of all four are at most those of the two, and of the others as many as their merge rates leave them.
    """
    printed = SECTION_6_2["multi_low"]
    two, each = rounded_from(printed.together["S2"])[0], rounded_from(printed.each[0])[0]
    return 4 / (2 / two + 2 / each)


HEAD = """\
# The evaluation of Hippo's paper, simulated

Written by `python benchmarks/paper/run.py`; do not edit. **Simulated**: hippo's runtime, scheduler and tuners on a
virtual clock, 40 slots, no GPU. **Reconstructed spaces**: the paper prints examples, numbers of trials and merge rates
of its search spaces, not the values; [spaces.py](spaces.py) has one of many sets of values that fit. *Trial-based* is
the same system with `sharing=False`. Means over seeds, with the least and the greatest where they differ; savings are
ratios of means. Bounds are what the distinct steps, or the longest chain of waiting and its first start, take at least.

![GPU-hours and end-to-end hours of the four studies](../../docs/images/paper_single.png)
"""


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    return markdown_table(columns, rows) + "\n"


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


def rates_table() -> str:
    """Return the rates that section 6.2 prints, beside those of the reconstructed studies."""
    rows: list[list[object]] = []
    for family in MULTI:
        printed, studies = SECTION_6_2[family], study_family(family)
        each = [space.merge_rate(studies.until) for space in studies.spaces]
        pairs = [hippo.merge_rate(list(pair), studies.until) for pair in itertools.combinations(studies.spaces, 2)]
        for what, digits, rates in (("p of a study", printed.each, each), ("q of two studies", printed.pairs, pairs)):
            shown = "-" if digits is None else f"{digits[0]} to {digits[1]}"
            rows.append([FIGURE_OF[family], what, shown, f"{min(rates):.4f} to {max(rates):.4f}"])
        for run, digits in printed.together.items():
            q = hippo.merge_rate(studies.together(run), studies.until)
            rows.append([FIGURE_OF[family], f"q of {run}", digits, f"{q:.4f}"])
    text = "## Section 6.2: merge rates of several studies\n\n" + table(["studies of", "rate", "paper", "ours"], rows)
    return (
        text + "\nAll are the printed ones when rounded to the printed digits; 1.5 to 2.73 is read as 1.50 to 2.73.\n"
    )


def seconds_table() -> str:
    """Return how long an epoch is, and where that comes from."""
    distinct = {"MobileNetV2 grid": 9_160 + 100, "BERT-Base grid": 528_000}
    rows = []
    for study, epochs in EPOCHS_ALONE.items():
        printed = TABLE_5[study]
        hippo_hours, hippo_epochs = printed.gpu_hours[2], distinct.get(study)
        by_hippo = (
            f"{hippo_hours} GPU-h / {hippo_epochs} = {3600 * hippo_hours / hippo_epochs:.4g}"
            if hippo_epochs
            else (f"{printed.end_to_end_h[2]} h / {RUNG_ENDS[-1]}, a chain = {HIPPO_RESNET_SECONDS} at most")
        )
        by_ray = f"{printed.gpu_hours[0]} GPU-h / {epochs} = {RAY_SECONDS[study]}"
        rows.append([study.split()[0], by_ray, by_hippo, EPOCH_SECONDS[study]])
    columns = ["model", "by Ray Tune's row of Table 5", "by Hippo's row", "simulated, seconds"]
    return "## Seconds of an epoch (BERT-Base: of a step)\n\n" + table(columns, rows) + SECONDS_NOTE


SECONDS_NOTE = """
Ray Tune's seconds everywhere but for ResNet56 (and ResNet20, of which nothing is printed). There the two rows disagree:
with Ray Tune's 107.1 s no schedule of 220 epochs, one after another, could end after 5.76 h as Hippo's did. What 107.1
s would make of both studies stands in the last rows of Table 5; savings are the same.
"""


def table_5(found: Found) -> str:
    """Return Table 5, once for each of its two measures."""
    parts = ["## Table 5 and Figure 12: single studies\n"]
    cases = [("single", study) for study in TABLE_5] + [("single_ray_seconds", study) for study in list(TABLE_5)[:2]]
    for title, name, bound in (
        ("GPU-hours", "gpu_hours", "gpu_hours_bound"),
        ("End-to-end hours", "end_to_end_h", "end_to_end_bound_h"),
    ):
        rows = []
        for figure, study in cases:
            published = TABLE_5[study]
            shared, alone = found[figure, study, True], found[figure, study, False]
            printed = getattr(published, name)
            by_bound = mean(shared, name) / mean(shared, bound)
            rows.append(
                [
                    study if figure == "single" else f"{study}, {RAY_SECONDS['ResNet56 SHA']} s an epoch",
                    *printed, f"{printed[0] / printed[2]:.2f}", spread(alone, name), spread(shared, name),
                    f"{saving(found, figure, study, name):.2f}", spread(shared, bound), f"{by_bound:.3f}",
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


def ties_table(found: Found) -> str:
    """Return what savings are with each rule for equal trials."""
    rows = []
    for figure, studies in (("single", list(TABLE_5)[:2]), *((family, study_family(family).runs) for family in MULTI)):
        for study in studies:
            cells: list[object] = [study if figure == "single" else f"{study}, {FIGURE_OF[figure]}"]
            for name in (figure, f"{figure}_distinct"):
                cells += [spread(found[name, study, True], "merge_rate", 2)]
                cells += [f"{saving(found, name, study, what):.2f}" for what in ("gpu_hours", "end_to_end_h")]
            rows.append(cells)
    columns = ["study", 'merge rate explored, `ties="first"`', "saving of GPU-hours", "of time"]
    columns += ['merge rate explored, `ties="distinct"`', "saving of GPU-hours", "of time"]
    title = "## What the savings of SHA and ASHA rest on: which of equal trials goes on\n\n"
    return title + table(columns, rows) + TIES_NOTE


TIES_NOTE = """
Trials whose steps so far were the same have one score. By default the earlier of them go on (`ties="first"`): copies of
the best states fill the next rung, which costs little, since they share what they did, and compares few different ones.
With `ties="distinct"` a rung promotes one trial of each state before a second of any: it sees more, and shares less.
Which of the two the authors did is not printed. The merge rate of 4.23 that they found in SHA's log speaks for the
first; everything else on this page is with the default.
"""


def multi_table(found: Found, family: str) -> str:
    """Return what Figure 13 or 14 shows, as a table."""
    printed, (gpu_up_to, time_up_to) = SECTION_6_2[family].together, SECTION_6_2[family].savings
    studies = study_family(family)
    rows = []
    for run in studies.runs:
        shared, alone = found[family, run, True], found[family, run, False]
        q = hippo.merge_rate(studies.together(run), studies.until)
        rows.append(
            [
                run, printed.get(run, ""), f"{q:.4f}", spread(shared, "merge_rate", 2),
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
        for (label, (colour, _)), limit in zip(bars.items(), SECTION_6_2[family].savings, strict=True):
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
