"""Which addresses, machines and files a plan may name, and whether a load stays with its address.

A base address is "scheme://host:port", always with its port, in lower case. What programs could read in two ways is
refused and not repaired: two programs that disagree about an address let a load pass the target's list.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from posixpath import normpath
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from .snapshots import Load

PORTS = {"http": 80, "https": 443}
LONGEST_PATH = 2000
BASE = re.compile(r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]+))?/?", re.I | re.A)
LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
LOOKS_LIKE_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)")
PATH = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*")
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadInput(ValidationError):
    """What cannot be taken as it was written; the message is a sentence for the person who wrote it."""

    def __str__(self) -> str:
        return str(self.message)


class NotAllowed(BadInput):
    """An address, a machine or a file that no plan may name."""


def canonicalize(text: str) -> str:
    """The one spelling of a base address. Raises NotAllowed for whatever is not exactly scheme, host and port."""
    text = text.strip(" \t\r\n")
    for pattern, fault in TRICKS:
        if pattern.search(text):
            raise NotAllowed(f"The address {text!r} {fault}.")
    match = BASE.fullmatch(text)
    if not match:
        raise NotAllowed(f"{text!r} is no address such as http://shop.lan:8080 (scheme, host and port, nothing else).")
    scheme = match["scheme"].lower()
    return f"{scheme}://{_parse_host(match['host'].lower())}:{_parse_port(match['port'], scheme)}"


# Asked in this order; each refusal says what is wrong instead of "invalid".
TRICKS = (
    (re.compile(r"[\x00-\x20\x7f]"), "contains a space or a control character"),
    (re.compile(r"[^\x00-\x7f]"), "contains non-ASCII letters; use the xn-- form of the name"),
    (re.compile(r"\\"), "contains a backslash"),
    (re.compile(r"@"), "contains a user name or password; send a secret in a header as {secret:NAME}"),
    (re.compile(r"#"), "has a fragment (#)"),
    (re.compile(r"\?"), "has a query (?); it belongs to a plan's path"),
    (re.compile(r"%"), "contains a percent sign (an encoded letter or an IPv6 zone)"),
    (re.compile(r"^(?!https?://)", re.I), "does not begin with http:// or https://"),
    (re.compile(r"^\w+:///|^\w+://[^/]*/."), "has a path; it belongs to a plan"),
)


def _parse_port(text: str | None, scheme: str) -> int:
    if text is None:
        return PORTS[scheme]
    if text.startswith("0") or len(text) > 5 or not 1 <= int(text) <= 65535:
        raise NotAllowed(f"{text} is no port; ports go from 1 to 65535, without a leading zero.")
    return int(text)


def _parse_host(text: str) -> str:
    if text.startswith("["):
        return f"[{_number(text[1:-1], ipaddress.IPv6Address)}]"
    labels = text.split(".")
    if LOOKS_LIKE_NUMBER.fullmatch(labels[-1]):  # every reader that follows the URL standard takes it for IPv4 now
        return str(_number(text, ipaddress.IPv4Address))
    if len(text) > 253 or not all(LABEL.fullmatch(label) for label in labels):
        raise NotAllowed(f"{text!r} is no host name.")
    return text


def _number(text: str, kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address]) -> IP:
    """An IP address that one machine can have, in the only spelling that all programs read alike."""
    try:
        address = kind(text)
    except ipaddress.AddressValueError as error:
        raise NotAllowed(f"{text} is no IP address in its plain form, such as 192.0.2.7 or [2001:db8::7].") from error
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        raise NotAllowed(f"[{text}] is an IPv4-mapped address; write {address.ipv4_mapped}.")
    return _check_ip(address)


# Networks whose addresses stand for an IPv4 address: NAT64 (two), IPv4-compatible, 6to4 and Teredo.
IPV4_INSIDE = [
    ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "2002::/16", "2001::/32")
]

# Of metadata services that are not link-local: AWS and Google over IPv6, Alibaba, Azure.
METADATA = [ipaddress.ip_address(ip) for ip in ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16")]


def _check_ip(ip: IP) -> IP:
    """Raises NotAllowed for an address that no plan's load may go to."""
    if ip.is_unspecified or ip.is_multicast or str(ip) == "255.255.255.255":
        raise NotAllowed(f"{ip} is not the address of one machine.")
    if ip.is_link_local:
        raise NotAllowed(f"{ip} is a link-local address; a cloud's metadata service has one, and a server does not.")
    if ip in METADATA:
        raise NotAllowed(f"{ip} is the address of a cloud's metadata service; a server does not have it.")
    if not ip.is_loopback and any(ip in net for net in IPV4_INSIDE):
        raise NotAllowed(f"{ip} embeds an IPv4 address; write that one.")
    return ip


