"""Mail about mentions, answers and returns: to whom, when, what it says, and after a crash."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import mark_read, write_comment
from annotation.desk.decisions import return_annotation
from annotation.mailing import sending, waiting
from annotation.models import Annotation, Assignment, Comment, Mailing, MailState
from annotation.tasks import send_mail
from core.models import User
from tests.annotation.desk_helpers import claim, submit
from tests.factories import TagFactory

SECRET = "It opened in 1899, look at the talk page"


@pytest.fixture(autouse=True)
def mails(settings):
    settings.MAIL_CONFIGURED = True
    settings.SITE_ADDRESS = "https://bench.example/"


def choose(person: User, when: str) -> User:
    User.objects.filter(pk=person.pk).update(mail=when, email=f"{person.username}@example.org")
    person.refresh_from_db()
    return person


@pytest.fixture
def anna(annotator) -> User:
    return choose(annotator, User.Mail.AT_ONCE)


@pytest.fixture
def rita(reviewer) -> User:
    return choose(reviewer, User.Mail.AT_ONCE)


@pytest.fixture
def submitted(anna) -> Annotation:
    TagFactory(article__title="Velm Bridge")
    draft = claim(anna)
    submit(draft)
    draft.refresh_from_db()
    return draft


def say(annotation: Annotation, person: User, text: str = SECRET) -> Comment:
    return write_comment(topic=AboutAnnotation(annotation), person=person, text=text)


def later(**more) -> datetime:
    return timezone.now() + timedelta(**more)


def states() -> list[str]:
    return list(Mailing.objects.values_list("state", flat=True))


def test_a_comment_and_a_mention_are_mailed_at_once_without_their_text(submitted, anna, rita):
    say(submitted, rita)
    say(submitted, anna, f"@{rita.username} {SECRET}")
    send_mail()
    assert sorted(letter.to[0] for letter in mail.outbox) == ["anna@example.org", f"{rita.username}@example.org"]
    for letter in mail.outbox:
        assert "Velm Bridge" in letter.body
        assert "https://bench.example/annotation/comments/" in letter.body
        assert "1899" not in letter.body + letter.subject
    send_mail()
    assert len(mail.outbox) == 2


def test_a_returned_annotation_is_mailed_without_the_message(submitted, rita):
    return_annotation(annotation=submitted, reviewer=rita, message=SECRET)
    send_mail()
    (letter,) = mail.outbox
    assert letter.subject.startswith("An annotation was returned to you: “Velm Bridge”")
    assert "1899" not in letter.body


def test_without_an_address_of_the_site_it_says_where_to_look(submitted, rita, settings):
    settings.SITE_ADDRESS = ""
    say(submitted, rita)
    send_mail()
    assert "“Questions”" in mail.outbox[0].body
    assert "http" not in mail.outbox[0].body


@pytest.mark.parametrize("when", [User.Mail.NEVER, User.Mail.DAILY])
def test_what_is_not_wanted_at_once_does_not_go_out_at_once(when, submitted, anna, rita):
    choose(anna, when)
    say(submitted, rita)
    send_mail()
    assert mail.outbox == []
    assert len(states()) == (when == User.Mail.DAILY)


def test_nothing_is_written_down_where_mail_is_not_set_up_or_a_person_has_no_address(submitted, anna, rita, settings):
    User.objects.filter(pk=anna.pk).update(email="")
    say(submitted, rita)
    User.objects.filter(pk=anna.pk).update(email="anna@example.org")
    settings.MAIL_CONFIGURED = False
    say(submitted, rita)
    assert states() == []


def test_a_digest_has_all_of_a_day_in_one_letter(submitted, anna, rita):
    choose(anna, User.Mail.DAILY)
    for _ in range(3):
        say(submitted, rita)
    tomorrow = waiting.last_digest(timezone.now()) + timedelta(days=1, minutes=1)
    assert not sending.send_to(anna.pk, tomorrow - timedelta(minutes=2))
    assert sending.send_to(anna.pk, tomorrow)
    (letter,) = mail.outbox
    assert letter.subject.startswith("3 things for you to read")
    assert letter.body.count("Velm Bridge") == 3


@pytest.mark.parametrize(("hour", "day"), [(6, 17), (7, 18), (23, 18)])
def test_the_digest_goes_out_at_its_hour(hour, day):
    assert waiting.last_digest(datetime(2026, 11, 18, hour, tzinfo=UTC)) == datetime(2026, 11, day, 7, tzinfo=UTC)


def test_a_new_choice_holds_for_what_waits(submitted, anna, rita):
    choose(anna, User.Mail.DAILY)
    say(submitted, rita)
    choose(anna, User.Mail.AT_ONCE)
    send_mail()
    assert len(mail.outbox) == 1
    say(submitted, rita)
    choose(anna, User.Mail.NEVER)
    send_mail()
    assert len(mail.outbox) == 1
    assert states() == [MailState.SENT, MailState.NOT_NEEDED]


def test_what_was_read_before_is_not_mailed(submitted, anna, rita):
    say(submitted, rita)
    mark_read(person=anna)
    send_mail()
    assert (mail.outbox, states()) == ([], [MailState.NOT_NEEDED])


def test_nothing_is_mailed_to_whoever_is_blind_to_the_tag_by_now(submitted, anna, rita, other_annotator):
    """A mention of a reviewer who has become an annotator of the tag before the letter went out."""
    from django.contrib.auth.models import Group

    say(submitted, anna, f"@{rita.username} look")
    rita.groups.add(Group.objects.get_or_create(name="annotator")[0])
    Annotation.objects.create(tag=submitted.tag, annotator=rita)
    Assignment.objects.create(
        tag=submitted.tag, number=2, annotator=rita, claimed_at=timezone.now(), lease_expires_at=later(minutes=5)
    )
    send_mail()
    assert (mail.outbox, states()) == ([], [MailState.NOT_NEEDED])


# --- crashes ------------------------------------------------------------------------------------------------------


def test_two_workers_send_one_letter(submitted, anna, rita):
    say(submitted, rita)
    now = timezone.now()
    assert waiting.claim_letter(anna.pk, now)
    assert waiting.claim_letter(anna.pk, now) is None
    assert not sending.send_to(anna.pk, now)


def test_a_worker_that_dies_before_it_sends_loses_nothing(submitted, anna, rita):
    say(submitted, rita)
    waiting.claim_letter(anna.pk, timezone.now())
    assert sending.send_to(anna.pk, later(minutes=3))
    assert not sending.send_to(anna.pk, later(minutes=9))
    assert len(mail.outbox) == 1


def test_a_worker_that_dies_after_it_sent_sends_the_same_letter_which_shows_once(submitted, anna, rita, monkeypatch):
    say(submitted, rita)
    post = sending._post

    def dies(*arguments):
        post(*arguments)
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(sending, "_post", dies)
        with pytest.raises(SystemExit):
            sending.send_to(anna.pk, timezone.now())
    say(submitted, rita)  # what comes later does not get into that letter
    sending.send_to(anna.pk, later(minutes=3))
    first, second = mail.outbox
    assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]
    assert first.body == second.body


def test_a_server_that_fails_is_asked_again_and_given_up_in_the_end(submitted, anna, rita, monkeypatch):
    say(submitted, rita)
    now = timezone.now()

    def refuse(self, *arguments, **more):
        raise OSError("no route")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    for _ in range(sending.MOST_TRIES):
        assert states() == [MailState.WAITING]
        sending.send_to(anna.pk, now)
        assert not sending.send_to(anna.pk, now + timedelta(seconds=30)), "it waits"
        now += timedelta(hours=7)
    assert states() == [MailState.FAILED]


def test_old_rows_are_forgotten_and_waiting_ones_are_not(submitted, anna, rita):
    say(submitted, rita)
    send_mail()
    say(submitted, rita)
    Mailing.objects.update(created_at=timezone.now() - timedelta(days=61))
    waiting.forget_old(timezone.now())
    assert states() == [MailState.WAITING]


@pytest.mark.parametrize("values", [{}, {"state": "sent"}, {"again": True}], ids=["nothing", "no time", "twice"])
def test_the_database_refuses_mail_that_cannot_be(values, submitted, anna, rita):
    comment = say(submitted, rita)
    whole = {"person": rita, "comment": comment} if "state" in values else {"person": anna}
    if values.pop("again", False):
        whole["comment"] = comment
    with pytest.raises(IntegrityError), transaction.atomic():
        Mailing.objects.create(**whole | values)


# --- the account page -----------------------------------------------------------------------------------------------


def test_each_person_chooses_on_the_page_of_the_account(anna, sign_in, settings):
    client = sign_in(anna)
    assert "Once a day, in one email" in client.get("/account/").content.decode()
    assert client.post("/account/mail/", {"mail": "never"}).status_code == 302
    anna.refresh_from_db()
    assert anna.mail == User.Mail.NEVER
    assert client.post("/account/mail/", {"mail": "hourly"}).status_code == 400
    settings.MAIL_CONFIGURED = False
    assert "Once a day, in one email" not in client.get("/account/").content.decode()
