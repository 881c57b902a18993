from django.db import migrations, models

# The only reader of verdicts by a JSON schema when this was written.
READS_JSON = "several_forms"


def note_readers(apps, schema_editor):
    """Note which existing runs use a reader of verdicts by a JSON schema."""
    apps.get_model("judging", "Run").objects.filter(reader=READS_JSON).update(reads_json=True)


class Migration(migrations.Migration):
    dependencies = [("judging", "0004_codes_of_tasks")]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="a_verdict_as_json_is_read_as_json"),
        migrations.AddField(
            model_name="run", name="reads_json", field=models.BooleanField(default=False, editable=False)
        ),
        migrations.RunPython(note_readers, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(as_json_schema=False) | models.Q(kind="judge", reads_json=True),
                name="a_verdict_as_json_is_read_as_json",
            ),
        ),
    ]
