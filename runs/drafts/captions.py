"""Names that stand away from the reports: in captions below them ("^ nginx", "Figure 1: nginx", "That was with keep-alive"), in
comments behind commands, or all in one line above them, in their order ("Below are apache and nginx, in that order").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise

from parsers.blocks import Block
from parsers.catalogue import makes_load
from parsers.patterns import AFTER, BEFORE
from parsers.records import Problem
from parsers.written_rates import RATE, group_by_commas, read_number

from .boilerplate import ITEM, find_numbering, heading_level, is_boilerplate, join_wrapped, list_sections, strip_markup
from .heading_groups import find_compared
from .heading_words import (
    LETTER,
    WITH,
    WITHOUT,
    find_phase,
    is_generic,
    is_sentence,
    is_short,
    is_warm_up,
    names_software,
)

Line = tuple[int, str]
_COMMENT = re.compile(r"\s#+\s+(\S.*)$")
_ARROW = re.compile(r"[\s*_(>]{0,4}(?:\^+|[↑⬆☝👆]\ufe0f?)(?![\[\w])[\s:]*(?P<name>\S.*)")
_ANNOUNCED_NAME = re.compile(
    r"[\s*_(>]{0,4}(?:(?:the )?(?:results? |output |run |one |test )?above(?: (?:is|are|was|were))?(?: (?:for|from|of|with))?\b"
    r"|(?:that|this) (?:was|were)(?: the)?\b|(?:das|dies) war(?:en)?\b|上記?は|以上が?)[\s:：、]*(?P<name>\S.*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[\s*_(>]{0,4}(?:fig(?:ure)?|abb(?:ildung)?|listing|screenshot|rys|рис(?:унок)?|图|図)\.?\s*\d{1,2}\s*[:.：–—-]\s*(?P<name>\S.*)",
    re.IGNORECASE,
)
_MOST_WORDS = 8
_FARTHEST = 2  # lines below a report: a fence may stand between


def move_captions(blocks: Sequence[Block], loads: Sequence[int]) -> None:
    """Put the captions that stand below reports among the lines above these."""
    below = {load: lines for load in loads if (lines := _list_lines_below(blocks, load))}
    if not below:
        return
    arrows = _find_names(blocks, below, _ARROW)
    said, figures = (_find_names(blocks, below, pattern) for pattern in (_ANNOUNCED_NAME, _FIGURE))
    if len(said) < 2:
        said = {}
    if len(figures) < 2 or loads[-1] not in figures or any(_FIGURE.match(text) for _, text in blocks[loads[0]].trail):
        figures = {}
    captions = said | figures | arrows
    pointing = {line for line, _ in captions.values()}
    if captions and all(
        any(_names(text) for line, text in blocks[load].trail if (line, text) not in pointing) for load in loads
    ):
        captions = {load: (line, "") for load, (line, _) in arrows.items()}  # remarks: names stand above
    for load, caption in (captions or _find_plain(blocks, loads, below)).items():
        _move(blocks, load, *caption)


def _names(text: str) -> bool:
    return not (
        is_sentence(text) or is_boilerplate(text) or is_generic(text) or is_warm_up(text)
    )  # most lines are sentences


def _list_lines_below(blocks: Sequence[Block], load: int) -> list[Line]:
    return blocks[load + 1].trail if load + 1 < len(blocks) else blocks[load].tail


def _find_names(
    blocks: Sequence[Block], below: dict[int, list[Line]], pattern: re.Pattern[str]
) -> dict[int, tuple[Line, str]]:
    """{load: (the line below it that says what it was, the name in it)}."""
    named = {}
    for load, lines in below.items():
        line, text = lines[0]
        match = pattern.match(text) if line - blocks[load].last <= _FARTHEST + 1 else None
        name = strip_markup(match["name"]).rstrip(".!") if match else ""
        name = name[:-1] if name.endswith(")") and "(" not in name else name
        if name and is_short(name) and len(name.split()) <= _MOST_WORDS:
            named[load] = ((line, text), name)
    return named


def _find_plain(
    blocks: Sequence[Block], loads: Sequence[int], below: dict[int, list[Line]]
) -> dict[int, tuple[Line, str]]:
    """Captions without a sign: names right below all reports and farther from the next, where none is above the first."""
    above = [text for block in blocks[: loads[0] + 1] for _, text in block.trail] if loads else []
    if len(below) < max(2, len(loads)) or any(heading_level(text) != 1 for text in above):
        return {}
    plain = {}
    for load, lines in below.items():
        line, text = lines[0]
        block, following = blocks[load], blocks[load + 1] if load + 1 < len(blocks) else None
        distance = line - block.last
        begins = min(following.first, following.command_line or following.first) if following else line + 9
        if (
            distance > _FARTHEST
            or begins - line <= distance
            or len(lines) > 1
            or heading_level(text)
            or not _names(text)
        ):
            return {}
        plain[load] = (line, text), text
    return plain


def _move(blocks: Sequence[Block], load: int, caption: Line, name: str) -> None:
    block = blocks[load]
    if name:
        block.trail = [*block.trail, (block.first, name)]
        block.heading, block.heading_line = name, caption[0]
    if load + 1 < len(blocks):
        following = blocks[load + 1]
        following.trail = [line for line in following.trail if line != caption]


# --- names in the order of the reports --------------------------------------------------------------------------------
_IN_ORDER = re.compile(
    r"(?:(?<![\s,(])[\s,(]++)?+\b(?:in (?:that|this|the same|the following|the above) order|respectively|in order"
    r"|in (?:dieser|der(?:selben)?) reihenfolge|der reihe nach|dans (?:cet|l')\s?ordre|respectivement|en (?:este|ese) orden"
    r"|respectivamente|nesta ordem|w tej kolejności|в (?:этом|таком) порядке)\b(?: as (?:above|listed|below))?\)?"
    r"|^(?:the )?(?:order|reihenfolge|ordre|orden|順番|順序|顺序)(?: is)?\s*[:：]|(?:(?<!\s)\s++)?+の順(?:番|序)?(?:です|に|で)?"
    r"|それぞれ|依次(?:是|为)?|分别(?:是|为)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?:(?<!\s)\s++)?+[,、，]\s*(?:(?:and|und|then|dann|puis|et|luego)\s+)*|(?:(?<!\s)\s++)?+(?:と|和|与)\s*"
    r"|(?<!\s)\s++(?:and then|and|then|und dann|und|dann|et puis|et|puis|y luego|y|e|i|и|&|vs\.?|versus|\+)\s+"
)
_THEN = re.compile(r"[,\s]\s*(?:(?:and|und|et|y)\s+)?(?:then|dann|danach|puis|ensuite|luego|затем|потом)\s")
_EACH = re.compile(  # how often each was measured
    r"(?<!\w)[,(（]?\s*(?:with )?(?:\d{1,2}|two|three|four|five|zwei|drei|vier|deux|trois|dos|tres)\s?"
    r"(?:runs?|times|reports?|results?|Läufe|fois|veces|回|次)"
    r"(?: each| of each| per server|ずつ)?[)）]?(?!\w)|(?<=then )\d{1,2}\s(?=with\s)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r".*(?:[:：]|は|\b(?:of|for|from|against|on|are|is|were|was|with|have|see|bei|von|für|gegen|mit|sind|sont|de|pour|contre|son|para"
    r"|contra)\b)\s*",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"(?<![^\W一-鿿])(?:(?P<first>(?:first(?:ly)?|former|1st|top(?:most)?|upper|left|links|zuerst|erst(?:e[rns]?|ens)?|oben|d'abord|premi(?:er|ère)"
    r"|gauche|primero|izquierda|najpierw|сначала|слева)(?![A-Za-zÀ-ɏ_])|まず(?:は)?|最初[はに]?|先に|首先|先|左"
    r"|第一[个組组份段]?|[1１一]つ目|[1１]番目|前者)"
    r"|(?:(?:and )?then|next|second(?:ly)?|latter|2nd|third(?:ly)?|3rd|fourth|4th|finally|last(?:ly)?|bottom|lower|middle|right"
    r"|rechts|dann|danach|zweite[rns]?|dritte[rns]?|zuletzt|unten|puis|ensuite|deuxième|enfin|droite|luego|después|segundo|tercero|derecha"
    r"|potem|затем|потом|справа)(?![A-Za-zÀ-ɏ_])|次[はに]?|続いて|然后|然後|接着|最后|右|第[二三四五六][个組组份段]?|[2-9２-９二三四]つ目|[2-9２-９]番目|[后後]者)"
    r"|(?P<number>(?<!\S)[(（]?\d[.)）:])\s",
    re.IGNORECASE,
)
_FILLS = re.compile(
    r"^(?:[\s,;:：、，=()–—-]|(?:the|an?|one|runs?|reports?|results?|outputs?|tests?|blocks?|sets?|parts?|tables?|is|was|are|were|for|of|from|came|comes|with(?=\s\S+$)"
    r"|and|und|et|der|die|das|ist|kommt|mit dem|le|la|el|est|es)\b|は|が|で|是|为)+"
    r"|(?:[\s,;:：、，.(–—-]++|(?<!\w)(?:the|an?|and|und|et|is|results?|reports?|outputs?|runs?|numbers?|below|follows?|der|die|das|です)(?!\w)"
    r"|の結果|的结果|的(?!\w)|です(?!\w)){1,20}+$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=\w)[.!?](?:\s+|$)|[。！？;；]\s*")
_TELLS_WORK = re.compile(  # what somebody did, in place of a name
    r"(?i:\b(?:it|we|you|them|this|that|there|ich|wir|je|nous|same|again)\b|\b(?:re)?(?:ran|run|start|stop|boot|measure|install|compile"
    r"|build|built|chang|switch|warm|wait|test)(?:ed|s|ing)?\b)|\bI\b"
)
_LACKS_IT = re.compile(rf"(?:\b({WITHOUT})\s(?:it|them|that|this|ihn|sie|es)|^({WITHOUT}))$", re.IGNORECASE)
_HAS = re.compile(rf"^(?:{WITH}|z)\s(?:the\s)?|\s(?:(?:turned |switched )?on|enabled|activated|installed|added)$")
# One setting before and after a change: "scheduler: mq-deadline -> none", "Changed worker_processes from 1 to 4".
_CHANGE = re.compile(
    r"(?P<name>^[\w./ -]{2,40}[:=]|(?<!\S)[\w./-]{3,60}[:=]?)\s{1,3}"
    r"(?P<old>[^\s,;:]{1,30})\s?(?:->|=>|[→⇒➜])\s?(?P<new>[^\s,;:]{1,30})(?P<rest>.*)"
    r"|(?<!\S)(?P<name2>\w{1,30}[._-][\w.-]{1,60})\s(?:was |is )?(?:changed |raised |lowered |set |switched )?"
    r"from\s(?P<old2>[^\s,;:]{1,30})\sto\s(?P<new2>[^\s,;:]{1,30})"
)
# One program in two versions, with its name before each: "php 7.4 -> php 8.3".
_UPGRADE = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z.+ -]{0,38}?) (?P<old>v?\d[\w.-]{0,20})\s?(?:->|=>|[→⇒➜])\s?(?P=name) (?P<new>v?\d[\w.-]{0,20})"
)
_NO_SETTING = re.compile(  # a result, or the way of a request
    r"\b(?:re?qs?|requests?|[rqt]ps|rates?|latency|latencies|throughput|times?|p\d\d|mean|avg|average|cpu|memory|rss|ms|errors?|failures?)\b"
    r"|\b(?:clients?|servers?|proxy|browser|topology|flow|path|route|network|backend|upstream)\b|->|=>|→",
    re.IGNORECASE,
)
_CHANGED_RATE = re.compile(  # "1200 -> 1500 req/s", "from 1.2k rps to 1.5k rps", "1201 against 1499"
    rf"(?<![\w.,])(?P<old>\d[\d.,]{{0,11}}\s?[kK]?)(?:\s?{RATE})?\s{{0,3}}"
    r"(?:->|=>|[→⇒➜]|\b(?:to|vs\.?|versus|against|gegen|contre|contra|против)(?!\w))\s{0,3}"
    rf"(?P<new>\d[\d.,]{{0,11}}\s?[kK]?)(?:\s?{RATE}|(?P<bare>)(?![\d.,]*\d|\s?(?:%|[µumn]?s(?!\w))))"
    rf"|\b(?:old|{BEFORE})\b\W{{1,3}}(?P<old2>\d[\d.,]{{0,11}}\s?[kK]?)\s?{RATE}\W{{1,3}}"
    rf"(?:new|now|{AFTER})\b\W{{1,3}}(?P<new2>\d[\d.,]{{0,11}}\s?[kK]?)\s?{RATE}",
    re.IGNORECASE,
)
_ABOUT = 0.05  # of a rate that somebody tells
_THOUSAND = 1000
_BARE = 100  # from which on two figures without a unit are those of two reports
_MOST_NAMED = 12
_WORDS_OF_NAME = 5


def name_in_order(blocks: Sequence[Block], loads: Sequence[int]) -> None:
    """Put names that one line above several reports lists in their order above each of these.

    Where there are more or fewer reports than names, and nothing tells which is which, the line gets a problem.
    """
    trails = list_sections([block.trail for block in blocks], loads)
    for stretch in _find_unnamed(blocks, trails):
        trail = trails[stretch[0]]
        line, named = _match_told_rates(blocks, stretch, trail)
        names, is_each = ([*dict.fromkeys(named.values())], False)
        if not named:
            line, names, is_each = _find_ordered_names(trail, len(stretch), may_change=len(loads) == 2)
            named = _match_names(blocks, stretch, names)
        if not names:
            continue
        if not named and is_each and len(stretch) % len(names) == 0:
            each = len(stretch) // len(names)
            named = {load: names[at // each] for at, load in enumerate(stretch)}
        if not named:
            listed = f"{len(names)} ({', '.join(names)})"
            message = f"this names {listed}, but {len(stretch)} results follow: nothing tells which is which"
            blocks[stretch[0]].problems.append(Problem(line, message))
        depth = max((heading_level(text) for _, text in trail), default=0)
        for load, name in (named or {stretch[0]: " or ".join(names)}).items():
            block = blocks[load]
            mark = "#" * min(depth + 1, 6) + " " if depth else ""
            block.trail = [*block.trail, (block.first, mark + name)]
            block.heading, block.heading_line = name, line


def _find_unnamed(blocks: Sequence[Block], trails: Mapping[int, Sequence[Line]]) -> Iterator[list[int]]:
    """Several load tests each that stand together, of which only the first has lines above it that name something."""
    stretch: list[int] = []
    for load, trail in trails.items():
        texts = [text for _, text in trail]
        if any(map(is_warm_up, texts)):
            continue
        begins = any(_names(text) or heading_level(text) or _CHANGED_RATE.search(text) for text in texts)
        if stretch and (blocks[load].label or begins):
            if len(stretch) > 1:
                yield stretch
            stretch = []
        if stretch or not blocks[load].label:
            stretch.append(load)
    if len(stretch) > 1:
        yield stretch


def _match_names(blocks: Sequence[Block], loads: Sequence[int], names: Sequence[str]) -> dict[int, str]:
    """{load test: its name}: as many as there are names, or each kind of load once for each."""
    if len(loads) == len(names):
        return dict(zip(loads, names, strict=True))
    kinds = {i: (r.tool, r.concurrency, r.path) for i in loads for r in blocks[i].load_results[:1]}
    counts = Counter(kinds.values())
    if len(counts) > 1 and set(counts.values()) == {len(names)}:
        seen: Counter[object] = Counter()
        named = {}
        for load, kind in kinds.items():
            named[load] = names[seen[kind]]
            seen[kind] += 1
        return named
    return {}


def _match_told_rates(
    blocks: Sequence[Block], loads: Sequence[int], trail: Sequence[Line]
) -> tuple[int, dict[int, str]]:
    """(the line that tells how a rate changed, {load test: "before" or "after"}): "1200 -> 1500 req/s" above two reports or more.

    Each must have one of the two rates, the first ones the first.
    """
    rates = {load: blocks[load].load_results[0].requests_per_second or 0 for load in loads}
    for line, text in trail:
        for match in _CHANGED_RATE.finditer(text):
            old, new = _read_told_rates(
                match["old"] or match["old2"], match["new"] or match["new2"], max(rates.values())
            )
            fits = [(_is_about(rate, old), _is_about(rate, new)) for rate in rates.values()]
            n_before = sum(before for before, _ in fits)
            is_clear = not (_is_about(old, new) or 0 in (old, new)) and 0 < n_before < len(fits)
            if match["bare"] is not None:  # figures without a unit may be anything's
                is_clear = is_clear and min(old, new) >= _BARE and [*map(int, rates.values())] == [old, new]
            if is_clear and fits == [(True, False)] * n_before + [(False, True)] * (len(fits) - n_before):
                return line, {load: "before" if at < n_before else "after" for at, load in enumerate(loads)}
    return 0, {}


def _read_told_rates(old: str, new: str, fastest: float) -> tuple[float, ...]:
    """The two figures of a line; "9.000" is 9000 beside a report of about as much."""
    told = [read_number(f"{figure} rps") for figure in (old, new)]
    if "." in old and "." in new and fastest > _THOUSAND:
        told = [read_number(f"{group_by_commas(figure)} rps") for figure in (old, new)]
    return tuple(each[0] if each else 0.0 for each in told)


def _is_about(rate: float, told: float) -> bool:
    return abs(rate - told) <= _ABOUT * told


def _find_ordered_names(trail: Sequence[Line], n: int, *, may_change: bool) -> tuple[int, list[str], bool]:
    """(the line, its names, whether it says how often each was measured) of the last line that lists names in their order.

    A list of lines counts where it has n items. may_change: or the last line that tells of a setting's change
    """
    ordered = any(_IN_ORDER.search(text) for _, text in trail)
    items = [(line, text) for line, text in trail if ITEM.match(text)]
    for line, text in reversed(join_wrapped(trail)):
        if is_boilerplate(text) or ITEM.match(text) and len(items) > 1:
            continue
        for clause in _CLAUSE.split(strip_markup(text)):
            bare = _EACH.sub(" ", clause)
            if names := _check_names(
                _read_places(bare) or _read_listed(bare) or (_read_change(bare) if may_change else [])
            ):
                return line, names, bare != clause
    names = _check_names([strip_markup(re.sub(r"^\W*\d{1,2}[.)）]\s*", "", text)) for _, text in items])
    counted = [find_numbering(text) for _, text in items] == [str(i + 1) for i in range(len(items))]
    # A list of what is needed names load tools, or prose stands below it.
    is_nearest = items and items[-1] == next((line for line in reversed(trail) if not is_boilerplate(line[1])), None)
    needs_tools = any(makes_load(word.lower()) for name in names for word in name.split())
    lists_servers = counted and is_nearest and not needs_tools and any(map(names_software, names))
    if len(names) == n and (ordered or lists_servers):
        return items[-1][0], names, False
    return 0, [], False


def _read_places(clause: str) -> list[str]:
    """The names in "first apache, then nginx", "apache first, nginx second", "1) apache 2) nginx"."""
    matches = list(dropwhile(lambda place: not (place["first"] or place["number"]), _PLACES.finditer(clause)))
    numbers = [re.sub(r"\D", "", place["number"]) for place in matches if place["number"]]
    if len(matches) < 2 or numbers and numbers != [str(i + 1) for i in range(len(matches))]:
        return []
    ends = [*(place.start() for place in matches[1:]), len(clause)]
    names = [_strip_filling(clause[place.end() : end]) for place, end in zip(matches, ends, strict=True)]
    if not names[-1] and not numbers:
        starts = [0, *(place.end() for place in matches)]
        names = [_strip_filling(clause[start : place.start()]) for start, place in zip(starts, matches, strict=False)]
    thing = next((_HAS.sub("", name) for name in names if not _LACKS_IT.search(name)), "")
    return [_LACKS_IT.sub(lambda lacks: f"{lacks[1] or lacks[2]} {thing}".rstrip(), name) for name in names]


def _read_listed(clause: str) -> list[str]:
    """The names in "Below are apache and nginx, in that order", "I ran it against apache and then nginx"."""
    bare = _IN_ORDER.sub(" ", clause)
    if bare == clause and not _THEN.search(clause):
        return []
    first, *others = _BETWEEN.split(bare.strip(" :：,.()"))
    if (
        len(others) > 1 and not _LEAD.match(first) and _TELLS_WORK.search(first)
    ):  # "I ran it six times, apache and nginx"
        first, *others = others
    lead = _LEAD.match(first)
    return [_strip_filling(part) for part in (first[lead.end() :] if lead else first, *others)]


def _read_change(clause: str) -> list[str]:
    """The two values of a setting that was changed between two reports, or the versions of a program, each with its name."""
    if upgrade := _UPGRADE.fullmatch(clause.strip()):
        return [f"{upgrade['name']} {upgrade[which]}" for which in ("old", "new")]
    match = _CHANGE.search(clause)
    if match is None:
        return []
    setting = (match["name"] or match["name2"]).rstrip(":= ")
    values = [value.strip("\"'`*_()") for value in (match["old"] or match["old2"], match["new"] or match["new2"])]
    is_other = any(map(_NO_SETTING.search, (setting, *values, match["rest"] or ""))) or any(map(names_software, values))
    return [] if is_other else [f"{setting} {value}" for value in values]


def _strip_filling(text: str) -> str:
    name = _FILLS.sub("", _FILLS.sub("", text)).strip("\"'`*_“”「」 ")
    return name if "(" in name else name.rstrip(")")


def _check_names(names: Sequence[str]) -> list[str]:
    """The names, where each can be one and is told apart; otherwise none. "PHP 7.4 and 8.2" are "PHP 7.4" and "PHP 8.2"."""
    if names and (first := re.fullmatch(r"(.*[^\W\d])[ -]v?\d[\w.]*", names[0])):
        names = [f"{first[1]} {name}" if re.fullmatch(r"v?\d+\.\d[\w.]*", name) else name for name in names]
    fits = 2 <= len(names) <= _MOST_NAMED and len({name.lower() for name in names}) == len(names)
    is_named = fits and all(
        name and len(name.split()) <= _WORDS_OF_NAME and is_short(name) and not _TELLS_WORK.search(name)
        for name in names
    )
    counts = [name for name in names if re.fullmatch(r"\d+(?: \w+)?", name)]  # of clients
    tells = not any(map(is_generic, names)) or all(LETTER.fullmatch(name) or find_phase(name) for name in names)
    return list(names) if is_named and tells and len(counts) < 2 else []


def label_by_remarks(loads: Sequence[Block]) -> None:
    """Rates in a line each that only a remark behind tells apart are labelled by it: "(with cache)", "(without cache)".

    So are reports by the comments behind their commands: `ab -n 100 http://web1/  # nginx`, or behind those before.
    """
    remarked: list[Block] = []
    comments = _list_comments(loads)
    if len({*comments}) > 1:
        compared = find_compared([[(0, text)] for text in comments])
        for block, text in zip(loads, comments, strict=True):
            may_name = text in compared or not (is_generic(text) or is_warm_up(text))
            block.label = block.label or (text if may_name else None)
    for one, other in pairwise(loads):
        if one.kind == other.kind and one.remark and other.remark and one.remark != other.remark and not other.label:
            remarked += [one, other]
    for block in remarked:
        block.label = block.label or block.remark


def _list_comments(loads: Sequence[Block]) -> list[str]:
    """What stands behind each load test's command, or "". Where any has such a comment, one behind a command before it counts."""
    own = [match[1].strip() if (match := _COMMENT.search(block.command or "")) else "" for block in loads]
    if not any(own):
        return own
    comments: list[str] = []
    for block, comment in zip(loads, own, strict=True):
        before = [match[1].strip() for command in block.typed if (match := _COMMENT.search(command))]
        comments.append(comment or next(reversed(before), comments[-1] if comments and not block.typed else ""))
    return comments
