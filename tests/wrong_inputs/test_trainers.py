"""Trainers with methods that cannot be called, or return what they must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    ("run(trainer=trainer(train=None))", TypeError, "Wrong.train is None, and hippo calls train()."),
    ("run(trainer=trainer(train=3))", TypeError, "Wrong.train is 3, and hippo calls train()."),
    (
        "run(trainer=trainer(evaluate=lambda self: None))",
        RuntimeError,
        "evaluate() returned None; return a dict of metrics by name, such as {'loss':",
    ),
    (
        "run(trainer=trainer(evaluate=lambda self: 0.5))",
        RuntimeError,
        "evaluate() returned 0.5; return a dict of metrics by name, such as {'loss':",
    ),
    (
        "run(trainer=trainer(evaluate=lambda self: {}))",
        ValueError,
        "the study's metric is 'loss', and there is nothing in what evaluate() returned,",
    ),
    ('run(trainer=trainer(evaluate=lambda self: {"los": 0.5}))', ValueError, "Did you mean 'los'?"),
    (
        'run(trainer=trainer(evaluate=lambda self: {"loss": "low"}))',
        RuntimeError,
        "evaluate() returned metric 'loss' = str 'low'; a metric is one real number: a",
    ),
    (
        'run(trainer=trainer(evaluate=lambda self: {"loss": None}))',
        RuntimeError,
        "evaluate() returned metric 'loss' = NoneType None; a metric is one real",
    ),
    (
        'run(trainer=trainer(evaluate=lambda self, batch: {"loss": 0.5}))',
        TypeError,
        "hippo calls evaluate() of Wrong, which does not fit it: missing a required",
    ),
    (
        'run(trainer=trainer(evaluate=lambda: {"loss": 0.5}))',
        TypeError,
        "hippo calls evaluate() of Wrong, which does not fit it: too many positional",
    ),
    (
        "run(trainer=trainer(train=lambda self: 0.5))",
        RuntimeError,
        "train() returned 0.5; return a dict of metrics by name, such as {'loss': 0.5}",
    ),
    (
        'run(trainer=trainer(train=lambda self: "done"))',
        RuntimeError,
        "train() returned 'done'; return a dict of metrics by name, such as {'loss':",
    ),
    (
        'run(trainer=trainer(train=lambda self: {"slope": "steep"}))',
        RuntimeError,
        "train() returned metric 'slope' = str 'steep'; a metric is one real number: a",
    ),
    (
        "run(trainer=trainer(train=lambda self: {3: 1.0}))",
        RuntimeError,
        "train() returned a metric named 3; names are strings that are not empty",
    ),
    (
        "run(trainer=trainer(train=lambda self, epoch: None))",
        TypeError,
        "hippo calls train() of Wrong, which does not fit it: missing a required",
    ),
    (
        "run(trainer=trainer(state_dict=lambda self: {}))",
        RuntimeError,
        "step [1, 2) was run again from its checkpoint, and came to something else:",
    ),
    (
        "run(trainer=trainer(state_dict=lambda self: None))",
        RuntimeError,
        "state_dict() returned None; return a dict of everything that train() changes",
    ),
    (
        "run(trainer=trainer(state_dict=lambda self: []))",
        RuntimeError,
        "state_dict() returned []; return a dict of everything that train() changes",
    ),
    (
        "run(trainer=trainer(state_dict=lambda self: 3))",
        RuntimeError,
        "state_dict() returned 3; return a dict of everything that train() changes",
    ),
    (
        'run(trainer=trainer(state_dict=lambda self: {"f": open}))',
        RuntimeError,
        "state['f'] is a builtins.builtin_function_or_method, which cannot be saved",
    ),
    (
        'run(trainer=trainer(state_dict=lambda self: {"f": lambda: 3}))',
        RuntimeError,
        "state['f'] is a builtins.function, which cannot be saved safely: store what",
    ),
    (
        'run(trainer=trainer(state_dict=lambda self: {"f": {1,2}}))',
        RuntimeError,
        "step [1, 2) was run again from its checkpoint, and came to something else:",
    ),
    (
        'run(trainer=trainer(state_dict=lambda self: {"f": object()}))',
        RuntimeError,
        "state['f'] is a builtins.object, which cannot be saved safely: store the",
    ),
    (
        'run(trainer=trainer(state_dict=lambda self: {"f": (x for x in [])}))',
        RuntimeError,
        "state['f'] is a builtins.generator, which cannot be saved safely: store its",
    ),
    (
        "run(trainer=trainer(state_dict=lambda self, full: {}))",
        TypeError,
        "hippo calls state_dict() of Wrong, which does not fit it: missing a required",
    ),
    (
        "run(trainer=trainer(load_state_dict=lambda self: None))",
        TypeError,
        "hippo calls load_state_dict(state) of Wrong, which does not fit it: too many",
    ),
    (
        "run(trainer=trainer(load_state_dict=lambda self, state: None))",
        RuntimeError,
        "step [1, 2) was run again from its checkpoint, and came to something else:",
    ),
    (
        "run(trainer=trainer(build=lambda self, hp: None))",
        TypeError,
        "hippo calls build() of Wrong, which does not fit it: missing a required",
    ),
    ("run(trainer=trainer(build=None))", TypeError, "Wrong.build is None, and hippo calls build()."),
    (
        "run(trainer=trainer(setup=lambda self: None))",
        TypeError,
        "hippo calls setup(hp) of Wrong, which does not fit it: too many positional",
    ),
    (
        'run(trainer=trainer(setup=lambda self, hp: hp["learning_rate"]))',
        RuntimeError,
        "no hyper-parameter 'learning_rate' here: setup() gets only the values that",
    ),
    (
        "run(trainer=trainer(__init__=lambda self: 1/0))",
        TypeError,
        "__init__() of the trainer raised, so that no trial can begin:",
    ),
    (
        "run(trainer=trainer(__init__=lambda self, size: None))",
        TypeError,
        "trainer_args do not fit Wrong.__init__: missing a required argument: 'size'.",
    ),
    (
        "run(trainer=trainer(__init__=lambda: None))",
        TypeError,
        "trainer_args do not fit Wrong.__init__: too many positional arguments. It",
    ),
    ("run(trainer=trainer(__init__=lambda self: 3))", RuntimeError, "'Wrong' object has no attribute 'size'"),
    ("run(trainer=trainer(build=lambda self: 1/0))", RuntimeError, "ZeroDivisionError: division by zero"),
    (
        "run(trainer=trainer(train=lambda self: (yield 3)))",
        TypeError,
        "Wrong.train is a coroutine or generator; hippo calls train(), which returns.",
    ),
    ('run(trainer=trainer(hparams="lr"))', ValueError, "Wrong.hparams='lr': give the names as a list, ['lr']"),
    (
        'run(trainer=trainer(hparams=["momentum"]))',
        ValueError,
        "Wrong knows no hyper-parameter 'lr'; it knows ['momentum'].",
    ),
    (
        "run(trainer=trainer(hparams=3))",
        ValueError,
        "Wrong.hparams must be a list of names, each once, such as ['lr', 'momentum'],",
    ),
    (
        'run(trainer=trainer(hparams={"lr": 0.1}))',
        ValueError,
        "Wrong.hparams must be a list of names, each once, such as ['lr', 'momentum'],",
    ),
    (
        'run(trainer=trainer(hparams=("lr", 3)))',
        ValueError,
        "Wrong.hparams must be a list of names, each once, such as ['lr', 'momentum'],",
    ),
    ("run(trainer=trainer(dataset=object()))", TypeError, "dataset=<object object at"),
    (
        "run(trainer=trainer(dataset=numpy.zeros(3)))",
        TypeError,
        "dataset=array([0., 0., 0.]) cannot identify a data set; name it by a string",
    ),
    (
        "run(trainer=trainer(check_config=3))",
        TypeError,
        "Wrong.check_config is 3, and hippo calls check_config(config, until).",
    ),
    (
        "run(trainer=trainer(check_config=lambda self: None))",
        TypeError,
        "hippo calls check_config(config, until) of Wrong, which does not fit it: too",
    ),
    (
        'run(trainer=trainer(train=__import__("asyncio").sleep))',
        TypeError,
        "Wrong.train is a coroutine or generator; hippo calls train(), which returns.",
    ),
    (
        'run(trainer=type("Async",(ToyTrainer,),{"train": AsyncTrain}))',
        TypeError,
        "Async.train is a coroutine or generator; hippo calls train(), which returns.",
    ),
    (
        'run(trainer=type("Async",(ToyTrainer,),{"evaluate": AsyncTrain}))',
        TypeError,
        "Async.evaluate is a coroutine or generator; hippo calls evaluate(), which",
    ),
    (
        'create(trainer=type("Half",(hippo.Trainer,),{"train": lambda self: None}))',
        TypeError,
        "Half does not define evaluate(), load_state_dict(), state_dict().",
    ),
]


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_a_trainer_that_cannot_train_is_told_what_is_wrong(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)
