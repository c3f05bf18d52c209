"""How secrets are written: as options of programs, whose patterns have the group `v` for them; and copies of known ones, which are
masked wherever and however they stand. Pure functions.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, quote_plus

from parsers.catalogue import list_secret_options

REDACTED = "[redacted]"
LINE_END = r"\\?\r?\n[ \t>]*"  # inside a word that a terminal, a shell or a mailer has broken
SHORTEST_BROKEN = 8  # characters; parts of a shorter word meet by chance
LONGEST_SPELT = 256  # characters by which a copy is found: as a pattern, 60,000 take 2 s
COMMON_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+|[\d.:, -]+")
MAX_DISTINCT = 30  # secrets of a text that are looked for elsewhere in it, which takes up to 20 ms a MB for each


def choose_distinct(secrets: Iterable[str]) -> list[str]:
    """Those whose copies elsewhere are to go: a password such as "postgres" is a word that tables are full of."""
    words = dict.fromkeys(word for secret in secrets for word in (secret, re.split("[:=]", secret, maxsplit=1)[-1]))
    distinct = (word for word in words if len(word) >= 8 and not COMMON_WORD.fullmatch(word))
    return list(islice(distinct, MAX_DISTINCT))


def find_forms(word: str) -> list[str]:
    """The word as it may be written elsewhere: for a URL, in JSON, for a shell and in HTML. Longest first."""
    forms = {word, html.escape(word), re.sub(r"(\W)", r"\\\1", word)}
    forms |= {quote(word, ""), quote(word, "/"), quote_plus(word)}
    for inner in (json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1]):
        forms |= {inner, inner.replace("/", r"\/"), re.sub("[<>&']", lambda match: rf"\u{ord(match[0]):04x}", inner)}
    return sorted(forms, key=len, reverse=True)


def find_base64_forms(word: str) -> set[str]:
    """What the base64 of every text has that holds the word, which is at one of three places in a group of four letters."""
    data, forms = word.encode("utf-8", "surrogatepass"), set[str]()
    for n_before, n_letters in enumerate((0, 2, 3)):
        n_known = (n_before + len(data)) * 8 // 6  # the next letter has bits of what follows, too
        form = b64encode(bytes(n_before) + data).decode()[n_letters:n_known]
        forms |= {form, form.translate(str.maketrans("+/", "-_"))}
    return forms


@lru_cache(1000)
def _match_copies(word: str) -> tuple[str, set[str], re.Pattern[str]]:
    """What a text with copies of the word has in it, in small letters, as it is or else in base64; and the copies."""

    def spell(form: str) -> str:
        gap = f"(?:{LINE_END})?" if len(form) >= SHORTEST_BROKEN else ""
        rest = rf"(?:{gap}[^\r\n]){{0,{len(form) - LONGEST_SPELT}}}" if len(form) > LONGEST_SPELT else ""
        return gap.join(map(re.escape, form[:LONGEST_SPELT])) + rest

    forms, encoded = find_forms(word), find_base64_forms(word)
    in_base64 = rf"[\w+/-]{{0,3}}(?:{'|'.join(map(spell, encoded))})[\w+/-]?={{0,2}}"
    pattern = re.compile(rf"(?i:{'|'.join(map(spell, forms))})|{in_base64}")
    return _find_longest_part(word), set(map(_find_longest_part, encoded)), pattern


def _find_longest_part(form: str) -> str:
    """Of letters and digits, which are written alike everywhere."""
    return max(re.split("[^a-z0-9]+", form[:LONGEST_SPELT].lower()), key=len)


def _mask_lines(match: re.Match[str]) -> str:
    parts = re.split(f"({LINE_END})", match[0])  # every second one is the end of a line, which stays
    return "".join(part if at % 2 else REDACTED for at, part in enumerate(parts))


def mask_words(text: str, words: Iterable[str]) -> str:
    """The text with "[redacted]" for each of the words, wherever they stand: also in other letter case, escaped, in base64,
    and broken by the end of a line.
    """
    joined = re.sub(r"\n[ \t>]*", "", text.replace("\r", "").replace("\\\n", "\n")).lower()
    maybe_base64 = " ".join(re.findall(r"[\w+/-]{6,}", joined, re.ASCII))
    for word in words:
        if not word or word.lower() in REDACTED:
            continue
        plain, encoded, pattern = _match_copies(word)
        if plain in joined or any(sign in maybe_base64 for sign in encoded):
            text = pattern.sub(_mask_lines, text)
    return text


def mask_json(value: Any, words: Sequence[str]) -> Any:
    """A value of dicts, lists and texts with the words masked in each text."""
    if isinstance(value, str):
        return mask_words(value, words)
    if isinstance(value, dict):
        return {mask_words(key, words): mask_json(inner, words) for key, inner in value.items()}
    return [mask_json(inner, words) for inner in value] if isinstance(value, list) else value


# A command line whose options hold a secret has one of these, or one of the needles of the other kinds
PROGRAM_NEEDLES = (
    *("mysql", "mariadb", "redis-", "ldap", "openssl", "add_user", "memtier", "sqlplus", "xfreerdp", " -c", " -a"),
    *(" -p", " -u"),
)
OTHERS = (
    r"curl|https?|mysql\w*|mariadb\w*|mongo\w*|docker|redis-\w+|sshpass|ldap\w+|smbclient|openssl|(?:un)?zip|memtier_benchmark"
    r"|ssh-keygen|7z\w?|unrar|rar|snmp\w+|useradd|usermod|sqlplus|lftp|xfreerdp|beeline|rabbitmqctl|wpa_passphrase"
)
PAIR = r"""(?P<v>(?<=["'])[^"'=:]+[=:][^"']+|[^\s"'=:]+[=:][^\s"']+)"""  # name=value or user:password, quoted or not
OPTIONS = {
    "curl": re.compile(
        rf"""\s(?:-[a-zA-Z]{{0,6}}u|--user|-U|--proxy-user|-b|--cookie|-E|--cert|--proxy-cert)[\s=]*["']?{PAIR}"""
    ),
    "mysql": re.compile(r"""\s-p["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "http": re.compile(rf"""\s(?:-a|--auth)[\s=]*["']?{PAIR}"""),
    "docker": re.compile(r"""\slogin\s(?:\S{1,200}\s+){0,9}?-p\s*["']?(?P<v>[^\s"']+)"""),
    "mongo": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "redis-": re.compile(r"""\s-a\s+["']?(?P<v>[^\s"']+)"""),
    "memtier_benchmark": re.compile(r"""\s(?:-a\s+|--authenticate[\s=])["']?(?P<v>[^\s"']+)"""),
    "ssh-keygen": re.compile(r"""\s-[NP]\s*["']?(?P<v>[^\s"'][^"']*)"""),
    "7z": re.compile(r"""\s-p["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "snmp": re.compile(r"""\s-[cAX]\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "user": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"']+)"""),
    "sqlplus": re.compile(r"""\s\w{1,60}/(?P<v>[^\s@"'/]+)"""),
    "lftp": re.compile(r"""\s-u\s*["']?[^\s,"']+,(?P<v>[^\s"']+)"""),
    "xfreerdp": re.compile(r"""\s/p:["']?(?P<v>[^\s"']+)"""),
    "beeline": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "rabbitmqctl": re.compile(
        r"""\s(?:add_user|change_password|authenticate_user)\s+\S{1,99}\s+["']?(?P<v>[^\s"']+)"""
    ),
    "wpa_passphrase": re.compile(r"""(?<=wpa_passphrase)\s+\S{1,99}\s+["']?(?P<v>[^\s"']+)"""),
    "sshpass": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"']+)"""),
    "ldap": re.compile(r"""\s-w\s*["']?(?P<v>[^\s"']+)"""),
    "smbclient": re.compile(r"""\s-U\s*["']?[^\s"'%]+%(?P<v>[^\s"']+)"""),
    "openssl": re.compile(r"""\s(?:-k\s+|-pass(?:in|out)?\s+pass:)["']?(?P<v>[^\s"']+)"""),
    "zip": re.compile(r"""\s-P\s*["']?(?P<v>[^\s"']+)"""),
}

OPTIONS |= {"mariadb": OPTIONS["mysql"], "unrar": OPTIONS["7z"], "rar": OPTIONS["7z"], "unzip": OPTIONS["zip"]}
FAMILIES = ("mysql", "mariadb", "mongo", "http", "ldap", "redis-", "7z", "snmp", "user")  # beginnings of names


@cache
def compile_programs() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]], re.Pattern[str]]:
    """What finds programs that take secrets in their options; these options; and the columns before the command in a row of a
    process table: nothing in them is a secret or the beginning of one. A user's name that is also a program's might be.

    Made for the first text, as it takes the formats of all load tools.
    """
    load_tools = list_secret_options()
    names = "|".join([*map(re.escape, load_tools), OTHERS])
    columns = (
        rf"""\s*(?:\d{{1,10}}\s+)?(?!(?:{names}|\w*header)\s)[a-z_][\w.+-]{{0,31}}\s+"""
        r"""(?:(?:[-+]?\d[\d.:,]{0,20}[kmgtKMGT%]?|[A-Z?][A-Za-z+<]{0,3}\d{0,2}|pts/\d{1,4}|tty\d{0,2}|rt)\s+){5,14}"""
    )
    options = {program: re.compile(rf"""{option}["']?{PAIR}""") for program, option in load_tools.items()}
    return re.compile(rf"(?:^|[\s/;|&$#>])({names})\s"), options | OPTIONS, re.compile(columns)
