"""Whatever states go, results stay; and the steps that are run again are those that were foretold."""

from __future__ import annotations

import pytest

from hippo.testing.evictions import EvictionHistory, check_history


@pytest.mark.parametrize("seed", range(40))
def test_evictions_change_no_result_and_cost_what_was_foretold(seed: int) -> None:
    check_history(EvictionHistory.drawn(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_400, 50))
def test_many_histories_of_evictions(first: int) -> None:
    for seed in range(first, first + 50):
        check_history(EvictionHistory.drawn(seed))
