"""A German admin reads no English sentence on any page, apart from data, protocol texts and what stays English."""

import re
from html.parser import HTMLParser

import pytest
from django.http import HttpResponse

from benchmarks.wikicontradict.protocol.verdict_readers import Reader
from core.models import Action, Role, User
from docs import messages
from tests.conftest import signed_in
from tests.core.addresses import LISTED, let_in
from tests.core.asking import address

ENGLISH_WORDS = re.compile(r"\b(?:the|and|is)\b", re.IGNORECASE)
# Attributes that hold text.
SAID = ("title", "aria-label", "placeholder", "alt", "data-confirm")
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
NO_TEXT = {"script", "style", "code", "pre", "kbd", "samp", "textarea"}
# For programs and operators, as the log has it, or as published.
STAYS_ENGLISH = {
    *("activity", "api_reference", "metrics", "release_datasheet"),
    *("guideline", "guideline_changes", "guideline_edit", "guideline_version"),
}
# Pages full of sentences from files, models, people and the guideline that no `translate="no"` marks.
DATA = {
    *("candidate", "conflict", "conflicts", "document", "documents", "known", "relation_templates", "templates"),
    "reviews_annotation",
}
# The log's words, a prompt's name, and the readers of verdicts, which go out with tasks.
KEPT = {str(action.label) for kind in Action.__subclasses__() for action in kind} | {
    "Is there a conflict?",
    *Reader.labels,
}
IN_GUIDELINE = {"Passage 1 states that"}


class Words(HTMLParser):
    """Collects the texts of a page that have an English word and are no data."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_data = tag in NO_TEXT or given.get("translate") == "no" or (tag != "html" and given.get("lang") == "en")
        if not is_data:
            for name in SAID:
                self._look(given.get(name) or "")
        if tag not in VOID:
            self.open.append((tag, is_data))

    def handle_endtag(self, tag: str) -> None:
        for at in reversed(range(len(self.open))):
            if self.open[at][0] == tag:
                del self.open[at:]
                return

    def handle_data(self, data: str) -> None:
        self._look(data)

    def _look(self, text: str) -> None:
        words = " ".join(text.split())
        if ENGLISH_WORDS.search(words) and words not in KEPT and not any(is_data for _, is_data in self.open):
            self.found.append(words)


class Texts(Words):
    """Collects all texts of a page that are no data."""

    @classmethod
    def of(cls, answer: HttpResponse) -> list[str]:
        texts = cls()
        texts.feed(answer.content.decode())
        return texts.found

    def _look(self, text: str) -> None:
        if not any(is_data for _, is_data in self.open):
            self.found.append(" ".join(text.split()))


def english_on(html: str) -> list[str]:
    words = Words()
    words.feed(html)
    return words.found


def test_no_page_of_a_german_admin_has_english_sentences(rows):
    User.objects.filter(username="amir").update(language="de")
    client = signed_in(User.objects.get(username="amir"))
    asked = [name for name in LISTED if let_in(name, Role.ADMIN) and name not in STAYS_ENGLISH | DATA]
    answers = {name: client.get(address(name, rows)) for name in asked}
    pages = {name: each for name, each in answers.items() if "html" in each.get("Content-Type", "")}
    found = [(name, text) for name, each in pages.items() for text in english_on(each.content.decode())]
    assert not found, "\n".join(f"{name}: {text}" for name, text in found)
    assert len(pages) > 100


def test_no_page_of_a_german_admin_has_a_text_that_the_catalog_translates(rows):
    """Labels and headings of one or two words: what German has in other words must not stand there in English."""
    User.objects.filter(username="amir").update(language="de")
    client = signed_in(User.objects.get(username="amir"))
    asked = [name for name in LISTED if let_in(name, Role.ADMIN) and name not in STAYS_ENGLISH]
    answers = {name: client.get(address(name, rows)) for name in asked}
    pages = {name: each for name, each in answers.items() if "html" in each.get("Content-Type", "")}
    translated = translated_texts()
    found = [(name, text) for name, each in pages.items() for text in Texts.of(each) if text in translated]
    assert not found, "\n".join(f"{name}: {text}" for name, text in found)


def translated_texts() -> set[str]:
    """English texts that differ from their German; not words in lower case, which the log has, too."""
    pairs = {}
    for message in messages.catalog_of("de"):
        english, german = ([each] if isinstance(each, str) else list(each) for each in (message.id, message.string))
        pairs |= dict(zip(english, german, strict=True))
    return {
        each for each, german in pairs.items() if each[:1].isupper() and each not in pairs.values()
    } - IN_GUIDELINE


def test_english_is_found_in_texts_and_attributes_but_not_in_data():
    page = '<p title="the one">Die <b>andere</b></p><p translate="no">the text</p><code>and</code><br>It is.'
    assert english_on(page) == ["the one", "It is."]


# After these, a page of data follows; and the log's words on a model's page.
LEADS_TO_DATA = {
    "conflict_take_down",
    "known_withdraw",
    "model_offer",
    "reviews_withdraw",
    "reviews_watch",
    "switch_template",
}
WRONG = {"title": "x" * 600, "name": "\0", "text": "", "pk": "abc", "action": "zzz", "ids": "1", "file": "x"}


@pytest.mark.parametrize("sent", [{}, WRONG], ids=["empty", "wrong"])
def test_no_refused_form_of_a_german_admin_has_english_sentences(rows, sent):
    User.objects.filter(username="amir").update(language="de")
    found = []
    for name in LISTED:
        if not let_in(name, Role.ADMIN) or name in STAYS_ENGLISH | DATA | LEADS_TO_DATA | {"account_logout"}:
            continue
        client = signed_in(User.objects.get(username="amir"))
        client.raise_request_exception = False
        answer = client.post(address(name, rows), sent)
        if "html" in answer.get("Content-Type", ""):
            found += [(name, text) for text in english_on(answer.content.decode())]
    assert not found, "\n".join(f"{name}: {text}" for name, text in found)
