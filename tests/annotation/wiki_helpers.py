"""Helpers of the tests of the wiki client."""

import socket

from tests.mediawiki.content import MILESTONES

TITLES = [f"Milestone {number}" for number in range(1, MILESTONES + 1)]


class Pauses(list):
    """Stands in for sleeping: notes each pause, and may do something meanwhile."""

    def __init__(self, meanwhile=lambda: None):
        super().__init__()
        self.meanwhile = meanwhile

    def __call__(self, seconds):
        self.append(seconds)
        self.meanwhile()


def titles(batches):
    return [page.title for batch in batches for page in batch.pages]


def reasons(batches):
    return {page.title: page.reason for batch in batches for page in batch.missing}


LOOK_UP = socket.getaddrinfo


def lead(monkeypatch, name, *addresses):
    """Let the name lead to these addresses, one after the other; returns how often it was looked up."""
    asked = []

    def look_up(host, port, *rest, **named):
        if host != name:
            return LOOK_UP(host, port, *rest, **named)
        asked.append(host)
        return LOOK_UP(addresses[min(len(asked), len(addresses)) - 1], port, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked
