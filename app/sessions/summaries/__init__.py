"""Builds the summary of a session: from all of its lines, or from the two ends of its file."""
