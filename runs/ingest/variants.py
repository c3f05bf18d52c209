"""What tells load tests under one heading apart by the commands around them: a script's arguments, settings, the server started.

Commands that change nothing (`sleep`, `cd`, a mere restart) tell nothing, nor do the number of a repeat, the name of an output
file that only counts, and what the tool itself prints of the load.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import PurePosixPath
from statistics import mode

from parsers import Block, LoadResult, parse_command
from parsers.catalogue import is_monitor
from runs.analysis.columns import Method

from .heading_words import find_repeat

Words = tuple[str, ...]
_MAX_WORDS, _MAX_WIDTH = 40, 60
_RESTARTS = frozenset({"restart", "reload", "force-reload"})
_JOINT = re.compile(r"""'[^']*'|"[^"]*"|(&&|\|\||;)""")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
_STARTER = re.compile(
    r"(?:(?:sudo|time|nohup|exec|command|setsid|nice|ionice|taskset|numactl|stdbuf|do|then)\s+(?:-\w+\s+(?:[\d,x-]+\s+)?|\d[\d,-]*\s+)*)*"
)
_QUIET = """
    cd ls ll la dir pwd sleep clear reset exit logout echo printf date true wait history whoami hostname which whereis type man
    mkdir touch rm rmdir chmod chown kill killall pkill fg bg jobs ssh su curl wget http ping dig nslookup ss netstat lsof uptime
    uname nproc lscpu df du dmesg journalctl tee find wc sort seq for while if done fi do then watch sync tmux screen vim vi nano
    emacs grep egrep awk diff md5sum test [ set unset source . git make cargo npm npx yarn pnpm go docker docker-compose podman
    systemctl service apt apt-get yum dnf brew pip pip3 gem bundle nginx apachectl apache2ctl redis-cli psql mysql sysctl
"""  # commands that change nothing for a server; those that also run something else are looked at before
_SHOWS = frozenset({"cat", "less", "more", "head", "tail", "bat", "type"})
_RUNS = re.compile(  # of programs that do many things, what runs a script: "npm run x", "make bench"
    r"(?:npm|yarn|pnpm|bun)\s+(?:run(?:-script)?|test|exec)\s|(?:npx|make|just|task)\s+\S|(?:go|cargo|deno|dotnet)\s+(?:run|bench|test)\b"
    r"|docker(?:\s+|-)compose\s+run\b|(?:docker|podman)\s+run\b(?!.*\s(?:-d|--detach)\b)|docker\s+exec\b|(?:bash|sh|zsh)\s+\S"
)
_INTERPRETER = re.compile(r"(?:\S*/)?(?:node|bun|deno|php|python[\d.]*|ruby|java|dotnet|pm2)$")
_DAEMON = re.compile(
    r"(?:nginx|httpd|apache2|haproxy|caddy|lighttpd)\s.*-(?:c|f|-config)\b|\S+\s.*(?:-D|--daemon\w*)(?:\s|$)"
)
_SERVER = re.compile(
    r"(?:\S*/)?(?:g?unicorn|uvicorn|hypercorn|puma|uwsgi|daphne|waitress-serve|node|bun|deno|php(?:-fpm)?|python[\d.]*|ruby|java|dotnet"
    r"|caddy|nginx|httpd|apache2|lighttpd|haproxy|varnishd|traefik|envoy|redis-server|memcached|mysqld?(?:_safe)?|mongod|pm2\s+start)(?=\s)"
)
_DETACHED = re.compile(r"\b(?:docker|podman)\s+(?:container\s+)?run\b(?P<words>.*)")
_COMPOSE = re.compile(r"\bdocker(?:\s+|-)compose\b(?P<words>.*?)\s(?P<verb>up|start|restart|stop|down)\b(?P<names>.*)")
_SERVICE = re.compile(
    r"(?:\b(?:systemctl|rc-service|supervisorctl|pm2|(?:docker|podman)(?:\s+container)?|brew\s+services)\s+(?:--?\w\S*\s+)*"
    r"(?P<verb>start|restart|stop|reload|enable\s+--now|disable\s+--now|rm|kill)\s+(?P<names>[\w@.:-]+(?:\s+[\w@.:-]+)*)"
    r"|(?:\bservice\s+|/etc/init\.d/|/etc/rc\.d/)(?P<name>[\w.-]+)\s+(?P<verb2>start|restart|stop|reload)\b)"
)
_NO_ENV = re.compile(
    r"(?:drop_caches|PATH|HOME|PS1|LANG|LC_\w+|TERM|EDITOR|PWD|USER|SHELL|[A-Z]*URL|HOST|TARGET|OUT\w*|LOG\w*)"
)
_FLAGS_OF_RUN = re.compile(  # of `docker run`, those that change nothing for the server, with their value
    r"(?:-[ditP]+|--rm|--detach|--privileged|--init)$|(?:-p|-v|-h|-l|-w|-u|--(?:name|network|net|publish|volume|hostname|label|restart|link|mount|pull))(?P<value>=|$)"
)
_NEUTRAL = re.compile(r"--?(?:seed|id|run-?id|uuid|time-?stamp|date|tag|label|title|note)(?P<value>=|$)", re.IGNORECASE)
_OUTPUT = re.compile(
    r"(?:--?(?:o|out|output|outfile|log|logfile|save|csv|json|html|report|export)[\w-]*)(?:=(?P<file>.+))?$",
    re.IGNORECASE,
)
_PLAIN_FILE = re.compile(
    r"(?:out(?:put)?|logs?|results?|res|runs?|bench(?:mark)?s?|te?mp|tests?|reports?|data|txt|raw|ab|wrk\d?|hey|siege|load)?",
    re.IGNORECASE,
)
_FILE_NUMBER = re.compile(r"[\W_]*(\d{1,3})(?=$|\.)|(?:[\W_]|(?<=\D))\d{6,}(?:[-_T]\d{4,6})?")
_SIZE = re.compile(r"(?P<name>(?:--?)?[A-Za-z_][\w-]*=|-[A-Za-z])?(?P<number>\d+)(?P<unit>[kKsm]?)")
_LOOP = re.compile(r"\bfor\s+\w+\s+in\s+(?P<items>[^;$`{}*()]+);\s*do\b")
_CUT = re.compile(r"\s*(?:\d?>>?|\||<|\d>&\d|&\s*$)")

