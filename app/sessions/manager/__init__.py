"""`SessionManager` and its parts: the entries, the file, forks, the context."""
