"""Generates a large review in the database itself: responses of ten models to five templates, each judged by two of
fifty people, with most pairs agreed or adjudicated. Everything is computed, not drawn at random, so every run makes
the same.
"""

import uuid

from speed.laboratory import analyse, new_instance, new_uuid
from speed.large.queue import references_checked_at_once

PER_INSTANCE, MODELS, TEMPLATES, REVIEWERS = 50, 10, ("1", "2", "3", "4", "5"), 50

# For the response with number i, from 0: its instance, model and template, its two reviewers, and their verdicts.
ROWS = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}),
drawn AS (
  SELECT i, {instance} + i / 50 AS instance_id, {model} + i % 50 / 5 AS model_id, i % 5 AS template,
    {reviewer} + i * 31 % {people} AS one,
    {reviewer} + (i * 31 % {people} + 1 + i / 50 % ({people} - 1)) % {people} AS other,
    CASE WHEN i * 79 % 101 < 30 OR (i % 5 IN (1, 2) AND i * 79 % 101 < 85) THEN 'correct'
         WHEN i * 79 % 101 < 75 AND i % 5 NOT IN (1, 2) THEN 'partially_correct' ELSE 'incorrect' END AS verdict_1,
    i * 53 % 97 < 83 AS agrees, i * 53 % 97 < 93 AS is_adjudicated
  FROM n),
pairs AS (
  SELECT drawn.*, CASE WHEN one < other THEN one ELSE other END AS reviewer_1,
    CASE WHEN one < other THEN other ELSE one END AS reviewer_2,
    CASE WHEN agrees THEN verdict_1 WHEN verdict_1 = 'correct' THEN 'incorrect' ELSE 'correct' END AS verdict_2,
    kind.template_id, kind.category
  FROM drawn JOIN (
    SELECT annotation_instance.id AS instance_id, judging_prompttemplate.id AS template_id,
      judging_prompttemplate.code, annotation_instance.category
    FROM annotation_instance, judging_prompttemplate WHERE version = 1
  ) AS kind ON kind.instance_id = drawn.instance_id AND kind.code = CAST(drawn.template + 1 AS text))
"""

RESPONSES = """
INSERT INTO judging_response (id, key, run_id, instance_id, model_id, template_id, repetition, answer_part, text,
  mark, marks_left, finish_reason, refusal, reasoning, provider_id, served_model, answered_at, imported,
  reused) {rows}
SELECT i + 1, {uuid}, {run}, instance_id, model_id, template_id, 1, 1,
  'One source says that the bridge opened in 1903, while another source says that it was closed in 1899, so that '
  || 'both years have to be named and none can be preferred on the grounds of the context alone. Response ' || i,
  'complete', '', 'stop', '', '', '', '', CURRENT_TIMESTAMP, '{{}}', false FROM pairs
"""
ITEMS = """
INSERT INTO review_item (id, round_id, response_id, instance_id, subject_kind, kind) {rows}
SELECT i + 1, {round}, i + 1, instance_id, '', 'ordinary' FROM pairs
"""
JUDGMENTS = """
INSERT INTO review_judgment (key, round_id, item_id, number, reviewer_id, position, verdict, cannot_judge, comment,
  seconds, judged_at, undo_until, paired_at) {rows}
SELECT {uuid}, {round}, i + 1, {number}, reviewer_{number}, i, verdict_{number}, '', '', 20 + i % 40,
  CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP FROM pairs
"""
PAIRS = """
INSERT INTO review_pair (item_id, round_id, response_id, reviewer_1_id, reviewer_2_id, verdict_1, verdict_2,
  completed_at, run_id, instance_id, model_id, template_id, category, subcategory) {rows}
SELECT i + 1, {round}, i + 1, reviewer_1, reviewer_2, verdict_1, verdict_2, CURRENT_TIMESTAMP, {run}, instance_id,
  model_id, template_id, category, '' FROM pairs
