"""How clients reach a service."""

from __future__ import annotations

import ssl

from hippo.server.link import ServiceLink


def test_services_are_checked_by_certificates_that_a_process_reads_once() -> None:
    links = [ServiceLink(url) for url in ("https://127.0.0.1:1", "http://127.0.0.1:1", "https://127.0.0.1:2")]
    first, *others = [link._options["verify"] for link in links]
    assert (first.verify_mode, first.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert all(other is first for other in others)
    for link in links:
        link.close()
