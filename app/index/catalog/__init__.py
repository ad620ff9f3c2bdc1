"""The stored table of all sessions: its file, its tables, what is asked of it and written to it."""
