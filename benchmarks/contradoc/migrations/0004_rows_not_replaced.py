from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('contradoc', '0003_plainer_words'),
    ]

    operations = [
        RefuseReplacing("contradoc_document", "documents never change", ("id", "key", "benchmark, code")),
    ]
