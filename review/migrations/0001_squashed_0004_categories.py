"""All migrations up to 0004 as one, for new databases: there it takes a quarter of their time."""

from importlib import import_module

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import review.models.questionnaires
import uuid
from django.conf import settings
from django.db import migrations, models

from core.engine.tables import models_together, triggers_of


class Migration(migrations.Migration):

    replaces = [('review', '0001_initial'), ('review', '0002_plain_words'), ('review', '0003_rounds_with_pairs'), ('review', '0004_categories')]

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('core', '0001_initial'),
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='KnownVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('use', models.CharField(choices=[('training', 'Training set'), ('check', 'Hidden check item')], max_length=10)),
                ('verdict', models.CharField(choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('explanation', models.TextField(blank=True, help_text='Shown once the training item has been judged.')),
                ('is_offered', models.BooleanField(default=True, help_text='Used in new rounds.')),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('response', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='known_verdict', to='judging.response')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('use', 'training'), _negated=True), models.Q(('explanation', ''), _negated=True), _connector='OR'), name='a_training_item_has_an_explanation')],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=100, unique=True)),
                ('state', models.CharField(choices=[('dealing', 'Being dealt'), ('open', 'Open'), ('closing', 'Being closed'), ('closed', 'Closed')], default='dealing', max_length=10)),
                ('questionnaire', models.CharField(default=review.models.questionnaires.first_questionnaire, help_text='The code of the questionnaire.', max_length=40)),
                ('sample_size', models.PositiveIntegerField(blank=True, help_text='Drawn in proportion to model, template and category. Empty: all responses of the runs.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('seed', models.PositiveIntegerField(default=5, help_text='The same seed draws the same sample and orders.')),
                ('with_training', models.BooleanField(default=True, help_text='Reviewers start with the training set; each verdict is explained once they have judged.')),
                ('training_required', models.BooleanField(default=True, help_text='Nobody may skip the training set.')),
                ('judgments_each', models.PositiveSmallIntegerField(default=2, help_text='The number of people who judge each response.', validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(5)])),
                ('consensus', models.CharField(choices=[('all', 'All give the same verdict'), ('majority', 'More than half give the same verdict')], default='all', help_text='The rule for a final verdict without adjudication.', max_length=10)),
                ('by_gain', models.BooleanField(default=False, help_text='Discriminating items are judged first. Rates are biased until all is judged.')),
                ('accounts_opened', models.TextField(blank=True, editable=False)),
                ('adjudicate_among_two', models.BooleanField(default=False, help_text="The reviewers of a response may discuss and adjudicate it together, as the paper's authors did.")),
                ('lease_minutes', models.PositiveSmallIntegerField(default=30, help_text='A response left open for longer may be judged by another reviewer.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1440)])),
                ('undo_minutes', models.PositiveSmallIntegerField(default=15, help_text='For how many minutes a judgment can be taken back. It counts only afterwards, so taking it back reveals nothing about the other judgment.', validators=[django.core.validators.MaxValueValidator(1440)])),
                ('check_items', models.PositiveIntegerField(default=0, help_text='Responses with a known verdict, mixed in for every reviewer; reviewers cannot recognise them.')),
                ('left_out', models.JSONField(blank=True, default=dict)),
                ('dealing_until', models.DateTimeField(blank=True, null=True)),
                ('is_import', models.BooleanField(default=False, help_text='Its judgments were made elsewhere.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotation.release')),
                ('runs', models.ManyToManyField(blank=True, related_name='rounds', to='judging.run')),
                ('selected_responses', models.ManyToManyField(blank=True, related_name='+', to='judging.response')),
                ('has_pairs', models.BooleanField(default=False, editable=False)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('state', 'closed')), models.Q(models.Q(('state', 'closed'), _negated=True), ('closed_at', None)), _connector='OR'), name='a_closed_round_has_its_time'), models.CheckConstraint(condition=models.Q(('judgments_each__range', (2, 5)), models.Q(('has_pairs', False), ('judgments_each', 1)), _connector='OR'), name='a_round_has_two_to_five_judgments')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('ordinary', 'To be judged'), ('training', 'Training set'), ('check', 'Hidden check item')], default='ordinary', max_length=10)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.instance')),
                ('response', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='judging.response')),
                ('subject_kind', models.CharField(blank=True, max_length=20)),
                ('subject_number', models.BigIntegerField(blank=True, null=True)),
                ('known', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='review.knownverdict')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='review.round')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('batch__isnull', False)), fields=['batch'], name='item_of_a_batch')],
                'constraints': [models.UniqueConstraint(fields=('round', 'response'), name='a_response_once_per_round'), models.UniqueConstraint(condition=models.Q(('kind', 'ordinary')), fields=('response',), name='a_response_is_judged_in_one_round'), models.UniqueConstraint(condition=models.Q(('subject_number__isnull', False)), fields=('subject_kind', 'subject_number'), name='a_subject_is_judged_in_one_round'), models.UniqueConstraint(condition=models.Q(('instance__isnull', False), ('response', None)), fields=('round', 'instance'), name='an_instance_once_per_round'), models.CheckConstraint(condition=models.Q(models.Q(('instance__isnull', False), ('subject_kind', ''), ('subject_number', None)), models.Q(models.Q(('subject_kind', ''), _negated=True), ('instance', None), ('response', None), ('subject_number__isnull', False)), _connector='OR'), name='an_item_has_one_subject'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'ordinary'), ('known', None)), models.Q(models.Q(('kind', 'ordinary'), _negated=True), ('known__isnull', False), ('response__isnull', False)), _connector='OR'), name='training_and_check_items_have_a_known_verdict')],
            },
        ),
        migrations.CreateModel(
            name='Pseudonym',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.release')),
            ],
            options={
                'ordering': ['release', 'name'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('release__isnull', False)), fields=('release', 'person'), name='one_pseudonym_per_release'), models.UniqueConstraint(condition=models.Q(('release', None)), fields=('person',), name='one_pseudonym_without_release'), models.UniqueConstraint(condition=models.Q(('release__isnull', False)), fields=('release', 'name'), name='a_pseudonym_is_one_persons'), models.UniqueConstraint(condition=models.Q(('release', None)), fields=('name',), name='a_pseudonym_without_release_is_one_persons')],
            },
        ),
        migrations.CreateModel(
            name='Pair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict_1', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('verdict_2', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('cell', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.Case(models.When(then=models.Value(0), verdict_1='correct'), models.When(then=models.Value(1), verdict_1='partially_correct'), models.When(then=models.Value(2), verdict_1='incorrect'), default=models.Value(3), output_field=models.SmallIntegerField()), '*', models.Value(4)), '+', models.Case(models.When(then=models.Value(0), verdict_2='correct'), models.When(then=models.Value(1), verdict_2='partially_correct'), models.When(then=models.Value(2), verdict_2='incorrect'), default=models.Value(3), output_field=models.SmallIntegerField())), output_field=models.SmallIntegerField())),
                ('completed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('instance', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.instance')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='review.item')),
                ('model', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('response', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.response')),
                ('reviewer_1', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reviewer_2', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.run')),
                ('template', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.prompttemplate')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='review.round')),
                ('category', models.CharField(blank=True, max_length=200)),
                ('subcategory', models.CharField(blank=True, max_length=40)),
                ('kind', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.Case(models.When(category='', then=models.Value(0)), models.When(category='EXP', then=models.Value(1)), models.When(category='IMP', then=models.Value(2)), default=models.Value(3), output_field=models.SmallIntegerField()), '+', models.Case(models.When(subcategory='same', then=models.Value(4)), default=models.Value(0), output_field=models.SmallIntegerField())), output_field=models.SmallIntegerField())),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['instance', 'template', 'model', 'kind', 'cell', 'reviewer_1', 'reviewer_2'], name='pair_counted')],
                'constraints': [models.UniqueConstraint(fields=('item', 'reviewer_1', 'reviewer_2'), name='two_people_once_per_item'), models.CheckConstraint(condition=models.Q(('reviewer_1__lt', models.F('reviewer_2'))), name='a_pair_is_two_people_in_their_order')],
            },
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('number', models.PositiveSmallIntegerField(null=True)),
                ('position', models.PositiveIntegerField(help_text="Its position in its reviewer's own order.")),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('verdict', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('answers', models.JSONField(blank=True, null=True)),
                ('cannot_judge', models.TextField(blank=True, help_text='Why no verdict was possible.')),
                ('comment', models.TextField(blank=True)),
                ('seconds', models.PositiveIntegerField(blank=True, help_text='Seconds that the reviewer spent on the page.', null=True)),
                ('judged_at', models.DateTimeField(blank=True, null=True)),
                ('undo_until', models.DateTimeField(blank=True, null=True)),
                ('paired_at', models.DateTimeField(blank=True, null=True)),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='review.item')),
                ('reviewer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to=settings.AUTH_USER_MODEL)),
                ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='review.round')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('judged_at__isnull', False)), fields=['round', 'reviewer', 'judged_at', 'id', 'seconds'], name='judgment_given'), models.Index(condition=models.Q(('judged_at', None)), fields=['round', 'reviewer', 'position'], name='judgment_next'), models.Index(condition=models.Q(('judged_at', None), models.Q(('reviewer', None), ('lease_expires_at__isnull', False), _connector='OR')), fields=['round', 'lease_expires_at'], name='judgment_free'), models.Index(condition=models.Q(('judged_at__isnull', False), ('paired_at', None)), fields=['undo_until'], name='judgment_unpaired')],
                'constraints': [models.UniqueConstraint(fields=('item', 'number'), name='one_judgment_per_slot'), models.UniqueConstraint(condition=models.Q(('reviewer__isnull', False)), fields=('item', 'reviewer'), name='one_judgment_per_person_and_item'), models.CheckConstraint(condition=models.Q(('number', None), ('number__range', (1, 5)), _connector='OR'), name='judgments_are_numbered_from_1_to_5'), models.CheckConstraint(condition=models.Q(models.Q(('answers__isnull', True), ('cannot_judge', ''), ('judged_at', None), ('paired_at', None), ('undo_until', None), ('verdict', '')), models.Q(('judged_at__isnull', False), ('reviewer__isnull', False), ('undo_until__isnull', False), models.Q(models.Q(models.Q(('verdict', ''), _negated=True), ('answers__isnull', True), ('cannot_judge', '')), models.Q(('answers__isnull', True), ('verdict', ''), models.Q(('cannot_judge', ''), _negated=True)), models.Q(('answers__isnull', False), ('cannot_judge', ''), ('verdict', '')), _connector='OR')), _connector='OR'), name='a_judgment_has_person_time_and_verdict_or_reason'), models.CheckConstraint(condition=models.Q(('lease_expires_at', None), ('reviewer__isnull', False), _connector='OR'), name='a_lease_has_a_reviewer')],
            },
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('cause', models.CharField(choices=[('disagree', 'The judgments differ'), ('cannot_judge', 'A reviewer could not judge'), ('marked', 'A reviewer asked for an expert')], max_length=20)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('verdict', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('answers', models.JSONField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
                ('adjudicated_at', models.DateTimeField(blank=True, null=True)),
                ('times_reopened', models.PositiveSmallIntegerField(default=0)),
                ('adjudicator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to=settings.AUTH_USER_MODEL)),
                ('held_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='adjudication', to='review.item')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='review.round')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('adjudicated_at__isnull', False)), fields=['adjudicated_at', 'id'], name='adjudication_decided'), models.Index(condition=models.Q(('adjudicated_at', None)), fields=['opened_at', 'id'], name='adjudication_waiting'), models.Index(condition=models.Q(('adjudicated_at', None)), fields=['round', 'id'], name='adjudication_open'), models.Index(condition=models.Q(('times_reopened__gt', 0)), fields=['round'], name='adjudication_reopened')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('adjudicated_at', None), ('adjudicator', None), ('answers__isnull', True), ('verdict', '')), models.Q(('adjudicated_at__isnull', False), ('adjudicator__isnull', False), models.Q(('reason', ''), _negated=True), models.Q(models.Q(models.Q(('verdict', ''), _negated=True), ('answers__isnull', True)), models.Q(('answers__isnull', False), ('verdict', '')), _connector='OR')), _connector='OR'), name='an_adjudication_has_person_time_and_reason')],
            },
        ),
        migrations.CreateModel(
            name='RoundReviewer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('training_skipped_at', models.DateTimeField(blank=True, null=True)),
                ('joined_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('judged', models.PositiveIntegerField(default=0, editable=False)),
                ('seconds', models.PositiveBigIntegerField(default=0, editable=False)),
                ('slots_open', models.PositiveIntegerField(default=0, editable=False)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_rounds', to=settings.AUTH_USER_MODEL)),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviewers', to='review.round')),
            ],
            options={
                'ordering': ['round', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('round', 'person'), name='a_reviewer_once_per_round')],
            },
        ),
        migrations.CreateModel(
            name='SeenJudgments',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('judgments', 'Single judgments, even if others were not in'), ('verdicts', 'Outcomes of judgments once all were in'), ('file', 'A file of judgments that this person brought'), ('comments', 'What others say of the response in comments'), ('document', 'The document in another round, where its error was marked')], max_length=10)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, help_text='When last, of a round; when first, of a response.')),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='review.item')),
                ('response', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.response')),
                ('round', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='seen_by', to='review.round')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('person', 'round', 'what'), name='seen_once_per_round'), models.UniqueConstraint(fields=('person', 'response', 'what'), name='seen_once_per_response'), models.UniqueConstraint(fields=('person', 'item', 'what'), name='seen_once_per_item'), models.CheckConstraint(condition=models.Q(models.Q(('item', None), ('response__isnull', False), ('round', None)), models.Q(('item', None), ('response', None), ('round__isnull', False)), models.Q(('item__isnull', False), ('response', None), ('round', None)), _connector='OR'), name='seen_is_of_a_round_a_response_or_an_item')],
            },
        ),
        migrations.CreateModel(
            name='SetAside',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('taken_back_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='set_aside', to='annotation.instance')),
                ('taken_back_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('taken_back_at', None)), fields=('instance',), name='an_instance_is_set_aside_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='setting_aside_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('taken_back_at', None), ('taken_back_by', None)), models.Q(('taken_back_at__isnull', False), ('taken_back_by__isnull', False)), _connector='OR'), name='taking_back_has_person_and_time')],
            },
        ),
        migrations.CreateModel(
            name='TakenBack',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('why', models.CharField(choices=[('undo', 'Taken back by the reviewer'), ('reset', 'Reset by an admin')], max_length=10)),
                ('verdict', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('answers', models.JSONField(blank=True, null=True)),
                ('cannot_judge', models.TextField(blank=True)),
                ('comment', models.TextField(blank=True)),
                ('judged_at', models.DateTimeField()),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='taken_back', to='review.item')),
                ('judgment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='taken_back', to='review.judgment')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('why', 'reset'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_reset_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='EvaluatedRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repetition', models.PositiveSmallIntegerField(default=1)),
                ('content', models.TextField()),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.instance')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('run', 'model', 'instance', 'repetition'), name='one_evaluated_record')],
            },
        ),
        migrations.CreateModel(
            name='FinalVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('verdict_number', models.GeneratedField(db_persist=True, expression=models.Case(models.When(then=models.Value(0), verdict='correct'), models.When(then=models.Value(1), verdict='partially_correct'), models.When(then=models.Value(2), verdict='incorrect'), default=models.Value(3), output_field=models.SmallIntegerField()), output_field=models.SmallIntegerField())),
                ('how', models.CharField(choices=[('agreed', 'All agreed'), ('majority', 'Most agreed'), ('adjudicated', 'Adjudicated'), ('imported', 'Imported')], max_length=20)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.instance')),
                ('model', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('response', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='final_verdict', to='judging.response')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.run')),
                ('template', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.prompttemplate')),
                ('item', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='final_verdict', to='review.item')),
                ('category', models.CharField(blank=True, max_length=200)),
                ('subcategory', models.CharField(blank=True, max_length=40)),
                ('kind', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.Case(models.When(category='', then=models.Value(0)), models.When(category='EXP', then=models.Value(1)), models.When(category='IMP', then=models.Value(2)), default=models.Value(3), output_field=models.SmallIntegerField()), '+', models.Case(models.When(subcategory='same', then=models.Value(4)), default=models.Value(0), output_field=models.SmallIntegerField())), output_field=models.SmallIntegerField())),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['instance', 'template', 'model', 'kind', 'verdict_number', 'batch'], name='final_verdict_counted')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('how', 'imported'), ('item', None)), models.Q(models.Q(('how', 'imported'), _negated=True), ('item__isnull', False)), _connector='OR'), name='a_final_verdict_was_judged_here_or_imported')],
            },
        ),
        migrations.CreateModel(
            name='FinalAnswers',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(max_length=20)),
                ('answers', models.JSONField()),
                ('how', models.CharField(choices=[('merged', 'Merged by the rules of the questionnaire'), ('adjudicated', 'Adjudicated')], max_length=20)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='final_answers', to='review.item')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='final_answers', to='review.round')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['round', 'outcome'], name='final_answers_outcome')],
                'constraints': [models.CheckConstraint(condition=models.Q(('outcome', ''), _negated=True), name='final_answers_have_an_outcome')],
            },
        ),
    ]
    operations = [*models_together(operations), *triggers_of(import_module(f"{__package__}.{name}").Migration for _, name in replaces)]
