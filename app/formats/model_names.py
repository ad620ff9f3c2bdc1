"""The names of models: with their provider, and without what providers, dates and variants add to them."""

from __future__ import annotations

import re
from functools import lru_cache

_PROVIDER = re.compile(r"^(?:[a-z0-9-]+\.)*(?:anthropic|openai)\.")
"""As Amazon's service writes it: ``us.anthropic.``."""
_ADDED = re.compile(
    r"\[[^\]]*\]$|@.*$|:\d+$|-v\d+$|-latest$|-20\d{6}$|-20\d\d-\d\d-\d\d$",
)
"""A context size, a version, or a date at the end of a name."""
_DOTTED = re.compile(r"(?<=\d)\.(?=\d)")

_RENAMED = {"azure-openai-responses": "azure"}
"""The old name of a provider -> the new one (pi 1.0.3)."""


def with_provider(provider: str | None, model: str | None) -> str:
    """The model as "provider/model"; "" if there is none."""
    return f"{provider}/{model}" if provider and model else model or ""


@lru_cache(1024)
def model_name(model: str) -> str:
    """The model's own name, such as "claude-opus-4-1" for "us.anthropic.claude-opus-4-1-20250805-v1:0".

    :param model: with or without its provider, as "provider/model".
    """
    name = model.rpartition("/")[2].strip().lower()
    name = _PROVIDER.sub("", name)
    while (shorter := _ADDED.sub("", name)) != name:
        name = shorter
    return _DOTTED.sub("-", name) if name.startswith("claude") else name


def with_new_provider(model: str) -> str:
    """A "provider/model" in which a provider that was renamed has its new name."""
    provider, slash, name = model.partition("/")
    return f"{_RENAMED[provider]}/{name}" if slash and provider in _RENAMED else model
