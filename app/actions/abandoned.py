"""What is left behind when the leaf goes to another place, to be summed up by the user or by a command.

What counts as left is pi's rule (pi 0.87.1, `/tree` with a summary): everything from the old leaf up to the
last entry that is also on the path to the one that was picked. What a compaction summed up already is not
told again: the compaction stands for it. Its files are told all the same, as pi does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.formats.context import messages_of
from app.formats.everything import SHELLS
from app.formats.skim import clean
from app.formats.text import one_line
from app.formats.touched import Files, call_blocks, files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.sessions.manager.entry import Entry
    from app.sessions.manager.manager import SessionManager

PROMPT_LIMIT = 300
"""How many characters of a prompt the outline has."""
PROMPTS = 200
"""How many prompts the outline has; of those before the last ones it says how many there are."""
OUTPUT_LIMIT = 2_000
"""How many characters of an argument of a tool, or of a command's output, a transcript has; pi's number."""
PATH_LIMIT = 1_000

_SPOKEN = {
    "user": "User",
    "assistant": "Assistant",
    "custom": "Note",
    "system": "System",
    "developer": "System",
}


@dataclass(frozen=True, slots=True)
class Abandoned:
    """What is left behind.

    :param leaf_id: the leaf that is left, None where there is none.
    :param common_id: the last entry that stays, None where none does.
    :param entries: what was left, oldest first; the first may be the compaction that stands for more.
    :param files: read and changed in all of what was left.
    """

    leaf_id: str | None
    common_id: str | None
    entries: tuple[Entry, ...]
    files: Files

    def __bool__(self) -> bool:
        """Whether anything was said there that a summary could be of."""
        return any(True for _ in _messages(self.entries))


def left_behind(manager: SessionManager, picked: str | None) -> Abandoned:
    """What is left when an entry of the session is picked.

    :param picked: the entry itself, and not where its picking puts the leaf: a prompt that is said again in
        other words is not left behind. None for the place before all entries.
    """
    path = manager.get_branch() if manager.leaf_id is not None else []
    stays = {entry.index for entry in manager.get_branch(picked)} if picked is not None else set()
    at = next((at for at in range(len(path), 0, -1) if path[at - 1].index in stays), 0)
    left = path[at:]
    files = files_of((entry.spelt for entry in left), manager.dialect)
    compacted = next((at for at in range(len(left) - 1, -1, -1) if left[at].type == "compaction"), 0)
    common = path[at - 1].id if at else None
    return Abandoned(manager.leaf_id, common, tuple(left[compacted:]), files)


def outline(left: Abandoned) -> str:
    """A beginning for a summary that the user writes: what was asked, and which files were read and changed.

    Inert text of several lines; "" where nothing was said.
    """
    said = []
    for message in _messages(left.entries):
        role = message.get("role")
        if role in ("compactionSummary", "branchSummary"):
            what = "Before that" if role == "compactionSummary" else "On a branch from there"
            said.append(f"- {what}: {one_line(_text(message.get('summary')), PROMPT_LIMIT)}")
        elif role == "user":
            said.append(f"- {one_line(_said(message.get('content')), PROMPT_LIMIT) or '(no text)'}")
    if not said and not left:
        return ""
    if len(said) > PROMPTS:
        said[:-PROMPTS] = [f"- ({len(said) - PROMPTS:,} before these)"]
    head = "Another way was tried from here and left. What was asked there:\n\n"
    return (head + "\n".join(said) if said else "Another way was tried from here and left.") + files_listed(
        left
    )


def files_listed(left: Abandoned) -> str:
    """The files, as they stand at the end of pi's summaries; "" where there are none."""
    found = ""
    for name, paths in (("read-files", left.files.read), ("modified-files", left.files.changed)):
        if paths:
            lines = "\n".join(one_line(path, PATH_LIMIT) for path in paths)
            found += f"\n\n<{name}>\n{lines}\n</{name}>"
    return found


def transcript(left: Abandoned) -> str:
    """What was said, for a program that sums it up: who, then what, with an empty line between two.

    Results of tools are left out, as pi does; arguments and outputs are cut at `OUTPUT_LIMIT`. Otherwise
    the text is as it stands in the session, but for lone surrogates, which cannot be written.
    """
    return clean("\n\n".join(part for message in _messages(left.entries) for part in _told(message)))


def _messages(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """What the model was told in `entries`, but for results of tools."""
    for entry in entries:
        fields = entry.spelt
        if entry.type == "compaction":
            yield {"role": "compactionSummary", "summary": fields.get("summary")}
            continue
        for message in messages_of(fields, None):
            if message.get("role") != "toolResult":
                yield message


def _told(message: dict[str, Any]) -> Iterator[str]:
    role = message.get("role")
    if role in ("compactionSummary", "branchSummary"):
        yield from _paragraph("Summary", _text(message.get("summary")))
    elif role in SHELLS:
        yield from _paragraph("User ran", _cut(_text(message.get(SHELLS[role]))))
        yield from _paragraph("Output", _cut(_text(message.get("output"))))
    elif role == "assistant":
        yield from _paragraph("Thinking", _said(message.get("content"), "thinking"))
        yield from _paragraph("Assistant", _said(message.get("content")))
        calls = [_call(block) for block in call_blocks({"type": "message", "message": message})]
        yield from _paragraph("Tool calls", "\n".join(calls))
    else:
        who = _SPOKEN.get(role if isinstance(role, str) else "", "Note")
        yield from _paragraph(who, _said(message.get("content")))


def _paragraph(who: str, text: str) -> Iterable[str]:
    return (f"[{who}] {text}",) if text else ()


def _call(block: dict[str, Any]) -> str:
    arguments = block.get("arguments")
    told = []
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        told.append(f"{name}={_cut(json.dumps(value, ensure_ascii=False))}")
    return f"{_text(block.get('name')) or 'tool'}({', '.join(told)})"


def _said(content: Any, kind: str = "text") -> str:
    """The texts of a message's content below one another."""
    if isinstance(content, str):
        return content if kind == "text" else ""
    blocks = content if isinstance(content, list) else []
    texts = [
        _text(block.get(kind)) for block in blocks if isinstance(block, dict) and block.get("type") == kind
    ]
    return "\n".join(text for text in texts if text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _cut(text: str) -> str:
    over = len(text) - OUTPUT_LIMIT
    return text if over <= 0 else f"{text[:OUTPUT_LIMIT]} [{over:,} more characters]"
