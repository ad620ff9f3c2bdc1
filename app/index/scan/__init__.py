"""Bringing the catalog up to date with the files: which there are, what changed, and reading that."""
