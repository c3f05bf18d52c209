"""The allow-list: one spelling for an address, and no way from it to another one."""

from __future__ import annotations

import http.client
import re
import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runs.remote.addresses import (
    NotAllowed,
    canonicalize,
    check_destination,
    check_identity,
    check_load,
    check_readable,
    check_resolved,
    normalize_ips,
    resolve,
    url_of,
)
from runs.remote.snapshots import Load

BASE = "http://192.0.2.10:8080"
# The pattern of RFC 3986, appendix B: a second reader of addresses that shares nothing with urllib.
RFC_3986 = re.compile(r"^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$", re.S)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("http://shop.lan", "http://shop.lan:80"),
        ("https://shop.lan/", "https://shop.lan:443"),
        ("HTTP://Shop.LAN:8080", "http://shop.lan:8080"),
        ("  http://my_service:8000\n", "http://my_service:8000"),
        ("http://192.0.2.7:80", "http://192.0.2.7:80"),
        ("http://[2001:DB8::0:7]", "http://[2001:db8::7]:80"),
        ("http://[0:0:0:0:0:0:0:1]:8000", "http://[::1]:8000"),
        ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example:80"),
    ],
)
def test_an_address_has_one_spelling(text, same_as):
    assert canonicalize(text) == same_as
    assert canonicalize(same_as) == same_as


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("http://user:word@shop.lan", "user name or password"),
        ("http://shop.lan@evil.example", "user name or password"),
        ("http://shop.lan/?a=1", "a query"),
        ("http://shop.lan#x", "a fragment"),
        ("http://shop.lan/admin", "a path"),
        ("http:///shop.lan", "a path"),
        ("http://shop.lan//", "a path"),
        ("http:\\\\shop.lan", "backslash"),
        ("http://shop.lan\\@evil.example", "backslash"),
        ("http://shop lan", "a space"),
        ("http://shop.lan\r\nHost: evil.example", "a space"),
        ("http://shop.lan\x00.evil.example", "a space"),
        ("http://shop\u2024lan", "non-ASCII letters"),
        ("http://sh\u043ep.lan", "non-ASCII letters"),
        ("http://b\u00fccher.example", "non-ASCII letters"),
        ("http://shop.lan:\uff18\uff10", "non-ASCII letters"),
        ("http://shop%2elan", "percent"),
        ("http://[fe80::1%25eth0]", "percent"),
        ("ftp://shop.lan", "does not begin"),
        ("file:///etc/passwd", "does not begin"),
        ("//shop.lan", "does not begin"),
        ("shop.lan:80", "does not begin"),
        ("-http://shop.lan", "does not begin"),
        ("", "does not begin"),
        ("http://", "no address"),
        ("http://shop.lan:", "no address"),
        ("http://shop.lan:80:81", "no address"),
        ("http://[::1", "no address"),
        ("http://::1", "no address"),
        ("http://shop.lan:0", "no port"),
        ("http://shop.lan:080", "no port"),
        ("http://shop.lan:65536", "no port"),
        ("http://shop.lan:-1", "no address"),
        ("http://shop..lan", "no host name"),
        ("http://shop.lan.", "no host name"),
        ("http://-shop.lan", "no host name"),
        (f"http://{'a' * 64}.lan", "no host name"),
        ("http://[::ffff:192.0.2.7]", "IPv4-mapped address; write 192.0.2.7"),
        ("http://[::ffff:c000:207]", "IPv4-mapped address; write 192.0.2.7"),
        ("http://0.0.0.0", "not the address of one machine"),
        ("http://[::]", "not the address of one machine"),
        ("http://224.0.0.1", "not the address of one machine"),
        ("http://255.255.255.255", "not the address of one machine"),
        ("http://169.254.169.254", "a cloud's metadata service"),
        ("http://[fd00:ec2::254]", "a cloud's metadata service"),
        ("http://[fd20:ce:0::0:254]", "a cloud's metadata service"),
        ("http://100.100.100.200", "a cloud's metadata service"),
        ("http://168.63.129.16:80", "a cloud's metadata service"),
        ("http://[fe80::1]", "link-local"),
        ("http://[64:ff9b::a00:1]", "embeds an IPv4 address"),
        ("http://[64:ff9b:1::1]", "embeds an IPv4 address"),
        ("http://[::a00:1]", "embeds an IPv4 address"),
        ("http://[2002:a00:1::1]", "embeds an IPv4 address"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused_in_words(text, word):
    with pytest.raises(NotAllowed, match=re.escape(word)):
        canonicalize(text)


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0x7f.1", "127.1", "127.0.1", "0177.0.0.1", "127.0.0.01", "017700000001"),
        *("1.2.3.4.5", "256.1.1.1", "1.2.3", "shop.1", "shop.0x7f", "0x", "192.0.2.0x7"),
    ],
)
def test_numbers_that_some_programs_read_as_an_ip_address_are_refused(host):
    with pytest.raises(NotAllowed, match="no IP address in its plain form"):
        canonicalize(f"http://{host}")


