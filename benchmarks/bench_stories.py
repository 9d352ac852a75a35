"""What each story of docs/stories is worth, factor by factor: tuner x merge rate x lanes and trunk.

    python benchmarks/bench_stories.py [--runs 3] [--only probes cool-downs adapters small-nets]

Needs psutil, torch and scikit-learn; the adapters need peft and transformers. Each story is the study of its example.
`alone`: so many of its trials, spread over the space, each trained by itself to the end (sharing=False, exact), and
what all of them would take lies on the line through that. `whole`: the study as the example runs it. CPU-seconds of
`optimize` in the process that trains, one thread, all that is done for the first time included; each run is a process
of its own, in turns.

`tuner`: steps of all trials to the end, by steps that were asked for. `merge_rate`: steps asked for, by steps that were
executed. `lanes`: CPU-seconds of an executed step alone, by those in the study: lanes walked as one, over a trunk that
is computed once where there is a frozen one, less what deciding and keeping take. Their product is `times`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import hippo

MARK = "RESULT "


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A study, and how it is run."""

    trainer: type
    configs: Sequence[Any]
    #: config -> steps to its end
    length: Callable[[Any], int]
    #: configs -> what trains them
    tuner: Callable[[Sequence[Any]], Any]
    metric: str
    mode: str
    numerics: str
    evaluate_every: int
    #: configs that are trained alone
    samples: int


def probes() -> Story:
    """Return 52 linear probes on a frozen network."""
    import probes

    return Story(
        trainer=probes.ProbeTrainer, configs=list(probes.space), length=lambda _: 6,
        tuner=lambda configs: hippo.GridSearch(configs, until=6),
        metric="accuracy", mode="max", numerics="fused", evaluate_every=1, samples=4,
    )  # fmt: skip


def cool_downs() -> Story:
    """Return 54 lengths, fractions and shapes of one language model's training."""
    import wsd_scaling

    return Story(
        trainer=wsd_scaling.LanguageTrainer,
        configs=[hippo.Config({"lr": rate}) for rate in wsd_scaling.FULL.schedules()],
        length=lambda config: int(config["lr"].total), tuner=wsd_scaling.EachToItsEnd,
        metric="val_bits", mode="min", numerics="exact", evaluate_every=1, samples=3,
    )  # fmt: skip


def adapters() -> Story:
    """Return 16 adapters of a frozen language model."""
    import lora

    return Story(
        trainer=lora.AdapterTrainer, configs=list(lora.space), length=lambda _: 4,
        tuner=lambda configs: hippo.GridSearch(configs, until=4),
        metric="loss", mode="min", numerics="fused", evaluate_every=1, samples=4,
    )  # fmt: skip


def small_nets() -> Story:
    """Return a thousand perceptrons."""
    import small_nets

    return Story(
        trainer=small_nets.SmallNet, configs=small_nets.chosen(1000), length=lambda _: small_nets.STEPS,
        tuner=lambda configs: small_nets.tuner(len(configs)),
        metric="accuracy", mode="max", numerics="fused", evaluate_every=small_nets.STEPS, samples=40,
    )  # fmt: skip


STORIES = {"probes": probes, "cool-downs": cool_downs, "adapters": adapters, "small nets": small_nets}


class _EachAlone(hippo.Tuner):
    """Trains each config to its end."""

    def __init__(self, configs: Sequence[Any], length: Callable[[Any], int]) -> None:
        self._asked = [(config, length(config)) for config in configs]

    def record(self) -> dict[str, Any]:
        return {"tuner": "EachAlone", "trials": len(self._asked)}

    async def tune(self, ask: Any) -> None:
        for config, steps in self._asked:
            await ask(config, until=steps)


def run_one(name: str, way: str) -> dict[str, Any]:
    """Run a study in this process."""
    from provenance import parts_loaded

    story = STORIES[name]()
    is_whole = way == "whole"
    sampled = spread(story.configs, story.samples)
    study = hippo.create_study(
        "story",
        trainer=story.trainer,
        metric=story.metric,
        mode=story.mode,
        storage="memory://",
        checkpoints="memory://",
        engine=hippo.InlineEngine(max_lanes=128),
        numerics=story.numerics if is_whole else "exact",
        evaluate_every=story.evaluate_every,
        sharing=is_whole,
    )
    tuner = story.tuner(story.configs) if is_whole else _EachAlone(sampled, story.length)
    began_s = time.process_time()
    study.optimize(tuner)
    took_s, counted = time.process_time() - began_s, study.statistics()
    return {
        "cpu_s": took_s,
        "trials": len(study.trials),
        "steps_whole": sum(map(story.length, story.configs)),
        "steps_asked": counted.steps_asked,
        "steps_executed": counted.steps_executed,
        "mean_lanes": round(counted.mean_lanes, 1),
        "parts": sorted(parts_loaded()),
    }


def spread(configs: Sequence[Any], count: int) -> list[Any]:
    """Return so many, at even distances, neither the first nor the last."""
    return [configs[len(configs) * (2 * place + 1) // (2 * count)] for place in range(count)]


def measured(name: str, way: str) -> dict[str, Any]:
    """Run a study in a process of its own."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, "--one", name, way])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run: dict[str, Any] = json.loads(line.removeprefix(MARK))
    print(f"{name}, {way}: {run['cpu_s']:.1f} CPU-s, {run['steps_executed']} steps", file=sys.stderr, flush=True)
    return run


def rows(name: str, runs: int) -> Iterator[dict[str, Any]]:
    """Yield the row of a story, measured so often."""
    pairs = [(measured(name, "alone"), measured(name, "whole")) for _ in range(runs)]
    whole = pairs[0][1]
    a_step = [alone["cpu_s"] / alone["steps_executed"] for alone, _ in pairs]
    lanes = [one * each["steps_executed"] / each["cpu_s"] for one, (_, each) in zip(a_step, pairs, strict=True)]
    asked, executed, full = (whole[key] for key in ("steps_asked", "steps_executed", "steps_whole"))
    times = [full / executed * each for each in lanes]
    yield {
        "story": name,
        "trials": whole["trials"],
        "alone_s": round(statistics.median(one * full for one in a_step), 1),
        "whole_s": round(statistics.median(each["cpu_s"] for _, each in pairs), 1),
        "tuner": round(full / asked, 2),
        "merge_rate": round(asked / executed, 2),
        "lanes": round(statistics.median(lanes), 2),
        "times": round(statistics.median(times), 1),
        "spread": f"{min(times):.1f} to {max(times):.1f}",
        "mean_lanes": whole["mean_lanes"],
        "parts": whole["parts"],
    }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[name.replace(" ", "-") for name in STORIES])
    parser.add_argument("--one", nargs=2, metavar=("STORY", "WAY"), help="what a fresh process does")
    arguments = parser.parse_args()
    if arguments.one:
        print(MARK + json.dumps(run_one(*arguments.one)))
        return
    from report import write_report

    chosen = [name for name in STORIES if not arguments.only or name.replace(" ", "-") in arguments.only]
    found = [row for name in chosen for row in rows(name, arguments.runs)]
    also = sorted({part for row in found for part in row.pop("parts")})
    if arguments.only:
        print(json.dumps(found, indent=1))
        return
    write_report(
        "stories", found, "What each story is worth", seeds=f"{arguments.runs} runs of each, in turns", also=also
    )


if __name__ == "__main__":
    main()
