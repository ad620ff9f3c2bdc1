"""Blobs: images that oh-my-pi keeps beside its sessions, and the entries that refer to them
(formats/README.md, "Size limits of oh-my-pi").

A blob is a file named by the SHA-256 of its bytes, in lower-case hex and without an extension. An entry holds
`blob:sha256:<hex>` in its place. oh-my-pi also makes `<hex>.png` and the like for programs that open files by
their extension. It never reads those back, and they are not made here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Any, Final

from app.formats.images import BLOB_PREFIX, EmbeddedImage, ImageError
from app.small_files import replace_file, sync
from app.stores import agent_named, store_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.stores.base import Store

    Edit = Callable[[Any, str, bool], Any]

PREFIX = "blob:sha256:"

_HEX = frozenset("0123456789abcdef")
_HEX_LENGTH = 64
# Open no link that leads out of the folder, and do not wait for a writer of a pipe.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def parse_ref(ref: str) -> str | None:
    """Return the 64 hex digits of `ref`; None if it is not the prefix and 64 digits in lower case.

    Every file name in a blob store comes from here, so that none leads out of its folder.
    """
    digits = ref.removeprefix(PREFIX)
    is_whole = len(ref) == len(PREFIX) + _HEX_LENGTH and len(digits) == _HEX_LENGTH
    return digits if is_whole and _HEX.issuperset(digits) else None


class BlobStore:
    """The blobs in `folder`, which is made with the first blob.

    Several processes and threads may use it at once: a blob appears whole or not at all.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Write `data`, which is on the disk when this returns, and return the reference to it.

        A blob that exists is not written again, unless it has other bytes because of a crash.

        :raises OSError: it cannot be written. Nothing of it stays.
        """
        digits = hashlib.sha256(data).hexdigest()
        path = os.path.join(self.folder, digits)
        if _read(path) != data:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            replace_file(path, data, fsync=True)
            sync(self.folder)
        return PREFIX + digits

    def get(self, ref: str) -> bytes | None:
        """Return the bytes of the blob that `ref` refers to; None if they are not available.

        That is the case if `ref` is no reference, if there is no such blob or it cannot be read, and if its
        bytes have another digest. Only plain files are read, and no links.
        """
        digits = parse_ref(ref)
        if digits is None:
            return None
        data = _read(os.path.join(self.folder, digits))
        if data is None or hashlib.sha256(data).hexdigest() != digits:
            return None
        return data


def _read(path: str) -> bytes | None:
    """Return the bytes of the plain file at `path`; None if it cannot be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(descriptor)


MAX_IMAGE_BYTES = 32 << 20
"""Bytes of the largest image that is decoded; those that agents send are much smaller."""


def image_bytes(image: EmbeddedImage, blobs: BlobStore | None) -> bytes:
    """Return the bytes of an image, which are in the entry itself or in a blob.

    No other file is opened, whatever place an entry names for its image.

    :param blobs: those of the store that the session lies in; None if its agent has none.
    :raises ImageError: the bytes are not available.
    """
    data = image.data
    if data is None:
        raise ImageError("it is not in the file")
    if data.startswith(BLOB_PREFIX):
        return _blob_bytes(data, blobs)
    if data.startswith("data:"):
        data = data[data.find(",") + 1 :]
    if len(data) > MAX_IMAGE_BYTES * 4 // 3:
        raise ImageError(f"its file is larger than those that are drawn ({MAX_IMAGE_BYTES >> 20} MB)")
    try:
        decoded = base64.b64decode(data)
    except (binascii.Error, ValueError):
        raise ImageError("it is no base64") from None
    if not decoded:
        raise ImageError("there are no bytes")
    return decoded


def _blob_bytes(ref: str, blobs: BlobStore | None) -> bytes:
    digits = parse_ref(ref)
    if digits is None:
        raise ImageError("that is no name of a blob")
    if blobs is None:
        raise ImageError("its agent keeps no blobs")
    try:
        size = os.lstat(os.path.join(blobs.folder, digits)).st_size
    except FileNotFoundError:
        raise ImageError("the blob is gone") from None
    except OSError as error:
        raise ImageError(f"the blob cannot be read: {error.strerror or error}") from None
    if size > MAX_IMAGE_BYTES:
        raise ImageError(f"its file is larger than those that are drawn ({MAX_IMAGE_BYTES >> 20} MB)")
    content = blobs.get(ref)
    if content is None:
        raise ImageError("the blob cannot be read, or is damaged")
    return content


