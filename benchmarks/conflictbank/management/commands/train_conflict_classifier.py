"""Train a classifier of contradictions on people's final answers about evidence, at least 200 of them.

It is a logistic regression over the differences of two embeddings, which the sentence encoder in the folder
LOCAL_SENTENCE_ENCODER computes. The worker trains it; with --here this process does. Checks use the newest one:
manage.py run_checks --benchmark conflictbank --contradiction classifier

manage.py train_conflict_classifier --seed 7
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run
from core.refusals import Refusal
from judging.making.local_models import load_encoder

from ...classifying.training import label_counts, start_training, train_waiting, unsaved_classifier
from ...classifying.worker import wake_local
from ...models import FEWEST_LABELS, TrainingState


class Command(RuleCommand):
    help = __doc__
    interrupted = "The classifier waits. The worker trains it, or the command with another seed trains a new one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seed", type=int, default=1, metavar="N", help="deals labels to the parts of the cross-validation"
        )
        parser.add_argument("--here", action="store_true", help="train in this process, and wait for it")
        add_dry_run(parser, "show how many labels there are, and train nothing")

    def handle(self, *, seed: int, here: bool, dry_run: bool, **options: Any) -> None:
        counts = label_counts()
        self.stdout.write(
            f"Labels by people: {counts.labels:,} of at least {FEWEST_LABELS}, of which {counts.contradicting:,} say "
            "that the texts clearly contradict each other."
        )
        if dry_run:
            unsaved_classifier(seed=seed)
            return
        classifier = start_training(seed=seed)
        if not here:
            wake_local()
            self.stdout.write(f"{classifier} waits for the worker.")
            return
        train_waiting(load_encoder)
        classifier.refresh_from_db()
        if classifier.state != TrainingState.TRAINED:
            raise Refusal(f"{classifier} is not trained. {classifier.said or 'It waits for the worker.'}")
        self.stdout.write(
            f"{classifier}: cross-validated accuracy {classifier.accuracy:.1%}; always saying the more frequent "
            f"label would give {classifier.majority:.1%}."
        )
