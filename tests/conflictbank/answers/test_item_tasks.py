"""ConflictBank's tasks: answers of the floors, read by both protocols, from a run to the ratios."""

import io
import json
from collections import Counter

import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank import tasks
from benchmarks.conflictbank.conditions import CONFLICT_FIRST, DEFAULT_FIRST
from benchmarks.conflictbank.files import import_items
from benchmarks.conflictbank.reports.tables import by_order as by_order_of_texts
from benchmarks.conflictbank.tasks import FLOORS, OPTION_TASK, TEXT_TASK
from core.refusals import Refusal
from judging.models import LanguageModel, PromptTemplate, Reading, Response
from judging.protocol.replies import Reply, Token
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
from review.reports.scope import Scope
from tests.conflictbank.items.test_item_files import printed
from tests.conflictbank.items.test_items import RECORD, numbered
from tests.factories.judging import make_model

FOUR = {"options": ["Port Dunmere", "Port Brenna", "New Esk", "Upper Esk"], "uncertain_option": ""}


def token(text, top):
    return Token(text, top[text], top)


# --- Reading --------------------------------------------------------------------------------------------------------


def test_an_option_is_read_from_the_first_token():
    reply = Reply(" C", tokens=(token(" C", {" C": -0.1, " B": -2.5, "The": -4.0}), token(".", {".": -0.1})))
    read = OPTION_TASK.read(RECORD, reply)
    assert (read.value["letter"], read.value["form"]) == ("C", " A")
    assert OPTION_TASK.score(RECORD, read.value).choice == "default"


def test_after_an_opening_bracket_the_second_token_has_the_letter():
    reply = Reply("(B", tokens=(token("(", {"(": -0.1, " A": -3.0}), token("B", {"B": -0.2, "C": -2.0})))
    assert OPTION_TASK.read(RECORD, reply).value["letter"] == "B"


def test_a_reply_without_log_probabilities_is_unreadable():
    assert OPTION_TASK.read(RECORD, Reply("C")).problem == "there are no log-probabilities"


@pytest.mark.parametrize(
    ("text", "choice"), [("C", "default"), ("Port Brenna", "replaced"), ("D", "uncertain"), ("(A)", "other")]
)
def test_a_text_is_read_with_the_options_of_its_item(text, choice):
    assert TEXT_TASK.score(RECORD, TEXT_TASK.read(RECORD, Reply(text)).value).choice == choice


# --- Floors ---------------------------------------------------------------------------------------------------------


def floor(name, condition, order="", content=RECORD):
    asked = next(each for each in tasks.ASKED.values() if (each.condition.code, each.order) == (condition, order))
    return tasks.choice_of(content, tasks.letter_by_floor(name, content, asked))


def test_floors_know_each_fact_and_believe_a_text_or_none():
    last, first, memory, uncertain = FLOORS
    for name in (last, first, memory):
        assert floor(name, "default") == floor(name, "correct") == "default"
    assert floor(last, "semantic") == floor(first, "semantic") == "replaced"
    assert floor(memory, "semantic") == "default"
    assert floor(last, "correct_semantic", DEFAULT_FIRST) == "replaced"
    assert floor(last, "correct_semantic", CONFLICT_FIRST) == "default"
    assert floor(first, "correct_semantic", CONFLICT_FIRST) == "replaced"
    assert floor(uncertain, "default") == "uncertain"


def test_a_floor_that_is_uncertain_names_no_option_of_four_objects():
    content = RECORD | FOUR
    for task in tasks.TASKS:
        template = PromptTemplate(code=f"conflictbank-{task.protocol}-default").as_template()
        reply = task.baseline_reply("always uncertain", content, template, None)
        assert task.read(content, reply).problem


# --- From a run to the ratios ---------------------------------------------------------------------------------------


@pytest.fixture
def release(db):
    lines = (json.dumps(numbered(number)) for number in range(12))
    import_items(io.BytesIO("\n".join(lines).encode()))
    return Release.objects.get()


def templates_of(*names):
    return [PromptTemplate.objects.filter(code=f"conflictbank-{name}").order_by("version")[0] for name in names]


