"""Codes that tasks declare: the readers of judges' replies, the kinds of instances and of good responses. Only the models
know of it; no table changes.
"""

from django.db import migrations, models

import judging.protocol.tasks


class Migration(migrations.Migration):
    dependencies = [("judging", "0003_plain_words")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="run",
                    name="reader",
                    field=models.CharField(
                        default=judging.protocol.tasks.first_reader,
                        help_text="The reader of the judges' replies.",
                        max_length=20,
                    ),
                ),
                migrations.AlterField(
                    model_name="modeljudgment",
                    name="reader",
                    field=models.CharField(help_text="The reader of the reply, and its version.", max_length=40),
                ),
                migrations.AlterField(
                    model_name="prompttemplate",
                    name="applies_to",
                    field=models.CharField(default="all", max_length=20),
                ),
                migrations.AlterField(
                    model_name="prompttemplate",
                    name="expects",
                    field=models.CharField(default="answers", max_length=20),
                ),
            ]
        )
    ]
