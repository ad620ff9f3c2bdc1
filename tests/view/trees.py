"""Trees of sessions, read from files, and what a view shows of them."""

from __future__ import annotations

from hypothesis import strategies as st

from app.sessions.tree.tree import open_tree
from app.view.tree_view import TreeView
from tests.factory import entry, header, message, write_session

LINKS = st.lists(
    st.tuples(st.integers(-1, 30), st.sampled_from(["user", "assistant", "custom"])), max_size=30
)


def opened(tmp_path, *lines, mode="default"):
    """The view of a tree of these lines."""
    return TreeView(open_tree(str(write_session(tmp_path / "s.jsonl", *lines))), mode)


def ids(view):
    """Of the entries of its rows."""
    return [view.node(at).id for at in range(view.count)]


def branched():
    """Two ends: first try (4 entries), then a second question from the first answer."""
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
    """A session of these: where each entry hangs, and who says it."""
    lines = [header()]
    for at, (parent, kind) in enumerate(links):
        above = f"n{parent}" if 0 <= parent < at else None
        if kind == "custom":
            lines.append(entry("custom", f"n{at}", above, customType="t"))
        else:
            lines.append(message(f"n{at}", above, kind, f"text {at}"))
    return lines
