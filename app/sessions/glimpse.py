"""What a row needs of an entry, taken from its line while the file is read (PARITY 4.2 "rows")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import TOOL_CALLS, read_content, string_of, text_of
from app.formats.migrate import migrated_role
from app.formats.tool_line import shortened_arguments
from app.sessions.node import PREVIEW_LIMIT, Node

if TYPE_CHECKING:
    from app.formats.skim import Skim, SkimMessage

# nickcecere/agent's words (specs 003) and the transcript's, as pi says them.
_ROLES = {"tool_result": "toolResult", "tool": "toolResult"}
_STOPS = {"tool_use": "toolUse"}
_BLANKS_LOOKED_AT = 4096


class Glimpses:
    """Makes nodes of skims, in file order; knows which call a tool result answers."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.calls: dict[str, tuple[str, bytes]] = {}

    def node(self, skim: Skim, index: int, line: int, offset: int, length: int) -> Node:
        """The node of an entry, not yet linked to others."""
        kind = skim.type or ""
        node = Node(index, skim.id, skim.parent_id, kind, None, line, offset, length, skim.timestamp)
        if kind == "message":
            if skim.message is not None:
                self._message(node, skim.message)
        elif kind in _FILLERS:
            _FILLERS[kind](node, skim)
        return node

    def _message(self, node: Node, message: SkimMessage) -> None:
        role = message.role
        if role == "assistant":
            node.role = role
            self._answer(node, message)
            return
        if role in _ROLES:
            role = _ROLES[role]
        elif self.version < 3:
            role = migrated_role(role, self.version)
        node.role = role
        if role == "toolResult":
            node.detail = message.tool_name
            if message.tool_call_id is not None:
                node.tool = self.calls.get(message.tool_call_id)
        elif role == "bashExecution":
            node.preview = _cut(message.command or "")
        elif role in ("branchSummary", "compactionSummary"):
            node.preview = _cut(string_of(message.summary))
        else:
            node.preview = _cut(text_of(message.content))
            node.has_text = bool(node.preview)
            if role == "custom":
                node.detail = message.custom_type

    def _answer(self, node: Node, message: SkimMessage) -> None:
        stop = message.stop_reason
        node.stop_reason = _STOPS.get(stop, stop) if stop else stop
        if message.error_message:
            node.error_message = message.error_message[:PREVIEW_LIMIT]
        content = read_content(message.content)
        if isinstance(content, str):
            node.preview = _cut(content)
        else:
            for block in content:
                kind = block.type
                if kind == "text":
                    if block.text and len(node.preview) < PREVIEW_LIMIT:
                        node.preview = _cut(node.preview + block.text)
                elif kind in TOOL_CALLS and block.id is not None:
                    name = block.name or "tool"
                    self.calls[block.id] = (name, shortened_arguments(name, block.arguments))
        node.has_text = bool(node.preview)


def _cut(text: str) -> str:
    """The beginning of `text` without the blanks in front; empty where there are only blanks."""
    if len(text) > PREVIEW_LIMIT or text[:1].isspace():
        text = text[:_BLANKS_LOOKED_AT].lstrip()[:PREVIEW_LIMIT]
    return text


def _custom_message(node: Node, skim: Skim) -> None:
    node.detail = skim.custom_type
    node.preview = _cut(text_of(skim.content, ""))
    node.has_text = bool(node.preview)


def _summary(node: Node, skim: Skim) -> None:
    node.preview = _cut(string_of(skim.summary))
    node.tokens_before = skim.tokens_before


def _model(node: Node, skim: Skim) -> None:
    node.detail = skim.model_id or skim.model


def _level(node: Node, skim: Skim) -> None:
    node.detail = skim.thinking_level


def _custom(node: Node, skim: Skim) -> None:
    node.detail = skim.custom_type


def _label(node: Node, skim: Skim) -> None:
    node.detail = skim.target_id
    node.preview = (skim.label or "")[:PREVIEW_LIMIT]


def _edit(node: Node, skim: Skim) -> None:
    node.detail = skim.target_id
    node.preview = "omit" if bytes(skim.replacement) == b"null" else "replace"


def _name(node: Node, skim: Skim) -> None:
    node.preview = (skim.name or skim.title or "")[:PREVIEW_LIMIT]


_FILLERS = {
    "custom_message": _custom_message,
    "compaction": _summary,
    "branch_summary": _summary,
    "model_change": _model,
    "thinking_level_change": _level,
    "custom": _custom,
    "label": _label,
    "context_edit": _edit,
    "session_info": _name,
    "title_change": _name,
}
