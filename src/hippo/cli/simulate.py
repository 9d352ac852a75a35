"""`hippo simulate`: what a study would cost on slots that are not there."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.importing import called, configs_of, imported
from hippo.cli.options import format_option, storage_option
from hippo.cli.output import say, show
from hippo.cli.timeline import print_timeline
from hippo.errors import HippoError

if TYPE_CHECKING:
    from hippo.simulation import Replay, Simulation

#: name -> where the class is
TUNERS = {
    "grid": "hippo.tuners.grid:GridSearch",
    "sha": "hippo.tuners.successive_halving:SuccessiveHalving",
    "asha": "hippo.tuners.asha:ASHA",
    "hyperband": "hippo.tuners.hyperband:Hyperband",
}


@click.command()
@click.argument("what", metavar="[MODULE:NAME]", required=False)
@click.option("--study", help="Replay this recorded study: its metrics, its seconds, its configs.")
@storage_option
@click.option("--tuner", type=click.Choice(list(TUNERS)), help="What to run on a space, or on a study's configs.")
@click.option("--min-steps", type=click.IntRange(min=1), help="End of the first rung; of hyperband by default 1.")
@click.option("--max-steps", "--until", type=click.IntRange(min=1), help="Steps that a trial may be trained.")
@click.option("--reduction", type=click.IntRange(min=2), help="Of rungs.  [default: the tuner's: 4, of hyperband 3]")
@click.option("--slots", type=click.IntRange(min=1), default=8, show_default=True, help="Assignments at a time.")
@click.option("--lanes", type=click.IntRange(min=1), help="Walk up to so many lanes of a slot as one.")
@click.option(
    "--lane-cost",
    type=(click.FloatRange(min=0), click.FloatRange(min=0)),
    default=(0.7, 0.3),
    show_default=True,
    metavar="A B",
    help="With --lanes: a step of F lanes takes as long as A + B F steps of one.",
)
@click.option("--shards", type=click.IntRange(min=1), help="Parts of a step, each for a slot of one node: 2, 4, 8 ...")
@click.option(
    "--slots-per-node", type=click.IntRange(min=1), help="With --shards or --release-after-s.  [default: all]"
)
@click.option("--release-after-s", type=click.FloatRange(min=0), help="Give a node back on which nothing ran so long.")
@click.option("--seconds-per-step", type=click.FloatRange(min=0, min_open=True), help="[default: 1, or as recorded]")
@click.option("--start-s", type=click.FloatRange(min=0), default=0.0, help="To start a lane in another worker.")
@click.option("--load-s", type=click.FloatRange(min=0), default=0.0, help="To load a checkpoint.")
@click.option("--save-s", type=click.FloatRange(min=0), help="To write a checkpoint.  [default: 0, or as recorded]")
@click.option("--evaluate-s", type=click.FloatRange(min=0), help="Of an evaluation.  [default: 0, or as recorded]")
@click.option("--losses-per-hour", type=click.FloatRange(min=0), default=0.0, help="Workers lost per device-hour.")
@click.option("--sharing/--no-sharing", default=True, show_default=True, help="Train common prefixes once.")
@click.option("--compare", is_flag=True, help="Simulate with and without sharing.")
@click.option("--samples", type=click.IntRange(min=1), help="Configs to draw from a RandomSearchSpace.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of made-up metrics and losses.")
@click.option("--gantt", type=click.Path(dir_okay=False, path_type=Path), help="Write a Gantt chart as an HTML file.")
@format_option
def simulate(
    what: str | None,
    study: str | None,
    storage: str,
    tuner: str | None,
    min_steps: int | None,
    max_steps: int | None,
    reduction: int | None,
    sharing: bool,
    compare: bool,
    slots: int,
    lanes: int | None,
    lane_cost: tuple[float, float],
    seed: int,
    samples: int | None,
    gantt: Path | None,
    form: str,
    **costs: float | None,
) -> None:
    """Simulate a study on virtual slots, and show what it costs.

    MODULE:NAME is a tuner, or a space for --tuner, or a function that returns either; MODULE may be a file, as in
    grid.py:space, and a study that it runs is not run. Without --study, metrics are made up (a random walk, equal
    along shared prefixes) and every step takes as long.
    """
    options = _rungs(tuner, min_steps, max_steps, reduction)
    _refuse_ignored(what, study, gantt, lanes)
    if costs["slots_per_node"] is not None and costs["shards"] is None and costs["release_after_s"] is None:
        raise click.UsageError("--slots-per-node would be ignored: it goes with --shards or --release-after-s")
    replay = None if study is None else _replay(study, storage)
    if replay is not None and not replay.configs():
        raise click.UsageError(f"study {study!r} has no trial to replay")
    built = _tuner(what, replay, tuner, options, samples)
    variants = [True, False] if compare else [sharing]
    fused = None if lanes is None else lane_cost
    runs = {
        shares: _run(built, replay, costs, slots=slots, lanes=lanes, fused=fused, seed=seed, sharing=shares)
        for shares in variants
    }
    rows = [{"sharing": "yes" if shares else "no", **run.row()} for shares, run in runs.items()]
    show(_by_figure(rows) if form == "table" else rows, form, title=what or study)
    first = runs[variants[0]]
    if form == "table":
        if compare:
            _say_how_much(first, runs[False])
        print_timeline(first)
    if replay is not None and (guessed := replay.describe_guesses()):
        say(guessed)
    if gantt is not None:
        _write_gantt(first, gantt, title=what or study or "")


def _replay(study: str, storage: str) -> Replay:
    from hippo.simulation import Replay

    return Replay(study, storage, fallback="last")


def _rungs(tuner: str | None, min_steps: int | None, max_steps: int | None, reduction: int | None) -> dict[str, int]:
    """Return the arguments of a tuner of this name, besides its space."""
    _refuse_rungs_that_nobody_has(tuner)
    if tuner is None:
        return {}
    if max_steps is None:
        raise click.UsageError(f"--tuner {tuner} needs --max-steps: how far may a trial be trained?")
    if tuner == "grid":
        return {"until": max_steps}
    if min_steps is None and tuner != "hyperband":
        raise click.UsageError(f"--tuner {tuner} needs --min-steps: where does its first rung end?")
    given = {"min_steps": min_steps, "max_steps": max_steps, "reduction": reduction}
    return {name: value for name, value in given.items() if value is not None}


#: tuner -> the options of rungs that it takes
_RUNGS_OF = {
    None: (),
    "grid": ("max_steps",),
    "sha": ("min_steps", "max_steps", "reduction"),
    "asha": ("min_steps", "max_steps", "reduction"),
    "hyperband": ("min_steps", "max_steps", "reduction"),
}


def _refuse_rungs_that_nobody_has(tuner: str | None) -> None:
    for name in ("min_steps", "max_steps", "reduction"):
        if _is_given(name) and name not in _RUNGS_OF[tuner]:
            option = f"--{name.replace('_', '-')}"
            which = f"--tuner {tuner} has no such thing" if tuner else "it belongs to a tuner; name one with --tuner"
            raise click.UsageError(f"{option} would be ignored: {which}")


def _refuse_ignored(what: str | None, study: str | None, gantt: Path | None, lanes: int | None) -> None:
    """Refuse what would have no effect, and a file that cannot be written, before the simulation and not after."""
    if what is None and study is None:
        raise click.UsageError("name a tuner or a space, MODULE:NAME, or a recorded study with --study")
    if study is None and _is_given("storage"):
        raise click.UsageError("--storage would be ignored: it says where --study is")
    if lanes is None and _is_given("lane_cost"):
        raise click.UsageError("--lane-cost would be ignored: it goes with --lanes")
    if gantt is None:
        return
    folder = gantt.absolute().parent
    if not folder.is_dir():
        raise click.BadParameter(f"--gantt {gantt}: there is no folder {str(folder)!r}")
    if not os.access(gantt if gantt.exists() else folder, os.W_OK):
        raise click.BadParameter(f"--gantt {gantt}: it may not be written")
    if importlib.util.find_spec("plotly") is None:
        raise HippoError("--gantt needs plotly: pip install 'hippo-tune[plotly]'")


def _is_given(name: str) -> bool:
    """Tell whether a command line has an option: what the environment says is meant for other commands, too."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _tuner(
    what: str | None, replay: Replay | None, name: str | None, options: dict[str, int], samples: int | None
) -> Any:
    """Return the tuner that was asked for."""
    found = None if what is None else imported(what)
    if isinstance(found, type):
        raise click.BadParameter(f"{what} is the class {found.__name__}; name an object, or a function that makes one")
    if found is not None and callable(found) and not hasattr(found, "tune"):
        found = called(found, str(what))
    if hasattr(found, "tune"):
        if name is not None:
            raise click.UsageError(f"{what} is a tuner already; leave --tuner {name} out")
        if samples is not None:
            raise click.UsageError(f"--samples would be ignored: {what} is a tuner, and draws by itself")
        return found
    if name is None:
        if what is not None:
            raise click.UsageError(f"{what} is a space; say what runs on it: --tuner {'|'.join(TUNERS)}")
        assert replay is not None
        return replay.tuner()
    if what is None and samples is not None:
        raise click.UsageError("--samples would be ignored: a recorded study has its configs")
    space: Sequence[Any] = (
        replay.configs() if what is None and replay is not None else configs_of(str(what), samples=samples)
    )
    module, _, cls = TUNERS[name].partition(":")
    return getattr(importlib.import_module(module), cls)(space, **options)


