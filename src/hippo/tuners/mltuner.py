"""MLtuner: one training run that is tuned while it runs, by short branches of its own state.

Cui, Ganger, Gibbons 2018, "MLtuner: System Support for Automatic Machine Learning Tuning".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import TunerError
from hippo.hparams import Config, RandomSearchSpace
from hippo.records import FUSED, Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.branching import Branch, Branches, SettingCosts, Trunk, loss_of
from hippo.tuners.convergence import TOLERANCE
from hippo.tuners.exploring import Lineage
from hippo.tuners.mltuner_checks import check_mltuner, check_objectives, uneven_steps
from hippo.tuners.proposals import adopt_random_space
from hippo.tuners.sampled import Sampled
from hippo.tuners.samplers import make_sampler
from hippo.tuners.settings import ProposedSettings, start_settings
from hippo.tuners.trial_time import decide_trial_time
from hippo.tuners.tuner import Tuner, describe

#: steps of the probe, which trains nothing and tells the loss of the state that it begins from
PROBE_STEPS = 3
#: as `TOLERANCE`, where the setting that goes on is the last: the fastest descent over a few steps is at a larger rate
#: than what is best after many (decision 42)
TOLERANCE_FOR_GOOD = 0.25


@accept_names
@dataclass(frozen=True)
class MLTuner(Tuner):
    """Trains one model, and tunes it on the way.

    At first, and where the objective stalls, it forks short branches of the present training state, each with other
    values of the tunables; the one whose training loss falls fastest goes on as it is. All that is trained is one live
    path and its branches, so it costs about as much as training a model once or twice.

    Cui, Ganger, Gibbons 2018, "MLtuner: System Support for Automatic Machine Learning Tuning", sections 3 and 4.
    Deviations: a search compares with the loss that it began from (`convergence`); among branches as fast as the
    fastest, within 10 %, or 25 % where no search follows, the one with the smallest learning rate goes on; time is
    counted in steps; branches are bounded in the first search, too; and the run has come to its end when two plateaus
    in a row bring nothing.

    The study should not evaluate at steps of its own, since that would evaluate branches: give it an `evaluate_every`
    above `max_steps`. A step should be one or a few batches, and the same number of samples whatever the batch size.

    Args:
      space: of the tunables. A dictionary with distributions stands for it.
      max_steps: the live path never goes beyond.
      check_every: steps between evaluations of the live path (the paper's epoch).
      fixed: all other values of the config.
      sampler: who proposes settings: "tpe", "gp", "random" or another one that `Sampled` takes, or "grid": eleven
        points of each range, all options of each choice.
      options: arguments of the sampler's class.
      progress: name of what `train` returns by which branches are compared. Smaller is better, always; it should be a
        mean per sample.
      start: values of the tunables to begin with; no initial search then.
      retune: whether to search again at plateaus. If not, the setting that is found has to do for the whole run.
      patience: checks without a better objective after which the run has converged. A search begins one check earlier,
        and what follows it has as many checks again.
      max_trials: settings of the first search; a later one has no more than the one before it.
      time: in which trial times are counted and branches compared. "steps": the same on every machine, and blind to
        what a step costs. "seconds": by the median seconds of all steps with the same values of `costs`. Recorded
        seconds are facts, so that a re-run, or a second study on the same storage, decides alike; another machine may
        not.
      costs: tunables that change what a step costs, for `time="seconds"`.
      probe: values with which nothing is learned. With them, three steps tell the loss of the first state, before any
        update, with which branches of the first search are compared. None: the smallest loss of all first steps stands
        for it.
      prefer: of branches within 10 % of the fastest, or 25 % with `retune=False`, the one with the smallest value of
        this tunable goes on; None: the fastest.
      windows: into which losses are averaged (the paper's K). No branch is shorter.
      together: how many branches are tried at a time.
      branches: "exact", trained as the live path is; or "fused": those tried at a time are lanes of one program, which
        begin at the live path's state, and the steps of the one that goes on are run once more, as the live path's.
        Where `together` is 8 or more that takes less time, on most networks; see "When not to use it".
      width: how many of a search's best branches go on, until the next evaluation tells which of them is the live path:
        what falls fastest at first need not be best a little later. Each one more costs that stretch once more.
      max_live: how many branches a search may keep alive, its parent among them.
      seed: of all that is drawn.

    Returns:
      Of `tune`: the config of the live path, whose sequences are piecewise over the searches. It can be trained again
      as any other.

    Raises:
      BudgetError: a number of steps, checks or trials is below 1, or they contradict each other.
      TunerError, UnknownHparamError: the arguments do not fit each other; the message says which, and how they would.
      UnknownMetricError: once it runs: `train` does not return `progress`.
    """

    needs_metric: ClassVar[bool] = True

    space: RandomSearchSpace
    max_steps: int
    _: KW_ONLY
    check_every: int
    fixed: Mapping[str, Any] = field(default_factory=dict)
    sampler: Any = "tpe"
    options: Mapping[str, Any] = field(default_factory=dict)
    progress: str = "loss"
    start: Mapping[str, Any] | None = None
    retune: bool = True
    patience: int = 5
    max_trials: int = 50
    time: str = "steps"
    costs: Sequence[str] = ("batch_size",)
    probe: Mapping[str, Any] | None = field(default_factory=lambda: {"lr": 0.0})
    prefer: str | None = "lr"
    windows: int = 10
    together: int = 1
    width: int = 1
    max_live: int = 8
    seed: int = 0
    branches: str = "exact"

    if TYPE_CHECKING:  # a dictionary stands for the space that it describes

        def __init__(
            self,
            space: RandomSearchSpace | Mapping[str, Any],
            max_steps: int,
            *,
            check_every: int,
            fixed: Mapping[str, Any] = ...,
            sampler: Any = ...,
            options: Mapping[str, Any] = ...,
            progress: str = ...,
            start: Mapping[str, Any] | None = ...,
            retune: bool = ...,
            patience: int = ...,
            max_trials: int = ...,
            time: str = ...,
            costs: Sequence[str] = ...,
            probe: Mapping[str, Any] | None = ...,
            prefer: str | None = ...,
            windows: int = ...,
            together: int = ...,
            width: int = ...,
            max_live: int = ...,
            seed: int = ...,
            branches: str = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        adopt_random_space(self)
        check_mltuner(self)

    @property
    def asks_branches(self) -> bool:  # type: ignore[override]  # one's own, not that of the class
        return self.branches == FUSED

    async def tune(self, ask: Ask) -> Config:
        return await _LiveRun(self, ask).train()

    def doubts(self, trainer: type[Any]) -> tuple[str, ...]:
        return uneven_steps(self, getattr(trainer, "samples_per_step", None))

    def record(self) -> dict[str, Any]:
        is_grid = isinstance(self.sampler, str) and self.sampler == "grid"
        settings = describe(self.space) if is_grid else repr(Sampled(self.sampler, self.space, self.options))
        others = [f.name for f in fields(self) if f.name not in ("space", "sampler", "options", "branches")]
        fused = {"branches": self.branches} if self.asks_branches else {}  # records of before it had them stay equal
        values = {name: describe(getattr(self, name)) for name in others}
        return {"tuner": "MLTuner", "settings": settings, **values, **fused}


class _LiveRun:
    """One call of the tuner: the live path, and the searches that change it.

    Args:
      tuner: its arguments.
      ask: of whom everything is asked.
    """

    def __init__(self, tuner: MLTuner, ask: Ask) -> None:
        self._tuner = tuner
        self._ask = ask
        self._fixed = Config(tuner.fixed)
        self._costs = SettingCosts(None if tuner.time == "steps" else tuple(tuner.costs))
        self._num_searches = 0
        #: of the branches of a search so far, also of those that are freed: per unit of time
        self._best_speed = 0.0
        #: how far the last search has trained the live path itself: the values in force were proposed, too
        self._went_on = 0
        #: of the next search
        self._most_trials = tuner.max_trials

    async def train(self) -> Config:
        """Tune, train until the objective stalls, tune again, and so on; return the live path's config."""
        check_objectives(self._ask.objectives, self._tuner.progress)
        if self._tuner.sampler != "grid":  # what it cannot be made of is told before the probe is trained
            make_sampler(self._tuner.sampler, self._tuner.options, self._tuner.seed)
        paths, step = await self._begin()
        best, checks, has_helped = math.inf, 0, True
        while True:
            step = self._next_check(step)  # the last step once more, if a branch has come that far
            is_last = step == self._tuner.max_steps
            path, answer = await self._check(paths, step, is_last=is_last)
            paths = [path]
            if is_last or answer.failure is not None:
                break
            checks += 1
            if answer.loss < best:
                best, checks, has_helped = answer.loss, 0, True
            if has_helped and checks >= max(1, self._tuner.patience - 1) and self._has_room(step):
                found = await self._retune(path, answer)
                if not found:
                    if self._went_on:  # where it stands now nobody has evaluated it
                        await self._check([path], step + self._went_on, is_last=True)
                    break
                paths, step = _paths_of(found), step + max(branch.steps for branch in found)
                checks, has_helped = 0, False
            elif checks >= self._tuner.patience:
                break
        return path.config

    async def _begin(self) -> tuple[list[Lineage], int]:
        """Return the paths that go on first, and how far the longest of them is."""
        if self._tuner.start is not None:
            path = Lineage.begin(Config({**self._fixed, **self._tuner.start}))
            first = await self._ask(path.config, until=1, evaluate=False, is_transient=True)
            if first.failure is None:
                loss_of(first, 1, self._tuner.progress)  # says at once if there is none
            return [path], 0
        start = await self._starting_point()
        trunk = Trunk(parent=None, at=0, start=start, most_steps=self._tuner.max_steps, fixed=self._fixed)
        async with self._branching(None) as ask:
            found = await self._search(trunk, ask)
        if not found:
            raise TunerError(
                f"none of {self._most_trials} settings made {self._tuner.progress!r} fall within "
                f"{self._tuner.max_steps} steps; widen the space, or see whether the trainer learns at all"
            )
        return _paths_of(found), max(branch.steps for branch in found)

    async def _check(self, paths: Sequence[Lineage], step: int, *, is_last: bool) -> tuple[Lineage, Answer]:
        """Train all paths to a step; return the one with the best objective there, and give up the others."""
        self._ask.show(f"live path on its way to step {step}")
        answers = await self._ask.together(
            Proposal(config=path.config, until=step, final=is_last, comes_alone=True) for path in paths
        )
        best = min(range(len(paths)), key=lambda i: answers[i].loss)  # the first of equal ones; failures are infinite
        for i, path in enumerate(paths):
            if i != best:
                self._ask.release(path.config)
        return paths[best], answers[best]

    async def _starting_point(self) -> float | None:
        """Return the loss of the first state, before any update; None if that cannot be found out.

        Raises:
          TunerError: a trainer that is to learn nothing fails all the same.
        """
        import numpy as np

        probe = self._tuner.probe
        if probe is None:
            return None
        drawn = self._tuner.space.sample(np.random.default_rng(self._tuner.seed))
        config = Config({**self._fixed, **drawn, **probe})
        steps = min(PROBE_STEPS, self._tuner.max_steps)
        answer = await self._ask(config, until=steps, evaluate=False, is_transient=True, is_extension=True)
        self._ask.release(config)
        if answer.failure is not None:
            raise TunerError(
                f"the probe, with {dict(probe)!r}, failed: {answer.failure.error}; give others, or probe=None"
            )
        start = self._mean_loss(answer, 0)
        if start is None or not math.isfinite(start):
            raise TunerError(f"the probe, with {dict(probe)!r}, has the loss {start!r}: the first state has diverged")
        return start

    def _has_room(self, step: int) -> bool:
        """Tell whether there is to be another search, and a branch could be long enough to be seen to converge."""
        return self._tuner.retune and self._tuner.max_steps - step >= self._tuner.windows

    async def _retune(self, path: Lineage, answer: Answer) -> list[Branch]:
        """Search from where the live path is; nobody is returned if no setting makes any progress."""
        tuner = self._tuner
        most_steps = min(max(tuner.check_every, 2 * tuner.windows), tuner.max_steps - answer.step)
        start = self._mean_loss(answer, max(0, answer.step - tuner.check_every), finite=True)
        trunk = Trunk(parent=path, at=answer.step, start=start, most_steps=most_steps, fixed=self._fixed)
        async with self._ask.pin(answer), self._branching(answer) as ask:
            found = await self._search(trunk, ask)
        if found and path not in _paths_of(found):
            self._ask.release(path.config)
        return found

    def _branching(self, answer: Answer | None) -> AbstractAsyncContextManager[Ask]:
        """Lead to where branches are asked for that begin where an answer is about; None: with a new model."""
        return self._ask.branching(answer) if self._tuner.asks_branches else nullcontext(self._ask)

    async def _search(self, trunk: Trunk, ask: Ask) -> list[Branch]:
        """Return the branches that go on, the best first, all others being freed; none if no setting makes progress."""
        tuner = self._tuner
        branches = Branches(ask, trunk, progress=tuner.progress, windows=tuner.windows, costs=self._costs)
        seed = _seed_of(tuner.seed, self._num_searches)
        proposer = start_settings(tuner.space, tuner.sampler, tuner.options, self._ask, seed=seed)
        settings = ProposedSettings(proposer, branches, most=self._most_trials, may_settle=tuner.sampler != "grid")
        max_live = tuner.max_live - 1 - tuner.together
        self._best_speed = 0.0
        decided = await decide_trial_time(settings, branches, together=tuner.together, max_live=max_live)
        kept = [] if decided is None else self._kept(decided.candidates, branches, max_live)
        while decided is not None and (new := settings.fork(tuner.together)):
            await branches.run(new, decided.time)
            for branch in new:
                settings.report(branch, is_over=True)
            converging = [branch for branch in new if branches.convergence(branch).is_converging]
            kept = self._kept([*kept, *converging], branches, max_live)
            for branch in new:
                if branch not in kept:
                    branches.free(branch)
        self._num_searches += 1
        in_force = [] if tuner.asks_branches else [b for b in settings.tried if b.lineage == trunk.parent]
        self._went_on = max((branch.steps for branch in in_force), default=0)
        self._most_trials = settings.num_proposed
        return self._winners(kept, branches)

    def _kept(self, candidates: Sequence[Branch], branches: Branches, most: int) -> list[Branch]:
        """Return who may go on: the fastest first, then those about as fast, gentlest first; free the others.

        Where several go on and too few are as fast, the fastest of the rest are kept, too. Where there is room for one,
        it is the gentlest of those about as fast; how fast the fastest was is remembered.
        """
        best = max(candidates, key=branches.speed)  # the first of equal ones
        self._best_speed = max(self._best_speed, branches.speed(best))
        close = [branch for branch in candidates if branch is not best and self._is_close(branch, branches)]
        if most > 1:
            kept = [best, *sorted(close, key=self._preference)[: most - 1]]
        else:
            kept = [min([best, *close], key=self._preference)]
        rest = sorted((branch for branch in candidates if branch not in kept), key=branches.speed, reverse=True)
        kept += rest[: max(0, self._tuner.width - len(kept))]
        for branch in candidates:
            if branch not in kept:
                branches.free(branch)
        return kept

    def _winners(self, kept: Sequence[Branch], branches: Branches) -> list[Branch]:
        """Return who goes on, and free the others: the gentlest of those as fast as the fastest are the first."""
        if not kept:
            return []
        close = [branch for branch in kept if branch is kept[0] or self._is_close(branch, branches)]
        others = [branch for branch in kept if branch not in close]
        winners = [*sorted(close, key=self._preference), *others][: self._tuner.width]
        for branch in kept:
            if branch not in winners:
                branches.free(branch)
        return winners

    def _is_close(self, branch: Branch, branches: Branches) -> bool:
        """Tell whether a branch is preferred to the fastest one if it is gentler."""
        within = TOLERANCE if self._tuner.retune else TOLERANCE_FOR_GOOD
        return self._tuner.prefer is not None and _is_close(branches.speed(branch), self._best_speed, within)

    def _preference(self, branch: Branch) -> float:
        """Return what is to be small of the branch that goes on."""
        prefer = self._tuner.prefer
        return float(branch.setting[prefer](0)) if prefer is not None else 0.0

    def _mean_loss(self, answer: Answer, after: int, *, finite: bool = False) -> float | None:
        """Return the mean loss of the steps from one on; `finite`: of those in which it was, None if it was in none."""
        losses = [loss_of(answer, step, self._tuner.progress) for step in range(after + 1, answer.step + 1)]
        if finite:  # a step that was skipped says nothing of the state
            losses = [loss for loss in losses if math.isfinite(loss)]
        if not losses:
            return None
        return (math.fsum(losses) if all(map(math.isfinite, losses)) else sum(losses)) / len(losses)

    def _next_check(self, step: int) -> int:
        """Return the next step at which the live path is evaluated."""
        every = self._tuner.check_every
        return min((step // every + 1) * every, self._tuner.max_steps)


def _paths_of(branches: Sequence[Branch]) -> list[Lineage]:
    return [branch.lineage for branch in branches]


def _is_close(speed: float, best: float, within: float) -> bool:
    """Tell whether a speed is so near to the best one; also where both are too small to be told from 0."""
    return speed >= best or 1 - speed / best < within


def _seed_of(seed: int, search: int) -> int:
    """Return the seed of a search, so that none proposes what the one before it did."""
    import numpy as np

    return int(np.random.SeedSequence([seed, search]).generate_state(1)[0])
