"""`simulate`: what a study would cost, and come to, on slots that are not there."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hippo.arguments import explain_calls
from hippo.collector import few_collections
from hippo.errors import SimulationError, TrialFailedError
from hippo.plan import AbstractPlanStore, LeanStore, open_store
from hippo.runtime import Statistics
from hippo.schedulers import AbstractScheduler
from hippo.simulation.curves import Curve, RandomWalk
from hippo.simulation.engine import SimulatedEngine
from hippo.simulation.replay import Replay
from hippo.simulation.replay_checking_store import ReplayCheckingStore
from hippo.simulation.results import Simulation
from hippo.simulation.trainer import SimulatedTrainer
from hippo.simulation.workload import SimulatedWorkload
from hippo.simulation.world import describe_world
from hippo.study import Study, create_study, optimize
from hippo.study.options import check_flags, check_seed, check_storage
from hippo.study.runtimes import close_runtime, runtime_of
from hippo.study.tuner_checks import scales_of

#: where nobody says how often: metrics are taken where they are asked for, and nowhere else
ONLY_WHERE_ASKED = sys.maxsize
#: virtual workers write what others need; beyond that there is nothing to save them from
_NEVER_S = 1e18
#: objects between two looks for garbage: nearly all that a simulation makes is there to stay, and of 100,000 trials
#: nothing was garbage. Once in 200,000, looks took 30 us of CPU for each stage, a third of it in tree and scheduler
_YOUNG = 2_000_000


#: options of a study that a simulation has no use for
_OWN = frozenset({"trainer", "trainer_args", "version", "checkpoints", "engine", "dataset", "numerics"})


@explain_calls()
def simulate(
    tuners: Any,
    workload: SimulatedWorkload,
    *,
    slots: int | Sequence[float],
    lanes: int | None = None,
    slots_per_node: int | Sequence[int] | None = None,
    release_after_s: float | None = None,
    curve: Curve | None = None,
    seed: int = 0,
    sharing: bool = True,
    storage: str | AbstractPlanStore = "memory://",
    name: str = "simulation",
    metric: str | Sequence[str] | None = "loss",
    mode: str | Sequence[str] | None = "min",
    scheduler: AbstractScheduler | None = None,
    evaluate_every: int | None = None,
    checkpoint_every_s: float | None = None,
    keep: str = "best",
    keep_intervals: bool = True,
    keep_facts: bool = True,
    **options: Any,
) -> Simulation:
    """Run tuners on virtual slots, as fast as they decide: the runtime, plan, scheduler and studies are the real ones.

    All of it is a function of the arguments. Curves go by the path alone, so simulations that differ in slots, sharing
    or costs see equal metrics. In a storage that lasts, a simulation that was stopped is run again from its beginning,
    and every fact is compared with the one that was recorded: it arrives where it would have without the stop.

    Args:
      tuners: a tuner; or several of them, or pairs (name of the study, tuner), that run at once and share.
      workload: what training costs.
      slots: how many, or the speed of each: a slot of speed 2 needs half the seconds to train and evaluate.
      lanes: how many lanes a slot walks as one at most, where `workload.fused` says what they cost together; None: as
        many as are worth it.
      slots_per_node: how many slots of consecutive numbers are on a node, or on each of them; None: all are on one.
        Where `workload.shards` is above 1, slots of a node walk a lane together while nothing else is to be done.
      release_after_s: a node on which nothing ran for so long is given back; it is there again `workload.restart_s`
        after there is work for it. None: all are kept.
      curve: what training comes to; by default a `RandomWalk` of this seed.
      seed: of the default curve, and of the losses of workers.
      sharing: False trains every trial from its first step: the baseline of every comparison.
      storage: as for `hippo.create_study`; by default nothing is kept.
      name: the study's name; several studies without names of their own are called name-1, name-2, ...
      metric, mode: as for `hippo.create_study`.
      scheduler: decides what runs next; by default the longest remaining way goes first.
      evaluate_every: take metrics every so many steps, also where nobody asks.
      checkpoint_every_s: write a checkpoint when the last one is so old, in virtual seconds; None: never for that.
      keep: as for `hippo.create_study`.
      keep_intervals: keep what each slot did when; needs memory for each stage.
      keep_facts: keep what can be read of the studies afterwards: metrics and their trees. False is for millions of
        trials: they have states and steps then, and no metrics.
      **options: further options of `hippo.create_study`; `checkpoint_budget` is None here, unless it is given.

    Raises:
      SimulationError: an argument cannot be used; or what was recorded before differs.
      HippoError: whatever stops a study.
    """
    _check_options(workload, curve, scheduler, options)
    _check_lanes(workload, lanes, scheduler)
    check_seed(seed)
    check_flags(keep_intervals=keep_intervals, keep_facts=keep_facts)
    check_storage(storage)
    pairs = named_tuners(tuners, name)
    _check_costs(workload, [tuner for _, tuner in pairs])
    curve = curve if curve is not None else RandomWalk(seed=seed)
    engine = SimulatedEngine(
        workload,
        curve,
        slots=slots,
        seed=seed,
        keep_intervals=keep_intervals,
        max_lanes=lanes,
        slots_per_node=slots_per_node,
        release_after_s=release_after_s,
    )
    settings = {
        "metric": metric,
        "mode": mode if isinstance(metric, str | None) or not isinstance(mode, str) else [mode] * len(metric),
        "sharing": sharing,
        "evaluate_every": ONLY_WHERE_ASKED if evaluate_every is None else evaluate_every,
        "checkpoint_every_s": _NEVER_S if checkpoint_every_s is None else checkpoint_every_s,
        "keep": keep,
        "checkpoint_budget": None,
        **({} if workload.fused is None else {"numerics": "fused"}),
        **options,
    }
    # nobody comes back to a storage that nobody can name
    is_fresh = storage == "memory://"
    world = {} if is_fresh else describe_world(pairs, engine, scheduler=scheduler, seed=seed, settings=settings)
    if not (keep_facts or is_fresh):
        raise SimulationError(
            f"storage={storage!r} is there to keep facts; keep_facts=False goes with 'memory://' alone"
        )
    checking = None if is_fresh else ReplayCheckingStore(open_store(storage))
    store = checking if checking is not None else open_store(storage) if keep_facts else LeanStore()
    runtime_of(engine, "memory://", scheduler=scheduler)
    studies, counted = _run(engine, pairs, store, world, settings)
    if checking is not None:
        checking.check_complete()
    return _results(engine, studies, counted)


def _run(
    engine: SimulatedEngine,
    pairs: Sequence[tuple[str, Any]],
    store: AbstractPlanStore,
    world: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> tuple[list[Study], list[Statistics]]:
    """Run each tuner on a study of its own, all at once, and close the engine; return what was counted before that."""
    try:
        studies = [
            create_study(
                study,
                trainer=SimulatedTrainer,
                trainer_args={"world": world},
                version="simulated",
                storage=store,
                checkpoints="memory://",
                engine=engine,
                **settings,
            )
            for study, _ in pairs
        ]
        if isinstance(engine.curve, Replay):
            studies = [_knowing(study, engine.curve) for study in studies]
        # a workload that loses every trial is a result, too
        with few_collections(_YOUNG), contextlib.suppress(TrialFailedError):
            optimize([(study, tuner) for study, (_, tuner) in zip(studies, pairs, strict=True)])
        return studies, [study.counted() for study in studies]
    finally:
        close_runtime(engine)


def _knowing(study: Study, recorded: Replay) -> Study:
    """Return a study that knows which metrics were recorded: virtual slots may come to a trial without them first."""
    opened = study._opened
    return Study(study.storage, replace(opened, has_metrics=recorded.has_recorded(opened.settings.goes_by)))


def _check_costs(workload: SimulatedWorkload, tuners: Sequence[Any]) -> None:
    """Refuse tuners that train what the workload does not say the costs of."""
    for scale in {str(scale) for tuner in tuners for scale in scales_of(tuner)}:
        workload.cost_at(scale)
    if workload.fused is None and any(getattr(tuner, "asks_branches", False) for tuner in tuners):
        raise SimulationError(
            "a tuner has branches walked as one program: what do they cost together? Say "
            "SimulatedWorkload(fused=(a, b)): a step of F lanes takes as long as a + b F steps of one"
        )


def _check_lanes(workload: SimulatedWorkload, lanes: int | None, scheduler: AbstractScheduler | None) -> None:
    """Refuse what would be without effect, before anything is simulated."""
    if lanes is not None and workload.fused is None:
        raise SimulationError(
            f"lanes={lanes!r}: what do they cost together? Say SimulatedWorkload(fused=(a, b)): a step of F lanes "
            "takes as long as a + b F steps of one: (0.7, 0.3) for a small network on a processor"
        )
    if scheduler is not None and workload.fused is not None:
        raise SimulationError(
            f"scheduler={scheduler!r} would be ignored: where lanes are walked as one, fused={workload.fused!r}, "
            "hippo.schedulers.pack says what comes next; leave one of them out"
        )


def _check_options(workload: Any, curve: Any, scheduler: Any, options: Mapping[str, Any]) -> None:
    """Refuse what could only be found out in the middle of a simulation, or what it decides itself.

    Raises:
      SimulationError: names the argument, and what it may be.
    """
    if not isinstance(workload, SimulatedWorkload):
        raise SimulationError(
            f"workload must be hippo.SimulatedWorkload(seconds_per_step=1.0), say, or a Replay's, not {workload!r}"
        )
    if curve is not None and (isinstance(curve, type) or not isinstance(curve, Curve)):
        raise SimulationError(
            f"curve must have the methods begin, after and metrics, as hippo.simulation.RandomWalk() has, not {curve!r}"
        )
    if scheduler is not None and (isinstance(scheduler, type) or not callable(getattr(scheduler, "lanes", None))):
        raise SimulationError(f"scheduler must be one of hippo.schedulers, such as CriticalPath(), not {scheduler!r}")
    for name in _OWN.intersection(options):
        raise SimulationError(
            f"{name}= is not for a simulation, which trains nothing and has slots of its own; leave it out"
        )


def named_tuners(tuners: Any, name: str) -> list[tuple[str, Any]]:
    """Return (name of the study, tuner) for what `simulate` takes.

    Raises:
      SimulationError: there is no tuner, or two studies have one name.
    """
    if callable(getattr(tuners, "tune", None)):
        return [(name, tuners)]
    given = list(tuners) if isinstance(tuners, Iterable) and not isinstance(tuners, str) else []
    pairs = [
        pair if isinstance(pair, tuple) else (f"{name}-{number}" if len(given) > 1 else name, pair)
        for number, pair in enumerate(given, start=1)
    ]
    names = [study for study, _ in pairs]
    if not pairs or len(set(names)) < len(names):
        raise SimulationError(
            f"give a tuner, several of them, or pairs (name, tuner) with names that differ, not {tuners!r}"
        )
    return pairs


def _results(engine: SimulatedEngine, studies: Sequence[Study], counted: Sequence[Statistics]) -> Simulation:
    meter = engine.meter
    return Simulation(
        studies=tuple(studies),
        slots=engine.num_slots,
        makespan_s=meter.ended_s,
        reserved_s=engine.reserved_s(),
        seconds=dict(meter.seconds),
        steps_executed=sum(one.steps_executed for one in counted),
        steps_asked=sum(one.steps_asked for one in counted),
        steps_repeated=sum(one.steps_repeated for one in counted),
        steps_speculative=sum(one.steps_speculative for one in counted),
        trials=sum(sum(one.trials.values()) for one in counted),
        lanes=meter.counts["lanes"],
        starts=meter.counts["starts"],
        loads=meter.counts["loads"],
        saves=meter.counts["saves"],
        evaluations=meter.counts["evaluations"],
        losses=meter.losses,
        decision_s=engine.decision_s,
        stages=meter.counts["stages"],
        mean_lanes=meter.mean_lanes if engine.workload.fused is not None else None,
        intervals=tuple(meter.intervals),
    )
