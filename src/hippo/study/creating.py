"""From what users write to a study: which plan it is on, whether it is known, and whether its code changed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hippo.arguments import explain_calls
from hippo.checkpoints import FolderCheckpoints, open_checkpoints
from hippo.clock import SystemClock
from hippo.engines import AbstractEngine, InlineEngine
from hippo.errors import (
    OptionError,
    StorageError,
    StudyExistsError,
    TrainerError,
    UnknownStudyError,
    listed,
)
from hippo.hparams import Config
from hippo.members import seed_member
from hippo.plan import AbstractPlanStore, PlanRow, StudyRow, Update, open_store
from hippo.records import TrainerSpec, Workload
from hippo.runtime import Settings
from hippo.runtime.shell_lines import command
from hippo.runtime.warnings import say
from hippo.study.callbacks import Callback, check_callbacks
from hippo.study.code_of_study import CodeOfStudy
from hippo.study.describing import TrainerDescription, describe_trainer, refuse_put_values
from hippo.study.looking import StudyNotMade, is_only_looking
from hippo.study.managing import DEFAULT_STORAGE, STUDY_NAME, check_name, unknown_study
from hippo.study.members import StudyMembers, has_surrogates_elsewhere, newest_plan, target_plans
from hippo.study.options import (
    check_checkpoints,
    check_compile,
    check_engine,
    check_flags,
    check_numerics,
    check_seed,
    check_seeds,
    check_storage,
    check_timeout,
    check_twin,
    check_version,
    make_settings,
)
from hippo.study.runtimes import default_engine, runtime_of
from hippo.study.schemes import chosen, module_for
from hippo.study.study import MakeTrainer, Opened, Study, StudyTrainer
from hippo.study.workloads import known_key
from hippo.training import Trainer, fingerprint, resolve, ship
from hippo.training.fingerprint import GLOBAL, TrainerCode, compiled_fingerprint, said_part, trainer_code
from hippo.training.same_code import MOST_NAMED
from hippo.tuners.budgets import checked_steps

DEFAULT_CHECKPOINTS = "hippo_checkpoints"
KEEP, BUDGET = "leaves", "10GB"

#: of a study whose process was killed while it made it, by a release that added it in two steps
_NOTHING_KEPT = "{}"

_TUNER = "tuners say that, study.optimize(hippo.GridSearch(space, until=10)), say"
_SAMPLER = 'a tuner has one: study.optimize(hippo.SamplerSearch("tpe", space, until=10, num_trials=20)), say'
_ENGINE = "the engine has them: engine=hippo.LocalEngine(workers=...)"


@explain_calls(
    **STUDY_NAME,
    metrics="metric=, the name of one or a list of them",
    objective="metric= names what evaluate() returns; how a function of Optuna's runs is hippo.from_optuna(objective)",
    directions="direction= takes a list, too",
    sampler=_SAMPLER,
    search_alg=_SAMPLER,
    pruner="tuners stop trials: hippo.ASHA, hippo.Hyperband, hippo.MedianStopping and others",
    scheduler="tuners stop trials: hippo.ASHA, hippo.Hyperband, hippo.MedianStopping and others",
    n_trials=_TUNER,
    num_samples=_TUNER,
    space=_TUNER,
    param_space=_TUNER,
    until=_TUNER,
    max_steps=_TUNER,
    timeout="put a limit around the tuner: hippo.Deadline(tuner, seconds=...)",
    workers=_ENGINE,
    n_jobs=_ENGINE,
    num_workers=_ENGINE,
    devices=_ENGINE,
    data="the trainer loads its data; dataset= is a name that tells it from other data",
    log_dir="callbacks=[hippo.TensorBoard(folder)] writes what TensorBoard shows",
)
def create_study(
    name: str,
    *,
    trainer: type | str | TrainerDescription,
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
    keep: str = KEEP,
    checkpoint_budget: str | int | None = BUDGET,
    nan: str = "fail",
    load_if_exists: bool = True,
    sharing: bool = True,
    dataset: str | None = None,
    version: str | None = None,
    environment: str | None = None,
    nondeterminism: str = "stop",
    numerics: str = "exact",
    checkpoint_every_s: float = 300.0,
    keep_base: bool = True,
    twin: bool = False,
    compile: bool = False,
    hparams: Sequence[str] | None = None,
    wait: bool = True,
    step_timeout_s: float | None = None,
    callbacks: Sequence[Callback] | None = None,
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
      mode: "min" or "max", or one for each objective. `direction`, "minimize" or "maximize", says the same. Left out,
        it is guessed from words in the metric's name ("loss" or "error": smaller is better; "accuracy" or "auc":
        larger), and said when the study is made; a name that has no such word, or speaks both ways, is refused.
      constraints: bounds that good trials keep, such as "latency_ms <= 20" or "recall >= 0.9". Trials that break them
        rank behind all that do not.
      seed: of all chance. Another seed is another workload.
      seeds: several of them: every config is trained with each, and tuners and results see averages over the seeds.
      aggregate: with `seeds`: "mean" or "median" of each metric.
      evaluate_every: metrics are taken every so many steps, and whenever they are asked for.
      keep: which states stay when trials are over: the last one of the best trial ("best"), of the best K ("top:3"), of
        each trial ("leaves"), or every state at the end of a stage ("all"). It may be another one when the study is
        made again.
      checkpoint_budget: how much the states of the database may take in the folder: "50GB", a number of bytes, or None
        for no bound. What would be missed least goes first: states where trials parted, then the last ones of trials
        that are over, the worst trial's first. What went is trained again if it is asked for. Of studies that train at
        once with several budgets, the largest holds.
      nan: what an objective that is NaN where its tuner asked for it means: "fail" or "worst". NaN on the way to there
        stops nothing: a metric may have no value yet. Tuners with rungs ask early, and train such a trial no further.
      load_if_exists: go on with a study of this name, instead of refusing.
      sharing: False gives every trial a plan of its own: the baseline of every comparison.
      dataset: identity of the data, if the trainer's arguments do not tell.
      version: takes the place of the code's fingerprint: you decide when code counts as changed.
      environment: "new" begins a fork of the plan if the environment changed, instead of refusing.
      nondeterminism: "stop", or "warn" if two runs of one stage disagree.
      numerics: "exact", bit for bit; "fast" also allows operations that have no deterministic form, for models that
        cannot do without. It has plans of its own, in which two runs of a step may differ: that is said once. "fused"
        walks several trials that are at one step as one program, where that is proven right and is faster; what comes
        out differs from "exact" in last bits, and not by which trials were walked together (on a CPU with one thread).
        "fused-fast" does without the latter, where that costs time. "async" is for trainers whose workers run free, as
        those of a `hippo.ps.PSTrainer` with order="free": two runs of a step differ, and none is compared with another.
        "elastic" divides a model, its gradients and its optimizer among the processes of `LocalEngine(ranks=...)`, on
        whose number bits depend: a trial may go on with any number, and nothing is compared or shared with "exact".
      checkpoint_every_s: a checkpoint is written at a step's end when the last one is older.
      keep_base: write what `build()` makes into the checkpoint folder, once, where states leave out tensors that nobody
        has trained. False saves that file, and makes those states depend on `build()`: one that comes to other bits, by
        a pretrained file that changed or another version of torch, makes them unusable, and their steps run again.
      twin: with numerics="fused": walk, beside the first of the trials that are walked as one, a copy of it of which
        one weight was moved by one unit in its last place. How far it comes away is no result, but tells configs in
        which last bits decide from faults: see `statistics().twin_drift` and `tree()`. It costs what one more trial
        costs, and changes no bit of the others.
      compile: with numerics="fused-fast": have torch compile the updates of trials that are walked as one, once what
        they take says that it pays within the steps that are known to remain. It needs a C++ compiler; where it fails,
        a line says so, and all goes on without. On a CPU it takes up to minutes, and seldom pays.
      hparams: names of the hyper-parameters that configs may have; None for whatever the trainer accepts.
      wait: while another process trains on the same plan, wait until it has ended; False raises a `PlanLockedError`.
      step_timeout_s: a worker whose step takes longer is killed, and its stage runs again elsewhere, three times at
        most; None waits for ever, and says so when a step takes ten times longer than others did.
      callbacks: hear what happens to trials: `hippo.CSVLog("log.csv")`, `hippo.TensorBoard("runs")`, or your own,
        derived from `hippo.Callback`.

    Raises:
      StudyExistsError: there is one, and `load_if_exists` is False.
      StorageError, TrainerError, OptionError, CheckpointError: an argument cannot be used; the message says why.
    """
    given = dict(locals())
    if is_only_looking():
        return cast("Study", StudyNotMade("create_study"))
    if (elsewhere := module_for(storage)) is not None:
        return cast("Study", elsewhere.create_study(chosen(given, create_study)))
    if seeds is None and aggregate != "mean":
        raise OptionError(f"aggregate={aggregate!r} goes with seeds=[...]: one seed has nothing to aggregate")
    seed_of = (
        {"": check_seed(seed)} if seeds is None else {seed_member(each): each for each in check_seeds(seeds, seed)}
    )
    check_flags(
        sharing=sharing, load_if_exists=load_if_exists, wait=wait, keep_base=keep_base, twin=twin, compile=compile
    )
    check_twin(twin, check_numerics(numerics))
    check_compile(compile, numerics)
    step_timeout_s = check_timeout("step_timeout_s", step_timeout_s)
    settings = make_settings(
        metric=metric,
        mode=mode,
        direction=direction,
        constraints=constraints,
        keep=keep,
        checkpoint_budget=checkpoint_budget,
        nan=nan,
        nondeterminism=nondeterminism,
        sharing=sharing,
        checkpoint_every_s=checkpoint_every_s,
        keep_base=keep_base,
        twin=twin,
        compile=compile,
        hparams=hparams,
        aggregate=aggregate,
    )
    check_name(name)
    heard_by = check_callbacks(callbacks)
    if environment not in (None, "new"):
        raise OptionError(f"environment must be 'new' or left out, not {environment!r}")
    evaluate_every = checked_steps("evaluate_every", evaluate_every)
    check_engine(engine)
    check_version(version)
    checkpoints = check_checkpoints(checkpoints)
    if isinstance(trainer, TrainerDescription):
        described = trainer
    else:
        described = describe_trainer(
            trainer, trainer_args, dataset=dataset, evaluate_every=evaluate_every, numerics=numerics
        )
    code, spec = described.code, described.spec
    workloads = {
        member: Workload(
            trainer=described.name,
            arguments=spec.arguments,
            code=code.fingerprint if version is None else f"version {version}",
            compiled=described.compiled if version is None else "",
            dataset=described.dataset,
            seed=own_seed,
            evaluate_every=evaluate_every,
            numerics=numerics,
            private_to=None if sharing else f"{name} ({member})" if member else name,
        )
        for member, own_seed in seed_of.items()
    }
    store = open_store(check_storage(storage))
    keys = _keys(store, name, workloads)
    place = _checkpoint_place(checkpoints, store, engine)
    engine = engine if engine is not None else default_engine(place)
    if spec.reference is not None and not isinstance(engine, InlineEngine):
        refuse_put_values(spec.reference, code)
    forking = engine if environment == "new" else None
    plans = {
        member: newest_plan(store, workload, keys[member], forking=forking) for member, workload in workloads.items()
    }
    kept = _kept(settings, place, spec, code)
    row, is_new = _find_or_add(store, name, plans, settings, kept, load_if_exists, code, forking=forking)
    if mode is None and direction is None and is_new:
        _say_guessed(name, settings)
    if is_new and (keep, checkpoint_budget) == (KEEP, BUDGET) and not place.startswith("memory:"):
        say(
            "",
            here=f"study {name!r}: the last state of each trial stays in {place}, up to {BUDGET} in all, the best ones "
            "longest; keep= and checkpoint_budget= say otherwise",
        )
    _remember(store, row, kept)

    members = StudyMembers(store, row, forking=forking)
    opened = Opened(
        store=store,
        row=row,
        members=members,
        settings=settings,
        runtime=lambda: runtime_of(engine, place),
        trainer=_trainer_given(trainer, described, members),
        say_changes=_said_changes_of(name, trainer, described),
        wait=wait,
        step_timeout_s=step_timeout_s,
        callbacks=heard_by,
    )
    return Study(store.url, opened)


