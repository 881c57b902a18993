"""The navigation and what the palette finds: to each person what they may open, and always where they are."""

import re

import pytest
from django.urls import reverse

from annotation.models import AnnotationState, Release
from core.models import Role
from judging.models import LanguageModel, ModelKind, Run
from review.models import Round
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db


def frame_of(page: str) -> str:
    return page[page.index('<nav aria-label="Main">') : page.index("</header>")]


def in_the_frame(client, address: str) -> list[str]:
    """The links of the navigation, those of the folded groups too."""
    frame = frame_of(client.get(address).content.decode())
    return re.findall(r'<a href="[^"]*"[^>]*>([^<]+)<', frame)[:-1]


def test_few_items_stand_side_by_side(sign_in, annotator):
    frame = frame_of(sign_in(annotator).get("/").content.decode())
    assert "<details" not in frame[: frame.index("</nav>")]


def test_many_items_are_folded_into_five_groups(sign_in, admin):
    client = sign_in(admin)
    frame = frame_of(client.get("/").content.decode())
    assert re.findall(r'class="group-name">(\w+)', frame) == ["Work", "Data", "Models", "Results", "Project"]
    assert in_the_frame(client, "/") == [
        *("Review annotations", "Questions"),
        *("Tags", "Find", "Harvests", "Releases", "Resolved passages", "Documents", "Candidates"),
        *("Facts", "Claims and evidence"),
        *("Runs", "Models", "Prompts"),
        *("Rounds", "Reports"),
        *("People", "Guideline", "Settings", "Activity", "Now", "System"),
    ]


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("/annotation/tags/", "Tags"),
        ("/annotation/progress/", "Tags"),
        ("/annotation/wikis/", "Harvests"),
        ("/annotation/harvests/new/", "Harvests"),
        ("/judging/responses/", "Runs"),
        ("/judging/templates/new/", "Prompts"),
        ("/review/rounds/new/", "Rounds"),
        ("/review/known/", "Rounds"),
        ("/settings/", "Settings"),
        ("/activity/", "Activity"),
    ],
)
def test_the_page_at_hand_is_named_with_its_group_folded(sign_in, admin, address, named):
    frame = frame_of(sign_in(admin).get(address).content.decode())
    assert re.findall(r'class="here">([^<]+)', frame) == [named]
    assert re.findall(r'aria-current="(?:page|true)">([^<]+)', frame) == [named]


@pytest.fixture
def rows(db, annotator):
    """One row of each kind, with one word in the name of all."""
    tag = TagFactory(article__title="Lighthouse of Orme")
    AnnotationFactory(tag=tag, annotator=annotator, state=AnnotationState.DRAFT)
    Release.objects.create(number=7, benchmark="wikicontradict", name="The lighthouse release", content_hash="x")
    Run.objects.create(name="Lighthouse run")
    LanguageModel.objects.create(name="lighthouse-7b", kind=ModelKind.IMPORTED)
    Round.objects.create(name="Lighthouse round")
    make_person("lighthouse_keeper")
    return tag


def found(client, words: str) -> dict[str, list[str]]:
    page = client.get("/find/", {"q": words}, headers={"HX-Request": "true"}).content.decode()
    parts = re.split(r'<section class="found" aria-label="([^"]+)">', page)[1:]
    return {
        kind: re.findall(r"<span>([^<]+)</span>", rows) for kind, rows in zip(parts[::2], parts[1::2], strict=True)
    }


def test_an_admin_finds_each_kind_of_row_by_its_name(sign_in, admin, rows):
    assert found(sign_in(admin), "LIGHTHOUSE") == {
        "People": ["lighthouse_keeper"],
        "Tags": ["Lighthouse of Orme"],
        "Releases": ["Release 7: The lighthouse release"],
        "Runs": [f"{Run.objects.get(name='Lighthouse run').pk} Lighthouse run"],
        "Models": ["lighthouse-7b"],
        "Rounds": ["Lighthouse round"],
    }


