"""The reasons for which calls fail, as sentences for people."""

REASONS = {
    "batch cancelled": "The batch was cancelled",
    "batch limit": "The provider takes no more batches for now",
    "broken off": "The connection was interrupted before the reply was complete",
    "connect time-out": "No connection in time",
    "endpoint": "The address or the key is not allowed here",
    "error word": "The provider broke the reply off",
    "expired": "The batch ran out of time",
    "given up in doubt": "Given up while in doubt",
    "key": "The key is not accepted",
    "model": "The model is not known there",
    "no connection": "No connection",
    "no result": "The batch has no result for the call",
    "not stored": "The reply could not be stored",
    "process ended": "The worker ended before the reply came",
    "program": "This program failed",
    "proxy": "The proxy did not connect",
    "quota": "No money or quota is left",
    "rate": "Too many calls per minute, repeatedly",
    "redirect": "The address redirects to another one",
    "refused": "The connection was refused",
    "request": "The request was refused",
    "time-out": "No answer in time",
    "unknown batch": "The outcome of the batch is not known",
    "unknown": "The outcome of the call is not known",
    "unreadable": "The answer is not a chat completion",
    "web page": "A web page arrived instead of an answer",
}


def reason_in_words(reason: str) -> str:
    """The reason as a sentence. A number is the server's HTTP status."""
    if reason.isdigit():
        return f"The server answered with the error {reason}"
    return REASONS.get(reason, reason or "No reason was given")
