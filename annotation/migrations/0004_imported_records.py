"""Imported records are kept as JSON text, so that their keys keep their order on every database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_password_links")]

    operations = [
        migrations.AddField(
            model_name="tag",
            name="imported_record",
            field=models.TextField(
                blank=True,
                default="",
                help_text="The record of a tag that was imported without an annotation, as JSON text.",
            ),
            preserve_default=False,
        ),
        migrations.RemoveField(model_name="annotation", name="imported_record"),
        migrations.AddField(
            model_name="annotation",
            name="imported_record",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
    ]
