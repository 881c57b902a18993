"""Every address of the project, tried as every role and as a stranger. An address that is not listed here fails."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from annotation.desk import comments
from annotation.desk.assignment import claim_next_tag
from annotation.models import (
    AnnotationState,
    Assignment,
    EvidenceRequest,
    Harvest,
    HarvestSource,
    ModelSuggestion,
    SuggestedEdit,
)
from annotation.releases import freezing
from core.accounts import people
from core.accounts.tokens import make_token
from core.models import Event, Role, User
from judging.models import Call, LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory, WikiFactory
from tests.review.making import rows_of_review
from tests.test_content_security import against_the_policy

EVERYBODY = ("everybody",)
SIGNED_IN = ("signed in",)
ANNOTATOR = (Role.ANNOTATOR,)
REVIEWER = (Role.REVIEWER,)
ADJUDICATORS = (Role.ADJUDICATOR, Role.REVIEWER)
LOOKERS = (Role.REVIEWER, Role.ADMIN)
ADMIN = (Role.ADMIN,)
TALKERS = (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN)
RESOLVERS = (Role.ANNOTATOR, Role.ADMIN)

MAY_OPEN: dict[str, tuple[str, ...]] = {
    # Frame and account
    "home": SIGNED_IN,
    "health": EVERYBODY,
    "account": SIGNED_IN,
    "account_name": SIGNED_IN,
    "account_theme": SIGNED_IN,
    "account_change_password": SIGNED_IN,
    "account_login": EVERYBODY,
    "account_logout": EVERYBODY,
    "account_inactive": EVERYBODY,
    "account_reset_password": EVERYBODY,
    "account_reset_password_done": EVERYBODY,
    "account_reset_password_from_key": EVERYBODY,
    "account_reset_password_from_key_done": EVERYBODY,
    "join": EVERYBODY,
    "account_token_new": SIGNED_IN,
    "account_token_revoke": SIGNED_IN,
    "api_reference": SIGNED_IN,
    # Desk
    "desk": ANNOTATOR,
    "desk_next": ANNOTATOR,
    "desk_annotation": ANNOTATOR,
    "desk_parts": ANNOTATOR,
    "desk_save": ANNOTATOR,
    "desk_submit": ANNOTATOR,
    "desk_renew": ANNOTATOR,
    "desk_skip": ANNOTATOR,
    "desk_flag": ANNOTATOR,
    "desk_reopen": ANNOTATOR,
    "desk_resume": ANNOTATOR,
    "desk_hand_back": ANNOTATOR,
    "desk_evidence": ANNOTATOR,
    "desk_evidence_again": ANNOTATOR,
    "desk_further": ANNOTATOR,
    "desk_select": ANNOTATOR,
    "desk_clear": ANNOTATOR,
    "desk_assist": ANNOTATOR,
    "desk_suggestion": ANNOTATOR,
    "desk_time": ANNOTATOR,
    "desk_model_suggestion": ANNOTATOR,
    "desk_model_suggestion_state": ANNOTATOR,
    "desk_model_suggestion_decide": ANNOTATOR,
    "desk_edit": ANNOTATOR,
    "desk_watch": ANNOTATOR,
    "desk_ask": ANNOTATOR,
    "my_work": ANNOTATOR,
    # Comments and questions
    "comments": TALKERS,
    "comments_read": TALKERS,
    "comment": TALKERS,
    "comment_resolve": TALKERS,
    "comment_reopen": TALKERS,
    "comment_answer": LOOKERS,
    "comment_hand_back": ADMIN,
    "conversation": TALKERS,
    "conversation_write": TALKERS,
    # Annotation reviews
    "reviews": LOOKERS,
    "reviews_next": LOOKERS,
    "reviews_annotation": LOOKERS,
    "reviews_accept": LOOKERS,
    "reviews_return": LOOKERS,
    "reviews_exclude": LOOKERS,
    "reviews_reconsider": LOOKERS,
    "reviews_evidence": LOOKERS,
    "reviews_evidence_again": LOOKERS,
    "reviews_further": LOOKERS,
    "reviews_suggest": LOOKERS,
    "reviews_watch": LOOKERS,
    "reviews_withdraw": LOOKERS,
    # Releases, exports, imports
    "releases": ADMIN,
    "release_preview": ADMIN,
    "release": ADMIN,
    "release_check": ADMIN,
    "release_datasheet": ADMIN,
    "release_download": ADMIN,
    "export_now": ADMIN,
    "import_annotations": ADMIN,
    # People and project
    "people": ADMIN,
    "person": ADMIN,
    "person_roles": ADMIN,
    "person_deactivate": ADMIN,
    "person_activate": ADMIN,
    "person_password_link": ADMIN,
    "invite": ADMIN,
    "invitation_withdraw": ADMIN,
    "project": ADMIN,
    "activity": ADMIN,
    # Harvest and tags
    "harvests": ADMIN,
    "harvest_new": ADMIN,
    "harvest": ADMIN,
    "harvest_cancel": ADMIN,
    "harvest_resume": ADMIN,
    "wikis": ADMIN,
    "wiki_allow": ADMIN,
    "wiki_disallow": ADMIN,
    "tags": ADMIN,
    "tags_change": ADMIN,
    "tag": ADMIN,
    "tag_source": ADMIN,
    "progress": ADMIN,
    # Models, templates, runs, responses
    "runs": ADMIN,
    "run_new": ADMIN,
    "judge_run_new": ADMIN,
    "run": ADMIN,
    "run_calls": ADMIN,
    "run_judgments": ADMIN,
    "run_judgments_export": ADMIN,
    "run_start": ADMIN,
    "run_pause": ADMIN,
    "run_resume": ADMIN,
    "run_cancel": ADMIN,
    "run_budget": ADMIN,
    "run_retry": ADMIN,
    "run_repeat": ADMIN,
    "run_give_up": ADMIN,
    "run_ask_again": ADMIN,
    "responses": ADMIN,
    "response": ADMIN,
    "responses_import": ADMIN,
    "responses_export": ADMIN,
    "call": ADMIN,
    "models": ADMIN,
    "model": ADMIN,
    "model_new": ADMIN,
    "model_edit": ADMIN,
    "model_test": ADMIN,
    "model_offer": ADMIN,
    "templates": ADMIN,
    "template_new": ADMIN,
    "template_preview": ADMIN,
    "resolved_passages": RESOLVERS,
    "resolved_passages_edit": RESOLVERS,
    # Judging and adjudicating
    "judge": REVIEWER,
    "judge_round": REVIEWER,
    "my_judgments": REVIEWER,
    "judge_hand_in": REVIEWER,
    "judge_skip_training": REVIEWER,
    "judgment": REVIEWER,
    "judgment_take_back": REVIEWER,
    "adjudicate": ADJUDICATORS,
    "adjudicate_item": ADJUDICATORS,
    "adjudicate_reopen": ADJUDICATORS,
    "adjudicate_set_aside": (Role.ADJUDICATOR,),
    "set_aside": (Role.ADJUDICATOR, Role.ADMIN),
    "set_aside_take_back": (Role.ADJUDICATOR, Role.ADMIN),
    # Rounds
    "rounds": ADMIN,
    "round_new": ADMIN,
    "round_preview": ADMIN,
    "round_planner": ADMIN,
    "round": ADMIN,
    "round_left_out": ADMIN,
    "round_close": ADMIN,
    "round_reopen": ADMIN,
    "round_add_reviewer": ADMIN,
    "round_reviewer": ADMIN,
    "reviewer_pause": ADMIN,
    "reviewer_resume": ADMIN,
    "reviewer_withdraw": ADMIN,
    "reviewer_hand_over": ADMIN,
    "reviewer_reset": ADMIN,
    "judgment_files": ADMIN,
    "judgment_export": ADMIN,
    "known": ADMIN,
    "known_withdraw": ADMIN,
    # Reports
    "reports": ADMIN,
    "report": ADMIN,
    "report_download": ADMIN,
    "report_picture": ADMIN,
    "report_responses": ADMIN,
    "human_evaluation_download": ADMIN,
    "human_evaluation_import": ADMIN,
    # For programs
    "api:me": SIGNED_IN,
    "api:schema": SIGNED_IN,
    "api:people": ADMIN,
    "api:person": ADMIN,
    "api:activity": ADMIN,
    "api:assignments": ANNOTATOR,
    "api:assignments_next": ANNOTATOR,
    "api:annotation": ANNOTATOR,
    "api:annotation_draft": ANNOTATOR,
    "api:annotation_submit": ANNOTATOR,
    "api:annotation_renew": ANNOTATOR,
    "api:annotation_skip": ANNOTATOR,
    "api:annotation_flag": ANNOTATOR,
    "api:annotation_ask": ANNOTATOR,
    "api:annotation_hand_back": ANNOTATOR,
    "api:annotation_reopen": ANNOTATOR,
    "api:annotation_resume": ANNOTATOR,
    "api:comments": TALKERS,
    "api:questions": TALKERS,
    "api:comment_resolve": TALKERS,
    "api:comment_reopen": TALKERS,
    "api:comment_answer": LOOKERS,
    "api:reviews": LOOKERS,
    "api:reviews_next": LOOKERS,
    "api:review": LOOKERS,
    "api:review_accept": LOOKERS,
    "api:review_return": LOOKERS,
    "api:review_exclude": LOOKERS,
    "api:review_reconsider": LOOKERS,
    "api:tags": ADMIN,
    "api:tag": ADMIN,
    "api:annotations": ADMIN,
    "api:releases": ADMIN,
    "api:release": ADMIN,
    "api:release_instances": ADMIN,
    "api:release_records": ADMIN,
    "api:models": ADMIN,
    "api:model": ADMIN,
    "api:templates": ADMIN,
    "api:runs": ADMIN,
    "api:judge_runs": ADMIN,
    "api:run": ADMIN,
    "api:run_start": ADMIN,
    "api:run_pause": ADMIN,
    "api:run_resume": ADMIN,
    "api:run_cancel": ADMIN,
    "api:run_budget": ADMIN,
    "api:run_judgments": ADMIN,
    "api:responses": ADMIN,
    "api:response": ADMIN,
    "api:judging": REVIEWER,
    "api:judging_next": REVIEWER,
    "api:judging_mine": REVIEWER,
    "api:judging_hand_in": REVIEWER,
    "api:judging_skip_training": REVIEWER,
    "api:judgment": REVIEWER,
    "api:judgment_take_back": REVIEWER,
    "api:adjudications": ADJUDICATORS,
    "api:adjudications_next": ADJUDICATORS,
    "api:adjudication": ADJUDICATORS,
    "api:adjudication_reopen": ADJUDICATORS,
    "api:rounds": ADMIN,
    "api:round": ADMIN,
    "api:round_close": ADMIN,
    "api:round_reopen": ADMIN,
    "api:judgments": ADMIN,
    "api:final_verdicts": ADMIN,
    "api:reports": ADMIN,
    "api:report": ADMIN,
}

# Which of the rows that `example` makes stands in the address.
NAMES_A_ROW = {
    "desk_": {"pk": "own_annotation"},
    "desk_edit": {"pk": "own_annotation", "edit_pk": "own_edit"},
    "desk_evidence": {"pk": "own_annotation", "kind": "evidence_kind"},
    "desk_evidence_again": {"pk": "own_annotation", "request_pk": "evidence_request"},
    "desk_model_suggestion_": {"pk": "own_annotation", "suggestion_pk": "model_suggestion"},
    "reviews_": {"pk": "submitted"},
    "reviews_withdraw": {"pk": "submitted", "edit_pk": "submitted_edit"},
    "reviews_evidence": {"pk": "submitted", "kind": "evidence_kind"},
    "reviews_evidence_again": {"pk": "submitted", "request_pk": "review_request"},
    "comment": {"pk": "comment"},
    "conversation": {"pk": "own_annotation"},
    "release": {"number": "release", "kind": "kind"},
    "export_now": {"kind": "kind"},
    "person": {"pk": "person"},
    "invitation_": {"pk": "invitation"},
    "harvest": {"pk": "harvest"},
    "wiki_": {"pk": "wiki"},
    "tag": {"pk": "tag"},
    "run": {"pk": "run"},
    "run_judgments": {"pk": "judge_run", "kind": "responses_kind"},
    "response": {"key": "response"},
    "responses_export": {"kind": "responses_kind"},
    "call": {"key": "call"},
    "model": {"pk": "model"},
    "resolved_passages_edit": {"pk": "instance"},
    "judge_": {"key": "round_key"},
    "my_judgments": {"key": "round_key"},
    "judgment": {"key": "judgment"},
    "judgment_export": {"what": "exported", "kind": "responses_kind"},
    "adjudicate_": {"key": "adjudication"},
    "set_aside_": {"pk": "set_aside"},
    "round": {"pk": "round", "person": "round_person"},
    "reviewer_": {"pk": "round", "person": "round_person", "judgment": "given_judgment"},
    "known_": {"pk": "known"},
    "report": {"name": "report", "kind": "kind"},
    "report_picture": {"name": "drawn_report", "number": "plot", "kind": "picture_kind"},
    "join": {"token": "token"},
    "account_token_revoke": {"pk": "access_token"},
    "api:person": {"pk": "person"},
    "api:annotation": {"pk": "own_annotation"},
    "api:comment": {"pk": "comment"},
    "api:comments": {"pk": "own_annotation"},
    "api:review": {"pk": "submitted"},
    "api:tag": {"pk": "tag"},
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
# One's own page cannot be missing, and what is not a row of ours answers in its own way.
OF_OTHERS = {"account_reset_password_from_key", "join"}


def patterns(resolver: URLResolver | None = None, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """All addresses, with their names."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, f"{pattern.namespace}:" if pattern.namespace else namespace)
        else:
            yield f"{namespace}{pattern.name or ''}", pattern


