"""For admins: human evaluations as imported and exported files."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET, require_http_methods

from core.background.registry import Kind
from core.languages import say
from core.models import Role, User
from core.web import files
from core.web.access import SignedInRequest, role_required
from core.web.files import import_page
from judging.runs.blinding import names_models, why_hidden
from review.views.reports import scope_of

from ..forms import HumanEvaluationForm
from ..human_evaluation.exporting import human_evaluation_chunks
from ..human_evaluation.importing import EvaluationImport, import_human_evaluation


def read_evaluation(given: dict[str, Any], *, check_only: bool, user: User) -> EvaluationImport:
    return import_human_evaluation(given["file"], admin=user, check_only=check_only)


HUMAN_EVALUATION = Kind("human_evaluation", say("Import a human evaluation"), HumanEvaluationForm, read_evaluation)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def human_evaluation_import(request: SignedInRequest) -> HttpResponse:
    """Responses with people's final verdicts, in the shape of the released file."""
    refused = why_hidden(request.user)
    return import_page(request, "wikicontradict/human_evaluation_import.html", HUMAN_EVALUATION, refused=refused)


@role_required(Role.ADMIN)
@names_models
@require_GET
def human_evaluation(request: SignedInRequest) -> HttpResponseBase:
    """Responses with their final verdicts, in the shape of the released file."""
    return files.download("wikicontradict-human-evaluation.json", human_evaluation_chunks(scope_of(request)))
