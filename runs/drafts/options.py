"""What the commands and config texts of one side set, in words that sides of unlike software share.

"gunicorn -w 8" and "worker_processes 2;" set the same, and a program that debugs or logs is slower whatever it is called.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from parsers.shown import STATE

from .heading_words import SOFTWARE
from .typed_commands import SCRIPT, Words

_AMOUNT = re.compile(r"\d+(?:[.,]\d+)?[A-Za-z]{0,3}")  # a number or a size, but no address, path or name
_SETS = re.compile(
    r"(?P<flag>--?[A-Za-z][\w.:+-]*|[A-Z_][A-Z\d_]*)=(?P<value>[\w.,-]*)"
)  # "--cpus=2", "NODE_ENV=production"
_TELLING_VALUE = re.compile(rf"{STATE.pattern}|{_AMOUNT.pattern}|-.*")  # a variable's value
SERVICE_URL = re.compile(  # of which kind a service is, and not where: "DATABASE_URL=postgres:"
    r"[A-Z][A-Z\d_]*_(?:URL|URI|DSN)=[a-z][\w+]{1,20}:"
)
_DEBUG_BUILD = re.compile(r"(?:\w+/)?[\w-]*\bdebug\b[\w-]*/", re.IGNORECASE)  # "./target/debug/app"
_FLAG = re.compile(r"--?[A-Za-z][\w.:+-]*")
_IGNORED_KEY = re.compile(  # ports, which move no rate, and what may be secret
    r"(?:(?<![A-Za-z])[Pp]|P)(?i:ort)|(?i:listen|bind|passw|requirepass|secret|token)"
)
_SETTING = re.compile(  # of a config text: "pm.max_children = 5", "worker_processes 2;", "instances: 4,", "KeepAlive On"
    rf"[\s-]{{0,40}}[\"']?(?P<key>[A-Za-z][\w.-]*)[\"']?(?:\s*(?:=>|[=:])\s*|\s+)(?P<quote>[\"']?)(?P<value>{STATE.pattern}|\d\.\d+|\d{{1,4}}%)(?P=quote)"
    r"\s*[;,]?\s*(?:[#;].*)?"
)
_STARTS = re.compile(
    r"\s*[\"']?(?:ExecStart|command|entrypoint|CMD|script|args|web)[\"']?(?:\s*[=:]\s*|\s+)(?P<words>\S.*)", re.I
)
_ADDRESS = re.compile(r"\s*(?P<key>[\w-]+)\b.*?[\s\"'/@](?P<target>(?:[\w.-]+|\[[\da-f:]+\]):\d{2,5}|unix:[^\s;\"']+)")
# What runs at once is named by what runs: the last word of "worker_processes", "pm.max_children", "--num-workers", "numprocs".
AT_ONCE = {
    "instance": re.compile(r"instance"),  # of prose, which may be machines; several of a process manager are processes
    "process": re.compile(
        r"(?!.*(?:request|conn|limit|thread))\S*?(?:worker|process|proc|instance|replica|child|concurrency)(?:e?s|ren)?|-[wi]"
    ),
    "thread": re.compile(r"\S*threads?(?:_?per_?\w*)?"),
    "worker": re.compile(r"\S*request_?workers"),  # either of both
    "CPU": re.compile(r"(?:\S*[_.-])?(?:cpu|core)s?"),
    "client": re.compile(r"client"),  # of prose
    "machine": re.compile(r"(?:machine|node|pod)s?"),
    "pooled connection": re.compile(r"(?:\S*[_.-])?pool(?:[_.-]?size)?"),
}
_BOUNDS = re.compile(r"max|min|spare|start|child", re.IGNORECASE)
_PLURALS = {"process": "processes"}
NAMES_AMOUNT = re.compile(  # in the names of configs that are compared for it
    r"worker|process|thread|instance|replica|cluster|core|cpu|single|multi|parallel|scale|backend|upstream|pool|machine",
    re.IGNORECASE,
)
_MOST_AT_ONCE = 1024
DEBUGS = re.compile(
    r"(?i:debug|jdwp|inspect|trace|verbose|reload|profil|sanitiz|valgrind|--watch\b|-race\b|\bdev(?:elop\w*)?$|-O0\b)"
    r"(?!.*[= ](?i:0|false|off|no|none)$)"
)
# What a server's own documents say is for development alone; and what a program runs within.
_DEVELOPS = re.compile(
    r"\bflask\s(?:\S+\s)*?(run)\b|\bphp[\d.]*\s(?:-\S+\s)*?(-S)\b|\brails\s(s(?:erver)?)\b|\bartisan\s(serve)\b|\b(runserver)|\b(nodemon)\b"
    r"|(?<!\S)((?:run\s)?(?:\w+:)?dev(?::\w+)?|watch)(?!\S)"
)
_WRAPS = re.compile(r"(?:\S*/)?(valgrind|[ls]trace|gdb|perf|heaptrack)\s")
_NAMES_DEVELOPMENT = re.compile(r"built.?in|\bdev", re.IGNORECASE)
DEVELOPMENT = "development"
_LOG = re.compile(
    r"(?i:(?P<no>no|disable|without)?[-_]?(?:access|custom|requests?|req)?[-_.]?log(?:s|ging|file)?(?:[-_]requests?)?)"
)
_NOWHERE = re.compile(r"(?i:off|none|no|false|0|.*/dev/null)")
_LINE = re.compile(r"\s*[\"']?(?P<key>[A-Za-z][\w.-]*)[\"']?[\s=:]+(?P<value>[^\s;\"',][^\s;\"',]*)")
# Whether a server keeps connections open. Node's "keepAliveTimeout" is none of them: 0 there is for ever.
_KEEP_TIMES = (
    r"(?:keep_?alive_timeout|KeepAliveTimeout|timeout[-_]keep[-_]alive|persistent_timeout|server\.max-keep-alive-\w+)"
)
_KEEPING = r"(?:[Kk]eep[-_]?[Aa]live|persistent_connections)"
_CLOSES = re.compile(rf"{_KEEP_TIMES} 0s?|{_KEEPING} (?i:off|no|false)|option (?:http|force)close")
_KEEPS = re.compile(rf"{_KEEP_TIMES} [1-9]\w*|{_KEEPING} (?i:on|yes|true)|option http-keep-alive")
KEEP_ALIVE = "keep-alive"
_LIMITS_RATE = re.compile(
    r"\s*(?:limit_req\s|limit_rate\s+[1-9]|SetEnv\s+rate-limit\s|SetOutputFilter\s+RATE_LIMIT|rate_limit\s|(?:[\w.-]*\.)?rate-?limit:"
    r"|http-request\s+(?:deny|tarpit)\b.*_rate\b)",
    re.IGNORECASE,
)
_LIMITS_CPU = re.compile(r"(?:--)?(?:cpus|cpu-quota|cpu_quota|cpuset(?:-cpus)?)|cpu|CPUQuota|AllowedCPUs")
_GROUPS = re.compile(r"\s*(?P<reserves>requests|reservations)?[\w-]*:\s*")  # begins settings of one subject in YAML
_NAMES_LIMIT = re.compile(r"limit|throttl|quota|\brate", re.IGNORECASE)
_MOST_LINES, _LONGEST_LINE = 1000, 300  # of a config text
DESCRIBES_SETUP = re.compile(  # a word that says how something was set up, and not what it is
    r"stock|(?:un)?tuned|default|optimi[sz]ed|old|new|original|modified|custom|improved|baseline|patched|simple|basic|before|after"
    r"|with(?:out)?|on|off|no|more|fewer|less|small|big|large|low|high|few|many|config|setup|setting|[a-z]|v?\d{1,2}"
)
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
WORD = re.compile(r"[^\W_]+(?:\.\d+)*")


def find_words(name: str) -> set[str]:
    """The words and numbers of a name, in lower case."""
    return {word.lower() for word in WORD.findall(name)}


class Option(NamedTuple):
    """`said`: as it is written; value "": it has none."""

    name: str
    value: str
    said: str


@dataclass(slots=True)
class Side:
    """What is known of a load test: its conditions, and the options of the programs that were started for it."""

    conditions: dict[str, frozenset[str]]
    options: list[Option]
    words: frozenset[str]  # of these programs
    beside: frozenset[str] = frozenset()  # programs that ran beside it and serve nothing
    commands: frozenset[Words] = frozenset()  # that started these programs
    in_database: frozenset[str] = frozenset()  # indexes and data that were made before
    asked: frozenset[str] = frozenset()  # the conditions that were shown right before it


def list_options(words: Words, ports: Iterable[str] = ()) -> list[Option]:
    """The flags, amounts and variables that a server was started with, without those that tell its port, a path or a name."""
    options = []
    for word, following in zip(words, (*words[1:], ""), strict=False):
        is_flag, match = _FLAG.fullmatch(word) is not None, _SETS.fullmatch(word)
        if _IGNORED_KEY.search(word):
            continue
        if url := SERVICE_URL.match(word):
            options.append(Option(url[0].partition("=")[0], "", url[0]))
        elif match:
            tells = word.startswith("-") or _TELLING_VALUE.fullmatch(match["value"])  # no name, and no password
            options += [Option(match["flag"], match["value"], word)] if tells and match["value"] not in ports else []
        elif is_flag and (_AMOUNT.fullmatch(following) or STATE.fullmatch(following)):
            options += [Option(word, following, f"{word} {following}")] if following not in ports else []
        elif (
            is_flag
            and (not following or following.startswith("-"))
            or word.startswith("-")
            and "=" in word
            and "/" not in word
        ):
            options.append(Option(word, "", word))
        elif built := _DEBUG_BUILD.search(word):
            options.append(Option(built[0], "", built[0]))
    return options


def find_development(words: Words, variables: Collection[str]) -> list[Option]:
    """By what a program that was started with these words runs as its developers run it, where nothing says production."""
    command = " ".join(words)
    wrapped = _WRAPS.match(command)
    match = _DEVELOPS.search(command) if "production" not in " ".join([command, *variables]) else None
    said = [wrapped[1]] if wrapped else []
    if match:
        last = match[match.lastindex or 0]
        # Without the name of its program, which may be the config's.
        said.append(f"development mode ({last})" if last == match[0] else "development server")
    return [Option(DEVELOPMENT, "", one) for one in said]


def _read_options(text: str) -> list[Option]:
    """The settings of a config text that say how much, or whether, and the options of commands in it; none of a port."""
    options, reserves = list[Option](), False  # what a container gets at least limits nothing
    for line in _split_lines(text):
        if group := _GROUPS.fullmatch(line):
            reserves = bool(group["reserves"])
        elif reserves and _LIMITS_CPU.fullmatch(line.partition(":")[0].strip()):
            continue
        elif (match := _SETTING.fullmatch(line)) and not _IGNORED_KEY.search(match["key"]):
            options.append(Option(match["key"], match["value"], f"{match['key']}={match['value']}"))
        elif match := _STARTS.fullmatch(line):
            options += list_options(tuple(re.findall(r"[^\s\"',\[\]]+", match["words"])))
    return options


def _split_lines(text: str) -> list[str]:
    return [line[:_LONGEST_LINE].rstrip() for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]]


def _count_at_once(options: Iterable[Option]) -> dict[str, frozenset[str]]:
    """{kind: "8 processes"} of how much may run at once, where that is one number of a kind."""
    amounts: dict[str, set[str]] = {}
    for option in options:
        kind = next((kind for kind, pattern in AT_ONCE.items() if pattern.fullmatch(option.name.lower())), "")
        if kind and option.value == "all":
            amounts.setdefault(kind, set()).add(option.value)
        elif kind and re.fullmatch(r"\d{1,4}(?:\.\d+)?", option.value) and 0 < float(option.value) <= _MOST_AT_ONCE:
            amounts.setdefault(kind, set()).add(f"{float(option.value):g}")
    return {kind: frozenset({_say_amount(kind, *numbers)}) for kind, numbers in amounts.items() if len(numbers) == 1}


def count_set_processes(options: Iterable[Option], texts: Iterable[str]) -> int:
    """How many processes options and config texts set, where that is one number; 0 for none. A limit may be far from reached."""
    every = [*options, *(option for text in texts for option in _read_options(text))]
    said = _count_at_once(option for option in every if not _BOUNDS.search(option.name)).get("process", ())
    return max((int(float(amount.partition(" ")[0])) for amount in said if amount[0].isdigit()), default=0)


def _say_amount(kind: str, amount: str) -> str:
    return f"{amount} {kind if amount == '1' else _PLURALS.get(kind, f'{kind}s')}"


def _list_languages(words: Iterable[str]) -> set[str]:
    """The types of the scripts among words: {"js"}; a module of Python has none ("app:main")."""
    languages = (SCRIPT.fullmatch(word) for word in words)
    return {(match["type"] or "py").strip("cm") for match in languages if match}


def _list_pairs(options: Iterable[Option], texts: Iterable[str]) -> list[tuple[str, str]]:
    """(key, first word of its value) of each line of config texts, and of options."""
    lines = chain.from_iterable(map(_split_lines, texts))
    shown = [(match["key"], match["value"]) for line in lines if (match := _LINE.match(line))]
    return shown + [(option.name.lstrip("-"), option.value) for option in options]


def _find_keepalive(pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Whether connections are kept open for further requests, where that is told; any setting that closes them does."""
    said = [" ".join(pair) for pair in pairs]
    closes, keeps = any(map(_CLOSES.fullmatch, said)), any(map(_KEEPS.fullmatch, said))
    return frozenset({f"{KEEP_ALIVE} {'off' if closes else 'on'}"} if closes or keeps else ())