def blobs_of(
    agent: str, path: str, cwd: str, stores: Sequence[Store], env: Mapping[str, str], home: str
) -> BlobStore | None:
    """Return the blobs of the session at `path`; None if its agent keeps images in the session.

    :param agent: the name of the agent.
    :param path: of the session's file, "" if it has none yet.
    :param cwd: the working folder of the session.
    :param env: the environment, by which the agents' own folders are found.
    :param home: the home folder.
    """
    owner = agent_named(agent)
    store = store_holding(path, stores) if path else None
    if store is not None and agent in store.agents:
        # The blobs are beside the store that the session lies in, even if the environment leads to another.
        others = {name: value for name, value in env.items() if name not in owner.variables}
        env = others | store.of(agent).environment
    folder = owner.blob_folder(env, home, cwd)
    return BlobStore(folder) if folder else None


MAX_STRING_LENGTH = 500_000
"""UTF-16 units of the longest string that is written whole; a character beyond U+FFFF has two."""

NOTICE = "\n\n[Session persistence truncated large content]"
"""The end of a string that was cut. Such a string is `MAX_STRING_LENGTH` long with it."""

MIN_BLOB_LENGTH = 1024
"""Characters of base64 from which an image becomes a blob."""

_TRANSIENT = frozenset({"partialJson", "jsonlEvents"})
_SIGNATURES = frozenset({"thinkingSignature", "textSignature", "thoughtSignature"})
# By type of a block, the field whose presence means that the provider wants the block back unchanged.
_SEALS = {
    "thinking": "thinkingSignature",
    "text": "textSignature",
    "toolCall": "thoughtSignature",
    "redactedThinking": "data",
    "reasoning": "encrypted_content",
}
_SERVER_TOOLS = frozenset({"web_search", "tool_search_tool_regex", "tool_search_tool_bm25"})
_SERVER_RESULTS = frozenset({"web_search_tool_result", "tool_search_tool_result"})


def externalize(entry: dict[str, Any], blobs: BlobStore | None) -> dict[str, Any]:
    """Return `entry` as oh-my-pi would write it (formats/README.md, "Size limits of oh-my-pi").

    Images of `MIN_BLOB_LENGTH` characters and more become references, also in `images`, `frames` and the
    results of image generation, and so does every data URL in `image_url`. Strings above
    `MAX_STRING_LENGTH` are cut and end with `NOTICE`.
    `partialJson` and `jsonlEvents` are removed, and `lineCount` beside a text is counted again in an object
    that changed. An image whose base64 could not be restored exactly stays, whole, and so does a part that
    the provider signed or sealed.

    :param blobs: where images go; None leaves them in place, whole.
    :return: `entry` itself if nothing changes, else a copy with the changed parts. `entry` is never changed.
    :raises OSError: a blob cannot be written.
    """

    def edit(value: Any, key: str, in_list: bool) -> Any:
        if key in _TRANSIENT:
            return DROP
        if isinstance(value, str):
            if key == "image_url" and _is_data_url(value):
                # oh-my-pi restores only an image that is in the field itself.
                return value if in_list else _stored(blobs, _utf8(value), value)
            return value if key in _SIGNATURES else _cut(value)
        if not isinstance(value, dict):
            return DESCEND
        field = _image_field(value, key)
        if field is not None and _is_large_image(value[field]):
            image = value[field]
            stored = _stored(blobs, _from_base64(image), image)
            return value if stored is image else {**value, field: stored}
        return value if _is_sealed(value, key) else DESCEND

    return edit_json(entry, edit, _count_lines)


def inline_blobs(entry: dict[str, Any], blobs: BlobStore) -> dict[str, Any]:
    """Return `entry` with its images in it again, where `externalize` or oh-my-pi put references.

    A reference whose blob is not available stays. Text that was cut or removed is gone. This searches the
    whole of `entry`; a caller that has its line searches that for `PREFIX` first.

    :return: `entry` itself if nothing changes, else a copy with the changed parts. `entry` is never changed.
    """

    def edit(value: Any, key: str, in_list: bool) -> Any:
        if isinstance(value, str):
            if key != "image_url" or in_list or not value.startswith(PREFIX):
                return value
            return _restored(blobs, value, lambda data: data.decode())
        if not isinstance(value, dict):
            return DESCEND
        field = _image_field(value, key)
        if field is None or not value[field].startswith(PREFIX):
            return DESCEND
        image = _restored(blobs, value[field], lambda data: base64.b64encode(data).decode())
        return value if image == value[field] else {**value, field: image}

    return edit_json(entry, edit)


def _image_field(value: dict[str, Any], key: str) -> str | None:
    """Return the field of `value` that holds an image in base64 or the reference to one; None for no image.

    :param key: the field that `value` is in.
    """
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
    return len(text) >= MIN_BLOB_LENGTH and not text.startswith(PREFIX)


