"""The selected entries of a session, one after the other, as they are shown in a document.

The result of a tool is a part of the answer that called it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from app.export.choice import NONE, Choice, find_id, newest_end
from app.export.clean_text import clean_line, clean_text
from app.export.tool_calls import Picture, ToolCall, tool_call
from app.formats.amounts import token_count
from app.formats.dialects import dialect_named
from app.formats.entry_parts import Part, content_parts
from app.formats.entry_types import EXTENSION_ROLES, SHELL_ROLES, SILENT, SUMMARY_ROLES
from app.formats.images import EmbeddedImage, ImageError
from app.formats.text import string_of
from app.formats.tool_calls import call_blocks
from app.sessions.storage.blobs import BlobStore, image_bytes
from app.sessions.summaries.titles import typed_text
from app.sessions.tree.branches import spent_on
from app.sessions.tree.node import Node, path_to
from app.view.formatting import MONTHS, count, counted, span, spent
from app.view.tool_block import Result, argument_of
from app.view.transcript import call_ids, result_id

if TYPE_CHECKING:
    from app.formats.header import Fault
    from app.formats.prices import Prices
    from app.redact import Redactor
    from app.sessions.tree.tree import SessionTree

IMAGE_TYPES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"))
"""Types of images that browsers draw; the type comes from the session, and any other is only described."""
SNIPPET = 90
TITLE = 120
MOST_FOR_RESULTS = 64
"""Entries that are read ahead for the results of the calls of one answer."""
MOST_FORKS = 8
"""Other branches that are named at the beginning of one."""

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
_ENDINGS = ("error", "aborted", "length")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TELLING = ("text", "tool_call", "tool_result", "error", "thinking", "image")
"""Kinds of parts, the one that tells most about its entry first."""
_SIGNS = {"bash": "$", "python": ">>>"}


class Piece(NamedTuple):
    """A part of an article, redacted and clean.

    :param kind: "tool", or a kind of `formats.entry_parts.content_parts`.
    :param title: one line; "" for none.
    :param text: its text.
    :param picture: its image, of the kind "image".
    :param call: the call, of the kind "tool".
    """

    kind: str
    title: str
    text: str
    picture: Picture | None = None
    call: ToolCall | None = None


class Moment(NamedTuple):
    """A time in the local time zone.

    :param iso: ISO 8601 with its difference from UTC.
    :param day: "Sat 28 Nov 2026".
    :param clock: "16:56".
    :param zone: "CET".
    """

    iso: str
    day: str
    clock: str
    zone: str


class Article(NamedTuple):
    """An entry of a document.

    :param number: the entry's number in the session, from 1.
    :param parent: the number of the article that it follows; 0 for none.
    :param depth: branch points above it.
    :param begins_branch: the article before it is not the one that it follows.
    :param forks: the number and a snippet of the first articles of the other branches that begin where it
        does; ``more_forks`` tells how many others there are.
    :param kind: "user", "assistant", "result", "shell", "compaction", "summary", "extension", "system" or
        "other".
    :param name: the kind in words.
    :param moment: its time; None if it has none.
    :param is_new_day, is_new_minute: the article that it follows has another day, or another minute.
    :param label: the user's label; "" for none.
    :param model: the model of an answer, if it is not that of the answer before it; else "".
    :param ending: how an answer ended, if it broke off; else "".
    :param on_path: it is on the path to the leaf.
    :param snippet: the article in one short line.
    :param labels: the labels in it: its own and those of results, each with the number of its entry.
    """

    number: int
    parent: int
    depth: int
    begins_branch: bool
    forks: Sequence[tuple[int, str]]
    more_forks: int
    kind: str
    name: str
    moment: Moment | None
    is_new_day: bool
    is_new_minute: bool
    label: str
    model: str
    ending: str
    pieces: Sequence[Piece]
    on_path: bool
    snippet: str
    labels: Sequence[tuple[int, str]]


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
    session_id      likewise
    facts           what the selected entries took: prompts, tokens, cost and time, and the time zone
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
        prices: Prices,
        beginnings: Sequence[Beginning] = (),
    ) -> None:
        """Select the entries.

        :param redactor: redacts everything; None for nothing.
        :param blobs: where the session's agent keeps images; None if it keeps them in the session.
        :param prices: those of tokens without a cost.
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
        self._left_out = _without_label(self._places) if choice.labelled else frozenset()
        # Entries that were read before their turn, redacted, by their numbers.
        self._ahead: dict[int, dict[str, Any]] = {}
        # Results that are shown with their calls, and the starts of branches, by their numbers.
        self._joined: set[int] = set()
        self._snippets: dict[int, str] = {}
        # Day, minute and model at each article, which the ones that follow it differ from.
        self._states: dict[int, tuple[str, str, str]] = {0: ("", "", "")}
        self._starts: dict[int, list[Node]] = {}
        self.problems = [self._problem(fault) for fault in tree.problems]
        if tree.torn is not None:
            self.problems.append(f"line {tree.torn.line}: it is unfinished")
        self._knows_prompts = dialect_named(tree.header.dialect).knows_prompts
        self.title = self._title()
        header = tree.header
        agent, self.session_id, cwd = (
            self._clean_line(part, 300, "header") for part in (header.agent, header.id, header.cwd)
        )
        self.about = [part for part in (agent, self.session_id, cwd) if part]
        self.facts = self._facts(prices)

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

    def _facts(self, prices: Prices) -> list[str]:
        nodes = [place.node for place in self._places]
        times = [node.timestamp for node in nodes if node.type not in SILENT]
        known = [at for at in times if at is not None]
        total, cost = spent_on(nodes, prices)
        tokens = token_count(total[:4])
        prompts = sum(node.role == "user" for node in nodes)
        facts = [counted(prompts, "prompt"), f"{count(tokens)} tokens" if tokens else "", spent(cost)]
        if known:
            ends = [each for each in map(local_moment, (min(known), max(known))) if each is not None]
            facts += [span(max(known) - min(known)), " – ".join(dict.fromkeys(each.day for each in ends))]
            facts.append("times in " + ", ".join(dict.fromkeys(each.zone for each in ends)) if ends else "")
        return [fact for fact in facts if fact]

    def __iter__(self) -> Iterator[Article]:
        """The articles, in the order of the document.

        :raises Changed: the file was written anew meanwhile.
        :raises OSError: it cannot be read.
        """
        above: dict[int, int] = {}
        # The last articles of the sessions before, by the number of their entries: roots follow these.
        ends: dict[int, int] = {}
        last = 0
        for at, place in enumerate(self._places):
            parent = place.node.parent
            over = (
                ends.get(place.first, 0) if parent is None else above.get(place.first + parent.index + 1, 0)
            )
            if place.number in self._joined or place.number in self._left_out:
                self._joined.discard(place.number)
                above[place.number] = over
                continue
            article = self._article(place, at, over, begins_branch=self.shown > 0 and over != last)
            if article is None:
                self.hidden += 1
                above[place.number] = over
                continue
            above[place.number] = ends[place.first + len(place.tree.entries)] = last = article.number
            self.shown += 1
            if article.on_path:
                self.leaf = article.number
            yield article

    def _read(self, place: _Place) -> dict[str, Any]:
        """The entry, redacted."""
        raw = self._ahead.pop(place.number, None)
        if raw is None:
            raw = place.tree.read(place.node)
            if self._redactor is not None:
                self._redactor.at(f"entry {place.number}")
                raw = self._redactor.value(raw)
        return raw

    def _label(self, place: _Place) -> str:
        label = place.node.label or ""
        if label and self._redactor is not None:
            self._redactor.at(f"entry {place.number}")
            label = self._redactor.text(label)
        return clean_line(label, TITLE)

    def _is_left_out(self, node: Node) -> bool:
        return node.shown_type in SILENT or (self._choice.tools == NONE and node.role == "toolResult")

    def _article(self, place: _Place, at: int, parent: int, *, begins_branch: bool) -> Article | None:
        """The article of an entry; None if it has nothing to show.

        :param at: the index of the place.
        :param parent: the number of the article that it follows.
        """
        if self._is_left_out(place.node):
            return None
        raw, number = self._read(place), place.number
        kind = _kind(raw)
        parts = content_parts(raw)
        pieces = self._pieces(raw, parts, kind, place, at)
        if not pieces:
            return None
        time = place.node.timestamp
        moment = None if time is None else local_moment(time)
        day, minute, model = self._states[parent]
        message: dict[str, Any] = raw["message"] if isinstance(raw.get("message"), dict) else {}
        own_model = clean_line(string_of(message.get("model")), TITLE) if kind == "assistant" else ""
        stopped = string_of(message.get("stopReason"))
        label = self._label(place)
        calls = [piece.call for piece in pieces if piece.call is not None]
        labels = [(number, label), *((call.number, call.label) for call in calls)]
        forks, more_forks = self._forks(place)
        if moment is not None:
            is_new_day, is_new_minute = moment.day != day, (moment.day, moment.clock) != (day, minute)
            day, minute = moment.day, moment.clock
        else:
            is_new_day = is_new_minute = False
        self._states[number] = (day, minute, own_model or model)
        snippet = self._snippets[number] = self._snippet(parts)
        return Article(
            number,
            parent,
            place.depth,
            begins_branch,
            forks,
            more_forks,
            kind,
            _NAMES[kind],
            moment,
            is_new_day,
            is_new_minute,
            label,
            own_model if own_model != model else "",
            stopped if stopped in _ENDINGS and not any(piece.kind == "error" for piece in pieces) else "",
            pieces,
            number in self._on_path,
            snippet,
            [each for each in labels if each[1]],
        )

    def _forks(self, place: _Place) -> tuple[list[tuple[int, str]], int]:
        """The other branches that begin where this entry does."""
        node = place.node
        if not self._choice.all_branches or place.tree is not self._tree or node.role == "toolResult":
            return [], 0
        above = node.parent
        while above is not None and _is_passed(above):
            above = above.parent
        others = [each for each in self._starts_below(above) if each is not node]
        forks = []
        for other in others[:MOST_FORKS]:
            there = place._replace(node=other)
            number = there.number
            if number not in self._snippets:
                self._ahead[number] = raw = self._read(there)
                self._snippets[number] = self._snippet(content_parts(raw))
            if self._snippets[number]:
                forks.append((number, self._snippets[number]))
        return forks, max(0, len(others) - MOST_FORKS)

    def _starts_below(self, above: Node | None) -> list[Node]:
        """The first entries to show of the branches that begin at an entry; the roots for None."""
        key = -1 if above is None else above.index
        if key in self._starts:
            return self._starts[key]
        waiting = deque(self._tree.roots if above is None else above.children)
        starts = []
        while waiting:
            node = waiting.popleft()
            if _is_passed(node):
                waiting.extendleft(reversed(node.children))
            else:
                starts.append(node)
        if len(starts) > 1:
            self._starts[key] = starts
        return starts

    def _pieces(
        self, raw: dict[str, Any], parts: Sequence[Part], kind: str, place: _Place, at: int
    ) -> list[Piece]:
        tools = self._choice.tools
        if kind in ("shell", "result"):
            return [] if tools == NONE else [self._call_of_user(raw, parts, kind, place)]
        if raw.get("type") in _KNOWN_TYPES:
            # The other fields of such an entry are for programs.
            parts = [part for part in parts if part.kind != "raw" or part.title != raw["type"]]
        calls = deque(self._calls(raw, place, at) if tools != NONE else ())
        pieces = []
        for part in parts:
            if part.kind == "tool_call" and calls:
                call = calls.popleft()
                pieces.append(Piece("tool", call.name, "", call=call))
            elif (piece := self._piece(part)) is not None:
                pieces.append(piece)
        return pieces

    def _call_of_user(self, raw: dict[str, Any], parts: Sequence[Part], kind: str, place: _Place) -> Piece:
        """A command of the user with its output, or a result whose call is not in the document."""
        message = raw["message"]
        if kind == "result":
            name = string_of(message.get("toolName"))
            call = tool_call(name, None, Result(raw), self._choice.tools, self._picture)
            return Piece("tool", call.name, "", call=call)
        command = next((part for part in parts if part.kind == "tool_call"), Part("tool_call", "", ""))
        ended = next((part.title for part in parts if part.kind == "tool_result"), "output")
        output = {
            "role": "toolResult",
            "isError": ended != "output",
            "content": [{"type": "text", "text": part.text} for part in parts if part.kind == "tool_result"],
        }
        result = Result({"type": "message", "message": output})
        call = tool_call(command.title, command.value, result, self._choice.tools, self._picture)
        images = [self._picture(part) for part in parts if part.kind == "image"]
        sign = _SIGNS.get(command.title, command.title)
        return Piece("tool", sign, "", call=call._replace(name=sign, images=images))

    def _calls(self, raw: dict[str, Any], place: _Place, at: int) -> Iterator[ToolCall]:
        """The calls of an answer with their results, which are read ahead."""
        blocks = call_blocks(raw)
        results = self._results(set(call_ids(raw)), place, at) if blocks else {}
        for block in blocks:
            there, entry = results.get(string_of(block.get("id"))) or (None, {})
            result = None
            if there is not None:
                started, ended = place.node.timestamp, there.node.timestamp
                took = None if started is None or ended is None else ended - started
                result = Result(entry, took)
            call = tool_call(
                string_of(block.get("name")),
                block.get("arguments"),
                result,
                self._choice.tools,
                self._picture,
            )
            if there is not None:
                call = call._replace(number=there.number, label=self._label(there))
            yield call

    def _results(self, missing: set[str], place: _Place, at: int) -> dict[str, tuple[_Place, dict[str, Any]]]:
        """The results of calls, by the id of the call; they become a part of the answer.

        :param missing: the ids of the calls.
        :param at: the index of the place of the answer.
        """
        found = {}
        for there in self._places[at + 1 : at + 1 + MOST_FOR_RESULTS + len(missing)]:
            node = there.node
            if not missing or node.role == "user" or there.tree is not place.tree:
                break
            if node.role != "toolResult" or there.number in self._joined:
                continue
            entry = self._ahead[there.number] = self._read(there)
            answered = result_id(entry)
            if answered in missing:
                missing.discard(answered)
                found[answered] = there, self._ahead.pop(there.number)
                self._joined.add(there.number)
        return found

    def _piece(self, part: Part) -> Piece | None:
        choice = self._choice
        if part.kind == "thinking" and not choice.thinking:
            return None
        if part.kind in ("tool_call", "tool_result", "diff") and choice.tools == NONE:
            return None
        title = clean_line(part.title, TITLE)
        if part.kind == "image":
            return Piece("image", "image", "", self._picture(part))
        text = clean_text(part.text)
        if not text.strip() and part.kind in ("text", "thinking", "diff", "error"):
            return None
        return Piece(part.kind, title, text)

    def _picture(self, part: Part) -> Picture:
        words = clean_line(part.text, 2 * TITLE)
        image: EmbeddedImage | None = part.image
        if not self._choice.images:
            return Picture(f"image left out: {words}")
        if image is None or image.mime not in IMAGE_TYPES:
            return Picture(words)
        try:
            return Picture(words, (image.mime, image_bytes(image, self._blobs)))
        except ImageError as error:
            return Picture(clean_line(f"{words}: {error}", 2 * TITLE))

    def _snippet(self, parts: Sequence[Part]) -> str:
        """An entry in one short line; "" if it has nothing to show."""
        choice = self._choice
        left_out = {"tool_call", "tool_result"} if choice.tools == NONE else set()
        left_out |= set() if choice.thinking else {"thinking"}
        for kind in _TELLING:
            for part in parts:
                if part.kind == kind not in left_out and (part.text.strip() or part.title):
                    text = part.text.strip()[:1_000]
                    if kind == "tool_call":
                        text = f"{part.title} {argument_of(part.title, part.value)}"
                    return clean_line(text, SNIPPET)
        return ""


