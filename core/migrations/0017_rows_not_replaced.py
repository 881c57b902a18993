from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0016_shown_work'),
    ]

    operations = [
        RefuseReplacing("core_event", "event rows never change"),
        RefuseReplacing("core_seal", "seals never change", ("position", "event_id")),
    ]
