"""People of each role and one row of each kind, for tests that open addresses."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.utils import timezone

from annotation.desk.assignments.assignment import claim_next_tag
from annotation.desk.comments import comments
from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.guideline.versions import latest_version
from annotation.models import (
    AnnotationState,
    Assignment,
    BulkChange,
    EvidenceRequest,
    Harvest,
    HarvestSource,
    ModelSuggestion,
    PracticeTag,
    StepTime,
    SuggestedEdit,
)
from annotation.practice.attempts import begin_attempt
from annotation.releases import freezing
from core.accounts import approvals, people
from core.accounts.tokens import make_token
from core.models import ApprovedAct, BackgroundWork, Delivery, DeliveryState, Role, User, Webhook
from core.navigation.saved_views import save_view
from judging.models import Call, LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory, WikiFactory
from tests.factories.conflictbank import make_evidence
from tests.factories.contradoc import make_unchecked_candidate
from tests.factories.review import rows_of_review

NAMES = {
    Role.ANNOTATOR: "anna",
    Role.REVIEWER: "rita",
    Role.ADJUDICATOR: "ada",
    Role.ADMIN: "amir",
    "no role": "stan",
}


@pytest.fixture(scope="module")
def world(module_transaction) -> dict[str, Any]:
    """One of everything and its people, made once for all tests of a module that ask for `rows` and `actors`."""
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
    StepTime.objects.create(annotation=submitted, page="a", step=1, seconds=60)
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
    delivery = make_delivery(admin)
    candidate, evidence = make_unchecked_candidate(), make_evidence()
    practice = begin_attempt(practice_tag=PracticeTag.objects.all()[0], person=annotator)
    return {
        "webhook": delivery.webhook_id,
        "delivery": delivery.key,
        "saved_view": save_view(person=annotator, path="/annotation/tags/", search="a=b", name="Mine").pk,
        "access_token": make_token(person=annotator, name="notebook")[0].pk,
        "approval": approvals.ask(act=ApprovedAct.INVITE, admin=admin, roles=[Role.ADMIN], note="Bo").pk,
        "provider": "example",
        "sample_person": "annotator",
        "passkey": Authenticator.objects.create(user=make_person("key"), type="webauthn", data={}).pk,
        "guideline": latest_version().number,
        "own_annotation": own.pk,
        "practice_tag": practice.practice_tag_id,
        "practice_attempt": practice.pk,
        "evidence_kind": "article",
        "evidence_request": EvidenceRequest.objects.create(tag=own.tag, article=own.tag.article, kind="talk").pk,
        "model_suggestion": ModelSuggestion.objects.create(
            annotation=own, target="A", model="A model", prompt="…"
        ).pk,
        "comment": comments.write_comment(topic=AboutAnnotation(own), person=annotator, text="Which bridge?").pk,
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
        "instance_number": release.released_instances.first().number,
        "benchmark": "contradoc",
        "run": run.pk,
        "judge_run": judge_run.pk,
        "document": candidate.document.key,
        "candidate": candidate.key,
        "conflict": evidence.claim.conflict.key,
        "evidence": evidence.key,
        "relation_template": evidence.claim.conflict.template_id,
        "claims_or_twins": "twins",
        "fact": evidence.claim.conflict.fact.key,
        "statement_run": candidate.statement.reply.run_id,
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
        "search": BackgroundWork.objects.create(
            what="find", given={"source": ["stored"]}, asked_by=admin, fingerprint="1" * 64
        ).key,
        "background_work": BackgroundWork.objects.create(what="facts", asked_by=admin, fingerprint="0" * 64).key,
        "wiki": wiki.pk,
        "tag": submitted.tag.pk,
        "bulk_change": BulkChange.objects.create(action="priority", by=admin, number=1).pk,
        **rows_of_review(admin, reviewer, other_reviewer),
        "uid": "1",
        "key": "set-password",
    }


def make_delivery(admin: User) -> Delivery:
    """A message that was given up, to an address that is told of nothing else."""
    webhook = Webhook.objects.create(url="http://127.0.0.1:1/", events=["ping"], salt="x", created_by=admin)
    return Delivery.objects.create(webhook=webhook, event="ping", body="{}", state=DeliveryState.FAILED)
