"""The figures that pages cite, and the result files that they come from.

    python benchmarks/claims.py            # which figures of a page are not those of its result file
    python benchmarks/claims.py --write    # puts in those of the result files

Tables stand between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and are written whole. Sentences are listed
here with a name in the place of each figure, and found in their page whatever the line breaks; a figure of another
sentence belongs to no result, and a page that cites one is wrong (`loose_figures`). RESULTS.md is paper/run.py's.

It measures nothing, and knows no figure by heart.
"""

from __future__ import annotations

import argparse
import functools
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import hydro_tables
import mltuner_tables
from provenance import RESULTS, ROOT
from report import markdown_table, read

#: pages of which every measured figure must come from a result file
PAGES = (
    "README.md",
    "docs/evaluation.md",
    "docs/evaluation-of-surrogates.md",
    "docs/fusion.md",
    "docs/parameter-server.md",
    "docs/tuners/README.md",
    "benchmarks/README.md",
    "docs/tuners/mltuner-experiments.md",
    "docs/stories/README.md",
    "docs/stories/adapters.md",
    "docs/stories/agents.md",
    "docs/stories/cool-downs.md",
    "docs/stories/probes.md",
    "docs/stories/small-nets.md",
)


# ------------------------------------------------------------------------------------------------------------- tables


RAY_STUDIES = {
    "four_studies": "four studies at once",
    "sha": "successive halving",
    "asha": "ASHA",
    "grid": "grid",
}


def printed_by(*names: str) -> str:
    """Return a line that says which commands printed a table, as they were recorded."""
    commands = dict.fromkeys(read(name)["made"]["command"] for name in names)
    shown = ", ".join("a command that was not recorded" if one is None else f"`{one}`" for one in commands)
    return f"\n\nPrinted by {shown}."


#: processes that wanted a core, by cores: with more than that, a machine was too busy for its wall times to be shown
BUSY = 2.0


def was_busy(made: Mapping[str, Any]) -> bool:
    """Return whether a machine is known to have had other work."""
    load = made["machine"].get("load_1min")
    return load is not None and load > BUSY * made["machine"]["cores"]


def ray_table() -> str:
    """Return hippo, hippo without sharing, and Ray Tune beside one another; walls of a quiet machine only."""
    rows = []
    for name, title in RAY_STUDIES.items():
        systems = ray_systems(name)
        shared, alone, ray = (systems[system] for system in ("shared", "alone", "ray"))
        walls = [middle(shared["wall_s"]), times(alone["wall_s_by_shared"]), times(ray["wall_s_by_shared"])]
        if was_busy(read(f"ray_tune_{name}")["made"]):
            walls = ["-", "-", "-"]
        rows.append(
            [
                title, f"{shared['steps_executed']} / {alone['steps_executed']}",
                middle(shared["cpu_s"]), times(alone["cpu_s_by_shared"]), times(ray["cpu_s_by_shared"]),
                *walls, shared["repeats"],
            ]
        )  # fmt: skip
    columns = ["study", "steps, hippo / others", "CPU-s, hippo", "without sharing", "Ray Tune"]
    columns += ["wall s, hippo", "without sharing", "Ray Tune", "repeats"]
    return markdown_table(columns, rows) + printed_by(*(f"ray_tune_{name}" for name in RAY_STUDIES))


def ray_systems(study: str) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in read(f"ray_tune_{study}")["rows"]}


def middle(spread: str) -> str:
    """Return the median of "median (least-greatest)"."""
    return spread.split()[0]


def times(spread: str) -> str:
    """Return a ratio and its range, as they are recorded: to round them again would be to round them twice."""
    numbers = re.findall(r"[\d.]+", spread)
    return f"{numbers[0]} x" + (f" ({numbers[1]}-{numbers[2]})" if len(numbers) == 3 else "")


def checks_table() -> str:
    """Return what proving costs."""
    rows = [
        [
            row["study"], row["steps_executed"], row["steps_checked"], f"{100 * row['steps_share']:.1f} %",
            f"{100 * row['seconds_share']:.1f} %",
        ]
        for row in read("checks")["rows"]
    ]  # fmt: skip
    columns = ["study", "steps executed", "steps checked", "of the steps", "of the device-seconds"]
    return markdown_table(columns, rows) + printed_by("checks")


