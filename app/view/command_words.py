"""What the palette says of the commands. In the table of keys and in the help each stands below those it
belongs to, and its words go on from theirs; in the palette it stands alone or among others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.commands import Command

_ALONE = {
    "session.delete": "Move what is marked, or the session, to the trash",
    "session.pin": "Pin what is marked, or the session; take the pin off",
    "session.fork": "Make a new session of this one, in the same folder",
    "session.fork_to": "Make a new session of this one, in another folder",
    "session.new": "Begin a new session in the folder of this one",
    "session.tree": "Go to the tree of the session",
    "session.copy_id": "Copy the id of the session",
    "session.copy_path": "Copy the path of the session's file",
    "session.mark_all": "Mark all sessions that are shown, or none",
    "list.scope": "Show the sessions of this folder, or of all",
    "list.group": "Show the sessions by project, or all in one order",
    "list.agent": "Show the sessions of the next program, then of all",
    "list.roomy": "Show each session in one line, or in two",
    "list.hidden": "Show sub-agents and empty sessions as well, or no longer",
    "archive.show": "Show what oh-my-pi has put into its archive",
    "session.trash_or_edit": "Delete the last word of what is searched for; where nothing is, move what is "
    "marked, or the session, to the trash",
    "list.order": "Sort the sessions: threaded, recent, or what fits best",
    "list.named": "Show only sessions with a name, or all",
    "list.paths": "Show the paths of the files, or no longer",
    "filter.above": "Go to the row above, while one types",
    "filter.below": "Go to the row below, while one types",
    "filter.page_above": "Go to the page above, while one types",
    "filter.page_below": "Go to the page below, while one types",
    "filter.keep": "Go from the search to the list; in the selector, resume the session",
    "filter.drop": "Drop what is typed into the search",
    "filter.complete": "Complete the value of a filter; where none is typed, go to the next pane",
    "filter.delete_word": "Delete the word to the left in the search",
    "branch.compare": "Show the active path beside the branch",
    "entry.fork_to": "Make a new session of the path to the entry, in another folder",
    "tree.next_hit": "Go to the next entry that is searched for",
    "tree.previous_hit": "Go to the previous entry that is searched for",
    "branch.next_point": "Go to the next branch point",
    "branch.previous_point": "Go to the previous branch point",
    "label.next": "Go to the next label",
    "label.previous": "Go to the previous label",
    "label.times": "Show the times of the labels, or no longer",
    "tree.problems": "Show what is wrong with the session, line by line",
    "entry.parent": "Go to the entry that this one hangs on",
    "turn.previous": "Go to the previous message of the user",
    "turn.next": "Go to the next message of the user",
    "tree.filter_next": "Show the tree through its next filter",
    "tree.filter_previous": "Show the tree through its previous filter",
    "tree.filter_default": "Hide bookkeeping entries in the tree",
    "tree.filter_tools": "Hide bookkeeping entries and tool results in the tree",
    "tree.filter_user": "Show only messages of the user in the tree",
    "tree.filter_labelled": "Show only entries with a label in the tree",
    "tree.filter_all": "Show every entry in the tree",
    "entry.previous": "Show the previous entry of the tree",
    "entry.next": "Show the next entry of the tree",
    "entry.page": "Open a copy of the entry in $PAGER",
    "entry.edit": "Open a copy of the entry in $EDITOR",
    "entry.raw": "Show the entry as it stands in the file, or no longer",
    "cursor.up": "Go one row up",
    "cursor.down": "Go one row down",
    "cursor.page_up": "Go one page up",
    "cursor.page_down": "Go one page down",
    "cursor.first": "Go to the first row",
    "cursor.last": "Go to the last row",
    "label.list": "Show the labels of the session, or of all",
    "pane.next": "Go to the next pane",
    "pane.previous": "Go to the previous pane",
    "view.back": "Go one step back: drop the filter, then go to the session list",
    "theme.toggle": "Change between the light and the dark theme",
    "help.show": "Show the keys",
}
_IN_SELECTOR = {
    "filter.complete": "Complete the value of a filter; where none is typed, show the sessions of this "
    "folder, or of all",
    "pane.next": "Show the sessions of this folder, or of all",
    "pane.previous": "Go on from the line to the list, to the preview, and round again",
    "view.back": "Go one step back: drop the marks, then what is typed, then leave leafmark",
}


def alone(command: Command, told: str, *, selects: bool) -> str:
    """What a command does, in words that need no others beside them.

    :param told: the same as the help says it.
    :param selects: it is asked in the selector.
    """
    return (selects and _IN_SELECTOR.get(command.id)) or _ALONE.get(command.id, told)
