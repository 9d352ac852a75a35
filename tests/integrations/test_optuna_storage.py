import copy
import math
import pickle
import time

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.study import StudyDirection
from optuna.testing.pytest_storages import StorageTestCase
from optuna.trial import TrialState

import hippo
from hippo.errors import StorageError
from hippo.integrations.optuna import FIRST_ID, HippoStorage
from hippo.integrations.optuna_trials import as_optuna_value, inferred_distributions
from hippo.testing.trainers import ToyTrainer

CONFIGS = [{"lr": lr, "momentum": momentum} for lr in (0.001, 0.1, 0.3) for momentum in (0.0, 0.5)]


class NoNumber(hippo.Trainer):
    """Says that its size is no number where its rate is small."""

    def build(self):
        self.lr = self.hp["lr"]

    def train(self):
        return {}

    def evaluate(self):
        return {"loss": self.lr, "size": math.nan if self.lr < 0.15 else 0.5}

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """Return the URL of a storage with a study of six trials, two of which were pruned, one of which failed."""
    url = f"sqlite:///{tmp_path_factory.mktemp('hippo')}/hippo.db"
    study = hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        trainer_args={"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.3, "momentum": 0.5}},
        storage=url,
        checkpoints="memory://",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    study.optimize(hippo.SuccessiveHalving(CONFIGS, min_steps=2, max_steps=4, reduction=2))
    study.close()
    return url


@pytest.fixture
def study(url):
    return optuna.load_study(study_name="toy", storage=HippoStorage(url))


class TestOptunasOwnTests(StorageTestCase):
    """What Optuna asks of every storage, asked of ours on a hippo storage without studies."""

    @pytest.fixture
    def storage(self, tmp_path):
        url = f"sqlite:///{tmp_path}/hippo.db"
        hippo.create_study("none", trainer=ToyTrainer, storage=url, engine=hippo.InlineEngine())
        hippo.delete_study("none", url)
        return HippoStorage(url)


# ------------------------------------------------------------------------------------------------- what is shown


def test_studies_of_hippo_are_found_by_name_beside_those_of_optuna(url):
    storage = HippoStorage(url)
    optuna.create_study(study_name="other", storage=storage)
    assert optuna.get_all_study_names(storage) == ["toy", "other"]
    assert storage.get_study_id_from_name("toy") >= FIRST_ID > storage.get_study_id_from_name("other")


def test_trials_are_shown_with_their_states_and_values(url, study):
    ours = hippo.load_study("toy", url).trials
    assert [trial.state.name for trial in study.trials] == [trial.state.value for trial in ours]
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL}
    assert [trial.value for trial in study.trials] == [
        None if trial.state.value == "FAIL" else trial.value for trial in ours
    ]


def test_the_best_trial_is_hippos(url, study):
    assert study.direction is StudyDirection.MINIMIZE
    assert study.best_trial.number == hippo.load_study("toy", url).best_trial.number


def test_intermediate_values_are_the_objective_along_the_path(url, study):
    for shown, trial in zip(study.trials, hippo.load_study("toy", url).trials, strict=True):
        assert shown.intermediate_values == {step: metrics["loss"] for step, metrics in trial.history.items()}


def test_params_and_distributions_are_those_of_the_configs(study):
    assert [trial.params for trial in study.trials] == CONFIGS
    assert study.trials[0].distributions == {
        "lr": FloatDistribution(0.001, 0.3, log=True),
        "momentum": FloatDistribution(0.0, 0.5),
    }


def test_attributes_say_how_far_a_trial_came_and_why_it_failed(study):
    failed = next(trial for trial in study.trials if trial.state is TrialState.FAIL)
    assert "ValueError" in failed.user_attrs["hippo:error"]
    assert "Traceback" in failed.user_attrs["hippo:traceback"]
    assert all("hippo:train_slope" in trial.user_attrs for trial in study.trials if trial is not failed)
    assert {trial.user_attrs["hippo:step"] for trial in study.trials if trial is not failed} >= {2, 4}
    for trial in study.trials:  # to the microsecond: what a timedelta holds
        assert trial.duration.total_seconds() > trial.user_attrs["hippo:device_seconds"], (
            "checkpoints and waits are in it"
        )


@pytest.mark.slow
def test_trials_are_found_by_id_and_by_number(study):
    storage, study_id = study._storage, study._study_id
    for trial in study.trials:
        trial_id = storage.get_trial_id_from_study_id_trial_number(study_id, trial.number)
        assert storage.get_trial(trial_id) == trial
        assert storage.get_trial_number_from_id(trial_id) == trial.number
        assert storage.get_trial_param(trial_id, "lr") == trial.params["lr"]


def test_what_is_not_there_is_a_key_error(study):
    storage, study_id = study._storage, study._study_id
    for ask in (
        lambda: storage.get_study_name_from_id(study_id + 1),
        lambda: storage.get_trial(study_id + 100),
        lambda: storage.get_trial_id_from_study_id_trial_number(study_id, 6),
        lambda: storage.get_study_id_from_name("yot"),
    ):
        with pytest.raises(KeyError):
            ask()


