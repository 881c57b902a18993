"""The database refuses to delete what is released, as it refuses to change it."""

from django.db import migrations

from core.writing.frozen import KeepRows

# An import or release that died leaves rows of an open batch, which nobody has seen; they are deleted.
IS_VISIBLE = "NOT EXISTS (SELECT 1 FROM core_batch WHERE core_batch.id = OLD.batch_id AND core_batch.is_open)"
# An instance of an interrupted import is in no release; it is deleted after a week.
IS_RELEASED = "EXISTS (SELECT 1 FROM annotation_releasedinstance WHERE instance_id = OLD.id)"


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_counterparts'),
        ('core', '0009_pseudonyms'),
    ]

    operations = [
        KeepRows("annotation_release", "releases are never deleted", when=IS_VISIBLE),
        KeepRows("annotation_releasedrecord", "records of a release are never deleted", when=IS_VISIBLE),
        KeepRows("annotation_releasedinstance", "instances never leave a release", when=IS_VISIBLE),
        KeepRows("annotation_instance", "released instances are never deleted", when=IS_RELEASED),
    ]
