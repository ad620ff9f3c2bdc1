"""The text store: the folded texts of all sessions, in append-only segments."""
