"""One file a family of rules; the catalogue finds them by itself."""
