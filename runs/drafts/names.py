"""The names that headings give: without numbering, the number of a repeat, the load, and the words that all have in common."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise, takewhile

from parsers.catalogue import makes_load
from parsers.patterns import lower
from parsers.transcript import width
from runs.analysis.method import Method

from .boilerplate import fold_name, heading_level, strip_markup
from .heading_words import (
    LETTER,
    SOFTWARE,
    WITH,
    WITHOUT,
    find_phase,
    is_generic,
    is_sentence,
    is_short,
    names_software,
    remove_file_type,
    split_repeat,
)
from .ordinals import AGAIN, LOADED, REPEAT, split_number, split_ordinal

SHORT_NAME = 60
_WITH = re.compile(rf"^(?:{WITH})\s+(?:(?:the|a|an)\s+)?(?=\w{{2}})", re.IGNORECASE)
_WITHOUT = re.compile(rf"(?:{WITHOUT}|no)\b", re.IGNORECASE)
_SETTING = re.compile(r"[\w. -]{1,40}\s?[:=]\s?[\w.%-]{1,20}")  # with its value
_TELLS_SETTING = re.compile(  # a word that says the same before and behind a name; "before nginx" is not "nginx before"
    r"(?!(?:before|after|behind|vs|to|from|than|and|or|plus|non?|not|in|of|under|via|by|for|as|at|only|like)$)[\w.=/-]+",
    re.IGNORECASE,
)
_REMARK = re.compile(r"(?:(?<!\s)\s++)?+[(（\[,:]")  # what may be left out where a name is mentioned again
_COUNTED = re.compile(  # "(2.1) event", "2.1.1 Netty", "Setup 1 - default"
    r"(?:(?P<word>[^\W\d_]+)\s+)?[(（\[#]?(?P<number>\d{1,2}(?:(?:\.\d{1,2}){1,8}(?=[\s.)）\]:–—-])|(?=\s?[.)）\]:–—-])))[.)）\]:\s–—-]++(?P<rest>\S.*[^\W\d_].*)"
)
_MOST_DIGITS = 9  # of a load's numbers
_LONG_NUMBER = 5  # digits: more than a version or a number of processes has
_LOAD = "\0"  # in place of a number that tells the load
_PART = re.compile(  # a number, but no size ("1B") or version; a word; a sign
    r"(?<![.\d])\d+(?:[,.\s]\d{3})*[kKm]?(?![A-Za-z\d]|\.\d)|\d+(?:\.\d+)+|[A-Za-z]*\d+[A-Za-z][\w.]*|[^\W\d_]+|\s+|.",
    re.DOTALL,
)
_IS_NAME = re.compile(r"\d|[^\W\d_a-z][A-Z]|[a-z][A-Z]")  # "PHP", "HTTP/2", "fastCGI"
_IS_WORD = re.compile(r"[^\W\d_]{4,}|[^\W\d_A-Za-zÀ-ɏ]{2,}")
_LOAD_PHRASE = re.compile(  # with what belongs to it: "c=10", "(10 connections)", ", 10 clients each"
    rf"[^\W\d_]*\s?[=:：]\s?{_LOAD}\w*|[-([（\[,;|/@·–—]*+\s*+-?+(?>(?<=-)[^\W\d_]\s?)?+[^\s,;:：，。、()（）\[\]{_LOAD}]*+{_LOAD}[^,;:：，。、()（）\[\]]*[)\]）]?"
)
_MEASURED = re.compile(r"\b(?:throughput|latenc(?:y|ies)|clients?)\b", re.IGNORECASE)  # at a load, which names nothing
_JOINT = re.compile(r"(\s*[,;|/]\s+|\s+[–—-]\s+|\s*[:：=]\s*(?=[^\W\d]))")  # between the parts of a name
_JOINTS, _CLOSES = frozenset(",;(（[|/@·–—、，"), frozenset(")]）")  # what stands between a name and its load
_VALUE = re.compile(r"(?!(?i:on|off|yes|no|true|false)\b)(?:[^\W\d_][\w+]|\d+\.\d)")  # of which a part can be a name
_FEWEST_STEPS, _LEAST_SAID = 3, 3  # load tests of a sweep, and blanks in what is said above each
_OF_LOAD = re.compile(
    r"\b(?:connections?|clients?|users?|concurren\w+|load|requests?|break\w*|harder|stress|peak)\b", re.IGNORECASE
)
_AT_LOAD = re.compile(rf"(?:{WITH})\s(?:an?\s|one\s|only\s|single\s|\d[\d.,]*k?\s)+(?:\w+\s)?{LOADED}\b", re.IGNORECASE)
_SAYS_MORE = re.compile(rf"\b(?:{WITH}|{WITHOUT}|on|off|enabled|disabled|instead)\b|[=_/]|\d\.\d", re.IGNORECASE)
_LEAST_VALUE = 16  # of numbers that may be those of settings


def fold_order(name: str) -> str:
    """What names of one thing have in common, see `fold_name`, whichever end its one server or language stands at.

    Settings with their values may stand in any order: "cache: off, workers: 4".
    """
    settings = re.split(r",\s+", name)
    if len(settings) > 1 and all(map(_SETTING.fullmatch, settings)):
        return fold_name(", ".join(sorted(settings)))
    words = [word.strip("()[]:,") for word in name.split()]
    ends = [at for at in (0, -1) if words and SOFTWARE.fullmatch(words[at])]
    rest = [word for word in words if not SOFTWARE.fullmatch(word)]
    if len(ends) != 1 or len(rest) != len(words) - 1 or not rest or not all(map(_TELLS_SETTING.fullmatch, rest)):
        return fold_name(name)
    return fold_name(" ".join([words[ends[0]], *rest]))


def drop_with(names: Mapping[str, str]) -> dict[str, str]:
    """The names, "with keep-alive" as "keep-alive" where none is "without" something, and no other has that name."""
    bare = {text: _WITH.sub("", name) for text, name in names.items()}
    is_stated = any(_WITHOUT.match(name) for name in names.values())
    return dict(names) if is_stated or len({*bare.values()}) < len({*names.values()}) else bare


def drop_numbering(names: Mapping[str, str]) -> dict[str, str]:
    """The names without numbers that count them: "2.1 sync" and "2.2 async", "Setup 1 - default" and "Setup 2 - tuned".

    Versions have the same words behind them, or other numbers: "2.2 prefork" and "2.4 prefork".
    """
    matches = {text: _COUNTED.fullmatch(name) for text, name in names.items()}
    counted = {
        text: (each["word"] or "", *each["number"].rpartition(".")[::2], each["rest"])
        for text, each in matches.items()
        if each
    }
    if len(counted) < max(len(names), 2) or len({word for word, *_ in counted.values()}) > 1:
        return dict(names)
    rests = {text: rest for text, (*_, rest) in counted.items()}
    by_level: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for _, level, number, rest in counted.values():
        by_level[level].append((int(number), rest))
    word = next(iter(counted.values()))[0]
    is_row = all(_are_counted(titles, may_recur=not (word or level)) for level, titles in by_level.items())
    return rests if is_row and not (names_software(word) or any(map(is_generic, rests.values()))) else dict(names)


def _are_counted(titles: Sequence[tuple[int, str]], *, may_recur: bool) -> bool:
    """Whether numbers go on by one, each with a title of its own, unless it may be that of a repeat: "1: nginx", "2: nginx"."""
    numbers = sorted({number for number, _ in titles})
    is_row = numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    return is_row and len(numbers) > 1 and (may_recur or len({rest for _, rest in titles}) == len(numbers))


def shorten(text: str) -> str:
    """`text` as a name: of a long sentence its beginning."""
    bare = strip_markup(text)
    if width(bare) <= 2 * SHORT_NAME:
        return bare
    cut = bare[:SHORT_NAME]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[20:] else cut}…"


def find_levels(
    sections: Iterable[tuple[Sequence[tuple[int, str]], Method]], may_name: Callable[[str], bool]
) -> set[str]:
    """Lines beside names that only numbers tell apart, those of the load below each: "c=10, 3 runs", "c=100, 3 runs"."""
    alike: dict[tuple[int, str], list[tuple[list[int], str, Method]]] = defaultdict(list)
    beside: set[tuple[int, str]] = set()  # what stands above or below a name where it stands first
    for trail, method in sections:
        naming = [text for _, text in trail if may_name(text)]
        headings = {text for text in naming if heading_level(text)}
        for _, text in trail:
            bare = REPEAT.sub(" ", lower(text))  # "Test 2 (c=100)"
            numbers = [int(number[:_MOST_DIGITS]) for number in re.findall(r"\d+", bare)]
            base = len(numbers), re.sub(r"\d+|(?<=\w{3})[^\W\d]+", "", bare)
            if is_short(text) and numbers and not names_software(text):
                is_above = naming and naming[-1] != text and not is_sentence(naming[-1])
                is_beside = is_above or headings - {text}
                beside |= {base} if is_beside and base not in alike else set()
                alike[base].append((numbers, text, method))
    levels: set[str] = set()
    for base in beside:
        said = alike[base]
        changing = [at for at, column in enumerate(zip(*(each[0] for each in said), strict=True)) if len({*column}) > 1]
        if changing and all(_tells_load([numbers[at] for at in changing], method) for numbers, _, method in said):
            levels |= {text for _, text, _ in said}
    return levels


def find_steps(above: Sequence[tuple[str, Method]]) -> set[str]:
    """What is said above each step of a sweep, of which only the load differs and becomes larger: "now 10 connections, as usual".

    above: (the last line above a load test, its method); one of them that tells more than the load makes all of them names
    """
    loads = [(method.concurrency or 0, method.rate or 0) for _, method in above]
    is_sweep = all(a != b and a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(loads))
    alike = {(method.tool, method.keepalive, method.pipelining, method.method, method.path) for _, method in above}
    texts = {text for text, _ in above}
    n_told = sum(bool(_OF_LOAD.search(text)) for text in texts)
    says_more = any(_SAYS_MORE.search(_AT_LOAD.sub(" ", text)) or names_software(text) for text in texts)
    are_said = all(text.count(" ") >= _LEAST_SAID and heading_level(text) < 2 for text in texts)
    is_told = _FEWEST_STEPS <= len(texts) == len(above) and are_said and 2 * n_told >= len(texts) and not says_more
    return texts if is_sweep and is_told and len(alike) == 1 else set()


def _tells_load(numbers: Sequence[int], method: Method) -> bool:
    """Whether numbers are those of a load: its clients, requests, rate or time, and perhaps the threads that made it."""
    seconds = method.duration_s or 0
    load = {method.concurrency, method.requests, method.rate, seconds, seconds / 60, seconds / 3600} - {0}
    return not load.isdisjoint(numbers) and load | {dict(method.further or ()).get("threads")} >= {*numbers}


def drop_levels(names: Mapping[str, str], methods: Mapping[str, Sequence[Method]]) -> dict[str, str]:
    """{heading: its name without the load that it tells}: "nginx c=10" and "nginx c=100" are "nginx"; "10 users" names nothing.

    A number tells the load where each load test below the heading has it as its clients, requests, rate or time, and another
    heading has another number in its place, or all have one. What stands around it and is the same in all of them goes, too.
    names: {heading: name}; methods: {heading: those of its load tests}
    """
    parts = {text: _split_at_loads(name, methods[text]) for text, name in names.items()}
    if not all(_LOAD in own for own in parts.values()):
        parts = _split_at_threads(names, methods) or parts
    loaded = {text: own for text, own in parts.items() if _LOAD in own}
    skeletons = Counter("".join(own) for own in {names[text]: own for text, own in loaded.items()}.values())
    if len(loaded) < 2 or not (len(loaded) == len(names) or max(skeletons.values()) > 1):
        return dict(names)
    loaded = {text: own for text, own in loaded.items() if len(loaded) == len(names) or skeletons["".join(own)] > 1}
    if len({"".join(own) for own in loaded.values()}) == 1:
        only = "".join(next(iter(loaded.values())))
        return dict(names) | dict.fromkeys(loaded, _trim_name(_LOAD_PHRASE.sub("", only)))
    before, after = (_count_beside_load([*loaded.values()], side) for side in (-1, 1))
    bare = {
        text: _strip_ends("".join([*own[: own.index(_LOAD) - before], " ", *own[own.index(_LOAD) + 1 + after :]]))
        for text, own in loaded.items()
    }
    named = {text: _trim_name(name) for text, name in bare.items()}
    if len({*map(bool, named.values())}) == 1 and any(named.values()):
        return dict(names) | named
    return dict(names) | bare


def _count_beside_load(names: Sequence[Sequence[str]], side: int) -> int:
    """How many of the parts that all have beside the load belong to it: up to a comma or bracket one word, and others that name
    nothing."""
    beside = _around(names[0], side)[: _count_common([_around(own, side) for own in names])]
    n_words = count = 0
    for part in beside:
        is_word = part[0].isalnum()
        if (is_word and n_words and not is_generic(part)) or (side < 0 and part in _CLOSES):
            break
        n_words += is_word
        count += 1
        if part in _JOINTS or (side > 0 and (part == ":" or part in _CLOSES)):
            break
    return count


def _split_at_loads(name: str, methods: Sequence[Method]) -> list[str]:
    """The words and signs of a name, _LOAD in place of its one number that is the load's."""
    parts = _PART.findall(name)
    amounts = [at for at, part in enumerate(parts) if part[0].isdigit() and _is_load_of(part, methods)]
    return [*parts[: amounts[0]], _LOAD, *parts[amounts[0] + 1 :]] if len(amounts) == 1 and methods else parts


