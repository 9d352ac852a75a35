"""A parameter server as a trainer: through studies, from checkpoints, by branches in memory, and misused."""

from __future__ import annotations

import copy
import gc
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import HparamError, MetricError, TrainerError
from hippo.ps import ClockGradients, PSTrainer, RowGradients
from hippo.ps.branch_states import LiveBranch
from hippo.ps.gang import Gang
from hippo.ps.gradients import ClockShare
from hippo.testing.ps_trainers import NoisyServer, built_server, same_tables
from hippo.testing.solo import train_alone
from hippo.training.codec import encode
from hippo.tuners import Tuner

MakeStudy = Callable[..., hippo.Study]
HERE = {"in_process": True}
SPACE = [
    {"lr": 0.1, "staleness": 1},
    {"lr": hippo.Piecewise([0.1, 0.02], [3]), "staleness": 1},
    {"lr": 0.1, "staleness": hippo.Piecewise([1, 7], [3])},
]


# --- through studies


@pytest.mark.slow  # worker processes
@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adarevision"])
def test_trials_that_share_a_prefix_come_to_what_each_comes_to_alone(make_study: MakeStudy, optimizer: str) -> None:
    arguments = {"optimizer": optimizer}
    study = make_study(trainer_args=arguments)
    study.optimize(hippo.GridSearch(SPACE, until=5))
    assert study.statistics().steps_executed == 3 + 3 * 2
    for trial in study.trials:
        solo = train_alone(NoisyServer, trial.config, until=5, trainer_args={**arguments, **HERE})
        assert dict(trial.history) == solo


@pytest.mark.slow  # worker processes
def test_a_study_goes_on_in_another_process_group_from_its_checkpoints(make_study: MakeStudy) -> None:
    make_study().optimize(hippo.GridSearch(SPACE[:1], until=3))
    study = make_study("longer")
    study.optimize(hippo.GridSearch(SPACE[:1], until=6))
    assert study.statistics().steps_executed == 3
    solo = train_alone(NoisyServer, study.trials[0].config, until=6, trainer_args=HERE)
    assert study.trials[0].metrics == solo[6]


@pytest.mark.slow
@pytest.mark.parametrize("staleness", [0, 3])
def test_the_trainer_is_proven_by_a_check(staleness: int) -> None:
    found = hippo.check_trainer(NoisyServer, {"lr": 0.1, "staleness": staleness}, steps=5)
    assert found.is_proven, found


class Forking(Tuner):
    """Forks one state three times, for two steps each, and goes on with the first."""

    async def tune(self, ask: Any) -> Any:
        config = hippo.Config({"lr": 0.1})
        await ask(config, until=4, evaluate=False, is_transient=True)
        branches = [config.switch(at=4, lr=lr) for lr in (0.05, 0.02, 0.01)]
        async with ask.pin(config, 4):
            for branch in branches:
                await ask(branch, until=6, evaluate=False, is_transient=True)
                if branch is not branches[0]:
                    ask.release(branch)
        return (await ask(branches[0], until=8)).config