def two_processes_table() -> str:
    """Return what two processes on one plan take, once that was measured."""
    if not (RESULTS / "two_processes.json").exists():
        return "Not measured yet."
    rows = [
        [
            row["way"], row["steps_executed"], row["steps_repeated"], row["median_wall_s"],
            f"{row['wall_by_one_process']:.2f} ({row['least_and_greatest']})",
        ]
        for row in read("two_processes")["rows"]
    ]  # fmt: skip
    columns = ["2 x 40 trials", "steps executed", "repeated", "wall s", "by one process"]
    return markdown_table(columns, rows) + printed_by("two_processes")


TUNERS = {
    "grid": "grid",
    "random search, 48 of 448": "random search, 48 of 448",
    "random search, 12 of 448": "random search, 12 of 448",
    "SuccessiveHalving(15, 120, 4)": "SuccessiveHalving",
    'the same, `ties="distinct"`': 'SuccessiveHalving, ties="distinct"',
    "ASHA(15, 120, 4)": "ASHA",
    "the same, `delay=True`": "ASHA, delay",
    "StoppingASHA(15, 120, 4)": "StoppingASHA",
    "PASHA(15, 120, 4)": "PASHA",
    "Hyperband(120, 3)": "Hyperband(120, 3)",
    "MedianStopping(15, 120)": "MedianStopping",
}


def tuners_table() -> str:
    """Return what tuners cost and find, simulated."""
    found = tuner_rows()
    rows = []
    for title, name in TUNERS.items():
        hours, least, most = (f"{float(n):.0f}" for n in re.findall(r"[\d.]+", found[name]["device-hours"]))
        hours += "" if least == most else f" ({least} to {most})"
        rows.append([title, middle(found[name]["end to end, h"]), hours, f"{found[name]['best loss']:.3f}"])
    return markdown_table(["tuner", "end to end, h", "device-hours", "best loss"], rows) + printed_by("tuners")


def tuner_rows() -> dict[str, dict[str, Any]]:
    return {row["tuner"]: row for row in read("tuners")["rows"]}


LADDER = {
    "alone": "trial by trial",
    "ray": "Ray Tune, actors reused",
    "staged": "stages shared",
    "fused": "lanes as one, no stages shared",
    "both": "both",
    "surrogate": "both, 8 times narrower, and the best one wide",
}


def ladder_table() -> str:
    """Return what each rung of the ladder is worth by itself, and beside the first ones."""
    slots = {name: number for number, kind in ((2, "ladder"), (1, "ladder_one_slot")) for name in measured_widths(kind)}
    if not slots:
        return "Not measured yet."
    rows = []
    for result, row in ((each, row) for each in slots for row in read(each)["rows"]):
        rung = LADDER.get(row["rung"], row["rung"]) + (", scaled" if "scaled" in row["trials"] else "")
        own = f"{times(row['times'])} {LADDER[row['over']]}" if row["times"] else None
        beside = [times(row[name]) if row[name] else None for name in ("times_alone", "times_ray")]
        rows.append([row["width"], slots[result], rung, row["steps_executed"], row["mean_lanes"], middle(row["cpu_s"])])
        rows[-1] += [own, *beside, row.get("best")]
    columns = [
        "width",
        "slots",
        "way",
        "steps run",
        "at once",
        "CPU-s",
        "its own factor",
        "of trial by trial",
        "of Ray Tune",
    ]
    columns.append("best accuracy")
    return markdown_table(columns, rows) + printed_by(*slots)


def ladder_metrics_table() -> str:
    """Return how far metrics are from those of exact numerics."""
    columns = {
        "width": "width", "rung": "way", "steps_executed": "steps run", "distinct": "distinct",
        "steps_repeated": "repeated", "loss_farthest": "loss, farthest", "accuracy_farthest": "accuracy, farthest",
        "both_within_0.01": "within 0.01", "best": "best accuracy", "best_exact": "exact",
    }  # fmt: skip
    rows = [[row[key] for key in columns] for name in measured_widths("ladder_metrics") for row in read(name)["rows"]]
    return markdown_table(list(columns.values()), rows)


def measured_widths(name: str) -> list[str]:
    """Return the results of a benchmark that has one for each width, the widest first."""
    widths = (file.stem.removeprefix(f"{name}_") for file in RESULTS.glob(f"{name}_*.json"))
    return [f"{name}_{width}" for width in sorted(filter(str.isdecimal, widths), key=int, reverse=True)]


