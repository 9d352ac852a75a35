"""Runs scripts as `python script` would, forked from interpreters that have imported what they import.

Tests of what happens to a study that is killed start hundreds of processes, and each would import the same for most of
its life. Two that follow each other are of different interpreters, and so order their sets in different ways.
"""

from __future__ import annotations

import functools
import itertools
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hippo.testing.warm_programs import Interpreter, WarmProcess

#: what scripts that run a study import, as a rule
_OF_STUDIES = ("hippo.engines.local", "hippo.plan.sqlite_file", "hippo.study.creating", "hippo.testing.trainers")
#: of interpreters
_HASH_SEEDS = ("1", "2")


@functools.cache
def study_scripts(*, with_torch: bool = False) -> WarmScripts:
    """Return what starts scripts that run a study; its interpreters end with this process."""
    return WarmScripts(*_OF_STUDIES, *(["hippo.training.torch_trainer"] if with_torch else []))


class WarmScripts:
    """Starts scripts.

    Args:
      modules: what they import.
    """

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._interpreters: dict[str, Interpreter] = {}
        self._seeds = itertools.cycle(_HASH_SEEDS)

    def start(
        self, script: Path, *arguments: str, folder: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> RunningScript:
        """Start a script.

        Args:
          script: its file.
          arguments: what it is called with.
          folder: where it runs; None: in this one.
          variables: of its environment, besides those of this process.
        """
        seed = next(self._seeds)
        env = {**os.environ, "PYTHONHASHSEED": seed}
        if seed not in self._interpreters:
            self._interpreters[seed] = Interpreter(self._modules, env, is_safe=False)
        return RunningScript(
            self._interpreters[seed], script, arguments, folder or Path.cwd(), {**env, **(variables or {})}
        )


class RunningScript:
    """A script that runs, and what it has written."""

    def __init__(
        self, interpreter: Interpreter, script: Path, arguments: tuple[str, ...], folder: Path, env: dict[str, str]
    ) -> None:
        self._interpreter = interpreter  # ends with whoever knows it last, and its scripts are told of no more
        self._written = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this
        with open(os.devnull, "rb") as nothing:
            self._process: WarmProcess = interpreter.fork(
                script=str(script),
                arguments=arguments,
                folder=str(folder),
                stdin=nothing,
                stdout=self._written,
                stderr=self._written,
                env=env,
            )
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, the negative number of the signal that ended it, or None while it runs."""
        return self._process.poll()

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        self._process.send_signal(number)

    def wait(self, timeout_s: float) -> str:
        """Wait until it has ended; return what it has written, its errors too.

        Raises:
          TimeoutError: it has not, after so long.
        """
        self._process.wait(timeout_s)
        self._written.seek(0)
        return self._written.read().decode()
