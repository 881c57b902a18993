"""ConflictBank's tasks: answers of the floors, read by both protocols, from a run to the ratios."""

import io
import json

import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank import tasks
from benchmarks.conflictbank.conditions import CONFLICT_FIRST, DEFAULT_FIRST
from benchmarks.conflictbank.files import import_items
from benchmarks.conflictbank.tasks import FLOORS, OPTION_TASK, TEXT_TASK
from core.refusals import Refusal
from judging.models import LanguageModel, PromptTemplate, Reading, Response
from judging.protocol.replies import Reply, Token
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
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
def test_a_run_of_the_floors_comes_to_ratios(release, protocol):
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
