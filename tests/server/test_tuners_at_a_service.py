"""Every tuner keeps the contract of tuners at a service, and comes there to what it comes to beside the plan."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import OptionError
from hippo.testing.tuner_contract import RecordingTuner, TunerContract

from .conftest import OnceDescribed, Served

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]
RISKY = "hippo.testing.tuner_contract:RiskyTrainer"
ALL: Mapping[str, type[TunerContract]] = {
    name: cls
    for name, cls in runpy.run_path(str(Path(__file__).parents[1] / "tuners" / "test_contract.py")).items()
    if isinstance(cls, type) and issubclass(cls, TunerContract) and cls is not TunerContract
}
#: those whose branches are walked on a plan of their own, which a study at a service does not have
REFUSED = {name: cls for name, cls in ALL.items() if getattr(cls().make_tuner(), "asks_branches", False)}
CONTRACTS = {name: cls for name, cls in ALL.items() if name not in REFUSED}


class Services:
    """One service for each engine that tests want, and one log of the steps that are trained."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.log = folder / "steps.log"
        self._served: dict[str, Served] = {}
        self._num_studies = 0

    def url(self, engine: Any) -> str:
        name = type(engine).__name__
        if name not in self._served:
            folder = self._folder / name
            folder.mkdir()
            self._served[name] = Served(folder, engine=engine, service=OnceDescribed)
        return self._served[name].url

    def num_steps(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def next_study(self) -> int:
        self._num_studies += 1
        return self._num_studies

    def stop(self) -> None:
        for served in self._served.values():
            served.stop()


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    made = Services(tmp_path_factory.mktemp("services"))
    yield made
    made.stop()


@pytest.mark.parametrize("name", REFUSED)
def test_a_tuner_that_a_service_cannot_serve_is_refused_before_anything_is_trained(
    services: Services, name: str
) -> None:
    study = hippo.create_study(
        "refused",
        trainer=RISKY,
        trainer_args={"log": str(services.log)},
        storage=services.url(hippo.LocalEngine(workers=1)),
        metric="loss",
        mode="min",
    )
    before = services.num_steps()
    with pytest.raises(OptionError, match="branches walked as one program, and a service trains on one plan"):
        study.optimize(REFUSED[name]().make_tuner())
    assert services.num_steps() == before
    study.close()


def test_one_tuner_is_refused() -> None:
    assert list(REFUSED) == ["TestMLTunerWithFusedBranches"]


class AtAService:
    """Has a contract's studies be those of a service; each has a plan of its own, as with a memory of its own."""

    _services: Services
    _steps_before: int

    @pytest.fixture
    def make_study(self, services: Services) -> Iterator[Callable[..., Any]]:
        type(self)._services, type(self)._steps_before = services, services.num_steps()
        studies: list[Any] = []
        stored_number = services.next_study()

        def make(*, stored: bool = False, trouble: str = "none", engine: Any = None, **options: Any) -> Any:
            number = stored_number if stored else services.next_study()
            given = {
                "trainer": RISKY,
                "trainer_args": {"trouble": trouble, "log": str(services.log)},
                "storage": services.url(hippo.LocalEngine(workers=1) if engine is None else engine),
                "metric": "loss",
                "mode": "min",
                "version": str(number),
            }
            studies.append(hippo.create_study(f"study {number}", **{**given, **options}))
            return studies[-1]

        yield make
        for study in studies:
            study.close()

    def steps_run(self, tmp_path: Path) -> int:
        return self._services.num_steps() - self._steps_before

    # who a tuner is has nothing to do with where it asks
    test_its_record_is_json_and_equal_for_equal_tuners = None
    test_its_record_is_equal_in_another_process = None

    def test_it_comes_to_the_same_trials_as_beside_the_plan(self, make_study: Callable[..., Any]) -> None:
        here, there = RecordingTuner(self.make_tuner()), RecordingTuner(self.make_tuner())  # type: ignore[attr-defined]
        beside = hippo.create_study(
            "beside",
            trainer=RISKY,
            storage="memory://",
            checkpoints="memory://",
            engine=hippo.InlineEngine(),
            metric="loss",
            mode="min",
        )
        beside.optimize(here)
        study = make_study()
        study.optimize(there)
        assert there.questions == here.questions
        assert [(t.config, t.step, t.state, t.value) for t in study.trials] == [
            (t.config, t.step, t.state, t.value) for t in beside.trials
        ]
        beside.close()


# what is asked ahead of time depends on which slots are idle at that moment, and workers of a service are soon idle
_OF_THE_MOMENT = (
    "an_interrupted_call_goes_on_with_the_same_questions",
    "it_comes_to_the_same_trials_as_beside_the_plan",
    "a_re_run_asks_the_same_and_trains_nothing",
    "equal_tuners_ask_equal_questions",
)

for _name, _contract in CONTRACTS.items():
    if "Surrogate" not in _name:  # a service trains no surrogates, and says so
        _without = [f"test_{_test}" for _test in _OF_THE_MOMENT] if "Speculates" in _name else []
        _made = type(f"{_name}AtAService", (AtAService, _contract), dict.fromkeys(_without))
        globals()[_made.__name__] = _made
