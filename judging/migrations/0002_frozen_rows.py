"""What a call has used never changes: the wording of a template, what decides a model's answers, resolved passages."""

from django.db import migrations

from annotation.frozen import FreezeRows

USED = (
    "(EXISTS (SELECT 1 FROM judging_call WHERE {column} = OLD.id)"
    " OR EXISTS (SELECT 1 FROM judging_response WHERE {column} = OLD.id))"
)
ANSWERING = ("kind", "endpoint_name", "decoding", "max_tokens_name", "empty_system_message")
ANSWERS_OTHERWISE = " OR ".join(f"OLD.{name} {{differs}} NEW.{name}" for name in ANSWERING)


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [
        FreezeRows(
            "judging_prompttemplate", "a used prompt template never changes", USED.format(column="template_id")
        ),
        FreezeRows(
            "judging_languagemodel",
            "what decides the answers of a used model never changes",
            f"({ANSWERS_OTHERWISE}) AND {USED.format(column='model_id')}",
        ),
        FreezeRows("judging_resolvedpassages", "resolved passages never change"),
    ]