def _split_at_threads(names: Mapping[str, str], methods: Mapping[str, Sequence[Method]]) -> dict[str, list[str]]:
    """The names' parts, _LOAD in place of the number of threads that made the load, or {}: several names must have the same."""
    threads = {text: {str(dict(each.further or ()).get("threads")) for each in own} for text, own in methods.items()}
    parts = {
        text: [_LOAD if {part} == threads[text] else part for part in _PART.findall(name)]
        for text, name in names.items()
    }
    numbers: dict[str, set[str]] = defaultdict(set)
    for text, own in parts.items():
        numbers["".join(own)] |= threads[text]
    is_crossed = len(numbers) > 1 and len({frozenset(own) for own in numbers.values()}) == 1
    told = is_crossed and len(next(iter(numbers.values()))) > 1
    return parts if told and all(own.count(_LOAD) == 1 for own in parts.values()) else {}


def _is_load_of(number: str, methods: Sequence[Method]) -> bool:
    """Whether each load test has the number as its load. Of a long one a single load test is enough: a heading was copied."""
    fits = [_is_load(number, each) for each in methods]
    return all(fits) or (any(fits) and len(number) >= _LONG_NUMBER)


def _is_load(number: str, method: Method) -> bool:
    match = re.fullmatch(r"(\d{1,9})([kKm]?)", re.sub(r"[,.\s](?=\d{3})", "", number))
    scale = {"k": 1000, "m": 60}.get(match[2].lower(), 1) if match else 0
    return match is not None and _tells_load([int(match[1]) * scale], method._replace(further=None))


