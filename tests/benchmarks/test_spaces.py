"""The reconstructed spaces have the numbers of the paper's Table 1 and section 6.2, exactly."""

from __future__ import annotations

from collections import Counter

import pytest
from spaces import SINGLE, single_space, study_family

import hippo
from hippo import Chain, CosineWarmRestarts, Cyclic, Exponential, Linear, MultiStep, Piecewise, Warmup


@pytest.mark.parametrize(
    ("name", "trials", "steps_asked", "steps_distinct", "printed"),
    [
        ("resnet56", 448, 53_760, 21_968, 2.447),
        ("mobilenet_v2", 240, 28_800, 9_160, 3.144),
        ("bert_base", 40, 1_080_000, 528_000, 2.045),
    ],
)
def test_a_single_study_has_the_trials_and_the_merge_rate_of_table_1(
    name: str, trials: int, steps_asked: int, steps_distinct: int, printed: float
) -> None:
    space, until = single_space(name)

    assert len(list(space)) == trials
    assert trials * until == steps_asked
    assert hippo.merge_rate(space, until) == steps_asked / steps_distinct
    assert int(1000 * steps_asked / steps_distinct) == int(1000 * printed)  # the paper cuts digits off


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("multi_high", {"S1": 1.982, "S2": 2.260, "S4": 2.771, "S8": 2.469}),
        ("multi_low", {"S1": 1.185, "S2": 1.397, "S4": 1.193, "S8": 1.658}),
    ],
)
def test_studies_that_run_together_have_the_merge_rates_of_section_6_2(name: str, rates: dict[str, float]) -> None:
    family = study_family(name)

    found = {run: round(hippo.merge_rate(family.together(run), family.until), 3) for run in family.runs}

    assert found == rates


@pytest.mark.parametrize(("name", "low", "high"), [("multi_high", 1.5, 2.73), ("multi_low", 1.18, 2.12)])
def test_each_study_of_a_family_has_144_trials_and_a_merge_rate_in_the_papers_range(
    name: str, low: float, high: float
) -> None:
    family = study_family(name)

    assert [len(list(space)) for space in family.spaces] == [144] * 8
    assert all(low <= round(space.merge_rate(family.until), 2) <= high for space in family.spaces)


@pytest.mark.parametrize("name", SINGLE)
def test_the_configs_of_a_space_are_all_distinct(name: str) -> None:
    space, _ = single_space(name)

    assert len({config.key for config in space}) == len(space)


def test_momentum_is_tuned_where_the_optimizer_has_one() -> None:
    space, _ = single_space("resnet56")

    trials = Counter(str(config["optimizer"].value) for config in space)

    assert trials == {"adam": 112, "sgd": 112, "sgd_momentum": 224}
    assert all(config["momentum"] == 0.0 for config in space if config["optimizer"] != "sgd_momentum")


def test_milestones_count_from_the_first_step_behind_a_warm_up_too() -> None:
    space, _ = single_space("resnet56")
    decayed = Chain(Warmup(5, 0.1), MultiStep(0.1, [85, 130], 0.1))

    (lr,) = {config["lr"] for config in space if config["lr"] == decayed}

    assert lr(89) == 0.1
    assert lr(90) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("name", "hparam", "printed"),
    [
        ("resnet56", "lr", MultiStep(0.1, [90, 135], 0.1)),
        ("resnet56", "lr", Chain(Warmup(5, 0.1), Exponential(0.1, 0.95))),
        ("resnet56", "lr", Chain(Warmup(10, 0.1), CosineWarmRestarts(0.1, 20))),
        ("resnet56", "lr", Cyclic(0.001, 0.1, 20)),
        ("resnet56", "batch_size", Piecewise([128, 256], [70])),
        ("resnet56", "momentum", Piecewise([0.7, 0.8, 0.9], [40, 80])),
        ("mobilenet_v2", "lr", Chain(Warmup(10, 0.1), MultiStep(0.1, [90, 140], 0.1))),
        ("mobilenet_v2", "cutout", Piecewise([16, 18, 20], [80, 100])),
        ("bert_base", "lr", Linear(5e-5, final=0.0, steps=30_000)),
        ("bert_base", "lr", Chain(Warmup(3000, 5e-5), Linear(5e-5, final=0.0, steps=27_000))),
        ("bert_base", "sequence_length", Piecewise([384, 512], [21_000])),
    ],
)
def test_a_space_holds_the_examples_that_tables_2_to_4_print(name: str, hparam: str, printed: hippo.Sequence) -> None:
    space, _ = single_space(name)

    assert printed in {config[hparam] for config in space}
