"""A study that is caught standing still within a step."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hippo
from hippo.study import Study
from hippo.testing.gated_trainer import GatedTrainer


class AsksTogether(hippo.Tuner):
    """Asks for all of it at once: (config, until)."""

    def __init__(self, asked: list[tuple[dict[str, Any], int]], *, final: bool = True) -> None:
        self.asked = asked
        self.final = final

    def record(self) -> dict[str, Any]:
        return {"asked": len(self.asked)}

    async def tune(self, ask: Any) -> None:
        await asyncio.gather(*(ask(config, until=until, final=self.final) for config, until in self.asked))


#: they part at step 4, the first goes on to step 9
TWO = [({"lr": hippo.MultiStep(0.1, [4], 0.1)}, 9), ({"lr": hippo.MultiStep(0.1, [6], 0.1)}, 8)]


@contextmanager
def caught_study(
    folder: Path,
    tuner: Any,
    *,
    name: str = "caught",
    gate_at: int = 2,
    node: int | None = None,
    trainer: type = GatedTrainer,
    **more: Any,
) -> Iterator[tuple[Study, Study]]:
    """Yield a study of one slot that stands still where `gate_at` steps are trained: as read by others, and itself.

    `node` is where it does, where other nodes come by `gate_at` too.
    """
    url, gate = f"sqlite:///{folder}/hippo.db", folder / f"{name} may go on"
    study = hippo.create_study(name, trainer=trainer, trainer_args={"gate": str(gate), "gate_at": gate_at},
                               storage=url, checkpoints=str(folder / "states"), engine=hippo.InlineEngine(),
                               metric="loss", mode="min", **more)  # fmt: skip
    thread = threading.Thread(target=study.optimize, args=[tuner])
    thread.start()
    read = hippo.load_study(name, url)
    try:
        deadline = time.monotonic() + 120
        while gate_at not in {at for (_, own), at in read.work_left().reached.items() if node in {own, None}}:
            assert time.monotonic() < deadline, "it never came so far"
            assert thread.is_alive(), "it ended"
            time.sleep(0.02)
        yield read, study
    finally:
        gate.touch()
        thread.join(60)
        study.close()
