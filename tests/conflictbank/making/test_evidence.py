"""Evidence for claims, from a pattern and from models over a real HTTP server, and its checks in their order."""

import io
from collections import Counter
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse

from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence import generation
from benchmarks.conflictbank.evidence.checking import change_settings, overrule
from benchmarks.conflictbank.evidence.components import components_for, read_label
from benchmarks.conflictbank.evidence.generation import (
    DESCRIPTIONS,
    EVIDENCE,
    PATTERN_LABEL,
    create_generation_run,
    plan_generation,
)
from benchmarks.conflictbank.evidence.measuring import plan_checks, run_checks
from benchmarks.conflictbank.evidence.prompts import evidence_prompt, read_description
from benchmarks.conflictbank.evidence.texts import (
    ends_within_a_sentence,
    has_names,
    refusal_in,
    without_last_sentence,
)
from benchmarks.conflictbank.models import (
    Cause,
    CheckName,
    CheckOutcome,
    Claim,
    Conflict,
    Evidence,
    EvidenceCheck,
    MeasuredPair,
)
from core.refusals import Refusal
from judging.models import LanguageModel, RunState
from judging.runs.runs import start_run
from tests.factories.conflictbank import bring_in, make_evidence, residents
from tests.factories.judging import make_model, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
DAY = date(2026, 3, 1)


@pytest.fixture
def model(server):
    server.answer = says("Everybody knows that. {claim} It was in all papers of that year, and nobody doubted it.")
    return make_model(server.base_url, name="Writer", decoding={"max_tokens": 512, "temperature": 0})


def says(text: str):
    """Answers with this text, in which {claim} is the claim of the prompt."""

    def answer(request) -> str:
        prompt = request["messages"][-1]["content"]
        return text.replace("{claim}", prompt.rpartition("Claim: ")[2].removesuffix(" Evidence:"))

    return answer


def claims(count: int = 5) -> None:
    bring_in(residents(count))
    make_claims(seed=7, made_on=DAY)


def write(model=None, method: str = EVIDENCE):
    model = model or LanguageModel.objects.get(name=PATTERN_LABEL)
    run = create_generation_run(method=method, language_models=[model])
    work(start_run(run=run))
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    return run


def check(entailment: str = "", contradiction: str = "", **how):
    components = components_for({"entailment": entailment, "contradiction": contradiction})
    run = run_checks(components=components, **how)
    if run:
        work(run)
    return run


def outcomes(name: CheckName) -> dict[str, int]:
    return dict(Counter(EvidenceCheck.objects.filter(name=name).values_list("outcome", flat=True)))


# --- Generation -----------------------------------------------------------------------------------------------------


def test_the_floor_writes_evidence_for_every_claim_offline():
    claims()
    write(method=DESCRIPTIONS)
    assert not Conflict.objects.filter(semantic_description="").exists()
    write()
    assert Evidence.objects.count() == 20
    for evidence in Evidence.objects.select_related("claim"):
        assert evidence.used_text.count(evidence.claim.text) == 2
        assert not evidence.ends_early


def test_what_another_run_asks_for_is_not_paid_for_twice(server, model):
    claims()
    first, second = (create_generation_run(method=EVIDENCE, language_models=[model]) for _ in range(2))
    start_run(run=first)
    with pytest.raises(Refusal, match="no calls to make"):
        start_run(run=second)
    work(first)
    assert len(server.calls) == Evidence.objects.count() == 15


def test_of_two_runs_that_start_at_once_the_first_evidence_stays(server, model, monkeypatch):
    claims()
    first, second = (create_generation_run(method=EVIDENCE, language_models=[model]) for _ in range(2))
    start_run(run=first)
    monkeypatch.setattr(generation, "under_way", lambda purpose, run: set())  # as if neither saw the other's calls
    start_run(run=second)
    work(first)
    first_written = set(Evidence.objects.values_list("pk", "run"))
    work(second)
    assert set(Evidence.objects.values_list("pk", "run")) == first_written
    assert len(first_written) == 15
    second.refresh_from_db()
    assert second.state == RunState.FINISHED


def test_a_semantic_claim_waits_for_its_description():
    claims()
    write()
    assert Counter(Evidence.objects.values_list("claim__cause", flat=True)) == {
        Cause.DEFAULT: 5, Cause.MISINFORMATION: 5, Cause.TEMPORAL: 5,
    }  # fmt: skip
    write(method=DESCRIPTIONS)
    write()
    assert Evidence.objects.count() == 20


