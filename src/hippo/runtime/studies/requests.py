"""A request in the hands of the runtime; what its tuner awaits meanwhile is known by its number alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hippo.members import scale_of
from hippo.plan import Node, RequestRow
from hippo.records import Failure
from hippo.runtime.studies.replay import TrialPoint

if TYPE_CHECKING:
    from hippo.runtime.studies.request_book import RequestBook
    from hippo.runtime.studies.study_state import StudyState
    from hippo.runtime.studies.trial_book import MemberTrial


@dataclass(slots=True, eq=False)
class Request:
    """The metrics of a trial after `until` steps under one member, asked for by one call."""

    #: unique within the runtime, ascending in the order of asking
    id: int
    #: of the call that asks
    book: RequestBook
    study: StudyState
    trial: MemberTrial
    node: Node
    until: int
    final: bool
    #: does not count when trials are told complete from pruned
    is_extension: bool
    #: no tuner has asked for the answer yet
    is_speculative: bool
    #: asked by itself: its tuner may ask later for more that begins alike
    comes_alone: bool
    #: False: it waits until its steps are trained, and for no metrics
    evaluate: bool = field(default=True, kw_only=True)
    #: the state at its end need not outlive its slot
    is_transient: bool = field(default=False, kw_only=True)
    #: False: it is one of so few that they are not worth walking as one
    has_company: bool = field(default=True, kw_only=True)
    #: None while a recorded answer is replayed: it is written down already
    row: RequestRow | None = None
    #: while a recorded answer is replayed: the seconds that it named
    seconds: float | None = None
    #: why it cannot be met
    failure: Failure | None = None
    #: the member of the study that is asked: it says on which plan
    member: str = field(init=False)
    #: what is asked for, by its names
    at: TrialPoint = field(init=False)

    def __post_init__(self) -> None:
        self.member = self.trial.row.member
        self.at = TrialPoint(self.trial.number, self.until, self.member)

    @property
    def loss_to_beat(self) -> float | None:
        """The loss under its member that a state's must be below to be kept; None as long as all are kept."""
        top = self.study.settings.keep.top
        losses = self.study.book.members[self.member].losses
        return None if top is None else losses.to_beat(self.trial.number, self.until, top, call=self.trial.row.call)

    @property
    def is_one_of_several(self) -> bool:
        """Whether its trial is an average, with other members: which one is the best shows only at the end."""
        scale = scale_of(self.member)
        return sum(scale_of(member) == scale for member in self.study.book.members) > 1
