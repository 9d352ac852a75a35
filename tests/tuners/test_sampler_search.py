import asyncio
import math
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.trial import TrialState

from hippo.errors import BudgetError, SpaceError, TunerError, UnknownHparamError
from hippo.hparams import (
    Constant,
    Exponential,
    GridSearchSpace,
    Piecewise,
    RandomSearchSpace,
    choice,
    loguniform,
    qloguniform,
    qrandint,
    quniform,
    randint,
    uniform,
)
from hippo.records import Answer, Failure, NodeId
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import samplers
from hippo.tuners.asha import ASHA
from hippo.tuners.optuna_space import OptunaSpace
from hippo.tuners.sampled import Sampled, SamplerProposer
from hippo.tuners.sampler_search import SamplerSearch
from hippo.tuners.sharing_aware import SharingAware

SPACE = RandomSearchSpace({"lr": loguniform(1e-4, 1), "momentum": uniform(0, 1), "batch_size": choice(32, 64, 128)})

#: every distribution, within sequences, too
RICH = RandomSearchSpace(
    {
        "batch_size": choice([32, 64]),
        "decay": choice(
            Constant(0.0), Exponential(1.0, uniform(0.5, 0.9)), Piecewise([1, uniform(2, 3)], [qrandint(2, 8, 2)])
        ),
        "depth": randint(2, 5),
        "dropout": quniform(0, 0.9, 0.1),
        "lr": loguniform(1e-4, 1),
        "units": qloguniform(8, 512, 8),
    }
)


def bowl(config, step=9):
    """Return a loss that is least, and 1/step, at lr 0.01, momentum 0.9, batch size 64."""
    values = config.params
    return (
        (math.log10(values["lr"]) + 2) ** 2
        + (values["momentum"] - 0.9) ** 2
        + 0.1 * (values["batch_size"] != 64)
        + 1 / step
    )


def search(sampler="tpe", space=SPACE, *, curve=bowl, slots=2, num_objectives=1, **arguments):
    """Run a search against learning curves; return its answers, and what it asked."""
    ask = FakeAsk(curve, slots=slots, num_objectives=num_objectives)
    tuner = SamplerSearch(sampler, space, **{"until": 9, "num_trials": 12, **arguments})
    return asyncio.run(tuner.tune(ask)), ask.asked


def proposer(sampler="tpe", space=SPACE, *, num_objectives=1, num_trials=100, options=None, seed=0):
    ask = FakeAsk(bowl, num_objectives=num_objectives)
    return Sampled(sampler, space, options or {}).start(ask, num_trials=num_trials, until=9, seed=seed)


def answer(config, loss, *, trial=0, step=9, occurrence=0, **changes):
    losses = loss if isinstance(loss, tuple) else (loss,)
    return Answer(config=config, step=step, trial=trial, metrics={}, losses=losses, occurrence=occurrence, **changes)


def seen(proposer: SamplerProposer):
    """Return the trials as the sampler sees them."""
    return proposer._trials.get_all_trials(0)


FAILURE = Failure(node=NodeId(1), step=3, method="train", error="ValueError: told to")

NAMES = ["cmaes", "nsga2", "nsga3", "qmc", "random", "tpe"]


# ------------------------------------------------------------------------------------------------------- searching


@pytest.mark.parametrize("name", [*NAMES, pytest.param("gp", marks=pytest.mark.slow)])
def test_every_sampler_proposes_as_many_configs_as_it_was_told_to(name):
    answers, asked = search(name)
    assert [given.trial for given in answers] == list(range(12))
    assert {(proposal.until, proposal.final) for proposal in asked} == {(9, True)}
    assert len({given.config for given in answers}) == 12


@pytest.mark.slow
def test_tpe_finds_better_configs_than_random_draws():
    best = {name: min(given.loss for given in search(name, num_trials=60)[0]) for name in ("random", "tpe")}
    assert best["tpe"] < best["random"] - 0.005


def test_a_search_run_again_asks_the_same():
    assert search(slots=3)[1] == search(slots=3)[1]


def test_another_seed_asks_something_else():
    assert search(seed=1)[1] != search(seed=2)[1]


def test_equal_configs_are_trials_of_their_own():
    space = RandomSearchSpace({"kind": choice("a", "b")})
    answers, asked = search("random", space, curve=lambda config, step: 1.0, num_trials=8)
    assert len(answers) == 8
    assert len({(proposal.config, proposal.occurrence) for proposal in asked}) == 8


