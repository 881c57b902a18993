"""Many ask, or save, in the same instant: each tag goes to one person, and one save of a version is accepted."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from annotation.desk.assignments.assignment import claim_next_tag
from annotation.desk.drafts.drafts import save_draft
from annotation.models import Annotation
from core.models import User
from tests.annotation.desk_helpers import claim, complete_content
from tests.conftest import make_person
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(people: list[User], act) -> list:
    """`act(person)` for all of them in the same instant, each on a connection of their own."""
    barrier = Barrier(len(people))

    def run(person):
        try:
            barrier.wait()
            return act(person)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(run, people))


@pytest.mark.parametrize("tags", [50, 20])
def test_of_fifty_who_ask_at_once_each_gets_a_tag_of_their_own_while_there_are_any(tags):
    people = [make_person(f"annotator{n}", "annotator") for n in range(50)]
    TagFactory.create_batch(tags)
    got = at_once(people, lambda person: claim_next_tag(annotator=person))
    claimed = [annotation.tag_id for annotation in got if annotation]
    assert len(claimed) == len(set(claimed)) == tags


def test_one_person_who_asks_in_five_tabs_at_once_gets_one_tag():
    person = make_person("anna", "annotator")
    TagFactory.create_batch(5)
    got = at_once([person] * 5, lambda person: claim_next_tag(annotator=person))
    assert len({annotation.pk for annotation in got}) == 1


def test_of_ten_saves_from_one_version_at_once_one_is_accepted_and_nine_are_kept():
    person = make_person("anna", "annotator")
    TagFactory()
    draft = claim(person)
    contents = iter([complete_content(valid_comment=str(n)) for n in range(10)])
    results = at_once(
        [person] * 10,
        lambda person: save_draft(
            annotation=Annotation.objects.get(pk=draft.pk),
            annotator=person,
            content=next(contents),
            base_version=0,
            operation=uuid4(),
        ),
    )
    assert sum(result.is_saved for result in results) == 1
    assert draft.saves.count() == 10


def test_the_same_save_sent_five_times_at_once_is_one_save():
    person = make_person("anna", "annotator")
    TagFactory()
    draft = claim(person)
    operation = uuid4()
    results = at_once(
        [person] * 5,
        lambda person: save_draft(
            annotation=Annotation.objects.get(pk=draft.pk),
            annotator=person,
            content=complete_content(),
            base_version=0,
            operation=operation,
        ),
    )
    assert {(result.is_saved, result.version) for result in results} == {(True, 1)}
    assert draft.saves.count() == 1
