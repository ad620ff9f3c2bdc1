"""The Textual application: theme, palette, signals, and the handling of unexpected errors."""

from __future__ import annotations

import asyncio
import traceback
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events, on, work
from textual.binding import Binding
from textual.driver import Driver

from app import paths, setup
from app.dialogs.row_dialogs import RowEditor, RowQuestion
from app.formats.text import one_line
from app.gc_policy import CHECK_SECONDS, IdleCollector
from app.messages import ServiceFailed
from app.screens.sessions_screen import SessionsScreen
from app.services.list_facts import write_problem
from app.settings import Settings
from app.startup.driver import call_on_end, driver_class, suspend
from app.startup.key_order import KeyOrder
from app.theme import DIALOGS, SHEET, styles_folder, themes
from app.view.arrangement import initial
from app.view.formatting import use_clock
from app.view.list_model import ListModel
from app.view.palette import THEMES
from app.view.preset import BROWSER, SELECTOR, Preset
from app.view.status_messages import DONE, ERROR, FACT, SECONDS, WARNING, MessageQueue, StatusMessage, message
from app.view.terminal import colour_depth, speller
from app.widgets.commands import bindings_for
from app.widgets.dialog import Dialog
from app.widgets.line_filters import AsciiFilter, FewColours, in_few_colours
from app.widgets.textual_internals import CrashApp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.actions import ActionParseResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.filter import LineFilter
    from textual.notifications import SeverityLevel
    from textual.screen import Screen
    from textual.timer import Timer
    from textual.widget import Widget

    from app.actions.resume import Plan
    from app.demo.folder import DemoFolder
    from app.screens.beside import Beside
    from app.services.index_service import IndexService
    from app.signals import ExitSignals


def empty_list(surroundings: setup.Setup, settings: Settings, preset: Preset = BROWSER) -> ListModel:
    """A list without sessions, arranged as the last run left it."""
    remembered = {} if surroundings.demo else paths.read_screen(surroundings.env)
    arrangement = initial(remembered, preset, sizes=settings.show_size, wanted=settings.arranged())
    return ListModel(surroundings.here, surroundings.home, arrangement)


FAILED = 3
"""The exit code after a fatal error."""

DIALOG_STYLES = styles_folder() / DIALOGS


