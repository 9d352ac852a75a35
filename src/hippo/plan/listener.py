"""What a plan says to whoever decides what remains to be run, and to nobody else."""

from __future__ import annotations

from typing import Protocol

from hippo.records import LeaseId, LeaseView, NodeId, Point


class PlanListener(Protocol):
    """Hears of everything that the stage tree depends on, in the order in which it happens."""

    def add_node(self, node: NodeId, parent: NodeId | None, start: int) -> None:
        """A node came into the plan."""

    def add_request(self, node: NodeId, step: int) -> None:
        """Metrics were asked for."""

    def remove_request(self, node: NodeId, step: int) -> None:
        """One request for these metrics was answered or withdrawn."""

    def add_state_request(self, node: NodeId, step: int) -> None:
        """A state was asked for."""

    def remove_state_request(self, node: NodeId, step: int) -> None:
        """One request for this state was met or withdrawn."""

    def add_metrics(self, node: NodeId, step: int) -> None:
        """Metrics became known."""

    def add_checkpoint(self, node: NodeId, step: int) -> None:
        """A state became loadable."""

    def remove_checkpoint(self, node: NodeId, step: int) -> None:
        """A state is no longer loadable."""

    def open_lease(self, lease: LeaseView) -> None:
        """Work began."""

    def close_lease(self, lease: LeaseId) -> None:
        """Work ended, for whatever reason."""

    def mark_passed(self, lease: LeaseId, point: Point) -> None:
        """A boundary came too late for a lease."""


class Deaf:
    """Hears what a plan says and does nothing about it: for those who only read."""

    def add_node(self, node: NodeId, parent: NodeId | None, start: int) -> None: ...
    def add_request(self, node: NodeId, step: int) -> None: ...
    def remove_request(self, node: NodeId, step: int) -> None: ...
    def add_state_request(self, node: NodeId, step: int) -> None: ...
    def remove_state_request(self, node: NodeId, step: int) -> None: ...
    def add_metrics(self, node: NodeId, step: int) -> None: ...
    def add_checkpoint(self, node: NodeId, step: int) -> None: ...
    def remove_checkpoint(self, node: NodeId, step: int) -> None: ...
    def open_lease(self, lease: LeaseView) -> None: ...
    def close_lease(self, lease: LeaseId) -> None: ...
    def mark_passed(self, lease: LeaseId, point: Point) -> None: ...
