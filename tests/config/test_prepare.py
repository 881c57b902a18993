"""A first start brings people and articles to try; one cut short is finished by the next, a later one adds none."""

import pytest
from django.core.management import call_command

from annotation.models import Harvest, Tag
from core.accounts.sample_people import make_demo_people
from core.models import User

pytestmark = pytest.mark.django_db


def test_a_first_start_brings_people_and_tags():
    call_command("prepare")
    assert User.objects.count() == 6
    assert Tag.objects.count() >= 10


def test_a_second_start_changes_nothing():
    call_command("prepare")
    before = (User.objects.count(), Tag.objects.count(), Harvest.objects.count())
    call_command("prepare")
    assert (User.objects.count(), Tag.objects.count(), Harvest.objects.count()) == before


def test_an_interrupted_first_start_is_finished():
    make_demo_people()
    call_command("prepare")
    assert Tag.objects.exists()


def test_a_project_with_its_own_people_gets_no_samples(admin):
    call_command("prepare")
    assert list(User.objects.all()) == [admin]
    assert not Tag.objects.exists()
