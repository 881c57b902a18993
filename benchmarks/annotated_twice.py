"""How long the agreement of annotators takes, as page and as files, where many tags were annotated twice.

    python -m benchmarks.annotated_twice [--tags 10000] [--postgresql postgres://me@/postgres] [--requests 20]

On SQLite, in a temporary folder, or in a database that is created on the given server and dropped at the end. Thirty
people, each of whom shares tags with every other, over twelve months; one annotation in ten was returned once. The
goal is 1 s at the 95th percentile on two otherwise idle cores; the load is printed.
"""

import argparse
import os
import time

from benchmarks.laboratory import as_served, laboratory_on
from benchmarks.large_queue import TAGS_OF_AN_ARTICLE, fill, first, make_people, references_checked_at_once
from benchmarks.reports_speed import time_requests

PEOPLE, MONTHS = 30, 12
ADDRESS = "/review/reports/annotator-agreement/"
FORMS = {"page": "", "page, by pair": "?by=people", "JSON": "download/json/", "CSV": "download/csv/"}
# The annotators of the tag with number i / 2 are two of thirty; i is the number of the annotation.
PERSON = f"i / 2 % {PEOPLE}"
OTHER = f"(i / 2 + 1 + i / 2 / {PEOPLE} % {PEOPLE - 1}) % {PEOPLE}"
PASSAGE = "'In the year ' || i / 2 % 90 || ' the bridge opened after nine years of work; the piers are of granite"


@references_checked_at_once("annotation", "core")
def make_work(tags: int) -> None:
    """Add so many tags with two annotations each, to a database without tags."""
    from django.db import connection

    from annotation import taxonomy
    from annotation.models import (
        Annotation,
        AnnotationState,
        Article,
        Assignment,
        ContradictionType,
        Family,
        Passage,
        Question,
        Tag,
        Wiki,
    )
    from core.models import User

    make_people(PEOPLE + 100)
    now, text = "CURRENT_TIMESTAMP", "'The bridge opened in 1903. {{Inconsistent}} It was closed in 1899.'"
    wiki = Wiki.objects.create(name="Wiki", api_url="https://wiki.example/w/api.php", language="en")
    number = {"page_id": "i + 1", "revision_id": "i + 1"}
    fill(
        Article, tags // TAGS_OF_AN_ARTICLE + 1, wiki_id=str(wiki.pk), title="'Bridge ' || i", wikitext=text, **number
    )
    article = f"{first(Article)} + i / {TAGS_OF_AN_ARTICLE}"
    standing = {
        "start": "27",
        "end": "43",
        "raw": "'Inconsistent|reason=year ' || i",
        "family": f"'{Family.INCONSISTENT}'",
    }
    fill(Tag, tags, article_id=article, last_seen_in_id=article, paragraph=text, paragraph_clean=text, **standing)
    tag = f"{first(Tag)} + i / 2"
    person = f"{first(User)} + CASE i % 2 WHEN 0 THEN {PERSON} ELSE {OTHER} END"
    fill(Assignment, 2 * tags, tag_id=tag, number="1 + i % 2", annotator_id=person, claimed_at=now, done_at=now)
    fill(
        Annotation,
        2 * tags,
        tag_id=tag,
        annotator_id=person,
        state=f"'{AnnotationState.SUBMITTED}'",
        version="3",
        submitted_at=now,
        validity="CASE WHEN i % 20 = 3 THEN 'Invalid' ELSE 'Valid' END",
        same_passage="'Different'",
        confidence="1 + (i / 2 + i % 7 / 6) % 5",
    )
    annotation = f"{first(Annotation)} + i"
    for position in (1, 2):
        said = {
            "article_title": "'Bridge'",
            "text": f"{PASSAGE}' || i % 3 || ' of {position}'",
            "standalone_text": "''",
        }
        fill(Passage, 2 * tags, annotation_id=annotation, position=str(position), **said)
    asked = {"text": "'When did it open?'", "answer_1": "'1901'", "answer_2": "'1902'"}
    fill(Question, 2 * tags, annotation_id=annotation, position="1", **asked)
    for position, dimension in enumerate(taxonomy.DIMENSIONS):
        codes = [option.code for option in dimension.options]
        chosen = " ".join(f"WHEN {number} THEN '{code}'" for number, code in enumerate(codes))
        code = f"CASE (i / 2 + i % 5 / 4) % {len(codes)} {chosen} END"
        of = {"dimension": f"'{dimension.code}'", "code": code, "position": str(position)}
        fill(ContradictionType, 2 * tags, annotation_id=annotation, **of)
    make_history(tags)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def make_history(tags: int) -> None:
    """Spread the submissions over the months, and have every tenth annotation returned once."""
    from datetime import UTC, datetime

    from annotation.content.rows import content_of
    from annotation.models import Annotation, FirstSubmission

    start = first(Annotation)
    for month in range(MONTHS):
        low, high = (start + 2 * tags * each // MONTHS for each in (month, month + 1))
        moment = datetime(2026, month + 1, 15, tzinfo=UTC)
        Annotation.objects.filter(pk__gte=low, pk__lt=high).update(submitted_at=moment)
    content, moment = content_of(Annotation.objects.get(pk=start)), datetime(2026, 1, 1, tzinfo=UTC)
    FirstSubmission.objects.bulk_create(
        FirstSubmission(annotation_id=start + each, content=content, submitted_at=moment, returned_at=moment)
        for each in range(0, 2 * tags, 10)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--tags", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=20, help="of each, after two that are not counted")
    options = parser.parse_args()
    with laboratory_on(options.postgresql):
        started = time.perf_counter()
        make_work(options.tags)
        from django.db import connection
        from django.test import Client

        from core.models import User

        seconds = time.perf_counter() - started
        print(f"{connection.vendor}: {options.tags:,} tags annotated twice, made in {seconds:.0f} s")
        print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        as_served()
        client = Client(SERVER_NAME="localhost")
        client.force_login(User.objects.get(username="person0"), backend="core.accounts.adapter.Backend")
        for name, query in FORMS.items():
            time_requests(client, name, ADDRESS + query, options.requests)
        connection.close()


if __name__ == "__main__":
    main()
