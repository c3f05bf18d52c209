"""The pages: a request in, one call to what is below, a page out."""
