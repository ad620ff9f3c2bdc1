"""leafmark: find, read and resume the sessions of coding agents."""

__version__ = "0.2.0"
