"""Finds a page or a row by its name: on a page of its own, and in the palette that opens over every page."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ..languages import say
from ..lists.filters import Filters, SearchField
from ..navigation import found_for
from ..web.access import SignedInRequest, role_required


class Sought(Filters):
    q = SearchField(label=say("Find a page, tag, article, run or person"))


@role_required()
@require_GET
def find(request: SignedInRequest) -> HttpResponse:
    sought = Sought(request.GET)
    words = sought.chosen["q"].strip()
    template = "core/_found.html" if request.headers.get("HX-Request") else "core/find.html"
    return render(request, template, {"sought": sought, "words": words, "found": found_for(request.user, words)})
