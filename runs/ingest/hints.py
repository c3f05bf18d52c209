"""What a sender says of a text beside the text itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NotRequired, TypedDict


class HintsDict(TypedDict):
    host: str
    config: str
    experiment: str
    tags: list[str]
    slot: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class Slot:
    """Where the one run of a remote job's step belongs: known, so that nothing of it is guessed. Never from outside.

    experiment   id of the experiment that earlier steps went into; None makes a new one
    position     of the config among the experiment's, from 1
    repeat       1 and on; 0 for a warm-up, which is not counted
    lines        first and last of what the load tool printed: a report anywhere else, such as in the comments of a config
                 file, was not measured by this step
    clock        when the load began and ended: seconds of the day on the target's clock, which its monitors show
    """

    experiment: int | None
    position: int
    repeat: int
    counted: bool
    label: str
    lines: Sequence[int] = ()
    clock: Sequence[float] = ()


@dataclass(frozen=True)
class Hints:
    """host, config and experiment override what the text suggests ("" leaves it be); tags are put on every run."""

    host: str = ""
    config: str = ""
    experiment: str = ""
    tags: tuple[str, ...] = ()
    slot: Slot | None = None

    def as_dict(self) -> HintsDict:
        plain: HintsDict = {
            "host": self.host,
            "config": self.config,
            "experiment": self.experiment,
            "tags": list(self.tags),
        }
        if self.slot is not None:
            plain["slot"] = asdict(self.slot)
        return plain

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Hints:
        """From `as_dict()` or a form: blanks around names go, and tags may be one text with commas."""
        tags = given.get("tags") or ()
        words = tags.split(",") if isinstance(tags, str) else tags
        slot = given.get("slot")
        return cls(
            host=str(given.get("host") or "").strip(),
            config=str(given.get("config") or "").strip(),
            experiment=str(given.get("experiment") or "").strip(),
            tags=tuple(dict.fromkeys(word.strip() for word in words if word.strip())),
            slot=Slot(**slot) if isinstance(slot, dict) else None,
        )
