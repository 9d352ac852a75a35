"""From what users write to a study, and from its name to one that exists."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hippo.arguments import explain_calls
from hippo.checkpoints import FolderCheckpoints, open_checkpoints
from hippo.engines import AbstractEngine, InlineEngine
from hippo.errors import OptionError, UnknownStudyError
from hippo.members import seed_member
from hippo.plan import AbstractPlanStore, StudyRow, closed_if_refused, open_store
from hippo.runtime import Settings
from hippo.study.identity.describing import TrainerDescription, describe_trainer, refuse_put_values, say_unsent
from hippo.study.identity.generations import NOTHING_KEPT, current_generation
from hippo.study.identity.members import StudyMembers
from hippo.study.identity.study_trainer import said_changes_of, trainer_by_name, trainer_given
from hippo.study.identity.wanted_study import BUDGET, KEEP, WantedStudy, find_or_make
from hippo.study.looking import StudyNotMade, is_only_looking
from hippo.study.managing import DEFAULT_STORAGE, STUDY_NAME, check_name, unknown_study
from hippo.study.opened import Opened
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
from hippo.study.study import Study
from hippo.study.watching.callbacks import Callback, check_callbacks
from hippo.training import resolve
from hippo.tuners.budgets import checked_steps

DEFAULT_CHECKPOINTS = "hippo_checkpoints"

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
      dataset: identity of the data, if the trainer's arguments do not tell: a text, mostly; 1 and "1" are two of them.
      version: takes the place of the code's fingerprint: you decide when code counts as changed, and settings such as
        `torch.set_float32_matmul_precision`. 1 and "1" are one.
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
    seed_of = _seed_of_each_member(seed, seeds, aggregate)
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
    wanted = WantedStudy(
        name=name,
        trainer=described,
        seed_of=seed_of,
        evaluate_every=evaluate_every,
        numerics=numerics,
        version=version,
        settings=settings,
        is_mode_guessed=mode is None and direction is None,
        is_kept_by_default=(keep, checkpoint_budget) == (KEEP, BUDGET),
    )
    store = open_store(check_storage(storage))
    with closed_if_refused(store, storage):
        place = _checkpoint_place(checkpoints, store, engine)
        engine = engine if engine is not None else default_engine(place)
        if not isinstance(engine, InlineEngine):
            say_unsent(name)
            if described.spec.reference is not None:
                refuse_put_values(described.spec.reference, described.code)
        forking = engine if environment == "new" else None
        row = find_or_make(wanted, store, place, load_if_exists=load_if_exists, forking=forking)
        members = StudyMembers(store, row, forking=forking)
    opened = Opened(
        store=store,
        has_own_store=isinstance(storage, str),
        row=row,
        members=members,
        settings=settings,
        runtime=lambda: runtime_of(engine, place),
        trainer=trainer_given(trainer, described, members),
        say_changes=said_changes_of(name, trainer, described),
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
    with closed_if_refused(store, storage):
        row = _known_row(name, generation, store)
    kept = json.loads(row.settings)
    settings = Settings.from_text(kept["settings"])
    place = kept["checkpoints"]
    members = StudyMembers(store, row)
    opened = Opened(
        store=store,
        has_own_store=isinstance(storage, str),
        row=row,
        members=members,
        settings=settings,
        runtime=lambda: runtime_of(engine if engine is not None else default_engine(place), place),
        trainer=trainer_by_name(row, members, kept["trainer"], trainer),
        callbacks=heard_by,
    )
    return Study(store.url, opened)


# --- pieces of it


def _known_row(name: str, generation: int | None, store: AbstractPlanStore) -> StudyRow:
    """Return the row of a generation of a study, or of its current one.

    Raises:
      UnknownStudyError: there is none of this name or generation, or it was never wholly made.
    """
    generations = {row.generation: row for row in store.rows(StudyRow, name=name, deleted=False)}
    if not generations:
        raise unknown_study(name, store)
    if generation is not None and (type(generation) is not int or generation not in generations):
        raise UnknownStudyError(f"study {name!r} has no generation {generation!r}; it has {sorted(generations)}")
    row = current_generation(generations.values()) if generation is None else generations[generation]
    if row.settings == NOTHING_KEPT:
        raise UnknownStudyError(
            f"study {name!r} is not whole: its process was killed while it made it. Run the script that makes it again."
        )
    return row


def _seed_of_each_member(seed: int, seeds: Sequence[int] | None, aggregate: str) -> dict[str, int]:
    """Return name of each member -> its seed; the only one has no name."""
    if seeds is not None:
        return {seed_member(each): each for each in check_seeds(seeds, seed)}
    if aggregate != "mean":
        raise OptionError(f"aggregate={aggregate!r} goes with seeds=[...]: one seed has nothing to aggregate")
    return {"": check_seed(seed)}


def _checkpoint_place(checkpoints: str | None, store: AbstractPlanStore, engine: AbstractEngine | None) -> str:
    if checkpoints is None:
        in_memory = store.url.startswith("memory:") and isinstance(engine, InlineEngine)
        checkpoints = "memory://" if in_memory else DEFAULT_CHECKPOINTS
    if checkpoints.startswith("memory://"):
        return checkpoints
    opened = open_checkpoints(checkpoints)
    opened.check_writable()
    return str(opened.root) if isinstance(opened, FolderCheckpoints) and "://" not in checkpoints else checkpoints
