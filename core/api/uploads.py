"""Files uploaded by programs, as multipart: read by the same imports as those of the pages and commands."""

from django import forms
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from ..files.imports import FileImport
from .doors import AdminDoor, Sent
from .forms import body_of
from .problems import Problem

MOST_LINES = 1_000


class FileDoor(AdminDoor):
    """An address for admins that takes a file."""

    parser_classes = (MultiPartParser,)


def file_body_of(form: type[forms.Form]) -> type[Sent]:
    """The body for a form with a file; with `check_only` nothing is written."""
    check_only = serializers.BooleanField(default=False, help_text="Only report what an import would do.")
    body = body_of(form)
    return type(body.__name__, (body,), {"check_only": check_only, "__doc__": body.__doc__})


class BadRowOut(serializers.Serializer):
    """A row that cannot be imported."""

    line = serializers.IntegerField()
    problem = serializers.CharField()


class ImportOut(serializers.Serializer):
    """The result of an import or, if it was only checked, of a check. `there` counts the records that were here
    already.
    """

    check_only = serializers.BooleanField()
    new = serializers.IntegerField()
    there = serializers.IntegerField()
    lines = serializers.ListField(child=serializers.CharField())
    bad = BadRowOut(many=True)


def imported(found: FileImport) -> Response:
    """The answer. Raises Problem (400) if rows were bad, so that nothing was written."""
    rows = getattr(found, "bad", [])[:MOST_LINES]
    lines = list(found.lines())[:MOST_LINES]
    if rows and not found.check_only:
        errors = [{"detail": f"Line {line}: {problem}"} for line, problem in rows]
        raise Problem(lines[-1], status=400, errors=errors)
    bad = [{"line": line, "problem": problem} for line, problem in rows]
    shown = {"check_only": found.check_only, "new": found.new, "there": found.there, "lines": lines, "bad": bad}
    return Response(ImportOut(shown).data)
