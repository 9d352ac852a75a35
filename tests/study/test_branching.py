"""Branches of an exact path that are walked as lanes: in a plan of their own, from the path's own state on."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import MissingCheckpointError, OptionError, SimulationError, TunerError
from hippo.members import BRANCHES, is_of_branches, scale_of
from hippo.plan import (
    AbstractPlanStore,
    CheckpointRow,
    PlanRow,
    StateRow,
    StepRow,
    StudyPlanRow,
    begun,
    open_store,
    plans_of,
)
from hippo.plan.rows import NodeRow
from hippo.records import Answer
from hippo.runtime.studies.shell_lines import where_traceback
from hippo.study.results.scale_costs import scale_costs
from hippo.study.results.walked_tree import WalkedTree
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.testing.tuner_contract import RiskyTrainer
from hippo.tuners.ask import Ask, Proposal
from hippo.visualization import plot_branches

MakeStudy = Callable[..., hippo.Study]

#: a trainer without torch says so once
pytestmark = pytest.mark.filterwarnings("ignore:lanes of .* are walked one by one")

PATH = hippo.Config({"lr": 0.1})
RATES = (0.05, 0.2, 0.4)
AT, STEPS = 3, 2
PLAIN = {"augment": False, "dropout": 0.0, "batch_norm": False}


def branches_of(path: hippo.Config, rates: Sequence[float] = RATES, at: int = AT) -> list[hippo.Config]:
    return [path.switch(at=at, lr=rate) for rate in rates]


class Forks(hippo.Tuner):
    """Trains a path, branches of it as lanes, and the first branch once more as the path.

    Args:
      rates: of the branches.
      of_new: has branches of a new model walked before.
      then: is called in the block, with what is asked there and the branches.
      until: where the path ends.
    """

    asks_branches = True

    def __init__(
        self, rates: Sequence[float] = RATES, *, of_new: bool = False, then: Any = None, until: int = AT + STEPS + 2
    ) -> None:
        self.rates = tuple(rates)
        self.of_new = of_new
        self.until = until
        self._then = then
        self._heard: list[list[Answer]] = []

    @property
    def heard(self) -> list[list[Answer]]:
        """The answers of branches, by block."""
        return self._heard

    async def _walk(self, ask: Ask, answer: Answer | None, configs: Sequence[hippo.Config], until: int) -> None:
        async with ask.branching(answer) as lanes:
            self._heard.append(
                await lanes.together(
                    Proposal(config=config, until=until, evaluate=False, is_transient=True, is_extension=True)
                    for config in configs
                )
            )
            if self._then is not None:
                await self._then(lanes, configs)

    async def tune(self, ask: Ask) -> None:
        if self.of_new:
            await self._walk(ask, None, [hippo.Config({"lr": rate}) for rate in self.rates], STEPS)
        trained = await ask(PATH, until=AT)
        async with ask.pin(trained):
            await self._walk(ask, trained, branches_of(PATH, self.rates), AT + STEPS)
        await ask(branches_of(PATH, self.rates)[0], until=self.until)


def stored(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path / 'hippo.db'}", "checkpoints": str(tmp_path / "checkpoints")}


def told(answer: Answer) -> dict[int, Mapping[str, float]]:
    return {step: dict(answer.train_metrics[step]) for step in answer.train_metrics}


# --- what they are answered


def test_a_branch_says_what_the_path_would_say_from_that_state_on(make_study: MakeStudy) -> None:
    study, tuner = make_study(), Forks()
    study.optimize(tuner)
    for rate, answer in zip(RATES, tuner.heard[0], strict=True):
        alone = make_study(f"alone {rate}")
        alone.evaluate(branches_of(PATH, [rate])[0], until=AT + STEPS)
        (whole,) = alone.trials
        assert answer.failure is None
        assert told(answer) == {step: dict(whole.train_metrics[step]) for step in (AT + 1, AT + 2)}


def test_lanes_of_torch_begin_at_the_exact_state_and_are_one_program(make_study: MakeStudy) -> None:
    options = {"trainer": BlobsTrainer, "trainer_args": PLAIN}
    study = make_study(**options)
    tuner = Forks([0.1 + 0.02 * number for number in range(8)], of_new=True)
    study.optimize(tuner)
    for config, answer in zip(branches_of(PATH, tuner.rates), tuner.heard[1], strict=True):
        exact = make_study("exact", **options)
        exact.evaluate(config, until=AT + STEPS)
        whole = exact.trials[-1].train_metrics
        for step in (AT + 1, AT + 2):
            assert answer.train_metrics[step]["loss"] == pytest.approx(whole[step]["loss"], rel=1e-5)
    counted = study.statistics()
    assert counted.lane_steps_fused >= 2 * 8 * STEPS - 8
    again = make_study("again", **options)
    assert again.evaluate(study.best_config, until=AT + STEPS + 2) == study.best_trial.metrics


def test_branches_are_never_the_answer_to_what_is_asked_of_the_path(make_study: MakeStudy) -> None:
    study, tuner = make_study(), Forks(of_new=True)
    study.optimize(tuner)
    store = study._opened.store
    members = plans_of(store, 1)
    assert [scale_of(member) for member in members] == ["1", BRANCHES, list(members)[2]]
    assert members[""] != members[BRANCHES] == members[list(members)[2]]
    declared = {m: json.loads(store.rows(PlanRow, plan=plan)[0].declared) for m, plan in members.items()}
    assert (declared[""].pop("numerics"), declared[BRANCHES].pop("numerics")) == ("exact", "fused")
    assert declared[""] == declared[BRANCHES]
    steps = {plan: len(store.rows(StepRow, plan=plan)) for plan in members.values()}
    checked = study.statistics().steps_checked
    assert sum(steps.values()) == AT + STEPS + 2 + len(RATES) * 2 * STEPS + checked
    assert steps[members[BRANCHES]] >= len(RATES) * 2 * STEPS  # the first branch was trained once more on the path
    (root,) = [row for row in store.rows(NodeRow, plan=members[BRANCHES]) if row.owner]
    assert (begun(root.owner), root.start) == ((AT, _hash_at(store, AT)), 0)
    assert [trial.config for trial in study.trials] == [PATH, branches_of(PATH)[0]]
    assert study.surrogates == {}


def _hash_at(store: AbstractPlanStore, step: int) -> str:
    (found,) = {row.state_hash for row in store.rows(StateRow) if row.step == step}
    return found


def test_the_state_is_in_a_file_of_each_plan_and_no_branch_is_in_any(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(**stored(tmp_path))
    study.optimize(Forks(of_new=True))
    store = study._opened.store
    members = plans_of(store, 1)
    of_path = {row.step: row for row in store.rows(CheckpointRow, plan=members[""])}
    (of_branches,) = store.rows(CheckpointRow, plan=members[BRANCHES])
    assert (of_branches.step, of_branches.state_hash) == (AT, of_path[AT].state_hash)
    assert of_branches.key.startswith(f"{store.uuid}/p{members[BRANCHES]}/")
    assert (tmp_path / "checkpoints" / of_branches.key).exists()


def test_states_of_branches_leave_memory_when_their_block_ends(make_study: MakeStudy) -> None:
    async def then(lanes: Ask, configs: Sequence[hippo.Config]) -> None:
        for _ in range(500):  # that a state is in memory may be heard after what it came to
            if resident() == len(RATES):
                break
            await asyncio.sleep(0.01)
        counts.append(resident())

    def resident() -> int:
        (run,) = {id(r): r for r in runtime._control._plans if r.spec.numerics == "fused"}.values()
        return sum(len(node.residents) for node in run.plan.nodes.values() if not node.begins_at)

    class After(Forks):
        async def tune(self, ask: Ask) -> None:
            await super().tune(ask)
            await ask(hippo.Config({"lr": 0.3}), until=2)
            counts.append(resident())

    counts: list[int] = []
    study = make_study()
    runtime = study._runtime()
    study.optimize(After(then=then))
    assert counts == [len(RATES), 0]


class Fragile(ToyTrainer):
    """Fails at large rates."""

    def train(self) -> dict[str, float]:
        if float(self.hp["lr"]) > 1:
            raise ValueError("too fast")
        return super().train()


def test_failures_of_branches_end_neither_the_call_nor_the_path(make_study: MakeStudy) -> None:
    study, tuner = make_study(trainer=Fragile), Forks((0.05, 2.0, 3.0))
    study.optimize(tuner)
    assert [answer.failure is None for answer in tuner.heard[0]] == [True, False, False]
    assert study.best_trial.step == AT + STEPS + 2

    class Failing(Forks):
        async def tune(self, ask: Ask) -> None:
            trained = await ask(PATH, until=AT)
            await self._walk(ask, trained, branches_of(PATH, (2.0, 3.0)), AT + STEPS)

    study.optimize(Failing((2.0, 3.0)))  # a search may find nothing: its tuner knows


def test_a_state_that_no_file_holds_is_written_first(make_study: MakeStudy, tmp_path: Path) -> None:
    class OfTransient(Forks):
        async def tune(self, ask: Ask) -> None:
            trained = await ask(PATH, until=AT, evaluate=False, is_transient=True)
            await self._walk(ask, trained, branches_of(PATH), AT + STEPS)

    study, tuner = make_study(**stored(tmp_path)), OfTransient()
    study.optimize(tuner)
    assert [sorted(told(answer)) for answer in tuner.heard[0]] == [[AT + 1, AT + 2]] * len(RATES)
    rows = study._opened.store.rows(CheckpointRow)
    assert [(row.plan, row.step) for row in rows] == [(1, AT), (2, AT)]
    assert len({row.state_hash for row in rows}) == 1


def test_what_is_missing_of_a_branch_is_counted_from_the_state_on(make_study: MakeStudy) -> None:
    async def then(lanes: Ask, configs: Sequence[hippo.Config]) -> None:
        (new,) = branches_of(PATH, [0.9])
        missing.extend([lanes.uncovered(configs[0], AT + STEPS + 3), lanes.uncovered(new, AT + STEPS)])

    missing: list[int] = []
    make_study().optimize(Forks(then=then))
    assert missing == [3, STEPS]


# --- again


@pytest.mark.parametrize("seeds", [None, [0, 1]])
def test_the_same_call_again_hears_the_same_and_trains_nothing(
    make_study: MakeStudy, tmp_path: Path, seeds: list[int] | None
) -> None:
    heard, spent = [], []
    for _ in range(2):
        study, tuner = make_study(seeds=seeds, **stored(tmp_path)), Forks(of_new=True)
        study.optimize(tuner)
        heard.append([[(a.config, a.trial, told(a), a.seconds) for a in block] for block in tuner.heard])
        spent.append((study.statistics(), [row.member for row in study._opened.store.rows(StudyPlanRow)]))
        study.close()
    assert heard[0] == heard[1]
    assert spent[0] == spent[1]
    assert len(spent[0][1]) == (3 if seeds is None else 6)


def test_another_study_finds_every_branch_that_was_trained_from_the_state(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    spent = []
    for name in ("one", "two"):
        study, tuner = make_study(name, **stored(tmp_path)), Forks(of_new=True)
        study.optimize(tuner)
        spent.append(study.statistics().steps_executed)
        study.close()
    assert spent[0] > spent[1] == 0


def test_a_copy_that_was_evicted_is_brought_again(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(**stored(tmp_path))
    study.optimize(Forks())
    study.close()
    hippo.collect_garbage(stored(tmp_path)["storage"], delete=True)
    study, tuner = make_study(**stored(tmp_path)), Forks((0.7, 0.8))
    study.optimize(tuner)
    assert all(sorted(told(answer)) == [AT + 1, AT + 2] for answer in tuner.heard[0])
    alive = [row.step for row in study._opened.store.rows(CheckpointRow, gone="")]
    assert alive.count(AT) == 2


@pytest.mark.parametrize("place", ["memory", "folder"])
def test_an_interrupted_call_whose_files_are_all_gone_goes_on(
    make_study: MakeStudy, tmp_path: Path, place: str
) -> None:
    class Stopped(Forks):
        async def _walk(self, ask: Ask, answer: Answer | None, configs: Sequence[hippo.Config], until: int) -> None:
            await super()._walk(ask, answer, configs[:1], until)
            raise RuntimeError("stopped")

        def record(self) -> dict[str, Any]:
            return Forks().record()

    checkpoints = "memory://" if place == "memory" else str(tmp_path / "checkpoints")
    where = {**stored(tmp_path), "checkpoints": checkpoints}
    study = make_study(**where)
    with pytest.raises(RuntimeError, match="stopped"):
        study.optimize(Stopped())
    study.close()  # what was in memory goes with it
    shutil.rmtree(tmp_path / "checkpoints", ignore_errors=True)
    study, tuner = make_study(**where), Forks()
    study.optimize(tuner)
    assert all(sorted(told(answer)) == [AT + 1, AT + 2] for answer in tuner.heard[0])
    assert study.statistics().steps_executed == 2 * AT + STEPS + 2 + len(RATES) * STEPS  # its path was trained again


def test_a_copy_that_is_lost_in_between_ends_the_call_and_the_next_one_brings_it_again(
    make_study: MakeStudy, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    class Losing(Forks):
        async def _walk(self, ask: Ask, answer: Answer | None, configs: Sequence[hippo.Config], until: int) -> None:
            async with ask.branching(answer) as lanes:
                bring = ask._source.beginnings.bring  # type: ignore[attr-defined]

                async def bring_and_lose(asked: Mapping[str, Sequence[Proposal]]) -> None:
                    await bring(asked)
                    for file in (tmp_path / "checkpoints").rglob("p2/*-s3"):
                        file.unlink()

                ask._source.beginnings.bring = bring_and_lose  # type: ignore[attr-defined]
                await lanes(configs[0], until=until, evaluate=False)

        def record(self) -> dict[str, Any]:
            return Forks().record()

    study = make_study(**stored(tmp_path))
    with pytest.raises(MissingCheckpointError, match="the state after step 3 at which branches begin is gone"):
        study.optimize(Losing())
    study.close()
    study, tuner = make_study(**stored(tmp_path)), Forks()
    study.optimize(tuner)
    assert all(sorted(told(answer)) == [AT + 1, AT + 2] for answer in tuner.heard[0])
    assert study.statistics().steps_executed == AT + STEPS + 2 + len(RATES) * STEPS  # and no step of a new model
    assert not [warning for warning in recwarn if "its steps are run again" in str(warning.message)]


# --- who may not


def test_what_cannot_branch_is_told_why(make_study: MakeStudy) -> None:
    class Silent(Forks):
        asks_branches = False

    with pytest.raises(TunerError, match=r"no member 'branches': a tuner .* says so, by asks_branches = True"):
        make_study("silent").optimize(Silent())
    with pytest.raises(TunerError, match="branches off states, and with sharing=False no two trials share one"):
        make_study("alone", sharing=False).optimize(Forks())
    with pytest.raises(TunerError, match=r"beside a path with numerics='async'.*create the study with one of"):
        make_study("free", numerics="async").optimize(Forks())
    with pytest.raises(SimulationError, match=r"branches walked as one program.*fused=\(a, b\)"):
        hippo.simulate(Forks(), hippo.SimulatedWorkload(seconds_per_step=1.0), slots=1)

    class Failed(Forks):
        async def tune(self, ask: Ask) -> None:
            trained = await ask(PATH, until=AT)
            async with ask.branching(trained):
                pass

    class Fails(ToyTrainer):
        def train(self) -> dict[str, float]:
            raise ValueError("no")

    with pytest.raises(TunerError, match="failed on its way to step 3, so there is no state"):
        make_study("failed", trainer=Fails).optimize(Failed())


def test_in_a_fused_study_branches_are_on_the_path_s_own_plan(make_study: MakeStudy) -> None:
    study, tuner = make_study(engine=FakeEngine(fuses=True), numerics="fused"), Forks(of_new=True)
    study.optimize(tuner)
    assert list(plans_of(study._opened.store, 1)) == [""]
    # the branch that goes on was trained already
    distinct = len(RATES) * STEPS + (AT - STEPS if PATH["lr"](0) in RATES else AT) + len(RATES) * STEPS + 2
    assert study.statistics().steps_executed == distinct
    assert not any(is_of_branches(scale_of(answer.member)) for block in tuner.heard for answer in block)


# --- what is seen of them


def test_trees_and_counts_know_where_branches_begin(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(Forks(of_new=True))
    seen = study.read()
    (begun,) = [member for member in seen.plans if "from step" in member]
    assert begun.startswith(f"{BRANCHES} from step {AT} (")
    rows = {member: [row for row in study.tree() if row.member == member] for member in seen.plans}
    assert [(row.parent, row.start, row.stop) for row in rows[BRANCHES]] == [(None, 0, STEPS)] * len(RATES)
    root, *others = rows[begun]
    assert (root.parent, root.start, root.stop, root.checkpoints) == (None, AT, AT, (AT,))
    assert [(row.parent, row.start, row.stop) for row in others] == [(root.node, AT, AT + STEPS)] * len(RATES)
    tree = WalkedTree()
    tree.take(seen)
    steps = study.statistics().steps_executed
    assert (tree.distinct_steps, steps) == (steps, AT + STEPS + 2 + 2 * len(RATES) * STEPS)
    branches = study.branch_trials
    assert [trial.member for trial in branches] == [BRANCHES] * len(RATES) + [begun] * len(RATES)
    assert [sorted(trial.train_metrics) for trial in branches[len(RATES) :]] == [[AT + 1, AT + 2]] * len(RATES)
    assert {trial.state for trial in branches} == {hippo.TrialState.PRUNED}
    # the path and the branch that goes on, and of each branch what it asked for; nothing was trained twice for them
    assert study.statistics().steps_saved == AT + len(RATES) * AT
    paths = sum(trial.seconds for trial in (*study.trials, *branches))
    to_state = study.trials[0].seconds
    assert study.statistics().trial_seconds == pytest.approx(paths + len(RATES) * to_state)
    costs = {cost.scale: (cost.trials, cost.steps) for cost in scale_costs(seen)}
    assert costs == {"1": (2, AT + STEPS + 2), BRANCHES: (2 * len(RATES), 2 * len(RATES) * STEPS)}


def test_the_line_of_a_state_says_its_step_alone(
    make_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(**stored(tmp_path))
    study.optimize(Forks())
    study.close()
    assert exit_code(["tree", "toy", "--storage", stored(tmp_path)["storage"]]) == 0
    drawn = capsys.readouterr().out
    assert f"branches from step {AT} (" in drawn
    assert f"── {AT}  lr=0.1" in drawn
    assert f"── {AT}-{AT + STEPS}  lr=0.2" in drawn


def test_branches_are_drawn_beside_the_way_that_goes_on(make_study: MakeStudy) -> None:
    study, tuner = make_study(), Forks()
    study.optimize(tuner)
    branches, taken = plot_branches(study, metric="slope").data
    told_there = {(step, told(answer)[step]["slope"]) for answer in tuner.heard[0] for step in (AT + 1, AT + 2)}
    assert {point for point in zip(branches.x, branches.y, strict=True) if point[0] is not None} == told_there
    path = study.best_trial.train_metrics
    assert {point for point in zip(taken.x, taken.y, strict=True) if point[0] is not None} == {
        (step, path[step]["slope"]) for step in path
    }


def test_the_state_of_a_branch_is_made_again_from_where_it_begins(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(**stored(tmp_path))
    study.optimize(Forks())
    study.close()
    study = make_study(**stored(tmp_path))
    steps = study.statistics().steps_executed
    last = study.branch_trials[-1]
    with pytest.warns(UserWarning, match=f"the state of trial {last.number} after 5 steps was not kept"):
        state = last.load_state()
    assert study.statistics().steps_executed == steps + STEPS
    study.evaluate(last.config, until=AT + STEPS)
    assert study.trials[-1].load_state() == state  # a trainer without torch is walked as it is on the path
    with pytest.raises(OptionError, match=r"among 'branches from step 3 .* is a branch that was walked beside others"):
        study.reproduce(last)


# --- what a reader with fresh eyes found


class Rounds(Forks):
    """Forks again and again along one path."""

    async def tune(self, ask: Ask) -> None:
        path = PATH
        for at in (3, 6, 9):
            trained = await ask(path, until=at)
            await self._walk(ask, trained, branches_of(path, self.rates, at), at + STEPS)
            path = branches_of(path, self.rates, at)[0]


def test_branches_that_are_known_need_no_file_of_where_they_begin(make_study: MakeStudy, tmp_path: Path) -> None:
    spent = []
    for name in ("one", "two"):
        study = make_study(name, keep="best", **stored(tmp_path))
        study.optimize(Rounds())
        spent.append(study.statistics().steps_executed)
        study.close()
        hippo.collect_garbage(stored(tmp_path)["storage"], delete=True)
    assert spent == [9 + 3 * len(RATES) * STEPS, 0]


def test_a_call_that_was_complete_and_asks_for_more_branches_is_answered(make_study: MakeStudy, tmp_path: Path) -> None:
    class Growing(Rounds):
        def record(self) -> dict[str, Any]:
            return Rounds().record()

    study = make_study(keep="best", **stored(tmp_path))
    study.optimize(Rounds())
    study.close()
    hippo.collect_garbage(stored(tmp_path)["storage"], delete=True)
    study, tuner = make_study(keep="best", **stored(tmp_path)), Growing((*RATES, 0.9))
    study.optimize(tuner)
    assert [len(block) for block in tuner.heard] == [4, 4, 4]


def test_nobody_misses_where_branches_begin(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(**stored(tmp_path))
    study.optimize(Rounds())
    study.close()
    found = hippo.collect_garbage(stored(tmp_path)["storage"], delete=True)
    assert found.spare.count >= 3
    store = open_store(stored(tmp_path)["storage"])
    kept = {row.plan for row in store.rows(CheckpointRow, gone="")}
    store.close()
    assert kept == {1}


def test_a_root_that_nothing_is_left_of_ends_those_on_its_plan_and_nobody_else(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    engine = hippo.InlineEngine()
    study = make_study(engine=engine, **stored(tmp_path))
    study.optimize(Forks())
    study.close()
    hippo.collect_garbage(stored(tmp_path)["storage"], delete=True)
    study = make_study(engine=engine, **stored(tmp_path))
    other = make_study("other", engine=engine, trainer=RiskyTrainer, **stored(tmp_path))
    ended: list[Any] = []
    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(other.optimize, hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=40))
        training.add_done_callback(lambda done: ended.append(done.exception()))
        with (
            pytest.warns(UserWarning, match="its steps are run again"),
            pytest.raises(MissingCheckpointError, match=r"nothing is left of the state after step 3 .*evaluate"),
        ):
            study.branch_trials[-1].load_state()
    assert ended == [None]
    assert other.best_trial.step == 40


def test_the_state_of_a_branch_is_loaded_in_the_process_that_made_it(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(Forks())
    with pytest.warns(UserWarning, match="was not kept"):
        assert study.branch_trials[0].load_state()


@pytest.mark.parametrize("is_known", [True, False])
def test_what_other_tasks_hear_does_not_depend_on_whether_a_state_had_to_be_written(
    make_study: MakeStudy, tmp_path: Path, is_known: bool
) -> None:
    class TwoTasks(Forks):
        async def tune(self, ask: Ask) -> None:
            order: list[str] = []
            rates = iter([0.11, 0.12, 0.13, 0.14, 0.15, 0.16])

            async def plain() -> None:
                for _ in range(4):
                    await ask(hippo.Config({"lr": next(rates)}), until=2)
                    order.append("plain")

            async def branching() -> None:
                trained = await ask(PATH, until=AT, evaluate=False, is_transient=True)
                async with ask.branching(trained) as lanes:
                    await lanes(PATH.switch(at=AT, lr=next(rates)), until=AT + STEPS, evaluate=False)
                    order.append("lane")

            await asyncio.gather(plain(), branching())
            orders.append(order)

    orders: list[list[str]] = []
    steps = []
    for _ in range(2):
        study = make_study(**stored(tmp_path))
        study.optimize(TwoTasks())
        steps.append((study.statistics().steps_executed, len(study.trials)))
        study.close()
    assert orders[0] == orders[1]
    assert steps[0] == steps[1]


def test_two_blocks_that_lead_to_one_state_leave_its_branches_alone_until_the_last_ends(make_study: MakeStudy) -> None:
    class Nested(Forks):
        async def tune(self, ask: Ask) -> None:
            trained = await ask(PATH, until=AT)
            (branch,) = branches_of(PATH, [0.7])
            async with ask.branching(trained) as outer:
                async with ask.branching(trained) as inner:
                    assert inner.member == outer.member
                    await inner(branch, until=AT + 2, evaluate=False, is_transient=True)
                await ask(hippo.Config({"lr": 0.3}), until=2)  # what was released is dropped meanwhile
                await outer(branch, until=AT + 4, evaluate=False, is_transient=True)

    study = make_study()
    study.optimize(Nested())
    assert study.statistics().steps_repeated == 0


def test_branches_of_a_new_model_are_asked_for_within_a_block_of_others(make_study: MakeStudy) -> None:
    class Within(Forks):
        async def tune(self, ask: Ask) -> None:
            trained = await ask(PATH, until=AT)
            async with ask.branching(trained) as lanes, lanes.branching(None) as new:
                answer = await new(hippo.Config({"lr": 0.7}), until=STEPS, evaluate=False)
            members.extend([new.member, *sorted(answer.train_metrics)])  # type: ignore[list-item]

    members: list[str] = []
    make_study().optimize(Within())
    assert members == [BRANCHES, 1, STEPS]


@pytest.mark.parametrize(
    ("config", "until", "message"),
    [
        ({"lr": 0.7, "momentum": 0.9}, AT, "these branches begin at step 3: until=3 must be more"),
        ({"lr": 0.7}, AT + 1, r"has a 'momentum', and .* has none: path.switch"),
    ],
)
def test_what_does_not_go_on_from_the_state_is_refused(
    make_study: MakeStudy, config: dict[str, float], until: int, message: str
) -> None:
    class Wrong(Forks):
        async def tune(self, ask: Ask) -> None:
            async with ask.branching(await ask({"lr": 0.1, "momentum": 0.9}, until=AT)) as lanes:
                await lanes(config, until=until)

    study = make_study()
    with pytest.raises(TunerError, match=message):
        study.optimize(Wrong())
    study.optimize(hippo.GridSearch([{"lr": 0.1, "momentum": 0.9}], until=AT))  # and nothing else is harmed


def test_the_line_that_a_failed_branch_is_told_with_shows_its_traceback(
    make_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(trainer=Fragile, **stored(tmp_path))
    study.optimize(Forks((0.05, 2.0)))
    failed = study.branch_trials[-1]
    assert failed.state is hippo.TrialState.FAIL
    study.close()
    arguments = ["logs", "toy", str(failed.number), "--scale", scale_of(failed.member)]
    assert where_traceback("toy", failed.number, failed.member, storage="s").startswith(
        f"hippo logs toy {failed.number} --scale"
    )
    assert exit_code([*arguments, "--storage", stored(tmp_path)["storage"]]) == 0
    assert "too fast" in capsys.readouterr().out


def test_branches_that_are_looked_for_again_are_no_trials_that_the_study_had(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study()
    study.optimize(Forks(of_new=True))
    study.optimize(Forks(of_new=True, until=AT + STEPS + 4))
    assert "1 of the 2 trials of this call was in it already" in capsys.readouterr().err
