"""Finds the formats: every module of parsers/formats/ is one.

A format is a module with
    KIND            its name, unique
    OPENS           pattern (text) of a line that its output can begin with, after any quoting; empty if no line
                    identifies it
    parse           (lines, command) -> Found | None; the opening line is the next one of `lines`
    records         (values) -> list[Record]
and, where it helps,
    NEEDS           lower-case texts of which each line that OPENS matches has one: other lines are not tried (speed)
    BEGINS          pattern of the usual first line with its end: such lines are not tried against all formats (speed)
    PROGRAMS        names of the programs that print it, as a process table shows them
    COMMAND         pattern of the commands that print this output, if PROGRAMS are not enough
    JSON            compiled pattern of the beginning of the JSON that it may print, without white space
    INLINE          pattern of the line with the tool's rate, whose group is the figure: also read after a label ("2nd
                    run: Requests per second: ..."); a matching line that is not read becomes a problem
    claims          (command) -> bool: this command's output has this format, although no line identifies it
    fits            (commands.Command, values) -> bool: False where a command cannot have printed these figures
    OTHER_FORMATS   Formats of the tool's other outputs, such as its log, or of related tools: kind, opens, parse, records,
                    command or programs; the module's docstring has a line "kind: what it is" for each
    follows         (lines, command) -> Found | None: the next block after the one just read, if only that identifies
                    the next lines (rows below a heading further up); None reads nothing
A format that makes a LoadResult says what its tool means by its figures, with one of
    SEMANTICS       Semantics of the tool KIND
    TOOL            name of the tool whose other output this is; the format of that KIND has the SEMANTICS
A tool with SEMANTICS has its command line, too:
    PROGRAMS        as above
    OPTIONS         {names with their dashes, separated by blanks: commands.Option}
    ONE_DASH        True if long names have one dash ("-disable-keepalive")
    ADDRESS         False if its arguments are scripts without an address
    DEFAULTS        {standard term: value} of defaults that the tool does not print
    PRINTS          {standard term: name among the values} of load parameters that its report prints
A monitor's format may have
    CPU_NOW         True if its CPU time of processes is of its interval, and not since their start
    LISTS_ALL       False if its list of processes may be incomplete (a screen); True by default
    MEMORY_ONLY     True if it shows only the memory of the machine
A module that lacks a required name fails here, at import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NamedTuple

from .commands import Command, Syntax, compile_programs, read_command
from .patterns import begins_with_any, find_group, number_names
from .records import Found, Record, Semantics
from .transcript import LIST_MARK, QUOTING

Parse = Callable[[Any, str | None], Found | None]  # (lines.Lines, command)
Match = Callable[[str], re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the names are those of the module's constants, see above."""

    kind: str
    opens: str
    parse: Parse
    records: Callable[[dict[str, Any]], list[Record]]
    about: str = ""  # the module's docstring says it behind the kind
    begins: str | None = None
    needs: tuple[str, ...] = ()
    json: re.Pattern[str] | None = None
    inline: str | None = None
    command: re.Pattern[str] | None = None
    claims: Callable[[str], bool] | None = None
    fits: Callable[[Command, dict[str, Any]], bool] = lambda command, values: True
    follows: Parse | None = None
    tool: str | None = None
    semantics: Semantics | None = None
    syntax: Syntax | None = None
    programs: tuple[str, ...] = ()
    lists_all: bool = True
    cpu_now: bool = False
    memory_only: bool = False


def _load(name: str) -> list[Format]:
    """The formats of one module. Raises TypeError if it lacks a required name."""
    module = import_module(f".formats.{name}", __package__)
    for wanted in ("KIND", "OPENS", "parse", "records"):
        if not hasattr(module, wanted):
            raise TypeError(f"parsers/formats/{name}.py has no {wanted}; see parsers/catalogue.py for what a format is")
    semantics: Semantics | None = getattr(module, "SEMANTICS", None)
    tool: str | None = module.KIND if semantics else getattr(module, "TOOL", None)
    if vars(module).keys() & {"LoadResult", "make_result"} and tool is None:
        raise TypeError(f"parsers/formats/{name}.py makes a LoadResult and has neither SEMANTICS nor TOOL")
    programs: tuple[str, ...] = getattr(module, "PROGRAMS", ())
    command = re.compile(module.COMMAND) if hasattr(module, "COMMAND") else None
    if command is None and programs:
        command = compile_programs(programs, alone=semantics is None)
    optional = {key: getattr(module, key) for key in ("claims", "fits", "follows") if hasattr(module, key)}
    optional |= {
        key: getattr(module, key.upper())
        for key in ("begins", "needs", "json", "inline", "lists_all", "cpu_now", "memory_only")
        if hasattr(module, key.upper())
    }
    main = Format(
        kind=module.KIND,
        opens=module.OPENS,
        parse=module.parse,
        records=module.records,
        command=command,
        tool=tool,
        semantics=semantics,
        syntax=_get_syntax(module) if semantics else None,
        programs=programs,
        **optional,
    )
    others: tuple[Format, ...] = getattr(module, "OTHER_FORMATS", ())
    others = tuple(_complete(form, main) for form in others)
    docs = dict(re.findall(r"^(\w+): (.*)", module.__doc__ or "", re.MULTILINE))
    return [replace(form, about=docs.get(form.kind, "")) for form in (main, *others)]


