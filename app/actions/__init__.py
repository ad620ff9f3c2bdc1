"""Actions of a user on a session."""
