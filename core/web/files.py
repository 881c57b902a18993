"""Files through the browser: downloads, and the page on which an admin imports one."""

import json
from collections.abc import Iterable, Mapping, Sequence

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from ..background.registry import Kind
from ..background.shown import latest, shown
from ..background.tasks import wake_background_work
from ..background.works import ask_for
from ..files.provenance import NAME_LENGTH
from ..files.records import too_large
from ..languages import say
from ..models import BackgroundWork, User
from .access import SignedInRequest

# Where revision and licence of a file of responses appear.
OF_RESPONSES = say("The log of the run shows it beside the file's SHA-256.")
OF_LICENCE = say("The log of the run shows it.")
# The same of a file of items.
LICENCE = say("Licence of the texts")
ON_THE_DATASHEET = say("The datasheet shows it beside the file's name and SHA-256.")
WHERE_NAMED = say("Datasheets and exports name it.")
NOT_OF_FORMS = ("csrfmiddlewaretoken", "action")
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
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


def revision_field(shown: str = ON_THE_DATASHEET) -> forms.CharField:
    """The form field for the revision of a file of data; `shown` says where it appears."""
    return forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label=say("Revision of the file"),
        help_text=say("A commit or a version, if the file has one. {shown}", shown=shown),
    )


def licence_field(label: str = LICENCE, shown: str = WHERE_NAMED) -> forms.CharField:
    """The form field for the licence of a file of data; `shown` says where it appears."""
    return forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label=label,
        help_text=say("Such as CC BY-SA 4.0. {shown} Empty: not recorded, and none is assumed.", shown=shown),
    )


def import_page(
    request: SignedInRequest, template: str, kind: Kind, /, *, about: dict[str, str] | None = None, **more: object
) -> HttpResponse:
    """The import page, or only the result for htmx. A small file is read at once, and a worker reads a large one;
    `about` names the parts of the address. The template gets `more`.
    """
    form = kind.form(request.POST or None, request.FILES or None, **(about or {}))
    context: dict[str, object] = {"form": form, **more}
    is_htmx = bool(request.headers.get("HX-Request"))
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        if is_large(request, most=kind.at_once):
            work = handed_on(request, kind, check_only=check_only, about=about or {})
            if is_htmx:
                return render(request, "_background_work.html", {"shown": shown(work)})
            return redirect("background_work", work.key)
        result = kind.do(form.cleaned_data, check_only=check_only, user=request.user, **(about or {}))
        context |= {"lines": list(result.lines()), "check_only": check_only}
        if is_htmx:
            return render(request, "_import_result.html", context)
    context["works"] = latest(kind.code, request.user)
    return render(request, template, context, status=400 if form.errors else 200)


def is_large(request: SignedInRequest, *, most: int) -> bool:
    """Return whether the uploaded files are more bytes than a request should read."""
    files = [request.FILES[name] for name in request.FILES]
    return sum(file.size or 0 for file in files if isinstance(file, UploadedFile)) > most


def handed_on(
    request: SignedInRequest, kind: Kind, *, about: dict[str, str], check_only: bool = False
) -> BackgroundWork:
    """Have a worker do what this valid form asks for. Raises Refusal if a file is too large."""
    given = {name: values for name, values in request.POST.lists() if name not in NOT_OF_FORMS}
    files = {name: request.FILES[name] for name in request.FILES}
    return hand_on(kind, given=given, files=files, check_only=check_only, user=request.user, about=about)  # type: ignore[arg-type]


def hand_on(
    kind: Kind,
    *,
    given: Mapping[str, Sequence[str]],
    files: Mapping[str, UploadedFile],
    user: User,
    about: Mapping[str, str],
    check_only: bool = False,
) -> BackgroundWork:
    """Have a worker do what a valid form with these values and files asks for. Raises Refusal if a file is too
    large.
    """
    if any((file.size or 0) > settings.IMPORT_MAX_BYTES for file in files.values()):
        raise too_large(settings.IMPORT_MAX_BYTES)
    work = ask_for(kind, given=given, files=files, check_only=check_only, user=user, about=about)
    wake_background_work()
    return work
