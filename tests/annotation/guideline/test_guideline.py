"""The guideline in versions: published by admins, kept with annotations, and told to annotators."""

import json
from hashlib import sha256
from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.guideline.published import published_steps
from annotation.guideline.text import as_html, tidy
from annotation.guideline.versions import latest_version
from annotation.models import Annotation, AnnotationState, GuidelineRead, GuidelineVersion, Mailing
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.files.exports import work_lines
from annotation.releases.freezing import create_release
from annotation.tasks import send_mail
from core.models import Event, User
from tests.annotation.desk_helpers import claim, complete_content, submit
from tests.factories import AnnotationFactory, TagFactory

# Of the HTML of each step, as the program showed it before there were versions.
PUBLISHED = (
    "3c7d59e47875e76d7eaacc0badf12bcda84f3323d35cf9ad3fc4f7a74ba3bfee",
    "31ad557b55487b1911a7603ef1e5e9db643e9ee8ca71969c227ebab59a7f2a1d",
    "fbe5face9d6dd20bb6db52cd1a5f19fc092e4e28607e947a776b3228c6918c3f",
    "ae6ce5c566baa35228f54be52661311ec383389348c9b7e0b74a47427549e53c",
    "ed9b38fd1605e7840f2f528107804d182b37bf782d68e9eb742e9e5b06cf640d",
    "5d4fa44e7814a53ecc79ab80aa2b831eeda76f6072ca5e0de7a14c786a963ad5",
)
EDIT = "/annotation/guideline/edit/"


@pytest.fixture(autouse=True)
def stored(db):
    """Version 1, as the migration stores it: tests with real transactions empty the tables."""
    GuidelineVersion.objects.get_or_create(number=1, defaults=published_steps())


def form(after: int = 1, note: str = "Captions are text.", **changes: str) -> dict[str, str]:
    texts = {f"step_{step}": text for step, text in latest_version().texts.items()}
    return texts | {"after": str(after), "note": note, "publish": "yes"} | changes


def publish(client, text: str = "A **caption** is text.", **more) -> None:
    answer = client.post(EDIT, form(step_4=text, **more))
    assert answer.status_code == 302, answer.content.decode()


def send(client, annotation: Annotation, **more):
    annotation.refresh_from_db()
    body = {"operation": str(uuid4()), "tab": "a", "content": complete_content()} | more
    return client.post(
        f"/annotation/desk/{annotation.pk}/submit/",
        json.dumps(body),
        content_type="application/json",
        headers={"If-Match": str(annotation.version)},
    )


def test_version_1_is_the_published_text_byte_for_byte(db):
    html = [as_html(text) for text in latest_version().texts.values()]
    assert [sha256(each.encode()).hexdigest() for each in html] == list(PUBLISHED)


def test_version_1_is_stored_as_published(db):
    assert GuidelineVersion.objects.get().number == 1
    assert latest_version().texts[6] == published_steps()["step_6"]


def test_an_admin_publishes_a_version_which_the_desk_shows(anna, amir, annotator, admin):
    TagFactory()
    own = claim(annotator)
    address = reverse("desk_annotation", args=[own.pk])
    assert "A caption or list item is text." in anna.get(address).content.decode()
    publish(amir)
    page = anna.get(address).content.decode()
    assert "A <strong>caption</strong> is text." in page
    assert "A caption or list item is text." not in page
    assert 'name="guideline" value="2"' in page
    event = Event.objects.get(action="published_guideline")
    assert (event.actor, event.message, event.after) == (admin, "Captions are text.", {"version": 2, "steps": [4]})


def test_what_is_previewed_is_not_published(amir):
    without = form(step_1="Only *this*.")
    del without["publish"]
    page = amir.post(EDIT, without).content.decode()
    assert "<p>Only <em>this</em>.</p>" in page
    assert GuidelineVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Nothing differs"),
        ({"step_2": " \n\n "}, "has no text"),
        ({"step_2": "x", "note": " "}, "Say what changed"),
        ({"step_2": "x" * 20_001}, "20,000 characters"),
        ({"step_2": "x", "after": "3"}, "was published since"),
        ({"step_2": "x", "after": "no"}, "was published since"),
    ],
)
def test_a_refused_version_keeps_the_text_in_the_form(amir, changes, words):
    answer = amir.post(EDIT, form() | changes)
    assert answer.status_code in (400, 409)
    assert words in answer.content.decode()
    if "step_2" in changes and changes["step_2"].strip():
        assert changes["step_2"] in answer.content.decode()
    assert GuidelineVersion.objects.count() == 1


