"""What a sender says of a text beside the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict


class HintsDict(TypedDict):
    host: str
    config: str
    experiment: str
    tags: list[str]


@dataclass(frozen=True)
class Hints:
    """host, config and experiment override what the text suggests ("" leaves it be); tags are put on every run."""

    host: str = ""
    config: str = ""
    experiment: str = ""
    tags: tuple[str, ...] = ()

    def as_dict(self) -> HintsDict:
        return {"host": self.host, "config": self.config, "experiment": self.experiment, "tags": list(self.tags)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Hints:
        """From `as_dict()` or a form: blanks around names go, and tags may be one text with commas."""
        tags = given.get("tags") or ()
        words = tags.split(",") if isinstance(tags, str) else tags
        return cls(
            host=str(given.get("host") or "").strip(),
            config=str(given.get("config") or "").strip(),
            experiment=str(given.get("experiment") or "").strip(),
            tags=tuple(dict.fromkeys(word.strip() for word in words if word.strip())),
        )