def _find_access_log(pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Whether requests are logged, where that is told."""
    named = [(match, value) for name, value in pairs if (match := _LOG.fullmatch(name))]
    told = {"off" if match["no"] or _NOWHERE.fullmatch(value) else "on" for match, value in named}
    return frozenset({f"access log {told.pop()}"}) if len(told) == 1 else frozenset()


def _find_rate_limit(texts: Iterable[str]) -> frozenset[str]:
    """Whether a config text limits how many requests a second are answered, or how fast."""
    has_limit = any(map(_LIMITS_RATE.match, chain.from_iterable(map(_split_lines, texts))))
    return frozenset({"rate limit"} if has_limit else ())


def _count_backends(texts: Iterable[str]) -> frozenset[str]:
    """How many addresses of one kind a config text passes requests to, the most of all texts."""
    most = 0
    for text in texts:
        targets: dict[str, set[str]] = {}
        for line in _split_lines(text):
            if (match := _ADDRESS.match(line)) and not _IGNORED_KEY.search(match["key"]):
                targets.setdefault(match["key"].lower(), set()).add(match["target"])
        most = max([most, *map(len, targets.values())])
    return frozenset({f"{most} backend{'' if most == 1 else 's'}"}) if most else frozenset()


def compare_settings(
    of_config: Mapping[str, Sequence[Side]], texts: Mapping[str, Sequence[tuple[str, str]]]
) -> dict[str, dict[str, frozenset[str]]]:
    """{what is set: {name of a config: how}} by options of the programs and by config texts, as far as a config tells it.

    What is named alike comes before what is counted. texts: {name: (path, text) of its config texts}
    """
    files = [{PurePosixPath(path).name for path, _ in texts[name]} for name in of_config]
    is_shown = not set.intersection(*files) or _shows_a_name(of_config, texts)
    settings: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    counted: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    is_limit_meant = any(map(_NAMES_LIMIT.search, of_config))
    for name, sides in of_config.items():
        started = [option for side in sides for option in side.options]
        own = [text for _, text in texts[name]] if is_shown else []
        shown = [option for text in own for option in _read_options(text)]
        others = [text for path, text in texts[name] if is_shown and not _has_name(path, name)]
        for option in chain.from_iterable(map(_read_options, others)):
            key = f"set {option.name.lower()}"
            settings[key][name] = settings[key].get(name, frozenset()) | {option.said}
        if not is_limit_meant:
            counted["rate limit"][name] = _find_rate_limit(text for _, text in texts[name])
        if not is_limit_meant and (own or any(side.words for side in sides)):
            limits = [one.said for one in [*started, *shown] if one.value and _LIMITS_CPU.fullmatch(one.name)]
            counted["CPU limit"][name] = frozenset(limits)
        if any(side.words for side in sides):
            counted["debugging"][name] = frozenset(each.said for each in started if DEBUGS.search(each.said))
            counted[DEVELOPMENT][name] = frozenset(one.said for one in started if one.name == DEVELOPMENT)
        amounts = _count_at_once([*started, *shown]) | {"backends": _count_backends(own)}
        amounts["access log"] = _find_access_log(_list_pairs([*started, *shown], own))
        amounts[KEEP_ALIVE] = _find_keepalive(_list_pairs(started, (text for _, text in texts[name])))
        for key, said in amounts.items():
            counted[key] |= {name: said} if said else {}
    if all(counted[DEVELOPMENT].values()) or any(map(_NAMES_DEVELOPMENT.search, of_config)):
        del counted[DEVELOPMENT]
    _add_single_processes(of_config, counted["process"])
    _compare_kinds(counted, len(of_config))
    return settings | counted


def _compare_kinds(counted: dict[str, dict[str, frozenset[str]]], n_configs: int) -> None:
    """Processes of some against threads or CPUs of others, where one is too few for several cores: more may be a mere pool."""
    every = counted["CPU"] | counted["worker"] | counted["thread"] | counted["process"]
    is_mixed = max(len(counted["process"]), len(counted["CPU"])) < n_configs == len(every)
    if is_mixed and any(said.startswith("1 ") for own in every.values() for said in own):
        counted["process"] = every


def _has_name(path: str, name: str) -> bool:
    """Whether a file is called after its config, so that what it sets belongs to that: "mpm_event.conf" of "event"."""
    words = find_words(name)
    return bool(words & {word.lower() for word in re.findall(r"[^\W_]+", PurePosixPath(path).name)})


def _add_single_processes(of_config: Mapping[str, Sequence[Side]], processes: dict[str, frozenset[str]]) -> None:
    """Of programs in one language, those that tell no number of processes run as one."""
    types = {
        name: {kind for side in sides for kind in _list_languages(side.words)} for name, sides in of_config.items()
    }
    alike = {kind for own in types.values() for kind in own}
    if processes and len(alike) == 1 and all(types.values()):
        for name in of_config:
            processes.setdefault(name, frozenset({_say_amount("process", "1")}))


def _shows_a_name(of_config: Mapping[str, Sequence[Side]], texts: Mapping[str, Sequence[tuple[str, str]]]) -> bool:
    """Whether programs or files of a config have its name, in other words than how they are set: "django" of "Django".

    So they have in effect where each is named after another software.
    """
    words_of = {name: find_words(name) for name in of_config}
    n_names = Counter(chain.from_iterable(words_of.values()))
    if all(any(n_names[word] == 1 and SOFTWARE.fullmatch(word) for word in words) for words in words_of.values()):
        return True
    shared = set.intersection(*words_of.values())  # "nginx 1.22", "nginx 1.26"
    if any(map(SOFTWARE.fullmatch, shared)) and all(
        all(map(_VERSION.fullmatch, w - shared)) for w in words_of.values()
    ):
        return True
    for name, words in words_of.items():
        own = {word for word in words if n_names[word] == 1}
        programs = " ".join(word for side in of_config[name] for word in side.words)
        shown = f"{programs} {' '.join(chain.from_iterable(texts[name]))}".lower()
        if not all(map(DESCRIBES_SETUP.fullmatch, own)) and any(word in shown for word in own):
            return True
    return False
