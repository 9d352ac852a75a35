"""The service's side of `hippo.server.describing`: one process for each trainer, asked in lines of JSON.

Which trainers may be named is decided here, before anything is started for them. This module imports none.
"""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from hippo.engines.launching import worker_environment
from hippo.engines.lifeline import kill_group
from hippo.engines.programs import start_program
from hippo.errors import HippoError, RefusedError, ServiceError
from hippo.hparams import Config
from hippo.records import TrainerSpec
from hippo.server.wire import error_from_json
from hippo.study.identity.describing import TrainerDescription
from hippo.training.code.fingerprint import TrainerCode

#: importing torch on a busy machine takes ten seconds
DESCRIBE_S = 60.0
_REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class AllowedTrainers:
    """The modules from which trainers may be taken.

    Args:
      patterns: of names of modules, such as "pkg.*"; "pkg.*" is pkg itself, too.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = tuple(patterns)

    def check(self, trainer: Any) -> str:
        """Return a trainer's reference.

        Raises:
          RefusedError: it is none, or its module is not among those.
        """
        if not isinstance(trainer, str) or len(trainer) > 300 or not _REFERENCE.fullmatch(trainer):
            raise RefusedError(
                f"trainer={str(trainer)[:100]!r}: a service takes trainers by name alone, 'package.module:Class', "
                "of a module that is where it runs"
            )
        module = trainer.partition(":")[0]
        if not any(_matches(module, pattern) for pattern in self._patterns):
            raise RefusedError(
                f"trainer={trainer!r} is not among those that this service takes; its modules are "
                f"{list(self._patterns)}. Whoever runs the service allows it by `hippo serve --trainers`"
            )
        return trainer


def _matches(module: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(module, pattern) or (pattern.endswith(".*") and module == pattern[:-2])


class SpareProcess:
    """A process that has imported what describing needs, and has not been told a trainer: the next one to be described.

    It is started while nobody waits. Each trainer gets a process that nothing was imported into for another one, and
    that reads its code as it is then: an answer kept from before could be that of code, or data, that changed since.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def take(self) -> subprocess.Popen[bytes]:
        """Return a process to be told a trainer; it is the caller's from then on."""
        with self._guard:
            spare, self._process = self._process, None
        if spare is not None and spare.poll() is not None:
            _end(spare)
            spare = None
        return _started() if spare is None else spare

    def refill(self) -> None:
        """Start the one that is taken next, if there is none."""
        with self._guard:
            if self._process is None and not self._is_closed:
                self._process = _started()

    def close(self) -> None:
        """End it, for good."""
        with self._guard:
            self._is_closed = True
            spare, self._process = self._process, None
        if spare is not None:
            _end(spare)


def _started() -> subprocess.Popen[bytes]:
    return start_program(
        "hippo.server.describing", stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=worker_environment(threads=1)
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    kill_group(process.pid)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


class Describer:
    """One trainer's process; for any thread, one at a time.

    Args:
      order: what it is told first: trainer, trainer_args, dataset, evaluate_every, numerics, search_path.
      spare: has its process.
    """

    def __init__(self, order: Mapping[str, Any], spare: SpareProcess) -> None:
        self._order = order
        self._spare = spare
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        #: what the trainer's class is
        with self._guard:
            self.description = self._start()

    def check(self, asked: Sequence[tuple[Config, int]]) -> list[HippoError | None]:
        """Return for each config with its steps why its trainer cannot be trained with it, None if it can."""
        order = [[config.to_json(), until] for config, until in asked]
        with self._guard:
            if self._process is None or self._process.poll() is not None:
                again = self._start()
                if again != self.description:
                    raise ServiceError(
                        f"the code of {self._order['trainer']} changed on the service's machine; run the script again"
                    )
            refused = self._ask(order)["refused"]
        return [None if each is None else error_from_json(each) for each in refused]

    def close(self) -> None:
        """End the process; one that is asked again starts another."""
        with self._guard:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            _end(self._process)
            self._process = None

    def _start(self) -> TrainerDescription:
        self._end()
        self._process = self._spare.take()
        answer = self._ask(self._order)
        if "error" in answer:
            self._end()
            raise error_from_json(answer["error"])
        return _description_from_json(answer["described"])

    def _ask(self, order: object) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Timer(DESCRIBE_S, kill_group, [process.pid])
        late.start()
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            late.cancel()
        if not line:
            self._end()
            raise ServiceError(
                f"the process that imports {self._order['trainer']} ended, or took longer than {DESCRIBE_S:g} s; the "
                "service's standard error may say why"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer


def _description_from_json(data: Mapping[str, Any]) -> TrainerDescription:
    spec = TrainerSpec(**{**data["spec"], "search_path": tuple(data["spec"]["search_path"])})
    assert spec.pickled is None, "a class that cannot be imported was refused"
    code = TrainerCode(**data["code"], put={})
    return TrainerDescription(
        name=data["name"], code=code, compiled=data["compiled"], dataset=data["dataset"], spec=spec
    )
