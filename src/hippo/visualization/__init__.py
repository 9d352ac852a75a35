"""Pictures, as plotly figures. plotly is imported when one is drawn."""

from hippo.visualization.bubble_plots import plot_bubbles
from hippo.visualization.coordinates import plot_coordinate_check
from hippo.visualization.gantt import plot_gantt
from hippo.visualization.importances import param_importances
from hippo.visualization.lineage_plots import plot_lineage
from hippo.visualization.optuna_plots import (
    plot_contour,
    plot_edf,
    plot_intermediate_values,
    plot_optimization_history,
    plot_parallel_coordinate,
    plot_param_importances,
    plot_rank,
    plot_slice,
)
from hippo.visualization.sharing_plots import plot_fusion, plot_merge_rate
from hippo.visualization.slot_plots import plot_slots
from hippo.visualization.stage_tree import plot_stage_tree
from hippo.visualization.storage_plots import plot_storage
from hippo.visualization.study_plots import plot_curves, plot_savings, plot_schedules
from hippo.visualization.tuner_plots import plot_branches, plot_rungs
from hippo.visualization.weighing_plots import plot_best_values, plot_pareto_front

__all__ = [
    "param_importances",
    "plot_best_values",
    "plot_branches",
    "plot_bubbles",
    "plot_contour",
    "plot_coordinate_check",
    "plot_curves",
    "plot_edf",
    "plot_fusion",
    "plot_gantt",
    "plot_intermediate_values",
    "plot_lineage",
    "plot_merge_rate",
    "plot_optimization_history",
    "plot_parallel_coordinate",
    "plot_param_importances",
    "plot_pareto_front",
    "plot_rank",
    "plot_rungs",
    "plot_savings",
    "plot_schedules",
    "plot_slice",
    "plot_slots",
    "plot_stage_tree",
    "plot_storage",
]