@pytest.mark.slow
def test_a_search_that_is_run_again_trains_nothing(make_study):
    study = make_study()
    space = RandomSearchSpace({"lr": loguniform(1e-3, 0.5), "momentum": uniform(0, 0.9)})
    study.optimize(SamplerSearch("tpe", space, until=3, num_trials=15))
    executed = study.statistics().steps_executed
    again = make_study()
    again.optimize(SamplerSearch("tpe", space, until=3, num_trials=15))
    assert len(study.trials) == 15
    assert again.statistics().steps_executed == study.statistics().steps_executed == executed
    assert [trial.config for trial in again.trials] == [trial.config for trial in study.trials]


# ----------------------------------------------------------------------------- equal to a rebuild from the facts


@settings(max_examples=15, deadline=None)
@given(moves=st.lists(st.integers(0, 4), min_size=1, max_size=40), name=st.sampled_from(NAMES))
def test_the_next_proposal_is_that_of_a_fresh_proposer_told_the_same_in_another_order(moves, name):
    """A move above 0 answers the n-th trial in flight, 0 proposes; answers between proposals come in any order."""
    options = {"tpe": {"n_startup_trials": 3}, "nsga2": {"population_size": 4}, "nsga3": {"population_size": 4}}
    kept = proposer(name, options=options.get(name))
    fresh = proposer(name, options=options.get(name))
    in_flight, told = [kept.propose()], []
    assert fresh.propose() == in_flight[0]
    for number, move in enumerate(moves):
        if move and in_flight:
            config = in_flight.pop(move % len(in_flight))
            told.append(answer(config, bowl(config), trial=number))
            kept.tell(told[-1])
        else:
            for fact in reversed(told):
                fresh.tell(fact)
            told.clear()
            in_flight.append(kept.propose())
            assert fresh.propose() == in_flight[-1]


@pytest.mark.parametrize("name", ["random", "tpe", pytest.param("gp", marks=pytest.mark.slow)])
def test_what_has_no_memory_follows_from_configs_and_answers_alone(name):
    first = proposer(name, options={} if name == "random" else {"n_startup_trials": 4})
    facts = []
    for number in range(8):
        suggestion = first.suggestion()
        facts.append((suggestion, answer(first.adopt(suggestion), bowl(suggestion.config), trial=number)))
        first.tell(facts[-1][1])
    rebuilt = proposer(name, options={} if name == "random" else {"n_startup_trials": 4})
    for suggestion, _ in facts:
        rebuilt.adopt(replace(suggestion, notes={}))
    for _, fact in facts:
        rebuilt.tell(fact)
    assert rebuilt.propose() == first.propose()


def test_seeds_are_as_large_as_those_of_other_tuners():
    drawn = {seed: proposer("random", seed=seed).propose() for seed in (1, 2**32 + 1, 2**70)}
    assert len(set(drawn.values())) == 3
    assert proposer(lambda seed: optuna.samplers.RandomSampler(seed), seed=2**70).propose() == drawn[2**70]


def test_the_sampler_draws_by_our_seed_and_not_by_its_own():
    one, other = (proposer(optuna.samplers.TPESampler(seed=seed), seed=5) for seed in (1, 2))
    assert [one.propose() for _ in range(3)] == [other.propose() for _ in range(3)]
    assert proposer(seed=6).propose() != proposer(seed=5).propose()


def test_quasi_random_points_belong_to_one_set():
    space = RandomSearchSpace({"x": uniform(0, 1)})
    kept = proposer("qmc", space, options={"scramble": True})
    points = []
    for number in range(9):
        config = kept.propose()
        points.append(config.params["x"])
        kept.tell(answer(config, 1.0, trial=number))
    eighths = sorted(int(8 * point) for point in points[1:])  # the first is drawn before the space is known
    assert eighths == list(range(8))


# ------------------------------------------------------------------------------------------- what the sampler sees


def test_a_paused_trial_is_pruned_until_it_goes_on_to_the_end():
    kept = proposer()
    config = kept.propose()
    assert seen(kept)[0].state is TrialState.RUNNING
    kept.tell(answer(config, 0.5, step=3))
    assert (seen(kept)[0].state, seen(kept)[0].intermediate_values) == (TrialState.PRUNED, {3: 0.5})
    kept.tell(answer(config, 0.4, step=9))
    assert (seen(kept)[0].state, seen(kept)[0].value) == (TrialState.COMPLETE, 0.4)
    assert seen(kept)[0].intermediate_values == {3: 0.5, 9: 0.4}


