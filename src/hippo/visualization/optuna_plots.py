"""Optuna's own pictures, of hippo's studies: taken through `HippoStorage`, under Optuna's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError, OptionError, StorageError
from hippo.plan.urls import shown_url
from hippo.visualization.drawing import need_plotly, those

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study


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
    return drawn_by_optuna("plot_optimization_history", study, dark, options, of_several=True)


def plot_intermediate_values(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective of each trial over steps; see `plot_curves`, which draws what trials share once."""
    return drawn_by_optuna("plot_intermediate_values", study, dark, options)


def plot_parallel_coordinate(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return a line for each trial through the values of its hyper-parameters to its objective."""
    return drawn_by_optuna("plot_parallel_coordinate", study, dark, options)


def plot_contour(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective over each two hyper-parameters."""
    return drawn_by_optuna("plot_contour", study, dark, options)


def plot_slice(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the objective over each hyper-parameter."""
    return drawn_by_optuna("plot_slice", study, dark, options)


def plot_param_importances(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return how much each hyper-parameter matters to the objective."""
    return drawn_by_optuna("plot_param_importances", study, dark, options)


def plot_edf(study: Study | Sequence[Study], *, dark: bool = False, **options: Any) -> go.Figure:
    """Return which part of all trials is at most as large as a value."""
    return drawn_by_optuna("plot_edf", study, dark, options, of_several=True)


def plot_rank(study: Study, *, dark: bool = False, **options: Any) -> go.Figure:
    """Return the trials by rank of their objective over each two hyper-parameters."""
    return drawn_by_optuna("plot_rank", study, dark, options)


def drawn_by_optuna(
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