def test_branches_are_copied_in_the_pool_and_encoded_only_to_be_written(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies, clocks = list[int](), list[int]()
    copied, encoded = Gang.copy, LiveBranch.encoded

    def counted(gang: Gang, source: Any, target: Any) -> None:
        copies.append(target.number)
        copied(gang, source, target)

    def noted(branch: LiveBranch) -> Any:
        clocks.append(branch.clocks)
        return encoded(branch)

    monkeypatch.setattr(Gang, "copy", counted)
    monkeypatch.setattr(LiveBranch, "encoded", noted)
    study = make_study(trainer_args=HERE, evaluate_every=100)
    study.optimize(Forking())
    # held are the trunk, three branches, and the end; from what is held begin the second and third, and the first again
    assert len(copies) == 5 + 3 + study.statistics().steps_checked - 2  # from what is held checks begin, too
    assert clocks == [8 * 3]  # the end, which is a file, too
    best = next(trial for trial in study.trials if trial.metrics)
    assert best.metrics == train_alone(NoisyServer, best.config, until=8, trainer_args=HERE)[8]


@pytest.mark.parametrize("max_branches", [1, 2])
def test_what_has_no_room_in_the_pool_is_held_encoded(make_study: MakeStudy, max_branches: int) -> None:
    study = make_study(trainer_args={**HERE, "max_branches": max_branches}, evaluate_every=100)
    study.optimize(Forking())
    best = next(trial for trial in study.trials if trial.metrics)
    assert best.metrics == train_alone(NoisyServer, best.config, until=8, trainer_args=HERE)[8]
    assert study.statistics().steps_repeated == 0


def test_trials_that_fail_leave_the_pool_to_those_that_do_not(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={**HERE, "optimizer": "sgd"})
    rates = [(1e30 if number % 2 else 0.001) * (1 + number) for number in range(50)]  # the large ones diverge
    gc.disable()
    try:
        with np.errstate(over="ignore"):
            study.optimize(hippo.GridSearch([{"lr": rate} for rate in rates], until=4))
    finally:
        gc.enable()
    assert [trial.state for trial in study.trials].count(hippo.TrialState.COMPLETE) == 25


def test_free_workers_are_trained_without_being_compared(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={**HERE, "order": "free"}, numerics="async")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.optimize(hippo.GridSearch(SPACE, until=5))
    assert study.statistics().steps_checked == 0
    assert all(trial.state is hippo.TrialState.COMPLETE for trial in study.trials)


@pytest.mark.parametrize(("order", "numerics"), [("free", "exact"), ("free", "fast"), ("pinned", "async")])
def test_numerics_that_do_not_suit_the_order_are_refused(make_study: MakeStudy, order: str, numerics: str) -> None:
    study = make_study(trainer_args={**HERE, "order": order}, numerics=numerics)
    wanted = "order='free'" if order == "free" else "no worker of NoisyServer runs free"
    with pytest.raises(TrainerError, match=wanted):
        study.optimize(hippo.GridSearch(SPACE, until=2))
    assert study.statistics().steps_executed == 0


def test_a_check_of_what_promises_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="promises nothing that could be checked"):
        hippo.check_trainer(NoisyServer, {"lr": 0.1}, numerics="async")


# --- states


def test_going_on_from_a_gathered_state_equals_never_having_stopped() -> None:
    through = built_server(NoisyServer, {"lr": 0.1, "staleness": 3}, **HERE)
    through.train()
    state = encode(through.state_dict())
    resumed = built_server(NoisyServer, {"lr": 0.1, "staleness": 3}, **HERE)
    resumed.load_state_dict(state.tree and through.state_dict())
    assert resumed.train() == through.train()
    assert same_tables(resumed.state_dict()["tables"], through.state_dict()["tables"])


def test_copies_of_one_trainer_share_a_gang_and_hold_branches_of_their_own() -> None:
    pristine = NoisyServer.__new__(NoisyServer)
    pristine.__init__(**HERE)  # type: ignore[misc]
    copies = [copy.copy(pristine), copy.copy(pristine)]
    for each in copies:
        each.hp = type(each.hp)({"lr": 0.1})
        each.build()
    assert copies[0]._branch.gang is copies[1]._branch.gang
    assert copies[0]._branch.number != copies[1]._branch.number


def test_copies_in_the_pool_leave_room_for_what_is_trained() -> None:
    trainer = built_server(NoisyServer, {"lr": 0.1}, max_branches=2, **HERE)
    copies = [trainer._live_copy() for _ in range(3)]
    assert [copy is not None for copy in copies] == [True, True, False]
    trained = [trainer._branch.gang.take() for _ in range(2)]  # a check's, and one that stands
    assert trainer._branch.gang.num_spare < 0
    assert len({each.number for each in trained}) == 2


def test_only_a_trainer_that_knows_nothing_but_its_branch_is_taken_to_another_state() -> None:
    class Noting(NoisyServer):
        def metrics(self, tables: Any) -> Mapping[str, Any]:
            self.last = super().metrics(tables)
            return self.last

    for cls, is_all in ((NoisyServer, True), (Noting, False)):
        pristine: Any = cls.__new__(cls)
        pristine.__init__(**HERE)
        trainer = copy.copy(pristine)
        trainer.hp = type(trainer.hp)({"lr": 0.1})
        trainer.build()
        built = trainer._as_built(pristine)
        assert built is not None
        trainer.evaluate()
        assert built.settle() == is_all


def test_a_trainer_with_a_state_of_its_own_is_built_anew_and_held_encoded() -> None:
    class Own(NoisyServer):
        def state_dict(self) -> dict[str, Any]:
            return {**super().state_dict(), "own": 1}

    class Loading(NoisyServer):
        def load_state_dict(self, state: dict[str, Any]) -> None:
            super().load_state_dict(state)
            self.own = 1

    for cls in (Own, Loading):
        trainer = built_server(cls, {"lr": 0.1}, **HERE)
        assert trainer._as_built(trainer) is None
        assert trainer._live_copy() is None


