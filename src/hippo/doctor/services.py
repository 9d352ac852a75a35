"""Tries of a study service: whether it answers, speaks our protocol, and what the token opens. It makes nothing."""

from __future__ import annotations

from hippo.doctor.findings import ProbeStep, Told
from hippo.errors import RefusedError, ServiceError

#: a call that no service has: to close it needs the right to write, and changes nothing
_NOBODYS_CALL = "/v1/studies/0/calls/nobodys/close"


def service_steps(url: str) -> list[ProbeStep]:
    """Return the tries of the service that a URL names, its token in it."""
    from hippo.server.link import ServiceLink, StaleCallError
    from hippo.server.wire import PROTOCOL

    links: list[ServiceLink] = []

    def connect() -> Told:
        links.append(ServiceLink(url))
        links[0].check_version()
        return Told(f"reached; protocol {PROTOCOL}, as here")

    def rights() -> Told:
        link = links[0]
        try:
            count = len(link.request("GET", "/v1/studies")["studies"])
            try:
                link.request("POST", _NOBODYS_CALL, {})
            except RefusedError:
                return Told(f"{count} studies; the token may read, and train nothing")
            except StaleCallError:
                return Told(f"{count} studies; the token may read and write")
            raise ServiceError(f"the service at {link.url} closed a call that nobody made: is it a study service?")
        finally:
            link.close()

    return [ProbeStep("connect", connect), ProbeStep("rights", rights)]
