from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0007_plainer_words'),
    ]

    operations = [
        RefuseReplacing("judging_languagemodel", "a model is never replaced", ("id", "name")),
        RefuseReplacing("judging_prompttemplate", "a prompt template is never replaced", ("id", "code, version")),
        RefuseReplacing("judging_instancevariant", "a variant of an instance never changes", ("id", "instance_id, version")),
    ]
