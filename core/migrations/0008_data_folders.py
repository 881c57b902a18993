"""Folders of data that work with this database, the stop of new calls, and trigger functions that name their schema."""

import django.utils.timezone
import uuid
from django.db import migrations, models


def name_schemas(apps, schema_editor):
    """Let the functions of the triggers find their tables when a restore has set an empty search path. Those made
    from now on do so anyway.
    """
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT functions.oid::regprocedure::text FROM pg_trigger triggers "
            "JOIN pg_class tables ON tables.oid = triggers.tgrelid "
            "JOIN pg_proc functions ON functions.oid = triggers.tgfoid "
            "WHERE NOT triggers.tgisinternal AND tables.relnamespace = current_schema()::regnamespace"
        )
        for (function,) in cursor.fetchall():
            cursor.execute(f"ALTER FUNCTION {function} SET search_path FROM CURRENT")


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0007_approvals'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='calls_stopped_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name='DataFolder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('host', models.CharField(blank=True, max_length=200)),
                ('step', models.PositiveBigIntegerField(default=0)),
                ('seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('held_at', models.DateTimeField(blank=True, null=True)),
                ('held_because', models.TextField(blank=True)),
                ('recovered_at', models.DateTimeField(blank=True, null=True)),
                ('recovered', models.JSONField(blank=True, default=list, help_text='Sentences about what was recovered.')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('held_at', None), ('held_because', '')), models.Q(('held_at__isnull', False), models.Q(('held_because', ''), _negated=True)), _connector='OR'), name='exactly_a_held_folder_says_why')],
            },
        ),
        migrations.RunPython(name_schemas, migrations.RunPython.noop),
    ]
