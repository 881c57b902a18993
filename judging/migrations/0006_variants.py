"""Resolved passages become variants of instances, whose content has the shape of a benchmark. Fields that named its
passages get general names.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.writing.frozen import FreezeRows, ThawRows

KEYS = ("passage_1", "passage_2", "answer")


def write_content(apps, schema_editor):
    """Write the texts of each row into its content."""
    rows = apps.get_model("judging", "ResolvedPassages").objects
    for pk, *texts in rows.values_list("pk", *KEYS).order_by("pk"):
        rows.filter(pk=pk).update(content=dict(zip(KEYS, texts, strict=True)))


NO_ANSWER = models.Q(instance=None, template=None, repetition=None, variant=None)
NO_SUBJECT = models.Q(subject_number=None, part="")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial"), ("judging", "0005_readers_of_json")]

    operations = [
        ThawRows("judging_resolvedpassages", "resolved passages never change"),
        migrations.RemoveConstraint(model_name="resolvedpassages", name="resolved_passages_are_complete"),
        migrations.RemoveConstraint(model_name="resolvedpassages", name="one_row_per_resolved_version"),
        migrations.AddField(
            model_name="resolvedpassages",
            name="content",
            field=models.JSONField(default=dict, help_text="An object in the shape of the instance's benchmark."),
            preserve_default=False,
        ),
        migrations.RunPython(write_content, migrations.RunPython.noop),
        *(migrations.RemoveField(model_name="resolvedpassages", name=name) for name in KEYS),
        migrations.RenameField(model_name="resolvedpassages", old_name="resolved_by", new_name="made_by"),
        migrations.RenameField(model_name="resolvedpassages", old_name="resolved_at", new_name="made_at"),
        migrations.RemoveConstraint(model_name="call", name="a_call_refers_to_what_its_purpose_is_about"),
        migrations.RenameModel("ResolvedPassages", "InstanceVariant"),
        migrations.AlterModelOptions(name="instancevariant", options={"ordering": ["instance_id", "version"]}),
        migrations.AlterField(
            model_name="instancevariant",
            name="instance",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="variants", to="annotation.instance"
            ),
        ),
        migrations.AlterField(
            model_name="instancevariant",
            name="made_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="instancevariant",
            constraint=models.UniqueConstraint(fields=("instance", "version"), name="one_variant_per_version"),
        ),
        migrations.AddConstraint(
            model_name="instancevariant",
            constraint=models.CheckConstraint(condition=~models.Q(content={}), name="a_variant_has_content"),
        ),
        FreezeRows("judging_instancevariant", "a variant of an instance never changes"),
        migrations.RenameField(model_name="call", old_name="resolved", new_name="variant"),
        migrations.RenameField(model_name="response", old_name="resolved", new_name="variant"),
        migrations.AddConstraint(
            model_name="call",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    NO_SUBJECT,
                    purpose="response",
                    instance__isnull=False,
                    template__isnull=False,
                    repetition__gte=1,
                    judged_response=None,
                    model_suggestion=None,
                )
                | models.Q(
                    NO_ANSWER, NO_SUBJECT, purpose="judgment", judged_response__isnull=False, model_suggestion=None
                )
                | models.Q(
                    NO_ANSWER, NO_SUBJECT, purpose="suggestion", judged_response=None, model_suggestion__isnull=False
                )
                | models.Q(
                    ~models.Q(purpose__in=["response", "judgment", "suggestion", ""]),
                    NO_ANSWER,
                    judged_response=None,
                    model_suggestion=None,
                    subject_number__isnull=False,
                ),
                name="a_call_refers_to_what_its_purpose_is_about",
            ),
        ),
        migrations.RenameField(model_name="prompttemplate", old_name="text_same_passage", new_name="other_text"),
        migrations.AlterField(
            model_name="prompttemplate",
            name="other_text",
            field=models.TextField(
                blank=True, help_text="In place of the text for some instances, as its task says. Empty: the text for all."
            ),
        ),
        migrations.RenameField(model_name="run", old_name="include_same_passage", new_name="include_left_out"),
        migrations.AlterField(
            model_name="run",
            name="include_left_out",
            field=models.BooleanField(
                default=False, help_text="Also ask about instances that the task of a prompt usually leaves out."
            ),
        ),
    ]
