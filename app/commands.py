"""The table of all commands of the screen. The bindings, the palette, the footer, the help and the table of
keys in the README come from it.

``keys`` are Textual's key names; the first of them is shown. Several panes may have the same key: the pane
with the focus gets it, and the footer shows the commands of that pane.
"""

from __future__ import annotations

RIGHT_PANES = ("tree", "entry", "project", "right", "transcript")
"""Panes that only the browser has."""


class Command:
    """A command.

    :param id: ``noun.verb``; also the id of the binding and in the palette.
    :param pane: ``app`` (everywhere), ``list`` (every pane), ``sessions``, ``filter``, ``side`` (both of
        these), ``project``, ``tree``, ``entry``, ``right`` (these three) or ``transcript``.
    :param action: Textual's action string, run on the screen.
    :param help: the description in the help.
    :param label: the name in the footer; "" if it is not in the footer.
    :param first: whether the key is handled before the pane gets it (a priority binding). Letters that are
        typed directly behind the key then reach what the command opens.
    :param selector: its description in the selector; None for ``help``. "" if it does nothing there, as do
        those of the tree and the entry.
    :param preview: whether a command of the list also works while the selector's preview has the focus.
        Commands for marks and folds do not, because they need a row. Commands that make sessions do not,
        because pagers use their keys: f for the next page, n for the next hit.
    """

    __slots__ = ("action", "first", "help", "id", "keys", "label", "pane", "preview", "selector")

    def __init__(
        self,
        id: str,
        pane: str,
        keys: str,
        action: str,
        help: str,
        label: str = "",
        *,
        first: bool = False,
        selector: str | None = None,
        preview: bool = True,
    ) -> None:
        self.id = id
        self.pane = pane
        self.keys = tuple(keys.split())
        self.action = action
        self.help = help
        self.label = label
        self.first = first
        in_browser = pane in RIGHT_PANES and (pane != "transcript" or action.startswith("screen."))
        same = "" if in_browser else help
        self.selector = same if selector is None else selector
        self.preview = preview and pane in ("sessions", "side")


