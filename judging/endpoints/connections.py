"""Connections to endpoints, and the progress of a request on one of them.

A call is sent on a separate connection, the one freed last. In one pool, fifty connections would each be checked for
being alive twice per call: more work than sending the call. Less frequent requests (lookups, files, batches) go
through the official client.
"""

import contextlib
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import httpx2
import openai

from .addresses import EndpointRefused, may_be_private, parsed, refuse_address, refuse_host

# Model servers commonly close idle connections after 5 s. Reusing one at that very moment would leave the call in
# doubt, so ours are closed earlier.
KEEPALIVE_SECONDS = 2.0
LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=200, keepalive_expiry=KEEPALIVE_SECONDS)
# Other packings can unpack a few bytes to more than the memory holds before their length is checked.
PACKING = {"Accept-Encoding": "gzip"}


class Wire:
    """The progress of a call, from the HTTP client's trace."""

    def __init__(self, base_url: str) -> None:
        self.sent = self.answered = False
        self._base_url = base_url
        self._local = False

    def trace(self, event: str, info: dict[str, Any]) -> None:
        if event == "http11.send_request_headers.started":
            # A proxy is sent a CONNECT first, which has nothing of the call in it.
            self.sent = self.sent or info["request"].method != b"CONNECT"
        elif event == "http11.receive_response_headers.complete":
            self.answered = True
        elif event == "connection.connect_tcp.started":
            # A host other than the endpoint's is a proxy, which the operator has chosen.
            host = parsed(self._base_url).raw_host.decode("ascii")
            self._local = info["host"] != host or may_be_private(self._base_url)
            refuse_host(info["host"], info["port"], local=self._local)
        elif event == "connection.connect_tcp.complete":
            # The name was resolved again for the connection: only the address actually used counts.
            stream = info["return_value"]
            try:
                refuse_address(stream.get_extra_info("server_addr")[0], local=self._local)
            except EndpointRefused:
                stream.close()
                raise


# --- For a call -----------------------------------------------------------------------------------------------


# By base URL, those that no call is using.
free: defaultdict[str, list[httpx2.Client]] = defaultdict(list)


@contextlib.contextmanager
def a_connection(base_url: str) -> Iterator[httpx2.Client]:
    """A connection to this endpoint that nobody else uses meanwhile; opened on the first send. The one freed last is
    the least likely to have been closed.
    """
    idle = free[base_url]
    try:
        http = idle.pop()
    except IndexError:
        http = httpx2.Client(limits=LIMITS, follow_redirects=False, verify=certificates())
    try:
        yield http
    finally:
        idle.append(http)


@cache
def certificates() -> Any:
    """The trusted certificates, read once: reading takes 50 ms of CPU."""
    return httpx2.create_ssl_context()


@lru_cache(maxsize=1000)
def call_url(base_url: str, path: str, query: tuple[tuple[str, str], ...]) -> httpx2.URL:
    url = httpx2.URL(base_url.rstrip("/") + path)
    return url.copy_merge_params(dict(query)) if query else url


@lru_cache(maxsize=1000)
def standing_headers(base_url: str, key: str) -> httpx2.Headers:
    """The headers that the official client sends with every call; copy them before adding any."""
    api = client(base_url, key)
    given = {**PACKING, **api.default_headers, **api.auth_headers}
    if not key:
        del given["Authorization"]
    return httpx2.Headers({name: value for name, value in given.items() if isinstance(value, str)})


# --- For all else ---------------------------------------------------------------------------------------------

current_wire: ContextVar[Wire] = ContextVar("current_wire")


def follow(request: httpx2.Request) -> None:
    request.extensions["trace"] = current_wire.get().trace


clients: dict[tuple[str, str], openai.OpenAI] = {}
making_client = threading.Lock()


def client(base_url: str, key: str) -> openai.OpenAI:
    """The official client for an endpoint, created once and shared by all threads. During a send, there is a
    `current_wire`.
    """
    with making_client:
        if (base_url, key) not in clients:
            http_client = httpx2.Client(
                limits=LIMITS,
                follow_redirects=False,
                verify=certificates(),
                event_hooks={"request": [follow]},
                headers=PACKING,
            )
            clients[base_url, key] = openai.OpenAI(
                base_url=base_url, api_key=key or "none", max_retries=0, http_client=http_client
            )
        return clients[base_url, key]


def forget_clients() -> None:
    """Forget all connections: a forked child must not use its parent's, nor wait for a lock held by a thread
    there."""
    global making_client
    making_client = threading.Lock()
    clients.clear()
    free.clear()


os.register_at_fork(after_in_child=forget_clients)
