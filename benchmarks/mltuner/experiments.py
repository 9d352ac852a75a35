"""MLtuner's experiments in kind: small models instead of ImageNet, and the same questions.

Each function trains, and returns rows as they are kept. A seed is that of weights, order of samples and settings.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import counting
from asked import Recorded, Repeated
from lanes import branches_as_lanes, whole_runs
from tasks import (
    CHARACTERS_SPACE,
    CHECK_EVERY,
    DIGITS_SPACE,
    OPTIMIZERS,
    TARGET,
    AdaptiveDigits,
    Characters,
    ConvolvedDigits,
    NoisyDigits,
)

import bench_requests
import hippo

Row = dict[str, Any]

#: steps of one trial to completion, and of MLTuner's live path at most
MOST_STEPS = 400
#: steps after which a side has not come to the target
GIVEN_UP = 8_000
#: above every `max_steps`: evaluations come where the tuner asks for them
NEVER = 10**6


def trained(trainer: Any, tuner: Any, *, seed: int, evaluate_every: int = NEVER, **options: Any) -> tuple[Any, Row]:
    """Run a study, and return its count and its live path, or best trial.

    Args:
      options: of `counting.Count`, and `trainer_args`.
    """
    arguments = options.pop("trainer_args", {})
    study = hippo.create_study(
        "mltuner", trainer=trainer, trainer_args=arguments, storage="memory://", engine=hippo.InlineEngine(),
        metric="accuracy", mode="max", seed=seed, evaluate_every=evaluate_every, nan="worst",
    )  # fmt: skip
    stops = "target" in options or "most_steps" in options
    count = counting.begin(counting.Count(stop=study.stop if stops else None, **options))
    study.optimize(tuner)
    # the one trial that was promised to be trained on; none if the study was stopped
    paths = [trial for trial in study.trials if trial.state is hippo.TrialState.COMPLETE]
    path = max(paths, key=lambda trial: trial.step, default=None)
    found = {"config": path.config, "steps": path.step, "history": dict(path.history)} if path else {}
    study.close()
    return count, found


# --------------------------------------------------------------------------------------- Figure 3: steps to a target


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """A task, and how good a model is to be."""

    trainer: Any
    space: Mapping[str, Any]
    #: of the accuracy
    target: float
    check_every: int
    #: of one trial to completion, and of MLTuner's live path at most
    most_steps: int
    #: after which a side has not come to the target
    given_up: int


DIGITS = Race(
    trainer=NoisyDigits, space=DIGITS_SPACE, target=TARGET, check_every=CHECK_EVERY, most_steps=MOST_STEPS,
    given_up=GIVEN_UP,
)  # fmt: skip
#: a run to the target takes about a thousand steps, ten times as many as a search of MLTuner's has for a branch
CHARACTERS = Race(
    trainer=Characters, space=CHARACTERS_SPACE, target=0.3, check_every=50, most_steps=1_500, given_up=15_000
)
#: whom the paper compares with; the others take long, and are seen on digits
IN_THE_PAPER = ("MLTuner", "Hyperband, infinite", "TPE", "GP")


def sides(race: Race, seed: int) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return who is compared: a tuner, and the steps between evaluations of all its trials."""
    space, every, most_steps = hippo.RandomSearchSpace(race.space), race.check_every, race.most_steps
    return {
        # of its evaluations those of the live path alone: branches are not evaluated
        "MLTuner": (lambda: hippo.MLTuner(space, most_steps, check_every=every, seed=seed), NEVER),
        "Hyperband, infinite": (
            lambda: hippo.Hyperband(
                space, max_steps=race.given_up, reduction=2, min_steps=every, horizon="infinite", seed=seed
            ),
            every,
        ),
        "TPE": (lambda: hippo.SamplerSearch("tpe", space, most_steps, num_trials=20, seed=seed), every),
        "GP": (lambda: hippo.SamplerSearch("gp", space, most_steps, num_trials=20, seed=seed), every),
        "BOHB": (lambda: hippo.BOHB(space, most_steps, min_steps=every, seed=seed), every),
        "PBT": (
            lambda: hippo.PBT(
                space, population=10, interval=4 * every, max_steps=most_steps, synchronous=True, seed=seed
            ),
            every,
        ),
    }