def _run(
    tuner: Any,
    replay: Replay | None,
    costs: dict[str, float | None],
    *,
    slots: int,
    lanes: int | None,
    fused: tuple[float, float] | None,
    seed: int,
    sharing: bool,
) -> Simulation:
    from hippo.simulation import SimulatedWorkload
    from hippo.simulation import simulate as run

    given: dict[str, Any] = {name: value for name, value in costs.items() if value is not None}
    if fused is not None:
        given["fused"] = fused
    nodes = {name: given.pop(name) for name in ("slots_per_node", "release_after_s") if name in given}
    given["losses_per_device_hour"] = given.pop("losses_per_hour", 0.0)
    if replay is None:
        workload, options = SimulatedWorkload(**{"seconds_per_step": 1.0, **given}), {}
    else:
        workload, options = replay.workload(**given), replay.options
    return run(tuner, workload, slots=slots, lanes=lanes, curve=replay, seed=seed, sharing=sharing, **nodes, **options)


def _by_figure(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turn a table around: a row for each figure, which a narrow terminal has room for."""
    names = {"yes": "sharing", "no": "no sharing"}
    figures = [name for name in rows[0] if name != "sharing"]
    return [{"figure": name, **{names[row["sharing"]]: row[name] for row in rows}} for name in figures]


def _say_how_much(shared: Simulation, alone: Simulation) -> None:
    fewer = alone.device_seconds / shared.device_seconds if shared.device_seconds else 1.0
    faster = alone.makespan_s / shared.makespan_s if shared.makespan_s else 1.0
    click.echo(f"sharing: {fewer:.2f} times fewer device-hours, {faster:.2f} times sooner done\n")


def _write_gantt(run: Simulation, path: Path, *, title: str) -> None:
    from hippo.visualization import plot_gantt

    try:
        plot_gantt(run.intervals, title=title).write_html(path, include_plotlyjs=True)
    except OSError as error:
        raise HippoError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    say(f"wrote {path}")
