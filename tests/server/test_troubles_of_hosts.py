"""What goes wrong on one machine, or of one client, is nobody else's trouble, and is told."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import hippo
from hippo.engines.hosted import HostedEngine
from hippo.server import app, service
from hippo.server.joined_hosts import JoinedCluster
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.study_results import outcomes

from .conftest import TOY, wait_for
from .test_joined_hosts import ME, cluster_of, join

__all__ = ["join"]  # a fixture

CONFIGS = [{"lr": 0.1 * i} for i in range(1, 4)]


# ------------------------------------------------------------------------------------------------------- machines


@pytest.mark.slow
def test_a_loss_that_is_no_number_is_told_by_a_machine_that_joined_as_any_other(
    serve: Callable[..., Any], join: Callable[..., Any], tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    served, _ = cluster_of(serve)
    machine: subprocess.Popen[str] = join(served.url)
    options = {"trainer_args": {"nan_at": 3}, "nan": "worst"}
    served.study(**options).optimize(hippo.GridSearch(CONFIGS, until=5))
    there = hippo.load_study("study", storage=f"sqlite:///{tmp_path}/hippo.db")
    here = hippo.create_study(
        "study", trainer=TOY, storage="memory://", checkpoints=str(tmp_path / "here"), metric="loss", mode="min",
        engine=hippo.LocalEngine(workers=1), **options,
    )  # fmt: skip
    here.optimize(hippo.GridSearch(CONFIGS, until=5))
    assert repr(outcomes(there)) == repr(outcomes(here))
    assert "nan" in repr(outcomes(there))
    assert machine.poll() is None
    assert not [told for told in recwarn if "lost" in str(told.message)]
    for study in (there, here):
        study.close()


@pytest.mark.slow
def test_a_machine_with_another_folder_of_states_is_left_out_and_ends_and_the_study_goes_on(
    serve: Callable[..., Any], join: Callable[..., Any], tmp_path: Path
) -> None:
    served, _ = cluster_of(serve)
    elsewhere: subprocess.Popen[str] = join(served.url, "--checkpoints", str(tmp_path / "elsewhere"))
    training = ThreadPoolExecutor(1).submit(served.study().optimize, hippo.GridSearch(CONFIGS, until=5))
    with pytest.warns(UserWarning, match="is left out: checkpoints="):
        _, said = elsewhere.communicate(timeout=120)
    assert elsewhere.returncode == 1
    assert "does without this machine: checkpoints=" in said
    assert not training.done()
    join(served.url)
    training.result(120)
    study = hippo.load_study("study", storage=f"sqlite:///{tmp_path}/hippo.db")
    assert [trial.step for trial in study.trials] == [5] * 3
    study.close()


def test_a_machine_whose_network_goes_in_the_middle_of_what_it_says_is_lost(serve: Callable[..., Any]) -> None:
    cluster = JoinedCluster(workers=0, silence_s=0.5)
    served = serve(engine=HostedEngine(cluster), hosts=cluster)
    host = httpx.post(served.url + "/v1/hosts", json=ME).json()["host"]
    with socket.create_connection(("127.0.0.1", served.server.port)) as half_open:
        head = f"POST /v1/hosts/{host}/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        half_open.sendall(f'{head}Content-Length: 100\r\n\r\n{{"answers": ['.encode())
        wait_for(lambda: host not in cluster._joined, "it is not lost")


def test_machines_are_answered_while_clients_wait(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = JoinedCluster(workers=0, silence_s=60.0)
    served = serve(engine=FakeEngine(), hosts=cluster)
    served.study()
    goes_on = threading.Event()
    monkeypatch.setattr(app, "progress_to_json", lambda study: goes_on.wait(90) and {})
    path = f"{served.url}/v1/studies/1/progress"
    with ThreadPoolExecutor(40) as clients:
        asking = [clients.submit(httpx.get, path, timeout=120) for _ in range(40)]
        time.sleep(0.5)
        try:
            host = httpx.post(served.url + "/v1/hosts", json=ME).json()["host"]
            path = f"{served.url}/v1/hosts/{host}"
            assert httpx.post(f"{path}/calls", json={"seen": 0, "wait": 0}).json() == {"calls": []}
            assert httpx.post(f"{path}/answers", json={"answers": []}).json() == {}
            assert not any(each.done() for each in asking)
        finally:
            goes_on.set()


# -------------------------------------------------------------------------------------------------------- clients


def test_what_is_refused_is_told_again_to_who_says_it_again(served: Any) -> None:
    served.study()
    calls = f"{served.url}/v1/studies/1/calls"
    call = httpx.post(calls, json={"position": 0, "record": "{}", "client": "me"}).json()["call"]

    def said(first: int, *untils: int, quiet: bool = True) -> Any:
        entries = [{"kind": "ask", "proposal": {"config": CONFIG, "until": until}} for until in untils]
        batch = {"first": first, "seen": 0, "quiet": quiet, "entries": entries}
        return httpx.post(f"{calls}/{call}/entries", json=batch).json()

    assert said(0, 10**9, quiet=False) == {"taken": 1, "refused": {}}
    first = said(1, 1, 10**9)
    assert (first["taken"], sorted(first["refused"])) == (3, ["0", "2"])
    assert said(1, 1, 10**9) == first
    assert said(3, 2) == {"taken": 4, "refused": {}}
    assert said(3, 2) == {"taken": 4, "refused": {}}
    httpx.post(f"{calls}/{call}/close", json={"state": "interrupted"})


CONFIG = hippo.hparams.as_config({"lr": 0.1}).to_json()


def test_processes_that_describe_trainers_end_when_nobody_asks_them(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_DESCRIBERS", 1)
    studies = [served.study(f"study {size}", trainer_args={"size": size}) for size in (1, 2)]
    others = [served.study(f"other {every}", evaluate_every=every) for every in (1, 2, 3)]
    known = list(served.service._describers.values())
    assert [each._process is not None for each in known] == [True]
    for study in (*studies, *others):  # one that was ended is started again
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
        assert [trial.step for trial in study.trials] == [1]
