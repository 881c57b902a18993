"""For admins: import a file of annotations, in the paper's JSON or Label Studio's; and tasks for Label Studio."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET, require_http_methods

from core.background.registry import Kind
from core.files.imports import FileImport
from core.languages import say
from core.models import Role, User
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.files import download, file_field, import_page, licence_field, revision_field

from ..kinds.registry import FileIn, benchmark
from ..label_studio.config import labelling_config
from ..label_studio.exports import task_chunks
from ..label_studio.imports import TaskImport, import_tasks
from ..releases.files.imports import AnnotationImport, import_records
from ..releases.freezing import NAME_LENGTH
from ..releases.items.files import file_in_of


class ImportForm(forms.Form):
    file = file_field(
        say("File of records (JSON)"),
        ending="json",
        content_type="application/json",
        help_text=say("As released with the paper, or as exported here."),
    )
    revision = revision_field()


def read_annotations(given: dict[str, Any], *, check_only: bool, user: User) -> AnnotationImport:
    return import_records(given["file"], admin=user, check_only=check_only, revision=given["revision"])


ANNOTATIONS = Kind("annotations", say("Import annotations"), ImportForm, read_annotations)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_annotations(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "annotation/import.html", ANNOTATIONS)


def file_to_import(code: str) -> FileIn:
    """The file that becomes a release of this benchmark. Raises Refusal if it has none."""
    kind = benchmark(code)
    file_in = file_in_of(kind)
    if file_in is None:
        raise Refusal(say("{name} cannot be imported as one file.", name=kind.name), status=404)
    return file_in


class ReleaseFileForm(forms.Form):
    """A file that becomes a release of a benchmark."""

    def __init__(self, *arguments: Any, code: str):
        super().__init__(*arguments)
        file_in = file_to_import(code)
        self.fields["file"] = file_field(file_in.label, ending=file_in.ending, content_type=file_in.content_type)
        self.fields["name"] = forms.CharField(
            max_length=NAME_LENGTH,
            required=False,
            label=say("Name of the release"),
            help_text=say("A name that people will recognise. Empty: the benchmark’s name."),
        )
        self.fields["revision"] = revision_field()
        self.fields["licence"] = licence_field()


def read_release(given: dict[str, Any], *, check_only: bool, user: User, code: str) -> FileImport:
    named = {name: given[name] for name in ("name", "revision", "licence")}
    return file_to_import(code).read(given["file"], admin=user, check_only=check_only, **named)


RELEASE = Kind("release", say("Import a release"), ReleaseFileForm, read_release)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_release(request: SignedInRequest, code: str) -> HttpResponse:
    about = {"code": code}
    return import_page(request, "annotation/import_release.html", RELEASE, about=about, kind=benchmark(code))


class TasksForm(forms.Form):
    file = file_field(
        say("File of tasks (JSON)"),
        ending="json",
        content_type="application/json",
        help_text=say("As Label Studio exports it: JSON, or JSON-MIN."),
    )
    users = file_field(
        say("People of Label Studio (JSON)"),
        ending="json",
        content_type="application/json",
        help_text=say(
            "The reply of Label Studio to /api/users, because its exports contain only the numbers of people."
        ),
        required=False,
    )
    without_people = forms.BooleanField(
        required=False,
        label=say("Without people"),
        help_text=say("The annotations then have no annotator. Otherwise all annotators must have accounts here."),
    )
    accept_ground_truth = forms.BooleanField(
        required=False,
        label=say("Accept ground truth"),
        help_text=say("Annotations marked as ground truth count as accepted. The others wait for review."),
    )
    revision = revision_field()


def read_tasks(given: dict[str, Any], *, check_only: bool, user: User) -> TaskImport:
    options = {name: given[name] for name in ("users", "without_people", "accept_ground_truth", "revision")}
    return import_tasks(given["file"], admin=user, check_only=check_only, **options)


TASKS = Kind("label_studio", say("Import from Label Studio"), TasksForm, read_tasks)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_label_studio(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "annotation/import_label_studio.html", TASKS)


@role_required(Role.ADMIN)
@require_GET
def export_label_studio(request: SignedInRequest, *, waiting_only: bool = False) -> HttpResponseBase:
    """Tags as tasks, with people's work on them that this person may know of."""
    return download("label-studio-tasks.json", task_chunks(request.user, waiting_only=waiting_only))


@role_required(Role.ADMIN)
@require_GET
def label_studio_config(request: SignedInRequest) -> HttpResponseBase:
    return download("label-studio-config.txt", labelling_config())
