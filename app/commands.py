"""The table of all commands of the screen. The bindings, the palette, the footer, the help and the table of
keys in the README come from it.

``keys`` are Textual's key names; the first of them is shown. Several panes may have the same key: the pane
with the focus gets it, and the footer shows the commands of that pane.
"""

from __future__ import annotations

from functools import partial

RIGHT_PANES = ("tree", "project", "right", "transcript")
"""The panes beside the list of the browser. The selector has a transcript there, and no other of them."""

_NEEDS = {
    "name": "session.rename shown.rename",
    "label": "entry.label block.label label.next label.previous block.next_label block.previous_label "
    "label.times tree.filter_labelled session.copy_labelled",
    "branch": "entry.summarise",
    "fork": "session.fork session.fork_to entry.fork entry.fork_to block.fork block.fork_to",
}
"""Ability of an agent (`app.stores.base.ABILITIES`) -> the ids of the commands that need it."""
MENUS: dict[str, tuple[str, dict[str, str]]] = {
    "copy": (
        "Copy",
        {
            "y": "session.copy_id entry.copy block.copy",
            "c": "entry.copy_code block.copy_code",
            "m": "session.copy_markdown",
            "t": "session.copy_labelled",
            "r": "session.copy shown.copy_command",
            "p": "session.copy_path",
            "i": "session.copy_id",
            "l": "session.copy_link",
        },
    ),
    "go": (
        "Go to",
        {
            "g": "cursor.first",
            "n": "list.needs",
            "l": "label.list",
            "t": "trash.show",
            "h": "history.show",
            "s": "statistics.show",
            "d": "disk.show",
            "a": "archive.show",
            "comma": "settings.show",
            "f": "theme.choose",
        },
    ),
    "view": (
        "View",
        {
            "e": "list.hidden tree.hidden",
            "s": "list.scope",
            "o": "list.choose_order",
            "d": "list.roomy",
            "g": "list.group",
            "a": "list.agent",
            "n": "list.named",
            "p": "list.paths",
        },
    ),
}
"""Menu -> its title, and key -> the ids of the commands that the key chooses: the one of the pane with the
focus, else the first that does something there. `menu.NAME` opens it.
"""
MENU_NAMES = {
    "session.copy_id": "Session id",
    "entry.copy": "Text under the cursor",
    "block.copy": "Text under the cursor",
    "entry.copy_code": "Next block of code",
    "block.copy_code": "Next block of code",
    "session.copy_markdown": "Conversation as Markdown",
    "session.copy_labelled": "Turns with a label as Markdown",
    "session.copy": "Command that resumes it",
    "shown.copy_command": "Command that resumes it",
    "session.copy_path": "Path of its file",
    "session.copy_link": "Link to its file",
    "cursor.first": "Top",
    "list.needs": "Needs you",
    "label.list": "Labels",
    "trash.show": "Trash",
    "history.show": "History",
    "statistics.show": "Statistics",
    "disk.show": "Disk space",
    "archive.show": "Archive",
    "settings.show": "Settings",
    "theme.choose": "Theme",
    "list.hidden": "Empty sessions and sub-agents",
    "tree.hidden": "Hidden entries",
    "list.scope": "Folders",
    "list.choose_order": "Order",
    "list.roomy": "Rows",
    "list.group": "Grouping",
    "list.agent": "Agents",
    "list.named": "Named sessions only",
    "list.paths": "Paths of the files",
}
"""The id of a command -> its name in a menu, beside its state."""
_MENU_KEY_OF = {
    id: (menu, key)
    for menu, (_, keys) in reversed(MENUS.items())
    for key, ids in reversed(keys.items())
    for id in ids.split()
}
_NEED_OF = {id: ability for ability, ids in _NEEDS.items() for id in ids.split()}


