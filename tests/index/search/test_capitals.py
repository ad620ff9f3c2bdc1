"""Words with capitals are searched for in the bytes of files first, and found if a decoded text has them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.lines import open_file
from app.formats.utf8_text import fold, to_nfc, to_utf8
from app.index.search import raw_lines
from app.index.search.cased import cased
from app.index.search.raw_lines import RawLines
from app.index.text import mmap_reader
from app.index.text.mmap_reader import Source
from app.sessions.passages import Block

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def nothing() -> None:
    pass


@pytest.mark.parametrize(
    "text",
    [
        "a\nWidget",
        "Widget\nwidget",
        "a\tWidget\t",
        "C:\\newWidget\\x",
        'say "Widget" twice',
        "tWidget/n",
        "one widget, one Widget\u2028",
        "Widget cafe\u0301",
        "日本Widget語",
        "\x01Widget\x01",
        "x" * 300_000 + "Widget",
    ],
)
def test_any_characters_may_surround_a_word(world: World, text: str) -> None:
    world.session("s1", "a widget", "the widget", text, "widget")
    world.session("s2", "a widget", text.replace("Widget", "widget"))
    world.scan()
    assert world.ids("Widget") == ["s1"]


@pytest.mark.parametrize(
    ("word", "other_words"),
    [
        ("Über", ("über", "ÜBER")),
        ("GRÜSSE", ("grüße", "Grüsse")),
        ("naÏve", ("naïve", "Naïve")),
        ("Проверка", ("проверка", "ПРОВЕРКА")),
        ("Йод", ("йод", "Иод")),
        ("Σίσυφος", ("σίσυφος", "ΣΊΣΥΦΟΣ")),
        ("Åre", ("åre", "Are")),
        ("İstanbul", ("Istanbul", "istanbul")),
        ("Kelvin", ("kelvin", "KELVIN")),
        ("日本A", ("日本a",)),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("escaped", [False, True])
def test_capitals_of_all_scripts(
    world: World, word: str, other_words: tuple[str, ...], form: str, escaped: bool
) -> None:
    for id, texts in (("s1", (*other_words, word)), ("s2", other_words)):
        path = world.session(id, "hello")
        for number, text in enumerate(texts):
            user_message = {"role": "user", "content": f"a {normalize(form, text)}."}  # type: ignore[arg-type]
            line = {"type": "message", "id": str(number), "parentId": None, "message": user_message}
            path.write_text(path.read_text() + json.dumps(line, ensure_ascii=escaped) + "\n")
    world.scan()
    assert world.ids(word) == ["s1"]
    assert world.ids(f"hello -{word}") == ["s2"]


def test_characters_that_are_composed_to_a_word(world: World) -> None:
    world.session("s1", "a \u212aelvin", "an \u212bre")
    world.session("s2", "kelvin and åre", "Cafe\u0301 and cafe")
    world.scan()
    assert world.ids("Kelvin") == world.ids("Åre") == ["s1"]
    assert world.pages("Cafe")[-1].notes
    assert world.ids("Café") == ["s2"]


def test_a_nul_within_a_word_is_ignored(world: World) -> None:
    world.session("s1", "def", "e\0F")
    world.scan()
    assert world.ids("eF") == ["s1"]


def test_a_line_with_the_word_outside_its_texts_is_not_decoded(world: World, decoded: list[bytes]) -> None:
    call = {"type": "toolCall", "id": "c", "name": "newWidget", "arguments": {"path": "src/Widget.py"}}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "a widget"}, call]}
    for number in range(3):
        world.session(f"s{number}", "hello", *[{"type": "message", "message": answer}] * 5)
    world.session("s3", "a Widget")
    world.scan()
    assert [page.total for page in world.search("Widget")][-1] == 1
    assert [b"a Widget" in line for line in decoded] == [True]


def test_nothing_is_decoded_for_a_word_that_no_file_has(world: World, decoded: list[bytes]) -> None:
    for number in range(5):
        world.session(f"s{number}", *["grüße and проверка"] * 20)
    world.scan()
    for word in ("GRÜSSE", "Проверка", "aND"):
        assert world.pages(word)[-1].notes
    assert decoded == []


def test_appended_entries_are_searched(world: World) -> None:
    world.session("s1", "a widget", "a gadget")
    world.scan()
    assert world.pages("Widget")[-1].notes
    world.append("s1", "the Widget")
    world.scan()
    assert world.ids("Widget") == ["s1"]
    assert world.pages("Gadget")[-1].notes


# -- the filter of lines --

_TEXTS = st.text(
    st.sampled_from(
        'aAbBeEfFkKsSI .:\n\t"\\/é\u0301\u0308ÄäÅ\u212a\u212bßẞſﬁİσςΣЙй\u0306日\0\u2028가\u1100\u1161'
    ),
    max_size=12,
)
_WORDS = st.text(st.sampled_from('aAbBeEfFkKsSI.:"éÄäÅßẞſİσςΣЙй日가'), min_size=1, max_size=4)


@given(_TEXTS, _WORDS, _TEXTS, st.sampled_from(["NFC", "NFD", None]), st.booleans(), st.booleans())
@example("\n", "The", "", None, False, False)
@example("", "A", "e\u0301", None, False, False)
def test_no_line_with_the_word_is_excluded(
    before: str, word: str, behind: str, form: str | None, escaped: bool, has_more: bool
) -> None:
    text = before + word + behind
    text = normalize(form, text) if form else text  # type: ignore[arg-type]
    line = json.dumps(
        {"id": "aAbB", "text": text, "more": word if has_more else ""}, ensure_ascii=escaped
    ).encode()
    text = text.replace("\0", "")
    line_filter = cased([word])
    folded = to_utf8(fold(text))
    if line_filter is None or to_nfc(word) not in to_nfc(text) or fold(word) not in fold(text):
        return
    assert line_filter.is_in(line)
    assert line_filter.may_be_in(line, Source(folded), 0, len(folded))


def test_how_a_run_is_chosen() -> None:
    def run(*words: str) -> bytes:
        line_filter = cased(words)
        assert line_filter is not None
        return line_filter._run

    assert run("Widget") == b"Widget"
    assert run("up", "Up", "upper") == b"Up"
    assert run('say="Hi"') == b"Hi"
    assert run("Kelvin") == b"elvin"
    assert run("Straße") == b"Stra"
    assert cased(["K"]) is None
    assert cased(['"/"']) is None


@given(
    st.lists(st.sampled_from(["", "a", "bX", "Xb", "x" * 40, "Yx", "aXY" + "x" * 90]), max_size=12),
    st.booleans(),
    st.integers(0, 12),
)
def test_lines_are_found_for_any_buffer_size(lines: list[str], is_ended: bool, skipped: int) -> None:
    data = "\n".join(lines).encode() + (b"\n" if is_ended else b"")
    offsets, offset = [], 0
    for line in lines:
        offsets.append(offset)
        offset += len(line) + 1
    skipped = min(skipped, len(lines))
    wanted = [pair for pair in zip(offsets, lines, strict=True) if "X" in pair[1] or "Y" in pair[1]][skipped:]
    first = wanted[0][0] if wanted else offset
    finders = [
        lambda data, position, end: data.find(b"X", position, end),
        lambda data, position, end: data.find(b"Y", position, end),
    ]
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(raw_lines, "_FIRST", 8)
        patch.setattr(raw_lines, "_SIZE", 32)
        path = Path(folder, "file")
        path.write_bytes(data)
        raw = RawLines(finders)
        for _ in range(2):
            with open(path, "rb", opener=lambda name, _: open_file(name)) as file:
                raw.open(file.fileno())
                results, position = [], first
                while (position := raw.next(position, nothing)) >= 0:
                    results.append((position, raw.line().decode()))
                    base, block = raw.block()
                    assert data[base : base + len(block)] == block
                    assert block.strip() == results[-1][1].encode()
                    position += 1 + len(results[-1][1])
                assert results == wanted
    assert raw.read <= 2 * (4 * len(data) + 100)


def test_matching_tool_output_costs_no_pass_over_the_conversation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only tool output after the conversation has the word. Each block is read a few times at most, however
    many lines have the word.
    """
    count = 40
    world.session("s1", "the def")
    world.scan()
    for number in range(count):
        world.append("s1", f"{number} def")
        world.scan()
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": "DeF", "isError": False}
    with world.path("s1").open("a") as file:
        for number in range(count):
            line = {"type": "message", "id": f"t{number}", "parentId": "s1-0", "message": result}
            file.write(json.dumps(line) + "\n")
    world.scan()
    blocks = []

    def counted(data: bytes, begin: int) -> Block:
        blocks.append(begin)
        return Block(data, begin)

    monkeypatch.setattr(mmap_reader, "Block", counted)
    assert world.ids("def -DeF") == ["s1"]
    assert count <= len(blocks) < 4 * count
