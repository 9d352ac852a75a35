"""Ranks of a large job that are a service's machines, in their bubbles: neither changes a bit of the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.engines.hosted import HostedEngine
from hippo.errors import OptionError
from hippo.server.joined_hosts import JoinedCluster
from hippo.testing.pipeline import LargeJob, only_rank
from hippo.testing.study_results import outcomes

JOB = str(Path(__file__).parent / "a_large_job.py")
NET: dict[str, Any] = {
    "trainer": "hippo.testing.fusible_trainers:NetTrainer",
    "trainer_args": {"net": "mlp", "optimizer": "adam", "size": 16},
    "numerics": "fused",
    "metric": "loss",
    "mode": "min",
}
SPACE = hippo.GridSearchSpace({"lr": [0.01 * number for number in range(1, 9)]})
TUNER = hippo.SuccessiveHalving(SPACE, min_steps=20, max_steps=80, reduction=2)


def begun_job(url: str, count: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.Popen([sys.executable, JOB, url, str(count)], stdout=subprocess.PIPE, text=True, env=environment)


def result_of(job: subprocess.Popen[str]) -> list[Any]:
    output, _ = job.communicate(timeout=240)
    assert job.returncode == 0
    found: list[Any] = json.loads(output.splitlines()[-1])
    return found


def losses_of(found: list[Any]) -> list[Any]:
    return [losses for losses, *_ in found]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_study_of_a_service_is_trained_in_the_bubbles_of_all_ranks(serve: Callable[..., Any], tmp_path: Path) -> None:
    cluster = JoinedCluster(workers=0)
    served = serve(engine=HostedEngine(cluster), hosts=cluster)
    count = 120
    job = begun_job(served.url, count)
    study = served.study(**NET)
    training = ThreadPoolExecutor(1).submit(study.optimize, TUNER)
    jobs = [result_of(job)]
    while not training.done():  # the machine was too busy for all of it
        jobs.append(result_of(begun_job(served.url, count)))
    training.result()
    alone = losses_of(result_of(begun_job("", count)))
    assert [losses_of(each) for each in jobs] == [alone] * len(jobs)
    assert len({rank for each in jobs for rank, (_, _, lane_steps, _) in enumerate(each) if lane_steps > 0}) >= 2
    folder = tmp_path / "alone"
    folder.mkdir()
    elsewhere = hippo.create_study(
        "study",
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=str(folder / "states"),
        engine=hippo.InlineEngine(max_lanes=8),
        **NET,
    )
    elsewhere.optimize(TUNER)
    here = hippo.load_study("study", storage=f"sqlite:///{tmp_path}/hippo.db")
    assert outcomes(here) == outcomes(elsewhere)
    for each in (here, elsewhere):
        each.close()


@pytest.mark.slow
def test_a_large_job_never_waits_for_a_service_that_is_not_there() -> None:
    found = result_of(begun_job("http://127.0.0.1:9", 20))
    alone = result_of(begun_job("", 20))
    assert losses_of(found) == losses_of(alone)
    for _, told, lane_steps, filled_s in found:
        assert [message for message in told if "cannot be reached" in message] == told[:1]
        assert (lane_steps, filled_s) == (0, 0.0)


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.fixture
def one_rank() -> Any:
    with only_rank():
        yield LargeJob(0, 1, micro_batches=1)


@pytest.fixture
def hashed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have strings of this process pass for those of all others."""
    environment = dict(hippo.BubbleEngine().environment()) | {"hash_seed": "0"}
    monkeypatch.setattr(hippo.BubbleEngine, "environment", lambda self: environment)


URL = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tuner": TUNER}, "users' scripts"),
        ({"engine": hippo.InlineEngine()}, "has no bubbles"),
        ({"checkpoints": 5}, "is no folder or URL"),
        ({}, "PYTHONHASHSEED=0"),
    ],
)
def test_what_a_service_cannot_have_trained_is_refused(one_rank: LargeJob, options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        hippo.squeeze(one_rank.schedule, URL, **options)


def test_a_url_that_is_none_is_refused(one_rank: LargeJob, hashed_alike: None) -> None:
    with pytest.raises(OptionError, match="the URL of a study service"):
        hippo.squeeze(one_rank.schedule, "http://127.0.0.1:9/studies")


@pytest.mark.parametrize("options", [{"engine": hippo.BubbleEngine()}, {"checkpoints": "states"}])
def test_what_is_for_a_service_is_refused_of_a_study(one_rank: LargeJob, options: Any) -> None:
    with pytest.raises(OptionError, match="is for a service"):
        hippo.squeeze(one_rank.schedule, "guest", TUNER, **options)


def test_a_guest_that_is_stopped_leaves_its_lanes_to_others(
    serve: Callable[..., Any], one_rank: LargeJob, hashed_alike: None
) -> None:
    cluster = JoinedCluster(workers=0)
    served = serve(engine=HostedEngine(cluster), hosts=cluster)
    study = served.study(**NET)
    training = ThreadPoolExecutor(1).submit(study.optimize, hippo.GridSearch(SPACE, until=50))
    with hippo.squeeze(one_rank.schedule, served.url) as first:
        while not first.report().lane_steps:
            first.warm_up(0.05)
        with pytest.warns(UserWarning, match="it slowed the large job down"):
            first._guest.stop("it slowed the large job down")
        while not first.is_over:
            time.sleep(0.01)
    with hippo.squeeze(one_rank.schedule, served.url) as other:
        while not training.done():
            other.warm_up(0.05)
    training.result()
    assert other.report().lane_steps > 0


def test_a_study_that_does_not_fuse_makes_the_rank_leave_and_says_why(
    serve: Callable[..., Any], one_rank: LargeJob, hashed_alike: None, recwarn: pytest.WarningsRecorder
) -> None:
    cluster = JoinedCluster(workers=1)
    served = serve(engine=HostedEngine(cluster), hosts=cluster)
    with hippo.squeeze(one_rank.schedule, served.url) as squeezed:
        study = served.study(**(NET | {"numerics": "exact"}))
        with ThreadPoolExecutor(1) as executor:
            training = executor.submit(study.optimize, hippo.GridSearch(SPACE, until=3))
            while not squeezed.is_over:
                squeezed.warm_up(0.05)
            training.result(120)
    assert any("numerics='exact'" in str(each.message) for each in recwarn)
