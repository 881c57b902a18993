"""Texts that are made to mislead never come into an annotator's draft, through whichever door."""

import io
import json

import pytest
from django.apps import apps
from django.core.management import CommandError
from django.db import models
from django.urls import reverse

from annotation.assisting.model_suggestions import models_that_suggest
from annotation.models import Annotation, Instance, ModelSuggestion, Tag
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence.generation import DESCRIPTIONS, EVIDENCE, PATTERN_LABEL
from benchmarks.conflictbank.items import CLAIM, KINDS
from benchmarks.conflictbank.items import EVIDENCE as TEXT_OF
from benchmarks.conflictbank.models import Claim, Evidence
from core.models import Event, Project
from judging.models import LanguageModel
from tests.annotation.desk_helpers import complete_content, save
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import numbered
from tests.conflictbank.making.test_evidence import check, write
from tests.factories.conflictbank import bring_in, row
from tests.factories.judging import work
from tests.judging.suggestions.suggesting import Desk

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
# In every claim and every evidence, and in nothing that an annotator should meet.
MARK = "Zzmislead"
TOWNS = [f"{MARK} {name}" for name in ("Altona", "Brinmoor", "Cadwell", "Dunmere")]
PEOPLE = [f"Person {number}" for number in range(7)]
COMMANDS = (["import_annotations"], ["import_label_studio", "--without-people"], ["harvest_articles", "--tasks"])
FILES = ("items", "claims", "tasks", "records")


@pytest.fixture
def desk(annotator, sign_in, server):
    """An annotator with a tag, and a model that may make suggestions and has written evidence."""
    return Desk(annotator, sign_in(annotator), server)


@pytest.fixture
def texts(desk):
    """Claims and evidence about the very article of the tag, by a pattern and by the desk's model; and a release."""
    subject = desk.annotation.tag.article.title
    bring_in(row(name, TOWNS[number % 4]) for number, name in enumerate([subject, *PEOPLE]))
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    desk.answer(f"It is known to all that {MARK} is the home of {subject}, and has been for many years.")
    write(LanguageModel.objects.get(name="Small model"))
    check("names")
    printed("release_conflicts", "--seed", "7", "--model", PATTERN_LABEL, "--name", "Ours")
    assert Evidence.objects.filter(text__contains=MARK).count() >= 32
    assert Claim.objects.filter(text__contains=MARK).count() == 32
    desk.answer("A sentence without it.")
    del desk.server.requests[:]


def columns_with_it() -> list[str]:
    """The columns with the mark in the rows of annotating: articles, tags, drafts, their passages, suggestions,
    practice. Released items of other benchmarks are no part of it.
    """
    found = []
    for model in apps.get_app_config("annotation").get_models():
        if model is Instance:
            continue
        for column in model._meta.concrete_fields:
            if not isinstance(column, models.TextField | models.CharField | models.JSONField):
                continue
            values = model._base_manager.values_list(column.name, flat=True)
            if any(MARK in json.dumps(value, default=str) for value in values):
                found.append(f"{model.__name__}.{column.name}")
    return found


def test_the_search_for_the_mark_finds_what_a_person_wrote(desk, texts):
    assert columns_with_it() == []
    save(desk.annotation, complete_content(paragraphA_information_standalone=f"It says {MARK}."))
    assert columns_with_it()


# --- The desk -----------------------------------------------------------------------------------------------------


def test_no_page_of_the_desk_shows_one(desk, texts):
    number = desk.annotation.pk
    addresses = [
        reverse("desk_annotation", args=[number]),
        *(reverse("desk_evidence", args=[number, kind]) for kind in ("article", "history", "talk", "other")),
        reverse("practice"),
        reverse("my_work"),
        reverse("home"),
        reverse("find") + f"?q={MARK}",
        reverse("find") + f"?q={MARK.lower()}+altona",
    ]
    for address in addresses:
        page = desk.client.get(address)
        assert page.status_code in (200, 404), address
        # The palette says what was looked for.
        text = page.text.replace(f'value="{MARK}', "").replace(f"“{MARK}", "")
        assert f"{MARK} Altona" not in text, address
        assert f"{MARK} is the home" not in text, address
    for name in ("conflicts", "facts"):
        assert desk.client.get(reverse(name)).status_code == 403
        assert desk.client.get(reverse(f"api:{name}")).status_code == 403
    assert columns_with_it() == []


