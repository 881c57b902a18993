"""Checks webhook addresses against the deployment's list of hosts, as for models (`core.hosts`)."""

from django.conf import settings
from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from ..hosts import is_listed, is_local_host, may_be_asked_openly
from ..languages import say
from ..refusals import Refusal


def check_address(address: str) -> bool:
    """Return whether the address may be in a private network. Raises Refusal if it is malformed, or if this
    deployment sends nothing there. Does no DNS lookup: the resolved address is checked when the connection is made.
    """
    url = _parsed(address)
    host = (url.host or "").lower().rstrip(".")
    if not is_listed(host, url.port, settings.WEBHOOK_ALLOWED_HOSTS):
        raise Refusal(
            say(
                "{host} is not a host that this deployment may send messages to "
                "(WEBHOOK_ALLOWED_HOSTS). Nothing was sent there.",
                host=host,
            ),
            status=400,
        )
    # As for models, * covers public addresses only.
    by_name = [entry for entry in settings.WEBHOOK_ALLOWED_HOSTS if entry.strip().partition(":")[0] != "*"]
    local = is_listed(host, url.port, by_name)
    if is_local_host(host) and not local:
        raise Refusal(
            say(
                "{host} is this machine or in a private network. Such a host must be in "
                "WEBHOOK_ALLOWED_HOSTS by name. Nothing was sent there.",
                host=host,
            ),
            status=400,
        )
    if url.scheme != "https" and not may_be_asked_openly(host):
        raise Refusal(say("An address outside this machine and its network must begin with https://."), status=400)
    return local


def _parsed(address: str) -> Url:
    try:
        # By the library that will connect: two parsers can see two different hosts in one text.
        url = parse_url(address)
    except LocationParseError:
        raise Refusal(say("“{address}” is not an address.", address=address[:80]), status=400) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise Refusal(say("An address must begin with https:// or http:// and name a host."), status=400)
    if url.auth or url.fragment or not address.isascii() or any(sign.isspace() or sign == "\\" for sign in address):
        raise Refusal(
            say("An address cannot contain a user name, #, blanks, backslashes or letters beyond ASCII."), status=400
        )
    return url
