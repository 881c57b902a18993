from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_review_shares'),
    ]

    operations = [
        RefuseReplacing("annotation_release", "releases never change"),
        RefuseReplacing("annotation_releasedrecord", "records of a release never change"),
        RefuseReplacing("annotation_releasedinstance", "instances never leave a release"),
        RefuseReplacing("annotation_instance", "instances never change"),
    ]
