"""REST, version 1."""
