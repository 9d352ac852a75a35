"""What a study's steps cost is the same, counted while it runs and read from its store."""

from __future__ import annotations

from hippo.plan import Cause, LeaseEnd, TrialRow
from hippo.runtime.studies.counters import Counters

from .runs import Bench, config


def test_counters_are_those_of_the_study_and_the_same_for_the_next_process() -> None:
    bench = Bench()
    study, other = bench.study, bench.new_study("other")
    bench.ask(config(), 4)
    bench.give_out(1)
    node = next(iter(bench.run.plan.nodes))
    bench.steps(node, range(1, 4))
    bench.evaluated(node, 3, 1.0)
    bench.written(node, 3)
    bench.end(how=LeaseEnd.LOST)
    bench.give_out(2)
    bench.steps(node, range(3, 5), lease=2)
    bench.run.plan.facts.record_check(bench.run.plan.nodes[node], 2, 9.0, study=study.row.study)
    study.counters.count_step(Cause.CHECK, 9.0)
    bench.run.plan.set_fusion_facts(bench.run.plan.fusion_facts.checked(study.row.study, 0.5))
    study.counters.fusion_check_seconds += 0.5
    bench.store.commit(bench.run.plan.changes.take())
    assert Counters.load(bench.store, study.row) == study.counters
    assert Counters.load(bench.store, other.row) == Counters()
    counted = study.counters.statistics([], trial_seconds=0.0, steps_reached=0)
    assert (counted.steps_executed, counted.steps_repeated, counted.steps_checked) == (5, 1, 1)
    assert (counted.train_seconds, counted.check_seconds, counted.device_seconds) == (5.0, 9.0, 16.5)


def test_steps_that_count_apart_are_neither_executed_nor_repeated() -> None:
    counters = Counters()
    for cause in Cause:
        counters.count_step(cause, 1.0)
    trials = [TrialRow(study=1, number=n, call=0, config="", occurrence=0, until=9) for n in range(2)]
    counted = counters.statistics(trials, trial_seconds=0.0, steps_reached=18)
    assert (counted.steps_executed, counted.steps_repeated) == (6, 5)
    assert (counted.steps_checked, counted.steps_speculative) == (1, 1)
    assert (counted.steps_asked, counted.steps_saved, counted.merge_rate) == (18, 12, 18.0)
    assert counted.repeated_by_cause == dict.fromkeys(["corrupt", "evicted", "late", "lost", "not kept"], 1)