def resnet_table() -> str:
    """Return what many models are worth as one program on a GPU."""
    rows = [
        [row["way"], row["models"], row["step_ms"], row["spread_ms"], row["samples_per_s"], f"{row['times']} x"]
        for row in read("resnet")["rows"]
    ]
    columns = ["way", "models", "step, ms", "least and most", "samples a second, all models", "of one model's"]
    return markdown_table(columns, rows) + printed_by("resnet")


def recordings_table() -> str:
    """Return what updates take on a GPU, kernel by kernel and recorded."""
    rows = [
        [
            row["net"], row["lanes"], row["alone_ms"], f"{row['alone_recorded_ms']} ({row['alone_of_recorded']} x)",
            row["plain_ms"], f"{row['recorded_ms']} ({row['of_plain']} x)", f"{row['of_alone']} x",
            "yes" if row["equal_bits"] else "no",
        ]
        for row in read("recordings")["rows"]
    ]  # fmt: skip
    columns = [
        "network", "trials", "alone, ms", "alone, recorded", "as one, ms", "as one, recorded",
        "of trials alone, launched", "equal bits",
    ]  # fmt: skip
    return markdown_table(columns, rows) + printed_by("recordings")


def ps_table() -> str:
    """Return what the parameter server was measured to do, once it was."""
    if not (RESULTS / "ps.json").exists():
        return "Not measured yet."
    rows = [
        [row["what"], row["case"], f"{row['value']} {row['unit']}".strip(), row["spread"] or None, row["target"]]
        for row in read("ps")["rows"]
    ]
    return markdown_table(["what", "of", "measured", "spread", "target"], rows) + printed_by("ps")


def gaps_table() -> str:
    """Return how far guests fill the gaps of a pipeline."""
    rows = [
        [
            row["micro_batches"], f"{row['slice_ms']:g} ms", row["way"], f"{100 * row['filled']:.0f} %",
            f"{100 * row['slowdown']:.1f} %", row["share"],
        ]
        for row in read("coordinator_gaps")["rows"]
    ]  # fmt: skip
    columns = ["micro-batches", "slices", "who decides", "gaps filled", "large model slower", "share of a device"]
    return markdown_table(columns, rows) + printed_by("coordinator_gaps")


def bubbles_table() -> str:
    """Return how far a guest filled the bubbles of real ranks."""
    rows = [
        [
            row["micro_batches"], f"{row['slice_ms']:g} ms", row["way"], f"{row['filled_percent']} %",
            f"{row['slower_percent']} % ({row['slower_least_and_most'][0]} to {row['slower_least_and_most'][1]})",
        ]
        for row in read("bubbles")["rows"]
    ]  # fmt: skip
    columns = ["micro-batches", "slices", "who decides", "bubbles filled", "large job slower"]
    return markdown_table(columns, rows) + printed_by("bubbles")


def coordinator_table() -> str:
    """Return what each part of the Coordinator is worth on a trace of jobs."""
    rows = [
        [
            row["share"].replace("as above", "the policy's"), row["way"],
            f"{row['makespan_h']} ({row['spread_h'].replace(' to ', '-')})",
            f"{row['shorter']} x ({row['shorter_spread'].replace(' to ', '-')})", f"{row['sooner']} x",
        ]
        for row in read("coordinator")["rows"]
    ]  # fmt: skip
    columns = ["gaps count as", "what is on", "makespan, h", "shorter", "mean completion sooner"]
    return markdown_table(columns, rows) + printed_by("coordinator")


#: story -> its page, and what it is called there
STORIES = {
    "probes": ("probes.md", "fifty probes for the price of one"),
    "cool-downs": ("cool-downs.md", "cool-downs from one trunk"),
    "adapters": ("adapters.md", "a LoRA sweep on one device"),
    "small nets": ("small-nets.md", "small networks by the thousand"),
}


def stories_table() -> str:
    """Return what each story is worth, factor by factor."""
    rows = [
        [f"[{title}]({page})", *story_cells(row)]
        for row in read("stories")["rows"]
        for page, title in [STORIES[row["story"]]]
    ]
    return markdown_table(["story", *STORY_COLUMNS], rows) + printed_by("stories")


def agents_table() -> str:
    """Return what one memory of training is worth to agents."""
    rows = [
        [
            row["way"], row["trials"], row["steps"], f"{row['cpu_s']:g}",
            f"{row['times']:g} x ({row['spread'].replace(' to ', '-')})",
        ]
        for row in read("agents")["rows"]
    ]  # fmt: skip
    columns = ["what is remembered", "trials", "steps trained", "CPU-s", "cheaper"]
    return markdown_table(columns, rows) + printed_by("agents")


