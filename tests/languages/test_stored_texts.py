"""Texts of the program that are stored: readers see them in their own language, programs and files in English."""

import json
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone, translation

from annotation import evidence
from annotation.models import CounterpartOffer, Harvest, HarvestProblem, WatchResult, WatchState
from annotation.releases.files.work_export import work_record
from benchmarks.conflictbank.facts.templates import PROBLEMS, published
from core.languages import figure, joined, say, say_count, say_date, say_in, translated
from core.languages.kept import as_column, from_column, kept, said
from core.models import User
from core.words import joined_names, plural
from tests.annotation.assisting.test_counterparts import WIKITEXT
from tests.annotation.desk_helpers import claim
from tests.conftest import signed_in
from tests.factories import TagFactory


def in_german(text: str) -> str:
    with translation.override("de"):
        return translated(text)


TEXTS = (
    say("the first text"),
    say("passage {position}", position=2),
    say("The article no longer has {texts} as found.", texts=joined_names([say("the first text"), "Rom", "x"])),
    say_count(2, "{count:,} tag", "{count:,} tags"),
    plural(1_500, "tag", most=1_000),
    joined([say("Failed"), figure("1,234")], ", "),
    say_in("in a list of texts", "the tagged paragraph"),
    say("{host} cannot be reached: {reason}.", host="a", reason=ValueError(say("no answer"))),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_stored_text_comes_back_in_both_languages(text):
    for again in (said(json.loads(json.dumps(kept(text)))), from_column(as_column(text))):
        assert again == text
        assert in_german(again) == in_german(text)


def test_a_text_with_values_that_json_cannot_hold_is_kept_in_english():
    assert kept(say("of {day}", day=date(2026, 1, 5))) == "of 2026-01-05"
    assert kept(joined(["on", say_date(date(2026, 1, 5))]))["made"][1][0] == ["on", "5 Jan 2026"]
    assert as_column(say("passage {position}", position=2), most=20) == "passage 2"


def test_texts_of_other_programs_stay_as_they_are():
    for text in ("", "Rome", '{"made": no JSON', '{"other": 1}'):
        assert (from_column(as_column(text)), in_german(from_column(text))) == (text, text)


def german(person: User):
    User.objects.filter(pk=person.pk).update(language="de")
    return signed_in(User.objects.get(pk=person.pk))


@pytest.fixture
def draft(annotator):
    tag = TagFactory(
        article__title="Harbour Bridge",
        article__wikitext=WIKITEXT,
        article__wiki__is_allowed=False,
        paragraph="The bridge was opened to traffic in 1899.{{Inconsistent|date=May 2024}} Its deck is of steel.",
        paragraph_clean="The bridge was opened to traffic in 1899. Its deck is of steel.",
        section="Opening",
    )
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    return claim(annotator)


def reasons(client, draft) -> list[str]:
    answer = client.post(reverse("desk_counterparts", args=[draft.pk]), "{}", content_type="application/json")
    return [each["reason"] for each in answer.json()["counterparts"]]


def test_reasons_of_counterparts_are_in_the_readers_language(draft, anna, annotator):
    assert reasons(anna, draft)[0] == "1899 ≠ 1903, other date"
    before = work_record(draft)["counterparts"]["shown"]
    assert reasons(german(annotator), draft)[0] == "1899 ≠ 1903, anderes Datum"
    assert before[0]["reason"] == "1899 ≠ 1903, other date"
    assert json.dumps(work_record(draft)["counterparts"]["shown"]) == json.dumps(before)


def test_reasons_that_were_stored_as_english_texts_still_show(draft, anna, annotator):
    reasons(anna, draft)
    offer = CounterpartOffer.objects.get()
    old = ["near the tag", "1899 ≠ 1903, other date"]
    shown = [offer.shown[0] | {"reason": reason} for reason in old]
    CounterpartOffer.objects.update(shown=shown)
    assert reasons(anna, draft) == old
    assert reasons(german(annotator), draft) == ["nahe der Markierung", old[1]]


def test_what_the_watch_found_is_in_the_readers_language(draft, annotator):
    message = say(
        "The tag is still there, but the article no longer says {texts} as it did.",
        texts=joined_names(
            [say("passage {position}", position=1), say_in("in a list of texts", "the tagged paragraph")]
        ),
    )
    WatchResult.objects.create(tag=draft.tag, state=WatchState.CHANGED, message=message, revision_id=1)
    english = "The tag is still there, but the article no longer says passage 1 and the tagged paragraph as it did."
    assert WatchResult.objects.get().message == english
    page = german(annotator).get(reverse("desk_annotation", args=[draft.pk])).text
    assert "im Artikel steht nicht mehr wie zuvor: Textstelle 1 und der markierte Absatz." in page


def test_findings_of_before_still_show(draft, annotator):
    old = ["The tag is no longer in the article; the passages are still there.", "The article no longer says this."]
    for message in old:
        WatchResult.objects.create(tag=draft.tag, state=WatchState.UNKNOWN)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE annotation_watchresult SET message = %s", [message])
        assert WatchResult.objects.last().message == message
    assert old[1] in german(annotator).get(reverse("desk_annotation", args=[draft.pk])).text


def test_problems_of_a_harvest_are_in_the_readers_language(admin):
    error = say("Reading it took longer than {seconds:g} seconds.", seconds=1.5)
    harvest = Harvest.objects.create(
        source="dump",
        parameters={"file_name": "a.xml"},
        state="failed",
        requested_by=admin,
        finished_at=timezone.now(),
        error=error,
    )
    reason = say("It was skipped: {reason}.", reason=say("it has no page number"))
    HarvestProblem.objects.create(harvest=harvest, title="Rom", reason=reason)
    assert HarvestProblem.objects.get().reason == "It was skipped: it has no page number."
    page = german(admin).get(reverse("harvest", args=[harvest.pk])).text
    assert "Übersprungen: sie hat keine Seitennummer." in page
    assert "Das Lesen dauerte länger als 1,5 Sekunden." in page


def test_findings_of_the_doctor_are_german_on_the_page_and_english_at_a_terminal(admin, capsys):
    page = german(admin).get(reverse("doctor")).text
    assert "Alle Migrationen sind angewendet" in page
    with pytest.raises(CommandError):  # no worker runs here
        call_command("doctor", offline=True)
    assert "All migrations are applied" in capsys.readouterr().out


def test_the_problems_of_published_templates_of_relations_have_their_german():
    assert {each["problem"] for each in published() if each["problem"]} == set(PROBLEMS)
    assert in_german(PROBLEMS[0]) == "Sie liest die Relation gegen ihre Richtung in Wikidata."
