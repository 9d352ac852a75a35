"""Python's garbage collector is left as it was, and is spared where nothing is garbage."""

import gc
import threading

import pytest

import hippo
from hippo.collector import CollectorThresholds, collector_paused, few_collections
from hippo.testing.fake_engine import FakeEngine

TRAINER = "hippo.testing.trainers:ToyTrainer"


@pytest.fixture(autouse=True)
def thresholds():
    """A known state, and the old one afterwards."""
    known = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*known)
    gc.enable()


class Watching(hippo.Tuner):
    """Notes what the collector is told while a call runs."""

    def __init__(self):
        self.seen = []

    async def tune(self, ask):
        await ask({"lr": 0.1}, until=1)
        self.seen.append(gc.get_threshold())

    def record(self):
        return {}


def study(engine):
    return hippo.create_study(
        "s", trainer=TRAINER, storage="memory://", checkpoints="memory://", engine=engine, metric="loss", mode="min"
    )


def test_full_passes_are_rare_while_a_call_runs_whose_steps_run_elsewhere():
    tuner = Watching()
    study(FakeEngine(slots=1)).optimize(tuner)
    assert tuner.seen == [(700, 10, 100)]
    assert gc.get_threshold() == (700, 10, 10)


def test_a_process_that_trains_collects_as_ever():
    tuner = Watching()
    study(hippo.InlineEngine()).optimize(tuner)
    assert tuner.seen == [(700, 10, 10)]


def test_a_call_that_fails_leaves_the_collector_as_it_was():
    class Failing(Watching):
        async def tune(self, ask):
            await super().tune(ask)
            raise ValueError("not today")

    tuner = Failing()
    with pytest.raises(ValueError, match="not today"):
        study(FakeEngine(slots=1)).optimize(tuner)
    assert tuner.seen == [(700, 10, 100)]
    assert gc.get_threshold() == (700, 10, 10)


def test_the_last_one_to_leave_restores_what_was():
    passes = CollectorThresholds()
    passes.begin()
    passes.begin()
    passes.end()
    assert gc.get_threshold() == (700, 10, 100)
    passes.end()
    assert gc.get_threshold() == (700, 10, 10)


def test_what_a_user_sets_meanwhile_stays():
    passes = CollectorThresholds()
    passes.begin()
    gc.set_threshold(500, 5, 5)
    passes.end()
    assert gc.get_threshold() == (500, 5, 5)


def test_many_threads_may_begin_and_end():
    passes = CollectorThresholds()

    def work():
        for _ in range(1_000):
            passes.begin()
            passes.end()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == (700, 10, 10)


def test_few_collections_are_few_for_the_block_alone():
    with few_collections(5_000):
        assert gc.get_threshold() == (5_000, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


def test_a_pause_ends_and_a_collector_that_is_off_stays_off():
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()
