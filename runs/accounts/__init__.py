"""Login and API tokens: their pages, and how the API authenticates requests."""
