"""Pairs and final verdicts copy category and subcategory of their instance, under the names of the instance."""

from django.db import migrations, models

from core.writing.frozen import FreezeRows, ThawRows

FROZEN = {"pair": "a pair of judgments never changes", "finalverdict": "a final verdict never changes"}
# The index on what reports count, by its name, before and after.
COUNTED = {
    "pair": ("pair_counted", ("cell", "reviewer_1", "reviewer_2")),
    "finalverdict": ("final_verdict_counted", ("verdict_number", "batch")),
}


NUMBER = models.SmallIntegerField()
KIND = models.Case(
    models.When(category="", then=models.Value(0)),
    models.When(category="EXP", then=models.Value(1)),
    models.When(category="IMP", then=models.Value(2)),
    default=models.Value(3),
    output_field=NUMBER,
) + models.Case(
    models.When(subcategory="same", then=models.Value(4)), default=models.Value(0), output_field=NUMBER
)


def write_subcategories(apps, schema_editor):
    """Write the subcategory of instances whose passages are the same."""
    for name in FROZEN:
        apps.get_model("review", name).objects.filter(same_passage=True).update(subcategory="same")


def renamed(name):
    """The operations on one of the two models up to the rows that are written."""
    yield ThawRows(f"review_{name}", FROZEN[name])
    yield migrations.RemoveIndex(model_name=name, name=COUNTED[name][0])
    yield migrations.RemoveField(model_name=name, name="conflict")
    yield migrations.RenameField(model_name=name, old_name="reasoning_type", new_name="category")
    yield migrations.AddField(
        model_name=name,
        name="subcategory",
        field=models.CharField(blank=True, default="", max_length=40),
        preserve_default=False,
    )


def counted(name):
    """The operations on one of the two models once the rows are written."""
    yield migrations.RemoveField(model_name=name, name="same_passage")
    yield migrations.AddField(
        model_name=name,
        name="kind",
        field=models.GeneratedField(
            db_persist=True,
            expression=KIND,
            output_field=models.SmallIntegerField(),
        ),
    )
    index, columns = COUNTED[name]
    yield migrations.AddIndex(
        model_name=name,
        index=models.Index(fields=["instance", "template", "model", "kind", *columns], name=index),
    )
    yield FreezeRows(f"review_{name}", FROZEN[name])


class Migration(migrations.Migration):
    dependencies = [("review", "0003_rounds_with_pairs")]

    operations = [
        *(each for name in FROZEN for each in renamed(name)),
        migrations.RunPython(write_subcategories, migrations.RunPython.noop),
        *(each for name in FROZEN for each in counted(name)),
    ]
