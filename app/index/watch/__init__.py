"""Notices changes of files, by the notices of the system and by polling, and has the changed files read."""