COMMANDS: tuple[Command, ...] = (
    Command(
        "session.resume",
        "sessions",
        "enter",
        "resume",
        "Resume the session; on a project: start a new session in its folder",
        "resume",
    ),
    Command(
        "session.read",
        "sessions",
        "v",
        "screen.show_transcript",
        "Read the transcript",
        "read",
        preview=False,
    ),
    Command(
        "session.mark",
        "sessions",
        "space",
        "mark_or_fold",
        "Mark the session; fold or unfold the project",
        "mark",
        preview=False,
    ),
    Command(
        "session.delete", "sessions", "delete", "screen.trash", "Trash the marked sessions (or this one)"
    ),
    Command("session.pin", "sessions", "p", "screen.pin", "Pin or unpin the marked sessions (or this one)"),
    Command(
        "session.tag", "sessions", "number_sign", "screen.tag", "Edit the tags and the note of the session"
    ),
    Command(
        "session.fork",
        "sessions",
        "f",
        "screen.fork",
        "Fork the session",
        preview=False,
    ),
    Command(
        "session.fork_to",
        "sessions",
        "F",
        "screen.fork_to",
        "Fork the session into another folder",
        preview=False,
    ),
    Command(
        "session.new",
        "sessions",
        "c",
        "screen.new_session",
        "Start a new session in this folder",
        preview=False,
    ),
    Command("session.tree", "sessions", "t", "screen.show_tree", "Go to the tree of the session"),
    Command(
        "session.origin",
        "sessions",
        "o",
        "screen.other_end",
        "Go to the parent session, or to the newest fork",
        selector="",
        preview=False,
    ),
    Command(
        "beside.previous_prompt",
        "sessions",
        "left_square_bracket alt+up",
        "screen.go_prompt_beside(-1)",
        "Previous prompt in the pane beside",
        preview=False,
    ),
    Command(
        "beside.next_prompt",
        "sessions",
        "right_square_bracket alt+down",
        "screen.go_prompt_beside(1)",
        "Next prompt in the pane beside",
        preview=False,
    ),
    Command(
        "session.next_hit",
        "sessions",
        "n",
        "screen.in_tree('next_hit', 1)",
        "Next hit in the tree beside",
        selector="",
        preview=False,
    ),
    Command(
        "session.previous_hit",
        "sessions",
        "N",
        "screen.in_tree('next_hit', -1)",
        "Previous hit in the tree beside",
        selector="",
        preview=False,
    ),
    Command(
        "session.edit",
        "sessions",
        "e",
        "screen.open_transcript('editor')",
        "Open the transcript in $EDITOR",
    ),
    Command(
        "session.page",
        "sessions",
        "vertical_line",
        "screen.open_transcript('pager')",
        "Open the transcript in $PAGER",
    ),
    Command(
        "session.export",
        "sessions",
        "x",
        "screen.export",
        "Export the marked sessions (or this one)",
        selector="",
        preview=False,
    ),
    Command(
        "beside.up",
        "sessions",
        "K",
        "screen.scroll_beside(-3, 0)",
        "Scroll the pane beside up",
        preview=False,
    ),
    Command(
        "beside.down",
        "sessions",
        "J",
        "screen.scroll_beside(3, 0)",
        "Scroll the pane beside down",
        preview=False,
    ),
    Command("session.details", "sessions", "i", "screen.session_details", "Show all details of the session"),
    Command("session.copy_id", "sessions", "y", "screen.copy_id", "Copy the session id", preview=False),
    Command(
        "session.copy_path",
        "sessions",
        "Y",
        "screen.copy_path",
        "Copy the path of the session file",
        preview=False,
    ),
    Command(
        "session.mark_all",
        "sessions",
        "asterisk",
        "mark_all",
        "Mark all shown sessions, or none",
        preview=False,
    ),
    Command(
        "group.open",
        "sessions",
        "right l",
        "open_or_enter",
        "Unfold the project, then step into it",
        preview=False,
    ),
    Command(
        "group.close",
        "sessions",
        "left h",
        "close_or_climb",
        "Fold the project, or go to its row",
        preview=False,
    ),
    Command(
        "group.open_all", "sessions", "plus equals_sign", "open_all", "Unfold all projects", preview=False
    ),
    Command("group.close_all", "sessions", "minus", "close_all", "Fold all projects", preview=False),
    Command(
        "list.scope", "sessions", "s", "screen.turn('scope')", "Switch between this folder and all folders"
    ),
    Command("list.group", "sessions", "O", "screen.turn('grouped')", "Group by project, or show one list"),
    Command("list.agent", "sessions", "a", "screen.turn('agent')", "Cycle the agent: all, pi, omp and so on"),
    Command("list.roomy", "sessions", "D", "screen.turn('roomy')", "Show one or two lines for each session"),
    Command(
        "list.hidden",
        "sessions",
        "full_stop",
        "screen.turn('hidden')",
        "Show empty sessions and sub-agents",
    ),
    Command("session.rename", "side", "ctrl+r", "screen.rename", "Rename the session", "rename"),
    Command(
        "session.trash",
        "side",
        "ctrl+d",
        "screen.trash",
        "Trash the marked sessions (or this one)",
        "trash",
        first=True,
    ),
    Command(
        "session.trash_or_edit",
        "side",
        "ctrl+backspace",
        "edit_or_trash",
        "Trash; with a query, delete its last word",
        first=True,
    ),
    Command(
        "session.copy",
        "side",
        "ctrl+y",
        "screen.copy_command",
        "Copy the command that resumes the session",
    ),
    Command("list.order", "side", "ctrl+s", "screen.turn('order')", "Sort: threaded, recent, relevance"),
    Command("list.named", "side", "ctrl+n", "screen.turn('named_only')", "Show only named sessions"),
    Command("list.paths", "side", "ctrl+p", "screen.turn('paths')", "Show the paths of session files"),
    Command(
        "search.everywhere",
        "side",
        "ctrl+t",
        "turn_everywhere",
        "Also search tool calls and their output",
        preview=False,
    ),
    Command("filter.above", "filter", "up", "step(-1)", "Previous row"),
    Command("filter.below", "filter", "down", "step(1)", "Next row"),
    Command("filter.page_above", "filter", "pageup", "page(-1)", "Previous page"),
    Command("filter.page_below", "filter", "pagedown", "page(1)", "Next page"),
    Command("filter.keep", "filter", "enter", "keep", "Go to the list (selector: resume)", "to the list"),
    Command(
        "filter.drop",
        "filter",
        "escape",
        "drop",
        "Close the list of completions, clear the search, then leave it",
        "clear",
    ),
    Command(
        "filter.complete",
        "filter",
        "tab",
        "complete",
        "Take the completion, or list the filters",
        selector="Take the completion, or switch between this folder and all folders",
    ),
    Command("filter.scroll_up", "filter", "shift+up", "beside(-1, 0)", "Scroll the pane beside up"),
    Command("filter.scroll_down", "filter", "shift+down", "beside(1, 0)", "Scroll the pane beside down"),
    Command(
        "filter.scroll_page_up",
        "filter",
        "alt+pageup ctrl+b",
        "beside(0, -1)",
        "Scroll the pane beside up by a page",
    ),
    Command(
        "filter.scroll_page_down",
        "filter",
        "alt+pagedown ctrl+f",
        "beside(0, 1)",
        "Scroll the pane beside down by a page",
    ),
    Command("filter.mark", "filter", "insert ctrl+@", "mark", "Mark the session (Space on an empty line)"),
    Command(
        "filter.delete_word",
        "filter",
        "ctrl+w alt+backspace",
        "delete_left_word",
        "Delete the last word",
    ),
    Command(
        "project.go", "project", "enter", "go", "Go to this session, or to the entry of this label", "go"
    ),
    Command(
        "entry.go_on",
        "tree",
        "enter",
        "screen.go_on",
        "Continue from here; on the leaf: resume",
        "continue",
    ),
    Command(
        "entry.summarise",
        "tree",
        "shift+enter",
        "screen.summarise",
        "Continue from here, with a summary by command",
    ),
    Command("entry.read", "tree", "v", "screen.show_transcript", "Read the transcript from here", "read"),
    Command(
        "branch.compare", "tree", "C", "screen.compare", "Compare this branch with the active one", "compare"
    ),
    Command("entry.fork", "tree", "f", "screen.fork_here", "Fork at this entry"),
    Command("entry.fork_to", "tree", "F", "screen.fork_here_to", "Fork at this entry into another folder"),
    Command("label.times", "tree", "T", "toggle_label_times", "Show when labels were set"),
    Command(
        "tree.problems",
        "tree",
        "exclamation_mark",
        "screen.show_problems",
        "List the damaged lines",
    ),
    Command("branch.toggle", "tree", "space", "toggle_fold", "Fold or unfold the branch", "fold"),
    Command("branch.open", "tree", "right l", "open_or_enter", "Unfold the branch, then step into it"),
    Command("branch.close", "tree", "left h", "close_or_climb", "Fold the branch, or go to its start"),
    Command(
        "branch.fold",
        "tree",
        "ctrl+left alt+left",
        "fold_or_up",
        "Fold the branch, or go to its start (pi's key)",
    ),
    Command(
        "branch.unfold",
        "tree",
        "ctrl+right alt+right",
        "unfold_or_down",
        "Unfold the branch, or go to the next one (pi's key)",
    ),
    Command("branch.fold_others", "tree", "minus", "close_all", "Fold all branches except the active path"),
    Command("branch.unfold_all", "tree", "plus equals_sign", "open_all", "Unfold all branches"),
    Command("tree.scroll_up", "tree", "K", "screen.scroll_beside(-3, 0)", "Scroll the entry up"),
    Command("tree.scroll_down", "tree", "J", "screen.scroll_beside(3, 0)", "Scroll the entry down"),
    Command("tree.filter_next", "tree", "ctrl+o", "cycle_filter(1)", "Next tree filter", "filter"),
    Command("tree.filter_previous", "tree", "ctrl+shift+o alt+o", "cycle_filter(-1)", "Previous tree filter"),
    Command(
        "tree.filter_default",
        "tree",
        "ctrl+d alt+d",
        "set_filter('default')",
        "Tree filter: default (no entries for labels, names, models)",
    ),
    Command(
        "tree.filter_tools", "tree", "ctrl+t alt+t", "set_filter('no-tools')", "Tree filter: no tool results"
    ),
    Command("tree.filter_user", "tree", "ctrl+u alt+u", "set_filter('user')", "Tree filter: prompts only"),
    Command(
        "tree.filter_labelled",
        "tree",
        "ctrl+l alt+l",
        "set_filter('labelled')",
        "Tree filter: labelled entries only",
    ),
    Command("tree.filter_all", "tree", "ctrl+a alt+a", "set_filter('all')", "Tree filter: every entry"),
    Command("entry.continue", "entry", "enter", "screen.go_on", "Continue from this entry", "continue"),
    Command("entry.tree", "entry", "v t", "screen.show_tree", "Go to this entry in the tree"),
    Command("entry.fork_shown", "entry", "f", "screen.fork_here", "Fork at this entry"),
    Command(
        "entry.fork_shown_to", "entry", "F", "screen.fork_here_to", "Fork at this entry into another folder"
    ),
    Command(
        "entry.previous",
        "entry",
        "K",
        "previous_entry",
        "Previous entry",
        "previous",
    ),
    Command("entry.next", "entry", "J", "next_entry", "Next entry", "next"),
    Command("code.right", "entry", "right", "scroll_sideways(1)", "Scroll code to the right"),
    Command("code.left", "entry", "left", "scroll_sideways(-1)", "Scroll code back to the left"),
    Command(
        "turn.previous",
        "right",
        "alt+up left_square_bracket",
        "screen.in_tree('previous_turn')",
        "Previous prompt",
    ),
    Command(
        "turn.next", "right", "alt+down right_square_bracket", "screen.in_tree('next_turn')", "Next prompt"
    ),
    Command("shown.tag", "right", "number_sign", "screen.tag", "Edit the tags and the note of the session"),
    Command("entry.label", "right", "L", "screen.label", "Label the entry (empty removes it)", "label"),
    Command("leaf.go", "right", "at", "screen.in_tree('go_leaf')", "Go to the leaf and follow it", "leaf"),
    Command("entry.parent", "right", "backspace", "screen.in_tree('go_parent')", "Go to the parent entry"),
    Command(
        "tree.hidden",
        "right",
        "full_stop",
        "screen.in_tree('toggle_hidden')",
        "Show the hidden entries, or hide them again",
    ),
    Command("tree.next_hit", "right", "n", "screen.in_tree('next_hit', 1)", "Next hit"),
    Command("tree.previous_hit", "right", "N", "screen.in_tree('next_hit', -1)", "Previous hit"),
    Command("branch.next_point", "right", "b", "screen.in_tree('go_branch_point', 1)", "Next branch point"),
    Command(
        "branch.previous_point",
        "right",
        "B",
        "screen.in_tree('go_branch_point', -1)",
        "Previous branch point",
    ),
    Command("label.next", "right", "m", "screen.in_tree('go_label', 1)", "Next label"),
    Command("label.previous", "right", "M", "screen.in_tree('go_label', -1)", "Previous label"),
    Command("entry.export", "right", "x", "screen.export_entry", "Export the path to this entry"),
    Command("entry.copy", "right", "y ctrl+x", "screen.copy_entry", "Copy the text of the entry", "copy"),
    Command("entry.copy_code", "right", "Y", "screen.copy_code", "Copy the next block of code", "copy code"),
    Command("entry.edit", "right", "e", "screen.open_entry('editor')", "Open the entry in $EDITOR"),
    Command("entry.page", "right", "vertical_line", "screen.open_entry('pager')", "Open the entry in $PAGER"),
    Command(
        "entry.details",
        "right",
        "i",
        "screen.toggle_look('details')",
        "Show all details of the entry",
        "details",
    ),
    Command("entry.raw", "right", "r", "screen.toggle_look('raw')", "Show the raw JSON", "raw"),
    Command("shown.rename", "right", "ctrl+r", "screen.rename", "Rename the session"),
    Command(
        "shown.copy_command",
        "right",
        "ctrl+y",
        "screen.copy_command",
        "Copy the command that resumes the session",
    ),
    Command("shown.pin", "right", "p", "screen.pin", "Pin or unpin the marked sessions (or this one)"),
    Command("shown.new", "right", "c", "screen.new_session", "Start a new session in this folder"),
    Command(
        "shown.origin", "right", "o", "screen.other_end", "Go to the parent session, or to the newest fork"
    ),
    Command("block.go_on", "transcript", "enter", "screen.go_on", "Continue from this block", "continue"),
    Command(
        "block.unfold", "transcript", "space", "unfold", "Unfold the block in steps, then fold it", "unfold"
    ),
    Command("block.right", "transcript", "right", "scroll_sideways(1)", "Scroll code to the right"),
    Command("block.left", "transcript", "left", "scroll_sideways(-1)", "Scroll code back to the left"),
    Command("block.tools", "transcript", "ctrl+t", "unfold_tools", "Unfold or fold all tool calls"),
    Command(
        "block.open_all",
        "transcript",
        "plus equals_sign",
        "fold_all(False)",
        "Unfold all tool calls and thinking",
    ),
    Command("block.close_all", "transcript", "minus", "fold_all(True)", "Fold all tool calls and thinking"),
    Command("block.previous", "transcript", "K", "step_block(-1)", "Previous block"),
    Command("block.next", "transcript", "J", "step_block(1)", "Next block"),
    Command("block.parent", "transcript", "backspace", "go_parent", "Go to the parent entry"),
    Command(
        "prompt.previous",
        "transcript",
        "left_square_bracket alt+up",
        "go_prompt(-1)",
        "Previous prompt",
        "previous prompt",
    ),
    Command(
        "prompt.next",
        "transcript",
        "right_square_bracket alt+down",
        "go_prompt(1)",
        "Next prompt",
        "next prompt",
    ),
    Command("block.copy", "transcript", "y", "copy_block", "Copy the block", "copy"),
    Command("block.copy_code", "transcript", "Y", "copy_block_code", "Copy the next code in the block"),
    Command("transcript.export", "transcript", "x", "screen.export_shown", "Export the session"),
    Command(
        "transcript.close",
        "transcript",
        "v t",
        "screen.close_transcript",
        "Go to this entry in the tree",
        "tree",
    ),
    Command("block.fork", "transcript", "f", "screen.fork_here", "Fork at this block"),
    Command(
        "block.fork_to", "transcript", "F", "screen.fork_here_to", "Fork at this block into another folder"
    ),
    Command("block.label", "transcript", "L", "screen.label", "Label the entry (empty removes it)"),
    Command("block.next_hit", "transcript", "n", "go_hit(1)", "Next hit"),
    Command("block.previous_hit", "transcript", "N", "go_hit(-1)", "Previous hit"),
    Command("block.next_label", "transcript", "m", "go_label(1)", "Next label"),
    Command("block.previous_label", "transcript", "M", "go_label(-1)", "Previous label"),
    Command("branch.switch", "transcript", "b", "switch_branch(1)", "Go to the next branch that starts here"),
    Command("branch.return", "transcript", "B", "switch_branch(-1)", "Go back to the branch before"),
    Command("transcript.end", "transcript", "at", "follow_end", "Go to the end and follow it"),
    Command("cursor.up", "list", "up k", "cursor_up", "One row up"),
    Command("cursor.down", "list", "down j", "cursor_down", "One row down"),
    Command("cursor.page_up", "list", "pageup ctrl+b", "page_up", "One page up"),
    Command("cursor.page_down", "list", "pagedown ctrl+f", "page_down", "One page down"),
    Command("cursor.first", "list", "home g", "first", "First row"),
    Command("cursor.last", "list", "end G", "last", "Last row"),
    Command(
        "filter.open",
        "app",
        "slash",
        "open_filter",
        "Search the sessions (in the tree: its entries)",
        "search",
        first=True,
    ),
    Command(
        "label.list",
        "app",
        "apostrophe",
        "show_labels",
        "List the labels of this session, or of all",
        selector="",
    ),
    Command("change.undo", "app", "z ctrl+underscore ctrl+shift+minus", "undo", "Undo", "undo"),
    Command("change.redo", "app", "Z", "redo", "Redo what was undone last"),
    Command("history.show", "app", "H", "show_history", "List what was done, to undo or redo it"),
    Command("trash.show", "app", "X", "show_trash", "Open the trash, to restore sessions"),
    Command("settings.show", "app", "comma", "show_settings", "Open the settings"),
    Command("statistics.show", "app", "S", "show_statistics", "Show statistics: tokens, cost, time, tools"),
    Command("archive.show", "app", "A", "show_archive", "Open oh-my-pi's archive"),
    Command(
        "pane.next",
        "app",
        "tab",
        "next_pane",
        "Next pane",
        "pane",
        selector="Switch between this folder and all folders",
    ),
    Command(
        "pane.previous",
        "app",
        "shift+tab",
        "previous_pane",
        "Previous pane",
        selector="Go to the search line, the list or the preview",
    ),
    Command(
        "pane.sessions",
        "app",
        "1",
        "focus_pane('sessions')",
        "Go to the session list; again: show it alone, and back",
        selector="",
    ),
    Command(
        "pane.tree",
        "app",
        "2",
        "focus_pane('tree')",
        "Go to the tree; again: show it alone, and back",
        selector="",
    ),
    Command(
        "pane.entry",
        "app",
        "3",
        "focus_pane('entry')",
        "Go to the entry; again: show it alone, and back",
        selector="",
    ),
    Command("pane.narrower", "app", "less_than_sign", "move_divider(-4)", "Narrower list", selector=""),
    Command("pane.wider", "app", "greater_than_sign", "move_divider(4)", "Wider list", selector=""),
    Command(
        "pane.rule_up",
        "app",
        "left_curly_bracket",
        "move_rule(-1)",
        "Move the border above the entry up",
        selector="",
    ),
    Command(
        "pane.rule_down",
        "app",
        "right_curly_bracket",
        "move_rule(1)",
        "Move the border above the entry down",
        selector="",
    ),
    Command(
        "view.back",
        "app",
        "escape",
        "back",
        "Go one step back: search, marks, pane",
        selector="Go one step back: marks, search, then quit",
    ),
    Command("demo.open", "app", "f6", "app.open_demo", "Open the example sessions"),
    Command("index.rescan", "app", "f5", "rescan", "Rescan all folders"),
    Command("theme.choose", "app", "f2", "app.choose_theme", "Choose the theme, with a preview"),
    Command("palette.open", "app", "ctrl+k", "app.command_palette", "Open the command palette", first=True),
    Command("palette.type", "app", "colon", "app.command_palette", "Open the command palette"),
    Command("help.show", "app", "question_mark f1", "show_help", "Show the help", "help"),
    Command("app.suspend", "app", "ctrl+z", "app.suspend", "Suspend leafmark (fg continues it)", first=True),
    Command("app.quit", "app", "q ctrl+q ctrl+c", "app.quit", "Quit leafmark", "quit"),
)
PANES = ("sessions", "side", "filter", "project", "tree", "entry", "right", "transcript", "list", "app")


def pane_commands(pane: str) -> list[Command]:
    """The commands of one pane, in the table's order."""
    return [command for command in COMMANDS if command.pane == pane]


def preview_commands() -> list[Command]:
    """The commands of the list and its search that the preview of the selector has as well."""
    return [command for command in COMMANDS if command.preview]


def command_by_id(id: str) -> Command:
    """The command with this id.

    :raises KeyError: there is none.
    """
    for command in COMMANDS:
        if command.id == id:
            return command
    raise KeyError(id)
