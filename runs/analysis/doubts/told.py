"""What one run tells of itself: the tool's own figure where it was printed, else worked out from what was.

None: neither. Times in seconds and milliseconds as the names say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from runs.analysis.columns import option
from runs.analysis.facts import RunFact
from runs.analysis.numbers import figure

LOCAL = {"localhost", "localhost.localdomain", "127.0.0.1", "::1", "[::1]", "0.0.0.0"}  # noqa: S104

HUGE = 1e15  # no tool measures more; NaN is not below it either
# A share of failures beyond which rates are about something else: most differences that people claim are smaller.
FATAL = 0.05
STUMP = 0.5  # of the document's length
ENOUGH_MB = 0.2  # so that rounding is under 3 %
_URL = re.compile(r"(https?)://(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:\s'\"]+)(?::\d+)?(/[^\s'\"]*)?", re.IGNORECASE)


def number(run: RunFact, name: str, part: str = "") -> float | None:
    """The figure `name` of the tool's own values, or `part` of the group of figures of that name."""
    found = run.values.get(name)
    if part:
        found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not abs(found) < HUGE:
        return None
    return found


def set_rate(run: RunFact) -> float | None:
    """Requests/s that the load generator was told to send; None where it waits for answers instead, or does not say."""
    asked = number(run, "asked_requests_per_second")
    return number(run, "rate_per_s") if asked is None else asked


def many(count: float, what: str) -> str:
    """ "1 request", "200 requests"."""
    return f"{figure(count)} {what}{'' if count == 1 else 's'}"


def requests(run: RunFact) -> int | None:
    """How many requests were made, failed ones too; siege counts those beside the others."""
    if run.complete_requests is not None:
        return run.complete_requests + ((run.failed_requests or 0) if run.tool == "siege" else 0)
    if asked := option(run.command, "n"):
        return asked
    worked = (run.requests_per_second or 0) * (run.duration_s or 0)
    if worked and abs(worked) < HUGE:
        return round(worked)
    return None


def mostly_fails(run: RunFact) -> bool:
    """So many requests failed, of whatever kind, that the rate is about something else."""
    made = requests(run)
    return bool(made) and (run.failed_requests or 0) >= FATAL * (made or 1)


def seconds(run: RunFact) -> float | None:
    if run.duration_s is not None:
        return run.duration_s if 0 < run.duration_s < HUGE else None
    made, rate = requests(run), run.requests_per_second
    return made / rate if made and rate and 0 < rate < HUGE else None


def clients(run: RunFact) -> int | None:
    """How many requests were under way at once, as it was asked for. What siege prints as concurrency is a result."""
    users = number(run, "users")
    if users is not None:
        return int(users)
    asked = option(run.command, "c")
    if asked is None and run.tool != "siege" and run.concurrency is not None and abs(run.concurrency) < HUGE:
        return int(run.concurrency)
    if asked is None and run.tool == "ab" and run.command:
        return 1  # ab's default
    return asked


def is_local(run: RunFact) -> bool:
    """The address that was loaded is the generator's own machine."""
    name = run.hostname or url_in(run.command)[1]
    return name in LOCAL or name.startswith("127.")


def url_in(command: str) -> tuple[str, str, str]:
    """Scheme, host and path of the address that a command line loads, "" for what it does not say.

    "ab -n 10 http://localhost:8080/a?b" -> ("http", "localhost", "/a?b")
    """
    found = _URL.search(command)
    return (found[1].lower(), found[2], found[3] or "/") if found else ("", "", "")


def document_bytes(run: RunFact) -> float | None:
    """The length of the document that ab fetched first."""
    return number(run, "document_length_bytes")


def mean_reply_bytes(run: RunFact) -> float | None:
    """What siege's data come to for each transaction; siege rounds them to hundredths of a MB."""
    data, hits = number(run, "data_transferred_mb"), number(run, "transactions")
    return data * 1048576 / hits if data and hits and data >= ENOUGH_MB else None


def mean_of_failed(run: RunFact) -> float | None:
    """Mean body length (bytes) of the replies that failed by length: what is left of all when the good ones are taken."""
    total, length = number(run, "html_transferred_bytes"), number(run, "document_length_bytes")
    failed, made = number(run, "failed_length"), run.complete_requests
    if total is None or length is None or not failed or not made:
        return None
    # Requests under way at the end are in the total too, so that it may be a few replies more.
    return max(total - (made - failed) * length, 0) / failed


def is_stump(run: RunFact) -> bool:
    """The replies that failed by length were, in the mean, not the page in other words but a piece of it, or nothing."""
    mean, length = mean_of_failed(run), document_bytes(run)
    return mean is not None and bool(length) and mean < (length or 0) * STUMP


def broken(run: RunFact) -> dict[str, float]:
    """Failures that no page's change explains, by kind. ab counts one request under several kinds, and -r goes on."""
    told = {kind: number(run, f"failed_{kind}") for kind in ("connect", "receive", "exceptions")}
    told["write"] = number(run, "write_errors")
    return {kind: count for kind, count in told.items() if count}
