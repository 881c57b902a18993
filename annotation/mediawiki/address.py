"""Turns an admin's input into the address of an api.php, and checks whether that may be asked."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from core.hosts import address_problem, is_listed, is_local_host, refused_message
from core.languages import say
from core.refusals import Refusal

DEFAULT_PORTS = {"http": 80, "https": 443}


def normalise_api_url(text: str) -> str:
    """The address of the api.php for the input: `en.wikipedia.org` gives `https://en.wikipedia.org/w/api.php`.

    Takes a host, or the address of any page of the wiki, of its index.php or of its api.php. Does no DNS lookup.
    Raises `Refusal` if the text is not an http address of a host, or if the address is link-local.
    """
    text = text.strip()
    if "://" not in text:
        text = f"{'http' if is_loopback(text) else 'https'}://{text.lstrip('/')}"
    try:
        parts = urlsplit(text)
        host, port = ascii_host(parts), parts.port
    except ValueError:
        raise Refusal(
            say("“{text}” is not an address. Write it like https://en.wikipedia.org/w/api.php.", text=text),
            status=400,
        ) from None
    if parts.scheme not in DEFAULT_PORTS:
        raise Refusal(
            say("A wiki's address begins with https:// or http://, not {scheme}://.", scheme=parts.scheme), status=400
        )
    if parts.username is not None or parts.password is not None:
        raise Refusal(say("An address cannot contain a user name or password. Leave them out."), status=400)
    if re.search(r"[\s\\\x00-\x1f]", text):
        raise Refusal(say("An address cannot contain spaces or backslashes."), status=400)
    name = f"[{host}]" if ":" in host else host
    number = f":{port}" if port is not None and port != DEFAULT_PORTS[parts.scheme] else ""
    return f"{parts.scheme}://{name}{number}{api_path(parts.path)}"


def refuse_unasked(api_url: str, *, contact: str) -> None:
    """Raises `Refusal` if this deployment does not ask the wiki: because of its host, or for lack of a contact.

    `contact` is what the wiki would be told. Does no DNS lookup: the address of a host is checked when the connection
    is made (`core.hosts`).
    """
    parts = urlsplit(api_url)
    host = (parts.hostname or "").rstrip(".")
    if is_local_host(host):
        if not settings.LOCAL_WIKIS:
            raise Refusal(
                say(
                    "{host} is this machine or in a private network. Nothing was sent there. To allow it, set "
                    "LOCAL_WIKIS=true where the site and its worker are started.",
                    host=host,
                ),
                status=400,
            )
        return
    port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    if not is_listed(host, port, settings.WIKI_ALLOWED_HOSTS):
        raise Refusal(
            say(
                "{host} is not among the hosts of wikis that this deployment allows. Nothing was sent there. To "
                "allow it, add it to WIKI_ALLOWED_HOSTS where the site and its worker are started.",
                host=host,
            ),
            status=400,
        )
    if not contact.strip():
        raise Refusal(
            say(
                "{host} was not contacted: wikis require contact details. Set WIKI_CONTACT to an email address "
                "or a web page where the site and its worker are started.",
                host=host,
            ),
            status=400,
        )


def ascii_host(parts: SplitResult) -> str:
    """The host as DNS knows it. Raises `ValueError` if there is none, and `Refusal` if it is a link-local address."""
    host = (parts.hostname or "").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        host = host.encode("idna").decode("ascii")
        if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", host):
            raise ValueError(host) from None
        return host
    if problem := address_problem(str(address), local=True):
        raise Refusal(refused_message(host, problem), status=400)
    return str(address)


def is_loopback(text: str) -> bool:
    """Return whether an address without a scheme names this machine, which has no certificate."""
    return bool(re.match(r"(localhost|127(\.\d+){3}|\[::1\])([:/]|$)", text))


def api_path(path: str) -> str:
    """The address of api.php: beside the index.php, in the folder named, or where Wikipedia has it."""
    if path.endswith("/api.php"):
        return path
    script = re.match(r"(.*)/index\.php(/.*)?$", path)
    if script:
        return f"{script[1]}/api.php"
    if path in ("", "/") or path == "/wiki" or path.startswith("/wiki/"):
        return "/w/api.php"
    return f"{path.rstrip('/')}/api.php"
