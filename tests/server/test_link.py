"""How clients reach a service."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from hippo.errors import OptionError, ServiceError
from hippo.server.link import ServiceLink, UnreachableError, _certificates


@pytest.fixture
def _no_certificates_read() -> Iterator[None]:
    _certificates.cache_clear()
    yield
    _certificates.cache_clear()


def verified(url: str) -> ssl.SSLContext:
    """Return what the service at a URL is checked by."""
    link = ServiceLink(url)
    link.close()
    found: ssl.SSLContext = link._options["verify"]
    return found


def test_services_are_checked_by_certificates_that_a_process_reads_once() -> None:
    first, other, plain = map(verified, ("https://127.0.0.1:1", "https://127.0.0.1:2", "http://127.0.0.1:1"))
    for each in (first, plain):
        assert (each.verify_mode, each.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert other is first
    assert plain.get_ca_certs() == []


@pytest.mark.usefixtures("_no_certificates_read")
def test_certificates_of_ones_own_are_those_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = verified("https://127.0.0.1:1").get_ca_certs(binary_form=True)[0]
    (tmp_path / "own.pem").write_text(ssl.DER_cert_to_PEM_cert(one))
    _certificates.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    assert verified("https://127.0.0.1:1").get_ca_certs(binary_form=True) == [one]
    _certificates.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    with pytest.raises(OptionError, match="SSL_CERT_FILE"):
        ServiceLink("https://127.0.0.1:1")
    ServiceLink("http://127.0.0.1:1").close()


def test_whose_certificate_is_not_trusted_is_told_what_names_others() -> None:
    link = ServiceLink("https://127.0.0.1:1")
    error = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate")
    assert "SSL_CERT_FILE=FILE" in str(link._unreachable(error))
    link.close()


def said_behind(status: int, headers: Mapping[str, str] | None = None, body: bytes = b"<html>") -> ServiceError:
    """Return the error of who asks a service, and is answered by a proxy before it."""

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

    link = ServiceLink("http://127.0.0.1:1")
    options: dict[str, Any] = {"transport": httpx.MockTransport(answer), "base_url": link.url}
    link.close()
    link._client = httpx.Client(**options)
    with pytest.raises(ServiceError) as raised:
        link.request("POST", "/v1/studies", {"name": "a"})
    link.close()
    return raised.value


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504, 520, 524])
def test_a_proxy_that_finds_no_service_for_now_is_tried_again(status: int) -> None:
    assert isinstance(said_behind(status), UnreachableError)


def test_an_answer_that_was_damaged_on_its_way_is_asked_for_again() -> None:
    assert isinstance(said_behind(200, {"Content-Encoding": "gzip"}, b"{}"), UnreachableError)


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (413, {}, r"a proxy before it takes no \d+ bytes at once.*client_max_body_size 16m"),
        (301, {"Location": "https://hippo.lab/v1/studies"}, r"it sends us to https://hippo.lab\. Name that as the URL"),
        (302, {"Location": "/login"}, r"is no study service \(HTTP 302\)$"),
        (401, {}, r"is no study service \(HTTP 401\)$"),
    ],
)
def test_what_a_proxy_refuses_is_told_with_what_to_do(status: int, headers: dict[str, str], message: str) -> None:
    error = said_behind(status, headers)
    assert not isinstance(error, UnreachableError)
    with pytest.raises(ServiceError, match=message):
        raise error
