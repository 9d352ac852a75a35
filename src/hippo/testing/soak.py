"""Soak: small studies run to their ends while a thousand things go wrong, and come to what they would have come to.

    python -m hippo.testing.soak --faults 1000
    python -m hippo.testing.soak --seed 7 --only 31 --keep-folder /tmp/soak     one round again, its files kept
    python -m hippo.testing.soak --trainer mine.py:Net --space '{"lr": [0.1, 0.2]}' --until 4 --metric loss

A round is drawn from the seed and its number alone: a study, an engine, and some faults. Processes race, so a fault
may find another moment when a round is run again; a difference that is one comes back in a few tries. Exit code 1:
there was one. This module refuses to know what a fault is.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from hippo.clock import SystemClock
from hippo.testing.fault_plans import FaultKind, FaultPlan, Seam, draw_plan
from hippo.testing.soak_life import SoakTask
from hippo.testing.soak_round import SoakRound, run_round
from hippo.testing.soak_studies import SOAK_STUDIES, STUDIES_OF_ANY_SPACE
from hippo.testing.study_results import StudyResults

#: about how many occasions a small study has where nothing goes wrong; those of writes are each process's own
OCCASIONS = {Seam.EVENT: 200, Seam.COMMAND: 4, Seam.WRITE: 8, Seam.READ: 4, Seam.COMMIT: 5}
#: how often a kind comes beside others: a full disk is waited for, and what dies must start again
_OFTEN = {
    FaultKind.DUPLICATE_EVENT: 4,
    FaultKind.DELAY_EVENTS: 4,
    FaultKind.SWAP_EVENTS: 4,
    FaultKind.DELAY_COMMANDS: 2,
    FaultKind.DUPLICATE_COMMAND: 2,
    FaultKind.CUT_SLOT: 2,
    FaultKind.CUT_SLOT_LATE_WORDS: 2,
    FaultKind.KILL_WORKER: 3,
    FaultKind.KILL_LAUNCHER: 2,
    FaultKind.KILL_IN_WRITE: 2,
    FaultKind.SLOW_WRITE: 2,
    FaultKind.TRUNCATE_FILE: 3,
    FaultKind.FLIP_BIT: 3,
    FaultKind.LOSE_FILE: 3,
    FaultKind.FAIL_READ: 2,
    FaultKind.SLOW_READ: 2,
    FaultKind.CLOCK_JUMP: 2,
}
_FEWEST, _MOST = 8, 16
_TELL_EVERY = 10


def draw_round(seed: int, number: int, options: argparse.Namespace) -> tuple[SoakTask, FaultPlan]:
    """Draw a round: the study, and what goes wrong."""
    rng = random.Random(f"{seed}/{number}")
    engine = rng.choice(["inline", "local"]) if options.engine == "both" else options.engine
    study = rng.choice(list(SOAK_STUDIES) if options.space is None else STUDIES_OF_ANY_SPACE)
    kinds = [kind for kind in FaultKind for _ in range(_OFTEN.get(kind, 1)) if engine == "local" or _is_anywhere(kind)]
    plan = draw_plan(rng, kinds, num_faults=rng.randint(_FEWEST, _MOST), occasions=OCCASIONS)
    task = task_of(
        options,
        study=study,
        engine=engine,
        resident_bytes=None if study == "forks" else rng.choice([0, None]),
        checkpoint_every_s=rng.choice([0.02, 300.0]),
    )
    return task, plan


def _is_anywhere(kind: FaultKind) -> bool:
    """Tell whether a fault needs no worker processes."""
    return kind not in (FaultKind.KILL_LAUNCHER, FaultKind.KILL_IN_WRITE)


def task_of(options: argparse.Namespace, **chosen: Any) -> SoakTask:
    """Return a study of the trainer that was asked for."""
    return SoakTask(
        trainer=options.trainer,
        trainer_args=options.trainer_args,
        metric=options.metric,
        mode=options.mode,
        space=options.space,
        until=options.until,
        **chosen,
    )


class Soak:
    """Rounds, one after the other or some at a time, until enough faults have come.

    Args:
      options: what was typed.
      folder: for all that rounds keep.
    """

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._clock = SystemClock()
        self._began_s = self._clock.elapsed()
        self._expected: dict[str, StudyResults] = {}
        self.faults: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.rounds = self.lives = 0
        #: number of a round -> what is wrong
        self.wrong: dict[int, list[str]] = {}

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return self._clock.elapsed() - self._began_s

    def run(self) -> None:
        """Run rounds until enough faults have come, or time is up."""
        self._learn_expected()
        if self.wrong:
            return
        numbers = self._numbers()
        with ThreadPoolExecutor(self._options.jobs) as pool:
            running: dict[Future[SoakRound], int] = {}
            while True:
                while len(running) < self._options.jobs and (number := next(numbers, None)) is not None:
                    running[pool.submit(self._round, number)] = number
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(running.pop(future), future.result())

    def _numbers(self) -> Iterator[int]:
        """Yield the numbers of rounds, for as long as there is need of more."""
        if self._options.only is not None:
            yield self._options.only
            return
        number = 0
        while self.faults.total() < self._options.faults and self.seconds < self._options.seconds:
            yield number
            number += 1

    def _learn_expected(self) -> None:
        """Run each study undisturbed."""
        for study in SOAK_STUDIES if self._options.space is None else STUDIES_OF_ANY_SPACE:
            task = task_of(self._options, study=study, engine="inline")
            came = run_round(task, (), self._folder / f"undisturbed {study}", None)
            if came.results is None or came.wrong:
                self.wrong[-1] = [f"the undisturbed study {study!r} went wrong:", *came.wrong]
                return
            self._expected[study] = came.results

    def _round(self, number: int) -> SoakRound:
        task, plan = draw_round(self._options.seed, number, self._options)
        folder = self._folder / str(number)
        came = run_round(task, plan, folder, self._expected[task.study])
        if not came.wrong and self._options.keep_folder is None:
            shutil.rmtree(folder, ignore_errors=True)
        return came

    def _take(self, number: int, came: SoakRound) -> None:
        self.rounds += 1
        self.lives += came.lives
        self.faults.update(fault.kind.value for fault in came.fired)
        if came.results is not None:
            self.repeated.update(came.results.steps)
        if came.wrong:
            self.wrong[number] = came.wrong
            self._tell_wrong(number, came)
        if self.rounds % _TELL_EVERY == 0:
            print(
                f"round {self.rounds}: {self.faults.total()} faults, {self.lives} lives, "
                f"{len(self.wrong)} differences, {self.seconds:.0f} s",
                flush=True,
            )

    def _tell_wrong(self, number: int, came: SoakRound) -> None:
        task, plan = draw_round(self._options.seed, number, self._options)
        print(f"\nround {number} is not as if nothing had happened: {task}", file=sys.stderr)
        for fault in plan:
            print(f"  {fault!r}: {came.fired.get(fault, 'did not come')}", file=sys.stderr)
        for what in came.wrong[:20]:
            print(f"  WRONG: {what}", file=sys.stderr)
        print(f"  again: {self._again(number)}\n", file=sys.stderr, flush=True)

    def _again(self, number: int) -> str:
        """Return the command that runs a round once more."""
        options = self._options
        words = ["--seed", options.seed, "--only", number, "--engine", options.engine, "--trainer", options.trainer]
        words += [
            "--trainer-args",
            json.dumps(options.trainer_args),
            "--metric",
            options.metric,
            "--mode",
            options.mode,
        ]
        if options.space is not None:
            words += ["--space", json.dumps(options.space), "--until", options.until]
        return shlex.join(["python", "-m", "hippo.testing.soak", *map(str, words)])

    def told(self) -> str:
        """Return what came of it, as a table."""
        lines = [f"{count:6}  {kind}" for kind, count in sorted(self.faults.items(), key=lambda item: -item[1])]
        lines.append(f"{self.faults.total():6}  faults in {self.rounds} rounds, {self.lives} lives")
        lines += [f"{count:6}  steps run, cause {cause!r}" for cause, count in sorted(self.repeated.items())]
        lines.append(f"{len(self.wrong):6}  rounds with a difference")
        lines.append(f"{self.seconds:6.0f}  seconds")
        return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak that was asked for; return the exit code."""
    options = parsed(arguments)
    folder = Path(tempfile.mkdtemp(prefix="hippo-soak-")) if options.keep_folder is None else options.keep_folder
    soak = Soak(options, folder)
    soak.run()
    for number in (-1,) if -1 in soak.wrong else ():
        print("\n".join(soak.wrong[number]), file=sys.stderr)
    print(soak.told())
    if not soak.wrong and options.keep_folder is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"files: {folder}")
    return 1 if soak.wrong else 0


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what was typed; bad input ends the process with exit code 2, and a line that says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m hippo.testing.soak", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--faults", type=_positive, default=1000, help="how many are to come (default 1000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no round after so many seconds")
    parser.add_argument("--seed", type=int, default=0, help="from which all rounds are drawn (default 0)")
    parser.add_argument("--only", type=int, help="run only the round of this number")
    parser.add_argument("--engine", choices=["inline", "local", "both"], default="both")
    parser.add_argument("--jobs", type=_positive, default=2, help="rounds at a time (default 2)")
    parser.add_argument(
        "--keep-folder", type=_new_folder, help="keep all files, in this folder, which is not there yet"
    )
    parser.add_argument("--trainer", default="hippo.testing.trainers:ToyTrainer", help="package.module:Class")
    parser.add_argument("--trainer-args", type=_mapping, default={}, help='JSON: {"width": 8}')
    parser.add_argument("--space", type=_mapping, help='of a trainer of your own, JSON: {"lr": [0.1, 0.2]}')
    parser.add_argument("--until", type=_positive, default=12, help="steps of the trials of --space (default 12)")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--mode", choices=["min", "max"], default="min")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, not {text!r}")
    return int(text)


def _mapping(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f'must be a JSON object, such as {{"lr": [0.1, 0.2]}}, not {text!r}')
    return found


def _new_folder(text: str) -> Path:
    folder = Path(text).absolute()
    if folder.exists():
        raise argparse.ArgumentTypeError(f"{folder} is there already; name a folder that is not")
    return folder


if __name__ == "__main__":
    sys.exit(main())
