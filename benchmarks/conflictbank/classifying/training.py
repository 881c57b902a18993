"""Trains a classifier of conflicts: a page or a command asks for one, and the worker embeds the texts and fits it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from judging.making.local_folders import SENTENCE_ENCODER, local_folder, named_version
from judging.making.local_work import do_each, free, take
from judging.runs.pump import stopping

from ..models import FEWEST_LABELS, ConflictbankAction, ConflictClassifier, TrainingState
from .labels import Labelled, all_labels, labelled

log = logging.getLogger(__name__)
Embed = Callable[[str], Sequence[float]]
# The parts of the cross-validation. All pairs of a conflict are in one part, as they share a text.
FOLDS = 5
# The inverse strength of the penalty: embeddings have more numbers than there are labels.
PENALTY = 0.01
# Texts between two notes of the progress.
STEP = 10


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The labels that there are to train on."""

    labels: int
    contradicting: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A classifier in numbers, and the probabilities by classifiers that were trained without the conflict."""

    coefficients: list[float]
    intercept: float
    held_out: list[float]
    library: str


def label_counts() -> LabelCounts:
    found = all_labels()
    return LabelCounts(len(found), sum(found.values()))


@transaction.atomic
def start_training(*, seed: int, admin: User | None = None) -> ConflictClassifier:
    """Have the worker train a classifier on all labels that there are now. Raises Refusal as `unsaved_classifier`
    does.
    """
    made = unsaved_classifier(seed=seed)
    made.save()
    Event.record(ConflictbankAction.TRAINS, made, actor=admin, after={"seed": seed, "labels": made.label_count})
    return made


def unsaved_classifier(*, seed: int) -> ConflictClassifier:
    """The classifier that `start_training` would have the worker train. Raises Refusal if there are fewer than 200
    labels, or too few of one kind, if the settings name no sentence encoder, or if the same classifier is there.
    """
    folder = local_folder(SENTENCE_ENCODER)
    if folder is None:
        raise Refusal(
            say("The settings name no folder with a sentence encoder (LOCAL_SENTENCE_ENCODER). Nothing was started."),
            status=400,
        )
    encoder, found = named_version(folder), labelled(all_labels())
    check_labels(found)
    labels = [[each.evidence, each.label] for each in found]
    there = ConflictClassifier.objects.exclude(state=TrainingState.FAILED).filter(seed=seed, encoder=encoder)
    same = next((each for each in there if each.labels == labels), None)
    if same is not None:
        raise Refusal(
            say("{same} has the same seed, labels and encoder: nothing was started.", same=same), status=409
        )
    contradicting = sum(each.label for each in found)
    return ConflictClassifier(
        seed=seed, encoder=encoder, labels=labels, label_count=len(labels), contradicting=contradicting
    )


def check_labels(found: Sequence[Labelled]) -> None:
    """Raises Refusal if there are too few labels to train on."""
    if len(found) < FEWEST_LABELS:
        raise Refusal(
            say(
                "A classifier needs at least {fewest} final answers of people on whether evidence "
                "contradicts the default evidence, and there are {found}. Nothing was started.",
                fewest=FEWEST_LABELS,
                found=len(found),
            ),
            status=409,
        )
    for label, words in ((1, say("clearly contradicts")), (0, say("does not clearly contradict"))):
        conflicts = len({each.conflict for each in found if each.label == label})
        if conflicts < FOLDS:
            raise Refusal(
                say(
                    "A classifier needs evidence of both kinds, of at least {folds} conflicts each. By people, "
                    "evidence {words} the default evidence in {conflicts}. Nothing was started.",
                    folds=FOLDS,
                    words=words,
                    conflicts=conflicts,
                ),
                status=409,
            )


# --- In the worker --------------------------------------------------------------------------------------------------


def waiting_here() -> QuerySet[ConflictClassifier]:
    """The classifiers that wait to be trained with the encoder of this machine, and no worker has taken."""
    folder = local_folder(SENTENCE_ENCODER)
    waiting = ConflictClassifier.objects.filter(free(), state=TrainingState.WAITING)
    if folder is None or not waiting.exists():
        return ConflictClassifier.objects.none()
    return waiting.filter(encoder=named_version(folder)).order_by("pk")


def train_waiting(load: Callable[[Path], Embed]) -> int:
    """Train the classifiers that wait; returns their number. Only in a worker, or where a command asks for it."""
    folder = local_folder(SENTENCE_ENCODER)
    if folder is None or not waiting_here().exists():
        return 0
    embed = load(folder)
    return do_each(waiting_here, lambda each: train(each, embed))


def train(classifier: ConflictClassifier, embed: Embed) -> None:
    """Train a classifier and save its numbers, or why that failed. A worker that stops leaves it to the next one."""
    found = labelled(dict(classifier.labels))
    try:
        if [[each.evidence, each.label] for each in found] != classifier.labels:
            raise ValueError("evidence of some labels no longer exists")
        differences = differences_of(found, embed, classifier)
        if differences is None:
            ConflictClassifier.objects.filter(pk=classifier.pk).update(lease_expires_at=None)
            return
        fitted = fit(differences, found, seed=classifier.seed)
    except (
        ValueError,
        RuntimeError,
        IndexError,
        ImportError,
    ) as error:  # what libraries raise over texts
        log.warning("%s cannot be trained: %s", classifier, error)
        classifier.state, classifier.said = TrainingState.FAILED, str(error)[:300]
    else:
        right = sum((value > 0.5) == each.label for value, each in zip(fitted.held_out, found, strict=True))
        classifier.state, classifier.trained_at = TrainingState.TRAINED, timezone.now()
        classifier.coefficients, classifier.intercept = fitted.coefficients, fitted.intercept
        classifier.held_out, classifier.accuracy = fitted.held_out, right / len(found)
        classifier.library = fitted.library
    classifier.lease_expires_at = None
    classifier.save()


def differences_of(
    found: Sequence[Labelled], embed: Embed, classifier: ConflictClassifier
) -> list[list[float]] | None:
    """The absolute differences of the embeddings of each pair; None if the worker stops meanwhile, or another one has
    taken the classifier. The progress is saved.
    """
    texts = list(dict.fromkeys(text for each in found for text in (each.default_text, each.text)))
    embeddings: dict[str, Sequence[float]] = {}
    for text in texts:
        embeddings[text] = embed(text)
        if len(embeddings) % STEP == 0:
            if stopping.is_set() or not take(classifier):
                return None
            ConflictClassifier.objects.filter(pk=classifier.pk).update(embedded=len(embeddings))
    classifier.embedded = len(texts)
    return [
        [abs(one - other) for one, other in zip(embeddings[each.default_text], embeddings[each.text], strict=True)]
        for each in found
    ]


def fit(differences: Sequence[Sequence[float]], found: Sequence[Labelled], *, seed: int) -> Fitted:
    """Fit a logistic regression over standardised differences, and cross-validate it. The same seed gives the same
    parts.

    Args:
        differences: one row for each pair.
        found: the pairs, in the same order.
    """
    import numpy as np
    import sklearn
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    values, labels = np.array(differences), np.array([each.label for each in found])
    model: Any = make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1_000))
    parts = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed % 2**32)
    groups = [each.conflict for each in found]
    held_out = cross_val_predict(model, values, labels, groups=groups, cv=parts, method="predict_proba")[:, 1]
    model.fit(values, labels)
    scaler, regression = model[0], model[1]
    # The scaling goes into the weights, so that they apply to differences as they are.
    weights = regression.coef_[0] / scaler.scale_
    intercept = float(regression.intercept_[0] - weights @ scaler.mean_)
    return Fitted(weights.tolist(), intercept, held_out.tolist(), f"scikit-learn {sklearn.__version__}")
