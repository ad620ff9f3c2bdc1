"""Which entries each filter of the tree shows (PARITY 4.2, "filters" and "default hides")."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions.tree import Node

MODES = ("default", "no-tools", "user", "labelled", "all")
BOOKKEEPING = frozenset(
    (
        "label",
        "context_edit",
        "custom",
        "model_change",
        "thinking_level_change",
        "session_info",
        "active_tools_change",
        "service_tier_change",
        "title_change",
        "credential_pin",
        "session_init",
        "ttsr_injection",
        "mode_change",
        "reset_boundary",
    )
)
ALWAYS_HIDDEN = frozenset(("usage", "model_usage"))
TOOL_ROLES = frozenset(("toolResult", "tool_result", "tool"))
QUIET_STOPS = frozenset(("stop", "toolUse", "tool_use", "", None))


def shows(mode: str) -> Callable[[Node, Node | None], bool]:
    """The test of one filter: (entry, leaf) -> whether the entry has a row.

    :raises KeyError: there is no such filter.
    """
    test = _TESTS[mode]
    if mode == "all":
        return lambda node, leaf: True
    return lambda node, leaf: _can_show(node, leaf) and test(node)


def _can_show(node: Node, leaf: Node | None) -> bool:
    if node.type in ALWAYS_HIDDEN:
        return False
    if node.role != "assistant" or node.type != "message" or node is leaf:
        return True
    return node.has_text or node.stop_reason not in QUIET_STOPS


def _default(node: Node) -> bool:
    return node.type not in BOOKKEEPING


def _no_tools(node: Node) -> bool:
    return node.type not in BOOKKEEPING and node.role not in TOOL_ROLES


def _user(node: Node) -> bool:
    return node.type == "message" and node.role == "user"


def _labelled(node: Node) -> bool:
    return node.label is not None


def _all(node: Node) -> bool:
    return True


_TESTS: dict[str, Callable[[Node], bool]] = {
    "default": _default,
    "no-tools": _no_tools,
    "user": _user,
    "labelled": _labelled,
    "all": _all,
}
