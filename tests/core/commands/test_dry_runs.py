"""A dry run says what the real run says: both ask the same rules."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.models import Response, Run, RunState
from review.models import Round, Saw
from review.rounds.turns.seen import record_seen
from tests.core.commands.test_commands import OURS, READING
from tests.factories import AnnotationFactory
from tests.factories.judging import make_model
from tests.factories.review import make_imported_run

pytestmark = pytest.mark.django_db


def run_command(*argv: object) -> str:
    out = StringIO()
    call_command(*map(str, argv), stdout=out)
    return out.getvalue()


def refusal(*argv: object) -> str:
    with pytest.raises(CommandError) as refused:
        run_command(*argv)
    return str(refused.value)


# --- Refused --------------------------------------------------------------------------------------------------------

Arguments = list[object]
FILES = {
    "import_annotations": "[{}]",
    "import_conflictbank": "{}",
    "import_conflictbank_answers": "{}",
    "import_contradoc": '{"pos": {"1": {}}, "neg": {}}',
    "import_contradoc_replies": '{"1": {}}',
    "import_documents": "{}",
    "import_facts": '{"relation": "born"}',
    "import_human_evaluation": "[{}]",
    "import_items": "[1]",
    "import_judgments": "response,reviewer,verdict\nx,rita,correct\n",
    "import_known_verdicts": "response,use,verdict,explanation\nx,training,correct,\n",
    "import_label_studio": "[{}]",
    "import_responses": '[{"model": "Mist"}]',
    "import_task_replies": '{"1": {}}',
}


def round_of(**values: object) -> Arguments:
    return [Round.objects.create(name="First", **values).pk]


def first_round(reviewer, other_reviewer) -> Arguments:
    return ["First", "--runs", make_imported_run().pk, "--reviewers", reviewer.username, other_reviewer.username]


def a_name_that_is_taken(reviewer, other_reviewer) -> Arguments:
    Round.objects.create(name="First")
    return first_round(reviewer, other_reviewer)


def too_few_people(reviewer, other_reviewer) -> Arguments:
    return first_round(reviewer, other_reviewer)[:-1]


def nothing_to_judge(reviewer, other_reviewer) -> Arguments:
    asked = first_round(reviewer, other_reviewer)
    Response.objects.update(mark="cut", text="")
    return asked


def no_candidates(reviewer, other_reviewer) -> Arguments:
    return ["First", "--form", "contradoc-verification", "--reviewers", reviewer.username, other_reviewer.username]


def no_more_annotations(reviewer, other_reviewer) -> Arguments:
    AnnotationFactory()
    run_command("make_release", "First")
    return ["Second"]


def a_cancelled_run(reviewer, other_reviewer) -> Arguments:
    return [Run.objects.create(state=RunState.CANCELLED).pk]


def a_wiki_that_is_not_allowed(reviewer, other_reviewer) -> Arguments:
    return ["--titles", "Bridge", "--wiki", "nowhere.example"]


def a_model_in_batches(reviewer, other_reviewer) -> Arguments:
    AnnotationFactory()
    run_command("make_release", "First")
    return ["--models", make_model(name="Ours").name, "--templates", "1", "--batches"]


def no_documents(reviewer, other_reviewer) -> Arguments:
    return ["--benchmark", "contradoc", "--models", make_model(name="Ours").name, "--method", "content_insert"]


REFUSED: list[tuple[str, Callable[..., Arguments]]] = [
    ("begin_questionnaire_round", no_candidates),
    ("begin_round", a_name_that_is_taken),
    ("begin_round", nothing_to_judge),
    ("begin_round", too_few_people),
    ("close_round", lambda *people: round_of()),
    ("close_round", lambda *people: [*round_of(), "--reopen"]),
    ("find_contradictions", a_wiki_that_is_not_allowed),
    ("hand_on_work", lambda *people: ["nobody"]),
    ("harvest_articles", a_wiki_that_is_not_allowed),
    ("make_claims", lambda *people: ["--seed", 7]),
    ("make_release", lambda *people: ["First"]),
    ("make_release", lambda *people: [" "]),
    ("make_release", no_more_annotations),
    ("move", lambda *people: ["mysql://somewhere"]),
    ("pause_run", a_cancelled_run),
    ("pseudonymise", lambda *people: [people[0].username, "--yes"]),
    ("restore", lambda *people: ["nowhere.tar"]),
    ("read_responses", lambda *people: ["--release", 99]),
    ("release_candidates", lambda *people: ["--round", *round_of()]),
    ("release_conflicts", lambda *people: ["--seed", "7", "--model", "Mist"]),
    ("resume_run", a_cancelled_run),
    ("resume_run", lambda *people: [*a_cancelled_run(*people), "--retry-failed"]),
    ("run_checks", lambda *people: ["--benchmark", "contradoc", "--contradiction", "nobody"]),
    ("start_generation", lambda *people: ["--benchmark", "nowhere", "--models", make_model(name="Ours").name]),
    ("start_generation", no_documents),
    ("start_run", a_model_in_batches),
    ("train_conflict_classifier", lambda *people: []),
]


@pytest.mark.parametrize(("name", "arguments"), REFUSED)
def test_what_is_refused_is_refused_by_a_dry_run(name, arguments, reviewer, other_reviewer):
    asked = [name, *arguments(reviewer, other_reviewer)]
    tried = refusal(*asked, "--dry-run")
    sure = ["--yes"] if name.startswith(("start_", "run_")) else []
    assert tried == refusal(*asked, *sure)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_refused_is_refused_by_a_dry_run(name, tmp_path: Path):
    file = tmp_path / f"file{'.csv' if ',' in FILES[name].splitlines()[0] and '{' not in FILES[name] else '.json'}"
    file.write_text(FILES[name])
    assert refusal(name, file, "--dry-run") == refusal(name, file)


def test_every_command_that_writes_is_tried():
    # Nothing but another program's database blocks the first, and nothing in a database the others.
    never_refused = {"prepare", "allow_sending", "backup", "drain"}
    assert {name for name, _ in REFUSED} | set(FILES) | never_refused == set(OURS) - READING


# --- Done -----------------------------------------------------------------------------------------------------------


def left_out(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("Left out")]


def test_a_round_is_dealt_as_its_dry_run_says(reviewer, other_reviewer):
    """A person who has seen a judgment of a response does not judge it; with two people, it is left out."""
    asked = ["begin_round", *first_round(reviewer, other_reviewer), "--sample-size", 4, "--seed", 1]
    cut, seen = Response.objects.order_by("pk")[:2]
    Response.objects.filter(pk=cut.pk).update(mark="cut")
    record_seen(person=reviewer, what=Saw.JUDGMENTS, responses=[seen.pk])
    tried = run_command(*asked, "--dry-run")
    done = run_command(*asked)
    round = Round.objects.get()
    dealt = round.items.filter(kind="ordinary").count()
    assert f"{dealt} responses would be dealt." in tried
    assert f"{dealt} responses dealt." in done
    assert any("Too few of the reviewers may judge it" in line for line in left_out(tried))
    assert left_out(tried) == left_out(done)
    for person in (reviewer, other_reviewer):
        assert f"{person.username}: {dealt} judgments." in tried
        assert round.judgments.filter(reviewer=person, item__kind="ordinary").count() == dealt