def test_an_answer_that_comes_late_changes_nothing():
    kept = proposer()
    config = kept.propose()
    kept.tell(answer(config, 0.4, step=9))
    kept.tell(answer(config, 0.5, step=3))
    assert (seen(kept)[0].state, seen(kept)[0].value) == (TrialState.COMPLETE, 0.4)


@pytest.mark.parametrize(("loss", "failure"), [(math.inf, FAILURE), (math.nan, None)])
def test_a_trial_that_failed_is_pruned_without_a_value(loss, failure):
    kept = proposer()
    config = kept.propose()
    kept.tell(answer(config, 0.5, step=1))
    kept.tell(answer(config, loss, step=3, failure=failure))
    assert (seen(kept)[0].state, seen(kept)[0].intermediate_values) == (TrialState.PRUNED, {})


@pytest.mark.parametrize("name", ["nsga2", "nsga3", "qmc", "random", "tpe"])
def test_several_objectives_reach_the_sampler_and_paused_trials_with_them(name):
    kept = proposer(name, num_objectives=2)
    for number in range(25):
        config = kept.propose()
        kept.tell(answer(config, (bowl(config), number / 25), trial=number, step=3 if number % 2 else 9))
    assert len(kept._study.directions) == 2
    assert [trial.values[1] for trial in seen(kept)] == [number / 25 for number in range(25)]


def test_broken_constraints_reach_the_sampler():
    kept = proposer()
    config = kept.propose()
    kept.tell(answer(config, 0.5, violations=(0.25, -1.0, math.nan)))
    assert list(seen(kept)[0].constraints.values()) == [0.25, -1.0, math.inf]


@pytest.mark.slow
def test_tpe_keeps_to_where_the_constraint_holds():
    kept = proposer(seed=1)
    for number in range(60):
        config = kept.propose()
        kept.tell(answer(config, bowl(config), trial=number, violations=(0.5 - config.params["momentum"],)))
    late = [trial.params["momentum"] for trial in seen(kept)[30:]]
    assert sum(momentum >= 0.5 for momentum in late) > 0.8 * len(late)


def test_an_answer_about_something_else_is_refused():
    with pytest.raises(TunerError, match="did not propose"):
        proposer().tell(answer(SPACE.sample(__import__("numpy").random.default_rng(0)), 1.0))


# -------------------------------------------------------------------------------------------------------- the space


def test_every_distribution_is_sampled_within_its_bounds_and_on_its_grid():
    kept = proposer("random", RICH, seed=3)
    drawn = [kept.propose() for _ in range(60)]
    params = [trial.params for trial in seen(kept)]
    assert {values["dropout"] for values in params} <= {i / 10 for i in range(10)}
    assert {values["depth"] for values in params} == {2, 3, 4}
    assert all(values["units"] % 8 == 0 and 8 <= values["units"] <= 512 for values in params)
    assert {type(config["decay"]).__name__ for config in drawn} == {"Constant", "Exponential", "Piecewise"}


def test_arguments_of_sequences_are_parameters_where_they_are_in_use():
    kept = proposer("random", RICH, seed=3)
    drawn = {type(kept.propose()["decay"]).__name__: seen(kept)[-1].params for _ in range(30)}
    always = {"batch_size", "decay", "depth", "dropout", "lr", "units"}
    assert drawn["Constant"].keys() == always
    assert drawn["Exponential"].keys() == {*always, "decay[1].gamma"}
    assert drawn["Piecewise"].keys() == {*always, "decay[2].values[1]", "decay[2].milestones[0]"}


def test_the_values_that_a_config_was_made_of_make_it_again():
    kept = proposer("tpe", RICH, seed=3)
    for _ in range(20):
        config = kept.propose()
        assert kept.space.config(seen(kept)[-1].params) == config


def test_a_missing_value_and_one_outside_the_space_are_refused():
    space = OptunaSpace(SPACE)
    with pytest.raises(UnknownHparamError, match="'lr' has no value"):
        space.config({"momentum": 0.5, "batch_size": 64})
    with pytest.raises(TunerError, match="48 for 'batch_size' is outside"):
        space.config({"lr": 0.1, "momentum": 0.5, "batch_size": 48})


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_a_range_of_many_small_steps_is_searched_like_any_other(sampler):
    fine = proposer(sampler, RandomSearchSpace({"lr": quniform(1000, 1001, 1e-6)}))
    drawn = [fine.propose().params["lr"] for _ in range(10)]
    assert drawn == [float(f"{rate:.6f}") for rate in drawn]
    assert len(set(drawn)) == 10
    with pytest.raises(TunerError, match=r"1000\.0000005 for 'lr' is outside"):
        fine.space.config({"lr": 1000.0000005})