def raced(race: Race, seeds: int, names: Collection[str] | None = None) -> Iterator[Row]:
    """Yield what each side takes; all sides of a seed one after the other, so that a busy machine is busy for all.

    Args:
      names: of the sides; None: all.
    """
    for seed in range(seeds):
        for side, (make, evaluate_every) in sides(race, seed).items():
            if names is not None and side not in names:
                continue
            count, _ = trained(
                race.trainer, make(), seed=seed, evaluate_every=evaluate_every, target=race.target,
                most_steps=race.given_up,
            )  # fmt: skip
            has_come = math.isfinite(count.steps_to_target)
            yield {
                "side": side, "seed": seed,
                "steps": count.steps_to_target if has_come else None,
                "cpu_s": round(count.cpu_to_target_s, 2) if has_come else None,
                "trained": count.steps, "best": round(count.best, 4),
            }  # fmt: skip


def to_target(seeds: int) -> Iterator[Row]:
    """Yield how many steps, and CPU-seconds, each side takes to 95.5 %; None where it does not come to it."""
    yield from raced(DIGITS, seeds)


def to_far_target(seeds: int) -> Iterator[Row]:
    """Yield how many steps, and CPU-seconds, each side takes to predict 30 % of letters; None where it does not."""
    yield from raced(CHARACTERS, seeds, IN_THE_PAPER)


# ------------------------------------------------------------------------------- Figure 6: the initial learning rate

#: eleven points of the range, half a decade apart
RATES = [10 ** (-5 + i / 2) for i in range(11)]
RATE_STEPS = 150


def initial_rates(seeds: int) -> Iterator[Row]:
    """Yield how good the rates are that MLTuner finds for other optimizers, beside the best of eleven."""
    for optimizer in OPTIMIZERS:
        arguments = {"optimizer": optimizer}
        space = hippo.GridSearchSpace({"lr": RATES})
        study = hippo.create_study(
            "rates", trainer=AdaptiveDigits, trainer_args=arguments, storage="memory://", engine=hippo.InlineEngine(),
            metric="accuracy", mode="max", evaluate_every=NEVER, nan="worst",
        )  # fmt: skip
        study.optimize(hippo.GridSearch(space, RATE_STEPS))
        of_grid = sorted((trial.value or 0.0 for trial in study.trials), reverse=True)
        study.close()
        for search, (sampler, seed) in enumerate([("tpe", 0), ("tpe", 1), ("grid", 0)][:seeds]):
            tuner = hippo.MLTuner(
                {"lr": hippo.loguniform(1e-5, 1.0)}, RATE_STEPS, check_every=CHECK_EVERY, sampler=sampler,
                retune=False, patience=NEVER, seed=seed,
            )  # fmt: skip
            count, path = trained(AdaptiveDigits, tuner, seed=0, trainer_args=arguments)
            accuracy = path["history"][RATE_STEPS]["accuracy"]
            yield {
                "optimizer": optimizer, "search": search, "sampler": sampler,
                "lr": float(path["config"]["lr"](0)), "accuracy": round(accuracy, 4), "best of grid": of_grid[0],
                "points below": round(100 * (of_grid[0] - accuracy), 2),
                "rates within 2 points": sum(value >= of_grid[0] - 0.02 for value in of_grid),
                "steps of branches": count.steps - RATE_STEPS,
            }  # fmt: skip


# --------------------------------------------------------------------------------------------- Figure 5: variation


def variation(seeds: int) -> Iterator[Row]:
    """Yield what runs come to that differ by their seed alone."""
    for model, trainer in (("perceptron", NoisyDigits), ("convolutions", ConvolvedDigits)):
        for seed in range(seeds):
            tuner = hippo.MLTuner(DIGITS_SPACE, MOST_STEPS, check_every=CHECK_EVERY, seed=seed)
            count, path = trained(trainer, tuner, seed=seed)
            yield {
                "model": model, "seed": seed, "accuracy": round(count.best, 4), "steps": count.steps,
                "live path": path["steps"], "searches": searches_of(path),
            }  # fmt: skip


def searches_of(path: Row) -> int:
    """Return how often the values of a live path changed, and the first search."""
    changes = {tuple(path["config"].values_at(step).items()) for step in range(path["steps"])}
    return len(changes)


# ---------------------------------------------------------------------------------------------- Figure 10: bad starts

