import uuid

import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


import core.models.names
from core.writing.frozen import FreezeRows, KeepRows
from core.engine.tables import models_together


def make_roles(apps, schema_editor):
    """The groups that the roles are."""
    Group = apps.get_model("auth", "Group")
    for name in ("annotator", "reviewer", "adjudicator", "admin"):
        Group.objects.get_or_create(name=name)


class Migration(migrations.Migration):

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
                ('mail', models.CharField(choices=[('at_once', 'At once'), ('daily', 'Once a day, together'), ('never', 'Never')], default='daily', max_length=10)),
                ('times_closed', models.PositiveIntegerField(default=0)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['-is_active', 'username'], name='people_in_order'),
                ],
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
                'constraints': [
                    models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email', ''), _negated=True), name='one_account_per_email', violation_error_message='There is an account with this email address already.'),
                    models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='one_account_per_username', violation_error_message='There is an account with this user name already.'),
                ],
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
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('is_open', True)), fields=('is_open',), name='one_open_batch'),
                ],
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
                'indexes': [
                    models.Index(fields=['actor', 'id'], name='event_actor'),
                    models.Index(fields=['subject_kind', 'id'], name='event_kind'),
                    models.Index(fields=['subject_kind', 'subject_id', 'id'], name='event_subject'),
                ],
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
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('accepted_at', None), ('accepted_by', None)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False), ('withdrawn_at', None)), _connector='OR'), name='an_accepted_invitation_has_time_and_person'),
                    models.CheckConstraint(condition=models.Q(('person', None), ('accepted_by', None), ('accepted_by', models.F('person')), _connector='OR'), name='a_password_link_serves_its_person_only'),
                    models.UniqueConstraint(condition=models.Q(('person', None)), fields=('accepted_by',), name='one_account_per_invitation'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default='WikiContradict Workbench', max_length=100)),
                ('annotations_per_tag', models.PositiveSmallIntegerField(default=1, help_text='How many people annotate each newly harvested tag, blind to one another.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('double_annotation_percent', models.PositiveSmallIntegerField(default=0, help_text='Percentage of newly harvested tags that need one extra annotation.', validators=[django.core.validators.MaxValueValidator(100)])),
                ('lease_seconds', models.PositiveIntegerField(default=120, help_text='A claimed tag whose page is no longer open goes back to the queue after this time.', validators=[django.core.validators.MinValueValidator(30)])),
                ('suggestions_on', models.BooleanField(default=True, help_text='Offer suggestions at the desk. They never decide, and a study can do without them.')),
                ('suggestion_model', models.CharField(blank=True, help_text='A language model that annotators may ask to suggest a stand-alone version or a question. It only proposes, and uses of its suggestions are counted.', max_length=100)),
                ('suggestion_budget', models.DecimalField(blank=True, decimal_places=2, help_text='The most that suggestions by the model may cost, in the currency of its prices. Empty: no limit.', max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('judgments_each', models.PositiveSmallIntegerField(default=2, help_text='How many people judge each response of a new round, blind to one another. The paper has two.', validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(5)])),
                ('consensus', models.CharField(choices=[('all', 'All give the same verdict'), ('majority', 'More than half give the same verdict')], default='all', help_text='What gives the final verdict in a new round; anything else is adjudicated. With two judgments, both rules say the same.', max_length=10)),
                ('adjudicate_among_two', models.BooleanField(default=False, help_text="Let those who judged a response discuss and adjudicate it together, as the paper's authors did.")),
                ('practice_required', models.BooleanField(default=False, help_text='People who have not submitted an annotation yet must finish a practice run before they get tags.')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('pk', 1)), name='one_project'),
                    models.CheckConstraint(condition=models.Q(('judgments_each__range', (2, 5))), name='two_to_five_judgments'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='What it is for, such as “notebook on my laptop”.', max_length=100)),
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
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('url', ''), _negated=True), models.Q(('salt', ''), _negated=True)), name='a_webhook_has_an_address_and_a_salt'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['webhook', '-id'], name='deliveries_of_a_webhook'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['not_before'], name='deliveries_waiting'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['created_at'], name='deliveries_by_age'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'waiting'), ('lease_expires_at', None), _connector='OR'), name='only_a_waiting_delivery_is_held'),
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
        FreezeRows("core_event", "event rows never change"),
        # But for those of an import or release that died before their rows were shown.
        KeepRows(
            "core_event",
            "event rows are never deleted",
            when="NOT EXISTS (SELECT 1 FROM core_batch WHERE core_batch.id = OLD.batch_id AND core_batch.is_open)",
        ),
        FreezeRows("core_deliveryattempt", "what an attempt came to never changes"),
        FreezeRows(
            "core_delivery",
            "a message keeps its text and its id",
            when="NEW.key {differs} OLD.key OR NEW.body {differs} OLD.body OR NEW.event {differs} OLD.event "
            "OR NEW.webhook_id {differs} OLD.webhook_id",
        ),
        FreezeRows(
            "core_accesstoken",
            "a token keeps its person, its hash and its scopes, and a revoked one stays revoked",
            when="NEW.person_id {differs} OLD.person_id OR NEW.token_hash {differs} OLD.token_hash "
            "OR NEW.may_work {differs} OLD.may_work OR NEW.may_administer {differs} OLD.may_administer "
            "OR NEW.expires_at {differs} OLD.expires_at "
            "OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at {differs} OLD.revoked_at)",
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
    operations = models_together(operations)
