"""The states of the choices in the menus, and what is said at the first use of a key that has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.stores import AGENTS
from app.view.arrangement import ORDERS, order_words
from app.view.formatting import short_id, tilde

if TYPE_CHECKING:
    from app.index.row import Row
    from app.view.list_model import ListModel

CHANGED_KEYS = {
    "copy": "This key opens a menu now; twice, it copies as before",
    "go": "This key opens a menu now; twice, it goes to the top",
    "view": "This key opens a menu now; then e shows hidden ones",
    "scope": "This key does nothing now: . and then s switches between this folder and all folders",
    "project": "Enter unfolds a project now; c starts a session",
    "tree": "← leaf: the agent goes on from here",
}
"""A key that has changed -> what it does now; and the tree, whose mark of the leaf is explained."""


_WORDS = {
    "this folder": "list.scope",
    "all folders": "list.scope",
    "all agents": "list.agent",
    "named only": "list.named",
    "needs you": "list.needs",
    "+ hidden": "list.hidden",
    **dict.fromkeys(map(order_words, ORDERS), "list.choose_order"),
    **{agent.name: "list.agent" for agent in AGENTS},
}


def command_of_words(words: str) -> str:
    """The id of the command that changes what these words of the header or of the list's rule say; "" for
    none.
    """
    if words in _WORDS:
        return _WORDS[words]
    if "may be deleted" in words or " to keep" in words:
        return "session.keep"
    if words.split()[1:2] in (["need"], ["needs"]):
        return "list.needs"
    return "list.hidden" if "hidden" in words else ""


def state_of(id: str, model: ListModel, row: Row | None, *, home: str, theme: str) -> str:
    """The state of a command in a menu, inert; "" for none.

    :param row: the session under the cursor.
    :param theme: the name of the theme.
    """
    arrangement = model.arrangement
    if row is not None and id == "session.copy_path":
        return tilde(row.path, home)
    if row is not None and id == "session.copy_id":
        return short_id(row.id)
    states = {
        "list.scope": "this folder" if arrangement.scope == "here" else "all folders",
        "list.choose_order": order_words(arrangement.order),
        "list.group": "by project" if arrangement.grouped else "one list",
        "list.roomy": "two lines" if arrangement.roomy else "one line",
        "list.hidden": "shown" if arrangement.hidden else f"{model.hidden:,} hidden",
        "list.agent": arrangement.agent or "all",
        "list.named": "on" if arrangement.named_only else "off",
        "list.paths": "on" if arrangement.paths else "off",
        "list.needs": f"{model.waiting:,}",
        "label.list": f"{sum(len(row.labels) for row in model.rows()):,}",
        "theme.choose": theme,
    }
    return states.get(id, "")
