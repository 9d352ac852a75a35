from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hippo.errors import HparamError, SpaceError
from hippo.hparams import (
    Chain,
    Config,
    ConfigList,
    Constant,
    Exponential,
    GridSearchSpace,
    MultiStep,
    Piecewise,
    RandomSearchSpace,
    Sequence,
    Template,
    Warmup,
    choice,
    lograndint,
    loguniform,
    qlograndint,
    qloguniform,
    qrandint,
    qrandn,
    quniform,
    randint,
    randn,
    uniform,
)


def draws(distribution: Any, count: int = 300) -> list[Any]:
    rng = np.random.default_rng(0)
    return [distribution.sample(rng) for _ in range(count)]


# -------------------------------------------------------------------------------------------------------- grids


def test_a_grid_is_the_product_of_its_options_the_last_varying_fastest() -> None:
    space = GridSearchSpace({"lr": [0.1, MultiStep(0.1, [5], 0.1)], "batch_size": [64, 128]})
    assert len(space) == 4
    assert [config.params["batch_size"] for config in space] == [64, 128, 64, 128]
    assert list(space) == list(space)
    assert next(iter(space)) == Config(lr=0.1, batch_size=64)


def test_a_filter_makes_a_conditional_space() -> None:
    space = GridSearchSpace(
        {"optimizer": ["adam", "sgd"], "momentum": [0.0, 0.9]},
        filter=lambda config: config["optimizer"] == "sgd" or config["momentum"] == 0.0,
    )
    assert len(space) == len(list(space)) == 3


def test_a_choice_within_an_option_of_a_grid_stands_for_each_of_its_own() -> None:
    space = GridSearchSpace(
        {"opt": [{"name": "sgd", "momentum": choice(0.0, 0.9)}, {"name": "adam"}], "lr": choice(0.1, 0.2)}
    )
    assert [config.params for config in space][::2] == [
        {"lr": 0.1, "opt": {"name": "sgd", "momentum": 0.0}},
        {"lr": 0.1, "opt": {"name": "sgd", "momentum": 0.9}},
        {"lr": 0.1, "opt": {"name": "adam"}},
    ]
    assert len(GridSearchSpace({"lr": [MultiStep(choice(0.1, 0.2), [choice(10, 15)], 0.1), 0.3]})) == 5


def test_a_dictionary_in_a_grid_is_a_grid_of_dictionaries() -> None:
    space = GridSearchSpace({"opt": {"name": ["sgd", "adam"], "betas": [Constant([0.9, 0.99])], "in": {"wd": [0, 1]}}})
    assert len(space) == 4
    assert next(iter(space))["opt"] == {"name": "sgd", "betas": [0.9, 0.99], "in": {"wd": 0}}


def test_ray_tunes_grid_search_is_a_list_of_options() -> None:
    rays = GridSearchSpace({"lr": {"grid_search": [0.1, 0.2]}, "opt": [{"wd": {"grid_search": [0, 1]}}]})  # type: ignore[dict-item]
    assert list(rays) == list(GridSearchSpace({"lr": [0.1, 0.2], "opt": [{"wd": 0}, {"wd": 1}]}))


@pytest.mark.parametrize("filter", [None, lambda c: c["a"] != c["b"]])
def test_a_shuffled_grid_has_the_same_configs_in_another_order_that_the_seed_decides(filter: Any) -> None:
    space = GridSearchSpace({"a": range(5), "b": range(5)}, filter=filter)
    shuffled = list(space.shuffled(np.random.default_rng(1)))
    assert shuffled == list(space.shuffled(np.random.default_rng(1))) != list(space)
    assert sorted(map(str, shuffled)) == sorted(map(str, space))
    assert shuffled != list(space.shuffled(np.random.default_rng(2)))


