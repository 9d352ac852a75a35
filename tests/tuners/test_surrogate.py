"""Surrogates: who leads a search, what the target is asked when, and that a re-run asks the same."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import OptionError, TrialFailedError, TunerError
from hippo.hparams import Config, as_config
from hippo.plan import RequestRow, RequestState, open_store
from hippo.records import Answer, Failure, NodeId, TrialState
from hippo.scale import Scale
from hippo.simulation import SimulatedWorkload, simulate
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.tuner_contract import Interrupted, RecordingTuner, RiskyTrainer
from hippo.tuners.ask import Ask, Proposal, Propose, Watch
from hippo.tuners.leaders import Leaders
from hippo.tuners.search_size import SearchSize, names_of, size_of
from hippo.tuners.tuner import record_text

MakeStudy = Callable[..., hippo.Study]

CONFIGS = [{"lr": lr / 10, "dropout": 0.1} for lr in range(1, 9)]
GRID = hippo.GridSearch(CONFIGS, until=8)
DROPOUTS = {"dropout": [0.1, 0.2]}


def answer(trial: int, step: int, loss: float | None, lr: float | None = None) -> Answer:
    failure = None if loss is not None else Failure(node=NodeId(1), step=step, method="train", error="told to")
    return Answer(
        config=Config({"lr": trial / 10 if lr is None else lr}),
        step=step,
        trial=trial,
        metrics={},
        losses=(math.inf if loss is None else loss,),
        failure=failure,
    )


def leaders(*answers: Answer) -> Leaders:
    made = Leaders()
    for each in answers:
        made.note(each)
    return made


# --- who leads


def test_who_came_further_leads_whatever_others_were_before() -> None:
    found = leaders(answer(0, 1, 0.1), answer(1, 3, 0.5), answer(2, 3, 0.4), answer(3, 1, 0.2))
    assert [each.trial for each in found.best(9)] == [2, 1, 0, 3]
    assert [each.trial for each in found.best(1)] == [2]


def test_equal_losses_go_by_age_and_a_config_leads_once() -> None:
    found = leaders(answer(4, 2, 0.5, lr=1.0), answer(3, 2, 0.5, lr=1.0), answer(2, 2, 0.5, lr=2.0))
    assert [each.trial for each in found.best(9)] == [2, 3]


@pytest.mark.parametrize("loss", [None, math.inf, math.nan])
def test_who_failed_or_diverged_leads_nobody_though_it_was_best_before(loss: float | None) -> None:
    found = leaders(answer(0, 1, 0.0), answer(1, 1, 0.5), answer(0, 3, loss))
    assert [each.trial for each in found.best(9)] == [1]
    assert (found.num_trials, found.furthest, found.have_all_failed) == (2, 1, False)
    assert leaders(answer(0, 3, loss)).have_all_failed is (loss is None)


# --- how large a search is


SPACE = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1), "dropout": 0.1})


@pytest.mark.parametrize(
    ("tuner", "size"),
    [
        (GRID, SearchSize(8, 8)),
        (hippo.GridSearch(CONFIGS, until=8, extra_steps=4), SearchSize(8, 12)),
        (hippo.RandomSearch(SPACE, num_trials=5, until=3), SearchSize(5, 3)),
        (hippo.ASHA(SPACE, 1, 9, 3, num_trials=20), SearchSize(20, 9)),
        (hippo.Hyperband([{"lr": number / 100} for number in range(100)], max_steps=9), SearchSize(17, 9)),
        (hippo.Budget(hippo.Deadline(GRID, 5), 5), SearchSize(8, 8)),
        (hippo.PBT(SPACE, population=4, interval=2, max_steps=6), None),
        (hippo.PB2(CONFIGS, population=2, interval=2, max_steps=6, mutations={"lr": hippo.uniform(0, 1)}), None),
        (hippo.BeamSearch([{"lr": 0.1}], milestones=[2, 4], beam=2, choices={"lr": [0.1]}), None),
    ],
)
def test_a_search_is_as_large_as_its_arguments_tell(tuner: Any, size: SearchSize | None) -> None:
    assert size_of(tuner) == size


@pytest.mark.parametrize(
    "tuner",
    [
        GRID,
        hippo.RandomSearch(SPACE, num_trials=5, until=3),
        hippo.Budget(hippo.GridSearch({"lr": [0.1], "dropout": [0.1, 0.2]}, until=1), 5),
        hippo.ASHA(hippo.SharingAware(hippo.Sampled("tpe", SPACE)), 1, 9, 3, num_trials=20),
    ],
)
def test_the_names_of_a_search_are_those_of_its_space(tuner: Any) -> None:
    assert names_of(tuner) == {"lr", "dropout"}


# --- what the target is asked


def asked_of_target(fake: FakeAsk) -> list[tuple[dict[str, Any], int, bool]]:
    return [(dict(as_config(a.config).params), a.until, a.final) for a in fake.asked if a.member is None]


def fake_ask(target: Callable[[Config, int], float | None] = lambda config, step: 0.0) -> FakeAsk:
    """Return an `Ask` whose surrogates are best at lr=0.3."""
    return FakeAsk(target, members={"1/8": lambda config, step: abs(config.params["lr"] - 0.3)})


class _ByMember(FakeAsk):
    """Notes of each request which member was asked, also where that is the one that the `Ask` is at."""

    def _begin(self, asked: Proposal) -> int:
        self.at_member.append((self._member, as_config(asked.config).params["lr"], asked.until))  # type: ignore[attr-defined]
        return super()._begin(asked)


def run(tuner: hippo.Surrogate, target: Callable[[Config, int], float | None] = lambda c, s: 0.0) -> Any:
    fake = _ByMember(target, members={"1/8": lambda config, step: abs(config.params["lr"] - 0.3)})
    fake.at_member = []  # type: ignore[attr-defined]
    answers = asyncio.run(tuner.tune(fake))
    return answers, [each for each in fake.at_member if not each[0]]  # type: ignore[attr-defined]


def test_the_target_is_trained_with_the_best_config_of_its_surrogates_to_their_length() -> None:
    answers, asked = run(hippo.Surrogate(GRID, eager_transfer=None))
    assert asked == [("", 0.3, 8)]
    assert [(each.config.params["lr"], each.step, each.member) for each in answers] == [(0.3, 8, "")]


def test_the_best_few_are_trained_and_returned_best_first_as_the_target_has_it() -> None:
    answers, asked = run(hippo.Surrogate(GRID, eager_transfer=None, top=3), lambda config, step: config.params["lr"])
    assert sorted(asked) == [("", 0.2, 8), ("", 0.3, 8), ("", 0.4, 8)]
    assert [each.config.params["lr"] for each in answers] == [0.2, 0.3, 0.4]


def test_values_that_are_fixed_on_the_target_are_all_tried_there_and_nowhere_else() -> None:
    tuner = hippo.Surrogate(GRID, eager_transfer=None, fixed_on_target={"dropout": [0.1, 0.5]})
    answers, _ = run(tuner, lambda config, step: config.params["dropout"])
    assert [dict(each.config.params) for each in answers] == [{"lr": 0.3, "dropout": 0.1}, {"lr": 0.3, "dropout": 0.5}]


def test_a_config_without_a_name_that_is_fixed_is_trained_as_it_is() -> None:
    grid = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2, "dropout": 0.3}], until=8)
    tuner = hippo.Surrogate(grid, eager_transfer=None, top=2, fixed_on_target={"dropout": [0.1, 0.5]})
    answers, _ = run(tuner, lambda config, step: config.params["lr"])

    assert [dict(each.config.params).get("dropout") for each in answers] == [None, 0.1, 0.5]


@pytest.mark.parametrize(
    ("top", "fixed", "has_company"),
    [(1, None, False), (3, None, False), (4, None, True), (1, DROPOUTS, False), (2, DROPOUTS, True)],
)
def test_few_trials_of_the_target_ask_for_no_company_and_the_search_does(
    top: int, fixed: Any, has_company: bool
) -> None:
    fake = fake_ask()
    asyncio.run(hippo.Surrogate(GRID, top=top, fixed_on_target=fixed, eager_transfer=0.5).tune(fake))
    asked = [(each.config, each.has_company) for each in fake.asked]
    assert {said for config, said in asked[: len(CONFIGS)]} == {True}
    assert {said for config, said in asked[len(CONFIGS) :]} == {has_company}


def test_where_the_best_config_fails_on_the_target_the_next_best_takes_its_place() -> None:
    answers, asked = run(
        hippo.Surrogate(GRID, eager_transfer=None), lambda c, s: None if c.params["lr"] in (0.3, 0.2) else 0.5
    )
    assert [lr for _, lr, _ in dict.fromkeys(asked)] == [0.3, 0.2, 0.4]
    assert [each.failure is None for each in answers] == [True, False, False]


def test_a_target_that_fails_with_every_config_is_not_tried_with_all_of_them() -> None:
    answers, asked = run(hippo.Surrogate(GRID, eager_transfer=None), lambda config, step: None)
    assert len(dict.fromkeys(asked)) == 4
    assert all(each.failure is not None for each in answers)


@pytest.mark.parametrize(
    ("loss", "words"),
    [(math.inf, "its surrogates came to no finite objective"), (math.nan, "came to no finite objective")],
)
def test_a_search_without_a_winner_is_told(loss: float, words: str) -> None:
    fake = FakeAsk(lambda config, step: 0.0, members={"1/8": lambda config, step: loss})
    with pytest.raises(TunerError, match=words):
        asyncio.run(hippo.Surrogate(GRID).tune(fake))


def test_a_search_that_ended_without_an_answer_is_told() -> None:
    class Silent(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            pass

    with pytest.raises(TunerError, match="ended before any of its surrogates was answered"):
        asyncio.run(hippo.Surrogate(Silent(), eager_transfer=None).tune(fake_ask()))


def test_an_error_of_the_search_is_raised_as_it_is() -> None:
    class Raising(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)
            raise KeyError("of the user's own")

    with pytest.raises(KeyError, match="of the user's own"):
        asyncio.run(hippo.Surrogate(Raising(), eager_transfer=None).tune(fake_ask()))


# --- eagerly, on the virtual clock


WORKLOAD = SimulatedWorkload(seconds_per_step=8.0, scale_costs={8: 1 / 8})
DRAWN = hippo.RandomSearchSpace({"lr": hippo.loguniform(1e-4, 1)})


def searches(seed: int) -> dict[str, Any]:
    return {
        "random": hippo.RandomSearch(DRAWN, num_trials=25, until=27, seed=seed),
        "halving": hippo.SuccessiveHalving(DRAWN, 1, 27, 3, num_trials=27, seed=seed),
        "asha": hippo.ASHA(DRAWN, 1, 27, 3, num_trials=50, seed=seed),
        "median": hippo.MedianStopping(DRAWN, 3, 27, num_trials=25, seed=seed),
    }


class _Counting(hippo.Tuner):
    """Runs a surrogate tuner, and counts how many streams of the target are open at a time."""

    needs_metric = True

    def __init__(self, tuner: hippo.Surrogate) -> None:
        self.tuner = tuner
        self.scales = tuner.scales
        self._open, self._most = 0, 0
        #: trials of surrogates that were answered when the first stream of the target was opened
        self._answered: set[int] = set()
        self._begun_at: int | None = None

    async def tune(self, ask: Ask) -> Any:
        return await self.tuner.tune(_CountingAsk(ask, self))  # type: ignore[arg-type]


class _CountingAsk:
    def __init__(self, ask: Ask, counting: _Counting) -> None:
        self._ask, self._counting = ask, counting

    def at(self, member: str, *, watch: Watch | None = None) -> Ask:
        def hear(each: Answer) -> None:
            assert watch is not None
            self._counting._answered.add(each.trial)
            watch(each)

        return self._ask.at(member, watch=hear)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        if self._counting._begun_at is None:
            self._counting._begun_at = len(self._counting._answered)
        self._counting._open += 1
        self._counting._most = max(self._counting._most, self._counting._open)
        try:
            async for each in self._ask.stream(propose):
                yield each
        finally:
            self._counting._open -= 1

    async def together(self, proposals: Sequence[Proposal]) -> list[Answer]:
        assert not self._counting._open
        return await self._ask.together(proposals)


@pytest.mark.parametrize("slots", [2, 40])
@pytest.mark.parametrize("search", ["random", "halving", "asha", "median"])
def test_eager_transfer_never_ends_later_and_the_target_comes_to_the_same(search: str, slots: int) -> None:
    for seed in range(3):
        waiting, eager = (
            simulate(hippo.Surrogate(searches(seed)[search], eager_transfer=part), WORKLOAD, slots=slots, seed=seed)
            for part in (None, 0.5)
        )
        assert eager.makespan_s <= waiting.makespan_s
        assert eager.study.best_config == waiting.study.best_config
        assert eager.study.best_trial.history[27] == waiting.study.best_trial.history[27]


def test_eager_transfer_ends_sooner_where_slots_are_idle() -> None:
    waiting, eager = (
        simulate(hippo.Surrogate(searches(0)["halving"], eager_transfer=part), WORKLOAD, slots=40)
        for part in (None, 0.5)
    )
    assert eager.makespan_s < waiting.makespan_s - 8.0


@pytest.mark.parametrize("search", ["halving", "asha"])
def test_the_target_is_trained_with_one_config_at_a_time_until_the_search_has_ended(search: str) -> None:
    tuner = _Counting(hippo.Surrogate(searches(0)[search], top=3, eager_transfer=0.2))
    simulate(tuner, WORKLOAD, slots=40)
    assert tuner._most == 1


@pytest.mark.parametrize(("part", "trials"), [(0.2, 10), (0.5, 25), (1, 50), (1e-9, 1)])
def test_the_target_waits_until_that_part_of_the_trials_is_answered(part: float, trials: int) -> None:
    tuner = _Counting(hippo.Surrogate(searches(0)["asha"], eager_transfer=part))
    simulate(tuner, WORKLOAD, slots=1)
    assert tuner._begun_at == trials


def test_a_target_trial_that_is_overtaken_before_its_half_is_withdrawn_and_no_other() -> None:
    seen = set()
    for seed in range(4):
        tuner = hippo.Surrogate(searches(seed)["asha"], eager_transfer=0.1)
        study = simulate(tuner, SimulatedWorkload(seconds_per_step=2.0, scale_costs={8: 1 / 2}), slots=8).study
        winner = study.best_trial
        for trial in study.trials:
            seen.add(trial.step)
            assert trial.number == winner.number or trial.step * 2 < 27 or trial.step == 27
            assert trial.until <= 27
    assert len(seen) > 2, "some were overtaken on their way"


def test_the_targets_trials_have_the_numbers_of_their_surrogates() -> None:
    study = simulate(hippo.Surrogate(searches(0)["asha"], top=2), WORKLOAD, slots=8).study
    narrow = {trial.number: trial.config for trial in study.surrogates[8].trials}
    assert len(narrow) == 50
    assert {trial.number: trial.config for trial in study.trials}.items() <= narrow.items()


# --- again


def again(make_study: MakeStudy, tmp_path: Path, **stored: Any) -> hippo.Study:
    return make_study(
        "again",
        trainer=RiskyTrainer,
        storage=f"sqlite:///{tmp_path / 'hippo.db'}",
        checkpoints=str(tmp_path / "checkpoints"),
        **stored,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [None, [0, 1]])
def test_a_study_that_was_stopped_at_any_answer_asks_the_same_and_comes_to_the_same(
    make_study: MakeStudy, tmp_path: Path, seeds: list[int] | None
) -> None:
    space = [{"lr": lr, "momentum": m} for lr in (0.05, 0.1, 0.2) for m in (0.0, 0.5)]

    def tuner() -> hippo.Surrogate:
        return hippo.Surrogate(hippo.SuccessiveHalving(space, 1, 4, 2), scale=8, eager_transfer=0.3)

    undisturbed = RecordingTuner(tuner())
    study = make_study("undisturbed", trainer=RiskyTrainer, seeds=seeds)
    study.optimize(undisturbed)
    assert {member for *_, member in undisturbed.questions} >= {"", "1/8"} if seeds is None else True
    for stop in range(len(undisturbed.answered_at)):
        path = tmp_path / str(stop)
        path.mkdir()
        stopped, resumed = RecordingTuner(tuner(), until_answer=stop), RecordingTuner(tuner())
        with pytest.raises(Interrupted):
            again(make_study, path, seeds=seeds).optimize(stopped)
        after = again(make_study, path, seeds=seeds)
        after.optimize(resumed)
        assert stopped.questions == undisturbed.questions[: len(stopped.questions)]
        assert resumed.questions == undisturbed.questions
        assert (after.best_config, after.best_value) == (study.best_config, study.best_value)
        assert [t.value for t in after.surrogates[8].trials] == [t.value for t in study.surrogates[8].trials]


def test_a_simulated_surrogate_study_that_is_run_again_records_nothing_new(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'again.db'}"
    tuner = hippo.Surrogate(searches(0)["asha"])
    first = simulate(tuner, WORKLOAD, slots=4, storage=storage)
    requests = open_store(storage).rows(RequestRow)
    second = simulate(tuner, WORKLOAD, slots=4, storage=storage)
    assert open_store(storage).rows(RequestRow) == requests
    assert (second.makespan_s, second.study.best_value) == (first.makespan_s, first.study.best_value)
    assert second.study.generation == 1
    assert any(row.member == "" and row.state == RequestState.ANSWERED for row in requests)


# --- limits, failures


def test_limits_around_it_count_the_seconds_of_all_scales_and_within_it_those_of_the_search() -> None:
    search = hippo.RandomSearch(DRAWN, num_trials=40, until=10)
    cost = SimulatedWorkload(seconds_per_step=8.0, scale_costs={8: 1 / 8})
    around = simulate(hippo.Budget(hippo.Surrogate(search, top=3, eager_transfer=None), 500.0), cost, slots=1)
    within = simulate(hippo.Surrogate(hippo.Budget(search, 200.0)), cost, slots=1)
    # 400 seconds of surrogates; 100 are left for the target, of whose trials the first takes 80
    assert around.study.statistics().device_seconds == pytest.approx(560.0)
    assert sorted(trial.step for trial in around.study.trials) == [0, 0, 10]
    assert within.study.surrogates[8].statistics().device_seconds == pytest.approx(200.0, abs=1.0)
    assert within.study.best_trial.state is TrialState.COMPLETE


def test_surrogates_that_all_fail_end_the_call_with_the_first_of_them(make_study: MakeStudy) -> None:
    study = make_study(trainer=RiskyTrainer, trainer_args={"trouble": "fail"})
    with pytest.raises(TrialFailedError, match=r"all 2 trials of study 'toy' at scale 1/8 failed.*surrogates\['1/8'\]"):
        study.optimize(hippo.Surrogate(hippo.GridSearch([{"lr": 0.8}, {"lr": 0.9}], until=3)))
    assert study.trials == []


# --- what it is made with


@pytest.mark.parametrize("scale", [0, 1, 3.5, "1/8", True, hippo.Scale(), None])
def test_a_scale_that_is_none_is_refused(scale: Any) -> None:
    with pytest.raises(OptionError, match=r"scale="):
        hippo.Surrogate(GRID, scale=scale)


def test_a_scale_is_a_number_or_a_scale_and_has_its_parametrization() -> None:
    assert hippo.Surrogate(GRID).scales == (Scale(8),)
    assert hippo.Surrogate(GRID, 4, parametrization="standard").scales == (Scale(4, parametrization="standard"),)
    assert hippo.Surrogate(GRID, hippo.Scale(8, 2, parametrization="completep")).scales[0].depth == 2
    with pytest.raises(OptionError, match="parametrization='my' is none of"):
        hippo.Surrogate(GRID, parametrization="my")


def test_what_decides_is_in_the_record() -> None:
    records = {
        record_text(tuner.record())
        for tuner in (
            hippo.Surrogate(GRID),
            hippo.Surrogate(GRID, 4),
            hippo.Surrogate(GRID, eager_transfer=None),
            hippo.Surrogate(GRID, top=2),
            hippo.Surrogate(GRID, fixed_on_target={"lr": [0.1]}),
            hippo.Surrogate(GRID, parametrization="standard"),
            hippo.Surrogate(hippo.GridSearch(CONFIGS, until=9)),
        )
    }
    assert len(records) == 7


class _OfItsOwn(hippo.Tuner):
    scales = (hippo.Scale(4),)


@pytest.mark.parametrize(
    "tuner",
    [hippo.Surrogate(GRID), hippo.Budget(hippo.Surrogate(GRID), 10), _OfItsOwn()],
    ids=["itself", "limit", "own"],
)
def test_a_tuner_that_asks_surrogates_itself_is_refused(tuner: Any) -> None:
    with pytest.raises(
        TunerError, match=r"asks surrogates itself, at 1/\d: Surrogate goes around a tuner that asks one"
    ):
        hippo.Surrogate(tuner)


def test_a_tuner_of_unknown_length_is_told_and_trains_the_target_at_its_end() -> None:
    tuner = hippo.PBT(SPACE, population=2, interval=2, max_steps=4)
    with pytest.warns(UserWarning, match=r"eager_transfer=0.5: PBT does not say beforehand how many trials") as told:
        surrogate = hippo.Surrogate(tuner)
    assert told[0].filename == __file__
    study = simulate(surrogate, WORKLOAD, slots=8).study
    assert [(trial.step, trial.state) for trial in study.trials] == [(4, TrialState.COMPLETE)]
    requests = study._opened.store.rows(RequestRow)
    assert [row.member for row in requests].index("") == len(requests) - 1


def test_names_that_a_space_does_not_tell_are_checked_with_the_first_answer() -> None:
    class Own(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            for lr in (0.1, 0.2, 0.3):
                asked.append(lr)
                await ask({"lr": lr}, until=1)

    asked: list[float] = []
    tuner = hippo.Surrogate(Own(), eager_transfer=None, fixed_on_target={"lrr": [0.1]})
    with pytest.raises(OptionError, match=r"fixed_on_target names 'lrr', .* have \['lr'\]\. Did you mean 'lr'\?"):
        asyncio.run(tuner.tune(fake_ask()))
    assert asked == [0.1]