@explain_calls(
    **STUDY_NAME,
    sampler=_SAMPLER,
    pruner="tuners stop trials: hippo.ASHA, hippo.Hyperband, hippo.MedianStopping and others",
    metric="a study keeps the metric that it was made with",
    mode="a study keeps the mode that it was made with",
    checkpoints="a study keeps the folder that it was made with",
)
def load_study(
    name: str,
    storage: str | AbstractPlanStore = DEFAULT_STORAGE,
    *,
    engine: AbstractEngine | None = None,
    generation: int | None = None,
    trainer: type | str | None = None,
    callbacks: Sequence[Callback] | None = None,
) -> Study:
    """Return a study that exists, to read its results, to load its models, or to go on with it.

    Args:
      name: names the study within its storage.
      storage: a database URL such as "sqlite:///hippo.db".
      engine: where to train, if it is gone on with; by default worker processes on this machine.
      generation: an earlier one: results and models of before the trainer's code, arguments or data changed.
      trainer: the class, where it cannot be imported by the name it had: it was defined in a script, a notebook or a
        function. By default it is imported.
      callbacks: as for `create_study`.

    Raises:
      UnknownStudyError: there is none of this name or generation; the message lists those there are.
      StorageError: the storage is not there, or not hippo's.
    """
    given = dict(locals())
    if is_only_looking():
        return cast("Study", StudyNotMade("load_study"))
    if (elsewhere := module_for(storage)) is not None:
        return cast("Study", elsewhere.load_study(chosen(given, load_study)))
    check_name(name)
    check_engine(engine)
    heard_by = check_callbacks(callbacks)
    if trainer is not None:
        trainer = resolve(trainer)
    store = open_store(check_storage(storage), must_exist=True)
    generations = {row.generation: row for row in store.rows(StudyRow, name=name, deleted=False)}
    if not generations:
        raise unknown_study(name, store)
    if generation is not None and (type(generation) is not int or generation not in generations):
        raise UnknownStudyError(f"study {name!r} has no generation {generation!r}; it has {sorted(generations)}")
    row = _current(generations.values()) if generation is None else generations[generation]
    if row.settings == _NOTHING_KEPT:
        raise UnknownStudyError(
            f"study {name!r} is not whole: its process was killed while it made it. Run the script that makes it again."
        )
    kept = json.loads(row.settings)
    settings = Settings.from_text(kept["settings"])
    place = kept["checkpoints"]
    members = StudyMembers(store, row)
    opened = Opened(
        store=store,
        row=row,
        members=members,
        settings=settings,
        runtime=lambda: runtime_of(engine if engine is not None else default_engine(place), place),
        trainer=_trainer_by_name(row, members, kept["trainer"], trainer),
        callbacks=heard_by,
    )
    return Study(store.url, opened)


