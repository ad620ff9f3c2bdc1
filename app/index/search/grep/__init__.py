"""Search of the session files themselves, for texts that the text store does not hold."""
