"""Masks the copies of known secrets, wherever and however they are written. Pure functions."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
LINE_END = r"\\?\r?\n[ \t>]*"  # inside a word that a terminal, a shell or a mailer has broken
SHORTEST_BROKEN = 8  # characters; parts of a shorter word meet by chance
LONGEST_SPELT = 256  # characters by which a copy is found: as a pattern, 60,000 take 2 s
MAX_DISTINCT = 30  # secrets of a text that are looked for elsewhere in it, which takes up to 20 ms a MB for each


def choose_distinct(secrets: Iterable[str]) -> list[str]:
    """Those whose copies elsewhere are to go: a password such as "postgres" is a word that tables are full of."""
    distinct = (
        word for secret in secrets for word in (secret, re.split("[:=]", secret, maxsplit=1)[-1]) if _is_distinct(word)
    )
    return list(islice(dict.fromkeys(distinct), MAX_DISTINCT))


def _is_distinct(word: str) -> bool:
    return len(word) >= 8 and not re.fullmatch(r"[A-Za-z][a-z]+|[A-Z]+|[\d.:, -]+", word)


def find_forms(word: str) -> list[str]:
    """The word as it may be written elsewhere: for a URL, in JSON, for a shell and in HTML. Longest first."""
    forms = {word, html.escape(word), re.sub(r"(\W)", r"\\\1", word)}
    forms |= {quote(word, ""), quote(word, "/"), quote_plus(word)}
    for inner in (json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1]):
        forms |= {inner, inner.replace("/", r"\/"), re.sub("[<>&']", lambda found: rf"\u{ord(found[0]):04x}", inner)}
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


def _mask_lines(found: re.Match[str]) -> str:
    parts = re.split(f"({LINE_END})", found[0])  # every second one is the end of a line, which stays
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