def test_tables_are_not_written_to_by_users() -> None:
    trainer = built_server(NoisyServer, {"lr": 0.1}, **HERE)
    with pytest.raises(ValueError, match="read-only"):
        trainer.tables["large"][0] = 1.0


def test_what_workers_read_of_the_values_is_known() -> None:
    class Reading(NoisyServer):
        def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
            assert self.hp["batch_size"] == 32
            return super().gradients(tables, share)

    trainer = built_server(Reading, {"lr": 0.1, "batch_size": 32, "other": 1}, **HERE)
    trainer.train()
    assert trainer.hp.read == {"lr", "batch_size"}


def test_values_between_steps_are_refused_in_workers() -> None:
    class Reading(NoisyServer):
        def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
            assert self.hp.at(0.5)["lr"]
            return super().gradients(tables, share)

    with pytest.raises(HparamError, match=r"self.hp.at\(0.5\) in gradients\(\): workers have the values of the step"):
        built_server(Reading, {"lr": 0.1}, **HERE).train()


def test_what_a_worker_notes_on_the_trainer_is_gone_at_the_next_step() -> None:
    class Noting(NoisyServer):
        calls = 0

        def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
            self.calls += 1
            assert self.calls <= 3
            return super().gradients(tables, share)

    trainer = built_server(Noting, {"lr": 0.1}, **HERE)
    for _ in range(3):
        trainer.train()
    assert trainer.calls == 0


class Targeted(NoisyServer):
    """Takes a value of its trial in `build`."""

    def build(self) -> None:
        self.target = self.hp["target"]
        super().build()

    def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
        return ClockGradients(loss=0.0, samples=1, tables={"small": tables["small"] - self.target})


def test_workers_are_not_asked_for_gradients_of_a_trainer_that_they_do_not_have() -> None:
    pristine: Any = Targeted.__new__(Targeted)
    pristine.__init__(**HERE)
    trainers = [copy.copy(pristine) for _ in range(3)]
    for trainer, target in zip(trainers, (0.1, float("0.1"), 5.0), strict=True):
        trainer.hp = type(trainer.hp)({"lr": 0.1, "target": target})
    trainers[0].build()
    trainers[1].build()  # another number, and the same value
    with pytest.raises(
        TrainerError, match=r"set Targeted.target before super\(\).build\(\).* read self.hp in gradients"
    ):
        trainers[2].build()


class Late(NoisyServer):
    """Has a target from the start, and takes that of its trial when its workers have begun."""

    target = 0.0
    #: whether gradients are told by the target
    reads = True

    def build(self) -> None:
        super().build()
        self.target = self.hp["target"]

    def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
        found = super().gradients(tables, share)
        small = found.tables["small"] + self.target if self.reads else found.tables["small"]
        return ClockGradients(loss=found.loss, samples=4, tables={"small": small})


