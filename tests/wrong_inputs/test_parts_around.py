"""Engines, functions of Optuna and Ray Tune, simulations and callbacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    (
        "InlineEngine(max_lanes=0)",
        RuntimeError,
        "max_lanes=0 is not a number of lanes. Use a",
    ),
    (
        "InlineEngine(max_lanes=-1)",
        RuntimeError,
        "max_lanes=-1 is not a number of lanes. Use a",
    ),
    (
        "InlineEngine(max_lanes=1.5)",
        RuntimeError,
        "max_lanes=1.5 is not a number of lanes. Use a",
    ),
    (
        "InlineEngine(max_lanes=True)",
        RuntimeError,
        "max_lanes=True is not a number of lanes. Use a",
    ),
    (
        'InlineEngine(max_lanes="8")',
        RuntimeError,
        "max_lanes='8' is not a number of lanes. Use a",
    ),
    (
        "LocalEngine(max_lanes=0)",
        RuntimeError,
        "max_lanes=0 is not a number of lanes. Use a",
    ),
    (
        "LocalEngine(max_lanes=-1)",
        RuntimeError,
        "max_lanes=-1 is not a number of lanes. Use a",
    ),
    (
        "LocalEngine(max_lanes=1.5)",
        RuntimeError,
        "max_lanes=1.5 is not a number of lanes. Use a",
    ),
    (
        "LocalEngine(max_lanes=True)",
        RuntimeError,
        "max_lanes=True is not a number of lanes. Use a",
    ),
    (
        'LocalEngine(max_lanes="8")',
        RuntimeError,
        "max_lanes='8' is not a number of lanes. Use a",
    ),
    ("InlineEngine(threads=0)", RuntimeError, "threads=0 is not a number of threads. Use a whole number, at least 1."),
    (
        "InlineEngine(threads=-1)",
        RuntimeError,
        "threads=-1 is not a number of threads. Use a whole number, at least 1.",
    ),
    (
        "InlineEngine(threads=1.5)",
        RuntimeError,
        "threads=1.5 is not a number of threads. Use a whole number, at least 1.",
    ),
    (
        'InlineEngine(threads="2")',
        RuntimeError,
        "threads='2' is not a number of threads. Use a whole number, at least 1.",
    ),
    (
        "InlineEngine(resident_bytes=-1)",
        RuntimeError,
        "resident_bytes=-1 is not a number of resident_bytes. Use a whole number, at",
    ),
    (
        'InlineEngine(resident_bytes="1GB")',
        RuntimeError,
        "resident_bytes='1GB' is not a number of resident_bytes. Use a whole number,",
    ),
    (
        "InlineEngine(resident_bytes=1.5)",
        RuntimeError,
        "resident_bytes=1.5 is not a number of resident_bytes. Use a whole number, at",
    ),
    ("InlineEngine(4)", TypeError, "InlineEngine() was called wrongly: too many positional arguments. It is"),
    ("InlineEngine(workers=4)", TypeError, "'workers': it trains in this process; hippo.LocalEngine(workers=...) has"),
    ("InlineEngine(devices=[0])", TypeError, "'devices'; it has ['threads', 'resident_bytes', 'max_lanes']."),
    ("LocalEngine(workers=0)", RuntimeError, "workers=0 is not a number of workers. Use a whole number, at least 1."),
    ("LocalEngine(workers=-1)", RuntimeError, "workers=-1 is not a number of workers. Use a whole number, at least 1."),
    (
        "LocalEngine(workers=1.5)",
        RuntimeError,
        "workers=1.5 is not a number of workers. Use a whole number, at least 1.",
    ),
    (
        'LocalEngine(workers="4")',
        RuntimeError,
        "workers='4' is not a number of workers. Use a whole number, at least 1.",
    ),
    ("LocalEngine(threads=0)", RuntimeError, "threads=0 is not a number of threads. Use a whole number, at least 1."),
    (
        'LocalEngine(threads="2")',
        RuntimeError,
        "threads='2' is not a number of threads. Use a whole number, at least 1.",
    ),
    (
        "LocalEngine(threads=None)",
        RuntimeError,
        "threads=None is not a number of threads. Use a whole number, at least 1.",
    ),
    (
        'LocalEngine(devices=["cuda:7"])',
        RuntimeError,
        "devices=['cuda:7']: this machine has no such CUDA device; none is visible.",
    ),
    (
        "LocalEngine(devices=[7])",
        RuntimeError,
        "devices=[7]: this machine has no CUDA device. Leave devices= out, to train on",
    ),
    (
        'LocalEngine(devices="cuda")',
        RuntimeError,
        "devices='cuda' is no list of devices. Write devices=[0, 1], or their UUIDs.",
    ),
    ("LocalEngine(devices=3)", RuntimeError, "devices=3 is no list of devices. Write devices=[0, 1], or their UUIDs."),
    (
        "LocalEngine(devices=[])",
        RuntimeError,
        "devices=[] is no list of devices. Write devices=[0, 1], or their UUIDs.",
    ),
    (
        "LocalEngine(devices=[0,0])",
        RuntimeError,
        "devices=[0, 0]: this machine has no CUDA device. Leave devices= out, to train",
    ),
    (
        'LocalEngine(devices=["gpu0"])',
        RuntimeError,
        "devices=['gpu0']: this machine has no CUDA device. Leave devices= out, to",
    ),
    (
        "LocalEngine(devices=[-1])",
        RuntimeError,
        "devices=[-1]: this machine has no CUDA device. Leave devices= out, to train",
    ),
    (
        "LocalEngine(devices=[1.5])",
        RuntimeError,
        "devices=[1.5] is no list of devices. Write devices=[0, 1], or their UUIDs.",
    ),
    (
        'LocalEngine(devices=["cpu"])',
        RuntimeError,
        "devices=['cpu']: this machine has no CUDA device. Leave devices= out, to",
    ),
    (
        "LocalEngine(devices=[None])",
        RuntimeError,
        "devices=[None] is no list of devices. Write devices=[0, 1], or their UUIDs.",
    ),
    (
        "LocalEngine(resident_bytes=-1)",
        RuntimeError,
        "resident_bytes=-1 is not a number of resident_bytes. Use a whole number, at",
    ),
    (
        'LocalEngine(resident_bytes="1GB")',
        RuntimeError,
        "resident_bytes='1GB' is not a number of resident_bytes. Use a whole number,",
    ),
    (
        "LocalEngine(num_workers=3)",
        TypeError,
        "'num_workers': hippo.LocalEngine(workers=...) says how many run at a time",
    ),
    ("LocalEngine(n_jobs=3)", TypeError, "'n_jobs': hippo.LocalEngine(workers=...) says how many run at a time"),
    ("LocalEngine(gpus=1)", TypeError, "'gpus': hippo.LocalEngine(devices=[0, 1]) says which devices"),
    ("LocalEngine(4, 2)", TypeError, "LocalEngine() was called wrongly: too many positional arguments. It is called"),
    ("from_optuna()", TypeError, "from_optuna() was called wrongly: missing a required argument: 'objective'."),
    ("from_optuna(None)", TypeError, "None is no function that could be trained."),
    ("from_optuna(3)", TypeError, "3 is no function that could be trained."),
    ('from_optuna("objective")', TypeError, "'objective' is no function that could be trained."),
    ("from_optuna(lambda: 0.5)", TypeError, "lambda() is called with trial first, which does not fit it: too many"),
    (
        "from_optuna(lambda trial, data: 0.5)",
        TypeError,
        "lambda() is called with trial first, which does not fit it: missing a",
    ),
    ("from_optuna(ToyTrainer)", TypeError, "<class 'hippo.testing.trainers.ToyTrainer'> is no function that could be"),
    ("from_optuna(obj, 3)", ValueError, 'A space is a mapping of hyper-parameters\' names, such as {"lr":'),
    (
        "from_optuna(obj, {})",
        ValueError,
        'The space is empty: it names no hyper-parameters. Write, for instance, {"lr":',
    ),
    ("from_optuna(obj, [0.1])", ValueError, 'A space is a mapping of hyper-parameters\' names, such as {"lr":'),
    ('from_optuna(obj, DRAWS, in_one_step="yes")', TypeError, "in_one_step must be True or False, not 'yes'."),
    ("from_optuna(obj, keep_paused=-1)", ValueError, "keep_paused must be at least 0, not -1"),
    ('from_optuna(obj, keep_paused="3")', ValueError, "keep_paused must be an integer of at least 0, not '3' (str)"),
    ("from_optuna(obj, keep_paused=1.5)", ValueError, "keep_paused must be an integer of at least 0, not 1.5 (float)"),
    (
        "from_optuna(obj, n_trials=3)",
        TypeError,
        "'n_trials': the study has it: trainer, space = hippo.from_optuna(objective),",
    ),
    (
        'from_optuna(obj).optimize(n_trials=0, storage="memory://", engine=InlineEngine(), sampler="random")',
        ValueError,
        "num_trials must be at least 1, not 0",
    ),
    (
        'from_optuna(obj).optimize(n_trials="3", storage="memory://", engine=InlineEngine(), sampler="random")',
        ValueError,
        "num_trials must be an integer of at least 1, not '3' (str)",
    ),
    (
        'from_optuna(obj).optimize(n_trials=3, sampler="tep", storage="memory://", engine=InlineEngine())',
        ValueError,
        "Did you mean 'tpe'?",
    ),
    (
        'from_optuna(obj).optimize(storage="memory://")',
        TypeError,
        "missing a required argument: 'n_trials'",
    ),
    (
        "from_optuna(obj).optimize(n_trials=3, timeout=3)",
        TypeError,
        "run hippo.Deadline(tuner, seconds=...) on a study",
    ),
    ('from_optuna(lambda trial: trial.suggest_float("lr", 1, 0))', ValueError, "low=1.0 is above high=0.0."),
    (
        'from_optuna(lambda trial: trial.suggest_categorical("lr", []))',
        ValueError,
        "suggest_categorical() needs at least one choice.",
    ),
    ("from_ray()", TypeError, "from_ray() was called wrongly: missing a required argument: 'trainable'. It"),
    ("from_ray(None)", TypeError, "None is no function that could be trained."),
    ("from_ray(3)", TypeError, "3 is no function that could be trained."),
    ("from_ray(lambda: 0.5)", TypeError, "lambda() is called with config first, which does not fit it: too many"),
    ("from_ray(rayf, 3)", ValueError, "param_space must be a dictionary, such as {'lr': hippo.uniform(0, 1)}, not 3"),
    ("from_ray(rayf, [0.1])", ValueError, "param_space must be a dictionary, such as {'lr': hippo.uniform(0, 1)}, not"),
    (
        'from_ray(rayf, {"x": lambda: 3})',
        ValueError,
        "Hyper-parameter 'x': hippo has no sample_from: a function cannot be compared,",
    ),
    (
        'from_ray(rayf, {"x": 0.1}).optimize(n_trials=2, storage="memory://", engine=InlineEngine())',
        ValueError,
        "the study's metric is 'value', and there is only ['loss'] in what evaluate() returned,",
    ),
    (
        'from_ray(rayf, {"x": uniform(0,1)}, num_samples=3)',
        TypeError,
        "'num_samples': the study has it: trainer, space =",
    ),
    ('from_ray(rayf, {"x": uniform(0,1)}, keep_paused=-1)', ValueError, "keep_paused must be at least 0, not -1"),
    (
        'from_ray(ToyTrainer, {"x": uniform(0,1)})',
        TypeError,
        "ToyTrainer is a class, and nearly a hippo.Trainer: let setup() be build(),",
    ),
    ("simulate(TUNER, WL)", TypeError, "simulate() was called wrongly: missing a required argument: 'slots'. It is"),
    (
        "simulate(TUNER, WL, slots=0)",
        ValueError,
        "slots=0: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=-1)",
        ValueError,
        "slots=-1: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=1.5)",
        ValueError,
        "slots must be a number of slots, or a list with the speed of each, not 1.5",
    ),
    (
        'simulate(TUNER, WL, slots="2")',
        ValueError,
        "slots must be a number of slots, or a list with the speed of each, not '2'",
    ),
    (
        "simulate(TUNER, WL, slots=[])",
        ValueError,
        "slots=[]: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=[0])",
        ValueError,
        "slots=[0]: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=[-1.0])",
        ValueError,
        "slots=[-1.0]: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=[nan])",
        ValueError,
        "slots=[nan]: there must be at least one, and every speed must be above zero",
    ),
    (
        'simulate(TUNER, WL, slots=["fast"])',
        ValueError,
        "slots=['fast']: there must be at least one, and every speed must be above zero",
    ),
    (
        "simulate(TUNER, WL, slots=True)",
        ValueError,
        "slots must be a number of slots, or a list with the speed of each, not True",
    ),
    (
        "simulate(TUNER, WL, slots=None)",
        ValueError,
        "slots must be a number of slots, or a list with the speed of each, not None",
    ),
    (
        "simulate(TUNER, WL, slots=10**20)",
        ValueError,
        "slots=100000000000000000000: more than 1,000,000 would not fit into memory",
    ),
    (
        "simulate(TUNER, None, slots=2)",
        ValueError,
        "workload must be hippo.SimulatedWorkload(seconds_per_step=1.0), say, or a",
    ),
    (
        "simulate(TUNER, 3.0, slots=2)",
        ValueError,
        "workload must be hippo.SimulatedWorkload(seconds_per_step=1.0), say, or a",
    ),
    (
        'simulate(TUNER, {"seconds_per_step": 1}, slots=2)',
        ValueError,
        "workload must be hippo.SimulatedWorkload(seconds_per_step=1.0), say, or a",
    ),
    (
        "simulate(None, WL, slots=2)",
        ValueError,
        "give a tuner, several of them, or pairs (name, tuner) with names that differ,",
    ),
    (
        "simulate([], WL, slots=2)",
        ValueError,
        "give a tuner, several of them, or pairs (name, tuner) with names that differ,",
    ),
    (
        "simulate(GridSearch, WL, slots=2)",
        ValueError,
        "GridSearch is a class; make a tuner of it, as in GridSearch(space, until=10)",
    ),
    ('simulate("asha", WL, slots=2)', ValueError, "give a tuner, several of them, or pairs (name, tuner)"),
    ("simulate([(3, TUNER)], WL, slots=2)", ValueError, "a study's name must be a string that is not empty, not 3"),
    (
        'simulate([("a", TUNER), ("a", TUNER)], WL, slots=2)',
        ValueError,
        "give a tuner, several of them, or pairs (name, tuner) with names that differ,",
    ),
    ("simulate(TUNER, WL, slots=2, curve=3)", ValueError, "curve must have the methods begin, after and metrics, as"),
    (
        'simulate(TUNER, WL, slots=2, curve="random")',
        ValueError,
        "curve must have the methods begin, after and metrics, as",
    ),
    (
        "simulate(TUNER, WL, slots=2, curve=lambda: 3)",
        ValueError,
        "curve must have the methods begin, after and metrics, as",
    ),
    (
        "simulate(TUNER, WL, slots=2, curve=lambda s: 3)",
        ValueError,
        "curve must have the methods begin, after and metrics, as",
    ),
    (
        "simulate(TUNER, WL, slots=2, seed=-1)",
        ValueError,
        "a seed must be a whole number of at least 0 (and below 2**63), not -1",
    ),
    (
        'simulate(TUNER, WL, slots=2, seed="a")',
        ValueError,
        "a seed must be a whole number of at least 0 (and below 2**63), not 'a'",
    ),
    (
        'simulate(TUNER, WL, slots=2, metric="accuracy", mode="max")',
        ValueError,
        "the study's metric is 'accuracy', and there is only ['loss'] in what evaluate() returned,",
    ),
    ('simulate(TUNER, WL, slots=2, mode="maximum")', ValueError, "Did you mean 'max'?"),
    (
        'simulate(TUNER, WL, slots=2, keep="none")',
        ValueError,
        "keep='none' is none of 'best'",
    ),
    ('simulate(TUNER, WL, slots=2, sharing="no")', ValueError, "sharing must be True or False, not 'no'"),
    (
        'simulate(TUNER, WL, slots=2, scheduler="fifo")',
        ValueError,
        "scheduler must be one of hippo.schedulers, such as CriticalPath(), not 'fifo'",
    ),
    (
        "simulate(TUNER, WL, slots=2, scheduler=3)",
        ValueError,
        "scheduler must be one of hippo.schedulers, such as CriticalPath(), not 3",
    ),
    (
        "simulate(TUNER, WL, slots=2, storage=None)",
        ValueError,
        "storage must be a database URL such as 'sqlite:///hippo.db', not None;",
    ),
    ('simulate(TUNER, WL, slots=2, name="")', ValueError, "a study's name must be a string that is not empty, not ''"),
    ("simulate(TUNER, WL, slots=2, evaluate_every=0)", ValueError, "evaluate_every must be at least 1, not 0"),
    (
        "simulate(TUNER, WL, slots=2, checkpoint_every_s=-1)",
        ValueError,
        "checkpoint_every_s must be a positive number of seconds, not -1",
    ),
    ('simulate(TUNER, WL, slots=2, keep_intervals="no")', ValueError, "keep_intervals must be True or False, not 'no'"),
    ('simulate(TUNER, WL, slots=2, keep_facts="no")', ValueError, "keep_facts must be True or False, not 'no'"),
    (
        "simulate(TUNER, WL, slots=2, workers=2)",
        TypeError,
        "'workers': the engine has them: engine=hippo.LocalEngine(workers=...)",
    ),
    (
        "simulate(TUNER, WL, slots=2, engine=InlineEngine())",
        ValueError,
        "engine= is not for a simulation, which trains nothing and has slots of its",
    ),
    (
        "simulate(TUNER, WL, slots=2, trainer=ToyTrainer)",
        ValueError,
        "trainer= is not for a simulation, which trains nothing and has slots of its",
    ),
    (
        'simulate(TUNER, WL, slots=2, checkpoints="x")',
        ValueError,
        "checkpoints= is not for a simulation, which trains nothing and has slots of",
    ),
    ("SimulatedWorkload()", TypeError, "SimulatedWorkload() was called wrongly: missing a required argument:"),
    (
        "SimulatedWorkload(seconds_per_step=0)",
        ValueError,
        "seconds_per_step must be a number above zero, not 0: virtual time would stand",
    ),
    (
        "SimulatedWorkload(seconds_per_step=-1)",
        ValueError,
        "seconds_per_step must be a number above zero, not -1: virtual time would",
    ),
    (
        "SimulatedWorkload(seconds_per_step=nan)",
        ValueError,
        "seconds_per_step must be a number above zero, not nan: virtual time would",
    ),
    (
        'SimulatedWorkload(seconds_per_step="fast")',
        ValueError,
        "seconds_per_step must be a number, a table such as {'batch_size': {128: 94.3,",
    ),
    (
        "SimulatedWorkload(seconds_per_step=None)",
        ValueError,
        "seconds_per_step must be a number, a table such as {'batch_size': {128: 94.3,",
    ),
    (
        'SimulatedWorkload(seconds_per_step={"bs": 3})',
        ValueError,
        "seconds_per_step must be a number, a table such as {'batch_size': {128: 94.3,",
    ),
    (
        "SimulatedWorkload(seconds_per_step={})",
        ValueError,
        "seconds_per_step must be a number, a table such as {'batch_size': {128: 94.3,",
    ),
    (
        "SimulatedWorkload(seconds_per_step=1, save_s=-1)",
        ValueError,
        "save_s must be a number that is finite and not below zero, not -1",
    ),
    (
        'SimulatedWorkload(seconds_per_step=1, load_s="1")',
        ValueError,
        "load_s must be a number that is finite and not below zero, not '1'",
    ),
    (
        "SimulatedWorkload(seconds_per_step=1, evaluate_s=nan)",
        ValueError,
        "evaluate_s must be a number that is finite and not below zero, not nan",
    ),
    (
        "SimulatedWorkload(seconds_per_step=1, resident_states=1.5)",
        ValueError,
        "resident_states must be a whole number, not 1.5",
    ),
    (
        "SimulatedWorkload(seconds_per_step=1, losses_at=3)",
        ValueError,
        "losses_at must be pairs (seconds, number of the slot), not 3",
    ),
    (
        "SimulatedWorkload(seconds_per_step=1, losses_at=((1.0, 0.5),))",
        ValueError,
        "losses_at must be pairs (seconds, number of the slot), not ((1.0, 0.5),)",
    ),
    (
        'SimulatedWorkload(seconds_per_step=1, losses_at=("a",))',
        ValueError,
        "losses_at must be pairs (seconds, number of the slot), not ('a',)",
    ),
    (
        'SimulatedWorkload(seconds_per_step=1, late_results="no")',
        ValueError,
        "late_results must be True or False, not 'no'",
    ),
    ("SimulatedWorkload(seconds_per_step=1, seconds=3)", TypeError, "'seconds': it is called seconds_per_step here"),
    (
        'simulate(TUNER, SimulatedWorkload(seconds_per_step={"bs": {1: 3}}), slots=2)',
        ValueError,
        "seconds_per_step goes by 'bs', and a config has only ['lr']",
    ),
    (
        'simulate(TUNER, SimulatedWorkload(seconds_per_step={"lr": {0.1: 3}}), slots=2)',
        ValueError,
        "seconds_per_step has no seconds for lr=0.2; it has [0.1]",
    ),
    (
        "simulate(TUNER, SimulatedWorkload(seconds_per_step=lambda: 3), slots=2)",
        ValueError,
        "seconds_per_step is called with the values in force, {'lr': 0.1}, and raised",
    ),
    (
        "simulate(TUNER, SimulatedWorkload(seconds_per_step=lambda hp: -3), slots=2)",
        ValueError,
        "seconds_per_step must be a number above zero, not -3: virtual time would",
    ),
    (
        'simulate(TUNER, SimulatedWorkload(seconds_per_step=lambda hp: "fast"), slots=2)',
        ValueError,
        "seconds_per_step must be a number above zero, not 'fast': virtual time would",
    ),
    (
        'simulate(TUNER, SimulatedWorkload(seconds_per_step=lambda hp: hp["bs"]), slots=2)',
        ValueError,
        "seconds_per_step is called with the values in force, {'lr': 0.1}, and raised",
    ),
    ("CSVLog()", TypeError, "CSVLog() was called wrongly: missing a required argument: 'path'. It is"),
    ("CSVLog(3)", ValueError, "path must be a path, a text that is not empty, not 3"),
    ("CSVLog(None)", ValueError, "path must be a path, a text that is not empty, not None"),
    ('CSVLog("")', ValueError, "path must be a path, a text that is not empty, not ''"),
    ("CSVLog(str(T))", Exception, "') cannot be written: Is a directory"),
    (
        'CSVLog("/no/such/folder/log.csv")',
        Exception,
        "CSVLog('/no/such/folder/log.csv') cannot be written: No such file or directory",
    ),
    ('CSVLog("/proc/log.csv")', Exception, "CSVLog('/proc/log.csv') cannot be written: No such file or directory"),
    ('CSVLog("log.csv", append=True)', TypeError, "'append'; it has ['path']."),
    (
        'run(callbacks=[CSVLog("/no/such/folder/log.csv")])',
        Exception,
        "CSVLog('/no/such/folder/log.csv') cannot be written: No such file or directory",
    ),
    ("TensorBoard()", TypeError, "TensorBoard() was called wrongly: missing a required argument: 'folder'. It"),
    ("TensorBoard(3)", ValueError, "folder must be a path, a text that is not empty, not 3"),
    ("TensorBoard(None)", ValueError, "folder must be a path, a text that is not empty, not None"),
    (
        'run(callbacks=[type("C",(hippo.Callback,),{"on_trial_complete": lambda self, e: 1/0})()])',
        ValueError,
        "Did you mean 'on_trial_end'?",
    ),
    ('Sampled("tpe")', TypeError, "Sampled() was called wrongly: missing a required argument: 'space'. It is"),
    ("SharingAware()", TypeError, "SharingAware() was called wrongly: missing a required argument: 'sampled'. It"),
    ("SimulatedWorkload(seconds=3)", TypeError, "'seconds': it is called seconds_per_step here"),
]


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_what_cannot_be_used_is_refused(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)
