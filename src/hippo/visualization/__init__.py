"""Pictures, as plotly figures. plotly is imported when one is drawn."""

from hippo.visualization.coordinates import plot_coordinate_check
from hippo.visualization.gantt import plot_gantt

__all__ = ["plot_coordinate_check", "plot_gantt"]
