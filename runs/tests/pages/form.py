"""A page's form as a browser would send it, so that tests go in by the same fields as people."""

from __future__ import annotations

from html.parser import HTMLParser


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.select = ""
        self.first: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "select":
            self.select, self.first = name, None
        elif tag == "option" and self.select:
            self._option(given)
        elif tag == "input" and name and given.get("type") not in ("file", "submit"):
            ticked = given.get("type") != "checkbox" or "checked" in given
            if ticked:
                self.fields.setdefault(name, []).append(given.get("value") or ("on" if "checked" in given else ""))

    def _option(self, given: dict[str, str | None]) -> None:
        value = given.get("value") or ""
        if "selected" in given:
            self.fields[self.select] = [value]
        elif self.first is None:
            self.first = value
            self.fields.setdefault(self.select, [value])

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self.select = ""


def fields(html: str, form: str) -> dict[str, list[str]]:
    """Names and values of the form that has the class `form`, as sent without a change."""
    start = html.index(f'class="{form}"')
    parser = _Fields()
    parser.feed(html[start : html.index("</form>", start)])
    return parser.fields
