"""The actions of a user on sessions, undo and the journal."""
