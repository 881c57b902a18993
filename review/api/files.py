"""For admins: judgments, human evaluations and known verdicts from files."""

from collections.abc import Mapping
from typing import Any

from rest_framework.response import Response

from core.api.doors import takes
from core.api.forms import filled_in
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported

from ..files.human_evaluation import import_human_evaluation
from ..files.judgment_imports import import_judgments
from ..files.known_verdicts import import_known
from ..forms import CsvForm, HumanEvaluationForm, JudgmentsFileForm


class ImportJudgments(FileDoor):
    @takes(file_body_of(JudgmentsFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import judgments from CSV: response, reviewer, verdict, comment. All of them or none."""
        given = filled_in(JudgmentsFileForm, sent)
        return imported(
            import_judgments(given.pop("file"), **given, admin=request.user, check_only=sent["check_only"])
        )


class ImportHumanEvaluation(FileDoor):
    @takes(file_body_of(HumanEvaluationForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import responses with final verdicts in the shape of the released evaluation. All of it or nothing."""
        file = filled_in(HumanEvaluationForm, sent)["file"]
        return imported(import_human_evaluation(file, admin=request.user, check_only=sent["check_only"]))


class ImportKnownVerdicts(FileDoor):
    @takes(file_body_of(CsvForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import known verdicts, for training and as check items, from CSV: response, use, verdict, explanation."""
        file = filled_in(CsvForm, sent)["file"]
        return imported(import_known(file, admin=request.user, check_only=sent["check_only"]))
