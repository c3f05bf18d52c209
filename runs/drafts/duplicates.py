"""Duplicates: blocks that repeat the figures of others: a teaser, a translation, a table of what reports say, a screen twice."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, permutations, product
from statistics import mean, median

from parsers.blocks import Block
from parsers.catalogue import get_semantics
from parsers.records import LoadResult, Problem, Record, SystemSample
from parsers.tables import Table
from runs.numbers import join_words
from runs.series.samples import FoldedBlock

from .boilerplate import strip_markup
from .heading_words import find_phase
from .left_out import find_examples

_MAX_AVERAGED, _MOST_REPEATS = 300, 10  # reports of which means are looked for, and of how many together
_NOT_COMPARED = frozenset({"iteration", "processes", "n_processes", "sum_res_kb", "sum_rss_kb", "n_rows", "warnings"})
_MANY_DIGITS = 6  # signs of a rate to which no second run comes
_MAX_NAMED = 200  # reports whose headings are looked at for each row
_MOST_COPIES = 9  # whose lines are told
_MAX_ALIKE = 50  # what more blocks than this have in common is no sign of a duplicate
_LEAST_DIGITS = 200  # a rate of at least so many of its last digit
_LEAST_STEPS = 10  # the same, where all rows of a table are another's
_EXACT_FIGURES = ((5, 3), (4, 6))  # digits, and how many figures have so many
_DIGITS_OF_RATE, _FARTHEST_ROW = 4, 2  # of a rate in two tables of one result, and lines between two rows of one table
_FARTHEST_LINE = 4  # between two lines of a list, which may have notes
_OF_A_LOAD = frozenset({"load", "concurrency"})
_TIMES = ("mean_ms", "max_ms", "percentiles_ms")
_NEAR_EXPORT = 1e-4  # that rounding takes from a rate
_FULL_REPORT = 8  # figures from which on a report is not a quotation


def find_duplicate_loads(
    blocks: Sequence[Block], records: Sequence[list[Record]], loads: Sequence[int]
) -> dict[int, int]:
    """{number of a block that repeats figures (a teaser, a translation): number of the block whose figures they are}."""
    by_rate: dict[tuple[str, float], list[int]] = {}
    results: dict[int, LoadResult] = {}
    explained: list[int] = []
    for index in loads:
        result = next((r for r in records[index] if isinstance(r, LoadResult)), None)
        if result and result.requests_per_second:
            results[index] = result
            by_rate.setdefault((result.tool, result.requests_per_second), []).append(index)
        if result and blocks[index].partial:  # lines of a report that somebody explains one by one
            explained.append(index)
    wholes: dict[str, list[int]] = {}  # by tool
    for index, result in results.items():
        if not blocks[index].partial:
            wholes.setdefault(result.tool, []).append(index)
    whole_of = {i: wholes.get(blocks[i].kind, []) for i in explained}
    parts = [[i, *own] for i, own in whole_of.items() if len(own) < _MAX_ALIKE]
    quotes = _find_quotes(blocks, [*by_rate.values(), *parts], _is_same_load)
    _note_lost_names(blocks, [i for i in results if i not in quotes], quotes)
    whole = {
        result.requests_per_second: i for i, result in results.items() if not blocks[i].partial and i not in quotes
    }
    for index, result in results.items():
        source = whole.get(result.requests_per_second) if blocks[index].partial and index not in quotes else None
        if source is not None and _has_figures_of(result, results[source]):
            quotes[index] = source
    quotes |= _find_misquoted(blocks, [*results], quotes) | _find_section_quotes(blocks, by_rate.values(), quotes)
    kept = {i: result for i, result in results.items() if i not in quotes}
    quotes |= _find_exports(blocks, kept) | _find_rounded_tables(blocks, [*kept])
    return {quote: _follow(quote, quotes) for quote in quotes}


def _find_section_quotes(
    blocks: Sequence[Block], alike: Iterable[Sequence[int]], quotes: Mapping[int, int]
) -> dict[int, int]:
    """{row named "Test 6": the written rate without a name, below the heading "Test 6", that it repeats}. alike: of one rate"""
    section_quotes: dict[int, int] = {}
    for group in alike:
        own = [
            i
            for i in group[:_MAX_ALIKE]
            if i not in quotes and get_semantics(blocks[i].load_results[0].tool).quotes_others
        ]
        above = {i: {strip_markup(text) for _, text in blocks[i].trail} for i in own if not blocks[i].label}
        for index in own:
            named = (i for i, texts in above.items() if i < index and blocks[index].label in texts)
            if blocks[index].label and (source := next(named, None)) is not None:
                section_quotes[index] = source
    return section_quotes


def _find_misquoted(blocks: Sequence[Block], loads: Sequence[int], quotes: Mapping[int, int]) -> dict[int, int]:
    """{line in a list of which most quote reports: the last report with its name, where none has its rate}."""
    lists: list[list[int]] = []
    for index in (i for i in loads if blocks[i].partial and blocks[i].label):
        if not lists or blocks[index].first - blocks[lists[-1][-1]].last > _FARTHEST_LINE:
            lists.append([])
        lists[-1].append(index)
    misquoted: dict[int, int] = {}
    for own in lists:
        others = [i for i in own if i not in quotes]
        if not others or len(own) > _MAX_ALIKE or len(own) - len(others) <= max(1, len(others)):
            continue
        reports = {id(blocks[i]): i for i in loads[:_MAX_NAMED] if not blocks[i].partial}
        for index in others:
            if named := _find_reports_of(blocks[index], (blocks[i] for i in reports.values())):
                misquoted[index] = reports[id(named[-1])]
                _note_stated_rate(blocks[index], named[-1:])
    return misquoted


def _find_exports(blocks: Sequence[Block], results: Mapping[int, LoadResult]) -> dict[int, int]:
    """{JSON that a tool wrote of a run: its report of the run as text, with fewer digits}, or the other way round: the fuller."""
    exports = {i for i in results if blocks[i].values.get("format") == "json"}
    by_count: dict[object, list[int]] = {}
    for index, result in results.items() if exports else ():
        if result.complete_requests:
            by_count.setdefault((result.tool, result.complete_requests), []).append(index)
    originals: dict[int, int] = {}
    for own in by_count.values():
        texts = [i for i in own if i not in exports]
        for export in (i for i in own if i in exports and len(own) <= _MAX_ALIKE):
            rate = results[export].requests_per_second or 0.0
            near = (i for i in texts if abs((results[i].requests_per_second or 0.0) - rate) <= _NEAR_EXPORT * rate)
            if (text := next(near, None)) is not None:
                texts.remove(text)
                quote, source = sorted((export, text), key=lambda i: _count_figures(blocks[i]))
                originals[quote] = source
    return originals


def _note_lost_names(blocks: Sequence[Block], kept: Iterable[int], quotes: Mapping[int, int]) -> None:
    """Say at a whole report that is another's copy where its heading has no report of its own: the wrong one was pasted.

    Of those below the heading of the report itself, which stand there as if they were repeats, all are said at the first one.
    """
    named = {blocks[i].heading for i in kept}
    repeated: dict[int, list[Block]] = defaultdict(list)
    for index, source in quotes.items():
        block, other = blocks[index], blocks[source]
        if block.partial or other.partial or len(block.values) != len(other.values):
            continue
        if block.heading not in named:
            message = f"all figures of this report are those of the one in line {other.first}: it counts once"
            block.problems += [Problem(block.first, message)]
        elif block.heading_line == other.heading_line and not block.is_quoted:
            repeated[source].append(block)
    for source, copies in repeated.items():
        lines = [block.first for block in copies]
        blocks[source].values["copies"] = lines
        which = f"line{'s' * (len(lines) > 1)} {join_words([*map(str, lines)], _MOST_COPIES)}"
        message = f"the report in line {blocks[source].first} stands again in {which}, digit for digit: it counts once"
        copies[0].problems += [Problem(lines[0], message)]


def _find_rounded_tables(blocks: Sequence[Block], loads: Sequence[int]) -> dict[int, int]:
    """{row of a table: row of another one of which it has the rate with fewer digits}, of tables all of whose rows are such.

    A list and a sentence count as tables.
    """
    tables: list[list[int]] = []
    for index in loads:
        if get_semantics(blocks[index].load_results[0].tool).quotes_others:
            before = blocks[tables[-1][-1]] if tables else blocks[index]
            goes_on = (
                tables and blocks[index].first - before.first <= _FARTHEST_ROW and blocks[index].kind == before.kind
            )
            tables = [*tables[:-1], [*tables[-1], index]] if goes_on else [*tables, [index]]
    rounded_tables: dict[int, int] = {}
    for rounded, fuller in permutations(tables, 2) if len(tables) <= _MAX_ALIKE else ():
        rows = {blocks[i].label: i for i in fuller if i not in rounded_tables}
        pairs = {i: rows[blocks[i].label] for i in rounded if blocks[i].label and blocks[i].label in rows}
        may_repeat = len(rounded) > 1 or "said" in blocks[rounded[0]].values
        if (
            may_repeat
            and len(pairs) == len(rounded)
            and all(_is_rounded(blocks[i], blocks[j]) for i, j in pairs.items())
        ):
            rounded_tables |= pairs
    return rounded_tables


def _is_rounded(row: Block, fuller: Block) -> bool:
    """Whether a row's rate is the other's, rounded or cut off at its own last digit."""
    rate, finer = (block.load_results[0].requests_per_second or 0.0 for block in (row, fuller))
    step, its_step = (float(block.values.get("rate_step_per_s", 0)) for block in (row, fuller))
    return its_step < step <= rate / _LEAST_STEPS and -0.501 * step <= finer - rate < step


def _has_figures_of(result: LoadResult, other: LoadResult) -> bool:
    """Whether a part of a report has a whole one's figures, although its lines are those of another tool, too."""
    times = [(getattr(result, name), getattr(other, name)) for name in ("duration_s", "mean_ms", "min_ms", "max_ms")]
    alike = [own == its for own, its in times if own is not None]
    return len(f"{result.requests_per_second:.15g}") > _MANY_DIGITS and len(alike) > 1 and all(alike)


