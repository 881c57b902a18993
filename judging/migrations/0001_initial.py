import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import judging.models.language_models
import uuid
from django.conf import settings
from django.db import migrations, models


from core.writing.frozen import FreezeRows

USED = (
    "(EXISTS (SELECT 1 FROM judging_call WHERE {column} = OLD.id)"
    " OR EXISTS (SELECT 1 FROM judging_response WHERE {column} = OLD.id))"
)
ANSWERING = ("kind", "endpoint_name", "decoding", "max_tokens_name", "empty_system_message")
ANSWERS_OTHERWISE = " OR ".join(f"OLD.{name} {{differs}} NEW.{name}" for name in ANSWERING)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('core', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LanguageModel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('kind', models.CharField(choices=[('endpoint', 'Asked at an OpenAI-compatible endpoint'), ('baseline', 'A baseline that ships with the program'), ('imported', 'Known only from imported responses')], default='endpoint', max_length=10)),
                ('endpoint_name', models.CharField(blank=True, help_text="The model's name at the endpoint.", max_length=200)),
                ('base_url', models.CharField(blank=True, help_text='Ends in /v1 at most servers.', max_length=500)),
                ('key_name', models.CharField(blank=True, help_text='The environment variable that holds the key, such as OPENAI_API_KEY. The key is stored nowhere.', max_length=100)),
                ('headers', models.JSONField(blank=True, default=dict, help_text="Headers by name, each with its variable's name.")),
                ('query', models.JSONField(blank=True, default=dict, help_text='Parameters of the address, by name.')),
                ('decoding', models.JSONField(blank=True, default=judging.models.language_models.default_decoding)),
                ('max_tokens_name', models.CharField(choices=[('max_tokens', 'max_tokens'), ('max_completion_tokens', 'max_completion_tokens')], default='max_tokens', help_text='The name under which the endpoint takes the token limit.', max_length=30)),
                ('empty_system_message', models.BooleanField(default=True, help_text="Send an empty system message, as the paper's runs did. Some models take none.")),
                ('keeps_completions', models.BooleanField(default=False, help_text='Ask the provider to keep each completion, so that a call in doubt can be looked up there.')),
                ('unbilled_429', models.BooleanField(default=True)),
                ('unbilled_408', models.BooleanField(default=False)),
                ('unbilled_5xx', models.BooleanField(default=False)),
                ('unbilled_resets', models.BooleanField(default=False)),
                ('takes_json_schema', models.BooleanField(default=False, help_text='It can be asked to answer in the form of a JSON schema.')),
                ('timeout_seconds', models.PositiveIntegerField(default=120, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3600)])),
                ('requests_per_minute', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('tokens_per_minute', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('concurrent_calls', models.PositiveSmallIntegerField(default=8, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('adapts_concurrency', models.BooleanField(default=True)),
                ('price_in', models.DecimalField(blank=True, decimal_places=4, help_text='Leave both prices empty only for a server of your own: its calls may be repeated without asking.', max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='price per million tokens in')),
                ('price_out', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='price per million tokens out')),
                ('price_cached', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='price per million tokens in that the provider had in its cache')),
                ('price_source', models.CharField(blank=True, help_text='Where the prices come from, and when.', max_length=200)),
                ('context_window', models.PositiveIntegerField(blank=True, help_text='The most tokens of prompt and answer.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('is_offered', models.BooleanField(default=True, help_text='Offered for new runs.')),
                ('notes', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'endpoint'), _negated=True), models.Q(models.Q(('base_url', ''), _negated=True), models.Q(('endpoint_name', ''), _negated=True)), _connector='OR'), name='an_endpoint_has_address_and_name'),
                    models.CheckConstraint(condition=models.Q(('kind', 'endpoint'), models.Q(('base_url', ''), ('key_name', ''), ('price_cached', None), ('price_in', None), ('price_out', None)), _connector='OR'), name='only_an_endpoint_has_price_and_address'),
                    models.CheckConstraint(condition=models.Q(('concurrent_calls__gte', 1)), name='at_least_one_call_at_a_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('price_in', None), ('price_in__gte', 0), _connector='OR'), models.Q(('price_out', None), ('price_out__gte', 0), _connector='OR')), name='no_price_below_nothing'),
                    models.CheckConstraint(condition=models.Q(('price_cached', None), models.Q(('price_cached__gte', 0), ('price_cached__lte', models.F('price_in')), ('price_in__isnull', False)), _connector='OR'), name='cached_tokens_cost_no_more_than_others'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerSettings',
            fields=[
                ('machine', models.CharField(max_length=255, primary_key=True, serialize=False)),
                ('hosts', models.JSONField(default=list)),
                ('key_names', models.JSONField(default=list)),
                ('reported_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='PromptTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=20)),
                ('version', models.PositiveIntegerField(default=1)),
                ('name', models.CharField(max_length=100)),
                ('source', models.TextField(blank=True)),
                ('system', models.TextField(blank=True)),
                ('text', models.TextField()),
                ('text_same_passage', models.TextField(blank=True, help_text='For an instance whose two passages are the same. Empty: as the text.')),
                ('applies_to', models.CharField(choices=[('all', 'All instances'), ('different passages', 'Instances whose passages differ'), ('resolved passages', 'Instances with resolved passages')], default='all', max_length=20)),
                ('verdicts', models.JSONField(default=list)),
                ('expects', models.CharField(choices=[('answers', 'The answers'), ('conflict', 'That there is a conflict'), ('no conflict', 'That there is none')], default='answers', max_length=20)),
                ('correct_answers', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['code', 'version'],
                'constraints': [
                    models.UniqueConstraint(fields=('code', 'version'), name='one_template_per_version'),
                    models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='versions_count_from_one'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ResolvedPassages',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(default=1)),
                ('passage_1', models.TextField()),
                ('passage_2', models.TextField()),
                ('answer', models.TextField(help_text='The one answer that both resolved passages give.')),
                ('resolved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='resolved_passages', to='annotation.instance')),
                ('resolved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'resolved passages',
                'ordering': ['instance_id', 'version'],
                'constraints': [
                    models.UniqueConstraint(fields=('instance', 'version'), name='one_row_per_resolved_version'),
                    models.CheckConstraint(condition=models.Q(models.Q(('passage_1', ''), _negated=True), models.Q(('passage_2', ''), _negated=True), models.Q(('answer', ''), _negated=True)), name='resolved_passages_are_complete'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('kind', models.CharField(choices=[('answer', 'Models answer'), ('judge', 'Models judge'), ('import', 'Imported responses'), ('suggestion', 'Suggestions for annotators')], default='answer', max_length=10)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('starting', 'Being started'), ('running', 'Running'), ('paused', 'Paused'), ('stopped', 'Stopped at its budget'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='planned', max_length=10)),
                ('budget', models.DecimalField(blank=True, decimal_places=10, help_text='The run stops before the next call could exceed it.', max_digits=20, null=True)),
                ('committed', models.DecimalField(decimal_places=10, default=0, max_digits=20)),
                ('repetitions', models.PositiveSmallIntegerField(default=1)),
                ('include_same_passage', models.BooleanField(default=False, help_text='Ask templates for different passages of instances with one passage, too.')),
                ('only_missing', models.BooleanField(default=False, help_text='Leave out what a model has answered in an earlier run already.')),
                ('reader', models.CharField(choices=[('evaluation_line', 'The paper’s form: a line “evaluation: …”'), ('several_forms', 'Also JSON, “Verdict: …”, \\boxed{…} and partially_correct')], default='evaluation_line', help_text="How the judges' replies are read.", max_length=20)),
                ('as_json_schema', models.BooleanField(default=False, help_text='Ask for the verdict in the form of a JSON schema.')),
                ('include_marked', models.BooleanField(default=False, help_text='Also judge responses that were cut, empty, refused or filtered.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('starting_until', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('language_models', models.ManyToManyField(related_name='runs', to='judging.languagemodel')),
                ('release', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='annotation.release')),
                ('source_runs', models.ManyToManyField(blank=True, related_name='judge_runs', to='judging.run')),
                ('templates', models.ManyToManyField(blank=True, related_name='runs', to='judging.prompttemplate')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['planned', 'cancelled']), ('started_at__isnull', False), _connector='OR'), name='a_started_run_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('starting_until__isnull', False), ('state', 'starting')), models.Q(models.Q(('state', 'starting'), _negated=True), ('starting_until', None)), _connector='OR'), name='exactly_a_starting_run_has_a_lease'),
                    models.CheckConstraint(condition=models.Q(('as_json_schema', False), models.Q(('kind', 'judge'), ('reader', 'several_forms')), _connector='OR'), name='a_verdict_as_json_is_read_as_json'),
                    models.CheckConstraint(condition=models.Q(('repetitions__gte', 1)), name='at_least_one_repetition'),
                    models.CheckConstraint(condition=models.Q(('budget', None), ('budget__gte', 0), _connector='OR'), name='no_budget_below_nothing'),
                    models.UniqueConstraint(condition=models.Q(('kind', 'suggestion'), models.Q(('state', 'cancelled'), _negated=True)), fields=('kind',), name='one_open_run_of_suggestions'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('repetition', models.PositiveSmallIntegerField(null=True)),
                ('state', models.CharField(choices=[('pending', 'Left'), ('sent', 'On its way'), ('done', 'Done'), ('in_doubt', 'In doubt'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='pending', max_length=10)),
                ('attempts_made', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Attempts in a row that were not paid.')),
                ('doubts', models.PositiveSmallIntegerField(default=0, help_text='Attempts of which nobody knows the outcome.')),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='A word for the kind of failure.', max_length=40)),
                ('error', models.TextField(blank=True)),
                ('failure_group', models.CharField(blank=True, help_text='The same for failures of one model, kind and message.', max_length=12)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('instance', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.instance')),
                ('model_suggestion', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='annotation.modelsuggestion')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.languagemodel')),
                ('template', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.prompttemplate')),
                ('resolved', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.resolvedpassages')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(fields=['run', 'state', 'model', 'failure_group'], name='call_progress'),
                    models.Index(condition=models.Q(('state', 'pending')), fields=['model', 'id'], name='call_pending'),
                    models.Index(condition=models.Q(('state', 'sent')), fields=['model', 'lease_expires_at'], name='call_sent'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('model_suggestion__isnull', False)), fields=('model_suggestion',), name='one_call_per_suggestion'),
                    models.CheckConstraint(condition=models.Q(models.Q(('attempts_made__gte', 1), ('lease_expires_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('lease_expires_at', None)), _connector='OR'), name='exactly_a_sent_call_has_a_lease'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state__in', ['pending', 'sent'])), models.Q(('ended_at__isnull', False), ('state__in', ['done', 'in_doubt', 'failed', 'cancelled'])), _connector='OR'), name='exactly_an_ended_call_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['failed', 'in_doubt']), _negated=True), models.Q(models.Q(('error', ''), _negated=True), models.Q(('failure_group', ''), _negated=True)), _connector='OR'), name='a_failed_call_says_why'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['done', 'in_doubt']), _negated=True), ('attempts_made__gte', 1), _connector='OR'), name='an_answered_call_was_sent'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Throttle',
            fields=[
                ('model', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='throttle', serialize=False, to='judging.languagemodel')),
                ('paused_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('reason', models.TextField(blank=True)),
                ('width', models.FloatField(blank=True, null=True)),
                ('usual_pace', models.FloatField(default=0)),
                ('recent_pace', models.FloatField(default=0)),
                ('answers', models.PositiveSmallIntegerField(default=0)),
                ('narrowed_at', models.DateTimeField(blank=True, null=True)),
                ('narrowed_because', models.CharField(blank=True, max_length=40)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('width', None), ('width__gte', 1), _connector='OR'), name='at_least_one_call_stays_allowed'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('request', models.JSONField(help_text='What was sent: model, messages, decoding.')),
                ('worker', models.CharField(blank=True, max_length=100)),
                ('tokens', models.PositiveIntegerField(default=0, help_text='Counted against the limit a minute.')),
                ('possible_cost', models.DecimalField(decimal_places=10, default=0, help_text='The most that it can have cost.', max_digits=20)),
                ('cost', models.DecimalField(blank=True, decimal_places=10, help_text='Empty where it is not known.', max_digits=20, null=True)),
                ('sent_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('sent', 'On its way'), ('answered', 'Answered'), ('unpaid', 'Not paid'), ('in_doubt', 'In doubt'), ('rejected', 'Refused')], default='sent', max_length=10)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('message', models.TextField(blank=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('raw', models.BinaryField(blank=True, help_text='The body of the reply as it arrived.', null=True)),
                ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='judging.call')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
            ],
            options={
                'ordering': ['call_id', 'number'],
                'indexes': [
                    models.Index(fields=['model', 'sent_at', 'tokens'], name='attempt_in_a_minute'),
                    models.Index(condition=models.Q(('outcome__in', ['sent', 'in_doubt'])), fields=['call'], name='attempt_not_over'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('call', 'number'), name='one_attempt_per_number'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('outcome', 'sent')), models.Q(models.Q(('outcome', 'sent'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='exactly_an_ended_attempt_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'answered'), _negated=True), ('raw__isnull', False), _connector='OR'), name='an_answered_attempt_has_its_reply'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Response',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty')], default='complete', max_length=10)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('refusal', models.TextField(blank=True)),
                ('reasoning', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('completion_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('cached_tokens', models.PositiveIntegerField(blank=True, help_text="Of the prompt's tokens, those that the provider had in its cache.", null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('cost', models.DecimalField(blank=True, decimal_places=10, max_digits=20, null=True)),
                ('provider_id', models.CharField(blank=True, max_length=200)),
                ('served_model', models.CharField(blank=True, max_length=200)),
                ('answered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('repetition', models.PositiveSmallIntegerField(default=1)),
                ('imported', models.JSONField(blank=True, null=True)),
                ('attempt', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='response', to='judging.attempt')),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='annotation.instance')),
                ('model', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='judging.languagemodel')),
                ('resolved', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.resolvedpassages')),
                ('template', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='judging.prompttemplate')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(fields=['template', 'instance', 'model', 'id'], name='response_by_template'),
                    models.Index(fields=['model', 'instance', 'template', 'id'], name='response_by_model'),
                    models.Index(fields=['mark', 'instance', 'model', 'template', 'id'], name='response_marked'),
                    models.Index(fields=['instance', 'model', 'template', 'id'], name='response_asked'),
                    models.Index(condition=models.Q(('mark', 'complete'), _negated=True), fields=['instance'], name='response_no_answer'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'instance', 'model', 'template', 'repetition'), name='one_response_per_call'),
                    models.CheckConstraint(condition=models.Q(('repetition__gte', 1)), name='repetitions_count_from_one'),
                    models.CheckConstraint(condition=models.Q(('attempt__isnull', False), ('imported__isnull', False), _connector='OR'), name='a_response_was_asked_for_or_imported'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ModelJudgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty')], default='complete', max_length=10)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('refusal', models.TextField(blank=True)),
                ('reasoning', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('completion_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('cached_tokens', models.PositiveIntegerField(blank=True, help_text="Of the prompt's tokens, those that the provider had in its cache.", null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('cost', models.DecimalField(blank=True, decimal_places=10, max_digits=20, null=True)),
                ('provider_id', models.CharField(blank=True, max_length=200)),
                ('served_model', models.CharField(blank=True, max_length=200)),
                ('answered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('verdict', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('unreadable_reason', models.CharField(blank=True, choices=[('empty', 'The reply is empty'), ('no_evaluation_line', 'No line begins with “evaluation:”'), ('unknown_value', 'The evaluation is none of the verdicts'), ('two_verdicts', 'It gives more than one verdict'), ('not_offered', 'The verdict is not among those offered'), ('truncated', 'The reply was cut off before its evaluation')], max_length=20)),
                ('comment', models.TextField(blank=True)),
                ('hint', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], help_text='A verdict merely mentioned.', max_length=20)),
                ('assembly', models.CharField(help_text="How the judge's prompt was put together.", max_length=200)),
                ('reader', models.CharField(default='evaluation-line/1', help_text='What read the reply, and its version.', max_length=40)),
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='judgment', to='judging.attempt')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.languagemodel')),
                ('response', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='model_judgments', to='judging.response')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(fields=['response', 'model'], name='judgment_of_response'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'response', 'model'), name='one_judgment_per_run_and_model'),
                    models.CheckConstraint(condition=models.Q(models.Q(('verdict', ''), models.Q(('unreadable_reason', ''), _negated=True)), models.Q(models.Q(('verdict', ''), _negated=True), ('unreadable_reason', '')), _connector='OR'), name='a_verdict_or_the_reason_for_none'),
                ],
            },
        ),
        migrations.AddField(
            model_name='run',
            name='selected_responses',
            field=models.ManyToManyField(blank=True, related_name='+', to='judging.response'),
        ),
        migrations.AddField(
            model_name='call',
            name='judged_response',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_calls', to='judging.response'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.UniqueConstraint(condition=models.Q(('judged_response', None), ('model_suggestion', None)), fields=('run', 'instance', 'model', 'template', 'repetition'), name='one_call_per_response'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.UniqueConstraint(condition=models.Q(('judged_response__isnull', False)), fields=('run', 'judged_response', 'model'), name='one_call_per_judgment'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('instance__isnull', False), ('judged_response', None), ('model_suggestion', None), ('repetition__gte', 1), ('template__isnull', False)), models.Q(models.Q(('instance', None), ('repetition', None), ('resolved', None), ('template', None)), ('judged_response__isnull', False), ('model_suggestion', None)), models.Q(models.Q(('instance', None), ('repetition', None), ('resolved', None), ('template', None)), ('judged_response', None), ('model_suggestion__isnull', False)), _connector='OR'), name='a_call_is_for_a_response_a_judgment_or_a_suggestion'),
        ),
        FreezeRows(
            "judging_prompttemplate", "a used prompt template never changes", USED.format(column="template_id")
        ),
        FreezeRows(
            "judging_languagemodel",
            "what decides the answers of a used model never changes",
            f"({ANSWERS_OTHERWISE}) AND {USED.format(column='model_id')}",
        ),
        FreezeRows("judging_resolvedpassages", "resolved passages never change"),
    ]