class LateFromInit(Late):
    """The same, from `__init__`."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.target = 0.0


@pytest.mark.parametrize("cls", [Late, LateFromInit])
def test_workers_do_not_go_by_an_attribute_that_the_trainer_has_otherwise(cls: type[Late]) -> None:
    equal = built_server(cls, {"lr": 0.1, "target": 0.0}, **HERE)
    equal.train()
    other = built_server(cls, {"lr": 0.1, "target": 1.0}, **HERE)
    with pytest.raises(TrainerError, match=r"gradients\(\) reads self.target, and workers have it as __init__ or the"):
        other.train()


def test_workers_may_have_otherwise_what_they_do_not_read() -> None:
    class Unread(Late):
        reads = False

    trainers = [built_server(Unread, {"lr": 0.1, "target": target}, **HERE) for target in (0.0, 1.0)]
    for trainer in trainers:
        trainer.train()
    assert same_tables(*(trainer.state_dict()["tables"] for trainer in trainers))


def test_what_gradients_set_themselves_in_a_step_they_may_read() -> None:
    class Noting(Late):
        def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
            self.target = 2.0
            return super().gradients(tables, share)

    trainer = built_server(Noting, {"lr": 0.1, "target": 1.0}, **HERE)
    trainer.train()
    assert trainer.target == 1.0


def test_a_trainer_may_be_built_again() -> None:
    trainer = built_server(NoisyServer, {"lr": 0.1}, **HERE)
    gang = trainer._branch.gang
    trainer.build()
    assert trainer._branch.gang is gang


def test_trials_whose_workers_would_need_other_attributes_fail_and_say_so(make_study: MakeStudy) -> None:
    study = make_study(trainer=Targeted, trainer_args=HERE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(hippo.GridSearch([{"lr": 0.1, "target": target} for target in (1.0, 5.0)], until=2))
    states = [trial.state for trial in study.trials]
    assert sorted(states, key=str) == [hippo.TrialState.COMPLETE, hippo.TrialState.FAIL]


# --- gradients


class Returning(PSTrainer):
    """Returns from `gradients` what it is told to."""

    workers = 1
    returned: Any = None

    def make_transport(self) -> Any:
        return NoisyServer.make_transport(self)  # type: ignore[arg-type]

    in_process = True

    def make_tables(self) -> Mapping[str, Any]:
        return {"table": np.zeros((3, 2))}

    def gradients(self, tables: Any, share: Any) -> Any:
        return type(self).returned

    def metrics(self, tables: Any) -> Mapping[str, Any]:
        return {"sum": tables["table"].sum()}


def returning(returned: Any, values: Mapping[str, Any] | None = None, **attributes: Any) -> Any:
    cls = type("Returned", (Returning,), {"returned": returned, **attributes})
    return built_server(cls, {"lr": 1.0} if values is None else values)


def told(tables: Mapping[str, Any] | None = None, loss: Any = 1.0, samples: Any = 4) -> ClockGradients:
    return ClockGradients(loss=loss, samples=samples, tables={"table": np.ones((3, 2))} if tables is None else tables)


def test_gradients_are_divided_by_the_number_of_samples_before_they_are_sent() -> None:
    trainer = returning(told(loss=6.0))
    assert trainer.train()["loss"] == 1.5
    assert trainer.evaluate() == {"sum": -6 * 0.25}


def test_a_mean_of_more_samples_than_16_bits_hold_is_no_zero() -> None:
    class Half(Returning):
        def make_tables(self) -> Mapping[str, Any]:
            return {"table": np.zeros((3, 2), np.float16)}

        def gradients(self, tables: Any, share: Any) -> ClockGradients:
            return told({"table": np.full((3, 2), 35_000, np.float16)}, samples=70_000)

    trainer = built_server(Half, {"lr": 1.0})
    trainer.train()
    assert (trainer.tables["table"] == -0.5).all()


@pytest.mark.parametrize("rule", ["adagrad", "adarevision"])
def test_squares_of_gradients_are_not_added_up_in_16_bits(rule: str) -> None:
    class Half(Returning):
        optimizer = rule

        def make_tables(self) -> Mapping[str, Any]:
            return {"table": np.zeros((3, 2), np.float16)}

    with pytest.raises(TrainerError, match=f"'table' of float16, and '{rule}' adds up squares"):
        built_server(Half, {"lr": 1.0})


def test_a_gradient_of_no_rows_changes_nothing() -> None:
    trainer = returning(told({"table": RowGradients(rows=[], sums=np.ones((0, 2)))}))
    trainer.train()
    assert trainer.evaluate() == {"sum": 0.0}


def test_the_loss_of_a_step_is_the_mean_over_all_samples_of_all_workers() -> None:
    class Uneven(Returning):
        workers, clocks_per_step = 2, 3

        def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
            return told(loss=float(share.clock + 10 * share.worker), samples=1 + share.worker)

    total = sum(clock + 10 * worker for clock in range(3) for worker in range(2))
    assert built_server(Uneven, {"lr": 0.0}).train()["loss"] == total / (3 * 3)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite_ends_the_step_and_is_not_added(bad: float) -> None:
    trainer = returning(told(loss=bad))
    with pytest.raises(MetricError, match=r"the loss of worker 0 in clock 0 is .*: training has diverged"):
        trainer.train()
    assert trainer.evaluate() == {"sum": 0.0}


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (None, TrainerError, r"returned None; return hippo.ps.ClockGradients\(loss="),
        (told({"tabel": np.ones((3, 2))}), TrainerError, "gradient of 'tabel'; tables are .*Did you mean 'table'"),
        (told({"table": np.ones((2, 2))}), TrainerError, r"float64\[2, 2\], and the table wants float64\[3, 2\]"),
        (told({"table": np.ones((3, 2), "f4")}), TrainerError, r"float32\[3, 2\], and the table wants float64"),
        (told({"table": np.full((3, 2), np.nan)}), MetricError, "gradient of 'table' by worker 0 .* is not finite"),
        (told(samples=0), TrainerError, "samples=0; give how many"),
        (told(samples=True), TrainerError, "samples=True; give how many"),
        (told(loss=None), TrainerError, "loss=None; give its sum"),
        (told(loss="much"), TrainerError, "loss='much'; give its sum"),
        (told([1.0]), TrainerError, r"tables=\[1.0\]; give {name: gradient}"),
        (told({"table": RowGradients(rows=[1, 0], sums=np.ones((2, 2)))}), TrainerError, "ascending and each once"),
        (told({"table": RowGradients(rows=[1, 1], sums=np.ones((2, 2)))}), TrainerError, "ascending and each once"),
        (told({"table": RowGradients(rows=[3], sums=np.ones((1, 2)))}), TrainerError, "from 0 to 2"),
        (told({"table": RowGradients(rows=[-1], sums=np.ones((1, 2)))}), TrainerError, "from 0 to 2"),
        (told({"table": RowGradients(rows=[0.5], sums=np.ones((1, 2)))}), TrainerError, "not whole numbers"),
        (told({"table": RowGradients(rows=[1], sums=np.ones((2, 2)))}), TrainerError, r"wants float64\[1, 2\]"),
    ],
)
def test_gradients_that_are_none_are_refused(returned: Any, error: type[Exception], message: str) -> None:
    trainer = returning(returned)
    with pytest.raises(error, match=message):
        trainer.train()
    assert trainer.evaluate() == {"sum": 0.0}


# --- misused


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"workers": 4}, r"workers=4, but make_tables\(\) made only 3 keys"),
        ({"workers": 0}, "workers=0: it must be a whole number of at least 1"),
        ({"workers": True}, "workers=True: it must be"),
        ({"max_branches": -1}, "max_branches=-1: it must be"),
        ({"optimizer": "adagrd"}, "Did you mean 'adagrad'"),
        ({"order": "pined"}, "Did you mean 'pinned'"),
    ],
)
def test_attributes_that_cannot_be_are_refused_when_it_is_built(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        returning(told(), **attributes)


@pytest.mark.parametrize("clocks", [0, 1.5, "2"])
def test_a_step_has_a_whole_number_of_clocks(clocks: Any) -> None:
    with pytest.raises(TrainerError, match="clocks_per_step="):
        returning(told(), clocks_per_step=clocks)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "no hyper-parameter 'lr'"),
        ({"lr": "0.1"}, "lr='0.1': the parameter server wants a number"),
        ({"lr": 0.1, "momentum": None}, "momentum=None: the parameter server wants a number"),
        ({"lr": 0.1, "staleness": 2}, "staleness=2 is no bound of this server: .* one of 0, 1, 3, 7"),
        ({"lr": 0.1, "staleness": -1}, "staleness=-1 is no bound"),
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(HparamError, match=message):
        returning(told(), values).train()


@pytest.mark.parametrize("optimizer", ["adagrad", "adarevision"])
def test_momentum_is_refused_by_rules_without_it(optimizer: str) -> None:
    with pytest.raises(HparamError, match=f"momentum=0.9: {optimizer!r} has none"):
        returning(told(), {"lr": 0.1, "momentum": 0.9}, optimizer=optimizer).train()


@pytest.mark.parametrize("momentum", [0.9, hippo.Piecewise([0.0, 0.9], [1])])
def test_momentum_is_refused_before_anything_is_trained_where_the_class_says_its_rule(
    make_study: MakeStudy, momentum: Any
) -> None:
    class Adagrad(NoisyServer):
        optimizer = "adagrad"

        def __init__(self) -> None:
            super().__init__(in_process=True)

    study = make_study(trainer=Adagrad)
    with pytest.raises(HparamError, match=r"momentum=0.9: 'adagrad' has none"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.1, "momentum": momentum}], until=2))
    assert study.statistics().steps_executed == 0


def test_a_staleness_that_is_none_is_refused_before_anything_is_trained(make_study: MakeStudy) -> None:
    study = make_study(trainer_args=HERE)
    with pytest.raises(HparamError, match=r"staleness=2 is no bound"):
        study.optimize(hippo.GridSearch([{"lr": 0.1, "staleness": 2}], until=2))
    assert study.statistics().steps_executed == 0
