"""A parameter server as a kind of trainer: worker processes on shared tables, whose states hippo forks and keeps."""

from hippo.ps.gradients import ClockGradients, ClockShare, RowGradients
from hippo.ps.ray_transport import RayTransport
from hippo.ps.trainer import PSTrainer

__all__ = ["ClockGradients", "ClockShare", "PSTrainer", "RayTransport", "RowGradients"]
