"""The browser: sessions by project, the tree of the one under the cursor, the entry under the tree's cursor;
or the transcript in place of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical

from app.commands import command_by_id, pane_commands
from app.controllers.branch_flow import BranchFlow
from app.controllers.entry_actions import EntryActions
from app.controllers.export_flow import ExportFlow
from app.keys import footer, key_of
from app.panes.entry_pane import EntryPane
from app.panes.project_pane import ProjectLines, ProjectPane
from app.panes.transcript_pane import TranscriptPane
from app.panes.tree_pane import TreePane
from app.screens.sessions_screen import TICK_EVERY
from app.services.branch_jobs import BranchJobs
from app.services.session_exporter import SessionExporter
from app.view.bars import find_keys, hit_keys
from app.view.geometry import PANES, PaneLayout, Sizes, joined, with_divider, with_rule
from app.widgets.commands import bindings_of
from app.widgets.entry_lines import EntryLines
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
    "transcript": "tree",
    "transcript-find": "tree",
    "project": "tree",
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
    """The panes beside the list of the browser, with the keys that tree and entry both have."""

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
        images = settings.draws_images(setup.env, setup.encoding)
        self.entry_pane = EntryPane(setup, self._tree, images=images, id="entry-pane")
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
            "entry": self.entry_pane.lines,
            "transcript": self.transcript_pane.lines,
            "project": self.project_pane.lines,
        }
        # whether the transcript stands in place of the tree and the entry; the project does so before it
        self._reads = False
        self._shows_project = False
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
            show_entry=self._show_entry,
            follow_view=self._follow_transcript,
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
        yield self.entry_pane
        yield self.transcript_pane
        yield self.project_pane

    def on_unmount(self) -> None:
        self._jobs.stop()
        self._exporter.cancel()

    def on_mount(self) -> None:
        self.tree_pane.expect_session(self._list.row)
        self.set_interval(TICK_EVERY, self.update_ages)

    # layout

    @property
    def _sizes(self) -> Sizes:
        return self._owner.model.arrangement.panes

    @property
    def focused_pane(self) -> str:
        return self._pane

    @property
    def closing_pane(self) -> Pane:
        return self._stand_in or self.tree_pane

    @property
    def _stand_in(self) -> TranscriptPane | ProjectPane | None:
        """The pane in place of the tree and the entry."""
        if self._shows_project:
            return self.project_pane
        return self.transcript_pane if self._reads else None

    def place(self, columns: int, lines: int) -> PaneLayout:
        preset = self._owner.preset
        if self._list_pane.is_alone:
            places = preset.place_alone(columns, lines)
            self._reads = self._is_zoomed = self._shows_project = False
            if self._pane != PANES[0]:
                self._pane = PANES[0]
                self._owner.set_focus(self._list)
        else:
            places = preset.place(columns, lines, self._pane, self._sizes, self._is_zoomed)
        if self._stand_in is not None:
            name = "project" if self._shows_project else "transcript"
            places = places._replace(boxes=joined(places.boxes, name))
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
        self.tree_pane.expect_search(self._pane != "sessions")

    def _focus_pane(self, pane: str) -> None:
        if self._list_pane.is_alone:
            return
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
        return self._stand_in.lines if self._stand_in is not None else self.widgets[pane]

    @property
    def main(self) -> LineList:
        return self._main_widget(self._pane)

    # bars

    def keys(self) -> list[tuple[str, str]]:
        bars = self._owner.bars
        if self._pane == PANES[0]:
            return bars.session_keys()
        if self.tree_pane.finder.line.has_focus or self.transcript_pane.finder.line.has_focus:
            return find_keys("transcript" if self._reads else "tree")
        restores = key_of(f"pane.{self._pane}") if self._is_zoomed else ""
        first = [(restores, "restore")] if restores else []
        if self._stand_in is not None:
            finder = self.transcript_pane.finder
            if not self._shows_project and finder.has_hits:
                first += hit_keys("block", ends=finder.line.is_open and not self._is_zoomed)
            return [*first, *footer("project" if self._shows_project else "transcript")]
        pairs = footer(self._pane)
        if not self._has_branches:
            compare = command_by_id("branch.compare").label
            pairs = [pair for pair in pairs if pair[1] != compare]
        if self._pane == "tree" and self._tree.hits is not None:
            first += hit_keys("tree")
        has_content = (self._tree.spot if self._pane == "entry" else self._tree.node) is not None
        if not has_content:
            without = {command.label for command in pane_commands(self._pane)} - {"filter"}
            pairs = [pair for pair in pairs if pair[1] not in without]
        elif not self.entry_pane.lines.has_code:
            code = command_by_id("entry.copy_code").label
            pairs = [pair for pair in pairs if pair[1] != code]
        return [*first, *pairs]

    @property
    def _has_branches(self) -> bool:
        """Whether the session under the cursor has another branch, or is not read yet."""
        row = self._list.row
        return row is not None and (row.provisional or row.branch_count > 1)

    def works_now(self, command: Command) -> bool:
        return command.id not in ("branch.compare", "block.compare") or self._has_branches

    def status_line(self, cells: int) -> Line:
        in_list = self._pane == PANES[0]
        resumes = in_list or (self._tree.has_focus and self._tree.is_at_leaf)
        # In the search line Enter goes to the list, and runs nothing.
        hit = self.tree_pane.hit_note if self.is_mounted and self._list_pane.box.has_focus else ""
        hidden = self._list_pane.closing if in_list else ""
        if not hidden and self._stand_in is None:
            hidden = self.tree_pane.hidden_note
        hidden = "" if self._owner.pane_layout.closing else hidden
        return self._owner.bars.status(cells, shows_key=resumes, hidden=hidden, hit=hit)

    # the session under the cursor

    def show_session(self, row: Row | None, *, again: bool) -> None:
        self._turn_to_project()
        if self._reads:
            self.transcript_pane.show_session(row, waits=self._list_pane.has_hit)
        self.tree_pane.show_session(row, again=again)
        if row is not None and self._wanted is not None and self._wanted.path == row.path:
            self.tree_pane.show_hit(self._wanted)

    def _turn_to_project(self) -> None:
        """Show the project in place of the tree and the entry if the cursor rests on the head of one."""
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
        """Show the project under the cursor as it is now."""
        self.project_pane.renew(self._list.project, self._list.states)

    @on(ProjectLines.Chosen)
    def _project_row_chosen(self, event: ProjectLines.Chosen) -> None:
        """Go to a session of the project in the list, or to an entry of it in the tree."""
        if event.entry_id:
            self.go_to(event.path, event.entry_id)
        elif self._list.go_to(event.path):
            self._focus_pane("sessions")

    async def follow(self, row: Row) -> None:
        if self._reads:
            self.transcript_pane.follow(row)
        await self.tree_pane.follow(row)

    def retry(self) -> None:
        self.tree_pane.retry()
        if self._reads:
            self.transcript_pane.retry()

    def update(self, row: Row | None) -> None:
        if self._reads:
            self.transcript_pane.update(row)

    def update_ages(self) -> None:
        """Show the ages of now."""
        self._tree.update_ages()
        self.entry_pane.update_age()
        self.project_pane.update_ages()

    def show_hit(self, hit: HitPlace) -> None:
        wanted, self._wanted = self._wanted, None
        if not self._list_pane.is_current(hit):
            return
        self.tree_pane.finder.found_in(hit.path, tuple(hit.words))
        if self._reads:
            self.transcript_pane.show_hit(hit)
        # If nothing was found in a session, the cursor stays on the entry that the user went to.
        if hit.is_entry or wanted is None or wanted.path != hit.path:
            self.tree_pane.show_hit(hit)

    @on(LineList.Moved, "#tree")
    def _tree_cursor_moved(self) -> None:
        self.tree_pane.update_borders()
        self.entry_pane.cursor_moved()
        self._renew_bars("#keys, #resume")

    @on(EntryLines.CodeChanged)
    @on(TranscriptPane.SearchChanged)
    def _renew_keys(self) -> None:
        self._renew_bars("#keys")

    def _renew_bars(self, selector: str) -> None:
        """Paint these bars anew. At the end of leafmark they may be gone before the tree."""
        for bar in self._owner.query(selector).results(Bar):
            bar.renew()

    @on(TreePane.WordsChanged)
    def _words_changed(self, event: TreePane.WordsChanged) -> None:
        self.entry_pane.mark(event.words)
        self._renew_keys()

    @on(LineList.Activated, "#tree")
    def _entry_asked(self) -> None:
        self._focus_pane("entry")

    # the transcript

    def action_show_transcript(self) -> None:
        """Show the transcript in place of tree and entry, from the tree at its entry; or leave it again."""
        row = self._list.row
        if self._reads or row is None:
            self._close_transcript()
            return
        tree, view, has_hit = self._tree, self._tree.view, self._list_pane.has_hit
        # The keys for the next hit move the tree's cursor from the list, too.
        node = tree.node if self._pane != "sessions" or tree.hits is not None else None
        follows = tree.follows and not has_hit
        self._reads = True
        self._focus_pane("tree")
        if node is not None and view is not None and view.tree.path == row.path and not follows:
            self.transcript_pane.show_entry(row, node.id, node.offset, tree.hit if has_hit else None)
        else:
            self.transcript_pane.show_session(row, waits=has_hit)
            self._list_pane.locate_again()

    def read(self) -> None:
        if self._reads:
            self._focus_pane("tree")
        else:
            self.action_show_transcript()

    def action_close_transcript(self) -> None:
        """Go to the tree, at the entry of the block under the cursor."""
        self._close_transcript()

    def _close_transcript(self) -> None:
        if not self._reads:
            return
        self._follow_transcript()
        pane = self._pane
        self._reads = False
        self._focus_pane(pane)
        self.transcript_pane.show_session(None)

    def _follow_transcript(self) -> bool:
        """Put the tree's cursor on the entry of the block under the transcript's cursor. False: the tree does
        not have it, and no command may act on another entry.
        """
        row, entry = self._list.row, self.transcript_pane.entry
        view = self._tree.view
        if not self._reads:
            return True
        if entry is None or row is None or view is None or view.tree.path != row.path:
            return False
        node = self._tree.node
        return (node is not None and (node.id, node.offset) == entry) or bool(self._tree.open_at(*entry))

    # the entry under the tree's cursor

    def _show_entry(self, place: HitPlace | None) -> None:
        """Focus the tree, and put its cursor on an entry once that session is shown."""
        if self._reads:
            self._reads = False
            self.transcript_pane.show_session(None)
        self._focus_pane("tree")
        if place is not None:
            # The tree of another session is not shown yet.
            self._wanted = place
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
        elif self.entry_actions.shown_row() is not None:
            self.entry_pane.lines.action_copy_text()

    def action_copy_code(self) -> None:
        """Copy the next block of code of what is under the cursor."""
        if self._reads:
            self.transcript_pane.lines.action_copy_block_code()
        elif self.entry_actions.shown_row() is not None:
            self.entry_pane.lines.action_copy_code()

    def action_open_entry(self, kind: str) -> None:
        """Open what is under the cursor in the "pager" or the "editor"."""
        if self._reads:
            self._follow_transcript()
            self.entry_pane.cursor_moved()
        if self.entry_actions.shown_row() is not None:
            self.entry_pane.lines.open_in(kind)

    def action_toggle_look(self, look: str) -> None:
        """Show the entry in this way (`LOOKS`), or as text again; a transcript is replaced by the entry."""
        lines = self.entry_pane.lines
        if self._reads:
            self._close_transcript()
            self._focus_pane("entry")
            if lines.look == look:
                return
        lines.toggle_look(look)

    def action_go_prompt(self, step: int) -> None:
        if self._reads:
            self.transcript_pane.lines.action_go_prompt(step)
        else:
            self.action_in_tree("next_turn" if step > 0 else "previous_turn")

    def action_in_tree(self, name: str, *parameters: object) -> None:
        """Run an action of the tree, also while another pane has the focus. The transcript in place of the
        tree does the same by its own action; what it cannot do is said, since the tree is out of sight.
        """
        if self._stand_in is None:
            getattr(self._tree, f"action_{name}")(*parameters)
        elif self._stand_in is self.transcript_pane and name in _IN_TRANSCRIPT:
            action, *given = _IN_TRANSCRIPT[name]
            getattr(self.transcript_pane.lines, f"action_{action}")(*given, *parameters)
        else:
            self._owner.messages.show("This key acts on the tree, which is not shown")

    # commands

    def open_filter(self) -> None:
        """Search the sessions; from the tree or the entry, the entries of the tree."""
        if self._pane == "sessions":
            self._list_pane.open_box()
        elif self._shows_project:
            self._focus_pane("sessions")
            self._list_pane.open_box()
        elif self._reads:
            self.transcript_pane.finder.open()
        else:
            self._focus_pane("tree")
            self.tree_pane.finder.open()

    def action_show_tree(self) -> None:
        self.show_tree()

    @property
    def lines(self) -> LineList:
        if self._stand_in is not None:
            return self._stand_in.lines
        return self.entry_pane.lines if self.entry_pane.display else self._tree

    def show_tree(self) -> None:
        """Give the tree the keys."""
        self._close_transcript()
        self._focus_pane("tree")

    def action_back(self) -> None:
        if self._is_zoomed:
            self._zoom(False)
        elif self._owner.model.marked and self._pane == "sessions":
            self._list.clear_marks()
            self._owner.refresh_bars()
        elif self._reads and not self._shows_project and self._pane != "sessions":
            if not self.transcript_pane.finder.drop():
                self._close_transcript()
        elif self._pane == "tree" and self.tree_pane.drop_search():
            self._owner.refresh_bars()
        elif self._list_pane.box.value:
            self._list_pane.drop()
        elif self._pane == "sessions" and self._list_pane.drop_set():
            self._owner.refresh_bars()
        elif self._pane == "entry" and not self._shows_project:
            self._focus_pane("tree")
        elif self._pane == "sessions" and self._owner.is_over_another:
            self._owner.dismiss()
        else:
            self._focus_pane("sessions")

    def action_next_pane(self) -> None:
        """Focus the next pane."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """Focus the previous pane."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        panes = [pane for pane in PANES if pane == self._pane or pane not in self._sizes.hidden]
        if self._stand_in is not None:
            panes = ["sessions", self._pane if self._pane != "sessions" else "tree"]
        self._focus_pane(panes[(panes.index(self._pane) + step) % len(panes)])

    def action_focus_pane(self, pane: str) -> None:
        """Focus a pane; show the focused one alone, and all again."""
        if pane != self._pane:
            self._focus_pane(pane)
        elif self._is_zoomed or len(self._owner.pane_layout.boxes) > 1:
            self._zoom(not self._is_zoomed)

    def _zoom(self, is_zoomed: bool) -> None:
        self._is_zoomed = is_zoomed
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
            self._show_panes("tree", "entry")

    def _move_divider(self, columns: int, *, saves: bool = True) -> None:
        self._resize(with_divider(self._sizes, columns, self._owner.size.width), saves=saves)

    def action_move_rule(self, step: int) -> None:
        """Move the rule between two panes, one above the other, by some lines."""
        boxes = self._owner.pane_layout.boxes
        lower = [pane for pane, box in boxes.items() if box.y > self._owner.pane_layout.top]
        if lower:
            self._move_rule(lower[-1], boxes[lower[-1]].y + step)
        elif step > 0:
            self._show_panes("tree")
        else:
            self._show_panes("entry")

    def _move_rule(self, lower: str, y: int, *, saves: bool = True) -> None:
        sizes = with_rule(self._sizes, self._owner.pane_layout, lower, y)
        if sizes is not None:
            self._resize(sizes, saves=saves)

    def dragged(self, event: Divider.Dragged | Pane.Dragged) -> None:
        if isinstance(event, Divider.Dragged):
            self._move_divider(event.x, saves=event.done)
            return
        name = (event.pane.id or "").removesuffix("-pane")
        if name in self._owner.pane_layout.boxes:
            self._move_rule(name, event.y, saves=event.done)

    def go_to(self, path: str, entry_id: str) -> None:
        self.entry_actions.go_to_entry(path, entry_id or None)
