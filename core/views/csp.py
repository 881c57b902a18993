"""Reports of browsers on parts of pages that the content policy made them refuse: logged, nothing else."""

import logging
from urllib.parse import urlsplit

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from ..outside import Unreadable, json_object
from ..seeing.patterns import UNKNOWN, pattern_of_path

log = logging.getLogger(__name__)
LONGEST = 16_000
SHOWN = ("effective-directive", "violated-directive", "blocked-uri", "document-uri", "line-number")


@csrf_exempt
@require_POST
def report(request: HttpRequest) -> HttpResponse:
    """Log one report, without its address's query. More than a few per minute, and large ones, are dropped unread."""
    length = request.headers.get("Content-Length", "")
    is_small = length.isascii() and length.isdigit() and int(length[:9]) <= LONGEST
    if is_small and ratelimit.consume(request, app="allauth.account", action="csp_report", key="site"):
        _log(request.body)
    return HttpResponse(status=204)


def _log(body: bytes) -> None:
    try:
        found = json_object(body).get("csp-report")
    except Unreadable:
        return
    if isinstance(found, dict):
        said = {name: _without_text(name, str(found[name])) for name in SHOWN if name in found}
        log.warning("a browser refused part of a page: %r", said)


def _without_text(name: str, said: str) -> str:
    """The pattern of the page's address, which may have a link's secret; an address elsewhere without its query."""
    if name != "document-uri":
        return said.partition("?")[0][:200]
    try:
        return pattern_of_path(urlsplit(said).path)
    except ValueError:
        return UNKNOWN
