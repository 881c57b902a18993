"""For admins: bring in a file of annotations in the paper's JSON."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from core.models import Role
from core.web.access import SignedInRequest, role_required

from ..releases.imports import import_records


class ImportForm(forms.Form):
    file = forms.FileField(
        label="File of records (JSON)",
        allow_empty_file=True,
        help_text="As released with the paper, or as exported here.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_annotations(request: SignedInRequest) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    context: dict = {"form": form}
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        result = import_records(form.cleaned_data["file"], admin=request.user, check_only=check_only)
        context |= {"lines": list(result.lines()), "check_only": check_only}
        if request.headers.get("HX-Request"):
            return render(request, "annotation/_import_result.html", context)
    return render(request, "annotation/import.html", context, status=400 if form.errors else 200)
