"""Counterparts suggested at the desk: the page asks for them once it is shown, and says which was taken."""

from django.http import JsonResponse

from core.languages import translated
from core.languages.kept import said
from core.outside import text_in
from core.web.access import SignedInRequest

from ...desk.drafts.taken_counterparts import take_counterpart
from ...evidence.counterparts import offer_of
from .evidence import number_in, sent_by
from .own import own_annotation
from .saving import sent_from_desk


@sent_from_desk
def offered(request: SignedInRequest, pk: int) -> JsonResponse:
    """The suggested counterparts; `is_here` is false while the article is still being fetched."""
    offer = offer_of(own_annotation(request, pk), request.user)
    shown, ranked_by = (offer.shown, offer.ranked_by) if offer else ([], "")
    counterparts = [each | {"reason": translated(said(each["reason"]))} for each in shown]
    return JsonResponse({"is_here": offer is not None, "counterparts": counterparts, "ranked_by": ranked_by})


@sent_from_desk
def take(request: SignedInRequest, pk: int) -> JsonResponse:
    annotation = own_annotation(request, pk)
    sent = sent_by(request)
    take_counterpart(
        annotation=annotation,
        annotator=request.user,
        number=number_in(sent, "number"),
        taken_with=text_in(sent, "taken_with"),
    )
    return JsonResponse({})
