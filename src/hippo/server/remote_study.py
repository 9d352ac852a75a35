"""A study that a service trains, as its users hold it: `hippo.create_study(..., storage="http://...")`.

Tuners run here, in the user's own process; what they ask is trained there, once for all users of the service.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hippo.clock import SystemClock
from hippo.errors import HippoError, OptionError, ServiceError, TrainerError, TrialFailedError, UnknownStudyError
from hippo.hparams import as_config
from hippo.plan.urls import shown_url
from hippo.records import Metrics
from hippo.runtime import Asking, Settings
from hippo.runtime.studies.observers import StudyBegun
from hippo.runtime.studies.warnings import say
from hippo.server.link import ServiceLink
from hippo.server.remote_ask import RemoteAsk
from hippo.server.remote_call import CallSetup, RemoteCall
from hippo.server.remote_progress import RemoteProgress
from hippo.server.remote_results import RemoteResults
from hippo.study.calls import CallPositions
from hippo.study.tuner_checks import asks_branches, check_tuner, scales_of
from hippo.study.watching.callbacks import Callback, CallbackThread, check_callbacks
from hippo.study.watching.failures import FailureLines, LogLines
from hippo.study.watching.progress import progress_bar
from hippo.training.process.script_floats import floats_of_script, said_floats
from hippo.tuners.averaged import AGGREGATES, Averaged
from hippo.tuners.budgets import checked_steps
from hippo.tuners.tuner import describe, record_of, record_text
from hippo.waiting import wait_until_done

if TYPE_CHECKING:
    from hippo.engines.bubble_engine import BubbleEngine
    from hippo.server.joined_bubbles import JoinedBubbles

#: arguments of `create_study` that a service decides itself
_SERVICE_DECIDES = {
    "engine": "whoever runs the service says where it trains",
    "checkpoint_budget": "the states of all its users share what whoever runs it gives them",
    "wait": "the service has its plans to itself",
    "keep_base": "the service keeps what build() makes",
    "twin": "a service does not walk twins",
    "compile": "a service does not compile",
}


def create_study(given: Mapping[str, Any]) -> RemoteStudy:
    """Make a study at a service, or go on with it.

    Args:
      given: what `hippo.create_study` was given, without what was left out.

    Raises:
      OptionError: an argument is the service's business; or its URL is none.
      TrainerError: the trainer was given by value.
      HippoError: what the service refuses.
    """
    asked = dict(given)
    url = asked.pop("storage")
    for name, why in _SERVICE_DECIDES.items():
        if name in asked:
            raise OptionError(f"{name}= is not for studies of a service: {why}")
    if (place := asked.pop("checkpoints", None)) is not None:
        say(
            f"checkpoints={place!r} is not looked at: the service at {shown_url(url)} keeps states where it was told to"
        )
    if said := said_floats(floats_of_script()):
        say(
            f"this script has set {' and '.join(said)}, of which the service at {shown_url(url)} hears nothing: it "
            "trains as the trainer's module says. Set it there"
        )
    callbacks = check_callbacks(asked.pop("callbacks", None))
    trainer = asked["trainer"]
    if not isinstance(trainer, str):
        raise TrainerError(
            f"trainer={trainer!r}: a service takes trainers by their name alone; write 'package.module:Class', of a "
            "module that can be imported where the service's workers are, and that it allows (hippo serve --trainers)"
        )
    link = ServiceLink(url)
    link.check_version()
    asked = {name: list(value) if isinstance(value, tuple | range) else value for name, value in asked.items()}
    facts = link.request("POST", "/v1/studies", asked)
    for message in facts.pop("said", ()):  # of which way a metric counts, or of what has changed
        say(message)
    return RemoteStudy(url, link, facts, asked, callbacks)


def squeezed_work(url: str, engine: BubbleEngine, checkpoints: str | None) -> JoinedBubbles:
    """Return what `hippo.squeeze` trains of a service: see `JoinedBubbles`."""
    from hippo.server.joined_bubbles import JoinedBubbles

    return JoinedBubbles(url, engine, checkpoints)


def load_study(given: Mapping[str, Any]) -> RemoteStudy:
    """Open a study of a service, to read its results.

    Args:
      given: what `hippo.load_study` was given, without what was left out.
    """
    asked = dict(given)
    url = asked.pop("storage")
    if unknown := sorted(asked.keys() - {"name", "generation"}):
        raise OptionError(f"{unknown[0]}= is not for studies of a service, which are loaded to read their results")
    link = ServiceLink(url)
    link.check_version()
    return RemoteStudy(url, link, link.request("POST", "/v1/studies/open", asked), None)


def get_all_study_names(url: str) -> list[str]:
    """Return the names of a service's studies."""
    link = ServiceLink(url)
    link.check_version()
    names: list[str] = link.request("GET", "/v1/studies")["studies"]
    return names


