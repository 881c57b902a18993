"""A large queue, made by the database itself: tags, people, work behind them, and the log of it.

Numbers are drawn by arithmetic, so that every run makes the same rows. Of each hundred tags ten are annotated, half
of those accepted, and two are flagged; every person has skipped twenty. An article has ten tags.
"""

from django.db import models

PEOPLE = 1_000
TAGS_OF_AN_ARTICLE = 10
SKIPPED = 20
# Of the tag with number i, from 0.
ANNOTATED, ACCEPTED, FLAGGED = "i % 100 < 10", "i % 100 < 5", "i % 100 IN (50, 51)"


def fill(model: type[models.Model], count: int, *, where: str = "1 = 1", **columns: str) -> None:
    """Insert a row for each i from 0 to below `count` that meets `where`. `columns` are SQL by the column's name; the
    others hold what the model's fields begin with."""
    from django.db import connection

    names, values, parameters = [], [], []
    for field in model._meta.concrete_fields:
        name = str(field.column)
        if name in columns:
            values.append(columns[name])
        elif field.primary_key:
            continue
        else:
            values.append("%s")
            parameters.append(field.get_db_prep_save(field.get_default(), connection))
        names.append(f'"{name}"')
    statement = (
        f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) "
        f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) "
        f"SELECT {', '.join(values)} FROM n WHERE {where}"
    )
    with connection.cursor() as cursor:
        # With parameters a percent sign of SQL has to be doubled.
        escaped = statement.replace("%", "%%").replace("%%s", "%s") if parameters else statement
        cursor.execute(escaped, parameters or None)


def first(model: type[models.Model]) -> int:
    """The number of the first row: the others follow without a gap."""
    return model._base_manager.order_by("pk").values_list("pk", flat=True)[0]


def make_people(count: int = PEOPLE) -> None:
    """So many annotators, of whom the last hundred judge and the first is an admin too."""
    from django.contrib.auth.models import Group

    from core.models import Role, User

    fill(User, count, username="'person' || i", password="'!'")
    groups = {role: Group.objects.get_or_create(name=role)[0].pk for role in Role.values}
    membership = User.groups.through
    start = first(User)
    fill(membership, count, user_id=f"{start} + i", group_id=str(groups[Role.ANNOTATOR]))
    fill(membership, count, where=f"i >= {count - 100}", user_id=f"{start} + i", group_id=str(groups[Role.REVIEWER]))
    fill(membership, 1, user_id=str(start), group_id=str(groups[Role.ADMIN]))


def make_queue(count: int, *, people: int = PEOPLE) -> None:
    """So many tags and what was done to them. Into a database that has people and no tags."""
    from django.db import connection

    from annotation.models import (
        Annotation,
        AnnotationState,
        Article,
        Assignment,
        Family,
        Passage,
        Question,
        Skip,
        Tag,
        Wiki,
    )
    from core.models import Event, User

    now, person = "CURRENT_TIMESTAMP", f"{first(User)} + i / 10 % {people}"
    wiki = Wiki.objects.create(name="Wiki", api_url="https://wiki.example/w/api.php", language="en")
    text = "'The bridge opened in 1903 after nine years of work. {{Inconsistent}} It was closed in 1899.'"
    fill(
        Article,
        count // TAGS_OF_AN_ARTICLE,
        wiki_id=str(wiki.pk),
        title="'Bridge ' || i",
        revision_id="i + 1",
        page_id="i + 1",
        url="'https://wiki.example/wiki/Bridge_' || i",
        wikitext=text,
    )
    article = f"{first(Article)} + i / {TAGS_OF_AN_ARTICLE}"
    family = f"CASE i % 3 WHEN 0 THEN '{Family.INCONSISTENT}' WHEN 1 THEN '{Family.SELF_CONTRADICTORY}' "
    family += f"ELSE '{Family.CONTRADICT_OTHER}' END"
    fill(
        Tag,
        count,
        article_id=article,
        last_seen_in_id=article,
        raw="'Inconsistent|reason=year ' || i",
        family=family,
        reason="'The years differ, see line ' || i",
        paragraph=text,
        paragraph_clean=text,
        start="53",
        end="69",
        priority="CASE WHEN i % 1000 = 7 THEN 1 ELSE 0 END",
        flagged_at=f"CASE WHEN {FLAGGED} THEN {now} END",
        flagged_by_id=f"CASE WHEN {FLAGGED} THEN {first(User)} END",
        flag_reason=f"CASE WHEN {FLAGGED} THEN 'No such line' ELSE '' END",
    )
    tag = f"{first(Tag)} + i"
    fill(
        Assignment,
        count,
        tag_id=tag,
        priority="CASE WHEN i % 1000 = 7 THEN 1 ELSE 0 END",
        number="1",
        annotator_id=f"CASE WHEN {ANNOTATED} THEN {person} END",
        claimed_at=f"CASE WHEN {ANNOTATED} THEN {now} END",
        done_at=f"CASE WHEN {ANNOTATED} THEN {now} END",
    )
    fill(
        Annotation,
        count,
        where=ANNOTATED,
        tag_id=tag,
        annotator_id=person,
        state=f"CASE WHEN {ACCEPTED} THEN '{AnnotationState.ACCEPTED}' ELSE '{AnnotationState.SUBMITTED}' END",
        version="3",
        submitted_at=now,
        reviewed_at=f"CASE WHEN {ACCEPTED} THEN {now} END",
        reviewed_by_id=f"CASE WHEN {ACCEPTED} THEN {first(User)} END",
        validity="'Valid'",
        same_passage="'Different'",
        confidence="4",
    )
    made = count // 10
    annotation = f"{first(Annotation)} + i"
    for position in (1, 2):
        sentence = f"'The bridge opened in the year 190{position}, as the town''s chronicle has it.'"
        spoken = {"article_title": "'Bridge'", "text": sentence, "standalone_text": sentence}
        fill(Passage, made, annotation_id=annotation, position=str(position), **spoken)
    asked = {"text": "'When did it open?'", "answer_1": "'1901'", "answer_2": "'1902'"}
    fill(Question, made, annotation_id=annotation, position="1", **asked)
    skipped = f"{first(Tag)} + (i % {SKIPPED}) * {max(count // SKIPPED, 1)} + 20 + i / {SKIPPED} % 20"
    fill(Skip, SKIPPED * people, tag_id=skipped, annotator_id=f"{first(User)} + i / {SKIPPED}", reason="'Not mine'")
    for action, subject, of, number in (
        ("claimed", "tag", tag, made),
        ("submitted", "annotation", annotation, made),
        ("accepted", "annotation", annotation, made // 2),
    ):
        fill(
            Event,
            number,
            actor_id=person,
            action=f"'{action}'",
            subject_kind=f"'{subject}'",
            subject_id=of,
        )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
