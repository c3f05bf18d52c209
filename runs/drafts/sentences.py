"""What sentences above load tests are about: words that no other one has, what was changed to, a setting."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from parsers.blocks import Block
from parsers.catalogue import makes_load
from parsers.transcript import width

from .boilerplate import Line, is_banner, is_boilerplate, strip_markup
from .heading_words import SOFTWARE, WITH, WITHOUT, WORD, is_generic, is_short, name_of_heading
from .ordinals import LOADED_CJK
from .settings import read_setting

_COMPARISON = re.compile(
    r"\b(?:vs|versus|against|gegen|compared (?:to|with))\b|\b(?:or|oder|ou|o)\s.*[?？]$"
    r"|\b(?:compar(?:ison|ing)|vergleich|comparaison|comparación|porównanie)\b"
    r"|比較|対比|比较|对比",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile(r"[^\W\d_A-Za-zÀ-ɏ]")
_NEW = r"(?P<new>[^\s,;:、。()（）][^,;:、。()（）]{0,48}?(?:\s?[(（][^()（）]{1,40}[)）])?)"
_END = r"(?=\s*(?:[,;:。、]|[.!?](?:\s|$)|$)|\s(?:and|but|instead|rather|in place|for|then|und|statt|anstatt|anstelle|ersetzt)\b)"
_REPLACEMENTS = tuple(  # "changed X to Y"
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:switch|chang|mov|migrat|convert)(?:ed|es?|ing)\s(?:[^.;:]{{0,80}}?\s)?to\s(?:the\s)?{_NEW}{_END}",
        rf"\breplac(?:ed|es?|ing)\s[^.;:]{{1,80}}?\s(?:with|by)\s(?:the\s)?{_NEW}{_END}",
        rf"\b(?:now|same|again|this time)\b(?:\s\w+)?\s(?:with|using)\s(?:the\s)?{_NEW}{_END}",
        rf"\bdurch\s(?:den\s|die\s|das\s)?{_NEW}\sersetzt",
        rf"\b(?:auf|zu|zum|zur)\s(?:den\s|die\s|das\s)?{_NEW}\s(?:um)?ge(?:stellt|wechselt|schaltet|ändert)",
        rf"\b(?:nun|jetzt|diesmal|dasselbe|gleiche)\smit\s(?:dem\s|der\s)?{_NEW}{_END}",
        rf"(?:を|から){_NEW}(?:に|へ)(?:変え|変更|切り?替え|置き?換え|移行)",
        rf"(?:ではなく|の?(?:代|か)わりに)、?{_NEW}(?:で|に|を)",
    )
)
_SETTING = re.compile(  # "MaxClients = 20", "worker_processes 2;"
    r"`?((?=\w*(?:[_.-]|[a-z][A-Z]))[A-Za-z][\w.-]*\s*(?:=\s*|:\s+|\s)(?:\d[\w./%]*|on|off|yes|no|true|false|auto));?`?"
)
_TO = "to|auf|a|à|para|na|do|до"
# A setting of a technical name in a sentence: "pm.max_children to 50", "opcache.enable=0", "fs.file-max von 1000 auf 9000"
_STATED_VALUE = re.compile(
    r"(?<![\w/.-])(?P<key>(?=\w*(?:_|[a-z][A-Z]|\.\w))[A-Za-z]\w*(?:[.-]\w+)*)`?"
    rf"(?P<by>\s?[=:]\s?|\s(?:\w{{1,3}}\s)?|\s(?:\w+\s){{1,3}}(?:{_TO})\s|[を设]\w?)[`'\"]?"
    r"(?P<value>\d[A-Za-z\d%]*(?:\.\d\w*)*|(?<=[=:])\w+|(?<=[=:]\s)\w+)"
    rf"(?:`?(?:\s(?:{_TO})\s|\s?(?:->|→|から|到|改为)\s?)`?(?P<new>\d[A-Za-z\d%]*))?"
)
_ASSIGNS = re.compile(rf"[=:]|\s(?:{_TO})\s$")
_PLAIN = """
    after again all also an any as at be but by came latest newest can did do few finally first got had has have how if into
    just last like made measured me more much my next no not only or our out over same some still switched than them there they
    through time too took output looks like follows second one gives gave turn gets try shows showed printed thanks thank please
    hi hello sorry report reproduce tried turned up us very we when which while will without would you your using instead
    available well idle should see similar
