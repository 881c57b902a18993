"""Articles that nobody expects: the finder takes time in proportion to them, and suggests nothing rather than
something wrong.
"""

import time

import pytest

from annotation.assisting.clashes import clash_between
from annotation.assisting.counterparts.pairs import tagged_pairs
from annotation.assisting.counterparts.ranking import likely, rank
from annotation.assisting.counterparts.reasons import reason_for
from annotation.reading.page_sentences import page_texts

SECONDS = 3
SENTENCES = [f"Its pier {at} was mended in 19{at % 90 + 10} at a cost of {at * 37} crowns." for at in range(5_000)]
ROWS = "".join(f"<tr><td>Pier {at}</td><td>{at * 7}</td><td>19{at % 90 + 10}</td></tr>" for at in range(2_000))
TABLE = f"<table><tbody>{ROWS}</tbody></table>"
NUMBERS = "<ul>" + "".join(f"<li>{at * 13}</li>" for at in range(10_000)) + "</ul>"
RIGHT_TO_LEFT = ["افتتح الجسر عام 1950.", "النهر طويل جدا.", "افتتح الجسر عام 1948."]
UNSPACED = ["橋は1950年に開通した。", "川は長い。", "橋は1948年に開通した。"]


def texts_of(html: str) -> list[str]:
    return [text.words for text in page_texts(html).texts]


@pytest.mark.parametrize("texts", [SENTENCES, texts_of(TABLE), texts_of(NUMBERS)], ids=["5000", "table", "numbers"])
def test_it_takes_time_in_proportion(texts):
    begin = time.process_time()
    rank(texts[len(texts) // 2], texts, [len(texts) // 2], reason="The year differs.")
    tagged_pairs(texts, reason="The year differs.")
    tagged_pairs(texts[:10], others=texts)
    assert time.process_time() - begin < SECONDS


@pytest.mark.parametrize("html", [TABLE, NUMBERS], ids=["table", "numbers"])
def test_a_page_is_read_in_proportion(html):
    begin = time.process_time()
    page_texts(html)
    assert time.process_time() - begin < SECONDS


@pytest.mark.parametrize("texts", [SENTENCES, texts_of(TABLE), texts_of(NUMBERS)], ids=["5000", "table", "numbers"])
def test_among_texts_that_are_all_alike_nothing_is_suggested(texts):
    assert likely(rank(texts[7], texts, [7])) == []


def test_numbers_alone_make_no_pair():
    assert tagged_pairs(texts_of(NUMBERS)) == []


@pytest.mark.parametrize("texts", [RIGHT_TO_LEFT, UNSPACED], ids=["right to left", "unspaced"])
def test_other_scripts_are_ranked_and_have_a_reason(texts):
    assert rank(texts[0], texts, [0])[0].position == 2
    assert [(pair.one, pair.two) for pair in tagged_pairs(texts)][:1] == [(0, 2)]
    assert reason_for(texts[0], texts[2])


@pytest.mark.parametrize("html", ["", "<p></p>", "<p>…</p>", "<table></table>"])
def test_a_page_without_a_sentence_has_no_suggestion(html):
    texts = texts_of(html)
    assert likely(rank("The bridge opened in 1950.", texts)) == []
    assert tagged_pairs(texts) == []
    assert tagged_pairs(["The bridge opened in 1950."], others=texts) == []


def test_the_only_other_sentence_is_not_suggested_for_being_the_only_one():
    texts = ["The bridge opened in 1950.", "Nobody counted any walkers."]
    assert likely(rank(texts[0], texts, [0])) == []
    texts[1] = "The bridge opened in 1948."
    assert [one.position for one in likely(rank(texts[0], texts, [0]))] == [1]


def test_one_endless_text_is_compared_with_another_in_proportion():
    one, two = ("It opened in 1950 with 12 arches, and " * 5_000 for _ in range(2))
    begin = time.process_time()
    assert clash_between(one, two + "1951") is None
    rank(one, [one, two + "1951"], [0])
    assert time.process_time() - begin < SECONDS