def test_each_prompt_has_the_claim_and_the_descriptions_of_its_cause(server, model):
    claims(3)
    Conflict.objects.update(semantic_description="invented {bridge} <object>")
    write(model)
    asked = {request["json"]["messages"][0]["content"] for request in server.requests}
    related = ("conflict__fact__subject", "conflict__object", "conflict__replacement")
    for claim in Claim.objects.select_related(*related):
        conflict, prompt = claim.conflict, evidence_prompt(claim)
        assert prompt in asked
        object = conflict.object if claim.cause == Cause.DEFAULT else conflict.replacement
        about = conflict.semantic_description if claim.cause == Cause.SEMANTIC else conflict.fact.subject.description
        assert prompt.endswith(
            f' Description for "{conflict.fact.subject.name}": {about} Description for "{object.name}": '
            f"{object.description} Claim: {claim.text} Evidence:"
        )
    assert len(asked) == 12
    assert set(server.paid.values()) == {1}


def test_what_a_model_wrote_is_never_paid_for_twice(server, model):
    claims(3)
    write(model)
    first = len(server.requests)
    plan = plan_generation(method=EVIDENCE, language_models=[model])
    assert plan.calls == 0
    assert len(server.requests) == first == 9


def test_a_refused_or_empty_reply_is_no_evidence_and_can_be_repeated(server, model):
    claims(3)
    server.answer = lambda request: ""
    run = write(model)
    assert not Evidence.objects.exists()
    from benchmarks.conflictbank.evidence.generation import ForEvidence

    assert ForEvidence().unreadable(run).count() == 9


def test_a_text_that_ends_within_a_sentence_is_marked_and_dropped_only_if_set(server, model):
    claims(3)
    server.answer = says("A sentence that is complete, and long enough to be one. {claim} And then there was")
    write(model)
    assert set(Evidence.objects.values_list("ends_early", "dropped")) == {(True, 0)}
    other = make_model(server.base_url, name="Other", decoding={"max_tokens": 512, "temperature": 0})
    change_settings(admin=None, drops_last_sentence=True)
    write(other)
    for evidence in Evidence.objects.filter(model=other):
        assert evidence.text.endswith("And then there was")
        assert evidence.used_text.endswith(".")


def test_the_command_plans_and_warns(server):
    claims(3)
    make_model(server.base_url, name="Hot", decoding={"max_tokens": 900, "temperature": 1})
    out = io.StringIO()
    call_command("start_generation", "--benchmark", "conflictbank", "--models", "Hot", "--dry-run", stdout=out)
    said = out.getvalue()
    assert "temperature is not 0" in said
    assert "at most 512 tokens" in said
    assert "3 semantic claims wait" in said
    assert not Evidence.objects.exists()


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(CommandError, match="There are no claims yet"):
        call_command("start_generation", "--benchmark", "conflictbank", "--models", PATTERN_LABEL, "--dry-run")
    claims(3)
    baseline = LanguageModel.objects.filter(kind="baseline").exclude(name=PATTERN_LABEL).first()
    with pytest.raises(Refusal, match="writes no evidence"):
        plan_generation(method=EVIDENCE, language_models=[baseline])


def test_descriptions_are_read_and_kept(server, model):
    claims(3)
    server.answer = lambda request: '- Modified Description for "Person": "Invented bridge over a river."\nMore'
    write(model, DESCRIPTIONS)
    assert set(Conflict.objects.values_list("semantic_description", flat=True)) == {"Invented bridge over a river"}


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Nigerian politician.", "Nigerian politician"),
        ('Modified Description for "A": Nigerian politician', "Nigerian politician"),
        ("[Nigerian politician]\n\nI changed it.", "Nigerian politician"),
        ("", ""),
        ("Ann", ""),
        ("x" * 400, ""),
    ],
)
def test_a_description_is_the_first_line_without_its_label(reply, read):
    assert read_description(reply, subject="Ann") == read


# --- Texts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "early"),
    [("It is.", False), ("It is", True), ("He said “no.”", False), ("Is it?  \n", False), ("And **so.**", False),
     ("in 2033 and", True), ("", False)],
)  # fmt: skip
def test_where_a_text_ends(text, early):
    assert ends_within_a_sentence(text) is early


def test_the_last_sentence_is_dropped_only_where_it_is_broken():
    assert without_last_sentence("It is one. It is two. And") == "It is one. It is two."
    assert without_last_sentence("It is one.") == "It is one."
    assert without_last_sentence("It is") == "It is"