def _around(parts: Sequence[str], side: int) -> list[str]:
    """What stands before (-1) or behind (1) the load, from it outwards."""
    at = parts.index(_LOAD)
    return list(parts[at + 1 :] if side > 0 else reversed(parts[:at]))


def _count_common(sides: Sequence[Sequence[str]]) -> int:
    """How many parts, from the first on, are the same in all."""
    return sum(1 for _ in takewhile(lambda column: len({*column}) == 1, zip(*sides, strict=False)))


def _trim_name(text: str) -> str:
    bare = _strip_ends(text)
    return "" if is_generic(_MEASURED.sub(" ", bare)) else bare


def _strip_ends(text: str) -> str:
    text = re.sub(
        r"^[(（\[](?=[^)）\]]*$)|\s[(（\[][^()（）\[\]]*$", "", text
    )  # of which the end is gone with the load
    bare = re.sub(r"[(（\[]\s*[)）\]]", "", " ".join(text.split())).strip(" \t,;:：、，·•|/@=–—-")
    return bare[1:-1] if re.fullmatch(r"\[[^][]+\]", bare) else bare


def drop_common_words(names: Mapping[str, str]) -> dict[str, str]:
    """The names without the parts and the words that all begin with: "nginx, kernel 6.1", "Throughput of nginx".

    Words that only say that something was measured go at the end, too. Names and abbreviations are dropped as whole parts only
    ("MPM prefork" stays), and nothing where what is left names nothing by itself ("on", "2", "B: keep-alive").
    """
    names = _drop_common_parts(names)
    split = {name: name.split() for name in names.values()}
    if len(split) < 2:
        return dict(names)
    first, n_first = next(iter(split.values())), _count_common([*split.values()])
    n_last = _count_common([words[::-1] for words in split.values()])
    if any(names_software(word) or _IS_NAME.search(word) for word in first[:n_first]):
        n_first = 0
    last = " ".join(first[len(first) - n_last :])
    if not (is_generic(last) or makes_load(last.lower().strip("()[] ").partition(" ")[0])):  # "(ab -n 1000)"
        n_last = 0
    bare = {name: words[n_first : len(words) - n_last] for name, words in split.items()}
    if not (n_first or n_last) or not all(map(_names_alone, bare.values())):
        return dict(names)
    return {text: " ".join(bare[name]).rstrip(",;:|/–—-").rstrip() for text, name in names.items()}


