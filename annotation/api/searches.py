"""For admins: searches for untagged contradictions, which a worker does."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import AdminDoor, gives, lists, takes
from core.api.forms import body_of, questionnaire_of
from core.api.problems import Problem
from core.api.uploads import FileDoor
from core.background.works import cancel_work
from core.models import BackgroundWork, User, WorkState
from core.web.files import hand_on

from ..finding.searching import FILES, SEARCH, SearchForm


class SearchOut(serializers.Serializer):
    """A search for untagged contradictions. `done` counts pages, or bytes while its file is read."""

    key = serializers.UUIDField()
    source = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField()
    state = serializers.ChoiceField(WorkState.choices)
    step = serializers.CharField()
    done = serializers.IntegerField()
    of = serializers.IntegerField(allow_null=True)
    lines = serializers.ListField(child=serializers.CharField(), help_text="The result.")
    problem = serializers.CharField(help_text="The reason why it has no result.")
    requested_at = serializers.DateTimeField(source="asked_at")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_source(self, work: BackgroundWork) -> str:
        return work.given["source"][0]

    def get_files(self, work: BackgroundWork) -> list[str]:
        return [file["name"] for file in work.files.values()]


def searches_of(admin: User) -> QuerySet[BackgroundWork]:
    """This person's searches; nobody sees those of others."""
    return BackgroundWork.objects.filter(what=SEARCH.code, asked_by=admin)


class Searches(AdminDoor):
    @lists(SearchOut)
    def get(self, request: Any) -> Response:
        """Your own searches, newest first."""
        return self.page(searches_of(request.user), "-pk", gives=SearchOut)

    @takes(body_of(SearchForm, without=FILES), SearchOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Search articles of a wiki or what is stored here. For a file, see `candidates/searches/files/`."""
        return _begun(request, questionnaire_of(SearchForm, sent))


class SearchFileIn(body_of(SearchForm)):  # type: ignore[misc]
    """A search of a file, with the file."""


class SearchFiles(FileDoor):
    @takes(SearchFileIn, SearchOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Search an XML dump (`source=dump`, with `dump` and `dump_wiki`) or a document (`source=document`)."""
        form = questionnaire_of(SearchForm, sent)
        if form.cleaned_data["source"] not in FILES:
            raise Problem("“source” is “dump” or “document” for a file.", status=400)
        return _begun(request, form)


def _begun(request: Any, form: SearchForm) -> Response:
    files: dict[str, Any] = {name: form.files[name] for name in form.files}
    given = {name: [str(value)] for name, value in form.data.items() if name not in files}
    work = hand_on(SEARCH, given=given, files=files, user=request.user, about={})
    return Response(SearchOut(work).data, status=201)


class OneSearch(AdminDoor):
    @gives(SearchOut)
    def get(self, request: Any, key: UUID) -> Response:
        """A search of yours and its progress."""
        return Response(SearchOut(get_object_or_404(searches_of(request.user), key=key)).data)


class SearchCancel(AdminDoor):
    @takes(None, SearchOut)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Stop a search. The candidates that it stored are kept."""
        work = get_object_or_404(searches_of(request.user), key=key)
        cancel_work(work=work, by=request.user)
        work.refresh_from_db()
        return Response(SearchOut(work).data)