# --- pieces of it


def _say_guessed(name: str, settings: Settings) -> None:
    """Say which way a metric counts where nobody but its name did."""
    for objective in settings.objectives:
        better = "smaller" if objective.mode == "min" else "larger"
        say(
            f"study {name!r}: by the name of the metric {objective.metric!r}, {better} is better; "
            f"mode={objective.mode!r} says so without a guess"
        )


def _checkpoint_place(checkpoints: str | None, store: AbstractPlanStore, engine: AbstractEngine | None) -> str:
    if checkpoints is None:
        in_memory = store.url.startswith("memory:") and isinstance(engine, InlineEngine)
        checkpoints = "memory://" if in_memory else DEFAULT_CHECKPOINTS
    if checkpoints.startswith("memory://"):
        return checkpoints
    opened = open_checkpoints(checkpoints)
    opened.check_writable()
    return str(opened.root) if isinstance(opened, FolderCheckpoints) and "://" not in checkpoints else checkpoints


def _keys(store: AbstractPlanStore, name: str, workloads: Mapping[str, Workload]) -> dict[str, str]:
    """Return name of each member -> the key under which its workload is known, or is to be."""
    plans = store.rows(PlanRow)
    generations = store.rows(StudyRow, name=name, deleted=False)
    current = target_plans(store, _current(generations).study) if generations else {}
    return {member: known_key(workload, plans, of_study=current.get(member)) for member, workload in workloads.items()}