def test_a_grid_is_enumerated_lazily() -> None:
    space = GridSearchSpace({name: list(range(100)) for name in "abc"}, filter=lambda config: True)
    assert next(iter(space)) == Config(a=0, b=0, c=0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GridSearchSpace({"optimizer": "sgd"}), r"must be a list, not 'sgd'; for one option write \['sgd'\]"),
        (lambda: GridSearchSpace({"lr": 0.1}), r"write \[0.1\]"),  # type: ignore[dict-item]
        (lambda: GridSearchSpace({"lr": Constant(0.1)}), r"write \[Constant\(0.1\)\]"),  # type: ignore[dict-item]
        (lambda: GridSearchSpace({"lr": {0.1, 0.2}}), "must be a list"),
        (lambda: GridSearchSpace({"lr": []}), "'lr' has no options"),
        (lambda: GridSearchSpace({}), "The space is empty"),
        (lambda: GridSearchSpace([1]), "mapping of hyper-parameters' names"),  # type: ignore[arg-type]
        (lambda: GridSearchSpace({"lr": uniform(0, 1)}), "use RandomSearchSpace"),
        (lambda: GridSearchSpace({"lr": [0.1, uniform(0, 1)]}), "use RandomSearchSpace"),
        (lambda: GridSearchSpace({"lr": [1, 2]}, filter=lambda config: False), "none of the 2 configs"),
        (lambda: GridSearchSpace({"lr": [float("nan")]}), "'lr': .*cannot be nan"),
        (lambda: GridSearchSpace({1: [1]}), "must be a string"),  # type: ignore[dict-item]
        (
            lambda: GridSearchSpace({name: range(1000) for name in "abc"}, filter=lambda config: True),
            r"1,000,000,000 configs before its filter, more than 10,000,000.*max_configs=1000000000",
        ),
        (lambda: GridSearchSpace({"opt": {"name": "sgd"}}), r"'opt.name' must be a list, not 'sgd'"),
        (lambda: GridSearchSpace({"lr": [{"wd": uniform(0, 1)}]}), r"'lr.wd' is uniform.*use RandomSearchSpace"),
        (lambda: GridSearchSpace({"lr": {"grid_search": []}}), "'lr.grid_search' has no options"),
        (lambda: GridSearchSpace({"lr": [{"wd": MultiStep(1.0, [2], 0.1)}]}), "a hyper-parameter of its own"),
        (lambda: GridSearchSpace({"lr": [nested(5000)]}), "'lr': .*nested more than 100 deep"),
        (lambda: RandomSearchSpace({"lr": nested(5000)}), "'lr': .*nested more than 100 deep"),
        (lambda: RandomSearchSpace({"lr": []}), r"'lr' has no options.*Constant\(\[\]\)"),
        (lambda: RandomSearchSpace({"lr": [0.1, object()]}), "'lr': .*JSON can hold"),
        (lambda: RandomSearchSpace({"lr": {"grid_search": [1, 2]}}), r"write choice\(\[1, 2\]\)|Write choice"),
        (lambda: RandomSearchSpace({"lr": lambda spec: 0.1}), "'lr': hippo has no sample_from: .*hippo.choice"),
        (lambda: GridSearchSpace({"lr": lambda spec: 0.1}), "'lr': hippo has no sample_from"),  # type: ignore[dict-item]
        (lambda: ConfigList([]), "is empty"),
        (lambda: ConfigList({"lr": 1}), r"write \[config\]"),  # type: ignore[dict-item]
        (lambda: RandomSearchSpace({}), "The space is empty"),
        (lambda: RandomSearchSpace({"lr": object()}), "'lr': .*JSON can hold"),
    ],
)
def test_bad_spaces_are_refused_with_advice(build: Any, message: str) -> None:
    with pytest.raises((SpaceError, HparamError), match=message):
        build()


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_large_grid_can_be_allowed() -> None:
    space = GridSearchSpace({name: range(1000) for name in "abc"}, max_configs=10**9)
    assert len(space) == 10**9


# ------------------------------------------------------------------------------------------------ distributions


