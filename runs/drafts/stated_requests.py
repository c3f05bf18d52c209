"""What was requested, and from how many clients, where the load test's own report and command do not say so: by headings and
labels, by the command above a written table, and by the text of a script that was shown.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from pathlib import PurePath
from typing import Any

from parsers.blocks import Block
from parsers.catalogue import get_semantics, parse_command
from parsers.commands import Command
from parsers.written_rates import are_kinds_of_work

from .boilerplate import heading_level, is_boilerplate, strip_markup
from .heading_words import DESCRIBES_HOST, cut_repeat, find_phase, is_generic, names_software, only_counts
from .settings import EMPHASIS

_ADDRESS = "endpoint|route|url|path|ruta|rota|эндпоинт|ендпоінт|маршрут|接口|路径|エンドポイント"
_HEADS_REQUEST = re.compile(
    rf"[^\w/<>\[|]{{0,12}}(?:(?i:{_ADDRESS})(?:\s?[:：]\s?|\s))?`?"
    r"(?:(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE)(?![\w-]) ?)?(?P<path>/[^\s`*]{0,200})?`?"
    r"(?: requests?| endpoint| page| route)?[\s*=_`:-]{0,12}"
)
_MOST_CLIENTS = 10**9
_ROUND, _BUSY, _FAR = 5, 0.94, 1.5  # people set multiples of it, of which clients without pauses keep that share busy
_MOST_TABLES = 100  # behind a table, among which one with the same configs is looked for
_NEAREST = 5  # texts above a load test, its label with them, among which one may tell its clients
_HEADS_LOAD = re.compile(
    r"(?<![\w.,-])(\d{1,6}) (?:concurrent|simultaneous|parallel|concurrency)\b"
    r"|\bconcurrency(?: level)?(?: of| ?[:=])? ?(\d{1,6})(?![\w.,]\d)"
    r"|^\W*(?:(?:number of )?(?:clients|connections|users)|clientes|并发数|连接数)\s?[:=：]\s?(\d{1,6})\W*$"  # "Clients: 2"
    r"|(?<![\w.,-])\d{1,4} ?(?:s|secs?|m|min) -?c ?(\d{1,6})(?!\w)"  # "1 min c10"
    r"|(?<![\w.,-])\d{1,4} threads?(?:,| and| with| /| x)+ (\d{1,6}) (?:open )?(?:connections|clients|users)\b",
    re.IGNORECASE,
)
_OF_WARM_UP = re.compile(r"\bwarm|\bprime[rd]?\b|\bpre-?ce+ded by\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`]{5,300})`")
_OF_CONFIGS = re.compile(  # what a heading calls the names in the table below it
    r"\b(?:frameworks?|servers?|prox(?:y|ies)|librar(?:y|ies)|runtimes?|languages?|databases?|routers?|versions?|instances?"
    r"|javascript|typescript|kotlin|scala|swift|clojure|haskell|ocaml|nim|crystal|zig|lua|dotnet|jvm|native)\b|\.net\b|c#|c\+\+",
    re.IGNORECASE,
)


def note_requests(loads: Sequence[Block]) -> None:
    """What the heading or label alone tells of requests: "## POST /users", "100 concurrent", "1 KB"; a command tells its own."""
    _note_works(loads)
    _note_sections(loads)
    _drop_examples(loads)
    above: Block | None = None
    for block in loads:
        texts = _list_texts(block)
        named = next(
            (match for text in reversed(texts) if (match := _HEADS_REQUEST.fullmatch(text)) and any(match.groups())),
            None,
        )
        if named and not block.command:
            block.values |= {"method": named["method"]} if named["method"] and "method" not in block.values else {}
            is_new = named["path"] and not any(result.path for result in block.load_results)
            block.values |= {"told_path": named["path"].rstrip(":")} if is_new else {}
        clients = _find_clients(texts)
        is_stated = bool(block.command) or any(result.concurrency for result in block.load_results)
        above_has = above is not None and "told_concurrency" in above.values
        if clients and not is_stated:
            block.values["told_concurrency"] = clients
        elif above and above_has and not (is_stated or block.trail) and _is_next_row(above, block):
            block.values["told_concurrency"] = above.values["told_concurrency"]
        above = block
    _note_clients_of_all(loads)
    _note_measured_clients(loads)


def _note_clients_of_all(loads: Sequence[Block]) -> None:
    """The clients that are told above all sections of a text are those of the tables in each, where none tells of others."""
    first = loads[0].trail if loads else []
    sections = (at for at, (_, text) in enumerate(first) if heading_level(text) > 1)
    clients = _find_clients([text for _, text in first[: next(sections, 0)]])
    told = {block.values["told_concurrency"] for block in loads if "told_concurrency" in block.values}
    others = [block for block in loads if "told_concurrency" not in block.values]
    are_written = all(get_semantics(block.load_results[0].tool).quotes_others for block in loads)
    if clients and are_written and told <= {clients}:
        for block in others if not any(map(_tells_clients, others)) else ():
            block.values["told_concurrency"] = clients


def _list_texts(block: Block) -> list[str]:
    """The texts above a load test, and its label."""
    return [text for _, text in block.trail] + [block.label or ""]


def _find_clients(texts: Sequence[str]) -> int | None:
    """How many clients the texts right above a load test tell of; the last one of its section counts."""
    nearest = (EMPHASIS.sub("", text) for text in texts[: -_NEAREST - 1 : -1] if not _OF_WARM_UP.search(text))
    match = next(filter(None, map(_HEADS_LOAD.search, nearest)), None)
    return int(next(filter(None, match.groups()))) if match else None


def _drop_examples(loads: Sequence[Block]) -> None:
    """Drop a command that was typed once, above load tests whose headings tell other numbers of clients than it.

    It is an example for all of them: "siege -c25 http://localhost/" in "How to run", then "### Concurrency = 50".
    """
    for command, group in groupby(loads, key=lambda block: block.command):
        alike = list(group) if command else []
        clients = {_find_clients(_list_texts(block)) for block in alike}
        if len(clients) > 1 and None not in clients and not any(command in block.typed for block in alike[1:]):
            for block in alike:
                block.drop_command()


def _note_measured_clients(loads: Sequence[Block]) -> None:
    """How many clients each had where no command says so, and what came about lies just below round numbers that are far apart."""
    clients: dict[int, int] = {}
    if any("told_concurrency" in block.values for block in loads):
        return  # what is told of one may hold for all
    for at, block in enumerate(loads):
        busy, result = block.values.get("concurrency"), block.load_results[0]
        is_told = bool(block.command or result.concurrency)
        if is_told or get_semantics(result.tool).concurrency != "measured" or not isinstance(busy, (int, float)):
            continue
        step = _ROUND if busy > _ROUND else 1
        clients[at] = math.ceil(busy / step) * step if 0 < busy < _MOST_CLIENTS else 0
        if busy < _BUSY * clients[at] or not clients[at]:
            return  # they paused
    numbers = sorted({*clients.values()})
    if len(numbers) > 1 and all(higher >= _FAR * lower for lower, higher in pairwise(numbers)):
        for at, n in clients.items():
            loads[at].values["told_concurrency"] = n


def _note_works(loads: Sequence[Block]) -> None:
    """What was requested, where the lines right above all reports name that alone: "1 KB" and "10 KB".

    Either all reports are of one address, or each is of its own.
    """
    above = ([cut_repeat(text) for _, text in block.trail if not is_boilerplate(text)] for block in loads)
    titles = [next(reversed(texts), "") for texts in above]
    paths, commands = {block.load_results[0].path for block in loads}, {block.command for block in loads}
    is_other = any(block.label or block.stream or block.values.get("script") for block in loads)
    is_other = is_other or any(map(_HEADS_REQUEST.fullmatch, titles))
    is_other = is_other or all(  # "50 users" were its load
        f"{block.load_results[0].concurrency or 0:g}" in re.findall(r"\d+", title)
        for block, title in zip(loads, titles, strict=True)
    )
    is_other = is_other or any(get_semantics(block.load_results[0].tool).quotes_others for block in loads)
    are_requests = len(paths) == len({*titles}) or len(paths) == len(commands) == 1
    if are_requests and not is_other and are_kinds_of_work([*{*titles}]):
        for block, title in zip(loads, titles, strict=True):
            block.values["told_request"] = title


def _note_sections(loads: Sequence[Block]) -> None:
    """What was requested, as the headings of several tables tell, each of which has names of its own: each table has a winner."""
    rows: dict[str, list[Block]] = defaultdict(list)
    heading = ""
    for block in loads:
        heading = next((text for _, text in reversed(block.trail) if heading_level(text)), heading)
        rows[strip_markup(heading)].append(block)
        is_written = get_semantics(block.load_results[0].tool).quotes_others
        if (
            not (is_written and block.label)
            or block.values.keys() & {"load", "told_request"}
            or not _may_be_request(heading)
        ):
            return
    names = [{(row.label or "").casefold() for row in own} for own in rows.values()]
    if len(rows) > 1 and min(map(len, names)) > 1 and sum(map(len, names)) == len(set().union(*names)):
        for text, own in rows.items():
            for row in own:
                row.values["told_request"] = text


def _may_be_request(heading: str) -> bool:
    """Whether a heading names none of software, machines, phases, repeats and loads: "## File responses"."""
    is_other = (
        names_software(heading)
        or _OF_CONFIGS.search(heading)
        or DESCRIBES_HOST.search(heading)
        or find_phase(heading)
        or only_counts(heading)
    )
    return heading_level(heading) > 1 and not (is_other or is_generic(heading) or _find_clients([heading]))


def _is_next_row(row: Block, other: Block) -> bool:
    """Whether both are rates of one table or list."""
    is_written = get_semantics(row.load_results[0].tool).quotes_others
    return is_written and row.kind == other.kind and other.first - row.last <= 1


def note_tables(blocks: Sequence[Block], loads: Sequence[int]) -> None:
    """What the commands above written tables asked for: how many clients, where the table tells none."""
    tables = [(command, rows) for command, rows in _list_tables(blocks, loads) if command.tool]
    _tell_tables_apart(tables)
    for command, rows in tables:
        clients = command.options.get("concurrency")
        if clients and not any(map(_tells_clients, rows)):
            for row in rows:
                row.values["told_concurrency"] = clients


def _tells_clients(row: Block) -> bool:
    """Whether a rate's own table, or the text above it, tells how many clients there were."""
    is_read = "told_concurrency" in row.values or any(result.concurrency for result in row.load_results)
    return is_read or _find_clients([str(row.values.get("load") or "")]) is not None