def _find_or_add(
    store: AbstractPlanStore,
    name: str,
    plans: Mapping[str, PlanRow],
    settings: Settings,
    kept: Mapping[str, Any],
    load_if_exists: bool,
    code: TrainerCode,
    *,
    forking: AbstractEngine | None,
) -> tuple[StudyRow, bool]:
    """Return the generation of a study that has these plans, and whether it was made now, since there was none.

    Seeds are a set: named in another order they are the same study.
    """
    numbers = {member: plan.plan for member, plan in plans.items()}
    rows = store.rows(StudyRow, name=name, deleted=False)
    if not rows:
        return _add(store, name, 1, numbers, kept), True
    if not load_if_exists:
        raise StudyExistsError(
            f"there is a study {name!r} in {store.url} already; give another name, delete it "
            f"(hippo.delete_study({name!r}, storage={store.url!r})), or go on with it (load_if_exists=True)"
        )
    current = _current(rows)
    on_these_plans = [
        row
        for row in rows
        if target_plans(store, row.study) == numbers and not has_surrogates_elsewhere(store, row.study, forking)
    ]
    if not on_these_plans:
        generation = max(row.generation for row in rows) + 1
        _say_what_changed(store, current, plans, generation, code)
        return _add(store, name, generation, numbers, {**kept, "opened": _last_opened(rows) + 1}), True
    row = current if current in on_these_plans else max(on_these_plans, key=lambda row: row.generation)
    if row.settings != _NOTHING_KEPT:
        _refuse_other_objective(name, json.loads(row.settings)["settings"], settings)
    if row is not current:
        say(
            f"study {name!r}: this is the code, arguments and data of generation {row.generation}, which goes on; "
            f"results of generation {current.generation} stay in the database."
        )
    return row, row.settings == _NOTHING_KEPT