ASKED = ("default", "correct", "misinformation", "correct-temporal", "correct-temporal-default-first")


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["option", "text"])
def test_a_run_of_the_floors_comes_to_ratios(release, protocol, client, admin):
    models = LanguageModel.objects.filter(endpoint_name__in=FLOORS)
    chosen = templates_of(*(f"{protocol}-{name}" for name in ASKED))
    run = create_run(release=release, language_models=models, templates=chosen)
    start_run(run=run)
    pump_calls()
    readings = Reading.objects.current().filter(response__run=run)
    assert readings.count() == 4 * 5 * 12
    assert not readings.exclude(problem="").exists()
    found = json.loads(printed("report", "conflictbank-ratios", "--format", "json", "--release", str(release.number)))
    last, first = found["Baseline: believes the last text"], found["Baseline: believes the first text"]
    assert (last["known"], last["of"], last["protocol"]) == (12, 12, protocol)
    assert last["cells"]["misinformation"]["M_R"] == 0.0
    assert last["cells"]["correct_temporal / conflict_first"]["M_R"] == 100.0
    assert last["cells"]["correct_temporal / default_first"]["M_R"] == 0.0
    assert first["cells"]["correct_temporal / default_first"]["M_R"] == 100.0
    assert found["Baseline: believes its memory"]["cells"]["misinformation"]["M_R"] == 100.0
    assert found["Baseline: always uncertain"]["known"] == 0
    # Forced orders are answers of their own beside those in the drawn order.
    assert last["cells"]["correct_temporal"]["n"] == 24
    assert (last["cells"]["misinformation"]["bits"] is None) == (protocol == "text")
    client.force_login(admin)
    page = client.get(reverse("report", args=["conflictbank-ratios"])).text
    assert page.index("believes the last text: 12 of 12") < page.index("knows none of the items")


@pytest.mark.django_db
def test_a_model_without_log_probabilities_is_refused_before_it_costs_anything(release):
    mist = make_model()
    with pytest.raises(Refusal, match="no log-probabilities"):
        create_run(release=release, language_models=[mist], templates=templates_of("option-default"))
    assert not Response.objects.exists()


@pytest.mark.django_db
def test_the_page_of_a_response_shows_the_four_probabilities(release, admin_client):
    models = LanguageModel.objects.filter(endpoint_name="believes the last text")
    run = create_run(release=release, language_models=models, templates=templates_of("option-misinformation"))
    start_run(run=run)
    pump_calls()
    page = admin_client.get(reverse("response", args=[run.responses.first().key])).text
    assert page.count("-4.6052") == 3
    assert "-0.0305" in page
    assert "0.24 bits" in page
    assert "Made to mislead" in page


@pytest.mark.django_db
def test_the_page_of_an_item_says_which_texts_mislead(release, admin_client):
    page = admin_client.get(reverse("release_instance", args=[release.number, 1])).text
    assert page.count("Made to mislead") == 3
    assert "Hal Holt 0" in page


# --- The order of the two texts -------------------------------------------------------------------------------------


def answered(release, *names, floor: str = "believes the last text") -> list[Response]:
    models = LanguageModel.objects.filter(endpoint_name=floor)
    run = create_run(release=release, language_models=models, templates=templates_of(*names))
    start_run(run=run)
    pump_calls()
    return list(run.responses.select_related("instance", "template").order_by("pk"))


@pytest.mark.django_db
def test_the_drawn_order_is_stored_with_each_response(release, admin_client, tmp_path):
    responses = answered(release, "option-default", "option-correct-temporal")
    of_two = [each for each in responses if each.template.code.endswith("temporal")]
    assert {each.composition["order"] for each in of_two} == {DEFAULT_FIRST, CONFLICT_FIRST}
    for each in of_two:
        texts = [each.instance.content[f"{kind}_evidence"] for kind in ("default", "temporal_conflict")]
        at = [each.messages[-1]["content"].index(f": {text}") for text in texts]
        assert (at[0] < at[1]) == (each.composition["order"] == DEFAULT_FIRST)
        assert each.composition["seed"] == 1
    assert {each.composition for each in responses if each not in of_two} == {None}
    page = admin_client.get(reverse("response", args=[of_two[0].key])).text
    assert "Order of the two texts: " in page
    assert "drawn for the item with seed 1." in page
    found = admin_client.get(reverse("api:response", args=[of_two[0].key])).json()
    assert found["composition"] == of_two[0].composition
    records = [json.loads(line) for line in printed("export_responses").splitlines()]
    assert sum("composition" in each for each in records) == 12
    assert "composition" in printed("export_responses", "--format", "csv").splitlines()[0].split(",")


