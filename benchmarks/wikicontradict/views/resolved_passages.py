"""For annotators and admins: passages 1' and 2' of an instance, changed to give one answer."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from annotation.content.instances import Conflict
from annotation.models import Instance
from annotation.releases.freezing import latest_release
from annotation.releases.reading import note_instances_read
from core.languages import say
from core.lists.pages import page_of
from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from judging.models import InstanceVariant

from ..forms import ResolvedPassagesForm
from ..items import CODE
from ..resolved_passages import (
    ResolvingState,
    chip_counts,
    current_resolved_passages,
    instances_at,
    instances_near,
    instances_with_resolved_version,
    next_to_do,
    resolve_passages,
)


@role_required(Role.ANNOTATOR, Role.ADMIN)
@require_GET
def listing(request: SignedInRequest) -> HttpResponse:
    release = latest_release(CODE)
    if release is None:
        return render(
            request, "wikicontradict/resolved_passages_list.html", {"is_admin": request.user.has_role(Role.ADMIN)}
        )
    show = request.GET.get("show", "")
    show = show if show in ResolvingState.values else ""
    instances = instances_at(release, ResolvingState(show)) if show else instances_with_resolved_version(release)
    counts = chip_counts(CODE).now()
    page = page_of(request, instances, window=instances_near(release, show))
    note_instances_read(page, reader=request.user)
    current = InstanceVariant.objects.current().filter(instance__in=list(page)).select_related("made_by")
    resolved = {each.instance_id: each for each in current}
    context = {
        "release": release,
        "page": page,
        "rows": [(instance, Conflict.of(instance), resolved.get(instance.pk)) for instance in page],
        "show": show,
        "chips": [(value.value, str(value.label), counts[value]) for value in ResolvingState],
    }
    return render(request, "wikicontradict/resolved_passages_list.html", context)


@role_required(Role.ANNOTATOR, Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: SignedInRequest, pk: int) -> HttpResponse:
    instance = get_object_or_404(Instance, pk=pk, benchmark=CODE)
    note_instances_read([instance], reader=request.user)
    current, versions = current_resolved_passages(instance), InstanceVariant.objects.filter(instance=instance)
    form = ResolvedPassagesForm(request.POST or None, initial=ResolvedPassagesForm.initial_of(instance, current))
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            saved = resolve_passages(instance=instance, resolver=request.user, **form.cleaned_data)
        except Refusal as refusal:
            # Shown on the page itself, so that typed text is not lost.
            form.add_error(None, refusal.message)
            status = refusal.status
        else:
            messages.success(request, say("Saved as version {version}.", version=saved.version))
            return redirect(next_address(request, instance))
    elif form.errors:
        status = 400
    context = {
        "instance": instance,
        "conflict": Conflict.of(instance),
        "form": form,
        "current": current,
        "versions": versions.select_related("made_by").order_by("-version"),
        "has_next": following_of(instance) is not None,
    }
    return render(request, "wikicontradict/resolved_passages.html", context, status=status)


def next_address(request: SignedInRequest, instance: Instance) -> str:
    following = following_of(instance) if "and_next" in request.POST else None
    return reverse("resolved_passages_edit", args=[following]) if following else reverse("resolved_passages")


def following_of(instance: Instance) -> int | None:
    release = latest_release(CODE)
    return next_to_do(instance, release) if release else None
