"""The only writer of results. Every entry point (pages, REST, import_log, a finished remote job) calls `submit`.

preview(data)   what a text would become          submit(data, origin=...)   store it
describe_result  an upload as scripts see it      reparse(id)              rebuild its results
receive(stream)  a large text, in pieces          load_text(upload)          a stored text, read lazily
mask_text(id)   redact secrets in a stored text  changes                 later changes by users
delete(row)     put into the bin; restore, purge  fields                  the fields that can be changed
apply_deltas    update counts and trends          recount                  recompute them
"""

from parsers.catalogue import find_requested_load as find_requested_load
from parsers.catalogue import get_semantics as get_semantics
from parsers.catalogue import makes_load as makes_load
from parsers.catalogue import parse_command as parse_command
from parsers.catalogue import shows_memory_only as shows_memory_only
from parsers.commands import Command as Command
from runs.drafts.draft import Draft as Draft

from .changes import mask_names as mask_names
from .changes import mask_text as mask_text
from .changes import override_doubt as override_doubt
from .changes import record_headline as record_headline
from .changes import withdraw_override as withdraw_override
from .counters import apply_deltas as apply_deltas
from .counters import recount as recount
from .deletions import MODELS as MODELS
from .deletions import count_deleted as count_deleted
from .deletions import delete as delete
from .deletions import delete_all as delete_all
from .deletions import find_deletion as find_deletion
from .deletions import purge as purge
from .deletions import purge_all as purge_all
from .deletions import purge_expired as purge_expired
from .deletions import restore as restore
from .facts import line_url as line_url
from .facts import make_capture_facts as make_capture_facts
from .facts import make_run_fact as make_run_fact
from .hints import Hints as Hints
from .hints import Slot as Slot
from .reading import ReadingStopped as ReadingStopped
from .reading import TooSlow as TooSlow
from .reading import describe_nothing_found as describe_nothing_found
from .reading import kinds as kinds
from .reading import most_reading_s as most_reading_s
from .reading import stop_reading as stop_reading
from .receiving import EVERY_SECRET as EVERY_SECRET
from .receiving import IncomingText as IncomingText
from .receiving import receive as receive
from .redact import redact_secrets as redact_secrets
from .results import describe_result as describe_result
from .results import draft_results as draft_results
from .results import draft_runs as draft_runs
from .store import StoredRows as StoredRows
from .submission import Preview as Preview
from .submission import Receipt as Receipt
from .submission import cancel as cancel
from .submission import edit_preview as edit_preview
from .submission import find_fairer as find_fairer
from .submission import give_up as give_up
from .submission import parse_queued as parse_queued
from .submission import preview as preview
from .submission import reparse as reparse
from .submission import requeue_overdue as requeue_overdue
from .submission import submit as submit
from .submission import submit_all as submit_all
from .text_storage import Text as Text
from .text_storage import load_text as load_text
from .validation import Rejected as Rejected
from .validation import reject_too_large as reject_too_large
from .validation import rejected as rejected