def test_a_storage_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(StorageError):
        HippoStorage(f"sqlite:///{tmp_path}/none.db")


def test_the_storage_can_be_pickled(url):
    storage = HippoStorage(url)
    study_id = storage.get_study_id_from_name("toy")
    assert pickle.loads(pickle.dumps(storage)).get_all_trials(study_id) == storage.get_all_trials(study_id)


def test_several_objectives_and_constraints_are_shown(make_study, tmp_path):
    url = f"sqlite:///{tmp_path}/hippo.db"
    made = make_study(
        storage=url, checkpoints="memory://", metric=["loss", "luck"], mode=["min", "max"], constraints="loss <= 0"
    )
    made.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    study = optuna.load_study(study_name="toy", storage=HippoStorage(url))
    assert [direction.name for direction in study.directions] == ["MINIMIZE", "MAXIMIZE"]
    assert [tuple(trial.values) for trial in study.trials] == [trial.values for trial in made.trials]
    assert [list(trial.constraints.values()) for trial in study.trials] == [[t.metrics["loss"]] for t in made.trials]
    assert study.trials[0].intermediate_values == {}


# ---------------------------------------------------------------------------------------------------- what is not


def test_studies_of_hippo_are_not_written(study):
    storage, study_id = study._storage, study._study_id
    for write in (
        lambda: study.ask(),
        lambda: study.set_user_attr("note", 1),
        lambda: storage.set_study_system_attr(study_id, "note", 1),
        lambda: optuna.delete_study(study_name="toy", storage=storage),
        lambda: study.add_trial(study.trials[0]),
    ):
        with pytest.raises(StorageError, match="'toy' is a study of hippo"):
            write()


def test_trials_of_hippo_are_not_written(study):
    storage, trial_id = study._storage, study.trials[0]._trial_id
    for write in (
        lambda: storage.set_trial_param(trial_id, "lr", 0.1, FloatDistribution(0, 1)),
        lambda: storage.set_trial_state_values(trial_id, TrialState.COMPLETE, [1.0]),
        lambda: storage.set_trial_intermediate_value(trial_id, 1, 1.0),
        lambda: storage.set_trial_user_attr(trial_id, "note", 1),
        lambda: storage.set_trial_system_attr(trial_id, "note", 1),
    ):
        with pytest.raises(optuna.exceptions.UpdateFinishedTrialError, match="copy_study"):
            write()


def test_optuna_takes_no_name_that_hippo_has(url):
    with pytest.raises(optuna.exceptions.DuplicatedStudyError, match="toy"):
        optuna.create_study(study_name="toy", storage=HippoStorage(url))


def test_a_copy_can_be_searched_further_by_optuna(url):
    storage = HippoStorage(url)
    optuna.copy_study(from_study_name="toy", from_storage=storage, to_storage=storage, to_study_name="copy")
    copied = optuna.load_study(study_name="copy", storage=storage)
    copied.optimize(lambda trial: trial.suggest_float("lr", 0.001, 0.3, log=True), n_trials=2)
    assert len(copied.trials) == 8


@pytest.mark.slow
def test_what_optuna_writes_can_be_kept(url, tmp_path):
    own = f"sqlite:///{tmp_path}/optuna.db"
    optuna.create_study(study_name="other", storage=HippoStorage(url, own=own))
    assert optuna.get_all_study_names(HippoStorage(url, own=own)) == ["toy", "other"]


@pytest.mark.parametrize("interval", [None, 1])
def test_trials_of_optuna_that_are_no_longer_at_work_are_noticed_as_their_own_storage_notices_them(
    url, tmp_path, interval
):
    failed = []
    callback = None if interval is None else lambda study, trial: failed.append(trial.number)
    own = optuna.storages.RDBStorage(
        f"sqlite:///{tmp_path}/optuna.db",
        heartbeat_interval=interval,
        grace_period=interval,
        heartbeat_stale_trial_callback=callback,
    )
    storage = HippoStorage(url, own=own)
    study = optuna.create_study(storage=storage)
    left = study.ask()
    storage.record_heartbeat(left._trial_id)
    while storage._get_stale_trial_ids(study._study_id) != ([] if interval is None else [left._trial_id]):
        time.sleep(0.1)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert [trial.state.name for trial in study.trials] == ["RUNNING" if interval is None else "FAIL", "COMPLETE"]
    assert failed == ([] if interval is None else [0])
    assert storage._get_stale_trial_ids(optuna.load_study(study_name="toy", storage=storage)._study_id) == []


def test_a_constraint_that_is_no_number_is_broken_in_optuna_too(make_study, tmp_path):
    url = f"sqlite:///{tmp_path}/hippo.db"
    loss = {0.1: math.nan, 0.2: 0.5}
    made = make_study(
        trainer=NoNumber, hparams=["lr"], storage=url, checkpoints="memory://", metric="loss", constraints="size <= 1"
    )
    made.optimize(hippo.GridSearch([{"lr": lr} for lr in loss], until=1))
    study = optuna.load_study(study_name="toy", storage=HippoStorage(url))
    assert [list(trial.constraints.values()) for trial in study.trials] == [[math.inf], [-0.5]]
    assert study.best_trial.number == made.best_trial.number == 1


