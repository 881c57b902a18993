"""Requests to an address: the row in it, and the data sent there."""

import json
from typing import Any
from uuid import UUID

from django.test import Client
from django.urls import resolve, reverse

from .addresses import PATTERNS

# The row of `example` that is in the address.
NAMES_A_ROW = {
    "desk_": {"pk": "own_annotation"},
    "desk_edit": {"pk": "own_annotation", "edit_pk": "own_edit"},
    "desk_evidence": {"pk": "own_annotation", "kind": "evidence_kind"},
    "desk_evidence_again": {"pk": "own_annotation", "request_pk": "evidence_request"},
    "desk_model_suggestion_": {"pk": "own_annotation", "suggestion_pk": "model_suggestion"},
    "practice_": {"pk": "practice_attempt", "kind": "evidence_kind"},
    "practice_begin": {"pk": "practice_tag"},
    "practice_tags_": {"pk": "practice_tag"},
    "guideline_": {"number": "guideline"},
    "reviews_": {"pk": "submitted"},
    "reviews_withdraw": {"pk": "submitted", "edit_pk": "submitted_edit"},
    "reviews_evidence": {"pk": "submitted", "kind": "evidence_kind"},
    "reviews_evidence_again": {"pk": "submitted", "request_pk": "review_request"},
    "comment": {"pk": "comment"},
    "conversation": {"pk": "own_annotation"},
    "release": {"number": "release", "kind": "kind", "instance_number": "instance_number"},
    "import_release": {"code": "benchmark"},
    "export_now": {"kind": "kind"},
    "person": {"pk": "person", "kind": "kind"},
    "person_quality_picture": {"pk": "person", "number": "plot", "kind": "picture_kind"},
    "saved_view": {"pk": "saved_view"},
    "invitation_": {"pk": "invitation"},
    "background_work": {"key": "background_work"},
    "harvest": {"pk": "harvest"},
    "wiki_": {"pk": "wiki"},
    "tag": {"pk": "tag"},
    "workload_quota": {"pk": "person"},
    "person_review_share": {"pk": "person"},
    "tags_undo": {"pk": "bulk_change"},
    "run": {"pk": "run"},
    "run_judgments": {"pk": "judge_run", "kind": "responses_kind"},
    "run_statements": {"pk": "statement_run"},
    "run_read_again": {"pk": "statement_run"},
    "document": {"key": "document"},
    "candidate": {"key": "candidate"},
    "conflict": {"key": "conflict"},
    "conflict_take_down": {"key": "conflict"},
    "fact": {"key": "fact"},
    "overrule_evidence": {"key": "evidence"},
    "claims_make": {"what": "claims_or_twins"},
    "switch_template": {"pk": "relation_template"},
    "response": {"key": "response"},
    "responses_export": {"kind": "responses_kind"},
    "call": {"key": "call"},
    "model": {"pk": "model"},
    "model_lift_pause": {"pk": "model"},
    "resolved_passages_edit": {"pk": "instance"},
    "judge_": {"key": "round_key"},
    "my_judgments": {"key": "round_key"},
    "judgment": {"key": "judgment"},
    "judgment_export": {"what": "exported", "kind": "responses_kind"},
    "adjudicate_": {"key": "adjudication"},
    "set_aside_": {"pk": "set_aside"},
    "round_new_of": {"code": "form"},
    "round_preview_of": {"code": "form"},
    "round": {"pk": "round", "person": "round_person"},
    "reviewer_": {"pk": "round", "person": "round_person", "judgment": "given_judgment"},
    "known_": {"pk": "known"},
    "report": {"name": "report", "kind": "kind"},
    "report_picture": {"name": "drawn_report", "number": "plot", "kind": "picture_kind"},
    "join": {"token": "token"},
    "account_token_revoke": {"pk": "access_token"},
    "mfa_": {"pk": "passkey"},
    "openid_connect_callback": {"provider_id": "provider"},
    "sample_sign_in": {"name": "sample_person"},
    "approval_": {"pk": "approval"},
    "account_session_end": {"pk": "passkey"},
    "webhook": {"pk": "webhook"},
    "delivery_": {"key": "delivery"},
    "api:delivery_": {"key": "delivery"},
    "api:fact": {"key": "fact"},
    "api:conflict": {"key": "conflict"},
    "api:person": {"pk": "person"},
    "api:annotation": {"pk": "own_annotation"},
    "api:comment": {"pk": "comment"},
    "api:comments": {"pk": "own_annotation"},
    "api:review": {"pk": "submitted"},
    "api:tag": {"pk": "tag"},
    "api:tags_undo": {"pk": "bulk_change"},
    "api:workload_quota": {"pk": "person"},
    "api:harvest": {"pk": "harvest"},
    "api:search": {"key": "search"},
    "api:release": {"number": "release"},
    "api:model": {"pk": "model"},
    "api:run": {"pk": "run"},
    "api:response": {"key": "response"},
    "api:judging_": {"key": "round_key"},
    "api:judgment": {"key": "judgment"},
    "api:adjudication": {"key": "adjudication"},
    "api:round": {"pk": "round"},
    "api:report": {"name": "report"},
    "account_reset_password_from_key": {"uidb36": "uid", "key": "key"},
}
UNKNOWN = {"pk": 999_999, "number": 999_999, "key": UUID(int=0)}


