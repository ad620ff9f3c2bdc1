"""Trees of sessions, read from files, and the rows of their views."""

from __future__ import annotations

from hypothesis import strategies as st

from app.sessions import open_tree
from app.view import TreeView
from tests.factory import entry, header, message, write_session

LINKS = st.lists(
    st.tuples(st.integers(-1, 30), st.sampled_from(["user", "assistant", "custom"])), max_size=30
)


def opened(tmp_path, *lines, tree_filter="default"):
    """The view of a tree of these lines."""
    return TreeView(open_tree(str(write_session(tmp_path / "s.jsonl", *lines))), tree_filter)


def ids(view):
    """The ids of the entries in the rows of a view."""
    return [view.node(row).id for row in range(view.count)]


def branched():
    """The lines of a session with two branches, which part after the first answer."""
    return [
        header(),
        message("a", None, "user", "fix the login"),
        message("b", "a", "assistant", "the token is read too early"),
        message("c", "b", "user", "try caching it"),
        message("d", "c", "assistant", "done, slower"),
        message("e", "b", "user", "use redis"),
        message("f", "e", "assistant", "done, faster"),
        entry("label", "g", "f", targetId="e", label="redis"),
    ]


def lines_of(links):
    """The lines of a session.

    :param links: for each entry the number of its parent, and its role.
    """
    lines = [header()]
    for number, (parent, kind) in enumerate(links):
        parent_id = f"n{parent}" if 0 <= parent < number else None
        if kind == "custom":
            lines.append(entry("custom", f"n{number}", parent_id, customType="t"))
        else:
            lines.append(message(f"n{number}", parent_id, kind, f"text {number}"))
    return lines
