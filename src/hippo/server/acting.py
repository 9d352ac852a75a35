"""What people may do to the studies of a service from elsewhere than a script: stop them, enqueue, retry, keep, delete.

Each is what `hippo` offers to everybody, done where the study runs, with what that refuses. This module refuses to know
HTTP, and who may do what: it says which right each act needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hippo.errors import OptionError, RefusedError, ServiceError, UnknownStudyError
from hippo.hparams import as_config
from hippo.plan import TrialRow
from hippo.records import TrialState
from hippo.schedulers import FairShare
from hippo.server.entries import EntryReader
from hippo.server.served_calls import ServedStudy
from hippo.server.service import StudyService
from hippo.server.tokens import Right, TokenEntry
from hippo.study import delete_study, keep_states, load_study
from hippo.study.remote_calls import study_facts

#: what can be done to a study -> the right that it needs: what others may miss is no business of all who train
NEEDS: Mapping[str, Right] = {
    "stop": Right.WRITE,
    "enqueue": Right.WRITE,
    "retry": Right.WRITE,
    "keep": Right.ADMIN,
    "delete": Right.ADMIN,
}


class ServiceActs:
    """Does to the studies of a service what people ask for; for any thread but the web front's.

    Args:
      service: whose.
      most_steps: the largest `until` that is taken.
    """

    def __init__(self, service: StudyService, *, most_steps: int = 1_000_000) -> None:
        self._service = service
        self._reader = EntryReader(custom=service.custom_sequences, most_steps=most_steps)
        self._doing: Mapping[str, Callable[[str, Mapping[str, Any], TokenEntry | None], str]] = {
            "stop": self._stop,
            "enqueue": self._enqueue,
            "retry": self._retry,
            "keep": self._keep,
            "delete": self._delete,
        }

    def possible(self, name: str) -> list[str]:
        """Return what can be done to a study now.

        Raises:
          UnknownStudyError: there is none of this name.
        """
        number = self._number(name)
        served, is_running = self._served(number), self._is_running(number)
        can = {
            "stop": is_running,
            "enqueue": served is not None and served.describer is not None,
            "retry": not is_running and self._has_failed(number),
            "keep": True,
            "delete": not is_running,
        }
        return [act for act in NEEDS if can[act]]

    def do(self, act: str, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        """Do something to a study, and return what came of it, for people.

        Args:
          act: one of `NEEDS`.
          name: of the study.
          said: what the act is told beside that: "config" and "until" to enqueue, "keep" to keep.
          by: who asks for it; None: nobody needs a token here.

        Raises:
          HippoError: it cannot be done; says why.
        """
        return self._doing[act](name, said, by)

    # --- what there is

    def _number(self, name: str) -> int:
        number: int = study_facts(load_study(name, self._service.store))["study"]
        return number

    def _served(self, number: int) -> ServedStudy | None:
        try:
            return self._service.study(number)
        except UnknownStudyError:
            return None

    def _is_running(self, number: int) -> bool:
        served = self._served(number)
        calls = [] if served is None else list(served.calls.values())
        return any(not call.ended.is_set() for call in calls) or self._service.enqueued.runs(number)

    def _has_failed(self, number: int) -> bool:
        with self._service.store.reading() as rows:
            return bool(rows.columns(TrialRow, ("number",), study=number, state=TrialState.FAIL.value))

    # --- what is done

    def _stop(self, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        number = self._number(name)
        served = self._served(number)
        if served is None or not self._is_running(number):
            raise ServiceError(f"study {name!r} does not run here now, so that there is nothing to stop")
        for call in list(served.calls.values()):
            call.stopped_by = "somebody" if by is None else by.name
        served.study.stop()
        return f"study {name!r} ends: what runs leaves a checkpoint. Its script, run again, goes on"

    def _enqueue(self, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        config, until = said.get("config"), said.get("until")
        if not isinstance(config, dict) or type(until) is not int:
            raise RefusedError("to enqueue takes a config (name: value, ...) and until, a number of steps")
        number = self._number(name)
        served = self._served(number)
        if served is None or served.describer is None:
            raise OptionError(
                f"nobody has opened study {name!r} to train since this service began, so it has no trainer here; run "
                "its script once more, and enqueue then"
            )
        asked = as_config(self._reader.proposal({"config": _as_written(config), "until": until}).config)
        (refused,) = served.describer.check([(asked, until)])
        if refused is not None:
            raise refused
        share = None if by is None else FairShare(owner=by.name, share=by.share, priority=by.priority)
        self._service.enqueued.add(served, asked, until, share)
        return f"a trial of {until} steps is enqueued"

    def _retry(self, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        numbers = load_study(name, self._service.store).retry_failed()
        if not numbers:
            return "no trial has failed in training"
        trials = f"trial {numbers[0]} is" if len(numbers) == 1 else f"{len(numbers)} trials are"
        return f"{trials} trained again, from where that failed, when the script of study {name!r} is run again"

    def _keep(self, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        rule = said.get("keep")
        if not isinstance(rule, str):
            raise RefusedError("to keep takes a rule: best, top:K, leaves or all")
        keep_states(name, rule, self._service.store)  # type: ignore[arg-type]
        return f"study {name!r} keeps {rule} from now on; `hippo gc` shows and removes what nobody keeps"

    def _delete(self, name: str, said: Mapping[str, Any], by: TokenEntry | None) -> str:
        if self._is_running(self._number(name)):
            raise ServiceError(f"study {name!r} runs here now; stop it first, and delete it then")
        delete_study(name, self._service.store)  # type: ignore[arg-type]
        return f"study {name!r} is deleted; what was trained stays in the search plan"


def _as_written(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config's JSON, in which people may write values as they are, and not as sequences."""
    sequences = {name: value for name, value in config.items() if isinstance(value, dict) and "sequence" in value}
    plain = {name: value for name, value in config.items() if name not in sequences}
    return {**as_config(plain).to_json(), **sequences}