def find_shared_words(whole: Mapping[str, str], names: Mapping[str, str]) -> str:
    """What stands before the names where these are whole, and a blank: "nginx: " of "nginx, TLS on" and "nginx, TLS off"."""
    before = {name[: len(name) - len(names[text])] for text, name in whole.items() if name.endswith(names[text])}
    shared = next(iter(before)).rstrip() if len(before) == 1 else ""
    bare = shared.rstrip(" ,;:：|/=–—-")
    return f"{bare}{'' if bare == shared else ':'} " if bare and not is_generic(bare) else ""


def _drop_common_parts(names: Mapping[str, str]) -> dict[str, str]:
    """The names without what all have before a comma, a dash, a colon or a sign between a key and its value."""
    split = {name: _JOINT.split(name) for name in names.values()}
    n_first = _count_common([*split.values()]) if len(split) > 1 else 0
    bare = {name: name[len("".join(parts[:n_first])) :] for name, parts in split.items()} if n_first % 2 == 0 else {}
    tells = all(_VALUE.match(text) and (any(map(str.isdigit, text)) or not is_generic(text)) for text in bare.values())
    return {text: bare[name] for text, name in names.items()} if bare and n_first and tells else dict(names)


def _names_alone(words: Sequence[str]) -> bool:
    """Whether words are more than a state, a number or a letter, and need none of those that stood around them."""
    text = " ".join(words)
    if not words or LETTER.fullmatch(words[0].rstrip(":,")) or is_generic(words[-1]) or is_generic(text):
        return False
    return bool(_IS_WORD.search(text) or any(map(SOFTWARE.fullmatch, words))) and not find_phase(text)