def test_of_two_who_edit_the_same_version_the_second_is_refused(amir):
    mine = form(step_1="One.")
    publish(amir)
    answer = amir.post(EDIT, mine)
    assert answer.status_code == 409
    assert "One." in answer.content.decode()
    assert latest_version().number == 2


@pytest.mark.postgresql
def test_the_database_refuses_to_change_or_delete_a_version(amir, admin):
    publish(amir)
    for number in (1, 2):
        found = GuidelineVersion.objects.filter(number=number)
        for change in (lambda: found.update(step_1="Other"), lambda: found.update(note="Other"), found.delete):  # noqa: B023
            with pytest.raises(DatabaseError), transaction.atomic():
                change()
    with pytest.raises(DatabaseError), transaction.atomic():
        GuidelineVersion.objects.create(number=3, **published_steps())  # by nobody, without a note


def test_the_version_that_the_page_showed_is_kept_at_submission(anna, amir, annotator):
    TagFactory()
    TagFactory()
    own = claim(annotator)
    publish(amir)  # while the page was open
    assert send(anna, own, guideline="1").status_code == 200
    own.refresh_from_db()
    assert own.guideline_id == 1
    following = claim(annotator)
    assert send(anna, following, guideline="2").status_code == 200
    following.refresh_from_db()
    assert following.guideline_id == 2
    read = anna.get(reverse("desk_annotation", args=[own.pk])).content.decode()
    assert "A caption or list item is text." in read
    assert "version 1" in read


@pytest.mark.parametrize("sent", [{}, {"guideline": "7"}, {"guideline": "x"}, {"guideline": ""}])
def test_a_version_that_is_not_known_is_not_guessed(anna, annotator, sent):
    TagFactory()
    own = claim(annotator)
    assert send(anna, own, **sent).status_code == 200
    own.refresh_from_db()
    assert (own.state, own.guideline_id) == (AnnotationState.SUBMITTED, None)


def test_it_is_kept_without_javascript_too(anna, annotator):
    TagFactory()
    own = claim(annotator)
    sent = complete_content() | {"guideline": "1", "base_version": "0", "operation": str(uuid4())}
    anna.post(f"/annotation/desk/{own.pk}/submit/", sent)
    own.refresh_from_db()
    assert own.guideline_id == 1


def test_the_api_keeps_and_gives_it(anna, annotator):
    TagFactory()
    own = claim(annotator)
    address = f"/api/v1/annotations/{own.pk}/"
    body = json.dumps({"content": complete_content(), "guideline": 1})
    sent = anna.post(f"{address}submit/", body, content_type="application/json", headers={"If-Match": '"0"'})
    assert sent.status_code == 200, sent.content
    assert anna.get(address).json()["guideline"] == 1


def test_annotators_are_told_until_they_have_read_it(anna, rita, amir, annotator):
    TagFactory()
    own = claim(annotator)
    desk = reverse("desk_annotation", args=[own.pk])
    told = "see what is new in version"
    assert told not in anna.get(desk).content.decode()
    publish(amir, "A **map** is text.")
    assert told in anna.get(desk).content.decode()
    changes = anna.get("/annotation/guideline/2/changes/").content.decode()
    assert "<ins>" in changes
    assert "<del>" in changes
    assert "Captions are text." in changes
    assert told not in anna.get(desk).content.decode()
    publish(amir, "A caption is not text.", after=2)
    submit(own)
    assert told in anna.get(reverse("desk")).content.decode()
    anna.get("/annotation/guideline/2/changes/")  # an older one
    assert told in anna.get(reverse("desk")).content.decode()
    anna.get("/annotation/guideline/")
    assert told not in anna.get(reverse("desk")).content.decode()


