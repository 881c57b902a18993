"""Counterparts ordered anew by a local model: ahead of the desk, in a worker, and never in the way."""

import pytest
from django.core.exceptions import ValidationError

from annotation import evidence
from annotation.evidence.counterparts import offer_of
from annotation.models import CounterpartOffer, CounterpartRanking
from annotation.releases.files.work_export import work_record
from core.accounts.forms import ProjectForm
from core.models import Project
from core.project import change_settings
from core.refusals import Refusal
from judging.making import reranking
from judging.tasks import rank_counterparts
from tests.annotation.desk_helpers import claim
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db
WIKITEXT = """The Harbour Bridge crosses the river.

== Opening ==
The bridge was opened to traffic in 1899.{{Inconsistent|date=May 2024}} Its deck is of steel.

== Later use ==
The last tram crossed the bridge in 1964. The bridge was opened to traffic in 1903. It was opened to trams in 1901.
"""
PLAIN = "The bridge was opened to traffic in 1903."
TRAMS = "It was opened to trams in 1901."
NAME = "sentence encoder tiny-encoder"


@pytest.fixture
def folder(settings, tmp_path):
    """A folder with a sentence encoder, as far as its name."""
    folder = tmp_path / "tiny-encoder"
    folder.mkdir()
    (folder / "weights").write_text("1")
    settings.LOCAL_MODELS = {"nli": "", "sentence_encoder": str(folder)}
    return folder


@pytest.fixture
def tag(folder, admin):
    change_settings(admin=admin, counterparts_model=NAME)
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
    return tag


@pytest.fixture
def encoder(monkeypatch):
    """An encoder that finds all texts alike that have the word “trams”."""
    asked: list[str] = []

    def embed(text: str) -> list[float]:
        asked.append(text)
        return [1.0, 1.0] if "trams" in text or "1899" in text else [1.0, 0.0]

    monkeypatch.setattr("judging.making.local_models.load_encoder", lambda folder: embed)
    return asked


def test_the_desk_lists_them_in_the_order_of_the_model_and_says_so(tag, encoder, annotator):
    rank_counterparts()
    draft = claim(annotator)
    offer = offer_of(draft, annotator)
    assert offer is not None
    assert [each["text"] for each in offer.shown][:2] == [TRAMS, PLAIN]
    assert offer.ranked_by == NAME
    exported = work_record(draft)["counterparts"]
    assert exported["ranked_by"].startswith(f"{NAME}, ")  # type: ignore[index]
    assert CounterpartRanking.objects.get().tag == tag
    count = len(encoder)
    rank_counterparts()
    assert len(encoder) == count


def plain_order(annotator) -> CounterpartOffer:
    offer = offer_of(claim(annotator), annotator)
    assert offer is not None
    assert (offer.shown[0]["text"], offer.model) == (PLAIN, "")
    return offer


@pytest.mark.usefixtures("tag", "encoder")
def test_a_tag_that_is_opened_earlier_keeps_the_plain_order(annotator):
    offer = plain_order(annotator)
    rank_counterparts()
    offer.refresh_from_db()
    assert offer.model == ""


@pytest.mark.usefixtures("tag", "encoder")
def test_off_means_plain_again(annotator, admin):
    rank_counterparts()
    change_settings(admin=admin, counterparts_model="")
    plain_order(annotator)


@pytest.mark.usefixtures("tag")
@pytest.mark.parametrize("failure", [Refusal("not installed"), OSError("no config"), RuntimeError("bad weights")])
def test_a_model_that_cannot_be_loaded_is_not_in_the_way(annotator, monkeypatch, failure):
    def load(folder):
        raise failure

    monkeypatch.setattr("judging.making.local_models.load_encoder", load)
    rank_counterparts()
    plain_order(annotator)


@pytest.mark.usefixtures("tag")
def test_a_folder_that_is_gone_is_not_in_the_way(folder, annotator):
    (folder / "weights").unlink()
    folder.rmdir()
    rank_counterparts()
    plain_order(annotator)


@pytest.mark.usefixtures("tag")
@pytest.mark.parametrize("vector", [[float("nan"), 1.0], []])
def test_a_model_that_fails_on_a_text_is_not_asked_again(annotator, monkeypatch, vector):
    loaded = []

    def load(folder):
        loaded.append(folder)
        return lambda text: vector if "trams" in text else [1.0, 0.0]

    monkeypatch.setattr("judging.making.local_models.load_encoder", load)
    rank_counterparts()
    rank_counterparts()
    assert (len(loaded), CounterpartRanking.objects.get().shown) == (1, None)
    plain_order(annotator)


@pytest.mark.usefixtures("tag", "encoder")
def test_another_version_of_the_files_ranks_again(folder):
    rank_counterparts()
    before = CounterpartRanking.objects.get().model
    (folder / "weights").write_text("other")
    rank_counterparts()
    assert CounterpartRanking.objects.get().model != before


def test_pairs_and_texts_are_compared_in_both_directions(monkeypatch, tmp_path):
    seen = []

    def probability(label, premise, hypothesis):
        seen.append((label, premise, hypothesis))
        return (0.9 if premise == "one" else 0.2), 1

    monkeypatch.setattr("judging.making.local_models.load_nli", lambda folder: probability)
    assert reranking.by_nli(tmp_path)("two", "one") == 0.9
    assert seen == [("contradiction", "two", "one"), ("contradiction", "one", "two")]


@pytest.mark.usefixtures("folder")
def test_the_settings_offer_the_models_there_are_and_the_one_chosen():
    choices = dict(ProjectForm(instance=Project.get()).fields["counterparts_model"].choices)
    assert list(choices) == ["", NAME]
    gone = dict(ProjectForm(instance=Project(counterparts_model="NLI model x")).fields["counterparts_model"].choices)
    assert list(gone) == ["", NAME, "NLI model x"]
    with pytest.raises(ValidationError):
        ProjectForm(instance=Project.get()).fields["counterparts_model"].clean("NLI model y")