class Browser(CrashApp["Plan | None"]):
    """leafmark's screen. Its result is the plan of the session to resume, or None.

    parting   messages for the shell's terminal after the end
    messages  those of the status line
    """

    TITLE = "leafmark"
    CSS_PATH: ClassVar[Any] = styles_folder() / SHEET
    # its key is in the table of commands
    COMMAND_PALETTE_BINDING = ""
    PAUSE_GC_ON_SCROLL = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Leave leafmark", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "Copy what is selected, else leave", show=False, priority=True),
        # Also over dialogs, whose texts would have the key otherwise.
        *bindings_for("app.suspend"),
    ]

    def __init__(
        self,
        surroundings: setup.Setup,
        model: ListModel | None = None,
        *,
        theme: str = "",
        take_over: Callable[[], None] | None = None,
        ending: ExitSignals | None = None,
        indexing: IndexService | None = None,
        selector: str | None = None,
        typed: str = "",
        begin_at: str = "",
        settings: Settings | None = None,
        news: str = "",
    ) -> None:
        """:param model: the list that the first frame already shows.
        :param theme: a name in `app.view.palette.THEMES`; empty for the one that was chosen last.
        :param take_over: restores the settings of the terminal, if it is in the alternate screen already.
        :param ending: handles the signals, and notifies this application while it runs.
        :param indexing: of the same setup, if it has begun already.
        :param settings: the user's settings; None for the defaults.
        :param selector: the query with which the selector opens in place of the browser.
        :param typed: the query with which the browser opens.
        :param begin_at: the path of the session at which it opens; "" for the first one.
        :param news: a sentence for the status line, raw; "" for none.
        """
        super().__init__(
            driver_class=driver_class(take_over, self._lose_terminal) if take_over is not None else None
        )
        self._setup = surroundings
        self._ending = ending
        self._indexing = indexing
        self._preset = BROWSER if selector is None else SELECTOR
        self._query = selector or typed
        self._begin_at = begin_at
        self._news = news
        self._settings = settings or Settings()
        self._model = model or empty_list(surroundings, self._settings, self._preset)
        use_clock(self._settings.clock)
        ascii_only = self._settings.draws_ascii(surroundings.env)
        spell = speller(surroundings.encoding, ascii_only=ascii_only)
        self._ascii_filters = [AsciiFilter(spell)] if spell is not None else []
        bits = colour_depth(surroundings.env)
        self._has_own_colours = take_over is not None and (self.no_color or bits < 8)
        self._few_colours = FewColours(self._palette_name, sixteen=bits > 0) if bits < 8 else None
        chosen = theme or paths.read_theme(surroundings.env)
        self._first_theme = chosen if chosen in THEMES else "dark"
        self._demo_folder: DemoFolder | None = None
        self._examples: setup.Setup | None = None
        self.crash = ""
        self.parting: list[str] = []
        self.messages = MessageQueue()
        self._message: StatusMessage | None = None
        self._message_timer: Timer | None = None
        self.key_order = KeyOrder(self, self._pass_on)
        self._collector = IdleCollector()
        self._early_pastes: list[events.Paste] = []
        self._is_lost = False
        for registered in themes():
            self.register_theme(registered)
        self.theme = f"leafmark-{self._first_theme}"
        self.stylesheet.set_variables(self.get_css_variables())
        self._styles_are_fresh = True

    def _palette_name(self) -> str:
        """The name of the theme in `app.view.palette`."""
        return self.theme.removeprefix("leafmark-")

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        if self._has_own_colours:
            filters = in_few_colours(filters, self._few_colours)
        # Textual's own filters are about colours and change no character.
        return [*self._ascii_filters, *filters]

    async def run_async(self, **how: Any) -> Plan | None:
        if self._ending is None:
            return await super().run_async(**how)
        with call_on_end(self._ending, asyncio.get_running_loop(), self._leave):
            return await super().run_async(**how)

    def _leave(self) -> None:
        """End on a signal. A screen that is being built is completed first: it would fail without the panes
        that Textual does not mount after `exit`.
        """
        if self.key_order.has_begun:
            self.exit()

    def _lose_terminal(self) -> None:
        """End because the terminal has gone."""
        self._is_lost = True
        if self.key_order.has_begun:
            self.exit(return_code=FAILED)

    def get_default_screen(self) -> Screen[Any]:
        # Imported here: a run needs one of the two.
        beside: Callable[[SessionsScreen], Beside]
        if self._preset is SELECTOR:
            from app.screens.preview_side import PreviewSide

            beside = PreviewSide
        else:
            from app.screens.tree_side import TreeSide

            beside = TreeSide
        return SessionsScreen(
            self._preset,
            beside,
            self._setup,
            self._model,
            self._settings,
            self._indexing,
            query=self._query,
            begin_at=self._begin_at,
        )

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        screen = (default_namespace or self).screen
        if isinstance(screen, SessionsScreen):
            # the actions of the panes beside the list
            namespaces = {"beside": cast("Widget", screen.beside)}
        return await super().run_action(action, default_namespace, namespaces)

    def refresh_css(self, animate: bool = True) -> None:
        # Textual 8.2.8 calls this when the application starts, because a theme was set. All styles would be
        # parsed a second time, and the screen laid out again.
        if self._styles_are_fresh:
            self._styles_are_fresh = False
        else:
            super().refresh_css(animate)

    def on_mount(self) -> None:
        self.call_after_refresh(self._after_first_picture)

    def _after_first_picture(self) -> None:
        """Start garbage collection, which is off until the first picture (`app.cli`), because a collection of
        all objects would delay the screen by three frames. Read the styles of dialogs.
        """
        self._collector.begin()
        if self._news:
            self.notify(one_line(self._news, 200), severity="warning")
        self.set_interval(CHECK_SECONDS, self._collect_when_idle)
        # A dialog that is open already has read its styles.
        if not self.stylesheet.has_source(str(DIALOG_STYLES)):
            self.stylesheet.read(DIALOG_STYLES)

    def _collect_when_idle(self) -> None:
        if not self.screen_stack:
            return  # the application is about to exit, and completes the requested actions first
        screen = self.screen
        # Objects that are made while all sessions are being read stay, so a collection would be in vain.
        if not isinstance(screen, SessionsScreen) or screen.feed.scanned:
            self._collector.look()

    async def on_event(self, event: events.Event) -> None:
        # Keys that are typed while the screen is being built wait for it.
        if isinstance(event, events.Paste) and not self.key_order.has_begun:
            self._early_pastes.append(event)
        elif not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        else:
            await self.key_order.take(event)

    async def _pass_on(self, key: events.Key) -> None:
        self._collector.used()
        if self.messages.current is not None and not self._has_prompt:
            self.messages.end()
            self.show_messages()
        await super().on_event(key)

    @on(SessionsScreen.Ready)
    async def _release_keys(self) -> None:
        if self._ending is not None and self._ending.status:
            self.exit()
        elif self._is_lost:
            self.exit(return_code=FAILED)
        else:
            await self.key_order.begin()
            for paste in self._early_pastes:
                self.post_message(paste)

    @on(ServiceFailed)
    def _service_failed(self, event: ServiceFailed) -> None:
        self.notify(one_line(event.reason), severity="error", markup=False)

    # messages

    def notify(
        self,
        message_text: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a message in the status line; Textual's toasts would cover the panes.

        :param message_text: raw.
        :param title: `DONE` for what was done.
        :param timeout: the seconds for which it stays.
        """
        kind = {"warning": WARNING, "error": ERROR}.get(severity, DONE if title == DONE else FACT)
        self.show_message(message(message_text, kind, seconds=timeout or SECONDS))

    def show_message(self, shown: StatusMessage) -> None:
        """Show a message in the status line, after those that are shown already."""
        self.messages.add(shown)
        self.show_messages()

    def show_messages(self) -> None:
        """Paint the current message if it has changed."""
        current = self.messages.current
        if current is self._message:
            return
        self._message = current
        if self._message_timer is not None:
            self._message_timer.stop()
            self._message_timer = None
        if current is not None:
            self._message_timer = self.set_timer(current.seconds, self._end_message)
        for screen in self.screen_stack:
            if isinstance(screen, SessionsScreen):
                screen.refresh_bars()
            elif isinstance(screen, Dialog):
                screen.show_message(current)

    def _end_message(self) -> None:
        """The time of a message is over; while a question stands in its place, it waits."""
        self._message_timer = None
        if self._has_prompt and self._message is not None:
            self._message_timer = self.set_timer(self._message.seconds, self._end_message)
            return
        self.messages.end()
        self.show_messages()

    @property
    def _has_prompt(self) -> bool:
        """Whether a question or an edit has the status line."""
        return bool(self.screen_stack) and isinstance(self.screen, RowQuestion | RowEditor)

    @on(Driver.SignalResume)
    def _paint_all(self) -> None:
        """Draw everything: another program has used the terminal."""
        self.refresh(layout=True)

    def on_unmount(self) -> None:
        if self._demo_folder is not None:
            self._demo_folder.remove()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text to the terminal's clipboard. Bytes of a path that are no text, and half characters, are
        written as escapes.
        """
        super().copy_to_clipboard(text.encode("utf-8", "backslashreplace").decode())

    async def action_interrupt(self) -> None:
        """Ctrl+C: copy the selected text; else cancel a question or an edit in a row, or a dialog with an
        input; else leave leafmark.
        """
        # By attribute: `Input` and `TextArea` have it, and `TextArea` takes long to import.
        text: Any = self.focused if hasattr(self.focused, "selected_text") else None
        if isinstance(self.screen, RowQuestion | RowEditor):
            self.screen.action_cancel()
        elif text is not None and text.selected_text:
            text.action_copy()
        elif text is not None and isinstance(self.screen, Dialog):
            self.screen.dismiss(None)
        else:
            self.exit()

    def action_suspend(self) -> None:
        """Stop leafmark, and give the terminal to the shell."""
        reason = suspend(self._driver)
        if reason:
            self.notify(f"Not suspended: {reason}", severity="warning", markup=False)

    @work(exclusive=True, group="theme")
    async def action_choose_theme(self) -> None:
        """Ask for a theme, and remember it for the next run."""
        from app.dialogs.themes import ThemesDialog
        from app.theme_files import load_all

        if isinstance(self.screen, ThemesDialog):
            return
        names, problems = await asyncio.to_thread(load_all, self._setup.env)
        for registered in themes():
            self.register_theme(registered)
        name = await self.push_screen_wait(ThemesDialog(names, self._palette_name(), problems))
        if name is not None:
            self._remember_theme(name)

    def _remember_theme(self, name: str) -> None:
        if self._setup.demo:
            return
        try:
            paths.write_theme(self._setup.env, name)
        except OSError as error:
            why = write_problem(error, self._setup.env)
            self.notify(f"The theme is not remembered: {why}", severity="warning", markup=False)

    async def action_open_demo(self) -> None:
        """Show the example sessions on another screen. Their folder is deleted when leafmark ends."""
        if isinstance(self.screen, SessionsScreen) and self.screen.setup.demo:
            return
        # Imported here: most runs show no examples.
        from app.demo.folder import DemoFolder
        from app.screens.tree_side import TreeSide

        try:
            if self._demo_folder is None:
                self._demo_folder = await asyncio.to_thread(DemoFolder)
            if self._examples is None:
                self._examples = await asyncio.to_thread(setup.setup_from_demo, self._demo_folder.path)
        except OSError as error:
            self.notify(f"The examples cannot be written: {error}", severity="error", markup=False)
            return
        # The same setup each time, so that changes to the examples stay until leafmark ends.
        examples = self._examples
        model = empty_list(examples, self._settings)
        await self.push_screen(SessionsScreen(BROWSER, TreeSide, examples, model, self._settings))

    def action_command_palette(self) -> None:
        """Open the palette of the screen with sessions."""
        if isinstance(self.screen, SessionsScreen):
            self.screen.open_palette()

    def action_show_help(self) -> None:
        """Open the help over a dialog."""
        from app.dialogs.help import HelpDialog

        screen = next(
            (below for below in reversed(self.screen_stack) if isinstance(below, SessionsScreen)), None
        )
        if screen is not None and not isinstance(self.screen, HelpDialog):
            screen.action_show_help()

    def report_crash(self) -> None:
        """Write the traceback to a file, and keep one line about it in `crash`."""
        text = traceback.format_exc()
        reason = text.strip().splitlines()[-1]
        try:
            details = f"details in {paths.write_crash(self._setup.env, text)}"
        except OSError as error:
            details = f"no log: {error}"
        self.crash = f"leafmark: {reason} ({details})"
