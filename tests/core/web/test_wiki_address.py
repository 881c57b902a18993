"""Addresses that an admin may type for a wiki, and those that are never connected to."""

import contextlib
import socket
import threading

import pytest

from annotation.mediawiki import NotAsked, Unreachable, Wiki, normalise_api_url, refuse_unasked
from core import hosts
from core.refusals import Refusal
from tests.annotation.wiki_helpers import lead


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("en.wikipedia.org", "https://en.wikipedia.org/w/api.php"),
        ("  EN.Wikipedia.org. ", "https://en.wikipedia.org/w/api.php"),
        ("https://en.wikipedia.org/wiki/Main_Page", "https://en.wikipedia.org/w/api.php"),
        ("https://en.wikipedia.org/w/index.php?title=Bridge&action=edit#top", "https://en.wikipedia.org/w/api.php"),
        ("https://en.wikipedia.org:443/w/api.php", "https://en.wikipedia.org/w/api.php"),
        ("http://wiki.example.org:8080/mediawiki/", "http://wiki.example.org:8080/mediawiki/api.php"),
        ("http://wiki.example.org/index.php/Main_Page", "http://wiki.example.org/api.php"),
        ("http://127.0.0.1:8100/api.php", "http://127.0.0.1:8100/api.php"),
        ("localhost:8100", "http://localhost:8100/w/api.php"),
        ("https://bücher.example", "https://xn--bcher-kva.example/w/api.php"),
        ("http://[::1]:8100/w/api.php", "http://[::1]:8100/w/api.php"),
        ("http://10.0.0.7/w/api.php", "http://10.0.0.7/w/api.php"),
    ],
)
def test_an_address_becomes_that_of_the_api(typed, meant):
    assert normalise_api_url(typed) == meant
    assert normalise_api_url(meant) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "https://",
        "ftp://en.wikipedia.org/w/api.php",
        "file:///etc/passwd",
        "javascript://en.wikipedia.org/%0aalert(1)",
        "https://user:secret@en.wikipedia.org/w/api.php",
        "https://en.wikipedia.org:port/w/api.php",
        "https://en.wikipedia.org:99999/w/api.php",
        "https://en wikipedia.org",
        "https://en.wikipedia.org/w/api.php\r\nX-Injected: yes",
        "https://good.example\\@169.254.169.254/",
        "https://-..-/",
        "https://[::1/w/api.php",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/w/api.php",
        "http://[::ffff:169.254.169.254]/w/api.php",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
    ],
)
def test_what_is_no_address_of_a_wiki_is_refused(typed):
    with pytest.raises(Refusal):
        normalise_api_url(typed)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1%eth0",
        "::ffff:169.254.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a9fe:a9fe",
        "64:ff9b:1:ffff::1",
        "::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "::ffff:168.63.129.16",
        "64:ff9b::a83f:8110",
        "0.0.0.0",
        "::",
        "ff02::1",
    ],
)
@pytest.mark.parametrize("local", [True, False])
def test_metadata_and_link_local_addresses_are_never_connected_to(address, local):
    assert hosts.address_problem(address, local=local)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.1.2.3", "::1", "10.1.2.3", "172.20.0.5", "192.168.1.1", "fd12::7", "fec0::1"),
        *("100.64.0.1", "100.127.255.254", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "::ffff:127.0.0.1"),
        *("198.18.0.1", "192.0.0.8", "240.0.0.1"),
    ],
)
def test_loopback_and_private_addresses_are_for_whoever_says_so(address):
    assert "private" in hosts.address_problem(address, local=False)
    assert not hosts.address_problem(address, local=True)


@pytest.mark.parametrize("address", ["208.80.154.224", "2620:0:861:ed1a::1", "64:ff9b::d050:9ae0", "::ffff:8.8.8.8"])
def test_public_addresses_are_connected_to(address):
    assert not hosts.address_problem(address, local=False)


@pytest.mark.parametrize("host", ["169.254.169.254", "2852039166", "0xa9fea9fe", "[fe80::1]"])
def test_a_link_local_address_is_refused_however_it_is_written(host):
    with pytest.raises(Refusal, match="Nothing was sent there"):
        hosts.checked_addresses(host, 80, local=True)


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f000001", "127.1", "[::1]"])
def test_this_machine_is_refused_however_it_is_written(host):
    with pytest.raises(Refusal, match="private network"):
        hosts.checked_addresses(host, 80, local=False)
    assert hosts.checked_addresses(host, 80, local=True)


