"""When trials were at work, as leases of slots tell it: from a trial's first step to the end of its last one.

Steps that trials share were walked once, so their bars begin together. It refuses to guess: what nobody saw is None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hippo.study import Study, Trial
from hippo.study.results.trial_paths import TrialPath


class _Walked(NamedTuple):
    start: int
    stop: int
    began_at: float
    ended_at: float | None


class TrialTimes:
    """When the trials of a study were at work.

    Args:
      study: whose, as it is now.
    """

    def __init__(self, study: Study) -> None:
        #: (member, node) -> what was walked there
        self._walked: dict[tuple[str, int], list[_Walked]] = defaultdict(list)
        for lease in study.leases():
            for span in (span for lane in lease.lanes for span in lane):
                walked = _Walked(span.start, span.stop, lease.began_at, lease.ended_at)
                for member in lease.members:
                    self._walked[member, span.node].append(walked)

    def of(self, trial: Trial) -> tuple[float | None, float | None]:
        """Return when work on a trial's way began, and when that on its last step ended, in seconds since the epoch."""
        whole = [self._of_one(one) for one in trial.replicates or (trial,)]
        begins = [began for began, _ in whole if began is not None]
        ends = [ended for _, ended in whole if ended is not None]
        return min(begins, default=None), max(ends, default=None) if len(ends) == len(whole) else None

    def _of_one(self, trial: Trial) -> tuple[float | None, float | None]:
        path = trial._path
        if not isinstance(path, TrialPath) or not path.has_begun:
            return None, None
        spans = path.facts.spans(path.row.node, max(1, path.steps_known))
        found = [walked for node, start, stop in spans for walked in self._on(trial.member, node, start, stop)]
        node, _, stop = spans[-1]
        ends = [walked.ended_at for walked in self._on(trial.member, node, stop - 1, stop)]
        known = [ended for ended in ends if ended is not None]
        return min((walked.began_at for walked in found), default=None), max(known, default=None)

    def _on(self, member: str, node: int, start: int, stop: int) -> Iterator[_Walked]:
        return (each for each in self._walked.get((member, node), ()) if each.start < stop and each.stop > start)
