"""The settings screen: each setting with its value, its choices and its meaning."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, Any, ClassVar

import tomlkit
from textual import on, work
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.widgets import Input, Static

from app.dialogs.setting_rows import SettingRow, setting_line, setting_rows, typed_value
from app.formats.text import inert, one_line
from app.services.external_editor import NoProgram, command_of
from app.settings import SETTINGS, Setting, read_settings, settings_file
from app.settings_writer import CannotWrite, make_file, read_values, set_setting
from app.stores import AGENTS
from app.view.notifications import MOST_PROBLEMS
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.inputs import LineInput
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.settings import Settings
    from app.setup import Setup
    from app.view.line import Line

_THEME = Setting(
    "theme",
    "The colours. Enter shows those of each theme on the screen.",
    "",
    (),
    lambda *_: "",
    at_once=True,
)
"""It is remembered in leafmark's state, and not in the file."""
_PLACEHOLDERS = {"stores": "Folders, with commas between them", "arguments": "Arguments, as in a shell"}
_BESIDE = 12
"""Lines of the screen above and below the list."""


class SettingsDialog(Dialog[None]):
    """Typing keeps the settings that contain the text. Enter takes the next choice, or edits the value in the
    line; Delete removes it from the file; `e` opens the file.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,comma", "back", "Close"),
        Binding("down", "enter_list", "Into the list"),
        Binding("slash", "filter", "Filter"),
        Binding("enter", "change", "Change"),
        Binding("delete", "default", "Default"),
        Binding("e", "open_file", "Open the file"),
        Binding("q", "dismiss(None)", "Close"),
    ]

    def __init__(self, setup: Setup, settings: Settings) -> None:
        """:param settings: those of the screen; settings that count at once are changed in it."""
        super().__init__()
        self._setup = setup
        self._settings = settings
        self._rows: list[SettingRow] = []
        self._problems: tuple[str, ...] = settings.problems
        self._edited: SettingRow | None = None
        self._list = ItemList[SettingRow](self._draw_row, id="settings")
        self._line = LineInput(placeholder="Filter", id="settings-line", compact=True)

    def compose(self) -> ComposeResult:
        with DialogBox("Settings", classes="wide"):
            yield self._line
            yield self._list
            yield Static(id="settings-said", classes="hint")

    def on_mount(self) -> None:
        self._list.focus()
        self._show_keys()
        self.run_worker(self._show_file(), exclusive=True, group="settings")

    def on_resize(self) -> None:
        self._list.fit(self.size.height - _BESIDE)

    @work(exclusive=True, group="settings")
    async def _update(self, name: str = "", value: str = "") -> None:
        """Read the settings again, and show them; those that count at once change on the screen.

        :param name: of a setting that is changed in the file before; "" for none.
        :param value: as TOML; "" removes the setting.
        """
        try:
            if name:
                await asyncio.to_thread(set_setting, self._setup.env, name, value)
        except CannotWrite as error:
            self.app.notify(one_line(str(error), 500), severity="error", markup=False)
            return
        now = await asyncio.to_thread(read_settings, self._setup.env)
        for setting in SETTINGS:
            if setting.at_once:
                setattr(self._settings, setting.name, getattr(now, setting.name))
        # Clashes of keys were found at the start, and hold while the keys are the same.
        clashes = [text for text in self._settings.problems if text.startswith("keys: ")]
        self._problems = (*now.problems, *(clashes if now.keys == self._settings.keys else ()))
        await self._show_file()

    async def _show_file(self) -> None:
        """Read the file and show it; the cursor stays on its setting."""
        try:
            values = await asyncio.to_thread(read_values, self._setup.env)
        except CannotWrite as error:
            values = {}
            self.app.notify(one_line(str(error), 500), severity="error", markup=False)
        self._rows = [self._theme_row(), *setting_rows(values, [agent.name for agent in AGENTS])]
        self._show()

    def _show(self) -> None:
        wanted = "" if self._edited else self._line.value.strip().casefold()
        picked = self._list.picked
        shown = [row for row in self._rows if wanted in f"{row.name} {row.setting.help}".casefold()]
        self._list.show(shown)
        names = [row.name for row in shown]
        if picked is not None and picked.name in names:
            self._list.move_to(names.index(picked.name))
        self.on_resize()
        self._explain()

    def _draw_row(self, row: SettingRow, cells: int) -> Line:
        return setting_line(row, cells, bool(self._problems_of(row)))

    def _problems_of(self, row: SettingRow) -> list[str]:
        prefix = f"{settings_file(self._setup.env)}: "
        texts = [problem.removeprefix(prefix) for problem in self._problems]
        return [text for text in texts if text.startswith((f"{row.name}:", f"{row.name}."))]

    @on(LineList.Moved)
    def _explain(self) -> None:
        """Say what the setting under the cursor is for, or what is wrong with it."""
        row, said = self._list.picked, "No setting contains this."
        if row is not None:
            when = "" if row.setting.at_once else " It counts from the next start on."
            problems = self._problems_of(row)
            more = len(problems) - MOST_PROBLEMS
            shown = [*problems[:MOST_PROBLEMS], *([f"and {more:,} more"] if more > 0 else ())]
            said = "; ".join(shown) or row.setting.help + when
        self.set_text("#settings-said", inert(said))

    def _show_keys(self) -> None:
        if self._edited is not None:
            self.set_keys("Enter save  Esc cancel")
        elif self._line.has_focus:
            self.set_keys("↓ into the list  Esc clear")
        else:
            self.set_keys("Enter change  Del default  e open config.toml  / filter  Esc close")

    # keys

    @on(LineList.Activated)
    def action_change(self) -> None:
        """Take the next choice, or begin to edit the value."""
        row = self._list.picked
        if row is None:
            return
        if row.setting is _THEME:
            self.run_worker(self.run_action("app.choose_theme"))
        elif row.setting.choices:
            self._update(row.name, row.next_value)
        elif row.typed is not None:
            self._edited = row
            self._line.placeholder = _PLACEHOLDERS.get(row.setting.name, "A command")
            self._line.value = row.typed
            self._line.focus()
        else:
            self.app.notify("Press e: keys are changed in the file", markup=False)

    def on_screen_resume(self) -> None:
        """Show the theme that was chosen."""
        self.run_worker(self._show_file(), exclusive=True, group="settings")

    def _theme_row(self) -> SettingRow:
        return SettingRow(_THEME.name, _THEME, "", self.app.theme.removeprefix("leafmark-"))

    def action_default(self) -> None:
        """Remove the setting from the file."""
        row = self._list.picked
        if row is not None and row.name != "keys" and row.setting is not _THEME:
            self._update(row.name, "")

    def action_filter(self) -> None:
        """Go to the filter line."""
        self._line.focus()

    def action_enter_list(self) -> None:
        """Go to the list."""
        if self._edited is None:
            self._list.focus()

    def action_back(self) -> None:
        """Cancel the edit, else clear the filter, else close."""
        if self._edited is not None:
            self._end_edit()
        elif self._line.value or self._line.has_focus:
            self._line.value = ""
            self._list.focus()
        else:
            self.dismiss(None)

    def _end_edit(self) -> None:
        self._edited = None
        self._line.value = ""
        self._line.placeholder = "Filter"
        self._list.focus()

    def action_open_file(self) -> None:
        """Open the file in the user's editor, and read it again."""
        problem = ""
        try:
            command = command_of("editor", self._setup.env)
            path = make_file(self._setup.env)
            with self.app.suspend():
                try:
                    subprocess.run([*command, path], env=dict(self._setup.env), check=False)
                except OSError as error:
                    problem = f"{command[0]} cannot be run: {error.strerror or error}"
        except (NoProgram, CannotWrite) as error:
            problem = str(error)
        except SuspendNotSupported:
            problem = "Other programs cannot run here"
        if problem:
            self.app.notify(one_line(problem, 500), severity="error", markup=False)
        self._update()

    # messages

    def on_descendant_focus(self) -> None:
        self._show_keys()

    @on(Input.Changed, "#settings-line")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._edited is None:
            self._show()

    @on(Input.Submitted, "#settings-line")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        row = self._edited
        if row is None:
            self._list.focus()
            return
        value = typed_value(row, self._line.value)
        problem = _problem(row, value)
        if problem:
            self.app.notify(problem, severity="error", markup=False)
            return
        self._end_edit()
        self._update(row.name, value)


def _problem(row: SettingRow, value: str) -> str:
    """Why the setting does not take a value; "" if it does."""
    if not value:
        return ""
    parsed: Any = tomlkit.value(value).unwrap()
    if row.name != row.setting.name:
        parsed = {row.name.partition(".")[2]: parsed}
    problems: list[str] = []
    try:
        row.setting.read(parsed, problems.append)
    except ValueError as error:
        problems.append(f"{row.name}: {error}")
    return one_line(problems[0], 200) if problems else ""
