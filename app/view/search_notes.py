"""The messages below the search line about a query that was read in another way than it was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.formats.text import one_line
from app.view.formatting import counted

_LONGEST_NAME = 40
_MOST_NAMES = 4


def unknown_note(name: str, intended: str, key: str) -> str:
    """The message about a word that looks like a filter and is none.

    :param name: the word before the colon; raw.
    :param intended: the filter that the user may have meant; "" for none.
    :param key: the name of the key that shows the filters; "" for none.
    """
    way = f"try {intended}:" if intended else f"{key}: filters" if key else ""
    return f"{one_line(name, _LONGEST_NAME)}: is not a filter; searched as text" + (
        f" ({way})" if way else ""
    )


def spelling_note(instead: Mapping[str, Sequence[str]], sessions: int) -> str:
    """The message about terms that nothing matches; "" if there are none.

    :param instead: term -> the other spellings that were searched for; none if there are none. Raw.
    :param sessions: the number of sessions that match.
    """
    replaced = [_quoted(name) for name, words in instead.items() if words]
    missing = [_quoted(name) for name, words in instead.items() if not words]
    words = [one_line(word, _LONGEST_NAME) for others in instead.values() for word in others]
    parts = [f"No match for {_listed(missing)}"] if missing else []
    if replaced:
        number = counted(sessions, "session")
        parts.append(f"No {_listed(replaced)}; showing {_listed(words)} ({number})")
    return "; ".join(parts)


def _quoted(name: str) -> str:
    return f'"{one_line(name, _LONGEST_NAME)}"'


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_MOST_NAMES])
    return f"{shown} and {len(words) - _MOST_NAMES} more" if len(words) > _MOST_NAMES else shown
