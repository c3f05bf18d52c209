"""What is said of the configs' texts in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from runs.analysis.facts import ConfigFact, TextFact

MOST_NAMED = 6


def file_name(paths: Sequence[str]) -> str:
    """What the configs call a file, without its folders: "a.conf", or "a.conf / b.conf" where they differ."""
    names = list(dict.fromkeys(PurePosixPath(path).name for path in paths if path))
    return " / ".join(names[:2]) + (" / …" if len(names) > 2 else "") or "config text"


def file_words(
    name: str,
    columns: Sequence[ConfigFact],
    without: Sequence[ConfigFact],
    differing: Sequence[str] = (),
    *,
    same: int = 0,
    unshown: int = 0,
    unread: int = 0,
    alike: bool = False,
) -> str:
    """One file in a sentence or three. `alike`: of texts that were compared by their lines."""
    names = _listed([config.name for config in columns])
    if differing:
        total = len(differing) + same
        opening = f"{name}: {len(differing)} of {total} directives differ between {names}: {_listed(differing)}."
    elif same or unshown:
        shown = "what is shown is " if unshown else ""
        opening = f"{name}: {shown}identical in {names} ({_count(same, 'directive')} compared)."
    else:
        opening = f"{name}: " + (f"identical in {names}." if alike else f"the lines of {names} differ.")
    rest = []
    if unshown:
        rest.append(f"{_count(unshown, 'directive')} cannot be compared: not every text was shown whole.")
    if unread:
        rest.append(f"{_count(unread, 'line')} of these texts could not be read as a directive.")
    if without:
        rest.append(f"{_listed([config.name for config in without])}: no text of this kind.")
    return " ".join([opening, *rest])


def common_words(
    configs: Sequence[ConfigFact],
    texts: Sequence[TextFact],
    lone: Sequence[tuple[ConfigFact, TextFact]],
    compared: AbstractSet[int],
) -> tuple[str, ...]:
    """Texts that only one config has, configs that have none, texts that hold for all."""
    if not texts or len(configs) < 2:
        return ()
    found = []
    for config, text in lone:
        found.append(f"{_named(text)}: only {config.name} shows it, so there is nothing to compare it with.")
    bare = [config.name for config in configs if config.id not in compared]
    if bare and compared:
        found.append(f"{_listed(bare)}: no config text.")
    shared = Counter(_named(text) for text in texts if text.config is None)
    for name, times in shared.items():
        often = "once" if times == 1 else f"{times} times"
        found.append(f"{name} is shown {often}, for no config in particular: no difference follows from it.")
    return tuple(found)


def _named(text: TextFact) -> str:
    return PurePosixPath(text.path).name or f"The config text at line {text.line}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c", "a, b, c and 5 more"."""
    names = list(dict.fromkeys(names))
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
