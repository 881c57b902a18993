"""One word for one thing, and plain English: given-up words and awkward expressions stand nowhere in the project."""

import re

import pytest

from .english import awkward_lines, comments_with_clauses, docstrings_with_clauses
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


AWKWARD = [
    ("core/x.py", "# So many rows are read.\n", "So many"),
    ("judging/x.py", 'raise Refusal("Too many calls a minute.")\n', "calls a minute"),
    ("templates/review/x.html", "<h2>What came of them</h2>\n", "What came of them"),
    ("static/x.js", "// Sends it once more.\n", "once more"),
    ("static/x.css", "/* As things stand now. */\n", "As things stand now"),
    ("docs/x.md", "It leaves nothing half.\n", "leaves nothing half"),
    ("core/y.py", "# It is not flagged any more.\n", "any more"),
    ("judging/y.py", '"""Runs and what becomes of them."""\n', "what becomes of"),
    ("static/y.js", "// The text is on its way.\n", "on its way"),
    ("review/y.py", 'help_text = "Two people answer, blind to each other."\n', "blind to each other"),
    ("templates/x.html", "<p>2 rows ticked</p>\n", "ticked"),
    ("templates/y.html", "<p>What you typed is kept.</p>\n", "What you typed"),
    ("docs/y.md", "You can go on with the next one.\n", "go on with"),
    ("docs/z.md", "Correct in 36.0 % of them.\n", "0 %"),
]


def test_no_docstring_begins_with_a_relative_clause():
    found = docstrings_with_clauses()
    assert not found, "begin with the noun or the verb:\n" + "\n".join(found)


def test_no_comment_begins_with_a_relative_clause():
    found = comments_with_clauses()
    assert not found, "begin with the noun or the verb:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("core/x.py", "    # What is read.\n"),
        ("templates/x.html", "{# Which rows are shown. #}\n"),
        ("static/x.js", "/** How many rows there are. */\n"),
        ("static/y.js", "// Those that wait.\n"),
    ],
)
def test_such_a_comment_is_found_in_code_pages_and_scripts(tmp_path, file, text):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(f"{text}\n")
    assert comments_with_clauses(tmp_path) == [f"{file}:1: {text.strip()}"]


def test_no_line_has_an_awkward_expression():
    found = awkward_lines()
    assert not found, "tests/english.py has the words to use instead:\n" + "\n".join(found)


@pytest.mark.parametrize("begin", ["What is", "Those that", "Of what", "One that", "Whether it", "How many"])
def test_such_a_docstring_is_found_in_modules_classes_and_functions(tmp_path, begin):
    (tmp_path / "core").mkdir()
    text = f'"""{begin} x."""\nclass A:\n    """{begin} y."""\n    def f(self):\n        """{begin} z."""\n'
    (tmp_path / "core/x.py").write_text(text)
    assert docstrings_with_clauses(tmp_path) == [
        f"core/x.py:{n}: {begin} {w}." for n, w in [(1, "x"), (2, "y"), (4, "z")]
    ]


@pytest.mark.parametrize(("file", "text", "expression"), AWKWARD, ids=[each[0] for each in AWKWARD])
def test_such_an_expression_is_found_in_every_kind_of_text(tmp_path, file, text, expression):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert awkward_lines(tmp_path) == [f"{file}:1: {expression}"]


@pytest.mark.parametrize(
    "text",
    [
        "So many that it fails.",
        "three pages and a minute",
        "It returns a verdict a judge gave.",
        "1 more for any more",
        "`responses/?ticked=KEY`",
    ],
)
def test_plain_english_is_not_found(tmp_path, text):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/x.md").write_text(text)
    assert awkward_lines(tmp_path) == []