STARTS = (
    {"lr": 1e-4, "momentum": 0.0, "batch_size": 64},
    {"lr": 3e-3, "momentum": 0.2, "batch_size": 256},
    {"lr": 1.0, "momentum": 0.9, "batch_size": 256},
)


def bad_starts(seeds: int) -> Iterator[Row]:
    """Yield what becomes of bad first settings, with later searches and without."""
    for start, retune, seed in itertools.product(STARTS, (True, False), range(seeds)):
        tuner = hippo.MLTuner(DIGITS_SPACE, MOST_STEPS, check_every=CHECK_EVERY, start=start, retune=retune, seed=seed)
        count, path = trained(NoisyDigits, tuner, seed=seed)
        yield {
            "start": ", ".join(f"{value:g}" for value in start.values()), "retune": retune, "seed": seed,
            "accuracy": round(count.best, 4), "steps": count.steps, "live path": path["steps"],
        }  # fmt: skip


# ------------------------------------------------------------------------------------- Figure 11: twice the tunables


def doubled(seeds: int) -> Iterator[Row]:
    """Yield what a first search takes among three tunables, and among six of which three do nothing."""
    twice = {**DIGITS_SPACE, **{f"mute_{name}": entry for name, entry in DIGITS_SPACE.items()}}
    for seed, (number, space) in itertools.product(range(seeds), ((3, DIGITS_SPACE), (6, twice))):
        tuner = hippo.MLTuner(space, MOST_STEPS, check_every=CHECK_EVERY, seed=seed)
        count, path = trained(NoisyDigits, tuner, seed=seed)
        yield {
            "tunables": number, "seed": seed, "steps of branches": count.steps - path["steps"],
            "accuracy": round(count.best, 4),
        }  # fmt: skip


# -------------------------------------------------------------------------------------- Figure 4: the share of tuning

LENGTHS = (200, 1_000, 5_000)


def shares(seeds: int) -> Iterator[Row]:
    """Yield what part of a run are branches, as runs become longer: a language model that does not converge."""
    for length, seed in itertools.product(LENGTHS, range(seeds)):
        tuner = hippo.MLTuner(CHARACTERS_SPACE, length, check_every=length // 20, seed=seed)
        count, path = trained(Characters, tuner, seed=seed)
        yield {
            "steps allowed": length, "seed": seed, "live path": path["steps"], "steps": count.steps,
            "share of branches": round(1 - path["steps"] / count.steps, 3), "accuracy": round(count.best, 4),
        }  # fmt: skip


# ---------------------------------------------------------------------------------------- what its requests cost

#: of `bench_requests`, with the states of short branches
ROADS = ("inline-memory-transient", "inline-sqlite-transient", "local-sqlite-transient")


def requests(seeds: int) -> Iterator[Row]:
    """Yield wall-ms of one-step requests: of a run on digits, asked again, and of the benchmark's chain, in turns."""
    for seed in range(seeds):
        recorded = Recorded(hippo.MLTuner(DIGITS_SPACE, MOST_STEPS, check_every=CHECK_EVERY, seed=seed))
        trained(NoisyDigits, recorded, seed=seed)
        for road in ROADS:
            run = bench_requests.asked_of(road, Repeated(recorded.said))
            chain = bench_requests.asked_of(road, bench_requests.Chain(2_000, is_transient=True))
            yield {
                "road": road, "seed": seed, "requests": len(run.step_s) + len(run.fork_s), "forks": len(run.fork_s),
                "step_ms": median_ms(run.step_s), "chain_step_ms": median_ms(chain.step_s),
                "fork_ms": median_ms(run.fork_s), "chain_fork_ms": median_ms(chain.fork_s),
                "last_steps_ms": median_ms(run.step_s[-100:]),
            }  # fmt: skip


def median_ms(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return round(1e3 * statistics.median(seconds), 3)


#: name of the result -> what makes it, and how many seeds it takes unless told
EXPERIMENTS: dict[str, tuple[Callable[[int], Iterable[Row]], int]] = {
    "target": (to_target, 9),
    "long": (to_far_target, 5),
    "rates": (initial_rates, 3),
    "variation": (variation, 8),
    "starts": (bad_starts, 3),
    "doubled": (doubled, 4),
    "share": (shares, 2),
    "lanes": (branches_as_lanes, 3),
    "whole": (whole_runs, 5),
    "requests": (requests, 3),
}
