"""Names of members say their seed and their scale."""

from __future__ import annotations

import pytest

from hippo.members import at_scale, is_of_a_seed, scale_of, seed_member
from hippo.scale import Scale

SCALES = [str(scale) for scale in (Scale(), Scale(8), Scale(8, 2, parametrization="completep"), Scale(rank=4))]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("target", ["", "seed 3"])
def test_a_member_is_at_the_scale_that_its_name_was_made_with(target: str, scale: str) -> None:
    member = at_scale(target, scale)
    assert scale_of(member) == scale
    assert is_of_a_seed(member) is bool(target)


def test_names_are_those_that_databases_hold() -> None:
    assert [at_scale("", scale) for scale in ("1", "1/8")] == ["", "1/8"]
    assert [seed_member(3, scale) for scale in ("1", "1/8")] == ["seed 3", "seed 3 at 1/8"]
