from __future__ import annotations

import copy
import json
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import HparamError, UnknownHparamError
from hippo.hparams import Chain, Config, Constant, Exponential, Linear, Piecewise, Warmup, as_config, path, uniform
from hippo.hparams.config import flat_params_of

from . import drawn


def lowered(config: Config, until: int = 60) -> list[tuple[int, list[str]]]:
    return [(start, [piece.key for piece in pieces.values()]) for start, pieces in path(config, until)]


def test_plain_values_become_constants_and_names_are_in_order() -> None:
    config = as_config({"lr": 0.1, "batch_size": 128})
    assert list(config) == ["batch_size", "lr"]
    assert config["lr"] == Constant(0.1)
    assert as_config(config) is config


def test_equal_configs_are_those_written_alike_in_any_order() -> None:
    assert Config(a=1, b=2) == Config({"b": 2}, a=1)
    assert len({Config(a=1), Config(a=1.0), Config(a=True)}) == 3
    assert Config(a=1) != {"a": 1}.items()


def test_a_config_equals_the_mapping_that_makes_it() -> None:
    config = Config({"lr": Linear(0.1, 0.1), "betas": (0.9, 0.99), "n": 1})
    assert config == {"betas": [0.9, 0.99], "n": 1, "lr": Linear(0.1, 0.1)}
    assert {"betas": (0.9, 0.99), "n": 1, "lr": Linear(0.1, 0.1)} == config
    assert config in [{"lr": 0.1}, dict(config)]
    for other in ({"n": 1}, {**config, "n": 1.0}, {**config, "n": uniform(0, 1)}, {**config, "n": {1: 2}}, None, [1]):
        assert config != other


@given(drawn.configs)
def test_a_config_survives_json_and_pickle(config: Config) -> None:
    for again in (Config.from_json(json.loads(json.dumps(config.to_json()))), pickle.loads(pickle.dumps(config))):
        assert again == config
        assert again.key == config.key
        assert lowered(again) == lowered(config)


def test_values_and_params_of_a_config() -> None:
    config = Config(lr=Linear(0, 1), optimizer="sgd")
    assert config.values_at(2.5) == {"lr": 2.5, "optimizer": "sgd"}
    assert config.params == {"lr": "Linear(0, slope=1)", "optimizer": "sgd"}
    assert repr(config) == "Config({'lr': Linear(0, slope=1), 'optimizer': 'sgd'})"
    assert eval(repr(config)) == config


# ------------------------------------------------------------------------------------------------------- switch


@given(drawn.configs, drawn.sequences, st.integers(0, 40))
def test_a_switched_config_is_the_old_one_before_and_has_the_new_sequence_after(
    config: Config, after: Any, at: int
) -> None:
    switched = config.switch(at=at, lr=after)
    assert [switched.values_at(t) for t in range(at)] == [config.values_at(t) for t in range(at)]
    assert all(repr(switched["lr"](at + t)) == repr(after(t)) for t in range(20))
    if at:
        assert lowered(switched, at) == lowered(config, at)


@given(drawn.configs, drawn.sequences, drawn.sequences, st.integers(1, 30), st.integers(1, 30))
def test_switches_of_switches_follow_one_another(config: Config, one: Any, two: Any, first: int, second: int) -> None:
    twice = config.switch(at=first, lr=one).switch(at=second, lr=two)
    once = config.switch(at=first, lr=one)
    assert lowered(twice, second) == lowered(once, second)
    assert all(repr(twice["lr"](second + t)) == repr(two(t)) for t in range(20))


def test_names_that_are_not_switched_keep_their_origin() -> None:
    config = Config(lr=Warmup(5, 0.1).then(Exponential(0.1, 0.9)), batch_size=128)
    *_, (start, pieces) = path(config.switch(at=8, batch_size=256), until=20)
    assert (start, pieces["lr"].origin) == (8, 5)


def test_a_switch_to_the_value_in_force_changes_nothing() -> None:
    config = Config(lr=0.1)
    assert lowered(config.switch(at=5, lr=Constant(0.1))) == lowered(config)


def test_a_config_that_was_switched_a_thousand_times_travels() -> None:
    config = Config(lr=0.0)
    for at in range(1, 1_001):
        config = config.switch(at=at, lr=float(at))
    assert pickle.loads(pickle.dumps(config)) == config


