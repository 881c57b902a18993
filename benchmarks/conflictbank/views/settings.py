"""For admins: the settings of conflicts, and the templates of relations."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from core.languages import say
from core.models import Role
from core.web.access import SignedInRequest, role_required
from judging.views.models import status_of

from ..evidence.checking import change_settings
from ..facts.fitness import assess_relations
from ..facts.templates import add_template, switch_template
from ..models import ConflictSettings, RelationTemplate
from .forms import ConflictSettingsForm, RelationTemplateForm


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def conflict_settings(request: SignedInRequest) -> HttpResponse:
    form = ConflictSettingsForm(request.POST or None, instance=ConflictSettings.current())
    if request.method == "POST" and form.is_valid():
        change_settings(admin=request.user, **form.cleaned_data)
        messages.success(request, say("Saved. Thresholds apply to checks that are made from now on."))
        return redirect("conflict_settings")
    return render(request, "conflictbank/settings.html", {"form": form}, status=status_of(form))


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def relation_templates(request: SignedInRequest) -> HttpResponse:
    form = RelationTemplateForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        added = add_template(admin=request.user, **form.cleaned_data)
        assess_relations()
        messages.success(request, say("{added} counts from now on.", added=added))
        return redirect("relation_templates")
    context = {"form": form, "templates": RelationTemplate.objects.all()}
    return render(request, "conflictbank/relation_templates.html", context, status=status_of(form))


@role_required(Role.ADMIN)
@require_POST
def template_switched(request: SignedInRequest, pk: int) -> HttpResponse:
    template = get_object_or_404(RelationTemplate, pk=pk)
    switch_template(template=template, is_active=request.POST.get("on") == "yes", admin=request.user)
    assess_relations()
    messages.success(request, say("Saved."))
    return redirect("relation_templates")
