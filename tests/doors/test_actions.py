"""The activity log's vocabulary: each app declares its actions, records all of them, and records nothing else."""

import ast
from collections import Counter

import pytest

from annotation.models import AnnotationAction
from benchmarks.conflictbank.models import ConflictbankAction
from benchmarks.contradoc.models import ContradocAction
from benchmarks.wikicontradict.models import WikicontradictAction
from core.models import Action, CoreAction, Event
from judging.models import JudgingAction
from review.models import ReviewAction
from tests import structure

ACTIONS = {
    "core": CoreAction,
    "annotation": AnnotationAction,
    "judging": JudgingAction,
    "review": ReviewAction,
    "benchmarks.wikicontradict": WikicontradictAction,
    "benchmarks.contradoc": ContradocAction,
    "benchmarks.conflictbank": ConflictbankAction,
}


def nodes(word: str, *apps: str):
    return structure.nodes_naming([word], structure.source_files(*apps))


@pytest.mark.parametrize("app", structure.APPS)
def test_an_app_records_every_action_that_it_declares(app):
    actions = ACTIONS[app]
    used = Counter(
        node.attr
        for _, node in nodes(actions.__name__, app)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == actions.__name__
    )
    assert set(used) == set(actions.names)


def test_nothing_is_recorded_in_words_of_its_own():
    """The log receives an action, or a variable that the types say is one; never a text, and nobody makes
    a row past `Event.record` and `Event.of`."""
    recorded, wrong = 0, []
    for path, node in nodes("Event"):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Attribute(value=ast.Name(id="Event"), attr="record" | "of"):
                recorded += 1
                texts = (ast.Constant, ast.JoinedStr, ast.BinOp)
                wrong += [f"{path}:{node.lineno}" for part in ast.walk(node.args[0]) if isinstance(part, texts)]
            case ast.Name(id="Event") | ast.Attribute(value=ast.Attribute(value=ast.Name(id="Event")), attr="create"):
                wrong.append(f"{path}:{node.lineno}")
    assert recorded > len(CoreAction)
    assert wrong == []


def test_each_app_has_one_class_of_actions():
    assert set(Action.__subclasses__()) == set(ACTIONS.values())


def test_a_value_reads_the_same_in_every_app():
    read_as = {}
    for actions in ACTIONS.values():
        for action in actions:
            assert read_as.setdefault(action.value, action.label) == action.label


def test_the_log_is_read_in_words_and_what_it_does_not_know_as_it_is_stored():
    assert Event(action=CoreAction.MADE_PASSWORD_LINK).label == "made a password link"
    assert Event(action="did something long ago").label == "did something long ago"


# Users of the log: the activity page, the history of a row, when a person was last active, a datasheet's counts,
# a person's file and earlier names, the page Now, the chain of seals, and the record of reads, which writes each
# once an hour.
SHOW_THE_LOG = (
    "annotation.releases.datasheets.made_facts",
    "annotation.tags.listing",
    "core.accounts.people",
    "core.activity",
    "core.leaving.own_data",
    "core.leaving.pseudonyms",
    "core.sealing.sealing",
    "core.sealing.verifying",
    "core.seeing.now",
    "core.writing.reads",
)


def test_only_pages_read_the_log():
    """Facts that a rule depends on have a column or a row of their own."""
    attributes = [(path, node) for path, node in nodes("Event") if isinstance(node, ast.Attribute)]
    writing = {id(node.value) for _, node in attributes if node.attr == "bulk_create"}
    readers = {
        structure.module_name(path)
        for path, node in attributes
        if isinstance(node.value, ast.Name) and node.value.id == "Event"
        if node.attr in ("objects", "everything") and id(node) not in writing
    }
    assert "core.activity" in readers
    assert {name for name in readers if name not in SHOW_THE_LOG and "views" not in name.split(".")} == set()
