"""What an admin types for a wiki, and which addresses are never connected to."""

import socket
import threading

import pytest

from annotation import hosts
from annotation.errors import Refusal
from annotation.mediawiki import Wiki, normalise_api_url


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
        "::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "0.0.0.0",
        "::",
        "ff02::1",
    ],
)
def test_metadata_and_link_local_addresses_are_refused(address):
    assert hosts.is_refused(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.1.2.3", "192.168.1.1", "fd12::7", "208.80.154.224"])
def test_loopback_private_and_public_addresses_are_not(address):
    assert not hosts.is_refused(address)


@pytest.mark.parametrize("host", ["169.254.169.254", "2852039166", "0xa9fea9fe", "[fe80::1]"])
def test_a_link_local_address_is_refused_however_it_is_written(host):
    with pytest.raises(Refusal, match="Nothing was sent there"):
        hosts.refuse_link_local(host)


def test_an_unknown_or_harmless_name_passes():
    hosts.refuse_link_local("localhost")
    hosts.refuse_link_local("no-such-host.invalid")
    hosts.refuse_link_local("x" * 300)


@pytest.fixture
def listener():
    """A server that counts the bytes it was sent."""
    received = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                received.append(connection.recv(65536))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], received, thread


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_connection_made_is_checked_before_a_byte_is_sent(scheme, listener, monkeypatch):
    """A name may lead to an allowed address when it is looked at, and to another when it is used."""
    port, received, thread = listener
    monkeypatch.setattr(hosts, "is_refused", lambda address: address == "127.0.0.1")
    with pytest.raises(Refusal):
        Wiki(f"{scheme}://localhost:{port}/w/api.php", sleep=lambda pause: None).site()
    thread.join(5)
    assert received == [b""]
