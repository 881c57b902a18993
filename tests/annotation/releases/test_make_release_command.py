"""A release at the command line: the same function as the page's, and a look before."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Release
from annotation.releases.files.writing import content_hash_of
from core.models import Event
from tests.factories import AnnotationFactory

pytestmark = pytest.mark.django_db


def test_a_release_is_made_with_name_and_notes(capsys):
    AnnotationFactory.create_batch(2)
    call_command("make_release", "First two", "--notes", "A beginning.")
    release = Release.objects.get()
    assert (release.number, release.name, release.notes) == (1, "First two", "A beginning.")
    assert content_hash_of(release) == release.content_hash
    said = capsys.readouterr().out
    assert "Release 1 “First two” is frozen: 2 tags, 2 instances." in said
    assert release.content_hash in said
    assert Event.objects.about(release).get().action == "released"


def test_a_dry_run_shows_the_counts_and_freezes_nothing(capsys):
    AnnotationFactory.create_batch(2)
    call_command("make_release", "First", "--dry-run")
    assert "It would hold 2 tags, 2 instances.\nNothing was frozen." in capsys.readouterr().out
    assert not Release.objects.exists()
    call_command("make_release", "First")
    AnnotationFactory()
    capsys.readouterr()
    call_command("make_release", "Second", "--dry-run")
    said = capsys.readouterr().out
    assert "It would hold 3 tags, 3 instances." in said
    assert "Compared with release 1: 1 tag more, 0 fewer, 0 changed; 1 instance more, 0 fewer." in said
    assert Release.objects.count() == 1


def test_what_the_page_refuses_the_command_refuses():
    with pytest.raises(CommandError, match="nothing to release"):
        call_command("make_release", "Empty")
    AnnotationFactory()
    with pytest.raises(CommandError, match="needs a name"):
        call_command("make_release", " ")
    call_command("make_release", "First")
    with pytest.raises(CommandError, match="Nothing changed since release 1"):
        call_command("make_release", "Again")
