"""The table of trials shows what its filter says, the columns that are chosen, and the same as a file."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

import hippo

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from hippo.study.results.trials import flat_params, table_of

from .conftest import NAME


def asked(client: TestClient, name: str = "trials", **parameters: object) -> Any:
    given: dict[str, Any] = {"study": NAME, **parameters}
    return client.get(f"/api/{name}", params=given)


def test_a_page_holds_the_trials_for_which_the_filter_holds(client: TestClient, storage: str) -> None:
    found = asked(client, filter="momentum < 0.6 and lr(4) < 0.1", order="-number").json()
    assert ([row["number"] for row in found["rows"]], found["of"], found["unknown"]) == ([0], 1, [])
    best = hippo.load_study(NAME, storage).best_trial
    found = asked(client, filter=f"value <= {best.value!r}").json()
    assert [row["number"] for row in found["rows"]] == [best.number]
    both = asked(client, filter="momentum < 0.6", text="[5]").json()
    assert [row["number"] for row in both["rows"]] == [2]


def test_trials_of_which_a_filter_says_nothing_are_counted(client: TestClient) -> None:
    found = asked(client, filter="lr < 0.2").json()
    assert (found["of"], [each["count"] for each in found["unknown"]]) == (0, [4])
    assert "lr(0) is the value at its first step" in found["unknown"][0]["why"]


def test_a_filter_of_one_state_may_name_what_only_trials_of_another_have(client: TestClient) -> None:
    found = asked(client, study="failing", state="FAIL", filter="metrics_loss < 1")
    assert (found.status_code, found.json()["of"]) == (200, 0)


def test_chosen_columns_hold_what_the_table_of_the_study_does(client: TestClient, storage: str) -> None:
    names = ["params_momentum", "metrics_luck", "params_lr", "call"]
    found = asked(client, columns=",".join(names)).json()
    table = table_of(hippo.load_study(NAME, storage).trials, ["value"], flat_params)
    assert [[row["cells"][name] for name in names] for row in found["rows"]] == [
        list(row) for row in zip(*(table[name] for name in names), strict=True)
    ]
    assert set(found["offers"]) == table.keys() - {"number", "state", "step", "value", "seconds", "error"}


def test_a_name_with_commas_is_a_column_as_any_other(client: TestClient) -> None:
    found = asked(client, columns="params_a%2Cb,state").json()
    assert "params_a,b" in found["offers"]
    assert [row["cells"] for row in found["rows"]] == [{}] * 4  # no trial has it


def test_a_file_has_the_rows_of_the_data_frame(client: TestClient, storage: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = hippo.load_study(NAME, storage).trials_dataframe()
    answer = asked(client, "trials-file", form="csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="_script_alert_1_script_a_b-trials.csv"'
    read = pandas.read_csv(io.StringIO(answer.text), keep_default_na=False, na_values={"value": [""]})
    # all but the text of no error
    pandas.testing.assert_frame_equal(read, frame, check_dtype=False)
    rows = asked(client, "trials-file", form="json").json()
    assert [[row[name] for name in frame] for row in rows] == frame.values.tolist()


def test_a_file_has_all_that_the_filter_shows_in_its_order_and_the_columns_chosen(client: TestClient) -> None:
    choice = {"filter": "number >= 1", "order": "-number", "columns": "state,params"}
    rows = asked(client, "trials-file", form="json", **choice).json()
    assert [row["number"] for row in rows] == [3, 2, 1]
    assert [list(row) for row in rows] == [["number", "state", "params_lr", "params_momentum"]] * 3
    read = list(csv.DictReader(io.StringIO(asked(client, "trials-file", form="csv", **choice).text)))
    assert read == [{name: str(value) for name, value in row.items()} for row in rows]


def test_what_a_trial_has_not_is_empty_in_a_file(client: TestClient) -> None:
    first, second = asked(client, "trials-file", study="failing", form="json").json()
    assert (first["error"], second["value"], second["metrics_loss"]) == ("", None, None)
    read = list(csv.DictReader(io.StringIO(asked(client, "trials-file", study="failing", form="csv").text)))
    assert (read[1]["value"], read[1]["metrics_loss"], read[1]["error"]) == ("", "", second["error"])


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("trials", {"filter": "lr <"}, "invalid syntax"),
        ("trials", {"filter": "rate < 1"}, "Hyper-parameters: lr, momentum;"),
        ("trials", {"columns": "lr"}, "has no column 'lr'; it has number, state"),
        ("trials-file", {"form": "xlsx"}, "written as csv or json, not as 'xlsx'"),
        ("trials-file", {"form": "csv", "filter": "rate < 1"}, "Hyper-parameters: lr, momentum;"),
        ("trials-file", {"form": "csv", "columns": "lr"}, "has no column 'lr'"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(
    client: TestClient, name: str, parameters: dict[str, str], said: str
) -> None:
    answer = asked(client, name, **parameters)
    assert (answer.status_code, said in answer.json()["error"]) == (400, True), answer.text
