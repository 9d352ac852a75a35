from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.errors import BudgetError, HparamError
from hippo.hparams import Config, Constant, Cosine, Cyclic, Exponential, MultiStep, Piecewise, Step, Warmup, path
from hippo.hparams.paths import Walk
from hippo.testing.trainers import ToyTrainer

from . import drawn


@given(drawn.configs, st.integers(1, 50))
def test_a_path_tells_the_pieces_in_force_at_every_step(config: Config, until: int) -> None:
    items = list(path(config, until))
    for step in range(until):
        pieces = [pieces for start, pieces in items if start <= step][-1]
        assert repr({name: piece.at(step) for name, piece in pieces.items()}) == repr(config.values_at(step))


@given(drawn.configs, st.integers(1, 50))
def test_starts_ascend_from_0_and_something_changes_at_each(config: Config, until: int) -> None:
    items = list(path(config, until))
    starts = [start for start, _ in items]
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert starts[-1] < until
    assert all(a[1] != b[1] for a, b in itertools.pairwise(items))


@given(drawn.configs, st.integers(1, 30), st.integers(1, 30))
def test_a_shorter_path_is_the_beginning_of_a_longer_one(config: Config, a: int, b: int) -> None:
    short, long = sorted((a, b))
    assert list(path(config, short)) == [item for item in path(config, long) if item[0] < short]


def test_a_piece_that_runs_on_over_another_ones_boundary_keeps_its_origin() -> None:
    config = Config(lr=Cosine(0.1, 20), batch_size=Piecewise([128, 256], [5]))
    (_, before), (start, after) = path(config, 20)
    assert start == 5
    assert after["lr"] == before["lr"]


def test_changes_at_one_step_make_one_item() -> None:
    config = Config(lr=MultiStep(0.1, [5, 9], 0.1), batch_size=Piecewise([1, 2], [5]), momentum=Constant(0.9))
    assert [start for start, _ in path(config, 20)] == [0, 5, 9]


def test_a_path_asks_for_nothing_beyond_its_end() -> None:
    growing = Config(lr=Step(1.0, 1, 10.0))  # leaves the range of floats at step 309
    assert sum(1 for _ in path(growing, until=309)) == 309


def test_a_config_without_hyper_parameters_has_a_path() -> None:
    assert list(path(Config(), 5)) == [(0, {})]


@pytest.mark.slow
def test_ten_thousand_paths_take_less_than_a_second() -> None:
    configs = [
        Config(
            lr=Warmup(5, i / 10_000).then(Exponential(i / 10_000, 0.95)),
            size=Piecewise([128, 256], [15]),
            c=Cyclic(0, 1, 50),
        )
        for i in range(1, 10_001)
    ]
    began = time.process_time()
    assert sum(1 for config in configs for _ in path(config, until=30)) == 30_000
    assert time.process_time() - began < 2.0  # 0.3 s on the machine it was written on; twice that when it is busy


@pytest.mark.parametrize("until", [0, -3, 1.0, 2.5, "10", True, None])
def test_until_is_a_whole_number_from_1_on(until: Any) -> None:
    with pytest.raises(BudgetError, match="until"):
        list(path(Config(lr=1), until))


def test_until_may_be_an_integer_of_numpy() -> None:
    assert len(list(path(Config(lr=Step(1, 1, 0.5)), np.int64(3)))) == 3  # type: ignore[arg-type]


def test_nothing_is_evaluated_beyond_what_is_asked_for() -> None:
    """Step(1.0, 1, 2.0) has a finite value at every step below 1024."""
    config = Config(lr=Step(1.0, 1, 2.0))
    assert sum(1 for _ in path(config, 1024)) == 1024
    walk = Walk(config)
    assert sum(1 for _ in walk.up_to(1024)) == 1024
    for _ in range(2):  # whoever asks again is told again
        with pytest.raises(HparamError, match="leaves the range of floats"):
            list(walk.up_to(1025))


def test_a_study_trains_up_to_the_last_step_that_has_a_value() -> None:
    study = hippo.create_study("last", trainer=ToyTrainer, storage="memory://", engine=hippo.InlineEngine())
    config = {"lr": 0.1, "scale": Step(1.0, 1, 1e100)}
    assert "loss" in study.evaluate(config, until=4)
    with pytest.raises(HparamError, match="leaves the range of floats"):
        study.evaluate(config, until=5)
    study.close()
