"""The reasons for which calls fail, as sentences for people."""

from core.languages import say

REASONS = {
    "batch cancelled": say("The batch was cancelled"),
    "batch limit": say("The provider takes no more batches for now"),
    "broken off": say("The connection was interrupted before the reply was complete"),
    "connect time-out": say("No connection in time"),
    "endpoint": say("The address or the key is not allowed here"),
    "error word": say("The provider broke the reply off"),
    "expired": say("The batch ran out of time"),
    "given up in doubt": say("Given up while in doubt"),
    "key": say("The key is not accepted"),
    "model": say("The model is not known there"),
    "no connection": say("No connection"),
    "no result": say("The batch has no result for the call"),
    "not stored": say("The reply could not be stored"),
    "process ended": say("The worker ended before the reply came"),
    "program": say("This program failed"),
    "proxy": say("The proxy did not connect"),
    "quota": say("No money or quota is left"),
    "rate": say("Too many calls per minute, repeatedly"),
    "redirect": say("The address redirects to another one"),
    "refused": say("The connection was refused"),
    "request": say("The request was refused"),
    "time-out": say("No answer in time"),
    "unknown batch": say("The outcome of the batch is not known"),
    "unknown": say("The outcome of the call is not known"),
    "unreadable": say("The answer is not a chat completion"),
    "web page": say("A web page arrived instead of an answer"),
}


def reason_in_words(reason: str) -> str:
    """The reason as a sentence. A number is the server's HTTP status."""
    if reason.isdigit():
        return say("The server answered with the error {reason}", reason=reason)
    return REASONS.get(reason, reason or say("No reason was given"))
