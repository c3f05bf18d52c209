#!/usr/bin/env python3
"""Django's command line, with this project's settings. What the user can mend is said in a sentence, by every command.

Exit status: that of the command; 1 for settings that do not parse, 2 for files and servers that cannot be used, 130 after
Ctrl-C, 141 where who read the output has closed it. --traceback shows where a failure happened.
"""

from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import DatabaseError, OperationalError, ProgrammingError

FAULT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141
MISSING = ("42P01", "42703")  # PostgreSQL's codes: no such table, no such column


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
    try:
        try:
            execute_from_command_line(sys.argv)
        finally:
            sys.stdout.flush()  # at the interpreter's end nobody could answer for a closed pipe
    except ImproperlyConfigured as error:
        sys.exit(f"benchdash cannot start: {error}")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        sentence = explain(error)
        if sentence is None or "--traceback" in sys.argv:
            raise
        print(sentence, file=sys.stderr)
        sys.exit(FAULT)


def explain(error: Exception) -> str | None:
    """What is wrong, where the user can mend it; None for a fault of our own."""
    from benchdash.faults import find_fault  # it imports the settings, which may be what is wrong

    if fault := find_fault(error):
        return f"{fault.message}\n{error}".strip()
    missing = "no such " in str(error) if isinstance(error, OperationalError) else False
    if missing or (isinstance(error, ProgrammingError) and getattr(error.__cause__, "pgcode", None) in MISSING):
        reason = str(error).partition("\n")[0]
        return f"The database lacks what this version needs ({reason}). Make it: python manage.py migrate"
    if isinstance(error, OperationalError) or type(error) is DatabaseError:
        return f"The database cannot be used: {error}".strip()
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    return None


if __name__ == "__main__":
    main()