def find_numbered_repeats(
    names: Mapping[str, str], are_alike: Callable[[Sequence[int]], bool], loads: Mapping[str, Sequence[int]]
) -> dict[str, str]:
    """{heading: name without the number of its repeat}, of headings that only a number tells apart: "nginx 1", "nginx 2".

    It may be a version's: it is a repeat's where the numbers of several names begin with 1, or one name has three of them.
    names: {heading: name}; loads: {heading: load tests that it names}
    """
    kinds: dict[str, dict[str, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    own: set[str] = set()  # names whose numbers may be their own
    for text, name in names.items():
        if split := split_repeat(name) or split_number(name):
            kinds["number"][split[0]][split[1]] = text
            is_free = split_repeat(name) and (split[1] or names_software(split[0]))
            own |= set() if is_free else {split[0]}  # "worker 1", "gzip 0"
        elif parts := split_ordinal(name):
            kind, base, number = parts
            kinds[kind][base][number] = text
    plain = {name: text for text, name in names.items()}
    repeats: dict[str, str] = {}
    for kind, bases in kinds.items():
        for base in bases.keys() & plain.keys():
            bases[base].setdefault(1, plain[base])  # "nginx" and "nginx 2"
        days = sorted({day for texts in bases.values() for day in texts}) if kind == "day" else []
        counted = {
            base: texts
            for base, texts in bases.items()
            if (sorted(texts) == days or len(texts) == max(texts) + (0 in texts))
            and are_alike([load for text in texts.values() for load in loads[text]])
        }
        if _are_repeats(kind, counted, len(bases), own):
            repeats |= {text: base for base, texts in counted.items() for text in texts.values()}
    return repeats


def _are_repeats(kind: str, counted: Mapping[str, Mapping[int, str]], n_bases: int, own: Collection[str]) -> bool:
    """Whether names of one kind, {name: {number: heading}} of those that count from 1, of so many, number repeats."""
    counts = {*map(len, counted.values())}
    several = len(counted) > 1 and max(counts) > 1
    if kind in ("number", "again"):
        free = [(base, len(texts)) for base, texts in counted.items() if base not in own]
        is_counted = any(n > 1 and several or n > 2 and len(base) > 1 for base, n in free)
        return is_counted or (kind == "again" and bool(counted))
    is_clear = all(map(names_software, counted)) or (kind != "software" and len(counts) == 1 and max(counts) > 2)
    return several and len(counted) == n_bases and (is_clear or kind not in ("glued", "software"))


def drop_repeats(variants: Mapping[int, str], are_alike: Callable[[Sequence[int]], bool]) -> dict[int, str]:
    """{load: what its commands tell}, without the number of a repeat: of "nginx 1" and "nginx 2", beside others, "nginx"."""
    loads: dict[str, list[int]] = defaultdict(list)
    for load, words in variants.items():
        loads[words].append(load)
    repeats = find_numbered_repeats({words: words for words in loads}, are_alike, loads)
    return {load: repeats.get(words, words) for load, words in variants.items()}


def name_values(texts: Iterable[str]) -> dict[str, str]:
    """{heading: its whole name}, where its number is no repeat's but a value, as the others lie far apart: "test1", "test64"."""
    numbers: dict[str, dict[int, str]] = defaultdict(dict)
    for text in texts:
        if (split := split_repeat(remove_file_type(text))) and split[2]:
            numbers[split[0]][split[1]] = text
    tried = (own for own in numbers.values() if len(own) > 1 and max(own) >= max(_LEAST_VALUE, 4 * len(own)))
    return {text: remove_file_type(text) for own in tried for text in own.values()}


def find_full_names(names: Mapping[str, str]) -> dict[str, str]:
    """The names, of "Express again" that of "Express (port 3000)", where no other begins so."""
    plain = {name for text, name in names.items() if not _measures_again(text)}
    full: dict[str, set[str]] = defaultdict(set)  # by how they begin
    for name in plain:
        full[_REMARK.split(name)[0].lower()].add(name)
    return {
        text: next(iter(full[name.lower()])) if name not in plain and len(full[name.lower()]) == 1 else name
        for text, name in names.items()
    }


def _measures_again(text: str) -> bool:
    """Whether a heading names what was measured before: "nginx again"."""
    return bool(AGAIN.search(lower(text))) and split_repeat(text) is not None
