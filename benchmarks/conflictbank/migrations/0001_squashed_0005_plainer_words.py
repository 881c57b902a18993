"""All migrations up to 0005 as one, for new databases: there it takes a quarter of their time."""

from importlib import import_module

import core.lists.search
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from core.engine.tables import models_together, triggers_of


class Migration(migrations.Migration):

    replaces = [('conflictbank', '0001_initial'), ('conflictbank', '0002_claims_in_progress'), ('conflictbank', '0003_local_components'), ('conflictbank', '0004_entity_beginning'), ('conflictbank', '0005_plainer_words')]

    initial = True

    dependencies = [
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClaimSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seed', models.BigIntegerField(unique=True)),
                ('made_on', models.DateField(help_text='The date of the claims: times in them are later.')),
                ('first_year', models.PositiveSmallIntegerField(help_text='The first year of times in claims.')),
                ('leaves_out_living', models.BooleanField(default=False)),
                ('counts', models.JSONField(blank=True, default=dict, help_text='Facts without claims, by reason.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('twins_of', models.OneToOneField(blank=True, help_text='The claims whose twins these are.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='twins', to='conflictbank.claimset')),
                ('facts', models.PositiveIntegerField(default=0, help_text='Facts with claims in this set.')),
                ('of_facts', models.PositiveIntegerField(default=0, help_text='Facts that could get claims when this set was begun.')),
                ('making_until', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, help_text='Empty while claims are being made.', null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('finished_at', None), ('making_until', None), _connector='OR'), name='finished_claims_are_not_being_made')],
            },
        ),
        migrations.CreateModel(
            name='ConflictSettings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('refusal_features', models.TextField(blank=True, default="I apologize\nI'm sorry\nI am sorry, but\nI cannot\nI can't\nI am unable to\nI'm unable to\nas an AI\nas a language model", help_text='One per line. They are found regardless of case, and not within quotation marks.')),
                ('fewest_characters', models.PositiveSmallIntegerField(default=50, help_text='Shorter evidence counts as a refusal.', verbose_name='fewest characters of evidence')),
                ('entailment_over', models.FloatField(default=0.5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='entailed from a probability over')),
                ('contradiction_over', models.FloatField(default=0.5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='a contradiction from a probability over')),
                ('drops_last_sentence', models.BooleanField(default=False, help_text='Applies to new evidence.', verbose_name='drop an incomplete last sentence of evidence')),
                ('people', models.PositiveSmallIntegerField(default=5, verbose_name='people who check a sample')),
                ('per_person', models.PositiveSmallIntegerField(default=200, verbose_name='evidence per person')),
                ('common_share', models.FloatField(default=0.25, help_text='The paper does not state it.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='share that everyone checks')),
                ('least_precision', models.FloatField(default=0.9, help_text='Measured by people. A check with a lower precision bars releases.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='least precision of a check')),
                ('bar_lifted', models.TextField(blank=True, help_text='Empty: a check below the precision bars releases.', verbose_name='reason to release nevertheless')),
            ],
            options={
                'verbose_name_plural': 'conflict settings',
            },
        ),
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='Its id in Wikidata; without one, a digest of its name and description.', max_length=80, unique=True)),
                ('name', models.TextField(blank=True)),
                ('description', models.TextField(blank=True)),
                ('aliases', models.JSONField(blank=True, default=list)),
                ('types', models.JSONField(blank=True, default=list, help_text='Ids in Wikidata, or words. Empty: not known.')),
                ('is_living', models.BooleanField(blank=True, help_text='Whether it is a person without a date of death. Empty: not known.', null=True)),
                ('is_missing', models.BooleanField(default=False)),
            ],
            options={
                'verbose_name_plural': 'entities',
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('is_missing', False), ('name', '')), fields=['id'], name='entity_without_name'), models.Index(core.lists.search.Beginning('name'), name='entity_beginning')],
                'constraints': [models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='an_entity_has_a_key')],
            },
        ),
        migrations.CreateModel(
            name='FactFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(blank=True, max_length=200)),
                ('size', models.PositiveBigIntegerField(default=0, help_text='In bytes.')),
                ('digest', models.CharField(help_text='SHA-256 of the file, or of the beginning of a dump.', max_length=64)),
                ('revision', models.CharField(blank=True, max_length=200)),
                ('licence', models.CharField(blank=True, max_length=200)),
                ('checkpoint', models.JSONField(blank=True, default=dict)),
                ('counts', models.JSONField(blank=True, default=dict)),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('digest', 'size'), name='a_file_of_facts_is_known_once')],
            },
        ),
        migrations.CreateModel(
            name='Fact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('relation', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('ready', 'Ready'), ('waiting', 'Waiting for names'), ('dropped', 'Dropped')], default='waiting', max_length=10)),
                ('reason', models.CharField(blank=True, choices=[('no_object', 'no current object'), ('no_name', 'no name'), ('no_description', 'no description'), ('contained', 'one name inside the other'), ('month', 'a month in a name'), ('no_template', 'relation without template'), ('few_objects', 'fewer than three objects in the relation')], max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('object', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='facts_about', to='conflictbank.entity')),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='facts', to='conflictbank.entity')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='facts', to='conflictbank.factfile')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['state', 'relation', 'id'], name='fact_state'), models.Index(fields=['relation', 'id'], name='fact_relation')],
                'constraints': [models.UniqueConstraint(fields=('subject', 'relation'), name='one_fact_per_subject_and_relation'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'dropped'), models.Q(('reason', ''), _negated=True)), models.Q(models.Q(('state', 'dropped'), _negated=True), ('reason', '')), _connector='OR'), name='exactly_a_dropped_fact_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), ('object__isnull', False), _connector='OR'), name='a_ready_fact_has_an_object')],
            },
        ),
        migrations.CreateModel(
            name='RelationTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('relation', models.CharField(help_text='The id of the property in Wikidata, such as P19.', max_length=20)),
                ('version', models.PositiveSmallIntegerField(default=1)),
                ('statement', models.TextField(blank=True, help_text='A sentence with <subject> and <object>.')),
                ('question', models.TextField(blank=True, help_text='A question with <subject>, answered by the object.')),
                ('is_point', models.BooleanField(default=False, help_text='Otherwise, claims can also have an interval.', verbose_name='happens at a point in time')),
                ('problem', models.TextField(blank=True, help_text='The reason why the published wording cannot be used.')),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['relation', 'version'],
                'constraints': [models.UniqueConstraint(fields=('relation', 'version'), name='a_relation_has_a_template_once'), models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('relation',), name='one_active_template_per_relation'), models.CheckConstraint(condition=models.Q(('is_active', False), models.Q(models.Q(('statement', ''), _negated=True), models.Q(('question', ''), _negated=True)), _connector='OR'), name='an_active_template_has_both_texts')],
            },
        ),
        migrations.CreateModel(
            name='Conflict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('span', models.JSONField(help_text='The time of the temporal claim: a point, or a start and an end.')),
                ('semantic_description', models.TextField(blank=True, help_text='Another description of the subject, written by a model. Empty until it is requested.')),
                ('set_aside', models.TextField(blank=True, help_text='The reason to leave it out of reports and new releases. Empty: it is included.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('claim_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts', to='conflictbank.claimset')),
                ('object', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='conflictbank.entity')),
                ('replacement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replaces', to='conflictbank.entity')),
                ('fact', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts', to='conflictbank.fact')),
                ('template', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts', to='conflictbank.relationtemplate')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('claim_set', 'fact'), name='a_fact_once_per_set_of_claims'), models.CheckConstraint(condition=models.Q(('object', models.F('replacement')), _negated=True), name='a_replacement_is_another')],
            },
        ),
        migrations.CreateModel(
            name='Claim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('cause', models.CharField(choices=[('default', 'Default'), ('misinformation', 'Misinformation'), ('temporal', 'Temporal'), ('semantic', 'Semantic')], max_length=20)),
                ('text', models.TextField()),
                ('style', models.CharField(choices=[('wikipedia', 'Wikipedia'), ('book', 'Book'), ('news', 'News')], help_text='The style of its evidence.', max_length=10)),
                ('conflict', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='conflictbank.conflict')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('conflict', 'cause'), name='one_claim_per_cause'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_claim_has_a_text')],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
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
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('ends_early', models.BooleanField(default=False, help_text='The text ends within a sentence.')),
                ('dropped', models.PositiveIntegerField(default=0, help_text='The number of characters dropped from the end.')),
                ('overruled', models.TextField(blank=True, help_text='The reason to use it although a check failed. Empty: no check is overruled.')),
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='conflict_evidence', to='judging.attempt')),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evidence', to='conflictbank.claim')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflict_evidence', to='judging.run')),
            ],
            options={
                'verbose_name_plural': 'evidence',
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('claim', 'model'), name='one_evidence_per_claim_and_model')],
            },
        ),
        migrations.CreateModel(
            name='EvidenceCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(choices=[('refusal', 'Refusal features'), ('entailment', 'Claim entailed by its evidence'), ('contradiction', 'Contradicts the default evidence')], max_length=20)),
                ('outcome', models.CharField(choices=[('waiting', 'Waiting'), ('passed', 'Passed'), ('failed', 'Failed'), ('not_checked', 'Not checked')], default='waiting', max_length=12)),
                ('component', models.CharField(blank=True, help_text='The component that checked it, and its version.', max_length=200)),
                ('value', models.FloatField(blank=True, null=True)),
                ('threshold', models.FloatField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('evidence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='conflictbank.evidence')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['name', 'outcome', 'id'], name='evidence_check_outcome')],
                'constraints': [models.UniqueConstraint(fields=('evidence', 'name'), name='evidence_is_checked_once_by_each'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('outcome', 'waiting')), models.Q(models.Q(('outcome', 'waiting'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='exactly_a_decided_check_of_evidence_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='MeasuredPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(help_text='entailment or contradiction', max_length=20)),
                ('component', models.CharField(max_length=200)),
                ('digest', models.CharField(help_text='The same for equal texts: a SHA-256.', max_length=64)),
                ('premise', models.TextField()),
                ('hypothesis', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('measured', 'Measured'), ('unreadable', 'Unreadable')], default='waiting', max_length=10)),
                ('value', models.FloatField(blank=True, null=True)),
                ('said', models.CharField(blank=True, max_length=200)),
                ('measured_at', models.DateTimeField(blank=True, null=True)),
                ('attempt', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='measured_pair', to='judging.attempt')),
                ('checks', models.ManyToManyField(related_name='pairs', to='conflictbank.evidencecheck')),
                ('model', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='measured_pairs', to='judging.run')),
                ('lease_expires_at', models.DateTimeField(blank=True, help_text='Only for local models.', null=True)),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['run', 'state', 'id'], name='measured_pair_state')],
                'constraints': [models.UniqueConstraint(fields=('label', 'component', 'digest'), name='a_pair_is_measured_once'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'measured'), ('value__gte', 0), ('value__isnull', False), ('value__lte', 1)), models.Q(models.Q(('state', 'measured'), _negated=True), ('value', None)), _connector='OR'), name='exactly_a_measured_pair_has_a_value')],
            },
        ),
        migrations.CreateModel(
            name='TrueObject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.CharField(default='normal', max_length=10)),
                ('is_current', models.BooleanField(default=True)),
                ('started', models.CharField(blank=True, max_length=40)),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='true_of', to='conflictbank.entity')),
                ('fact', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='true_objects', to='conflictbank.fact')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('fact', 'entity'), name='an_object_is_true_once')],
            },
        ),
        migrations.CreateModel(
            name='ConflictClassifier',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting for the worker'), ('trained', 'Trained'), ('failed', 'Failed')], default='waiting', max_length=8)),
                ('seed', models.BigIntegerField(help_text='Assigns the labels to the folds of the cross-validation.')),
                ('encoder', models.CharField(help_text='The folder of the sentence encoder, and its version.', max_length=120)),
                ('labels', models.JSONField(help_text='The labels used for training: the number of each evidence, and 1 or 0.')),
                ('label_count', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(200)])),
                ('contradicting', models.PositiveIntegerField(help_text='Labels with the answer “clearly”.')),
                ('embedded', models.PositiveIntegerField(default=0, help_text='Texts embedded so far.')),
                ('coefficients', models.JSONField(blank=True, null=True)),
                ('intercept', models.FloatField(blank=True, null=True)),
                ('accuracy', models.FloatField(blank=True, help_text='The share of correct predictions in `held_out`.', null=True)),
                ('held_out', models.JSONField(blank=True, help_text='The probability predicted for each label by a classifier trained without its conflict.', null=True)),
                ('library', models.CharField(blank=True, max_length=60)),
                ('said', models.CharField(blank=True, help_text='The reason why the training failed.', max_length=300)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('trained_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('contradicting__lte', models.F('label_count')), ('label_count__gte', 200)), name='a_classifier_of_conflicts_has_enough_labels'), models.CheckConstraint(condition=models.Q(models.Q(('accuracy__gte', 0), ('accuracy__lte', 1), ('coefficients__isnull', False), ('held_out__isnull', False), ('intercept__isnull', False), ('state', 'trained'), ('trained_at__isnull', False)), models.Q(models.Q(('state', 'trained'), _negated=True), ('accuracy', None), ('coefficients__isnull', True), ('held_out__isnull', True), ('intercept', None), ('trained_at', None)), _connector='OR'), name='exactly_a_trained_classifier_has_numbers')],
            },
        ),
    ]
    operations = [*models_together(operations), *triggers_of(import_module(f"{__package__}.{name}").Migration for _, name in replaces)]