def test_options_that_optuna_cannot_tell_apart_are_told_apart_by_their_texts():
    kept = proposer("random", RandomSearchSpace({"flag": choice(1, 1.0, True)}))
    drawn = {repr(kept.propose().params["flag"]) for _ in range(30)}
    assert drawn == {"1", "1.0", "True"}


def test_two_parameters_of_one_name_are_refused():
    space = RandomSearchSpace({"lr": Exponential(1.0, uniform(0.5, 0.9)), "lr.gamma": uniform(0, 1)})
    with pytest.raises(SpaceError, match=r"called 'lr\.gamma'"):
        proposer("random", space).propose()


def test_what_the_filter_refuses_is_never_proposed_nor_seen():
    space = RandomSearchSpace({"x": uniform(0, 1)}, filter=lambda config: config.params["x"] < 0.3)
    kept = proposer("tpe", space)
    assert all(kept.propose().params["x"] < 0.3 for _ in range(10))
    assert len(seen(kept)) == 10


def test_a_filter_that_hardly_anything_passes_is_met_by_random_draws():
    space = RandomSearchSpace({"x": uniform(0, 1)}, filter=lambda config: config.params["x"] < 0.002)
    assert proposer("tpe", space).propose().params["x"] < 0.002


def test_a_filter_that_nothing_passes_is_an_error(monkeypatch):
    monkeypatch.setattr("hippo.tuners.sampled.MAX_DRAWS", 50)
    with pytest.raises(SpaceError, match="50 random draws"):
        proposer("random", RandomSearchSpace({"x": uniform(0, 1)}, filter=lambda config: False)).propose()


class Stray(optuna.samplers.RandomSampler):
    """Proposes what it likes."""

    def sample_independent(self, study, trial, param_name, param_distribution):
        return 7.0


def test_a_sampler_that_leaves_the_space_is_an_error_that_names_the_value():
    with pytest.raises(TunerError, match=r"7\.0 for 'x' is outside of FloatDistribution"):
        proposer(Stray, RandomSearchSpace({"x": uniform(0, 1)})).propose()


def test_a_sampler_that_has_seen_its_whole_space_ends_the_search():
    space = RandomSearchSpace({"kind": choice("a", "b", "c")})
    answers, _ = search(optuna.samplers.BruteForceSampler, space, curve=lambda config, step: 1.0, slots=1)
    assert sorted(given.config.params["kind"] for given in answers) == ["a", "b", "c"]