@given(st.text(max_size=80) | st.from_regex(r"https?://[ -~]{0,60}", fullmatch=True))
def test_whatever_is_typed_is_refused_or_read_alike_by_others(text):
    try:
        base = canonicalize(text)
    except NotAllowed:
        return
    scheme, authority, path, query, fragment = RFC_3986.fullmatch(base).groups()
    assert (scheme in ("http", "https"), path, query, fragment) == (True, "", None, None)
    assert urlsplit(base).netloc == authority
    host, _, port = authority.rpartition(":")
    assert (host.strip("[]"), int(port)) == (urlsplit(base).hostname, urlsplit(base).port)
    assert canonicalize(base) == base


@given(
    st.text(max_size=60)
    | st.text(alphabet="/\\@:?#%.[] \t\r\nab0", max_size=30)
    | st.text(alphabet="/@:?%2fF.0aA;=&'$()~", max_size=40).map("/".__add__)
)
@example("//evil.example/")
@example("/\\evil.example")
@example("@evil.example/")
@example(":81/")
@example(".evil.example/")
@example("/a\r\nHost: evil.example")
@example("/%0d%0aHost:%20evil.example")
@example("/..//@evil.example")
def test_no_path_leads_away_from_its_base(path):
    try:
        url = url_of(BASE, path)
    except NotAllowed:
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.hostname, parts.port, parts.username) == ("http", "192.0.2.10", 8080, None)
    scheme, authority, _, _, fragment = RFC_3986.fullmatch(url).groups()
    assert (scheme, authority, fragment) == ("http", "192.0.2.10:8080", None)
    assert url == BASE + path
    assert url.isascii() and url.isprintable() and " " not in url


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("", "begin with a slash"),
        ("a", "begin with a slash"),
        ("@evil.example/", "begin with a slash"),
        (":81/", "begin with a slash"),
        ("//evil.example/", "two slashes"),
        ("/a#b", "fragment"),
        ("/a b", "Encoded it would be /a%20b"),
        ("/b\u00fccher", "Encoded it would be /b%C3%BCcher"),
        ("/%", "not allowed in a URL"),
        ("/%4", "not allowed in a URL"),
        ("/\\evil", "not allowed in a URL"),
        ("/a\nb", "not allowed in a URL"),
        ("/a\x7f", "not allowed in a URL"),
        ("/" + "a" * 2000, "at most 2000"),
    ],
)
def test_a_path_that_is_none_is_refused_in_words(path, word):
    with pytest.raises(NotAllowed, match=re.escape(word)):
        url_of(BASE, path)


def test_a_base_that_is_not_canonical_makes_no_url():
    for base in ("http://shop.lan", "http://a@shop.lan:80", "http://127.1:80", "http://shop.lan:80/x"):
        with pytest.raises(NotAllowed):
            url_of(base, "/")


def test_pythons_own_client_asks_the_base_for_an_odd_path():
    path = "/;@evil.example:81/?u=//evil.example/%0d%0aHost:%20x"
    parts = urlsplit(url_of(BASE, path))
    connection = http.client.HTTPConnection(parts.netloc)
    assert (connection.host, connection.port) == ("192.0.2.10", 8080)


@pytest.mark.parametrize(
    "base",
    [
        "http://192.0.2.10:81",
        "https://192.0.2.10:8080",
        "http://192.0.2.11:8080",
        "http://192.0.2.10",
        "http://192.0.2.10:8080@evil.example:80",
        "HTTP://192.0.2.10:8080",
        "",
    ],
)
def test_only_what_stands_on_the_list_is_loaded(base):
    with pytest.raises(NotAllowed, match="not on the target's list"):
        check_load(Load("ab", base, "/", 1, requests=1), {BASE: ["192.0.2.10"]})


def test_a_path_is_checked_together_with_its_base():
    allowed = {BASE: ["192.0.2.10"]}
    check_load(Load("ab", BASE, "/hello?a=1", 1, requests=1), allowed)
    with pytest.raises(NotAllowed):
        check_load(Load("ab", BASE, "//evil.example/", 1, requests=1), allowed)


