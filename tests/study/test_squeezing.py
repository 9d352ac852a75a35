"""A study in the bubbles of a large job, in real ranks: neither changes a bit of the other, nor can end the other."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.pipelining import Schedule1F1B, ScheduleInterleavedZeroBubble

import hippo
from hippo.engines import pipeline_waits
from hippo.errors import EngineError, HippoError, OptionError
from hippo.study import squeezing
from hippo.study.squeezing import Squeeze
from hippo.testing.fusible_trainers import FailingTrainer, NetTrainer, StandingTrainer
from hippo.testing.pipeline import KINDS, LargeJob, only_rank, run_ranks, started_ranks
from hippo.testing.study_results import outcomes
from hippo.testing.trainers import ToyTrainer
from hippo.training import slice_memory

SPACE = hippo.GridSearchSpace({"lr": [0.01 * number for number in range(1, 5)]})
MLP = {"trainer": NetTrainer, "trainer_args": {"net": "mlp", "optimizer": "adam", "size": 16}}
RANKS = 4
#: of an emulated stage that takes no time; what it computes is the same
AT_ONCE = (0.0, 0.0)


def grid(until: int) -> hippo.GridSearch:
    return hippo.GridSearch(SPACE, until=until)


def make_study(folder: Path, **options: Any) -> hippo.Study:
    folder.mkdir(exist_ok=True)
    given: dict[str, Any] = {"engine": hippo.BubbleEngine(), "metric": "loss", "mode": "min", "numerics": "fused"}
    places = {"storage": f"sqlite:///{folder}/hippo.db", "checkpoints": f"{folder}/states", "keep": "all"}
    return hippo.create_study("guest", **(MLP | places | given | options))


def expected(folder: Path, tuner: Any, **options: Any) -> list[Any]:
    study = make_study(folder, engine=hippo.InlineEngine(max_lanes=8), **options)
    study.optimize(tuner)
    found = outcomes(study)
    study.close()
    return found


#: does something to a large job
Amid = Callable[[LargeJob], None]


def _nothing(_job: LargeJob) -> None:
    pass


#: steps of lanes after which each kind of slice has run
WARM = 8


def warm_up(squeezed: Squeeze, lane_steps: int = WARM) -> None:
    """Let a study train alone for so many steps of lanes, however long its machine takes to load it."""
    deadline = time.monotonic() + 120
    while squeezed.report().lane_steps < lane_steps and not squeezed.is_over:
        assert time.monotonic() < deadline, "the guest trains nothing"
        squeezed.warm_up(0.05)


def steps_of(job: LargeJob, count: int, amid: Amid = _nothing) -> list[list[float]]:
    losses = [job.step() for _ in range(count // 2)]
    amid(job)
    return losses + [job.step() for _ in range(count - count // 2)]


def alone(count: int, **kind: Any) -> Callable[[int, int], Any]:
    return lambda rank, ranks: steps_of(LargeJob(rank, ranks, **kind), count)


def with_guest(
    folder: Path, count: int, tuner: Any, *, options: Any = None, amid: Amid = _nothing, warm: int = WARM, **kind: Any
) -> Callable[[int, int], Any]:
    """Return a program with a guest in rank 1, which returns what was warned of and its report as well.

    Args:
      folder: of the guest's study.
      count: steps of the large job.
      tuner: the guest's.
      options: of the guest's study.
      amid: given the large job, when half of its steps are taken.
      warm: steps of lanes before the large job begins.
      **kind: of the large job.
    """

    def run(rank: int, ranks: int) -> Any:
        job = LargeJob(rank, ranks, **kind)
        if rank != 1:
            return steps_of(job, count, amid)
        study = make_study(folder, **(options or {}))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with hippo.squeeze(job.schedule, study, tuner, warm_up_s=0) as squeezed:
                warm_up(squeezed, warm)
                losses = steps_of(job, count, amid)
            report = squeezed.report()
        study.close()
        return losses, [str(each.message) for each in told if each.category is UserWarning], report

    return run


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_neither_changes_a_bit_of_the_other(tmp_path: Path, kind: str) -> None:
    count, tuner = 60, grid(150)
    without = run_ranks(alone(count, kind=kind))
    found = run_ranks(with_guest(tmp_path / "guest", count, tuner, kind=kind))
    assert found[RANKS - 1] == without[RANKS - 1]
    assert len(without[RANKS - 1]) == count
    assert found[1][2].filled_s > 0
    assert go_on_elsewhere(tmp_path / "guest", tuner) == expected(tmp_path / "other", tuner)


@pytest.mark.slow
def test_a_guest_in_long_bubbles_trains_there_and_says_how_much(tmp_path: Path) -> None:
    found = run_ranks(with_guest(tmp_path, 20, grid(5000), seconds=(0.01, 0.02)))
    _, told, report = found[1]
    assert told == []
    assert report.filled_s > 0
    assert {span.step for span in report.trace} == {17, 18}  # the last of 20, the first of which is none of its own
    assert report.steps == 18
    assert f"{report.lane_steps} of lanes" in str(report)


@pytest.mark.slow
def test_what_follows_the_first_lanes_trains_in_bubbles_as_well(tmp_path: Path) -> None:
    tuner = hippo.SuccessiveHalving(SPACE, min_steps=200, max_steps=800, reduction=2)
    first = 200 * 4  # steps of the first assignment, which begins before there are bubbles
    program = with_guest(tmp_path / "guest", 60, tuner, warm=first - 100, seconds=(0.01, 0.02))
    report = run_ranks(program)[1][2]
    assert report.lane_steps > first
    assert go_on_elsewhere(tmp_path / "guest", tuner) == expected(tmp_path / "other", tuner)


@pytest.mark.slow
def test_a_guest_whose_trainer_raises_is_told_of_once_and_the_large_job_goes_on(tmp_path: Path) -> None:
    options = {"trainer": FailingTrainer, "trainer_args": {"above": 0.0, "size": 16}}
    without = run_ranks(alone(8))
    found = run_ranks(with_guest(tmp_path, 8, grid(3), options=options))
    assert found[RANKS - 1] == without[RANKS - 1]
    assert len(found[1][1]) == 1
    assert "a rate of" in found[1][1][0]


def go_on_elsewhere(folder: Path, tuner: Any, *, lanes: int = 1, **options: Any) -> list[Any]:
    study = make_study(folder, engine=hippo.InlineEngine(max_lanes=lanes), **options)
    study.optimize(tuner)
    found = outcomes(study)
    assert study.statistics().steps_repeated == 0
    study.close()
    return found


@pytest.mark.slow
def test_slices_that_take_ten_times_as_long_all_at_once_change_nothing_but_the_time(tmp_path: Path) -> None:
    count, tuner, file = 24, grid(400), tmp_path / "slow"
    options = {"trainer": StandingTrainer, "trainer_args": {"file": str(file), "seconds": 0.4, "size": 16}}

    def slow_down(job: LargeJob) -> None:
        if job.rank == 1:
            file.touch()

    without = run_ranks(alone(count, seconds=AT_ONCE))
    kind = {"seconds": (0.01, 0.02)}
    found = run_ranks(with_guest(tmp_path / "guest", count, tuner, options=options, amid=slow_down, **kind))
    assert found[RANKS - 1] == without[RANKS - 1]
    report = found[1][2]
    assert report.overruns > 0
    assert report.overrun_s > 0.1  # longer than any bubble: it was expected to be short
    file.unlink()
    there = go_on_elsewhere(tmp_path / "guest", tuner, lanes=8, **options)
    assert there == expected(tmp_path / "other", tuner, **options)


@pytest.mark.slow
def test_bubbles_that_vanish_change_nothing_but_what_the_guest_trains(tmp_path: Path) -> None:
    count, tuner = 24, grid(400)

    def be_quick(job: LargeJob) -> None:
        job.module.seconds = AT_ONCE

    without = run_ranks(alone(count, seconds=AT_ONCE))
    found = run_ranks(with_guest(tmp_path / "guest", count, tuner, amid=be_quick, seconds=(0.01, 0.02)))
    assert found[RANKS - 1] == without[RANKS - 1]
    assert found[1][2].filled_s > 0
    assert go_on_elsewhere(tmp_path / "guest", tuner, lanes=8) == expected(tmp_path / "other", tuner)


def trained(folder: Path) -> int:
    try:
        return hippo.load_study("guest", storage=f"sqlite:///{folder}/hippo.db").statistics().steps_executed
    except HippoError:  # it is not there yet
        return 0


@pytest.mark.slow
def test_a_study_whose_large_job_is_killed_goes_on_elsewhere(tmp_path: Path) -> None:
    tuner = grid(300)
    with started_ranks(with_guest(tmp_path / "guest", 10_000, tuner, seconds=(0.01, 0.02))) as started:
        deadline = time.monotonic() + 120
        while trained(tmp_path / "guest") < 8:
            assert time.monotonic() < deadline, "the guest trains nothing"
            time.sleep(0.2)
        os.kill(started[1][0].pid, signal.SIGKILL)
        started[1][0].join()
    study = make_study(tmp_path / "guest", engine=hippo.InlineEngine(max_lanes=8))
    study.optimize(tuner)
    assert outcomes(study) == expected(tmp_path / "other", tuner)
    study.close()


@pytest.mark.slow
def test_a_large_job_that_is_interrupted_leaves_its_guest_at_a_checkpoint(tmp_path: Path) -> None:
    tuner, folder = grid(300), tmp_path / "guest"

    def run(rank: int, ranks: int) -> str:
        job = LargeJob(rank, ranks, seconds=(0.01, 0.02))
        if rank != 1:
            steps_of(job, 10_000)
        study = make_study(folder)
        with hippo.squeeze(job.schedule, study, tuner, warm_up_s=0) as squeezed:
            try:
                warm_up(squeezed)
                steps_of(job, 10_000)
            except KeyboardInterrupt:
                return "interrupted"
        return "ended"

    with started_ranks(run) as started:
        deadline = time.monotonic() + 120
        while trained(folder) < 8:
            assert time.monotonic() < deadline, "the guest trains nothing"
            time.sleep(0.2)
        process, results_of_rank = started[1]
        os.kill(process.pid, signal.SIGINT)
        assert results_of_rank.poll(120)
        assert results_of_rank.recv() == (False, "interrupted")
    assert go_on_elsewhere(folder, tuner, lanes=8) == expected(tmp_path / "other", tuner)


# ------------------------------------------------------------------------------------------------------- bad input


@pytest.fixture
def one_rank() -> Any:
    with only_rank():
        yield LargeJob(0, 1, micro_batches=1)


TUNER = hippo.GridSearch(SPACE, until=2)


def test_what_is_no_schedule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is no pipeline schedule"):
        hippo.squeeze("1f1b", make_study(tmp_path), TUNER)


def test_a_schedule_without_bubbles_is_declined(one_rank: LargeJob, tmp_path: Path) -> None:
    full = ScheduleInterleavedZeroBubble.__new__(ScheduleInterleavedZeroBubble)
    with pytest.raises(OptionError, match="fills its bubbles itself"):
        hippo.squeeze(full, make_study(tmp_path), TUNER)


def test_a_world_that_is_not_there_is_told() -> None:
    schedule = Schedule1F1B.__new__(Schedule1F1B)
    with pytest.raises(OptionError, match="init_process_group"):
        pipeline_waits.check_schedule(schedule)


def test_a_stage_on_another_device_is_refused(one_rank: LargeJob, tmp_path: Path) -> None:
    one_rank.schedule._stage.device = torch.device("cuda")
    with pytest.raises(OptionError, match="computes on cuda"):
        hippo.squeeze(one_rank.schedule, make_study(tmp_path), TUNER)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": hippo.InlineEngine()}, "engine=hippo.BubbleEngine"),
        ({"numerics": "exact"}, "numerics='fused'"),
        ({"trainer": ToyTrainer, "trainer_args": {}}, "is no hippo.TorchTrainer"),
    ],
)
def test_a_study_that_cannot_live_in_bubbles_is_refused(
    one_rank: LargeJob, tmp_path: Path, options: Any, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        hippo.squeeze(one_rank.schedule, make_study(tmp_path, **options), TUNER)


class OnGpu(NetTrainer):
    device = "cuda:0"


class OnCpu(NetTrainer):
    device = "cpu"


@pytest.mark.parametrize(("trainer", "has_gpu"), [(NetTrainer, True), (OnGpu, False)])
def test_a_guest_that_would_compute_on_a_gpu_is_refused(
    one_rank: LargeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trainer: Any, has_gpu: bool
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    with pytest.raises(OptionError, match=r"lets it compute on a GPU.*device = 'cpu'"):
        hippo.squeeze(one_rank.schedule, make_study(tmp_path, trainer=trainer), TUNER)


def test_a_guest_that_says_it_computes_on_processors_is_taken_beside_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    squeezing._check_device(OnCpu)


def test_wrong_arguments_are_refused(one_rank: LargeJob, tmp_path: Path) -> None:
    study = make_study(tmp_path)
    with pytest.raises(OptionError, match="is no tuner"):
        hippo.squeeze(one_rank.schedule, study, "grid")
    with pytest.raises(OptionError, match="warm_up_s=-1"):
        hippo.squeeze(one_rank.schedule, study, TUNER, warm_up_s=-1)
    with pytest.raises(OptionError, match="is no study"):
        hippo.squeeze(one_rank.schedule, "guest", TUNER)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"grace_s": None}, "grace_s=None is no number of seconds"),  # else told when the large job has ended
        ({"warm_up_s": "1"}, "warm_up_s='1' is no number of seconds"),
        ({"limits": {"slowdown": 0.1}}, r"limits=.* give hippo.BubbleLimits\(slowdown"),
    ]
    for options, message in wrong:
        with pytest.raises(OptionError, match=message):
            hippo.squeeze(one_rank.schedule, study, TUNER, **options)


def test_what_has_waited_already_is_no_wait(one_rank: LargeJob, tmp_path: Path) -> None:
    with hippo.squeeze(one_rank.schedule, make_study(tmp_path), TUNER, warm_up_s=0) as squeezed:
        with pytest.raises(OptionError, match="give what waits, without calling it"):
            squeezed.wait(torch.distributed.barrier())
        squeezed.wait(torch.distributed.barrier)


def test_a_study_without_bubbles_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"hippo\.squeeze"):
        make_study(tmp_path).optimize(TUNER)


def test_torch_waits_where_hippo_looks() -> None:
    for kind in KINDS.values():
        pipeline_waits.check_hook(kind)


def test_a_torch_that_waits_elsewhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_waits, "HOOK", "_wait_elsewhere")
    with pytest.raises(EngineError, match="does not know where its bubbles are"):
        pipeline_waits.check_hook(Schedule1F1B)


#: a lane has 8 MB of weights, as many of gradients, Adam's two, and what its layers return
WIDE = {"trainer_args": {"net": "mlp", "optimizer": "adam", "size": 16, "width": 200_000}}


def squeezed_into(folder: Path, max_bytes: int) -> tuple[str, int, str]:
    """Train a study of wide lanes in a process with so much memory for it; return its error, most bytes, and report."""

    def run(rank: int, ranks: int) -> tuple[str, int, str]:
        slice_memory.return_unused()  # of the tests before this one: else lanes would fill that, and seem to take less
        job = LargeJob(rank, ranks, micro_batches=1)
        study, limits = make_study(folder, **WIDE), hippo.BubbleLimits(max_bytes=max_bytes)
        with hippo.squeeze(job.schedule, study, TUNER, limits=limits, warm_up_s=60) as squeezed:
            pass
        report = squeezed.report()
        assert report.most_bytes is not None
        return str(squeezed.error or ""), report.most_bytes, str(report)

    (found,) = run_ranks(run, 1)
    return found  # type: ignore[no-any-return]


@pytest.mark.slow
def test_lanes_keep_to_the_memory_that_they_may_have(tmp_path: Path) -> None:
    error, needed, _ = squeezed_into(tmp_path / "free", 1 << 40)
    assert error == ""
    error, taken, told = squeezed_into(tmp_path / "capped", int(0.6 * needed))
    assert error == ""
    assert "stopped" not in told, told
    assert taken < 0.85 * needed
    assert f"the guest had {taken >> 20} MiB at most" in told
    study = hippo.load_study("guest", storage=f"sqlite:///{tmp_path}/capped/hippo.db")
    free = hippo.load_study("guest", storage=f"sqlite:///{tmp_path}/free/hippo.db")
    assert [trial.state for trial in study.trials] == [hippo.TrialState.COMPLETE] * 4
    assert [trial.value for trial in study.trials] == pytest.approx([trial.value for trial in free.trials], rel=1e-4)


@pytest.mark.slow
def test_memory_that_is_not_enough_for_one_lane_is_told_of(tmp_path: Path) -> None:
    error, _, _ = squeezed_into(tmp_path, 1 << 20)
    assert "all 4 trials of study 'guest' failed" in error
    assert "max_bytes=1048576 lets them have 1 MiB" in error


@pytest.mark.parametrize("given", [0, -1, 0.5, "1GB"])
def test_what_is_no_number_of_bytes_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="is no number of bytes"):
        hippo.BubbleLimits(max_bytes=given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"slowdown": "2%"}, "slowdown='2%' is no number"),
        ({"margin": None}, "margin=None is no number"),
        ({"observed_steps": 2.5}, "observed_steps=2.5 is no number of steps"),  # no later step would be observed
    ],
)
def test_limits_are_numbers(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        hippo.BubbleLimits(**given)


def test_a_cap_that_cannot_be_kept_to_is_refused(
    one_rank: LargeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slice_memory, "resident_reader", lambda: None)  # as on macOS
    with pytest.raises(OptionError, match="does not say how much memory"):
        hippo.squeeze(one_rank.schedule, make_study(tmp_path), TUNER, limits=hippo.BubbleLimits(max_bytes=1))


def test_the_hook_is_gone_when_it_is_closed(one_rank: LargeJob, tmp_path: Path) -> None:
    from torch.distributed.pipelining import schedules

    before = schedules._wait_batch_p2p
    study = make_study(tmp_path)
    with hippo.squeeze(one_rank.schedule, study, TUNER, warm_up_s=0) as squeezed:
        assert schedules._wait_batch_p2p is not before
        for schedule in (one_rank.schedule, LargeJob(0, 1, micro_batches=1).schedule):
            with pytest.raises(OptionError, match="lives in the bubbles of this process already"):
                hippo.squeeze(schedule, study, TUNER)
    squeezed.close()
    assert schedules._wait_batch_p2p is before
    assert "step" not in vars(one_rank.schedule)


@pytest.mark.parametrize("amid", [False, True])
def test_what_others_put_around_a_step_stays(one_rank: LargeJob, tmp_path: Path, amid: bool) -> None:
    schedule, before, steps = one_rank.schedule, one_rank.schedule.step, []

    def profiled(inner: Any) -> Any:
        def step(*args: Any, **kwargs: Any) -> Any:
            steps.append(inner)
            return inner(*args, **kwargs)

        return step

    outer = before if amid else profiled(before)
    if not amid:
        schedule.step = outer
    with hippo.squeeze(schedule, make_study(tmp_path), TUNER, warm_up_s=0):
        if amid:
            schedule.step = outer = profiled(schedule.step)
        one_rank.step()
    assert schedule.step is outer
    one_rank.step()
    assert len(steps) == 2
    del schedule.step


def test_the_large_jobs_thread_gets_its_turn_soon_while_there_is_a_guest(one_rank: LargeJob, tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    with hippo.squeeze(one_rank.schedule, make_study(tmp_path), TUNER, warm_up_s=0):
        assert sys.getswitchinterval() <= 2e-4 < before
    assert sys.getswitchinterval() == before


def test_a_pipeline_of_one_rank_is_told_to_have_no_bubbles(one_rank: LargeJob, tmp_path: Path) -> None:
    with (
        pytest.warns(UserWarning, match="waits for no other one: there are no bubbles"),
        hippo.squeeze(one_rank.schedule, make_study(tmp_path), TUNER, warm_up_s=0),
    ):
        pass


@pytest.mark.slow
def test_a_study_that_is_over_is_not_said_to_have_slowed_the_large_job_down(tmp_path: Path) -> None:
    def run(rank: int, ranks: int) -> Any:
        job = LargeJob(rank, ranks, seconds=(0.001, 0.002))
        if rank != 1:
            return steps_of(job, 60)
        study = make_study(tmp_path)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with hippo.squeeze(job.schedule, study, grid(1), warm_up_s=60) as squeezed:
                assert squeezed.is_over
                for number in range(60):
                    if number > 20:
                        time.sleep(0.01)  # the large job becomes slower, by itself
                    job.step()
                report = squeezed.report()
        study.close()
        return [str(each.message) for each in told if each.category is UserWarning], report

    told, report = run_ranks(run, 2)[1]
    assert told == []
    assert report.stopped == ""
    assert report.with_guest_s is None
