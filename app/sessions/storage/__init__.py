"""The one writer of session files, the blobs beside them, and the history of prompts."""