def host_of(base: str) -> str:
    """The host of a canonical address, an IPv6 address without its brackets."""
    return urlsplit(base).hostname or ""


def url_of(base: str, path: str) -> str:
    """The address of a path below a canonical base. Raises NotAllowed unless the whole parses back into the two."""
    check_path(path)
    url = base + path
    parts, home = urlsplit(url), urlsplit(base)
    same = (parts.scheme, parts.netloc) == (home.scheme, home.netloc) and canonicalize(base) == base
    if not same or parts.fragment or not url.startswith(f"{base}/"):
        raise NotAllowed(f"{path!r} leads away from {base}.")
    return url


def check_path(path: str) -> None:
    """Raises NotAllowed for a path that is not plain path and query, as RFC 3986 spells them."""
    if len(path) > LONGEST_PATH:
        raise NotAllowed(f"The path has {len(path)} characters; at most {LONGEST_PATH} are allowed.")
    if not path.startswith("/"):
        raise NotAllowed(f"The path {path!r} does not begin with a slash.")
    if path.startswith("//"):
        raise NotAllowed("The path begins with two slashes, which could be read as another host.")
    if "#" in path:
        raise NotAllowed("The path has a fragment (#), which is never sent.")
    if not PATH.fullmatch(path):
        fitting = quote(path, safe="/?&=%:@!$'()*+,;~-._")
        hint = f" Encoded it would be {fitting}" if PATH.fullmatch(fitting) else ""
        raise NotAllowed(f"The path {path!r} has characters that are not allowed in a URL.{hint}")


def check_load(load: Load, allowed: Mapping[str, Sequence[str]]) -> None:
    """Raises NotAllowed unless the load goes to an address of the allow-list, and nowhere else."""
    if load.base not in allowed:
        raise NotAllowed(f"{load.base} is not on the target's list of addresses.")
    url_of(load.base, load.path)