@pytest.mark.parametrize(
    ("distribution", "holds"),
    [
        (uniform(-1, 2), lambda x: isinstance(x, float) and -1 <= x < 2),
        (loguniform(1e-3, 1), lambda x: isinstance(x, float) and 1e-3 <= x <= 1),
        (quniform(Decimal("0.1"), Fraction(3, 10), Decimal("0.1")), lambda x: x in [0.1, 0.2, 0.3]),
        (quniform(0, 1, 0.1), lambda x: x in [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        (qloguniform(0.001, 1, 0.001), lambda x: 0.001 <= x <= 1 and round(x, 3) == x),
        (randint(3, 6), lambda x: type(x) is int and x in (3, 4, 5)),
        (qrandint(4, 12, 4), lambda x: type(x) is int and x in (4, 8, 12)),
        (choice("a", 1, None), lambda x: x in ("a", 1, None)),
        (choice([10, 15]), lambda x: x in (10, 15)),
        (choice(range(10, 12)), lambda x: x in (10, 11)),
        (lograndint(1, 1000), lambda x: type(x) is int and 1 <= x < 1000),
        (qlograndint(8, 64, 8), lambda x: type(x) is int and x in range(8, 65, 8)),
        (randn(1.0, 2.0), lambda x: isinstance(x, float) and abs(x - 1) < 12),
        (qrandn(0.0, 1.0, 0.1), lambda x: round(x, 1) == x),
    ],
    ids=lambda thing: repr(thing) if hasattr(thing, "sample") else "",
)
def test_a_distribution_draws_what_its_name_says(distribution: Any, holds: Any) -> None:
    values = draws(distribution)
    assert all(map(holds, values))
    assert len(set(values)) > 1
    assert values == draws(distribution)


def test_a_lograndint_draws_each_decade_as_often() -> None:
    small = sum(value < 10 for value in draws(lograndint(1, 100), 2000))
    assert 900 < small < 1100  # mean 1000, standard deviation 22


def test_discrete_distributions_reach_every_value() -> None:
    assert set(draws(randint(3, 6))) == {3, 4, 5}
    assert set(draws(qrandint(4, 12, 4))) == {4, 8, 12}
    assert {0.0, 1.0} <= set(draws(quniform(0, 1, 0.25)))


def test_each_multiple_of_a_qlograndint_stands_for_all_up_to_the_next_one_the_last_one_too() -> None:
    drawn = draws(qlograndint(8, 16, 8), 2000)
    assert 1150 < drawn.count(8) < 1373  # ln 2 / ln 3 of them, 1262; standard deviation 22
    assert set(drawn) == {8, 16}


def test_a_loguniform_draws_each_decade_as_often() -> None:
    small = sum(value < 0.1 for value in draws(loguniform(0.01, 1), 2000))
    assert 900 < small < 1100  # mean 1000, standard deviation 22


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: uniform(1, 1), "low must be below high"),
        (lambda: loguniform(0, 1), "needs low above 0"),
        (lambda: quniform(0, 1, 0), "q must be above 0"),
        (lambda: quniform(0, 1, 0.3), "must be multiples of q"),
        (lambda: qrandint(0, 10, 4), "must be multiples of q"),
        (lambda: quniform(0, 1, 1e-30), "more multiples of q than can be told apart"),
        (lambda: randint(0, 2**70), "drawn with 64 bits"),
        (lambda: qrandint(0, 2**70, 2), "drawn with 64 bits"),
        (lambda: lograndint(0, 3), "needs low above 0"),
        (lambda: qlograndint(1, 10, 4), "must be multiples of q"),
        (lambda: randn(0, 0), "randn's sd must be above 0"),
        (lambda: qrandn(0, 1, -1), "qrandn's q must be above 0"),
        (lambda: uniform(-1e308, 1e308), "wider than floats"),
        (lambda: randint(0.5, 3), "whole number"),  # type: ignore[arg-type]
        (lambda: uniform("a", 1), "must be a number"),  # type: ignore[arg-type]
        (lambda: choice(), "at least one option"),
    ],
)
def test_bad_distributions_are_refused_with_advice(build: Any, message: str) -> None:
    with pytest.raises((SpaceError, HparamError), match=message):
        build()


# ---------------------------------------------------------------------------------------------------- templates


def test_a_sequence_with_a_distribution_among_its_arguments_is_a_template() -> None:
    template: Any = MultiStep(loguniform(1e-3, 1), [choice(10, 15), 20], 0.1)
    assert isinstance(template, Template)
    assert repr(template) == "MultiStep(loguniform(0.001, 1.0), [choice(10, 15), 20], 0.1)"
    drawn = draws(template, 50)
    assert all(isinstance(sequence, MultiStep) for sequence in drawn)
    assert {sequence.milestones for sequence in drawn} == {(10, 20), (15, 20)}