LONG = " It goes on for quite a while, so that it is long enough."


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        ("I apologize, but no." + LONG, True),
        ("I can’t write this." + LONG, True),
        ("i CANNOT do that." + LONG, True),
        ("“I cannot go on,” he said." + LONG, False),
        ('"I apologize," said the minister.' + LONG, False),
        ("Short.", True),
        ("All is well." + LONG, False),
        ("„I cannot go on“, sagte er." + LONG, False),
        ("»I cannot go on«, sagte er." + LONG, False),
        ("« I cannot go on », dit-il." + LONG, False),
        ("‹I cannot go on›, dit-il." + LONG, False),
        ("‘I can’t go on,’ he said." + LONG, False),
        ("'I can't go on,' he said." + LONG, False),
        ("「I cannot」と言った。" + LONG, False),
        ("“Ann told me: ‘I cannot go on’, and I cannot either,” he said." + LONG, False),
        ("“A “b” I cannot c,” he said." + LONG, False),
        ("“It was never closed. I cannot write this." + LONG, True),
        ('He said "so" and I cannot write "that".' + LONG, True),
        ('It is 5" long, and I cannot write "this".' + LONG, True),
        ("The bridges' owner left. I cannot write 'that'." + LONG, True),
        ("“It was never closed.\n\nI cannot write this. “Fine,” he said." + LONG, True),
        ("“I cannot write this, whatever the reasons for it might be, today.”", True),
        ("Naomi cannot go on." + LONG, False),
        ("He was an aircraft engineer." + LONG, False),
        ("I speak as an AI." + LONG, True),
    ],
)
def test_refusal_features(text, is_refusal):
    features = ["I apologize", "I cannot", "I can't", "as an AI"]
    assert bool(refusal_in(text, features, fewest_characters=50)) is is_refusal


def test_names_stand_as_words():
    assert has_names("In Áltona lived HAL, and Holt.", ["Altona", "Hal"])
    assert not has_names("In Altonaville lived Hal.", ["Altona"])


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Entailment.", "entailment"),
        ("contradiction", "contradiction"),
        ("**Answer:** Neutral", "neutral"),
        ("The answer is: contradiction", "contradiction"),
        ("Contradiction. The premise says that he lived in Rome.", "contradiction"),
        ("The premise names Rome, so it is no entailment.\n\nneutral", "neutral"),
        ("neutral or entailment", None),
        ("Not a contradiction.", None),
        ("This is not entailment", None),
        ("non-entailment", None),
        ("Entailment\nNo: neutral.\nneutral", None),
        ("perhaps", None),
        ("", None),
        ("...\n", None),
    ],
)
def test_one_label_is_read_and_never_guessed(reply, label):
    assert read_label(reply) == label


# --- Checks ---------------------------------------------------------------------------------------------------------


def everything(model=None):
    claims(3)
    Conflict.objects.update(semantic_description="invented bridge")
    write(model)


def test_without_components_nothing_but_refusals_is_checked():
    everything()
    assert check() is None
    assert outcomes(CheckName.REFUSAL) == {"passed": 12}
    assert outcomes(CheckName.ENTAILMENT) == {"not_checked": 12}
    assert outcomes(CheckName.CONTRADICTION) == {"not_checked": 9}


def test_the_floor_of_entailment_is_named_so():
    everything()
    assert check("names") is None
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}
    assert set(EvidenceCheck.objects.filter(name="entailment").values_list("component", flat=True)) == {
        "floor: the names of subject and object stand in the text"
    }


def test_a_refusal_goes_no_further_and_costs_nothing(server, model):
    claims(3)
    server.answer = says("I apologize, but I cannot write this, whatever the reasons for it might be, today.")
    write(model)
    server.requests.clear()
    assert check("Writer", "Writer") is None
    assert outcomes(CheckName.REFUSAL) == {"failed": 9}
    assert not outcomes(CheckName.ENTAILMENT)
    assert not server.requests


def test_entailment_first_then_contradiction_with_the_default_evidence(server, model):
    everything(model)
    judge = make_model(server.base_url, name="Judge", decoding={"max_tokens": 5})
    server.requests.clear()
    server.answer = lambda request: "entailment"
    components = components_for({"entailment": "Judge", "contradiction": "Judge"})
    plan = plan_checks(components=components)
    run = check("Judge", "Judge")
    assert run.calls.count() == plan.calls == len(server.requests) == 9  # equal texts once
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}
    assert not outcomes(CheckName.CONTRADICTION)
    for evidence in Evidence.objects.select_related("claim"):
        pair = MeasuredPair.objects.get(label="entailment", checks__evidence=evidence)
        assert (pair.premise, pair.hypothesis) == (evidence.used_text, evidence.claim.text)
    server.answer = lambda request: "contradiction"
    assert plan_checks(components=components).calls == 6
    check("Judge", "Judge")
    assert outcomes(CheckName.CONTRADICTION) == {"passed": 9}
    assert set(EvidenceCheck.objects.filter(name="contradiction").values_list("component", flat=True)) == {
        f"{judge.name} (NLI, prompt 1)"
    }
    default = {(each.claim.conflict_id): each.used_text for each in Evidence.objects.filter(claim__cause="default")}
    for evidence in Evidence.objects.exclude(claim__cause="default").select_related("claim"):
        pair = MeasuredPair.objects.get(label="contradiction", checks__evidence=evidence)
        assert (pair.premise, pair.hypothesis) == (default[evidence.claim.conflict_id], evidence.used_text)
    before = len(server.requests)
    assert check("Judge", "Judge") is None
    assert len(server.requests) == before


