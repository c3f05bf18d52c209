"""The only writer of results. Every entry point (pages, REST, import_log, a finished remote job) calls `submit`.

preview(data)   what a text would become          submit(data, door=...)   store it
result_of       an upload as scripts see it       reparse(id)              build its results again
receive(stream)  a large text, in pieces          text_of(upload)          a stored text, read where it is needed
changes         what people change afterwards     pack                     how series are packed
apply_deltas    update counts and trends          recount                  build them again
"""

from parsers.catalogue import (
    has_one_thread,
    is_monitor,
    lists_all_processes,
    makes_load,
    parse_command,
    semantics_of,
    shows_memory_only,
)
from parsers.commands import Command
from parsers.records import Semantics

from .changes import delete_rows, override_doubt, withdraw_override
from .counters import apply_deltas, recount
from .draft import Draft, Hints, Slot
from .edits import Edits
from .errors import Error, Rejected, too_large
from .receiving import EVERY_SECRET, Arrival, receive
from .redact import Secret, redact_secrets
from .results import capture_result, draft_results, result_of, run_result
from .store import Rows
from .submission import (
    Preview,
    Receipt,
    cancel,
    give_up,
    kinds,
    lines_of,
    nothing_found,
    parse_queued,
    preview,
    reparse,
    requeue_overdue,
    submit,
    submit_all,
)
from .text_storage import Text, text_of

__all__ = [
    "EVERY_SECRET",
    "Arrival",
    "Command",
    "Draft",
    "Edits",
    "Error",
    "Hints",
    "Preview",
    "Receipt",
    "Rejected",
    "Rows",
    "Secret",
    "Semantics",
    "Slot",
    "Text",
    "cancel",
    "capture_result",
    "draft_results",
    "give_up",
    "has_one_thread",
    "is_monitor",
    "kinds",
    "lines_of",
    "lists_all_processes",
    "makes_load",
    "nothing_found",
    "override_doubt",
    "parse_command",
    "requeue_overdue",
    "parse_queued",
    "preview",
    "receive",
    "recount",
    "delete_rows",
    "reparse",
    "result_of",
    "run_result",
    "semantics_of",
    "shows_memory_only",
    "submit",
    "submit_all",
    "apply_deltas",
    "text_of",
    "too_large",
    "redact_secrets",
    "withdraw_override",
]