# --- settings ----------------------------------------------------------------------------------------------------------
Setting = tuple[str, str]  # key, and how it is said; "" takes the key away


def _sql(found: re.Match[str]) -> Setting:
    value = found["value"].strip().strip("'\"")
    return found["key"].lower(), f"{found['key']}={value}"


def _assigned(found: re.Match[str]) -> Setting:
    value = found["value"].strip("'\"")
    return found["key"], f"{found['key']}={value}"


def _sed(found: re.Match[str]) -> Setting:
    """What the expression writes, of a file's setting by its first word: "s/KeepAlive On/KeepAlive Off/"."""
    text = re.sub(r"\\[1-9]|[&^$]|\\(?=[./])", "", found["new"]).strip(" ;\"'")
    name = re.match(r"[A-Za-z][\w.-]*", text)
    file = PurePosixPath(found["file"]).name
    if not name or len(text) == len(name[0]):
        return (
            f"{file} {name[0] if name and ' ' in found['old'] else ''}",
            f"{file}: {text or 'without ' + found['old']}",
        )
    return f"{file} {name[0]}", text


def _module(found: re.Match[str]) -> Setting:
    name = found["name"].strip()
    return f"module {name}", f"{'' if found['verb'] == 'en' else 'without '}{name}"


def _whole(key: str) -> Callable[[re.Match[str]], Setting]:
    return lambda found: (key, re.sub(r"\s+", " ", found[0]).strip())


def _named(key: str) -> Callable[[re.Match[str]], Setting]:
    return lambda found: (key, found["value"].strip("'\""))


_SETTINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Setting]], ...] = tuple(
    (re.compile(pattern, flags), meaning)
    for pattern, flags, meaning in (
        (r"\bALTER\s+SYSTEM\s+RESET\s+(?P<key>[\w.]+)", re.I, lambda found: (found["key"].lower(), "")),
        (
            r"\b(?:ALTER\s+(?:SYSTEM|DATABASE\s+\S+|ROLE\s+\S+)\s+SET|SET\s+(?:GLOBAL|PERSIST))\s+(?P<key>[\w.@]+)\s*(?:=|\bTO\b)\s*"
            r"(?P<value>'[^']*'|[^\s;'\"]+)",
            re.I,
            _sql,
        ),
        (r"\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:CONCURRENTLY\s+)?(?P<name>\w+)", re.I, lambda f: (f"index {f['name']}",) * 2),
        (r"\bDROP\s+INDEX\s+(?:IF\s+EXISTS\s+)?(?P<name>\w+)", re.I, lambda found: (f"index {found['name']}", "")),
        (r"\bconfig\s+set\s+(?P<key>[\w-]+)\s+(?P<value>\S+)", re.I, _assigned),
        (r"\bsysctl\s+(?:-\w+\s+)*[\"']?(?P<key>[\w./-]+)\s?=\s?(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"']+)", 0, _assigned),
        (
            r"\becho\s+(?:-n\s+)?(?P<value>'[^']*'|\"[^\"]*\"|\S+)\s*(?:>|\|\s*(?:sudo\s+)?tee)\s*(?:-a\s+)?/(?:proc/)?sys/\S*?(?P<key>[\w.-]+)\s*$",
            0,
            _assigned,
        ),
        (
            r"\bsed\s+(?:-\w+\s+|--\S+\s+)*-\w*i\S*\s+(?:-\w\s+)*['\"]?[^'\"\s]{0,60}?s(?P<s>[/|#,@!])(?P<old>.*?)(?P=s)(?P<new>.*?)(?P=s)\w*['\"]?\s+(?P<file>\S+)",
            0,
            _sed,
        ),
        (r"\b(?:a2|php|lighty-)(?P<verb>en|dis)(?:mod|site|conf|able-mod)?\s+(?:-\w+\s+)*(?P<name>[\w.-]+)", 0, _module),
        (r"\bulimit\s+-n\s+(?P<value>\S+)", 0, _whole("ulimit")),
        (r"\bcpupower\s+(?:-\w+\s+\S+\s+)?frequency-set\s.*", 0, _whole("cpupower")),
        (r"\b(?:ethtool\s+-[KGCL]|tc\s+qdisc)\s.*", 0, _whole("network")),
        (r"\bgit\s+(?:checkout|switch)\s+(?:-\w+\s+)*(?P<value>[\w./@{}~^-]+)$", 0, _named("git")),
        (
            r"\b(?:nvm\s+use|(?:rb|py|nod)env\s+(?:global|local|shell)|rvm\s+use|sdk\s+use|asdf\s+\w+)\s+(?P<value>\S+(?:\s+\d\S*)?)$",
            0,
            _named("version"),
        ),
        (r"\b(?:pip3?|npm|gem|yarn|pnpm)\s+(?:install|add|i)\s.*?(?P<key>[A-Za-z][\w.-]*)(?:==|@)(?P<value>\d\S*)", 0, _assigned),
        (
            r"\b(?:cp|ln|mv)\s+(?:-\w+\s+)*(?P<value>\S+)\s+(?P<key>/etc/\S+|\S+\.(?:conf|cnf|ini|ya?ml|toml))$",
            0,
            lambda found: (found["key"], PurePosixPath(found["value"]).name),
        ),
        (r"^(?:export|setenv)\s+(?P<key>[A-Za-z_]\w*)[= ](?P<value>'[^']*'|\"[^\"]*\"|\S*)", 0, _assigned),
        (r"^(?P<key>[A-Z_][A-Z0-9_]*)=(?P<value>'[^']*'|\"[^\"]*\"|\S*)$", 0, _assigned),
        (r"^unset\s+(?P<key>\w+)", 0, lambda found: (found["key"], "")),
    )
)  # fmt: skip


def read_setting(command: str) -> Setting | None:
    """(what a command sets, how that is said) or None: ("shared_buffers", "shared_buffers=1GB"); "" where it is as before again."""
    for pattern, meaning in _SETTINGS:
        if found := pattern.search(command):
            key, said = meaning(found)
            return None if _NO_ENV.fullmatch(key) else (key, said[:_MAX_WIDTH])
    return None


# --- what was typed up to each load test ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Before:
    """What was typed before a load test: the script that ran it, settings by key, and servers started (restarted, stopped)."""

    script: Words = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    started: frozenset[str] = frozenset()
    restarted: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()


class _Typing:
    """Follows the commands of a text."""

    def __init__(self) -> None:
        self.script: Words = ()
        self.settings: dict[str, str] = {}
        self.started: set[str] = set()
        self.restarted: set[str] = set()
        self.stopped: set[str] = set()

    def add(self, command: str) -> None:
        is_load = bool(parse_command(command).tool)
        self._begin()
        if (setting := read_setting(command)) and not is_load:
            self._set(*setting)
            return
        for part in _parts(command):
            bare = _STARTER.sub("", part, count=1).strip("({ ")
            if parse_command(part).tool:
                self.script = ()
            elif setting := read_setting(bare):
                self._set(*setting)
            elif not self._serve(bare):
                self._run(bare)
        if is_load:
            self.script = ()

    def _begin(self) -> None:
        """A server that was run in the foreground of another terminal is no script that printed what follows."""
        if self.script and _SERVER.match(" ".join(self.script)):
            self._start_program(self.script)
        self.script = ()

    def _set(self, key: str, said: str) -> None:
        self.settings.pop(key, None)
        if said:
            self.settings[key] = said

    def _serve(self, command: str) -> bool:
        """Take in a command that starts or stops a server. False: it is none."""
        if found := _COMPOSE.search(command):
            file = re.sub(r"(?:^|\s)--?[\w-]+(?:=|\s|$)", " ", found["words"]).strip()
            names = [f"{file} {name}".strip() for name in found["names"].split() if name[0] != "-"]
            self._switch(found["verb"], names or [file] * bool(file))
        elif (found := _DETACHED.search(command)) and re.search(r"\s(?:-\w*d\w*|--detach)\b", found["words"]):
            words = _words_of_container(found["words"])
            self._start(words[0].partition(":")[0], words) if words else None
        elif found := _SERVICE.search(command):
            names = (found["names"] or found["name"]).split()
            self._switch(found["verb"] or found["verb2"], [name.removesuffix(".service") for name in names])
        elif (
            command.endswith("&")
            and (words := _words(command))
            and not (words[0] in _QUIET.split() or is_monitor(words[0]))
        ):
            self._start_program(words)
        elif _SERVER.match(command) and _DAEMON.match(command):
            self._start_program(_words(command))
        else:
            return False
        return True

    def _switch(self, verb: str, names: Sequence[str]) -> None:
        if verb in _RESTARTS:
            self.restarted |= set(names) if verb == "restart" else set()
        elif verb.startswith(("start", "enable", "up")):
            self.started |= set(names)
            self.stopped -= set(names)
        else:
            self.stopped |= set(names)
            self.started -= set(names)

    def _start_program(self, words: Words) -> None:
        bare = [word for word in words if not _VARIABLE.match(word)]
        if bare:
            self._start(" ".join(bare[: 2 if _INTERPRETER.match(bare[0]) else 1]), words)

    def _start(self, name: str, words: Words) -> None:
        """A server that was started, its arguments and variables as a setting of that name."""
        if not self.started:  # those of before are gone
            self.settings = {key: said for key, said in self.settings.items() if not key.startswith("start ")}
        self.started.add(name)
        self.settings[f"start {name}"] = " ".join(words)

    def _run(self, command: str) -> None:
        words = _words(command)
        bare = [word for word in words if not _VARIABLE.match(word)]
        program = PurePosixPath(bare[0]).name if bare else ""
        if program in _SHOWS and len(bare) > 1 and not bare[-1].startswith(("/etc", "/proc", "/sys")):
            self.script = ("cat", f">{bare[-1]}")
        elif program and not is_monitor(program) and (program not in _QUIET.split() or _RUNS.match(" ".join(bare))):
            self.script = words

    def take(self) -> _Before:
        """What holds for the load test that comes now; servers that were started are told once."""
        before = _Before(
            self.script,
            dict(self.settings),
            frozenset(self.started),
            frozenset(self.restarted),
            frozenset(self.stopped),
        )
        self.started, self.restarted, self.stopped = set(), set(), set()
        return before


def _parts(command: str) -> list[str]:
    """The commands that a line joins by "&&", "||" or ";"."""
    ends = [found.span() for found in _JOINT.finditer(command) if found[1]]
    starts = [0, *(end for _, end in ends)]
    return [
        part
        for start, (end, _) in zip(starts, [*ends, (len(command), 0)], strict=True)
        if (part := command[start:end].strip())
    ]


def _words(command: str) -> Words:
    """A command's words, without where its output goes but for the file's name, which gets a ">"."""
    cut = _CUT.search(command)
    target = re.search(r"(?:>>?|\btee\s+(?:-a\s+)?)\s*([\w./-]+)", command[cut.start() :]) if cut else None
    words = [word.strip("'\"") for word in _WORD.findall(command[: cut.start()] if cut else command)][:_MAX_WORDS]
    return (*words, *([f">{target[1]}"] if target and target[1] != "/dev/null" else ()))


def _words_of_container(text: str) -> Words:
    """Of `docker run`: the image, its tag, and what changes the server."""
    words, kept, skip = _words(text), [], False
    for word in words:
        if skip:
            skip = False
        elif found := _FLAGS_OF_RUN.match(word):
            skip = found["value"] == ""
        else:
            kept.append(word)
    at = next(
        (i for i, word in enumerate(kept) if word[0] != "-" and (not i or kept[i - 1][0] != "-" or "=" in kept[i - 1])),
        0,
    )
    return (kept[at], *kept[:at], *kept[at + 1 :]) if kept else ()


# --- what tells load tests apart ---------------------------------------------------------------------------------------


def find_variants(
    blocks: Sequence[Block],
    loads: Sequence[int],
    heading_of: Mapping[int, object],
    results: Mapping[int, LoadResult],
    method_of: Callable[[int], Method],
) -> dict[int, str]:
    """{load: what tells it apart from others under its heading}, without those of which nothing does.

    heading_of: what names each load test's config, and groups it. Settings are compared where they stand together.
    """
    if len(loads) < 2 or not any(block.typed for block in blocks):
        return {}
    before = _follow_commands(blocks, loads)
    by_heading: dict[object, list[int]] = defaultdict(list)
    for load in loads:
        by_heading[heading_of[load]].append(load)
    said: dict[int, list[str]] = defaultdict(list)
    for own in by_heading.values():
        if len(own) < 2:
            continue
        scripts = _without_loads(own, {load: _without_neutral(before[load].script) for load in own}, method_of)
        for told in (
            _tell_apart(_without_repeats(scripts)),
            _compare_settings(own, loads, before, heading_of, method_of),
            _compare_servers({load: before[load] for load in own}, results),
        ):
            for load, words in told.items():
                said[load] += [words] if words and words not in said[load] else []
    return {load: ", ".join(words) for load, words in said.items() if words}


def _follow_commands(blocks: Sequence[Block], loads: Collection[int]) -> dict[int, _Before]:
    typing, before = _Typing(), dict[int, _Before]()
    script: Words = ()
    for index in range(max(loads) + 1):
        block = blocks[index]
        for _, text in block.trail:
            if setting := read_setting(text):
                typing.settings[setting[0]] = setting[1]
        for command in block.typed:
            typing.add(command)
        script = typing.script if block.typed else script
        if index in loads:
            before[index] = replace(typing.take(), script=script)
            typing.script = ()
    return before | {load: replace(before[load], script=("for", item)) for load, item in _find_turns(blocks, loads)}


def _find_turns(blocks: Sequence[Block], loads: Collection[int]) -> Iterator[tuple[int, str]]:
    """(load, the word of its turn) of the loops on the command line that printed a load test in each turn, or as many in each."""
    printed: list[int] = []
    items: list[str] = []
    for index in [*range(max(loads) + 1), -1]:
        if index < 0 or blocks[index].typed:
            if items and printed and len(printed) % len(items) == 0:
                each = len(printed) // len(items)
                yield from ((load, items[at // each]) for at, load in enumerate(printed))
            loop = _LOOP.search(blocks[index].typed[-1]) if index >= 0 else None
            items, printed = loop["items"].split() if loop else [], []
            if all(map(str.isdigit, items)) and _count_up(list(map(int, items)), 2):
                items = []  # repeats
        printed += [index] if index in loads else []


def _without_loads(
    own: Sequence[int], scripts: Mapping[int, Words], method_of: Callable[[int], Method]
) -> dict[int, Words]:
    """The scripts' words without the numbers that their tools print of the load, where each of them has as many of those."""
    kept = {load: _without_load(words, method_of(load)) for load in own if (words := scripts[load])}
    n_dropped = {len(scripts[load]) - len(words) for load, words in kept.items()}
    return kept if len(n_dropped) == 1 else {load: scripts[load] for load in kept}


def _without_load(words: Words, method: Method) -> Words:
    load = {
        method.requests,
        method.concurrency,
        method.rate,
        method.duration_s,
        method.pipelining,
        *dict(method.further or ()).values(),
    }
    kept: list[str] = []
    for word in words:
        size = _SIZE.fullmatch(word)
        if size and int(size["number"]) * {"k": 1000, "K": 1000, "m": 60}.get(size["unit"], 1) in load:
            kept = kept[:-1] if kept and kept[-1][:1] == "-" and not size["name"] else kept
        elif not (method.path and word == method.path):
            kept.append(word)
    return tuple(kept)


def _without_neutral(script: Words) -> Words:
    """A script's words without what changes with each run, and without the address, which is compared by itself."""
    kept: list[str] = []
    skip = False
    for word in script:
        previous, neutral, output = kept[-1] if kept else "", _NEUTRAL.match(word), _OUTPUT.match(word)
        if skip:
            skip = False
        elif neutral:
            skip = not neutral["value"]
        elif kept and output and output["file"]:
            kept.append(f">{output['file']}")
        elif _OUTPUT.fullmatch(previous):
            kept[-1] = f">{word.strip('>')}"
        elif kept and (
            "://" in word
            or (re.search(r"[A-Za-z]", word) and word[0] != ">" and find_repeat(word.replace("=", " ")) is not None)
        ):
            pass
        elif previous[:1] == "-" and word.isdigit() and find_repeat(f"{previous.lstrip('-')} {word}") is not None:
            kept.pop()
        else:
            kept.append(word)
    return tuple(kept)


def _without_repeats(scripts: Mapping[int, Words]) -> dict[int, Words]:
    """The words without numbers that only count the repeats: "run.sh 1" to "run.sh 3", "> nginx-1.txt" and "> nginx-2.txt"."""
    numbers: dict[tuple[int, str], set[str]] = defaultdict(set)
    split = {load: [_split_number(words, at) for at in range(len(words))] for load, words in scripts.items()}
    for parts in split.values():
        for at, (base, number) in enumerate(parts):
            if number or base[:1] == ">":  # "nginx.txt" and "nginx-2.txt"
                numbers[at, base].add(number or "1")
    counting = {key for key, found in numbers.items() if _count_up(sorted(map(int, found)), 1 if key[1] else 3)}
    return {
        load: tuple(
            base if (at, base) in counting else f"{base}{number}"
            for at, (base, number) in enumerate(parts)
            if not (base[:1] == ">" and _PLAIN_FILE.fullmatch(base[1:])) and (base or (at, base) not in counting)
        )
        for load, parts in split.items()
    }


def _split_number(words: Words, at: int) -> tuple[str, str]:
    """("nginx", "1") of the file ">nginx-1.txt"; ("", "1") of a number alone; otherwise the whole word and ""."""
    word = words[at]
    if word[0] == ">":
        stem = PurePosixPath(word[1:]).name.partition(".")[0]
        number = _FILE_NUMBER.search(stem)
        return f">{_FILE_NUMBER.sub('', stem).strip('-_')}", (number[1] or "") if number else ""
    if word.isdigit() and at and words[at - 1][:1] != "-":
        return "", word
    return word, ""


def _count_up(numbers: Sequence[int], least: int) -> bool:
    return len(numbers) >= least and list(numbers) in (list(range(1, len(numbers) + 1)), list(range(len(numbers))))


def _tell_apart(words_of: Mapping[int, Words]) -> dict[int, str]:
    """{load: the words that others do not have}; empty where all are equal."""
    distinct = list(dict.fromkeys(words_of.values()))
    if len(distinct) < 2:
        return {}
    said = {words: _own_words(words, distinct) for words in distinct}
    if all(len(own) == 1 for own in said.values()):
        plain = _without_common_ends([own[0] for own in said.values()])
        said = {words: (text,) for words, text in zip(said, plain, strict=True)}
    shown = {words: " ".join(own)[:_MAX_WIDTH] for words, own in said.items()}
    if len(set(shown.values())) < len(distinct):
        shown = {words: " ".join(words) for words in distinct}
    return {load: shown[words] for load, words in words_of.items()}


def _own_words(words: Words, others: Sequence[Words]) -> Words:
    common = set(words).intersection(*others)
    own: list[str] = []
    for at, word in enumerate(words):
        if word in common:
            continue
        option = (
            words[at - 1]
            if at and words[at - 1] in common and words[at - 1][0] == "-" and word[0] != "-" and "=" not in word
            else ""
        )
        own += [option.removeprefix("--"), word] if option else [word.lstrip("-") if word[:2] == "--" else word]
    if len(own) == 1 and own[0].isdigit():
        own = [PurePosixPath(words[0]).name, *own]
    return tuple(word.lstrip(">") for word in own) or (" ".join(map(str, words)).lstrip("./"),)


def _without_common_ends(words: Sequence[str]) -> list[str]:
    """ "./bench-node.sh" and "./bench-bun.sh" without what they have in common up to a sign: "node" and "bun"."""
    if any("=" in word or " -" in f" {word}" for word in words):
        return list(words)
    parts = [re.findall(r"[^\W_]+|[\W_]+", word) for word in words]
    for take in (0, -1):
        while min(map(len, parts)) > 1 and len({part[take] for part in parts}) == 1:
            parts = [part[1:] if take == 0 else part[:-1] for part in parts]
    plain = ["".join(part).strip("./-_:") for part in parts]
    return (
        plain if all(plain) and len(set(plain)) == len(set(words)) and not any(map(str.isdigit, plain)) else list(words)
    )


def _compare_settings(
    own: Sequence[int],
    loads: Sequence[int],
    before: Mapping[int, _Before],
    heading_of: Mapping[int, object],
    method_of: Callable[[int], Method],
) -> dict[int, str]:
    """{load: its values of the settings that were changed between load tests that stand together under this heading}."""
    together = [
        list(group) for heading, group in groupby(loads, key=heading_of.__getitem__) if heading == heading_of[own[0]]
    ]
    changed: set[str] = set()
    for group in together:
        keys = dict.fromkeys(key for load in group for key in before[load].settings)
        changed |= {key for key in keys if len({before[load].settings.get(key) for load in group}) > 1}
    said: dict[int, list[str]] = defaultdict(list)
    for key in dict.fromkeys(key for load in own for key in before[load].settings if key in changed):
        values = {load: value for load in own if (value := before[load].settings.get(key))}
        is_load = all(_is_load(value, method_of(load)) for load, value in values.items())
        if key.startswith("start "):
            values = _tell_apart(_without_repeats({load: tuple(value.split()) for load, value in values.items()}))
        for load, value in values.items() if not is_load else ():
            said[load].append(value)
    return {load: ", ".join(_without_negations(values)) for load, values in said.items()}


def _without_negations(said: Sequence[str]) -> Sequence[str]:
    """One module in place of another: the one that is there says enough."""
    return [text for text in said if not text.startswith("without ")] or said


def _is_load(said: str, method: Method) -> bool:
    """Whether a variable only holds what the tool prints of the load: "CONNECTIONS=100"."""
    size = _SIZE.fullmatch(said)
    return (
        bool(size) and int(size["number"]) in {method.requests, method.concurrency, method.rate, method.duration_s}
        if size
        else False
    )


def _compare_servers(before: Mapping[int, _Before], results: Mapping[int, LoadResult]) -> dict[int, str]:
    """{load: the server that was started for it}, where others were for other loads."""
    software = {results[load].server_software for load in before}
    is_told = len(software) == 1 and None not in software  # who answered: a restart of something else was none of it
    running: dict[int, frozenset[str]] = {}
    current: frozenset[str] = frozenset()
    for load, own in before.items():
        if own.started and own.stopped and not current:
            running |= dict.fromkeys(running, own.stopped)
        restarted = frozenset() if is_told else own.restarted
        current = own.started or (current if current & restarted else restarted) or current - own.stopped
        running[load] = current
    groups = _group_overlapping([names for names in running.values() if names])
    if len(groups) + (frozenset() in running.values() and any(own.started for own in before.values())) < 2:
        return {}
    answered = [{results[load].server_software for load, names in running.items() if names & group} for group in groups]
    if None not in set().union(*answered) and len(set().union(*answered)) == sum(map(len, answered)):
        return {}  # the tools told the servers apart
    plain = _without_common_ends([mode(_names_in(group, running.values())) for group in groups])
    name_of = {name: said for said, group in zip(plain, groups, strict=True) for name in group}
    return {load: name_of[min(names)] for load, names in running.items() if names}


def _names_in(group: Collection[str], sets: Iterable[frozenset[str]]) -> list[str]:
    return [name for names in sets if names & set(group) for name in sorted(names)]


def _group_overlapping(sets: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The sets, those joined that have a name in common."""
    groups: list[frozenset[str]] = []
    for names in sets:
        joined = [group for group in groups if group & names]
        groups = [group for group in groups if group not in joined] + [names.union(*joined)]
    return groups
