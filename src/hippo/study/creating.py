"""From what users write to a study: which plan it is on, whether it is known, and whether its code changed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from hippo.checkpoints import open_checkpoints
from hippo.clock import SystemClock
from hippo.engines import AbstractEngine, InlineEngine
from hippo.errors import StorageError, StudyExistsError, TrainerError, UnknownStudyError, did_you_mean
from hippo.hparams import Config
from hippo.plan import AbstractPlanStore, PlanRow, StudyRow, Update, open_store
from hippo.records import TrainerSpec, Workload
from hippo.runtime import AGGREGATES, Settings, changed_fields
from hippo.study.options import (
    OptionError,
    check_numerics,
    check_seed,
    check_seeds,
    make_settings,
    settings_from_text,
    settings_to_text,
)
from hippo.study.replicated import ReplicatedStudy
from hippo.study.runtimes import default_engine, runtime_of
from hippo.study.study import MakeTrainer, Opened, Study
from hippo.training import canonical_arguments, dataset_identity, fingerprint, resolve, ship
from hippo.tuners.budgets import check_steps

DEFAULT_STORAGE = "sqlite:///hippo.db"
DEFAULT_CHECKPOINTS = "hippo_checkpoints"


def create_study(
    name: str,
    *,
    trainer: type | str,
    trainer_args: Mapping[str, Any] | None = None,
    storage: str | AbstractPlanStore = DEFAULT_STORAGE,
    checkpoints: str | None = None,
    engine: AbstractEngine | None = None,
    metric: str | Sequence[str] | None = None,
    mode: str | Sequence[str] | None = None,
    direction: str | Sequence[str] | None = None,
    constraints: str | Sequence[str] | None = None,
    seed: int = 0,
    seeds: Sequence[int] | None = None,
    aggregate: str = "mean",
    evaluate_every: int = 1,
    keep: str = "best",
    nan: str = "fail",
    load_if_exists: bool = True,
    sharing: bool = True,
    dataset: str | None = None,
    version: str | None = None,
    environment: str | None = None,
    nondeterminism: str = "stop",
    numerics: str = "exact",
    checkpoint_every_s: float = 300.0,
    hparams: Sequence[str] | None = None,
) -> Study:
    """Make a study, or go on with the one of this name.

    Args:
      name: names the study within its storage.
      trainer: a class derived from `hippo.Trainer`, or "package.module:Class".
      trainer_args: keyword arguments of its `__init__`, values that JSON can hold.
      storage: a database URL such as "sqlite:///hippo.db", or "memory://" for none. A relative path is resolved now.
      checkpoints: folder for training states; "memory://" with the inline engine. By default "hippo_checkpoints", or
        memory if `storage` is memory and the engine is inline.
      engine: where to train; by default worker processes on this machine, one for each device, else for each core.
      metric: the metric that counts, as `evaluate` names it; a list of them for several objectives.
      mode: "min" or "max", or one for each objective. `direction`, "minimize" or "maximize", says the same.
      constraints: bounds that good trials keep, such as "latency_ms <= 20" or "recall >= 0.9". Trials that break them
        rank behind all that do not.
      seed: of all chance. Another seed is another workload.
      seeds: several of them: a `ReplicatedStudy` is returned, whose tuners and results see averages over the seeds.
      aggregate: with `seeds`: "mean" or "median" of each metric.
      evaluate_every: metrics are taken every so many steps, and whenever they are asked for.
      keep: which last states are written: "best" (best so far), "leaves" (each trial's) or "all".
      nan: what an objective that is NaN means: "fail" or "worst".
      load_if_exists: go on with a study of this name, instead of refusing.
      sharing: False gives every trial a plan of its own: the baseline of every comparison.
      dataset: identity of the data, if the trainer's arguments do not tell.
      version: takes the place of the code's fingerprint: you decide when code counts as changed.
      environment: "new" begins a fork of the plan if the environment changed, instead of refusing.
      nondeterminism: "stop", or "warn" if two runs of one stage disagree.
      numerics: "exact", bit for bit; "fast" also allows operations that have no deterministic form, for models that
        cannot do without. It has plans of its own, in which two runs of a step may differ: that is said once.
      checkpoint_every_s: a checkpoint is written at a step's end when the last one is older.
      hparams: names of the hyper-parameters that configs may have; None for whatever the trainer accepts.

    Raises:
      StudyExistsError: there is one, and `load_if_exists` is False.
      StorageError, TrainerError, OptionError, CheckpointError: an argument cannot be used; the message says why.
    """
    if seeds is not None:
        # it offers what a Study does, and whoever wants more of it knows that seeds were given
        return cast("Study", _replicate(name, check_seeds(seeds, seed), aggregate, locals()))
    settings = make_settings(
        metric=metric,
        mode=mode,
        direction=direction,
        constraints=constraints,
        keep=keep,
        nan=nan,
        nondeterminism=nondeterminism,
        sharing=sharing,
        checkpoint_every_s=checkpoint_every_s,
        hparams=hparams,
    )
    _check_name(name)
    if environment not in (None, "new"):
        raise OptionError(f"environment must be 'new' or left out, not {environment!r}")
    check_steps("evaluate_every", evaluate_every)
    cls = resolve(trainer)
    workload = Workload(
        trainer=f"{cls.__module__}:{cls.__qualname__}",
        arguments=canonical_arguments(trainer_args),
        code=fingerprint(cls) if version is None else f"version {version}",
        dataset=dataset_identity(cls, dataset),
        seed=check_seed(seed),
        evaluate_every=evaluate_every,
        numerics=check_numerics(numerics),
        private_to=None if sharing else name,
    )
    key = workload_key(workload)
    spec = ship(trainer, trainer_args, seed=workload.seed, evaluate_every=evaluate_every, workload_key=key)
    spec = replace(spec, numerics=workload.numerics)
    store = open_store(storage)
    place = _checkpoint_place(checkpoints, store, engine)
    engine = engine if engine is not None else default_engine(place)
    row = _find_or_add(store, name, workload, key, settings, load_if_exists, environment, engine)
    _remember(store, row, settings, place, trainer, spec)

    def check_config(config: Config, until: int) -> None:
        cls.check_config(config, until)

    opened = Opened(
        store=store,
        row=row,
        settings=settings,
        runtime=lambda: runtime_of(engine, place),
        trainer=lambda: (spec, check_config),
    )
    return Study(store.url, opened)


def _replicate(name: str, seeds: Sequence[int], aggregate: str, options: Mapping[str, Any]) -> ReplicatedStudy:
    if aggregate not in AGGREGATES:
        raise OptionError(f"aggregate must be one of {sorted(AGGREGATES)}, not {aggregate!r}")
    _check_name(name)
    own = {key: value for key, value in options.items() if key not in ("name", "seed", "seeds", "aggregate")}
    engine = own.pop("engine")
    studies: list[Study] = []
    for seed in seeds:
        studies.append(create_study(f"{name} (seed {seed})", seed=seed, engine=engine, **own))
        engine = studies[0]._runtime().engine  # one for all
    return ReplicatedStudy(name, studies, aggregate)


def load_study(name: str, storage: str = DEFAULT_STORAGE, *, engine: AbstractEngine | None = None) -> Study:
    """Return a study that exists, to read its results, or to go on with it if its trainer can be imported by name.

    Raises:
      UnknownStudyError: there is none of this name; the message lists those there are.
      StorageError: the storage is not there, or not hippo's.
    """
    store = open_store(storage, must_exist=True)
    row = _latest(store, name)
    if row is None:
        known = _names(store)
        raise UnknownStudyError(
            f"there is no study {name!r} in {storage}; it has {known or 'none'}." + did_you_mean(name, known)
        )
    kept = json.loads(row.settings)
    settings = settings_from_text(kept["settings"])
    place = kept["checkpoints"]
    opened = Opened(
        store=store,
        row=row,
        settings=settings,
        runtime=lambda: runtime_of(engine if engine is not None else default_engine(place), place),
        trainer=_trainer_by_name(store, row, kept["trainer"]),
    )
    return Study(store.url, opened)


def delete_study(name: str, storage: str = DEFAULT_STORAGE) -> None:
    """Forget a study and its trials. What was trained stays in the plan, for other studies to share.

    Raises:
      UnknownStudyError: there is none of this name.
    """
    store = open_store(storage, must_exist=True)
    rows = store.rows(StudyRow, name=name, deleted=False)
    if not rows:
        known = _names(store)
        raise UnknownStudyError(f"there is no study {name!r} in {storage}." + did_you_mean(name, known))
    store.commit([Update(replace(row, deleted=True)) for row in rows])


def get_all_study_names(storage: str = DEFAULT_STORAGE) -> list[str]:
    """Return the names of all studies in a storage, in the order in which they were made."""
    return _names(open_store(storage, must_exist=True))


def workload_key(workload: Workload) -> str:
    """Return what is equal for equal workloads: a hash of all declared fields."""
    return hashlib.sha256(json.dumps(asdict(workload), sort_keys=True).encode()).hexdigest()


# --- pieces of it


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise OptionError(f"a study's name must be a string that is not empty, not {name!r}")


def _checkpoint_place(checkpoints: str | None, store: AbstractPlanStore, engine: AbstractEngine | None) -> str:
    if checkpoints is None:
        in_memory = store.url.startswith("memory:") and isinstance(engine, InlineEngine)
        checkpoints = "memory://" if in_memory else DEFAULT_CHECKPOINTS
    if checkpoints.startswith("memory://"):
        return checkpoints
    open_checkpoints(checkpoints).check_writable()
    return checkpoints if "://" in checkpoints else str(Path(checkpoints).absolute())


def _find_or_add(
    store: AbstractPlanStore,
    name: str,
    workload: Workload,
    key: str,
    settings: Settings,
    load_if_exists: bool,
    environment: str | None,
    engine: AbstractEngine,
) -> StudyRow:
    plan = _plan_of(store, workload, key, engine if environment == "new" else None)
    latest = _latest(store, name)
    if latest is None:
        return _add(store, name, 1, plan)
    if not load_if_exists:
        raise StudyExistsError(
            f"there is a study {name!r} in {store.url} already; give another name, delete it "
            f"(hippo.delete_study({name!r}, storage={store.url!r})), or go on with it (load_if_exists=True)"
        )
    known_plan = store.rows(PlanRow, plan=latest.plan)[0]
    if known_plan.workload != key:
        _say_what_changed(name, json.loads(known_plan.declared), asdict(workload), latest.generation + 1)
        return _add(store, name, latest.generation + 1, plan)
    _refuse_other_objective(name, settings_from_text(json.loads(latest.settings)["settings"]), settings)
    if latest.plan != plan.plan:  # a fork for a new environment
        return _add(store, name, latest.generation + 1, plan)
    return latest


def _plan_of(store: AbstractPlanStore, workload: Workload, key: str, forking: AbstractEngine | None) -> PlanRow:
    """Return the newest plan of a workload; with `forking`, one for this engine's environment if that changed."""
    known = store.rows(PlanRow, workload=key)
    fork = max((row.fork for row in known), default=0)
    if forking is not None and known:
        newest = next(row for row in known if row.fork == fork)
        if newest.environment and changed_fields(json.loads(newest.environment), forking.environment()):
            fork += 1
    return store.add_plan(
        PlanRow(
            plan=0,
            workload=key,
            declared=json.dumps(asdict(workload), sort_keys=True),
            fork=fork,
            created_at=SystemClock().now(),
        )
    )


def _add(store: AbstractPlanStore, name: str, generation: int, plan: PlanRow) -> StudyRow:
    row = StudyRow(study=0, name=name, generation=generation, plan=plan.plan, created_at=SystemClock().now())
    return store.add_study(row)


def _latest(store: AbstractPlanStore, name: str) -> StudyRow | None:
    rows = store.rows(StudyRow, name=name, deleted=False)
    return max(rows, key=lambda row: row.generation, default=None)


def _names(store: AbstractPlanStore) -> list[str]:
    return list(dict.fromkeys(row.name for row in store.rows(StudyRow, deleted=False)))


def _say_what_changed(name: str, before: Mapping[str, Any], now: Mapping[str, Any], generation: int) -> None:
    changed = [field for field in now if before.get(field) != now[field]]
    print(
        f"hippo: study {name!r}: {', '.join(changed)} changed since it was made. Generation {generation} begins on a "
        "new plan; results of earlier generations stay in the database and are not mixed with it.",
        file=sys.stderr,
    )


def _refuse_other_objective(name: str, known: Settings, now: Settings) -> None:
    before, after = ((s.objectives, s.constraints) for s in (known, now))
    if before != after:
        raise StorageError(
            f"study {name!r} was made with {_said(known)}, and is opened with {_said(now)}; its recorded answers "
            "mean something else then. Use the same metric, mode and constraints, or another name."
        )


def _said(settings: Settings) -> str:
    objectives = ", ".join(f"{o.metric!r} ({o.mode})" for o in settings.objectives) or "no metric"
    return objectives + "".join(f", {constraint}" for constraint in settings.constraints)


def _remember(
    store: AbstractPlanStore,
    row: StudyRow,
    settings: Settings,
    place: str,
    trainer: type | str,
    spec: TrainerSpec,
) -> None:
    kept = {
        "settings": settings_to_text(settings),
        "checkpoints": place,
        "trainer": {"reference": spec.reference, "arguments": json.loads(spec.arguments)},
    }
    text = json.dumps(kept, sort_keys=True)
    if text != row.settings:
        store.commit([Update(replace(row, settings=text))])


def _trainer_by_name(store: AbstractPlanStore, row: StudyRow, kept: Mapping[str, Any]) -> MakeTrainer:
    def make() -> tuple[TrainerSpec, Callable[[Config, int], None]]:
        reference = kept["reference"]
        if reference is None:
            raise TrainerError(
                f"study {row.name!r} was made with a trainer that cannot be imported by name (from a script, notebook "
                "or function); to go on with it, run that script again, or call create_study with the class"
            )
        plan = store.rows(PlanRow, plan=row.plan)[0]
        declared = Workload(**json.loads(plan.declared))
        cls = resolve(reference)
        if not declared.code.startswith("version ") and fingerprint(cls) != declared.code:
            raise TrainerError(
                f"the code of {reference} changed since study {row.name!r} was made; "
                "create_study begins a new generation"
            )
        spec = ship(
            reference,
            kept["arguments"],
            seed=declared.seed,
            evaluate_every=declared.evaluate_every,
            workload_key=plan.workload,
        )
        return replace(spec, numerics=declared.numerics), cls.check_config

    return make
