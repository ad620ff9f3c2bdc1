"""`externalize` shortens an entry like oh-my-pi, and `inline_blobs` restores its images
(formats/README.md, "Size limits of oh-my-pi").
"""

from __future__ import annotations

import base64
import copy
import hashlib
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions import BlobStore
from app.sessions.storage.blobs import (
    DESCEND,
    DROP,
    MAX_STRING_LENGTH,
    MIN_BLOB_LENGTH,
    NOTICE,
    PREFIX,
    edit_json,
    externalize,
    inline_blobs,
)
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

HUGE = "line\n" * (MAX_STRING_LENGTH // 4)
IMAGE = base64.b64encode(b"\x89PNG" + bytes(range(256)) * 8).decode()
SMALL = base64.b64encode(b"x" * (MIN_BLOB_LENGTH // 4 * 3 - 1)).decode()[: MIN_BLOB_LENGTH - 4]
URL = "data:image/png;base64," + SMALL
ROOM = MAX_STRING_LENGTH - len(NOTICE)


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "blobs"))


def message(**fields: Any) -> dict[str, Any]:
    body = {"role": "toolResult", **fields}
    return {"type": "message", "id": "00000001", "parentId": None, "message": body}


def ref_to(data: bytes) -> str:
    return PREFIX + hashlib.sha256(data).hexdigest()


def picture(data: str = IMAGE, **more: Any) -> dict[str, Any]:
    return {"type": "image", "data": data, "mimeType": "image/png", **more}


def server_tool(block: Any) -> dict[str, Any]:
    return {"type": "anthropicServerTool", "block": block}


def count(blobs: BlobStore) -> int:
    return len(os.listdir(blobs.folder)) if os.path.isdir(blobs.folder) else 0


def test_an_ordinary_entry_is_unchanged_and_makes_no_blob(blobs: BlobStore) -> None:
    entry = message(content=[{"type": "text", "text": "hello"}, picture(SMALL)], lineCount=7, details=None)
    before = copy.deepcopy(entry)
    assert externalize(entry, blobs) is entry
    assert externalize(entry, None) is entry
    assert inline_blobs(entry, blobs) is entry
    assert entry == before
    assert count(blobs) == 0


@cases(
    ("text", "kept"),
    [
        ("x" * MAX_STRING_LENGTH, None),
        ("x" * (MAX_STRING_LENGTH + 1), "x" * ROOM),
        ("😀" * (MAX_STRING_LENGTH // 2), None),
        ("😀" * (MAX_STRING_LENGTH // 2 + 1), "😀" * (ROOM // 2)),
        ("x" + "😀" * (MAX_STRING_LENGTH // 2), "x" + "😀" * ((ROOM - 1) // 2)),
        ("\ud800" * (MAX_STRING_LENGTH + 1), "\ud800" * (ROOM - 1)),
        ("é" * MAX_STRING_LENGTH, None),
        ("é" * (MAX_STRING_LENGTH + 1), "é" * ROOM),
    ],
    ids=["fits", "one over", "pairs fit", "pairs over", "odd pairs", "lone surrogates", "two bytes", "over"],
)
def test_a_long_string_is_cut_by_utf16_units(text: str, kept: str | None) -> None:
    entry = message(output=text, exitCode=0)
    short = externalize(entry, None)
    if kept is None:
        assert short is entry
        return
    cut = short["message"]["output"]
    assert cut.startswith(kept)
    assert cut[len(kept) :] == NOTICE
    assert list(short["message"]) == list(entry["message"])
    assert externalize(short, None) is short, "what was cut is cut only once"
    assert entry["message"]["output"] is text


def test_the_notice_equals_the_specification() -> None:
    assert NOTICE.strip() == "[Session persistence truncated large content]"


def test_transient_fields_are_removed_everywhere() -> None:
    entry = message(
        content=[{"type": "toolCall", "arguments": {"path": "a"}, "partialJson": '{"pa'}],
        details={"jsonlEvents": [{"n": 1}], "more": [{"jsonlEvents": None, "kept": "jsonlEvents"}]},
    )
    short = externalize(entry, None)
    assert short["message"]["content"] == [{"type": "toolCall", "arguments": {"path": "a"}}]
    assert short["message"]["details"] == {"more": [{"kept": "jsonlEvents"}]}
    assert "partialJson" in entry["message"]["content"][0]


@cases(
    ("fields", "lines"),
    [
        ({"content": HUGE, "lineCount": 1}, (HUGE[:ROOM] + NOTICE).count("\n") + 1),
        ({"content": "a\nb\n", "lineCount": 1, "jsonlEvents": []}, 3),
        ({"content": "", "lineCount": 5.5, "jsonlEvents": []}, 1),
        ({"content": "a\nb", "lineCount": 9}, 9),
        ({"content": "a\nb", "lineCount": "9", "jsonlEvents": []}, "9"),
        ({"content": "a\nb", "lineCount": True, "jsonlEvents": []}, True),
        ({"content": ["a\nb"], "lineCount": 9, "jsonlEvents": []}, 9),
        ({"text": HUGE, "lineCount": 9}, 9),
    ],
)
def test_lines_are_counted_again_in_changed_objects(fields: dict[str, Any], lines: Any) -> None:
    assert externalize(message(details=fields), None)["message"]["details"]["lineCount"] == lines


@pytest.mark.parametrize(
    ("place", "becomes_a_blob"),
    [
        ({"content": [picture()]}, True),
        ({"content": picture()}, True),
        ({"content": [[picture()]]}, True),
        ({"images": [picture()]}, True),
        ({"images": [{"data": IMAGE, "mimeType": "IMAGE/webp"}]}, True),
        ({"preserveData": {"snapcompact": {"frames": [{"data": IMAGE, "mimeType": "image/png"}]}}}, True),
        ({"content": [{"type": "image_generation_call", "result": IMAGE}]}, True),
        ({"images": [{"data": IMAGE, "mimeType": "text/plain"}]}, False),
        ({"images": [{"data": IMAGE}]}, False),
        ({"content": [{"data": IMAGE, "mimeType": "image/png"}]}, False),
        ({"content": [{"type": "text", "text": IMAGE, "data": IMAGE}]}, False),
        ({"details": picture()}, False),
        ({"content": [picture(SMALL)]}, False),
        ({"content": [picture(PREFIX + "0" * MIN_BLOB_LENGTH)]}, False),
    ],
)
def test_an_image_becomes_a_blob_only_in_image_fields(
    blobs: BlobStore, place: dict[str, Any], becomes_a_blob: bool
) -> None:
    entry = message(**place)
    before = copy.deepcopy(entry)
    short = externalize(entry, blobs)
    assert (short is not entry) == becomes_a_blob == (count(blobs) == 1)
    assert entry == before
    if becomes_a_blob:
        assert repr(short) == repr(entry).replace(IMAGE, ref_to(base64.b64decode(IMAGE)))
        assert externalize(short, blobs) is short
    assert inline_blobs(short, blobs) == entry
    assert externalize(entry, None) is entry


def test_the_smallest_image_that_becomes_a_blob(blobs: BlobStore) -> None:
    data = base64.b64encode(b"x" * (MIN_BLOB_LENGTH // 4 * 3)).decode()
    assert len(data) == MIN_BLOB_LENGTH
    assert externalize(message(content=[picture(data)]), blobs)["message"]["content"][0]["data"].startswith(
        PREFIX
    )
    assert count(blobs) == 1


def test_a_data_url_is_stored_whole_in_its_blob(blobs: BlobStore) -> None:
    entry = message(providerPayload={"items": [{"type": "input_image", "image_url": URL}]})
    short = externalize(entry, blobs)
    assert short["message"]["providerPayload"]["items"][0]["image_url"] == ref_to(URL.encode())
    assert inline_blobs(short, blobs) == entry


@cases(
    "image",
    [
        "https://example.com/a.png",
        {"url": "x"},
        [URL],
        ["data:image/png;base64," + "A" * MAX_STRING_LENGTH],
        "data:image/png;base64,\ud800",
    ],
)
def test_other_image_urls_are_unchanged(blobs: BlobStore, image: Any) -> None:
    entry = message(items=[{"image_url": image}])
    assert externalize(entry, blobs) is entry
    assert count(blobs) == 0


@cases(
    "data",
    [
        IMAGE + "\n",
        IMAGE.rstrip("=") + "=",
        "-_" * MIN_BLOB_LENGTH,
        "not base64 " * MAX_STRING_LENGTH,
        "\ud800" * MAX_STRING_LENGTH,
    ],
    ids=["a newline", "padding", "of addresses", "words", "surrogates"],
)
def test_an_image_that_cannot_be_restored_exactly_is_unchanged(blobs: BlobStore, data: str) -> None:
    entry = message(content=[picture(data)])
    assert externalize(entry, blobs) is entry
    assert count(blobs) == 0


def test_images_are_unchanged_without_a_blob_store() -> None:
    entry = message(
        content=[picture("A" * (MAX_STRING_LENGTH + 4))], items=[{"image_url": URL + "A" * MAX_STRING_LENGTH}]
    )
    assert externalize(entry, None) is entry


@cases(
    "block",
    [
        {"type": "thinking", "thinking": HUGE, "thinkingSignature": "s"},
        {"type": "text", "text": HUGE, "textSignature": "s"},
        {"type": "toolCall", "arguments": {"a": HUGE}, "thoughtSignature": "s", "partialJson": "{"},
        {"type": "redactedThinking", "data": HUGE},
        {"type": "reasoning", "summary": HUGE, "encrypted_content": "s"},
        {"type": "anthropicCompaction", "content": HUGE},
        {"anthropicCompaction": {"content": HUGE, "encrypted_content": HUGE}},
        server_tool({"type": "server_tool_use", "name": "web_search", "id": "1", "input": HUGE}),
        server_tool({"type": "web_search_tool_result", "tool_use_id": "1", "content": HUGE}),
        {"unknown": {"thinkingSignature": HUGE, "textSignature": HUGE, "thoughtSignature": HUGE}},
    ],
)
def test_signed_and_sealed_parts_are_unchanged(block: dict[str, Any]) -> None:
    entry = message(content=[block])
    assert externalize(entry, None) is entry


@cases(
    "block",
    [
        {"type": "thinking", "thinking": HUGE, "thinkingSignature": ""},
        {"type": "text", "text": HUGE, "thinkingSignature": "s"},
        {"type": "toolCall", "arguments": {"a": HUGE}},
        {"type": "anthropicCompact", "content": HUGE},
        {"anthropicCompaction": {"content": [HUGE]}},
        {"type": ["text"], "text": HUGE},
        server_tool({"type": "server_tool_use", "name": "web_search", "id": "", "input": HUGE}),
        server_tool({"type": "server_tool_use", "name": "other", "id": "1", "input": HUGE}),
        server_tool({"type": "web_search_tool_result", "tool_use_id": "1", "text": HUGE}),
        server_tool([HUGE]),
    ],
)
def test_parts_without_a_signature_are_cut(block: dict[str, Any]) -> None:
    assert NOTICE in repr(externalize(message(content=[block]), None)).replace("\\n", "\n")


def test_a_reference_without_a_blob_is_unchanged(blobs: BlobStore) -> None:
    entry = message(
        content=[picture(ref_to(b"gone")), picture(PREFIX + "../../etc/passwd")],
        items=[{"image_url": ref_to(b"gone")}, {"image_url": blobs.put(b"\xff no text")}],
    )
    assert inline_blobs(entry, blobs) is entry


def test_a_reference_outside_of_image_fields_is_unchanged(blobs: BlobStore) -> None:
    ref = blobs.put(b"an image")
    entry = message(content=[{"type": "text", "text": ref}, ref], details=picture(ref))
    assert inline_blobs(entry, blobs) is entry


def test_a_blob_that_cannot_be_written_raises_and_the_entry_is_unchanged(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    entry = message(content=[picture()])
    before = copy.deepcopy(entry)
    with pytest.raises(OSError, match="exists"):
        externalize(entry, BlobStore(str(tmp_path / "file")))
    assert entry == before


def test_deep_values_are_edited() -> None:
    levels = 2 * sys.getrecursionlimit()
    deep: Any = {"text": HUGE}
    for _ in range(levels):
        deep = [{"a": deep}]
    at = externalize(message(content=deep), None)["message"]["content"]
    for _ in range(levels):
        at = at[0]["a"]
    assert at["text"].endswith(NOTICE)


KEYS = st.sampled_from(
    ["content", "images", "frames", "data", "type", "mimeType", "image_url", "result", "text", "lineCount"]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["image", "image/png", "image_generation_call", "text", IMAGE, SMALL, URL, "a\nb"])
    | st.text(max_size=5)
)
VALUES = st.recursive(
    LEAVES | st.builds(picture, st.sampled_from([IMAGE, SMALL])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ENTRIES = st.dictionaries(KEYS, VALUES, max_size=4)


@given(ENTRIES)
def test_restoring_gives_the_entry_back_except_for_cut_text(
    tmp_path_factory: pytest.TempPathFactory, entry: dict[str, Any]
) -> None:
    blobs = BlobStore(str(tmp_path_factory.getbasetemp() / "externalize-blobs"))
    before = copy.deepcopy(entry)
    short = externalize(entry, blobs)
    assert entry == before
    assert (short is entry) == (short == entry)
    assert externalize(short, blobs) is short
    whole = inline_blobs(short, blobs)
    assert without_counts(whole) == without_counts(entry)


def without_counts(entry: dict[str, Any]) -> dict[str, Any]:
    return edit_json(entry, lambda _, key, in_list: DROP if key == "lineCount" and not in_list else DESCEND)