def find_backed_figures(
    blocks: Sequence[Block], records: Sequence[list[Record]], loads: Sequence[int]
) -> dict[int, int]:
    """{number of a block whose rate somebody wrote down: number of the report that has it, rounded, or the first of those
    whose mean or median it is}. -1 where the text has reports, but none of this rate: by which tool it came, nobody knows."""
    results = {i: next(r for r in records[i] if isinstance(r, LoadResult)) for i in loads}
    written = [i for i, result in results.items() if get_semantics(result.tool).quotes_others]
    if times := [i for i in written if results[i].requests_per_second is None and not blocks[i].problems]:
        rated = [i for i in loads if i not in times]
        return find_backed_figures(blocks, records, rated) | _place_times(blocks, results, times, rated)
    others = results.keys() - set(written) - _find_unquoted_examples(blocks, results, loads)
    measured = [(i, rate) for i, result in results.items() if i in others and (rate := result.requests_per_second)]
    if not written or not measured:
        return {}
    single = sorted((rate, i) for i, rate in measured)
    averages = sorted(_average_rates(measured[:_MAX_AVERAGED]))
    reports = [blocks[i] for i, _ in measured[:_MAX_NAMED]]
    backed: dict[int, int] = {}
    for index in written:
        rate, step = results[index].requests_per_second or 0.0, float(blocks[index].values.get("rate_step_per_s", 0))
        is_fine = step <= rate / _LEAST_DIGITS  # of few digits, a mean of some reports or other would agree with it
        source = _find_near(single, rate, step) or (_find_near(averages, rate, step) if is_fine else None)
        backed[index] = source[1] if source is not None else -1
        if source is not None:
            _note_other_name(blocks[index], blocks[source[1]], reports)
    for index in _find_rows_beside_report(blocks, written, backed, reports):
        del backed[index]
    if all(get_semantics(results[i].tool).shown_as for i, _ in measured):  # rates alone are no reports
        backed = {index: source for index, source in backed.items() if source >= 0}
    known = {strip_markup(blocks[i].heading or "").lower() for i, _ in measured}
    # A sentence may tell of another year, site or machine, unless it has a report's rate or name.
    reported = {blocks[i].first for i in written if backed.get(i, -1) >= 0 or (blocks[i].label or "").lower() in known}
    unknown = [blocks[i] for i in written if backed.get(i, 0) < 0]
    for first, own in groupby(unknown, lambda block: block.first):
        block = next(own)
        if "said" not in block.values or first in reported:
            block.problems += [Problem(first, "this rate is of none of the text's reports, and was left out")]
    _note_rows_with_other_rates(
        [block for block in unknown if "said" not in block.values or block.first in reported], reports
    )
    return backed


