"""Which hyper-parameters matter, as Optuna judges: of many trials a part, of sequences their arguments.

Optuna is given the trials by themselves. Through `HippoStorage` a sequence is a category with a choice for each way in
which it is written; fifty thousand of them took Optuna minutes, and told nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hippo.errors import HippoError, OptionError
from hippo.records import TrialState

if TYPE_CHECKING:
    from hippo.study import Study, Trial

#: complete ones that it takes to say which hyper-parameters matter
_LEAST_TRIALS = 10
#: of so many it is said the same within some hundredths, and in a second
_MOST_TRIALS = 5_000
#: ways in which sequences of several kinds are written: with more, a category is their kind
_MOST_WAYS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamShares:
    """How much each hyper-parameter matters, and of how many trials that was judged."""

    #: name -> share of 1, largest first; an argument of a sequence has the name "lr.gamma"
    shares: Mapping[str, float]
    #: complete trials that were looked at, and all complete ones
    judged: int
    of: int


def param_importances(study: Study) -> dict[str, float]:
    """Return how much each hyper-parameter matters to the (first) objective, largest first; shares of 1.

    By PED-ANOVA (Watanabe et al. 2023, as Optuna has it), which asks what parts the best trials from the others. Of
    more than 5,000 complete trials, 5,000 are looked at, drawn at random and always the same ones. A sequence is judged
    by those of its arguments that differ, under names such as "lr.gamma"; where sequences of several kinds stand under
    one name, by how they are written, or, if they are written in more than 20 ways, by their kinds.

    Raises:
      HippoError: Optuna is not there.
      OptionError: trials are too few or too much alike.
    """
    return dict(param_shares(study).shares)


def param_shares(study: Study) -> ParamShares:
    """Return what `param_importances` does, and of how many trials.

    Raises:
      HippoError: Optuna is not there.
      OptionError: trials are too few or too much alike.
    """
    complete = [trial for trial in study.trials if trial.state is TrialState.COMPLETE]
    of = len(complete)
    if of > _MOST_TRIALS:  # not each tenth one: of a grid they may all have one value
        chosen = np.random.default_rng(0).choice(of, _MOST_TRIALS, replace=False)
        complete = [complete[at] for at in sorted(chosen)]
    looked_at = [(trial, loss) for trial in complete if (loss := _finite_loss(study, trial)) is not None]
    # of equal ones Optuna would call all hyper-parameters equally important
    if len(looked_at) < _LEAST_TRIALS or len({loss for _, loss in looked_at}) < 2:
        raise OptionError(
            f"of study {study.name!r} it is not known which hyper-parameters matter: it takes "
            f"{_LEAST_TRIALS} complete trials whose values differ, and there are {len(looked_at)} complete ones"
        )
    values = judged_values([trial.config.to_json() for trial, _ in looked_at])
    try:
        shares = _judged(values, [loss for _, loss in looked_at])
    except (ValueError, RuntimeError) as error:
        raise OptionError(f"of study {study.name!r} it is not known which hyper-parameters matter: {error}") from None
    return ParamShares(shares=shares, judged=len(looked_at), of=of)


def _finite_loss(study: Study, trial: Trial) -> float | None:
    objective = study.objectives[0] if study.objectives else None
    if objective is None or objective.metric not in trial.metrics:
        return None
    loss = objective.loss(trial.metrics)
    return loss if math.isfinite(loss) else None


def _judged(values: Sequence[Mapping[str, Any]], losses: Sequence[float]) -> dict[str, float]:
    try:
        import optuna

        from hippo.integrations.optuna_trials import as_optuna_value, inferred_distributions
    except ImportError:
        raise HippoError("param_importances() is Optuna's: pip install 'hippo-tune[optuna]'") from None
    inferred = inferred_distributions(values)
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # it announces each study that is made
    try:
        study = optuna.create_study()
    finally:
        optuna.logging.set_verbosity(level)
    study.add_trials(
        optuna.trial.create_trial(
            params={name: as_optuna_value(inferred[name], value) for name, value in each.items()},
            distributions={name: inferred[name] for name in each},
            value=loss,
        )
        for each, loss in zip(values, losses, strict=True)
    )
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    return dict(optuna.importance.get_param_importances(study, evaluator=evaluator))


def judged_values(configs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return by which values trials are judged: constants, arguments of sequences, or how these are written.

    Args:
      configs: what `Config.to_json` said of each trial.
    """
    judged: list[dict[str, Any]] = [{} for _ in configs]
    for name in sorted({name for config in configs for name in config}):
        having = [(at, config[name]) for at, config in enumerate(configs) if name in config]
        for column, values in _columns(name, [sequence for _, sequence in having]).items():
            for (at, _), value in zip(having, values, strict=True):
                judged[at][column] = value
    return judged


def _columns(name: str, sequences: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    kinds = [sequence["sequence"] for sequence in sequences]
    if len(set(kinds)) > 1:
        ways = [str(sequence) for sequence in sequences]
        return {name: ways if len(set(ways)) <= _MOST_WAYS else kinds}
    # what only some of them have, as a third milestone, cannot be compared in all
    leaves = [dict(_leaves("", sequence["arguments"])) for sequence in sequences]
    common = set.intersection(*(set(each) for each in leaves))
    varying = [path for path in leaves[0] if path in common and len({repr(each[path]) for each in leaves}) > 1]
    if kinds[0] == "Constant" and ".value" in common:
        return {name: [each[".value"] for each in leaves]}
    if kinds[0] == "Constant":  # a dictionary: its parts have their own names
        parts = {name + path.removeprefix(".value"): [each[path] for each in leaves] for path in varying}
        forms = [str(sorted(each)) for each in leaves]  # a text in one and a dictionary in another, or other parts
        is_told = len(set(forms)) == 1 or any(_tells(values, forms) for values in parts.values())
        ways = [str(sequence) for sequence in sequences]
        return parts if is_told else {**parts, name: ways if len(set(ways)) <= _MOST_WAYS else forms}
    return {f"{name}{path}": [each[path] for each in leaves] for path in varying}


def _tells(values: Sequence[Any], forms: Sequence[str]) -> bool:
    """Whether a few values of a part say which form the whole has, as the name of an optimizer does."""
    kinds = {repr(value) for value in values}
    return len(kinds) <= _MOST_WAYS and len(kinds) == len({*zip(map(repr, values), forms, strict=True)})


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the plain values in JSON, each with the way to it, such as ".milestones[0]"."""
    if isinstance(value, Mapping):
        if value.keys() == {"dict"}:  # how JSON tells a user's dictionary from a sequence
            value = value["dict"]
        for key, each in value.items():
            yield from _leaves(f"{path}.{key}", each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for at, each in enumerate(value):
            yield from _leaves(f"{path}[{at}]", each)
    else:
        yield path, value
