"""What goes wrong with an object store, told apart by what helps: waiting, other credentials, another bucket.

Drivers of fsspec raise errors of their own, of the clients below them, or of Python, in no common tree. So they are
told apart by codes of the servers and by names of classes; this module imports none of them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto


class StoreTrouble(Enum):
    """Why a request to an object store failed."""

    #: there is no such object, or no such bucket
    MISSING = auto()
    #: a write that must be the first of its name came second
    TAKEN = auto()
    #: these credentials may not do this: others would be needed
    DENIED = auto()
    #: there are no credentials, or they have expired: they may be renewed meanwhile
    CREDENTIALS = auto()
    #: throttled, a server's own error, or no answer at all
    BUSY = auto()
    #: there is no room at the store, or no quota is left
    FULL = auto()
    #: the server does not know a request of this kind
    UNSUPPORTED = auto()
    OTHER = auto()


_OF_CODE = {
    **dict.fromkeys(("NoSuchBucket", "NoSuchKey", "404"), StoreTrouble.MISSING),
    **dict.fromkeys(("PreconditionFailed", "412"), StoreTrouble.TAKEN),
    **dict.fromkeys(("AccessDenied", "AllAccessDisabled", "AccountProblem"), StoreTrouble.DENIED),
    **dict.fromkeys(
        (
            *("ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired", "InvalidToken"),
            *("InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed", "401"),
            "403",  # an answer to HEAD has no body that would say more
        ),
        StoreTrouble.CREDENTIALS,
    ),
    **dict.fromkeys(
        (
            *("SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling", "ThrottlingException"),
            *("RequestLimitExceeded", "TooManyRequests", "BandwidthLimitExceeded", "OperationAborted"),
            "ConditionalRequestConflict",  # two exclusive writes at once: one of them is told to come again
            "NoSuchUpload",  # an upload whose end was repeated, since the reply to it was lost
            *("408", "409", "429", "500", "502", "503", "504"),
        ),
        StoreTrouble.BUSY,
    ),
    **dict.fromkeys(
        ("XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage", "507"),
        StoreTrouble.FULL,
    ),
    **dict.fromkeys(("NotImplemented", "501"), StoreTrouble.UNSUPPORTED),
}
_OF_CLASS = {
    "ResourceNotFoundError": StoreTrouble.MISSING,
    "ResourceExistsError": StoreTrouble.TAKEN,
    **dict.fromkeys(
        (
            *("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "TokenRetrievalError"),
            *("UnauthorizedSSOTokenError", "SSOTokenLoadError"),
            *("DefaultCredentialsError", "RefreshError", "ClientAuthenticationError"),
        ),
        StoreTrouble.CREDENTIALS,
    ),
    **dict.fromkeys(
        (
            "HTTPClientError",
            "ConnectionClosedError",
            "ConnectionError",  # botocore's own, which is none of Python's: nobody answers at the endpoint
            "ServiceRequestError",
            "ServiceResponseError",
            "ClientPayloadError",
        ),
        StoreTrouble.BUSY,
    ),
}
_OF_CLASS["SSLError"] = StoreTrouble.OTHER  # a kind of those: a certificate that is not trusted stays so
_PASSING = frozenset(
    {errno.EBUSY, errno.EIO, getattr(errno, "EREMOTEIO", errno.EIO), errno.ETIMEDOUT, errno.EAGAIN}
    | {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EPIPE}
)


def trouble_of(error: BaseException) -> StoreTrouble:
    """Return why a request failed, by the error that a driver raised."""
    for each in _chain(error):
        if (found := _OF_CODE.get(code_of(each))) is not None:
            return found
        for cls in type(each).__mro__:
            if cls.__name__ in _OF_CLASS:
                return _OF_CLASS[cls.__name__]
    if isinstance(error, FileNotFoundError):
        return StoreTrouble.MISSING
    if isinstance(error, FileExistsError):
        return StoreTrouble.TAKEN
    if isinstance(error, PermissionError):
        return StoreTrouble.DENIED
    if isinstance(error, NotImplementedError):
        return StoreTrouble.UNSUPPORTED
    if isinstance(error, TimeoutError | ConnectionError):
        return StoreTrouble.BUSY
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreTrouble.FULL
    return StoreTrouble.BUSY if isinstance(error, OSError) and error.errno in _PASSING else StoreTrouble.OTHER


def is_of_bucket(error: BaseException) -> bool:
    """Tell whether it is the bucket that is missing, as far as the server says."""
    return any(code_of(each) == "NoSuchBucket" for each in _chain(error))


def code_of(error: BaseException) -> str:
    """Return what a server called its error: "SlowDown", or "503"; empty if it said nothing."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return str(response.get("Error", {}).get("Code", ""))
    for name in ("code", "status_code", "status"):  # gcsfs, adlfs, aiohttp
        if isinstance(code := getattr(error, name, None), int | str):
            return str(code)
    return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from: drivers put Python's errors in the place of their servers'."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePatience:
    """How long a store is asked again before it is an error; all in seconds."""

    #: between attempts, while the store throttles, fails by itself, or does not answer
    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    #: credentials that expired: whoever renews them does so every few minutes
    credentials_s: float = 300.0
    credentials_pause_s: float = 5.0
    #: a recorded object that is not found: some stores, and caches in between, learn of it late
    missing_s: float = 5.0
    missing_pause_s: float = 0.5


#: before anything is trained, somebody sits there and can mend it
NO_PATIENCE = StorePatience(pauses_s=(), credentials_s=0.0, missing_s=0.0)


class StoreAttempts:
    """What is left of the patience with one request."""

    def __init__(self, patience: StorePatience, *, is_recorded: bool) -> None:
        self._patience = patience
        self._is_recorded = is_recorded
        self._busy = 0
        self._waited_s = dict.fromkeys((StoreTrouble.CREDENTIALS, StoreTrouble.MISSING), 0.0)

    def pause_s(self, trouble: StoreTrouble) -> float | None:
        """Return how long to wait before the next attempt; None if there is to be none."""
        patience = self._patience
        if trouble is StoreTrouble.BUSY:
            self._busy += 1
            return patience.pauses_s[self._busy - 1] if self._busy <= len(patience.pauses_s) else None
        if trouble is StoreTrouble.CREDENTIALS:
            return self._until(trouble, patience.credentials_pause_s, patience.credentials_s)
        if trouble is StoreTrouble.MISSING and self._is_recorded:
            return self._until(trouble, patience.missing_pause_s, patience.missing_s)
        return None

    def _until(self, trouble: StoreTrouble, pause_s: float, most_s: float) -> float | None:
        self._waited_s[trouble] += pause_s
        return pause_s if self._waited_s[trouble] <= most_s else None
