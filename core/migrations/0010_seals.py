"""The seals of the log. Those of entries that are there already are made by the first task of the clock."""

import django.db.models.deletion
from django.db import migrations, models

from core.writing.frozen import FreezeRows, KeepRows


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0009_pseudonyms'),
    ]

    operations = [
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('position', models.BigIntegerField(help_text='Its number in the chain, from 1, without gaps.', primary_key=True, serialize=False)),
                ('digest', models.CharField(help_text='SHA-256, in hexadecimal.', max_length=64)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.event')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        FreezeRows("core_seal", "seals never change"),
        KeepRows("core_seal", "seals are never deleted"),
    ]
