"""Bits of samples depend on (seed, epoch, index) alone, whatever was found out about how they draw."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import Dataset, default_collate

from hippo.training.feeding.data import TrainingFeed
from hippo.training.feeding.sample_chance import SampleChance
from hippo.training.feeding.samples import EpochSamples, SampleSource
from hippo.training.process.streams import GENERATORS, seed_everything, seed_generators, stream_seed

SEED, LENGTH = 3, 24
#: ways in which a sample draws: each once from its generator
DRAWS: dict[str, Callable[[], float]] = {
    "python": random.random,
    "numpy": lambda: float(np.random.rand()),
    "torch": lambda: float(torch.rand(())),
    "python's pairs": lambda: random.gauss(0, 1),
    "numpy's pairs": lambda: float(np.random.randn()),
    "torch's pairs": lambda: float(torch.randn(())),
}


class Drawing(Dataset[Any]):
    """Draws as it is told.

    Args:
      plan: by index, the ways in which the sample draws, the last ones again and again.
    """

    def __init__(self, plan: list[tuple[str, ...]]) -> None:
        self.plan = plan

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([float(index), *([0.0] * 6)], dtype=torch.float64) + torch.tensor(
            [0.0, *(DRAWS[way]() if way in self.plan[index % len(self.plan)] else 0.0 for way in DRAWS)],
            dtype=torch.float64,
        )


def as_exactness_1_says(dataset: Any, epoch: int, numbers: list[int]) -> torch.Tensor:
    """Fetch with every generator seeded for every sample, by the rule itself."""
    samples = []
    for number in numbers:
        seed_generators(stream_seed(SEED, "sample", epoch, number))
        samples.append(dataset[number])
    return default_collate(samples)


def states() -> tuple[Any, ...]:
    return random.getstate(), repr(np.random.get_state()), torch.get_rng_state().tolist()


plans = st.lists(st.sets(st.sampled_from(sorted(DRAWS)), max_size=3).map(lambda ways: tuple(sorted(ways))), min_size=1)
batches = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, LENGTH - 1), min_size=1, max_size=6)), min_size=1, max_size=6
)


@settings(max_examples=60, deadline=None)
@given(plan=plans, wanted=batches, known=st.none() | st.sets(st.sampled_from(GENERATORS)), ahead=st.booleans())
def test_batches_are_equal_bit_for_bit_whatever_is_known_of_the_data_set(
    plan: list[tuple[str, ...]], wanted: Any, known: set[str] | None, ahead: bool
) -> None:
    dataset, chance = Drawing(plan), SampleChance(SEED, "sample")
    chance._seeded = None if known is None else tuple(name for name in GENERATORS if name in known)
    source = SampleSource(dataset, chance)
    seed_everything(0, "train", 5)
    random.gauss(0, 1), np.random.randn(), torch.randn(3)
    before = states()
    for epoch, numbers in wanted:
        if ahead:  # as a loader worker fetches
            batch = source._seeded.__getitems__(EpochSamples(epoch, list(numbers)))
        else:
            batch = source.fetch(epoch, torch.tensor(numbers))
            assert states() == before
        assert torch.equal(batch, as_exactness_1_says(dataset, epoch, numbers))
        seed_everything(0, "train", 5)
        random.gauss(0, 1), np.random.randn(), torch.randn(3)


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(plan=plans)
def test_loader_workers_change_no_bit_of_a_batch(plan: list[tuple[str, ...]]) -> None:
    def fetched(num_workers: int) -> list[torch.Tensor]:
        feed = TrainingFeed(Drawing(plan), seed=SEED, samples_per_step=LENGTH, num_workers=num_workers)
        found = [fed.batch for _ in range(2) for fed in feed.step(5)]
        feed.close()
        return found

    alone = fetched(0)
    for num_workers in (1, 2):
        assert all(torch.equal(*pair) for pair in zip(alone, fetched(num_workers), strict=True))


# --------------------------------------------------------------------------------------------- what is found out


def found(*plan: tuple[str, ...], batches: int = 1, dataset: Any = None) -> tuple[str, ...] | None:
    chance = SampleChance(SEED, "sample")
    source = SampleSource(dataset or Drawing(list(plan)), chance)
    for number in range(batches):
        source.fetch(0, torch.arange(6 * number, 6 * number + 6))
    return chance.seeded


def test_only_the_generators_that_samples_draw_from_are_seeded() -> None:
    assert found(()) == ()
    assert found(("python",)) == ("python",)
    assert found(("numpy's pairs",), ("torch",)) == ("numpy", "torch")


def test_a_draw_that_comes_later_has_all_seeded_from_then_on() -> None:
    late = [()] * 12 + [("numpy",)] + [()] * 11
    assert [found(*late, batches=batches) for batches in (2, 3, 4)] == [(), GENERATORS, GENERATORS]


def test_a_sample_that_raises_for_what_an_unseeded_generator_says_is_fetched_again() -> None:
    class Picky(Drawing):
        def __getitem__(self, index: int) -> torch.Tensor:
            if index == 8 and random.random() != expected:
                raise ValueError("drawn from where it was not seeded")
            return super().__getitem__(index)

    seed_generators(stream_seed(SEED, "sample", 0, 8))
    expected = random.random()
    assert found(dataset=Picky([()]), batches=2) == GENERATORS


def test_a_sample_that_raises_by_itself_still_does() -> None:
    class Broken(Drawing):
        def __getitem__(self, index: int) -> torch.Tensor:
            if index == 8:
                raise ValueError("no such sample")
            return super().__getitem__(index)

    with pytest.raises(ValueError, match="no such sample"):
        found(dataset=Broken([()]), batches=2)


def _set_back() -> float:
    state = random.getstate()
    drawn = random.random()
    random.setstate(state)
    return drawn


@pytest.mark.parametrize("read", [_set_back, torch.initial_seed, lambda: random.getstate()[1][1]])
def test_a_generator_that_is_read_without_being_moved_is_seeded(read: Callable[[], float]) -> None:
    class Reading(Drawing):
        def __getitem__(self, index: int) -> torch.Tensor:
            return torch.tensor([index, read()], dtype=torch.float64)

    dataset = Reading([()])
    assert found(dataset=dataset) == GENERATORS
    batch = SampleSource(dataset, SampleChance(SEED, "sample")).fetch(2, torch.arange(4))
    assert torch.equal(batch, as_exactness_1_says(dataset, 2, [0, 1, 2, 3]))


def test_a_collate_function_that_draws_draws_after_the_last_sample() -> None:
    chance = SampleChance(SEED, "sample")
    dataset = Drawing([()])

    def noisy(samples: list[Any]) -> torch.Tensor:
        return default_collate(samples) + random.random()

    from hippo.training.process.streams import HeldStates

    for numbers in ([0, 1], [2, 3]):
        seed_everything(0, "train", 0)
        batch = chance.batch(dataset, 0, numbers, HeldStates(), noisy)
        seed_generators(stream_seed(SEED, "sample", 0, numbers[-1]))
        assert torch.equal(batch, default_collate([dataset[number] for number in numbers]) + random.random())
    assert chance.seeded == ("python",)


def test_a_data_set_that_follows_other_values_is_looked_at_anew() -> None:
    chance = SampleChance(SEED, "sample")
    feed = TrainingFeed(Drawing([()]), seed=SEED, samples_per_step=6, num_workers=0, known=chance)
    list(feed.step(6))
    assert chance.seeded == ()
    feed.flush()
    assert chance.seeded is None


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("drawn_before", [0, 1, 2])
def test_a_move_of_a_generator_is_seen_and_undone(draw: Callable[[], float], drawn_before: int) -> None:
    from hippo.training.process.streams import HeldStates

    seed_everything(1, "train", 0)
    for _ in range(drawn_before):
        draw()
    before, held = states(), HeldStates()
    assert held.moved(GENERATORS) == ()
    draw()
    assert len(held.moved(GENERATORS)) == 1
    held.restore()
    assert states() == before
