"""One chat call over the real client against a real server: what comes back, and what is known when nothing does."""

import json
import socket
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from judging.endpoints.addresses import Endpoint
from judging.endpoints.client import complete_chat, find_stored
from judging.endpoints.failures import CallFailed, InDoubt, NotSent, RateLimited, Rejected
from judging.endpoints.replies import read_reply
from judging.endpoints.requests import chat_request
from tests.servers.llm_server import LlmServer
from tests.servers.services import free_port

MESSAGES = [{"role": "system", "content": ""}, {"role": "user", "content": "Who?"}]
REQUEST = chat_request("a-model", MESSAGES, {"temperature": 0, "max_tokens": 250, "seed": 5})
KEY = "sk-secret-0123456789"


@pytest.fixture
def server():
    with LlmServer() as server:
        yield server


def endpoint(server, **options) -> Endpoint:
    return Endpoint(server.base_url, **({"timeout": 30.0, "connect_timeout": 10.0} | options))


def failure(endpoint, **options) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        complete_chat(endpoint, REQUEST, **options)
    return caught.value


def raw_server(packet: bytes) -> str:
    """The base URL of a server that answers one request with these bytes and closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with listener, connection:
            connection.recv(100_000)
            connection.sendall(packet)

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def test_gives_text_tokens_and_the_body_as_it_arrived(server):
    arrived: list[bytes] = []
    reply = complete_chat(endpoint(server), REQUEST, request_key="run-1", on_arrival=arrived.append)
    assert (reply.text, reply.finish_reason, reply.outcome) == ("The answer.", "stop", "complete")
    assert (reply.provider_id, reply.served_model) == ("chatcmpl-1", "a-model")
    assert reply.completion_tokens == 2
    assert arrived == [reply.raw]
    assert json.loads(reply.raw)["id"] == "chatcmpl-1"
    assert server.paid == {"run-1": 1}


def test_sends_exactly_the_messages_and_the_decoding(server):
    complete_chat(endpoint(server), REQUEST)
    expected = {"model": "a-model", "messages": MESSAGES, "temperature": 0, "max_tokens": 250, "seed": 5}
    assert server.requests[0]["json"] == expected


def test_sends_the_token_limit_under_the_name_that_the_model_wants():
    decoding = {"temperature": None, "max_tokens": 9, "top_k": 3}
    request = chat_request("m", MESSAGES, decoding, max_tokens_name="max_completion_tokens")
    assert request == {"model": "m", "messages": MESSAGES, "max_completion_tokens": 9, "top_k": 3}


@pytest.mark.parametrize("name", ["stream", "n", "model", "messages"])
def test_refuses_decoding_that_would_change_the_shape_of_the_reply(name):
    with pytest.raises(ValueError, match=name):
        chat_request("m", MESSAGES, {name: 1})


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("length", "cut"),
        ("empty", "empty"),
        ("refusal", "refused"),
        ("filter", "filtered"),
        ("reasoning", "complete"),
    ],
)
def test_tells_an_answer_from_what_is_none(server, fault, outcome):
    server.levers.faults = [fault]
    assert complete_chat(endpoint(server), REQUEST).outcome == outcome


# --- Failures: whether the call was paid ----------------------------------------------------------------------


def test_nothing_was_sent_when_nobody_listens():
    failed = failure(Endpoint(f"http://127.0.0.1:{free_port()}/v1"))
    assert isinstance(failed, NotSent)
    assert failed.reason == "refused"


def test_nothing_was_sent_when_the_name_is_unknown(settings):
    settings.LLM_ALLOWED_HOSTS = ["*"]
    failed = failure(Endpoint("https://no-such-host.invalid/v1"))
    assert isinstance(failed, NotSent)
    assert failed.reason == "no connection"


def test_nothing_was_sent_when_connecting_takes_too_long():
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]  # fill the queue of connections that nobody accepts
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        failed = failure(Endpoint(f"http://127.0.0.1:{port}/v1", connect_timeout=0.3))
        for each in waiting:
            each.close()
    assert isinstance(failed, NotSent)
    assert failed.reason == "connect time-out"


def test_nothing_was_sent_when_tls_fails():
    speaks_no_tls = raw_server(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    failed = failure(Endpoint(speaks_no_tls.replace("http:", "https:")))
    assert isinstance(failed, NotSent)
    assert failed.reason == "no connection"


@pytest.mark.parametrize(("given", "seconds"), [("7", 7.0), ("", None), ("soon", None), ("-3", None), ("inf", None)])
def test_a_429_was_not_paid_and_says_how_long_to_wait(server, given, seconds):
    server.levers.faults, server.levers.retry_after = ["429"], given
    failed = failure(endpoint(server))
    assert isinstance(failed, RateLimited)
    assert failed.retry_after == seconds


def test_a_429_may_name_a_date(server):
    server.levers.faults, server.levers.retry_after = ["429"], "Wed, 21 Oct 2099 07:28:00 GMT"
    failed = failure(endpoint(server))
    assert isinstance(failed, RateLimited)
    assert failed.retry_after is not None
    assert failed.retry_after > 1e6


def test_a_429_for_want_of_money_is_final(server):
    server.levers.faults = ["quota"]
    failed = failure(endpoint(server))
    assert isinstance(failed, Rejected)
    assert failed.reason == "quota"


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529, 408])
def test_an_error_of_the_server_leaves_the_call_in_doubt(server, status):
    server.levers.faults = [str(status)]
    failed = failure(endpoint(server))
    assert isinstance(failed, InDoubt)
    assert failed.status == status
    assert b"The server says" in failed.raw


@pytest.mark.parametrize(
    ("fault", "reason", "timeout"),
    [("drop", "broken off", 30), ("half", "broken off", 30), ("hang", "time-out", 1.2), ("drip", "time-out", 1.2)],
)
def test_a_call_without_its_answer_is_in_doubt(server, fault, reason, timeout):
    server.levers.faults = [fault]
    arrived: list[bytes] = []
    failed = failure(endpoint(server, timeout=timeout), on_arrival=arrived.append)
    assert isinstance(failed, InDoubt)
    assert failed.reason == reason
    assert not arrived
    assert len(server.calls) == 1, "it was asked again"


def test_half_a_reply_is_kept(server):
    server.levers.faults = ["half"]
    assert failure(endpoint(server)).raw.startswith(b'{"id": "chatcmpl-1"')


@pytest.mark.parametrize(("fault", "reason"), [("garbage", "web page"), ("error200", "unreadable")])
def test_a_200_without_an_answer_in_it_is_in_doubt_and_kept(server, fault, reason):
    server.levers.faults = [fault]
    arrived: list[bytes] = []
    failed = failure(endpoint(server), on_arrival=arrived.append)
    assert isinstance(failed, InDoubt)
    assert failed.reason == reason
    assert arrived == [failed.raw]


def test_a_reply_that_broke_off_after_its_last_brace_is_a_reply():
    body = json.dumps({"choices": [{"message": {"content": "whole"}}]}).encode()
    packet = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n" + body
    arrived: list[bytes] = []
    assert complete_chat(Endpoint(raw_server(packet)), REQUEST, on_arrival=arrived.append).text == "whole"
    assert arrived == [body]


def test_a_redirect_is_not_followed_but_told():
    packet = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere.example/v1\r\nContent-Length: 0\r\n\r\n"
    failed = failure(Endpoint(raw_server(packet)))
    assert isinstance(failed, Rejected)
    assert "http://elsewhere.example/v1" in failed.message


def test_an_unknown_model_is_named(server):
    server.levers.models = ["another-model"]
    failed = failure(endpoint(server))
    assert isinstance(failed, Rejected)
    assert failed.reason == "model"
    assert "a-model" in failed.message


# --- Looked up at the provider ---------------------------------------------------------------------------------


def test_an_answer_that_never_arrived_is_found_where_the_provider_keeps_it(server):
    server.levers.faults = ["drop"]
    kept = chat_request("a-model", MESSAGES, {}, store_as="run-1")
    with pytest.raises(InDoubt):
        complete_chat(endpoint(server), kept)
    assert [read_reply(body).text for body in find_stored(endpoint(server), "run-1")] == ["The answer."]
    assert find_stored(endpoint(server), "run-2") == []
    assert len(server.calls) == 1


def test_a_provider_that_keeps_nothing_says_so():
    packet = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    with pytest.raises(Rejected):
        find_stored(Endpoint(raw_server(packet)), "run-1")


# --- The key ---------------------------------------------------------------------------------------------------


def test_the_key_comes_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("LAB_API_KEY", f" {KEY}\n")
    server.levers.api_key = KEY
    assert complete_chat(endpoint(server, key_name="LAB_API_KEY"), REQUEST).text


def test_without_a_key_none_is_sent(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    complete_chat(endpoint(server), REQUEST)
    assert "authorization" not in server.requests[0]["headers"]


@pytest.mark.parametrize("name", ["NOT_SET_API_KEY", "SECRET_KEY", "DATABASE_URL", "PATH", "lab_api_key"])
def test_a_key_that_is_missing_or_not_a_key_stops_the_call(server, monkeypatch, name):
    monkeypatch.setenv("SECRET_KEY", "django's own")
    failed = failure(endpoint(server, key_name=name))
    assert isinstance(failed, Rejected)
    assert name in failed.message
    assert not server.calls


def test_a_wrong_key_is_told_without_showing_it(server, monkeypatch, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("LAB_API_KEY", KEY)
    server.levers.api_key = "another"
    failed = failure(endpoint(server, key_name="LAB_API_KEY"))
    assert isinstance(failed, Rejected)
    assert failed.reason == "key"
    shown = "".join(traceback.format_exception(failed)) + repr(failed) + repr(vars(failed)) + caplog.text
    assert "[key]" in shown
    assert KEY not in shown
    assert failed.__context__ is None


def test_a_key_that_no_header_can_hold_stays_out_of_the_message(server, monkeypatch):
    monkeypatch.setenv("LAB_API_KEY", "sk-one\nsk-two")
    failed = failure(endpoint(server, key_name="LAB_API_KEY"))
    assert isinstance(failed, Rejected)
    assert "sk-" not in failed.message


# --- Many at once ---------------------------------------------------------------------------------------------


def test_fifty_threads_share_one_client(server):
    """None waits for another: the server answers only once fifty calls have arrived."""
    server.levers.together = 50
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(lambda n: complete_chat(endpoint(server), REQUEST, request_key=str(n)), range(100)))
    assert {reply.text for reply in replies} == {"The answer."}
    assert server.paid == {str(n): 1 for n in range(100)}


# --- Bodies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "plain"}, "plain"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": "NUL \0 and half \ud83d"}, "NUL � and half �"),
        ({"content": "whole \U0001f600"}, "whole \U0001f600"),
        ({"content": 7}, "7"),
    ],
)
def test_reads_the_content_in_the_shapes_that_servers_send(message, text):
    reply = read_reply(json.dumps({"choices": [{"message": message}]}).encode())
    assert reply.text == text
    reply.text.encode()


def test_reads_a_body_with_half_a_character():
    assert read_reply(b'{"choices": [{"message": {"content": "caf\xc3"}}]}').text == "caf�"


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_takes_no_token_count_that_is_none(usage):
    assert read_reply(json.dumps({"choices": [{"message": {}}], "usage": usage}).encode()).prompt_tokens is None


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": [null]}', b"[" * 100_000, b"\xff\xfe\x00"]
)
def test_a_body_without_a_message_is_in_doubt(body):
    with pytest.raises(InDoubt) as caught:
        read_reply(body)
    assert caught.value.raw == body
