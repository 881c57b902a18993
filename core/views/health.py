"""Life and readiness, for supervisors and load balancers; and the page on which admins see what works."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ..health.checks import SEVERITY, Finding, State, findings, worst
from ..health.ready import answers
from ..keeping.sending import held_folders
from ..models import Project, Role
from ..web.access import SignedInRequest, role_required
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


@role_required(Role.ADMIN)
@require_GET
def doctor(request: SignedInRequest) -> HttpResponse:
    """The state of this machine's parts. The page asks for those of other machines once it is shown."""
    return _shown(request, "core/doctor.html", list(findings(far=False)))


@role_required(Role.ADMIN)
@require_GET
def doctor_far(request: SignedInRequest) -> HttpResponse:
    """The state of other machines: wikis, endpoints of models, and the mail server. Takes some seconds."""
    is_part = request.headers.get("HX-Request")
    return _shown(request, "core/_findings.html" if is_part else "core/doctor_far.html", list(findings(far=True)))


def _shown(request: SignedInRequest, template: str, found: list[Finding]) -> HttpResponse:
    by_badness = sorted(found, key=lambda finding: -SEVERITY.index(finding.state))
    wrong = sum(finding.state != State.OK for finding in found)
    context = {"findings": by_badness, "wrong": wrong, "worst": worst(found)}
    paused = {"held": held_folders(), "calls_stopped_at": Project.get().calls_stopped_at}
    return render(request, template, context | paused)
