"""Sessions with lines that a reader must skip, or read leniently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.corpus.pieces import ENTRIES, half, message_line, prompt, rest, whole
from tests.benchmarks.corpus.variants import agent, omp, transcript

if TYPE_CHECKING:
    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker


def torn_line(maker: Maker) -> Draft:
    draft = whole(maker)
    draft.tail = message_line(draft, "and the").encode()
    draft.truth.problems += 1
    return draft


def torn_character(maker: Maker) -> Draft:
    """The last line ends in the middle of a character."""
    draft = whole(maker)
    draft.tail = message_line(draft, "日本").encode()[:-1]
    draft.truth.problems += 1
    return draft


def nul_tail(maker: Maker) -> Draft:
    """After a crash of the machine, the file has its length but not its bytes."""
    draft = whole(maker)
    draft.tail = bytes(2_048)
    draft.truth.problems += 1
    return draft


def nul_line(maker: Maker) -> Draft:
    """The same, and the agent has appended entries since."""
    draft = half(maker)
    draft.broken(bytes(512))
    return rest(maker, draft)


def crlf(maker: Maker) -> Draft:
    draft = whole(maker)
    draft.newline = b"\r\n"
    return draft


def bom(maker: Maker) -> Draft:
    """pi refuses such a file; leafmark reads it and reports a problem."""
    draft = whole(maker)
    draft.prefix = b"\xef\xbb\xbf"
    draft.truth.problems += 1
    return draft


def invalid_utf8(maker: Maker) -> Draft:
    """Bytes that are not UTF-8, in a prompt and in tool output; both lines count."""
    draft = prompt(maker, "caf\ufffd au lait")
    draft.lines = [line.replace("caf\ufffd".encode(), b"caf\xe9") for line in draft.lines]
    draft.tool_result("call_x", "bash", '"BYTES"')
    draft.lines[-1] = draft.lines[-1].replace(b"BYTES", b"\xff\xfe\x80 latin-1 \xe9")
    if draft.truth.agent == "codex":
        # Its id is a digest of the line.
        draft.truth.open.add("leaf_id")
    return draft


def lone_surrogate(maker: Maker) -> Draft:
    """Half a character, as a JavaScript program that cuts strings writes it."""
    draft = prompt(maker, "cut here \ud83d", '"cut here \\ud83d"')
    draft.tool_result("call_x", "bash", '"\\udc00 and \\ud800\\ud800"')
    return draft


def bad_escape(maker: Maker) -> Draft:
    draft = half(maker)
    draft.lost(message_line(draft, 'C:\\work\\x"}}'))
    return rest(maker, draft)


def raw_control(maker: Maker) -> Draft:
    """An unescaped tab and escape character in a string, which JSON forbids."""
    draft = half(maker)
    draft.lost(message_line(draft, 'a\tb\x1b[0m"}}'))
    return rest(maker, draft)


def not_a_number(maker: Maker) -> Draft:
    draft = half(maker)
    draft.lost(message_line(draft, '"},"score":NaN}'))
    return rest(maker, draft)


def blank_lines(maker: Maker) -> Draft:
    draft = half(maker)
    for line in ("", "   ", "\t", ""):
        draft.raw(line)
    return rest(maker, draft)


def garbage_line(maker: Maker) -> Draft:
    draft = half(maker)
    draft.broken("<<<<<<< HEAD")
    return rest(maker, draft)


def glued_lines(maker: Maker) -> Draft:
    """A torn entry, and a whole one behind it on its line, which is read
    (formats/README.md, "Odd values").
    """
    draft = half(maker)
    parent = draft.leaf
    draft.lost(
        message_line(draft, "torn off") + draft.line("custom", ',"customType":"x"', "00000000", parent)
    )
    if draft.truth.agent != "codex":  # there it is a note for the screen, and no entry
        draft.truth.entry("00000000", parent)
    return rest(maker, draft)


def no_objects(maker: Maker) -> Draft:
    """Lines of JSON that are not objects."""
    draft = half(maker)
    for line in ("[1,2,3]", "42", '"text"', "null", "true"):
        draft.broken(line)
    return rest(maker, draft)


def huge_line(maker: Maker) -> Draft:
    """A tool result of 5 MB."""
    draft = half(maker)
    block = maker.chunks.output[0].json[1:-1]
    draft.tool_result("call_x", "read", f'"{block * (5_000_000 // len(block) + 1)}"')
    return rest(maker, draft)


def deep_line(maker: Maker) -> Draft:
    """3,000 nested brackets: pi reads and counts the line."""
    draft = half(maker)
    draft.entry("message", f',"message":{{"role":"custom","content":"x","details":{"[" * 3000}{"]" * 3000}}}')
    draft.truth.message("custom", draft.at)
    return rest(maker, draft)


def omp_torn(maker: Maker) -> Draft:
    draft = omp(maker, ENTRIES)
    draft.tail = message_line(draft, "and").encode()
    draft.truth.problems += 1
    return draft


def omp_garbage(maker: Maker) -> Draft:
    draft = omp(maker, ENTRIES)
    draft.broken("{")
    return draft


def omp_crlf(maker: Maker) -> Draft:
    """The title slot has 257 bytes."""
    draft = omp(maker, ENTRIES)
    draft.newline = b"\r\n"
    return draft


def agent_garbage(maker: Maker) -> Draft:
    draft = agent(maker, ENTRIES)
    draft.broken("goroutine 1 [running]:")
    return rest(maker, draft)


def transcript_torn(maker: Maker) -> Draft:
    draft = transcript(maker, ENTRIES)
    draft.tail = b'{"schema":"indus/transcript@1","kind":"entry","id":"x'
    draft.truth.problems += 1
    return draft
