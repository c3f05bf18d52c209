"""The text as parsers see it: cleaned lines, one at a time, numbered, with the possibility of putting some back.

The text itself is one string and an offset in it: a usual report is matched as a whole where it stands, and a usual table
is split into words at once, without a string for each of their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .decode import MAX_LINE, Text, pieces
from .transcript import STAMP_SIGNS, USUAL, clean, find_sender, find_stamp, is_elision, needs_cleaning, unquote

_NUMBER_AT_END = re.compile(r"(?<![^\s,(])[+-]?\d[\d.,:]*$")
_FIGURE_ALONE = re.compile(r"\d[\d.,]{0,30}(?: ?[A-Za-z/%]{1,9})?")
_LONGEST = 80  # characters of such a number; each of "1,1,1,..." would be tried as its beginning
_BLANK = re.compile(r"[ \t\r]*\n")
# A pattern that begins with a sign is looked for quicker than a text of two.
_BLANK_BEHIND = re.compile(r"\n[ \t\r]*\n")
_MOST_BLANK = 4  # lines between a line and its rest
_REPEATS_LEFT = 8  # lines: no format looks further before it tells its output from what only looks like it
_MOST_IN_TURN = 60  # lines that take turns; of two, three, four, five or six of them these are a whole number of turns
_MOST_KEPT = 100_000  # characters before the next line that are kept for `return_to_mark`
_PUT_BACK = "put back"  # what Lines.memory has: the numbers of the line before, and of the last, of those that were
MOST_ROWS = 100_000  # characters of a table that are taken at once; a longer one is taken in parts


class Lines:
    """An iterator of cleaned lines.

    number   1-based number of the line returned last
    raw      that line as given; before: the one before it (not kept up across what was taken quickly)
    too_long numbers of the lines that are longer than any tool's: they are given as blank ones
    cut      number of the text's last line where that ends in a number (cut_text) that may go on, and 0 where it does not
    complete whether the text is known to be whole: only a report of several lines can still be cut off in its last one
    memory   what a format wants to know of its own block before
    prose    (line, text) of what was said since the block before; rows_above: the last lines that are none of a block
    watched  a pattern: `seen` gets the lines in which it is found, by number, as they are taken
    last     see `texts`
    fetching whether the text's own source is asked for more: what it raises is no fault of a format
    prefix   quoting that is being taken off each line ("> ", "# "); the reader sets it where a block begins
    quoting  the prefix of the block read last
    until    number of the line behind which no more blocks are looked for; 0: all are
    depth    how many times these lines were split off others
    stamp    what a log had before the line returned last, and was taken off it: its time, mostly
    """

    def __init__(self, lines: Iterable[str], number: int = 0) -> None:
        self.complete = isinstance(lines, Text)
        self._ended = 0  # number of the text's last line once it is known to be whole
        self._pieces = pieces(lines)
        self._text = ""  # what was fetched and not dropped yet; the next line begins at _at
        self._at = 0
        self.number = number
        self.raw = ""
        self.before = ""
        self.prefix = self.quoting = ""
        self.too_long: list[int] = []
        self.cut = 0
        self.cut_text = ""
        self.memory: dict[str, Any] = {}
        self.prose: Sequence[tuple[int, str]] = ()
        self.rows_above: Sequence[tuple[int, str]] = ((0, ""),)
        self.watched: re.Pattern[str] | None = None
        self.seen: dict[int, str] = {}
        self._mark, self._mark_number = 0, 0  # see `mark`
        # Where the last lines begin of which no block was made, where they end, and how many they are (behind the first one)
        self._unread_at, self._unread_end, self._n_unread = 0, -1, 0
        self._passed: list[str] | None = None  # raw lines taken since `texts` gave the line before its last one
        self.fetching = False
        self.depth = self.until = 0
        self.stamp = self._sender = ""
        self._is_log = False  # whether the line returned last had a stamp taken off it

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        at = self._at
        end = self._text.find("\n", at) + 1
        if not end:
            return self._last() if not self._fetch_line() else next(self)
        self.before = self.raw
        self.raw = raw = self._text[at:end]
        self._at = end
        self.number += 1
        if self._passed is not None:
            self._passed.append(raw)
        if end - at > MAX_LINE:
            return self._leave_out()
        if end - at > 1 and (end - at > USUAL or needs_cleaning(raw)):
            raw = clean(raw)
        if self._is_log or raw[:1] in STAMP_SIGNS:
            raw = self._strip_stamp(raw)
        else:
            self.stamp = ""
        if self.watched and self.watched.search(raw):
            self.seen[self.number] = raw
        return unquote(raw, self.prefix) if self.prefix else raw

    def _strip_stamp(self, line: str) -> str:
        """A line of a log without what stands before each of its lines. A single line with a time is none of a log."""
        size = find_stamp(line)
        if size and (self._is_log or find_stamp(self._take_next())):
            size += self._measure_sender(line, size)
            self._is_log, self.stamp = True, line[:size]
            return line[size:]
        self._is_log, self.stamp = self._is_log and not line.strip(), ""
        return line

    def _measure_sender(self, line: str, size: int) -> int:
        """The length of the host and program behind a time of syslog: those of the line before, or of the next line."""
        sender, is_sure = find_sender(line, size)
        if sender and sender != self._sender:
            following = self._take_next()
            if is_sure or following.startswith(sender, find_stamp(following)):
                self._sender = sender
        return len(self._sender) if self._sender and line.startswith(self._sender, size) else 0

    def _take_next(self) -> str:
        if "\n" not in self._text[self._at :]:
            self._fetch_line()
        return self._text[self._at : self._at + MAX_LINE]

    def _fetch(self) -> bool:
        """Fetch one more piece of the text. False where there is none."""
        self.fetching = True
        piece = next(self._pieces, None)
        self.fetching = False
        if piece is None:
            return False
        drop = min(self._mark, self._at) if 0 <= self._mark >= self._at - _MOST_KEPT else self._at
        self._text = self._text[drop:] + piece
        self._at -= drop
        self._mark -= drop
        self._unread_end = -1
        return True

    def _fetch_line(self) -> bool:
        """Fetch until the next line is whole. False where the text ends before it has an end."""
        while self._fetch():
            if "\n" in self._text[self._at :]:
                return True
            self._text = self._text[: self._at + MAX_LINE + 1]  # no more of it is looked at
        return False

    def _last(self) -> str:
        """The text's last line, which has no end: without the number at its end, which may go on."""
        raw = self._text[self._at :]
        if not raw:
            raise StopIteration
        self.before, self.raw = self.raw, raw
        self._at += len(raw)
        self.number += 1
        if self._passed is not None:
            self._passed.append(raw)
        if len(raw) > MAX_LINE:
            return self._leave_out()
        line = clean(raw)
        number = _NUMBER_AT_END.search(line, max(len(line) - _LONGEST, 0)) if raw[-1] != "\r" else None
        if number and self.number != self._ended:
            self.cut, self.cut_text = self.number, number[0]
            line = line[: number.start()]
        return unquote(self._strip_stamp(line), self.prefix)

    def _leave_out(self) -> str:
        """Note that the line returned last is too long to be looked at."""
        if not self.too_long or self.too_long[-1] < self.number:  # else it was put back since
            self.too_long.append(self.number)
        return ""

    def back(self, *raws: str) -> None:
        """Put back raw lines, as they were taken and in the order of the text; the last one given is the one taken last."""
        size = sum(map(len, raws))
        if size <= self._at:
            self._at -= size
        else:  # the text before this piece was dropped
            self._text = "".join(raws) + self._text[self._at :]
            self._at, self._mark, self._unread_end = 0, -1, -1
        self.number -= len(raws)
        if self._passed and raws:
            del self._passed[-len(raws) :]

    def mark(self) -> None:
        """Note this place, for `return_to_mark`."""
        self._mark, self._mark_number = self._at, self.number

    def return_to_mark(self) -> None:
        """Put back all lines that were taken since `mark`, where the text is still there and none of them was put back before."""
        first, last = self.memory.get(_PUT_BACK, (0, 0))
        if 0 <= self._mark <= self._at and (self._mark_number >= last or self._mark_number == first):
            self.memory[_PUT_BACK] = self._mark_number, max(last, self.number)
            self._at, self.number = self._mark, self._mark_number

    def step_back(self) -> None:
        """Put the line returned last back."""
        self.back(self.raw)
        self.raw = self.before

    def put_rest(self, rest: str) -> None:
        """Give the end of the line returned last once more, as a line of its own with the same number."""
        end = "\n" if self.raw[-1:] in "\r\n" else ""  # it has none where the text ends in it
        text = rest.rstrip("\r\n") + end
        self._text, self._at, self._mark, self._unread_end = text + self._text[self._at :], 0, -1, -1
        self.number -= 1

    def peek(self) -> str | None:
        """The next line without taking it; None at the end."""
        before, raw, number = self.before, self.raw, self.number
        line = next(self, None)
        if line is not None:
            self.step_back()
        self.before, self.raw, self.number = before, raw, number
        return line

    def ahead(self, most: int) -> list[str]:
        """The next non-blank lines, `most` at the most, without taking them; blank ones between are passed over."""
        before, raw, number = self.before, self.raw, self.number
        seen: list[str] = []
        following: list[str] = []
        for line in self:
            seen.append(self.raw)
            if line.strip():
                following.append(line)
            if len(following) == most or len(seen) >= 4 * most:
                break
        self.back(*seen)
        self.before, self.raw, self.number = before, raw, number
        return following

    def texts(self, *, elisions: bool = False) -> Iterator[str]:
        """The next lines, stripped, until the caller calls `refuse` and stops; blank ones, a lone "#" too, are passed over.

        A figure that stands alone below its label is put behind it.
        elisions   "..." and the like are passed over, too
        `last` is the number of the last line that was not refused.
        """
        self.last = self.number + 1
        self._passed = []
        try:
            for line in self:
                text = line.strip()
                if text not in ("", "#") and not (elisions and is_elision(text)):
                    if text[-1] == ":":
                        text = f"{text} {self.take_below(_FIGURE_ALONE.fullmatch)[1]}".rstrip()
                    yield text
                    self.last = self.number
                    self._passed.clear()
        finally:
            self._passed = None

    @contextmanager
    def keep_taken(self) -> Iterator[list[str]]:
        """The raw lines that are taken meanwhile, however many a format joins, so that all can be put back."""
        taken: list[str] = []
        self._passed = taken
        try:
            yield taken
        finally:
            self._passed = None

    def refuse(self) -> None:
        """Put the line given last by `texts` back, with what was passed over before it and taken since."""
        self.back(*(self._passed or ()))

    def unended(self) -> bool:
        """Whether the line returned last is the text's last one and has no line end."""
        return self.raw[-1:] not in "\r\n" and self.number != self._ended and self.peek() is None

    def end_text(self, line: str) -> str:
        """The line returned last, `line`, with what may go on at its end: where the text is complete it is a whole line."""
        if not self.complete or not self.unended():
            return line
        self._ended, self.cut = self.number, 0
        self.step_back()
        return next(self)

    def skip_blank(self) -> list[str]:
        """Take the blank lines that come next; returns them raw, so that they can be put back."""
        taken: list[str] = []
        for line in self:
            if line.strip():
                self.step_back()
                break
            taken.append(self.raw)
        return taken

    def take_next(self, n: int = 1) -> str:
        """Take the next `n` lines that are not blank, with the blank ones before them; the last one, stripped."""
        line = ""
        for _ in range(n):
            self.skip_blank()
            line = next(self).strip()
        return line

    def take_below(self, fits: Callable[[str], object]) -> tuple[list[str], str]:
        """Take the next line that is not blank, where it `fits`: the raw lines taken, and that line, or "" for none."""
        before, raw, taken, below = self.before, self.raw, list[str](), ""
        for line in self:
            taken.append(self.raw)
            below = line.strip()
            if below or len(taken) == _MOST_BLANK:
                break
        if below and fits(below):
            return taken, below
        self.back(*taken)
        self.before, self.raw = before, raw
        return [], ""

    def empty(self) -> bool:
        """Take the empty lines that come next; False where there is none (or none that was fetched yet)."""
        at, text = self._at, self._text
        while text.startswith("\n", at):
            at += 1
        taken = at - self._at
        if taken:
            if self._at == self._unread_end:
                self._unread_end, self._n_unread = at, self._n_unread + taken
            self.before, self.raw = (self.raw if taken == 1 else "\n"), "\n"
            self._at = at
            self.number += taken
        return taken > 0

    def skip_repeats(self, rows: int = 1, size: int = 0) -> None:
        """The last line, or so many of this size, were not read: take those that repeat it or those before, but for a few."""
        if self._unread_end != self._at - (size or len(self.raw)):
            self._unread_at, self._n_unread = self._at, -rows
        self._n_unread += rows
        if self._text.startswith(self.raw, self._at):
            self._n_unread += self._skip(self.raw, 1, _REPEATS_LEFT)
        if self._n_unread >= _MOST_IN_TURN:
            turn = self._text[self._unread_at : self._at].split("\n")[-_MOST_IN_TURN - 1 :]
            self._skip("\n".join(turn), _MOST_IN_TURN, 2)
            self._unread_at, self._n_unread = self._at, 0
        self._unread_end = self._at

    def _skip(self, text: str, rows: int, left: int) -> int:
        """Take this text of so many lines as often as it comes next, but for a few times; how many lines were taken."""
        at, size = self._at, len(text)
        while size and self._text.startswith(text, at):
            at += size
        n = max((at - self._at) // max(size, 1) - left, 0)
        self.take(n * size, n * rows)
        return n * rows

    def begins(self, pattern: re.Pattern[str]) -> str:
        """The last group of the pattern that the next lines, not quoted, match, as far as they were fetched, or ""."""
        if self._at == len(self._text):
            self._fetch_line()
        match = pattern.match(self._text, self._at)
        return match.lastgroup or "" if match else ""

    def repeats(self, line: str) -> bool:
        """Whether this raw line comes next once more, or behind a blank one, as far as the text was fetched."""
        return line != "" and self._text.startswith((line, f"\n{line}"), self._at)

    # --- the quick ways ------------------------------------------------------------------------------------------------
    def match(self, pattern: re.Pattern[str], lines: int, size: int) -> re.Match[str] | None:
        """Take what `pattern` matches from the next line on, as it stands: whole lines, `lines` or `size` characters at most.

        Its figures have to be bounded: a line that is longer than usual is not cleaned of endless ones here. None, with
        nothing taken, where it does not match, or where lines are quoted or stamped.
        """
        if self.prefix or self._is_log:
            return None
        while lines and len(self._text) - self._at < size and self._fetch():
            lines -= 1  # a pipe gives a line at a time, and more than these need not come soon
        match = pattern.match(self._text, self._at)
        if match:
            end = match.end()
            self.number += self._text.count("\n", self._at, end)
            self._at = end
        return match

    def take_rows(self, pattern: re.Pattern[str]) -> list[str]:
        """Take the next lines that are there and that `pattern` matches, and that none of a log or a part of a text may be."""
        match = self.match(pattern, 0, 0) if not self.until else None
        rows = match[0].split("\n") if match else [""]
        if rows.pop() or not rows:
            return []
        self.before, self.raw = f"{rows[-2]}\n" if len(rows) > 1 else self.raw, f"{rows[-1]}\n"
        return rows

    def rows(self, most: int = MOST_ROWS, before: str = "") -> str:
        """The next lines before a blank one, up to `most` characters, as they stand and not taken; empty where lines are quoted.

        before: a line with its end before which they end, too
        """
        if self.prefix or self._is_log or _BLANK.match(self._text, self._at) or self.repeats(before):
            return ""
        searched = 0  # characters from the next line on; a piece that is fetched moves that
        while not (blank := _BLANK_BEHIND.search(self._text, self._at + searched, self._at + most)):
            searched = max(self._text.rfind("\n", self._at) - self._at, 0)
            if len(self._text) - self._at >= most or not self._fetch():
                break
        end = (blank.start() if blank else self._text.rfind("\n", self._at, self._at + most)) + 1
        again = self._text.find(f"\n{before}", self._at, end) + 1 if before else 0
        return self._text[self._at : again or end]

    def take(self, size: int, rows: int) -> None:
        """Take the next `rows` lines, `size` characters with their ends."""
        self._at += size
        self.number += rows
