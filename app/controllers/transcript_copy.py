"""A copy of a session's transcript as Markdown: in the user's editor or pager, or on the clipboard."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from app.export.choice import MARKDOWN, Choice
from app.formats.text import inert
from app.services.background import GilYielder, in_background
from app.sessions.errors import SessionError
from app.view.formatting import counted
from app.view.notifications import quoted, reason_of

if TYPE_CHECKING:
    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.setup import Setup
    from app.widgets.entry_tree import EntryTree

CLIPBOARD, LABELLED = "clipboard", "labelled"
"""The two things that are copied: the conversation, or its turns with a label."""
_COPIED = {CLIPBOARD: "conversation", LABELLED: "turns with a label"}
PATIENCE = 0.3
"""Seconds after which the status line says that the session is being read."""
MOST_SECONDS = 600.0
"""Seconds for which it says so at most."""
READING = "Reading… Esc cancels"


@dataclass(eq=False, repr=False)
class TranscriptCopy:
    """Makes the text of one transcript at a time, and opens or copies it."""

    _host: DialogHost
    _messages: StatusMessages
    _setup: Setup

    def __post_init__(self) -> None:
        # drops the text that is being made; None while none is
        self._cancelled: Event | None = None

    def open(self, row: Row | None, kind: str) -> None:
        """Open the transcript of a session in the "pager" or the "editor", or copy it, or its turns with a
        label on all branches, without the secrets.
        """
        if row is None:
            self._messages.show(
                f"No transcript to {'copy' if kind in _COPIED else 'open'}: move to a session"
            )
            return
        if kind == LABELLED and not (row.labels or row.provisional):
            self._messages.show("No entry of this session has a label")
            return
        self.cancel()
        self._cancelled = cancelled = Event()
        self._host.start(self._open(row, kind, cancelled))
        self._host.set_timer(PATIENCE, lambda: self._say(cancelled))

    def cancel(self) -> bool:
        """Drop the text that is being made. False: there is none."""
        if self._cancelled is None:
            return False
        self._cancelled.set()
        self._end()
        return True

    def stop(self) -> None:
        """End the thread that makes the text."""
        if self._cancelled is not None:
            self._cancelled.set()

    async def _open(self, row: Row, kind: str, cancelled: Event) -> None:
        text = reason = ""
        replaced = 0
        try:
            text, replaced = await in_background(lambda: _text_of(row, kind, self._setup, cancelled))
        except (SessionError, OSError) as error:
            reason = reason_of(error)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        if cancelled.is_set():
            return
        self._end()
        if reason:
            what = "copied" if kind in _COPIED else "opened"
            self._messages.complain(f"Not {what}: {reason} – {quoted(row.title)}")
        elif kind in _COPIED:
            secrets = f" ({counted(len(text), 'character')}; {counted(replaced, 'secret')} replaced)"
            self._messages.copy(text, f"{_COPIED[kind]} as Markdown{secrets}", row.title)
        else:
            self._host.open_in_program(kind, text, self._setup.env)

    def _say(self, cancelled: Event) -> None:
        if self._cancelled is cancelled:
            self._messages.show(READING, MOST_SECONDS)

    def _end(self) -> None:
        self._cancelled = None
        self._messages.withdraw(READING)


def _text_of(row: Row, kind: str, setup: Setup, cancelled: Event) -> tuple[str, int]:
    """The active path, or the turns with a label, as Markdown, and the number of secrets that were replaced.
    It has everything that the session has, but no secrets if it is copied; it is inert for a pager. It ends
    early when it is cancelled.
    """
    # Imported here, in the thread: few runs need it, and loading it would delay the first key.
    from app.export.exporter import Surroundings, open_export
    from app.export.to_file import redactor_for

    redactor = redactor_for(row.path, setup.env, setup.home) if kind in _COPIED else None
    surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms(), setup.prices)
    yielder = GilYielder(cancelled.is_set)
    texts: list[str] = []
    choice = Choice(all_branches=kind == LABELLED, labelled=kind == LABELLED)
    export = open_export(row.path, (row.agent,), MARKDOWN, choice, surroundings, redactor=redactor)
    for piece in export.pieces:
        if not yielder.keep_going():
            break
        texts.append(inert(piece.decode()) if kind == "pager" else piece.decode())
    return "".join(texts), len(redactor.replacements) if redactor is not None else 0


async def copied_entry_sizes(tree: EntryTree) -> dict[str, int]:
    """By the command that copies it: the characters of the entry under the cursor of a tree."""
    node, view = tree.node, tree.view
    if node is None or view is None:
        return {}

    def size() -> int:
        # Imported here, in the thread: it loads the decoder of entries.
        from app.formats.entry_parts import entry_parts
        from app.view.clipboard import main_text

        return len(main_text(entry_parts(view.tree.read(node))))

    try:
        return {"entry.copy": await in_background(size)}
    except (SessionError, OSError, MemoryError):
        return {}  # the command itself says why
