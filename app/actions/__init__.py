"""What a user does to a session."""
