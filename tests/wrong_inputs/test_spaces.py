"""Spaces, filters and distributions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    ("GridSearchSpace()", TypeError, "GridSearchSpace() was called wrongly: missing a required argument: 'hparams'."),
    (
        "GridSearchSpace(None)",
        ValueError,
        'A space is a mapping of hyper-parameters\' names, such as {"lr": [0.1, 0.01]},',
    ),
    (
        "GridSearchSpace([])",
        ValueError,
        'A space is a mapping of hyper-parameters\' names, such as {"lr": [0.1, 0.01]},',
    ),
    (
        'GridSearchSpace([{"lr":0.1}])',
        ValueError,
        'A space is a mapping of hyper-parameters\' names, such as {"lr": [0.1, 0.01]},',
    ),
    (
        "GridSearchSpace({})",
        ValueError,
        'The space is empty: it names no hyper-parameters. Write, for instance, {"lr":',
    ),
    (
        'GridSearchSpace({"lr": []})',
        ValueError,
        "'lr' has no options, so the grid is empty; give at least one, or leave 'lr'",
    ),
    (
        'GridSearchSpace({"lr": 0.1})',
        ValueError,
        "The options of 'lr' must be a list, not 0.1; for one option write [0.1].",
    ),
    (
        'GridSearchSpace({"lr": None})',
        ValueError,
        "The options of 'lr' must be a list, not None; for one option write [None].",
    ),
    (
        'GridSearchSpace({"lr": "sgd"})',
        ValueError,
        "The options of 'lr' must be a list, not 'sgd'; for one option write ['sgd'].",
    ),
    (
        'GridSearchSpace({"lr": [nan]})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    (
        'GridSearchSpace({"lr": [inf]})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be inf: values are",
    ),
    (
        'GridSearchSpace({"lr": [{1,2}]})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value must be what JSON can hold",
    ),
    (
        'GridSearchSpace({"lr": {0.1, 0.2}})',
        ValueError,
        "The options of 'lr' must be a list, whose order is known, not the set {0.1, 0.2}.",
    ),
    (
        'GridSearchSpace({"lr": {"a": 1}})',
        ValueError,
        "The options of 'lr.a' must be a list, not 1; for one option write [1].",
    ),
    (
        "GridSearchSpace({3: [0.1]})",
        ValueError,
        "The name of a hyper-parameter must be a string that is not empty, not 3.",
    ),
    (
        'GridSearchSpace({"": [0.1]})',
        ValueError,
        "The name of a hyper-parameter must be a string that is not empty, not ''.",
    ),
    (
        'GridSearchSpace({"lr": uniform(0,1)})',
        ValueError,
        "'lr' is a distribution, which a grid cannot enumerate; use RandomSearchSpace.",
    ),
    (
        'GridSearchSpace({"lr": [uniform(0,1)]})',
        ValueError,
        "'lr' is uniform(0.0, 1.0), a distribution, which a grid cannot enumerate; use",
    ),
    (
        'GridSearchSpace({"lr": iter([])})',
        ValueError,
        "'lr' has no options, so the grid is empty; give at least one, or leave 'lr'",
    ),
    (
        'GridSearchSpace({"lr": [lambda s: 0.1]})',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}, filter=True)',
        ValueError,
        "filter=True is no function; a function of a config is needed, such as",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}, filter="lr < 1")',
        ValueError,
        "filter='lr < 1' is no function; a function of a config is needed, such as",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}, 3)',
        ValueError,
        "filter=3 is no function; a function of a config is needed, such as",
    ),
    ('GridSearchSpace({"lr": [0.1]}, max_configs=0)', ValueError, "max_configs must be at least 1, not 0."),
    ('GridSearchSpace({"lr": [0.1]}, max_configs="many")', ValueError, "max_configs must be a number, not 'many'."),
    (
        'GridSearchSpace({"lr": range(100)}, max_configs=10)',
        ValueError,
        "The grid has 100 configs before its filter, more than 10. Take fewer options,",
    ),
    ('GridSearchSpace({"lr": [0.1]}, filters=lambda c: True)', TypeError, "Did you mean 'filter'?"),
    ('list(GridSearchSpace({"lr": [0.1]}, filter=lambda c: c["lrr"] > 0))', ValueError, "Did you mean 'lr'?"),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda c: c.lrr > 0))',
        ValueError,
        "Did you mean 'lr'?. It is called with values: c[\"lr\"], or c.lr, is a plain",
    ),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda c: False))',
        ValueError,
        "The filter lets none of the 1 configs of the grid pass.",
    ),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda c: None))',
        ValueError,
        "The filter lets none of the 1 configs of the grid pass.",
    ),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda: True))',
        ValueError,
        "The filter raised TypeError for Config({'lr': 0.1}): <lambda>() takes 0",
    ),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda lr: lr < 0.2))',
        ValueError,
        "The filter raised TypeError for Config({'lr': 0.1}): '<' not supported",
    ),
    (
        'list(GridSearchSpace({"lr": ["a"]}, filter=lambda c: c["lr"] < 0.2))',
        ValueError,
        "The filter raised TypeError for Config({'lr': 'a'}): '<' not supported",
    ),
    (
        'list(GridSearchSpace({"lr": [Linear(0.1, 0.2)]}, filter=lambda c: c["lr"] < 0.2))',
        ValueError,
        "Linear(0.1, slope=0.2) changes with the step, so it is neither smaller nor",
    ),
    (
        'list(GridSearchSpace({"lr": [0.1]}, filter=lambda c: 1/0))',
        ValueError,
        "The filter raised ZeroDivisionError for Config({'lr': 0.1}): division by",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}).merge_rate()',
        TypeError,
        "GridSearchSpace.merge_rate() was called wrongly: missing a required argument:",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}).merge_rate(until=0)',
        ValueError,
        "until must be at least 1, not 0: a trial trains for at least one step.",
    ),
    (
        'GridSearchSpace({"lr": [0.1]}).merge_rate(until="3")',
        ValueError,
        "until is a whole number of steps, not '3' of type str.",
    ),
    (
        'GridSearchSpace({"a": range(1000), "b": range(1000), "c": range(1000)})',
        ValueError,
        "The grid has 1,000,000,000 configs before its filter, more than 10,000,000.",
    ),
    (
        'GridSearchSpace({"opt": [{"name": uniform(0,1)}]})',
        ValueError,
        "'opt.name' is uniform(0.0, 1.0), a distribution, which a grid cannot",
    ),
    ("RandomSearchSpace()", TypeError, "RandomSearchSpace() was called wrongly: missing a required argument:"),
    ("RandomSearchSpace(None)", ValueError, 'A space is a mapping of hyper-parameters\' names, such as {"lr":'),
    (
        "RandomSearchSpace({})",
        ValueError,
        'The space is empty: it names no hyper-parameters. Write, for instance, {"lr":',
    ),
    ("RandomSearchSpace([])", ValueError, 'A space is a mapping of hyper-parameters\' names, such as {"lr":'),
    (
        "RandomSearchSpace([uniform(0,1)])",
        ValueError,
        'A space is a mapping of hyper-parameters\' names, such as {"lr":',
    ),
    ("RandomSearchSpace(uniform(0,1))", ValueError, 'A space is a mapping of hyper-parameters\' names, such as {"lr":'),
    (
        'RandomSearchSpace({"lr": []})',
        ValueError,
        "'lr' has no options to draw from; give at least one, or write Constant([]).",
    ),
    (
        'RandomSearchSpace({"lr": [nan]})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    (
        'RandomSearchSpace({"lr": {1,2}})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value must be what JSON can hold",
    ),
    (
        'RandomSearchSpace({"lr": nan})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    (
        'RandomSearchSpace({"lr": lambda: 0.1})',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    (
        'RandomSearchSpace({"lr": uniform})',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    (
        'RandomSearchSpace({"lr": __import__("random").random})',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    (
        'RandomSearchSpace({"lr": numpy.random.default_rng(0)})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value must be what JSON can hold",
    ),
    (
        "RandomSearchSpace({3: uniform(0,1)})",
        ValueError,
        "The name of a hyper-parameter must be a string that is not empty, not 3.",
    ),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}, filter=3)',
        ValueError,
        "filter=3 is no function; a function of a config is needed, such as",
    ),
    ('RandomSearchSpace({"lr": uniform(0,1)}, filters=None)', TypeError, "Did you mean 'filter'?"),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}).sample()',
        TypeError,
        "RandomSearchSpace.sample() was called wrongly: missing a required argument:",
    ),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}).sample(3)',
        ValueError,
        "sample() draws from a numpy.random.Generator, numpy.random.default_rng(0),",
    ),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}).sample(numpy.random)',
        ValueError,
        "sample() draws from a numpy.random.Generator, numpy.random.default_rng(0),",
    ),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}).sample(__import__("random").Random(3))',
        ValueError,
        "sample() draws from a numpy.random.Generator, numpy.random.default_rng(0),",
    ),
    (
        'RandomSearchSpace({"lr": uniform(0,1)}, filter=lambda c: False).sample(numpy.random.default_rng(0))',
        ValueError,
        "The filter refused 10,000 configs in a row; narrow the distributions instead.",
    ),
    (
        'RandomSearchSpace({"lr": __import__("optuna").distributions.FloatDistribution(0,1)})',
        ValueError,
        "Hyper-parameter 'lr': FloatDistribution is Optuna's; write hippo.uniform(0.0,",
    ),
    ("uniform()", TypeError, "uniform() was called wrongly: missing a required argument: 'low'. It is"),
    ("uniform(1, 0)", ValueError, "uniform(1, 0): low must be below high."),
    ("uniform(1, 1)", ValueError, "uniform(1, 1): low must be below high."),
    ("uniform(0, nan)", ValueError, "A hyper-parameter's value cannot be nan: values are compared and stored"),
    ("uniform(0, inf)", ValueError, "A hyper-parameter's value cannot be inf: values are compared and stored"),
    ('uniform("0", 1)', ValueError, "uniform's low must be a number, not '0'."),
    ("uniform(0, None)", ValueError, "uniform's high must be a number, not None."),
    ("uniform(True, 2)", ValueError, "uniform's low must be a number, not True."),
    ("uniform(low=0, hi=1)", TypeError, "Did you mean 'high'?"),
    ("uniform([0,1])", TypeError, "uniform() was called wrongly: missing a required argument: 'high'. It is"),
    ("uniform(0, 1, log=True)", TypeError, "'log': loguniform and lograndint draw from the logarithm"),
    ("uniform(0, 1, 0.1)", TypeError, "uniform() was called wrongly: too many positional arguments. It is called as"),
    ("loguniform(0, 1)", ValueError, "loguniform(0, 1): a logarithmic scale needs low above 0; use uniform instead."),
    ("loguniform(-1, 1)", ValueError, "loguniform(-1, 1): a logarithmic scale needs low above 0; use uniform instead."),
    ("loguniform(1, 0.1)", ValueError, "loguniform(1, 0.1): low must be below high."),
    ("loguniform(1e-3, inf)", ValueError, "A hyper-parameter's value cannot be inf: values are compared and stored"),
    ("loguniform(1e-4, 1, base=10)", TypeError, "'base': the logarithm's base changes nothing; leave it out"),
    ("randint(0, 0)", ValueError, "randint(0, 0): low must be below high."),
    ("randint(3, 1)", ValueError, "randint(3, 1): low must be below high."),
    ("randint(0.5, 3)", ValueError, "randint's low must be a whole number, not 0.5, as are those that it draws."),
    ('randint("0", 3)', ValueError, "randint's low must be a number, not '0'."),
    ("randint(3)", TypeError, "randint() was called wrongly: missing a required argument: 'high'. It is"),
    ("randint(0, True)", ValueError, "randint's high must be a number, not True."),
    ("randint(0, 10**30)", ValueError, "randint(0, 1000000000000000000000000000000): integers are drawn with 64 bits,"),
    ("lograndint(0, 3)", ValueError, "lograndint(0, 3): a logarithmic scale needs low above 0; use randint instead."),
    ("lograndint(-1, 3)", ValueError, "lograndint(-1, 3): a logarithmic scale needs low above 0; use randint instead."),
    ("lograndint(1.5, 3)", ValueError, "lograndint's low must be a whole number, not 1.5, as are those"),
    ('quniform("0", 1, 0.1)', ValueError, "quniform's low must be a number, not '0'."),
    ("qloguniform(1, None, 1)", ValueError, "qloguniform's high must be a number, not None."),
    ("quniform(0, 1, 0)", ValueError, "quniform: q must be above 0, not 0.0."),
    ("quniform(0, 1, -1)", ValueError, "quniform: q must be above 0, not -1.0."),
    ("quniform(0, 1, nan)", ValueError, "A hyper-parameter's value cannot be nan: values are compared and stored"),
    ("quniform(0, 1)", TypeError, "quniform() was called wrongly: missing a required argument: 'q'. It is called"),
    ("quniform(0, 1, 5)", ValueError, "quniform(0.0, 1.0, 5.0): low and high must be multiples of q, or be"),
    ("qloguniform(1, 10, 0)", ValueError, "qloguniform: q must be above 0, not 0.0."),
    ("qrandint(0, 10, 0)", ValueError, "qrandint: q must be above 0, not 0."),
    ("qrandint(0, 10, 20)", ValueError, "qrandint(0, 10, 20): low and high must be multiples of q, or be overstepped."),
    ("qlograndint(1, 10, 0)", ValueError, "qlograndint: q must be above 0, not 0."),
    ("qrandn(0, 1, 0)", ValueError, "qrandn's q must be above 0, not 0."),
    ("randn(0, -1)", ValueError, "randn's sd must be above 0, not -1."),
    ("randn(0, 0)", ValueError, "randn's sd must be above 0, not 0."),
    ("randn(nan, 1)", ValueError, "A hyper-parameter's value cannot be nan: values are compared and stored"),
    ('randn("0", 1)', ValueError, "randn's mean must be a number, not '0'."),
    ("choice(options=[1, 2])", TypeError, "'options': options have no name; write choice([...])"),
    ("choice(categories=[1, 2])", TypeError, "'categories': options have no name; write choice([...])"),
    ("choice([1, 2], p=[0.1, 0.9])", TypeError, "'p': each option is as likely; write one several times"),
    ("choice()", ValueError, "choice() needs at least one option, such as choice(10, 15)."),
    ("choice([])", ValueError, "choice() needs at least one option, such as choice(10, 15)."),
    ("hippo.merge_rate([], until=3)", ValueError, "There are no configs whose steps could be merged."),
    (
        "hippo.merge_rate(None, until=3)",
        ValueError,
        "None cannot be enumerated; give a grid, or a list of configs drawn from it.",
    ),
    (
        "hippo.merge_rate(3, until=3)",
        ValueError,
        "3 cannot be enumerated; give a grid, or a list of configs drawn from it.",
    ),
    (
        'hippo.merge_rate([{"lr":0.1}], until=0)',
        ValueError,
        "until must be at least 1, not 0: a trial trains for at least one step.",
    ),
    ('hippo.merge_rate([{"lr":0.1}], until="3")', ValueError, "until is a whole number of steps, not '3' of type str."),
    (
        'hippo.merge_rate([{"lr":0.1}])',
        TypeError,
        "merge_rate() was called wrongly: missing a required argument: 'until'. It is",
    ),
    (
        'hippo.merge_rate({"lr":[0.1]}, until=3)',
        ValueError,
        "merge_rate takes a list of configs, not a single one; write [config].",
    ),
    (
        "hippo.merge_rate([0.1], until=3)",
        ValueError,
        "0.1 cannot be enumerated; give a grid, or a list of configs drawn from it.",
    ),
    (
        'hippo.merge_rate(RandomSearchSpace({"lr": uniform(0,1)}), until=3)',
        ValueError,
        "RandomSearchSpace({'lr': uniform(0.0, 1.0)}) cannot be enumerated; give a",
    ),
    (
        'hippo.merge_rate([{"lr":0.1}], until=3, seconds_per_step=-1)',
        ValueError,
        "seconds_per_step must be a function, and is called by merge_rate, not -1",
    ),
    (
        'hippo.merge_rate([{"lr":0.1}], until=3, seconds_per_step="fast")',
        ValueError,
        "seconds_per_step must be a function, and is called by merge_rate, not 'fast'",
    ),
    (
        'hippo.merge_rate([{"lr":0.1}], until=3, progress=3)',
        ValueError,
        "progress must be a function, and is called by merge_rate, not 3",
    ),
    (
        'RandomSearchSpace({"lr": choice(nan, 1)})',
        ValueError,
        "Hyper-parameter 'lr': A hyper-parameter's value cannot be nan: values are",
    ),
    (
        'RandomSearchSpace({"lr": choice({1,2})})',
        ValueError,
        "not {1, 2} of type set; write a list, whose order is known.",
    ),
    (
        'RandomSearchSpace({"lr": choice(lambda: 3)})',
        ValueError,
        "Hyper-parameter 'lr': hippo has no sample_from: a function cannot be",
    ),
    (
        "Chain(Warmup(5,0.1), Constant)",
        ValueError,
        "Constant is a class; call it with its arguments, as in Constant(...).",
    ),
]


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_what_is_no_space_is_refused(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)
