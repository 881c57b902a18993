"""Which endpoints models may be asked at, and the key that goes there.

A base URL's host must stand in the setting LLM_ALLOWED_HOSTS: `host`, `host:port`, `.example.org` (and all below it)
or `*`. Left alone it allows this machine only. Whatever is allowed, a name that leads to a link-local or metadata
address, from which cloud machines hand out their credentials, is refused when the connection is made, so that a name
that changes its address after the check gains nothing. Behind a proxy (HTTPS_PROXY) it is the proxy that connects.
"""

import os
import re
from dataclasses import dataclass

import httpx2
from django.conf import settings

from annotation.hosts import is_refused

KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*(API_KEY|TOKEN)\Z")


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
        raise EndpointRefused(
            "A base URL holds no user name, question mark or #: a key belongs into the environment."
        )
    host = url.host.lower().rstrip(".")
    if not any(host_matches(host, url.port, allowed) for allowed in settings.LLM_ALLOWED_HOSTS):
        raise EndpointRefused(
            f"{host} is not among the hosts that this deployment allows (LLM_ALLOWED_HOSTS). Nothing was sent."
        )


def host_matches(host: str, port: int | None, allowed: str) -> bool:
    """Whether `allowed`, an entry of LLM_ALLOWED_HOSTS, covers the host (and port, where it names one)."""
    allowed = allowed.strip().lower()
    name, bracket, rest = allowed.removeprefix("[").partition("]")
    if bracket:  # [::1] or [::1]:8000
        wanted_port = rest.removeprefix(":")
    elif allowed.count(":") == 1:
        name, _, wanted_port = allowed.partition(":")
    else:
        name, wanted_port = allowed, ""
    if wanted_port and wanted_port != str(port or ""):
        return False
    return name == "*" or host == name or (name.startswith(".") and (host.endswith(name) or host == name[1:]))


def refuse_address(address: str) -> None:
    """Raise EndpointRefused for an address that no model is served at but from which machines get their secrets."""
    if is_refused(address):
        raise EndpointRefused(f"The host leads to {address}, a link-local or metadata address. Nothing was sent.")


def read_key(name: str) -> str:
    """The key that the environment variable `name` holds, "" for no name. Raises EndpointRefused.

    The name must end in API_KEY or TOKEN, so that nobody can have the database's password sent to a model.
    """
    if not name:
        return ""
    if not KEY_NAME.match(name):
        raise EndpointRefused(
            f"{name} cannot name a key: capital letters, digits and _ only, ending in API_KEY or TOKEN."
        )
    key = os.environ.get(name, "").strip()
    if not key:
        raise EndpointRefused(
            f"The environment variable {name} is not set where the calls are made. Set it and restart."
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointRefused(f"The key in {name} holds characters that no key has. Copy it again.")
    return key
