from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_rows_not_replaced'),
    ]

    operations = [
        RefuseReplacing("annotation_evidence", "evidence rows never change", ("id", "tag_id, kind, wiki_id, revision_id, rendering")),
        RefuseReplacing("annotation_evidencepage", "evidencepage rows never change", ("id", "digest")),
        RefuseReplacing("annotation_checktag", "a check tag never changes", ("id", "tag_id", "original_id, person_id")),
        RefuseReplacing("annotation_guidelineversion", "a published guideline never changes", ("number",)),
        # In place of the triggers that looked at the id alone.
        RefuseReplacing("annotation_release", "releases never change", ("id", "number")),
        RefuseReplacing("annotation_releasedrecord", "records of a release never change", ("id", "release_id, position", "release_id, annotation_id")),
        RefuseReplacing("annotation_releasedinstance", "instances never leave a release", ("id", "release_id, number", "release_id, instance_id")),
        RefuseReplacing("annotation_instance", "instances never change", ("id", "key")),
    ]
