"""For admins: the sample-size calculator."""

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.kinds.registry import annotated
from core.models import Role
from core.web.access import SignedInRequest, role_required
from judging.runs.blinding import names_models

from ..forms import PlannerForm
from ..reports.comparison.pairs import compared_at_headline
from ..reports.comparison.planning import needs
from .reports import scope_of


@role_required(Role.ADMIN)
@names_models
@require_GET
def round_planner(request: SignedInRequest) -> HttpResponse:
    """The number of instances that distinguish two models, given how often models disagreed so far."""
    scope = replace(scope_of(request), benchmark=annotated().code)
    seen = compared_at_headline(scope)
    asked = {name: field.initial for name, field in PlannerForm.base_fields.items()}
    form = PlannerForm(asked | {"pairs": max(1, len(seen))} | request.GET.dict())
    found = needs(seen, **form.cleaned_data) if form.is_valid() else []
    context = {
        "form": form,
        "needs": found,
        "usual": found[len(found) // 2] if found and seen else None,
        "seen": seen,
        "scope": scope,
        "notes": scope.notes(),
    }
    return render(request, "review/round_planner.html", context, status=400 if form.errors else 200)
