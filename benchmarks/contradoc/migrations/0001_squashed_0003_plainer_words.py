"""All migrations up to 0003 as one, for new databases: there it takes a quarter of their time."""

from importlib import import_module

import core.lists.search
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from core.engine.tables import models_together, triggers_of


class Migration(migrations.Migration):

    replaces = [('contradoc', '0001_initial'), ('contradoc', '0002_plain_words'), ('contradoc', '0003_plainer_words')]

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='CheckSettings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('benchmark', models.CharField(max_length=40, unique=True)),
                ('contradiction_over', models.FloatField(default=0.9, help_text='Of the statement and its contradiction. The released program has 0.9.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='a contradiction from a probability over')),
                ('insertion_rise', models.FloatField(default=0.03, help_text='The paper has 0.01 to 0.03 by type and length, its program 0.03.', verbose_name='the perplexity may rise with an insertion by')),
                ('replacement_rise', models.FloatField(default=0.08, help_text='The paper has 0.01 to 0.03 by type and length, its program 0.08.', verbose_name='the perplexity may rise with a replacement by')),
                ('next_sentence_over', models.FloatField(default=0.5, help_text='On the less plausible side.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='a plausible next sentence from a probability over')),
                ('window', models.PositiveSmallIntegerField(default=0, help_text='0: the whole document.', validators=[django.core.validators.MaxValueValidator(100)], verbose_name='sentences on either side whose perplexity counts')),
            ],
            options={
                'verbose_name_plural': 'check settings',
            },
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('benchmark', models.CharField(help_text='The benchmark that it is for, by its code.', max_length=40)),
                ('code', models.CharField(help_text='Its id in the file that it came from.', max_length=200)),
                ('doc_type', models.CharField(help_text='One of the document types of the benchmark.', max_length=40)),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(core.lists.search.Beginning('code'), name='document_beginning')],
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'code'), name='one_document_per_code'), models.CheckConstraint(condition=models.Q(models.Q(('code', ''), _negated=True), models.Q(('text', ''), _negated=True)), name='a_document_has_code_and_text')],
            },
        ),
        migrations.CreateModel(
            name='StatementReply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty'), ('failed', 'Interrupted by an error'), ('unknown', 'Ended for an unknown reason')], default='complete', max_length=10)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('refusal', models.TextField(blank=True)),
                ('reasoning', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('completion_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('cached_tokens', models.PositiveIntegerField(blank=True, help_text="Tokens of the prompt that were in the provider's cache.", null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('cost', models.DecimalField(blank=True, decimal_places=10, max_digits=20, null=True)),
                ('provider_id', models.CharField(blank=True, max_length=200)),
                ('served_model', models.CharField(blank=True, max_length=200)),
                ('reused', models.BooleanField(default=False, help_text='Copied from an earlier run that made the same request.')),
                ('answered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('method', models.CharField(help_text='The method of making the error, by its code in the benchmark.', max_length=40)),
                ('reader', models.CharField(help_text='The reader of the reply, with its version.', max_length=40)),
                ('problem', models.TextField(blank=True, help_text='Why the reply cannot be read. Empty: it was read.')),
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='statement_reply', to='judging.attempt')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statement_replies', to='contradoc.document')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statement_replies', to='judging.run')),
            ],
            options={
                'verbose_name_plural': 'statement replies',
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('problem', ''), _negated=True), fields=['run', 'id'], name='statement_reply_unread')],
                'constraints': [models.UniqueConstraint(fields=('run', 'document', 'model'), name='one_statement_reply_per_call')],
            },
        ),
        migrations.CreateModel(
            name='Statement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Its number in the reply, from 1.')),
                ('original', models.TextField(blank=True, help_text='The sentence that the model says it took.')),
                ('statement', models.TextField(blank=True)),
                ('contradiction', models.TextField(blank=True)),
                ('rewording', models.TextField(blank=True, help_text='The contradiction in other words, or the sentence rewritten.')),
                ('problem', models.TextField(blank=True, help_text='Why it was refused. Empty: it was not.')),
                ('start', models.PositiveIntegerField(blank=True, null=True)),
                ('end', models.PositiveIntegerField(blank=True, null=True)),
                ('near_start', models.PositiveIntegerField(blank=True, null=True)),
                ('near_end', models.PositiveIntegerField(blank=True, null=True)),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='contradoc.document')),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='contradoc.statementreply')),
            ],
            options={
                'ordering': ['reply_id', 'number'],
                'constraints': [models.UniqueConstraint(fields=('reply', 'number'), name='one_statement_per_number'), models.CheckConstraint(condition=models.Q(models.Q(('end__gt', models.F('start')), ('near_end', None), ('near_start', None), ('problem', ''), ('start__isnull', False)), models.Q(models.Q(('problem', ''), _negated=True), ('end', None), ('start', None)), _connector='OR'), name='a_statement_stands_in_its_document_or_is_refused'), models.CheckConstraint(condition=models.Q(models.Q(('near_end', None), ('near_start', None)), models.Q(('near_end__gt', models.F('near_start')), ('near_start__isnull', False)), _connector='OR'), name='the_nearest_sentence_has_both_ends')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('method', models.CharField(help_text='The method of making the error, by its code in the benchmark.', max_length=40)),
                ('operation', models.CharField(choices=[('Insert', 'Insertion'), ('Replace', 'Replacement')], max_length=10)),
                ('is_rewording', models.BooleanField(default=False, help_text='Made with the rewording, not the contradiction.')),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('new_text', models.TextField()),
                ('digest', models.CharField(help_text='The same for equal edits: a SHA-256.', max_length=64)),
                ('rank', models.PositiveSmallIntegerField(default=1, help_text="Rank among the statement's gaps, from 1.")),
                ('state', models.CharField(choices=[('made', 'To be checked'), ('failed', 'Failed a check'), ('left_out', 'Not chosen'), ('chosen', 'Chosen for verification'), ('verified', 'Verified'), ('rejected', 'Rejected'), ('negative', 'Does not contradict itself')], default='made', max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('moved_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='moved', to='contradoc.candidate')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='contradoc.document')),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='contradoc.statement')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['state', 'id'], name='candidate_state')],
                'constraints': [models.UniqueConstraint(fields=('document', 'digest'), name='an_edit_once_per_document'), models.CheckConstraint(condition=models.Q(models.Q(('operation', 'Insert'), ('start', models.F('end'))), models.Q(('operation', 'Replace'), ('start__lt', models.F('end'))), _connector='OR'), name='an_insertion_replaces_nothing'), models.CheckConstraint(condition=models.Q(('new_text', ''), _negated=True), name='a_candidate_has_a_new_sentence')],
            },
        ),
        migrations.CreateModel(
            name='Measurement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='The code of the measure.', max_length=40)),
                ('component', models.CharField(help_text='The component that measures it, with its version.', max_length=200)),
                ('part', models.CharField(max_length=20)),
                ('window', models.PositiveSmallIntegerField(default=0, help_text='Sentences on either side of the edit; 0: the whole document.')),
                ('digest', models.CharField(help_text='The same for equal texts: a SHA-256.', max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('measured', 'Measured'), ('unreadable', 'Unreadable')], default='waiting', max_length=10)),
                ('value', models.FloatField(blank=True, null=True)),
                ('said', models.CharField(blank=True, help_text='A label, or why there is no value.', max_length=200)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('measured_at', models.DateTimeField(blank=True, null=True)),
                ('attempt', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='measurement', to='judging.attempt')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='measurements', to='contradoc.candidate')),
                ('model', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='measurements', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['run', 'state', 'id'], name='measurement_state')],
                'constraints': [models.UniqueConstraint(fields=('name', 'component', 'digest'), name='a_text_is_measured_once'), models.CheckConstraint(condition=models.Q(models.Q(('measured_at__isnull', False), ('state', 'measured'), ('value__isnull', False)), models.Q(('measured_at__isnull', False), ('state', 'unreadable'), ('value', None)), models.Q(('measured_at', None), ('state', 'waiting'), ('value', None)), _connector='OR'), name='exactly_a_measurement_has_a_value')],
            },
        ),
        migrations.CreateModel(
            name='Check',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='The code of the check.', max_length=40)),
                ('version', models.PositiveSmallIntegerField(default=1)),
                ('value', models.FloatField(blank=True, null=True)),
                ('threshold', models.FloatField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('waiting', 'Waiting'), ('passed', 'Passed'), ('failed', 'Failed'), ('not_checked', 'Not checked')], default='waiting', max_length=12)),
                ('component', models.CharField(blank=True, help_text='The component that gave the value. Empty: none could.', max_length=200)),
                ('reason', models.TextField(blank=True, help_text='Why it was not checked.')),
                ('extent', models.CharField(blank=True, help_text='The part of the document that was checked.', max_length=100)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checks', to='contradoc.candidate')),
                ('measurements', models.ManyToManyField(blank=True, related_name='checks', to='contradoc.measurement')),
            ],
            options={
                'ordering': ['candidate_id', 'pk'],
                'indexes': [models.Index(fields=['name', 'outcome'], name='check_outcome')],
                'constraints': [models.UniqueConstraint(fields=('candidate', 'name', 'version'), name='a_check_once_per_candidate'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('outcome__in', ['passed', 'failed']), ('value__isnull', False)), models.Q(('decided_at__isnull', False), ('outcome', 'not_checked'), ('value', None), models.Q(('reason', ''), _negated=True)), models.Q(('decided_at', None), ('outcome', 'waiting'), ('value', None)), _connector='OR'), name='a_check_has_a_value_or_the_reason_for_none'), models.CheckConstraint(condition=models.Q(('outcome', 'not_checked'), models.Q(('component', ''), _negated=True), _connector='OR'), name='a_check_names_its_component')],
            },
        ),
        migrations.CreateModel(
            name='ReadSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(db_index=True, help_text='As in the groups of instances.', max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('person', 'source'), name='a_source_read_once_is_known')],
            },
        ),
    ]
    operations = [*models_together(operations), *triggers_of(import_module(f"{__package__}.{name}").Migration for _, name in replaces)]
