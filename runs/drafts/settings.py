"""Settings that were changed between load tests: by commands, and in config files of which the text shows several versions.

A missing command costs a wrong guess: runs that differ are taken for repeats, which can be corrected on the preview page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from parsers.patterns import remember_lines
from parsers.transcript import CHANGE, width

MAX_WIDTH = 60  # columns
_NO_SETTING = re.compile(
    r"(?:drop_caches|PATH|HOME|PS1|LANG|LC_\w+|TERM|EDITOR|PWD|USER|SHELL|[A-Z]*URL|HOST|TARGET|OUT\w*|LOG\w*)"
)
Shown = Sequence[tuple[int, str, str]]  # number of the block, path and text of each config file, in order
ChangedTexts = Mapping[int, tuple[tuple[str, str], ...]]  # {load: (path, text) of its changed files}
Setting = tuple[str, str]  # key, and how it is said; "" takes the key away


def _read_sql(match: re.Match[str]) -> Setting:
    value = match["value"].strip().strip("'\"")
    return match["key"].lower(), f"{match['key']}={value}"


def _read_pair(match: re.Match[str]) -> Setting:
    value = match["value"].strip("'\"")
    return match["key"], f"{match['key']}={value}"


def _read_change(match: re.Match[str]) -> Setting:
    return match["key"], f"{match['key']} {match['new']}"


def _read_written(match: re.Match[str]) -> Setting:
    """A line for a file, or the value of one that holds nothing else."""
    line = match["value"].strip("'\" ;")
    return (re.split(r"[\s=]", line)[0], line) if re.search(r"[\s=]", line) else _read_pair(match)


def _read_sed(match: re.Match[str]) -> Setting:
    """What the expression writes, of a file's setting by its first word: "s/KeepAlive On/KeepAlive Off/"."""
    text = re.sub(r"\\[1-9]|[&^$]|\\(?=[./])", "", match["new"]).strip(" ;\"'")
    name = re.match(r"[A-Za-z][\w.-]*", text)
    file = PurePosixPath(match["file"]).name
    if not name or len(text) == len(name[0]):
        return (
            f"{file} {name[0] if name and ' ' in match['old'] else ''}",
            f"{file}: {text or 'without ' + match['old']}",
        )
    return f"{file} {name[0]}", text


def _read_module(match: re.Match[str]) -> Setting:
    name = match["name"].strip()
    return f"module {name}", f"{'' if match['verb'] == 'en' else 'without '}{name}"


def _take_words(key: str) -> Callable[[re.Match[str]], Setting]:
    return lambda match: (key, re.sub(r"\s+", " ", match[0]).strip())


_SETTINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Setting]], ...] = tuple(
    (re.compile(pattern, flags), meaning)
    for pattern, flags, meaning in (
        (r"\bALTER\s+SYSTEM\s+RESET\s+(?P<key>[\w.]+)", re.I, lambda found: (found["key"].lower(), "")),
        (
            r"\b(?:ALTER\s+(?:SYSTEM|DATABASE\s+\S+|ROLE\s+\S+)\s+SET|SET\s+(?:GLOBAL|PERSIST))\s+(?P<key>[\w.@]+)\s*(?:=|\bTO\b)\s*"
            r"(?P<value>'[^']*'|[^\s;'\"]+)",
            re.I,
            _read_sql,
        ),
        (r"\b(?:CREATE|ADD)\s+(?:UNIQUE\s+)?(?:INDEX|KEY)\s+(?:CONCURRENTLY\s+)?(?P<name>\w+)", re.I,
            lambda f: (f"index {f['name']}",) * 2),
        (r"\bpgbench\s.*?-\w*i.*?\s(?:-s|--scale)[\s=]*(?P<value>\d+)", 0,
            lambda found: ("data", f"data at scale {found['value']}")),
        (r"\bsysbench\s.*?--table[_-]size=(?P<value>\d+).*\sprepare\b", 0,
            lambda found: ("data", f"data of {found['value']} rows a table")),
        (r"\bDROP\s+INDEX\s+(?:IF\s+EXISTS\s+)?(?P<name>\w+)", re.I, lambda found: (f"index {found['name']}", "")),
        (r"\bconfig\s+set\s+(?P<key>[\w-]+)\s+(?P<value>\S+)", re.I, _read_pair),
        (r"\bsysctl\s+(?:-\w+\s+)*[\"']?(?P<key>[\w./-]+)\s?=\s?(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"']+)", 0, _read_pair),
        (
            r"\becho\s+(?:-n\s+)?(?P<value>'[^']*'|\"[^\"]*\"|\S+)\s*(?:>>?|\|\s*(?:sudo\s+)?tee)\s*(?:-a\s+)?/(?:(?:proc/)?sys|etc)/\S*?(?<![\w.*-])(?P<key>[\w.*-]++)(?:\s*+;|\s*+$)",
            0,
            _read_written,
        ),
        (
            r"\bsed\s+(?:-\w+\s+|--\S+\s+)*-\w*i\S*\s+(?:-\w\s+)*['\"]?[^'\"\s]{0,60}?s(?P<s>[/|#,@!])(?P<old>(?:\\.|(?!(?P=s)).)*+)(?P=s)(?P<new>.*?)(?P=s)\w*['\"]?\s+(?P<file>\S+)",
            0,
            _read_sed,
        ),
        (r"\b(?:a2|php|lighty-)(?P<verb>en|dis)(?:mod|site|conf|able-mod)?\s+(?:-\w+\s+)*(?P<name>[\w.-]+)", 0, _read_module),
        (r"\bkubectl\s+set\s+\w+\s+\S+\s+(?P<key>[\w.-]+)=(?P<value>\S+)", 0, _read_pair),
        (r"\bkubectl\s+scale\s.*--(?P<key>replicas)[= ](?P<value>\d+)", 0, _read_pair),
        (r"\b(?:docker|podman)\s+update\s.*?--(?P<key>[a-z][a-z-]+)[= ](?P<value>\S+)", 0, _read_pair),
        (r"\bdocker(?:\s+service\s+scale|-compose\s+scale)\s+(?P<key>[\w.-]+)=(?P<value>\d+)", 0, _read_pair),
        (r"\bgit\s+stash\s+(?:pop|apply)\b", 0, lambda _: ("stash", "")),
        (r"\bgit\s+stash$", 0, _take_words("stash")),
        (r"\bulimit\s+-\w*n\s+\w+", 0, _take_words("ulimit")),
        (r"\bcpupower\s.*(?:-g|--governor)[\s=]+(?P<value>\w+)", 0,
            lambda found: ("scaling_governor", f"scaling_governor={found['value']}")),
        (r"\bcpupower\s+(?:-\w+\s+\S+\s+)?frequency-set\s.*", 0, _take_words("cpupower")),
        (r"\b(?:ethtool\s+-[KGCL]|tc\s+qdisc)\s.*", 0, _take_words("network")),
        (r"\bgit\s+(?:checkout|switch)\s+(?:-\w+\s+)*(?P<value>[\w./@{}~^-]+)$", 0, lambda found: ("git", found["value"])),
        (
            r"\b(?:nvm\s+use|(?:rb|py|nod)env\s+(?:global|local|shell)|rvm\s+use|sdk\s+use|asdf\s+\w+)\s+(?P<value>\S+(?:\s+\d\S*)?)$",
            0,
            lambda found: ("version", f"{found[0].split()[0]} {found['value']}"),
        ),
        (r"\b(?:pip3?|npm|gem|yarn|pnpm)\s+(?:install|add|i)\s(?:[^A-Za-z]++|[A-Za-z][\w.-]*+(?!(?:==|@)\d))*+"
            r"(?P<key>[A-Za-z][\w.-]*+)(?:==|@)(?P<value>\d\S*)", 0, _read_pair),
        (
            r"\b(?:cp|ln|mv)\s+(?:-\w+\s+)*(?P<value>\S+)\s+(?P<key>/etc/\S+|\S+\.(?:conf|cnf|ini|ya?ml|toml))$",
            0,
            lambda found: (found["key"], PurePosixPath(found["value"]).name),
        ),
        (r"^(?:sudo\s+)?ln\s+(?:-\w+\s+)*(?P<value>\S+)\s+(?P<key>\S+\w/?)$", 0,
            lambda found: (found["key"], "=".join(PurePosixPath(found[name]).name for name in ("key", "value")))),
        (
            r"^(?:(?:sudo|bash|sh)\s+)*(?P<key>\S{0,80}(?:start|switch|deploy|enable|select)[\w-]{0,20}\.(?:sh|py|rb|js))\s+(?P<value>[\w.-]+)",
            0,
            lambda found: (found["key"], found["value"]),
        ),
        (r"^(?:export|setenv)\s+(?P<key>[A-Za-z_]\w*)[= ](?P<value>'[^']*'|\"[^\"]*\"|\S*)", 0, _read_pair),
        (r"^(?P<key>[A-Z_][A-Z0-9_]*)=(?P<value>'[^']*'|\"[^\"]*\"|\S*)$", 0, _read_pair),
        (r"^unset\s+(?P<key>\w+)", 0, lambda found: (found["key"], "")),
        (CHANGE.pattern, 0, _read_change),
    )
)  # fmt: skip


@remember_lines
def read_setting(command: str) -> Setting | None:
    """(what a command sets, how that is said) or None: ("shared_buffers", "shared_buffers=1GB"); "" where it is as before again."""
    for pattern, meaning in _SETTINGS:
        if match := pattern.search(command):
            key, said = meaning(match)
            return None if _NO_SETTING.fullmatch(key) else (key, said[:MAX_WIDTH])
    return None


_SWITCHED = re.compile(r"\b(?P<program>a2|php|lighty-)(?P<verb>en|dis)(?=\w*\s)")
_REPLACED = re.compile(r"(?<![\w/])s(?P<s>[/|#,@!])(?P<old>[\w =:.;%-]+)(?P=s)(?P<new>[\w =:.;%-]*)(?P=s)")


def read_previous_setting(command: str) -> Setting | None:
    """What a command that switches a module, or replaces a text, found there: "KeepAlive On" of "s/KeepAlive On/KeepAlive Off/"."""
    back = _SWITCHED.sub(lambda match: f"{match['program']}{'dis' if match['verb'] == 'en' else 'en'}", command)
    back = CHANGE.sub(r"\g<before>\g<new>\g<arrow>\g<old>", back)
    back = _REPLACED.sub(lambda match: match["s"].join(("s", match["new"], match["old"], "")), back)
    return read_setting(back) if back != command else None


def split_changes(text: str) -> list[str]:
    """A text by the changes that it tells: "a_b 1 -> 2, c_d 3 -> 4"."""
    return re.split(r",\s|\sand\s", text) if tells_change(text) else [text]


def tells_change(text: str) -> bool:
    """Whether a line tells a setting's old and new value: "worker_processes 1 -> 2"."""
    return ("->" in text or "=>" in text or "→" in text or "⇒" in text) and CHANGE.search(text) is not None


def list_shown(files: Shown) -> list[tuple[int, str, str]]:
    """The config files with their paths. Lines of one without it go by their first key, where others have the same keys."""
    keys = {block: re.findall(r"(?m)^\s*([^\s=]+)", text) for block, path, text in files if not path}
    n_alike = Counter(map(tuple, keys.values()))
    return [
        (block, path or keys[block][0], text) for block, path, text in files if path or n_alike[tuple(keys[block])] > 1
    ]


def find_changed_texts(shown: Shown, loads: Sequence[int], headless: Collection[int]) -> ChangedTexts:
    """(path, text) of each file that was different at the last heading, for the loads without a heading of their own."""
    versions: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for block, path, text in shown:
        versions[path].append((block, text))
    changing = {path: own for path, own in versions.items() if len({text for _, text in own}) > 1}
    changed: dict[int, tuple[tuple[str, str], ...]] = {}
    at_heading: dict[str, str] = {}
    for load in loads if changing else ():
        current = {path: _find_text_before(own, load) for path, own in changing.items()}
        if not at_heading or load not in headless:
            at_heading = current
        else:
            changed[load] = tuple((path, text) for path, text in sorted(current.items()) if text != at_heading[path])
    return changed


def _find_text_before(versions: Sequence[tuple[int, str]], load: int) -> str:
    """The text last shown before a load test, or else the first one."""
    place = bisect_left(versions, load, key=lambda each: each[0])
    return versions[max(place - 1, 0)][1]


def add_changed_texts(
    variants: Mapping[int, str], shown: Shown, changed: ChangedTexts, plain: Sequence[int]
) -> dict[int, str]:
    """variants, {load: what tells it apart}, with the line or two that each changed file has and its first version has not,
    else the file's name; of `plain` load tests, which have no heading, before a change, with what the first version alone has.
    """
    first, named = {path: text for _, path, text in reversed(shown)}, dict(variants)
    texts_of: dict[str, set[tuple[tuple[str, str], ...]]] = defaultdict(set)  # by what commands tell
    for load, variant in variants.items():
        texts_of[variant].add(changed.get(load, ()))
    for load, texts in changed.items():
        own = [_find_own_lines(text, first[path]) or f"{path.rpartition('/')[2]} changed" for path, text in texts]
        if load in variants and len(texts_of[variants[load]]) == 1:
            own = []  # all load tests of which its commands tell had this text
        if words := [word for word in (named.get(load), *own) if word]:
            named[load] = ", ".join(dict.fromkeys(words))
    name = _name_before_change(shown, changed)
    return dict.fromkeys([load for load in plain if not changed.get(load)], name) | named if name else named


def _name_before_change(shown: Shown, changed: ChangedTexts) -> str:
    """The line or two that a file's first version alone has, where it is the only file and was changed once."""
    versions = {own for own in changed.values() if own}
    if len(versions) != 1 or len(only := next(iter(versions))) != 1:
        return ""
    path, text = only[0]
    return _find_own_lines(next(first for _, name, first in shown if name == path), text)


def _find_own_lines(text: str, other: str) -> str:
    """The lines of a file that another version of it has not, if they are few and short, else ""."""
    of_other = set(map(str.strip, other.split("\n")))
    lines = [line.strip(" \t;") for line in text.split("\n") if line.strip() not in of_other]
    name = ", ".join(lines)
    return name if 0 < len(lines) < 3 and width(name) <= MAX_WIDTH else ""


_OF_SETTINGS = re.compile(  # the title of a list of what was set
    r"\b(?:param(?:eter)?s?|settings?|config(?:uration)?s?|options?|optimi[sz]ations?|improvements?|tuning|changes?|changed)\b"
    r"|parametr|paramèt|parámetr|einstellung|änderung|optimierung|réglage|ajuste|ustawieni|zmian|параметр|настройк|изменени"
    r"|оптимизац|参数|配置|设置|优化|設定|変更",
    re.IGNORECASE,
)
_OF_MACHINE = re.compile(r"\b(?:hardware|machine|software|environment|system|host|server spec\w*)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"\|\s*(?P<key>[^|]*?[^|\s])\s*\|\s*(?P<value>[^|]*?[^|\s])\s*\|?"
    r"|(?P<name>[^\W\d][\w ./-]{0,40}?)\s*[:=：]\s*(?P<its>\S.{0,60})"
)
_COUNTED = re.compile(  # "2 worker processes", "concurrency 50"
    r"(?P<amount>\d[\d.,]*+) (?P<what>[^\W\d][\w -]{0,40})|(?P<key>[^\W\d][\w -]{0,40}?) (?P<its>\d[\d.,]*)"
)
_VARIED = re.compile(  # what a line sets whose title does not say so
    r"(?:max[ _-]?|min[ _-]?|number of |no\. of |n[ _])?(?:\w+ )?(?:concurren\w*|workers?|threads?|clients?|connections?|conns?"
    r"|users|vus|process(?:es)?|pool(?:[ _-]?size)?|cache(?:[ _-]?size)?|buffers?|replicas?|instances?|gomaxprocs|timeout"
    r"|keep-?alive|cpus?|cores?|batch(?:[ _-]?size)?)(?:[ _-]count)?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*[-*+•]\s+")
EMPHASIS = re.compile(r"\*\*|(?<!\w)__|__(?!\w)|`")  # "- __concurrency__: 100"
_IN_WORDS = re.compile(r"[^\W\d]|\d[\d.,]* [^\W\d_]{4}")  # a choice, or "1 second": no figure that was measured
_AMOUNT = re.compile(r"\d[\d.,]*\s?(?:[kKMG]i?[Bb]?|m?s)?|on|off|true|false|yes|no|enabled|disabled", re.IGNORECASE)
_MOST_SETTINGS = 8  # of a section; more are a listing
Line = tuple[int, str]
Settings = dict[str, str]  # key: value, "" of what has none


def name_numbered_sections(
    trails: Sequence[Sequence[Line]],
    loads: Collection[int],
    level_of: Callable[[str], int],
    counts: Callable[[str], bool],
) -> dict[int, tuple[Line, str]]:
    """{load test: (heading, name)} below headings of only a number ("## Test 2"), where sections set something of their own.

    The name is what was set in the section, without what was set before all sections or in all of them alike; else the heading.
    trails: of all blocks; loads: numbers of those that are load tests
    level_of, counts: the level of a heading, and whether it only has a number
    """
    found: dict[int, tuple[Line, Settings]] = {}
    before, own, heading, level, is_listed, is_new = Settings(), Settings(), (0, ""), 0, False, False
    for index, trail in enumerate(trails):
        titles = {
            a[0] for a, b in pairwise(trail) if b[0] - a[0] == 2 and a[1][:1] == b[1][:1] == "|"
        }  # a rule between
        for line, text in trail:
            if depth := level_of(text):
                is_new = counts(text)
                if is_new:
                    own, heading, level = {}, (line, text), depth
                elif depth <= level:
                    heading, level = (0, ""), 0
                is_listed = lists_settings(text)
            elif line not in titles and (setting := _read_listed(text, is_listed, is_new)):
                (own if level else before)[setting[0]] = setting[1]
        if level and index in loads:
            found[index] = heading, dict(own)
            is_new = False  # what follows is said of the report
    alike = set(before.items()).union(set.intersection(*({*own.items()} for _, own in found.values())) if found else ())
    named = {load: (heading, _list_settings(own, alike)) for load, (heading, own) in found.items()}
    told = {words for _, words in named.values()}
    n_with = Counter(word for words in told for word in words)
    names = {words: _join(words, n_with) for words in told}
    if len({*names.values()}) < len(told):
        names = {words: ", ".join(words) for words in told}
    is_told = len({heading for heading, _ in named.values()}) > 1 < len(told)
    return {load: (heading, names[words] or heading[1]) for load, (heading, words) in named.items()} if is_told else {}


def lists_settings(text: str) -> bool:
    """Whether a heading is that of a list of settings: "### Applied optimizations"."""
    return _OF_SETTINGS.search(text) is not None and not _OF_MACHINE.search(text)


def _read_listed(text: str, is_listed: bool, is_below_number: bool) -> tuple[str, str] | None:
    """(key, value) of a line of a list or table of settings; what has no value goes by itself.

    is_listed: its heading is that of such a list; is_below_number: it stands between a numbered heading and the report
    """
    bare = EMPHASIS.sub("", _ITEM.sub("", text).strip())
    if pair := _PAIR.fullmatch(bare):
        key, value = pair["key"] or pair["name"], pair["value"] or pair["its"]
        is_set = is_listed or (is_below_number and _ITEM.match(text) and _IN_WORDS.match(value))
        is_set = is_set or (_VARIED.fullmatch(key) and _AMOUNT.fullmatch(value))
        return (key, value) if is_set else None
    if counted := _COUNTED.fullmatch(bare) if _ITEM.match(text) else None:
        key, value = counted["what"] or counted["key"], counted["amount"] or counted["its"]
        if _VARIED.fullmatch(key):
            return key, value
    return (bare, "") if is_listed and _ITEM.match(text) else None


def _list_settings(own: Settings, alike: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """("concurrency 20", "cache on"); of a listing none."""
    words = tuple(" ".join(filter(None, pair)) for pair in own.items() if pair not in alike)
    return words if len(words) <= _MOST_SETTINGS else ()


def _join(words: Sequence[str], n_with: Mapping[str, int]) -> str:
    """As many of them as a name holds: of a longer list those that the fewest others have."""
    kept = list(words)
    while len(kept) > 1 and width(", ".join(kept)) > MAX_WIDTH:
        kept.remove(max(kept[::-1], key=lambda word: n_with[word]))
    return ", ".join(kept) + (f" and {len(words) - len(kept)} more" if len(kept) < len(words) else "")
