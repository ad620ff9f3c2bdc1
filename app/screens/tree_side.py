"""The browser: sessions by project, and the transcript of the one under the cursor, with its tree if the user
wants to see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical

from app.commands import command_by_id, pane_commands
from app.controllers.branch_flow import BranchFlow
from app.controllers.entry_actions import EntryActions
from app.controllers.entry_texts import EntryTexts
from app.controllers.export_flow import ExportFlow
from app.keys import footer, key_of
from app.panes.project_pane import ProjectLines, ProjectPane
from app.panes.transcript_pane import TranscriptPane
from app.panes.tree_pane import TreePane
from app.screens.sessions_screen import TICK_EVERY
from app.services.branch_jobs import BranchJobs
from app.services.session_exporter import SessionExporter
from app.sessions.tree.entry_ref import EntryRef
from app.view.bars import find_keys, hit_keys
from app.view.geometry import (
    COLUMNS_STEP,
    PANES,
    PaneLayout,
    Sizes,
    joined,
    with_divider,
    with_rule,
    with_second,
)
from app.widgets.commands import bindings_of
from app.widgets.line_list import CursorDebounce, LineList
from app.widgets.panes import Bar, Divider, Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.screens.sessions_screen import SessionsScreen
    from app.view.hit_line import HitPlace
    from app.view.line import Line


_PANE_OF = {name: name for name in PANES} | {
    "filter": "sessions",
    "find": "tree",
    "transcript-find": "transcript",
    "project": "transcript",
}
"""Id of a widget that can have the focus -> its pane."""


_IN_TRANSCRIPT: dict[str, tuple[object, ...]] = {
    "next_turn": ("go_prompt", 1),
    "previous_turn": ("go_prompt", -1),
    "next_hit": ("go_hit",),
    "go_label": ("go_label",),
    "go_parent": ("go_parent",),
    "go_leaf": ("follow_end",),
    "go_branch_point": ("switch_branch",),
}
"""Action of the tree -> that of the transcript, and its first parameters."""


class TreeSide(Vertical):
    """The panes beside the list of the browser, with the keys that tree and transcript both have.

    The tree is shown while it is not among the hidden panes of `Sizes`; it is read also while it is hidden,
    because commands on an entry find it there. A project stands in place of both.
    """

    BLANK = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("right")]

    def __init__(self, owner: SessionsScreen) -> None:
        super().__init__(id="right")
        self._owner = owner
        setup, settings = owner.setup, owner.settings
        self._wanted: HitPlace | None = None
        self._is_zoomed = False
        self._pane = PANES[0]
        ascii_only = settings.draws_plain(setup.env, setup.encoding)
        self.tree_pane = TreePane(
            now_ms=setup.now_ms, ascii_only=ascii_only, id="tree-pane", prices=settings.prices
        )
        self._tree = self.tree_pane.entry_tree
        self._tree.tree_filter = settings.tree_filter
        self._list_pane = list_pane = owner.sessions_pane
        self._list = list_pane.list
        self.transcript_pane = TranscriptPane(
            setup, id="transcript", is_live=lambda path: self._list.states.get(path) == "live"
        )
        self.project_pane = ProjectPane(
            setup.now_ms,
            id="project-pane",
            cache_folder=setup.cache_folder,
            stores=setup.stores,
            prices=settings.prices,
            all_rows=lambda: [] if owner.is_reading else owner.all_rows(),
        )
        self.widgets: dict[str, LineList] = {
            "tree": self._tree,
            "transcript": self.transcript_pane.lines,
            "project": self.project_pane.lines,
        }
        self._shows_project = False
        # the pane that the whole screen of the transcript gives its place back to; "" for none
        self._read_from = ""
        # the pane that the tree gives the keys back to when it is hidden
        self._left_for_tree = PANES[0]
        # the entry of the tree's cursor that the transcript has followed to; None on the leaf
        self._followed: EntryRef | None = None
        # a key of the list moves the tree's cursor
        self._leads = False
        self._entry_debounce = CursorDebounce()
        self._entry_timer: Timer | None = None
        self._project_debounce = CursorDebounce()
        self._project_timer: Timer | None = None
        self._jobs = BranchJobs(setup, self.post_message)
        self.entry_actions = EntryActions(
            owner.host,
            owner.messages,
            owner.prompt,
            list_pane,
            self._tree,
            owner.actions,
            self._jobs,
            setup,
            show_entry=self._show_place,
            show_tree=lambda: self._focus_pane("tree"),
            follow_view=self._follow_transcript,
        )
        images = settings.draws_images(setup.env, setup.encoding)
        self._texts = EntryTexts(
            owner.host, owner.messages, self.entry_actions, self._tree, setup, images=images
        )
        self.branch_flow = BranchFlow(
            owner.host,
            owner.messages,
            owner.prompt,
            owner.model,
            owner.actions,
            self._jobs,
            owner.starter,
            setup,
            settings,
            resume=owner.resume_controller.resume,
        )
        self._exporter = SessionExporter(setup, self.post_message)
        self.exports = ExportFlow(
            owner.host, owner.messages, owner.prompt, list_pane, self._exporter, setup, settings
        )

    def compose(self) -> ComposeResult:
        yield self.tree_pane
        yield Divider(id="second-divider")
        yield self.transcript_pane
        yield self.project_pane

    def on_unmount(self) -> None:
        self._jobs.stop()
        self._exporter.cancel()

    def on_mount(self) -> None:
        self.tree_pane.expect_session(self._list.row)
        self.transcript_pane.expect_session(self._list.row)
        self.set_interval(TICK_EVERY, self.update_ages)

    # layout

    @property
    def _sizes(self) -> Sizes:
        return self._owner.model.arrangement.panes

    @property
    def focused_pane(self) -> str:
        return self._pane

    @property
    def closing(self) -> dict[str, str]:
        tree, transcript = self.tree_pane.closing, self.transcript_pane.closing
        if "tree" in self._owner.pane_layout.boxes:
            return {"tree": tree, "transcript": transcript}
        return {"transcript": " · ".join(filter(None, (transcript, tree)))}

    def _shows(self, pane: str) -> bool:
        """Whether a pane has a place on the screen."""
        return pane in self._owner.pane_layout.boxes

    @property
    def _reads(self) -> bool:
        """Whether commands on an entry act on the transcript, and not on the tree."""
        is_tree = self._pane == "tree" or (self._pane == PANES[0] and self._shows("tree"))
        return not is_tree and not self._shows_project

    def place(self, columns: int, lines: int) -> PaneLayout:
        preset = self._owner.preset
        if self._list_pane.is_alone:
            places = preset.place_alone(columns, lines)
            self._is_zoomed = self._shows_project = False
            if self._pane != PANES[0]:
                self._pane = PANES[0]
                self._owner.set_focus(self._list)
        else:
            places = preset.place(columns, lines, self._pane, self._sizes, self._is_zoomed)
        if self._shows_project:
            places = places._replace(boxes=joined(places.boxes, "project"), second=-1)
        for pane in (self._list_pane, *self.query_children(Pane)):
            pane.zoomed = self._is_zoomed
        self.tree_pane.show_figures(in_rule=not places.closing)
        self.transcript_pane.show_figures(in_rule=not places.closing)
        return places

    def focus_moved(self, widget: Widget) -> None:
        pane = _PANE_OF.get(widget.id or "", self._pane)
        if pane != self._pane:
            self._pane = pane
            self._owner.place_panes()
        self.tree_pane.expect_search(self._pane == "tree")
        lines = self.transcript_pane.lines
        if lines.is_led != (self._pane == "tree"):
            lines.is_led = not lines.is_led
            lines.redraw_rows()

    def _focus_pane(self, pane: str) -> None:
        if self._list_pane.is_alone:
            return
        if self._read_from and pane != "transcript":
            self._is_zoomed, self._read_from = False, ""
        # a widget that is not displayed cannot take the focus: open the pane and make room for it first
        self._show_panes(pane)
        self._pane = pane
        self._owner.place_panes()
        # at once, so that no key that is typed meanwhile goes to the pane that was left
        self._owner.set_focus(self._main_widget(pane))

    def _main_widget(self, pane: str) -> LineList:
        """The widget that has the focus in a pane."""
        if pane == PANES[0]:
            return self._list
        return self.project_pane.lines if self._shows_project else self.widgets[pane]

    @property
    def main(self) -> LineList:
        return self._main_widget(self._pane)

    # bars

    def keys(self) -> list[tuple[str, str]]:
        bars = self._owner.bars
        if self._pane == PANES[0]:
            return bars.session_keys()
        if self.tree_pane.finder.line.has_focus or self.transcript_pane.finder.line.has_focus:
            return find_keys(self._pane)
        restores = key_of(f"pane.{self._pane}") if self._is_zoomed and not self._read_from else ""
        first = [(restores, "restore")] if restores else []
        if self._shows_project:
            return [*first, *footer("project")]
        if self._pane == "transcript":
            finder = self.transcript_pane.finder
            if finder.has_hits:
                first += hit_keys("block", ends=finder.line.is_open)
            return [*first, *footer("transcript")]
        pairs = footer(self._pane)
        if not self._has_branches:
            compare = command_by_id("branch.compare").label
            pairs = [pair for pair in pairs if pair[1] != compare]
        if self._tree.hits is not None:
            first += hit_keys("tree")
        if self._tree.node is None:
            without = {command.label for command in pane_commands(self._pane)} - {"filter"}
            pairs = [pair for pair in pairs if pair[1] not in without]
        return [*first, *pairs]

    @property
    def _has_branches(self) -> bool:
        """Whether the session under the cursor has another branch, or is not read yet."""
        row = self._list.row
        return row is not None and (row.provisional or row.branch_count > 1)

    def works_now(self, command: Command) -> bool:
        if command.pane == "tree" and not self._shows("tree"):
            return False
        return command.id not in ("branch.compare", "block.compare") or self._has_branches

    def status_line(self, cells: int) -> Line:
        in_list = self._pane == PANES[0]
        resumes = in_list or (self._tree.has_focus and self._tree.is_at_leaf)
        # In the search line Enter goes to the list, and runs nothing.
        hit = self.tree_pane.hit_note if self.is_mounted and self._list_pane.box.has_focus else ""
        hidden = self._list_pane.closing if in_list else ""
        if not hidden and self._pane == "tree":
            hidden = self.tree_pane.hidden_note
        hidden = "" if self._owner.pane_layout.closing else hidden
        return self._owner.bars.status(cells, shows_key=resumes, hidden=hidden, hit=hit)

    # the session under the cursor

    def show_session(self, row: Row | None, *, again: bool) -> None:
        self._turn_to_project()
        self._drop_entry_timer()
        self._followed, self._leads = None, False
        wanted = self._wanted if row is not None and self._wanted and self._wanted.path == row.path else None
        if row is not None and wanted is not None:
            self.transcript_pane.show_entry(row, wanted.entry_id, wanted.offset)
        else:
            self.transcript_pane.show_session(row, waits=self._list_pane.has_hit, again=again)
        self.tree_pane.show_session(row, again=again)
        if wanted is not None:
            self.tree_pane.show_hit(wanted)

    def _turn_to_project(self) -> None:
        """Show the project in place of tree and transcript if the cursor rests on the head of one."""
        if self._project_timer is not None:
            self._project_timer.stop()
            self._project_timer = None
        is_head = self._list.project is not None
        wait = self._project_debounce.delay() if is_head and not self._shows_project else 0.0
        if wait:
            self._project_timer = self.set_timer(wait, self._show_project)
        else:
            self._show_project()

    def _show_project(self) -> None:
        project = self._list.project
        self.project_pane.show_project(project, self._list.states)
        if self._shows_project == (project is not None):
            return
        self._shows_project = project is not None
        self._owner.place_panes()
        if self._pane != "sessions":
            self._owner.set_focus(self._main_widget(self._pane))
        self._owner.refresh_bars()

    def _renew_project(self) -> None:
        self.project_pane.renew(self._list.project, self._list.states)

    @on(ProjectLines.Chosen)
    def _project_row_chosen(self, event: ProjectLines.Chosen) -> None:
        """Go to a session of the project in the list, or to one of its entries."""
        if event.entry_id:
            self.go_to(event.path, event.entry_id)
        elif self._list.go_to(event.path):
            self._focus_pane("sessions")

    async def follow(self, row: Row) -> None:
        self.transcript_pane.follow(row)
        await self.tree_pane.follow(row)

    def retry(self) -> None:
        self.tree_pane.retry()
        self.transcript_pane.retry()

    def update(self, row: Row | None) -> None:
        self.transcript_pane.update(row)

    def update_ages(self) -> None:
        """Show the ages of now."""
        self._tree.update_ages()
        self.project_pane.update_ages()

    def show_hit(self, hit: HitPlace) -> None:
        wanted, self._wanted = self._wanted, None
        if not self._list_pane.is_current(hit):
            return
        self.tree_pane.finder.found_in(hit)
        # If nothing was found in a session, the cursors stay on the entry that the user went to.
        if hit.is_entry or wanted is None or wanted.path != hit.path:
            self.transcript_pane.show_hit(hit)
            self.tree_pane.show_hit(hit)

    @on(LineList.Moved, "#tree")
    def _tree_cursor_moved(self) -> None:
        self.tree_pane.update_borders()
        self._renew_bars("#keys, #resume")
        self._drop_entry_timer()
        if self._pane != "tree" and not self._leads:
            return
        self._leads = False
        wait = self._entry_debounce.delay()
        if wait:
            self._entry_timer = self.set_timer(wait, self._follow_tree)
        else:
            self._follow_tree()

    def _drop_entry_timer(self) -> None:
        if self._entry_timer is not None:
            self._entry_timer.stop()
            self._entry_timer = None

    def _follow_tree(self) -> None:
        """Show the entry under the tree's cursor in the transcript; on the leaf, the end."""
        self._drop_entry_timer()
        row, node, view = self._list.row, self._tree.node, self._tree.view
        if row is None or node is None or view is None or view.tree.path != row.path:
            return
        before = self._followed
        found = self._tree.hit if self._list_pane.has_hit else None
        follows = self._tree.is_at_leaf and found is None
        self._followed = None if follows else EntryRef(node.id, node.offset)
        if self._followed is None:
            if before is not None:
                self.transcript_pane.show_end(row)
        elif self.transcript_pane.entry != self._followed:
            self.transcript_pane.show_entry(row, node.id, node.offset, found)

    @on(TranscriptPane.SearchChanged)
    @on(TreePane.WordsChanged)
    def _renew_keys(self) -> None:
        self._renew_bars("#keys")

    def _renew_bars(self, selector: str) -> None:
        """Paint these bars anew. At the end of leafmark they may be gone before the tree."""
        for bar in self._owner.query(selector).results(Bar):
            bar.renew()

    # transcript and tree

    @on(LineList.Activated, "#tree")
    def action_show_transcript(self) -> None:
        """Give the transcript the whole screen, from the tree at its entry; or give the place back."""
        if self._list.row is None or self._shows_project:
            return
        if self._is_zoomed and self._pane == "transcript":
            self._give_back()
            return
        if self._pane == "tree":
            self._follow_tree()
        self._read_from, self._is_zoomed = self._pane, True
        self._focus_pane("transcript")

    def read(self) -> None:
        self.action_show_transcript()

    def _give_back(self) -> None:
        """Show all panes again, with the keys where they were before the transcript had the whole screen."""
        before, self._read_from = self._read_from, ""
        self._zoom(False)
        if before:
            self._focus_pane(before)

    def action_show_tree(self) -> None:
        """Show the tree, from the transcript at its entry, and give it the keys."""
        if self._list.row is None or self._shows_project:
            return
        if self._pane == "transcript":
            self._follow_transcript()
        self.show_tree()

    def show_tree(self) -> None:
        """Show the tree, and give it the keys."""
        if self._pane != "tree":
            self._left_for_tree = self._pane
        self._is_zoomed, self._read_from = False, ""
        self._focus_pane("tree")

    def action_hide_tree(self) -> None:
        """Hide the tree, and give the keys back."""
        self._is_zoomed = False
        self._focus_pane(self._left_for_tree)
        self._resize(self._sizes._replace(hidden=tuple({*self._sizes.hidden, "tree"} - {"transcript"})))

    def _follow_transcript(self) -> bool:
        """Put the tree's cursor on the entry of the block under the transcript's cursor, if commands act on
        that. False: the tree does not have it, and no command may act on another entry.
        """
        row, entry = self._list.row, self.transcript_pane.entry
        view = self._tree.view
        if not self._reads:
            return True
        if entry is None or row is None or view is None or view.tree.path != row.path:
            return False
        node = self._tree.node
        if node is not None and (node.id, node.offset) == entry:
            return True
        self._followed = EntryRef(*entry)
        return bool(self._tree.open_at(*entry))

    # the entry under the cursor

    def _show_place(self, place: HitPlace | None) -> None:
        """Give the pane with the entries the keys, and put its cursor on an entry once that session is shown;
        None: give the list the keys.
        """
        self._is_zoomed, self._read_from = False, ""
        if place is None:
            self._focus_pane(PANES[0])
            return
        self._focus_pane("tree" if "tree" not in self._sizes.hidden else "transcript")
        # Another session is not shown yet.
        self._wanted = place
        row = self._list.row
        if row is not None and row.path == place.path == self._list_pane.shown:
            self.transcript_pane.show_entry(row, place.entry_id, place.offset)
        self.tree_pane.show_hit(place)

    def sessions_changed(self) -> None:
        self._renew_project()
        self.branch_flow.sessions_changed()

    def action_go_on(self, *, by_command: bool = False) -> None:
        """Resume at the leaf; ask how to continue from any other entry under the cursor.

        :param by_command: choose a summary by command at first.
        """
        is_leaf = self._tree.has_focus and self._tree.is_at_leaf
        if is_leaf and not by_command and self.entry_actions.shown_row() is not None:
            self._owner.resume_controller.resume()
            return
        target = self.entry_actions.target()
        if target is not None:
            self.branch_flow.begin(target.row, target.entry_id, by_command=by_command)

    def action_hand_over(self) -> None:
        """Ask how another agent continues from the leaf of the session under the list's cursor."""
        row = self._list.row
        if row is not None:
            self.branch_flow.begin(row, "", to_other=True)

    def action_summarise(self) -> None:
        """Ask how to continue, with a summary by command."""
        self.action_go_on(by_command=True)

    def action_at_entry(self, what: str) -> None:
        """Act on the entry under the tree's cursor by a method of `EntryActions`."""
        getattr(self.entry_actions, what)()

    def action_export(self) -> None:
        """Export the marked sessions, or the one under the cursor."""
        self._list_pane.once_known(lambda: self.exports.export(self._owner.actions.targets()))

    def action_open_export(self) -> None:
        """Open what was exported last."""
        self.exports.open_last()

    def action_export_entry(self) -> None:
        """Export the path to the entry under the cursor."""
        target = self.entry_actions.target()
        if target is not None:
            self.exports.export([target.row], target.entry_id)

    def action_export_shown(self) -> None:
        """Export the session that is shown."""
        row = self._list.row
        self.exports.export([row] if row is not None else [])

    def stop_running(self) -> bool:
        return self.exports.stop_running()

    def action_copy_entry(self) -> None:
        """Copy the text of what is under the cursor."""
        if self._reads:
            self.transcript_pane.lines.action_copy_block()
        else:
            self._texts.copy()

    def action_copy_code(self) -> None:
        """Copy the next block of code of what is under the cursor."""
        if self._reads:
            self.transcript_pane.lines.action_copy_block_code()
        else:
            self._texts.copy_code()

    def action_open_entry(self, kind: str) -> None:
        """Open what is under the cursor in the "pager" or the "editor"."""
        self._texts.open_in(kind)

    def action_show_entry(self, look: str) -> None:
        """Show the entry under the cursor in a dialog, in one of `LOOKS`."""
        words = self.transcript_pane.lines.words if self._reads else self.tree_pane.searched_words
        self._texts.show(look, words)

    def action_go_prompt(self, step: int) -> None:
        if self._shows("transcript"):
            self.transcript_pane.lines.action_go_prompt(step)
        else:
            self.action_in_tree("next_turn" if step > 0 else "previous_turn")

    def action_in_tree(self, name: str, *parameters: object) -> None:
        """Run an action of the tree, also while another pane has the focus. The transcript does the same by
        its own action; what it cannot do is said, since the tree is out of sight.
        """
        if self._shows_project:
            self._owner.messages.show("This key acts on the tree, which is not shown")
        elif self._reads and name in _IN_TRANSCRIPT:
            action, *given = _IN_TRANSCRIPT[name]
            getattr(self.transcript_pane.lines, f"action_{action}")(*given, *parameters)
        elif not self._reads or self._shows("tree"):
            self._leads = self._pane == PANES[0]
            getattr(self._tree, f"action_{name}")(*parameters)
        else:
            self._owner.messages.show("This key acts on the tree, which is not shown")

    # commands

    def open_filter(self) -> None:
        """Search the sessions; from the tree or the transcript, what it shows."""
        if self._pane == PANES[0]:
            self._list_pane.open_box()
        elif self._shows_project:
            self._focus_pane(PANES[0])
            self._list_pane.open_box()
        elif self._pane == "transcript":
            self.transcript_pane.finder.open()
        else:
            self._focus_pane("tree")
            self.tree_pane.finder.open()

    @property
    def lines(self) -> LineList | None:
        if self._shows_project:
            return self.project_pane.lines if self._pane == PANES[0] else None
        order = ("transcript", "tree") if self._pane != "transcript" else ("tree",)
        return next((self.widgets[pane] for pane in order if pane != self._pane and self._shows(pane)), None)

    def action_back(self) -> None:
        is_read = self._pane == "transcript" and not self._shows_project
        if is_read and self.transcript_pane.finder.drop():
            pass
        elif self._is_zoomed:
            self._give_back()
        elif self._owner.model.marked and self._pane == PANES[0]:
            self._list.clear_marks()
            self._owner.refresh_bars()
        elif self._pane == "tree" and self.tree_pane.drop_search():
            self._owner.refresh_bars()
        elif self._pane != "transcript" and self._list_pane.box.value:
            self._list_pane.drop()
        elif self._pane != PANES[0]:
            self._focus_pane(PANES[0])
        elif self._list_pane.drop_set():
            self._owner.refresh_bars()
        elif self._owner.is_over_another:
            self._owner.dismiss()

    def action_next_pane(self) -> None:
        """Focus the next pane."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """Focus the previous pane."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        panes = [pane for pane in PANES if pane == self._pane or pane not in self._sizes.hidden]
        if self._shows_project:
            panes = [PANES[0], self._pane if self._pane != PANES[0] else "transcript"]
        self._focus_pane(panes[(panes.index(self._pane) + step) % len(panes)])

    def action_focus_pane(self, pane: str) -> None:
        """Focus a pane; show the focused one alone, and all again."""
        if pane != self._pane:
            self._focus_pane(pane)
        elif self._is_zoomed or len(self._owner.pane_layout.boxes) > 1:
            self._zoom(not self._is_zoomed)

    def _zoom(self, is_zoomed: bool) -> None:
        self._is_zoomed = is_zoomed
        self._read_from = self._read_from if is_zoomed else ""
        self._owner.place_panes()
        self._renew_keys()

    # sizes of the panes

    def _show_panes(self, *panes: str) -> None:
        if set(panes) & set(self._sizes.hidden):
            hidden = tuple(pane for pane in self._sizes.hidden if pane not in panes)
            self._resize(self._sizes._replace(hidden=hidden))

    def _resize(self, panes: Sizes, *, saves: bool = True) -> None:
        """Set the sizes of the panes, for the next run as well if it ``saves``."""
        self._owner.model.arrange(self._owner.model.arrangement.changed(panes=panes))
        if self._pane in panes.hidden:
            self._focus_pane(next(name for name in PANES if name not in panes.hidden))
        self._owner.place_panes()
        if saves:
            self._owner.facts.remember_arrangement()

    def action_move_divider(self, step: int) -> None:
        """Move the column between the list and the panes beside it by some columns."""
        box = self._owner.pane_layout.boxes.get("sessions")
        if self._owner.pane_layout.divider >= 0 and box is not None:
            self._move_divider(box.width + step)
        elif step > 0 and "sessions" in self._sizes.hidden:
            self._show_panes("sessions")
        elif step < 0:
            self._show_panes("transcript")

    def _move_divider(self, columns: int, *, saves: bool = True) -> None:
        places = self._owner.pane_layout
        self._resize(with_divider(self._sizes, columns, places, self._owner.size.width), saves=saves)

    def action_move_rule(self, step: int) -> None:
        """Move the border between two panes: the rule by a line, or the column beside the tree by some."""
        places = self._owner.pane_layout
        boxes = places.boxes
        lower = [pane for pane, box in boxes.items() if box.y > places.top]
        if places.second >= 0:
            self._move_second(places.second + COLUMNS_STEP * step)
        elif lower:
            self._move_rule(lower[-1], boxes[lower[-1]].y + step)
        elif step > 0:
            self._show_panes("tree")
        else:
            self._show_panes("transcript")

    def _move_second(self, column: int, *, saves: bool = True) -> None:
        places = self._owner.pane_layout
        if places.second >= 0:
            self._resize(with_second(self._sizes, column, places, self._owner.size.width), saves=saves)

    def _move_rule(self, lower: str, y: int, *, saves: bool = True) -> None:
        sizes = with_rule(self._sizes, self._owner.pane_layout, lower, y)
        if sizes is not None:
            self._resize(sizes, saves=saves)

    def dragged(self, event: Divider.Dragged | Pane.Dragged) -> None:
        if isinstance(event, Divider.Dragged):
            is_second = event.divider.id == "second-divider"
            move = self._move_second if is_second else self._move_divider
            move(event.x, saves=event.done)
            return
        name = (event.pane.id or "").removesuffix("-pane")
        if name in self._owner.pane_layout.boxes:
            self._move_rule(name, event.y, saves=event.done)

    def go_to(self, path: str, entry_id: str) -> None:
        self.entry_actions.go_to_entry(path, entry_id or None)
