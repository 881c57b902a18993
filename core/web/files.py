"""Files through the browser: downloads, and the page on which an admin imports one."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from ..files.provenance import NAME_LENGTH
from .access import SignedInRequest

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "zip": "application/zip",
}


def download(name: str, content: str | bytes | Iterable[str] | Iterable[bytes]) -> HttpResponseBase:
    """A file to download under this name, of the type its extension says. `content` in pieces is streamed."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    response = HttpResponse if isinstance(content, str | bytes) else StreamingHttpResponse
    return response(content, content_type=CONTENT_TYPES[name.rpartition(".")[2]], headers=headers)


def as_json(content: object) -> str:
    """The content as JSON that people can read, times in ISO 8601."""
    return json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def file_field(
    label: str, *, ending: str, content_type: str, help_text: str = "", required: bool = True
) -> forms.FileField:
    """The form field for a file. An empty file is allowed: its importer reports that it is empty."""
    accepted = forms.ClearableFileInput(attrs={"accept": f".{ending},{content_type}"})
    return forms.FileField(
        label=label, allow_empty_file=True, help_text=help_text, widget=accepted, required=required
    )


def revision_field() -> forms.CharField:
    """The form field for the revision of a file of data."""
    return forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label="Revision of the file",
        help_text="A commit or a version, if the file has one. The datasheet shows it beside the file's name and "
        "SHA-256.",
    )


def licence_field(label: str = "Licence of the texts") -> forms.CharField:
    """The form field for the licence of a file of data."""
    return forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label=label,
        help_text="Such as CC BY-SA 4.0. Datasheets and exports name it. Empty: not recorded, and none is assumed.",
    )


def import_page(
    request: SignedInRequest,
    template: str,
    form_class: Callable[..., forms.Form],
    read: Callable[[dict[str, object], bool], Any],
    **more: object,
) -> HttpResponse:
    """The import page, or only the result for htmx. `read` takes the form's data and whether it is only a check; its
    result has `lines()`. The template gets `more`.
    """
    form = form_class(request.POST or None, request.FILES or None)
    context: dict[str, object] = {"form": form, **more}
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        result = read(form.cleaned_data, check_only)
        context |= {"lines": list(result.lines()), "check_only": check_only}
        if request.headers.get("HX-Request"):
            return render(request, "_import_result.html", context)
    return render(request, template, context, status=400 if form.errors else 200)
