"""Random sessions and queries with every reason for bytes to differ from their text, and a slow reference
search.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from hypothesis import strategies as st

from app.formats import BadLine, decode, dialect_named, header_in, records_in, text_kinds, text_pieces
from app.index.query import PHRASE, REGEX, WORD, Query, Term

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.formats import Dialect

STRIDE = 1 << 20  # the number of the first entry of the second record of a line

WORDS = (
    "foo", "Foo", "FOO", "foobar", "file", "ﬁle", "office", "oﬃce", "Straße", "STRASSE",
    "strasse", "fur", "für", "FÜR", "fu\u0308r", "FU\u0308R", "café", "cafe\u0301",
    "CAFE\u0301", "naïve", "kelvin", "\u212aelvin", "\u017fecret", "secret", "İstanbul",
    "i\u0307stanbul", "istanbul", "привет", "ПРИВЕТ", "Привет", "йод", "и\u0306од", "Йод",
    "σοφός", "ΣΟΦΟΣ", "σοφοσ", "ᾳδω", "ΑΙΔΩ", "デプロイ", "テ\u3099フ\u309aロイ", "が", "か\u3099", "검색",
    "\u1100\u1165\u11b7\u1109\u1162\u11a8", "你好", "豈", "\uf900", "✅", "🎉", "👩‍💻", "a;b",
    "a\u037eb", "a`b", "a\u1feff", "x<y", "x<\u0338y", "path/to/file", "C:\\dir\\name",
    'say("hi")', "new\\nline", "404", "1e5", "3.14", "100000", "-7", "true", "null", "message",
    "text", "user", "bash", "k", "ß", "é", "\u0301", "\ufffd", "a\0b", "ab", "क़", "\u0958",
    "ệ", "e\u0323\u0302", "e\u0302\u0323", "Ǆungla", "ǆungla", "ŉa", "ʼna", "ǰx", "j\u030cx",
    "Infinity",
)  # fmt: skip
TOOLS = ("bash", "read", "Edit")
_BLANKS = (" ", "\n", "\t", "\u3000", "  ", " \r\n ")

texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from((*_BLANKS, "", "_", "."))), max_size=5
).map(lambda parts: "".join(word + blank for word, blank in parts))
numbers = st.one_of(
    st.sampled_from(
        (404, -7, 1e5, 100000.0, 3.14, 1e-05, 0.00001234, 10**22, 1e22, True, False, None, 1e300)
    ),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
arguments = st.recursive(
    texts | numbers,
    lambda items: st.lists(items, max_size=2) | st.dictionaries(texts, items, max_size=2),
    max_leaves=4,
)
calls = st.sampled_from(("call_1", "call_2"))


def _block(snake: bool) -> st.SearchStrategy[dict[str, Any]]:
    call = "tool_call" if snake else "toolCall"
    return st.one_of(
        texts.map(lambda text: {"type": "text", "text": text}),
        texts.map(lambda text: {"type": "thinking", "thinking": text, "thinkingSignature": "Zm9v"}),
        st.builds(
            lambda name, id_, args: {"type": call, "id": id_, "name": name, "arguments": args},
            st.sampled_from(TOOLS),
            calls,
            st.dictionaries(texts, arguments, max_size=2),
        ),
        st.just({"type": "image", "data": "Zm9vYmFy" * 3, "mimeType": "image/png"}),
    )


def _message(snake: bool) -> st.SearchStrategy[dict[str, Any]]:
    names = {"toolName": "tool_name", "toolCallId": "tool_call_id"} if snake else {}
    content = texts | st.lists(_block(snake), max_size=3)

    def result(name: str, id_: str, content: Any) -> dict[str, Any]:
        role = "tool_result" if snake else "toolResult"
        result_message = {names.get("toolCallId", "toolCallId"): id_, "content": content, "role": role}
        return result_message | ({names.get("toolName", "toolName"): name} if name else {})

    return st.one_of(
        content.map(lambda content: {"role": "user", "content": content}),
        content.map(
            lambda content: {"role": "assistant", "content": content, "model": "Foo-1", "stopReason": "stop"}
        ),
        st.builds(result, st.sampled_from((*TOOLS, "")), calls, content),
        st.builds(
            lambda command, output: {"role": "bashExecution", "command": command, "output": output},
            texts,
            texts,
        ),
        texts.map(lambda text: {"role": "branchSummary", "summary": text}),
    )


def _entry(dialect: str) -> st.SearchStrategy[Any]:
    messages = _message(dialect == "agent")
    if dialect == "transcript":
        return st.one_of(
            messages.map(
                lambda message: {"kind": "entry", "id": "n1", "role": message["role"], "message": message}
            ),
            texts.map(
                lambda text: {"kind": "entry", "id": "n2", "role": "condense", "message": {"summary": text}}
            ),
            st.just({"kind": "head", "leaf": "n1"}),
        )
    pi = st.one_of(
        messages.map(lambda message: {"type": "message", "id": "e1", "parentId": "foo", "message": message}),
        texts.map(lambda text: {"type": "compaction", "id": "e2", "summary": text}),
        texts.map(lambda text: {"type": "custom_message", "customType": "note", "content": text, "id": "e3"}),
        texts.map(lambda text: {"type": "custom", "customType": "plan", "data": {"foo": text}}),
        texts.map(lambda text: {"type": "session_info", "name": text}),
        texts.map(lambda text: {"type": "title", "title": text}),
    )
    return pi


@st.composite
def sessions(draw: st.DrawFn) -> tuple[str, bytes]:
    """(dialect, bytes of the file)."""
    dialect = draw(st.sampled_from(("pi", "pi", "omp", "indusagi", "agent", "transcript")))
    random = Random(draw(st.integers(0, 1 << 32)))
    written = draw(st.sampled_from((0.0, 0.0, 0.05, 0.5, 1.0)))
    head = b'{"type":"session","version":3,"id":"foo","cwd":"/bar","parentSession":"/bash/FOO"}'
    lines = [head, *(spelt(value, random, written) for value in draw(st.lists(_entry(dialect), max_size=12)))]
    for number, line in enumerate(lines):
        damage = random.random()
        if damage < 0.03:
            lines[number] = line[: random.randrange(len(line) + 1)]
        elif damage < 0.08 and number:
            index = random.randrange(len(line) + 1)
            lines[number] = line[:index] + bytes([random.choice((0xFF, 0xC3, 0xE2, 0x80, 0))]) + line[index:]
        elif damage < 0.1:
            lines[number] = random.choice((b"", b"  ", line + b"\r"))
    bom = b"\xef\xbb\xbf" if random.random() < 0.1 else b""
    return dialect, bom + b"\n".join(lines) + random.choice((b"\n", b"", b'\n{"type":"message","mess'))


def spelt(value: Any, random: Random, escaped: float) -> bytes:
    """Encode a value as JSON with needless escapes, blanks and decomposed text."""
    return "".join(_spelt(value, random, escaped)).encode("utf-8", "replace")


def _spelt(value: Any, random: Random, escaped: float) -> list[str]:
    if isinstance(value, str):
        form = random.choice(("NFC", "NFD", "", "", ""))
        text = normalize(form, value) if form else value
        return ['"', *(_char(char, random, escaped) for char in text), '"']
    comma, colon = random.choice(((",", ":"), (", ", ": ")))
    if isinstance(value, dict):
        parts = [
            [
                *(_spelt(key, random, escaped) if key in WORDS else f'"{key}"'),
                colon,
                *_spelt(item, random, escaped),
            ]
            if not _is_key(key)
            else [f'"{key}"', colon, *(_spelt_field(key, item, random, escaped))]
            for key, item in value.items()
        ]
        return ["{", *_joined(parts, comma), "}"]
    if isinstance(value, list):
        return ["[", *_joined([_spelt(item, random, escaped) for item in value], comma), "]"]
    if isinstance(value, float) and random.random() < 0.3:
        return [f"{value:E}"]
    return [json.dumps(value)]


_KEYS = frozenset((
    "type", "id", "parentId", "role", "message", "content", "text", "thinking", "name",
    "arguments", "kind", "toolCallId", "tool_call_id", "toolName", "tool_name", "command",
    "output", "summary", "customType", "data", "title", "value",
))  # fmt: skip


def _is_key(key: str) -> bool:
    return key in _KEYS


def _spelt_field(key: str, value: Any, random: Random, escaped: float) -> list[str]:
    # Agents do not escape the words of the format.
    plain = key in ("type", "role", "kind", "id", "toolCallId", "tool_call_id")
    return [json.dumps(value)] if plain else _spelt(value, random, escaped)


def _joined(parts: list[list[str]], comma: str) -> list[str]:
    return [piece for number, part in enumerate(parts) for piece in ([comma] if number else []) + part]


_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\", "/": "\\/"}


def _char(char: str, random: Random, escaped: float) -> str:
    if random.random() < escaped:
        units = char.encode("utf-16-be", "surrogatepass")
        form = random.choice(("04x", "04X"))
        return "".join(
            "\\u" + format(int.from_bytes(units[index : index + 2]), form)
            for index in range(0, len(units), 2)
        )
    if char == "/":
        return random.choice(("/", "/", "\\/"))
    if char < " " and char not in _SHORT:
        return f"\\u{ord(char):04x}"
    return _SHORT.get(char, char)


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Random queries whose terms are taken from the same words."""

    def term(text: str, kind: str, case: str, cut: tuple[int, int], exact: bool, negated: bool) -> Term:
        text = {"": text, "lower": text.lower(), "upper": text.upper(), "fold": text.casefold()}[case]
        text = normalize("NFC", text)
        if kind != REGEX and cut[0] < len(text) - cut[1]:
            text = text[cut[0] : len(text) - cut[1]]
        text = text.replace("\0", "") or "x"
        return Term(kind, text, exact, negated)

    words = st.sampled_from([word for word in WORDS if "\n" not in word])
    cuts = st.tuples(st.sampled_from((0, 0, 1, 2)), st.sampled_from((0, 0, 1, 2)))
    cases = st.sampled_from(("", "", "lower", "upper", "fold"))
    rarely = st.sampled_from((False, False, False, True))
    word = st.builds(term, words, st.just(WORD), cases, cuts, rarely, rarely)
    two = st.builds(lambda first, second: f"{first} {second}", words, words)
    phrase = st.builds(term, two, st.just(PHRASE), cases, st.just((0, 0)), rarely, rarely)
    pattern = st.sampled_from(
        (
            r"fo+",
            r"foo\w+",
            r"^foo",
            r"[0-9]+e",
            r"caf.",
            r"foo\d|straße|x",
            r"kelvin$|404",
            r"stra.*",
            r"x?bash",
            r"a\;b",
            r"\d{3}",
        )
    )
    regex = st.builds(term, pattern, st.just(REGEX), st.just(""), st.just((0, 0)), st.just(False), rarely)
    terms = draw(st.lists(st.one_of(word, word, word, phrase, regex), min_size=1, max_size=3))
    found_in = draw(
        st.sampled_from(
            (
                text_kinds.ALL,
                text_kinds.ALL,
                text_kinds.TOOLS,
                text_kinds.NAMES["tool"],
                text_kinds.CONVERSATION,
                text_kinds.NAMES["user"],
            )
        )
    )
    tools = draw(
        st.sampled_from((frozenset(), frozenset(), frozenset(("bash",)), frozenset(("read", "edit"))))
    )
    return Query(terms=tuple(terms), kinds=found_in, tools=tools)