def _complete(other: Format, main: Format) -> Format:
    """Another format of the same module, with defaults from the module."""
    command = compile_programs(other.programs, alone=True) if other.programs else main.command
    return replace(other, tool=main.tool, programs=other.programs or main.programs, command=other.command or command)


def _get_syntax(module: ModuleType) -> Syntax:
    """How the tool's command line is written. Raises TypeError where its format does not declare it."""
    for wanted in ("PROGRAMS", "OPTIONS"):
        if not hasattr(module, wanted):
            raise TypeError(f"the format of {module.KIND} declares SEMANTICS but no {wanted}")
    return Syntax(
        options={name: option for names, option in module.OPTIONS.items() for name in names.split()},
        one_dash=getattr(module, "ONE_DASH", False),
        defaults=getattr(module, "DEFAULTS", {}),
        address=getattr(module, "ADDRESS", True),
        verbs=getattr(module, "VERBS", ()),
        prints=getattr(module, "PRINTS", {}),
    )


@cache
def formats() -> dict[str, Format]:
    """Every format by its kind."""
    by_kind: dict[str, Format] = {}
    for info in iter_modules([str(Path(__file__).with_name("formats"))]):
        for form in _load(info.name):
            if form.kind in by_kind:
                raise TypeError(f"two formats call themselves {form.kind!r}")
            by_kind[form.kind] = form
    for form in by_kind.values():
        if form.tool is not None and (form.tool not in by_kind or by_kind[form.tool].semantics is None):
            raise TypeError(f"{form.kind} names the tool {form.tool!r}, whose format declares no SEMANTICS")
    return dict(sorted(by_kind.items()))


# Load tools whose reports are not read yet: their processes are recognised.
_UNREAD = {"weighttp": Semantics(one_thread=True), "slowhttptest": Semantics()}
_UNKNOWN = Semantics()
UNKNOWN = "unknown"  # the tool of a figure that does not tell its own


def get_semantics(tool: str) -> Semantics:
    """What a load tool means by its figures; the defaults for a tool that no format declares."""
    form = formats().get(tool)
    return form.semantics if form is not None and form.semantics is not None else _UNKNOWN


@cache
def load_programs() -> dict[str, Semantics]:
    """Names of the load tools' programs, as a process table shows them ("ab", "wrk2"), and what each tool means."""
    tools = [form for form in formats().values() if form.semantics]
    return _UNREAD | {name: form.semantics for form in reversed(tools) for name in form.programs if form.semantics}


def makes_load(program: str) -> bool:
    """Whether a program of this name, as a process table shows it, is a load tool: "ab", "wrk2", "vegeta"."""
    return program in load_programs()


def has_one_thread(program: str) -> bool:
    """Whether a program of this name is a load tool that runs on one thread."""
    return load_programs().get(program, _UNKNOWN).one_thread


@lru_cache(maxsize=4096)
def is_monitor(program: str) -> bool:
    """Whether a program of this name, as a process table shows it, is a monitor whose output is read: "top", "sadc"."""
    return any(form.tool is None and program in form.programs for form in formats().values())


def lists_all_processes(kind: str) -> bool:
    """Whether this format lists every process; False for a screen that may be too small."""
    form = formats().get(kind)
    return form is None or form.lists_all


def has_cpu_now(kind: str) -> bool:
    """Whether this format has the CPU time of processes in its interval; False if it is since their start."""
    form = formats().get(kind)
    return form is not None and form.cpu_now


def list_secret_options() -> dict[str, str]:
    """Program of a load tool -> pattern of its options whose value may hold a secret, as far as that value."""
    secret_options: dict[str, str] = {}
    for form in formats().values():
        names = [name for name, option in form.syntax.options.items() if option.secret] if form.syntax else []
        if names and form.syntax:
            apart = r"[\s=]+" if form.syntax.one_dash else r"[\s=]*"
            secret_options |= dict.fromkeys(form.programs, rf"\s(?:{'|'.join(map(re.escape, names))}){apart}")
    return secret_options


