"""Pages for prompt templates: all wordings with what is frozen, a new version, a preview on an instance."""

import pytest
from django.urls import reverse

from benchmarks.wikicontradict.protocol.prompts import TEMPLATES
from judging.models import PromptTemplate
from tests.contradoc.items.test_files import document, file_of, printed, written
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

FORM = {
    "code": "mine",
    "name": "Both passages, one line",
    "text": "Q: {question}\r\n1: {passage1}\r\n2: {passage2}\r\n",
    "applies_to": "all",
    "verdicts": ["correct", "partially_correct", "incorrect"],
    "expects": "answers",
    "correct_answers": "{answer1}\r\n{answer2}",
}


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


def save(client, **values):
    return client.post(reverse("template_new"), {**FORM, **values})


def test_the_page_shows_each_template_and_which_are_frozen(client, server):
    work(make_run(make_model(server.base_url), instances=2, codes=("5",)))
    page = client.get(reverse("templates"))
    by_code = dict(page.context["by_code"])
    assert set(by_code) == set(TEMPLATES)
    assert by_code["5"][0].calls_made == 2
    assert by_code["4"][0].calls_made == 0
    assert "frozen: asked 2 times" in page.content.decode()


def test_a_template_is_saved_with_its_line_ends_as_typed(client, admin):
    assert save(client).status_code == 302
    template = PromptTemplate.objects.get(code="mine")
    assert template.text == "Q: {question}\n1: {passage1}\n2: {passage2}\n"
    assert template.version == 1
    assert template.correct_answers == ["{answer1}", "{answer2}"]
    assert template.created_by == admin


def test_a_new_wording_is_the_next_version_and_leaves_the_first_alone(client):
    [first] = templates("5")
    form = client.get(reverse("template_new"), {"from": first.pk}).context["form"]
    values = {name: form[name].value() or "" for name in form.fields}
    assert save(client, **values).status_code == 400, "it says the same"
    assert save(client, **values | {"text": "Shortly: " + first.text}).status_code == 302
    [current] = PromptTemplate.objects.current().filter(code="5")
    assert current.version == 2
    assert current.text == "Shortly: " + first.text
    first.refresh_from_db()
    assert not first.text.startswith("Shortly")


def test_text_that_came_through_the_form_is_the_same_byte_for_byte(client):
    """The paper's templates end in a line break, and a browser sends line breaks as two characters."""
    for first in templates("1", "4", "5.2"):
        form = client.get(reverse("template_new"), {"from": first.pk}).context["form"]
        values = {name: form[name].value() or "" for name in form.fields} | {"code": f"x{first.code}"}
        sent = {name: v.replace("\n", "\r\n") if isinstance(v, str) else v for name, v in values.items()}
        assert save(client, **sent).status_code == 302
        copy = PromptTemplate.objects.get(code=f"x{first.code}")
        assert (copy.text, copy.other_text) == (first.text, first.other_text)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"text": "Say something."}, "needs {question}"),
        ({"text": "{question} {author}"}, "No instance has author"),
        ({"text": "{question} {passage1_resolved}"}, "works only for instances with resolved passages"),
        ({"other_text": "{passage1}"}, "needs {question}"),
        ({"verdicts": ["correct"]}, "always offered"),
        ({"correct_answers": "{answer3}"}, "but not answer3"),
        ({"correct_answers": " "}, "This field is required"),
        ({"code": "a b"}, "Enter a valid value"),
    ],
)
def test_a_template_that_could_not_be_used_is_refused(client, values, said):
    response = save(client, **values)
    assert response.status_code == 400
    assert said in response.context["form"].errors.as_text()
    assert not PromptTemplate.objects.filter(code="mine").exists()


def test_the_preview_shows_the_exact_prompt_and_saves_nothing(client):
    release = make_release([make_instance(question="<b>When</b>?", passage_1="{passage2}")])
    values = {**FORM, "instance": release.instances.get().pk}
    page = client.post(reverse("template_preview"), values).content.decode()
    assert "&lt;b&gt;When&lt;/b&gt;?" in page, "text is data"
    assert "1: {passage2}" in page, "a passage is not filled in again"
    assert "<li>1903</li>" in page
    assert not PromptTemplate.objects.filter(code="mine").exists()


def test_the_preview_says_what_is_missing(client):
    release = make_release([make_instance(passage_2="")])
    values = {**FORM, "instance": release.instances.get().pk}
    assert "passage2, which has no value" in client.post(reverse("template_preview"), values).content.decode()
    resolved = values | {"text": "{question} {passage1_resolved}", "applies_to": "resolved passages"}
    assert "not resolved yet" in client.post(reverse("template_preview"), resolved).content.decode()
    for broken in ({"text": "{question", "code": ""}, {"task": ""}, {"task": "gone"}):
        assert client.post(reverse("template_preview"), values | broken).status_code == 200


def test_the_preview_of_a_task_of_another_benchmark_takes_an_instance_of_it(client, tmp_path):
    chosen = make_release([make_instance()]).instances.get()
    values = FORM | {"task": "contradoc-given", "text": "Look: {document}", "instance": chosen.pk}
    assert "appears here" in client.post(reverse("template_preview"), values).text
    printed("import_contradoc", str(written(tmp_path, file_of([document("17_2")]))))
    page = client.post(reverse("template_preview"), values).text
    assert "Look: " in page
    assert "the chosen instance is of another benchmark than the task" in page
