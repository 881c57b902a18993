"""From which address a request comes: what limits count by, and what makes a site a local one."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest

THIS_MACHINE = "127.0.0.1"


def client_address(request: HttpRequest) -> str:
    """The client's IP address. Any client can write X-Forwarded-For, so it is read only from the proxies that
    `TRUSTED_PROXIES` names, from its end, as far as these reach; a server on a socket file is asked by its own
    machine only, and believes it."""
    trusted = _networks(tuple(settings.TRUSTED_PROXIES))
    address = _read(request.META.get("REMOTE_ADDR", "")) or THIS_MACHINE
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while _is_in(address, trusted) and hops:
        further = _read(hops.pop())
        if further is None:
            break
        address = further
    return address


def is_on_this_machine(address: str) -> bool:
    """Whether an IP address, as text, is a loopback address."""
    return ipaddress.ip_address(address).is_loopback


@lru_cache
def _networks(names: Iterable[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    return [ipaddress.ip_network(name, strict=False) for name in names]


def _is_in(address: str, networks: list) -> bool:
    ip = ipaddress.ip_address(address)
    return ip.is_loopback or any(ip in network for network in networks)


def _read(text: str) -> str | None:
    """An address as proxies write it, also with a port; an IPv4 address inside IPv6 is the IPv4 address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        ip = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)
