"""A pair of judgments and a final verdict never change."""

from django.db import migrations

from annotation.frozen import FreezeRows


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]

    operations = [
        FreezeRows("review_pair", "a pair of judgments never changes"),
        FreezeRows("review_settlement", "a final verdict never changes"),
    ]