def test_newcomers_are_not_told_of_what_was_there_before(amir, sign_in):
    from tests.conftest import make_person

    publish(amir)
    late = sign_in(make_person("late", "annotator"))
    assert "see what is new in version" not in late.get(reverse("desk")).content.decode()


def test_annotators_are_mailed_once(amir, annotator, reviewer, admin, settings):
    settings.MAIL_CONFIGURED, settings.SITE_ADDRESS = True, "https://bench.example"
    User.objects.update(mail=User.Mail.AT_ONCE)
    publish(amir)
    assert list(Mailing.objects.values_list("person", "guideline")) == [(annotator.pk, 2)]
    send_mail()
    send_mail()
    (letter,) = mail.outbox
    assert letter.to == [annotator.email]
    assert "https://bench.example/annotation/guideline/2/changes/" in letter.body


def test_who_has_read_it_gets_no_mail(amir, anna, annotator, settings):
    settings.MAIL_CONFIGURED = True
    User.objects.update(mail=User.Mail.AT_ONCE)
    publish(amir)
    anna.get("/annotation/guideline/")
    send_mail()
    assert mail.outbox == []


def test_any_two_versions_can_be_compared(amir):
    publish(amir)
    publish(amir, "A caption is not text.", after=2)
    since_1 = amir.get("/annotation/guideline/3/changes/?since=1").content.decode()
    assert "Compared with version 1" in since_1
    assert "Compared with version 2" in amir.get("/annotation/guideline/3/changes/").content.decode()
    for wrong in ("3", "9", "x", "0"):
        assert amir.get(f"/annotation/guideline/3/changes/?since={wrong}").status_code == 200
    assert amir.get("/annotation/guideline/9/changes/").status_code == 404


def test_only_admins_publish_and_see_the_numbers(anna, rita, ada, amir):
    for client in (anna, rita, ada):
        assert client.post(EDIT, form(step_1="Mine.")).status_code == 403
        page = client.get("/annotation/guideline/").content.decode()
        assert "Annotations</th>" not in page
        assert EDIT not in page
    assert EDIT in amir.get("/annotation/guideline/").content.decode()
    assert GuidelineVersion.objects.count() == 1


def test_markup_of_people_is_text():
    hostile = "<script>alert(1)</script> & **bold <b>** *<i>*\n\n- <img onerror=x>\n\n> <a href=x>"
    html = as_html(hostile)
    assert "<script" not in html
    assert "<img" not in html
    assert "<a" not in html
    assert "<strong>bold &lt;b&gt;</strong>" in html
    assert "<li>&lt;img onerror=x&gt;</li>" in html


def test_stars_that_mark_nothing_stay():
    assert as_html("2 * 3 * 4 and ** here **") == "<p>2 * 3 * 4 and ** here **</p>\n"
    assert tidy("a  \r\nb\r\n\r\n\r\n c \n\n\n") == "a\nb\n\n c"


def test_export_and_datasheet_name_the_versions(amir, admin, annotator, anna):
    TagFactory()
    own = claim(annotator)
    publish(amir)
    send(anna, own, guideline="2")
    lines = [json.loads(line) for line in work_lines()]
    assert [line["guideline"] for line in lines] == [2]
    Annotation.objects.filter(pk=own.pk).update(state=AnnotationState.ACCEPTED)
    AnnotationFactory(state=AnnotationState.ACCEPTED)
    release = create_release(name="first", admin=admin)
    assert release.how_made["guidelines"] == [[None, 1], [2, 1]]
    sheet = markdown(datasheet(release))
    assert "Annotations by version 2 of the guideline | 1" in sheet
    assert "Annotations whose version of the guideline is not known | 1" in sheet


def test_reading_twice_is_one_row(anna, amir, annotator):
    anna.get("/annotation/guideline/")
    assert not GuidelineRead.objects.exists()  # the published text is news to nobody
    publish(amir)
    for _ in range(2):
        anna.get("/annotation/guideline/")
    assert GuidelineRead.objects.filter(person=annotator).count() == 1
