"""The read side of sessions: summaries, trees, bodies, problems. Writes nothing."""
