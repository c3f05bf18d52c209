"""A text line by line: which block each line is part of, what was not read, what is wrong or secret in it; and its draft as the
preview shows it: a board of configs × runs, the text beside it, and what is suggested.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import attrgetter
from typing import Any

from runs.analysis.columns import assign_letters, drop_shared_words
from runs.analysis.headline_lead import give_reasons, write_lead
from runs.drafts.draft import DraftCapture, DraftConfig, DraftExperiment, DraftRun, DraftText, Item
from runs.ingest import Preview, describe_nothing_found, draft_runs, get_semantics, shows_memory_only
from runs.ingest.edits import Edits
from runs.ingest.grouping import find_differing_loads, shorten_names, suggest_groupings
from runs.models import Capture, ConfigText, Run, Timing, Upload
from runs.numbers import figure, write_count
from runs.selectors.judging import judge_draft

# A longer line is cut: no tool prints one, and the page must stay small.
MAX_CHARACTERS = 2000
MOST_OPENING = 20  # spans that are named where they begin; each cell of a table may be a run


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines first..last and what they became. `tint` names a colour: load, look (a monitor), memory, host or text."""

    first: int
    last: int
    tint: str
    title: str
    url: str = ""
    key: str = ""
    quote: bool = False


@dataclass(slots=True)
class ShownLine:
    """One line as shown. `parts` are (text, is secret); `opens` begin here, and n_more; last: a span ends here."""

    n: int
    parts: list[tuple[str, bool]]
    tint: str = ""
    opens: list[LineSpan] = field(default_factory=list)
    n_more: int = 0
    last: bool = False
    unread: bool = False
    problems: list[str] = field(default_factory=list)


def capture_tint(tool: str) -> str:
    return "memory" if shows_memory_only(tool) else "look"


def mark_lines(
    text: Iterable[str],
    spans: Iterable[LineSpan],
    *,
    start: int = 1,
    unread: Iterable[Sequence[int]] = (),
    problems: Iterable[tuple[int, str]] = (),
    secrets: Iterable[tuple[int, int, int]] = (),
) -> list[ShownLine]:
    """`text` is the part that begins at line `start`; `secrets` are (line, first character, end)."""
    marks: dict[int, list[tuple[int, int]]] = {}
    for line, begin, end in secrets:
        marks.setdefault(line, []).append((begin, end))
    lines = [ShownLine(n, _split_parts(words, marks.get(n, []))) for n, words in enumerate(text, start)]
    stop = start + len(lines)
    near = [span for span in spans if span.first < stop and span.last >= start]
    # Longer spans first: a span inside another one keeps its own tint.
    near.sort(key=lambda span: (span.first - span.last, span.first))
    for (first, last), tint in {(span.first, span.last): span.tint for span in near}.items():
        for n in range(max(first, start), min(last + 1, stop)):
            lines[n - start].tint = tint
        if last < stop:
            lines[last - start].last = True
    for span in near:
        if span.first >= start:
            where = lines[span.first - start]
            where.n_more += len(where.opens) == MOST_OPENING
            where.opens = [*where.opens, span][:MOST_OPENING]
    for first, last in unread:
        for n in range(max(first, start), min(last + 1, stop)):
            lines[n - start].unread = not lines[n - start].tint
    for n, message in problems:
        if start <= n < stop:
            lines[n - start].problems.append(message)
    return lines


