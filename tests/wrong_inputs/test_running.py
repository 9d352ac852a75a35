"""Running: tuners, pairs, configs and numbers of steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    ("create().optimize()", ValueError, "study 'toy' has nothing to run: optimize() without a tuner runs what study."),
    ("create().optimize(None)", ValueError, "study 'toy' has nothing to run: optimize() without a tuner runs what"),
    ("Budget(TUNER, steps=30)", TypeError, "'steps': the tuner within says how many steps; this has device_seconds="),
    ("Deadline(TUNER, epochs=3)", TypeError, "'epochs': the tuner within says how many steps; this has seconds="),
    ("GridSearch({'lr': [lambda t: 0.1 * t]}, until=3)", ValueError, "a class derived from hippo.Sequence, with value"),
    ("create().optimize(3)", ValueError, "3 is no tuner: it has no coroutine tune(self, ask)"),
    ('create().optimize("asha")', ValueError, "'asha' is no tuner: it has no coroutine tune(self, ask)"),
    (
        "create().optimize(GridSearch)",
        ValueError,
        "GridSearch is a class; make a tuner of it, as in GridSearch(space, until=10)",
    ),
    ("create().optimize(ASHA)", ValueError, "ASHA is a class; make a tuner of it, as in ASHA(space, until=10)"),
    ('create().optimize({"lr":[0.1]})', ValueError, "{'lr': [0.1]} is no tuner: it has no coroutine tune(self, ask)"),
    ('create().optimize([{"lr":0.1}])', ValueError, "[{'lr': 0.1}] is no tuner: it has no coroutine tune(self, ask)"),
    (
        'create().optimize(GridSearchSpace({"lr":[0.1]}))',
        ValueError,
        "GridSearchSpace({'lr': [Constant(0.1)]}) is no tuner: it has no coroutine",
    ),
    ("create().optimize(lambda trial: 0.0)", ValueError, "<function <lambda> at"),
    (
        "create().optimize(lambda trial: 0.0, n_trials=3)",
        TypeError,
        "'n_trials': the tuner has it: study.optimize(hippo.RandomSearch(space,",
    ),
    (
        "create().optimize(GridSearch(GRID, until=3), n_trials=3)",
        TypeError,
        "'n_trials': the tuner has it: study.optimize(hippo.RandomSearch(space,",
    ),
    (
        "create().optimize(GridSearch(GRID, until=3), 3)",
        TypeError,
        "Study.optimize() was called wrongly: too many positional arguments. It is",
    ),
    (
        "create().optimize([GridSearch(GRID, until=3)])",
        ValueError,
        "[GridSearch(space=[Config({'lr': 0.1}), Config({'lr': 0.2})], until=3, ties='first',",
    ),
    (
        "create().optimize(hippo.Tuner())",
        ValueError,
        "Tuner has no tune(self, ask) coroutine; write one: async def tune(self, ask)",
    ),
    (
        'create().optimize(type("T",(),{"tune": lambda self, ask: 3})())',
        ValueError,
        "tune(self, ask) is no coroutine, but returned 3; write: async def tune(self,",
    ),
    (
        'create().optimize(type("T",(),{"tune": lambda self: 3})())',
        ValueError,
        "T.tune must take what it asks by, async def tune(self, ask): too many",
    ),
    (
        'create().optimize(type("T",(),{"tune": lambda self, ask: (yield 3)})())',
        ValueError,
        "T.tune yields; write a coroutine that awaits: async def tune(self, ask):",
    ),
    (
        "create(metric=None,mode=None).optimize(ASHA(GRID, 1, 4))",
        ValueError,
        "ASHA ranks trials, and study 'toy' has no metric; create it with metric='...'",
    ),
    ('create(metric="los").optimize(GridSearch(GRID, until=2))', ValueError, "Did you mean 'loss'?"),
    ('create(metric="los").evaluate({"lr":0.1}, until=2)', ValueError, "Did you mean 'loss'?"),
    (
        'create(metric=["loss","luk"],mode=["min","min"]).optimize(GridSearch(GRID, until=2))',
        ValueError,
        "Did you mean 'luck'?",
    ),
    ('create(constraints="luk <= 3").optimize(GridSearch(GRID, until=2))', ValueError, "Did you mean 'luck'?"),
    (
        'create(metric="slope").optimize(GridSearch(GRID, until=2))',
        ValueError,
        "the study's metric is 'slope', and there is only ['loss', 'luck'] in what evaluate()",
    ),
    ("hippo.optimize(None)", ValueError, "hippo.optimize takes a list of pairs, [(study, tuner), ...], not None"),
    ("hippo.optimize([])", ValueError, "hippo.optimize was given no pair of a study and its tuner: there is nothing"),
    ("hippo.optimize(3)", ValueError, "hippo.optimize takes a list of pairs, [(study, tuner), ...], not 3"),
    (
        "hippo.optimize([create()])",
        ValueError,
        "hippo.optimize takes pairs of a study and its tuner, [(study, tuner), ...],",
    ),
    (
        "hippo.optimize(create(), GridSearch(GRID, until=2))",
        TypeError,
        "optimize() was called wrongly: too many positional arguments. It is called as",
    ),
    (
        "hippo.optimize((create(), GridSearch(GRID, until=2)))",
        ValueError,
        "hippo.optimize takes pairs of a study and its tuner, [(study, tuner), ...],",
    ),
    (
        "hippo.optimize([(GridSearch(GRID, until=2), create())])",
        ValueError,
        "hippo.optimize takes pairs of a study and its tuner, [(study, tuner), ...],",
    ),
    ("hippo.optimize([(create(), None)])", ValueError, "None is no tuner: it has no coroutine tune(self, ask)"),
    (
        "hippo.optimize([(create(), GridSearch)])",
        ValueError,
        "GridSearch is a class; make a tuner of it, as in GridSearch(space, until=10)",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2), 3)])",
        ValueError,
        "hippo.optimize takes pairs of a study and its tuner, [(study, tuner), ...],",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], priorities=3)",
        ValueError,
        "priorities must be a list with one value for each study, not 3",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], priorities=[1,2])",
        ValueError,
        "priorities has 2 values for 1 studies; give one for each",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], priorities=[1.5])",
        ValueError,
        "a priority is a whole number, larger goes first, not 1.5",
    ),
    (
        'hippo.optimize([(create(), GridSearch(GRID, until=2))], priorities=["high"])',
        ValueError,
        "a priority is a whole number, larger goes first, not 'high'",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], shares=[0])",
        ValueError,
        "a share is a number above 0, not 0",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], shares=[-1])",
        ValueError,
        "a share is a number above 0, not -1",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], shares=[nan])",
        ValueError,
        "a share is a number above 0, not nan",
    ),
    (
        'hippo.optimize([(create(), GridSearch(GRID, until=2))], shares=["half"])',
        ValueError,
        "a share is a number above 0, not 'half'",
    ),
    (
        'hippo.optimize([(create(), GridSearch(GRID, until=2))], shares={"a":1})',
        ValueError,
        "shares must be a list with one value for each study, not {'a': 1}",
    ),
    (
        "hippo.optimize([(create(), GridSearch(GRID, until=2))], weights=[1])",
        TypeError,
        "'weights': it is called shares here",
    ),
    (
        'hippo.optimize([(hippo.Study("memory://"), GridSearch(GRID, until=2))])',
        Exception,
        "Study('memory://') is only a place for studies; call .create(...) or",
    ),
    (
        'create().evaluate({"lr":0.1})',
        TypeError,
        "Study.evaluate() was called wrongly: missing a required argument: 'until'. It",
    ),
    ('create().evaluate({"lr":0.1}, until=0)', ValueError, "until must be at least 1, not 0"),
    ('create().evaluate({"lr":0.1}, until=-1)', ValueError, "until must be at least 1, not -1"),
    ('create().evaluate({"lr":0.1}, until=1.5)', ValueError, "until must be an integer of at least 1, not 1.5 (float)"),
    ('create().evaluate({"lr":0.1}, until="3")', ValueError, "until must be an integer of at least 1, not '3' (str)"),
    (
        'create().evaluate({"lr":0.1}, until=10**20)',
        ValueError,
        "until must be at most 9,223,372,036,854,775,807, not 100000000000000000000",
    ),
    (
        'create().evaluate({"lr":0.1}, until=True)',
        ValueError,
        "until must be an integer of at least 1, not True (bool)",
    ),
    (
        'create().evaluate({"lr":0.1}, until=None)',
        ValueError,
        "until must be an integer of at least 1, not None (NoneType)",
    ),
    ('create().evaluate({"lr":0.1}, until=nan)', ValueError, "until must be an integer of at least 1, not nan (float)"),
    ('create().evaluate({"lr":0.1}, until=[3])', ValueError, "until must be an integer of at least 1, not [3] (list)"),
    (
        "create().evaluate(0.1, until=3)",
        ValueError,
        'A config is a mapping of names to values or sequences, such as {"lr": 0.1},',
    ),
    (
        'create().evaluate("lr=0.1", until=3)',
        ValueError,
        'A config is a mapping of names to values or sequences, such as {"lr": 0.1},',
    ),
    (
        "create().evaluate(None, until=3)",
        ValueError,
        'A config is a mapping of names to values or sequences, such as {"lr": 0.1},',
    ),
    (
        'create().evaluate([{"lr":0.1}], until=3)',
        ValueError,
        'A config is a mapping of names to values or sequences, such as {"lr": 0.1},',
    ),
    (
        'create().evaluate({"lr": nan}, until=2)',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    (
        'create().evaluate({"lr": uniform(0,1)}, until=2)',
        ValueError,
        "Hyper-parameter 'lr': uniform(0.0, 1.0) is not a value yet: give it to a",
    ),
    (
        'create().evaluate({"lr": choice(1,2)}, until=2)',
        ValueError,
        "Hyper-parameter 'lr': choice(1, 2) is not a value yet: give it to a",
    ),
    (
        "create().evaluate({3: 0.1}, until=2)",
        ValueError,
        "The name of a hyper-parameter must be a string that is not empty, not 3.",
    ),
    (
        'create().evaluate({"": 0.1}, until=2)',
        ValueError,
        "The name of a hyper-parameter must be a string that is not empty, not ''.",
    ),
    (
        'create().evaluate({"lr": lambda step: 0.1}, until=2)',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    ('create().evaluate({"lr": "fast"}, until=2)', RuntimeError, "could not convert string to float: 'fast'"),
    ('create().evaluate({"lr":0.1}, steps=3)', TypeError, "'steps': say how many steps: until="),
    ('create().evaluate({"lr":0.1}, epochs=3)', TypeError, "'epochs': say how many steps: until="),
    ('create().eval({"lr":0.1}, step=0)', ValueError, "until must be at least 1, not 0"),
    (
        'create().eval({"lr":0.1}, until=3)',
        TypeError,
        "'until': it is called step here, as in the paper; study.evaluate(config,",
    ),
    (
        'create().enqueue({"lr":0.1})',
        TypeError,
        "Study.enqueue() was called wrongly: missing a required argument: 'until'. It",
    ),
    ('create().enqueue({"lr":0.1}, until=0)', ValueError, "until must be at least 1, not 0"),
    ('create().enqueue({"lr":0.1}, until="3")', ValueError, "until must be an integer of at least 1, not '3' (str)"),
    (
        'create().enqueue({"lr": nan}, until=3)',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    ('create(hparams=["lr"]).enqueue({"lrr": 0.1}, until=3)', ValueError, "Did you mean 'lr'?"),
    ('__import__("asyncio").run(create().ask({"lr":0.1}, until=0))', ValueError, "until must be at least 1, not 0"),
    (
        '__import__("asyncio").run(create().ask("lr", until=3))',
        ValueError,
        'A config is a mapping of names to values or sequences, such as {"lr": 0.1},',
    ),
    (
        '__import__("asyncio").run(create().ask({"lr":0.1}, until=1.5))',
        ValueError,
        "until must be an integer of at least 1, not 1.5 (float)",
    ),
    (
        '__import__("asyncio").run(create().ask({"lr":0.1}))',
        TypeError,
        "Study.ask() was called wrongly: missing a required argument: 'until'. It is",
    ),
    (
        'create().evaluate({"lr": Exponential(1.0, 10.0)}, until=400)',
        ValueError,
        "lr=Exponential(1.0, 10.0) cannot be used at step 399: The exponential piece",
    ),
    (
        'create().evaluate({"lr": hippo.Sequence()}, until=2)',
        ValueError,
        "Sequence needs a method `value(self, t)` that returns its value at step t.",
    ),
    (
        "run(SamplerSearch(dict, DRAWS, until=1, num_trials=3))",
        ValueError,
        "A sampler is one of ['cmaes', 'gp', 'nsga2', 'nsga3', 'qmc', 'random',",
    ),
    (
        'run(SamplerSearch("tpe", DRAWS, until=1, num_trials=3, options={"n_startup": 3}))',
        ValueError,
        "Did you mean 'n_startup_trials'?",
    ),
    (
        'run(ASHA(Sampled("tpe", DRAWS, {"n_startup": 3}), 1, 2, 2, num_trials=2))',
        ValueError,
        "Did you mean 'n_startup_trials'?",
    ),
    (
        'run(BOHB({"lr": randn()}, 3))',
        ValueError,
        "randn(0.0, 1.0) cannot be searched by a sampler: it is neither a range nor a",
    ),
    (
        'run(SamplerSearch("tpe", {"lr": randint(2**53, 2**53 + 3)}, until=1, num_trials=3))',
        ValueError,
        "cannot be searched by a sampler: Optuna reckons in floats, which tell whole numbers apart up to 2**53.",
    ),
    (
        'run(GridSearch([{"lr": choice(0.1, 0.2)}], until=2))',
        ValueError,
        "Hyper-parameter 'lr': choice(0.1, 0.2) is not a value yet: give it to a",
    ),
    (
        'run(RandomSearch({"lr": Chain(Warmup(5,0.1), uniform)}, 2, until=2))',
        ValueError,
        "hippo has no sample_from: a function cannot be compared, stored or shared.",
    ),
    (
        'run(type("T",(hippo.Tuner,),{"tune": TuneNoUntil})())',
        TypeError,
        "ask() was called wrongly: missing a required argument: 'until'. It is called",
    ),
    (
        'run(trainer=type("T",(ToyTrainer,),{"train": property(lambda self: None)}))',
        TypeError,
        "T.train is <property object at",
    ),
    ('create(constraints=["luck <= 1", "luck >= 2"])', ValueError, "no value keeps both luck <= 1.0 and luck >= 2.0"),
    (
        'create(constraints="luck <= 1", metric=None, mode=None)',
        ValueError,
        "constraints='luck <= 1' need a metric: they say which trials rank behind",
    ),
]


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_what_cannot_be_run_is_refused(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)
