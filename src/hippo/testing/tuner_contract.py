"""What every tuner must do, as tests to inherit: a new tuner subclasses `TunerContract` and says how it is made.

Each test runs the tuner on a study of a toy trainer, in this process. The trainer's configs need an `lr` between 0 and
1, with values on both sides of 0.3; beyond it, some tests let trials fail.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

import hippo
from hippo.errors import TunerError, UnknownMetricError
from hippo.hparams import as_config
from hippo.records import Answer, TrialState
from hippo.study import Trial
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, ConfigLike, record_text
from hippo.tuners.ask import Proposal, Propose, Watch
from hippo.tuners.tuner import record_of

#: larger learning rates are those that go wrong
SAFE_LR = 0.3

MakeStudy = Callable[..., hippo.Study]


class RiskyTrainer(ToyTrainer):
    """Goes wrong where the learning rate is large.

    Args:
      trouble: "none", "fail": `train()` raises after a step, "nan": the weights are NaN from then on.
      log: see `ToyTrainer`.
    """

    #: it has no width, and is the same at every scale
    scale = Fraction(1)

    def __init__(self, trouble: str = "none", log: str | None = None) -> None:
        super().__init__(log=log)
        self.trouble = trouble

    def train(self) -> dict[str, float]:
        is_risky = float(self.hp["lr"]) > SAFE_LR
        if self.trouble == "fail" and is_risky and self.steps == 1:
            raise ValueError("told to fail in its second step")
        metrics = super().train()
        if self.trouble == "nan" and is_risky:
            self.weights = [float("nan")] * self.size
        return metrics

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "size": sum(map(abs, self.weights))}


class Interrupted(Exception):
    """The tuner was interrupted, as a test told it to be."""


class RecordingTuner:
    """A tuner that asks what another one asks, and writes its questions down.

    Args:
      tuner: the other one.
      until_answer: raise `Interrupted` in the place of this answer, counted from 0.
    """

    def __init__(self, tuner: Any, *, until_answer: int | None = None) -> None:
        self._tuner = tuner
        self._until_answer = until_answer
        self.needs_metric = getattr(tuner, "needs_metric", False)
        self.scales = getattr(tuner, "scales", ())
        self.asks_branches = getattr(tuner, "asks_branches", False)
        #: (config, until, occurrence, scale or other member that was named) of each question, in their order
        self.questions: list[tuple[str, int, int, str]] = []
        #: how many questions had been asked when each answer came
        self.answered_at: list[int] = []

    def record(self) -> dict[str, Any]:
        return record_of(self._tuner)

    async def tune(self, ask: Ask) -> Any:
        return await self._tuner.tune(_RecordingAsk(ask, self))

    def note_question(self, asked: Proposal, member: str) -> None:
        self.questions.append((as_config(asked.config).key, asked.until, asked.occurrence, member))

    def note_answer(self) -> None:
        if len(self.answered_at) == self._until_answer:
            raise Interrupted(f"after {self._until_answer} answers")
        self.answered_at.append(len(self.questions))


class _RecordingAsk:
    """An `Ask` between a tuner and the runtime."""

    def __init__(self, ask: Ask, listener: RecordingTuner, member: str = "") -> None:
        self._ask = ask
        self._listener = listener
        self._member = member

    def at(self, member: str, *, watch: Watch | None = None) -> _RecordingAsk:
        return _RecordingAsk(self._ask.at(member, watch=watch), self._listener, member)

    @asynccontextmanager
    async def branching(self, answer: Answer | None) -> AsyncIterator[_RecordingAsk]:
        async with self._ask.branching(answer) as ask:
            yield _RecordingAsk(ask, self._listener, ask.member)

    async def __call__(self, config: ConfigLike, *, until: int, occurrence: int = 0, **options: Any) -> Answer:
        self._note_question(Proposal(config=config, until=until, occurrence=occurrence))
        answer = await self._ask(config, until=until, occurrence=occurrence, **options)
        self._listener.note_answer()
        return answer

    async def all(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> list[Answer]:
        answers = await self._ask.all(self._noted(configs, until), until=until, final=final)
        for _ in answers:
            self._listener.note_answer()
        return answers

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        asked = list(proposals)
        for proposal in asked:
            self._note_question(proposal)
        answers = await self._ask.together(asked)
        for _ in answers:
            self._listener.note_answer()
        return answers

    async def any(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> AsyncIterator[Answer]:
        async for answer in self._ask.any(self._noted(configs, until), until=until, final=final):
            self._listener.note_answer()
            yield answer

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        def noted() -> Proposal | Sequence[Proposal] | None:
            proposed = propose()
            for proposal in [proposed] if isinstance(proposed, Proposal) else proposed or ():
                self._note_question(proposal)
            return proposed

        async for answer in self._ask.stream(noted):
            self._listener.note_answer()
            yield answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ask, name)

    def _noted(self, configs: Iterable[ConfigLike], until: int) -> list[ConfigLike]:
        taken = list(configs)
        for config in taken:
            self._note_question(Proposal(config=config, until=until))
        return taken

    def _note_question(self, asked: Proposal) -> None:
        self._listener.note_question(asked, self._member if asked.member is None else asked.member)


class TunerContract:
    """Subclass it, and define `make_tuner`."""

    #: whether the questions do not depend on the order of the answers: then what an interrupted call asks is checked
    #: to its end, and else up to the interruption
    asks_in_a_fixed_order: ClassVar[bool] = False

    def make_tuner(self) -> Any:
        """Return a new tuner, equal each time, that asks for a few dozen steps."""
        raise NotImplementedError

    @pytest.fixture
    def make_study(self, tmp_path: Path) -> Iterator[MakeStudy]:
        """Return what makes a study; with `stored=True`, one that a later one of the same name goes on with."""
        studies: list[hippo.Study] = []

        def make(*, stored: bool = False, trouble: str = "none", **options: Any) -> hippo.Study:
            for study in studies:
                study.close()
            where = {"storage": "memory://", "checkpoints": "memory://"}
            if stored:
                where = {"storage": f"sqlite:///{tmp_path / 'hippo.db'}", "checkpoints": str(tmp_path / "checkpoints")}
            made: hippo.Study = hippo.create_study(
                "study",
                trainer=RiskyTrainer,
                trainer_args={"trouble": trouble, "log": str(tmp_path / "steps.log")},
                **{**where, "engine": hippo.InlineEngine(), "metric": "loss", "mode": "min", **options},
            )
            studies.append(made)
            return made

        yield make
        for study in studies:
            study.close()

    def steps_run(self, tmp_path: Path) -> int:
        """Return how many steps were trained so far."""
        log = tmp_path / "steps.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    # --- how it ends

    def test_it_ends_with_trials_whose_metrics_equal_solo_training(self, make_study: MakeStudy) -> None:
        study = make_study()
        study.optimize(self.make_tuner())
        assert study.best_trial.state is TrialState.COMPLETE
        for trial in all_trials(study):
            assert trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
            alone = train_alone(RiskyTrainer, trial.config, until=trial.step)
            assert dict(trial.metrics) == alone[trial.step]

    def test_it_ends_where_all_trials_are_equal_and_slots_are_many(self, make_study: MakeStudy) -> None:
        study = make_study(engine=FakeEngine(slots=4))
        study.optimize(self.make_tuner())
        assert study.best_trial.state is TrialState.COMPLETE

    @pytest.mark.parametrize("nan", ["fail", "worst"])
    def test_nan_is_never_the_best_and_is_told(self, make_study: MakeStudy, nan: str) -> None:
        study = make_study(trouble="nan", nan=nan)
        study.optimize(self.make_tuner())
        assert float(study.best_config.values_at(0)["lr"]) <= SAFE_LR
        told = [trial for trial in all_trials(study) if trial.state is TrialState.FAIL and "NaN" in trial.error]
        unranked = [trial for trial in all_trials(study) if trial.value is None or math.isnan(trial.value)]
        assert told if nan == "fail" else unranked

    def test_a_trial_that_fails_does_not_end_it(self, make_study: MakeStudy) -> None:
        study = make_study(trouble="fail")
        study.optimize(self.make_tuner())
        failed = [trial for trial in all_trials(study) if trial.state is TrialState.FAIL]
        assert all("told to fail" in trial.error for trial in failed)
        assert study.best_trial.state is TrialState.COMPLETE

    def test_several_objectives_and_constraints_do_not_end_it(self, make_study: MakeStudy) -> None:
        study = make_study(metric=["loss", "luck"], mode=["min", "max"], constraints=["size <= 1.5", "luck >= 0.2"])
        study.optimize(self.make_tuner())
        assert any(trial.state is TrialState.COMPLETE for trial in study.trials)

    # --- what it asks

    def test_equal_tuners_ask_equal_questions(self, make_study: MakeStudy) -> None:
        overheard = [RecordingTuner(self.make_tuner()) for _ in range(2)]
        for tuner in overheard:
            make_study().optimize(tuner)
        assert overheard[0].questions == overheard[1].questions
        assert overheard[0].questions

    @pytest.mark.slow
    def test_a_re_run_asks_the_same_and_trains_nothing(self, make_study: MakeStudy, tmp_path: Path) -> None:
        first, second = RecordingTuner(self.make_tuner()), RecordingTuner(self.make_tuner())
        study = make_study(stored=True)
        study.optimize(first)
        trained, trials = self.steps_run(tmp_path), [(t.config, t.step, t.state, t.value) for t in all_trials(study)]
        study = make_study(stored=True)
        study.optimize(second)
        assert second.questions == first.questions
        assert self.steps_run(tmp_path) == trained
        assert [(t.config, t.step, t.state, t.value) for t in all_trials(study)] == trials

    @pytest.mark.parametrize("answers", [0, 4])
    def test_an_interrupted_call_goes_on_with_the_same_questions(self, make_study: MakeStudy, answers: int) -> None:
        undisturbed, resumed = RecordingTuner(self.make_tuner()), RecordingTuner(self.make_tuner())
        interrupted = RecordingTuner(self.make_tuner(), until_answer=answers)
        make_study().optimize(undisturbed)
        study = make_study()
        with pytest.raises(Interrupted):
            study.optimize(interrupted)
        study.optimize(resumed)
        assert interrupted.questions == undisturbed.questions[: len(interrupted.questions)]
        known = None if self.asks_in_a_fixed_order else len(interrupted.questions)
        assert resumed.questions[:known] == undisturbed.questions[:known]
        assert study.best_trial.state is TrialState.COMPLETE

    # --- what it refuses

    def test_a_metric_that_is_missing_ends_it_with_the_names_there_are(self, make_study: MakeStudy) -> None:
        if not getattr(self.make_tuner(), "needs_metric", False):
            pytest.skip("it ranks nobody by the study's metric")
        study = make_study(metric="los")
        with pytest.raises(UnknownMetricError, match=r"'los'.*Did you mean 'loss'"):
            study.optimize(self.make_tuner())

    def test_a_study_without_a_metric_is_refused_before_anything_is_trained(
        self, make_study: MakeStudy, tmp_path: Path
    ) -> None:
        if not getattr(self.make_tuner(), "needs_metric", False):
            pytest.skip("it ranks nobody by the study's metric")
        with pytest.raises(TunerError, match="has no metric"):
            make_study(metric=None, mode=None).optimize(self.make_tuner())
        assert self.steps_run(tmp_path) == 0

    # --- who it is

    def test_its_record_is_json_and_equal_for_equal_tuners(self) -> None:
        records = [record_text(record_of(self.make_tuner())) for _ in range(2)]
        assert records[0] == records[1]
        assert json.loads(records[0])

    @pytest.mark.slow
    def test_its_record_is_equal_in_another_process(self) -> None:
        cls = type(self)
        assert records_elsewhere(inspect.getfile(cls))[cls.__name__] == record_text(record_of(self.make_tuner()))


def all_trials(study: hippo.Study) -> list[Trial]:
    """Return the trials of a study, and behind them those of its surrogates."""
    return [*study.trials, *(trial for scale in study.surrogates.values() for trial in scale.trials)]


@functools.cache
def records_elsewhere(file: str) -> Mapping[str, str]:
    """Return the record of each tuner that a test file puts to the contract, as another process sees it."""
    program = f"""
import json, runpy
from hippo.testing.tuner_contract import TunerContract, record_of, record_text
classes = [cls for cls in runpy.run_path({file!r}).values() if isinstance(cls, type) and issubclass(cls, TunerContract)]
classes.remove(TunerContract)
print(json.dumps({{cls.__name__: record_text(record_of(cls().make_tuner())) for cls in classes}}))
"""
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert told.returncode == 0, told.stderr
    records: Mapping[str, str] = json.loads(told.stdout.splitlines()[-1])
    return records
