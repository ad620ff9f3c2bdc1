"""The table of all commands of the screen. The bindings, the palette, the footer, the help and the table of
keys in the README come from it.

``keys`` are Textual's key names; the first of them is shown. Several panes may have the same key: the pane
with the focus gets it, and the footer shows the commands of that pane.
"""

from __future__ import annotations


class Command:
    """A command.

    :param id: ``noun.verb``; also the id of the binding and in the palette.
    :param pane: ``app`` (everywhere), ``list`` (every pane), ``sessions``, ``filter``, ``side`` (both of
        these), ``tree`` or ``entry``.
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
        same = "" if pane in ("tree", "entry") else help
        self.selector = same if selector is None else selector
        self.preview = preview and pane in ("sessions", "side")


COMMANDS: tuple[Command, ...] = (
    Command(
        "session.resume", "sessions", "enter", "resume", "Go on with the session in its own program", "resume"
    ),
    Command(
        "session.mark",
        "sessions",
        "space",
        "mark_or_fold",
        "Mark the session and go to the next; fold or unfold the project",
        "mark",
        preview=False,
    ),
    Command(
        "session.delete", "sessions", "delete", "screen.trash", "Move what is marked, or it, to the trash"
    ),
    Command(
        "session.pin", "sessions", "p", "screen.pin", "Pin what is marked, or it; take the pin off", "pin"
    ),
    Command(
        "session.fork",
        "sessions",
        "f",
        "screen.fork",
        "Make a new session of it in its folder",
        preview=False,
    ),
    Command(
        "session.fork_to",
        "sessions",
        "F",
        "screen.fork_to",
        "Make a new session of it in another folder",
        preview=False,
    ),
    Command(
        "session.new",
        "sessions",
        "n",
        "screen.new_session",
        "Begin a new session in its folder",
        preview=False,
    ),
    Command("session.tree", "sessions", "t", "screen.show_tree", "Go to its tree"),
    Command("session.copy_id", "sessions", "y", "screen.copy_id", "Copy its id"),
    Command("session.copy_path", "sessions", "Y", "screen.copy_path", "Copy the path of its file"),
    Command(
        "session.mark_all",
        "sessions",
        "asterisk",
        "mark_all",
        "Mark all that are shown, or none",
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
        "Fold the project, or climb to its head",
        preview=False,
    ),
    Command(
        "group.open_all", "sessions", "plus equals_sign", "open_all", "Unfold every project", preview=False
    ),
    Command("group.close_all", "sessions", "minus", "close_all", "Fold every project", preview=False),
    Command("list.scope", "sessions", "s", "screen.turn('scope')", "This folder, or all"),
    Command("list.group", "sessions", "o", "screen.turn('grouped')", "By project, or all in one order"),
    Command(
        "list.agent", "sessions", "a", "screen.turn('agent')", "The sessions of the next program, then of all"
    ),
    Command("list.roomy", "sessions", "d", "screen.turn('roomy')", "One line a session, or two"),
    Command(
        "list.hidden",
        "sessions",
        "full_stop",
        "screen.turn('hidden')",
        "Sub-agents and empty sessions as well",
    ),
    Command("archive.show", "sessions", "A", "screen.show_archive", "What oh-my-pi has put into its archive"),
    Command("session.rename", "side", "ctrl+r", "screen.rename", "Name the session", "rename"),
    Command(
        "session.trash",
        "side",
        "ctrl+d",
        "screen.trash",
        "Move what is marked, or the session, to the trash",
        "trash",
        first=True,
    ),
    Command(
        "session.trash_or_edit",
        "side",
        "ctrl+backspace",
        "edit_or_trash",
        "The same; while something is searched for, delete its last word",
        first=True,
    ),
    Command(
        "session.copy",
        "side",
        "ctrl+y",
        "screen.copy_command",
        "Copy the command that resumes the session",
    ),
    Command("list.order", "side", "ctrl+s", "screen.turn('order')", "Threaded, recent, or what fits best"),
    Command("list.named", "side", "ctrl+n", "screen.turn('named_only')", "Only sessions with a name"),
    Command("list.paths", "side", "ctrl+p", "screen.turn('paths')", "The paths of the files"),
    Command(
        "search.everywhere",
        "side",
        "ctrl+t",
        "turn_everywhere",
        "Search what tools were asked and gave back as well",
    ),
    Command("filter.above", "filter", "up", "step(-1)", "Row above, while one types"),
    Command("filter.below", "filter", "down", "step(1)", "Row below, while one types"),
    Command("filter.page_above", "filter", "pageup", "page(-1)", "Page above, while one types"),
    Command("filter.page_below", "filter", "pagedown", "page(1)", "Page below, while one types"),
    Command("filter.keep", "filter", "enter", "keep", "Go to the list; in the selector, resume", "keep"),
    Command("filter.drop", "filter", "escape", "drop", "Drop what is typed", "drop"),
    Command(
        "filter.complete", "filter", "tab", "complete", "Complete the value of a filter, else as elsewhere"
    ),
    Command(
        "filter.mark", "filter", "insert ctrl+@", "mark", "Mark the session (Space, while nothing is typed)"
    ),
    Command(
        "filter.delete_word",
        "filter",
        "ctrl+w alt+backspace",
        "delete_left_word",
        "Delete the word to the left",
    ),
    Command(
        "entry.go_on",
        "tree",
        "enter",
        "screen.go_on",
        "Go on from the entry: in a new session, or in this one",
        "go on",
    ),
    Command("entry.show", "tree", "v", "show_entry", "Go to the whole of the entry", "read"),
    Command(
        "entry.label", "tree", "L", "screen.label", "Label the entry; an empty label is taken off", "label"
    ),
    Command("branch.compare", "tree", "C", "screen.compare", "The active path beside the branch", "compare"),
    Command("entry.fork", "tree", "f", "screen.fork_here", "Make a new session of the path to the entry"),
    Command("entry.fork_to", "tree", "F", "screen.fork_here_to", "The same in another folder"),
    Command(
        "fork.other_end",
        "tree",
        "e",
        "screen.other_end",
        "Go to the session that this is a fork of, else to its newest fork",
    ),
    Command("entry.copy_row", "tree", "y ctrl+x", "screen.copy_entry", "Copy the text of the entry"),
    Command("tree.next_hit", "tree", "n", "next_hit(1)", "Next entry that is searched for"),
    Command("tree.previous_hit", "tree", "N", "next_hit(-1)", "Previous entry that is searched for"),
    Command("branch.next_point", "tree", "b", "go_branch_point(1)", "Next branch point"),
    Command("branch.previous_point", "tree", "B", "go_branch_point(-1)", "Previous branch point"),
    Command("label.next", "tree", "m", "go_label(1)", "Next label"),
    Command("label.previous", "tree", "M", "go_label(-1)", "Previous label"),
    Command("label.times", "tree", "T", "toggle_label_times", "The times of the labels"),
    Command(
        "tree.problems",
        "tree",
        "exclamation_mark",
        "screen.show_problems",
        "What is wrong with the session, line by line",
    ),
    Command("entry.parent", "tree", "p", "go_parent", "The entry that it hangs on"),
    Command("branch.toggle", "tree", "space", "toggle_fold", "Fold or unfold the branch", "fold"),
    Command("branch.open", "tree", "right l", "open_or_enter", "Unfold the branch, then step into it"),
    Command(
        "branch.close", "tree", "left h", "close_or_climb", "Fold the branch, or climb to where it starts"
    ),
    Command(
        "branch.fold",
        "tree",
        "ctrl+left alt+left",
        "fold_or_up",
        "Fold the branch, or jump to where it starts (as in pi)",
    ),
    Command(
        "branch.unfold",
        "tree",
        "ctrl+right alt+right",
        "unfold_or_down",
        "Unfold the branch, or jump to where the next one starts, or to the end (as in pi)",
    ),
    Command("branch.fold_others", "tree", "minus", "close_all", "Fold every branch but the active path"),
    Command("branch.unfold_all", "tree", "plus equals_sign", "open_all", "Unfold every branch"),
    Command(
        "turn.previous", "tree", "alt+up left_square_bracket", "previous_turn", "Previous message of the user"
    ),
    Command("turn.next", "tree", "alt+down right_square_bracket", "next_turn", "Next message of the user"),
    Command("leaf.go", "tree", "full_stop", "go_leaf", "Go to the leaf and follow it", "leaf"),
    Command("tree.filter_next", "tree", "ctrl+o", "cycle_filter(1)", "Next filter of the tree", "filter"),
    Command(
        "tree.filter_previous", "tree", "ctrl+shift+o O", "cycle_filter(-1)", "Previous filter of the tree"
    ),
    Command("tree.filter_default", "tree", "ctrl+d", "set_filter('default')", "Hide bookkeeping entries"),
    Command("tree.filter_tools", "tree", "ctrl+t", "set_filter('no-tools')", "Hide tool results as well"),
    Command("tree.filter_user", "tree", "ctrl+u", "set_filter('user')", "Only messages of the user"),
    Command("tree.filter_labelled", "tree", "ctrl+l", "set_filter('labelled')", "Only entries with a label"),
    Command("tree.filter_all", "tree", "ctrl+a", "set_filter('all')", "Every entry"),
    Command(
        "entry.previous",
        "entry",
        "left_square_bracket",
        "previous_entry",
        "Previous entry of the tree",
        "previous",
    ),
    Command("entry.next", "entry", "right_square_bracket", "next_entry", "Next entry of the tree", "next"),
    Command("entry.copy", "entry", "y", "copy_text", "Copy the text of the entry", "copy"),
    Command("entry.copy_code", "entry", "c", "copy_code", "Copy the next block of code", "copy code"),
    Command("entry.page", "entry", "P", "open_pager", "Open a copy in $PAGER"),
    Command("entry.edit", "entry", "E", "open_editor", "Open a copy in $EDITOR"),
    Command("entry.raw", "entry", "r", "toggle_raw", "The entry as it stands in the file", "raw"),
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
        "Search what was said, title, folder, id, program, label; in the tree, its entries",
        "search",
        first=True,
    ),
    Command(
        "label.list", "app", "apostrophe", "show_labels", "The labels of the session, and of all", selector=""
    ),
    Command("change.undo", "app", "z ctrl+z", "undo", "Take back what was done last", "undo"),
    Command("pane.next", "app", "tab", "next_pane", "Next pane", "pane", selector="This folder, or all"),
    Command(
        "pane.previous",
        "app",
        "shift+tab",
        "previous_pane",
        "Previous pane",
        selector="The line, the list, the preview (the list's keys work there as well, but for marks, folds "
        "and new sessions)",
    ),
    Command(
        "pane.fold_sessions",
        "app",
        "1",
        "fold_pane('sessions')",
        "Close or open the session list",
        selector="",
    ),
    Command("pane.fold_tree", "app", "2", "fold_pane('tree')", "Close or open the tree", selector=""),
    Command("pane.fold_entry", "app", "3", "fold_pane('entry')", "Close or open the entry", selector=""),
    Command(
        "view.back",
        "app",
        "escape",
        "back",
        "One step back: the filter, then the session list",
        selector="One step back: the marks, what is typed, leafmark",
    ),
    Command("demo.open", "app", "f6", "app.open_demo", "Open the bundled example sessions"),
    Command("index.rescan", "app", "f5", "rescan", "Look at every store again"),
    Command("theme.toggle", "app", "f2", "app.toggle_theme", "Light or dark theme"),
    Command("palette.open", "app", "ctrl+k", "app.command_palette", "Find a command by its name", first=True),
    Command("help.show", "app", "question_mark f1", "show_help", "The keys", "help"),
    Command("app.quit", "app", "q ctrl+q ctrl+c", "app.quit", "Leave leafmark", "quit"),
)
PANES = ("sessions", "side", "filter", "tree", "entry", "list", "app")


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