def shows_memory_only(kind: str) -> bool:
    """Whether what this format reads shows the memory of the machine and nothing else."""
    form = formats().get(kind)
    return form is not None and form.memory_only


@lru_cache(maxsize=4096)  # a text repeats its commands, and each is asked for several times
def parse_command(text: str, tool: str = "") -> Command:
    """The first command line of a load tool in `text`, of this tool if one is given; an empty Command where there is none."""
    forms, pattern = _compile_load_commands(tool)
    match = pattern.search(text) if forms else None
    if match is None:
        return Command()
    form = forms[match["program"]]
    return read_command(text, form.kind, match.end(), form.syntax) if form.syntax else Command()


@cache
def _compile_load_commands(tool: str) -> tuple[dict[str, Format], re.Pattern[str]]:
    """The format of each program of this load tool, or of all (""), and what finds one of these with arguments behind it."""
    tools = [form for form in formats().values() if form.syntax and tool in ("", form.kind)]
    forms = {program: form for form in tools for program in form.programs}
    return forms, compile_programs(tuple(forms), alone=False)


# The figures whose line is kept with a run: what a comparison or a doubt may rest on.
CITED = (
    *("requests_per_second", "complete_requests", "failed_requests", "failed_length", "non_2xx_responses"),
    *("duration_s", "mean_ms", "max_ms", *(f"percentiles_ms.{percent}" for percent in (50, 75, 90, 95, 99))),
    *("connect_ms", "total_ms", "concurrency", "users"),
    *("availability_pct", "keepalive_requests", "document_length_bytes", "server_hostname", "warnings", "error"),
    *("transfer_rate_kbytes_per_s", "throughput_mb_per_s"),
)


def find_cited_lines(tool: str, figure_lines: Mapping[str, int]) -> dict[str, int]:
    """{standard name of a figure: its line}, out of the lines of a block's figures by their printed names."""
    printed_as = get_semantics(tool).printed_as
    paths = {name: printed_as.get(name, name) for name in CITED}
    lines = {name: figure_lines.get(path) or figure_lines.get(path.rpartition(".")[0]) for name, path in paths.items()}
    return {name: line for name, line in lines.items() if line}