def local_moment(ms: int) -> Moment | None:
    """A time in milliseconds since the epoch, UTC, in the time zone of this process; None if that cannot tell
    it.
    """
    try:
        at = datetime.fromtimestamp(ms / 1000).astimezone()
    except (OverflowError, ValueError, OSError):
        return None
    day = f"{_DAYS[at.weekday()]} {at.day} {MONTHS[at.month - 1]} {at.year}"
    zone = at.tzname() or ""
    if zone[:1] in "+-":
        # The system has no name for it but the difference: "+0330".
        zone = f"UTC{zone}"
    return Moment(at.isoformat(timespec="seconds"), day, f"{at.hour:02}:{at.minute:02}", zone)


def _is_passed(node: Node) -> bool:
    """Whether an entry begins no branch of its own: it is not shown, or it is the result of a tool."""
    return node.shown_type in SILENT or node.role == "toolResult"


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


def _without_label(places: Sequence[_Place]) -> frozenset[int]:
    """The numbers of the entries in turns without a label."""
    turns: dict[int, int] = {}
    for place in places:
        above = place.node.parent
        turn = 0 if above is None else turns.get(place.first + above.index + 1, 0)
        turns[place.number] = place.number if place.node.role == "user" else turn
    labelled = {turns[place.number] for place in places if place.node.label}
    return frozenset(number for number, turn in turns.items() if turn not in labelled)


def _all_places(tree: SessionTree, first: int) -> Iterator[_Place]:
    """All entries, each below its parent, older branches first; `_Place` has `first`."""
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