# -- the slow search --


def slow_spots(data: bytes, dialect: str, query: Query) -> list[tuple[int, int, int, tuple[bool, ...]]]:
    """(kind, offset, part, which terms it has) of every text that the query searches."""
    spelling = dialect_named(dialect)
    spots = []
    offset = 0
    callers: dict[str, str] = {}
    for number, line in enumerate(data.split(b"\n")):
        content = line.removeprefix(b"\xef\xbb\xbf") if not number else line
        for part, entry in _entries(content, spelling, dialect):
            is_name = entry.get("type") == "title"
            for piece in text_pieces(entry) if not is_name else ():
                tool = piece.tool
                if piece.kind == text_kinds.RESULT and not tool:
                    tool = callers.get(entry["message"].get("toolCallId"), "")
                if _is_asked(query, piece.kind, tool):
                    spots.append(
                        (piece.kind, offset, part, tuple(has(term, piece.text) for term in query.terms))
                    )
            callers.update(_callers(entry))
        offset += len(line) + 1
    return spots


def _entries(content: bytes, spelling: Dialect, dialect: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entry of a line with the number of its part; those of the records in a damaged line."""
    entry: dict[str, Any] | None
    try:
        entry = spelling.entry(content)
    except BadLine:
        entry = None if spelling.one_entry_a_line else header_in(content)
    if entry is not None:
        yield 0, entry
    elif not _is_json(content):
        for number, record in enumerate(records_in(content)):
            for part, entry in _entries(record, spelling, dialect):
                yield number * STRIDE + part, entry


def _is_json(content: bytes) -> bool:
    try:
        decode(content)
    except BadLine:
        return False
    return True


def _is_asked(query: Query, kind: int, tool: str) -> bool:
    if kind not in query.kinds:
        return False
    return not query.tools or kind not in (text_kinds.CALL, text_kinds.RESULT) or folded(tool) in query.tools


def _callers(entry: dict[str, Any]) -> dict[str, str]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return {
        block["id"]: block["name"]
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, dict)
        and block.get("type") in ("toolCall", "tool_call")
        # The fields of a damaged line may differ from those that were written.
        and isinstance(block.get("id"), str)
        and isinstance(block.get("name"), str)
    }


def has(term: Term, text: str) -> bool:
    """Whether a text has the term."""
    composed = normalize("NFC", text)
    if term.kind == REGEX:
        # Folding turns this letter into two.
        pattern = term.text.replace("ß", "ss")
        # RE2's classes contain ASCII only, and a line may end with CRLF.
        pattern = pattern.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]").replace("$", r"(?:\r?$)")
        return re.search(pattern, folded(text), re.MULTILINE | re.IGNORECASE) is not None
    loose, strict = (
        r"\s+".join(map(re.escape, words.split(" ")))
        for words in (folded(term.text), normalize("NFC", term.text))
    )
    return bool(re.search(loose, folded(text))) and (not term.exact or bool(re.search(strict, composed)))


def folded(text: str) -> str:
    """The text folded and composed."""
    return normalize("NFC", normalize("NFC", text).casefold())
