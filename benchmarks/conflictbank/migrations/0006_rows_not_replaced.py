from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('conflictbank', '0005_plainer_words'),
    ]

    operations = [
        RefuseReplacing("conflictbank_relationtemplate", "a template is never replaced"),
        RefuseReplacing("conflictbank_conflict", "a conflict is never replaced", ("id", "key", "claim_set_id, fact_id")),
        RefuseReplacing("conflictbank_claim", "claims never change", ("id", "key", "conflict_id, cause")),
        RefuseReplacing("conflictbank_claimset", "a set of claims is never replaced", ("id", "seed", "twins_of_id")),
        RefuseReplacing("conflictbank_evidence", "evidence never changes; another reply is another row", ("id", "key")),
        RefuseReplacing("conflictbank_conflictclassifier", "a classifier is never replaced"),
    ]