def _stored(blobs: BlobStore | None, data: bytes | None, text: str) -> str:
    return text if blobs is None or data is None else blobs.put(data)


def _restored(blobs: BlobStore, ref: str, to_text: Callable[[bytes], str]) -> str:
    data = blobs.get(ref)
    try:
        return ref if data is None else to_text(data)
    except UnicodeDecodeError:
        return ref


def _from_base64(text: str) -> bytes | None:
    """Return the bytes of `text`; None if encoding them again would give another text."""
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
    """Return whether `value`, in the field `key`, must be restored byte for byte."""
    kind = value.get("type")
    if kind == "anthropicCompaction" or (
        key == "anthropicCompaction" and isinstance(value.get("content"), str)
    ):
        return True
    if kind == "anthropicServerTool":
        return _is_server_tool(value.get("block"))
    return isinstance(kind, str) and kind in _SEALS and _is_text(value.get(_SEALS[kind]))


def _is_server_tool(block: object) -> bool:
    """Return whether `block` is a search by the provider or its result. The provider checks those again."""
    if not isinstance(block, dict):
        return False
    if block.get("type") == "server_tool_use":
        return block.get("name") in _SERVER_TOOLS and _is_text(block.get("id"))
    return block.get("type") in _SERVER_RESULTS and _is_text(block.get("tool_use_id")) and "content" in block


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _cut(text: str) -> str:
    """Return `text`, cut between code points to at most `MAX_STRING_LENGTH` UTF-16 units."""
    if len(text) <= MAX_STRING_LENGTH // 2 or (
        len(text) <= MAX_STRING_LENGTH and _units(text) <= MAX_STRING_LENGTH
    ):
        return text
    room = MAX_STRING_LENGTH - len(NOTICE)
    units = text[:room].encode("utf-16-le", "surrogatepass")[: 2 * room]
    if 0xD8 <= units[-1] <= 0xDB:
        units = units[:-2]
    return units.decode("utf-16-le", "surrogatepass") + NOTICE


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _count_lines(value: dict[str, Any]) -> None:
    """Count the lines of a changed object again, as oh-my-pi does."""
    count, content = value.get("lineCount"), value.get("content")
    if isinstance(content, str) and isinstance(count, int | float) and not isinstance(count, bool):
        value["lineCount"] = content.count("\n") + 1


# copies of JSON values with some parts changed

DESCEND: Final = object()
"""The result of an edit that keeps a part, and edits the parts of it."""

DROP: Final = object()
"""The result of an edit that removes a field of an object."""


def edit_json(
    root: dict[str, Any], edit: Edit, changed: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Return `root` with every part replaced by the result of `edit`.

    It is not recursive, so that the depth has no limit.

    :param edit: called with a part, the name of the field it is in, and whether it is in a list there (or in
        a list of that list). It returns the part itself, a replacement, `DESCEND`, or `DROP`.
    :param changed: called with the copy of each object that differs, when all its parts are final.
    :return: `root` itself if nothing changes. `root` and its parts are never changed.
    """
    top = _Node(None, "", root, "")
    pending = [top]
    nodes = []
    while pending:
        node = pending.pop()
        nodes.append(node)
        in_list = not isinstance(node.value, dict)
        for key, part in enumerate(node.value) if in_list else node.value.items():
            field = node.field if in_list else str(key)
            new = edit(part, field, in_list)
            if new is part:
                continue
            if new is DESCEND:
                if isinstance(part, dict | list | tuple) and part:
                    pending.append(_Node(node, key, part, field))
            elif new is DROP:
                del node.writable()[key]
            else:
                node.writable()[key] = new
    if changed is not None:
        for node in nodes:
            if isinstance(node.copy, dict):
                changed(node.copy)
    result: dict[str, Any] = root if top.copy is None else top.copy
    return result


class _Node:
    """An object or a list, its parent and its key there, and its copy once there is one."""

    __slots__ = ("copy", "field", "key", "parent", "value")

    def __init__(self, parent: _Node | None, key: str | int, value: Any, field: str) -> None:
        self.parent = parent
        self.key = key
        self.value = value
        self.field = field
        self.copy: Any = None

    def writable(self) -> Any:
        """Return the copy. It is made now if needed, and put into the copies of all parents."""
        to_copy = []
        node: _Node | None = self
        while node is not None and node.copy is None:
            to_copy.append(node)
            node = node.parent
        for node in reversed(to_copy):
            node.copy = dict(node.value) if isinstance(node.value, dict) else list(node.value)
            if node.parent is not None:
                node.parent.copy[node.key] = node.copy
        return self.copy
