"""Checks which endpoints may be called, and reads the key for them.

A base URL's host must be in the setting LLM_ALLOWED_HOSTS: `host`, `host:port`, `.example.org` (and all its
subdomains) or `*`. By default only this machine is allowed, and on a server none. Without TLS only hosts on this
machine or in a private network are asked. Which addresses a host may resolve to is up to `core.hosts` and checked
when the connection is made. A host in a private network must be in the list by name: `*` allows public addresses
only.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import httpx2
from django.conf import settings

from core.hosts import (
    address_problem,
    checked_addresses,
    is_listed,
    is_local_host,
    may_be_asked_openly,
    refused_message,
)
from core.languages import say
from core.refusals import Refusal


class EndpointRefused(ValueError):
    """Raised if this endpoint or key may not be used; the message is for the person who set it."""


@dataclass(frozen=True)
class Endpoint:
    """The endpoint of a model. `key_name` names the environment variable with the key; if empty, no key is sent.
    `headers` go from name to environment variable, `query` from name to value (see `extras`).

    `timeout` (seconds) limits each wait for bytes and, checked between them, the whole reply: a call ends after at
    most connect_timeout (for each address of the host) + 2 x timeout seconds. A lease must be longer.
    """

    base_url: str
    key_name: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 120.0
    connect_timeout: float = 10.0


# Asked for several times a call. Parsed by the library that will connect: two parsers can see two different hosts in
# one text.
parsed = lru_cache(maxsize=1000)(httpx2.URL)


def check_base_url(base_url: str) -> None:
    """Raises EndpointRefused if the base URL is malformed or the deployment does not allow its host."""
    try:
        url = parsed(base_url)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise EndpointRefused(say("{base_url} is not a URL.", base_url=repr(base_url))) from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise EndpointRefused(say("A base URL begins with https:// or http:// and names a host."))
    if url.userinfo or url.query or url.fragment:
        raise EndpointRefused(
            say("A base URL cannot contain a user name, question mark or #: keys belong in the environment.")
        )
    host = url.host.lower().rstrip(".")
    if not is_listed(host, url.port, settings.LLM_ALLOWED_HOSTS):
        raise EndpointRefused(
            say(
                "{host} is not among the hosts that this deployment allows (LLM_ALLOWED_HOSTS). Nothing was sent.",
                host=host,
            )
        )
    if is_local_host(host) and not may_be_private(base_url):
        raise EndpointRefused(
            say(
                "{host} is this machine or in a private network. Such a host must be in LLM_ALLOWED_HOSTS by "
                "name: * does not cover it. Nothing was sent.",
                host=host,
            )
        )
    if url.scheme != "https" and not may_be_asked_openly(host):
        raise EndpointRefused(
            say(
                "{host} is outside this machine and its network, so its base URL must begin with https://. "
                "Nothing was sent.",
                host=host,
            )
        )


def may_be_private(base_url: str) -> bool:
    """Return whether the endpoint may be on this machine or in a private network: only if its host is in the list by
    name.
    """
    url = parsed(base_url)
    by_name = [entry for entry in settings.LLM_ALLOWED_HOSTS if entry.strip().partition(":")[0] != "*"]
    return is_listed(url.host.lower().rstrip("."), url.port, by_name)


def refuse_host(host: str, port: int, *, local: bool) -> None:
    """Raises EndpointRefused, before connecting, if the name resolves to an address that is not allowed."""
    try:
        checked_addresses(host, port, local=local)
    except Refusal as refusal:
        raise EndpointRefused(refusal.message) from None
    except (OSError, UnicodeError):
        return  # connecting will report it


def refuse_address(address: str, *, local: bool) -> None:
    """Raises EndpointRefused if the connected address is not allowed; `local` says whether private ones are."""
    if problem := address_problem(address, local=local):
        raise EndpointRefused(refused_message(address, problem))


def read_key(name: str, base_url: str = "") -> str:
    """The key in the environment variable `name`; "" for no name. Raises EndpointRefused if it may not be used, is
    not set, or may not be sent to the host of `base_url`.

    The operator names the variables in LLM_KEY_NAMES, so that nobody can have another secret sent to a model.
    """
    if not name:
        return ""
    if name not in settings.LLM_KEY_NAMES:
        raise EndpointRefused(
            say(
                "{name} is not among the variables that hold keys. Add it to LLM_KEY_NAMES where web and "
                "worker are started, and restart.",
                name=name,
            )
        )
    _refuse_other_hosts(name, base_url)
    key = os.environ.get(name, "").strip()
    if not key:
        raise EndpointRefused(
            say("The environment variable {name} is not set where the calls are made. Set it and restart.", name=name)
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointRefused(say("The key in {name} contains characters that no key has. Copy it again.", name=name))
    return key


def _refuse_other_hosts(name: str, base_url: str) -> None:
    hosts = settings.LLM_KEY_HOSTS.get(name)
    if not hosts or not base_url:
        return
    url = httpx2.URL(base_url)
    if not is_listed(url.host.lower().rstrip("."), url.port, hosts):
        raise EndpointRefused(
            say(
                "The key in {name} may be sent to {hosts} only. The operator lists hosts in LLM_KEY_HOSTS.",
                name=name,
                hosts=", ".join(hosts),
            )
        )