def find_requested_load(command: str, tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The requested load in standard terms: from the command, otherwise from the report."""
    form = formats().get(tool)
    prints = form.syntax.prints if form is not None and form.syntax else {}
    printed = {
        term: values[name]
        for term, name in prints.items()
        if type(values.get(name)) in ((str,) if term == "script" else (int, float))
    }
    if isinstance(values.get("generators"), dict):
        printed["generators"] = len(values["generators"])
    if (method := str(values.get("method", ""))).isupper():
        printed["method"] = method
    if isinstance(clients := values.get("told_concurrency"), int):
        printed.setdefault("concurrency", clients)
    if isinstance(path := values.get("told_path"), str):
        printed["path"] = path
    if isinstance(request := values.get("told_request"), str):
        printed["request"] = request
    if isinstance(protocol := values.get(prints.get("protocol", "application_protocol")), str):
        printed["protocol"] = protocol
    options = printed | dict(parse_command(command, tool).options)
    # Of two files of one name, which one it was.
    return options | ({"script": values["told_script"]} if "told_script" in values else {})


@cache
def join_openings() -> str:
    """What matches the beginning of any output by which its format is told, and that has no NEEDS."""
    return "|".join(form.opens for form in formats().values() if form.opens and not form.needs)


@cache
def _compile_openings(characters: str) -> tuple[Match, list[tuple[str, Match]]]:
    """For texts that begin with one of these characters: what matches any opening, and what matches that of each kind.

    Of the formats without NEEDS: most lines begin the output of none.
    """
    simple = [form for form in formats().values() if form.opens and not form.needs]
    simple = [form for form in simple if begins_with_any(form.opens, characters)]
    openings = "|".join(form.opens for form in simple)
    return re.compile(number_names(openings)).match, [(form.kind, re.compile(form.opens).match) for form in simple]


class _Needs(NamedTuple):
    """(a text, the kinds that have it among their NEEDS) of each, those in ASCII too, and what matches these kinds' openings."""

    kinds: list[tuple[str, list[str]]]
    ascii: list[tuple[str, list[str]]]
    openings: dict[str, Match]


@cache
def _list_needs() -> _Needs:
    needing = [form for form in formats().values() if form.needs]
    needs = dict.fromkeys(need for form in needing for need in form.needs)
    kinds = [(need, [form.kind for form in needing if need in form.needs]) for need in needs]
    openings: dict[str, Match] = {form.kind: re.compile(form.opens).match for form in needing}
    return _Needs(kinds, [(need, own) for need, own in kinds if need.isascii()], openings)


@lru_cache(maxsize=64)
def find_kinds(text: str) -> tuple[str, ...]:
    """The kinds of output that may begin with this line: some tools put another one's line above their own."""
    if not text:
        return ()
    may_open, kinds = _compile_openings(find_group(text[0]))
    matching = [kind for kind, opens in kinds if opens(text)] if may_open(text) else []
    lower, needs = text.lower(), _list_needs()
    may_have = needs.ascii if lower.isascii() else needs.kinds
    needed = {*chain(*[kinds for need, kinds in may_have if need in lower])}  # quicker than one pattern of all
    if needed:
        matching += [kind for kind in sorted(needed) if needs.openings[kind](text)]
    return tuple(matching)


@lru_cache(maxsize=64)  # a listing of headings has few different lines
def find_opening(line: str) -> tuple[tuple[str, ...], str, str | None] | None:
    """(kinds, quoting before it, label before it) when output of one of these kinds begins with this line."""
    if line[0] == "$":  # most command lines; no output begins so
        return None
    at = len(line) - len(line.lstrip())
    kinds = find_kinds(line[at:])
    if not kinds and not line[at].isalpha():  # no quoting begins with a letter
        quoting = QUOTING.match(line)
        behind = quoting.end() if quoting else 0
        bar = line.find("|", at, behind)
        if bar > at:  # of a table that is quoted
            at, kinds = bar, find_kinds(line[bar:])
        if not kinds and behind != at:
            at, kinds = behind, find_kinds(line[behind:])
    if kinds:
        item = _find_item(line, at, kinds[0])
        return kinds if item == at else find_kinds(line[item:]), line[:item] if line[:item].strip() else "", None
    match = compile_inline_openings().match(line, at) if compile_rate_labels().search(line) else None
    if not match:
        return None
    prefix, label = line[: match.end()], (match["label"] or "").strip(" *_#>|-•・[]")
    kind = match.lastgroup or ""
    others = (other for other in find_kinds(line[match.end() :].lstrip()) if other != kind)
    return (kind, *others), prefix if label or prefix.strip() else "", label


def _find_item(line: str, at: int, kind: str) -> int:
    """Where the output of this kind begins that begins at `at`: before its mark where that is an item of the format's own list.

    The next item may have another mark ("2."), so that it is no quoting; but what other formats read has no such mark.
    """
    quoting = QUOTING.match(line)
    behind = quoting.end() if quoting else 0
    mark = LIST_MARK.search(line, 0, behind)
    if mark is None:
        return at
    listed = find_kinds(line[mark.start() :])
    if not listed or listed[0] != kind:
        return at
    return behind if any(other not in listed for other in find_kinds(line[behind:])) else mark.start()


@cache
def compile_inline_openings() -> re.Pattern[str]:
    """A label of a few words (some in parentheses), a colon or a gap, or one in brackets that is no log's level, and a figure
    that only one tool prints in this way.

    `grep -n` puts the number of the line between both, or there alone, and `uniq -c` how many there are.
    """
    figures = "|".join(f"(?P<{f.kind}>{f.inline})" for f in formats().values() if f.inline)
    words = r"(?:[^\"'`=(){}\\%<>]|\([\w .,/+-]{1,40}\)){1,80}?"
    grepped = r"\d{1,7}(?::(?=\S)| (?=[A-Z]))"
    named = r"\[(?!(?i:trace|debug|info|notice|warn|error|fatal)\w{0,5}\])[^\W\d][\w .,/+#:-]{0,40}\](?=\s)"
    label = rf"(?:{grepped}|(?P<label>{named}|{words}(?:[:：|–—-]|\s{{2}}))(?:(?<=:){grepped})?)"
    return re.compile(rf"{label}[\s*_|]{{0,40}}(?={figures})")


@cache
def compile_rate_labels() -> re.Pattern[str]:
    """Texts of which each line has one that tells a load tool's rate with its label."""
    return re.compile("|".join({re.split(r"[^\w /]", f.inline, maxsplit=1)[0] for f in formats().values() if f.inline}))


@cache
def compile_beginnings() -> re.Pattern[str]:
    """What most outputs of some formats begin with; the last group that matched is called as the format is."""
    return re.compile("|".join(f"(?P<{f.kind}>{f.begins})" for f in formats().values() if f.begins))


@lru_cache(maxsize=256)
def claimed(command: str) -> tuple[Format, ...]:
    """Formats that read any output of this command. Texts repeat the same command often."""
    return tuple([form for claims, form in _list_claims() if claims(command)])


@cache
def _list_claims() -> list[tuple[Callable[[str], bool], Format]]:
    return [(form.claims, form) for form in formats().values() if form.claims]