@pytest.mark.parametrize(
    "template",
    [
        Chain(Warmup(randint(3, 6), 0.1), Exponential(0.1, choice(0.9, 0.95))),
        Warmup(5, 0.1).then(Exponential(uniform(0.1, 0.2), 0.9)),
        Exponential(uniform(0.1, 0.2), 0.9).take(5).then(0.1),
        Exponential(0.1, 0.9).take(randint(3, 9)).then(0.1),
        Piecewise([choice(0.1, 0.2), Exponential(uniform(0.1, 0.2), 0.9)], [quniform(5, 20, 5)]),
        Constant({"betas": [0.9, uniform(0.9, 0.99)]}),
        choice(MultiStep(uniform(0.1, 0.2), [5], 0.1), 0.1, Constant(0.1)),
    ],
    ids=repr,
)
def test_distributions_may_stand_anywhere(template: Any) -> None:
    space = RandomSearchSpace({"lr": template})
    configs = draws(space, 20)
    assert all(isinstance(config["lr"], Sequence) for config in configs)
    assert len(set(configs)) > 1
    assert configs == draws(space, 20)


def test_a_random_space_mixes_distributions_sequences_and_values() -> None:
    space = RandomSearchSpace({"lr": loguniform(1e-3, 1), "wd": Exponential(0.1, 0.9), "optimizer": "sgd"})
    config = draws(space, 1)[0]
    assert config["wd"] == Exponential(0.1, 0.9)
    assert config["optimizer"] == "sgd"


def test_a_list_in_a_random_space_is_a_choice_among_its_items() -> None:
    space = RandomSearchSpace({"bs": [32, 64], "betas": Constant([0.9, 0.99]), "opt": {"name": ["sgd", "adam"]}})
    configs = draws(space, 50)
    assert {config["bs"](0) for config in configs} == {32, 64}
    assert {config["opt"](0)["name"] for config in configs} == {"sgd", "adam"}
    assert configs[0]["betas"] == [0.9, 0.99]


def test_members_of_a_conditional_space_exist_only_with_what_decides_them() -> None:
    space = RandomSearchSpace({"opt": [{"name": "sgd", "momentum": uniform(0, 1)}, {"name": "adam"}]})
    flat = [config.flat_params for config in draws(space, 50)]
    assert {frozenset(params) for params in flat} == {frozenset({"opt.name", "opt.momentum"}), frozenset({"opt.name"})}
    assert all(("opt.momentum" in params) == (params["opt.name"] == "sgd") for params in flat)


def test_a_random_space_draws_again_what_its_filter_refuses() -> None:
    space = RandomSearchSpace({"n": randint(0, 10)}, filter=lambda config: config["n"](0) % 2 == 0)  # type: ignore[operator]
    assert {config["n"](0) for config in draws(space)} == {0, 2, 4, 6, 8}
    with pytest.raises(SpaceError, match="refused 10,000 configs in a row"):
        draws(RandomSearchSpace({"n": randint(0, 10)}, filter=lambda config: False), 1)


def test_equal_random_spaces_have_equal_keys() -> None:
    def space(high: float, odd: bool = False) -> RandomSearchSpace:
        hparams = {"lr": MultiStep(loguniform(1e-3, high), [choice(10, 15)], 0.1), "size": choice(64, 128), "o": "sgd"}
        if odd:
            return RandomSearchSpace(hparams, filter=lambda config: config["size"] == 64)
        return RandomSearchSpace(hparams)

    assert space(1).key == space(1.0).key
    assert len({space(1).key, space(0.5).key, space(1, odd=True).key}) == 3


def test_a_list_or_dictionary_that_is_changed_later_changes_no_draw() -> None:
    milestones, options = [10], {"name": "sgd", "betas": [0.9]}
    space = RandomSearchSpace({"lr": MultiStep(uniform(0.1, 0.2), milestones, 0.1), "opt": choice(options, options)})
    before = space.sample(np.random.default_rng(0))
    milestones.append(20)
    options["name"] = "adam"
    options["betas"].append(0.1)  # type: ignore[attr-defined]
    assert space.sample(np.random.default_rng(0)) == before
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(HparamError, match="holds itself"):
        RandomSearchSpace({"lr": choice(circle, 1)})
