"""Noticing that files changed, by the system's notices and by looking again, and following it."""
