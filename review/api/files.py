"""For admins: judgments, human evaluations and known verdicts from files."""

from collections.abc import Callable, Mapping
from typing import Any

from django.forms import Form
from rest_framework.response import Response

from core.api.doors import takes
from core.api.forms import filled_in
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported

from ..files.human_evaluation import import_human_evaluation
from ..files.judgment_imports import import_judgments
from ..files.known_verdicts import import_known
from ..forms import CsvForm, HumanEvaluationForm, JudgmentsFileForm


def _imported(rule: Callable[..., Any], form: type[Form], request: Any, sent: Mapping[str, Any]) -> Response:
    given = filled_in(form, sent)
    return imported(rule(given.pop("file"), **given, admin=request.user, check_only=sent["check_only"]))


class ImportJudgments(FileDoor):
    @takes(file_body_of(JudgmentsFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import judgments from CSV: response, reviewer, verdict, comment. All of them or none."""
        return _imported(import_judgments, JudgmentsFileForm, request, sent)


class ImportHumanEvaluation(FileDoor):
    @takes(file_body_of(HumanEvaluationForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import responses with final verdicts in the shape of the released evaluation. All of it or nothing."""
        return _imported(import_human_evaluation, HumanEvaluationForm, request, sent)


class ImportKnownVerdicts(FileDoor):
    @takes(file_body_of(CsvForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import known verdicts, for training and as check items, from CSV: response, use, verdict, explanation."""
        return _imported(import_known, CsvForm, request, sent)