def test_an_annotator_finds_only_their_own_work(sign_in, annotator, other_annotator, rows):
    assert found(sign_in(annotator), "lighthouse") == {"Your annotations": ["Lighthouse of Orme"]}
    assert found(sign_in(other_annotator), "lighthouse") == {}


def test_a_draft_of_another_person_is_not_to_be_found(sign_in, reviewer, rows):
    assert found(sign_in(reviewer), "lighthouse") == {}
    rows.annotations.update(state=AnnotationState.SUBMITTED, submitted_at=rows.found_at)
    assert found(sign_in(reviewer), "lighthouse") == {"Annotations to review": ["Lighthouse of Orme"]}


def test_an_annotator_who_reviews_finds_nothing_of_a_tag_to_which_they_are_blind(sign_in, annotator, rows):
    both = make_person("both", Role.ANNOTATOR, Role.REVIEWER)
    rows.annotations.update(state=AnnotationState.SUBMITTED, submitted_at=rows.found_at)
    AnnotationFactory(tag=rows, annotator=both, state=AnnotationState.SUBMITTED, submitted_at=rows.found_at)
    assert found(sign_in(both), "lighthouse") == {"Your annotations": ["Lighthouse of Orme"]}


def test_a_number_finds_the_row_of_that_number(sign_in, admin, rows):
    assert found(sign_in(admin), f"#{rows.pk}")["Tags"] == ["Lighthouse of Orme"]


def test_pages_are_found_without_script(sign_in, reviewer):
    page = sign_in(reviewer).get("/find/", {"q": "judge"})
    assert reverse("judge") in page.content.decode()
    assert b"Rounds" not in page.content


@pytest.mark.parametrize("words", ["\ud800", "9" * 5000, "%", "'", "<script>", "x" * 9999])
def test_any_words_are_words(sign_in, admin, rows, words):
    answer = sign_in(admin).get("/find/", {"q": words.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 200
    assert b"<script>" not in answer.content.replace(b"<script src", b"").replace(b"<script type", b"")


def test_the_theme_is_set_from_the_menu_and_leads_back(sign_in, annotator):
    client = sign_in(annotator)
    answer = client.post(reverse("account_theme"), {"theme": "dark", "next": "/find/?q=a"})
    assert (answer.status_code, answer.url) == (302, "/find/?q=a")
    for elsewhere in ("//elsewhere", "https://elsewhere/", "account", "9", "javascript:alert(1)", "/\\elsewhere"):
        answer = client.post(reverse("account_theme"), {"theme": "dark", "next": elsewhere})
        assert (answer.status_code, answer.url) == (302, reverse("account"))
    assert b'data-theme="dark"' in client.get("/").content


def commands_found(client, words: str) -> list[str]:
    page = client.get(reverse("find"), {"q": words}, headers={"HX-Request": "true"}).content.decode()
    _, _, section = page.partition('aria-label="Commands"')
    return re.findall(r"<span>([^<]+)</span>", section.partition("</section>")[0])


def test_the_palette_has_commands_for_those_who_may(sign_in, admin, annotator, adjudicator):
    assert commands_found(sign_in(admin), "new r") == ["New run"]
    assert commands_found(sign_in(admin), "release") == ["Make a release"]
    assert commands_found(sign_in(annotator), "new r") == []
    assert commands_found(sign_in(annotator), "practise") == ["Practise on tags with known answers"]
    assert commands_found(sign_in(adjudicator), "next") == ["Adjudicate the next one"]


def test_each_command_opens_a_page(sign_in, admin):
    client = sign_in(admin)
    page = client.get(reverse("find"), headers={"HX-Request": "true"}).content.decode()
    _, _, section = page.partition('aria-label="Commands"')
    addresses = re.findall(r'href="([^"]+)"', section)
    assert len(addresses) > 15
    assert {client.get(address, follow=True).status_code for address in addresses} == {200}
