#!/usr/bin/env python3
"""Django's command line, with this project's settings."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"benchdash cannot start: {error}")
    except Exception as error:
        from benchdash.faults import find_fault

        fault = find_fault(error)
        if fault is None:
            raise
        sys.exit(f"{fault.message}\n{error}".strip())
