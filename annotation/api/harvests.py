"""For admins: harvests, and files with annotations."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import AdminDoor, gives, lists, takes
from core.api.forms import body_of, filled_in, questionnaire_of
from core.api.problems import Problem
from core.api.serializers import Username
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported
from core.waking import wake

from .. import tasks
from ..harvesting.forms import HarvestForm
from ..harvesting.harvests import cancel_harvest, resume_harvest
from ..models import Harvest, HarvestSource, HarvestState
from ..releases.files.imports import import_records
from ..views.harvests import start
from ..views.imports import ImportForm

FILES = ("dump", "tasks")
# Where an uploaded file lies on the server is told to nobody.
UNTOLD = {"path"}


class HarvestProblemOut(serializers.Serializer):
    """A page that could not be used."""

    title = serializers.CharField()
    reason = serializers.CharField()


class HarvestOut(serializers.Serializer):
    """A harvest in the list."""

    id = serializers.IntegerField(source="pk")
    source = serializers.ChoiceField(HarvestSource.choices)
    wiki = serializers.CharField(source="wiki.host", allow_null=True, default=None)
    parameters = serializers.SerializerMethodField()
    state = serializers.ChoiceField(HarvestState.choices)
    error = serializers.CharField()
    can_resume = serializers.BooleanField(
        help_text="False if its file is damaged: a resumed harvest would stop there again."
    )
    articles_total = serializers.IntegerField(allow_null=True)
    articles_seen = serializers.IntegerField()
    articles_new = serializers.IntegerField()
    tags_found = serializers.IntegerField()
    tags_new = serializers.IntegerField()
    tags_gone = serializers.IntegerField()
    requested_by = Username()
    requested_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_parameters(self, harvest: Harvest) -> dict[str, Any]:
        return {name: value for name, value in harvest.parameters.items() if name not in UNTOLD}


class WholeHarvestOut(HarvestOut):
    """A harvest with the first 500 pages that it could not use."""

    problems = serializers.SerializerMethodField()

    def get_problems(self, harvest: Harvest) -> list[dict[str, str]]:
        return HarvestProblemOut(harvest.problems.all()[:500], many=True).data


def _whole(pk: int, *, status: int = 200) -> Response:
    found = Harvest.objects.select_related("wiki", "requested_by").defer("cursor")
    return Response(WholeHarvestOut(get_object_or_404(found, pk=pk)).data, status=status)


class Harvests(AdminDoor):
    @lists(HarvestOut)
    def get(self, request: Any) -> Response:
        """All harvests, newest first."""
        rows = Harvest.objects.select_related("wiki", "requested_by").defer("cursor")
        return self.page(rows, "-pk", gives=HarvestOut)

    @takes(body_of(HarvestForm, without=FILES), WholeHarvestOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Harvest a wiki: the worker begins immediately. For a file, see `harvests/files/`."""
        return _begun(request, questionnaire_of(HarvestForm, sent))


class HarvestFileIn(body_of(HarvestForm)):  # type: ignore[misc]
    """A harvest of a file, with the file."""


class HarvestFiles(FileDoor):
    @takes(HarvestFileIn, WholeHarvestOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Harvest a file: an XML dump (`source=dump`, with `dump` and `dump_wiki`) or tasks (`source=tasks`)."""
        form = questionnaire_of(HarvestForm, sent)
        if not form.is_file:
            raise Problem("“source” is “dump” or “tasks” for a file.", status=400)
        return _begun(request, form)


def _begun(request: Any, form: HarvestForm) -> Response:
    harvest = start(form, request.user)
    wake(tasks.run_harvest, harvest.pk)
    return _whole(harvest.pk, status=201)


class OneHarvest(AdminDoor):
    @gives(WholeHarvestOut)
    def get(self, request: Any, pk: int) -> Response:
        """A harvest and its progress."""
        return _whole(pk)


class HarvestCancel(AdminDoor):
    @takes(None, WholeHarvestOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Stop a harvest for good. Its stored results are kept."""
        cancel_harvest(harvest=get_object_or_404(Harvest, pk=pk), by=request.user)
        return _whole(pk)


class HarvestResume(AdminDoor):
    @takes(None, WholeHarvestOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Resume a harvest that was stopped by an error, unless `can_resume` is false."""
        resume_harvest(harvest=get_object_or_404(Harvest, pk=pk), by=request.user)
        wake(tasks.run_harvest, pk)
        return _whole(pk)


class ImportAnnotations(FileDoor):
    @takes(file_body_of(ImportForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Import a file of the paper's JSON: its annotations count as accepted. All of it or nothing."""
        given = filled_in(ImportForm, sent)
        return imported(import_records(given.pop("file"), admin=request.user, check_only=sent["check_only"], **given))