def _find_unquoted_examples(
    blocks: Sequence[Block], results: Mapping[int, LoadResult], loads: Sequence[int]
) -> set[int]:
    """The report that is only an example of a tool's output, where nobody wrote its rate down: tables are of other runs."""
    return {
        example
        for example in find_examples(blocks, loads)
        if (rate := results[example].requests_per_second)
        and not any(
            get_semantics(result.tool).quotes_others
            and _find_near(
                [(rate, example)],
                result.requests_per_second or 0.0,
                float(blocks[i].values.get("rate_step_per_s", 0)),
            )
            for i, result in results.items()
        )
    }


def _note_rows_with_other_rates(rows: Sequence[Block], reports: Sequence[Block]) -> None:
    """Put into the first report that has a row's name the rate that the only row of this name tells, which none of them has."""
    named: dict[str, tuple[list[Block], list[Block]]] = defaultdict(lambda: ([], []))
    for row in rows:
        if not row.values.keys() & _OF_A_LOAD:
            named[str(row.values.get("config") or row.label).lower()][0].append(row)
    for report in reports:
        named[strip_markup(report.heading or "").rstrip(" :").lower()][1].append(report)
    for own, theirs in named.values():
        if len(own) == 1 and theirs:
            _note_stated_rate(own[0], theirs)


