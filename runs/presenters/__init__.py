"""Rows of the selectors, drafts and findings of the analysis, turned into what pages and charts show."""
