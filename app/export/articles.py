"""The selected entries of a session, one after the other, as they are shown in a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from app.export.choice import NONE, SHORT, Choice, find_id, newest_end
from app.formats.dialects import dialect_named
from app.formats.entry_parts import Part, content_parts
from app.formats.entry_types import EXTENSION_ROLES, SHELL_ROLES, SILENT, SUMMARY_ROLES
from app.formats.images import EmbeddedImage, ImageError
from app.formats.timestamps import iso
from app.sessions.storage.blobs import BlobStore, image_bytes
from app.sessions.summaries.titles import typed_text
from app.sessions.tree.node import Node, path_to

if TYPE_CHECKING:
    from app.formats.header import Fault
    from app.redact import Redactor
    from app.sessions.tree.tree import SessionTree

IMAGE_TYPES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"))
"""Types of images that browsers draw; the type comes from the session, and any other is only described."""
SHORT_LINES = 12
"""Lines of a tool's output that `SHORT` keeps."""
SHORT_CHARACTERS = 1_200
SNIPPET = 90
TITLE = 120

_KINDS = {"user": "user", "assistant": "assistant", "toolResult": "result"}
_NAMES = {
    "user": "User",
    "assistant": "Assistant",
    "result": "Result",
    "shell": "Command of the user",
    "compaction": "Compaction",
    "summary": "Branch summary",
    "extension": "Extension",
    "system": "System",
    "other": "Entry",
}
_KNOWN_TYPES = frozenset(("compaction", "branch_summary", "custom_message", "branch"))
_CODE = frozenset(("command", "cmd", "code", "script"))
"""Arguments that are shown without their name if a call has no other."""
_OF_TOOLS = frozenset(("tool_call", "tool_result", "diff"))


class Piece(NamedTuple):
    """A part of an article, redacted and clean.

    :param kind: as of `formats.entry_parts.content_parts`.
    :param title: one line; "" for none.
    :param text: its text.
    :param image: the type, of `IMAGE_TYPES`, and the bytes of an image; None if there is none, or it is left
        out.
    """

    kind: str
    title: str
    text: str
    image: tuple[str, bytes] | None = None


class Article(NamedTuple):
    """An entry of a document.

    :param number: the entry's number in the session, from 1.
    :param parent: the number of the article that it follows; 0 for none.
    :param depth: branch points above it.
    :param begins_branch: the article before it is not the one that it follows.
    :param kind: "user", "assistant", "result", "shell", "compaction", "summary", "extension", "system" or
        "other".
    :param name: the kind in words.
    :param time: ISO 8601; "" for none.
    :param label: the user's label; "" for none.
    :param facts: one line about the answer: model and the like.
    :param on_path: it is on the path to the leaf.
    :param snippet: the article in one short line.
    """

    number: int
    parent: int
    depth: int
    begins_branch: bool
    kind: str
    name: str
    time: str
    label: str
    facts: str
    pieces: Sequence[Piece]
    on_path: bool
    snippet: str


class Beginning(NamedTuple):
    """A session that another one goes on from without repeating it: the entries before the byte `end`."""

    tree: SessionTree
    end: int


class _Place(NamedTuple):
    """A selected entry.

    :param depth: branch points above it.
    :param tree: its session.
    :param first: the number of entries of the sessions before that one.
    """

    node: Node
    depth: int
    tree: SessionTree
    first: int

    @property
    def number(self) -> int:
        return self.first + self.node.index + 1