def _place_times(
    blocks: Sequence[Block], results: Mapping[int, LoadResult], times: Sequence[int], others: Sequence[int]
) -> dict[int, int]:
    """{row of a table of times: the row of a table of rates that is of the same load, and takes its times}, in a text with rates;
    -1 where there is none."""
    if not others:
        return {}
    rows = {_name_row(blocks[i]): i for i in others if get_semantics(results[i].tool).quotes_others}
    placed: dict[int, int] = {}
    for index in times:
        own = blocks[index].values
        placed[index] = rows.get(_name_row(blocks[index]), -1)
        if placed[index] >= 0:
            row = blocks[placed[index]]
            row.values = {name: own[name] for name in _TIMES if name in own} | row.values
    return placed


def _name_row(block: Block) -> tuple[object, ...]:
    return block.label, block.values.get("load"), block.values.get("concurrency")


def _find_rows_beside_report(
    blocks: Sequence[Block], written: Sequence[int], backed: Mapping[int, int], reports: Sequence[Block]
) -> list[int]:
    """Rows of a table in which one rate is a report's, which its title then names: the text shows the report of one alone."""
    rows_beside_report: list[int] = []
    for _, table in groupby(zip(written, range(len(written)), strict=True), lambda each: each[0] - each[1]):
        rows = [i for i, _ in table if "said" not in blocks[i].values]
        shown = {backed[i]: blocks[i].label for i in rows if backed[i] >= 0}
        if len(shown) == 1 < len(rows):
            [(report, name)] = shown.items()
            blocks[report].label = name
            rows_beside_report += [i for i in rows if backed[i] < 0 and not _find_reports_of(blocks[i], reports)]
    return rows_beside_report