class Command:
    """A command. `needs` is the ability of agents without which it is not offered for a session; "" for none.
    `menu` is its place in a menu: (name of the menu, key); None for none.

    :param pane: ``app`` (everywhere), ``list`` (every pane), ``sessions``, ``filter``, ``side`` (both of
        these), ``project``, ``tree``, ``transcript`` or ``right`` (these three).
    :param id: ``noun.verb``; also the id of the binding and in the palette.
    :param action: Textual's action string, run on the pane; `screen` is the screen with the sessions, and
        `beside` what it has beside their list.
    :param help: the description in the help.
    :param label: the name in the footer; "" if it is not in the footer.
    :param first: whether the key is handled before the pane gets it (a priority binding). Letters that are
        typed directly behind the key then reach what the command opens.
    :param selector: its description in the selector; None for ``help``. "" if it does nothing there, as do
        those of the tree.
    :param preview: whether a command of the list also works while the selector's preview has the focus.
        Commands for marks and folds do not, because they need a row. Commands that make sessions do not,
        because pagers use their keys: f for the next page, n for the next hit.
    """

    __slots__ = (
        "action", "first", "help", "id", "keys", "label", "menu", "needs", "pane", "preview", "selector"
    )  # fmt: skip

    def __init__(
        self,
        pane: str,
        id: str,
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
        in_browser = pane in RIGHT_PANES and (pane != "transcript" or action.startswith("beside."))
        same = "" if in_browser else help
        self.selector = same if selector is None else selector
        self.preview = preview and pane in ("sessions", "side")
        self.needs = _NEED_OF.get(id, "")
        self.menu = _MENU_KEY_OF.get(id)


# `_no_preview`: not while the preview of the selector has the focus; `_browser`: not in the selector.
_sessions = partial(Command, "sessions")
_no_preview = partial(Command, "sessions", preview=False)
_side = partial(Command, "side")
_filter = partial(Command, "filter")
_project = partial(Command, "project")
_tree = partial(Command, "tree")
_right = partial(Command, "right")
_transcript = partial(Command, "transcript")
_list = partial(Command, "list")
_app = partial(Command, "app")
_browser = partial(Command, "app", selector="")

COMMANDS: tuple[Command, ...] = (
    _sessions(
        "session.resume",
        "enter",
        "screen.resume",
        "Resume the session; on a project: unfold or fold it",
        "resume",
    ),
    _no_preview(
        "session.read",
        "v",
        "beside.show_transcript",
        "Read the transcript on the whole screen",
        "read",
        selector="Read the transcript",
    ),
    _no_preview(
        "session.mark", "space", "mark_or_fold", "Mark the session; fold or unfold the project", "mark"
    ),
    _sessions("session.delete", "delete", "screen.act('trash')", "Trash the marked sessions (or this one)"),
    _sessions("session.pin", "p", "screen.act('pin')", "Pin or unpin the marked sessions (or this one)"),
    _sessions("session.tag", "number_sign", "screen.act('tag')", "Edit the tags and the note of the session"),
    _no_preview("session.fork", "f", "screen.act('fork')", "Fork the session"),
    _no_preview("session.fork_to", "F", "screen.act('fork_to')", "Fork the session into another folder"),
    _no_preview(
        "session.keep", "B", "screen.act('keep')", "Keep copies of the marked sessions (or this one)"
    ),
    _no_preview(
        "session.restore", "R", "screen.act('restore')", "Restore the kept session, whose file is gone"
    ),
    _no_preview("session.new", "c", "screen.act('new_session')", "Start a new session in this folder"),
    _sessions("session.tree", "t", "beside.show_tree", "Show the tree of the session, and go to it", "tree"),
    _no_preview(
        "session.origin",
        "o",
        "beside.at_entry('other_end')",
        "Go to the parent session, or to the newest fork",
        selector="",
    ),
    _no_preview(
        "beside.previous_prompt",
        "left_square_bracket alt+up",
        "beside.go_prompt(-1)",
        "Previous prompt in the preview",
    ),
    _no_preview(
        "beside.next_prompt",
        "right_square_bracket alt+down",
        "beside.go_prompt(1)",
        "Next prompt in the preview",
    ),
    _no_preview(
        "session.next_hit", "n", "beside.in_tree('next_hit', 1)", "Next hit in the preview", selector=""
    ),
    _no_preview(
        "session.previous_hit",
        "N",
        "beside.in_tree('next_hit', -1)",
        "Previous hit in the preview",
        selector="",
    ),
    _sessions("session.edit", "e", "screen.open_transcript('editor')", "Open the transcript in $EDITOR"),
    _sessions(
        "session.page", "vertical_line", "screen.open_transcript('pager')", "Open the transcript in $PAGER"
    ),
    _no_preview(
        "session.export", "x", "beside.export", "Export the marked sessions (or this one)", selector=""
    ),
    _no_preview(
        "session.handoff", "", "beside.hand_over", "Hand the session over to another agent", selector=""
    ),
    _no_preview("beside.up", "K", "screen.scroll_beside(-3, 0)", "Scroll the preview up"),
    _no_preview("beside.down", "J", "screen.scroll_beside(3, 0)", "Scroll the preview down"),
    _sessions("session.details", "i", "screen.act('details')", "Show all details of the session"),
    _no_preview("session.copy_id", "", "screen.act('copy_id')", "Copy the session id"),
    _no_preview("session.copy_path", "Y", "screen.act('copy_path')", "Copy the path of the session file"),
    _no_preview("session.copy_link", "", "screen.act('copy_link')", "Copy a link to the session file"),
    _sessions(
        "session.copy_markdown",
        "",
        "screen.open_transcript('clipboard')",
        "Copy the conversation as Markdown, secrets replaced",
    ),
    _sessions(
        "session.copy_labelled",
        "",
        "screen.open_transcript('labelled')",
        "Copy the turns with a label as Markdown, secrets replaced",
    ),
    _no_preview("session.mark_all", "asterisk", "mark_all", "Mark all shown sessions, or none"),
    _no_preview("group.open", "right l", "open_or_enter", "Unfold the project, then step into it"),
    _no_preview("group.close", "left h", "close_or_climb", "Fold the project, or go to its row"),
    _no_preview("group.open_all", "plus equals_sign", "open_all", "Unfold all projects"),
    _no_preview("group.close_all", "minus", "close_all", "Fold all projects"),
    _sessions("list.scope", "", "screen.turn('scope')", "Switch between this folder and all folders"),
    _sessions("list.group", "O", "screen.turn('grouped')", "Group by project, or show one list"),
    _sessions("list.agent", "a", "screen.turn('agent')", "Cycle the agent: all, pi, omp and so on"),
    _sessions("list.needs", "w", "screen.turn('needs')", "Show what needs you, or all sessions"),
    _sessions("list.roomy", "D", "screen.turn('roomy')", "Show one or two lines for each session"),
    _sessions("list.hidden", "", "screen.turn('hidden')", "Show empty sessions and sub-agents"),
    _sessions("list.choose_order", "", "screen.show_orders", "Choose the order of the list"),
    _side("session.rename", "ctrl+r", "screen.act('rename')", "Rename the session", "rename"),
    _side(
        "session.trash",
        "ctrl+d",
        "screen.act('trash')",
        "Trash the marked sessions (or this one)",
        "trash",
        first=True,
    ),
    _side(
        "session.trash_or_edit",
        "ctrl+backspace",
        "trash_unless_typing",
        "Trash the marked sessions (or this one)",
        first=True,
    ),
    _side("session.copy", "ctrl+y", "screen.copy_command", "Copy the command that resumes the session"),
    _side(
        "list.order",
        "ctrl+s",
        "screen.turn('order')",
        "Sort: threads, last use, created, cost…",
    ),
    _side("list.named", "ctrl+n", "screen.turn('named_only')", "Show only named sessions"),
    _side("list.paths", "ctrl+p", "screen.turn('paths')", "Show the paths of session files"),
    _filter("filter.above", "up", "step(-1)", "Previous row"),
    _filter("filter.below", "down", "step(1)", "Next row"),
    _filter("filter.page_above", "pageup", "page(-1)", "Previous page"),
    _filter("filter.page_below", "pagedown", "page(1)", "Next page"),
    _filter("filter.keep", "enter", "keep", "Go to the list (selector: resume)", "to the list"),
    _filter(
        "filter.drop",
        "escape",
        "drop",
        "Close the list of completions, clear the search, then leave it",
        "clear",
    ),
    _filter(
        "filter.complete",
        "tab",
        "complete",
        "Take the completion, or list the filters",
        selector="Take the completion, or switch between this folder and all folders",
    ),
    _filter("filter.previous_prompt", "alt+up", "beside.go_prompt(-1)", "Previous prompt in the preview"),
    _filter("filter.next_prompt", "alt+down", "beside.go_prompt(1)", "Next prompt in the preview"),
    _filter("filter.scroll_up", "shift+up", "beside(-1, 0)", "Scroll the preview up"),
    _filter("filter.scroll_down", "shift+down", "beside(1, 0)", "Scroll the preview down"),
    _filter("filter.scroll_page_up", "alt+pageup ctrl+b", "beside(0, -1)", "Scroll the preview up by a page"),
    _filter(
        "filter.scroll_page_down",
        "alt+pagedown ctrl+f",
        "beside(0, 1)",
        "Scroll the preview down by a page",
    ),
    _filter("filter.mark", "insert ctrl+@", "mark", "Mark the session (Space on an empty line)"),
    _filter(
        "filter.delete_word",
        "ctrl+w alt+backspace ctrl+backspace",
        "delete_left_word",
        "Delete the last word",
    ),
    _project("project.go", "enter", "go", "Go to this session, or to the entry of this label", "go"),
    _tree("entry.go_on", "enter", "beside.go_on", "Continue from here; on the leaf: resume", "continue"),
    _tree(
        "entry.summarise", "shift+enter", "beside.summarise", "Continue from here, with a summary by command"
    ),
    _tree(
        "entry.read",
        "v",
        "beside.show_transcript",
        "Read the transcript from here on the whole screen",
        "read",
    ),
    _tree(
        "branch.compare",
        "C",
        "beside.at_entry('compare')",
        "Compare this branch with the active one",
        "compare",
    ),
    _tree("entry.fork", "f", "beside.at_entry('fork_here')", "Fork at this entry"),
    _tree("entry.fork_to", "F", "beside.at_entry('fork_here_to')", "Fork at this entry into another folder"),
    _tree("label.times", "T", "toggle_label_times", "Show when labels were set"),
    _tree("tree.problems", "exclamation_mark", "beside.at_entry('show_problems')", "List the damaged lines"),
    _tree("branch.toggle", "space", "toggle_fold", "Fold or unfold the turn or the branch", "fold"),
    _tree("branch.open", "right l", "open_or_enter", "Unfold the branch or the turn, then step into it"),
    _tree("branch.close", "left h", "close_or_climb", "Fold the turn or the branch, or go to its start"),
    _tree(
        "branch.fold", "ctrl+left alt+left", "fold_or_up", "Fold the branch, or go to its start (pi's key)"
    ),
    _tree(
        "branch.unfold",
        "ctrl+right alt+right",
        "unfold_or_down",
        "Unfold the branch, or go to the next one (pi's key)",
    ),
    _tree(
        "branch.fold_others", "minus", "close_all", "Fold all branches except the active path, and the turns"
    ),
    _tree("branch.unfold_all", "plus equals_sign", "open_all", "Unfold all branches and turns"),
    _tree("tree.close", "t", "beside.hide_tree", "Hide the tree"),
    _tree("tree.filter_next", "ctrl+o", "cycle_filter(1)", "Next tree filter", "filter"),
    _tree("tree.filter_previous", "ctrl+shift+o alt+o", "cycle_filter(-1)", "Previous tree filter"),
    _tree(
        "tree.filter_default",
        "ctrl+d alt+d",
        "set_filter('default')",
        "Tree filter: default (no entries for labels, names, models)",
    ),
    _tree("tree.filter_tools", "ctrl+t alt+t", "set_filter('no-tools')", "Tree filter: no tool results"),
    _tree("tree.filter_user", "ctrl+u alt+u", "set_filter('user')", "Tree filter: prompts only"),
    _tree(
        "tree.filter_labelled", "ctrl+l alt+l", "set_filter('labelled')", "Tree filter: labelled entries only"
    ),
    _tree("tree.filter_all", "ctrl+a alt+a", "set_filter('all')", "Tree filter: every entry"),
    _right(
        "turn.previous", "alt+up left_square_bracket", "beside.in_tree('previous_turn')", "Previous prompt"
    ),
    _right("turn.next", "alt+down right_square_bracket", "beside.in_tree('next_turn')", "Next prompt"),
    _right("shown.tag", "number_sign", "screen.act('tag')", "Edit the tags and the note of the session"),
    _right("entry.label", "L", "beside.at_entry('label')", "Label the entry (empty removes it)", "label"),
    _right("leaf.go", "at", "beside.in_tree('go_leaf')", "Go to the leaf and follow it", "leaf"),
    _right("entry.parent", "backspace", "beside.in_tree('go_parent')", "Go to the parent entry"),
    _right(
        "tree.hidden",
        "",
        "beside.in_tree('toggle_hidden')",
        "Show the hidden entries, or hide them again",
    ),
    _right("tree.next_hit", "n", "beside.in_tree('next_hit', 1)", "Next hit"),
    _right("tree.previous_hit", "N", "beside.in_tree('next_hit', -1)", "Previous hit"),
    _right("branch.next_point", "b", "beside.in_tree('go_branch_point', 1)", "Next branch point"),
    _right("branch.previous_point", "B", "beside.in_tree('go_branch_point', -1)", "Previous branch point"),
    _right("label.next", "m", "beside.in_tree('go_label', 1)", "Next label"),
    _right("label.previous", "M", "beside.in_tree('go_label', -1)", "Previous label"),
    _right("entry.export", "x", "beside.export_entry", "Export the path to this entry"),
    _right("entry.copy", "ctrl+x", "beside.copy_entry", "Copy the text of the entry"),
    _right("entry.copy_code", "Y", "beside.copy_code", "Copy the next block of code", "copy code"),
    _right("entry.edit", "e", "beside.open_entry('editor')", "Open the entry in $EDITOR"),
    _right("entry.page", "vertical_line", "beside.open_entry('pager')", "Open the entry in $PAGER"),
    _right(
        "entry.details",
        "i",
        "beside.show_entry('details')",
        "Show the whole entry with all details",
        "details",
    ),
    _right("entry.raw", "r", "beside.show_entry('raw')", "Show the raw JSON of the entry"),
    _right("other.scroll_up", "K", "screen.scroll_beside(-3, 0)", "Scroll the other pane up"),
    _right("other.scroll_down", "J", "screen.scroll_beside(3, 0)", "Scroll the other pane down"),
    _right("shown.rename", "ctrl+r", "screen.act('rename')", "Rename the session"),
    _right(
        "shown.copy_command", "ctrl+y", "screen.copy_command", "Copy the command that resumes the session"
    ),
    _right("shown.pin", "p", "screen.act('pin')", "Pin or unpin the marked sessions (or this one)"),
    _right("shown.new", "c", "screen.act('new_session')", "Start a new session in this folder"),
    _right(
        "shown.origin", "o", "beside.at_entry('other_end')", "Go to the parent session, or to the newest fork"
    ),
    _transcript("block.go_on", "enter", "beside.go_on", "Continue from this block", "continue"),
    _transcript("block.unfold", "space", "unfold", "Unfold the block in steps, then fold it", "unfold"),
    _transcript("block.right", "right", "scroll_sideways(1)", "Scroll code to the right"),
    _transcript("block.left", "left", "scroll_sideways(-1)", "Scroll code back to the left"),
    _transcript("block.tools", "ctrl+t", "unfold_tools", "Unfold or fold all tool calls"),
    _transcript(
        "block.open_all", "plus equals_sign", "fold_all(False)", "Unfold all tool calls and thinking"
    ),
    _transcript("block.close_all", "minus", "fold_all(True)", "Fold all tool calls and thinking"),
    _transcript("block.parent", "backspace", "go_parent", "Go to the parent entry"),
    _transcript(
        "prompt.previous", "left_square_bracket alt+up", "go_prompt(-1)", "Previous prompt", "prompt"
    ),
    _transcript("prompt.next", "right_square_bracket alt+down", "go_prompt(1)", "Next prompt"),
    _transcript("block.copy", "ctrl+x", "copy_block", "Copy the block"),
    _transcript("block.copy_code", "Y", "copy_block_code", "Copy the next code in the block"),
    _transcript("transcript.export", "x", "beside.export_shown", "Export the session"),
    _transcript("transcript.close", "v", "beside.show_transcript", "Read the transcript on the whole screen"),
    _transcript("block.tree", "t", "beside.show_tree", "Show the tree, and go to this entry in it", "tree"),
    _transcript("block.fork", "f", "beside.at_entry('fork_here')", "Fork at this block"),
    _transcript(
        "block.fork_to", "F", "beside.at_entry('fork_here_to')", "Fork at this block into another folder"
    ),
    _transcript(
        "block.compare", "C", "beside.at_entry('compare')", "Compare this branch with the active one"
    ),
    _transcript("block.label", "L", "beside.at_entry('label')", "Label the entry (empty removes it)"),
    _transcript("block.next_hit", "n", "go_hit(1)", "Next hit"),
    _transcript("block.previous_hit", "N", "go_hit(-1)", "Previous hit"),
    _transcript("block.next_label", "m", "go_label(1)", "Next label"),
    _transcript("block.previous_label", "M", "go_label(-1)", "Previous label"),
    _transcript("branch.switch", "b", "switch_branch(1)", "Go to the next branch that starts here"),
    _transcript("branch.return", "B", "switch_branch(-1)", "Go back to the branch before"),
    _transcript("transcript.end", "at", "follow_end", "Go to the end and follow it"),
    _list("cursor.up", "up k", "cursor_up", "One row up"),
    _list("cursor.down", "down j", "cursor_down", "One row down"),
    _list("cursor.page_up", "pageup ctrl+b", "page_up", "One page up"),
    _list("cursor.page_down", "pagedown ctrl+f", "page_down", "One page down"),
    _list("cursor.first", "home", "first", "First row"),
    _list("cursor.last", "end G", "last", "Last row"),
    _app(
        "filter.open",
        "slash",
        "open_filter",
        "Search the sessions (in the tree: its entries)",
        "search",
        first=True,
    ),
    _browser(
        "label.list",
        "apostrophe",
        "beside.at_entry('show_labels')",
        "List the labels of this session, or of all",
    ),
    _app("change.undo", "z ctrl+underscore ctrl+shift+minus", "undo", "Undo", "undo"),
    _app("change.redo", "Z", "redo", "Redo what was undone last"),
    _browser("export.open", "E", "beside.open_export", "Open what was exported last"),
    _app("history.show", "H", "show_place('history')", "List what was done, to undo or redo it"),
    _app("trash.show", "X", "show_place('trash')", "Open the trash, to restore sessions"),
    _app("settings.show", "comma", "show_settings", "Open the settings"),
    _app("statistics.show", "S", "show_place('statistics')", "Show statistics: tokens, cost, time, tools"),
    _app("disk.show", "", "show_place('disk')", "Show the disk space of sessions, copies and index"),
    _app("archive.show", "A", "show_place('archive')", "Open oh-my-pi's archive"),
    _app(
        "pane.next",
        "tab",
        "beside.next_pane",
        "Next pane",
        "pane",
        selector="Switch between this folder and all folders",
    ),
    _app(
        "pane.previous",
        "shift+tab",
        "beside.previous_pane",
        "Previous pane",
        selector="Go to the search line, the list or the preview",
    ),
    _browser(
        "pane.sessions",
        "1",
        "beside.focus_pane('sessions')",
        "Go to the session list; again: show it alone, and back",
    ),
    _browser("pane.tree", "2", "beside.focus_pane('tree')", "Go to the tree; again: show it alone, and back"),
    _browser(
        "pane.transcript",
        "3",
        "beside.focus_pane('transcript')",
        "Go to the transcript; again: show it alone, and back",
    ),
    _browser("pane.narrower", "less_than_sign", "beside.move_divider(-4)", "Narrower list"),
    _browser("pane.wider", "greater_than_sign", "beside.move_divider(4)", "Wider list"),
    _browser(
        "pane.rule_up",
        "left_curly_bracket",
        "beside.move_rule(-1)",
        "Move the border between tree and transcript up, or to the left",
    ),
    _browser(
        "pane.rule_down",
        "right_curly_bracket",
        "beside.move_rule(1)",
        "Move the border between tree and transcript down, or to the right",
    ),
    _app(
        "view.back",
        "escape",
        "beside.back",
        "Go one step back: search, marks, pane",
        selector="Go one step back: marks, search, then quit",
    ),
    _app("demo.open", "f6", "app.open_demo", "Open the example sessions"),
    _app("index.rescan", "f5", "rescan", "Rescan all folders"),
    _app("theme.choose", "f2", "app.choose_theme", "Choose the theme, with a preview"),
    _app("palette.open", "ctrl+k", "app.command_palette", "Open the command palette", first=True),
    _app("palette.type", "colon", "app.command_palette", "Open the command palette"),
    _app("help.show", "question_mark f1", "show_help", "Show the help", "help"),
    _app("app.suspend", "ctrl+z", "app.suspend", "Suspend leafmark (fg continues it)", first=True),
    _app("app.quit", "q ctrl+q ctrl+c", "app.quit", "Quit leafmark", "quit"),
    _app("menu.copy", "y", "show_menu('copy')", "Open the copy menu", "copy"),
    _app("menu.go", "g", "show_menu('go')", "Open the go-to menu", "go to"),
    _app("menu.view", "full_stop", "show_menu('view')", "Open the view menu", "view"),
)
MAIN_KEYS = (
    ("session.resume", "Resume the session; on a project: unfold it; on an entry: continue from there"),
    ("filter.open", "Search the sessions; in a tree or a transcript: search that"),
    ("session.read", "Read the transcript on the whole screen"),
    ("session.tree", "Show the tree, and hide it again"),
    ("session.mark", "Mark the session; in a tree or a transcript: unfold and fold"),
    ("beside.previous_prompt beside.next_prompt", "Previous prompt, next prompt"),
    ("menu.copy", "Copy, from a menu"),
    ("entry.label", "Label the entry"),
    ("session.export", "Export the session"),
    ("session.trash", "Trash the marked sessions (or this one)"),
    ("change.undo", "Undo"),
    ("help.show", "Show the help"),
)
"""The twelve keys with which the help begins: the ids of their commands, and what they do."""
PI_KEYS = frozenset((
    "list.order", "list.named", "list.paths", "session.trash_or_edit", "branch.fold", "branch.unfold",
    "tree.filter_next", "tree.filter_previous", "tree.filter_default", "tree.filter_tools",
    "tree.filter_user", "tree.filter_labelled", "tree.filter_all",
))  # fmt: skip
"""The ids of the commands whose keys are those of pi and oh-my-pi, which have a page of the help."""
_BY_ID = {command.id: command for command in COMMANDS}
PANES = ("sessions", "side", "filter", "project", "tree", "right", "transcript", "list", "app")


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
    return _BY_ID[id]
