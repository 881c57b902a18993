"""The one way in which a change of state or an input is refused."""


class Refusal(Exception):
    """Something was asked for that the state of things does not allow.

    The message is for the person: what happened, what is safe, what to do next. `status` is the HTTP status that
    `RefusalMiddleware` answers with; commands print the message and exit with 1.
    """

    def __init__(self, message: str, *, status: int = 409):
        super().__init__(message)
        self.message = message
        self.status = status


class Forbidden(Refusal):
    """The person's roles do not cover what was asked."""

    def __init__(self, message: str = "Your roles do not cover this page."):
        super().__init__(message, status=403)