def _add(
    store: AbstractPlanStore, name: str, generation: int, plans: Mapping[str, int], kept: Mapping[str, Any]
) -> StudyRow:
    """Add a study together with what is kept of it: a process that is killed leaves the whole of it, or nothing."""
    text = _kept_text({"opened": 0, **kept})
    row = StudyRow(study=0, name=name, generation=generation, settings=text, created_at=SystemClock().now())
    return store.add_study(row, plans)


def _last_opened(rows: Iterable[StudyRow]) -> int:
    return max((json.loads(row.settings).get("opened", 0) for row in rows), default=0)


def _current(rows: Iterable[StudyRow]) -> StudyRow:
    """Return the generation of a study that was opened last by `create_study`."""
    return max(rows, key=lambda row: (json.loads(row.settings).get("opened", 0), row.generation))


def _say_what_changed(
    store: AbstractPlanStore, current: StudyRow, plans: Mapping[str, PlanRow], generation: int, code: TrainerCode
) -> None:
    """Say why a new generation begins, unless it was asked for: a fork of the same workload."""
    name, known = current.name, target_plans(store, current.study)
    if known.keys() != plans.keys():
        changed, which = "the seeds", ""
    else:
        member = next((member for member, plan in plans.items() if plan.plan != known[member]), None)
        if member is None:
            return
        before = store.rows(PlanRow, plan=known[member])[0]
        if before.workload == plans[member].workload:
            return
        declared = [json.loads(row.declared) for row in (before, plans[member])]
        recorded = json.loads(current.settings).get("trainer", {}).get("code", {})
        if len({each["code"] == each.get("compiled") for each in declared}) > 1:
            recorded = {}  # one came with its source, the other as bytecode: their parts cannot be compared
        changed, which = _said_changed(_changed_fields(*declared), _changed_parts(recorded, code))
    say(
        f"study {name!r}: {changed} changed{which} since generation {generation - 1}. Generation {generation} "
        "begins on another plan; earlier results stay in the database and are not mixed with it",
        here=f": hippo.load_study({name!r}, generation={generation - 1}) or "
        f"`{command('trials', name, '--generation', str(generation - 1), storage=store.url)}` shows them.",
    )


