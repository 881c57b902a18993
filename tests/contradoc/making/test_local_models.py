"""Checks, BERTScore and lengths in tokens by real transformers, with small models made on the spot. The libraries
take gigabytes, so they have an environment of their own."""

import pytest

from benchmarks.contradoc.making.checking import Components
from benchmarks.contradoc.making.components import MEASURES, components_for
from benchmarks.contradoc.making.measuring import measure_here, run_checks
from benchmarks.contradoc.models import Check, CheckSettings, Measurement
from tests.contradoc.making.replies import MAKER
from tests.environments.local_models.process import Measurer
from tests.factories.contradoc import TOM, make_unchecked_candidate

WINDOW, STEP = 32, 16  # of the model made here, and how far its window moves
SENTENCE = "The dog likes bread."


def checked(settings, measurer: Measurer) -> dict[str, Check]:
    """The checks of a candidate, made by the models here."""
    settings.LOCAL_MODELS = {measure: f"/models/{measure}" for measure in MEASURES}
    components: Components = components_for(MAKER, {})
    assert run_checks(maker=MAKER, components=components) is None
    measure_here(lambda measure, folder: lambda first, second: measurer.ask("measured", measure, first, second))
    return {check.name: check for check in Check.objects.all()}


@pytest.mark.django_db
def test_checks_are_made_by_the_models_in_the_folders(settings, measurer):
    candidate = make_unchecked_candidate()
    checks = checked(settings, measurer)
    contradiction, sentence = checks["contradiction"], candidate.sentence
    by_label = measurer.ask("label by hand", "He has a dog.", sentence)
    assert contradiction.value == pytest.approx(by_label["Contradiction"], abs=1e-6)
    assert len({round(value, 6) for value in by_label.values()}) == 3
    assert contradiction.component == "local: nli"
    sides = (("He has a dog. The dog likes bread.", sentence), (sentence, "It rains."))
    less = min(measurer.ask("measured", "next_sentence", *texts) for texts in sides)
    assert 0 < checks["next_sentence"].value < 1
    assert checks["next_sentence"].value == pytest.approx(less)
    fluency = checks["fluency"]
    texts = (candidate.text, TOM)
    edited, clean = (measurer.ask("perplexity by hand", text, WINDOW, STEP) for text in texts)
    assert fluency.value == pytest.approx(edited - clean, rel=1e-4)
    assert fluency.extent == "the whole document"


@pytest.mark.django_db
def test_the_perplexity_of_a_window_is_that_of_the_sentences_in_it(settings, measurer):
    candidate = make_unchecked_candidate()
    CheckSettings.of("contradoc")
    CheckSettings.objects.update(window=1)
    fluency = checked(settings, measurer)["fluency"]
    stretch = (f"The dog likes bread.{candidate.new_text} It rains.", "The dog likes bread. It rains.")
    edited, clean = (measurer.ask("perplexity by hand", text, WINDOW, STEP) for text in stretch)
    assert fluency.value == pytest.approx(edited - clean, rel=1e-4)
    assert fluency.extent == "1 sentences on either side"


@pytest.mark.django_db
def test_texts_longer_than_a_model_takes_are_measured_too(settings, measurer):
    long = "Bread is cheap in Rome. " * 60
    assert 0 < measurer.ask("measured", "next_sentence", long, long) < 1
    assert 0 < measurer.ask("measured", "nli", long[:300], long[:300]) < 1
    by_hand = measurer.ask("perplexity by hand", long[:900], WINDOW, STEP)
    assert measurer.ask("measured", "perplexity", long[:900], "") == pytest.approx(by_hand, rel=1e-4)
    make_unchecked_candidate()
    assert checked(settings, measurer).keys() == {"contradiction", "fluency", "next_sentence"}
    assert not Measurement.objects.filter(value=None).exists()


def test_bertscore_says_which_quotes_hit(measurer):
    quotes = [SENTENCE, "the dog  likes bread", "It rains.", " ", f"{SENTENCE} " * 40]
    hits = measurer.ask("bertscore", [[quote, SENTENCE] for quote in quotes])
    assert hits[0] is True
    assert hits[2:4] == [False, False]
    assert len(hits) == len(quotes)


def test_lengths_in_tokens_are_those_of_the_tokenizer(measurer):
    assert measurer.ask("tokens", "Tom lives in Rome. " * 200) == 1_000