@pytest.mark.django_db
def test_reports_count_an_answer_by_its_stored_order(release):
    def by_order() -> dict[str, int]:  # counted anew, as numbers that were kept would not show it
        cells = by_order_of_texts(Scope()).data["Baseline: believes its memory"]["cells"]
        return {name.partition(" / ")[2]: each["n"] for name, each in cells.items() if "temporal" in name}

    def store_order(response, order: str | None) -> None:
        composition = {"order": order, "seed": 2} if order else None
        Response.objects.filter(pk=response.pk).update(composition=composition)

    names = ("option-default", "option-correct", "option-correct-temporal")
    answered(release, *names, floor="believes its memory")
    of_two = Response.objects.filter(template__code="conflictbank-option-correct-temporal")
    drawn = Counter(each.composition["order"] for each in of_two)
    assert by_order() == {order: drawn[order] for order in (DEFAULT_FIRST, CONFLICT_FIRST)}
    # As if it had been drawn with another seed.
    other = of_two.filter(composition__order=DEFAULT_FIRST)[0]
    store_order(other, CONFLICT_FIRST)
    expected = {DEFAULT_FIRST: drawn[DEFAULT_FIRST] - 1, CONFLICT_FIRST: drawn[CONFLICT_FIRST] + 1}
    assert by_order() == expected
    # Without a stored order, that which would be drawn counts.
    store_order(other, None)
    assert by_order() == {order: drawn[order] for order in (DEFAULT_FIRST, CONFLICT_FIRST)}


@pytest.mark.django_db
def test_a_forced_order_is_stored_as_such_and_comes_back_from_a_file(release, admin_client, tmp_path):
    (first, *_) = answered(release, "text-correct-temporal-conflict-first")
    assert first.composition == {"order": CONFLICT_FIRST}
    assert "conflict evidence first, forced." in admin_client.get(reverse("response", args=[first.key])).text
    file = tmp_path / "answers.jsonl"
    answer = {"item": 0, "condition": "correct_semantic", "order": "default_first", "model": "Mist", "text": "C"}
    file.write_text(json.dumps(answer))
    printed("import_conflictbank_answers", str(file), "--release", "1")
    assert Response.objects.get(model__name="Mist").composition == {"order": DEFAULT_FIRST}


# --- Labels of options ----------------------------------------------------------------------------------------------

MIXED = Reply("A", tokens=(token("A", {"A": -0.2, " B": -1.0, "(C)": -3.0, "C": -4.0}),))


@pytest.mark.parametrize(("labels", "letter"), [("", "A"), (" A", "B"), ("A", "A"), ("(A)", "C")])
def test_only_labels_of_the_models_form_count(labels, letter):
    from dataclasses import replace

    read = OPTION_TASK.read(RECORD, replace(MIXED, option_labels=labels))
    assert read.value["letter"] == letter


def test_a_model_with_labels_in_brackets_may_write_them_as_two_tokens():
    tokens = (token("(", {"(": -0.1, "A": -3.0}), token("B", {"B": -0.2, "C": -2.0}))
    assert OPTION_TASK.read(RECORD, Reply("(B", tokens=tokens, option_labels="(A)")).value["letter"] == "B"
    assert OPTION_TASK.read(RECORD, Reply("(B", tokens=tokens, option_labels="A")).value["letter"] == "A"


@pytest.mark.django_db
def test_the_form_of_labels_is_a_setting_of_the_model(release, admin, sign_in, tmp_path):
    admin_client = sign_in(admin)
    model = make_model(token_probabilities="chat")
    sent = {"option_labels": "(A)"}
    found = admin_client.patch(reverse("api:model", args=[model.pk]), sent, content_type="application/json")
    assert found.json()["option_labels"] == "(A)"
    assert "The letter in brackets" in admin_client.get(reverse("model", args=[model.pk])).text
    edited = admin_client.get(reverse("model_edit", args=[model.pk])).text
    assert '<option value=" A">' in edited
    assert '<option value="(A)" selected>' in edited
    file = tmp_path / "answers.jsonl"
    answer = {"item": 0, "condition": "default", "model": model.name, "logprobs": {" A": -0.1, "(C)": -2.0}}
    file.write_text(json.dumps(answer))
    printed("import_conflictbank_answers", str(file), "--release", "1")
    assert Reading.objects.get().value["letter"] == "C"
    sent, other = {"option_labels": "[A]"}, make_model()
    refused = admin_client.patch(reverse("api:model", args=[other.pk]), sent, content_type="application/json")
    assert refused.status_code == 400
