"""Rows of the selectors and of the analysis, turned into the input of charts: the step between views and `runs.charts`."""
