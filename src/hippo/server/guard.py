"""Who may ask what of a service: decided by the headers of a request alone, before its body is read.

Without tokens a service listens on this machine only. Web pages that the same machine shows must not reach it then:
what comes from a page says so (`Origin`), and what comes by another name than this machine's own is refused, too, since
names of others can be made to lead here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hippo.errors import HippoError, OptionError, RefusedError, ServiceError
from hippo.runtime.studies.warnings import say
from hippo.server.tokens import RIGHTS, Right, TokenEntry, TokenFile

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Refusal(NamedTuple):
    """Why a request is not answered."""

    #: of HTTP
    status: int
    error: HippoError


class Guard:
    """Decides who may ask.

    Args:
      tokens: those that open something; None: whoever can reach the service from its own machine may do all.
    """

    def __init__(self, tokens: TokenFile | None) -> None:
        self._tokens = tokens
        #: what ails the tokens, and was said
        self._said = ""

    @property
    def has_tokens(self) -> bool:
        """Whether it asks for tokens."""
        return self._tokens is not None

    def refusal(self, headers: Mapping[str, str], right: Right | None, *, has_body: bool) -> Refusal | None:
        """Return why a request is refused; None if it is not.

        Args:
          headers: of the request, by their names in small letters.
          right: what it needs; None: nothing.
          has_body: it changes something, and says what as JSON.
        """
        if self._tokens is None and (refusal := _refused_without_tokens(headers)) is not None:
            return refusal
        if self._tokens is not None and right is not None and (refusal := self._refused(headers, right)) is not None:
            return refusal
        if has_body and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Refusal(415, RefusedError("what is sent here is JSON: Content-Type: application/json"))
        return None

    def entry(self, headers: Mapping[str, str]) -> TokenEntry | None:
        """Return whose token a request brings; None where it brings none, or none is needed."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if self._tokens is None or scheme.lower() != "bearer" or not token:
            return None
        return self._tokens.entry_of(token.strip())

    def _refused(self, headers: Mapping[str, str], right: Right) -> Refusal | None:
        assert self._tokens is not None, "it is looked at where there are tokens"
        try:
            found = self.entry(headers)
        except OptionError as error:  # where the file is, and what ails it, is for whoever runs the service
            self._say_once(str(error))
            return Refusal(503, ServiceError("the service cannot read its tokens for now; whoever runs it is told"))
        if found is None:
            return Refusal(
                401,
                RefusedError(
                    "this service wants a token, and was given none that it knows. `hippo token add NAME` makes one; "
                    "it stands in the URL, as a password does: http://NAME:TOKEN@host:8400"
                ),
            )
        self._said = ""
        name = found.name
        if right not in RIGHTS[found.right]:
            return Refusal(
                403,
                RefusedError(f"the token {name!r} has the right {found.right!r}; this needs {right.value!r}"),
            )
        return None

    def _say_once(self, trouble: str) -> None:
        if trouble != self._said:
            self._said = trouble
            say(f"nobody is answered who needs a token: {trouble}")


def _refused_without_tokens(headers: Mapping[str, str]) -> Refusal | None:
    host = headers.get("host", "")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name.lower() not in _LOOPBACK:
        return Refusal(
            403, RefusedError(f"this service has no tokens, and answers to 127.0.0.1 alone, not to {name[:100]!r}")
        )
    if "origin" in headers:
        return Refusal(403, RefusedError("this service has no tokens, and answers no web page"))
    return None
