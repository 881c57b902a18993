"""Errors between this program and a wiki. Each message says what happened and what to do about it."""


class WikiError(Exception):
    """A wiki did not deliver the requested data. `passing` says whether the same request may work later."""

    passing = False

    def __init__(self, message: str, *, retry_after: float | None = None):
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(WikiError):
    """No connection, no answer in time, or an incomplete answer."""

    passing = True


class AskedToWait(WikiError):
    """The wiki is lagging, busy, or rate-limiting us; `retry_after` is the number of seconds it named."""

    passing = True


class Refused(WikiError):
    """The wiki refuses to serve us: most often because the User-Agent has no contact, or the wiki is for members
    only."""


class NotAsked(WikiError):
    """Nothing was sent: this deployment does not ask that host, or not without giving a contact."""


class NotAnApi(WikiError):
    """The answer is not from a MediaWiki API, or not from one that we can read."""


class ApiError(WikiError):
    """The API understood and refused; `code` is MediaWiki's error code."""

    def __init__(self, message: str, *, code: str):
        super().__init__(message)
        self.code = code
