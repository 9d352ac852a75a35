"""What a request costs a study service, and what two users come to whose scripts are killed.

    python benchmarks/bench_service.py [--requests 500] [--runs 3] [--dry-run]

Needs the service: pip install "hippo-tune[serve]" psutil. `hippo serve` on SQLite in a process of its own, with one
worker; each user is a script in a process of its own, who asks a grid of so many configs at once, two steps each. The
trainer counts its steps and does nothing else. A new service for each run, which has had a user with one
request before.

`new`: one user, and nothing is known. `known`: another user asks the same then. `killed`: two users ask the same at
once, and both scripts are killed with SIGKILL after about a third, and two thirds, of the steps, and started again: no
step is trained twice (but for the few that hippo compares), and both come to what the one came to who was left alone.
`cpu_ms`: CPU of the service's own process for each request, without its workers. `untrained new`, `untrained known`:
the same of a service whose engine answers at once and trains nothing, which is what the targets are for: what a service
costs beside workers of its own. `here new`, `here known`: the same two users without a service, on a database of their
own, each with a worker: CPU of the user's process, whose tuner runs in it. What the service itself costs is the
difference, and the user's process beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STEPS = 2
TARGETS_MS = {"untrained new": 0.65, "untrained known": 0.25}


def ask(url: str, name: str, log: str, requests: int) -> None:
    """Be a user, and print what came of it."""
    import hippo

    where = {} if url.startswith("http") else {"engine": hippo.LocalEngine(workers=1)}
    study: Any = hippo.create_study(
        name, trainer="hippo.testing.trainers:ToyTrainer", trainer_args={"log": log}, storage=url, metric="loss",
        mode="min", **where,
    )  # fmt: skip
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    study.optimize(hippo.GridSearch([{"lr": 0.01 + i / 1e5} for i in range(requests)], until=STEPS))
    print(json.dumps({"cpu_s": time.process_time() - began_cpu_s, "wall_s": time.perf_counter() - began_s}))
    print(json.dumps([[trial.number, trial.state.value, repr(trial.value)] for trial in study.trials]))


def serve_untrained() -> None:
    """Be a service that trains nothing, until SIGTERM."""
    from hippo.server.app import make_app
    from hippo.server.guard import Guard
    from hippo.server.service import StudyService
    from hippo.server.serving import WebServer
    from hippo.testing.fake_engine import FakeEngine

    service = StudyService("sqlite:///hippo.db", engine=FakeEngine(), trainers=["hippo.testing.*"])
    server = WebServer(make_app(service, Guard(None)), host="127.0.0.1", port=0)
    print(f"serving at http://127.0.0.1:{server.port};", file=sys.stderr)
    try:
        server.run()
    finally:
        service.end()


class Service:
    """A service in a folder: `hippo serve`, or one that trains nothing."""

    def __init__(self, folder: str, *, trains: bool) -> None:
        import psutil

        self.log = f"{folder}/steps.log"
        serve = ["-m", "hippo", "serve", "--storage", "sqlite:///hippo.db", "--port", "0"]
        serve = [*serve, "--workers", "1", "--trainers", "hippo.testing.*"] if trains else [__file__, "--serve"]
        self._process = subprocess.Popen([sys.executable, *serve], cwd=folder, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if " at http://" in line:
                self.url = line.partition(" at ")[2].partition(";")[0]
                break
        self._itself = psutil.Process(self._process.pid)

    def user(self, name: str, requests: int) -> subprocess.Popen[str]:
        """Start a user's script."""
        command = [sys.executable, __file__, "--ask", self.url, name, self.log, "--requests", str(requests)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def cpu_s(self) -> float:
        """Return the CPU-seconds of its own process so far."""
        times = self._itself.cpu_times()
        return float(times.user + times.system)

    def steps(self) -> int:
        """Return how many steps were begun."""
        return Path(self.log).read_bytes().count(b"\n") if Path(self.log).exists() else 0

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


@contextmanager
def service(*, trains: bool = True) -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder:
        served = Service(folder, trains=trains)
        try:
            yield served
        finally:
            served.end()


def said_by(user: subprocess.Popen[str]) -> list[Any]:
    """Return what a user's script printed: what it cost, and what it came to."""
    said, _ = user.communicate(timeout=600)
    if user.returncode:
        raise RuntimeError(f"a user's script ended with {user.returncode}")
    return [json.loads(line) for line in said.splitlines()[-2:]]


def result_of(user: subprocess.Popen[str]) -> list[Any]:
    """Return what a user's script came to."""
    found: list[Any] = said_by(user)[1]
    return found


def without_service(requests: int, expected: list[Any]) -> dict[str, dict[str, float]]:
    """Return what new and known requests cost two users with a database of their own."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/steps.log"
        for what, name in (("here new", "ada"), ("here known", "bob")):
            command = [sys.executable, os.path.abspath(__file__), "--ask", "sqlite:///hippo.db", name, log]
            user = subprocess.Popen(
                [*command, "--requests", str(requests)],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            cost, result = said_by(user)
            if result != expected:
                raise RuntimeError("without a service, a user came to something else")
            steps = Path(log).read_bytes().count(b"\n")
            found[what] = {"cpu_ms": 1e3 * cost["cpu_s"] / requests, "wall_s": cost["wall_s"], "steps": steps}
    return found


def undisturbed(requests: int, *, trains: bool = True) -> tuple[dict[str, dict[str, float]], list[Any]]:
    """Return what new and known requests cost, and what came of them."""
    found: dict[str, dict[str, float]] = {}
    with service(trains=trains) as served:
        result_of(served.user("eve", 1))  # what a service imports for its first study is not the others'
        for what, name in (("new", "ada"), ("known", "bob")):
            began_s, began_cpu_s = time.perf_counter(), served.cpu_s()
            result = result_of(served.user(name, requests))
            cpu_ms = 1e3 * (served.cpu_s() - began_cpu_s) / requests
            found[what] = {"cpu_ms": cpu_ms, "wall_s": time.perf_counter() - began_s, "steps": served.steps()}
    return found, result


def killed(requests: int, expected: list[Any]) -> dict[str, float]:
    """Return what two users cost who are killed twice each."""
    import hippo

    with service() as served:
        began_s, began_cpu_s = time.perf_counter(), served.cpu_s()
        for share in (1 / 3, 2 / 3):
            users = [served.user(name, requests) for name in ("ada", "bob")]
            while served.steps() < share * requests * STEPS:
                time.sleep(0.02)
            for user in users:
                user.kill()
                user.wait()
        users = [served.user(name, requests) for name in ("ada", "bob")]
        for user in users:
            if result_of(user) != expected:
                raise RuntimeError("a user who was killed came to something else")
        costs = [hippo.load_study(name, served.url).statistics() for name in ("ada", "bob")]
        executed, repeated = sum(c.steps_executed for c in costs), sum(c.steps_repeated for c in costs)
        if executed != requests * STEPS or repeated:
            raise RuntimeError(f"of {requests * STEPS} steps {executed} were trained, and {repeated} once more")
        cpu_ms = 1e3 * (served.cpu_s() - began_cpu_s) / (2 * requests)
        return {"cpu_ms": cpu_ms, "wall_s": time.perf_counter() - began_s, "steps": served.steps()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--ask", nargs=3, metavar=("URL", "NAME", "LOG"), help="what a user's process does")
    parser.add_argument("--serve", action="store_true", help="what the process of an untrained service does")
    arguments = parser.parse_args()
    if arguments.serve:
        serve_untrained()
        return
    if arguments.ask:
        ask(*arguments.ask, arguments.requests)
        return
    from report import write_report

    kinds = ("new", "known", "untrained new", "untrained known", "here new", "here known", "killed")
    runs: dict[str, list[dict[str, float]]] = {what: [] for what in kinds}
    for _ in range(arguments.runs):
        found, expected = undisturbed(arguments.requests)
        untrained, _ = undisturbed(arguments.requests, trains=False)
        found |= {f"untrained {what}": cost for what, cost in untrained.items()}
        found |= without_service(arguments.requests, expected)
        for what, cost in {**found, "killed": killed(arguments.requests, expected)}.items():
            runs[what].append(cost)
            print(what, cost, file=sys.stderr)
    rows = [
        {
            "what": what,
            "requests": arguments.requests * (2 if what == "killed" else 1),
            "steps trained": max(cost["steps"] for cost in costs),
            "cpu_ms": round(statistics.median(cost["cpu_ms"] for cost in costs), 2),
            "min_ms": round(min(cost["cpu_ms"] for cost in costs), 2),
            "max_ms": round(max(cost["cpu_ms"] for cost in costs), 2),
            "target_ms": TARGETS_MS.get(what),
            "wall_s": round(statistics.median(cost["wall_s"] for cost in costs), 1),
        }
        for what, costs in runs.items()
    ]
    if arguments.dry_run:
        print(*rows, sep="\n")
    else:
        write_report("service", rows, f"medians of {arguments.runs} runs", seeds="none", also={"src/hippo/server"})


if __name__ == "__main__":
    main()
