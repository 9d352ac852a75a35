"""The side of whoever checks: starts `check_program` with a hash seed, sends it orders, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import pickle
import secrets
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from hippo.engines.check_orders import CheckSetup, Order
from hippo.engines.launching import worker_environment
from hippo.engines.lifeline import kill_group, kill_marked
from hippo.engines.programs import start_program
from hippo.errors import EngineError, TrainerError

_MARK = "HIPPO_CHECK"
_TAIL_CHARACTERS = 4000


class CheckProcesses:
    """A running program that forks a fresh process for each run.

    Args:
      setup: what it is told.
      hash_seed: of the strings in all of its processes.
    """

    def __init__(self, setup: CheckSetup, *, hash_seed: int) -> None:
        self._is_ready = False
        self._mark = f"{_MARK}={os.getpid()}-{secrets.token_hex(8)}"
        name, _, value = self._mark.partition("=")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this object
        self._process = start_program(
            "hippo.engines.check_program",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=worker_environment(threads=setup.threads) | {"PYTHONHASHSEED": str(hash_seed), name: value},
        )
        with contextlib.suppress(BrokenPipeError):  # `run` says why
            self._send(setup)

    def run(self, orders: Sequence[Order]) -> list[Any]:
        """Return a report for each order, or what ended its process.

        Raises:
          TrainerError: the trainer cannot be imported in another process.
          EngineError: the program ended.
        """
        self.order(orders)
        return self.reports()

    def order(self, orders: Sequence[Order]) -> None:
        """Have orders carried out; `reports` waits for what comes of them."""
        if not self._is_ready:
            problem = self._receive()
            if problem is not None:
                raise TrainerError(problem)
            self._is_ready = True
        self._send(list(orders))

    def reports(self) -> list[Any]:
        """Wait for what was ordered: for each order a report of its kind, or a text that says why there is none."""
        reports: list[Any] = self._receive()
        return reports

    def close(self) -> None:
        """End every process of it."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        kill_group(self._process.pid)
        self._process.wait()
        kill_marked(self._mark)
        self._errors.close()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except EOFError:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace")[-_TAIL_CHARACTERS:].strip()
            raise EngineError(
                f"the processes of the check could not be started: {said or 'they said nothing'}"
            ) from None
