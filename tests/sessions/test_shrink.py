"""What omp leaves out of an entry when it writes it
(formats/README.md, "Behaviour of SessionManager"), and the way back.
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

from app.sessions.storage.blobs import PREFIX, BlobStore
from app.sessions.storage.externalize import LONGEST, NOTICE, SMALLEST_IMAGE, restore, shrink
from app.sessions.storage.json_edit import DROP, INTO, rewrite

if TYPE_CHECKING:
    from pathlib import Path

HUGE = "line\n" * (LONGEST // 4)
IMAGE = base64.b64encode(b"\x89PNG" + bytes(range(256)) * 8).decode()
SMALL = base64.b64encode(b"x" * (SMALLEST_IMAGE // 4 * 3 - 1)).decode()[: SMALLEST_IMAGE - 4]
URL = "data:image/png;base64," + SMALL
ROOM = LONGEST - len(NOTICE)


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


def test_an_ordinary_entry_is_itself_and_no_blob_is_made(blobs: BlobStore) -> None:
    entry = message(content=[{"type": "text", "text": "hello"}, picture(SMALL)], lineCount=7, details=None)
    before = copy.deepcopy(entry)
    assert shrink(entry, blobs) is entry
    assert shrink(entry, None) is entry
    assert restore(entry, blobs) is entry
    assert entry == before
    assert count(blobs) == 0


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x" * LONGEST, None),
        ("x" * (LONGEST + 1), "x" * ROOM),
        ("😀" * (LONGEST // 2), None),
        ("😀" * (LONGEST // 2 + 1), "😀" * (ROOM // 2)),
        ("x" + "😀" * (LONGEST // 2), "x" + "😀" * ((ROOM - 1) // 2)),
        ("\ud800" * (LONGEST + 1), "\ud800" * (ROOM - 1)),
        ("é" * LONGEST, None),
        ("é" * (LONGEST + 1), "é" * ROOM),
    ],
    ids=["fits", "one over", "pairs fit", "pairs over", "odd pairs", "lone surrogates", "two bytes", "over"],
)
def test_a_long_string_is_cut_as_javascript_counts(text: str, kept: str | None) -> None:
    entry = message(output=text)
    short = shrink(entry, None)
    if kept is None:
        assert short is entry
        return
    cut = short["message"]["output"]
    assert cut.startswith(kept)
    assert cut[len(kept) :] == NOTICE
    assert shrink(short, None) is short, "what was cut is cut only once"
    assert entry["message"]["output"] is text


def test_the_notice_is_the_one_of_the_specification() -> None:
    assert NOTICE.strip() == "[Session persistence truncated large content]"


def test_only_what_changes_is_copied() -> None:
    entry = message(
        content=[{"type": "text", "text": "kept"}, {"type": "text", "text": HUGE}], details={"a": [1]}
    )
    short = shrink(entry, None)
    assert short["message"]["content"][1]["text"].endswith(NOTICE)
    assert short["message"]["content"][0] is entry["message"]["content"][0]
    assert short["message"]["details"] is entry["message"]["details"]
    assert list(short["message"]) == list(entry["message"])
    assert entry["message"]["content"][1]["text"] is HUGE


def test_transient_fields_go_wherever_they_are() -> None:
    entry = message(
        content=[{"type": "toolCall", "arguments": {"path": "a"}, "partialJson": '{"pa'}],
        details={"jsonlEvents": [{"n": 1}], "more": [{"jsonlEvents": None, "kept": "jsonlEvents"}]},
    )
    short = shrink(entry, None)
    assert short["message"]["content"] == [{"type": "toolCall", "arguments": {"path": "a"}}]
    assert short["message"]["details"] == {"more": [{"kept": "jsonlEvents"}]}
    assert "partialJson" in entry["message"]["content"][0]


@pytest.mark.parametrize(
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
def test_lines_are_counted_again_where_something_changed(fields: dict[str, Any], lines: Any) -> None:
    assert shrink(message(details=fields), None)["message"]["details"]["lineCount"] == lines


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
        ({"content": [picture(PREFIX + "0" * SMALLEST_IMAGE)]}, False),
    ],
)
def test_where_an_image_becomes_a_blob(blobs: BlobStore, place: dict[str, Any], becomes_a_blob: bool) -> None:
    entry = message(**place)
    before = copy.deepcopy(entry)
    short = shrink(entry, blobs)
    assert (short is not entry) == becomes_a_blob == (count(blobs) == 1)
    assert entry == before
    if becomes_a_blob:
        assert repr(short) == repr(entry).replace(IMAGE, ref_to(base64.b64decode(IMAGE)))
        assert shrink(short, blobs) is short
    assert restore(short, blobs) == entry
    assert shrink(entry, None) is entry


def test_the_smallest_image_that_becomes_a_blob(blobs: BlobStore) -> None:
    data = base64.b64encode(b"x" * (SMALLEST_IMAGE // 4 * 3)).decode()
    assert len(data) == SMALLEST_IMAGE
    assert shrink(message(content=[picture(data)]), blobs)["message"]["content"][0]["data"].startswith(PREFIX)
    assert count(blobs) == 1


def test_an_image_address_is_kept_whole_in_its_blob(blobs: BlobStore) -> None:
    entry = message(providerPayload={"items": [{"type": "input_image", "image_url": URL}]})
    short = shrink(entry, blobs)
    assert short["message"]["providerPayload"]["items"][0]["image_url"] == ref_to(URL.encode())
    assert restore(short, blobs) == entry


@pytest.mark.parametrize(
    "image",
    [
        "https://example.com/a.png",
        {"url": "x"},
        [URL],
        ["data:image/png;base64," + "A" * LONGEST],
        "data:image/png;base64,\ud800",
    ],
)
def test_other_image_addresses_stay(blobs: BlobStore, image: Any) -> None:
    entry = message(items=[{"image_url": image}])
    assert shrink(entry, blobs) is entry
    assert count(blobs) == 0


@pytest.mark.parametrize(
    "data",
    [
        IMAGE + "\n",
        IMAGE.rstrip("=") + "=",
        "-_" * SMALLEST_IMAGE,
        "not base64 " * LONGEST,
        "\ud800" * LONGEST,
    ],
    ids=["a newline", "padding", "of addresses", "words", "surrogates"],
)
def test_an_image_that_would_not_come_back_the_same_stays_whole(blobs: BlobStore, data: str) -> None:
    entry = message(content=[picture(data)])
    assert shrink(entry, blobs) is entry
    assert count(blobs) == 0


def test_without_a_store_images_stay_whole() -> None:
    entry = message(content=[picture("A" * (LONGEST + 4))], items=[{"image_url": URL + "A" * LONGEST}])
    assert shrink(entry, None) is entry


@pytest.mark.parametrize(
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
def test_what_a_provider_signed_or_sealed_stays_as_it_is(block: dict[str, Any]) -> None:
    entry = message(content=[block])
    assert shrink(entry, None) is entry


@pytest.mark.parametrize(
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
def test_what_has_no_signature_is_cut(block: dict[str, Any]) -> None:
    assert NOTICE in repr(shrink(message(content=[block]), None)).replace("\\n", "\n")


def test_a_reference_without_its_blob_stays(blobs: BlobStore) -> None:
    entry = message(
        content=[picture(ref_to(b"gone")), picture(PREFIX + "../../etc/passwd")],
        items=[{"image_url": ref_to(b"gone")}, {"image_url": blobs.put(b"\xff no text")}],
    )
    assert restore(entry, blobs) is entry


def test_a_reference_that_is_only_text_stays(blobs: BlobStore) -> None:
    ref = blobs.put(b"an image")
    entry = message(content=[{"type": "text", "text": ref}, ref], details=picture(ref))
    assert restore(entry, blobs) is entry


def test_restoring_copies_only_what_changes(blobs: BlobStore) -> None:
    entry = message(content=[picture(blobs.put(b"an image")), {"type": "text", "text": "kept"}])
    before = copy.deepcopy(entry)
    whole = restore(entry, blobs)
    assert whole["message"]["content"][0]["data"] == base64.b64encode(b"an image").decode()
    assert whole["message"]["content"][1] is entry["message"]["content"][1]
    assert entry == before


def test_a_blob_that_cannot_be_written_is_an_error_and_the_entry_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    entry = message(content=[picture()])
    before = copy.deepcopy(entry)
    with pytest.raises(OSError, match="exists"):
        shrink(entry, BlobStore(str(tmp_path / "file")))
    assert entry == before


def test_any_depth_and_what_holds_itself() -> None:
    levels = 2 * sys.getrecursionlimit()
    deep: Any = {"text": HUGE}
    for _ in range(levels):
        deep = [{"a": deep}]
    at = shrink(message(content=deep), None)["message"]["content"]
    for _ in range(levels):
        at = at[0]["a"]
    assert at["text"].endswith(NOTICE)

    around: dict[str, Any] = {"text": HUGE}
    around["again"] = [around, around]
    assert shrink(message(details=around), None)["message"]["details"]["text"].endswith(NOTICE)


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
def test_nothing_but_what_is_cut_is_lost_on_the_way(
    tmp_path_factory: pytest.TempPathFactory, entry: dict[str, Any]
) -> None:
    blobs = BlobStore(str(tmp_path_factory.getbasetemp() / "shrink-blobs"))
    before = copy.deepcopy(entry)
    short = shrink(entry, blobs)
    assert entry == before
    assert (short is entry) == (short == entry)
    assert shrink(short, blobs) is short
    whole = restore(short, blobs)
    assert without_counts(whole) == without_counts(entry)


def without_counts(entry: dict[str, Any]) -> dict[str, Any]:
    return rewrite(entry, lambda _, key, in_list: DROP if key == "lineCount" and not in_list else INTO)
