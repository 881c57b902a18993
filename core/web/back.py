"""Back to the page from which a form was sent."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_before(request: HttpRequest) -> str:
    """The address of this site that the form names as `next`; "" if it names none."""
    back = request.POST.get("next", "")
    is_page = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_page else ""
