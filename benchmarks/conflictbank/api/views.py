"""For admins: facts, and the conflicts made of them with their claims, evidence and checks."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.response import Response

from core.api.doors import AdminDoor, gives, lists, takes
from core.api.forms import filled_in
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported
from core.lists.filters import Filters, RowField
from judging.runs.blinding import refuse_names

from ..answers import import_answers
from ..evidence.listing import FactFilters
from ..facts.importing import import_facts
from ..models import Conflict, Fact
from ..questionnaires.truth import refuse_truth
from ..views.forms import AnswersFileForm, FactsFileForm
from .serializers import ConflictOut, FactOut


class Facts(AdminDoor):
    @lists(FactOut, FactFilters)
    def get(self, request: Any) -> Response:
        """Facts with all objects that are true of their subject."""
        refuse_truth(request.user)
        facts = self.filters(FactFilters).facts().select_related("subject", "object", "file")
        return self.page(facts.prefetch_related("true_objects__entity"), "pk", gives=FactOut)


class OneFact(AdminDoor):
    @gives(FactOut)
    def get(self, request: Any, key: UUID) -> Response:
        """One fact."""
        refuse_truth(request.user)
        facts = Fact.objects.select_related("subject", "object", "file")
        return Response(FactOut(get_object_or_404(facts, key=key)).data)


class ConflictFilters(Filters):
    """The filters of conflicts."""

    set = RowField(label="The number of a set of claims")

    def conflicts(self) -> QuerySet[Conflict]:
        found = Conflict.objects.all()
        return found.filter(claim_set=self.chosen["set"]) if self.chosen["set"] else found


def _whole(conflicts: QuerySet[Conflict]) -> QuerySet[Conflict]:
    related = ("claim_set__twins_of", "fact__subject", "template", "object", "replacement")
    return conflicts.select_related(*related).prefetch_related("claims__evidence__checks", "claims__evidence__model")


class Conflicts(AdminDoor):
    @lists(ConflictOut, ConflictFilters)
    def get(self, request: Any) -> Response:
        """Conflicts with their claims, the evidence for these and its checks. Made to mislead."""
        refuse_names(request.user)
        return self.page(_whole(self.filters(ConflictFilters).conflicts()), "pk", gives=ConflictOut)


class OneConflict(AdminDoor):
    @gives(ConflictOut)
    def get(self, request: Any, key: UUID) -> Response:
        """One conflict with its claims, their evidence and its checks. Made to mislead."""
        refuse_names(request.user)
        return Response(ConflictOut(get_object_or_404(_whole(Conflict.objects.all()), key=key)).data)


class ImportAnswers(FileDoor):
    @takes(file_body_of(AnswersFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import answers to the items of a release: JSON Lines with item, condition, order, model, and logprobs or
        text. All of it or nothing.
        """
        given = filled_in(AnswersFileForm, sent)
        how = {"actor": request.user, "check_only": sent["check_only"]}
        return imported(import_answers(given.pop("file"), **given, **how))


class ImportFacts(FileDoor):
    @takes(file_body_of(FactsFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import facts from a table, or from entities of Wikidata. All of it or nothing."""
        given = filled_in(FactsFileForm, sent)
        how = {"actor": request.user, "check_only": sent["check_only"]}
        return imported(import_facts(given.pop("file"), **given, **how))
