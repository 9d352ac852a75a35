"""Studies whose lanes are really trained as one: what is promised of their bits, and what happens where it is not."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import ExactnessError
from hippo.plan import FusionFacts, NodeRow, PlanRow, StateRow, open_store
from hippo.testing.torch_trainers import BlobsTrainer

MakeStudy = Callable[..., hippo.Study]
#: of this width last bits depend on a lane's place and company, unless products are aligned and sums taken lane by lane
ODD = {"widths": (37,), "augment": False, "size": 45}
CONFIGS = [{"lr": 0.02 * (1 + place), "momentum": 0.9, "batch_size": 8} for place in range(5)]


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine these small nets may seem to gain nothing."""
    monkeypatch.setattr("hippo.training.fusion.timed_lanes.MOST_SECONDS", math.inf)


@pytest.fixture
def believes(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Return what has the fusion check see equal bits always, or never."""

    def believe(is_equal: bool) -> None:
        monkeypatch.setattr("hippo.training.fusion.outcomes.LaneOutcome.has_bits_of", lambda *_: is_equal)

    return believe


def trained_twice(make_study: MakeStudy, folder: Path, numerics: str) -> hippo.Study:
    """Train five lanes as one, lose their states, and go on with one of them alone, from the beginning."""
    study = make_study(
        trainer=BlobsTrainer,
        trainer_args=ODD,
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=str(folder / "states"),
        numerics=numerics,
    )
    study.optimize(hippo.GridSearch(CONFIGS, until=2))
    shutil.rmtree(folder / "states")
    study.close()  # no worker holds the states in its memory any more
    study.optimize(hippo.GridSearch(CONFIGS[1:2], until=3))
    assert study.statistics().steps_repeated == 2
    return study


def drifts(told: Any) -> list[str]:
    return [str(each.message) for each in told if "two runs of one step differ" in str(each.message)]


@pytest.mark.slow
def test_where_bits_are_a_lanes_own_it_comes_to_the_same_ones_again_alone(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    study = trained_twice(make_study, tmp_path, "fused")
    assert study.statistics().lane_steps_fused >= 10
    counted = study.statistics()
    assert 0 < counted.fusion_check_seconds < counted.device_seconds
    assert hippo.load_study("toy", study.storage).statistics() == counted
    (row,) = open_store(study.storage).rows(PlanRow)
    (fusion,) = FusionFacts.from_text(row.fusion).verdicts.values()
    assert fusion.keeps_bits


class Adamant(BlobsTrainer):
    """Takes Adam's betas as one value, which switches."""

    def make_optimizer(self, params: Any) -> Any:
        import torch

        return torch.optim.Adam(params, lr=self.hp["lr"], betas=self.hp["betas"], eps=0.01)


@pytest.mark.slow
def test_trials_that_differ_in_betas_are_walked_as_one_and_come_to_the_same_as_alone(make_study: MakeStudy) -> None:
    listed = [hippo.Piecewise([(beta, 0.99), (0.8, 0.9)], [1]) for beta in (0.5, 0.7, 0.9)]
    found = []
    for numerics in ("fused", "exact"):
        study = make_study(name=numerics, trainer=Adamant, numerics=numerics)
        study.optimize(hippo.GridSearch([{"lr": 0.01, "betas": betas} for betas in listed], until=2))
        found.append([trial.value for trial in study.trials])
        assert study.statistics().lane_steps_fused == (6 if numerics == "fused" else 0)
    assert found[0] == pytest.approx(found[1], rel=1e-5)  # float32, 12 updates
    assert len(set(found[0])) == 3


@pytest.mark.slow
@pytest.mark.parametrize("numerics", ["fused", "fused-fast"])
def test_where_bits_depend_on_company_it_is_told_and_another_run_is_no_alarm(
    make_study: MakeStudy,
    tmp_path: Path,
    believes: Callable[[bool], None],
    numerics: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    believes(False)
    with pytest.warns(UserWarning, match="two runs of one step differ"):
        study = trained_twice(make_study, tmp_path, numerics)
    assert study.trials[-1].step == 3
    said = capsys.readouterr().err
    assert said.count("may depend on the trials that are walked beside it") == (numerics == "fused")


@pytest.mark.slow
def test_where_bits_are_promised_that_are_not_kept_another_run_is_an_alarm(
    make_study: MakeStudy, tmp_path: Path, believes: Callable[[bool], None]
) -> None:
    believes(True)
    with pytest.raises(ExactnessError, match="two runs of one stage disagree"):
        trained_twice(make_study, tmp_path, "fused")


@pytest.mark.slow
def test_lanes_whose_shape_changes_after_their_first_step_are_compared_with_lone_ones(make_study: MakeStudy) -> None:
    configs = [{**config, "batch_size": hippo.Piecewise([8, 16], [1])} for config in CONFIGS]
    study = make_study(trainer=BlobsTrainer, trainer_args=ODD, numerics="fused")
    study.optimize(hippo.GridSearch(configs, until=3))
    assert study.statistics().lane_steps_fused == 15
    assert study.statistics().steps_checked == 3  # before step [0, 1) is walked as one: it, and the next one twice


class Counting(BlobsTrainer):
    """Counts its steps where no state says so: a warm-up made by hand."""

    def loss(self, model: Any, batch: Any) -> Any:
        if model.training:
            self.steps = getattr(self, "steps", 0) + 1
        return super().loss(model, batch) * min(1.0, getattr(self, "steps", 40) / 40)


def test_a_first_leg_of_one_step_is_compared_before_its_lanes_are_walked_as_one(make_study: MakeStudy) -> None:
    study = make_study(trainer=BlobsTrainer, trainer_args=ODD, numerics="fused")
    for until in (1, 2, 3):
        study.optimize(hippo.GridSearch(CONFIGS, until=until))
    assert (study.statistics().lane_steps_fused, study.statistics().steps_checked) == (15, 3)
    forgetful = make_study(trainer=Counting, trainer_args=ODD, numerics="fused")
    with pytest.raises(ExactnessError, match=r"step \[1, 2\)"):
        forgetful.optimize(hippo.GridSearch(CONFIGS, until=1))
    assert {trial.step for trial in forgetful.trials} == {0}


# --------------------------------------------------------------------------- whatever goes together, answers are equal

#: branches at two steps, and two batch sizes, of which the second meets short batches
SPACE = hippo.GridSearchSpace(
    {
        "lr": [0.05, *(hippo.MultiStep(0.05, [step], 0.1) for step in (1, 2)), 0.2, 1e12],
        "momentum": [0.0, 0.9],
        "batch_size": [8, 10],
    }
)


#: for each node down to one: where it begins, and its pieces
Way = tuple[tuple[int, str], ...]


def way_to(nodes: Mapping[int, NodeRow], node: int | None) -> Way:
    return () if node is None else (*way_to(nodes, nodes[node].parent), (nodes[node].start, nodes[node].pieces))


@dataclass
class Outcome:
    """What a study came to."""

    #: of each trial, floats as they are written
    trials: list[str]
    #: (way, step) -> hash of the state there
    states: dict[tuple[Way, int], str]
    mean_lanes: float


def outcome(folder: Path, *legs: tuple[int | None, int]) -> Outcome:
    """Train the space in one plan, by a study after another.

    Args:
      legs: of each study, how many lanes go together at most, and until which step it trains. The last one is told of.
    """
    storage = f"sqlite:///{folder}/hippo.db"
    for number, (max_lanes, until) in enumerate(legs):
        study = hippo.create_study(
            f"leg {number}",
            trainer=BlobsTrainer,
            trainer_args=ODD,
            storage=storage,
            checkpoints=str(folder / "states"),
            metric="loss",
            mode="min",
            nan="worst",
            numerics="fused",
            engine=hippo.InlineEngine(max_lanes=max_lanes),
        )
        study.optimize(hippo.GridSearch(SPACE, until=until))
        mean_lanes = study.statistics().mean_lanes
        study.close()
    trials = [f"{trial.number} {trial.state} {dict(trial.metrics)} {trial.history}" for trial in study.trials]
    store = open_store(storage)
    assert len(store.rows(PlanRow)) == 1
    nodes = {row.node: row for row in store.rows(NodeRow)}
    states = {(way_to(nodes, row.node), row.step): row.state_hash for row in store.rows(StateRow)}
    store.close()
    return Outcome(trials, states, mean_lanes)


@pytest.mark.slow
def test_studies_get_equal_answers_and_states_whatever_number_of_lanes_goes_together(tmp_path: Path) -> None:
    def came(name: str, *legs: tuple[int | None, int]) -> Outcome:
        (tmp_path / name).mkdir()
        return outcome(tmp_path / name, *legs)

    pairs, alone, many = (came(str(most), (most, 4)) for most in (2, 1, None))
    assert alone.mean_lanes == 1 < pairs.mean_lanes < many.mean_lanes
    in_turn = came("in turn", (2, 1), (None, 3), (3, 4))  # of one plan, each from where the one before it came to
    for other in (alone, many, in_turn):
        assert other.trials == pairs.trials
        shared = pairs.states.keys() & other.states.keys()
        assert len(shared) >= len(pairs.trials)
        assert {key: pairs.states[key] for key in shared} == {key: other.states[key] for key in shared}