def resolve(base: str) -> list[str]:
    """The IP addresses that a canonical address's host has here, now. Raises NotAllowed where it has none."""
    try:
        infos = socket.getaddrinfo(host_of(base), urlsplit(base).port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotAllowed(
            f"The name {host_of(base)} cannot be resolved on this machine ({error.strerror}). If only the load generator "
            "can resolve it, add its IP addresses after the address."
        ) from error
    return normalize_ips(str(entry[4][0]) for entry in infos)


def normalize_ips(texts: Iterable[str]) -> list[str]:
    """IP addresses in one spelling, each once, in order. Raises NotAllowed for what is none, or none of a server."""
    ips = set()
    for text in texts:
        try:
            ip = ipaddress.ip_address(text)
        except ValueError as error:
            raise NotAllowed(f"{text!r} is no IP address.") from error
        mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
        ips.add(str(_check_ip(mapped or ip)))
    return sorted(ips)


def check_resolved(base: str, seen: Iterable[str], allowed: Mapping[str, Sequence[str]]) -> None:
    """Raises NotAllowed unless every IP address that the generator sees for the base's host is a registered one.

    seen    what the generator itself resolves the name to, since its resolver is the one that the load tool asks
    """
    if base not in allowed:
        raise NotAllowed(f"{base} is not on the target's list of addresses.")
    ips, registered = normalize_ips(seen), normalize_ips(allowed[base])
    if not ips:
        raise NotAllowed(f"The load generator does not know the name {host_of(base)}.")
    strange = [ip for ip in ips if ip not in registered]
    if strange:
        raise NotAllowed(
            f"On the load generator {host_of(base)} is {', '.join(strange)}, but {base} was registered as "
            f"{', '.join(registered) or 'nothing'}. If the server moved, save the target again."
        )


def is_loopback(ips: Iterable[str]) -> bool:
    """Whether any of the addresses means "this machine" wherever it is used."""
    return any(ipaddress.ip_address(ip).is_loopback for ip in ips)


DESTINATION = re.compile(r"(?!.*@-)[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,254}")
FILE = re.compile(r"/(?!/)[A-Za-z0-9_./@+:,=~-]{0,499}")
# Keys, passwords and databases by their usual names, and what editors and administrators keep beside them (site.key.bak).
PRIVATE = re.compile(
    r"\.(?:key|pem|p8|p12|pfx|ppk|gpg|jks|keystore|keytab|env|sqlite3?|db)(?![a-z0-9])"
    r"|(?:^|[/._-])(?:key|pwd|secrets?|passwd|passwords?|passphrase|credentials?|tokens?)(?![a-z0-9])"
    r"|htpasswd|htdigest|/\.|/g?shadow|/id_[a-z0-9]+$|priv(?:ate|key)",
    re.I,
)
# The kernel shows processes there, with their environments and their open files, and what services pass each other.
NO_FILES = ("/proc", "/sys", "/dev", "/run", "/var/run")
TOO_WIDE = ("/etc", "/home", "/root", "/var", "/var/lib")
# A key to log in with lies in none of these: /etc/ssh has the machine's own keys.
NO_KEYS = ("/proc", "/sys", "/dev", "/etc")
PROGRAM = re.compile(r"(?:/[A-Za-z0-9_.+/-]+|[A-Za-z0-9_][A-Za-z0-9_.+-]*)")


def check_destination(text: str) -> None:
    """Raises NotAllowed unless ssh takes it for a host, and never for an option; an IP address has to be a server's.

    ssh reads more spellings of an IP address than a base address may have, such as 2852039166 for 169.254.169.254. These
    are allowed, as a Host of ssh's config may have such a name, but not for an address that is refused.
    """
    if not DESTINATION.fullmatch(text):
        raise NotAllowed(f"{text!r} is no ssh destination such as web1 or bench@web1.")
    host = text.rpartition("@")[2].rstrip(".")
    try:
        ip = str(ipaddress.IPv6Address(host)) if ":" in host else socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return  # a name
    normalize_ips([ip])


def check_identity(text: str) -> None:
    """Raises NotAllowed unless it is empty or the absolute path of a key to log in with."""
    expected = "Expected a file on the worker's machine, such as /home/bench/.ssh/id_ed25519."
    if text and (not FILE.fullmatch(text) or normpath(text) != text or text == "/"):
        raise NotAllowed(f"{text!r} is no absolute path of a private key. {expected}")
    if any(_lies_in(text, place) for place in NO_KEYS):
        raise NotAllowed(f"{text} is no private key to log in with; {', '.join(NO_KEYS)} have none. {expected}")


def check_config_file(path: str, readable: Sequence[str]) -> None:
    """Raises NotAllowed unless the file lies in a folder that its target shows, and is no key or password file."""
    if not FILE.fullmatch(path) or normpath(path) != path:
        raise NotAllowed(f"{path!r} is no plain absolute path of a file.")
    if not any(_lies_in(path, place) for place in readable if place not in TOO_WIDE):
        raise NotAllowed(
            f"{path} is in no folder that the target shows files from ({', '.join(readable) or 'there is none'})."
        )
    if PRIVATE.search(path) or _of_the_kernel(path) or _lies_in(path, str(settings.DATA_DIR)):
        raise NotAllowed(f"{path} looks like a file of keys, passwords or data; its content would be stored readably.")


def check_readable(place: str) -> None:
    """Raises NotAllowed unless it is a folder or file that may be opened to plans; the root folder is none."""
    if not FILE.fullmatch(place) or normpath(place) != place or place == "/":
        raise NotAllowed(f"{place!r} is no plain absolute path of a folder or file.")
    if _of_the_kernel(place):
        raise NotAllowed(f"{place} contains no config files.")
    if place in TOO_WIDE:
        raise NotAllowed(f"{place} contains more than config files; enter directories in it.")
    if PRIVATE.search(f"{place}/"):
        raise NotAllowed(f"{place} is a place of keys, passwords or hidden files; no plan may show what is in it.")
    if _lies_in(place, str(settings.DATA_DIR)):
        raise NotAllowed(f"{place} is where benchdash keeps its own data.")
    if _lies_in(str(settings.DATA_DIR), place):
        raise NotAllowed(
            f"{place} holds {settings.DATA_DIR}, where benchdash keeps its own data; name folders beside it."
        )


def _of_the_kernel(path: str) -> bool:
    return any(_lies_in(path, place) for place in NO_FILES)


def _lies_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place.rstrip('/')}/")


def check_switch(argv: object) -> None:
    """Raises NotAllowed unless it is a command as a list: a program, by its path or its plain name, and its arguments."""
    if not isinstance(argv, list) or not argv or not all(isinstance(part, str) and part for part in argv):
        raise NotAllowed('A switch is a list of texts, such as ["systemctl", "reload", "nginx"].')
    if not PROGRAM.fullmatch(argv[0]):
        raise NotAllowed(f"{argv[0]!r} is neither the absolute path of a program nor its plain name.")
    if not all(part.isprintable() and len(part) <= 1000 for part in argv):
        raise NotAllowed("An argument of a switch has a line break or a control character in it.")
