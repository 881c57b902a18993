"""One word for one thing: what is given up stands in no name, no text of a page and no page of the docs."""

import re

import pytest

from .words import ALLOWED, FORMS, LEFT_OUT, ROOT, given_up_words, in_pieces, lines_with_given_up_words, project_files

# One of each kind of name and text: file to write, what is in it, the word to be found.
KINDS = [
    ("core/x.py", "park_place = 1\n", ["park", "place"]),
    ("judging/x.py", "class SettledVerdict:\n    pass\n", ["Settled"]),
    ("review/x.py", 'raise Refusal("Take a second look first.")\n', ["second look"]),
    ("annotation/x.py", "parked_at = models.DateTimeField()\n", ["parked"]),
    ("annotation/migrations/0001_initial.py", "name='SecondLook',\n", ["Second_Look"]),
    ("annotation/urls.py", 'path("unpark/", tags.resume, name="give_back")\n', ["unpark", "give_back"]),
    (
        "judging/y.py",
        "modelDrafts, machine_draft, draft_by_a_model = publishing\n",
        ["model_Drafts", "machine_draft", "draft_by_a_model", "publishing"],
    ),
    ("config/x.py", "# somebody has to run this job\n", ["somebody", "job"]),
    ("templates/annotation/x.html", "<th>Place</th>\n", ["Place"]),
    ("templates/annotation/second_looks.html", "<p>Annotations</p>\n", ["second_looks"]),
    ("static/x.js", "function placesOf(root) {}\n", ["places"]),
    ("static/x.css", ".tag-parked { color: red; }\n", ["parked"]),
    ("docs/x.md", "Resolve conflicts, not someone else's.\n", ["Resolve conflicts", "someone else's"]),
    ("tests/test_x.py", "def test_a_tag_is_given_back():\n    pass\n", ["given_back"]),
    ("README.md", "Ask anybody, or give the tag back.\n", ["anybody", "give the tag back"]),
]


def test_no_word_that_was_given_up_is_used():
    found = lines_with_given_up_words()
    assert not found, "tests/words.py has the word to use instead:\n" + "\n".join(found)


@pytest.mark.parametrize(("file", "text", "words"), KINDS, ids=[kind[0] for kind in KINDS])
def test_such_a_word_is_found_in_every_kind_of_name_and_text(tmp_path, file, text, words):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert [line.rpartition(": ")[2] for line in lines_with_given_up_words(tmp_path)] == words


def test_the_file_and_line_are_named(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/x.md").write_text("One.\n\nTwo places.\n")
    assert lines_with_given_up_words(tmp_path) == ["docs/x.md:3: places"]


@pytest.mark.parametrize(
    "text", ["placeholder", "replaced", "displaces", "In place of another.", "spark", "hand back"]
)
def test_words_that_only_look_alike_are_not_found(text):
    assert given_up_words(text) == []


@pytest.mark.parametrize("allowed", ALLOWED)
def test_each_exception_is_needed(allowed):
    """It lets a word pass that would be found, in a text that is there."""
    texts = (path.read_text() for path in project_files())
    assert any(FORMS.search(in_pieces(match[0])) for text in texts for match in re.finditer(allowed, text, re.I))


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_exists(name):
    assert (ROOT / name).exists()
