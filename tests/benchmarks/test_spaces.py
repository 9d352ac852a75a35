"""The reconstructed spaces have the numbers of the paper's Table 1 and section 6.2, rounded to the printed digits."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from published import SECTION_6_2, TABLE_1, reads, rounded_from
from reconstruct import content_of_family, rate, values_of
from results_page import least_q_of_four
from spaces import MULTI, SINGLE, single_space, study_family

import hippo
from hippo import Chain, CosineWarmRestarts, Cyclic, Exponential, Linear, MultiStep, Piecewise, Warmup


@pytest.mark.parametrize(
    ("name", "steps_asked", "steps_distinct"),
    [("resnet56", 53_760, 21_968), ("mobilenet_v2", 28_800, 9_160), ("bert_base", 1_080_000, 528_000)],
)
def test_a_single_study_has_the_trials_and_the_merge_rate_of_table_1(
    name: str, steps_asked: int, steps_distinct: int
) -> None:
    space, until = single_space(name)
    trials, printed = TABLE_1[name]

    assert len(list(space)) == trials
    assert trials * until == steps_asked
    assert hippo.merge_rate(space, until) == steps_asked / steps_distinct
    assert reads(steps_asked / steps_distinct, printed)


@pytest.mark.parametrize("name", MULTI)
def test_studies_that_run_together_have_the_merge_rates_that_section_6_2_prints(name: str) -> None:
    family = study_family(name)

    for run, printed in SECTION_6_2[name].together.items():
        assert reads(hippo.merge_rate(family.together(run), family.until), printed), run


@pytest.mark.parametrize("name", MULTI)
def test_eight_studies_of_144_trials_have_the_least_and_the_greatest_merge_rate_that_is_printed(name: str) -> None:
    family = study_family(name)
    rates = [space.merge_rate(family.until) for space in family.spaces]
    least, greatest = SECTION_6_2[name].each

    assert [len(list(space)) for space in family.spaces] == [144] * 8
    assert reads(min(rates), least)
    assert reads(max(rates), greatest)


@pytest.mark.slow
def test_two_studies_of_the_second_family_have_the_least_and_the_greatest_rate_that_is_printed() -> None:
    family = study_family("multi_low")
    rates = [hippo.merge_rate(list(pair), family.until) for pair in itertools.combinations(family.spaces, 2)]
    least, greatest = SECTION_6_2["multi_low"].pairs or ("", "")

    assert reads(min(rates), least)
    assert reads(max(rates), greatest)


@pytest.mark.parametrize("name", MULTI)
def test_the_searchs_own_count_of_distinct_steps_is_hippos(name: str) -> None:
    family = study_family(name)
    studies = [values_of(study) for study in content_of_family(name)["studies"]]

    assert rate(studies[:2]) == pytest.approx(hippo.merge_rate(list(family.spaces[:2]), family.until), rel=1e-12)


def test_studies_run_in_ever_larger_groups_but_for_the_second_familys_s2() -> None:
    high, low = (study_family(name).runs for name in MULTI)

    assert set(high["S1"]) < set(high["S2"]) < set(high["S4"]) < set(high["S8"])
    assert set(low["S1"]) < set(low["S2"]) < set(low["S8"])
    assert set(low["S1"]) < set(low["S4"]) < set(low["S8"])


def test_no_four_studies_of_the_second_family_could_hold_its_s2() -> None:
    # q of S2 and each p at the least that are printed so; others' steps all distinct from theirs
    assert not reads(least_q_of_four(), SECTION_6_2["multi_low"].together["S4"])
    assert least_q_of_four() > rounded_from("1.19")[1]


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
