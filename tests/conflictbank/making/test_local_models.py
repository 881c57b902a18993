"""Checks of evidence by real transformers, and a classifier over a real sentence encoder, with small models made on
the spot. The libraries take gigabytes, so they have an environment of their own."""

import pytest

from benchmarks.conflictbank.classifying.training import start_training, train_waiting
from benchmarks.conflictbank.evidence.checking import change_settings
from benchmarks.conflictbank.evidence.local import by_classifier, by_nli, measure_pairs
from benchmarks.conflictbank.models import CheckName, ConflictClassifier, EvidenceCheck, MeasuredPair
from tests.conflictbank.making.test_evidence import check, everything, outcomes
from tests.factories.conflictbank import make_labelled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
LONG = (
    "Tom lives in Rome. He has a dog. The dog likes bread. Bread is cheap in Rome. Nobody knows why. It rains. " * 2
)


@pytest.fixture
def folders(settings, measurer):
    settings.LOCAL_MODELS = {each: str(measurer.models / each) for each in ("nli", "sentence_encoder")}


@pytest.mark.usefixtures("folders")
def test_both_checks_are_made_by_the_model_in_the_folder(measurer):
    everything()
    change_settings(admin=None, entailment_over=0.0)  # a model with random weights is sure of nothing
    for name in (CheckName.ENTAILMENT, CheckName.CONTRADICTION):
        check("local", "local")
        measure_pairs(lambda component: by_nli(lambda *texts: measurer.ask("probability", *texts)))
        assert set(outcomes(name)) <= {"passed", "failed"}
    pairs = MeasuredPair.objects.all()
    assert {each.label for each in pairs} == {"entailment", "contradiction"}
    labels = {"entailment": "entailment", "contradiction": "Contradiction"}
    for pair in [pairs.filter(label=label).first() for label in labels]:
        windows = measurer.ask("windows", pair.premise, pair.hypothesis)
        by_hand = [measurer.ask("label by hand", *window)[labels[pair.label]] for window in windows]
        assert pair.value == pytest.approx(max(by_hand), abs=1e-6)
    assert any(pair.said.startswith("the best of") for pair in pairs)
    assert all("tiny" not in each and "nli, SHA-256" in each for each in pairs.values_list("component", flat=True))


def test_long_texts_are_read_in_windows_that_the_model_reads_as_a_whole(measurer):
    windows = measurer.ask("windows", LONG, LONG)
    assert len(windows) > 4
    for text in (0, 1):
        assert {word for window in windows for word in window[text].split()} == set(LONG.split())
    with_claim = measurer.ask("windows", LONG, "It rains.")
    assert {hypothesis for _, hypothesis in with_claim} == {"It rains."}
    assert measurer.ask("windows", "He has a dog.", "It rains.") == [["He has a dog.", "It rains."]]
    value, count = measurer.ask("probability", "entailment", LONG, "It rains.")
    assert count == len(with_claim)
    assert value == pytest.approx(
        max(measurer.ask("label by hand", *window)["entailment"] for window in with_claim), abs=1e-6
    )


def test_the_encoder_pools_as_its_folder_says_and_cuts_nothing(measurer):
    short = "Tom lives in Rome."
    assert measurer.ask("embedded", short) == pytest.approx(measurer.ask("embedded by hand", short), abs=1e-5)
    changed = LONG + "Nobody has bread."
    assert measurer.ask("embedded", LONG) != pytest.approx(measurer.ask("embedded", changed), abs=1e-5)


@pytest.mark.usefixtures("folders")
def test_a_classifier_is_trained_over_the_encoder_and_measures(measurer):
    make_labelled(70)
    start_training(seed=2)

    def embed(text):
        return measurer.ask("embedded", text)

    assert train_waiting(lambda folder: embed) == 1
    classifier = ConflictClassifier.objects.get()
    assert classifier.state == "trained"
    assert len(classifier.coefficients) == 16
    check("names", "classifier")
    assert measure_pairs(lambda component: by_classifier(component.local, embed)) == 210
    assert set(EvidenceCheck.objects.filter(name="contradiction").values_list("component", flat=True)) == {
        classifier.component
    }
