"""Ray Tune's names make the same tuners."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import hippo
from hippo.errors import TunerError
from hippo.tuners.asha import ASHA
from hippo.tuners.hyperband import Hyperband
from hippo.tuners.median_stopping import MedianStopping
from hippo.tuners.pasha import PASHA
from hippo.tuners.stopping_asha import StoppingASHA
from hippo.tuners.successive_halving import SuccessiveHalving
from hippo.tuners.tuner import record_text

CONFIGS = [{"lr": number / 100} for number in range(30)]
TUNERS = [ASHA, Hyperband, PASHA, StoppingASHA, SuccessiveHalving]


@pytest.mark.parametrize("cls", TUNERS)
def test_either_name_makes_the_same_record(cls: Any) -> None:
    ours = cls(CONFIGS, min_steps=1, max_steps=9, reduction=3)
    rays = cls(CONFIGS, grace_period=1, max_t=9, reduction_factor=3)
    assert record_text(ours.record()) == record_text(rays.record())
    assert ours == rays


def test_a_rule_without_a_reduction_has_no_name_for_it() -> None:
    assert MedianStopping(CONFIGS, grace_period=2, max_t=9) == MedianStopping(CONFIGS, 2, 9)
    with pytest.raises(TypeError, match="reduction_factor"):
        MedianStopping(CONFIGS, 2, 9, reduction_factor=3)


@pytest.mark.parametrize("cls", TUNERS)
def test_both_names_at_once_are_refused(cls: Any) -> None:
    with pytest.raises(TunerError, match="both max_steps=9 and max_t=8, which are the same; leave max_t out"):
        cls(CONFIGS, min_steps=1, max_steps=9, max_t=8)


def test_an_argument_that_was_given_by_place_is_not_overwritten() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'max_steps'"):
        ASHA(CONFIGS, 1, 9, max_t=8)


@pytest.mark.parametrize("cls", TUNERS)
def test_the_signature_stays_readable(cls: Any) -> None:
    parameters = inspect.signature(cls).parameters
    assert {"space", "min_steps", "max_steps", "reduction"} <= set(parameters)
    assert "max_t" not in parameters


def test_bounds_are_not_taken_for_options() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.loguniform(1e-4, 1)})
    for cls in (hippo.PBT, hippo.PB2):
        with pytest.raises(TypeError, match=r"hyperparam_bounds.*mutations=.*a list is a choice among its items"):
            cls(space, 8, 1, 8, hyperparam_bounds={"lr": [1e-4, 1e-1]})  # type: ignore[call-arg]
