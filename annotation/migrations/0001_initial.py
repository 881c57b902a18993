import core.lists.search
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


from core.engine.kept.columns import CopyColumn
from core.writing.frozen import FreezeRows, RefuseNewRows
from core.engine.kept.sums import ByDatabase, KeepSums
from core.engine.tables import models_together

FROZEN = ("instance", "release", "releasedrecord", "releasedinstance", "evidence", "evidencepage")

SUBMITTED = "{row}.state IN ('submitted', 'accepted', 'excluded') AND {row}.submitted_at IS NOT NULL"
# Ten parts of each quarter of an hour, counted from 1970 on. SQLite would round the last microseconds up.
QUARTER = ByDatabase(
    sqlite="CAST(strftime('%s', SUBSTR({row}.submitted_at, 1, 19)) AS integer) / 900",
    postgresql="FLOOR(EXTRACT(EPOCH FROM {row}.submitted_at) / 900)::bigint",
)
PART_OF_QUARTER = ByDatabase(
    *(f"CASE WHEN {SUBMITTED} THEN ({quarter}) * 10 + COALESCE({{row}}.annotator_id, 0) % 10 END" for quarter in QUARTER)
)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Wiki',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('api_url', models.URLField(help_text='The address of its api.php.', unique=True)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('is_allowed', models.BooleanField(default=True)),
                ('licence', models.CharField(blank=True, help_text='The licence of its texts, as the wiki says when it is allowed.', max_length=200)),
                ('licence_url', models.CharField(blank=True, max_length=500)),
                ('aliases', models.JSONField(blank=True, default=dict, help_text="Template name to family, learned from this wiki's redirects at the last harvest by template.")),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Article',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=500)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('page_id', models.BigIntegerField(blank=True, null=True)),
                ('revision_id', models.BigIntegerField(blank=True, null=True)),
                ('revised_at', models.DateTimeField(blank=True, null=True)),
                ('wikitext', models.TextField(blank=True)),
                ('fetched_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('wiki', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='articles', to='annotation.wiki')),
            ],
            options={
                'ordering': ['title', 'revision_id'],
                'indexes': [
                    models.Index(core.lists.search.Beginning('title'), name='article_beginning'),
                    models.Index(fields=['title'], name='article_title'),
                    models.Index(fields=['wiki', 'page_id'], name='article_page'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('revision_id__isnull', False)), fields=('wiki', 'revision_id'), name='one_row_per_article_revision'),
                    models.UniqueConstraint(condition=models.Q(('revision_id', None)), fields=('title', 'url'), name='one_row_per_imported_article'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Harvest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('template', 'Articles that carry a contradiction template'), ('category', 'Articles in a category'), ('titles', 'A list of titles'), ('dump', 'An XML dump file'), ('tasks', 'A tasks JSON file')], max_length=20)),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Stopped by an error'), ('cancelled', 'Cancelled')], default='waiting', max_length=20)),
                ('cursor', models.JSONField(blank=True, null=True)),
                ('articles_total', models.PositiveIntegerField(blank=True, null=True)),
                ('articles_seen', models.PositiveIntegerField(default=0)),
                ('articles_new', models.PositiveIntegerField(default=0)),
                ('tags_found', models.PositiveIntegerField(default=0)),
                ('tags_new', models.PositiveIntegerField(default=0)),
                ('tags_gone', models.PositiveIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('can_resume', models.BooleanField(default=True)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='harvests', to=settings.AUTH_USER_MODEL)),
                ('wiki', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='harvests', to='annotation.wiki')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['done', 'cancelled', 'failed']), _negated=True), ('finished_at__isnull', False), _connector='OR'), name='a_finished_harvest_has_its_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='a_failed_harvest_says_why'),
                    models.CheckConstraint(condition=models.Q(('can_resume', True), ('state', 'failed'), _connector='OR'), name='only_a_failed_harvest_cannot_be_resumed'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('raw', models.TextField(help_text='What stands between the braces, as in the source.')),
                ('family', models.CharField(choices=[('inconsistent', 'Inconsistent'), ('self-contradictory', 'Self-contradictory'), ('contradict-other', 'Contradicts another article')], max_length=20)),
                ('date', models.CharField(blank=True, max_length=200)),
                ('reason', models.TextField(blank=True)),
                ('other_articles', models.JSONField(blank=True, default=list)),
                ('section', models.CharField(blank=True, max_length=1000)),
                ('placement', models.CharField(blank=True, max_length=30)),
                ('paragraph', models.TextField(blank=True)),
                ('paragraph_clean', models.TextField(blank=True)),
                ('start', models.PositiveIntegerField(blank=True, null=True)),
                ('end', models.PositiveIntegerField(blank=True, null=True)),
                ('imported_record', models.TextField(blank=True, help_text='The record of a tag that was imported without an annotation, as JSON text.')),
                ('occurrence', models.PositiveIntegerField(default=0, help_text='Tells apart tags of one article that are alike in text and paragraph.')),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('gone_at', models.DateTimeField(blank=True, null=True)),
                ('priority', models.IntegerField(default=0, help_text='Higher comes first in the queue.')),
                ('flagged_at', models.DateTimeField(blank=True, null=True)),
                ('flag_reason', models.TextField(blank=True)),
                ('look_asked_at', models.DateTimeField(blank=True, null=True)),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tags', to='annotation.article')),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('flagged_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('harvest', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='tags', to='annotation.harvest')),
                ('last_seen_in', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.article')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(condition=models.Q(('gone_at__isnull', False)), fields=['id'], name='tag_gone'),
                    models.Index(condition=models.Q(('flagged_at__isnull', False), ('gone_at', None)), fields=['-priority', 'id'], name='tag_flagged_queue'),
                    models.Index(condition=models.Q(('gone_at__isnull', False)), fields=['-priority', 'id'], name='tag_gone_queue'),
                    models.Index(condition=models.Q(('flagged_at__isnull', False), ('gone_at', None)), fields=['id'], name='tag_flagged'),
                    models.Index(fields=['harvest', 'id'], name='tag_harvest'),
                    models.Index(fields=['family', 'id'], name='tag_family'),
                    models.Index(fields=['-priority', 'id', 'batch'], name='tag_queue_order'),
                    models.Index(condition=models.Q(('look_asked_at__isnull', False)), fields=['look_asked_at'], name='tags_to_be_looked_at'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('start', None)), ('start__lt', models.F('end')), _connector='OR'), name='a_tag_starts_before_it_ends'),
                    models.CheckConstraint(condition=models.Q(models.Q(('flagged_at', None), ('flagged_by', None)), models.Q(('flagged_at__isnull', False), ('flagged_by__isnull', False)), _connector='OR'), name='a_flag_has_time_and_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='EvidencePage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='SHA-256 of the text.', max_length=64, unique=True)),
                ('html', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('article', 'Article'), ('history', 'History'), ('talk', 'Talk'), ('other', 'Other article'), ('further', 'Further article')], max_length=10)),
                ('rendering', models.CharField(choices=[('wiki', 'As the wiki shows it'), ('wikitext', 'Made from the stored wikitext'), ('paragraph', 'The paragraph of the tasks file')], default='wiki', max_length=10)),
                ('title', models.CharField(max_length=500)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('revision_id', models.BigIntegerField(blank=True, null=True)),
                ('revised_at', models.DateTimeField(blank=True, null=True)),
                ('url', models.CharField(blank=True, help_text='Leads to this very revision, where there is one.', max_length=2000)),
                ('page', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.evidencepage')),
                ('marks', models.JSONField(blank=True, default=list)),
                ('details', models.JSONField(blank=True, default=dict)),
                ('fetched_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotation.tag')),
                ('wiki', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.wiki')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('revision_id__isnull', False), ('wiki__isnull', False)), fields=('tag', 'kind', 'wiki', 'revision_id', 'rendering'), name='one_evidence_per_revision'),
                    models.UniqueConstraint(condition=models.Q(('revision_id', None), ('wiki', None), _connector='OR'), fields=('tag', 'kind', 'title', 'rendering'), name='one_evidence_per_unnumbered_text'),
                    models.CheckConstraint(condition=models.Q(models.Q(('rendering', 'wiki'), _negated=True), models.Q(('revision_id__isnull', False), ('wiki__isnull', False)), _connector='OR'), name='evidence_from_a_wiki_names_its_revision'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('priority', models.IntegerField(default=0, editable=False)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('submitted', 'Waiting for review'), ('returned', 'Returned'), ('accepted', 'Accepted'), ('excluded', 'Excluded')], default='draft', max_length=20)),
                ('version', models.PositiveIntegerField(default=0)),
                ('validity', models.CharField(blank=True, choices=[('Valid', 'Valid'), ('Invalid', 'Invalid')], max_length=10)),
                ('valid_comment', models.TextField(blank=True)),
                ('same_passage', models.CharField(blank=True, choices=[('Same', 'Same'), ('Different', 'Different')], max_length=10)),
                ('contradict_comment', models.TextField(blank=True)),
                ('question_comment', models.TextField(blank=True)),
                ('confidence', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('origin_confirmed', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('submit_operation', models.UUIDField(blank=True, null=True)),
                ('seconds', models.PositiveIntegerField(default=0, editable=False)),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('review_message', models.TextField(blank=True)),
                ('imported_record', models.TextField(blank=True)),
                ('machine_made', models.JSONField(blank=True, default=list)),
                ('kept_aside', models.JSONField(blank=True, default=list)),
                ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to=settings.AUTH_USER_MODEL)),
                ('merged_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('reviewed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='annotation.tag')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(fields=['annotator', 'state', 'saved_at'], name='annotation_by_person'),
                    models.Index(fields=['state', 'submitted_at', 'id'], name='annotation_state'),
                    models.Index(fields=['state', 'tag'], name='annotation_tag_by_state'),
                    models.Index(fields=['state', '-priority', 'tag'], name='annotation_queue_by_state'),
                    models.Index(condition=models.Q(('state__in', ['draft', 'returned'])), fields=['tag'], name='annotation_in_draft'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('annotator__isnull', False)), fields=('tag', 'annotator'), name='one_annotation_per_person_and_tag'),
                    models.UniqueConstraint(condition=models.Q(('state', 'accepted')), fields=('tag',), name='one_accepted_annotation_per_tag'),
                    models.UniqueConstraint(condition=models.Q(('merged_by__isnull', False)), fields=('tag',), name='one_merge_of_the_annotations_of_a_tag'),
                    models.CheckConstraint(condition=models.Q(('merged_by', None), models.Q(('annotator', None), ('imported_record', ''), ('state__in', ['submitted', 'accepted', 'excluded'])), _connector='OR'), name='a_merge_has_no_annotator_and_is_never_a_draft'),
                    models.CheckConstraint(condition=models.Q(('confidence', None), ('confidence__range', (1, 5)), _connector='OR'), name='confidence_is_1_to_5'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'excluded'), _negated=True), models.Q(('review_message', ''), _negated=True), _connector='OR'), name='an_exclusion_has_a_reason'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'returned'), _negated=True), models.Q(('review_message', ''), _negated=True), _connector='OR'), name='a_return_has_a_message'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Contribution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=60)),
                ('version', models.PositiveIntegerField(blank=True, null=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to='annotation.annotation')),
                ('original', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='contributed', to='annotation.annotation')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'field', 'original'), name='one_contribution_per_original'),
                    models.UniqueConstraint(condition=models.Q(('original', None)), fields=('annotation', 'field'), name='a_field_is_written_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('original', None), ('version', None)), models.Q(('original__isnull', False), ('version__isnull', False)), _connector='OR'), name='a_contribution_names_a_version'),
                    models.CheckConstraint(condition=models.Q(('original', None), models.Q(('original', models.F('annotation')), _negated=True), _connector='OR'), name='a_merge_is_not_made_of_itself'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(blank=True, help_text='Empty where it is about the whole annotation.', max_length=60)),
                ('field_text', models.TextField(blank=True, help_text='What the field held when this was written.')),
                ('quote', models.TextField(blank=True)),
                ('quote_start', models.PositiveIntegerField(blank=True, null=True)),
                ('text', models.TextField()),
                ('is_ask', models.BooleanField(default=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ('about', models.CharField(default='annotation', help_text='What it is on: the kind of topic.', max_length=20)),
                ('annotation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='annotation.annotation')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to=settings.AUTH_USER_MODEL)),
                ('reply_to', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='replies', to='annotation.comment')),
                ('resolved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_comment_says_something'),
                    models.CheckConstraint(condition=models.Q(models.Q(('about', 'annotation'), ('annotation__isnull', False)), models.Q(models.Q(('about__in', ['annotation', '']), _negated=True), ('annotation', None), ('is_ask', False)), _connector='OR'), name='a_comment_is_about_one_thing'),
                    models.CheckConstraint(condition=models.Q(models.Q(('quote', ''), ('quote_start', None)), models.Q(models.Q(('quote', ''), _negated=True), ('quote_start__isnull', False), ('reply_to', None), models.Q(('field', ''), _negated=True)), _connector='OR'), name='quoted_words_stand_in_a_field'),
                    models.CheckConstraint(condition=models.Q(models.Q(('resolved_at', None), ('resolved_by', None)), models.Q(('resolved_at__isnull', False), ('resolved_by__isnull', False)), _connector='OR'), name='a_resolved_comment_has_time_and_person'),
                    models.CheckConstraint(condition=models.Q(('reply_to', None), models.Q(('is_ask', False), ('resolved_at', None)), _connector='OR'), name='a_reply_only_replies'),
                    models.UniqueConstraint(condition=models.Q(('is_ask', True), ('resolved_at', None)), fields=('annotation',), name='one_open_ask_per_annotation'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ContradictionType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(help_text='Order of choosing: the flat export fields keep the last.')),
                ('dimension', models.CharField(max_length=20)),
                ('code', models.CharField(blank=True, max_length=20)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contradiction_types', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation_id', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'dimension', 'code'), name='each_type_chosen_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DraftSave',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.UUIDField(unique=True)),
                ('tab', models.CharField(blank=True, max_length=64)),
                ('base_version', models.PositiveIntegerField()),
                ('version', models.PositiveIntegerField(blank=True, help_text='Empty where the save was refused.', null=True)),
                ('content', models.JSONField()),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saves', to='annotation.annotation')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('version__isnull', False)), fields=('annotation', 'version'), name='one_save_per_version'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HarvestProblem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=500)),
                ('reason', models.TextField()),
                ('harvest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='problems', to='annotation.harvest')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(fields=('harvest', 'title'), name='one_problem_per_page_and_harvest'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Instance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='SHA-256 of the frozen content.', max_length=64, unique=True)),
                ('question_id', models.BigIntegerField(blank=True, null=True)),
                ('question', models.TextField()),
                ('benchmark', models.CharField(help_text='The code of its entry in `annotation.kinds.registry`.', max_length=40)),
                ('group', models.CharField(blank=True, db_index=True, help_text='Groups instances with correlated errors: the source, for example.', max_length=200)),
                ('category', models.CharField(blank=True, db_index=True, help_text='What reports count it under.', max_length=200)),
                ('subcategory', models.CharField(blank=True, help_text='What reports tell apart within a category.', max_length=40)),
                ('content', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('tag', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='instances', to='annotation.tag')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('benchmark', ''), _negated=True), models.Q(('content', {}), _negated=True)), name='instances_have_their_content'),
                ],
                'indexes': [
                    models.Index(core.lists.search.Beginning('question'), name='instance_beginning'),
                ],
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ModelSuggestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target', models.CharField(help_text='A or B for a stand-alone version, question1 and so on.', max_length=20)),
                ('model', models.CharField(help_text='The name of the language model.', max_length=100)),
                ('prompt', models.TextField()),
                ('state', models.CharField(choices=[('asked', 'Asked for'), ('offered', 'Offered'), ('failed', 'Not suggested'), ('accepted', 'Used'), ('own', 'Not used')], default='asked', max_length=10)),
                ('texts', models.JSONField(default=dict, help_text='What was suggested, by part: standalone, or question and answers.')),
                ('error', models.TextField(blank=True)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='model_suggestions', to='annotation.annotation')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['asked', 'offered'])), fields=('annotation', 'target'), name='one_open_model_suggestion_per_field'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='a_failed_suggestion_says_why'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('state__in', ['accepted', 'own'])), models.Q(models.Q(('state__in', ['accepted', 'own']), _negated=True), ('decided_at', None)), _connector='OR'), name='exactly_a_decided_suggestion_has_its_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('mention', 'mentions you'), ('answer', 'answered your question'), ('reply', 'replied to you'), ('comment', 'commented on your annotation')], max_length=10)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='annotation.comment')),
                ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [
                    models.Index(fields=['person', 'id'], name='notice_of_person'),
                    models.Index(fields=['person', 'read_at'], name='notice_unread'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('comment', 'person'), name='one_notice_per_comment_and_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Passage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('article_title', models.TextField(blank=True)),
                ('text', models.TextField(blank=True, help_text='As found, without citation marks and tags.')),
                ('standalone_text', models.TextField(blank=True, help_text='Understandable without its surroundings.')),
                ('statement', models.TextField(blank=True, help_text='What the passage states that the other contradicts.')),
                ('span', models.TextField(blank=True, help_text='The contradicted words, as they stand in the passage.')),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation_id', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'position'), name='one_passage_per_position'),
                    models.CheckConstraint(condition=models.Q(('position__in', (1, 2))), name='passages_1_and_2'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PassageSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start', models.PositiveIntegerField(help_text="In the page's text, in UTF-16 units as browsers count.")),
                ('end', models.PositiveIntegerField()),
                ('text', models.TextField(help_text='As selected, without citation marks and tags.')),
                ('kind', models.CharField(choices=[('text', 'Text'), ('table', 'Table'), ('infobox', 'Infobox')], max_length=10)),
                ('selected_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('evidence', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.evidence')),
                ('passage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='annotation.passage')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='a_source_starts_before_it_ends'),
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_source_has_text'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField(blank=True)),
                ('answer_1', models.TextField(blank=True)),
                ('answer_2', models.TextField(blank=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation_id', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'position'), name='one_question_per_position'),
                    models.CheckConstraint(condition=models.Q(('position__range', (1, 10))), name='up_to_ten_questions'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(unique=True)),
                ('benchmark', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=100)),
                ('notes', models.TextField(blank=True)),
                ('content_hash', models.CharField(max_length=64)),
                ('how_made', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='releases_count_from_one'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReleasedInstance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='released_instances', to='annotation.instance')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='released_instances', to='annotation.release')),
            ],
            options={
                'ordering': ['release', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('release', 'number'), name='one_instance_per_number'),
                    models.UniqueConstraint(fields=('release', 'instance'), name='an_instance_once_per_release'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReleasedRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('content', models.TextField()),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='released_records', to='annotation.annotation')),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='records', to='annotation.release')),
            ],
            options={
                'ordering': ['release', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('release', 'position'), name='one_record_per_position'),
                    models.UniqueConstraint(fields=('release', 'annotation'), name='one_record_per_annotation'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SeenAnnotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seen_by', to='annotation.annotation')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'person'), name='seen_once_is_seen'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StepTime',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=64)),
                ('step', models.PositiveSmallIntegerField()),
                ('seconds', models.PositiveIntegerField()),
                ('last_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='step_times', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation_id', 'step'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'page', 'step'), name='one_time_per_page_and_step'),
                    models.CheckConstraint(condition=models.Q(('step__range', (0, 6))), name='steps_0_to_6'),
                    models.CheckConstraint(condition=models.Q(('seconds__gt', 0)), name='no_time_has_no_row'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SuggestedEdit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=60)),
                ('before', models.TextField(blank=True)),
                ('text', models.TextField(blank=True)),
                ('reason', models.TextField(blank=True)),
                ('state', models.CharField(choices=[('open', 'Open'), ('taken', 'Taken'), ('declined', 'Declined')], default='open', max_length=10)),
                ('suggested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suggested_edits', to='annotation.annotation')),
                ('suggested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('state', 'open')), models.Q(('decided_at__isnull', False), ('state__in', ['taken', 'declined'])), _connector='OR'), name='an_edit_is_open_taken_or_declined'),
                    models.CheckConstraint(condition=models.Q(('text', models.F('before')), _negated=True), name='an_edit_changes_something'),
                    models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('annotation', 'field', 'suggested_by'), name='one_open_edit_per_field_and_reviewer'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Suggestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=60)),
                ('suggested', models.JSONField(help_text='The value that was shown last.')),
                ('outcome', models.CharField(choices=[('accepted', 'Suggestion accepted'), ('own', 'Own choice')], max_length=10)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation_id', 'field'],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'field'), name='one_suggestion_per_field'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Skip',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='skips', to=settings.AUTH_USER_MODEL)),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skips', to='annotation.tag')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('tag', 'annotator'), name='one_skip_per_person_and_tag'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('priority', models.IntegerField(default=0, editable=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('is_ahead', models.BooleanField(default=False, editable=False)),
                ('annotator', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
                ('assigned_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('batch', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.batch')),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.tag')),
            ],
            options={
                'ordering': ['tag_id', 'number'],
                'indexes': [
                    models.Index(condition=models.Q(('annotator__isnull', False), ('done_at', None)), fields=['annotator'], name='assignment_in_hand'),
                    models.Index(condition=models.Q(('asked_at__isnull', False)), fields=['tag'], name='assignment_waiting'),
                    models.Index(condition=models.Q(('done_at__isnull', False)), fields=['tag'], name='assignment_done'),
                    models.Index(condition=models.Q(('number', 2)), fields=['tag'], name='assignment_second'),
                    models.Index(condition=models.Q(('annotator__isnull', False), ('done_at', None)), fields=['tag'], name='assignment_claimed'),
                    models.Index(condition=models.Q(('done_at', None), ('lease_expires_at__isnull', False)), fields=['lease_expires_at'], name='assignment_lease'),
                    models.Index(condition=models.Q(('annotator', None), ('done_at', None)), fields=['-priority', 'tag', 'number'], name='assignment_queue'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('tag', 'number'), name='one_assignment_per_number'),
                    models.CheckConstraint(condition=models.Q(('number__range', (1, 20))), name='up_to_twenty_annotations_of_a_tag'),
                    models.UniqueConstraint(condition=models.Q(('annotator__isnull', False)), fields=('annotator', 'tag'), name='one_assignment_per_person_and_tag'),
                    models.CheckConstraint(condition=models.Q(models.Q(('annotator', None), ('assigned_by', None), ('claimed_at', None), ('lease_expires_at', None)), models.Q(('annotator__isnull', False), ('claimed_at__isnull', False)), _connector='OR'), name='a_claim_has_person_and_time'),
                    models.CheckConstraint(condition=models.Q(('asked_at', None), models.Q(('annotator__isnull', False), ('done_at', None), ('lease_expires_at', None)), _connector='OR'), name='a_waiting_assignment_has_its_person_and_no_lease'),
                    models.CheckConstraint(condition=models.Q(('is_ahead', False), models.Q(('annotator__isnull', False), ('asked_at', None), ('done_at', None), ('lease_expires_at__isnull', False)), _connector='OR'), name='a_claim_ahead_has_a_lease'),
                    models.UniqueConstraint(condition=models.Q(('is_ahead', True)), fields=('annotator',), name='one_claim_ahead_per_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WatchResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('unchanged', 'Tag and passages as annotated'), ('changed', 'Passage changed'), ('tag gone', 'Tag no longer in the article'), ('article gone', 'Article no longer there'), ('unknown', 'Could not be checked')], max_length=20)),
                ('message', models.TextField(blank=True)),
                ('title', models.CharField(blank=True, max_length=500)),
                ('revision_id', models.BigIntegerField(blank=True, null=True)),
                ('revised_at', models.DateTimeField(blank=True, null=True)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('paragraph', models.TextField(blank=True)),
                ('tag_is_there', models.BooleanField(null=True)),
                ('first_seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watch_results', to='annotation.tag')),
            ],
            options={
                'ordering': ['pk'],
                'get_latest_by': 'pk',
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['article gone', 'unknown']), ('revision_id__isnull', False), _connector='OR'), name='a_finding_names_its_revision'),
                ],
            },
        ),
        migrations.CreateModel(
            name='EvidenceRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('article', 'Article'), ('history', 'History'), ('talk', 'Talk'), ('other', 'Other article'), ('further', 'Further article')], max_length=10)),
                ('subject', models.CharField(blank=True, help_text='The title of an other or further article.', max_length=500)),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('running', 'Being fetched'), ('done', 'Here'), ('missing', 'Cannot be had')], default='waiting', max_length=10)),
                ('reason', models.TextField(blank=True, help_text='Why it is not here, in words for the annotator.')),
                ('priority', models.SmallIntegerField(default=0, help_text='Higher comes first: a person waits for it.')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.article')),
                ('evidence', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='requests', to='annotation.evidence')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence_requests', to='annotation.tag')),
                ('wiki', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='evidence_requests', to='annotation.wiki')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(fields=['state', 'not_before'], name='evidence_due'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('wiki', None)), fields=('tag', 'article', 'kind', 'subject'), name='asked_once_where_no_wiki_is'),
                    models.UniqueConstraint(condition=models.Q(('requested_by', None), ('wiki__isnull', False)), fields=('tag', 'article', 'kind', 'subject', 'wiki'), name='asked_once_of_each_wiki'),
                    models.UniqueConstraint(condition=models.Q(('requested_by__isnull', False), ('wiki__isnull', False)), fields=('tag', 'article', 'kind', 'subject', 'wiki', 'requested_by'), name='asked_once_of_each_wiki_by_a_person'),
                    models.CheckConstraint(condition=models.Q(models.Q(('lease_expires_at__isnull', False), ('state', 'running')), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_expires_at', None)), _connector='OR'), name='evidence_being_fetched_is_held'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), ('evidence__isnull', False), _connector='OR'), name='done_evidence_is_there'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'missing'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='missing_evidence_says_why'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FirstSubmission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.JSONField(help_text='The form, as content_of reads it.')),
                ('submitted_at', models.DateTimeField()),
                ('returned_at', models.DateTimeField(blank=True, help_text='When a reviewer first returned it.', null=True)),
                ('annotation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='first_submission', to='annotation.annotation')),
            ],
        ),
        migrations.AddField(
            model_name='annotation',
            name='draft',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='annotation.draftsave'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'returned']), ('draft', None), _connector='OR'), name='what_is_submitted_has_no_draft'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'draft'), ('submitted_at__isnull', False), _connector='OR'), name='submitted_work_has_its_time'),
        ),
        migrations.AddField(
            model_name='release',
            name='instances',
            field=models.ManyToManyField(related_name='releases', through='annotation.ReleasedInstance', to='annotation.instance'),
        ),
        migrations.CreateModel(
            name='PracticeTag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(blank=True, max_length=40)),
                ('title', models.CharField(max_length=500)),
                ('tag', models.JSONField(help_text="The tag's own fields.")),
                ('pages', models.JSONField(help_text='What the reading pane shows: kind, title, language and HTML of each page.')),
                ('reference', models.JSONField(help_text="The annotation to compare with, as the form's content.")),
                ('why', models.JSONField(blank=True, default=dict, help_text='For each step, why the reference says what it says.')),
                ('is_offered', models.BooleanField(default=True)),
                ('position', models.PositiveIntegerField(default=0, help_text='Lower comes first.')),
                ('chosen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('annotation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotation')),
                ('chosen_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['position', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='PracticeAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(default=1, help_text="The person's first, second, ... attempt at it.")),
                ('content', models.JSONField(help_text='The form as it was saved last.')),
                ('sources', models.JSONField(blank=True, default=list, help_text='Where the passages were selected.')),
                ('version', models.PositiveIntegerField(default=0)),
                ('first', models.JSONField(blank=True, default=dict)),
                ('times', models.JSONField(blank=True, default=dict)),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='practice_attempts', to=settings.AUTH_USER_MODEL)),
                ('practice_tag', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='annotation.practicetag')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='practicetag',
            constraint=models.UniqueConstraint(condition=models.Q(('annotation__isnull', False)), fields=('annotation',), name='one_practice_tag_per_annotation'),
        ),
        migrations.AddConstraint(
            model_name='practicetag',
            constraint=models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('key',), name='one_practice_tag_per_key'),
        ),
        migrations.AddConstraint(
            model_name='practicetag',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('annotation', None), models.Q(('key', ''), _negated=True)), models.Q(('annotation__isnull', False), ('key', '')), _connector='OR'), name='a_practice_tag_ships_or_was_chosen'),
        ),
        migrations.AddConstraint(
            model_name='practiceattempt',
            constraint=models.UniqueConstraint(fields=('person', 'practice_tag', 'number'), name='practice_attempts_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='practiceattempt',
            constraint=models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('person', 'practice_tag'), name='one_open_practice_attempt_per_person_and_tag'),
        ),
        migrations.AddConstraint(
            model_name='practiceattempt',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='practice_attempts_count_from_1'),
        ),
        migrations.CreateModel(
            name='Mailing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(default=0, help_text='Of the returned annotation.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('state', models.CharField(choices=[('waiting', 'Waiting to be sent'), ('sent', 'Sent'), ('not_needed', 'Read, or hidden, before it was sent'), ('failed', 'Given up')], default='waiting', max_length=10)),
                ('letter', models.UUIDField(blank=True, null=True)),
                ('not_before', models.DateTimeField(default=django.utils.timezone.now)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('comment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.comment')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('returned', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.annotation')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['person', 'created_at'], name='mail_waiting'), models.Index(fields=['letter'], name='mail_of_a_letter')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('comment__isnull', False)), fields=('person', 'comment'), name='mailed_once_about_a_comment'), models.UniqueConstraint(condition=models.Q(('returned__isnull', False)), fields=('person', 'returned', 'version'), name='mailed_once_about_a_return'), models.CheckConstraint(condition=models.Q(models.Q(('comment', None), ('returned__isnull', False)), models.Q(('comment__isnull', False), ('returned', None)), _connector='OR'), name='mail_is_about_one_thing'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent'), _negated=True), models.Q(('letter__isnull', False), ('sent_at__isnull', False)), _connector='OR'), name='sent_mail_has_time_and_letter')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionCounts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('part', models.BigIntegerField(help_text='The period and the part of it.')),
                ('batch', models.BigIntegerField(help_text='0 outside any batch.')),
                ('count', models.BigIntegerField(db_default=0, default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('part', 'batch'), name='submissions_are_counted_once')],
            },
        ),
        *(FreezeRows(f"annotation_{model}", f"{model} rows never change") for model in FROZEN),
        RefuseNewRows(
            "annotation_releasedinstance",
            "a release holds instances of its benchmark only",
            "(SELECT benchmark FROM annotation_instance WHERE id = NEW.instance_id)"
            " <> (SELECT benchmark FROM annotation_release WHERE id = NEW.release_id)",
        ),
        CopyColumn("annotation_annotation", "priority", source="annotation_tag", reference="tag_id"),
        KeepSums(
            name="times_at_the_desk",
            table="annotation_steptime",
            keeper="annotation_annotation",
            key={"id": "{row}.annotation_id"},
            sums={"seconds": "{row}.seconds"},
            reads=["annotation_id", "seconds"],
        ),
        KeepSums(
            name="annotations_submitted",
            table="annotation_annotation",
            keeper="annotation_submissioncounts",
            key={"part": PART_OF_QUARTER, "batch": "COALESCE({row}.batch_id, 0)"},
            sums={"count": "1"},
            reads=["state", "submitted_at", "annotator_id", "batch_id"],
            makes_keepers=True,
            seldom=True,
        ),
    ]
    operations = models_together(operations)
