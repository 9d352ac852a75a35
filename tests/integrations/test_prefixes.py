"""Steps that trials share are written once, whoever is told of them first, and found again from the run of each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.integrations.prefixes import Held, Kind, Prefixes, RowKey

TRAIN: Kind = "train"
#: configs that share 0 to 4 steps with one another
CONFIGS = [
    hippo.Config(lr=hippo.Piecewise([0.1, 0.2], [2])),
    hippo.Config(lr=hippo.Piecewise([0.1, 0.3], [2])),
    hippo.Config(lr=hippo.Piecewise([0.1, 0.2, 0.4], [2, 4])),
    hippo.Config(lr=0.5),
]


def shared(one: hippo.Config, other: hippo.Config) -> int:
    """Return how many of six steps two configs share."""
    differ = [t for t in range(6) if one.values_at(t) != other.values_at(t)]
    return differ[0] if differ else 6


def claims(prefixes: Prefixes, trial: int, steps: range) -> list[int]:
    return [step for step in steps if prefixes.claim(trial, CONFIGS[trial], RowKey(TRAIN, step))]


def test_a_step_that_another_run_has_is_not_written_but_linked() -> None:
    prefixes = Prefixes()
    for trial in (0, 1):
        prefixes.adopt(trial)
    assert claims(prefixes, 0, range(1, 6)) == [1, 2, 3, 4, 5]
    assert claims(prefixes, 1, range(1, 6)) == [3, 4, 5]
    assert (prefixes.held(1).parent, prefixes.held(1).fork_step) == (0, 2)
    assert (prefixes.held(0).parent, prefixes.held(0).fork_step) == (None, 0)


def test_evaluations_are_told_apart_from_training() -> None:
    prefixes = Prefixes()
    for trial in (0, 1):
        prefixes.adopt(trial)
        assert prefixes.claim(trial, CONFIGS[trial], RowKey("train", 1)) is (trial == 0)
    assert prefixes.claim(1, CONFIGS[1], RowKey("evaluate", 1))
    assert not prefixes.claim(1, CONFIGS[1], RowKey("evaluate", 1))


def test_a_run_with_rows_of_its_own_goes_on_by_itself() -> None:
    prefixes = Prefixes()
    for trial in (0, 2):
        prefixes.adopt(trial)
    assert claims(prefixes, 2, range(1, 2)) == [1]
    assert claims(prefixes, 0, range(1, 5)) == [2, 3, 4]  # step 1 is in the run of trial 2
    assert claims(prefixes, 2, range(2, 7)) == [2, 3, 4, 5, 6]


def test_without_sharing_each_run_has_all() -> None:
    prefixes = Prefixes(sharing=False)
    for trial in (0, 1):
        prefixes.adopt(trial)
        assert claims(prefixes, trial, range(1, 4)) == [1, 2, 3]
        assert prefixes.held(trial).parent is None


def test_a_run_that_is_made_anew_is_not_linked_to_itself() -> None:
    prefixes = Prefixes()
    for _ in range(2):
        prefixes.adopt(0)
        assert claims(prefixes, 0, range(1, 4)) == [1, 2, 3]


def test_a_row_up_to_the_fork_that_no_run_has_is_written() -> None:
    prefixes = Prefixes()
    prefixes.adopt(0, Held({RowKey("train", 1), RowKey("train", 2)}))
    prefixes.adopt(1, Held({RowKey("train", 3)}, parent=0, fork_step=2))
    assert not prefixes.claim(1, CONFIGS[1], RowKey("train", 2))  # up the chain, though trial 0 was not told of it
    assert prefixes.claim(1, CONFIGS[1], RowKey("evaluate", 2))  # what was under way when everything broke off


def found(runs: dict[int, Held], trial: int, row: RowKey) -> int:
    """Return how many of the runs that a trial's links lead to have a row."""
    count, seen, fork = 0, set[int](), 10
    where: int | None = trial
    while where is not None and where not in seen:
        seen.add(where)
        held = runs[where]
        count += row in held.rows and row.step <= fork
        where, fork = held.parent, min(fork, held.fork_step)
    return count


orders = st.lists(st.integers(0, len(CONFIGS) - 1), min_size=1, max_size=24)


@given(orders, orders, st.integers(0, 24))
def test_every_row_is_found_by_links_and_none_is_written_before_the_fork(
    order: list[int], again: list[int], crash: int
) -> None:
    """Trials are told of steps in any order among each other; a script may break off, and begin again."""
    runs: dict[int, Held] = {}
    for turn, told in enumerate((order[:crash], order + again)):
        prefixes, done = Prefixes(), dict.fromkeys(range(len(CONFIGS)), 0)
        for trial in told:
            if not prefixes.knows(trial):
                chain: int | None = trial
                while chain is not None and not prefixes.knows(chain):
                    prefixes.adopt(chain, runs.get(chain))
                    chain = prefixes.held(chain).parent
            if done[trial] < 6:
                done[trial] += 1
                row = RowKey(TRAIN, done[trial])
                prefixes.claim(trial, CONFIGS[trial], row)
                runs[trial] = prefixes.held(trial)
        for trial, last in done.items():
            for step in range(1, last + 1):
                assert found(runs, trial, RowKey(TRAIN, step)) >= 1, (turn, trial, step)
        for trial, held in runs.items():
            if held.parent is not None:
                assert held.fork_step <= shared(CONFIGS[trial], CONFIGS[held.parent])
            assert all(row.step > held.fork_step for row in held.rows)
