"""The first rows and the keys typed at them, before Textual is loaded and takes the terminal over."""
