"""The tags and the note of a session, in two lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from app.formats.text import one_line
from app.stores.tags import BadTag, parse_note, parse_tag
from app.view.cells import shorten
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

MOST_KNOWN = 20
"""Known tags that are listed, the most used."""


class TagAnswer(NamedTuple):
    """The tags to add and to remove, and the note; None if it stays."""

    add: tuple[str, ...]
    remove: tuple[str, ...]
    note: str | None


def tags_in(text: str) -> list[str]:
    """The tags in a line, which blanks or commas separate; each once.

    :raises BadTag: a word is no tag; the message names the word.
    """
    tags = []
    for word in text.replace(",", " ").split():
        try:
            tags.append(parse_tag(word))
        except BadTag as error:
            raise BadTag(f"{one_line(word, 40)}: {error}") from None
    return list(dict.fromkeys(tags))


class _KnownTags(Suggester):
    """Completes the last word of a line to a known tag."""

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = known

    async def get_suggestion(self, value: str) -> str | None:
        before, _, word = value.rpartition(" ")
        sign = "#" if word.startswith("#") else ""
        begun = word.removeprefix("#")
        have = set(before.replace("#", "").split())
        for tag in self._known:
            if begun and tag.startswith(begun) and tag != begun and tag not in have:
                return value + tag[len(begun) :]
        return None if begun or not sign else value + next(iter(self._known), "")


class TagDialog(Dialog["TagAnswer | None"]):
    """Edits the tags, and the note of a single session. Enter saves both."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, title: str, tags: Sequence[str], note: str | None, known: Iterable[str]) -> None:
        """:param title: of the session, raw.
        :param tags: its tags; for several sessions those that all of them have.
        :param note: its note; None if there is no note to edit, because there are several sessions.
        :param known: all tags, the most used first.
        """
        super().__init__()
        self._title = title
        self._tags = tuple(tags)
        self._note = note
        self._known = list(known)

    def compose(self) -> ComposeResult:
        text = "".join(f"{tag} " for tag in self._tags)
        next_field = "" if self._note is None else "Tab next  "
        keys = f"Enter save  {next_field}→ complete  Esc cancel"
        box = DialogBox(f"Tags: {one_line(self._title, 60)}", keys)
        with box, VerticalScroll(classes="body", can_focus=False):
            yield Static(Content("Tags"), classes="field")
            yield LineInput(
                text,
                placeholder="client-x urgent",
                id="tags-line",
                compact=True,
                suggester=_KnownTags(self._known),
            )
            if self._note is not None:
                yield Static(Content("Note"), classes="field")
                yield LineInput(self._note, placeholder="a line about it", id="note-line", compact=True)
            yield Static(Content(self._known_line()), id="tags-said")

    def on_mount(self) -> None:
        self.query_one("#tags-line", LineInput).focus()

    def _known_line(self) -> str:
        others = [f"#{tag}" for tag in self._known[:MOST_KNOWN] if tag not in self._tags]
        return shorten(f"Known: {' '.join(others)}", 200) if others else "Blanks separate tags."

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one("#tags-said").remove_class("warning")
        self.set_text("#tags-said", self._known_line())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        note = self._note
        try:
            tags = tags_in(self.query_one("#tags-line", LineInput).value)
            if note is not None:
                note = parse_note(self.query_one("#note-line", LineInput).value)
        except BadTag as error:
            self.query_one("#tags-said").add_class("warning")
            self.set_text("#tags-said", str(error))
            return
        add = tuple(tag for tag in tags if tag not in self._tags)
        remove = tuple(tag for tag in self._tags if tag not in tags)
        self.dismiss(TagAnswer(add, remove, note if note != self._note else None))