STORY_COLUMNS = [
    "trials", "each alone, CPU-s", "the study, CPU-s", "tuner", "merge rate", "lanes and trunk", "together",
]  # fmt: skip


def story_table(story: str) -> str:
    """Return the same of one story."""
    (row,) = (row for row in read("stories")["rows"] if row["story"] == story)
    return markdown_table(STORY_COLUMNS, [story_cells(row)]) + printed_by("stories")


def story_cells(row: Mapping[str, Any]) -> list[Any]:
    """Return the cells behind the name of a story; a factor of one is none."""
    factors = [f"{row[name]:g} x" if row[name] != 1.0 else "-" for name in ("tuner", "merge_rate", "lanes")]
    return [
        row["trials"], f"{row['alone_s']:g}", f"{row['whole_s']:g}", *factors,
        f"{row['times']:g} x ({row['spread'].replace(' to ', '-')})",
    ]  # fmt: skip


def results_table() -> str:
    """Return all result files, with what made them."""
    rows = []
    for file in sorted(RESULTS.glob("*.json")):
        made = read(file.stem)["made"]
        took = "-" if made["took_s"] is None else duration(made["took_s"])
        busy = made["machine"].get("load_1min")
        command = "not recorded" if made["command"] is None else f"`{made['command']}`"
        rows.append(
            [f"[{file.stem}](results/{file.name})", command, made["seeds"], took, "-" if busy is None else busy]
        )
    return markdown_table(["result", "made by", "seeds", "took", "load"], rows)


def duration(seconds: int) -> str:
    """Return seconds, or minutes where there are two of them."""
    return f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} min"


TABLES: Mapping[str, Callable[[], str]] = {
    "ray_tune": ray_table,
    "checks": checks_table,
    "two_processes": two_processes_table,
    "tuners": tuners_table,
    "ladder": ladder_table,
    "ladder_metrics": ladder_metrics_table,
    "resnet": resnet_table,
    "recordings": recordings_table,
    "ps": ps_table,
    "bubbles": bubbles_table,
    "coordinator": coordinator_table,
    "coordinator_gaps": gaps_table,
    "stories": stories_table,
    "story_agents": agents_table,
    **{
        f"story_{story.replace('-', '_').replace(' ', '_')}": functools.partial(story_table, story) for story in STORIES
    },
    "results": results_table,
    **hydro_tables.TABLES,
    **mltuner_tables.TABLES,
}
_TABLE = re.compile(r"(<!-- figures: (\w+) -->\n)((?:(?!<!--).)*?)(<!-- end of figures -->)", re.DOTALL)


# ---------------------------------------------------------------------------------------------------------- sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a page, with a name in braces in the place of each figure."""

    page: str
    text: str
    figures: Callable[[], Mapping[str, str]]

    def found_in(self, page: str) -> re.Match[str] | None:
        """Return where the sentence stands, whatever its figures and line breaks."""
        parts = re.split(r"\{(\w+)\}", " ".join(self.text.split()))
        pattern = "".join(
            rf"(?P<{part}>[\w.,-]*\w)" if number % 2 else re.escape(part).replace(r"\ ", r"\s+")
            for number, part in enumerate(parts)
        )
        return re.search(pattern, page)


def sharing_figures() -> dict[str, str]:
    content = read("sharing")
    median = content["rows"][-1]
    figures = {name: f"{median[name]:.2f}" for name in ("cpu_ratio", "wall_ratio", "time_weighted_p")}
    return figures | {"pairs": count(len(content["rows"]) - 1)}


def ray_figures() -> dict[str, str]:
    found = {name: ray_systems(name)["ray"]["cpu_s_by_shared"] for name in RAY_STUDIES}
    return {name: middle(spread) for name, spread in found.items()}


def ties_figures() -> dict[str, str]:
    """Return what SHA and ASHA save of the GPU-hours with each rule for equal trials."""
    spent: dict[tuple[str, str, bool], list[float]] = {}
    for row in read("paper")["rows"]:
        spent.setdefault((row["figure"], row["experiment"], row["sharing"]), []).append(row["gpu_hours"])
    found = {}
    for name, study in (("sha", "ResNet56 SHA"), ("asha", "ResNet56 ASHA")):
        for ties, figure in (("first", "single"), ("distinct", "single_distinct")):
            alone, shared = (statistics.fmean(spent[figure, study, sharing]) for sharing in (False, True))
            found[f"{name}_{ties}"] = f"{alone / shared:.2f}"
    return found


