"""The branch that is abandoned when the leaf moves, to be summarised by the user or by a command.

The rule is pi's (pi 1.6.0, `/tree` with a summary): the abandoned branch is everything from the old leaf up
to the last entry that is also on the path to the picked entry. The branch's own context edits apply; pi makes
them to remove the answers that failed and were tried again. A compaction stands for the entries that it
summarised, but their files are listed, as pi does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.formats.context import context_edits, edited, messages_of
from app.formats.entry_types import SHELL_ROLES
from app.formats.text import one_line, replace_surrogates, string_of
from app.formats.tool_calls import FileLists, call_blocks, files_of
from app.sessions.manager.entry_store import Entry
from app.sessions.manager.session_manager import SessionManager

PROMPT_LIMIT = 300
"""Characters of a prompt in the outline."""
PROMPTS = 200
"""Prompts in the outline: the last ones. The outline counts the others."""
OUTPUT_LIMIT = 2_000
"""Characters of a tool's argument, or of a command's output, in a transcript; pi's number."""
PATH_LIMIT = 1_000

_SPEAKERS = {
    "user": "User",
    "assistant": "Assistant",
    "custom": "Note",
    "system": "System",
    "developer": "System",
}


@dataclass(frozen=True, slots=True)
class AbandonedBranch:
    """An abandoned branch.

    :param entries: the entries of the branch, oldest first; the first may be a compaction that stands for
        more.
    :param files: the files that were read and changed in the whole branch.
    :param edits: the branch's context edits (`app.formats.context.context_edits`).
    """

    entries: tuple[Entry, ...]
    files: FileLists
    edits: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the branch has a message that can be summarised."""
        return next(_messages(self), None) is not None


def find_abandoned(manager: SessionManager, picked: str | None) -> AbandonedBranch:
    """The branch that is abandoned when an entry of the session is picked.

    :param picked: the entry itself, and not the leaf that it leads to: a prompt that is edited and sent again
        is not abandoned. None for the place before all entries.
    """
    path = manager.get_branch() if manager.leaf_id is not None else []
    shared = {entry.index for entry in manager.get_branch(picked)} if picked is not None else set()
    begin = next((index for index in range(len(path), 0, -1) if path[index - 1].index in shared), 0)
    entries = path[begin:]
    edits = context_edits(entry.normalized for entry in entries if entry.type == "context_edit")
    files = files_of((_with_edit(entry, edits) for entry in entries), manager.dialect)
    indexes = range(len(entries) - 1, -1, -1)
    compacted = next((index for index in indexes if entries[index].type == "compaction"), 0)
    return AbandonedBranch(tuple(entries[compacted:]), files, edits)


def outline(branch: AbandonedBranch) -> str:
    """A draft of a summary that the user edits: the prompts, and the files that were read and changed.

    :return: inert text of several lines; "" if the branch has no message.
    """
    lines = []
    for message in _messages(branch):
        role = message.get("role")
        if role in ("compactionSummary", "branchSummary"):
            what = "Before that" if role == "compactionSummary" else "On a branch from there"
            lines.append(f"- {what}: {one_line(string_of(message.get('summary')), PROMPT_LIMIT)}")
        elif role == "user":
            lines.append(f"- {one_line(_texts(message.get('content')), PROMPT_LIMIT) or '(no text)'}")
    if not lines and not branch:
        return ""
    if len(lines) > PROMPTS:
        lines[:-PROMPTS] = [f"- ({len(lines) - PROMPTS:,} before these)"]
    text = "Another way was tried from here and left."
    if lines:
        text += " What was asked there:\n\n" + "\n".join(lines)
    return text + file_list(branch)


def file_list(branch: AbandonedBranch) -> str:
    """The files as pi's summaries list them at their end; "" for none."""
    text = ""
    for name, paths in (("read-files", branch.files.read), ("modified-files", branch.files.changed)):
        if paths:
            lines = "\n".join(one_line(path, PATH_LIMIT) for path in paths)
            text += f"\n\n<{name}>\n{lines}\n</{name}>"
    return text


def transcript(branch: AbandonedBranch) -> str:
    """The messages for a program that summarises them: each with its speaker, separated by empty lines.

    Thinking and tool results are left out, as in pi; arguments and outputs are cut at `OUTPUT_LIMIT`. All
    other text is that of the session. Only lone surrogates, which cannot be written, are replaced.
    """
    return replace_surrogates(
        "\n\n".join(part for message in _messages(branch) for part in _paragraphs(message))
    )


def _messages(branch: AbandonedBranch) -> Iterator[dict[str, Any]]:
    """The messages that the branch gives to the model, without tool results."""
    for entry in branch.entries:
        if entry.type == "compaction":
            yield {"role": "compactionSummary", "summary": entry.normalized.get("summary")}
            continue
        for message in messages_of(_with_edit(entry, branch.edits), None):
            if message.get("role") != "toolResult":
                yield message


def _with_edit(entry: Entry, edits: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an entry after its context edit, which applies to messages alone; {} if it is removed."""
    fields = entry.normalized
    if entry.id not in edits or entry.type not in ("message", "custom_message"):
        return fields
    messages = edited(messages_of(fields, None), edits[entry.id])
    return {"type": "message", "message": messages[0]} if messages else {}


def _paragraphs(message: dict[str, Any]) -> Iterator[str]:
    role = message.get("role")
    if role in ("compactionSummary", "branchSummary"):
        yield from _paragraph("Summary", string_of(message.get("summary")))
    elif role in SHELL_ROLES:
        yield from _paragraph("User ran", _cut(string_of(message.get(SHELL_ROLES[role]))))
        yield from _paragraph("Output", _cut(string_of(message.get("output"))))
    elif role == "assistant":
        yield from _paragraph("Assistant", _texts(message.get("content")))
        calls = [_call(block) for block in call_blocks({"type": "message", "message": message})]
        yield from _paragraph("Tool calls", "\n".join(calls))
    else:
        speaker = _SPEAKERS.get(role if isinstance(role, str) else "", "Note")
        yield from _paragraph(speaker, _texts(message.get("content")))


def _paragraph(speaker: str, text: str) -> Iterable[str]:
    return (f"[{speaker}] {text}",) if text else ()


def _call(block: dict[str, Any]) -> str:
    arguments = block.get("arguments")
    words = []
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        words.append(f"{name}={_cut(json.dumps(value, ensure_ascii=False))}")
    return f"{string_of(block.get('name')) or 'tool'}({', '.join(words)})"


def _texts(content: Any) -> str:
    """The texts of a message's content, one per line."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [
        string_of(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    return "\n".join(text for text in texts if text)


def _cut(text: str) -> str:
    excess = len(text) - OUTPUT_LIMIT
    return text if excess <= 0 else f"{text[:OUTPUT_LIMIT]} [{excess:,} more characters]"
