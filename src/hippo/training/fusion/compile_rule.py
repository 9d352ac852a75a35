"""When compiling the updates of lanes pays: a rule of seconds, and what is known of them so far.

Hydro compiles lazily, only where what is known to remain is long enough (Hu et al. 2023, "Hydro: Surrogate-Based
Hyperparameter Tuning Service in Datacenters"). It refuses to know torch, and never looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

#: compiling may take no more than this part of what it saves: what remains may be withdrawn, and seconds are guesses
MOST_PART = 0.4
#: as long as nothing was compiled here: seconds, and what an update takes by what it took before. On a core of a CPU,
#: small networks took 7 to 90 s, and whole updates 0.3 to 0.8 of what they had taken (decision 39)
EXPECTED_COMPILE_S, EXPECTED_SHARE = 40.0, 0.6


def is_worth_compiling(*, eager_s: float, compiled_s: float, compile_s: float, updates_left: int) -> bool:
    """Tell whether compiling now pays.

    Args:
      eager_s: what an update takes, measured.
      compiled_s: what it takes, or is expected to take, when it is compiled.
      compile_s: what compiling takes, or is expected to take.
      updates_left: that are known to remain.
    """
    return compile_s < MOST_PART * (eager_s - compiled_s) * updates_left


@dataclass(slots=True)
class CompileExperience:
    """What compiling updates of one workload came to in this process."""

    compile_s: float = EXPECTED_COMPILE_S
    #: of what an update takes, by what it took before
    share: float = EXPECTED_SHARE
    #: why nothing is compiled any more; empty: something may be
    refusal: str = ""


@dataclass(slots=True)
class CompilePolicy:
    """Decides for the lanes of one program, by what their steps take, when their updates are compiled."""

    experience: CompileExperience
    #: known to remain, the one that comes next included
    steps_left: int = 0
    #: of the last step
    lanes: int = 0
    #: in a step
    updates: int = 0
    #: what an update took, with nothing compiled, at best: the first step makes what later ones have
    eager_s: float | None = None

    def is_due(self, lanes: int) -> bool:
        """Tell whether the updates of so many lanes shall be compiled now."""
        if self.eager_s is None or lanes != self.lanes or self.experience.refusal:
            return False
        return is_worth_compiling(
            eager_s=self.eager_s,
            compiled_s=self.experience.share * self.eager_s,
            compile_s=self.experience.compile_s,
            updates_left=self.updates * self.steps_left,
        )

    def note_step(self, lanes: int, *, updates: int, seconds: float, is_compiled: bool) -> None:
        """Take note of what a step took whose updates were all compiled, or all not."""
        if lanes != self.lanes:
            self.lanes, self.eager_s = lanes, None
        self.updates = updates
        if not updates:
            return
        update_s = seconds / updates
        if not is_compiled:
            self.eager_s = update_s if self.eager_s is None else min(update_s, self.eager_s)
        elif self.eager_s:
            self.experience.share = update_s / self.eager_s
            if self.experience.share >= 1:
                self.experience.refusal = f"compiled updates took {self.experience.share:.2f} of what they took before"