# --- Which wikis are asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:8100/w/api.php", "http://localhost/w/api.php", "http://[::1]/w/api.php"),
        *("http://10.0.0.7/w/api.php", "http://100.64.3.4/w/api.php", "http://[::ffff:10.0.0.7]/w/api.php"),
    ],
)
def test_a_local_wiki_is_asked_only_where_the_deployment_says_so(url, settings):
    settings.LOCAL_WIKIS = True
    refuse_unasked(url, contact="")  # and without a contact
    settings.LOCAL_WIKIS = False
    settings.WIKI_ALLOWED_HOSTS = ["*"]
    with pytest.raises(Refusal, match="LOCAL_WIKIS=true"):
        refuse_unasked(url, contact="me@example.org")


@pytest.mark.parametrize(
    ("allowed", "url", "is_asked"),
    [
        ([".wikipedia.org"], "https://en.wikipedia.org/w/api.php", True),
        ([".wikipedia.org"], "https://wikipedia.org/w/api.php", True),
        ([".wikipedia.org"], "https://en.wikipedia.org./w/api.php", True),
        ([".wikipedia.org"], "https://evilwikipedia.org/w/api.php", False),
        ([".wikipedia.org"], "https://en.wikipedia.org.evil.example/w/api.php", False),
        (["wiki.example:443"], "https://wiki.example/w/api.php", True),
        (["wiki.example:443"], "https://wiki.example:8443/w/api.php", False),
        (["*"], "https://wiki.example/w/api.php", True),
        ([], "https://en.wikipedia.org/w/api.php", False),
    ],
)
def test_only_hosts_in_the_list_are_asked(allowed, url, is_asked, settings):
    settings.WIKI_ALLOWED_HOSTS = allowed
    if is_asked:
        refuse_unasked(url, contact="me@example.org")
    else:
        with pytest.raises(Refusal, match="WIKI_ALLOWED_HOSTS"):
            refuse_unasked(url, contact="me@example.org")


def test_nothing_is_asked_of_a_public_wiki_without_a_contact(settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(Refusal, match="Set WIKI_CONTACT"):
        refuse_unasked("https://en.wikipedia.org/w/api.php", contact=" ")


def test_the_client_itself_asks_nothing_that_it_may_not(settings, monkeypatch):
    """Whoever forgets to look beforehand gets no further."""
    settings.LOCAL_WIKIS = False
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("a name was looked up"))
    for url, contact in [
        ("http://127.0.0.1:9/w/api.php", "me@example.org"),
        ("https://elsewhere.test/w/api.php", "me@example.org"),
        ("https://en.wikipedia.org/w/api.php", ""),
    ]:
        with pytest.raises(NotAsked):
            Wiki(url, contact=contact, sleep=lambda pause: None).site()


@pytest.fixture
def listener():
    """A server that counts the bytes it was sent."""
    received = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with contextlib.suppress(OSError):  # closed, as nobody has connected
                connection, _ = server.accept()
                with connection:
                    received.append(connection.recv(65536))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], received, thread


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_that_leads_to_this_machine_gets_nothing(scheme, listener, monkeypatch, settings):
    settings.LOCAL_WIKIS = False
    port, received, _ = listener
    lead(monkeypatch, "wiki.example", "127.0.0.1")
    with pytest.raises(NotAsked, match="private network"):
        Wiki(f"{scheme}://wiki.example:{port}/w/api.php", contact="me@example.org").site()
    assert received == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_address_that_was_looked_at_is_the_one_connected_to(scheme, listener, monkeypatch, settings):
    """A name may lead to a public address when it is looked at, and to this machine when it is used."""
    settings.LOCAL_WIKIS = False
    port, received, _ = listener
    asked = lead(monkeypatch, "wiki.example", "192.88.99.7", "127.0.0.1")
    monkeypatch.setattr(hosts, "address_problem", lambda address, local: "bad" * (address != "192.88.99.7"))
    client = Wiki(
        f"{scheme}://wiki.example:{port}/w/api.php", contact="me@example.org", timeout=(0.3, 1.0), max_wait=0
    )
    with pytest.raises(Unreachable):
        client.site()
    assert asked == ["wiki.example"]
    assert received == []
