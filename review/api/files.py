"""For admins: judgments and known verdicts from files."""

from collections.abc import Callable, Mapping
from typing import Any

from django.forms import Form
from rest_framework.response import Response

from core.api.doors import takes
from core.api.forms import filled_in
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported

from ..files.judgment_imports import import_judgments
from ..files.known_verdicts import import_known
from ..forms import CsvForm, JudgmentsFileForm


def imported_by(rule: Callable[..., Any], form: type[Form], request: Any, sent: Mapping[str, Any]) -> Response:
    """The answer to a file that a form takes and a rule imports."""
    given = filled_in(form, sent)
    return imported(rule(given.pop("file"), **given, admin=request.user, check_only=sent["check_only"]))


class ImportJudgments(FileDoor):
    @takes(file_body_of(JudgmentsFileForm), ImportOut)
    def post(self, request: object, sent: Mapping[str, object]) -> Response:
        """Import judgments from CSV: response, reviewer, verdict, comment. All of them or none."""
        return imported_by(import_judgments, JudgmentsFileForm, request, sent)


class ImportKnownVerdicts(FileDoor):
    @takes(file_body_of(CsvForm), ImportOut)
    def post(self, request: object, sent: Mapping[str, object]) -> Response:
        """Import known verdicts, for training and as check items, from CSV: response, use, verdict, explanation."""
        return imported_by(import_known, CsvForm, request, sent)
