"""The bytes of an image: out of the entry itself, or out of what omp keeps beside its sessions
(formats/README.md, "oh-my-pi").

No other file is opened, whatever an entry says where its image is.
"""

from __future__ import annotations

import base64
import binascii
import os
from typing import TYPE_CHECKING

from app.formats.image_block import BLOB, Image, NoImage
from app.sessions.storage.blobs import BlobStore, parse_ref
from app.stores import agent_named, store_holding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.stores.base import Store

MOST = 32 << 20
"""Bytes of a file that are decoded at most; agents send none that is nearly as large."""


def image_bytes(image: Image, blobs: BlobStore | None) -> bytes:
    """The file of an image.

    :param blobs: of the store that the session lies in; None where its agent has none.
    :raises NoImage: the bytes are not to be had.
    """
    data = image.data
    if data is None:
        raise NoImage("it is not in the file")
    if data.startswith(BLOB):
        return _blob(data, blobs)
    if data.startswith("data:"):
        data = data[data.find(",") + 1 :]
    if len(data) > MOST * 4 // 3:
        raise NoImage(f"its file is larger than those that are drawn ({MOST >> 20} MB)")
    try:
        found = base64.b64decode(data)
    except (binascii.Error, ValueError):
        raise NoImage("it is no base64") from None
    if not found:
        raise NoImage("there are no bytes")
    return found


def _blob(ref: str, blobs: BlobStore | None) -> bytes:
    digits = parse_ref(ref)
    if digits is None:
        raise NoImage("that is no name of a blob")
    if blobs is None:
        raise NoImage("its agent keeps no blobs")
    try:
        size = os.lstat(os.path.join(blobs.folder, digits)).st_size
    except FileNotFoundError:
        raise NoImage("the blob is gone") from None
    except OSError as error:
        raise NoImage(f"the blob cannot be read: {error.strerror or error}") from None
    if size > MOST:
        raise NoImage(f"its file is larger than those that are drawn ({MOST >> 20} MB)")
    found = blobs.get(ref)
    if found is None:
        raise NoImage("the blob cannot be read, or is damaged")
    return found


def blobs_of(
    agent: str, path: str, cwd: str, stores: Sequence[Store], env: Mapping[str, str], home: str
) -> BlobStore | None:
    """Where the images of the session at `path` are; None where its agent keeps them inside.

    :param agent: who wrote it; `cwd` is the folder that it works in. `path` is "" where it has no file yet.
    :param env: by which agents find what they keep, `home` too.
    """
    owner = agent_named(agent)
    store = store_holding(path, stores) if path else None
    if store is not None and agent in store.agents:
        # They lie with the store that the session lies in, whichever the environment leads to.
        others = {name: value for name, value in env.items() if name not in owner.variables}
        env = others | store.of(agent).environment
    folder = owner.blob_folder(env, home, cwd)
    return BlobStore(folder) if folder else None
