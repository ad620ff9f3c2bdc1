"""Replacing secrets, home folders and user names in texts and in whole entries."""

from app.redact.personal import Personal, user_in
from app.redact.redactor import Redactor, Replacement
from app.redact.rules import RULES

__all__ = ["RULES", "Personal", "Redactor", "Replacement", "user_in"]