def _find_reports_of(row: Block, reports: Iterable[Block]) -> list[Block]:
    """The reports whose heading has the row's name."""
    label = str(row.values.get("config") or row.label or " ").rstrip(":")
    name = re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE)
    return [report for report in reports if name.search(report.heading or "")]


def _note_other_name(row: Block, report: Block, reports: Iterable[Block]) -> None:
    """Say at a row whose rate is that of a report under another name, where reports under the row's own name have others."""
    named = _find_reports_of(row, reports)
    if report not in named and _note_stated_rate(row, named):
        message = f"this rate is that of the report in line {report.first}, which stands under another name"
        row.problems += [Problem(row.first, message)]


def _note_stated_rate(row: Block, reports: Sequence[Block]) -> bool:
    """Put a row's rate into the first of the reports under its name, where it lies beyond the rates of all of them."""
    rate, step = row.load_results[0].requests_per_second or 0.0, float(row.values.get("rate_step_per_s", 0))
    measured = [own for each in reports if (own := each.load_results[0].requests_per_second)]
    if not measured or min(measured) - step <= rate <= max(measured) + step:
        return False
    reports[0].values.setdefault("told_otherwise", {"rate": rate, "line": row.first})
    return True


def _average_rates(measured: Sequence[tuple[int, float]]) -> Iterator[tuple[float, int]]:
    """(mean or median, number of the first) of reports that stand together or in turn with others."""
    for first, stride in product(range(len(measured)), (1, 2, 3, 4)):
        rates = [rate for _, rate in measured[first::stride][:_MOST_REPEATS]]
        for n in range(2, len(rates) + 1):
            yield mean(rates[:n]), measured[first][0]
            yield median(rates[:n]), measured[first][0]


def _find_near(rates: Sequence[tuple[float, int]], rate: float, step: float) -> tuple[float, int] | None:
    """The first of the sorted rates that gives `rate` when its digits below `step` are rounded or cut off."""
    at = bisect_left(rates, (rate - 0.501 * step, -1))
    return rates[at] if at < len(rates) and rates[at][0] < rate + step else None


def find_duplicate_monitors(
    blocks: Sequence[Block], records: Sequence[list[Record]], monitors: Iterable[int]
) -> dict[int, int]:
    """The same for monitors: the same screen or listing printed twice, whole or in part."""
    by_sign: dict[object, list[int]] = {}
    for index in monitors:
        for sign in dict.fromkeys(_list_monitor_signs(blocks[index], records[index])):
            by_sign.setdefault((blocks[index].kind, sign), []).append(index)
    return _find_quotes(blocks, by_sign.values(), _is_same_monitor)


def _find_quotes(
    blocks: Sequence[Block], groups: Iterable[list[int]], is_same: Callable[[Block, Block], bool]
) -> dict[int, int]:
    """{quote: source}, where the source is no quote itself. groups: numbers of blocks that may be the same."""
    sources: dict[int, int] = {}
    different: set[tuple[int, int]] = set()
    for group in groups:
        if not 2 <= len(group) <= _MAX_ALIKE:
            continue
        fullest = sorted(group, key=lambda i: (-_count_figures(blocks[i]), i))
        for place, index in enumerate(fullest):
            for source in fullest[:place] if index not in sources else ():
                if source in sources or (index, source) in different:
                    continue
                if is_same(blocks[index], blocks[source]):
                    sources[index] = source
                    break
                different.add((index, source))
    return {quote: _follow(quote, sources) for quote in sources}


def _follow(quote: int, sources: Mapping[int, int]) -> int:
    """What a quote of a quote quotes. Sources are fuller or earlier, so that this ends."""
    while quote in sources:
        quote = sources[quote]
    return quote


