"""The dashboard tells what studies say, to its own page alone, and nothing that a user wrote can run there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import open_store

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from hippo.dashboard import answers, comparing, comparing_front, drawn_curves, drawn_slots, drawn_tree, front, weighing
from hippo.dashboard.app import PAGE, make_dashboard
from hippo.dashboard.watching import ChangeWatcher
from hippo.study.results.walked_tree import WalkedTree
from hippo.testing.trainers import ToyTrainer

from ..views.gated import TWO, AsksTogether, caught_study
from .conftest import NAME, OWN, HandClock


def told(client: TestClient, name: str, **parameters: object) -> Any:
    answer = client.get(f"/api/{name}", params={"study": NAME, **parameters})  # type: ignore[dict-item]
    assert answer.status_code == 200, answer.text
    return answer.json()


def walked(study: hippo.Study) -> WalkedTree:
    tree = WalkedTree()
    tree.take(study.read())
    return tree


def train_grid(url: str, folder: Path, *, until: int) -> None:
    """Train two trials of the study so far."""
    study = hippo.create_study(NAME, trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=until))
    study.close()


@pytest.mark.parametrize("view", ["curves", "schedules", "savings", "history", "parallel", "rungs", "trials", "pareto"])
def test_what_was_answered_is_not_made_again_while_nothing_is_written(
    view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, made = f"sqlite:///{tmp_path}/hippo.db", []
    room = comparing_front if hasattr(comparing_front, f"{view}_answer") else front
    answer = getattr(room, f"{view}_answer")
    monkeypatch.setattr(room, f"{view}_answer", lambda *given, **named: made.append(0) or answer(*given, **named))

    train_grid(url, tmp_path, until=2)
    store = open_store(url)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        first = told(client, view)
        assert [told(client, view), len(made)] == [first, 1]
        told(client, view, metric="loss", order="-value")
        assert len(made) == 2  # what is asked otherwise is another answer
        train_grid(url, tmp_path, until=4)
        now = told(client, view)
        assert (view == "rungs" or now != first, len(made)) == (True, 3)  # a grid has no rungs
    store.close()


def test_a_tree_is_made_once_for_all_its_colours_and_rests_and_says_that_more_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, clock, made = f"sqlite:///{tmp_path}/hippo.db", HandClock(), []

    def slowly(tree: WalkedTree, *, folds: bool) -> Any:
        clock.seconds += 1.0
        made.append(drawn_tree.drawn_tree(tree, folds=folds))
        return made[-1]

    monkeypatch.setattr(front, "drawn_tree", slowly)

    train_grid(url, tmp_path, until=2)
    store = open_store(url)
    with TestClient(make_dashboard(store, clock), base_url=OWN) as client:
        first, other = told(client, "tree"), told(client, "tree", metric="other")
        assert (first["metric"], other["metric"], set(other["value"]), len(made)) == ("loss", "other", {None}, 1)
        assert (first["again_s"], told(client, "tree"), len(made)) == (None, first, 1)
        train_grid(url, tmp_path, until=4)
        assert told(client, "tree") == {**first, "again_s": 5.0}
        clock.seconds = 12.0
        now = told(client, "tree")
        assert (now["width"], now["again_s"], len(made)) == (4, None, 2)
    store.close()


def test_what_is_left_in_the_list_of_studies_rests_and_says_when_to_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, looked = HandClock(), []
    left = hippo.Study.work_left

    def slowly(study: hippo.Study) -> Any:
        clock.seconds += 1.0
        looked.append(study.name)
        return left(study)

    with caught_study(tmp_path, AsksTogether(TWO)) as (study, _):
        monkeypatch.setattr(hippo.Study, "work_left", slowly)
        store = open_store(study.storage)
        with TestClient(make_dashboard(store, clock), base_url=OWN) as client:
            first = told(client, "overview")
            assert (told(client, "overview")["studies"], looked) == (first["studies"], ["caught"])
            hippo.create_study("other", trainer=ToyTrainer, storage=study.storage).close()
            again = told(client, "overview")
            assert (again["studies"][0], again["again_s"], looked) == (first["studies"][0], 5.0, ["caught"])
            clock.seconds = 12.0
            assert (told(client, "overview")["again_s"], looked) == (None, ["caught"] * 2)
        store.close()


def test_studies_are_listed_with_what_was_saved(client: TestClient) -> None:
    listed = told(client, "overview")["studies"]
    assert [each["name"] for each in listed] == [NAME, "failing", "halving", "many", "seeded"]
    assert listed[0]["steps_asked"] == 32
    assert listed[0]["steps_asked"] == listed[0]["steps_executed"] + listed[0]["steps_saved"]
    assert listed[0]["metrics"] == [{"name": "loss", "mode": "min"}]


def test_the_tree_has_each_node_and_its_last_metric(client: TestClient, storage: str) -> None:
    tree, rows = told(client, "tree"), hippo.load_study(NAME, storage).tree()
    assert sorted(tree["node"]) == sorted(row.node for row in rows)
    assert tree["of"] == len(rows)
    by_node = {row.node: row for row in rows}
    for node, trials, value in zip(tree["node"], tree["trials"], tree["value"], strict=True):
        row = by_node[node]
        assert (trials, value) == (len(row.trials), row.metrics[max(row.metrics)]["loss"])
    assert tree["width"] == 8


def test_the_tree_says_how_far_each_stretch_is_and_which_chain_is_the_longest_that_remains(tmp_path: Path) -> None:
    with caught_study(tmp_path, AsksTogether(TWO)) as (study, _):
        store = open_store(study.storage)
        with TestClient(make_dashboard(store), base_url=OWN) as client:
            tree, (row,) = told(client, "tree", study="caught"), told(client, "overview")["studies"]
        store.close()
        names = tree["states"]
        assert names[tree["state"][1]] in ("running", "waiting")
        assert [(start, names[state]) for start, _, state in tree["parts"][0]][:2] == [(0, "done"), (2, "running")]
        left = tree["left"]
        assert (left["steps"], left["longest_steps"], left["longest_trial"], left["slots"]) == (11, 7, 0, 1)
        assert left["longest_seconds"] == pytest.approx(left["seconds"] * 7 / 11)
        assert [(start, stop) for _, _, start, stop in left["longest"]] == [(2, 4), (4, 9)]
        assert left["is_worked_on"]
        assert row["left"] == {"steps": 11, "seconds": left["seconds"], "slots": 1, "may_ask_more": False}


def test_whether_a_study_is_worked_on_is_looked_at_each_time_since_who_is_killed_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with caught_study(tmp_path, AsksTogether(TWO)) as (study, _):
        store = open_store(study.storage)
        with TestClient(make_dashboard(store, HandClock()), base_url=OWN) as client:
            seen = [told(client, "tree", study="caught")]
            monkeypatch.setattr("hippo.study.results.remaining.is_writing", lambda *_, **__: False)
            seen.append(told(client, "tree", study="caught"))
            listed = told(client, "overview")["studies"]
        store.close()
        assert [(each["runs"], each["left"]["is_worked_on"]) for each in seen] == [(True, True), (False, False)]
        assert [each["left"] for each in listed] == [None]


def test_of_a_study_that_nobody_works_on_nothing_is_said_of_what_is_left(client: TestClient) -> None:
    assert [each["left"] for each in told(client, "overview")["studies"]] == [None] * 5
    tree = told(client, "tree")
    assert (tree["left"], set(tree["parts"])) == (None, {None})
    assert {tree["states"][state] for state in tree["state"]} == {"done"}
    failing = told(client, "tree", study="failing")
    assert sorted(failing["states"][state] for state in failing["state"]) == ["done", "failed"]
    assert [part for part in failing["parts"] if part] == [[[0, 2, 0], [2, 4, failing["states"].index("failed")]]]
    assert failing["scales"] == [{"scale": "1", "is_target": True, "members": [""]}]


def test_the_longest_chain_is_told_where_few_of_very_many_nodes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with caught_study(tmp_path, AsksTogether(TWO)) as (study, _):
        monkeypatch.setattr(drawn_tree, "_MOST_NODES", 1)
        tree = drawn_tree.drawn_tree(walked(study)).told
        assert (tree["of"], len(tree["node"])) == (3, 2)
        assert {node for _, node, *_ in tree["left"]["longest"]} == set(tree["node"])


def test_of_very_large_studies_what_most_trials_share_is_told_and_how_much_there_is(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = hippo.load_study(NAME, storage)
    rows = study.tree()
    monkeypatch.setattr(drawn_tree, "_MOST_NODES", 3)
    monkeypatch.setattr(drawn_curves, "_MOST_CURVES", 1)
    tree = drawn_tree.drawn_tree(walked(study)).told
    assert (len(tree["node"]), tree["of"]) == (3, len(rows))
    assert min(tree["trials"]) >= max(len(row.trials) for row in rows if row.node not in tree["node"])
    curves = drawn_curves.curves_answer(study, walked(study), None)["curves"]
    best = study.best_trial.number
    assert {each["node"] for each in curves if each["is_best"]} == {row.node for row in rows if best in row.trials}
    assert len(curves) < len(rows)


def test_curves_and_schedules_and_savings_are_those_of_the_views(client: TestClient, storage: str) -> None:
    study = hippo.load_study(NAME, storage)
    found = told(client, "curves", metric="luck")
    assert (found["metric"], found["metrics"]) == ("luck", ["loss", "luck"])
    ends = {(step, value) for curve in found["curves"] for step, value in curve["points"]}
    assert ends == {(step, each["luck"]) for trial in study.trials for step, each in trial.history.items()}
    assert {each["name"] for each in told(client, "schedules")["schedules"]} == {"lr"}
    chosen = told(client, "schedules", trials="1,2")
    assert sorted(number for each in chosen["schedules"] for number in each["trials"]) == [1, 2]
    savings = told(client, "savings")
    assert savings["executed"] + savings["saved"] + savings["to_come"] == savings["asked"] == 32


def test_rungs_tell_who_went_on_and_a_study_without_them_has_none(client: TestClient) -> None:
    found = told(client, "rungs", study="halving")["rungs"]
    assert [(each["step"], each["asked"], each["went on"]) for each in found] == [(2, 4, 2), (4, 2, 0)]
    assert found[1]["complete"] == 2
    assert all(each["asked"] == sum(list(each.values())[3:]) for each in found)
    assert told(client, "rungs")["rungs"] == []


def test_slots_tell_every_lease_and_of_very_many_the_last(
    client: TestClient, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = hippo.load_study("halving", storage)
    found, leases = told(client, "slots", study="halving"), study.leases()
    assert found["lease"] == [lease.lease for lease in leases]
    assert (found["of"], found["unknown"]) == (len(leases), 0)
    assert found["began_at"] == leases[0].began_at
    assert {found["kind"][at] for at, said in enumerate(found["said"]) if "node" in said} <= {2, 3}
    assert sum(use["leases"] for use in found["slots"]) == len(leases)
    monkeypatch.setattr(drawn_slots, "_MOST_BARS", 2)
    last = drawn_slots.slots_answer(study, walked(study), 0.0)
    assert (last["lease"], last["of"]) == ([lease.lease for lease in leases[-2:]], len(leases))
    assert last["from_s"] == leases[-2].began_at - leases[0].began_at


def test_a_lineage_says_which_trial_each_one_left_and_of_very_many_that_of_the_first(
    client: TestClient, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(client, "lineage")
    by_trial = dict(zip(found["trial"], zip(found["parent"], found["start"], strict=True), strict=True))
    assert by_trial == {0: (None, 0), 1: (None, 0), 2: (0, 3), 3: (1, 3)}
    assert (found["height"], found["width"], found["of"], found["trials"]) == (4, 8, 4, 4)
    assert found["said"] == ["lr=0.1, momentum=0.5", "", "lr=0.1, momentum=0.9", ""]
    assert [bool(said) for said in found["parent_said"]] == [False, True, False, True]
    monkeypatch.setattr(answers, "_MOST_ORIGINS", 2)
    study = hippo.load_study(NAME, storage)
    first = answers.lineage_answer(study, walked(study))
    assert (sorted(first["trial"]), first["trials"], first["of"]) == ([0, 1], 2, 4)


def test_storage_tells_bytes_by_who_would_miss_them(client: TestClient, storage: str) -> None:
    found = told(client, "storage")
    kept = hippo.load_study(NAME, storage).kept_states().states
    assert sum(kind["size_bytes"] for kind in found["kinds"]) == sum(state.size_bytes for state in kept)
    assert len(found["largest"]) == len(kept)
    assert (found["budget"], found["gone"]) == (10_000_000_000, [])
    assert found["spare_bytes"] == next(
        kind["size_bytes"] for kind in found["kinds"] if kind["why"] == "nobody keeps it"
    )


def test_history_has_each_trial_and_the_best_so_far(client: TestClient, storage: str) -> None:
    found, study = told(client, "history", study="halving"), hippo.load_study("halving", storage)
    values = {trial.number: trial.value for trial in study.trials}
    complete = {trial.number for trial in study.trials if trial.state.value == "COMPLETE"}
    assert dict(found["complete"]) == {number: values[number] for number in complete}
    assert dict(found["others"]) == {number: values[number] for number in values if number not in complete}
    assert found["best"][-1][1] == study.best_value
    assert (found["metric"], found["of"], found["last"]) == ("loss", 4, 3)


def test_trials_are_side_by_side_and_of_very_many_the_best(
    client: TestClient, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, found = hippo.load_study(NAME, storage), told(client, "parallel")
    assert [(axis["name"], len(axis["labels"])) for axis in found["axes"]] == [("lr", 2), ("momentum", 0)]
    assert {line["trial"]: line["places"][1] for line in found["lines"]} == {0: 0.5, 1: 0.9, 2: 0.5, 3: 0.9}
    assert {line["trial"]: line["value"] for line in found["lines"]} == {own.number: own.value for own in study.trials}
    monkeypatch.setattr(comparing, "_MOST_LINES", 1)
    (best,) = comparing.parallel_answer(study)["lines"]
    assert best["trial"] == study.best_trial.number


def test_of_very_many_trials_those_that_keep_the_constraints_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    study = hippo.create_study("constrained", trainer=ToyTrainer, storage="memory://", engine=hippo.InlineEngine(),
                               metric="loss", mode="max", constraints="loss <= 0.5")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.9}, {"lr": 0.1}, {"lr": 0.01}], until=3))
    assert [trial.is_feasible for trial in study.trials].count(True) in (1, 2)
    monkeypatch.setattr(comparing, "_MOST_LINES", 1)
    assert [line["trial"] for line in comparing.parallel_answer(study)["lines"]] == [study.best_trial.number]
    assert comparing.history_answer(study)["best"][-1][0] == study.best_trial.number


def test_importances_are_shares_and_too_few_trials_have_none(client: TestClient) -> None:
    pytest.importorskip("optuna")
    found = told(client, "importance", study="many")["importances"]
    assert [each["name"] for each in found] == ["lr", "momentum"]
    assert found[0]["share"] > 0.8  # the loss is that of a learning rate, nearly
    assert sum(each["share"] for each in found) == pytest.approx(1.0)
    few = told(client, "importance", study="failing")
    assert few["importances"] == []
    assert "it takes 10 complete trials whose values differ, and there are 1" in few["why"]


def test_a_study_without_a_metric_compares_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("none", trainer=ToyTrainer, storage=url, checkpoints="memory://",
                               engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    study.close()
    store = open_store(url)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        for name in ("history", "parallel", "importance"):
            answer = client.get(f"/api/{name}", params={"study": "none"})
            assert (answer.status_code, "'none' has no metric" in answer.json()["error"]) == (400, True)
    store.close()


def test_trials_come_in_pages_and_in_any_order(client: TestClient) -> None:
    first = told(client, "trials", limit=3, order="-number")
    assert (first["of"], [row["number"] for row in first["rows"]]) == (4, [3, 2, 1])
    assert [row["number"] for row in told(client, "trials", limit=3, offset=3)["rows"]] == [3]
    by_value = [row["value"] for row in told(client, "trials", order="value")["rows"]]
    assert by_value == sorted(by_value)
    assert told(client, "trials", state="FAIL")["of"] == 0
    assert told(client, "trials", text="[3]")["of"] == 2


def test_trials_without_a_value_come_last_whatever_the_order(client: TestClient) -> None:
    for order in ("value", "-value"):
        rows = told(client, "trials", study="failing", order=order)["rows"]
        assert [row["state"] for row in rows] == ["COMPLETE", "FAIL"]


def test_a_trial_has_its_config_history_and_failure(client: TestClient) -> None:
    trial = told(client, "trial", number=0)
    assert trial["config"]["lr"] == "MultiStep(0.1, [3], 0.1)"
    assert [step for step, _ in trial["history"]] == list(range(1, 9))
    failed = told(client, "trial", study="failing", number=1)
    assert (failed["state"], bool(failed["error"])) == ("FAIL", True)
    assert "Traceback" in failed["traceback"]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("tree", 400, "which study"),
        ("tree?study=nobody", 404, "there is no study 'nobody'"),
        ("curves?study=failing&metric=acc", 400, "no trial has a metric 'acc'"),
        ("trials?study=failing&order=lr", 400, "ordered by one of number, state"),
        ("trials?study=failing&limit=501", 400, "1 to 500 rows"),
        ("trials?study=failing&offset=-1", 400, "offset='-1' is no number"),
        ("trials?study=failing&offset=" + "9" * 400, 400, "is no number"),
        ("trial?study=failing&number=77", 400, "77"),
        ("trial?study=failing&number=../../x", 400, "is no number"),
        ("schedules?study=failing&trials=1,,2", 400, "trials='' is no number"),
    ],
)
def test_bad_questions_get_an_answer_that_says_so(client: TestClient, path: str, status: int, said: str) -> None:
    answer = client.get(f"/api/{path}")
    assert answer.status_code == status
    assert said in answer.json()["error"]


# --- who may ask, and what may run


@pytest.mark.parametrize("path", ["/", "/api/overview", "/api/changes", "/page/main.js", "/page/vendor/echarts.min.js"])
@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "http://127.0.0.1:9999"}]
)
def test_other_pages_and_other_names_are_refused(client: TestClient, path: str, headers: dict[str, str]) -> None:
    assert client.get(path, headers=headers).status_code == 403


def test_the_page_itself_is_answered(client: TestClient) -> None:
    assert client.get("/page/main.js", headers={"Origin": OWN}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/overview", "/page/main.js", "/api/tree"])
def test_no_answer_lets_anything_run_that_did_not_come_with_hippo(client: TestClient, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/page/vendor/"])
def test_no_file_beside_the_page_is_told(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(client: TestClient, method: str) -> None:
    assert client.request(method, "/api/overview").status_code == 405


def test_the_page_makes_no_markup_of_text_and_fetches_nothing_from_elsewhere() -> None:
    for script in PAGE.glob("*.js"):
        text = script.read_text()
        for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"):
            assert name not in text, (script.name, name)
    assert "http" not in (PAGE / "index.html").read_text()


# --- live


class Counted:
    def __init__(self) -> None:
        self.state, self.asked = 0, 0

    def __call__(self) -> object:
        self.asked += 1
        return self.state


def test_who_waits_hears_of_the_next_change_and_all_of_them_are_one_question() -> None:
    async def story() -> None:
        counted = Counted()
        watcher = ChangeWatcher(counted, look_s=0.01)
        assert await watcher.next_after(-1, timeout_s=60) == 1
        assert await watcher.next_after(1, timeout_s=0.05) == 1  # nothing changed
        waiting = [asyncio.create_task(watcher.next_after(1, timeout_s=120)) for _ in range(3)]
        await asyncio.sleep(0.05)
        counted.state = 7
        assert await asyncio.gather(*waiting) == [2, 2, 2]
        assert await watcher.next_after(99, timeout_s=60) == 2  # a number of an earlier dashboard

    asyncio.run(story())


def test_nobody_waits_and_nobody_asks() -> None:
    async def story() -> int:
        counted = Counted()
        watcher = ChangeWatcher(counted, look_s=0.001)
        await watcher.next_after(-1, timeout_s=1)
        before = counted.asked
        await asyncio.sleep(0.05)
        return counted.asked - before

    assert asyncio.run(story()) == 0


def test_a_study_that_goes_on_in_another_connection_is_seen(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"

    def run(until: int) -> None:
        study = hippo.create_study("grows", trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"),
                                   engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
        study.close()

    run(2)
    reader = open_store(url)
    with TestClient(make_dashboard(reader), base_url=OWN) as client:
        before = reader.changes()
        assert client.get("/api/trials", params={"study": "grows"}).json()["of"] == 1
        run(4)
        assert reader.changes() != before
        rows = client.get("/api/trials", params={"study": "grows", "order": "-step"}).json()["rows"]
        assert rows[0]["step"] == 4
        hippo.delete_study("grows", url)
        gone = client.get("/api/tree", params={"study": "grows"})
        assert (gone.status_code, "there is no study 'grows'" in gone.text) == (404, True)
    reader.close()


def test_numbers_that_are_none_are_null(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("nan", trainer=ToyTrainer, trainer_args={"nan_at": 2}, storage=url, nan="worst",
                               checkpoints=str(tmp_path / "states"), engine=hippo.InlineEngine(),
                               metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    study.close()
    store = open_store(url)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        for name in (
            "overview",
            "tree",
            "slots",
            "lineage",
            "storage",
            "history",
            "parallel",
            "curves",
            "trials",
            "savings",
            "schedules",
        ):
            answer = client.get(f"/api/{name}", params={"study": "nan"})
            assert answer.status_code == 200, name
            json.loads(answer.text, parse_constant=pytest.fail)
        history = client.get("/api/trial", params={"study": "nan", "number": "0"}).json()["history"]
        assert [step for step, metrics in history if metrics["loss"] is None] == [2]
    store.close()


def test_all_about_one_node_is_told_and_one_that_is_not_walked_is_refused(client: TestClient, storage: str) -> None:
    study = hippo.load_study(NAME, storage)
    for row in study.tree():
        found = told(client, "node", node=row.node)
        assert (found["start"], found["stop"], found["parent"]) == (row.start, row.stop, row.parent)
        assert (found["trials"], found["num_trials"], found["values"]) == (
            list(row.trials),
            len(row.trials),
            row.values,
        )
        assert {step: metrics["loss"] for step, metrics in found["history"]} == {
            step: metrics["loss"] for step, metrics in row.metrics.items()
        }
        first = [each for each in found["paid"] if each["cause"] == "first"]
        assert [(each["study"], each["count"]) for each in first] == [(NAME, row.stop - row.start)]
        kept = [state["step"] for state in found["states"] if not state["gone"]]
        assert kept == list(row.checkpoints)
        assert found["slots"]
    answer = client.get("/api/node", params={"study": NAME, "node": 999})
    assert (answer.status_code, "goes through a node 999" in answer.json()["error"]) == (400, True)


def test_a_node_tells_which_pieces_it_trains_and_the_line_that_branches_off_at_its_end(
    client: TestClient, storage: str
) -> None:
    study = hippo.load_study(NAME, storage)
    for row in study.tree():
        found = told(client, "node", node=row.node)
        # of all that go through it the line takes one that goes on to its end
        config = study.trial(int(found["switch"].partition(".trial(")[2].partition(")")[0])).config
        for each in found["in_force"]:
            sequence = config[each["name"]]
            assert float(each["piece"]) == pytest.approx(sequence(row.start))  # all of them are steps
            is_new = row.start == 0 or sequence(row.start - 1) != sequence(row.start)
            assert (each["name"], each["begins_here"]) == (each["name"], is_new)
        branched = eval(found["switch"].replace("...", "0.7"), {"hippo": hippo})
        name = next(name for name in ("lr", "momentum") if f"{name}=..." in found["switch"])
        assert branched[name](row.stop) == 0.7
        assert branched[name](row.stop - 1) == config[name](row.stop - 1)


def test_a_hyper_parameter_with_any_name_is_branched_off_by_code_that_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("names", trainer=ToyTrainer, storage=url, engine=hippo.InlineEngine(),
                               checkpoints=str(tmp_path / "states"), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"at": 1, "lambda": 0.1, "lr": 0.1}], until=2))
    study.close()
    store = open_store(url)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        (node,) = told(client, "tree", study="names")["node"]
        line = told(client, "node", study="names", node=node)["switch"]
    store.close()
    assert line.endswith(".trial(0).config.switch(at=2, **{'lambda': ...})")
    assert eval(line.replace("...", "0.7"), {"hippo": hippo})["lambda"](2) == 0.7


def test_a_node_tells_of_what_failed_in_it(client: TestClient, storage: str) -> None:
    (row,) = [each for each in hippo.load_study("failing", storage).tree() if 1 in each.trials]
    (failure,) = told(client, "node", study="failing", node=row.node)["failures"]
    assert (failure["step"], failure["method"], failure["taken_back"]) == (3, "train", False)
    assert "told to raise" in failure["error"]
    assert failure["traceback"].startswith("Traceback")


def test_a_trials_way_through_the_tree_is_told(client: TestClient, storage: str) -> None:
    study, way = hippo.load_study(NAME, storage), told(client, "trial", number=1)["way"]
    assert [(each["start"], each["stop"]) for each in way] == [(0, 3), (3, 8)] or way[-1]["stop"] == 8
    assert {each["node"] for each in way} == {row.node for row in study.tree() if 1 in row.trials}


def refused(client: TestClient, name: str, **parameters: object) -> str:
    answer = client.get(f"/api/{name}", params={"study": NAME, **parameters})  # type: ignore[dict-item]
    assert answer.status_code in (400, 404), answer.text
    error: str = answer.json()["error"]
    return error


def test_the_front_is_that_of_the_view_and_of_very_many_a_part(client: TestClient, storage: str,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    found = told(client, "pareto")
    assert ([found["x"]["name"], found["y"]["name"]], found["metrics"]) == (["steps", "loss"], ["loss", "luck"])
    study = hippo.load_study(NAME, storage)
    assert [trial for trial, _, _ in found["best"]] == [study.best_trial.number]
    assert sorted(trial for trial, *_ in [*found["best"], *found["others"]]) == [0, 1, 2, 3]
    found = told(client, "pareto", metric="loss", against="device-seconds")
    assert {trial: x for trial, x, _ in [*found["best"], *found["others"]]} == {
        trial.number: trial.seconds for trial in study.trials
    }
    luck = {mode: told(client, "pareto", metric="loss", against="luck", mode=f"luck={mode}") for mode in ("min", "max")}
    assert [each["x"] for each in luck.values()] == [{"name": "luck", "mode": mode} for mode in ("min", "max")]
    assert told(client, "pareto", against="luck") == luck["min"]  # the page shows that, and asks
    monkeypatch.setattr(weighing, "_MOST_OTHERS", 2)
    found = weighing.pareto_answer(study, None, None, {})
    assert (found["of"], found["of_best"], len(found["others"])) == (4, 1, 2)
    assert "no trial has a metric 'lss'" in refused(client, "pareto", metric="lss")
    assert "mode='loss' is not METRIC=min" in refused(client, "pareto", mode="loss")


def test_studies_are_laid_over_one_another_if_they_optimise_the_same(client: TestClient, storage: str) -> None:
    found = told(client, "together", **{"with": ["many", "halving"]})
    assert (found["metric"], found["mode"]) == ("loss", "min")
    assert found["names"] == [NAME, "failing", "halving", "many", "seeded"]
    for each in found["studies"]:
        study = hippo.load_study(each["name"], storage)
        statistics = study.statistics()
        assert each["best"] == each["points"][-1][1] == study.best_value
        assert each["best_trial"] == study.best_trial.number
        assert each["until"][0] == each["steps_executed"] == statistics.steps_executed
        assert (each["steps_saved"], each["device_seconds"]) == (statistics.steps_saved, statistics.device_seconds)
        assert each["trials"] == len(study.trials)
    assert [each["name"] for each in found["studies"]] == [NAME, "many", "halving"]
    assert "no study" in refused(client, "together", **{"with": "nobody"})
    assert "laid over others once" in refused(client, "together", **{"with": NAME})
    assert "8 studies are told apart" in refused(client, "together", **{"with": [str(each) for each in range(8)]})
    assert "optimises loss (min), and not 'luck'" in refused(client, "together", metric="luck")


def test_a_study_of_another_direction_is_refused_beside_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    for name, mode in (("up", "max"), ("down", "min")):
        study = hippo.create_study(name, trainer=ToyTrainer, storage=url, checkpoints="memory://",
                                   engine=hippo.InlineEngine(), metric="loss", mode=mode)  # fmt: skip
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
        study.close()
    store = open_store(url)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        why = refused(client, "together", study="up", **{"with": "down"})
        assert "'down' optimises loss (min), and study 'up' loss (max)" in why
    store.close()


def test_savings_are_told_in_money_only_at_a_price_that_somebody_gave(client: TestClient, storage: str) -> None:
    found = told(client, "savings")
    assert (found["money"], found["scales"]) == (None, [])
    assert (found["distinct"], found["predicted_rate"]) == (found["executed"], found["seen_rate"])
    money = told(client, "savings", price="3600")["money"]
    assert (money["spent"], money["alone"]) == (found["device_seconds"], found["trial_seconds"])
    for price, why in (("free", "is no number"), ("-1", "0 or more, not -1.0"), ("nan", "0 or more, not nan")):
        assert why in refused(client, "savings", price=price)
    store = open_store(storage)
    with TestClient(make_dashboard(store, price=1800.0), base_url=OWN) as priced:
        assert told(priced, "savings")["money"]["per_hour"] == 1800
        assert told(priced, "savings", price="2")["money"]["per_hour"] == 2  # whoever looks knows better
    store.close()


def test_a_database_that_is_gone_is_a_change_and_whoever_looks_is_told(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/hippo.db", tmp_path / "hippo.db"
    train_grid(url, tmp_path, until=2)
    store = open_store(url)

    async def story(watcher: ChangeWatcher) -> list[int]:
        heard = [await watcher.next_after(-1, timeout_s=60)]
        file.rename(tmp_path / "elsewhere.db")
        heard.append(await watcher.next_after(heard[-1], timeout_s=30))
        heard.append(await watcher.next_after(heard[-1], timeout_s=0.05))  # and it stays gone
        (tmp_path / "elsewhere.db").rename(file)
        return [*heard, await watcher.next_after(heard[-1], timeout_s=30)]

    with TestClient(make_dashboard(store), base_url=OWN) as client:
        told(client, "trials")
        assert asyncio.run(story(ChangeWatcher(store.changes, look_s=0.01))) == [1, 2, 2, 3]
        file.unlink()
        answer = client.get("/api/trials", params={"study": NAME})
    assert answer.status_code == 400
    assert "was removed while it was in use" in answer.json()["error"]