def eager_figures() -> dict[str, str]:
    found = tuner_rows()
    plain, eager = found["grid +100"], found['grid +100, speculate="eager"']
    mean, least, most = re.findall(r"[\d.]+", eager["end to end, h"])
    hours = [float(middle(row["device-hours"])) for row in (plain, eager)]
    return {
        "eager_h": mean,
        "plain_h": middle(plain["end to end, h"]),
        "least_h": least,
        "most_h": most,
        "more": f"{100 * (hours[1] / hours[0] - 1):.1f}",
    }


def fused_figures() -> dict[str, str]:
    """Return how often faster lanes are walked as one than one by one, of some models."""
    fused = {(row["model"], row["lanes"]): row["times"] for row in read("fusion")["rows"] if row["way"] == "fused"}
    frozen = {
        (row["case"], row["lanes"]): row["times"]
        for row in read("lora")["rows"]
        if (row["what"], row["numerics"]) == ("training", "fused")
    }
    wide = [fused["mlp 512", lanes] for lanes in (4, 16, 64)]
    return {
        "perceptron": f"{fused['mlp 128', 64]:.1f}",
        "demo": f"{fused['digits 3, python', 32]:.1f}",
        "adapters": f"{frozen['lora, width 64', 8]:.1f}",
        "probes": f"{frozen['probes', 52]:.0f}",
        "least": f"{min(wide):.1f}",
        "most": f"{max(wide):.1f}",
    }


def ladder_figures() -> dict[str, str]:
    """Return how often fewer CPU-seconds fused lanes take on top of shared stages."""
    found = {}
    for width in (3, 24):
        (both,) = (row for row in read(f"ladder_{width}")["rows"] if row["rung"] == "both")
        found[f"at_{width}"] = middle(both["times"])
    return found


def recordings_figures() -> dict[str, str]:
    """Return how much sooner small networks are trained alone, recorded, at least and at most."""
    found = sorted(row["alone_of_recorded"] for row in read("recordings")["rows"])
    (resnet,) = (row for row in read("resnet")["rows"] if row["way"] == "alone, recorded")
    return {"least": f"{found[0]:.1f}", "most": f"{found[-1]:.1f}", "resnet": f"{resnet['times']:.1f}"}


def probes_figures() -> dict[str, str]:
    large, small = read("probes")["rows"]
    return {"probes_times": f"{large['times']:.0f}", "small_times": f"{small['times']:.0f}"}


def count(number: int) -> str:
    """Return a number as a word, up to twelve."""
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return words[number] if number < len(words) else str(number)


CLAIMS = (
    Claim(
        page="README.md",
        text="the demo's 56 trials without sharing take {cpu_ratio} times the CPU-seconds and {wall_ratio} times the "
        "wall time of those with sharing, where the time-weighted merge rate allows {time_weighted_p} (medians of "
        "{pairs} pairs, two cores;",
        figures=sharing_figures,
    ),
    Claim(
        page="README.md",
        text="Ray Tune takes {four_studies} times the CPU-seconds of hippo for four studies at once, {asha} times for "
        "ASHA, and {grid} times for a grid,",
        figures=ray_figures,
    ),
    Claim(
        page="README.md",
        text="64 lanes of a perceptron of width 128 train {perceptron} times as fast as one by one, 32 of the demo's "
        "net at width 3 {demo} times, 8 LoRA adapters of a small Llama {adapters} times, and 52 linear probes on a "
        "frozen transformer {probes} times",
        figures=fused_figures,
    ),
    Claim(
        page="README.md",
        text="With stages shared as well, the demo's grid at width 3 takes {at_3} times fewer CPU-seconds than with "
        "shared stages alone, and {at_24} times fewer at its own width of 24",
        figures=ladder_figures,
    ),
    Claim(
        page="README.md",
        text="{least} to {most} times for a perceptron of width 512",
        figures=fused_figures,
    ),
    Claim(
        page="README.md",
        text="{least} to {most} times as fast in small networks, {resnet} times in a narrow ResNet-18",
        figures=recordings_figures,
    ),
    Claim(
        page="docs/fusion.md",
        text="takes {probes_times} times fewer CPU-seconds than one by one, evaluations included; on a small network, "
        "of which less is to be saved, {small_times} times",
        figures=probes_figures,
    ),
    Claim(
        page="docs/evaluation.md",
        text="take {cpu_ratio} times the CPU-seconds without sharing, and {wall_ratio} times the wall time, where the "
        "time-weighted merge rate allows {time_weighted_p}: medians of {pairs} pairs",
        figures=sharing_figures,
    ),
    Claim(
        page="docs/evaluation.md",
        text="SHA on ResNet56 saves {sha_distinct} times the GPU-hours and not {sha_first}, and ASHA {asha_distinct} "
        "and not {asha_first}",
        figures=ties_figures,
    ),
    Claim(
        page="docs/evaluation.md",
        text="with Ray Tune {ray}:",
        figures=lambda: {"ray": read("ray_tune_grid")["made"]["versions"]["ray"]},
    ),
    Claim(
        page="docs/tuners/README.md",
        text="ten draws: {eager_h} hours instead of {plain_h} on average ({least_h} if the best trial is among the "
        "first to end, {most_h} if it is among the last), for {more} % more device-hours",
        figures=eager_figures,
    ),
)


