"""The only writer of results. Every door (pages, REST, import_log, a finished remote job) enters at `submit`.

preview(data)   what a text would become          submit(data, door=...)   store it
result_of       an upload as scripts are told     reparse(id)              build its results anew
receive(stream)  a large text, in pieces          text_of(upload)          a stored text, read where it is needed
change          what a person changes afterwards  pack                     how series are packed
overrule        a fatal doubt does not count      withdraw                 it does again
take_in         counts and trends catch up        recount                  they are built anew
remove          delete rows of any kind           kinds                    what is recognised
"""

from parsers.catalogue import (
    has_one_thread,
    is_monitor,
    lists_all_processes,
    makes_load,
    parse_command,
    semantics_of,
)
from parsers.commands import Command
from parsers.records import Semantics

from .again import cancel, give_up, lines_of, parse_queued, reparse
from .draft import Draft
from .edits import Edits, apply_edits
from .hints import Hints, Slot
from .progress import overdue
from .reading import kinds, nothing_found
from .receiving import EVERY_SECRET, Arrival, receive
from .redact import Secret, redact_secrets
from .rejected import Error, Rejected, too_large
from .removing import remove
from .results import capture_result, draft_results, result_of, run_result
from .rollup import recount, take_in
from .rulings import overrule, withdraw
from .store import Rows
from .submit import Preview, Receipt, preview, submit, submit_all
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
    "apply_edits",
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
    "overdue",
    "overrule",
    "parse_command",
    "parse_queued",
    "preview",
    "receive",
    "recount",
    "remove",
    "reparse",
    "result_of",
    "run_result",
    "semantics_of",
    "submit",
    "submit_all",
    "take_in",
    "text_of",
    "too_large",
    "redact_secrets",
    "withdraw",
]
