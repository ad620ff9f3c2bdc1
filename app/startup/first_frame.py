"""Read the first rows from the catalog and draw them before Textual is imported.

The import of Textual 8.2.8 takes many times as long as reading and writing sixty rows. This module therefore
writes the picture that Textual will draw. Keys that are typed meanwhile wait in the terminal without an echo.
This module becomes unnecessary if the import of Textual fits the budget of the first rows
(`tests/benchmarks/README.md`).
"""

from __future__ import annotations

import os
import termios
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.index.catalog.catalog import Catalog
from app.index.row import Row
from app.keys import footer
from app.setup import Setup
from app.signals import ExitSignals
from app.stores import all_pins
from app.view.arrangement import Arrangement
from app.view.bars import (
    keys_without_session,
    no_session_keys,
    reading_note,
    search_keys,
    without_lacking,
)
from app.view.frame import frame
from app.view.geometry import is_too_small
from app.view.list_model import ListModel
from app.view.palette import THEMES, eight_bit, few_colours, ground_of, rgb, style_of
from app.view.preset import BROWSER, SELECTOR
from app.view.terminal import can_place_text, colour_depth, speller
from app.view.wide_glyphs import place_wide_glyphs

Look = tuple[str, str, str]  # attributes, and the codes of both colours

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H"
# It also switches off the modes of mouse, paste, focus, resize and keyboard that Textual switches on: the
# process may end before Textual switches them off.
LEAVE = (
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?2048l\x1b[<u"
    "\x1b[?7h\x1b[?1049l\x1b[?25h"
)
ATTRIBUTES = {"bold": ("1", "22"), "italic": ("3", "23"), "underline": ("4", "24"), "reverse": ("7", "27")}
"""The codes that switch each attribute on and off."""


class Terminal:
    """The terminal between the first frame and Textual: in the alternate screen, without an echo.

    `restore` gives back the settings that it had at first.
    """

    def __init__(self, output: int, source: int, encoding: str = "utf-8") -> None:
        self._output = output
        self._source = source
        self._encoding = encoding
        self.size = os.get_terminal_size(output)
        self._before: list[Any] | None = None
        self._entered = False

    def enter(self, picture: str) -> None:
        """Switch to the alternate screen and show a picture. Typed keys are not echoed, and none is lost."""
        self._before = termios.tcgetattr(self._source)
        quiet = termios.tcgetattr(self._source)
        quiet[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR | termios.IGNCR)
        quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        # Ctrl+Z waits for Textual, which gives the terminal back before it stops the process
        quiet[6][termios.VSUSP] = os.fpathconf(self._source, "PC_VDISABLE")
        termios.tcsetattr(self._source, termios.TCSANOW, quiet)
        self._entered = True
        self.show(ENTER + picture)

    def show(self, picture: str) -> None:
        """Show another picture."""
        _write(self._output, picture, self._encoding)

    def leave(self) -> None:
        """Leave the alternate screen, if Textual did not start or did not end properly."""
        if self._entered:
            try:
                self.show(LEAVE)
            except OSError:
                pass  # the terminal is gone
            self._entered = False

    def is_left(self) -> None:
        """Record that Textual has left the alternate screen."""
        self._entered = False

    def give_back(self) -> None:
        """Leave the alternate screen unless it is left already, and give the terminal its settings back. A
        signal handler may call this at any moment, even while it runs.
        """
        self.leave()
        self.restore()

    def restore(self) -> None:
        """Give the terminal its settings back."""
        if self._before is not None:
            try:
                termios.tcsetattr(self._source, termios.TCSANOW, self._before)
            except termios.error:
                pass  # the terminal is gone, and its settings with it


def fill_list(setup: Setup, height: int, arrangement: Arrangement, catalog: Catalog) -> ListModel:
    """The part of the session list that the first screen needs: all groups, with the rows of the open groups
    or of this folder.

    :param height: lines of the list.
    """
    try:
        pins = all_pins(setup.stores, setup.state_folder)
    except OSError:  # the path of the state folder is relative and cannot be resolved
        pins = frozenset()
    model = ListModel(setup.here, setup.home, arrangement, pins)
    model.preview(catalog.projects(), ())
    if arrangement.has_groups:
        model.open_first(height)
    folders = model.first_groups() if arrangement.has_groups else setup.here
    model.preview((), (row for cwd in folders for row in catalog.rows_of_project(cwd)))
    return model


def show(
    setup: Setup,
    theme: str,
    arrangement: Arrangement,
    ending: ExitSignals,
    query: str | None = None,
    *,
    typed: str = "",
    ascii_only: bool = False,
    nowhere: Callable[[], Sequence[tuple[str, str, str]]] | None = None,
) -> tuple[ListModel, Terminal | None]:
    """Write the first frame; nothing is drawn if the terminal is too small.

    :param ending: gets the function that gives the terminal back.
    :param query: the query of the selector; None for the browser. The list has no session that the query may
        exclude.
    :param typed: the query of the browser, which leaves out sessions in the same way.
    :param ascii_only: draw with ASCII characters only.
    :param nowhere: called if there is no session at all; gives the folders that were searched
        (`ListModel.searched`).
    :return: the list as it is shown, and the terminal to give back at the end.
    """
    output, source = _terminal()
    if output is None or source is None:
        return ListModel(setup.here, setup.home, arrangement), None
    terminal = Terminal(output, source, setup.encoding)
    ending.first(terminal.give_back)
    catalog = Catalog(setup.cache_folder, setup.stores, setup.renewals.append)
    try:
        model = fill_list(setup, _height(terminal, arrangement, query), arrangement, catalog)
        if query or typed:
            model.begin_with(query or typed)
        if nowhere is not None and not model.known and all(store.is_bare() for store in setup.stores):
            model.searched = nowhere()
        terminal.enter(_picture(setup, theme, model, terminal, query, ascii_only=ascii_only))
    except BaseException:
        terminal.give_back()
        raise
    finally:
        catalog.close()
    return model, terminal


def fill(
    setup: Setup,
    theme: str,
    model: ListModel,
    terminal: Terminal,
    rows: Iterable[Row],
    done: int,
    total: int,
    query: str | None = None,
    *,
    ascii_only: bool = False,
) -> None:
    """Put the sessions that were read first into an empty first frame, and into `model`.

    :param query: as in `show`, like ``ascii_only``.
    :param done: the number of files that are read; `total`: the number of files to read.
    """
    model.load(rows)
    model.open_first(_height(terminal, model.arrangement, query))
    model.reading = done, total
    note = reading_note(done, total)
    terminal.show(_picture(setup, theme, model, terminal, query, note, ascii_only=ascii_only))


def _height(terminal: Terminal, arrangement: Arrangement, query: str | None) -> int:
    columns, lines = terminal.size
    preset = BROWSER if query is None else SELECTOR
    return preset.list_lines(columns, lines, arrangement.panes)


def _picture(
    setup: Setup,
    theme: str,
    model: ListModel,
    terminal: Terminal,
    query: str | None,
    note: str = "",
    *,
    ascii_only: bool,
) -> str:
    """The text to write; empty if the terminal is too small."""
    columns, lines = terminal.size
    if is_too_small(columns, lines):
        return ""
    now_ms = setup.now_ms()
    keys = _keys(model, query)
    row = next((line.row for line in model.lines if line.row is not None), None)
    keys = without_lacking(footer("sessions") if keys is None else keys, row)
    drawn = frame(
        model,
        columns,
        lines,
        now_ms=now_ms,
        here=setup.here[0],
        home=setup.home,
        note=note or ("example sessions" if setup.demo else ""),
        query=query,
        keys=keys,
    )
    spell = speller(setup.encoding, ascii_only=ascii_only)
    if spell is not None:
        drawn = [[(spell(text), style, ground) for text, style, ground in pieces] for pieces in drawn]
    return ansi(drawn, THEMES[theme], colour_depth(os.environ))


def _keys(model: ListModel, query: str | None) -> Sequence[tuple[str, str]] | None:
    """The keys in the last line; None for the keys of the browser's list."""
    has_row = any(line.row is not None for line in model.lines)
    # without a catalog, no session is known yet, and the next picture mostly has rows
    is_unknown = not model.known and model.searched is None
    if query is None and (has_row or is_unknown):
        return None
    if model.finds_nothing:
        return no_session_keys(typing=query is not None, typed=bool(query))
    if query is None:
        return keys_without_session(model)
    return search_keys(SELECTOR, here=True, typed=bool(query), has_row=has_row)


def _terminal() -> tuple[int | None, int | None]:
    """The descriptors for output and input: standard error and standard input, as in Textual; None if there
    can be no first frame.
    """
    if not can_place_text(os.environ):
        return None, None
    return (2, 0) if os.isatty(2) and os.isatty(0) else (None, None)


def ansi(picture: list[list[tuple[str, str, str]]], theme: Mapping[str, str], bits: int) -> str:
    """The picture as text for a terminal of ``bits`` of colour. Each line is placed by its number.

    Only changes of the look are written: colours for every piece would be three quarters of the picture, and
    the rows would wait for them.
    """
    looks: dict[tuple[str, str], Look] = {}
    changes: dict[tuple[Look, Look], str] = {}
    before = ("", "", "")
    written: list[str] = ["\x1b[0m"]
    for number, pieces in enumerate(picture, 1):
        written.append(f"\x1b[{number}H")
        for text, style, background in pieces:
            if not text:
                continue
            look = looks.get((style, background))
            if look is None:
                look = looks[style, background] = _look(style, background, theme, bits)
            if text.isspace() and not ("underline" in look[0] or "reverse" in look[0]):
                # blanks have no colour of their own
                look = look[0], before[1], look[2]
            if look != before:
                change = changes.get((before, look))
                if change is None:
                    change = changes[before, look] = _change(before, look)
                written.append(change)
                before = look
            written.append(text)
    return place_wide_glyphs("".join(written) + "\x1b[0m")


def _look(style: str, background: str, theme: Mapping[str, str], bits: int) -> Look:
    colour, attributes = style_of(style, theme)
    background = ground_of(style, background)
    if bits == 24:
        return (
            attributes,
            "38;2;{};{};{}".format(*rgb(colour)),
            "48;2;{};{};{}".format(*rgb(theme[background])),
        )
    if bits == 8:
        return attributes, f"38;5;{eight_bit(colour)}", f"48;5;{eight_bit(theme[background])}"
    return few_colours(attributes, colour, theme[background], theme, sixteen=bits == 4)


def _change(before: Look, after: Look) -> str:
    """The escape sequence that changes one look into another."""
    had, has = before[0].split(), after[0].split()
    codes = [ATTRIBUTES[name][1] for name in had if name not in has]
    codes += [ATTRIBUTES[name][0] for name in has if name not in had]
    codes += [colour for colour, old in zip(after[1:], before[1:], strict=True) if colour != old]
    return f"\x1b[{';'.join(codes)}m"


def _write(descriptor: int, text: str, encoding: str) -> None:
    data = text.encode(encoding, "replace")
    while data:
        data = data[os.write(descriptor, data) :]
