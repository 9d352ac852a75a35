"""How a client reaches a service: its URL, its token, and what an answer means. The only module that knows httpx.

A token stands in the URL as a password does, is sent to that service alone, and is in no message and no repr.
"""

from __future__ import annotations

import functools
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from hippo.errors import OptionError, ServiceError
from hippo.server.wire import PROTOCOL, error_from_json

try:
    import httpx
except ImportError:
    raise ServiceError(
        "a study service is reached by httpx, which is not installed: pip install 'hippo-tune[serve]'"
    ) from None

#: connecting takes no longer than that, nor does an answer beyond what was asked to wait for
TIMEOUT_S = 60.0
#: the service says the second, and what stands before it one of these: a proxy that waited too long, or was asked too
#: often, and that of a large provider which finds nobody behind it
_AWAY = frozenset({502, 503, 504, 408, 429, *range(520, 528)})


@functools.cache
def _certificates(scheme: str) -> ssl.SSLContext:
    """What https is checked by, read once: each client would read it anew, in 27 ms, also for http, which needs none.

    Raises:
      OptionError: the environment names certificates that cannot be read.
    """
    if scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise OptionError(f"what SSL_CERT_FILE or SSL_CERT_DIR names holds no certificates to read: {error}") from None


class StaleCallError(ServiceError):
    """The service knows nothing of a study or call: it was restarted since."""


class UnreachableError(ServiceError):
    """The service does not answer for now."""


class ServiceLink:
    """One service, as its clients reach it.

    Args:
      url: "http://host:8400", or "http://NAME:TOKEN@host:8400".

    Raises:
      OptionError: it is no such URL.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:  # which may hold the URL
            raise OptionError(f"the URL of a study service has a port that is none ({type(error).__name__})") from None
        is_web = parts.scheme in ("http", "https")
        if not is_web or not parts.hostname or parts.query or parts.fragment or parts.path not in ("", "/"):
            raise OptionError(
                "the URL of a study service is http://HOST:8400, or with a token http://NAME:TOKEN@HOST:8400"
            )
        if parts.username and not parts.password:
            raise OptionError("the URL of a study service has a name and no token: http://NAME:TOKEN@HOST:8400")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        #: without its token
        self.url = f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")
        headers = {"Content-Type": "application/json"}
        if parts.password:
            headers["Authorization"] = f"Bearer {unquote(parts.password)}"
        # What the environment says of proxies and passwords is for other sites; whom it trusts, for all.
        self._options: dict[str, Any] = {
            "base_url": self.url,
            "headers": headers,
            "timeout": TIMEOUT_S,
            "trust_env": False,
            "verify": _certificates(parts.scheme),
        }
        self._client = httpx.Client(**self._options)

    def check_version(self) -> None:
        """Refuse a service that speaks another protocol, or is none.

        Raises:
          ServiceError: it does.
        """
        found = self.request("GET", "/v1/version").get("protocol")
        if found != PROTOCOL:
            newer = "hippo here" if type(found) is int and found > PROTOCOL else "the service"
            raise ServiceError(
                f"the service at {self.url} speaks protocol {found!r}, and this hippo {PROTOCOL}: upgrade {newer}"
            )

    def request(
        self, method: str, path: str, said: Mapping[str, Any] | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Return what the service answers.

        Args:
          method: of HTTP.
          path: in the service.
          said: the body, as JSON.
          timeout_s: a service that is silent for longer counts as gone.

        Raises:
          HippoError: what the service refused, as its own error; or that it cannot be reached.
        """
        try:
            return self._meant(self._client.request(method, path, content=_text(said), timeout=timeout_s))
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise self._unreachable(error) from None

    def connection(self) -> AsyncConnection:
        """Return a connection for coroutines of one event loop."""
        return AsyncConnection(self, httpx.AsyncClient(**self._options))

    def close(self) -> None:
        """Let connections go."""
        self._client.close()

    def _unreachable(self, error: Exception) -> UnreachableError:
        if isinstance(error, httpx.ReadTimeout):
            return UnreachableError(
                f"the study service at {self.url} has not answered in time: its machine is busy, or its database away"
            )
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return UnreachableError(
                f"the study service at {self.url} has a certificate that is not trusted here: {error}. If your "
                "organisation signs its own, SSL_CERT_FILE=FILE in the environment names its certificates"
            )
        return UnreachableError(
            f"the study service at {self.url} cannot be reached: {type(error).__name__}: {error}. Is it running? "
            "`hippo serve` starts one; the script run again goes on where it was"
        )

    def _meant(self, response: httpx.Response) -> dict[str, Any]:
        try:
            data = response.json()
        except ValueError:
            data = None
        if response.status_code in _AWAY:
            told = data.get("error") if isinstance(data, dict) else None
            why = f": {told.get('message')}" if isinstance(told, dict) else ""
            raise UnreachableError(
                f"the study service at {self.url} is not there for now (HTTP {response.status_code}){why}"
            )
        if not isinstance(data, dict):
            raise ServiceError(
                f"what answers at {self.url} is no study service (HTTP {response.status_code}){_advice(response)}"
            )
        if response.status_code == 200:
            return data
        told = data.get("error")
        if response.status_code == 404 and isinstance(told, dict) and told.get("type") == "UnknownCallError":
            raise StaleCallError(str(told.get("message")))
        raise error_from_json(told)

    def __repr__(self) -> str:
        return f"ServiceLink({self.url!r})"


class AsyncConnection:
    """A link's connection on one event loop."""

    def __init__(self, link: ServiceLink, client: httpx.AsyncClient) -> None:
        self._link = link
        self._client = client

    async def request(
        self,
        method: str,
        path: str,
        said: Mapping[str, Any] | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        finite: bool = True,
    ) -> dict[str, Any]:
        """Return what the service answers; see `ServiceLink.request`.

        Args:
          finite: False: what is said may hold NaN and infinities, as metrics do.
        """
        content = _text(said, finite=finite)
        try:
            return self._link._meant(await self._client.request(method, path, content=content, timeout=timeout_s))
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise self._link._unreachable(error) from None

    async def close(self) -> None:
        """Let connections go."""
        await self._client.aclose()


def _advice(response: httpx.Response) -> str:
    """Return what to do about an answer of something that stands before a service."""
    if response.status_code == 413:
        size = len(response.request.content)
        return (
            f": a proxy before it takes no {size:,} bytes at once. Raise what it takes to 16 MiB (nginx: "
            "client_max_body_size 16m), or ask for fewer trials at a time"
        )
    there = response.headers.get("location", "").split("/")  # scheme:, nothing, host, path
    if response.has_redirect_location and len(there) > 2 and there[2]:
        return f": it sends us to {there[0][:10]}//{there[2][:200]}. Name that as the URL of the service"
    return ""


def _text(said: Mapping[str, Any] | None, *, finite: bool = True) -> bytes | None:
    try:
        return None if said is None else json.dumps(said, allow_nan=not finite).encode()
    except (TypeError, ValueError) as error:
        raise OptionError(f"what a service is told must be what JSON can hold: {error}") from None