PATTERNS = dict(patterns())
API_PATTERNS = [name for name in PATTERNS if name.startswith("api:")]
# An address that is missing in MAY_OPEN fails one test, and does not break the others.
LISTED = [name for name in PATTERNS if name in MAY_OPEN]


def parameters(name: str) -> list[str]:
    return list(PATTERNS[name].pattern.regex.groupindex)


def test_every_address_is_listed():
    unnamed = [str(pattern.pattern) for _, pattern in patterns() if not pattern.name]
    assert unnamed == []
    assert set(PATTERNS) - set(MAY_OPEN) == set(), "say in MAY_OPEN who may open these"
    assert set(MAY_OPEN) - set(PATTERNS) == set(), "these are gone"


@pytest.mark.parametrize("name", LISTED)
def test_the_view_asks_for_the_roles_that_are_listed(name):
    asked = getattr(PATTERNS[name].callback, "roles", ())
    if MAY_OPEN[name] in (EVERYBODY, SIGNED_IN):
        assert not asked
    else:
        assert set(asked) == set(MAY_OPEN[name])


@pytest.fixture
def cast(annotator, reviewer, adjudicator, admin, stranger):
    return {
        Role.ANNOTATOR: annotator,
        Role.REVIEWER: reviewer,
        Role.ADJUDICATOR: adjudicator,
        Role.ADMIN: admin,
        "no role": stranger,
    }