# -------------------------------------------------------------------------------------------------- distributions


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 3, 2], IntDistribution(1, 3)),
        ([1, 100], IntDistribution(1, 100, log=True)),
        ([0.5], FloatDistribution(0.5, 0.5)),
        ([1, 2.5], FloatDistribution(1, 2.5)),
        ([0.0, 1000.0], FloatDistribution(0, 1000)),
        ([0.001, 0.1], FloatDistribution(0.001, 0.1, log=True)),
        (["adam", "sgd", "adam"], CategoricalDistribution(["adam", "sgd"])),
        ([True, False, True], CategoricalDistribution([True, False])),
        ([None, 0.9, "x", 2], CategoricalDistribution([None, 0.9, "x", 2])),
        ([1, "1"], CategoricalDistribution([1, "1"])),
        ([True, 1, 1.0, None], CategoricalDistribution(["true", "1", "1.0", "null"])),
        ([False, 0, "x"], CategoricalDistribution(["false", "0", "x"])),
        ([[1, 2], "x"], CategoricalDistribution(["[1, 2]", "x"])),
        ([1, 10**400], CategoricalDistribution(["1", str(10**400)])),
    ],
)
def test_distributions_are_those_of_the_values_that_occur(values, expected):
    assert inferred_distributions([{"x": value} for value in values]) == {"x": expected}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([True, False, None], [True, False, None]),
        ([None, 0.9, 2], [None, 0.9, 2]),
        (["sgd", "adam"], ["sgd", "adam"]),
        ([True, 1], ["true", "1"]),
        ([[1, 2], None], ["[1, 2]", "null"]),
        ([1, 2.5], [1.0, 2.5]),
        ([1, "1", True, "true"], ["1", '"1"', "true", '"true"']),
        (["a", [1], "[1]"], ['"a"', "[1]", '"[1]"']),
        (["1", '"1"'], ['"1"', '"\\"1\\""']),
        ([2**53 + 1, 2**53], ["9007199254740993", "9007199254740992"]),
        ([2**70, 3], [2**70, 3]),
    ],
)
def test_a_value_is_shown_as_its_distribution_holds_it(values, shown):
    distribution = inferred_distributions([{"x": value} for value in values])["x"]
    found = [as_optuna_value(distribution, value) for value in values]
    assert len({distribution.to_internal_repr(value) for value in found}) == len(values)
    assert [(type(value), value) for value in found] == [(type(value), value) for value in shown]
    assert all(distribution._contains(distribution.to_internal_repr(value)) for value in found)


def test_a_copy_of_a_study_with_choices_goes_on_in_optuna(tmp_path):
    url = f"sqlite:///{tmp_path}/h.db"
    made = hippo.create_study(
        "choices", trainer=ToyTrainer, storage=url, checkpoints="memory://", engine=hippo.InlineEngine(), metric="loss"
    )
    made.optimize(hippo.GridSearch({"nesterov": [True, False], "decay": [None, 0.1]}, until=1))
    own = f"sqlite:///{tmp_path}/optuna.db"
    optuna.copy_study(from_study_name="choices", from_storage=HippoStorage(url), to_storage=own)
    copied = optuna.load_study(study_name="choices", storage=own)
    assert [trial.params for trial in copied.trials] == [trial.params for trial in made.trials]
    copied.optimize(lambda trial: float(trial.suggest_categorical("nesterov", [True, False])), n_trials=1)
    assert len(copied.trials) == 5


def test_a_name_that_only_some_trials_have_is_inferred_from_those():
    assert inferred_distributions([{"x": 1}, {"y": 2}, {"x": 3}])["x"] == IntDistribution(1, 3)


# -------------------------------------------------------------------------------------------------------- pictures


@pytest.mark.slow
def test_the_optimization_history_shows_every_complete_trial(study):
    figure = optuna.visualization.plot_optimization_history(study)
    complete = [trial for trial in study.trials if trial.state is TrialState.COMPLETE]
    assert list(figure.data[0].x) == [trial.number for trial in complete]
    assert list(figure.data[0].y) == [trial.value for trial in complete]


def test_intermediate_values_show_a_curve_for_each_trial(study):
    figure = optuna.visualization.plot_intermediate_values(study)
    shown = {trace.name: list(trace.y) for trace in figure.data}
    trial = study.best_trial
    assert shown[f"Trial{trial.number}"] == list(trial.intermediate_values.values())
    drawn = [trial for trial in study.trials if trial.state is not TrialState.FAIL]  # Optuna leaves these out
    assert len(shown) == sum(bool(trial.intermediate_values) for trial in drawn)


@pytest.mark.slow
def test_parameter_importances_are_shares(study):
    figure = optuna.visualization.plot_param_importances(study)
    assert set(figure.data[0].y) == {"lr", "momentum"}
    assert math.isclose(sum(figure.data[0].x), 1.0)


def test_nobody_can_change_what_the_next_one_reads(study):
    before = copy.deepcopy(study.trials)
    study.trials[0].params["lr"] = 7.0
    study._storage.get_all_trials(study._study_id)[0].user_attrs.clear()
    assert study.trials == before
