"""Addresses for supervisors and load balancers: life, and readiness."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from ..health.checks import State
from ..health.ready import answers
from ..web.outages import RETRY_AFTER_SECONDS


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers requests. It asks nothing else, so an outage of the database restarts no
    web server."""
    return HttpResponse("ok", content_type="text/plain")


@require_GET
def ready(request: HttpRequest) -> HttpResponse:
    """200 if every part works, else 503: one line for each part. Everyone may ask, so the lines have no details."""
    found = answers.now()
    lines = "".join(f"{finding.name.lower()}: {finding.state}\n" for finding in found)
    if all(finding.state in (State.OK, State.WARNING) for finding in found):
        return HttpResponse(lines, content_type="text/plain")
    return HttpResponse(
        lines, content_type="text/plain", status=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)}
    )
