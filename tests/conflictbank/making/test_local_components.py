"""Checks by models in folders of the worker's machine, and the classifier that is trained on people's answers. The
models themselves are in test_local_models.py."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from benchmarks.conflictbank.classifying import training
from benchmarks.conflictbank.classifying.training import start_training, train_waiting
from benchmarks.conflictbank.classifying.worker import use_local_models
from benchmarks.conflictbank.evidence.checking import stop_local
from benchmarks.conflictbank.evidence.components import components_for
from benchmarks.conflictbank.evidence.local import by_classifier, by_nli, measure_pairs
from benchmarks.conflictbank.evidence.measuring import plan_checks
from benchmarks.conflictbank.models import (
    CheckName,
    ConflictClassifier,
    Evidence,
    EvidenceCheck,
    MeasuredPair,
    TrainingState,
)
from benchmarks.conflictbank.questionnaires.precision import confusions
from core.refusals import Refusal
from judging.making.local_work import LEASE
from judging.runs.pump import stopping
from tests.conflictbank.making.test_evidence import check, everything, outcomes
from tests.factories.conflictbank import make_labelled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
LABELS = {"0": "neutral", "1": "CONTRADICTION", "2": "entailment"}


def write_config(folder, labels=LABELS, **more):
    (folder / "config.json").write_text(json.dumps({"id2label": labels, **more}))


@pytest.fixture
def folder(settings, tmp_path):
    """A folder with an NLI model, as far as its configuration."""
    folder = tmp_path / "tiny-nli"
    folder.mkdir()
    write_config(folder)
    settings.LOCAL_MODELS = {"nli": str(folder), "sentence_encoder": ""}
    return folder


@pytest.fixture
def encoder(settings, tmp_path):
    folder = tmp_path / "tiny-encoder"
    folder.mkdir()
    (folder / "weights").write_text("1")
    settings.LOCAL_MODELS = {"nli": "", "sentence_encoder": str(folder)}
    return folder


def says(value=0.9, seen=None):
    """A local NLI model that gives every pair this probability."""

    def probability(label, premise, hypothesis):
        if seen is not None:
            seen.append((label, premise, hypothesis))
        return value, 2

    return lambda component: by_nli(probability)


def components(name=CheckName.ENTAILMENT) -> set[str]:
    return set(EvidenceCheck.objects.filter(name=name).values_list("component", flat=True))


# --- NLI in a folder ------------------------------------------------------------------------------------------------


def test_a_local_model_makes_both_checks_in_their_order(folder):
    everything()
    seen: list[tuple[str, str, str]] = []
    assert check("local", "local") is None
    assert outcomes(CheckName.ENTAILMENT) == {"waiting": 12}
    assert not outcomes(CheckName.CONTRADICTION)
    assert measure_pairs(says(seen=seen)) == len(seen) == MeasuredPair.objects.count()
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}
    texts = {(each.used_text, each.claim.text) for each in Evidence.objects.select_related("claim")}
    assert {(premise, hypothesis) for _, premise, hypothesis in seen} == texts
    check("local", "local")
    measure_pairs(says(0.2, seen))
    assert outcomes(CheckName.CONTRADICTION) == {"failed": 9}
    assert {label for label, *_ in seen} == {"entailment", "contradiction"}
    assert set(MeasuredPair.objects.values_list("said", flat=True)) == {"the best of 2 windows"}
    assert measure_pairs(says()) == 0


def test_the_component_is_named_with_the_version_of_its_folder(folder):
    everything()
    check()
    (named,) = components()
    assert named.startswith("local NLI: tiny-nli, SHA-256 ")
    (folder / "weights").write_text("other")
    check(again=True)
    (other,) = components()
    assert other != named
    assert measure_pairs(says()) > 0
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}
    assert not MeasuredPair.objects.filter(component=named, state="measured").exists()


@pytest.mark.parametrize(
    "labels",
    [
        {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
        {"0": "entailment", "1": "not_entailment"},
        {"0": "entailment", "1": "neutral", "2": "neutral"},
        {"0": "entailment", "1": "neutral", "3": "contradiction"},
        {},
        None,
        ["entailment", "neutral", "contradiction"],
    ],
)
def test_an_unknown_order_of_labels_is_refused_and_never_guessed(folder, labels):
    everything()
    write_config(folder, labels)
    with pytest.raises(Refusal, match="never guessed"):
        components_for({"entailment": "local"})
    with pytest.raises(CommandError, match="never guessed"):
        call_command("run_checks", "--benchmark", "conflictbank", "--entailment", "local", "--yes")
    assert not EvidenceCheck.objects.exists()


def test_labels_that_contradict_themselves_are_refused(folder):
    write_config(folder, label2id={"neutral": 0, "CONTRADICTION": 1, "entailment": 2})
    assert components_for({})["contradiction"]
    write_config(folder, label2id={"entailment": 0, "CONTRADICTION": 1, "neutral": 2})
    with pytest.raises(Refusal, match="never guessed"):
        components_for({})


def test_a_folder_that_is_missing_is_refused(folder, settings):
    (folder / "config.json").unlink()
    with pytest.raises(Refusal, match="no readable labels"):
        components_for({})
    settings.LOCAL_MODELS = {"nli": str(folder / "none")}
    with pytest.raises(Refusal, match="no folder"):
        components_for({})
    settings.LOCAL_MODELS = {"nli": ""}
    assert components_for({}) == {"entailment": None, "contradiction": None}
    with pytest.raises(Refusal, match="LOCAL_NLI_MODEL"):
        components_for({"entailment": "local"})


def test_what_fails_over_a_text_is_not_checked_goes_no_further_and_is_asked_again(folder):
    everything()
    check("local", "local")

    def fail(component):
        def measure(pair):
            raise ValueError("too long")

        return measure

    measure_pairs(fail)
    assert outcomes(CheckName.ENTAILMENT) == {"not_checked": 12}
    assert "too long" in EvidenceCheck.objects.filter(name="entailment").first().reason
    check("local", "local")
    assert not outcomes(CheckName.CONTRADICTION)
    check("local", "local", again=True)
    measure_pairs(says(float("nan")))
    assert outcomes(CheckName.ENTAILMENT) == {"not_checked": 12}
    check("local", "local", again=True)
    measure_pairs(says())
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}


def test_a_killed_worker_loses_only_what_it_was_at(folder):
    everything()
    check("local")
    done: list[int] = []

    class Killed(BaseException):
        pass

    def die(component):
        def measure(pair):
            if len(done) == 4:
                raise Killed
            done.append(pair.pk)
            return 0.9, ""

        return measure

    with pytest.raises(Killed):
        measure_pairs(die)
    assert MeasuredPair.objects.filter(state="measured").count() == 4
    left = MeasuredPair.objects.filter(state="waiting").count()
    done.clear()
    assert measure_pairs(says()) == left - 1  # the one it was at has a lease
    MeasuredPair.objects.filter(state="waiting").update(lease_expires_at=timezone.now() - LEASE)
    assert measure_pairs(says()) == 1
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}


def test_a_worker_without_the_libraries_or_with_other_labels_says_so_and_leaves_all_waiting(folder, caplog):
    everything()
    check("local")
    write_config(folder, {"0": "LABEL_0"})
    use_local_models()
    assert "never guessed" in caplog.text
    assert outcomes(CheckName.ENTAILMENT) == {"waiting": 12}


def test_a_worker_that_stops_ends_after_the_current_pair(folder):
    everything()
    check("local")

    def stop(component):
        def measure(pair):
            stopping.set()
            return 0.9, ""

        return measure

    try:
        assert measure_pairs(stop) == 1
    finally:
        stopping.clear()


def test_an_admin_stops_the_local_models_and_begins_again(folder, admin_client):
    everything()
    check("local")
    page = admin_client.get("/judging/claims/components/").content.decode()
    assert "Stop the local models" in page
    assert admin_client.post("/judging/claims/components/stop/").status_code == 302
    assert outcomes(CheckName.ENTAILMENT) == {"not_checked": 12}
    assert measure_pairs(says()) == 0
    assert stop_local() == 0
    check("local", again=True)
    assert measure_pairs(says()) > 0
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}


def test_a_local_entailment_is_awaited_before_contradictions_are_paid_for(folder, server):
    from tests.factories.judging import make_model

    everything()
    make_model(server.base_url, name="Judge", decoding={"max_tokens": 5})
    chosen = components_for({"entailment": "local", "contradiction": "Judge"})
    assert plan_checks(components=chosen).calls == 0
    assert check("local", "Judge") is None
    measure_pairs(says())
    server.answer = lambda request: "contradiction"
    planned = plan_checks(components=chosen).calls
    assert check("local", "Judge").calls.count() == planned > 0
    assert components(CheckName.CONTRADICTION) == {"Judge (NLI, prompt 1)"}


# --- The classifier -------------------------------------------------------------------------------------------------


def embed(text: str) -> list[float]:
    """An embedding that tells nothing but the length of the text and its number, in four numbers."""
    return [len(text) / 100, text.count("a") / 10, float("Altona" in text), 1.0]


def train(seed=3) -> ConflictClassifier:
    classifier = start_training(seed=seed)
    assert train_waiting(lambda folder: embed) == 1
    classifier.refresh_from_db()
    return classifier


def test_fewer_than_200_labels_are_refused(encoder, admin_client):
    make_labelled(66)  # 198 texts
    with pytest.raises(Refusal, match="at least 200 final answers"):
        start_training(seed=1)
    assert admin_client.post("/judging/claims/components/train/", {"seed": 1}).status_code == 409
    with pytest.raises(CommandError, match="there are 198"):
        call_command("train_conflict_classifier")
    assert not ConflictClassifier.objects.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        ConflictClassifier.objects.create(seed=1, encoder="x", labels=[], label_count=199, contradicting=1)


def test_labels_of_one_kind_or_without_an_encoder_are_refused(encoder, settings):
    make_labelled(70, contradicts=lambda evidence: True)
    with pytest.raises(Refusal, match="of both kinds"):
        start_training(seed=1)
    settings.LOCAL_MODELS = {"nli": "", "sentence_encoder": ""}
    with pytest.raises(Refusal, match="LOCAL_SENTENCE_ENCODER"):
        start_training(seed=1)
    with pytest.raises(Refusal, match="No classifier is trained"):
        components_for({"contradiction": "classifier"})
    with pytest.raises(Refusal, match="nothing of entailment"):
        components_for({"entailment": "classifier"})


@pytest.fixture
def labelled(encoder):
    make_labelled(70, contradicts=lambda evidence: "Altona" in evidence.text or evidence.pk % 5 == 0)


@pytest.mark.usefixtures("labelled")
def test_the_classifier_is_kept_as_numbers_that_give_the_same_probabilities(encoder):
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    classifier = train()
    assert classifier.state == TrainingState.TRAINED
    assert (classifier.label_count, len(classifier.labels), len(classifier.held_out)) == (210, 210, 210)
    assert classifier.encoder.startswith("tiny-encoder, SHA-256 ")
    assert classifier.library.startswith("scikit-learn ")
    evidence = Evidence.objects.select_related("claim").in_bulk([number for number, _ in classifier.labels])
    by_conflict = {each.claim.conflict_id: each for each in Evidence.objects.filter(claim__cause="default")}
    pairs = [
        (by_conflict[evidence[n].claim.conflict_id].used_text, evidence[n].used_text) for n, _ in classifier.labels
    ]
    values = np.abs(np.array([embed(a) for a, _ in pairs]) - np.array([embed(b) for _, b in pairs]))
    labels = np.array([label for _, label in classifier.labels])
    oracle = make_pipeline(StandardScaler(), LogisticRegression(C=training.PENALTY, max_iter=1_000)).fit(
        values, labels
    )
    expected = oracle.predict_proba(values)[:, 1]
    got = [classifier.probability(embed(a), embed(b)) for a, b in pairs]
    assert got == pytest.approx(expected.tolist(), abs=1e-9)
    right = sum(
        (probability > 0.5) == label
        for probability, (_, label) in zip(classifier.held_out, classifier.labels, strict=True)
    )
    assert classifier.accuracy == right / 210


@pytest.mark.usefixtures("labelled")
def test_the_same_seed_and_labels_give_the_same_numbers_and_are_trained_once(encoder):
    first = train()
    with pytest.raises(Refusal, match="same seed, labels and encoder"):
        start_training(seed=3)
    other = train(seed=4)
    assert other.coefficients == first.coefficients
    assert other.held_out != first.held_out
    with pytest.raises(DatabaseError), transaction.atomic():
        ConflictClassifier.objects.filter(pk=first.pk).update(accuracy=1)
    with pytest.raises(ValueError, match="argument"):
        first.probability([1.0], [1.0])


@pytest.mark.usefixtures("labelled")
def test_pairs_of_one_conflict_are_never_on_both_sides_of_the_validation(encoder, monkeypatch):
    from sklearn.model_selection import StratifiedGroupKFold

    seen = []
    split = StratifiedGroupKFold.split

    def watched(self, values, labels=None, groups=None):
        for inside, outside in split(self, values, labels, groups):
            seen.append(({groups[n] for n in inside}, {groups[n] for n in outside}))
            yield inside, outside

    monkeypatch.setattr(StratifiedGroupKFold, "split", watched)
    train()
    assert len(seen) == training.FOLDS
    assert all(not inside & outside for inside, outside in seen)


@pytest.mark.usefixtures("labelled")
def test_checks_by_the_classifier_name_it_and_its_precision_is_of_predictions_for_held_out_labels(encoder):
    classifier = train()
    check("names", "classifier")
    assert components(CheckName.CONTRADICTION) == {classifier.component}
    assert measure_pairs(lambda component: by_classifier(component.local, embed)) == 210
    made = {each.evidence_id: each for each in EvidenceCheck.objects.filter(name="contradiction")}
    for check_row in made.values():
        assert check_row.outcome == ("passed" if check_row.value > 0.5 else "failed")
    (confusion,) = [each for each in confusions() if each.check == "contradiction"]
    held_out = [probability > 0.5 for probability in classifier.held_out]
    right = sum(said and label for said, (_, label) in zip(held_out, classifier.labels, strict=True))
    assert (confusion.right, confusion.passed) == (right, sum(held_out))


@pytest.mark.usefixtures("labelled")
def test_another_encoder_than_that_of_the_training_is_refused(encoder):
    train()
    (encoder / "weights").write_text("2")
    with pytest.raises(Refusal, match="needs the sentence encoder it was trained with"):
        components_for({"contradiction": "classifier"})


@pytest.mark.usefixtures("labelled")
def test_a_training_that_stops_or_fails_loses_nothing(encoder):
    classifier = start_training(seed=1)

    def stop(text):
        stopping.set()
        return embed(text)

    try:
        train_waiting(lambda folder: stop)
    finally:
        stopping.clear()
    classifier.refresh_from_db()
    assert (classifier.state, classifier.lease_expires_at) == (TrainingState.WAITING, None)
    ConflictClassifier.objects.update(lease_expires_at=timezone.now() + timedelta(minutes=1))
    assert train_waiting(lambda folder: embed) == 0
    ConflictClassifier.objects.update(lease_expires_at=timezone.now() - LEASE)

    def fail(text):
        raise RuntimeError("no memory")

    assert train_waiting(lambda folder: fail) == 1
    classifier.refresh_from_db()
    assert (classifier.state, classifier.said) == (TrainingState.FAILED, "no memory")
    assert start_training(seed=1).pk != classifier.pk


@pytest.mark.usefixtures("labelled")
def test_the_page_and_the_command_show_the_accuracy(encoder, admin_client, monkeypatch):
    out = io.StringIO()
    call_command("train_conflict_classifier", "--dry-run", stdout=out)
    assert "Labels by people: 210 of at least 200" in out.getvalue()
    monkeypatch.setattr(
        "benchmarks.conflictbank.management.commands.train_conflict_classifier.load_encoder", lambda folder: embed
    )
    call_command("train_conflict_classifier", "--seed", "5", "--here", stdout=out)
    classifier = ConflictClassifier.objects.get()
    assert f"cross-validated accuracy {classifier.accuracy:.1%}" in out.getvalue()
    page = admin_client.get("/judging/claims/components/").content.decode()
    assert f"{classifier.accuracy:.4f}" in page
    assert classifier.encoder in page
    plan = admin_client.get("/judging/claims/checks/?plan=yes&entailment=names&contradiction=classifier").content
    assert f"Contradicts the default evidence: 0 texts ready for it; {classifier.component}" in plan.decode()
    assert admin_client.post("/judging/claims/components/train/", {"seed": "x"}).status_code == 302
    assert admin_client.post("/judging/claims/components/train/", {"seed": 6}).status_code == 302
    assert ConflictClassifier.objects.count() == 2
