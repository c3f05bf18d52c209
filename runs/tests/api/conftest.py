"""As in runs/tests/ingest: a plain stand-in for relate, unless a test asks for the real one."""

from runs.tests.ingest.conftest import plain_relations, real_relations

__all__ = ["plain_relations", "real_relations"]
