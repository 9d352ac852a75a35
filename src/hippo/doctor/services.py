"""Tries of a study service: whether it answers, speaks our protocol, and what the token opens. It makes nothing."""

from __future__ import annotations

from hippo.doctor.findings import ProbeStep, Told
from hippo.errors import RefusedError, ServiceError

#: calls and hosts that no service has: to end one needs the right to write, or to join, and changes nothing
_NOBODYS_CALL = "/v1/studies/0/calls/nobodys/close"
_NOBODYS_HOST = "/v1/hosts/nobodys/leave"


def service_steps(url: str) -> list[ProbeStep]:
    """Return the tries of the service that a URL names, its token in it."""
    from hippo.server.link import ServiceLink, StaleCallError
    from hippo.server.wire import PROTOCOL

    links: list[ServiceLink] = []

    def connect() -> Told:
        links.append(ServiceLink(url))
        links[0].check_version()
        return Told(f"reached; protocol {PROTOCOL}, as here")

    def refusal(path: str) -> RefusedError | None:
        """Return why the end of what nobody has is refused; None if the token may end such things."""
        try:
            links[0].request("POST", path, {"is_gone": True})
        except RefusedError as refused:
            return refused
        except StaleCallError:
            return None
        raise ServiceError(f"the service at {links[0].url} ended what nobody began: is it a study service?")

    def rights() -> Told:
        try:
            try:
                count = len(links[0].request("GET", "/v1/studies")["studies"])
            except RefusedError:
                if (refused := refusal(_NOBODYS_HOST)) is not None:
                    raise refused from None
                return Told("the token may join it as a machine that trains, and see no study")
            writes = "read, and train nothing" if refusal(_NOBODYS_CALL) else "read and write"
            joins = "" if refusal(_NOBODYS_HOST) else "; this machine may join it"
            return Told(f"{count} studies; the token may {writes}{joins}")
        finally:
            links[0].close()

    return [ProbeStep("connect", connect), ProbeStep("rights", rights)]
