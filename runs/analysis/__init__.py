"""Figures in, findings out: pure functions that know neither Django nor the database."""
