"""The messages about a search and an empty list: why nothing is shown, the key that shows more, and how
a query was read that was not read as it was typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.formats.text import one_line
from app.stores import agent_named
from app.view.formatting import counted

_REASONS = {
    "here": "No sessions in this folder.",
    "needs": "Nothing needs you.",
    "only": "None of these sessions is here.",
    "named": "No session here has a name.",
    "agent": "No sessions of this agent here.",
    "hidden": "Only empty sessions and sub-agents here.",
}
_SHOWN = {
    "only": "of these",
    "hidden": "in the list",
    "agent": "of this agent",
    "named": "with a name",
    "here": "in this folder",
}
_WAYS_OUT = {
    "only": "shows all sessions.",
    "needs": "shows all sessions.",
    "hidden": "shows empty sessions and sub-agents.",
    "agent": "shows the next agent.",
    "named": "shows all sessions.",
    "here": "shows all folders.",
}


def nothing_shown(why: str, keys: Mapping[str, str], *, elsewhere: int = 0) -> list[str]:
    """The message if there are sessions but none is shown without a query.

    :param why: a reason of `app.view.list_filter.empty_reason`.
    :param keys: reason -> the name of the key that shows the excluded sessions as well; reasons without a key
        are missing. "here" is present only while only this folder's sessions are shown.
    :param elsewhere: the number of sessions of other folders that match a query.
    """
    if why not in _REASONS:
        return []
    if why == "here" and elsewhere:
        verb = "matches" if elsewhere == 1 else "match"
        return [f"No sessions in this folder; {elsewhere:,} elsewhere {verb}{_key(keys)}"]
    if why == "here":
        return [_REASONS[why], *([f"{keys[why]} shows all folders."] if keys.get(why) else [])]
    # more folders may have what this one has not
    return [_REASONS[why], *_ways_out([why, "here"], keys)]


def deleted_notice(agent: str, prompts: int) -> str:
    """The sentence in place of a session of which only the prompts are left.

    :param agent: the name of its agent.
    """
    left = counted(prompts, "prompt")
    return f"{agent_named(agent).title} deleted this session. Its history has {left} of it."


def searching_for(query: str) -> list[str]:
    """The message while a search has not found anything yet."""
    return [f"Searching for “{one_line(query, 60)}” …", "Esc clears the search."]


def nothing_matches(
    query: str,
    left_out: Sequence[str],
    keys: Mapping[str, str],
    *,
    so_far: bool,
    here: int,
    elsewhere: int,
    hidden: int = 0,
) -> list[str]:
    """The message if no shown session matches the query.

    :param left_out: conditions of `app.view.list_filter.excluding_conditions` that exclude matching sessions.
    :param keys: reason -> the name of the key that shows the excluded sessions as well.
    :param so_far: the search is not complete.
    :param here: the number of sessions in this folder; ``elsewhere``: that of matching ones in others.
    :param hidden: the number of matching sessions that only their being a sub-agent's or empty hides.
    """
    if tuple(left_out) == ("hidden",) and hidden:
        way = f": {keys['hidden']} shows {'it' if hidden == 1 else 'them'}" if keys.get("hidden") else ""
        verb = "matches" if hidden == 1 else "match"
        return [
            "No match among the sessions shown.",
            f"{counted(hidden, 'hidden session')} {verb}{way}.",
            "Esc clears the search.",
        ]
    if tuple(left_out) == ("here",) and elsewhere:
        none = (
            "The session here does not match" if here == 1 else f"None of the {here:,} sessions here matches"
        )
        verb = "does" if elsewhere == 1 else "do"
        return [f"{none}; {elsewhere:,} elsewhere {verb}{_key(keys)}", "Esc clears the search."]
    subject = " ".join(["No session", *(_SHOWN[why] for why in left_out), "matches"])
    message = f"{subject} “{one_line(query, 60)}”{' so far' if so_far and not left_out else ''}."
    return [message, *_ways_out(left_out, keys), "Esc clears the search."]


def _key(keys: Mapping[str, str]) -> str:
    return f" ({keys['here']})" if keys.get("here") else ""


def _ways_out(reasons: Sequence[str], keys: Mapping[str, str]) -> list[str]:
    return [f"{keys[why]} {_WAYS_OUT[why]}" for why in reasons if keys.get(why)]


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


LOOSENED = "No session has all words; these have the most or rarest of them"


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