@pytest.fixture
def example(annotator, other_annotator, reviewer, other_reviewer, admin):
    return make_example(annotator, other_annotator, reviewer, other_reviewer, admin)


NAMES = {
    Role.ANNOTATOR: "anna",
    Role.REVIEWER: "rita",
    Role.ADJUDICATOR: "ada",
    Role.ADMIN: "amir",
    "no role": "stan",
}


@pytest.fixture(scope="module")
def world(module_transaction) -> dict[str, Any]:
    """`example` and its people, made once for all tests of a module that ask for `rows` and `actors`."""
    people = {role: make_person(name, *(() if role == "no role" else (role,))) for role, name in NAMES.items()}
    ansel, ralph = make_person("ansel", Role.ANNOTATOR), make_person("ralph", Role.REVIEWER)
    return make_example(people[Role.ANNOTATOR], ansel, people[Role.REVIEWER], ralph, people[Role.ADMIN])


@pytest.fixture
def rows(world, db) -> dict[str, Any]:
    return dict(world)


@pytest.fixture
def actors(world, db) -> dict[str, User]:
    """The cast of that world, each read anew."""
    return {role: User.objects.get(username=name) for role, name in NAMES.items()}


def make_example(
    annotator: User, other_annotator: User, reviewer: User, other_reviewer: User, admin: User
) -> dict[str, Any]:
    """One row of each kind, under the names that NAMES_A_ROW uses."""
    TagFactory()
    own = claim_next_tag(annotator=annotator)
    assert own is not None
    submitted = AnnotationFactory(state=AnnotationState.SUBMITTED, annotator=other_annotator)
    Assignment.objects.filter(tag=submitted.tag).update(
        annotator=other_annotator, claimed_at=timezone.now(), done_at=timezone.now()
    )
    AnnotationFactory()
    invitation, token = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo")
    wiki = WikiFactory()
    release = freezing.create_release(name="first", admin=admin)
    run, judge_run = Run.objects.create(release=release), Run.objects.create(kind=RunKind.JUDGE)
    asked: dict[str, Any] = {
        "run": run,
        "instance": release.instances.first(),
        "template": PromptTemplate.objects.first(),
    }
    asked |= {"model": LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0], "repetition": 1}
    return {
        "access_token": make_token(person=annotator, name="notebook")[0].pk,
        "own_annotation": own.pk,
        "evidence_kind": "article",
        "evidence_request": EvidenceRequest.objects.create(tag=own.tag, article=own.tag.article, kind="talk").pk,
        "model_suggestion": ModelSuggestion.objects.create(
            annotation=own, target="A", model="A model", prompt="…"
        ).pk,
        "comment": comments.write_comment(annotation=own, person=annotator, text="Which bridge?").pk,
        "submitted": submitted.pk,
        "own_edit": SuggestedEdit.objects.create(
            annotation=own, field="question1", text="?", suggested_by=reviewer
        ).pk,
        "submitted_edit": SuggestedEdit.objects.create(
            annotation=submitted, field="question1", text="?", suggested_by=reviewer
        ).pk,
        "review_request": EvidenceRequest.objects.create(
            tag=submitted.tag, article=submitted.tag.article, kind="talk"
        ).pk,
        "release": release.number,
        "run": run.pk,
        "judge_run": judge_run.pk,
        "call": Call.objects.create(**asked).key,
        "response": Response.objects.create(**asked, imported={}).key,
        "responses_kind": "jsonl",
        "report": "table2",
        "drawn_report": "annotators",
        "plot": 1,
        "picture_kind": "svg",
        "model": asked["model"].pk,
        "instance": asked["instance"].pk,
        "kind": "json",
        "person": other_annotator.pk,
        "invitation": invitation.pk,
        "token": token,
        "harvest": Harvest.objects.create(
            source=HarvestSource.TITLES,
            parameters={"titles": ["Bridge"]},
            wiki=wiki,
            state="done",
            finished_at=timezone.now(),
        ).pk,
        "wiki": wiki.pk,
        "tag": submitted.tag.pk,
        **rows_of_review(admin, reviewer, other_reviewer),
        "uid": "1",
        "key": "set-password",
    }


