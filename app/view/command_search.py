"""Describe the commands for the palette, and score how well a command matches the typed text.

In the table of keys and in the help, the description of a command follows those of its group and continues
them. In the palette it stands alone.
"""

from __future__ import annotations

import re

from app.commands import Command

_WORD = re.compile(r"\w+")


def match_score(typed: str, command: Command, description: str) -> int:
    """How well a command matches the typed text; greater is better, 0 if at most single letters match.

    The label and the id of a command count more than the words in them, and these more than its description.

    :param description: the description of the command.
    """
    query = " ".join(typed.casefold().split())
    names = (command.label.casefold(), command.id)
    verb = command.id.rpartition(".")[2]
    words = [
        word for name in names for word in (*_WORD.findall(name), *_WORD.findall(name.replace("_", " ")))
    ]
    grades = (
        query in names,
        query in (verb, verb.replace("_", " ")),
        query in words,
        any(word.startswith(query) for word in (*names, *words)),
        any(query in name for name in names),
        all(word in f"{names} {description.casefold()}" for word in query.split()),
    )
    return next((len(grades) - place for place, holds in enumerate(grades) if query and holds), 0)


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


def palette_description(command: Command, description: str, *, selects: bool) -> str:
    """The description of a command for the palette, which can be read alone.

    :param description: the description in the help.
    :param selects: for the selector.
    """
    return (selects and _IN_SELECTOR.get(command.id)) or _ALONE.get(command.id, description)
