"""Views that answer a page's own script."""

from functools import wraps

from django.http import Http404, HttpRequest, JsonResponse, RawPostDataException

from ..languages import say, translated
from ..outside import Unreadable, json_object
from ..refusals import Refusal


def answers_script(view):
    """For views called by the page's script: every error is JSON with a reason that the script can handle, and
    a message that it shows, in the language of the page."""

    @wraps(view)
    def answered(request: HttpRequest, *args, **kwargs):
        if not is_script(request):
            return view(request, *args, **kwargs)
        if not request.user.is_authenticated:
            message = translated(say("You are signed out."))
            return JsonResponse({"reason": "signed_out", "message": message}, status=401)
        try:
            return view(request, *args, **kwargs)
        except Refusal as refusal:
            reason = "closed" if refusal.status == 409 else "refused"
            return JsonResponse({"reason": reason, "message": translated(refusal.message)}, status=refusal.status)
        except Http404:
            message = translated(say("This draft is not yours, or you gave it up in another tab."))
            return JsonResponse({"reason": "gone", "message": message}, status=404)

    return answered


def is_script(request: HttpRequest) -> bool:
    return request.content_type == "application/json"


def json_in(request: HttpRequest) -> dict[str, object]:
    """The JSON object that a script sent. Raises Unreadable for any other body, including multipart forms: the CSRF
    check has read those already.
    """
    try:
        return json_object(request.body)
    except RawPostDataException:
        raise Unreadable("It is a form and not JSON.") from None
