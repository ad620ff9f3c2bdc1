"""The lines above and below the panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import shorten, shorten_start, width
from app.view.line import fit_line, line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.line import Line
    from app.view.session_list import SessionList


def header_line(cells: int, *, total: int, projects: int, live: int, note: str, here: str) -> Line:
    """The first line of the screen: what there is, what is going on, and where the user stands."""
    facts = (
        f"{total:,} session{'' if total == 1 else 's'} · {projects:,} project{'' if projects == 1 else 's'}"
    )
    left: Line = [(" leafmark ", "brand"), (f"  {facts}", "dim")]
    if live:
        left.append((f" · {live} live", "live"))
    if note:
        left.append((f"  {note}", "warning"))
    room = cells - line_width(left) - 2
    right = shorten_start(here, room) if room > 8 else ""
    gap = cells - line_width(left) - width(right) - 1
    return fit_line([*left, (" " * max(0, gap), "text"), (right, "dim"), (" ", "text")], cells)


def list_facts(model: SessionList, *, searches: bool, answered: bool, begins: bool = False) -> str:
    """What the lower border of the list says: how many sessions there are where not all are shown.

    :param searches: more may be found.
    :param answered: what is searched for has been; or nothing is.
    :param begins: nothing was answered yet of what the run began with, and not all sessions are known: there
        is no number that says anything.
    """
    facts = []
    # of none there is nothing to count, whatever is looked for
    if model.total:
        narrows = model.is_filtered or model.arrangement.narrows
        if narrows and not begins and (model.matched or answered):
            facts.append(f"{model.matched:,} of {model.total:,}")
        if searches:
            facts.append("…")
    if model.hidden:
        facts.append(f"{model.hidden:,} hidden")
    return " · ".join(facts)


def reading_note(done: int, total: int) -> str:
    """What the header says while files are being read; empty when that is done."""
    return f"reading {done:,} of {total:,}" if done < total else ""


def how_many_unread(files: int, folders: int) -> str:
    """So many files and folders in words, the same beside every list; empty where there are none."""
    counts = ((files, "file"), (folders, "folder"))
    return " and ".join(
        f"{number:,} {thing}{'' if number == 1 else 's'}" for number, thing in counts if number
    )


def unread_note(files: int, folders: int) -> str:
    """What the header says of files and folders that cannot be read, where there may be sessions; empty where
    there are none.
    """
    said = how_many_unread(files, folders)
    return f"{said} not read: leafmark doctor" if said else ""


def unkept_note(why: str) -> str:
    """What the header says where not all that was read is kept on disk; empty where all is.

    :param why: the line that says what is not, where, and why.
    """
    return why.partition(": ")[0]


def keys_line(cells: int, pairs: Sequence[tuple[str, str]], *, marked: int = 0) -> Line:
    """The keys of the pane that has the focus. What does not fit is left out whole: of the pane's own keys
    the last ones first, then those that work everywhere; the first key and the last two (help, quit) stay.

    :param marked: so many rows are marked.
    """
    kept = list(pairs)
    line: Line = [(f" {marked:,} marked", "marked")] if marked else []
    room = cells - line_width(line)
    # what begins the line has one blank before it, and all else two
    while len(kept) > 3 and sum(width(key) + width(label) + 3 for key, label in kept) - (not line) > room:
        del kept[max(1, len(kept) - 6)]
    for key, label in kept:
        line += [("  " if line else " ", "text"), (key, "key"), (f" {label}", "dim")]
    return fit_line(line, cells)


def resume_line(
    cells: int, *, key: str, command: Sequence[str], folder: str, problem: str, warning: str
) -> Line:
    """What Enter would do for the session under the cursor, said before it is pressed.

    :param key: the key that does it here, empty where none does.
    :param command: program and arguments; where there is no room, the beginning of the last one (a path)
        goes.
    :param problem: why it cannot be done; ``warning``: what to know before.
    """
    if not command and not problem:
        return fit_line([], cells)
    if problem:
        return fit_line([(" ! ", "warning"), (shorten(problem, cells - 4), "warning")], cells)
    line: Line = [(f" {key} " if key else " ", "key")]
    if warning:
        line.append((f"{warning}  ", "warning"))
    room = cells - line_width(line) - 1
    where = f"  in {shorten_start(folder, max(12, room // 3))}"
    return fit_line([*line, (command_line(command, room - width(where)), "text"), (where, "dim")], cells)


def question_line(cells: int, question: str) -> Line:
    """What is asked, in place of what Enter would do otherwise.

    :param question: inert; "" while nothing is.
    """
    return fit_line([(" ? ", "error"), (question, "error")] if question else [], cells)


def command_line(command: Sequence[str], cells: int) -> str:
    """A program and its arguments in at most so many cells; where there is no room, the beginning of the last
    one (a path) goes.
    """
    first = " ".join(command[:-1])
    last = shorten_start(command[-1], max(12, cells - width(first) - 1))
    return shorten(f"{first} {last}".strip(), cells)
