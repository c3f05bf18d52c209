"""Remote runs: a Django app of its own, and the only package that executes anything: load tools and monitors, on machines
that were registered for it. Results are stored through runs.ingest alone.
"""