# ----------------------------------------------------------------------------------------------- comparing, and mending


def mended(name: str, text: str) -> tuple[str, list[str]]:
    """Return a page with the figures of the result files, and what had to be mended; a lost sentence stays lost."""
    wrong = []
    for begin, table, inside, end in _TABLE.findall(text):
        right = TABLES[table]() + "\n"
        if inside != right:
            wrong.append(f"{name}: the table {table} is not that of its result file")
            text = text.replace(begin + inside + end, begin + right + end)
    for claim in CLAIMS:
        if claim.page != name:
            continue
        found = claim.found_in(text)
        if found is None:
            wrong.append(f"{name} no longer says {claim.text!r}: change it in benchmarks/claims.py, too")
            continue
        # from the end, so that the places of the others stay
        for figure, right in sorted(claim.figures().items(), key=lambda item: _place(found, item[0]), reverse=True):
            if figure in found.groupdict() and found[figure] != right:
                wrong.append(f"{name}: {found[figure]} should be {right} ({figure} in {claim.text!r})")
                text = text[: found.start(figure)] + right + text[found.end(figure) :]
    return text, wrong


def _place(found: re.Match[str], figure: str) -> int:
    return found.start(figure) if figure in found.groupdict() else -1


#: what is no code, and looks like something that was measured
_FIGURE = re.compile(
    r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?: ?%|x\b|(?: (?:x|times|s|ms|h|hours|minutes|GB|CPU-seconds)\b))|(?<![\w.])\d+\.\d+"
)
#: code, links, comments, and numbers of sections
_NO_PROSE = re.compile(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|<!--.*?-->|section \d+\.\d+", re.MULTILINE | re.DOTALL)
#: figures of those pages that nobody measured: versions, and what a simulation or the paper is given
GIVEN = {
    "README.md": ("Python 3.11", "Apache 2.0", "batch size of 0.5"),
    "docs/evaluation.md": (
        "94.3 s by Hippo's",
        "107.1 s by Ray Tune's",
        "needs 60 s",
        "about 20 ms",
        "prints 2.7",
        "and 1.3 for",
    ),
    "docs/evaluation-of-surrogates.md": ("over 10x",),
    "docs/tuners/README.md": ("94.3 s",),
    "docs/tuners/mltuner-experiments.md": ("has 95.5 % of", "to 6 % of time"),
}


def loose_figures(name: str, text: str) -> list[str]:
    """Return the figures of a page that are in no table, no sentence that is listed, and not given."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    for claim in CLAIMS:
        found = claim.found_in(text) if claim.page == name else None
        if found:
            text = text[: found.start()] + blank(found) + text[found.end() :]
    prose = _NO_PROSE.sub(blank, _TABLE.sub(blank, text))
    for given in GIVEN.get(name, ()):
        prose = prose.replace(given, " " * len(given))
    return [found[0] for found in _FIGURE.finditer(prose)]


def complaints() -> Iterator[str]:
    """Yield what is wrong on any page."""
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        yield from mended(name, text)[1]
        yield from (f"{name}: nothing says where {figure!r} comes from" for figure in loose_figures(name, text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the figures of the result files into the pages")
    if parser.parse_args().write:
        for name in PAGES:
            page = ROOT / name
            text = page.read_text(encoding="utf-8")
            page.write_text(mended(name, text)[0], encoding="utf-8")
    found = list(complaints())
    print("\n".join(found) or "all figures are those of the result files")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
