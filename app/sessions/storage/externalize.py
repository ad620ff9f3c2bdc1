"""What omp leaves out of an entry when it writes it down, and the way back.

Only omp writes like this: pi keeps images where they are and cuts nothing. The rules are those of
formats/README.md, "Size limits of oh-my-pi": images also stand in `images`, `frames`, `image_url` and the
results of image generation, and what a provider signed or sealed stays as it is: cut, it is worth nothing.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from app.sessions.storage.blobs import PREFIX, BlobStore
from app.sessions.storage.json_edit import DROP, INTO, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 500_000
"""The longest string that is kept whole, as JavaScript counts: an emoji beyond U+FFFF is two."""

NOTICE = "\n\n[Session persistence truncated large content]"
"""The end of a string that was cut. It counts: such a string is exactly `LONGEST` long."""

SMALLEST_IMAGE = 1024
"""Characters of base64 from which on an image becomes a blob."""

_TRANSIENT = frozenset({"partialJson", "jsonlEvents"})
_SIGNATURES = frozenset({"thinkingSignature", "textSignature", "thoughtSignature"})
# Which field of a block of which type shows that the provider will want it back byte for byte.
_SEALS = {
    "thinking": "thinkingSignature",
    "text": "textSignature",
    "toolCall": "thoughtSignature",
    "redactedThinking": "data",
    "reasoning": "encrypted_content",
}
_SERVER_TOOLS = frozenset({"web_search", "tool_search_tool_regex", "tool_search_tool_bm25"})
_SERVER_RESULTS = frozenset({"web_search_tool_result", "tool_search_tool_result"})


def shrink(entry: dict[str, Any], blobs: BlobStore | None) -> dict[str, Any]:
    """`entry` as omp would write it down.

    Images of `SMALLEST_IMAGE` characters and more become references, strings above `LONGEST` are cut and end
    with `NOTICE`, `partialJson` and `jsonlEvents` go, and `lineCount` beside a text is counted again in an
    object of which something changed. An image whose base64 would not come back the same stays, whole.

    :param blobs: where images go; None leaves them in place, whole.
    :returns: `entry` itself where nothing changes, else a copy of what changes. `entry` is never changed.
    :raises OSError: a blob cannot be written.
    """

    def change(value: Any, key: str, in_list: bool) -> Any:
        if key in _TRANSIENT:
            return DROP
        if isinstance(value, str):
            if key == "image_url" and _is_data_url(value):
                # omp finds its way back only to the one that stands in the field itself.
                return value if in_list else _kept(blobs, _utf8(value), value)
            return value if key in _SIGNATURES else _cut(value)
        if not isinstance(value, dict):
            return INTO
        field = _image_field(value, key)
        if field is not None and _is_large_image(value[field]):
            image = value[field]
            kept = _kept(blobs, _from_base64(image), image)
            return value if kept is image else {**value, field: kept}
        return value if _is_sealed(value, key) else INTO

    return rewrite(entry, change, _count_lines)


def restore(entry: dict[str, Any], blobs: BlobStore) -> dict[str, Any]:
    """`entry` with its images in it again, where `shrink` or omp put blobs in their place.

    A reference whose blob is not to be had stays. What was cut or left out is gone.
    The whole of `entry` is gone through: who has its line at hand looks for `blobs.PREFIX` there first.

    :returns: `entry` itself where nothing changes, else a copy of what changes. `entry` is never changed.
    """

    def change(value: Any, key: str, in_list: bool) -> Any:
        if isinstance(value, str):
            if key != "image_url" or in_list or not value.startswith(PREFIX):
                return value
            return _found(blobs, value, lambda data: data.decode())
        if not isinstance(value, dict):
            return INTO
        field = _image_field(value, key)
        if field is None or not value[field].startswith(PREFIX):
            return INTO
        image = _found(blobs, value[field], lambda data: base64.b64encode(data).decode())
        return value if image == value[field] else {**value, field: image}

    return rewrite(entry, change)


def _image_field(value: dict[str, Any], key: str) -> str | None:
    """Which field of `value`, which stands under `key`, holds an image in base64 or the reference to one."""
    kind = value.get("type")
    if kind == "image_generation_call" and isinstance(value.get("result"), str):
        return "result"
    if not isinstance(value.get("data"), str):
        return None
    if kind == "image":
        return "data" if key in ("content", "images", "frames") else None
    mime = value.get("mimeType")
    is_image = isinstance(mime, str) and mime.lower().startswith("image/")
    return "data" if is_image and key in ("images", "frames") else None


def _is_large_image(text: str) -> bool:
    return len(text) >= SMALLEST_IMAGE and not text.startswith(PREFIX)


def _kept(blobs: BlobStore | None, data: bytes | None, otherwise: str) -> str:
    return otherwise if blobs is None or data is None else blobs.put(data)


def _found(blobs: BlobStore, ref: str, spelt: Callable[[bytes], str]) -> str:
    data = blobs.get(ref)
    try:
        return ref if data is None else spelt(data)
    except UnicodeDecodeError:
        return ref


def _from_base64(text: str) -> bytes | None:
    """The bytes of `text`; None where encoding them again would give another text."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def _utf8(text: str) -> bytes | None:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _is_data_url(text: str) -> bool:
    return text.startswith("data:image/") and ";base64," in text


def _is_sealed(value: dict[str, Any], key: str) -> bool:
    """Whether `value`, which stands under `key`, has to come back from the disk as it went there."""
    kind = value.get("type")
    if kind == "anthropicCompaction" or (
        key == "anthropicCompaction" and isinstance(value.get("content"), str)
    ):
        return True
    if kind == "anthropicServerTool":
        return _is_server_tool(value.get("block"))
    return isinstance(kind, str) and kind in _SEALS and _is_text(value.get(_SEALS[kind]))


def _is_server_tool(block: object) -> bool:
    """Whether `block` is a search by the provider or its result, which it checks when it is sent again."""
    if not isinstance(block, dict):
        return False
    if block.get("type") == "server_tool_use":
        return block.get("name") in _SERVER_TOOLS and _is_text(block.get("id"))
    return block.get("type") in _SERVER_RESULTS and _is_text(block.get("tool_use_id")) and "content" in block


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _cut(text: str) -> str:
    """`text` of at most `LONGEST` characters of JavaScript, cut between code points."""
    if len(text) <= LONGEST // 2 or (len(text) <= LONGEST and _units(text) <= LONGEST):
        return text
    room = LONGEST - len(NOTICE)
    units = text[:room].encode("utf-16-le", "surrogatepass")[: 2 * room]
    if 0xD8 <= units[-1] <= 0xDB:
        units = units[:-2]
    return units.decode("utf-16-le", "surrogatepass") + NOTICE


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _count_lines(value: dict[str, Any]) -> None:
    """What omp does to an object that is no longer the one it was given."""
    count, content = value.get("lineCount"), value.get("content")
    if isinstance(content, str) and isinstance(count, int | float) and not isinstance(count, bool):
        value["lineCount"] = content.count("\n") + 1
