from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0004_evaluated_records")]

    operations = [
        migrations.AddIndex(
            model_name="adjudication",
            index=models.Index(
                fields=["round"], condition=models.Q(("times_reopened__gt", 0)), name="adjudication_reopened"
            ),
        ),
    ]