def _tell_tables_apart(tables: Sequence[tuple[Command, list[Block]]]) -> None:
    """Where a config of one table recurs below another command, it is no repeat there.

    The load tool tells them apart, or else the concurrency, the path or another option: "-t 1" and "-t 5" of wrk.
    """
    names = [{(row.label or "").casefold() for row in rows} - {""} for _, rows in tables]
    if not any(own & other for at, own in enumerate(names) for other in names[at + 1 : at + 1 + _MOST_TABLES]):
        return
    by_tool = len({command.tool for command, _ in tables}) > 1
    options_of: dict[tuple[Any, str | None], list[Command]] = defaultdict(list)
    for command, _ in tables:
        options_of[command.options.get("concurrency"), command.path].append(command)
    for command, rows in tables:
        clients, path = command.options.get("concurrency"), command.path
        requested: dict[str, Any] = {"told_concurrency": clients, "told_path": path}
        others = [other.options for other in options_of[clients, path]]
        differing = [name for name, value in command.options.items() if any(o.get(name) != value for o in others)]
        if differing:
            requested["told_request"] = ", ".join(f"{name} {command.options[name]}" for name in differing)
        if by_tool:
            requested = {"told_request": get_semantics(command.tool).shown_as or command.tool}
        for row in rows:
            if "load" not in row.values:
                row.values |= {name: value for name, value in requested.items() if value is not None}


