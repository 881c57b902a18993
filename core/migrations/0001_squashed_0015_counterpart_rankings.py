"""All migrations up to 0015 as one, for new databases: there it takes a quarter of their time."""

from importlib import import_module

import core.models.names
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from core.engine.tables import models_together, triggers_of


def make_roles(apps, schema_editor):
    """The groups that the roles are."""
    Group = apps.get_model("auth", "Group")
    for name in ("annotator", "reviewer", "adjudicator", "admin"):
        Group.objects.get_or_create(name=name)


class Migration(migrations.Migration):

    replaces = [('core', '0001_initial'), ('core', '0002_plain_words'), ('core', '0003_signs'), ('core', '0004_kinds_of_signs'), ('core', '0005_signed_out'), ('core', '0006_counterparts'), ('core', '0007_approvals'), ('core', '0008_data_folders'), ('core', '0009_pseudonyms'), ('core', '0010_seals'), ('core', '0011_background_work'), ('core', '0012_mail_by_kind'), ('core', '0013_language'), ('core', '0014_review_sample'), ('core', '0015_counterpart_rankings')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', core.models.names.NameField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', core.models.names.NameField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', core.models.names.NameField(blank=True, max_length=150, verbose_name='last name')),
                ('email', core.models.names.AddressField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('theme', models.CharField(choices=[('system', 'Same as the system'), ('light', 'Light'), ('dark', 'Dark')], default='system', max_length=10)),
                ('mail', models.CharField(choices=[('at_once', 'Immediately'), ('daily', 'Once a day, in one email'), ('never', 'Never')], default='daily', max_length=10)),
                ('times_closed', models.PositiveIntegerField(default=0)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('times_signed_out', models.PositiveIntegerField(default=0)),
                ('language', models.CharField(blank=True, max_length=10)),
            ],
            options={
                'indexes': [models.Index(fields=['-is_active', 'username'], name='people_in_order')],
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email', ''), _negated=True), name='one_account_per_email', violation_error_message='There is an account with this email address already.'), models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='one_account_per_username', violation_error_message='There is an account with this user name already.')],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=40)),
                ('source', models.JSONField(blank=True, default=dict)),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('alive_until', models.DateTimeField()),
                ('is_open', models.BooleanField(default=True)),
                ('is_given_up', models.BooleanField(default=False)),
                ('begun_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_open', True)), fields=('is_open',), name='one_open_batch')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('action', models.CharField(max_length=60)),
                ('subject_kind', models.CharField(max_length=40)),
                ('subject_id', models.BigIntegerField()),
                ('before', models.JSONField(blank=True, default=dict)),
                ('after', models.JSONField(blank=True, default=dict)),
                ('message', models.TextField(blank=True)),
                ('actor', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['actor', 'id'], name='event_actor'), models.Index(fields=['subject_kind', 'id'], name='event_kind'), models.Index(fields=['subject_kind', 'subject_id', 'id'], name='event_subject')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', core.models.names.AddressField(blank=True, max_length=254)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations_accepted', to=settings.AUTH_USER_MODEL)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations_sent', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='password_links', to=settings.AUTH_USER_MODEL)),
                ('roles', models.ManyToManyField(to='auth.group')),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('accepted_at', None), ('accepted_by', None)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False), ('withdrawn_at', None)), _connector='OR'), name='an_accepted_invitation_has_time_and_person'), models.CheckConstraint(condition=models.Q(('person', None), ('accepted_by', None), ('accepted_by', models.F('person')), _connector='OR'), name='a_password_link_serves_its_person_only'), models.UniqueConstraint(condition=models.Q(('person', None)), fields=('accepted_by',), name='one_account_per_invitation')],
            },
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default='WikiContradict Workbench', max_length=100)),
                ('annotations_per_tag', models.PositiveSmallIntegerField(default=1, help_text='The number of people who annotate each newly harvested tag, independently of one another.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('double_annotation_percent', models.PositiveSmallIntegerField(default=0, help_text='Percentage of newly harvested tags that need one extra annotation.', validators=[django.core.validators.MaxValueValidator(100)])),
                ('lease_seconds', models.PositiveIntegerField(default=120, help_text='A claimed tag whose page is no longer open goes back to the queue after this time.', validators=[django.core.validators.MinValueValidator(30)])),
                ('suggestions_on', models.BooleanField(default=True, help_text='Offer suggestions at the desk. They are never used without the annotator, and can be switched off for a study.')),
                ('suggestion_model', models.CharField(blank=True, help_text='Annotators may ask this language model to suggest a stand-alone version or a question. The annotator decides, and used suggestions are counted.', max_length=100)),
                ('suggestion_budget', models.DecimalField(blank=True, decimal_places=2, help_text="A maximum for the cost of the model's suggestions, in the currency of its prices. Empty: no limit.", max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('judgments_each', models.PositiveSmallIntegerField(default=2, help_text='The number of people who judge each response of a new round, independently of one another. The paper has two.', validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(5)])),
                ('consensus', models.CharField(choices=[('all', 'All give the same verdict'), ('majority', 'More than half give the same verdict')], default='all', help_text='The judgments that make a final verdict in a new round; all others are adjudicated. With two judgments, both rules are the same.', max_length=10)),
                ('adjudicate_among_two', models.BooleanField(default=False, help_text="The reviewers of a response may discuss and adjudicate it together, as the paper's authors did.")),
                ('practice_required', models.BooleanField(default=False, help_text='People who have not submitted an annotation yet must finish a practice run before they get tags.')),
                ('counterparts_left_out_percent', models.PositiveSmallIntegerField(default=0, help_text="Percentage of tags for which no counterparts are suggested, drawn by the tag's number. The report “Does help help?” compares these tags with the others.", validators=[django.core.validators.MaxValueValidator(100)])),
                ('counterparts_on', models.BooleanField(default=True, help_text='Suggest at the desk which texts of the article the tagged one may contradict. Nothing is chosen by itself.')),
                ('calls_stopped_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('review_first', models.PositiveSmallIntegerField(default=10, help_text='The number of first annotations of each person that are always reviewed, whatever the draw.')),
                ('review_percent', models.PositiveSmallIntegerField(default=100, help_text='Percentage of submitted annotations that a reviewer must decide on, drawn by their numbers. All others are accepted without review an hour after they were submitted. Tags that several people annotate are always reviewed.', validators=[django.core.validators.MaxValueValidator(100)])),
                ('counterparts_model', models.CharField(blank=True, help_text='A model in a folder of the worker orders the ten likeliest counterparts anew, before an annotator opens the tag. Where it fails or is late, the order stays as it is.', max_length=100)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('pk', 1)), name='one_project'), models.CheckConstraint(condition=models.Q(('judgments_each__range', (2, 5))), name='two_to_five_judgments'), models.CheckConstraint(condition=models.Q(('counterparts_left_out_percent__lte', 100)), name='counterparts_left_out_in_percent'), models.CheckConstraint(condition=models.Q(('review_percent__lte', 100)), name='reviewed_in_percent')],
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Its purpose, such as “notebook on my laptop”.', max_length=100)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('may_work', models.BooleanField(default=False)),
                ('may_administer', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['person', '-id'], name='tokens_of_a_person')],
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='a_token_has_a_name'), models.CheckConstraint(condition=models.Q(('expires_at', None), ('expires_at__gt', models.F('created_at')), _connector='OR'), name='a_token_expires_later')],
            },
        ),
        migrations.CreateModel(
            name='KeptAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('request_hash', models.CharField(max_length=64)),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('body', models.TextField(blank=True)),
                ('headers', models.JSONField(blank=True, default=dict)),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['person', 'begun_at'], name='kept_answers_by_age')],
                'constraints': [models.UniqueConstraint(fields=('person', 'key'), name='one_answer_per_key')],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('about', models.CharField(blank=True, max_length=100)),
                ('events', models.JSONField(default=list)),
                ('salt', models.CharField(max_length=64)),
                ('is_on', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('url', ''), _negated=True), models.Q(('salt', ''), _negated=True)), name='a_webhook_has_an_address_and_a_salt')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('event', models.CharField(max_length=60)),
                ('body', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('failed', 'Given up')], default='waiting', max_length=10)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='core.webhook')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['webhook', '-id'], name='deliveries_of_a_webhook'), models.Index(condition=models.Q(('state', 'waiting')), fields=['not_before'], name='deliveries_waiting'), models.Index(fields=['created_at'], name='deliveries_by_age')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state', 'waiting'), ('lease_expires_at', None), _connector='OR'), name='only_a_waiting_delivery_is_held')],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seconds', models.FloatField()),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('answer', models.TextField(blank=True)),
                ('error', models.TextField(blank=True)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='core.delivery')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__isnull', False), models.Q(('error', ''), _negated=True), _connector='OR'), name='an_attempt_has_a_status_or_an_error')],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=200)),
                ('search', models.CharField(max_length=1000)),
                ('name', models.CharField(max_length=60)),
                ('position', models.PositiveSmallIntegerField()),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['path', 'position', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('person', 'path', 'name'), name='one_view_of_a_name_on_a_list'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('search', ''), _negated=True)), name='a_view_has_a_name_and_filters')],
            },
        ),
        migrations.CreateModel(
            name='Sign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('facts', models.JSONField(blank=True, default=dict)),
            ],
            options={
                'ordering': ['kind', '-at'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'name'), name='one_sign_of_each_part')],
            },
        ),
        migrations.CreateModel(
            name='Approval',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('act', models.CharField(choices=[('password_link', 'a link for a new password'), ('set_roles', 'roles with that of an admin'), ('invite', 'an invitation with the role of an admin'), ('remove_second_factor', 'removing the second factor')], max_length=30)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('roles', models.JSONField(blank=True, default=list)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('is_approved', models.BooleanField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('decided_at', None)), fields=['-id'], name='approvals_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('decided_by', None), ('is_approved', None)), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('is_approved__isnull', False)), _connector='OR'), name='a_decided_approval_has_all'), models.CheckConstraint(condition=models.Q(('is_approved', None), ('is_approved', False), models.Q(('decided_by', models.F('asked_by')), _negated=True), _connector='OR'), name='nobody_approves_their_own'), models.CheckConstraint(condition=models.Q(('person', None), models.Q(('email', ''), ('note', '')), _connector='OR'), name='an_approval_is_for_one')],
            },
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
        migrations.CreateModel(
            name='Pseudonym',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('fingerprints', models.JSONField(default=list)),
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='pseudonym', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('fingerprints', []), _negated=True), name='a_pseudonym_hides_names')],
            },
        ),
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
        migrations.CreateModel(
            name='BackgroundWork',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('what', models.CharField(help_text='The kind of work, as an app registered it.', max_length=40)),
                ('about', models.JSONField(blank=True, default=dict, help_text="The parts of the page's address.")),
                ('given', models.JSONField(blank=True, default=dict, help_text="The form's values as sent.")),
                ('files', models.JSONField(blank=True, default=dict, help_text='By field: name and path of each uploaded file.')),
                ('check_only', models.BooleanField(default=False)),
                ('fingerprint', models.CharField(help_text='SHA-256 of everything that was asked for.', max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('running', 'In progress'), ('done', 'Done'), ('refused', 'Refused'), ('failed', 'Stopped by an error'), ('cancelled', 'Cancelled')], default='waiting', max_length=10)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('step', models.CharField(blank=True, help_text='The part of the work that is in progress.', max_length=40)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('of', models.PositiveBigIntegerField(blank=True, help_text='The end of `done`, if it is known.', null=True)),
                ('lines', models.JSONField(blank=True, default=list, help_text='The result, as lines of text.')),
                ('problem', models.TextField(blank=True, help_text='The reason why it has no result.')),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='background_work', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['asked_by', 'what', '-id'], name='background_work_of_a_page')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('asked_by', 'fingerprint'), name='background_work_is_asked_for_once'), models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('state',), name='one_background_work_runs'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['waiting', 'running']), ('finished_at', None)), models.Q(models.Q(('state__in', ['waiting', 'running']), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='exactly_ended_background_work_has_its_time'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['refused', 'failed']), _negated=True), models.Q(('problem', ''), _negated=True), _connector='OR'), name='background_work_without_result_says_why')],
            },
        ),
        migrations.CreateModel(
            name='MailChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('mail', models.CharField(choices=[('at_once', 'Immediately'), ('daily', 'Once a day, in one email'), ('never', 'Never')], max_length=10)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mail_choices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['person', 'kind'],
                'constraints': [models.UniqueConstraint(fields=('person', 'kind'), name='one_mail_choice_per_person_and_kind'), models.CheckConstraint(condition=models.Q(('kind', ''), _negated=True), name='a_mail_choice_names_a_kind'), models.CheckConstraint(condition=models.Q(('mail__in', ['at_once', 'daily', 'never'])), name='mail_is_at_once_daily_or_never')],
            },
        ),
    ]
    operations = [
        *models_together(operations),
        *triggers_of(import_module(f"{__package__}.{name}").Migration for _, name in replaces),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