def _count_figures(block: Block) -> int:
    table = block.values.get("processes")
    return len(block.values) + (len(table) if isinstance(table, Table) else 0)


def _is_same_load(shorter: Block, fuller: Block) -> bool:
    """Whether every figure is in the fuller report too; of equal size, they must be full or have the same heading."""
    values, others = shorter.values, fuller.values
    if any(others.get(name) != value for name, value in values.items() if name not in _NOT_COMPARED):
        return False
    if all(get_semantics(block.load_results[0].tool).quotes_others for block in (shorter, fuller)):
        digits = f"{shorter.load_results[0].requests_per_second or 0:.15g}".strip("0.").replace(".", "")
        is_apart = abs(shorter.first - fuller.first) > _FARTHEST_ROW
        is_whole = digits[2:] and values.get("rate_step_per_s") == 1  # "5,280", where "5.28k" has the step 10
        has_digits = len(digits) + bool(is_whole) >= _DIGITS_OF_RATE
        return has_digits and is_apart and bool(shorter.label) and shorter.label == fuller.label
    if (
        len(values) == len(others) >= _FULL_REPORT
        and None is not shorter.command_line != fuller.command_line is not None
    ):
        # Somebody typed a command for each: two runs, unless the same lines were pasted again.
        return _is_exact(shorter) or (shorter.heading == fuller.heading and shorter.command == fuller.command)
    is_part = shorter.partial and not fuller.partial
    return is_part or len(others) >= _FULL_REPORT or (len(values) == len(others) and shorter.heading == fuller.heading)


def _is_exact(block: Block) -> bool:
    """Whether no second run comes to the same figures: several have five digits and more, or many four."""
    figures = [value for value in block.values.values() if isinstance(value, float)]
    digits = [len(f"{figure:.15g}".strip("0.").replace(".", "")) for figure in figures]
    return any(sum(own >= least for own in digits) >= number for least, number in _EXACT_FIGURES)


def _is_same_monitor(shorter: Block, fuller: Block) -> bool:
    if isinstance(shorter, FoldedBlock) or isinstance(fuller, FoldedBlock):
        return isinstance(shorter, FoldedBlock) and isinstance(fuller, FoldedBlock)  # their sign is all samples' digest
    values, others = shorter.values, fuller.values
    compared = (name for name in values if name not in _NOT_COMPARED and name != "columns")
    if any(others.get(name) != values[name] for name in compared):
        return False
    rows, other_rows = values.get("processes"), others.get("processes")
    if isinstance(rows, Table) and isinstance(other_rows, Table):
        if len(rows) != len(other_rows) and shorter.command and fuller.command:
            return False  # printed twice, and processes came or went
        by_pid = {row.get("pid"): row for row in other_rows}
        return all(row == by_pid.get(row.get("pid")) for row in rows)
    phases = {find_phase(block.heading or "") for block in (shorter, fuller)}
    are_two = (shorter.command_line and fuller.command_line) or (len(phases) > 1 and "" not in phases)
    return len(values) >= 4 and ("time" in values or not are_two)  # an idle machine shows the same again


def _list_monitor_signs(block: Block, records: list[Record]) -> list[object]:
    """What two prints of one sample have in common and others hardly have."""
    if isinstance(block, FoldedBlock):
        return [("digest", block.series.digest())]
    values = block.values
    signs: list[object] = []
    if values.get("time"):
        signs.append((values["time"], values.get("load1")))
    table = values.get("processes")
    if isinstance(table, Table) and len(table):
        row = table[0]
        signs.append((row.get("pid"), row.get("time_s"), row.get("res_kb", row.get("rss_kb")), row.get("command")))
        signs += [("row", row.get("pid"), row.get("time_s")) for row in table[: 60 if len(table) > 3 else 1]]
    sample = next((r for r in records if isinstance(r, SystemSample)), None)
    if sample and not values.get("time") and len(sample.metrics) >= 3:
        signs.append(tuple(sorted(sample.metrics.items())))
    return signs
