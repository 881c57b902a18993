from django.db import migrations, models
from django.db.models import Count, F, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce


def finish_old_sets(apps, schema_editor):
    """Existing sets of claims count as finished."""
    claim_sets = apps.get_model("conflictbank", "ClaimSet").objects
    conflicts = apps.get_model("conflictbank", "Conflict").objects.filter(claim_set=OuterRef("pk"))
    count = conflicts.order_by().values("claim_set").annotate(n=Count("pk")).values("n")
    facts = Coalesce(Subquery(count, output_field=IntegerField()), 0)
    claim_sets.update(facts=facts, of_facts=facts, finished_at=F("created_at"))


class Migration(migrations.Migration):

    dependencies = [
        ('conflictbank', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='claimset',
            name='facts',
            field=models.PositiveIntegerField(default=0, help_text='Facts with claims in this set.'),
        ),
        migrations.AddField(
            model_name='claimset',
            name='of_facts',
            field=models.PositiveIntegerField(default=0, help_text='Facts that could get claims when these were begun.'),
        ),
        migrations.AddField(
            model_name='claimset',
            name='making_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='claimset',
            name='finished_at',
            field=models.DateTimeField(blank=True, help_text='Empty: some claims are still to be made.', null=True),
        ),
        migrations.RunPython(finish_old_sets, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='claimset',
            constraint=models.CheckConstraint(condition=models.Q(('finished_at', None), ('making_until', None), _connector='OR'), name='finished_claims_are_not_being_made'),
        ),
    ]
