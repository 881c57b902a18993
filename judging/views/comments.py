"""Comments on a response: beside its page, and on a page of their own that does not name the model."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.desk.comments.conversations import conversation_about
from annotation.views.desk.comments import fragment_of, write_about
from core.models import Role
from core.web.access import SignedInRequest, role_required

from ..models import Response
from ..responses.comments import AboutResponse, knows_models, responses_open_to

# A reviewer gets in where reviewers adjudicate together; what they may see is decided row by row.
TALKERS = (Role.ADMIN, Role.ADJUDICATOR, Role.REVIEWER)


@role_required(*TALKERS)
@never_cache
@require_GET
def conversation(request: SignedInRequest, key: UUID) -> HttpResponse:
    """The comments on a response: a page, or for htmx the fragment."""
    shown = response_open_to(request, key)
    if request.headers.get("HX-Request"):
        return fragment_of(request, AboutResponse(shown))
    return _page(request, shown)


@role_required(*TALKERS)
@require_POST
def write(request: SignedInRequest, key: UUID) -> HttpResponse:
    shown = response_open_to(request, key)
    return write_about(request, AboutResponse(shown), lambda status, **more: _page(request, shown, status, **more))


def _page(request: SignedInRequest, shown: Response, status: int = 200, **more) -> HttpResponse:
    context = {
        "response": shown,
        "is_compared": shown.template.what.is_judged,
        "page_with_model": request.user.has_role(Role.ADMIN) and knows_models(request.user, shown),
        "talk": conversation_about(AboutResponse(shown), person=request.user, **more),
    }
    return render(request, "judging/response_comments.html", context, status=status)


def response_open_to(request: SignedInRequest, key: UUID) -> Response:
    found = responses_open_to(request.user).select_related("instance", "variant", "template")
    return get_object_or_404(found, key=key)