def _changed_fields(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    fields = [field for field in now if before.get(field) != now[field] and field != "compiled"]
    if len(fields) > 1 and "trainer" in fields:  # by what name it is reached makes no generation
        fields.remove("trainer")
    return fields


def _changed_parts(recorded: Mapping[str, str], code: TrainerCode) -> list[str]:
    """Return the labels of the parts of a trainer's code that are not what was recorded; empty if nothing was."""
    labels = sorted(recorded.keys() | code.labels.keys()) if recorded else []
    return [label for label in labels if recorded.get(label) != code.labels.get(label)]


def _said_changed(fields: Sequence[str], parts: Sequence[str]) -> tuple[str, str]:
    """Return what changed, and more about it in parentheses.

    Args:
      fields: of the workload.
      parts: labels of the parts of the trainer's code, as far as they are known.
    """
    said = ", ".join(f"the {_SAID.get(field, field)}" for field in fields)
    if "code" not in fields or not parts:
        return said, ""
    if list(fields) == ["code"] and all(label.startswith(GLOBAL) for label in parts):
        names = listed([label.removeprefix(GLOBAL) for label in parts], MOST_NAMED)
        why = "drawn without a seed, or made of the time or the command line, when its module is imported?"
        return f"no code, but the value of {names}, which the trainer reads,", f" ({why})"
    if list(fields) == ["code"] and all(label.endswith(".in_one_step") for label in parts):
        return "max_steps", " (given, the function's reports are steps; else all of it is one step)"
    return said, f" ({listed([said_part(label) for label in parts], MOST_NAMED)})"


#: what people call the fields of a workload
_SAID = {
    "trainer": "trainer's class",
    "code": "trainer's code",
    "arguments": "trainer's arguments",
    "dataset": "data",
    "private_to": "choice of sharing=",
}


def _refuse_other_objective(name: str, recorded: str, now: Settings) -> None:
    known = Settings.from_text(recorded)
    if "aggregate" not in json.loads(recorded):  # of a release that did not write it down
        known = replace(known, aggregate=now.aggregate)
    before, after = ((s.objectives, s.constraints, s.nan, s.aggregate) for s in (known, now))
    if before != after:
        raise StorageError(
            f"study {name!r} was made with {_said(known)}, and is opened with {_said(now)}; its recorded answers "
            "mean something else then. Use the same metric, mode, constraints, nan and aggregate, or another name."
        )


def _said(settings: Settings) -> str:
    objectives = ", ".join(f"{o.metric!r} ({o.mode})" for o in settings.objectives) or "no metric"
    constraints = "".join(f", {constraint}" for constraint in settings.constraints)
    aggregate = "" if settings.aggregate == "mean" else f", aggregate={settings.aggregate!r}"
    return f"{objectives}{constraints}, nan={settings.nan.value!r}{aggregate}"


def _kept(settings: Settings, place: str, spec: TrainerSpec, code: TrainerCode) -> dict[str, Any]:
    """Return what is kept of a study beside its numbers and names."""
    return {
        "settings": settings.to_text(),
        "checkpoints": place,
        "trainer": {"reference": spec.reference, "arguments": json.loads(spec.arguments), "code": code.labels},
    }


def _kept_text(kept: Mapping[str, Any]) -> str:
    return json.dumps(kept, sort_keys=True)


def _remember(store: AbstractPlanStore, row: StudyRow, kept: Mapping[str, Any]) -> None:
    """Write down with what, and as which one of its generations, a study was opened last, unless that is known."""
    rows = store.rows(StudyRow, name=row.name, deleted=False)
    others = _last_opened(other for other in rows if other.study != row.study)
    opened = max(_last_opened([row]), others + 1 if len(rows) > 1 else 0)
    text = _kept_text({**kept, "opened": opened})
    if text != row.settings:
        store.commit([Update(replace(row, settings=text))])


def _trainer_given(
    given: type | str | TrainerDescription, described: TrainerDescription, members: StudyMembers
) -> MakeTrainer:
    """Return what finds the trainer that a study was made with; one that was only described is never imported here."""
    if isinstance(given, TrainerDescription):
        # whoever had it described asks that process about configs, and loads no states here
        known: Any = Trainer
        return lambda to_train=True: StudyTrainer(members.specs(described.spec), lambda config, until: None, known)
    cls = resolve(given)

    def check_config(config: Config, until: int) -> None:
        cls.check_config(config, until)

    return lambda to_train=True: StudyTrainer(members.specs(described.spec), check_config, cls)


def _said_changes_of(
    name: str, given: type | str | TrainerDescription, described: TrainerDescription
) -> Callable[[], None] | None:
    """Return what says that a class which travels by value has changed; None for others, which workers import."""
    if described.spec.reference is not None or isinstance(given, TrainerDescription):
        return None
    return CodeOfStudy(name, resolve(given), described.code.fingerprint).say_changes


def _trainer_by_name(
    row: StudyRow, members: StudyMembers, kept: Mapping[str, Any], given: type | str | None
) -> MakeTrainer:
    """Return what finds the trainer of a study, kept by its name or `given` by a user who knows better."""

    def make(*, to_train: bool = True) -> StudyTrainer:
        reference = given if given is not None else kept["reference"]
        if reference is None:
            raise TrainerError(
                f"study {row.name!r} was made with a trainer that cannot be imported by name (from a script, notebook "
                f"or function); give the class: load_study({row.name!r}, trainer=...), or --trainer on the "
                "command line. Or run that script again. trial.load_state() needs no class."
            )
        declared = members.target_workload  # members differ in nothing but their seed and their scale
        cls = resolve(reference)
        codes = (fingerprint(cls), compiled_fingerprint(cls))
        if not declared.code.startswith("version ") and declared.code not in codes:
            labels = _changed_parts(kept.get("code", {}), trainer_code(cls))
            parts = f" ({listed([said_part(label) for label in labels], MOST_NAMED)})" if labels else ""
            changed = f"the code of {cls.__module__}:{cls.__qualname__} changed since study {row.name!r} was made"
            if to_train:
                raise TrainerError(f"{changed}; create_study begins a new generation{parts}")
            warnings.warn(f"{changed}; its weights are loaded into the class as it is now{parts}", stacklevel=6)
        spec = ship(
            cls,
            kept["arguments"],
            seed=declared.seed,
            evaluate_every=declared.evaluate_every,
            workload_key="",
            numerics=declared.numerics,
        )
        return StudyTrainer(members.specs(spec), cls.check_config, cls)

    return make