class Articles:
    """The articles of one session. Each entry is read when its turn comes, so that a long session takes
    little memory.

    title, about    of the document, redacted
    leaf            the number of the last article on the selected path; 0 before all were read
    shown, hidden   the number of articles, and of selected entries without one, as far as they were read
    problems        what of the file cannot be read, one line each
    """

    def __init__(
        self,
        tree: SessionTree,
        choice: Choice,
        redactor: Redactor | None,
        blobs: BlobStore | None,
        beginnings: Sequence[Beginning] = (),
    ) -> None:
        """Select the entries.

        :param redactor: redacts everything; None for nothing.
        :param blobs: where the session's agent keeps images; None if it keeps them in the session.
        :param beginnings: the sessions that `tree` goes on from, the oldest first.
        :raises UnknownEntry, AmbiguousEntry: of an id in `choice`.
        """
        self._tree = tree
        self._choice = choice
        self._redactor = redactor
        self._blobs = blobs
        self.shown = self.hidden = self.leaf = 0
        self._end = self._chosen_end()
        self._places: list[_Place] = []
        first = 0
        for before, end in beginnings:
            kept = [node for node in before.entries if node.offset < end]
            self._places += [_Place(node, 0, before, first) for node in path_to(kept[-1] if kept else None)]
            first += len(before.entries)
        own = [_Place(node, 0, tree, first) for node in path_to(self._end)]
        self._on_path = {place.number for place in (*self._places, *own)}
        self._places += _all_places(tree, first) if choice.all_branches else own
        self.problems = [self._problem(fault) for fault in tree.problems]
        if tree.torn is not None:
            self.problems.append(f"line {tree.torn.line}: it is unfinished")
        self._knows_prompts = dialect_named(tree.header.dialect).knows_prompts
        self.title = self._title()
        header = tree.header
        parts = (
            header.agent,
            header.id,
            header.cwd,
            "" if header.created_ms is None else iso(header.created_ms),
        )
        self.about = [self._clean_line(part, 300, "header") for part in parts if part]

    def _chosen_end(self) -> Node | None:
        tree, choice = self._tree, self._choice
        named = choice.entry or choice.branch
        if not named:
            return tree.leaf
        node = tree.by_id[find_id(named, tree.by_id, tree.path)]
        if choice.entry:
            return node
        return newest_end(node, lambda each: each.children, lambda each: each.index)

    def _title(self) -> str:
        if self._tree.name:
            return self._clean_line(self._tree.name, TITLE, "title")
        prompts = (self._tree.read(node) for node in self._tree.entries if node.role == "user")
        return prompt_title(prompts, self._redactor, is_typed=self._knows_prompts) or "Session"

    def _clean_line(self, text: str, limit: int, place: str) -> str:
        if self._redactor is not None:
            self._redactor.at(place)
            text = self._redactor.text(text)
        return clean_line(text, limit)

    def _problem(self, fault: Fault) -> str:
        # A reason may quote what stands in the line.
        reason = fault.reason if self._redactor is None else self._redactor.copy_of_text(fault.reason)
        return f"line {fault.line}: {clean_line(reason, 200)}" if fault.line else clean_line(reason, 200)

    def __iter__(self) -> Iterator[Article]:
        """The articles, in the order of the document.

        :raises Changed: the file was written anew meanwhile.
        :raises OSError: it cannot be read.
        """
        above: dict[int, int] = {}
        # The last articles of the sessions before, by the number of their entries: roots follow these.
        ends: dict[int, int] = {}
        last = 0
        for place in self._places:
            parent = place.node.parent
            over = (
                ends.get(place.first, 0) if parent is None else above.get(place.first + parent.index + 1, 0)
            )
            article = self._article(place, over, begins_branch=self.shown > 0 and over != last)
            if article is None:
                self.hidden += 1
                above[place.number] = over
                continue
            above[place.number] = ends[place.first + len(place.tree.entries)] = last = article.number
            self.shown += 1
            if article.on_path:
                self.leaf = article.number
            yield article

    def _article(self, place: _Place, parent: int, *, begins_branch: bool) -> Article | None:
        node, number = place.node, place.number
        if node.type in SILENT or (self._choice.tools == NONE and node.role == "toolResult"):
            return None
        raw = place.tree.read(node)
        if raw.get("type") == "custom_message" and raw.get("display") is False:
            return None
        label = node.label or ""
        if self._redactor is not None:
            self._redactor.at(f"entry {number}")
            raw = self._redactor.value(raw)
            label = self._redactor.text(label)
        kind = _kind(raw)
        parts = content_parts(raw)
        if raw.get("type") in _KNOWN_TYPES:
            # The other fields of such an entry are for programs.
            parts = [part for part in parts if part.kind != "raw" or part.title != raw["type"]]
        pieces = [piece for part in parts if (piece := self._piece(part)) is not None]
        if not pieces:
            return None
        time = node.timestamp
        return Article(
            number,
            parent,
            place.depth,
            begins_branch,
            kind,
            _NAMES[kind],
            "" if time is None else iso(time),
            clean_line(label, TITLE),
            clean_line(_facts(raw), TITLE),
            pieces,
            number in self._on_path,
            _snippet(pieces),
        )

    def _piece(self, part: Part) -> Piece | None:
        choice = self._choice
        if part.kind == "thinking" and not choice.thinking:
            return None
        if part.kind in _OF_TOOLS and choice.tools == NONE:
            return None
        title = clean_line(part.title, TITLE)
        if part.image is not None:
            return self._image_piece(part, part.image)
        text = clean_text(part.text)
        if part.kind == "tool_call" and len(part.fields) == 1 and part.fields[0].name in _CODE:
            text = clean_text(part.fields[0].text)
        if part.kind in _OF_TOOLS and choice.tools == SHORT:
            text = _shortened(text)
        if not text.strip() and part.kind in ("text", "thinking", "diff", "error"):
            return None
        return Piece(part.kind, title, text)

    def _image_piece(self, part: Part, image: EmbeddedImage) -> Piece:
        words = clean_line(part.text, 2 * TITLE)
        if not self._choice.images:
            return Piece("image", "image", f"image left out: {words}")
        if image.mime not in IMAGE_TYPES:
            return Piece("image", "image", words)
        try:
            return Piece("image", "image", words, (image.mime, image_bytes(image, self._blobs)))
        except ImageError as error:
            return Piece("image", "image", clean_line(f"{words}: {error}", 2 * TITLE))


