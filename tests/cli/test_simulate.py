import json

import pytest

import hippo
from hippo.cli.app import exit_code

SPACE = """
import hippo
from hippo import Constant, MultiStep, Piecewise

space = hippo.GridSearchSpace(
    {"lr": [Constant(0.1), MultiStep(0.1, [10], 0.1), MultiStep(0.1, [15], 0.1)],
     "batch_size": [Constant(128), Piecewise([128, 256], [15])]})
def tuner():
    return hippo.SuccessiveHalving(space, min_steps=5, max_steps=20, reduction=2)
def recorded(url):
    from hippo.simulation import SimulatedWorkload, simulate
    simulate(tuner(), SimulatedWorkload(seconds_per_step=30.0), slots=2, storage=url, name="recorded")
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / f"space_{tmp_path.name}.py"
    path.write_text(SPACE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return path


def run(capsys, *arguments):
    code = exit_code(["simulate", *map(str, arguments)])
    return code, capsys.readouterr()


def rows(capsys, *arguments):
    code, said = run(capsys, *arguments, "--format", "json")
    assert code == 0, said.err
    return json.loads(said.out)


def test_a_space_of_a_file_is_simulated_with_a_named_tuner(capsys, file):
    (row,) = rows(capsys, f"{file}:space", "--tuner", "grid", "--until", 20, "--slots", 2, "--seconds-per-step", 3600)
    assert row["trials"] == 6
    assert row["steps_asked"] == 120
    assert row["device_hours"] == row["steps_executed"] < 120


@pytest.mark.parametrize("tuner", ["sha", "asha", "hyperband"])
def test_each_tuner_can_be_named(capsys, file, tuner):
    rungs = [] if tuner == "hyperband" else ["--min-steps", 2]
    (row,) = rows(capsys, f"{file}:space", "--tuner", tuner, *rungs, "--max-steps", 8, "--reduction", 2)
    assert row["trials"] >= 6


def test_hyperband_is_the_one_that_will_run(capsys, file):
    file.write_text(file.read_text() + "draws = hippo.RandomSearchSpace({'lr': hippo.uniform(0, 1)})\n")
    draws = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})
    for options, tuner in (
        ([], hippo.Hyperband(draws, max_steps=27)),
        (["--min-steps", 3, "--reduction", 2], hippo.Hyperband(draws, max_steps=27, min_steps=3, reduction=2)),
    ):
        named = ["--samples", 200, "--tuner", "hyperband", "--max-steps", 27, *options]
        (row,) = rows(capsys, f"{file}:draws", *named)
        assert row["trials"] == sum(bracket.num_trials for bracket in tuner.brackets())


def test_sharing_is_compared_with_its_absence(capsys, file):
    shared, alone = rows(capsys, f"{file.stem}:tuner", "--compare")
    assert (shared["sharing"], alone["sharing"]) == ("yes", "no")
    assert shared["steps_executed"] < alone["steps_executed"]
    assert rows(capsys, f"{file.stem}:tuner", "--no-sharing") == [alone]


def test_people_see_a_table_what_sharing_is_worth_and_who_worked_when(capsys, file):
    code, said = run(capsys, f"{file}:tuner", "--slots", 30, "--compare", "--start-s", 3)
    assert code == 0
    assert "device_hours" in said.out
    assert "times fewer device-hours" in said.out
    assert "█▓ train" in said.out  # both shades are in the legend
    assert "and 6 more slots" in said.out


def test_a_recorded_study_is_replayed_on_other_slots_and_by_other_tuners(capsys, file, tmp_path, monkeypatch):
    import importlib

    storage = f"sqlite:///{tmp_path / 'a.db'}"
    importlib.import_module(file.stem).recorded(storage)
    (same,) = rows(capsys, "--study", "recorded", "--storage", storage, "--slots", 2)
    (alone,) = rows(capsys, "--study", "recorded", "--storage", storage, "--slots", 2, "--no-sharing")
    assert alone["steps_executed"] == same["steps_asked"] == alone["steps_asked"]
    assert same["device_hours"] * 3600 == 30.0 * same["steps_executed"]
    (grid,) = rows(
        capsys, "--study", "recorded", "--storage", storage, "--tuner", "asha", "--min-steps", 5, "--max-steps", 20
    )
    assert grid["trials"] == 6


def test_a_gantt_chart_is_written(capsys, file, tmp_path):
    pytest.importorskip("plotly")
    code, said = run(capsys, f"{file}:tuner", "--gantt", tmp_path / "out.html")
    assert code == 0
    assert "wrote" in said.err
    assert "plotly" in (tmp_path / "out.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--study"),
        (["{file}:space"], "--tuner grid|sha"),
        (["{file}:space", "--tuner", "sha", "--max-steps", "4"], "--min-steps"),
        (["{file}:space", "--tuner", "grid"], "--max-steps"),
        (["{file}:tuner", "--tuner", "grid", "--max-steps", "4"], "is a tuner already"),
        (["{file}:nothing"], "no 'nothing'"),
        (["--study", "none", "--storage", "sqlite:///nowhere.db"], "no database"),
    ],
)
def test_bad_input_is_explained(capsys, file, arguments, message):
    code, said = run(capsys, *(argument.format(file=file) for argument in arguments))
    assert code in (1, 2)
    assert message in said.err


def test_a_storage_that_the_environment_names_for_other_commands_is_no_option_that_is_ignored(
    capsys, file, monkeypatch
):
    monkeypatch.setenv("HIPPO_STORAGE", "sqlite:///studies.db")
    assert rows(capsys, f"{file}:space", "--tuner", "grid", "--until", 4)
    code, said = run(capsys, f"{file}:space", "--tuner", "grid", "--until", 4, "--storage", "sqlite:///studies.db")
    assert (code, "--storage would be ignored" in said.err) == (2, True)


def test_what_a_tuner_warns_of_is_a_line_and_blames_none(capsys, file):
    code, said = run(capsys, f"{file}:space", "--tuner", "hyperband", "--max-steps", 9, "--reduction", 3)
    assert (code, said.err.count("\n")) == (0, 1)
    assert said.err.startswith("hippo: the brackets of Hyperband want 17 trials, and the space has 6 configs")


def test_people_are_told_what_a_replay_made_up(capsys, file, tmp_path):
    import importlib

    storage = f"sqlite:///{tmp_path / 'a.db'}"
    importlib.import_module(file.stem).recorded(storage)
    told = []
    for until in (5, 40):
        recorded = ["--study", "recorded", "--storage", storage]
        code, said = run(capsys, *recorded, "--tuner", "grid", "--until", until)
        assert code == 0
        told.append(said.err)
    assert "never recorded" not in told[0]
    assert "steps took the mean of those recorded (30 s), and metrics at" in told[1]


def test_a_study_that_a_script_runs_is_not_run(capsys, file):
    file.write_text(SPACE + "\nstudy = hippo.create_study('x', trainer='m:C')\nstudy.optimize(tuner())\n1 / 0\n")
    assert rows(capsys, f"{file}:tuner")[0]["trials"] == 6


def test_lanes_are_simulated_as_one(capsys, file):
    arguments = [f"{file}:space", "--tuner", "grid", "--until", 20, "--slots", 1]
    (apart,), (together,) = rows(capsys, *arguments), rows(capsys, *arguments, "--lanes", 16)
    assert "mean_lanes" not in apart
    assert together["mean_lanes"] > 1
    assert together["makespan_hours"] < apart["makespan_hours"]
    (free,) = rows(capsys, *arguments, "--lanes", 16, "--lane-cost", 1, 0)
    assert free["makespan_hours"] < together["makespan_hours"]


def test_what_lanes_cost_is_not_ignored(capsys, file):
    code, said = run(capsys, f"{file}:space", "--tuner", "grid", "--until", 9, "--lane-cost", 1, 0)
    assert code == 2
    assert "--lanes" in said.err


def test_leaders_may_have_several_slots_and_idle_nodes_go(capsys, file):
    arguments = (f"{file}:space", "--tuner", "grid", "--until", 9, "--slots", 16)
    (narrow,) = rows(capsys, *arguments)
    (wide,) = rows(capsys, *arguments, "--shards", 4, "--slots-per-node", 4)
    assert wide["makespan_hours"] < narrow["makespan_hours"]
    (released,) = rows(capsys, *arguments, "--release-after-s", 1, "--slots-per-node", 4)
    assert released["reserved_hours"] < 16 * released["makespan_hours"]
    code, said = run(capsys, *arguments, "--slots-per-node", 4)
    assert code == 2
    assert "--slots-per-node would be ignored" in said.err
    code, said = run(capsys, *arguments, "--shards", 3)
    assert code != 0
    assert "1, 2, 4, 8" in said.err
