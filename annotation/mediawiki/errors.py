"""What can go wrong between us and a wiki. Each message says what happened and what to do about it."""


class WikiError(Exception):
    """A wiki did not give what was asked for. `passing` says whether the same request may well work later."""

    passing = False

    def __init__(self, message: str, *, retry_after: float | None = None):
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(WikiError):
    """No connection, no answer in time, or an answer that broke off."""

    passing = True


class AskedToWait(WikiError):
    """The wiki is behind, busy, or has had enough of us for now; `retry_after` holds the seconds it named."""

    passing = True


class Refused(WikiError):
    """The wiki does not serve us: most often a User-Agent without a contact, or a wiki for members only."""


class NotAsked(WikiError):
    """Nothing was sent: this deployment does not ask that host, or not without saying who it is."""


class NotAnApi(WikiError):
    """What answered is no MediaWiki API, or none that we can read."""


class ApiError(WikiError):
    """The API understood and said no; `code` is MediaWiki's word for it."""

    def __init__(self, message: str, *, code: str):
        super().__init__(message)
        self.code = code
