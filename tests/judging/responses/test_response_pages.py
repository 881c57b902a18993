"""Pages for responses: the list with its filters, and one response down to each attempt."""

import pytest
from django.urls import reverse

from judging.models import Response
from tests.factories.judging import make_instance, make_model, make_release, make_run, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


def shown(client, **query) -> list[Response]:
    return client.get(reverse("responses"), query).context["page"].object_list


def test_an_empty_list_says_where_responses_come_from(client):
    assert "No responses yet" in client.get(reverse("responses")).content.decode()


def test_the_list_is_filtered_by_run_model_template_mark_and_question(client, server):
    server.levers.faults = ["empty/4"]
    release = make_release(4)
    one, other = make_model(server.base_url), make_model(server.base_url)
    first = make_run(one, release=release, codes=("1", "5"))
    work(first)
    second = make_run(other, release=release, codes=("5",))
    work(second)
    assert len(shown(client)) == 12
    assert {each.run for each in shown(client, run=first.pk)} == {first}
    assert {each.model for each in shown(client, model=other.pk)} == {other}
    template = first.templates.get(code="1")
    assert len(shown(client, template=template.pk)) == 4
    assert {each.mark for each in shown(client, mark="empty")} == {"empty"}
    assert {each.instance.question for each in shown(client, q="bridge 2")} == {"When did bridge 2 open?"}
    counts = {mark: count for mark, _, count in client.get(reverse("responses")).context["marks"]}
    assert counts["empty"] == "3"
    assert counts["complete"] == "9"


def test_the_list_has_pages(client, server):
    work(make_run(make_model(server.base_url), instances=51))
    assert len(shown(client)) == 50
    first = client.get(reverse("responses")).context["page"]
    [rest] = shown(client, page=first.next)
    assert shown(client, page="last") == [*first.object_list[1:], rest]
    assert first.total == 51


def test_a_response_shows_messages_reply_tokens_time_cost_and_attempts(client, server):
    # Of three calls, the second is refused.
    server.levers.faults = ["429/2"]
    model = make_model(server.base_url, price_in=1000, price_out=1000)
    work(make_run(model, instances=1, codes=("1",)))
    run = make_run(model, release=make_release([make_instance(question="Is <b>1</b> & 2?")]), codes=("4",))
    work(run)
    response = run.responses.get()
    page = client.get(reverse("response", args=[response.key])).content.decode()
    assert "Is &lt;b&gt;1&lt;/b&gt; &amp; 2?" in page
    assert "Provide a short answer for the following question" in page
    assert "The answer." in page
    assert "Too many calls" in page, "the first attempt, with its error"
    assert "Raw reply to attempt 2" in page
    assert "finish_reason" in page
    assert f"{response.prompt_tokens} in, {response.completion_tokens} out" in page
    assert "Answer by passage 1" in page
    assert "1903" in page


@pytest.mark.parametrize(
    ("fault", "said"),
    [("length", "Cut at the token limit"), ("empty", "Empty"), ("refusal", "Refused"), ("filter", "Filtered")],
)
def test_what_is_no_answer_says_so_in_the_list_and_on_its_page(client, server, fault, said):
    server.levers.faults = [fault]
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    assert f"▲ {said}" in client.get(reverse("responses")).content.decode()
    page = client.get(reverse("response", args=[run.responses.get().key])).content.decode()
    assert f"▲ {said}" in page
    assert "is not an answer" in page


def test_the_call_of_a_response_leads_to_the_response(client, server):
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    response = run.responses.get()
    found = client.get(reverse("call", args=[run.calls.get().key]))
    assert found["Location"] == reverse("response", args=[response.key])


@pytest.mark.parametrize(
    "query", ["?run=x", "?model=99999999999999999999", "?page=0", "?mark=x", "?q=%FFa", "?instance=-1"]
)
def test_rubbish_in_the_address_is_no_filter(client, query):
    assert client.get(reverse("responses") + query).status_code == 200
