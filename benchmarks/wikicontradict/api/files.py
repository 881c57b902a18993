"""For admins: human evaluations from files."""

from collections.abc import Mapping

from rest_framework.response import Response

from core.api.doors import takes
from core.api.uploads import FileDoor, ImportOut, file_body_of
from review.api.files import imported_by

from ..forms import HumanEvaluationForm
from ..human_evaluation.importing import import_human_evaluation


class ImportHumanEvaluation(FileDoor):
    @takes(file_body_of(HumanEvaluationForm), ImportOut)
    def post(self, request: object, sent: Mapping[str, object]) -> Response:
        """Import responses with final verdicts in the shape of the released evaluation. All of it or nothing."""
        return imported_by(import_human_evaluation, HumanEvaluationForm, request, sent)