def _list_tables(blocks: Sequence[Block], loads: Sequence[int]) -> Iterator[tuple[Command, list[Block]]]:
    """(the last load command shown or typed above it, its rows) of each table of written rates."""
    rows: list[Block] = []
    command, above = Command(), -1
    for load in loads:
        block = blocks[load]
        if rows and (block.typed or not _is_next_row(rows[-1], block)):
            yield command, rows
            rows = []
        between = blocks[above + 1 : load + 1]
        typed = (text for each in between for text in each.typed)
        shown = (code for each in between for _, text in each.trail for code in _CODE.findall(text))
        commands = [*map(parse_command, chain(typed, shown))]
        command = next((each for each in reversed(commands) if each.tool), command)
        rows += [block] if get_semantics(block.load_results[0].tool).quotes_others else []
        above = load
    if rows:
        yield command, rows


def note_scripts(blocks: Sequence[Block], texts: Collection[int], loads: Collection[int]) -> set[int]:
    """Note which text a load test's script had, where several of one file's name were shown; returns the texts of such scripts.

    A file is shown above its load tests; below them where that holds for all of them, and not for all above.
    """
    above = _find_scripts(range(len(blocks)), blocks, texts, loads)
    below = _find_scripts(range(len(blocks) - 1, -1, -1), blocks, texts, loads)
    lacks_above, lacks_below = ({name for name, text in each.values() if text is None} for each in (above, below))
    chosen = {
        load: below[load] if name in lacks_above - lacks_below else above[load] for load, (name, _) in above.items()
    }
    used = {load: (name, text) for load, (name, text) in sorted(chosen.items()) if text is not None}
    texts_of: dict[str, dict[str, int]] = defaultdict(dict)  # {file's name: {text: its first line}}
    for name, text_index in used.values():
        text = blocks[text_index]
        texts_of[name].setdefault(str(text.values.get("text")), text.first)
    for index, (name, text_index) in used.items():
        if len(texts_of[name]) > 1:
            line = texts_of[name][str(blocks[text_index].values.get("text"))]
            blocks[index].values["told_script"] = f"{name} of line {line}"
    return {text_index for _, text_index in used.values()}


def _find_scripts(
    order: Iterable[int], blocks: Sequence[Block], texts: Collection[int], loads: Collection[int]
) -> dict[int, tuple[str, int | None]]:
    """{load test: (name of its script's file, the text of it that was shown last in this order)}"""
    shown: dict[str, int] = {}
    found: dict[int, tuple[str, int | None]] = {}
    for index in order:
        block = blocks[index]
        if index in texts:
            shown[PurePath(str(block.values.get("path"))).name] = index
        elif index in loads and (script := parse_command(block.command or "", block.kind).options.get("script")):
            name = PurePath(str(script)).name
            found[index] = name, shown.get(name)
    return found
