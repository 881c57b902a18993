import django.core.validators
from django.db import migrations, models

import review.models.questionnaires
from core.writing.frozen import FreezeRows

# The only questionnaire with pairs of judgments when this was written.
WITH_PAIRS = "verdicts"


def note_pairs(apps, schema_editor):
    """Note which existing rounds have pairs of judgments."""
    apps.get_model("review", "Round").objects.filter(questionnaire=WITH_PAIRS).update(has_pairs=True)


class Migration(migrations.Migration):
    dependencies = [("review", "0002_plain_words")]

    operations = [
        migrations.RemoveConstraint(model_name="round", name="a_round_has_two_to_five_judgments"),
        migrations.AddField(
            model_name="round", name="has_pairs", field=models.BooleanField(default=False, editable=False)
        ),
        migrations.RunPython(note_pairs, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="round",
            name="questionnaire",
            field=models.CharField(
                default=review.models.questionnaires.first_questionnaire,
                help_text="The code of the questionnaire.",
                max_length=40,
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="sample_size",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Drawn in proportion to model, template and category. Empty: all responses of the runs.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(judgments_each__range=(2, 5)) | models.Q(has_pairs=False, judgments_each=1),
                name="a_round_has_two_to_five_judgments",
            ),
        ),
        # In place of the trigger of this name.
        FreezeRows(
            "review_round",
            "how many judgments a round asks for, its questionnaire, and what gives a final verdict, never changes",
            when="OLD.judgments_each {differs} NEW.judgments_each OR OLD.consensus {differs} NEW.consensus "
            "OR OLD.questionnaire {differs} NEW.questionnaire OR OLD.has_pairs {differs} NEW.has_pairs",
        ),
    ]