class RemoteStudy(RemoteResults):
    """One study of a service. Made by `hippo.create_study` or `hippo.load_study` with its URL.

    States stay at the service: models are loaded where its checkpoints are.
    """

    def __init__(
        self,
        url: str,
        link: ServiceLink,
        facts: Mapping[str, Any],
        made_with: Mapping[str, Any] | None,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self._url = url
        self._link = link
        self._facts = facts
        self._made_with = made_with
        self._made_for = Settings.from_text(facts["settings"])
        #: the service has said so a moment ago: the first call need not open it once more
        self._is_open_there = made_with is not None
        self._calls = CallPositions()
        begun = StudyBegun(
            study=facts["name"],
            identity=facts["identity"],
            generation=facts["generation"],
            storage=shown_url(url),
            sharing=self._settings.sharing,
        )
        self._callbacks = CallbackThread([FailureLines(self.storage), LogLines(), *callbacks], begun)

    @property
    def name(self) -> str:
        """The study's name."""
        name: str = self._facts["name"]
        return name

    @property
    def storage(self) -> str:
        """The URL of the service, without its token."""
        return shown_url(self._url)

    @property
    def generation(self) -> int:
        """1, or more if the trainer's code, arguments or data changed since the study was made."""
        generation: int = self._facts["generation"]
        return generation

    @property
    def _settings(self) -> Settings:
        return self._made_for

    @property
    def surrogates(self) -> Mapping[Fraction, Any]:
        """As of `hippo.Study`: empty, as a service trains no surrogates."""
        return {}

    # --- running

    def optimize(self, tuner: Any) -> None:
        """Run a tuner to its end, here, and have the service train what it asks; with a progress bar, as there.

        The same script run again goes on where this one was stopped, by whatever. While the service is gone it is
        waited for, ten minutes at most.

        Raises:
          HippoError: bad input, before anything is trained; or what stopped the study.
          TrialFailedError: all trials of the call failed.
          KeyboardInterrupt: Ctrl-C.
        """
        check_tuner(tuner, self.name, self._settings)
        if scales_of(tuner):
            raise OptionError(f"{type(tuner).__name__} asks surrogates, and a service trains none: give it none")
        if asks_branches(tuner, self._settings):
            raise OptionError(
                f"{type(tuner).__name__} has branches walked as one program, and a service trains on one plan for "
                "each study: leave that out, or run it where the engine is"
            )
        self._run(record_text(record_of(tuner)), tuner.tune, must_not_all_fail=True)

    def evaluate(self, config: Mapping[str, Any], until: int) -> Metrics:
        """Return the metrics of a config after `until` steps: a trial of its own, by hand.

        Raises:
          TrialFailedError: the trainer raised; the message says what.
        """
        asked = as_config(config)
        until = checked_steps("until", until)
        record = record_text({"evaluate": asked.to_json(), "until": describe(until)})
        answer = self._run(record, lambda ask: ask(asked, until=until), must_not_all_fail=False)
        if answer.failure is not None:
            failure = answer.failure
            raise TrialFailedError(f"{failure.method}() failed at step {failure.step}: {failure.error}")
        return dict(answer.metrics)

    def eval(self, config: Mapping[str, Any], step: int) -> Metrics:
        """Do what `evaluate` does, by its name in Hippo's Figure 11."""
        return self.evaluate(config, until=step)

    def _run(self, record: str, asking: Asking, *, must_not_all_fail: bool) -> Any:
        if self._made_with is None:
            raise OptionError(
                f"study {self.name!r} was loaded to read its results; create_study(..., storage={self.storage!r}) "
                "opens it to run tuners on it"
            )

        def start(position: int) -> concurrent.futures.Future[Any]:
            setup = CallSetup(
                link=self._link,
                open_study=self._open,
                position=position,
                record=record,
                identity=self._facts["identity"],
                must_not_all_fail=must_not_all_fail,
                members=self._facts["members"],
                objectives=self._settings.objectives,
                clock=SystemClock(),
                observe=self._callbacks.observe,
                hears_failures_only=self._callbacks.hears_failures_only,
            )
            return RemoteCall(setup).start(asking, self._ask_of)

        future = self._calls.start(record, start)
        progress = RemoteProgress(self._link, self._facts["study"])
        try:
            with progress_bar(progress.look, title=self.name):
                wait_until_done(future)
                return future.result()
        except BaseException as error:
            if not future.done():  # Ctrl-C
                future.cancel()
                concurrent.futures.wait([future], 3.0)
            if isinstance(error, HippoError):  # ours say all there is to say
                raise error.with_traceback(None) from None
            raise
        finally:
            self._callbacks.flush()

    def _ask_of(self, call: RemoteCall) -> Any:
        members = call.setup.members
        if len(members) == 1 and not members[0]:
            return RemoteAsk(call)
        aggregate, constraints = AGGREGATES[self._settings.aggregate], self._settings.constraints
        return Averaged(RemoteAsk(call), tuple(members), aggregate, constraints=constraints)

    def _open(self) -> int:
        """Make the study known to the service, which may have been restarted; return its number.

        Raises:
          ServiceError: it is another one now.
        """
        assert self._made_with is not None, "a study that is only read begins no call"
        number: int = self._facts["study"]
        if self._is_open_there:
            self._is_open_there = False
            return number
        self._check_same(self._link.request("POST", "/v1/studies", {**self._made_with, "load_if_exists": True}))
        return number

    def _check_same(self, facts: Mapping[str, Any]) -> None:
        if facts["identity"] != self._facts["identity"]:
            raise ServiceError(
                f"study {self.name!r} is another one since the service was restarted: its trainer's code changed "
                "there, or the service has another database. Run the script again"
            )

    def retry_failed(self) -> list[int]:
        """Let the trials that failed be trained again, from where they failed; see `Study.retry_failed`.

        Raises:
          PlanLockedError: the study is running, or another one on its plan.
        """
        numbers: list[int] = self._asked("POST", "retry", {})["retried"]
        if numbers:
            self._calls.repeat()
        return numbers

    def close(self) -> None:
        """Let the connection to the service go; what it trains goes on."""
        self._link.close()

    # --- results

    def _told(self, what: str) -> dict[str, Any]:
        return self._asked("GET", what)

    def _asked(self, method: str, what: str, said: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return what the service answers of the study; one that was restarted opens it first."""
        path = f"/v1/studies/{self._facts['study']}/{what}"
        try:
            return self._link.request(method, path, said)
        except UnknownStudyError:
            asked = {"name": self.name, "generation": self.generation}
            self._check_same(self._link.request("POST", "/v1/studies/open", asked))
            return self._link.request(method, path, said)

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage}>"
