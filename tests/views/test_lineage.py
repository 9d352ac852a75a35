"""A trial comes from the earlier one with which it shares most, and no line of a picture of that crosses another."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import hippo
from hippo.hparams import Config
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer
from hippo.views import TrialOrigin, lineage


def trained(configs: list[tuple[Config, int]]) -> Study:
    study = hippo.create_study("lineage", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    for config, until in configs:
        study.evaluate(config, until)
    study.close()
    return study


def shared_steps(one: Config, other: Config, until: int) -> int:
    """Return how many steps two configs share, by their values: `MultiStep` with one value is a constant."""
    step = 0
    while step < until and all(one[name](step) == other[name](step) for name in one):
        step += 1
    return step


CONFIGS = st.lists(
    st.tuples(
        st.lists(st.integers(1, 5), max_size=2, unique=True).map(sorted),
        st.sampled_from([0.1, 0.2]),
        st.integers(1, 6),
    ),
    min_size=1,
    max_size=7,
)


@settings(deadline=None, max_examples=30)
@given(drawn=CONFIGS)
def test_the_parent_is_the_first_of_those_that_share_most(drawn: list[tuple[list[int], float, int]]) -> None:
    asked = [(Config({"lr": hippo.MultiStep(lr, drops, 0.5)}), until) for drops, lr, until in drawn]
    study = trained(asked)
    trials = study.trials
    found = {origin.trial: origin for origin in lineage(study.tree(), trials)}
    assert sorted(found) == [trial.number for trial in trials]
    for trial in trials:
        shares = {
            before.number: shared_steps(trial.config, before.config, min(trial.until, before.until))
            for before in trials[: trial.number]
        }
        most = max(shares.values(), default=0)
        origin = found[trial.number]
        if most:
            first = min(number for number, steps in shares.items() if steps == most)
            assert (origin.parent, origin.fork_step) == (first, most)
        else:
            assert (origin.parent, origin.fork_step) == (None, 0)
        assert origin.until == trial.until
    check_lines(list(found.values()))


def check_lines(origins: list[TrialOrigin]) -> None:
    """See to it that each trial has a line of its own, and that no way down from a parent crosses a line."""
    by_line = {origin.line: origin for origin in origins}
    assert sorted(by_line) == list(range(len(origins)))
    for origin in origins:
        if origin.parent is None:
            assert origin.from_line is None
            continue
        assert origin.from_line is not None
        assert by_line[origin.from_line].trial == origin.parent
        assert origin.from_line < origin.line
        between = [by_line[line] for line in range(origin.from_line + 1, origin.line)]
        assert all(other.fork_step >= origin.fork_step for other in between)


def test_it_is_said_what_changed_where_a_trial_left() -> None:
    first = Config({"lr": hippo.Constant(0.1), "momentum": hippo.Constant(0.5)})
    second = first.switch(at=3, lr=hippo.Constant(0.02))
    third = second.switch(at=5, momentum=hippo.Constant(0.9))
    study = trained([(first, 6), (second, 6), (third, 8), (first, 9)])
    found = {origin.trial: origin for origin in lineage(study.tree(), study.trials)}
    told = [(found[n].parent, found[n].fork_step, found[n].changed, found[n].parent_changed) for n in range(4)]
    assert told == [
        (None, 0, "lr=0.1, momentum=0.5", ""),
        (0, 3, "lr=0.02", ""),
        (1, 5, "momentum=0.9", ""),
        (0, 6, "", ""),
    ]


def test_it_is_said_what_changed_in_the_parent_where_it_left() -> None:
    configs = [Config({"lr": hippo.MultiStep(0.1, [at], 0.5)}) for at in (2, 4)]
    study = trained([(config, 6) for config in configs])
    origin = lineage(study.tree(), study.trials)[1]
    assert (origin.parent, origin.fork_step, origin.changed) == (0, 2, "")
    assert origin.parent_changed == next(row.values for row in study.tree() if row.start == 2)


def test_of_several_that_share_as_much_the_first_is_the_parent() -> None:
    first = Config({"lr": hippo.Constant(0.1)})
    study = trained([(first, 3), (first, 5), (first.switch(at=3, lr=hippo.Constant(0.5)), 6)])
    origins = {origin.trial: origin for origin in lineage(study.tree(), study.trials)}
    assert (origins[2].parent, origins[2].fork_step) == (0, 3)


def test_the_members_of_a_study_have_their_own_lines() -> None:
    study = hippo.create_study("seeds", trainer=ToyTrainer, storage="memory://", checkpoints="memory://", seeds=[1, 2],
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": hippo.MultiStep(0.1, [at], 0.5)} for at in (2, 4)], until=6))
    study.close()
    found = lineage(study.tree(), study.trials)
    assert [(origin.member, origin.trial, origin.parent, origin.fork_step) for origin in found] == [
        ("seed 1", 0, None, 0),
        ("seed 1", 1, 0, 2),
        ("seed 2", 0, None, 0),
        ("seed 2", 1, 0, 2),
    ]
