"""What the commands of a session do: settings that they change, servers that they start, the script that printed a report.

A missing command costs a wrong guess: runs that differ are taken for repeats, which can be corrected on the preview page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import PurePosixPath
from typing import Any

from parsers.catalogue import is_monitor, parse_command
from parsers.patterns import remember_lines

from .settings import read_setting

Words = tuple[str, ...]
_MAX_WORDS = 40
_MOST_SETTINGS = 16  # the last ones, of more nobody could tell what made a difference
_MOST_KEPT = 100  # with those that were shown: each load test has a copy of them
MAX_COMMAND = 500  # characters of a command that are looked at
_RESTARTS = frozenset({"restart", "reload", "force-reload"})
_JOINT = re.compile(r"""'[^']*'|"[^"]*"|(&&|\|\||;|(?<![>\d|])&(?=\s+[^\s;&|)]))""")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
_STARTER = re.compile(
    r"(?:(?:sudo|time|nohup|exec|command|setsid|nice|ionice|taskset|numactl|stdbuf|do|then)\s+(?:-\w+\s+(?:[\d,x-]+\s+)?|\d[\d,-]*\s+)*)*"
)
# Of those, what says where a server runs and how much of the machine it gets: a setting of it.
CONFINES = re.compile(r"(?:taskset|numactl|nice|ionice|chrt|cgexec)\s+(?:-\S+\s+(?:[\d,x-]+\s+)?|\d\S*\s+)*")
_QUIET_NAMES = """
    cd ls ll la dir pwd sleep clear reset exit logout echo printf date true wait history whoami hostname which whereis type man
    mkdir touch rm rmdir chmod chown kill killall pkill fg bg jobs ssh su curl wget http ping dig nslookup ss netstat lsof uptime
    uname nproc lscpu df dmesg journalctl tee wc sort seq for while if done fi do then watch sync tmux screen vim vi nano
    emacs grep egrep awk diff test [ set unset source . git make cargo npm npx yarn pnpm go docker docker-compose podman
    systemctl service apt apt-get yum dnf apk brew pip pip3 gem bundle nginx apachectl apache2ctl redis-cli psql mysql sysctl
    kubectl lsblk lspci lsmod id w who last groups env alias history tree file stat strings jq cut tr column bc less more head tail
    cat bat tac nl paste join split gnuplot nc ncat telnet openssl host traceroute ip
    ifconfig route getconf ldd ldconfig gcc cc clang cmake ninja javac rustc rustup mvn gradle systemd-analyze lsb_release
    hostnamectl timedatectl ulimit umask return read break continue exec eval trap yes seq printenv basename dirname readlink
    locale code open pbcopy xclip cal expr let declare local function sed time bd export setenv cpupower numactl lstopo dmidecode
    sqlite3 virtualenv pyenv rbenv nvm conda deactivate activate workon arp mtr inxi neofetch
    htop atop btop glances iftop sensors turbostat numastat lsns reboot shutdown poweroff
    systemd-detect-virt
"""  # commands that change nothing for a server; those that also run something else are looked at before
# Of these, what takes the machine's time, or the server's, where it runs beside a load test.
_BUSY = frozenset("strace ltrace tcpdump perf rsync scp sftp tar gzip gunzip zip unzip find du md5sum".split())  # noqa: SIM905
_QUIET = frozenset(_QUIET_NAMES.split()) | _BUSY
_ATTACHES = re.compile(  # a profiler or debugger, to a process that runs: "--pid 4410", "-p $(pidof app)"
    r"\s--pid[\s=]|\s-p\s*[\"']?(?:\$\(|`)|\s(?:record|attach)\s.*-p\s?\d"
)
_ENDS = re.compile(r"(?:sudo\s+)?(?:kill|pkill|killall|wait|fg)\b")
_CHANGES = re.compile(  # what these programs do to what is measured
    r"git\s+(?:pull|apply|am|merge|rebase|revert|reset|cherry-pick)\b|kubectl\s+(?:apply|patch|edit|set|replace)\b"
    r"|(?:apt(?:-get)?|yum|dnf|apk|brew)\s+(?:-\S+\s+)*(?:install|add|del|\w*-?upgrade|remove|purge)\b(?!.*(?:utils|tools|stat)\b)"
)
# What shows a file, and how many words stand before the file's name: grep's pattern is one more.
_SHOWS = dict.fromkeys(("cat", "less", "more", "head", "tail", "bat", "type"), 1) | dict.fromkeys(
    ("grep", "egrep", "zgrep"), 2
)
_RUNS = re.compile(  # of programs that do many things, what runs a script: "npm run x", "make bench"
    r"(?:npm|yarn|pnpm|bun)\s+(?:run(?:-script)?|test|exec)\s|(?:npx|make|just|task)\s+\S|(?:go|cargo|deno|dotnet)\s+(?:run|bench|test)\b"
    r"|docker(?:\s+|-)compose\s+run\b|(?:docker|podman)\s+run\b(?!.*\s(?:-d|--detach)\b)|docker\s+exec\b|(?:bash|sh|zsh)\s+\S"
)
_INTERPRETER = re.compile(r"(?:\S*/)?(?:node|bun|deno|php|python[\d.]*|ruby|java|dotnet|pm2)$")
_DAEMON = re.compile(
    r"(?:nginx|httpd|apache2|haproxy|caddy|lighttpd)\s.*-(?:c|f|-config)\b|\S+\s.*(?:(?:-D|--daemon\w*)(?:\s|$)|\s-d$)"
)
_RUNNER = r"(?:(?:bundle\s+exec|(?:poetry|pipenv|uv)\s+run|npx)\s+)?"  # runs a program of a project
_SERVER = re.compile(
    _RUNNER
    + r"(?:\S*/)?(?:g?unicorn|uvicorn|hypercorn|puma|uwsgi|daphne|waitress-serve|node|bun|deno|php(?:-fpm)?|python[\d.]*|ruby|java"
    r"|dotnet|caddy|nginx|httpd|apache2|lighttpd|haproxy|varnishd|traefik|envoy|redis-server|memcached|mysqld?(?:_safe)?|mongod|pm2\s+start)(?=\s)"
)
_STARTS_SEVERAL = re.compile(r"pm2\s+start\s.*\s-")  # processes of a program, with options
_STARTS_SCRIPT = re.compile(r"(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?(?:start|dev|serve|preview)\b")
_DETACHED = re.compile(r"\b(?:docker|podman)\s+(?:container\s+)?run\b(?P<words>.*)")
_COMPOSE = re.compile(r"\bdocker(?:\s+|-)compose\b(?P<words>.*?)\s(?P<verb>up|start|restart|stop|down)\b(?P<names>.*)")
_SERVICE = re.compile(
    r"(?:\b(?:systemctl|rc-service|supervisorctl|pm2|(?:docker|podman)(?:\s+container)?|brew\s+services)\s+(?:--?\w\S*\s+)*"
    r"(?P<verb>start|restart|stop|reload|enable\s+--now|disable\s+--now|rm|kill)\s+(?:-\S+\s+)*(?P<names>[\w@.:-]+(?:\s+[\w@.:-]+)*)"
    r"|(?:\bservice\s+|/etc/init\.d/|/etc/rc\.d/)(?P<name>[\w.-]+)\s+(?P<verb2>start|restart|stop|reload)\b)"
)
_FLAGS_OF_RUN = re.compile(  # of `docker run`, those that change nothing for the server, with their value
    r"(?:-[ditP]+|--rm|--detach|--privileged|--init)$|(?:-p|-v|-h|-l|-w|-u|--(?:name|network(?!=host$)|net|publish|volume|hostname|label|restart|link|mount|pull))(?P<value>=|$)"
)
_HOST_NETWORK = re.compile(r"\s--net(?:work)?[\s=]host\b")
_COMPILES = re.compile(
    r"(?:g?cc|[gc]\+\+|clang(?:\+\+)?|rustc|cmake|make|(?:cargo|go|zig|swift|dotnet)\s+(?:build|publish))(?=\s|$)"
)
SCRIPT = re.compile(r"\S+\.(?P<type>[cm]?[jt]s|py|rb|php|jar)|[A-Za-z][\w.]*:[a-z]\w*")  # or a module: "app:main"
_PROGRAM = re.compile(r"[\w./~][\w./~-]*")
# Of what is run before a load test, that which only shows, clears or waits
_CHANGES_NOTHING = re.compile(
    r"(?i:check|status|show|print|report|plot|graph|stats?|monitor|logs?|collect|parse|summar|warm|reset|clean|clear|flush|wait|sleep"
    r"|health|ping|restart|reload|stop|kill|build|install|compile|download|fetch|prepare|prewarm|seed|load|analy[sz]e|\btests?\b|\b(?:docker|podman)\s+exec\b)"
    r"|(?<![^\s])(?:-[vVM]|--?version|--help)$"
)
# Files that a program shows.
_RESULTS = re.compile(r"\w\.(?:png|svg|jpe?g|gif|pdf|html?|csv|tsv|json|txt|log|out|dat|gp|md)$")
_PREPARES = re.compile(r"(?:re)?(?:start|stop|build|install|clean|all|up|down|deps|setup)\b.*")
_EDITS = re.compile(
    r"(?:(?:vim?|nano|emacs|pico|joe|mcedit|tee)\s+(?:[-+]\S+\s+)*|cat\s*>>?\s*)(?P<path>/etc/\S+|\S+\.(?:conf|cnf|ini|cfg|ya?ml|toml|properties|env))(?:\s*<<.*)?$"
)
_READS_CONFIG = re.compile(r"\b(?:re-?start|re-?load|graceful|start|up|deploy|apply)\b|sysctl\s+-|-(?:HUP|USR[12])\b")
RELOADED = "reloaded "  # what the keys of such settings begin with
_RELOADS = re.compile(
    r"(?P<program>nginx|openresty|haproxy|caddy|apache2?ctl|httpd)\s.*(?:\breload|\bgraceful)\b"
    r"|\b(?:(?:systemctl|rc-service)\s+re(?:load|start)\s+|service\s+(?=\S+\s+re(?:load|start)\b))(?P<service>[\w@.-]+)"
)
_WITHIN = re.compile(  # a shell elsewhere, or another one here, with the commands that it is given
    r"(?:sudo\s+)?(?:ssh\s[^'\"]*|(?:[\w./-]+\s+)*(?:ba|z|da)?sh\s+-\w*c\s*)(?P<quote>['\"])(?P<commands>.*)(?P=quote)\s*&?"
)
_CUT = re.compile(r"(?:(?<!\s)\s++)?+(?:\d?>>?|\||<|\d>&\d|&\s*$)")
SSH = re.compile(  # the machine that ssh runs a command on
    r"(?:^|[;&|]\s*|\bdo\s+)(?:time\s+)?ssh\s+(?:-[A-Za-z]*[bcDEeFIiJLlmOopQRSWw]\s+\S+\s+|-\S+\s+)*(?:[\w.-]+@)?(?P<host>[\w.-]+)\s"
)
LOOP = re.compile(r"\bfor\s+(?P<name>\w+)\s+in\s++(?P<items>[^;$`{}*()]+);\s*do\b")


