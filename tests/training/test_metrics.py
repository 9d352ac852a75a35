"""A metric is one real number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from hippo.errors import MetricError
from hippo.training.metrics import checked_metrics

NUMBERS = [
    (1, 1),
    (0.5, 0.5),
    (True, 1),
    (np.float64(0.5), 0.5),
    (np.float32(0.5), 0.5),
    (np.int64(3), 3),
    (np.array(2.0), 2.0),
    (torch.tensor(0.5), 0.5),
    (torch.tensor(3), 3),
    (math.inf, math.inf),
]


@pytest.mark.parametrize(("value", "number"), NUMBERS)
def test_numbers_of_every_kind_become_python_numbers(value: Any, number: float) -> None:
    (metric,) = checked_metrics({"loss": value}, "evaluate").values()
    assert (metric, type(metric)) == (number, type(number))


@pytest.mark.parametrize(
    "value", [torch.tensor(math.nan), np.ma.masked, np.ma.masked_all(3).mean(), np.ma.array(0.5, mask=True)]
)
def test_nan_is_let_through_and_so_is_what_is_masked(value: Any) -> None:
    assert math.isnan(checked_metrics({"loss": value}, "evaluate")["loss"])


def test_a_masked_array_that_hides_nothing_is_a_number() -> None:
    assert checked_metrics({"loss": np.ma.array(0.5, mask=False)}, "evaluate") == {"loss": 0.5}


@pytest.mark.parametrize("value", ["0.5", None, [0.5], 1j, np.ones(2), torch.ones(1), torch.tensor(1j)])
def test_what_is_not_a_number_is_named(value: Any) -> None:
    with pytest.raises(MetricError, match=r"evaluate\(\) returned metric 'loss' = "):
        checked_metrics({"loss": value}, "evaluate")


@pytest.mark.parametrize("returned", [None, 0.5, [("loss", 0.5)]])
def test_what_is_not_a_dict_is_refused(returned: Any) -> None:
    with pytest.raises(MetricError, match="return a dict of metrics by name"):
        checked_metrics(returned, "evaluate")


def test_a_name_that_is_no_string_is_refused() -> None:
    with pytest.raises(MetricError, match="a metric named 1"):
        checked_metrics({1: 0.5}, "train")
