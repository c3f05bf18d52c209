"""Load tests that a text says not to count: warm-ups, examples of a tool's output, and those that it takes back later on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from parsers.blocks import Block
from parsers.catalogue import get_semantics
from runs.analysis.method import Method, group_by_method

from .boilerplate import corrects, heading_level, is_boilerplate, join_wrapped, retracts, strip_markup
from .heading_words import find_repeat, is_generic, is_sentence, is_warm_up

_EXAMPLE = re.compile(  # what stands below only shows what a tool prints
    r"\b(?:example|sample|typical|expected)\s(?:(?:of the|of|\w{1,20})\s)?(?:output|result|report)s?\b"
    r"|\bfrom (?:the|its) (?:readme|man(?:ual| page)|docs?\b|documentation)"
    r"|\bbeispielausgabe\b|\bexemple de sortie|\bejemplo de salida|пример вывода|出力例|输出示例|示例输出",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:I|I've|[Ww]e|we've|[Mm]y|[Oo]ur|[Ii]ch|[Ww]ir)\b"
)  # "some sample results I got": they were measured
_FIRST_OF_EACH = re.compile(
    r"\b(?:the )?(?:very )?first (?:run|one|pass|test|attempt|iteration|round|measurement)s?\b(?P<said>[^.;!?。]{0,160})"
    r"|\b(?P<before>ignore|discard|skip|disregard|(?:don't|do not) count) (?:the )?first (?:run|one|pass|test|attempt|round)"
    r"|\berste[rns]? (?:(?:durch|test)?lauf|durchgang|messung|versuch)\b(?P<de>[^.;!?]{0,120})"
    r"|\bpremi(?:er|ère)s? (?:essai|passage|mesure|tir|run)s?\b(?P<fr>[^.;!?]{0,120})|(?:各)?(?:1|一)回目は(?P<ja>[^。]{0,60})",
    re.IGNORECASE,
)
_DOES_NOT_COUNT = re.compile(
    r"\b(?:is|are|was|were|only|just|to|that|it)\b.{0,60}\b(?:warm(?:s|ing)?[ -]?up\w*|warms|to warm|not counted"
    r"|(?:does|do)(?:n't| not) count|thrown? away)\b"
    r"|\b(?:ignore|discard|disregard|skip) (?:it|them|that|those|these)\b|\b(?:please )?ignore\b"
    r"|aufwärm|nicht gewertet|zählt nicht|ignorieren|chauff|ne compte|ignorer|ウォームアップ|暖機|無視|除外",
    re.IGNORECASE,
)
_COLD = re.compile(r"\bcold\b|\bkalt\w*|\bà froid\b|\ben frío\b|\bna zimno\b|\bхолодн|コールド|冷启动", re.IGNORECASE)
_NAMES = 200  # the latest ones: a correction is of something that stands near
_SENTENCE = re.compile(r"(?<=[^\W\d])[.!?]\s+|[。！？]\s*|(?<=[^\W\d]):\s+(?=\S)")
_OF_EACH = re.compile(
    r"\b(?:each|every|both|all|always|per|jeweils|jede[rsn]?|chaque|tous|toutes)\b|各|毎", re.IGNORECASE
)


def find_warm_ups(blocks: Sequence[Block], loads: Sequence[int]) -> set[int]:
    """The load tests whose own heading, label or command says that they only warm something up, where others are measured."""
    warm_ups = set()
    above: list[str] = []
    for load in loads:
        block = blocks[load]
        is_written = get_semantics(block.load_results[0].tool).quotes_others
        if block.trail or not is_written:  # the rows of a table have the first one's
            above = [text for _, text in block.trail if is_warm_up(text) or not is_boilerplate(text)][-1:]
        if is_written:  # prose above rates tells how they were measured
            above = [text for text in above if heading_level(text)]
        comment = (block.command or "").partition(" #")[2]
        if any(is_warm_up(text) for text in (*above, block.label or "", comment)):
            warm_ups.add(load)
    return warm_ups if len(warm_ups) < len(loads) else set()


def find_examples(blocks: Sequence[Block], loads: Sequence[int]) -> set[int]:
    """The text's first load test, where only the line above it calls it an example of a tool's output: nobody measured it."""
    if len(loads) < 2:
        return set()
    first, *others = ([text for _, text in blocks[load].trail][-1:] for load in loads)
    shown, *further = (
        any(_EXAMPLE.search(text) and not _OWN.search(text) for text in last) for last in (first, *others)
    )
    return {loads[0]} if shown and not any(further) else set()


def find_left_out(
    blocks: Sequence[Block],
    config_of: Mapping[int, str],
    method_of: Callable[[int], Method],
    corrections: Mapping[int, bool],
) -> tuple[set[int], set[int]]:
    """(load tests that are the first of their repeats and only warm something up, those that the text takes back).

    config_of: {load: key of its config}, in the order of the text; corrections: see cut_corrections.
    """
    if len(config_of) < 2:
        return set(), set()
    retracted = _find_retracted(blocks, config_of, corrections)
    by_config: dict[str, list[int]] = defaultdict(list)
    for load in config_of.keys() - retracted:
        by_config[config_of[load]].append(load)
    repeats = [sorted(group) for own in by_config.values() for _, group in group_by_method(own, method_of)]
    cold = {group[0] for group in repeats if _begins_cold([_find_last_line(blocks[load]) for load in group])}
    return _find_first_of_each(blocks, repeats) | cold, retracted


def _find_last_line(block: Block) -> str:
    """What stands last above a load test, or in its own line."""
    return block.label or next((text for _, text in reversed(block.trail) if not is_boilerplate(text)), "")


def _begins_cold(titles: Sequence[str]) -> bool:
    """Whether repeats that are each numbered begin with a cold one: "Run 1 (cold)", "Run 2", "Run 3"."""
    first, *others = titles
    is_cold = _COLD.search(first) is not None and not any(map(_COLD.search, others))
    return bool(others) and is_cold and all(find_repeat(title) is not None for title in titles)


def _find_first_of_each(blocks: Sequence[Block], groups: Sequence[Sequence[int]]) -> set[int]:
    """The first load test of each group of repeats, where a sentence says that it only warms something up.

    A sentence that does not say "of each" holds for all where it stands above the first load test.
    """
    first = min((load for group in groups for load in group), default=-1)
    said = any(
        _tells_of_first(text, is_above=index <= first)
        for index, block in enumerate(blocks)
        for _, text in join_wrapped([*block.trail, *block.tail])
    )
    return {group[0] for group in groups if len(group) > 1} if said else set()


def _tells_of_first(text: str, *, is_above: bool) -> bool:
    for match in _FIRST_OF_EACH.finditer(text):
        said = next(filter(None, match.groups()), "")
        if (match["before"] or _DOES_NOT_COUNT.search(said)) and (is_above or _OF_EACH.search(text)):
            return True
    return False


def cut_corrections(blocks: Sequence[Block]) -> dict[int, bool]:
    """{block: whether a line above it takes back what stands before it, or else only corrects it}.

    Such lines are cut to their last sentence, or to the name in it that stands above an earlier block: the others tell of what
    stands before.
    """
    corrections: dict[int, bool] = {}
    names: dict[str, str] = {}
    for index, block in enumerate(blocks):
        for line, text in join_wrapped(block.trail):
            if not (is_sentence(text) or is_generic(text)):
                names.setdefault(strip_markup(text), text)
            if retracts(text) or corrects(text):
                corrections[index] = corrections.get(index, False) or retracts(text)
                last = _SENTENCE.split(text)[-1].strip()
                said = [name for name in [*names][-_NAMES:] if name in last and _names_whole(name, last)]
                last = names[max(said, key=len)] if said else last
                cut = [(line, last)] if last and not (retracts(last) or corrects(last)) else []
                block.trail = [each for own in block.trail for each in (cut if own[0] == line else [own])]
    return corrections


def _names_whole(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.]\w|\w)", text) is not None


def _find_retracted(blocks: Sequence[Block], config_of: Mapping[int, str], corrections: Mapping[int, bool]) -> set[int]:
    """The load tests that a later line takes back: those of configs that are measured again behind it, else the one above it.

    A line that only corrects something takes back those of the config that is measured right behind it.
    """
    retracted: set[int] = set()
    loads = [*config_of]
    ends = {config: at for at, config in enumerate(config_of.values())}  # where each is measured for the last time
    earlier: dict[str, list[int]] = defaultdict(list)  # by config, those that nothing was said of
    furthest = 0
    for at, (before, load) in enumerate(pairwise([*loads, len(blocks)]), start=1):
        earlier[config_of[before]].append(before)
        furthest = max(furthest, ends[config_of[before]])
        retracting = [corrections[index] for index in range(before + 1, load + 1) if index in corrections]
        if load == len(blocks):
            retracting += [True for _, text in join_wrapped(blocks[-1].tail) if retracts(text)]
        if any(retracting):
            again = [own for config, own in earlier.items() if ends[config] >= at]
            retracted |= {each for own in again for each in own} if furthest >= at else {before}
            earlier.clear()
        elif retracting and load in config_of:
            retracted |= {*earlier.pop(config_of[load], ())}
    return retracted if len(retracted) < len(loads) else set()


def note_retracted(
    blocks: Sequence[Block], config_of: Mapping[int, str], retracted: Collection[int], left_out: Collection[int]
) -> None:
    """Put the rate of the first load test of a config that the text takes back into the first one of it that counts."""
    first: dict[str, int] = {}
    for load, config in config_of.items():
        if load not in left_out:
            first.setdefault(config, load)
    for load in sorted(retracted):
        rate, counted = blocks[load].load_results[0].requests_per_second, first.get(config_of[load])
        if rate and counted is not None:
            blocks[counted].values.setdefault("retracted", {"rate": rate, "line": blocks[load].first})