def parameters(name: str) -> list[str]:
    return list(PATTERNS[name].pattern.regex.groupindex)


def address(name: str, example: dict, **instead: object) -> str:
    wanted = parameters(name)
    if not wanted:
        return reverse(name)
    prefix = max((prefix for prefix in NAMES_A_ROW if name.startswith(prefix)), key=len)
    rows = {parameter: example[NAMES_A_ROW[prefix][parameter]] for parameter in wanted}
    return reverse(name, kwargs={**rows, **instead})


# The bodies that programs send to addresses of the API; the others get none.
API_BODIES: dict[str, dict[str, Any]] = {
    "annotation_draft": {"content": {"question1": "Which?"}},
    "annotation_submit": {"content": {"question1": "Which?"}},
    "annotation_skip": {"reason": "no idea"},
    "annotation_flag": {"reason": "look"},
    "annotation_ask": {"text": "Which year?", "field": ""},
    "comments": {"text": "Which bridge?", "field": "question1"},
    "response_comments": {"text": "Which bridge?", "field": "question"},
    "comment_answer": {"text": "1912"},
    "review_accept": {"seen_version": 0},
    "review_merge": {"seen_versions": {}, "choices": {}},
    "review_return": {"seen_version": 0, "message": "Which bridge?"},
    "review_exclude": {"seen_version": 0, "reason": "gone"},
    "review_reconsider": {"reason": "looked again"},
    "releases": {"name": "second", "notes": ""},
    "models": {"name": "Large", "endpoint_name": "large", "base_url": "http://localhost:9/v1"},
    "runs": {"release": 1, "language_models": [1], "templates": [1], "repetitions": 1},
    "judge_runs": {"source_runs": [1], "language_models": [1]},
    "run_budget": {"budget": "1.50"},
    "annotation_evidence": {"text": "Bridge"},
    "review_evidence": {"text": "Bridge"},
    "workload_quota": {"annotations": 10},
    "harvests": {"source": "titles", "wiki": 1, "titles": "Bridge"},
    "searches": {"source": "stored", "titles": "Bridge"},
    "model_offer": {"is_offered": True},
    "templates": {"code": "9", "name": "Nine", "text": "{question}", "correct_answers": "{answer1}"},
    "run_retry": {"group": ""},
    "run_repeat": {"calls": None},
    "run_give_up": {"calls": []},
    "judgment": {"verdict": "correct", "comment": "", "seconds": 5},
    "adjudication": {"verdict": "correct", "reason": "both years"},
    "adjudication_reopen": {"reason": "looked again"},
    "round_deadline": {"deadline": "2030-01-31"},
    "rounds": {"name": "second", "runs": [1], "reviewers": [1, 2], "seed": 5},
}
PUT = {"annotation_draft"}


def post(client: Client, where: str, **options: Any) -> Any:
    """Send a form without fields or, to an address of the API, what it takes."""
    if not where.startswith("/api/v1/"):
        return client.post(where, **options)
    name = str(resolve(where.partition("?")[0]).url_name)
    body = json.dumps(API_BODIES.get(name, {}))
    options["headers"] = {"If-Match": '"0"'} | options.get("headers", {})
    return (client.put if name in PUT else client.post)(where, body, content_type="application/json", **options)
