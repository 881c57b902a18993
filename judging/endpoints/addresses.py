"""Which endpoints models may be asked at, and the key that goes there.

A base URL's host must stand in the setting LLM_ALLOWED_HOSTS: `host`, `host:port`, `.example.org` (and all below it)
or `*`. Left alone it allows this machine only. Which addresses it may lead to is the rule of `core.hosts`,
looked at when the connection is made. One in a private network needs its host in the list by name: `*` covers the
open net.
"""

import os
from dataclasses import dataclass

import httpx2
from django.conf import settings

from core.hosts import address_problem, checked_addresses, is_listed, is_local_host, refused_message
from core.refusals import Refusal


class EndpointRefused(ValueError):
    """This endpoint or key may not be used; the message is for the person who set it."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked. `key_name` names the environment variable with the key; empty: no key is sent.

    `timeout` limits each wait for bytes and, checked between them, the whole reply: a call ends after at most
    connect_timeout (for each address of the host) + 2 x timeout seconds. A lease must be longer.
    """

    base_url: str
    key_name: str = ""
    timeout: float = 120.0
    connect_timeout: float = 10.0


def check_base_url(base_url: str) -> None:
    """Raise EndpointRefused for a base URL that is malformed or whose host the deployment does not allow."""
    try:
        # Read by the same parser that will connect: two parsers can see two hosts in one text.
        url = httpx2.URL(base_url)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise EndpointRefused(f"{base_url!r} is not a URL.") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise EndpointRefused("A base URL begins with https:// or http:// and names a host.")
    if url.userinfo or url.query or url.fragment:
        raise EndpointRefused("A base URL holds no user name, question mark or #: keys belong in the environment.")
    host = url.host.lower().rstrip(".")
    if not is_listed(host, url.port, settings.LLM_ALLOWED_HOSTS):
        raise EndpointRefused(
            f"{host} is not among the hosts that this deployment allows (LLM_ALLOWED_HOSTS). Nothing was sent."
        )
    if is_local_host(host) and not may_be_private(base_url):
        raise EndpointRefused(
            f"{host} is this machine or in a private network. Such a host must be in LLM_ALLOWED_HOSTS by name: "
            "* does not cover it. Nothing was sent."
        )


def may_be_private(base_url: str) -> bool:
    """Whether the endpoint may lie on this machine or in a private network: its host is in the list by name."""
    url = httpx2.URL(base_url)
    by_name = [entry for entry in settings.LLM_ALLOWED_HOSTS if entry.strip().partition(":")[0] != "*"]
    return is_listed(url.host.lower().rstrip("."), url.port, by_name)


def refuse_host(host: str, port: int, *, local: bool) -> None:
    """Raise EndpointRefused for a name that leads to an address that is not connected to; before connecting."""
    try:
        checked_addresses(host, port, local=local)
    except Refusal as refusal:
        raise EndpointRefused(refusal.message) from None
    except (OSError, UnicodeError):
        return  # connecting says so


def refuse_address(address: str, *, local: bool) -> None:
    """Raise EndpointRefused for the address that a connection was made to; `local`: whether a private one is fine."""
    if problem := address_problem(address, local=local):
        raise EndpointRefused(refused_message(address, problem))


def read_key(name: str) -> str:
    """The key that the environment variable `name` holds, "" for no name. Raises EndpointRefused.

    The operator names the variables in LLM_KEY_NAMES, so that nobody can have another secret sent to a model.
    """
    if not name:
        return ""
    if name not in settings.LLM_KEY_NAMES:
        raise EndpointRefused(
            f"{name} is not among the variables that hold keys. Add it to LLM_KEY_NAMES where web and worker are "
            "started, and restart."
        )
    key = os.environ.get(name, "").strip()
    if not key:
        raise EndpointRefused(
            f"The environment variable {name} is not set where the calls are made. Set it and restart."
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointRefused(f"The key in {name} contains characters that keys never have. Copy it again.")
    return key
