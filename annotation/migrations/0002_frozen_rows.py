"""Rows that never change: the log and anything released. And the groups that the roles are."""

from django.db import migrations

from annotation.frozen import FreezeRows

FROZEN = ("event", "instance", "release", "releasedrecord", "releasedinstance")


def make_roles(apps, schema_editor):
    Group = apps.get_model("auth", "Group")
    for name in ("annotator", "reviewer", "adjudicator", "admin"):
        Group.objects.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        *(FreezeRows(f"annotation_{model}", f"{model} rows never change") for model in FROZEN),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