def _split_parts(words: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """(text, whether it is marked) of each part of a line. marks: (begin, end) in characters."""
    cut = words[:MAX_CHARACTERS]
    parts, at = [], 0
    for begin, end in sorted(marks):
        if begin >= at:
            parts += [(cut[at:begin], False), (cut[begin:end], True)]
            at = end
    parts.append((cut[at:], False))
    if len(words) > len(cut):
        parts.append((f" … {len(words) - len(cut)} more characters", False))
    return [part for part in parts if part[0]]


def upload_spans(
    upload: Upload,
    runs: Iterable[Run],
    captures: Iterable[Capture],
    texts: Iterable[ConfigText],
    timings: Iterable[Timing],
) -> list[LineSpan]:
    """What each block of the upload became, in the order of the text; quotes included."""
    spans: list[LineSpan] = []
    for run in runs:
        rate = f"{figure(run.requests_per_second)} per s" if run.requests_per_second is not None else "run"
        tool = get_semantics(run.tool).shown_as or run.tool
        spans += _mark_quotes(run, "load", f"{tool} {rate} → {run.config.name}")
    for capture in captures:
        if capture.is_part:
            continue
        owner = capture.config.name if capture.config else capture.experiment.name
        title = " ".join(word for word in (capture.tool, capture.phase, "→", owner) if word)
        spans += _mark_quotes(capture, capture_tint(capture.tool), title)
    for text in texts:
        url = text.config.get_absolute_url() if text.config else ""
        spans.append(LineSpan(text.line_first, text.line_last, "text", f"config text {text.path}".strip(), url))
    shown = {(span.first, span.last) for span in spans}  # a block can be both a run and its timing
    for timing in timings:
        if (timing.line_first, timing.line_last) not in shown:
            owner = timing.run.config.name if timing.run else timing.experiment.name
            n = f"n={timing.n} requests" if timing.n is not None else "percentiles"
            url = (timing.run or timing.experiment).get_absolute_url()
            spans.append(
                LineSpan(timing.line_first, timing.line_last, "load", f"{timing.tool} {n} → {owner}".strip(), url)
            )
    spans += _list_host_spans(spans, ((*block["lines"], block["kind"]) for block in upload.blocks))
    return sorted(spans, key=lambda span: (span.first, span.last))


def _list_host_spans(spans: Sequence[LineSpan], blocks: Iterable[tuple[int, int, str]]) -> list[LineSpan]:
    """Of the blocks (first line, last line, kind) of which no span holds the last line: a log's first one is none of its runs."""
    ordered = sorted(spans, key=attrgetter("first"))  # they may be millions of lines long
    firsts, lasts = [span.first for span in ordered], list(accumulate((span.last for span in ordered), max))
    host_spans = []
    for first, last, kind in blocks:
        n_before = bisect_right(firsts, last)
        if not n_before or last > lasts[n_before - 1]:
            host_spans.append(LineSpan(first, last, "host", f"{kind}: about the host"))
    return host_spans


def _mark_quotes(row: Any, tint: str, title: str) -> Iterator[LineSpan]:
    yield LineSpan(row.line_first, row.line_last, tint, title, row.get_absolute_url())
    for first, last in row.quotes:
        yield LineSpan(first, last, tint, f"{title} (quoted again)", row.get_absolute_url(), quote=True)


# --- the board of a draft -------------------------------------------------------------------------------------------------

LINES_SHOWN = 1000  # of the text at once
MOST_CONFIGS = 60
MOST_CARDS = 5  # runs of a config that are in sight while it is folded: fewer than 8 controls
MOST_ROWS = 400  # of all configs, when opened
MOST_SECRETS = 100
SHORT_NAME = 30
OTHERS = {"capture": "monitor", "text": "config text"}


@dataclass(frozen=True, slots=True)
class Card:
    """A block as the board has it. `figure` and `unit` are its main result, `detail` is what else tells it apart."""

    item: Item
    kind: str
    tool: str
    tint: str
    figure: str = ""
    unit: str = ""
    detail: str = ""
    command: str = ""
    share: int = 0  # of the fastest listed run of the experiment, in per cent

    @property
    def spans(self) -> str:
        """ "98-150" and so on: its lines, those that quote it included."""
        return " ".join(f"{first}-{last}" for first, last in [self.item.lines, *getattr(self.item, "quotes", [])])


@dataclass(slots=True)
class CardGroup:
    """The cards of one config, or (config None) those that hold for the whole experiment."""

    config: DraftConfig | None
    place: int
    runs: list[Card]
    others: list[Card]
    short: str = ""  # what sets its name apart, where that is long
    split: str = ""  # what the loads of its runs differ in
    rows: list[Card] = field(default_factory=list)
    letter: str = ""
    heading: str = ""  # above its own, where others stand below other ones and its name does not say it

    @property
    def is_short(self) -> bool:
        """Whether name and runs have room beside each other."""
        return (
            self.config is not None and len(self.config.name) <= SHORT_NAME and len(self.runs) <= 2 and not self.split
        )

    @property
    def cards(self) -> list[Card]:
        return self.runs[: MOST_CARDS - bool(self.split)]

    @property
    def n_more(self) -> int:
        return len(self.runs) - len(self.cards)

    @property
    def contents(self) -> str:
        """What else it has: "3 monitors · 1 config text"."""
        counts = [(sum(card.kind == kind for card in self.others), words) for kind, words in OTHERS.items()]
        return " · ".join(write_count(n, words) for n, words in counts if n)


def draft_context(shown: Preview, redact: Sequence[str] | None, *, at: int) -> dict[str, Any]:
    """What the template needs. `at` is a line of the text that is to be seen."""
    boards = [_make_board(shown, experiment) for experiment in shown.draft.experiments]
    groups = [group for board in boards for group in board["groups"]]
    lines_at = max(min(at, shown.text.n_lines) - 1, 0) // LINES_SHOWN * LINES_SHOWN + 1
    secrets = {secret.key: secret for secret in reversed(shown.text.secrets)}
    return {
        "experiments": boards,
        "n_hidden": sum(len(group.runs) + len(group.others) for group in groups) - _fill_rows(boards),
        "n_runs": sum(len(group.runs) for group in groups),
        "can_shorten": bool(shorten_names(shown.draft)),
        "hosts": shown.draft.hosts,
        "phases": [("", "not known"), *Capture.Phase.choices],
        "lines": _make_lines(shown, boards, lines_at),
        "lines_at": lines_at,
        "lines_end": lines_at + LINES_SHOWN,
        "lines_before": lines_at - LINES_SHOWN,
        "n_lines": shown.text.n_lines,
        "problems": shown.problems,
        "secrets": [_describe_secret(shown, secret) for secret in [*reversed(secrets.values())][:MOST_SECRETS]],
        "n_secrets": len(secrets),
        "redact": set(secrets) if redact is None else set(redact),
        "existing": shown.existing,
        "nothing": describe_nothing_found(shown.blocks, shown.text.n_lines),
        "n_unread": sum(last - first + 1 for first, last in shown.draft.unread),
    }


def unseen_secrets(shown: Preview) -> list[str]:
    """Keys of those that the page has no room for: they are all redacted."""
    return [*dict.fromkeys(secret.key for secret in shown.text.secrets)][MOST_SECRETS:]


def list_left_out(shown: Preview, edits: Edits) -> list[tuple[str, Any]]:
    """(key, block) of what a person left out."""
    keys = [key for key, changes in edits.get("blocks", {}).items() if changes.get("leave_out")]
    return [(key, shown.blocks[int(key[1:].partition(".")[0])]) for key in keys]


def _make_board(shown: Preview, experiment: DraftExperiment) -> dict[str, Any]:
    headline = judge_draft(shown, experiment)
    hosts = {host.key: host for host in shown.draft.hosts}
    groupings = [each for each in suggest_groupings(shown.draft) if each.experiment == experiment.key]
    groups = _group_cards(shown, experiment)
    configs = [group for group in groups if group.config]
    return {
        "draft": experiment,
        "host": hosts.get(experiment.host),
        "headline": headline,
        "lead": write_lead(headline) if headline else None,
        "reasons": give_reasons(headline, []) if headline else [],
        "groups": groups,
        "shown": groups[:MOST_CONFIGS],
        "n_unshown": len(groups[MOST_CONFIGS:]),
        "n_configs": len(configs),
        "n_runs": len(experiment.runs),
        "groupings": groupings,
    }


def _group_cards(shown: Preview, experiment: DraftExperiment) -> list[CardGroup]:
    runs = _make_run_cards(shown, experiment)
    blocks = {f"b{at}": block for at, block in enumerate(shown.blocks)}
    others: dict[str, list[Card]] = {}
    items: list[DraftCapture | DraftText] = [*experiment.captures, *experiment.texts]
    for item in sorted(items, key=attrgetter("lines")):
        others.setdefault(item.config, []).append(_make_other_card(item, blocks))
    names = [config.name for config in experiment.configs]
    shorter = drop_shared_words(names) if names else []
    groups = [
        CardGroup(
            config, place, runs.get(config.key, []), others.get(config.key, []), short if short != config.name else ""
        )
        for place, (config, short) in enumerate(zip(experiment.configs, shorter, strict=True))
    ]
    headings = {config.group for config in experiment.configs}
    for group, config, letter in zip(groups, experiment.configs, assign_letters(names), strict=True):
        group.letter = letter
        is_said = len(headings) < 2 or config.name.startswith(f"{config.group} · ")
        group.heading = "" if is_said else config.group
        differing = find_differing_loads([card.item for card in group.runs if isinstance(card.item, DraftRun)])
        terms = {name for words in differing.values() for name in words}
        group.split = "" if not terms else "concurrency" if "concurrency" in terms else "load"
    return [*groups, CardGroup(None, 0, [], others[""])] if "" in others else groups


def _make_run_cards(shown: Preview, experiment: DraftExperiment) -> dict[str, list[Card]]:
    """By config. Those for which the page has no room have no figures."""
    runs = defaultdict[str, list[DraftRun]](list)
    for run in sorted(experiment.runs, key=attrgetter("lines")):
        runs[run.config].append(run)
    listed = [run for own in runs.values() for run in own[:MOST_ROWS]]
    rows = draft_runs(shown.blocks, shown.draft, replace(experiment, runs=listed))
    fastest = max((row.requests_per_second or 0 for row in rows), default=0)
    cards = {run.key: _make_run_card(run, row, fastest) for run, row in zip(listed, rows, strict=True)}
    return {
        config: [cards.get(run.key) or Card(run, "run", cards[own[0].key].tool, "load") for run in own]
        for config, own in runs.items()
    }


def _make_run_card(run: DraftRun, row: Run, fastest: float) -> Card:
    rate, mean = row.requests_per_second, row.mean_ms
    shown = (figure(rate), "/s") if rate is not None else (figure(mean), "ms") if mean is not None else (row.tool, "")
    users = f"c={row.concurrency:g}" if row.concurrency is not None else ""
    share = round(100 * rate / fastest) if rate and fastest else 0
    tool = get_semantics(row.tool).shown_as or row.tool
    return Card(run, "run", tool, "load", *shown, users, row.command, share)


def _make_other_card(item: DraftCapture | DraftText, blocks: dict[str, Any]) -> Card:
    if isinstance(item, DraftText):
        return Card(item, "text", "config text", "text", detail=item.path)
    block = blocks[item.blocks[0]]
    return Card(
        item,
        "capture",
        block.kind,
        capture_tint(block.kind),
        detail=_describe_capture(item, {} if item.span else block.values),
    )


def _describe_capture(item: DraftCapture, values: dict[str, Any]) -> str:
    words = [f"{item.n_samples:,} samples"] if item.n_samples > 1 else []
    if values.get("n_processes"):
        words.append(write_count(values["n_processes"], "process"))
    free = values.get("memfree", values.get("mem_free_kb"))
    if isinstance(free, (int, float)):
        words.append(f"{figure(free / 1024)} MiB free")
    return ", ".join(words)


def _fill_rows(boards: list[dict[str, Any]]) -> int:
    """Give each group in sight the rows that the page has room for; how many these are."""
    left = MOST_ROWS
    for group in (group for board in boards for group in board["shown"]):
        group.rows = [*group.runs, *group.others][:left]
        left -= len(group.rows)
    return MOST_ROWS - left


def _make_lines(shown: Preview, boards: list[dict[str, Any]], start: int) -> list[Any]:
    spans: list[LineSpan] = []
    taken: set[str] = set()
    for group in (group for board in boards for group in board["groups"]):
        owner = group.config.name if group.config else "whole experiment"
        for card in [*group.runs, *group.others]:
            title, (first, last) = f"{card.tool} → {owner}", card.item.lines
            if isinstance(card.item, DraftCapture) and card.item.span:
                continue  # its lines are the whole capture's
            spans.append(LineSpan(first, last, card.tint, title, f"#edit-{card.item.key}", card.item.key))
            spans += [
                LineSpan(begin, end, card.tint, f"{card.tool}, quoted again", quote=True)
                for begin, end in getattr(card.item, "quotes", [])
            ]
            taken.update(card.item.blocks if isinstance(card.item, DraftCapture) else [card.item.key])
    blocks = {f"b{at}": block for at, block in enumerate(shown.blocks)}
    # Files of single requests. Whose they are is found by their figures when they are stored.
    spans += [
        LineSpan(*timing.lines, "load", f"{blocks[timing.key].kind}: single requests")
        for experiment in shown.draft.experiments
        for timing in experiment.timings
        if timing.key not in taken
    ]
    rest = ((block.first, block.last, block.kind) for key, block in blocks.items() if key not in taken)
    spans += _list_host_spans(spans, rest)
    return mark_lines(
        list(shown.text.lines(start, start + LINES_SHOWN - 1)),
        spans,
        start=start,
        unread=shown.draft.unread,
        problems=[(problem.line, problem.message) for problem in shown.problems],
        secrets=[(secret.line, secret.start, secret.end) for secret in shown.text.secrets],
    )


def _describe_secret(shown: Preview, secret: Any) -> dict[str, Any]:
    line = next(shown.text.lines(secret.line, secret.line))
    lines = [other.line for other in shown.text.secrets if other.key == secret.key]
    ends = [other.end for other in shown.text.secrets if other.line == secret.line and other.end <= secret.start]
    before = line[max(0, secret.start - 40, *ends) : secret.start]
    return {"key": secret.key, "kind": secret.kind, "lines": lines, "before": before, "n": secret.end - secret.start}
