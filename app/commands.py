"""Every command of the browser in one table: from it come the bindings, the palette, the footer, the help
screen and the table of keys in the README.

``keys`` are Textual's key names, the one that is shown first. A key may stand in several panes: which pane
has the focus decides, and the footer shows the commands of that pane.
"""

from __future__ import annotations


class Command:
    """One thing a user can do.

    :param id: ``noun.verb``; also the binding's id and the palette's.
    :param pane: ``app`` (everywhere), ``list`` (every pane), ``sessions``, ``filter``, ``tree`` or ``entry``.
    :param action: Textual's action string, run on the screen.
    :param label: what the footer shows; empty: not in the footer.
    :param first: done before the pane is asked. Only so do the letters that are typed right behind the key,
        in one go, reach what the command opened.
    """

    __slots__ = ("action", "first", "help", "id", "keys", "label", "pane")

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
    ) -> None:
        self.id = id
        self.pane = pane
        self.keys = tuple(keys.split())
        self.action = action
        self.help = help
        self.label = label
        self.first = first


COMMANDS: tuple[Command, ...] = (
    Command(
        "session.resume", "sessions", "enter", "resume", "Go on with the session in its own program", "resume"
    ),
    Command(
        "session.copy",
        "sessions",
        "ctrl+y",
        "copy_command",
        "Copy the command that resumes the session",
        "copy command",
    ),
    Command("group.toggle", "sessions", "space", "toggle_fold", "Fold or unfold the project", "fold"),
    Command("group.open", "sessions", "right l", "open_or_enter", "Unfold the project, then step into it"),
    Command("group.close", "sessions", "left h", "close_or_climb", "Fold the project, or climb to its head"),
    Command("group.open_all", "sessions", "plus equals_sign", "open_all", "Unfold every project"),
    Command("group.close_all", "sessions", "minus", "close_all", "Fold every project"),
    Command("filter.above", "filter", "up", "step(-1)", "Row above, while the filter is typed"),
    Command("filter.below", "filter", "down", "step(1)", "Row below, while the filter is typed"),
    Command("filter.keep", "filter", "enter", "keep", "Keep the filter and go to the list", "keep"),
    Command("filter.drop", "filter", "escape", "drop", "Drop the filter", "drop"),
    Command(
        "filter.delete_word",
        "filter",
        "ctrl+w ctrl+backspace alt+backspace",
        "delete_left_word",
        "Delete the word to the left",
    ),
    Command("entry.show", "tree", "enter", "show_entry", "Go to the whole of the entry", "read"),
    Command("branch.toggle", "tree", "space", "toggle_fold", "Fold or unfold the branch", "fold"),
    Command("branch.open", "tree", "right l", "open_or_enter", "Unfold the branch, then step into it"),
    Command(
        "branch.close", "tree", "left h", "close_or_climb", "Fold the branch, or climb to where it starts"
    ),
    Command(
        "branch.fold",
        "tree",
        "ctrl+left alt+left",
        "close_or_climb",
        "Fold the branch, or jump to where it starts (as in pi)",
    ),
    Command(
        "branch.unfold",
        "tree",
        "ctrl+right alt+right",
        "unfold_or_end",
        "Unfold the branch, or jump to where it ends (as in pi)",
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
        "Search: what was said, title, folder, id, program, label",
        "filter",
        first=True,
    ),
    Command("pane.next", "app", "tab", "next_pane", "Next pane", "pane"),
    Command("pane.previous", "app", "shift+tab", "previous_pane", "Previous pane"),
    Command("pane.fold_sessions", "app", "1", "fold_pane('sessions')", "Close or open the session list"),
    Command("pane.fold_tree", "app", "2", "fold_pane('tree')", "Close or open the tree"),
    Command("pane.fold_entry", "app", "3", "fold_pane('entry')", "Close or open the entry"),
    Command("view.back", "app", "escape", "back", "One step back: the filter, then the session list"),
    Command("demo.open", "app", "f6", "app.open_demo", "Open the bundled example sessions"),
    Command("index.rescan", "app", "f5", "rescan", "Look at every store again"),
    Command("theme.toggle", "app", "f2", "app.toggle_theme", "Light or dark theme"),
    Command("palette.open", "app", "ctrl+k", "app.command_palette", "Find a command by its name"),
    Command("help.show", "app", "question_mark f1", "show_help", "The keys", "help"),
    Command("app.quit", "app", "q ctrl+q ctrl+c", "app.quit", "Leave leafmark", "quit"),
)
PANES = ("sessions", "filter", "tree", "entry", "list", "app")
KEY_NAMES = {
    "enter": "Enter",
    "space": "Space",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "escape": "Esc",
    "slash": "/",
    "question_mark": "?",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def of_pane(pane: str) -> list[Command]:
    """The commands of one pane, in the table's order."""
    return [command for command in COMMANDS if command.pane == pane]


def key_name(key: str) -> str:
    """A key as people write it: ``ctrl+y`` is ``Ctrl+Y``, ``f5`` is ``F5``."""
    if key in KEY_NAMES:
        return KEY_NAMES[key]
    if "+" in key:
        *modifiers, last = key.split("+")
        last = KEY_NAMES.get(last, last.upper() if len(last) == 1 else last.capitalize())
        return "+".join([*(word.capitalize() for word in modifiers), last])
    if len(key) == 1:
        return key
    return key.upper() if key[0] == "f" and key[1:].isdigit() else key.capitalize()


def keys_of(command: Command) -> str:
    """All keys of a command as people write them."""
    return ", ".join(key_name(key) for key in command.keys)


def footer(pane: str) -> list[tuple[str, str]]:
    """(key, label) pairs for the footer while ``pane`` has the keys."""
    shown = [command for command in (*of_pane(pane), *of_pane("app")) if command.label]
    return [(key_name(command.keys[0]), command.label) for command in shown]