@pytest.mark.slow
def test_ten_thousand_switches_stay_flat() -> None:
    config = Config(lr=0.0, batch_size=128)
    for at in range(1, 10_001):
        config = config.switch(at=at, lr=float(at))
    assert config.values_at(9_999.5)["lr"] == 9_999.0
    assert sum(1 for _ in path(config, until=20_000)) == 10_001
    assert Config.from_json(config.to_json()) == config
    began = time.process_time()
    for t in range(0, 10_000, 100):
        config["lr"](t)
    # bisection takes 0.3 ms for all of them, a walk over the parts a second; a garbage collection may come between
    assert time.process_time() - began < 0.5


# ---------------------------------------------------------------------------------------------------- bad input


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    config = Config(lr=0.1, batch_size=128)
    with pytest.raises(UnknownHparamError, match=r"no hyper-parameter 'lrr'; it has .*Did you mean 'lr'\?"):
        config["lrr"]
    with pytest.raises(UnknownHparamError, match=r"Did you mean 'batch_size'\?"):
        config.switch(at=3, batchsize=64)
    assert config.get("lrr") is None
    assert "lrr" not in config


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Config(lr=float("nan")), "'lr': .* cannot be nan"),
        (lambda: Config({"model": object()}), "'model': .* what JSON can hold"),
        (lambda: Config({"": 1}), "must be a string that is not empty"),
        (lambda: Config({3: 1}), "must be a string that is not empty, not 3"),  # type: ignore[dict-item]
        (lambda: Config(lr=uniform(0, 1)), r"uniform\(0.0, 1.0\) is not a value yet"),
        (lambda: as_config([1]), "A config is a mapping"),  # type: ignore[arg-type]
        (lambda: Config(lr=1).switch(at=-1, lr=2), "at must be at least 0, not -1"),
        (lambda: Config(lr=1).switch(at=1.5, lr=2), "at must be a whole number, not 1.5"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_with_advice(build: Any, message: str) -> None:
    with pytest.raises(HparamError, match=message):
        build()


def test_a_config_of_joined_sequences_is_evaluated_between_steps() -> None:
    config = Config(lr=Piecewise([Linear(0, 1), Chain(Warmup(2, 8.0), 3.0)], [4]))
    assert [config.values_at(t)["lr"] for t in (3.5, 4, 4.5, 6)] == [3.5, 4.0, 6.0, 3.0]


def test_a_second_switch_at_one_step_takes_the_place_of_the_first() -> None:
    config = Config(lr=0.1, momentum=0.9)
    twice = config.switch(at=5, lr=0.2).switch(at=5, lr=0.3)
    assert twice == config.switch(at=5, lr=0.3)
    assert Config.from_json(twice.to_json()) == twice


def test_an_attribute_is_the_hyper_parameter_of_that_name_and_methods_win() -> None:
    config = Config(lr=0.1, keys=3, params=4)
    assert config.lr == config["lr"] == 0.1
    assert config.lr < 0.2
    assert config.lr >= 0.05
    assert list(config.keys()) == ["keys", "lr", "params"]
    assert config.params["params"] == 4
    with pytest.raises(AttributeError, match=r"no hyper-parameter 'lrr'.*Did you mean 'lr'"):
        _ = config.lrr
    assert copy.copy(config) == pickle.loads(pickle.dumps(config)) == config
    assert not hasattr(config, "__array__")


def test_a_dictionary_with_two_parts_of_one_name_stays_whole() -> None:
    config = Config({"opt": {"a.b": 1, "a": {"b": 2}}, "other": {"c": 3}})
    assert config.flat_params == {"opt": {"a.b": 1, "a": {"b": 2}}, "other.c": 3}


def test_flat_params_take_dictionaries_apart() -> None:
    config = Config(lr=0.1, opt={"name": "sgd", "betas": [0.9, 0.99], "more": {"wd": 0}, "empty": {}})
    assert config.flat_params == {
        "lr": 0.1,
        "opt.name": "sgd",
        "opt.betas": [0.9, 0.99],
        "opt.more.wd": 0,
        "opt.empty": {},
    }
    assert config.params["opt"]["name"] == "sgd"  # type: ignore[call-overload,index]


def test_a_flat_name_that_two_values_would_have_leaves_the_dictionary_whole() -> None:
    values = {"lr": 0.1, "opt": {"lr": 1}, "opt.lr": 2}
    config = Config(values)
    assert config.flat_params == values
    assert flat_params_of(config.to_json(), {}) == values