def test_a_model_that_wrote_evidence_suggests_from_the_draft_alone(desk, texts):
    suggestion = desk.suggestion()
    assert suggestion.texts
    sent = [json.dumps(each, default=str) for each in desk.server.requests]
    assert sent
    assert not [each for each in sent if MARK in each]
    assert columns_with_it() == []


def test_the_pattern_that_writes_evidence_makes_no_suggestions(desk, texts):
    assert models_that_suggest() == ["Small model"]
    Project.objects.update(suggestion_model=PATTERN_LABEL)  # as no page can
    desk.ask()
    work()
    assert not [each for each in ModelSuggestion.objects.all() if each.texts]
    assert columns_with_it() == []


def test_evidence_of_a_claim_is_no_page_to_select_from(desk, texts):
    address = reverse("desk_select", args=[desk.annotation.pk])
    for evidence in Evidence.objects.all()[:5]:
        sent = {"evidence": evidence.pk, "position": 1, "start": 0, "end": 20, "words": MARK, "is_first": "yes"}
        assert desk.client.post(address, sent).status_code >= 400
    assert columns_with_it() == []


def test_the_next_tags_and_the_api_have_none(desk, texts):
    own = desk.client.get(reverse("api:annotation", args=[desk.annotation.pk]))
    assert own.status_code == 200
    assert MARK not in own.text
    assert MARK not in desk.client.get(reverse("api:assignments")).text
    assert columns_with_it() == []


# --- Files --------------------------------------------------------------------------------------------------------


def file_with(what: str, folder) -> str:
    """A file with claims and evidence as this program, or the benchmark, writes it."""
    if what == "items":
        misled = {TEXT_OF[kind]: f"{MARK} in {kind}." for kind in KINDS} | {CLAIM[kind]: MARK for kind in KINDS}
        return str(written(folder, [numbered(1) | misled]))
    target = folder / f"{what}.jsonl"
    if what == "claims":
        printed("export_release", "--release", "1", "--format", "claims", str(target))
    else:  # the records as one list, as annotations and tasks come in
        printed("export_conflictbank", "--release", "1", str(target))
        records = [json.loads(line) for line in target.read_text().splitlines()]
        target.write_text(json.dumps([{"data": each} for each in records] if what == "tasks" else records))
    assert MARK in target.read_text()
    return str(target)


@pytest.mark.parametrize("what", FILES)
def test_no_import_of_annotating_takes_such_a_file(what, desk, texts, tmp_path, sign_in, admin):
    file = file_with(what, tmp_path)
    rows = Annotation.objects.count(), Tag.objects.count()
    for command in COMMANDS:
        with pytest.raises(CommandError):
            printed(*command, file)
    pages = sign_in(admin)
    for page in ("import_annotations", "import_label_studio"):
        with open(file, "rb") as content:
            stream = io.BytesIO(content.read())
        stream.name = "file.json"
        answer = pages.post(reverse(page), {"file": stream, "action": "import", "without_people": "on"})
        assert answer.status_code == 400, page
    assert (Annotation.objects.count(), Tag.objects.count()) == rows
    assert columns_with_it() == []


def test_the_log_of_an_annotators_work_has_none(desk, texts):
    kinds = ("annotation", "tag")
    told = Event.objects.filter(subject_kind__in=kinds).values_list("before", "after", "message")
    assert not [each for each in told if MARK in json.dumps(each, default=str)]