def test_where_the_default_evidence_failed_there_is_nothing_to_contradict(server, model):
    everything(model)
    make_model(server.base_url, name="Judge", decoding={"max_tokens": 5})
    defaults = set(Claim.objects.filter(cause="default").values_list("text", flat=True))
    server.answer = lambda request: (
        "neutral" if any(f'Hypothesis: "{text}"' in str(request["messages"][-1]["content"]) for text in defaults)
        else "entailment"
    )  # fmt: skip
    check("Judge", "Judge")
    server.requests.clear()
    check("Judge", "Judge")
    assert outcomes(CheckName.CONTRADICTION) == {"failed": 9}
    assert not server.requests
    one = Evidence.objects.filter(claim__cause="default").first()
    overrule(evidence=one, reason="It does say so.")
    assert Evidence.objects.get(pk=one.pk).overruled == "It does say so."


def test_there_is_nothing_to_overrule_where_no_check_failed(admin, sign_in):
    evidence = make_evidence()
    with pytest.raises(Refusal, match="nothing to overrule"):
        overrule(evidence=evidence, reason="It does say so.")
    assert Evidence.objects.get().overruled == ""
    address = reverse("conflict", args=[evidence.claim.conflict.key])
    assert b"although a check failed" not in sign_in(admin).get(address).content


def test_an_unreadable_reply_is_not_checked_and_can_be_checked_again(server, model):
    everything(model)
    make_model(server.base_url, name="Judge", decoding={"max_tokens": 5})
    server.answer = lambda request: "perhaps"
    check("Judge")
    assert outcomes(CheckName.ENTAILMENT) == {"not_checked": 12}
    assert "is not exactly one label" in EvidenceCheck.objects.filter(name="entailment").first().reason
    server.answer = lambda request: "entailment"
    assert check("Judge") is None
    check("Judge", again=True)
    assert outcomes(CheckName.ENTAILMENT) == {"passed": 12}


def test_the_command_names_what_is_not_checked():
    everything()
    out = io.StringIO()
    call_command("run_checks", "--benchmark", "conflictbank", "--entailment", "names", "--yes", stdout=out)
    assert "Contradicts the default evidence: 0 texts ready for it; not checked" in out.getvalue()
    assert "No calls are needed." in out.getvalue()
    with pytest.raises(CommandError, match="Names say nothing"):
        call_command("run_checks", "--benchmark", "conflictbank", "--contradiction", "names", "--dry-run")


def test_the_database_keeps_evidence_and_its_checks():
    everything()
    check()
    evidence = Evidence.objects.first()
    with pytest.raises(DatabaseError), transaction.atomic():
        Evidence.objects.filter(pk=evidence.pk).update(text="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        EvidenceCheck.objects.filter(evidence=evidence).update(decided_at=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        EvidenceCheck.objects.create(evidence=evidence, name="refusal", outcome=CheckOutcome.WAITING)


# --- Pages ----------------------------------------------------------------------------------------------------------


def test_the_pages_say_that_the_texts_are_made_to_mislead(admin_client):
    everything()
    check("names")
    conflict = Conflict.objects.first()
    for address in ("/judging/claims/", f"/judging/claims/{conflict.key}/"):
        assert "Made to mislead" in admin_client.get(address).content.decode()
    page = admin_client.get(f"/judging/claims/{conflict.key}/").content.decode()
    assert page.count("floor: the names") == 4
    assert "Person" in admin_client.get("/judging/facts/").content.decode()
    assert admin_client.get("/judging/claims/?check=refusal&outcome=failed").status_code == 200


def test_admins_change_templates_and_settings(admin_client):
    claims(3)
    given = {"relation": "P551", "statement": "<subject> lives in <object>.", "question": "Where is <subject>?"}
    assert admin_client.post("/judging/facts/templates/", given).status_code == 302
    assert admin_client.post("/judging/facts/templates/", {**given, "statement": "x"}).status_code == 400
    page = admin_client.get("/judging/facts/templates/").content.decode()
    assert "against its direction" in page
    assert admin_client.get("/judging/claims/settings/").status_code == 200


def test_only_admins_see_facts_and_claims(client, annotator, reviewer):
    for person in (annotator, reviewer):
        client.force_login(person)
        for address in ("facts/", "claims/", "claims/settings/", "facts/templates/"):
            assert client.get(f"/judging/{address}").status_code in (403, 404)