def address(name: str, example: dict, **instead: object) -> str:
    wanted = parameters(name)
    if not wanted:
        return reverse(name)
    prefix = max((prefix for prefix in NAMES_A_ROW if name.startswith(prefix)), key=len)
    rows = {parameter: example[NAMES_A_ROW[prefix][parameter]] for parameter in wanted}
    return reverse(name, kwargs={**rows, **instead})


def let_in(name: str, role: str) -> bool:
    return MAY_OPEN[name] in (EVERYBODY, SIGNED_IN) or role in MAY_OPEN[name]


# What programs send to addresses of the API; to the others, nothing.
API_BODIES: dict[str, dict[str, Any]] = {
    "annotation_draft": {"content": {"question1": "Which?"}},
    "annotation_submit": {"content": {"question1": "Which?"}},
    "annotation_skip": {"reason": "no idea"},
    "annotation_flag": {"reason": "look"},
    "annotation_ask": {"text": "Which year?", "field": ""},
    "comments": {"text": "Which bridge?", "field": "question1"},
    "comment_answer": {"text": "1912"},
    "review_accept": {"seen_version": 0},
    "review_return": {"seen_version": 0, "message": "Which bridge?"},
    "review_exclude": {"seen_version": 0, "reason": "gone"},
    "review_reconsider": {"reason": "looked again"},
    "releases": {"name": "second", "notes": ""},
    "models": {"name": "Large", "endpoint_name": "large", "base_url": "http://localhost:9/v1"},
    "runs": {"release": 1, "language_models": [1], "templates": [1], "repetitions": 1},
    "judge_runs": {"source_runs": [1], "language_models": [1]},
    "run_budget": {"budget": "1.50"},
    "judgment": {"verdict": "correct", "comment": "", "seconds": 5},
    "adjudication": {"verdict": "correct", "reason": "both years"},
    "adjudication_reopen": {"reason": "looked again"},
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


def statuses(client: Client, where: str) -> set[int]:
    return {client.get(where).status_code, post(client, where).status_code}


def leads_to_sign_in(response) -> bool:
    if response.status_code == 401 and response["Content-Type"] == "application/problem+json":
        return True  # a program is told to, and is led nowhere
    return response.status_code == 302 and response["Location"].startswith("/account/login/?next=")


# Each person's own; `test_api.py` tries them.
OF_ONE_PERSON = {"account_token_revoke"}


@pytest.mark.parametrize("name", [name for name in LISTED if name not in OF_ONE_PERSON])
def test_who_has_the_role_gets_in(name, actors, rows, sign_in):
    where = address(name, rows)
    for role in (role for role in actors if let_in(name, role)):
        for method in (Client.get, post):
            response = method(sign_in(actors[role]), where)
            refused = response.status_code in (401, 403, 404) or leads_to_sign_in(response)
            assert not refused, f"{role} got {response.status_code} from {method.__name__} {where}"
            assert response.status_code < 500
            assert not against_the_policy(response), where


@pytest.mark.parametrize("name", [name for name in LISTED if MAY_OPEN[name] not in (EVERYBODY, SIGNED_IN)])
def test_who_has_another_role_gets_a_plain_403_and_changes_nothing(name, actors, rows, sign_in):
    where = address(name, rows)
    before = Event.objects.count()
    for role in (role for role in actors if not let_in(name, role)):
        client = sign_in(actors[role])
        page = client.get(where)
        assert not against_the_policy(page), where
        assert 403 in {page.status_code, post(client, where).status_code} <= {403, 405}, f"{role} at {where}"
        if page.status_code == 403:
            assert "An admin can give you that role" in page.content.decode()
        if missing := unknown(name):
            assert 403 in statuses(client, address(name, rows, **missing)) <= {403, 405}
    assert Event.objects.count() == before


def unknown(name: str) -> dict[str, object]:
    return {parameter: value for parameter, value in UNKNOWN.items() if parameter in parameters(name)}


@pytest.mark.parametrize("name", [name for name in LISTED if MAY_OPEN[name] != EVERYBODY])
def test_a_stranger_gets_the_sign_in_page_and_changes_nothing(name, rows):
    where, client = address(name, rows), Client()
    before = Event.objects.count()
    assert leads_to_sign_in(client.get(where)) or client.get(where).status_code == 405
    posted = post(client, where)
    assert posted.status_code in (401, 405) or leads_to_sign_in(posted)
    assert not against_the_policy(posted), where
    if not name.startswith("account_change_password"):
        fragment = {client.get(where, headers={"HX-Request": "true"}).status_code}
        fragment.add(post(client, where, headers={"HX-Request": "true"}).status_code)
        assert 401 in fragment <= {401, 405}
    assert Event.objects.count() == before


@pytest.mark.parametrize("name", [name for name in LISTED if MAY_OPEN[name] == EVERYBODY])
def test_a_stranger_can_open_what_is_for_everybody(name, rows):
    response = Client().get(address(name, rows))
    assert response.status_code in (200, 302)
    assert not leads_to_sign_in(response)
    assert not against_the_policy(response)


@pytest.mark.parametrize("name", [name for name in LISTED if name not in OF_OTHERS and unknown(name)])
def test_a_row_that_is_not_there_is_not_found(name, actors, rows, sign_in):
    where = address(name, rows, **unknown(name))
    for role in (role for role in actors if let_in(name, role)):
        assert 404 in statuses(sign_in(actors[role]), where) <= {404, 405}, f"{role} at {where}"


OF_ONE_ANNOTATION = (
    *("desk_", "comment_resolve", "comment_reopen", "conversation"),
    *("api:annotation", "api:comment_resolve", "api:comment_reopen", "api:comments"),
)


@pytest.mark.parametrize(
    "name", [name for name in LISTED if name.startswith(OF_ONE_ANNOTATION) and "pk" in parameters(name)]
)
def test_the_work_of_another_annotator_is_not_found(name, rows, sign_in):
    where, before = address(name, rows), Event.objects.count()
    assert 404 in statuses(sign_in(User.objects.get(username="ansel")), where) <= {404, 405}
    assert Event.objects.count() == before
