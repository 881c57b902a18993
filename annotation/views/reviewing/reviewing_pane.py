"""The reading pane beside an annotation under review: the annotator's, but without selecting."""

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.models import Role
from core.web.access import SignedInRequest, role_required

from ...reviewing.queue import find_annotation
from ..desk.evidence import REVIEWS, ask_once_more, fetch_further, show_panel


@role_required(Role.REVIEWER, Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def panel(request: SignedInRequest, pk: int, kind: str) -> HttpResponse:
    return show_panel(request, find_annotation(reviewer=request.user, pk=pk), kind, desk=REVIEWS)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def again(request: SignedInRequest, pk: int, request_pk: int) -> HttpResponse:
    found = find_annotation(reviewer=request.user, pk=pk)
    return ask_once_more(request, found, request_pk, desk=REVIEWS)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def further(request: SignedInRequest, pk: int) -> HttpResponse:
    return fetch_further(request, find_annotation(reviewer=request.user, pk=pk), desk=REVIEWS)