"""
ADJUDICATIONS = """
INSERT INTO review_adjudication (key, item_id, round_id, cause, opened_at, verdict, reason, adjudicator_id,
  adjudicated_at, times_reopened) {rows}
SELECT {uuid}, i + 1, {round}, 'disagree', CURRENT_TIMESTAMP, CASE WHEN is_adjudicated THEN verdict_1 ELSE '' END,
  CASE WHEN is_adjudicated THEN 'It names both.' ELSE '' END, CASE WHEN is_adjudicated THEN {reviewer} END,
  CASE WHEN is_adjudicated THEN CURRENT_TIMESTAMP END, 0 FROM pairs WHERE NOT agrees
"""
FINAL_VERDICTS = """
INSERT INTO review_finalverdict (response_id, item_id, verdict, how, at, run_id, instance_id, model_id, template_id,
  category, subcategory) {rows}
SELECT i + 1, i + 1, verdict_1, CASE WHEN agrees THEN 'agreed' ELSE 'adjudicated' END, CURRENT_TIMESTAMP, {run},
  instance_id, model_id, template_id, category, '' FROM pairs WHERE is_adjudicated
"""
STATEMENTS = (RESPONSES, ITEMS, JUDGMENTS, PAIRS, ADJUDICATIONS, FINAL_VERDICTS)
# One in this many items is open in a review that is nearly done.
OPEN = 27
REOPEN = (
    "DELETE FROM review_finalverdict WHERE item_id % {open} = 0",
    "DELETE FROM review_adjudication WHERE item_id % {open} = 0",
    "DELETE FROM review_pair WHERE item_id % {open} = 0",
    "UPDATE review_judgment SET verdict = '', judged_at = NULL, undo_until = NULL, paired_at = NULL, seconds = NULL"
    " WHERE item_id % {open} = 0",
)


@references_checked_at_once("judging", "review")
def make_large_review(responses: int, *, reviewers: int = REVIEWERS, are_judged: bool = True) -> None:
    """Add this many responses, with two judgments each, by this many people, to an empty database, as its owner."""
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Instance
    from core.models import User
    from judging.models import LanguageModel, ModelKind, Run, RunKind, RunState
    from review.models import Round, RoundReviewer, RoundState

    now = timezone.now()
    people = User.objects.bulk_create(User(username=f"reviewer{number}") for number in range(reviewers))
    models = LanguageModel.objects.bulk_create(
        LanguageModel(name=f"Model {number}", kind=ModelKind.IMPORTED) for number in range(MODELS)
    )
    instances = Instance.objects.bulk_create(
        new_instance(
            uuid.uuid4().hex,
            question=f"When did bridge {number} open?",
            answer_1="1903",
            answer_2="1899",
            reasoning_type=("EXP", "EXP", "IMP")[number % 3],
        )
        for number in range(responses // PER_INSTANCE)
    )
    run = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=now)
    round = Round.objects.create(name="All of it", state=RoundState.OPEN)
    round.runs.add(run)
    RoundReviewer.objects.bulk_create(RoundReviewer(round=round, person=person) for person in people)
    values = {
        "count": responses,
        "instance": instances[0].pk,
        "model": models[0].pk,
        "reviewer": people[0].pk,
        "people": len(people),
        "run": run.pk,
        "round": round.pk,
        "uuid": new_uuid(),
    }
    rows = ROWS.format(**values)
    with connection.cursor() as cursor:
        for statement in STATEMENTS if are_judged else STATEMENTS[:1]:
            for number in (1, 2) if "{number}" in statement else (0,):
                cursor.execute(statement.format(rows=rows, number=number, **values))
    analyse()


def reopen_some(one_in: int = OPEN) -> None:
    """Reopen one in this many items to be judged again."""
    from django.db import connection

    with connection.cursor() as cursor:
        for statement in REOPEN:
            cursor.execute(statement.format(open=one_in))
    analyse()
