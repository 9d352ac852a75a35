"""How many workers there are, and on which device each is."""

from __future__ import annotations

import os
import stat

import pytest

from hippo.engines import InlineEngine, LocalEngine
from hippo.engines.devices import place_workers, usable_cores, visible_devices
from hippo.errors import EngineError


@pytest.mark.parametrize(
    ("listed", "devices"),
    [("0,1", ("0", "1")), ("", ()), ("-1", ()), ("2, GPU-5f", ("2", "GPU-5f")), ("1,-1,0", ("1",))],
)
def test_visible_devices_are_read_as_cuda_reads_them(monkeypatch, listed, devices):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    assert visible_devices() == devices


@pytest.mark.parametrize(
    ("script", "devices"), [("echo 0, GPU-a, T4; echo 1, GPU-b, T4", ("GPU-a", "GPU-b")), ("exit 9", ())]
)
def test_installed_devices_are_asked_of_nvidia_smi(monkeypatch, tmp_path, script, devices):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible_devices() == devices


def test_there_is_one_worker_per_device():
    assert place_workers(None, ["0", "1", "2"], threads=4) == ("0", "1", "2")


def test_without_devices_there_is_one_worker_per_so_many_cores():
    assert place_workers(None, [], threads=1) == (None,) * usable_cores()
    assert place_workers(None, [], threads=10_000) == (None,)


def test_more_workers_than_devices_share_them_in_turn():
    assert place_workers(3, ["0", "1"], threads=1) == ("0", "1", "0")


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with pytest.raises(EngineError, match=r"workers=.* is not a number of workers. Use a whole number"):
        LocalEngine(workers)


@pytest.mark.parametrize("engine", [LocalEngine, InlineEngine])
@pytest.mark.parametrize("threads", [0, -2, 1.0, False, "1"])
def test_a_number_of_threads_that_is_none_is_refused(engine, threads):
    with pytest.raises(EngineError, match=r"threads=.* is not a number of threads"):
        engine(threads=threads)
