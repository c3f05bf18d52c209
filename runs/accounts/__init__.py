"""Who may come in: the login middleware, API tokens and their pages."""
