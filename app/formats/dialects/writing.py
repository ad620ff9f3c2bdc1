"""How an agent of pi's family writes what the others write otherwise (formats/README.md, "pi")."""

from __future__ import annotations

from typing import Any, ClassVar

from app.formats.encode import encode
from app.formats.migrate import CURRENT_VERSION
from app.formats.slot import slot_line


class Writing:
    """pi, and the older indusagi, which is a fork of it."""

    hook = "fromHook"
    """The field that says an extension made a summary."""
    has_slot = False
    """True where the title line before the header names the session, so that no entry does."""
    limits_size = False
    """True where long texts are cut and images go to the blob store
    (formats/README.md, "Behaviour of SessionManager").
    """
    forks_by_id = False
    """True where a fork of all entries names its parent by id, and keeps its title."""

    told_by_extension: ClassVar[dict[str, Any]] = {}
    """What else an extension's message says."""
    keeps_system = True
    """True where a compaction carries the system messages that it cuts off."""

    def model(self, provider: str, model_id: str) -> dict[str, Any]:
        """The fields of a model_change."""
        return {"provider": provider, "modelId": model_id}

    def left(self, leaf_id: str | None, target_id: str | None) -> str:
        """`fromId` of a branch summary: the leaf that was left."""
        return leaf_id or "root"

    def header(
        self, session_id: str, timestamp: str, cwd: str, parent: str | None, name: str | None
    ) -> dict[str, Any]:
        """A new header."""
        header = {
            "type": "session",
            "version": CURRENT_VERSION,
            "id": session_id,
            "timestamp": timestamp,
            "cwd": cwd,
        }
        if parent:
            header["parentSession"] = parent
        return header

    def forked(self, header: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        """`header` of a fork with all entries, with what it takes over from the header of its `source`."""
        return header

    def opening(self, header: dict[str, Any], now_ms: int) -> bytes:
        """The lines before the entries, newline included."""
        return encode(header) + b"\n"


class OmpWriting(Writing):
    """oh-my-pi."""

    hook = "fromExtension"
    has_slot = True
    limits_size = True
    forks_by_id = True
    told_by_extension: ClassVar[dict[str, Any]] = {"attribution": "agent"}
    keeps_system = False

    def model(self, provider: str, model_id: str) -> dict[str, Any]:
        """One word for provider and model, and the role it plays."""
        return {"model": f"{provider}/{model_id}", "role": "default"}

    def left(self, leaf_id: str | None, target_id: str | None) -> str:
        """`fromId` is where the new branch begins."""
        return target_id or "root"

    def header(
        self, session_id: str, timestamp: str, cwd: str, parent: str | None, name: str | None
    ) -> dict[str, Any]:
        """A new header, which repeats the title of the slot."""
        header = super().header(session_id, timestamp, cwd, parent, name)
        if name:
            # omp puts the title between id and time.
            fields = list(header.items())
            fields[3:3] = [("title", name), ("titleSource", "user")]
            header = dict(fields)
        return header

    def forked(self, header: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        """The provider knows the conversation by the key of the first session: a fork goes on with it."""
        return {**header, "providerPromptCacheKey": source.get("providerPromptCacheKey") or source["id"]}

    def opening(self, header: dict[str, Any], now_ms: int) -> bytes:
        """The title line, then the header."""
        title = header.get("title")
        source = header.get("titleSource")
        slot = slot_line(
            title if isinstance(title, str) else "", source if source in ("auto", "user") else None, now_ms
        )
        return slot + super().opening(header, now_ms)
