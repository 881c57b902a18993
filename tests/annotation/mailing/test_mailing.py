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
from core.leaving.own_data import data_of
from core.models import MailChoice, User
from core.notices.mail import mail_choices, mail_for, set_mail
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


@pytest.mark.parametrize("address", ["https://bench.example/", ""])
def test_a_letter_is_in_the_language_of_its_reader(submitted, anna, rita, settings, address):
    settings.SITE_ADDRESS = address
    User.objects.filter(pk=anna.pk).update(language="de")
    say(submitted, rita)
    say(submitted, anna, f"@{rita.username} {SECRET}")
    send_mail()
    letters = {letter.to[0]: letter for letter in mail.outbox}
    german, english = letters["anna@example.org"], letters[f"{rita.username}@example.org"]
    assert german.subject.startswith(f"{rita} hat Ihre Annotation kommentiert: „Velm Bridge“")
    assert "wie oft Sie diese E-Mails bekommen" in german.body
    assert "Choose" not in german.body
    assert english.subject.startswith(f"{anna} mentions you: “Velm Bridge”")
    assert "Choose how often you get these emails on your account page" in english.body


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


# --- by kind --------------------------------------------------------------------------------------------------------


def test_each_kind_goes_out_when_its_reader_wants_it(submitted, anna, rita):
    """Returns at once, comments in the digest, mentions never."""
    choose(anna, User.Mail.NEVER)
    set_mail(person=anna, mail="never", kinds={"returned": "at_once", "comment": "daily"})
    say(submitted, rita)
    say(submitted, rita, f"@{anna.username} look")
    return_annotation(annotation=submitted, reviewer=rita, message=SECRET)
    assert sorted(Mailing.objects.values_list("kind", flat=True)) == ["comment", "returned"]
    send_mail()
    (letter,) = mail.outbox
    assert letter.subject.startswith("An annotation was returned to you")
    tomorrow = waiting.last_digest(timezone.now()) + timedelta(days=1, minutes=1)
    assert sending.send_to(anna.pk, tomorrow)
    assert not sending.send_to(anna.pk, tomorrow)
    assert "commented on your annotation" in mail.outbox[1].body
    assert states() == [MailState.SENT] * 2


def test_a_new_choice_for_a_kind_holds_for_what_waits(submitted, anna, rita):
    choose(anna, User.Mail.DAILY)
    say(submitted, rita)
    set_mail(person=anna, mail="daily", kinds={"comment": "never"})
    send_mail()
    assert (mail.outbox, states()) == ([], [MailState.NOT_NEEDED])
    set_mail(person=anna, mail="daily", kinds={"comment": ""})
    say(submitted, rita)
    assert states() == [MailState.NOT_NEEDED, MailState.WAITING]


def test_a_digest_whose_worker_was_killed_goes_out_once(submitted, anna, rita):
    choose(anna, User.Mail.DAILY)
    say(submitted, rita)
    tomorrow = waiting.last_digest(timezone.now()) + timedelta(days=1, minutes=1)
    assert waiting.claim_letter(anna.pk, tomorrow)  # and then it was killed
    assert not sending.send_to(anna.pk, tomorrow)
    assert sending.send_to(anna.pk, tomorrow + timedelta(minutes=3))
    assert not sending.send_to(anna.pk, tomorrow + timedelta(days=3))
    assert len(mail.outbox) == 1


def test_rows_from_before_kinds_follow_the_general_choice(submitted, anna, rita):
    Mailing.objects.create(person=anna, comment=say(submitted, anna))
    set_mail(person=anna, mail="never", kinds={"comment": "at_once"})
    send_mail()
    assert (mail.outbox, states()) == ([], [MailState.NOT_NEEDED])


@pytest.mark.parametrize("values", [{"kind": ""}, {"mail": "hourly"}, {"again": True}])
def test_the_database_refuses_choices_that_cannot_be(anna, values):
    whole = {"person": anna, "kind": "comment", "mail": "daily"}
    if values.pop("again", False):
        MailChoice.objects.create(**whole)
    with pytest.raises(IntegrityError), transaction.atomic():
        MailChoice.objects.create(**whole | values)


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


def test_each_kind_has_a_choice_of_its_own_on_the_page(anna, sign_in, settings):
    client = sign_in(anna)
    page = client.get("/account/").content.decode()
    for kind in ("mention", "answer", "reply", "comment", "returned", "guideline"):
        assert f'name="mail_{kind}"' in page
    sent = {"mail": "daily", "mail_returned": "at_once", "mail_comment": "never", "mail_mention": ""}
    assert client.post("/account/mail/", sent).status_code == 302
    anna.refresh_from_db()
    assert [mail_for(anna)[kind] for kind in ("returned", "comment", "mention")] == ["at_once", "never", "daily"]
    client.post("/account/mail/", {"mail": "never"})  # an older page, without the kinds
    assert mail_choices(anna) == {"returned": "at_once", "comment": "never"}
    client.post("/account/mail/", {"mail": "never", "mail_returned": "", "mail_comment": ""})
    assert mail_choices(anna) == {}
    assert client.post("/account/mail/", {"mail": "never", "mail_returned": "hourly"}).status_code == 400
    settings.MAIL_CONFIGURED = False
    page = client.get("/account/").content.decode()
    assert "This site sends no emails" in page
    assert "mail_returned" not in page


def test_the_choices_are_in_the_persons_own_data(anna, sign_in):
    set_mail(person=anna, mail="daily", kinds={"returned": "never"})
    assert data_of(anna, reader=anna)["account"]["mail_by_kind"] == {"returned": "never"}