NAMED = {"http://shop.lan:80": ["192.0.2.10", "2001:db8::7"]}


@pytest.mark.parametrize("seen", [["192.0.2.10"], ["2001:0db8:0::7", "192.0.2.10"], ["::ffff:192.0.2.10"]])
def test_a_name_may_be_any_of_its_registered_addresses(seen):
    check_resolved("http://shop.lan:80", seen, NAMED)


@pytest.mark.parametrize("seen", [["198.51.100.1"], ["192.0.2.10", "127.0.0.1"], ["::1"]])
def test_a_name_that_resolves_elsewhere_on_the_generator_is_refused(seen):
    with pytest.raises(NotAllowed, match=r"On the load generator shop\.lan is"):
        check_resolved("http://shop.lan:80", seen, NAMED)


def test_a_name_that_the_generator_does_not_know_is_refused():
    with pytest.raises(NotAllowed, match="does not know the name"):
        check_resolved("http://shop.lan:80", [], NAMED)


def test_an_answer_that_is_no_ip_address_is_refused():
    with pytest.raises(NotAllowed, match="no IP address"):
        check_resolved("http://shop.lan:80", ["shop.lan"], NAMED)


def test_a_base_off_the_list_is_refused_whatever_it_resolves_to():
    with pytest.raises(NotAllowed, match="not on the target's list"):
        check_resolved("http://other.lan:80", ["192.0.2.10"], NAMED)


def test_a_number_resolves_to_itself():
    assert resolve("http://127.0.0.1:8000") == ["127.0.0.1"]
    assert resolve("http://[::1]:8000") == ["::1"]


def test_a_name_keeps_every_address_that_it_has(monkeypatch):
    def answer(host, port, **_):
        assert (host, port) == ("shop.lan", 80)
        return [(0, 0, 0, "", (ip, port)) for ip in ("192.0.2.11", "192.0.2.10", "::ffff:192.0.2.10")]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert resolve("http://shop.lan:80") == ["192.0.2.10", "192.0.2.11"]


def test_a_name_that_is_not_known_here_says_what_to_write(monkeypatch):
    def fail(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(NotAllowed, match="add its IP addresses after the address"):
        resolve("http://shop.lan:80")


def test_ip_addresses_have_one_spelling():
    assert normalize_ips(["2001:DB8:0:0::7", "::ffff:192.0.2.1", "192.0.2.1"]) == ["192.0.2.1", "2001:db8::7"]


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "169.254.169.254.", "2852039166", "0xa9fea9fe", "169.16689662", "0::ffff:169.254.169.254"),
        *("fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
    ],
)
@pytest.mark.parametrize("user", ["", "root@", "a@b@"])
def test_no_ssh_destination_is_a_metadata_service_in_any_spelling(user, host):
    with pytest.raises(NotAllowed, match="a cloud's metadata service"):
        check_destination(user + host)


@pytest.mark.parametrize(
    "text", ["web1", "bench@web1", "1", "bench@10.0.0.5", "root@2001:db8::7", "root@::1", "127.0.0.1"]
)
def test_an_ssh_destination_is_a_host_of_sshs_config_or_the_address_of_a_server(text):
    check_destination(text)


@pytest.mark.parametrize("path", ["/proc/1/environ", "/etc/ssh/ssh_host_rsa_key", "/sys/key", "/dev/stdin", "/", "key"])
def test_a_private_key_that_is_none_to_log_in_with_is_refused_with_what_is_expected(path):
    with pytest.raises(NotAllowed, match="Expected a file on the worker's machine, such as "):
        check_identity(path)


@pytest.mark.parametrize(
    "path", ["", "/root/.ssh/id_ed25519", "/home/bench/.ssh/bench.pem", "/run/secrets/key", "/etcetera/key"]
)
def test_a_private_key_is_taken_from_where_people_keep_it(path):
    check_identity(path)


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("/root", "more than config files"),
        *(
            (place, "keys, passwords")
            for place in ("/root/.ssh", "/home/bench/.ssh/keys", "/srv/.ssh", "/etc/ssl/private")
        ),
    ],
)
def test_a_folder_of_keys_is_opened_to_no_plan(place, word):
    with pytest.raises(NotAllowed, match=word):
        check_readable(place)


@pytest.mark.parametrize("place", ["/etc/nginx", "/etc/ssh", "/root/bench", "/srv/id_service", "/opt/keycloak/conf"])
def test_a_folder_of_config_files_may_be_opened_to_plans(place):
    check_readable(place)
