"""Makes a summary from the two ends of a session file, before the whole file is read.

A list of thousands of sessions is on the screen long before all files are read: the header and the first
prompt are at the beginning of a file, the newest message and usually the name at its end.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.formats.content import text_of
from app.formats.dialects import dialect_named
from app.formats.errors import NotASession
from app.formats.header import read_header
from app.formats.json_codec import BadLine, decode
from app.formats.lines import BLANK_BYTES, opened, read_at, run_start
from app.formats.partial_entry import ABSENT
from app.formats.text import trim_name, valid_string_of
from app.formats.timestamps import in_milliseconds, message_time, parse_time
from app.sessions.summaries.titles import TitleFold, typed_text
from app.sessions.summary import FIRST_MESSAGE_LIMIT, FROM_NAME, FROM_NOTHING, Summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.dialects.base import Dialect, LineReader
    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry

HEAD_BYTES = 4 << 10
TAIL_BYTES = 32 << 10
"""Bytes that are read at the beginning of a file and, at most, at its end. omp's own list reads as many
(formats/README.md, "List of oh-my-pi").
"""

FIRST_TAIL_BYTES = 8 << 10
"""Bytes that are read first at the end: they usually have the last message, and many files are read."""

UNKNOWN_TITLE = "…"
"""The title of a session whose ends contain neither a name nor a prompt that a person typed."""

_DECIDING = 64
"""Characters. If less of a prompt is known, the rest may show that it is a command or a greeting."""

_EMPTY = BLANK_BYTES + b"\0"
"""Bytes without meaning at the end of a file."""

_ROLE = re.compile(rb'"role"\s*:\s*"(\w*)"')
_TEXT = re.compile(rb'"(?:content|text)"\s*:\s*"((?:[^"\\]++|\\.)*+)', re.DOTALL)
_HALF_ESCAPE = re.compile(rb"\\u[0-9a-fA-F]{0,3}\Z")


def quick_title(path: str, agents: Sequence[str]) -> str:
    """The title of the session at `path`, as `quick_summary` finds it; "" if its ends do not tell it."""
    summary = quick_summary(path, agents, 0)
    return "" if summary is None or summary.title == UNKNOWN_TITLE else summary.title


def quick_summary(path: str, agents: Sequence[str], mtime_ms: int) -> Summary | None:
    """The summary of the file at `path`, from at most `HEAD_BYTES` and `TAIL_BYTES` at its two ends.

    The agent, dialect, id, cwd and, if they are not empty, created and parent_session are certain, because
    they are in the header. The other fields may differ from those of the whole file:

    - `first_message` is the first prompt, or its beginning if the head ends within it; "" if it is not in
      the head.
    - `title` is that of the whole file, unless a later line names the session; or `UNKNOWN_TITLE`.
    - `name` is the latest one in the two ends.
    - `modified` is the time of the last message in the tail, else that of the file.
    - All other fields are 0 or empty.

    :param agents: the agents whose store the file is in, usually one.
    :param mtime_ms: the modification time of the file.
    :return: None if the head has no header, or the file cannot be read. Nothing is raised.
    """
    try:
        with opened(path) as descriptor:
            return _read(path, descriptor, agents).summary(mtime_ms)
    except (NotASession, OSError):
        return None


def _read(path: str, descriptor: int, agents: Sequence[str]) -> _Ends:
    """The facts in the ends of the open file.

    :raises NotASession: there is no header in the head.
    :raises OSError: the file cannot be read.
    """
    size = os.fstat(descriptor).st_size
    head = read_at(descriptor, HEAD_BYTES, 0)
    whole = head.rfind(b"\n") + 1
    header = read_header(path, head[:whole], agents)
    ends = _Ends(header)
    is_whole = size == whole
    ends.begin(head[header.offset + header.length : whole], head[whole:], is_whole=is_whole)
    tail = read_at(descriptor, FIRST_TAIL_BYTES, max(size - FIRST_TAIL_BYTES, 0))
    if tail[-2:].strip(_EMPTY) == b"" == tail.strip(_EMPTY):
        # A crash may leave gigabytes of NUL bytes: the newest message is before them.
        size = run_start(descriptor, size, _EMPTY)
        tail = read_at(descriptor, min(FIRST_TAIL_BYTES, size), max(size - FIRST_TAIL_BYTES, 0))
    ends.end(tail)
    if not ends.newest and size > FIRST_TAIL_BYTES:
        start = max(size - TAIL_BYTES, 0)
        ends.end(read_at(descriptor, size - FIRST_TAIL_BYTES - start, start) + tail)
    return ends


class _Ends:
    """The facts that were found so far.

    newest   the time of the last message; 0 if none was found
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self._dialect: Dialect = dialect_named(header.dialect)
        self._names = self._dialect.reader()
        self._name = header.name
        self._prompt = ""
        self._titles = TitleFold()
        self._has_all_prompts = False
        self._created = header.created_ms
        self.newest = 0

    def begin(self, lines: bytes, cut: bytes, *, is_whole: bool) -> None:
        """Read the head.

        :param lines: the whole lines after the header.
        :param cut: the beginning of the line after them.
        :param is_whole: the file has no other lines.
        """
        titles = self._titles
        self._has_all_prompts = is_whole
        reader = self._dialect.reader()
        reader.foresee(lines)
        for line in _lines_with(b'"user"', lines):
            for entry in self._entries_of(line, reader):
                message = entry.message
                if message is not None and message.role == "user":
                    prompt = text_of(message.content)[:FIRST_MESSAGE_LIMIT]
                    self._prompt = self._prompt or prompt
                    titles.add_prompt(prompt, is_typed=self._dialect.knows_prompts)
            if titles.typed:
                break
        else:
            # In other formats, a line with the user's role may be no prompt.
            prompt = _beginning(cut) if self._dialect.one_entry_a_line else ""
            self._prompt = self._prompt or prompt
            # The tag of a block may be cut.
            if len(prompt) >= _DECIDING and not typed_text(prompt).startswith("<"):
                titles.add_prompt(prompt)
        if self._created is None:
            stamps = (entry.timestamp for line in lines.split(b"\n") for entry in self._entries_of(line))
            self._created = next(filter(None, map(parse_time, stamps)), None)
        self._find_name(lines)

    def end(self, tail: bytes) -> None:
        """Read the end of the file. It begins with a part of a line, which no decoder accepts."""
        self._find_name(tail)
        end = len(tail)
        while not self.newest and (start := tail.rfind(b"\n", 0, end)) >= 0:
            for entry in self._entries_of(tail[start + 1 : end]):
                self._date(entry)
            end = start

    def summary(self, mtime_ms: int) -> Summary:
        header = self._header
        name, prompt = self._name, self._prompt
        titles = self._titles
        title, source = titles.title(name, 0)
        if source != FROM_NAME and not (titles.typed or (titles.prompt and self._has_all_prompts)):
            title, source = UNKNOWN_TITLE, FROM_NOTHING
        return Summary(
            header.agent,
            header.dialect,
            header.id,
            header.cwd,
            name,
            title,
            source,
            prompt,
            "",
            self._created,
            in_milliseconds(self.newest) or mtime_ms,
            # The other fields need the whole file. Keyword arguments would take twice as long.
            0,
            0,
            0,
            0,
            (),
            None,
            header.parent_session,
            (),
            (),
            (0, 0, 0, 0),
            0.0,
            0,
            0,
            0,
            False,
            False,
            "",
            header.spawned,
            first_id=header.first_id,
        )

    def _find_name(self, lines: bytes) -> None:
        marker = self._dialect.name_marker
        for line in _lines_with(marker, lines) if marker else ():
            for entry in self._entries_of(line, self._names):
                if entry.type == "session_info":
                    self._name = self._dialect.name_after(self._name, trim_name(entry.name))

    def _date(self, entry: PartialEntry) -> None:
        message = entry.message
        if message is None or message.role not in ("user", "assistant") or message.content is ABSENT:
            return
        time_ms = message_time(message.timestamp, entry.timestamp)
        if time_ms is not None and time_ms > self.newest:
            self.newest = time_ms

    def _entries_of(self, line: bytes, reader: LineReader | None = None) -> Sequence[PartialEntry]:
        """The entries of a line; none if it is damaged, cut or blank.

        :param reader: what reads the line; by default the dialect.
        """
        if not line:
            return ()
        try:
            return (reader or self._dialect).partial_entries(line)
        except BadLine:
            return ()


def _lines_with(word: bytes, lines: bytes) -> Iterator[bytes]:
    position = lines.find(word)
    while position >= 0:
        start = lines.rfind(b"\n", 0, position) + 1
        end = lines.find(b"\n", position)
        if end < 0:
            end = len(lines)
        yield lines[start:end]
        position = lines.find(word, end)


def _beginning(line: bytes) -> str:
    """The beginning of the text of a prompt.

    :param line: the beginning of its line.
    :return: "" if the line is no prompt, or its text is not in the beginning.
    """
    role = _ROLE.search(line)
    if role is None or role[1] != b"user":
        return ""
    text = _TEXT.search(line, role.end())
    if text is None:
        return ""
    beginning = _HALF_ESCAPE.sub(b"", text[1]).decode("utf-8", "ignore")
    try:
        value = decode(f'{{"text":"{beginning}"}}'.encode())["text"]
    except BadLine:
        return ""
    return valid_string_of(value)
