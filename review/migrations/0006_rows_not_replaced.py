from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0005_deadlines'),
    ]

    operations = [
        RefuseReplacing("review_round", "a round is never replaced", ("id", "key", "name")),
        RefuseReplacing("review_pair", "a pair of judgments never changes", ("id", "item_id, reviewer_1_id, reviewer_2_id")),
        RefuseReplacing("review_finalverdict", "a final verdict never changes", ("id", "item_id", "response_id")),
        RefuseReplacing("review_finalanswers", "final answers never change", ("id", "item_id")),
    ]