# ------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sampler": "tep"}, TunerError, "no sampler 'tep'.*Did you mean 'tpe'"),
        ({"sampler": 3}, TunerError, "not 3"),
        ({"sampler": lambda seed: None, "options": {"n": 1}}, TunerError, "give them to"),
        ({"space": GridSearchSpace({"lr": [0.1]})}, TunerError, r"choice\(\[\.\.\.\]\)"),
        ({"until": 0}, BudgetError, "until"),
        ({"num_trials": 0}, BudgetError, "num_trials"),
        ({"candidates": 0}, BudgetError, "candidates"),
        ({"seed": -1}, TunerError, "seed"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_trained(arguments, error, message):
    with pytest.raises(error, match=message):
        SamplerSearch(**{"sampler": "tpe", "space": SPACE, "until": 9, "num_trials": 3, **arguments})


@pytest.mark.filterwarnings("ignore:.constraints_func. has been deprecated")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_constraints_that_the_sampler_alone_would_know_are_refused():
    def make(seed):
        return optuna.samplers.TPESampler(constraints_func=lambda trial: (0.0,))

    for sampler in (make(0), optuna.samplers.PartialFixedSampler({"lr": 0.1}, make(0))):
        with pytest.raises(TunerError, match=r'create_study\(constraints=\["latency_ms <= 20"\]\)'):
            Sampled(sampler, SPACE)
    with pytest.raises(TunerError, match="known to the sampler alone"):
        Sampled("nsga2", SPACE, {"constraints_func": len})
    with pytest.raises(TunerError, match="known to the sampler alone"):
        proposer(make)


def test_a_misspelt_option_is_refused():
    with pytest.raises(TunerError, match=r"no option 'n_startup'.*Did you mean 'n_startup_trials'"):
        proposer("tpe", options={"n_startup": 3})


def test_an_option_that_a_sampler_cannot_do_without_is_named():
    with pytest.raises(TunerError, match=r"GridSampler needs 'search_space': give options="):
        proposer(optuna.samplers.GridSampler)


def test_a_function_that_makes_no_sampler_is_refused():
    with pytest.raises(TunerError, match="which is no optuna"):
        proposer(lambda seed: seed)


def test_without_optuna_the_error_names_the_line_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(TunerError, match=r"pip install 'hippo-tune\[optuna\]'"):
        proposer()


def test_without_what_a_sampler_needs_the_error_names_the_line_to_type(monkeypatch):
    monkeypatch.setitem(samplers.REQUIREMENTS, "CmaEsSampler", ("cmaes_that_nobody_has",))
    with pytest.raises(TunerError, match=r"needs cmaes_that_nobody_has.*pip install 'hippo-tune\[optuna\]'"):
        proposer("cmaes")


@pytest.mark.slow
def test_the_search_imports_optuna_only_when_it_runs():
    code = (
        "import sys; from hippo.tuners.sampler_search import SamplerSearch; from hippo.hparams import *;"
        "SamplerSearch('tpe', RandomSearchSpace({'lr': uniform(0, 1)}), until=3, num_trials=3).record();"
        "print(sorted({'optuna', 'torch', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


RECORDS = """
import optuna
from hippo.hparams import RandomSearchSpace, uniform
from hippo.tuners.sampler_search import SamplerSearch

samplers = [
    ("tpe", {}), ("tpe", {"n_startup_trials": 3}), (optuna.samplers.TPESampler, {}),
    (optuna.samplers.TPESampler(n_startup_trials=3), {}), (optuna.samplers.QMCSampler(scramble=True), {}),
    (optuna.samplers.NSGAIISampler(population_size=4), {}), (lambda seed: optuna.samplers.TPESampler(seed=seed), {}),
]
space = RandomSearchSpace({"lr": uniform(0, 1)})
for sampler, options in samplers:
    print(SamplerSearch(sampler, space, until=9, num_trials=3, options=options).record())
"""


@pytest.mark.slow
def test_the_record_of_a_search_is_the_same_in_every_process():
    def run(hash_seed):
        command = [sys.executable, "-W", "ignore", "-c", RECORDS]
        return subprocess.run(command, capture_output=True, text=True, env={"PYTHONHASHSEED": hash_seed}).stdout

    one, other = run("1"), run("2")
    assert one == other
    assert len(one.splitlines()) == 7
    assert len(set(one.splitlines())) == 6  # a name means its class


def test_a_sampler_that_is_another_one_in_each_process_is_refused():
    class Odd(optuna.samplers.RandomSampler):
        def __init__(self):
            super().__init__()
            self.key = threading.Lock()

    with pytest.raises(TunerError, match="Give a function of a seed"):
        SamplerSearch(Odd(), SPACE, until=9, num_trials=3).record()


# -------------------------------------------------------------------------------------------------- going on


class FusedTrainer(ToyTrainer):
    """Stops the process, as Ctrl-C does, when the fuse, a file of so many bytes, has burnt down."""

    def __init__(self, fuse):
        super().__init__()
        self.fuse = Path(fuse)

    def train(self):
        if self.fuse.exists():
            left = self.fuse.read_bytes()[1:]
            self.fuse.write_bytes(left) if left else self.fuse.unlink()
            if not left:
                raise KeyboardInterrupt
        return super().train()


def tuner(kind):
    space = RandomSearchSpace(
        {"lr": Piecewise([loguniform(1e-3, 0.5), loguniform(1e-3, 0.5)], [2]), "momentum": quniform(0, 0.9, 0.1)}
    )
    sampled = Sampled("tpe", space, {"n_startup_trials": 4})
    if kind == "asha":
        return ASHA(SharingAware(sampled), min_steps=1, max_steps=4, reduction=2, num_trials=15)
    return SamplerSearch(kind, space, until=4, num_trials=15, candidates=4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tpe", "cmaes", "nsga2", "asha"])
def test_a_search_that_was_stopped_goes_on_as_it_would_have(make_study, tmp_path, kind):
    def make(name):
        arguments = {"fuse": str(tmp_path / name)}  # one workload each: they share nothing
        return make_study(name, trainer=FusedTrainer, trainer_args=arguments, storage=f"sqlite:///{tmp_path}/db")

    whole, stopped = make("whole"), make("stopped")
    whole.optimize(tuner(kind))
    (tmp_path / "stopped").write_bytes(b"." * 21)
    with pytest.raises(KeyboardInterrupt):
        stopped.optimize(tuner(kind))
    assert len(stopped.trials) < 15
    make("stopped").optimize(tuner(kind))
    assert [t.config for t in stopped.trials] == [t.config for t in whole.trials]
    assert [t.value for t in stopped.trials] == [t.value for t in whole.trials]
