"""For admins: the wikis that may be asked for articles."""

from django.conf import settings
from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from core.accounts.confirming import confirm_first
from core.languages import say
from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..harvesting.forms import WikiForm
from ..harvesting.wikis import allow_wiki, disallow_wiki
from ..models import Wiki


@role_required(Role.ADMIN)
@require_GET
def wikis(request: SignedInRequest) -> HttpResponse:
    return _page(request, WikiForm())


def _page(request: SignedInRequest, form: WikiForm, *, status: int = 200) -> HttpResponse:
    known = Wiki.objects.annotate(harvest_count=Count("harvests")).select_related("added_by").order_by("name")
    context = {
        "wikis": known,
        "form": form,
        "contact": settings.WIKI_CONTACT,
        "allowed_hosts": settings.WIKI_ALLOWED_HOSTS,
        "local_wikis": settings.LOCAL_WIKIS,
    }
    return render(request, "annotation/wikis.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def wiki_allow(request: SignedInRequest) -> HttpResponse:
    form = WikiForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    try:
        wiki = allow_wiki(address=form.cleaned_data["address"], by=request.user)
    except Refusal as refusal:
        form.add_error("address", refusal.message)  # what was typed stays
        return _page(request, form, status=refusal.status)
    messages.success(request, say("{name} replied and is now allowed.", name=wiki.name))
    return redirect("wikis")


@role_required(Role.ADMIN)
@require_POST
def wiki_disallow(request: SignedInRequest, pk: int) -> HttpResponse:
    wiki = get_object_or_404(Wiki, pk=pk)
    disallow_wiki(wiki=wiki, by=request.user)
    messages.success(request, say("{name} is no longer allowed. Its articles and tags are kept.", name=wiki.name))
    return redirect("wikis")