def prompt_title(
    prompts: Iterable[dict[str, Any]], redactor: Redactor | None, *, is_typed: bool = False
) -> str:
    """The first text that a person typed, in one line, as lists have it; "" if there is no prompt.

    :param prompts: the entries of the user, in their order.
    :param redactor: redacts the text before it is cut: half a secret cannot be recognised.
    :param is_typed: as for `typed_text`.
    """
    first = ""
    for prompt in prompts:
        whole = "\n".join(part.text for part in content_parts(prompt) if part.kind == "text")
        first = first or whole.strip()
        if text := typed_text(whole, is_typed=is_typed):
            first = text
            break
    return clean_line(first if redactor is None else redactor.copy_of_text(first), TITLE)


def _all_places(tree: SessionTree, first: int) -> Iterator[_Place]:
    """All entries, each below its parent, older branches first; `first` as of `_Place`."""
    waiting = [_Place(root, 0, tree, first) for root in reversed(tree.roots)]
    while waiting:
        place = waiting.pop()
        yield place
        children = place.node.children
        depth = place.depth + (len(children) > 1)
        waiting.extend(_Place(child, depth, tree, first) for child in reversed(children))


def _kind(raw: dict[str, Any]) -> str:
    kind = raw.get("type")
    if kind == "message":
        message = raw.get("message")
        role = message.get("role") if isinstance(message, dict) else None
        if role in SHELL_ROLES:
            return "shell"
        if role in EXTENSION_ROLES:
            return "extension"
        if role in SUMMARY_ROLES:
            return "summary" if role == "branchSummary" else "compaction"
        return _KINDS.get(role, "system") if isinstance(role, str) else "other"
    if kind == "compaction":
        return "compaction"
    if kind in ("branch_summary", "branch"):
        return "summary"
    return "extension" if kind == "custom_message" else "other"


def _snippet(pieces: Sequence[Piece]) -> str:
    for kind in ("text", "tool_call", "tool_result", "error", "thinking"):
        for piece in pieces:
            if piece.kind == kind and (piece.text or piece.title):
                is_tool = kind in ("tool_call", "tool_result") and piece.title
                return line_of(f"{piece.title}: {piece.text}" if is_tool else piece.text, SNIPPET)
    return next((piece.title for piece in pieces if piece.title), "")


def _facts(raw: dict[str, Any]) -> str:
    message = raw.get("message")
    if not isinstance(message, dict):
        return ""
    facts = [message.get("model")]
    if message.get("stopReason") in ("error", "aborted", "length"):
        facts.append(message["stopReason"])
    if message.get("isError") is True:
        facts.append("failed")
    return ", ".join(fact for fact in facts if isinstance(fact, str))


def _shortened(text: str) -> str:
    lines = text.split("\n")
    kept = "\n".join(lines[:SHORT_LINES])[:SHORT_CHARACTERS]
    if len(kept) == len(text):
        return text
    more = len(lines) - kept.count("\n") - 1
    return f"{kept}\n… {more:,} more lines" if more > 1 else f"{kept} …"


_SEQUENCE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
_REPLACEMENT = "\ufffd"
_TABLE: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_TABLE[0x7F] = "\u2421"
for _first, _last in (
    (0x80, 0x9F),  # C1 controls
    (0x200E, 0x200F),  # marks of direction
    (0x202A, 0x202E),  # bidirectional embeddings and overrides
    (0x2066, 0x206F),  # isolates, deprecated controls
    (0xD800, 0xDFFF),  # surrogates
    (0xE0000, 0xE007F),  # tags: invisible text
    (0xFFFE, 0xFFFF),
):
    _TABLE.update(dict.fromkeys(range(_first, _last + 1), _REPLACEMENT))
_TABLE[0x061C] = _TABLE[0xFEFF] = _REPLACEMENT
_SUSPECT = re.compile(f"[{''.join(map(re.escape, map(chr, _TABLE)))}]")


def clean_text(text: str) -> str:
    """`text` without escape sequences of terminals, with LF alone between lines, and with a visible sign for
    each control character, bidirectional control and lone surrogate.
    """
    if "\x1b" in text:
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Nearly all texts are printable but for these two. The table takes ten times as long.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return text.translate(_TABLE) if _SUSPECT.search(text) else text


def clean_line(text: str, limit: int) -> str:
    """`clean_text` in one line of at most `limit` characters."""
    return line_of(clean_text(text[: 4 * limit + 200]), limit) if text else ""


def line_of(text: str, limit: int) -> str:
    """A text that is clean already, in one line of at most `limit` characters."""
    line = " ".join(text[: 4 * limit + 200].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
