"""Stored rows as pages and REST want them: reads only, each in a number of queries that does not grow with what is stored."""
