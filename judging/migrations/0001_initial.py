import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import judging.models.language_models
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


from core.writing.frozen import FreezeRows, RefuseNewRows
from core.engine.kept.pairs import KeepPairSums
from core.engine.kept.sums import KeepSums
from core.engine.tables import models_together

USED = (
    "(EXISTS (SELECT 1 FROM judging_call WHERE {column} = OLD.id)"
    " OR EXISTS (SELECT 1 FROM judging_response WHERE {column} = OLD.id))"
)
KEPT_OF_TEMPLATES = " OR ".join(f"OLD.{name} {{differs}} NEW.{name}" for name in ("code", "task", "benchmark"))
OTHER_BENCHMARK = (
    "(SELECT benchmark FROM annotation_instance WHERE id = NEW.instance_id)"
    " <> (SELECT benchmark FROM judging_prompttemplate WHERE id = NEW.template_id)"
)
ANSWERING = ("kind", "endpoint_name", "decoding", "max_tokens_name", "empty_system_message")
ANSWERS_OTHERWISE = " OR ".join(f"OLD.{name} {{differs}} NEW.{name}" for name in ANSWERING)

CALL_STATES = ("pending", "sent", "done", "in_doubt", "failed", "cancelled")
ALIKE = {
    "run_id": "{row}.run_id",
    "model_id": "{row}.model_id",
    "mark": "{row}.mark",
    "batch": "COALESCE({row}.batch_id, 0)",
}
READ_FOR_TOKENS = ("reused", "prompt_tokens", "completion_tokens", "cached_tokens")
TOKENS = {"count": "1", "reused": "CASE WHEN {row}.reused THEN 1 ELSE 0 END"} | {
    name: f"CASE WHEN {{row}}.reused THEN 0 ELSE COALESCE({{row}}.{name}, 0) END" for name in READ_FOR_TOKENS[1:]
}
LATER_BATCH = (
    "CASE WHEN COALESCE(one.batch_id, 0) < COALESCE(other.batch_id, 0) THEN other.batch_id"
    " ELSE COALESCE(one.batch_id, 0) END"
)


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
                ('token_probabilities', models.CharField(blank=True, choices=[('', 'None'), ('chat', 'With a chat (logprobs, top_logprobs)'), ('completions', 'With a completion of the prompt as one text (/completions, logprobs)')], default='', help_text="How the endpoint gives the log-probabilities of a reply's tokens.", max_length=12)),
                ('offers_batches', models.BooleanField(default=False, help_text="The endpoint takes files of calls and returns the replies within a day, as OpenAI's does.")),
                ('batch_price_factor', models.DecimalField(decimal_places=3, default=Decimal('0.5'), max_digits=4, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='price of a call in a batch, as a part of the price')),
                ('batch_calls', models.PositiveIntegerField(default=50000, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)])),
                ('batch_megabytes', models.PositiveIntegerField(default=200, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)])),
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
                    models.CheckConstraint(condition=models.Q(('batch_calls__gte', 1), ('batch_price_factor__gte', 0), ('batch_price_factor__lte', 1), ('batch_megabytes__gte', 1)), name='a_batch_has_room_and_costs_no_more'),
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
                ('code', models.CharField(max_length=80)),
                ('version', models.PositiveIntegerField(default=1)),
                ('task', models.CharField(max_length=40)),
                ('benchmark', models.CharField(editable=False, max_length=40)),
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
                ('kind', models.CharField(choices=[('answer', 'Models answer'), ('judge', 'Models judge'), ('import', 'Imported responses'), ('suggestion', 'Suggestions for annotators'), ('generation', 'Models make items'), ('checks', 'Checks of what was made')], default='answer', max_length=10)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('starting', 'Being started'), ('running', 'Running'), ('paused', 'Paused'), ('stopped', 'Stopped at its budget'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='planned', max_length=10)),
                ('budget', models.DecimalField(blank=True, decimal_places=10, help_text='The run stops before the next call could exceed it.', max_digits=20, null=True)),
                ('committed', models.DecimalField(decimal_places=10, default=0, max_digits=20)),
                ('repetitions', models.PositiveSmallIntegerField(default=1)),
                ('include_same_passage', models.BooleanField(default=False, help_text='Ask templates for different passages of instances with one passage, too.')),
                ('only_missing', models.BooleanField(default=False, help_text='Leave out what a model has answered in an earlier run already.')),
                ('reader', models.CharField(choices=[('evaluation_line', 'The paper’s form: a line “evaluation: …”'), ('several_forms', 'Also JSON, “Verdict: …”, \\boxed{…} and partially_correct')], default='evaluation_line', help_text="How the judges' replies are read.", max_length=20)),
                ('as_json_schema', models.BooleanField(default=False, help_text='Ask for the verdict in the form of a JSON schema.')),
                ('include_marked', models.BooleanField(default=False, help_text='Also judge responses that were not complete (cut, empty, refused, filtered, broken off).')),
                ('purpose', models.CharField(blank=True, help_text='The purpose of its calls, by its code, where its kind has several.', max_length=20)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('in_batches', models.BooleanField(default=False, help_text='Calls to endpoints go out in batches of the provider: cheaper, within a day.')),
                ('reuses_replies', models.BooleanField(default=False, help_text='At temperature 0, take over the reply to exactly the same request from an earlier run.')),
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
                    models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['generation', 'checks']), models.Q(('purpose', ''), _negated=True)), models.Q(models.Q(('kind__in', ['generation', 'checks']), _negated=True), ('purpose', '')), _connector='OR'), name='a_run_for_a_benchmark_names_its_purpose'),
                    models.CheckConstraint(condition=models.Q(('budget', None), ('budget__gte', 0), _connector='OR'), name='no_budget_below_nothing'),
                    models.UniqueConstraint(condition=models.Q(('kind', 'suggestion'), models.Q(('state', 'cancelled'), _negated=True)), fields=('kind',), name='one_open_run_of_suggestions'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CallBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('state', models.CharField(choices=[('gathering', 'Being put together'), ('closed', 'To be uploaded'), ('creating', 'Uploaded'), ('under_way', 'At the provider'), ('ended', 'Ended')], default='gathering', max_length=10)),
                ('calls', models.PositiveIntegerField(default=0)),
                ('bytes', models.PositiveBigIntegerField(default=0, help_text='Of the file that is uploaded.')),
                ('file_id', models.CharField(blank=True, help_text="The provider's id of the uploaded file.", max_length=500)),
                ('provider_id', models.CharField(blank=True, help_text="The provider's id of the batch.", max_length=500)),
                ('provider_status', models.CharField(blank=True, help_text='What the provider said last.', max_length=40)),
                ('message', models.TextField(blank=True, help_text='What went wrong last, or how it ended.')),
                ('foreign_lines', models.PositiveIntegerField(default=0)),
                ('doubled_lines', models.PositiveIntegerField(default=0)),
                ('unreadable_lines', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Failed requests about it, in a row.')),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked_at', models.DateTimeField(blank=True, help_text='When the provider was asked to create it.', null=True)),
                ('sent_at', models.DateTimeField(blank=True, help_text='When it was known to exist there.', null=True)),
                ('cancelled_at', models.DateTimeField(blank=True, help_text='When the provider was asked to cancel it.', null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('model', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='call_batches', to='judging.run')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(condition=models.Q(('state', 'ended'), _negated=True), fields=['not_before'], name='batch_not_over'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'gathering')), fields=('run', 'model'), name='one_batch_is_put_together_at_a_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('lease_expires_at', None), ('state', 'ended')), models.Q(models.Q(('state', 'ended'), _negated=True), ('ended_at', None)), _connector='OR'), name='exactly_an_ended_batch_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['creating', 'under_way']), _negated=True), models.Q(('file_id', ''), _negated=True), _connector='OR'), name='a_created_batch_has_a_file'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'under_way'), _negated=True), models.Q(('asked_at__isnull', False), ('sent_at__isnull', False), models.Q(('provider_id', ''), _negated=True)), _connector='OR'), name='a_batch_under_way_has_an_id'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('purpose', models.CharField(default='response', max_length=20)),
                ('repetition', models.PositiveSmallIntegerField(null=True)),
                ('answer_part', models.PositiveSmallIntegerField(default=1)),
                ('subject_number', models.BigIntegerField(null=True)),
                ('part', models.CharField(blank=True, max_length=60)),
                ('state', models.CharField(choices=[('pending', 'Left'), ('sent', 'In progress'), ('done', 'Done'), ('in_doubt', 'In doubt'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='pending', max_length=10)),
                ('attempts_made', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Attempts in a row that were not paid.')),
                ('doubts', models.PositiveSmallIntegerField(default=0, help_text='Attempts of which nobody knows the outcome.')),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('call_batch', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.callbatch')),
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
                    models.Index(fields=['run', 'state', 'id'], name='call_progress'), models.Index(condition=models.Q(('state__in', ['pending', 'sent', 'in_doubt', 'failed', 'cancelled'])), fields=['run', 'id'], name='call_unanswered'),
                    models.Index(condition=models.Q(('state', 'pending')), fields=['model', 'id'], name='call_pending'),
                    models.Index(condition=models.Q(('state', 'sent')), fields=['model', 'lease_expires_at'], name='call_sent'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('model_suggestion__isnull', False)), fields=('model_suggestion',), name='one_call_per_suggestion'),
                    models.CheckConstraint(condition=models.Q(models.Q(('attempts_made__gte', 1), ('call_batch', None), ('lease_expires_at__isnull', False), ('state', 'sent')), models.Q(('attempts_made__gte', 1), ('call_batch__isnull', False), ('lease_expires_at', None), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('call_batch', None), ('lease_expires_at', None)), _connector='OR'), name='exactly_a_sent_call_has_a_lease_or_a_batch'),
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
                ('tokens', models.PositiveIntegerField(default=0, help_text='Tokens counted against the per-minute limit.')),
                ('possible_cost', models.DecimalField(decimal_places=10, default=0, help_text='The most that it can have cost.', max_digits=20)),
                ('cost', models.DecimalField(blank=True, decimal_places=10, help_text='Empty where it is not known.', max_digits=20, null=True)),
                ('sent_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('sent', 'In progress'), ('answered', 'Answered'), ('unpaid', 'Not paid'), ('in_doubt', 'In doubt'), ('rejected', 'Refused'), ('reused', 'Taken over')], default='sent', max_length=10)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('message', models.TextField(blank=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('raw', models.BinaryField(blank=True, help_text='The body of the reply as it arrived.', null=True)),
                ('request_digest', models.CharField(blank=True, max_length=64)),
                ('reused_from', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.attempt')),
                ('call_batch', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='judging.callbatch')),
                ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='judging.call')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.languagemodel')),
            ],
            options={
                'ordering': ['call_id', 'number'],
                'indexes': [
                    models.Index(condition=models.Q(('call_batch', None), ('reused_from', None)), fields=['model', 'sent_at', 'tokens'], name='attempt_in_a_minute'),
                    models.Index(condition=models.Q(('outcome', 'answered'), models.Q(('request_digest', ''), _negated=True)), fields=['request_digest'], name='attempt_answered_request'),
                    models.Index(condition=models.Q(('outcome__in', ['sent', 'in_doubt'])), fields=['call'], name='attempt_not_over'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('call', 'number'), name='one_attempt_per_number'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('outcome', 'sent')), models.Q(models.Q(('outcome', 'sent'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='exactly_an_ended_attempt_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('outcome__in', ['answered', 'reused']), _negated=True), ('raw__isnull', False), _connector='OR'), name='an_answered_attempt_has_its_reply'),
                    models.UniqueConstraint(condition=models.Q(('call_batch__isnull', False)), fields=('call_batch', 'call'), name='a_call_is_in_a_batch_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('call_batch', None), ('cost', 0), ('outcome', 'reused'), ('possible_cost', 0), ('reused_from__isnull', False)), models.Q(models.Q(('outcome', 'reused'), _negated=True), ('reused_from', None)), _connector='OR'), name='a_reused_reply_costs_nothing'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Response',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty'), ('failed', 'Broken off by an error'), ('unknown', 'Ended in an unknown way')], default='complete', max_length=10)),
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
                ('reused', models.BooleanField(default=False, help_text='Taken over from an earlier run, which had made the same request.')),
                ('answered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('repetition', models.PositiveSmallIntegerField(default=1)),
                ('answer_part', models.PositiveSmallIntegerField(default=1)),
                ('imported', models.JSONField(blank=True, null=True)),
                ('logprobs', models.JSONField(blank=True, help_text="The log-probabilities of the text's tokens, where the task requested them.", null=True)),
                ('marks_left', models.CharField(blank=True, help_text='Marks in the answer that look like those around thoughts, in a form that is not known.', max_length=200)),
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
                    models.Index(fields=['template', 'instance', 'model', 'id', 'run', 'batch'], name='response_by_template'),
                    models.Index(fields=['model', 'instance', 'template', 'id', 'batch'], name='response_by_model'),
                    models.Index(fields=['mark', 'instance', 'model', 'template', 'id'], name='response_marked'),
                    models.Index(fields=['instance', 'model', 'template', 'id'], name='response_asked'),
                    models.Index(condition=models.Q(('mark', 'complete'), _negated=True), fields=['instance'], name='response_no_answer'),
                    models.Index(condition=models.Q(('marks_left', ''), _negated=True), fields=['run'], name='response_marks_left'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'instance', 'model', 'template', 'repetition', 'answer_part'), name='one_response_per_call'),
                    models.CheckConstraint(condition=models.Q(('repetition__gte', 1)), name='repetitions_count_from_one'),
                    models.CheckConstraint(condition=models.Q(('answer_part__gte', 1)), name='parts_count_from_one'),
                    models.CheckConstraint(condition=models.Q(('attempt__isnull', False), ('imported__isnull', False), _connector='OR'), name='a_response_was_asked_for_or_imported'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ModelJudgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty'), ('failed', 'Broken off by an error'), ('unknown', 'Ended in an unknown way')], default='complete', max_length=10)),
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
                ('reused', models.BooleanField(default=False, help_text='Taken over from an earlier run, which had made the same request.')),
                ('answered_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('verdict', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], max_length=20)),
                ('unreadable_reason', models.CharField(blank=True, choices=[('empty', 'The reply is empty'), ('no_evaluation_line', 'No line begins with “evaluation:”'), ('unknown_value', 'The evaluation is none of the verdicts'), ('two_verdicts', 'It gives more than one verdict'), ('not_offered', 'The verdict is not among those offered'), ('truncated', 'The reply was cut off before its evaluation'), ('broken_off', 'The reply ended in another way than an answer does')], max_length=20)),
                ('comment', models.TextField(blank=True)),
                ('hint', models.CharField(blank=True, choices=[('correct', 'Correct'), ('partially_correct', 'Partially correct'), ('incorrect', 'Incorrect')], help_text='A verdict merely mentioned.', max_length=20)),
                ('assembly', models.CharField(help_text="How the judge's prompt was put together.", max_length=200)),
                ('reader', models.CharField(default='evaluation-line/1', help_text='What read the reply, and its version.', max_length=40)),
                ('imported', models.JSONField(blank=True, null=True)),
                ('attempt', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgment', to='judging.attempt')),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
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
                    models.CheckConstraint(condition=models.Q(('attempt__isnull', False), ('imported__isnull', False), _connector='OR'), name='a_judgment_was_asked_for_or_imported'),
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
            constraint=models.UniqueConstraint(condition=models.Q(('purpose', 'response')), fields=('run', 'instance', 'model', 'template', 'repetition', 'answer_part'), name='one_call_per_response'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.CheckConstraint(condition=models.Q(('answer_part', 1), models.Q(('answer_part__gt', 1), ('purpose', 'response')), _connector='OR'), name='only_an_answer_has_parts'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.UniqueConstraint(condition=models.Q(('judged_response__isnull', False)), fields=('run', 'judged_response', 'model'), name='one_call_per_judgment'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(models.Q(('part', ''), ('subject_number', None)), ('instance__isnull', False), ('judged_response', None), ('model_suggestion', None), ('purpose', 'response'), ('repetition__gte', 1), ('template__isnull', False)), models.Q(models.Q(('instance', None), ('repetition', None), ('resolved', None), ('template', None)), models.Q(('part', ''), ('subject_number', None)), ('judged_response__isnull', False), ('model_suggestion', None), ('purpose', 'judgment')), models.Q(models.Q(('instance', None), ('repetition', None), ('resolved', None), ('template', None)), models.Q(('part', ''), ('subject_number', None)), ('judged_response', None), ('model_suggestion__isnull', False), ('purpose', 'suggestion')), models.Q(models.Q(('purpose__in', ['response', 'judgment', 'suggestion', '']), _negated=True), models.Q(('instance', None), ('repetition', None), ('resolved', None), ('template', None)), ('judged_response', None), ('model_suggestion', None), ('subject_number__isnull', False)), _connector='OR'), name='a_call_refers_to_what_its_purpose_is_about'),
        ),
        migrations.AddConstraint(
            model_name='call',
            constraint=models.UniqueConstraint(condition=models.Q(('subject_number__isnull', False)), fields=('run', 'purpose', 'subject_number', 'part', 'model'), name='one_call_per_subject_and_part'),
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(max_length=40)),
                ('reader', models.CharField(max_length=40)),
                ('version', models.PositiveSmallIntegerField()),
                ('is_current', models.BooleanField(default=True)),
                ('value', models.JSONField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, help_text='Why nothing can be read. Empty: it was read.', max_length=100)),
                ('scores', models.JSONField(blank=True, help_text='The score of the value, in the shape of its task.', null=True)),
                ('read_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('response', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='judging.response')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('is_current', True)), fields=['task', 'response', 'problem', 'batch'], name='reading_of_task')],
                'constraints': [models.UniqueConstraint(fields=('response', 'reader', 'version'), name='one_reading_per_version'), models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('response',), name='one_reading_of_a_response_counts'), models.CheckConstraint(condition=models.Q(models.Q(('problem', ''), ('value__isnull', False)), models.Q(models.Q(('problem', ''), _negated=True), ('scores__isnull', True), ('value__isnull', True)), _connector='OR'), name='a_value_or_the_reason_for_no_value')],
            },
        ),
        migrations.CreateModel(
            name='ResponseComment',
            fields=[
                ('comment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='on_response', serialize=False, to='annotation.comment')),
                ('knows_model', models.BooleanField()),
                ('response', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='judging.response')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='CallSums',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pending', models.BigIntegerField(db_default=0, default=0)),
                ('sent', models.BigIntegerField(db_default=0, default=0)),
                ('done', models.BigIntegerField(db_default=0, default=0)),
                ('in_doubt', models.BigIntegerField(db_default=0, default=0)),
                ('failed', models.BigIntegerField(db_default=0, default=0)),
                ('cancelled', models.BigIntegerField(db_default=0, default=0)),
                ('spent', models.DecimalField(db_default=0, decimal_places=10, default=0, max_digits=20)),
                ('held', models.DecimalField(db_default=0, decimal_places=10, default=0, max_digits=20)),
                ('perhaps_spent', models.DecimalField(db_default=0, decimal_places=10, default=0, max_digits=20)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='call_sums', to='judging.run')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='call_sums', to='judging.languagemodel')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'model'), name='calls_are_summed_once')],
            },
        ),
        migrations.CreateModel(
            name='OutputSums',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mark', models.CharField(choices=[('complete', 'Complete'), ('cut', 'Cut at the token limit'), ('refused', 'Refused'), ('filtered', 'Filtered'), ('empty', 'Empty'), ('failed', 'Broken off by an error'), ('unknown', 'Ended in an unknown way')], max_length=10)),
                ('verdict', models.CharField(blank=True, max_length=20)),
                ('batch', models.BigIntegerField(help_text='0 outside any batch.')),
                ('count', models.BigIntegerField(db_default=0, default=0)),
                ('reused', models.BigIntegerField(db_default=0, default=0)),
                ('prompt_tokens', models.BigIntegerField(db_default=0, default=0)),
                ('completion_tokens', models.BigIntegerField(db_default=0, default=0)),
                ('cached_tokens', models.BigIntegerField(db_default=0, default=0)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='output_sums', to='judging.run')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.languagemodel')),
                ('template', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.prompttemplate')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'model', 'template', 'mark', 'verdict', 'batch'), name='outputs_are_summed_once')],
            },
        ),
        migrations.CreateModel(
            name='JudgePairSums',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('batch', models.BigIntegerField(help_text='0 where both came in none.')),
                ('count', models.BigIntegerField(db_default=0, default=0)),
                ('readable', models.BigIntegerField(db_default=0, default=0)),
                ('same', models.BigIntegerField(db_default=0, default=0)),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.languagemodel')),
                ('other_model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.languagemodel')),
                ('other_run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.run')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'model', 'other_run', 'other_model', 'batch'), name='judges_are_paired_once')],
            },
        ),
        migrations.AddIndex(
            model_name='call',
            index=models.Index(condition=models.Q(('ended_at__isnull', False)), fields=['run', 'ended_at'], name='call_ended'),
        ),
        FreezeRows(
            "judging_prompttemplate",
            "a prompt template keeps its code, task and benchmark, and a used one never changes",
            f"{KEPT_OF_TEMPLATES} OR {USED.format(column='template_id')}",
        ),
        RefuseNewRows(
            "judging_prompttemplate",
            "all versions of a prompt template are for one task, and all templates of a task for one benchmark",
            "EXISTS (SELECT 1 FROM judging_prompttemplate WHERE code = NEW.code AND task <> NEW.task)"
            " OR EXISTS (SELECT 1 FROM judging_prompttemplate WHERE task = NEW.task AND benchmark <> NEW.benchmark)",
        ),
        RefuseNewRows("judging_call", "a call asks about an instance of its template''s benchmark", OTHER_BENCHMARK),
        RefuseNewRows(
            "judging_response", "a response is to an instance of its template''s benchmark", OTHER_BENCHMARK
        ),
        FreezeRows(
            "judging_languagemodel",
            "what decides the answers of a used model never changes",
            f"({ANSWERS_OTHERWISE}) AND {USED.format(column='model_id')}",
        ),
        FreezeRows("judging_resolvedpassages", "resolved passages never change"),
        KeepSums(
            name="calls_by_state",
            table="judging_call",
            keeper="judging_callsums",
            key={"run_id": "{row}.run_id", "model_id": "{row}.model_id"},
            sums={state: f"CASE WHEN {{row}}.state = '{state}' THEN 1 ELSE 0 END" for state in CALL_STATES},
            reads=["run_id", "model_id", "state"],
            makes_keepers=True,
        ),
        KeepSums(
            name="money_of_attempts",
            table="judging_attempt",
            keeper="judging_callsums",
            key={
                "run_id": "(SELECT run_id FROM judging_call WHERE judging_call.id = {row}.call_id)",
                "model_id": "{row}.model_id",
            },
            sums={
                "spent": "COALESCE({row}.cost, 0)",
                "held": "CASE WHEN {row}.outcome = 'sent' THEN {row}.possible_cost ELSE 0 END",
                # A call answered without token counts was paid as well, but nobody knows how much.
                "perhaps_spent": "CASE WHEN {row}.outcome = 'in_doubt' OR ({row}.outcome = 'answered' AND "
                "{row}.cost IS NULL) THEN {row}.possible_cost ELSE 0 END",
            },
            reads=["call_id", "model_id", "cost", "possible_cost", "outcome"],
            makes_keepers=True,
        ),
        KeepSums(
            name="responses_alike",
            table="judging_response",
            keeper="judging_outputsums",
            key=ALIKE | {"template_id": "{row}.template_id", "verdict": "''"},
            sums=TOKENS,
            reads=["run_id", "model_id", "template_id", "mark", "batch_id", *READ_FOR_TOKENS],
            makes_keepers=True,
        ),
        KeepSums(
            name="judgments_alike",
            table="judging_modeljudgment",
            keeper="judging_outputsums",
            key=ALIKE
            | {
                "template_id": "(SELECT template_id FROM judging_response WHERE judging_response.id = "
                "{row}.response_id)",
                "verdict": "{row}.verdict",
            },
            sums=TOKENS,
            reads=["run_id", "model_id", "response_id", "mark", "verdict", "batch_id", *READ_FOR_TOKENS],
            makes_keepers=True,
        ),
        KeepPairSums(
            name="judgments_paired",
            table="judging_modeljudgment",
            keeper="judging_judgepairsums",
            shared="response_id",
            sides=["run_id", "model_id"],
            key={"batch": LATER_BATCH},
            sums={
                "count": "1",
                "readable": "CASE WHEN one.verdict <> '' AND other.verdict <> '' THEN 1 ELSE 0 END",
                "same": "CASE WHEN one.verdict <> '' AND one.verdict = other.verdict THEN 1 ELSE 0 END",
            },
            reads=["response_id", "run_id", "model_id", "verdict", "batch_id"],
        ),
    ]
    operations = models_together(operations)
