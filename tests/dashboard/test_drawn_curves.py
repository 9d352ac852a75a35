"""The page's curves are those of the views, by whatever they go, and what cannot be drawn says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hippo

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from hippo.dashboard import drawn_curves
from hippo.dashboard.app import make_dashboard
from hippo.errors import TrialFailedError
from hippo.plan import open_store
from hippo.study import Study
from hippo.study.results.walked_tree import WalkedTree
from hippo.testing.trainers import ToyTrainer

from .conftest import OWN

DROPS = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("curves")
    made = f"sqlite:///{folder}/hippo.db"
    for name, options in (("alone", {}), ("seeded", {"seeds": [1, 2]})):
        study = hippo.create_study(name, trainer=ToyTrainer, storage=made, checkpoints="memory://", metric="loss",
                                   mode="min", engine=hippo.InlineEngine(), **options)  # fmt: skip
        study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": DROPS, "momentum": [0.5, 0.9]}), until=8))
        study.close()
    return made


def told(client: TestClient, study: str, **asked: str) -> Any:
    answer = client.get("/api/curves", params={"study": study, **asked})
    assert answer.status_code == 200, answer.text
    return answer.json()


def loaded(storage: str, name: str) -> Study:
    found: Study = hippo.load_study(name, storage)
    return found


def test_metrics_of_training_stand_in_the_list_and_are_drawn(client: TestClient, storage: str) -> None:
    found = told(client, "alone", metric="train:slope")
    assert (found["metrics"], found["trained"]) == (["loss", "luck"], ["train:slope"])
    values = {value for curve in found["curves"] for _, value in curve["points"]}
    trials = loaded(storage, "alone").trials
    assert values == {each["slope"] for trial in trials for each in trial.train_metrics.values()}


def test_of_a_study_without_a_metric_of_its_own_the_first_that_there_is_is_drawn(tmp_path: Path) -> None:
    study = hippo.create_study("free", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db",
                               checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    store = open_store(study.storage)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        found = told(client, "free")
    store.close()
    assert (found["metric"], found["usual"], found["metrics"]) == ("loss", None, ["loss", "luck"])
    assert [value for curve in found["curves"] for _, value in curve["points"]] == [
        metrics["loss"] for metrics in study.trials[0].history.values()
    ]
    study.close()


def test_by_device_seconds_trials_end_where_they_had_cost_so_much(client: TestClient, storage: str) -> None:
    found = told(client, "alone", by="device-seconds")
    ends = {curve["points"][-1][0] for curve in found["curves"] if curve["step"] == 8}
    assert ends == {trial.seconds for trial in loaded(storage, "alone").trials}


def test_by_seconds_what_a_lease_did_not_end_at_is_left_out(client: TestClient, storage: str) -> None:
    found = told(client, "alone", by="seconds")
    leases = loaded(storage, "alone").leases()
    began = min(lease.began_at for lease in leases)
    assert {place for curve in found["curves"] for place, _ in curve["points"]} == {
        (lease.ended_at or 0.0) - began for lease in leases
    }


def test_seeds_are_a_band_and_each_of_them_where_one_wants(client: TestClient, storage: str) -> None:
    found, trials = told(client, "seeded"), loaded(storage, "seeded").trials
    assert (found["seeds"], found["as_bands"], {len(each) for each in found["curves"][0]["points"]}) == (2, True, {4})
    lasts = {tuple(curve["points"][-1][1:]) for curve in found["curves"] if curve["step"] == 8}
    assert lasts == {(trial.value, *sorted(each.metrics["loss"] for each in trial.replicates)) for trial in trials}
    each = told(client, "seeded", seeds="each")
    assert (each["as_bands"], {curve["member"] for curve in each["curves"]}) == (False, {"seed 1", "seed 2"})
    assert told(client, "alone")["seeds"] == 0


def test_what_has_no_place_says_why_and_what_is_no_axis_is_refused(client: TestClient) -> None:
    found = told(client, "seeded", by="seconds")
    assert (found["curves"], found["metrics"]) == ([], ["loss", "luck"])
    assert "Each seed was trained at a time of its own" in found["why"]
    answer = client.get("/api/curves", params={"study": "alone", "by": "epochs"})
    assert (answer.status_code, "steps, seconds or device-seconds" in answer.json()["error"]) == (400, True)
    answer = client.get("/api/curves", params={"study": "alone", "metric": "train:acc"})
    assert (answer.status_code, "there are: slope" in answer.json()["error"]) == (400, True)


def test_the_best_trial_stands_out_only_as_far_as_it_goes(client: TestClient, storage: str) -> None:
    best = loaded(storage, "alone").best_trial
    found = told(client, "alone")["curves"]
    points = {(step, value) for curve in found if curve["is_best"] for step, value in curve["points"]}
    assert points == {(step, metrics["loss"]) for step, metrics in best.history.items()}
    assert sum(curve["ends"] for curve in found) == len({(curve["member"], curve["node"]) for curve in found})


def test_of_very_many_stretches_those_of_the_first_seed_are_drawn(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, tree = loaded(storage, "seeded"), WalkedTree()
    tree.take(study.read())
    nodes = [row.node for row in study.tree() if row.member == "seed 1"]
    monkeypatch.setattr(drawn_curves, "_MOST_CURVES", len(nodes))
    found = drawn_curves.curves_answer(study, tree, None)["curves"]
    assert {(each["member"], each["node"]) for each in found} == {("seed 1", node) for node in nodes}


def test_where_all_trials_failed_curves_and_comparisons_say_what_of(tmp_path: Path) -> None:
    study = hippo.create_study(
        "broken", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints="memory://",
        engine=hippo.InlineEngine(), metric="loss", mode="min", trainer_args={"raise_in": "train"},
    )  # fmt: skip
    store = open_store(study.storage)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        assert told(client, "broken")["nothing"] == ""
        with pytest.raises(TrialFailedError):
            study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
        expected = "Nothing was evaluated: 2 of 2 trials failed, trial 0 in train() at step 1: ValueError: "
        assert told(client, "broken")["nothing"].startswith(expected)
        assert client.get("/api/history", params={"study": "broken"}).json()["nothing"].startswith(expected)
    store.close()
    study.close()