"""
_PLAIN_WORDS = frozenset(_PLAIN.split())
_WEAK = re.compile(  # words that name nothing where they are all
    r"(?:web|http|box(?:es)?|machines?|servers?|laptops?|set-?ups?|results?|tests?|pages?|sites?|things?|versions?|numbers?)",
    re.IGNORECASE,
)
_FILE_OF_PATH = re.compile(r"/[^/]+\.[a-z]{1,4}$")
_PERSON = re.compile(r"(?<!\S)@([\w-]+)")
_TOOL_NAME = re.compile(r"\bapache[\s-]?(?:(?:http server )?bench\w*(?: tool)?)\b", re.IGNORECASE)
_DIGEST = re.compile(r"\b(?=[a-f]*\d)(?:[0-9a-f]{12}|[0-9a-f]{64})\b")  # of a container or an image
_POSSESSIVE = re.compile(r"\b\w+['’]s\s")
# "server A": of several, the one that a sentence is about
_ONE_OF = re.compile(
    r"\b(?i:(servers?|machine|host|node|box|maschine|rechner|serveur|servidor|serwer))\s#?([A-Z]|\d|one|two|three)(?![\w.,]\w)"
)
_STATE = re.compile(  # "sendfile on", "without the cache", "キャッシュなし"
    r"\b(?P<name>[A-Za-z][\w.-]{2,40})\s(?:(?:switched|turned)\s)?(?:on|off|enabled|disabled)(?=\s*(?:[,.;:!?)]|$)|\s(?:and|in|it|I|now|again|vs)\b)"
    rf"|\b(?:{WITHOUT})\s(?:the\s|any\s)?(?!(?:and|then|but)\b)[\w.-]{{2,40}}\w"
    r"|(?:[A-Za-z][\w.-]{1,30}|[ァ-ヶー一-鿿]{2,12})を?(?:なし|無し|あり|有り|有効|無効|オン|オフ)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(rf"\b(?:{WITHOUT})\s(?:the\s|any\s)?([\w.-]{{2,40}}\w)")
_WITH = re.compile(rf"\b({WITH})\s(?:(?:the|an?|dem|der|le|la|el)\s)?([\w.-]{{2,40}}\w)", re.IGNORECASE)
_ENABLED = re.compile(  # "I enabled batcache", "after we installed memcached"
    r"\b(?:enabled?|install(?:ed)?|activat(?:ed?)|deploy(?:ed)?|turned on|switched on|activé|installé|activado|instalado)\s"
    r"(?:(?:the|an?|le|la|el)\s)?([A-Za-z][\w.-]{2,40}\w)",
    re.IGNORECASE,
)
_VERSION = re.compile(rf"\b(?:{SOFTWARE.pattern})[ -]v?\d+(?:\.\d+)*\b", re.IGNORECASE)  # "PHP 8.2"
# "on kernel 5.10", "with 6.1:", at the end of a clause, where no unit follows
_RELEASE = re.compile(
    r"\b(?:on|with|using|under|in|to)\s(?:the\s)?((?:[A-Za-z][\w-]*\s)?v?\d+(?:\.\d+)+)(?=\s*(?:[,;:!?)]|\.?$))"
)
_ITEM = re.compile(r"\W{0,4}\d{1,2}[.)]\s+")  # of two items that are alike but for it one tells what others do not have
_CLAUSE = re.compile(r"\s*[，、。；：,;:]\s*")
_COUNTED = re.compile(rf"\d{LOADED_CJK}")
_CHANGED = re.compile(r"换[成为用]|改[成为用]|切换|开启|打开|关闭|启用|禁用|使用|采用|に(?:変更|して|切り替え)|を使")
_WIDEST_CLAUSE = 40
_WIDEST_SETTINGS = 60
_MAX_SENTENCE = 300  # characters of it that are looked at
_MOST_COMPARED = 100_000  # characters of all sentences in which each is looked for what it says


class Sentences:
    """What each of several sentences has that no other of them has. Each is looked at once, however many there are."""

    def __init__(self, texts: Iterable[str]) -> None:
        texts = list({" ".join(_ITEM.sub("", text).split()): text for text in texts}.values())
        lower = "\n".join(texts).lower()
        self._lower = lower[:_MOST_COMPARED]
        self._n_with = Counter(word for text in texts for word in _split_words(text))
        self._lacking = frozenset(_WITHOUT.findall(lower))
        numbered = [_find_numbered(text) for text in texts]
        self._n_numbered = sum(map(bool, numbered))
        self._n_valued = Counter(valued for text in texts for valued in {*_find_values(text)})
        self._n_alone = Counter(one for found in numbered if len(found) == 1 for one in found)

    def find_distinguishing_words(self, text: str, sentence: str) -> str:
        """The words that name what `sentence`, out of this text, is about and that no other text has, or ""."""
        sentence, own = _POSSESSIVE.sub(" ", _TOOL_NAME.sub(" ", _DIGEST.sub(" ", sentence))), text.lower()
        for state in _STATE.finditer(sentence):
            name, lower = state[0].replace("the ", "").replace("any ", ""), state[0].lower()
            if not is_generic(name) and self._lower.count(lower) <= own.count(lower):
                return name
        for match in _WITH.finditer(sentence):
            if match[2].lower() in self._lacking:
                return f"{match[1].lower()} {match[2]}"
        of_text = _split_words(text)
        for match in _ENABLED.finditer(sentence):
            name, lower = match[1], match[1].lower()
            is_own = self._n_with[lower] <= (lower in of_text)
            if is_own and not (is_generic(name) or lower in _PLAIN_WORDS or _WEAK.fullmatch(name)):
                return name
        versions = list(dict.fromkeys(map(str.lower, _VERSION.findall(sentence) or _RELEASE.findall(sentence))))
        distinct = [version for version in versions if self._lower.count(version) <= own.count(version)] or versions
        if len(distinct) == 1 and (version := re.search(re.escape(distinct[0]), sentence, re.IGNORECASE)):
            return version[0]
        for valued in _find_values(sentence):
            if self._n_valued[valued] < 2:
                return valued
        words: list[str] = [
            word
            for word in WORD.findall(sentence)
            if self._n_with[word.lower()] <= (word.lower() in of_text)
            and not (any(map(makes_load, word.lower().split("-"))) or re.fullmatch("(?i:[qrt]ps)", word))
            and not _FILE_OF_PATH.search(word)
        ]
        is_technical = re.compile(r"\w*(?:_|\d|\+|[a-z][A-Z])").match
        persons = set(_PERSON.findall(sentence))
        named = [word for word in words if is_technical(word) or SOFTWARE.fullmatch(word.partition("-")[0])]
        named = [word for word in named if word not in persons]
        plain = [word for word in words if not is_generic(word) and word.lower() not in _PLAIN_WORDS]
        if named or _OTHER_SCRIPT.search(sentence):
            return next(iter(named or plain), "") or self._find_clause(sentence, own)
        distinct = [word for word in plain if word not in persons]
        has_others = "\n" in self._lower
        return (
            " ".join(distinct)
            if distinct and has_others and len(plain) <= 3 and not all(map(_WEAK.fullmatch, distinct))
            else ""
        )

    def _find_clause(self, sentence: str, text: str) -> str:
        """The part of a Chinese or Japanese sentence that says what was changed, else its first one that no other text has."""
        clauses = [
            clause
            for clause in _CLAUSE.split(sentence)
            if not (is_generic(clause) or _COUNTED.search(clause))
            and self._lower.count(clause.lower()) <= text.count(clause.lower())
        ]
        chosen = next((clause for clause in clauses if _CHANGED.search(clause)), next(iter(clauses), ""))
        name = name_of_heading(chosen)
        return name if width(name) <= _WIDEST_CLAUSE else ""

    def find_one_of(self, text: str) -> str:
        """ "server A" of a text about it, where others are about "server B", or ""."""
        own = _find_numbered(text)
        left = [one for one in own if self._n_alone[one] <= (len(own) == 1)]
        return " ".join(left[0]) if len(left) == 1 and self._n_numbered > 1 else ""


def _find_values(text: str) -> list[str]:
    """The settings that a sentence tells with their values, the last value of those that were changed.

    A name with dots may be a file's or a host's, unless it is said to be, or to become, that value.
    """
    values = [each for each in _STATED_VALUE.finditer(text[:_MAX_SENTENCE]) if not _VERSION.match(each[0])]
    return [
        f"{each['key']}{'=' if '=' in each['by'] else ' '}{each['new'] or each['value']}"
        for each in values
        if "." not in each["key"] or "_" in each["key"] or _ASSIGNS.search(each["by"])
    ]


def _split_words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def _find_numbered(text: str) -> set[tuple[str, str]]:
    """The machines that a text tells apart by a letter or a number: ("server", "A")."""
    return {(_spell(noun), which) for noun, which in _ONE_OF.findall(text)}


def _spell(noun: str) -> str:
    """In lower case, but for German nouns: "Server A" and "server A" are one machine."""
    return noun.capitalize() if noun.lower() in ("maschine", "rechner") else noun.lower()


def is_one_of(name: str) -> bool:
    """Whether a name is no more than "server A"."""
    return bool(_ONE_OF.fullmatch(name))


def find_replacement(sentence: str, title: str) -> str:
    """Y of "changed X to Y (with its settings)" below a title that compares the two, or ""."""
    for pattern in _REPLACEMENTS:
        for match in pattern.finditer(sentence[:_MAX_SENTENCE]):
            known = re.findall(r"[^\W_]{2,}", re.split("[(（]", match["new"])[0].lower())
            if any(word in title.lower() for word in known):
                return match["new"].strip()
    return ""


def find_setting(line: str) -> str:
    """The setting that a line consists of, as "worker_processes 2", or ""."""
    match = _SETTING.fullmatch(line.strip())
    return match[1] if match else ""


def find_settings(section: Sequence[Block], line: int) -> str:
    """The settings that are typed or shown behind a line, or "" where there are none or too many for a name."""
    said: list[str] = []
    for block in section:
        said += [setting for at, text in block.trail if at > line and (setting := find_setting(text))]
        said += [typed[1] for command in block.typed if block.first > line and (typed := read_setting(command))]
        shown = str(block.values.get("text", "")).split("\n") if block.kind == "config" and block.first > line else []
        said += [bare for each in shown if (bare := each.strip(" \t;")) and not re.search(r"^[<#}]|\{$", bare)]
    name = ", ".join(dict.fromkeys(filter(None, said)))
    return name if len(said) < 3 and width(name) <= _WIDEST_SETTINGS else ""


def is_comparison(text: str) -> bool:
    """Whether a title names two things that are compared: "X vs Y"."""
    return bool(is_short(text) and _COMPARISON.search(strip_markup(text)))


def name_by_paths(titles: Iterable[str], path_of: Mapping[int, str | None]) -> dict[int, str]:
    """{load: the words of its path that tell it apart}, where a comparison's title has such words of each path.

    "Virtual vs platform threads" above "/virtual-report" and "/platform-report": the path is what is compared.
    """
    words = {path: set(_WORDS.findall((path or "").lower())) for path in path_of.values()}
    common = set.intersection(*words.values()) if len(words) > 1 else set()
    for title in filter(is_comparison, titles):
        said = set(_WORDS.findall(title.lower()))
        own = {path: " ".join(sorted((its & said) - common)) for path, its in words.items()}
        if len(words) > 1 and all(own.values()) and len({*own.values()}) == len(own):
            return {load: own[path] for load, path in path_of.items()}
    return {}


_WORDS = re.compile(r"[^\W\d_]{2,40}")
_ASSIGNED = re.compile(  # "pm = static", "MaxClients 150", "worker_processes 2;", "maxThreads: 200"
    r"(?P<key>[a-z][\w.-]*)\s?=\s?(?P<value>[^\s=][^=]*)"
    r"|(?P<name>(?=\w*(?:[_.-]|[a-z][A-Z]))[A-Za-z][\w.-]*)(?::\s+|\s+)(?P<amount>\d[\w./%]*|on|off|yes|no|true|false|auto);?",
)
_EMPHASIS = " *_`"


def merge_lists_of_settings(blocks: Sequence[Block]) -> None:
    """Make one line of each list of settings ("pm.max_children = 50"), of those whose value another list changes.

    The others name nothing. Those that only a later load test has stay: something was set before it.
    """
    lists: list[tuple[int, dict[Line, tuple[str, str]]]] = []  # (number of the block, {line: (key, value)})
    values: dict[str, set[str]] = defaultdict(set)
    for index, block in enumerate(blocks):
        own = _find_list_of_settings(block.trail)
        lists += [(index, own)] if own else []
        for key, value in own.values():
            values[key].add(value)
    first = next((index for index, block in enumerate(blocks) if block.load_results), 0)
    stated: set[str] = set()
    changing: dict[int, dict[Line, str]] = {}
    for index, own in lists:
        dropped = {
            line for line, (key, _) in own.items() if len(values[key]) == 1 and (index <= first or key in stated)
        }
        stated |= {key for key, _ in own.values()}
        # As it is written, unless that looks like a figure: "maxThreads: 9".
        changing[index] = {
            line: " ".join(pair) if is_boilerplate(line[1]) else line[1].strip(_EMPHASIS)
            for line, pair in own.items()
            if line not in dropped
        }
        _replace_lines(blocks[index], dropped)
    said = {index: [*lines.values()] for index, lines in changing.items() if lines}
    distinct = len({*map(tuple, said.values())})
    enough = (n for n in range(1, 9) if len({tuple(texts[:n]) for texts in said.values()}) == distinct)
    n_needed = next(enough, 0) if distinct > 1 else 0
    for index, texts in said.items() if n_needed else ():
        _replace_lines(blocks[index], changing[index], ", ".join(texts[:n_needed]))


_LABEL = re.compile(r"(?P<name>[*_`\s]{0,8}[^\W\d_][\w ()/.-]{1,40})[:：][*_`\s]{0,8}")
_AMOUNT = re.compile(r"[*_`\s]{0,8}\d[\d.,]{0,11}\s?[^\W\d_]{0,12}[*_`\s]{0,8}")


def join_labels_and_values(blocks: Sequence[Block], loads: Sequence[int]) -> None:
    """Make one line of a label and the number below it ("Containers:", "2"), where it has another one above another load test."""
    places: dict[str, list[tuple[int, Line, Line]]] = defaultdict(list)  # by label: (load test, its line, the number's)
    for load in loads:
        for label, number in pairwise(blocks[load].trail):
            is_near = number[0] - label[0] <= 2 and _AMOUNT.fullmatch(number[1])
            match = _LABEL.fullmatch(label[1]) if is_near and not is_banner(label[1]) else None
            name = match["name"].strip(_EMPHASIS) if match else strip_markup(label[1]) if is_near else ""
            if (match or is_banner(label[1])) and name and not is_boilerplate(f"{label[1]} {number[1]}"):
                places[name].append((load, label, number))
    for name, own in places.items():
        numbers = [number.strip(_EMPHASIS) for _, _, (_, number) in own]
        counts = is_banner(own[0][1][1]) and numbers == [str(at + 1) for at in range(len(numbers))]  # repeats
        if len({*numbers}) > 1 and not counts:
            for load, label, number in own:
                _replace_lines(blocks[load], {label, number}, f"{name}: {number[1].strip(_EMPHASIS)}")


def _find_list_of_settings(trail: Sequence[Line]) -> dict[Line, tuple[str, str]]:
    """{line: (key, value)} of those that stand below or above another one."""
    list_of_settings = {each: match for each in trail if (match := _ASSIGNED.fullmatch(each[1].strip(_EMPHASIS)))}
    numbers = {line for line, _ in list_of_settings}
    return {
        each: (match["key"] or match["name"], (match["value"] or match["amount"]).strip())
        for each, match in list_of_settings.items()
        if {each[0] - 1, each[0] + 1} & numbers
    }


def _replace_lines(block: Block, lines: Collection[Line], text: str = "") -> None:
    """Take lines out of what stands above a block, or put one in place of the last of them."""
    kept = max(lines) if text else None
    trail = ((each[0], text) if each == kept else each for each in block.trail if each == kept or each not in lines)
    block.trail = [*trail]
    if (block.heading_line, block.heading) in lines:
        block.heading_line, block.heading = next(reversed(block.trail), (None, None))
