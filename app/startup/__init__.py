"""The first frame, drawn before Textual is loaded, and the terminal driver that takes over from it."""