@dataclass(frozen=True, slots=True)
class Before:
    """What was typed before a load test: the script that ran it, settings by key, and servers started (restarted, stopped).

    prepared   the scripts that were run since the load test before and printed none
    read_by    the words that the program which runs a server reads itself ("docker run", "node"), and a compiler, by program
    beside     programs that were started since the load test before and are no servers; ended: what ran before it was stopped
    """

    script: Words = ()
    prepared: tuple[Words, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    started: frozenset[str] = frozenset()
    restarted: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    read_by: Mapping[str, Words] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    ended: bool = False


class Typing:
    """Follows the commands of a text."""

    def __init__(self) -> None:
        self.script: Words = ()
        self.prepared: list[Words] = []
        self.settings: dict[str, str] = {}
        self.n_changes: Counter[str] = Counter()
        self.opened: list[str] = []  # files in an editor, which a server has not read since
        self.started: set[str] = set()
        self.restarted: set[str] = set()
        self.stopped: set[str] = set()
        self.read_by: dict[str, Words] = {}
        self.compiled: dict[str, Words] = {}
        self.beside: set[str] = set()
        self.ended = False

    def add(self, command: str) -> None:
        command = command[:MAX_COMMAND]
        is_load = bool(parse_command(command).tool)
        is_made = self.script[:1] == ("make",) and len(self.script) > 1 and not _PREPARES.fullmatch(self.script[1])
        printing = self.script if is_made else ()  # make prints the commands that it runs
        self._begin()
        for part in split_commands(command):
            bare = _STARTER.sub("", part, count=1).strip("({ ")
            if not bare.strip("0123456789 "):  # of a process that runs already: "taskset -cp 0 2341"
                bare = part.removeprefix("sudo ")
            if setting := read_setting(bare):  # also of a load tool that fills a database
                self._set(*setting)
            elif parse_command(part).tool:
                self._end_script()
            elif edited := _EDITS.match(bare):
                self.opened.append(edited["path"])
            else:
                self._end(bare)
                self._set_variables(_split_words(bare))
                is_server = self._serve(bare, tuple("".join(CONFINES.findall(part[: part.find(bare)])).split()))
                if self.opened and (is_server or _READS_CONFIG.search(bare)):
                    self._edit()
                elif match := _RELOADS.search(bare):
                    name = match["program"] or match["service"]  # something was changed in its files, elsewhere
                    name, verb = name.removesuffix(".service"), "restarted" if "restart" in bare else "reloaded"
                    self._change(f"{RELOADED}{name}", f"{name} {verb}")
                if not is_server:
                    self._run(bare)
        if is_load:  # what its report was saved as, tells as much as a script's
            target = _split_words(command)[-1:]
            self.script = printing or (target if target and target[0][:1] == ">" else ())

    def _end(self, command: str) -> None:
        """What runs beside the load tests ends; and a compiler's words are noted."""
        if _ENDS.match(command):
            self.beside, self.ended = set(), True
        if match := _COMPILES.match(command):
            words = _split_words(command[match.end() :])
            self.compiled[match[0]] = tuple(word for word in words if word[:2] not in ("-l", "-L", "-I"))

    def _begin(self) -> None:
        """A server that was run in the foreground of another terminal is no script that printed what follows."""
        bare = [word for word in self.script if not _VARIABLE.match(word)]
        if (
            bare
            and _SERVER.match(f"{' '.join(bare)} ")
            and not _CHANGES_NOTHING.match(PurePosixPath(bare[min(1, len(bare) - 1)]).name)
        ):
            self._start_program(self.script)
            self.script = ()
        self._end_script()

    def _end_script(self) -> None:
        """The script that was run last printed no load test: it prepared the next one."""
        bare = [word for word in self.script if not _VARIABLE.match(word)]
        if (
            bare
            and _PROGRAM.fullmatch(bare[0])
            and not _CHANGES_NOTHING.search(" ".join([PurePosixPath(bare[0]).name, *bare[1:]]))
            and not ("/" not in bare[0] and _RESULTS.search(bare[-1]))
        ):
            self.prepared.append(self.script)
        self.script = ()

    def _edit(self) -> None:
        """A server reads files anew that were opened in an editor: what was changed in them, nobody knows."""
        for path in self.opened:
            self._change(f"edited {path}", f"{PurePosixPath(path).name} edited")
        self.opened = []

    def _change(self, key: str, said: str) -> None:
        """Something becomes another each time: a file, a repository's state."""
        self.n_changes[key] += 1
        self._set(key, said + (f" ({self.n_changes[key]})" if self.n_changes[key] > 1 else ""))

    def _set(self, key: str, said: str) -> None:
        self.settings.pop(key, None)
        if said:
            self.settings[key] = said
            if len(self.settings) > _MOST_SETTINGS:
                del self.settings[next(iter(self.settings))]

    def _serve(self, command: str, confined: Words = ()) -> bool:
        """Take in a command that starts or stops a server, `confined` by the words before it. False: it is none."""
        if match := _COMPOSE.search(command):
            file = re.sub(r"(?:^|\s)--?[\w-]+(?:=|\s|$)", " ", match["words"]).strip()
            names = [f"{file} {name}".strip() for name in match["names"].split() if name[0] != "-"]
            self._switch(match["verb"], names or [file] * bool(file))
        elif (match := _DETACHED.search(command)) and re.search(r"\s(?:-\w*d\w*|--detach)\b", match["words"]):
            own, words = _split_container_words(match["words"])
            if words:
                self._start(words[0].partition(":")[0], (words[0], *own, *words[1:]), {"docker run": own})
        elif _STARTS_SEVERAL.match(command):
            self._start_program(_split_words(command), confined)
        elif match := _SERVICE.search(command):
            names = (match["names"] or match["name"]).split()
            self._switch(match["verb"] or match["verb2"], [name.removesuffix(".service") for name in names])
        elif command.endswith("&") and (words := _split_words(command)):
            bare = re.sub(_RUNNER, "", command, count=1)
            if _runs_beside(words[0], command):
                self.beside.add(words[0])
            elif (bare.partition(" ")[0] in _QUIET and not _STARTS_SCRIPT.match(bare)) or is_monitor(words[0]):
                return False
            else:
                self._start_program(words, confined)
        elif _SERVER.match(command) and _DAEMON.match(command):
            self._start_program(_split_words(command), confined)
        else:
            return False
        return True

    def _set_variables(self, words: Words) -> None:
        """Those before a program that starts others: `WORKERS=4 docker compose up -d`. Of scripts they are words."""
        variables = list(takewhile(_VARIABLE.match, words))
        command = words[len(variables) :]
        if command and command[0] in _QUIET and not _RUNS.match(" ".join(command)):
            for setting in filter(None, map(read_setting, variables)):
                self._set(*setting)

    def _switch(self, verb: str, names: Sequence[str]) -> None:
        if verb in _RESTARTS:
            self.restarted |= set(names) if verb == "restart" else set()
        elif verb.startswith(("start", "enable", "up")):
            self.started |= set(names)
            self.stopped -= set(names)
            self.settings = {
                key: said for key, said in self.settings.items() if key.removeprefix("stopped ") not in names
            }
        else:
            self.stopped |= set(names)
            self.started -= set(names)

    def _start_program(self, words: Words, confined: Words = ()) -> None:
        bare = [word for word in words if not _VARIABLE.match(word)]
        bare = re.sub(_RUNNER, "", " ".join(bare), count=1).split()
        if bare:
            is_interpreted = _INTERPRETER.match(bare[0]) is not None
            file = bare[1:2] if is_interpreted and bare[1:] and bare[1][0] != "-" else []
            before = tuple(takewhile(lambda word: not SCRIPT.fullmatch(word), bare[1:])) if is_interpreted else ()
            program = PurePosixPath(bare[0]).name
            self._start(" ".join([bare[0], *file]), (*words, *confined), {program: before} if is_interpreted else {})

    def _start(self, name: str, words: Words, read_by: Mapping[str, Words]) -> None:
        """A server that was started, its arguments and variables as a setting of that name."""
        if not self.started:  # those of before are gone
            self.settings = {key: said for key, said in self.settings.items() if not key.startswith("start ")}
            self.read_by = {}
        self.started.add(name)
        for program, own in read_by.items():
            self.read_by[program] = (*self.read_by.get(program, ()), *own)
        self.settings[f"start {name}"] = " ".join(words)

    def _run(self, command: str) -> None:
        words = _split_words(command)
        bare = [word for word in words if not _VARIABLE.match(word)]
        program = PurePosixPath(bare[0]).name if bare else ""
        if program in _SHOWS and self.script:
            pass  # the same line's script says more
        elif program in _SHOWS and len(bare) > _SHOWS[program] and not bare[-1].startswith(("/etc", "/proc", "/sys")):
            self.script = ("cat", f">{bare[-1]}")
        elif _CHANGES.match(" ".join(bare)):
            self._change(f"did {command}", command)
        elif program and not is_monitor(program) and (program not in _QUIET or _RUNS.match(" ".join(bare))):
            if self.script:
                self._end_script()
            self.script = words

    def take(self) -> Before:
        """What holds for the load test that comes now; servers that were started are named once."""
        if not (self.started or self.restarted):
            self.settings |= {f"stopped {name}": f"{name} stopped" for name in sorted(self.stopped)}
        keep_last(self.settings, _MOST_KEPT)
        before = Before(
            self.script,
            tuple(self.prepared),
            dict(self.settings),
            frozenset(self.started),
            frozenset(self.restarted),
            frozenset(self.stopped),
            self.compiled | self.read_by,
            frozenset(self.beside),
            self.ended,
        )
        self.started, self.restarted, self.stopped, self.prepared = set(), set(), set(), []
        self.beside, self.ended = set(), False
        return before


def starts_server(commands: Sequence[str]) -> bool:
    typing = Typing()
    for command in commands:
        typing.add(command)
    return bool(typing.started or typing.restarted)


def _runs_beside(program: str, command: str) -> bool:
    """Whether a program that was put into the background serves nothing, and takes time from what does."""
    is_busy = program in _BUSY or program.endswith("dump")
    return is_busy or (_ATTACHES.search(command) is not None and (" record " in command or not is_monitor(program)))


def keep_last(known: dict[str, Any], most: int) -> None:
    """Drop what was noted first, of more than so many."""
    for key in [*islice(known, max(len(known) - most, 0))]:
        del known[key]


@remember_lines
def split_commands(command: str) -> Words:
    """The commands that a line joins by "&&", "||" or ";", and those that run beside the next one, with their "&".

    Of one that gives commands to another shell, these.
    """
    joints = [(*match.span(), match[1]) for match in _JOINT.finditer(command) if match[1]]
    ends = [(end if joint == "&" else start, end) for start, end, joint in joints]
    starts = [0, *(end for _, end in ends)]
    parts = [command[start:end].strip() for start, (end, _) in zip(starts, [*ends, (len(command), 0)], strict=True)]
    given = [(part, _WITHIN.fullmatch(part)) for part in parts if part]
    return tuple(each for part, inner in given for each in (split_commands(inner["commands"]) if inner else (part,)))


@remember_lines
def _split_words(command: str) -> Words:
    """A command's words, without where its output goes but for the file's name, which gets a ">"."""
    cut = _CUT.search(command)
    target = re.search(r"(?:>>?\s*|\btee(?:\s+-a)?\s+)([\w./-]+)", command[cut.start() :]) if cut else None
    words = [word.strip("'\"") for word in _WORD.findall(command[: cut.start()] if cut else command)][:_MAX_WORDS]
    return (*words, *([f">{target[1]}"] if target and target[1] != "/dev/null" else ()))


def _split_container_words(text: str) -> tuple[Words, Words]:
    """Of `docker run`: its own words that change the server; the image with its tag, and the words behind it."""
    words, kept, skip = _split_words(_HOST_NETWORK.sub(" --network=host", text)), [], False
    for word in words:
        if skip:
            skip = False
        elif match := _FLAGS_OF_RUN.match(word):
            skip = match["value"] == ""
        else:
            kept.append(word)
    at = next(
        (i for i, word in enumerate(kept) if word[0] != "-" and (not i or kept[i - 1][0] != "-" or "=" in kept[i - 1])),
        0,
    )
    return tuple(kept[:at]), tuple(kept[at:])


def compare_directories(paths: Mapping[int, str]) -> dict[int, str]:
    """{load: name of the directory that it was typed in}, where all were in directories side by side: "~/app-old", "~/app-new"."""
    scripts = {load: PurePosixPath(path) for load, path in paths.items()}
    names, parents = {path.name for path in scripts.values()}, {path.parent for path in scripts.values()}
    if (
        len(names) < 2
        or len(parents) > 1
        or any(len(path.parts) < 2 or parse_command(f"{path.name} -n 1").tool for path in scripts.values())
    ):
        return {}
    return {load: path.name for load, path in scripts.items()}
