"""The one way to refuse a change of state or an input."""


class Refusal(Exception):
    """Raised for a request that is not allowed in the current state.

    The message is for the user: what happened, what is safe, what to do next. `status` is the HTTP status that
    `RefusalMiddleware` answers with; commands print the message and exit with 1.
    """

    def __init__(self, message: str, *, status: int = 409):
        super().__init__(message)
        self.message = message
        self.status = status


class Forbidden(Refusal):
    """Raised if the person's roles do not cover the request."""

    def __init__(self, message: str = "Your roles do not cover this page."):
        super().__init__(message, status=403)
