"""The catalog, the stored table of all sessions: its file, its tables, its queries and its writes."""
