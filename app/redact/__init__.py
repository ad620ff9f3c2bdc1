"""Replacing secrets, home folders and user names in texts and in whole entries."""

from app.redact.personal import Personal, user_in
from app.redact.redactor import Redactor, Replacement, redact

__all__ = ["Personal", "Redactor", "Replacement", "redact", "user_in"]
