"""Optuna's own pictures, of hippo's studies: taken through `HippoStorage`, under Optuna's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError, OptionError, StorageError
from hippo.plan.urls import shown_url
from hippo.records import TrialState, mode_sign
from hippo.visualization.drawing import need_plotly, those

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study, Trial

#: complete ones that it takes to say which hyper-parameters matter
_LEAST_TRIALS = 10


def plot_optimization_history(study: Study | Sequence[Study], *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective of each trial and the best one so far, by number.

    This picture and those below are Optuna's, of the study as `hippo.integrations.optuna.HippoStorage` shows it:
    its sequences are categories, its trials have the value of their last step.

    Args:
      study: one; here and in `plot_edf` also several.
      dark: for a dark page.
      options: Optuna's, such as `params=["lr"]` or `target_name="loss"`.

    Raises:
      HippoError: Optuna or plotly is not there.
      OptionError: the study is not in its storage under its name, as an older generation of one.
      ValueError: Optuna has nothing to draw, says why.
    """
    return _drawn("plot_optimization_history", study, dark, options, of_several=True)


def plot_intermediate_values(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective of each trial over steps; see `plot_curves`, which draws what trials share once."""
    return _drawn("plot_intermediate_values", study, dark, options)


def plot_parallel_coordinate(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return a line for each trial through the values of its hyper-parameters to its objective."""
    return _drawn("plot_parallel_coordinate", study, dark, options)


def plot_contour(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective over each two hyper-parameters."""
    return _drawn("plot_contour", study, dark, options)


def plot_slice(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective over each hyper-parameter."""
    return _drawn("plot_slice", study, dark, options)


def plot_param_importances(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return how much each hyper-parameter matters to the objective."""
    return _drawn("plot_param_importances", study, dark, options)


def plot_edf(study: Study | Sequence[Study], *, dark: bool = False, **options: Any) -> go.Figure:
    """Return which part of all trials is at most as large as a value."""
    return _drawn("plot_edf", study, dark, options, of_several=True)


def plot_pareto_front(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the trials of a study with two or three objectives, those that no other one dominates marked."""
    return _drawn("plot_pareto_front", study, dark, options)


def plot_rank(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the trials by rank of their objective over each two hyper-parameters."""
    return _drawn("plot_rank", study, dark, options)


def param_importances(study: Study) -> dict[str, float]:
    """Return how much each hyper-parameter matters to the (first) objective, largest first; shares of 1.

    By PED-ANOVA (Watanabe et al. 2023, as Optuna has it), which asks what parts the best trials from the others, and is
    quick where there are thousands.

    Raises:
      HippoError: Optuna is not there.
      OptionError: the study is not in its storage under its name, or its trials are too few or too much alike.
    """
    losses = [_first_loss(study, trial) for trial in study.trials if trial.state is TrialState.COMPLETE]
    known = [loss for loss in losses if loss is not None and math.isfinite(loss)]
    if len(known) < _LEAST_TRIALS or len(set(known)) < 2:  # Optuna would call all of them equally important
        raise OptionError(
            f"of study {study.name!r} it is not known which hyper-parameters matter: it takes "
            f"{_LEAST_TRIALS} complete trials whose values differ, and there are {len(known)} complete ones"
        )
    (seen,) = _as_optunas("param_importances", [study])
    import optuna

    # of several objectives the first one, which is to be small
    sign = mode_sign(study.objectives[0].mode)
    target = (lambda trial: sign * trial.values[0]) if len(study.objectives) > 1 else None
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    try:
        return dict(optuna.importance.get_param_importances(seen, evaluator=evaluator, target=target))
    except (ValueError, RuntimeError) as error:
        raise OptionError(f"of study {study.name!r} it is not known which hyper-parameters matter: {error}") from None


def _first_loss(study: Study, trial: Trial) -> float | None:
    objective = study.objectives[0] if study.objectives else None
    return None if objective is None or objective.metric not in trial.metrics else objective.loss(trial.metrics)


def _drawn(
    plot: str, study: Study | Sequence[Study], dark: bool, options: dict[str, Any], *, of_several: bool = False
) -> go.Figure:
    need_plotly(plot)
    given = those(study)
    if len(given) > 1 and not of_several:
        raise OptionError(f"{plot}() draws one study, not {len(given)}")
    seen = _as_optunas(plot, given)
    import optuna

    figure = getattr(optuna.visualization, plot)(seen if of_several else seen[0], **options)
    return figure.update_layout(template="plotly_dark" if dark else "plotly_white")


def _as_optunas(what: str, studies: Sequence[Study]) -> list[Any]:
    """Return studies as Optuna sees them."""
    try:
        import optuna

        from hippo.integrations.optuna import HippoStorage
    except ImportError:
        raise HippoError(f"{what}() is Optuna's: pip install 'hippo-tune[optuna]'") from None
    seen = []
    for each in studies:
        try:
            found = optuna.load_study(study_name=each.name, storage=HippoStorage(each.storage))
        except (KeyError, StorageError):
            raise OptionError(
                f"study {each.name!r} is not to be found in {shown_url(each.storage)!r}; one in memory "
                "needs a name there: storage='memory://NAME'"
            ) from None
        if found.user_attrs["hippo:generation"] != each.generation:
            raise OptionError(
                f"{what}() draws the latest generation, {found.user_attrs['hippo:generation']}, and study "
                f"{each.name!r} is given in generation {each.generation}"
            )
        seen.append(found)
    return seen
