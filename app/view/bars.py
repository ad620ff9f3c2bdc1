"""The lines above and below the panes: the header, the figures of the rules, the footer, and which keys it
offers. `app.view.status_line` has the line between them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from app.commands import COMMANDS, Command, command_by_id, pane_commands
from app.formats.text import one_line
from app.index.row import Row
from app.index.sorting import BEST
from app.keys import footer, key_of, offered
from app.stores import agent_named
from app.view.arrangement import Arrangement, order_words
from app.view.cells import stable_width, width
from app.view.formatting import counted, how_many_unread
from app.view.geometry import SMALLEST
from app.view.line import Line, fit_line, line_width
from app.view.list_groups import Group
from app.view.list_model import ListModel
from app.view.preset import BROWSER, SELECTOR, Preset


def header_line(
    cells: int,
    *,
    total: int,
    projects: int,
    live: int,
    note: str,
    here: str,
    order: str = "",
    hidden: int = 0,
    waiting: int = 0,
    warnings: Sequence[str] = (),
) -> Line:
    """The first line of a tall screen: counts, a note, how the list is sorted, and the user's folder.

    :param total: the number of sessions that the rule of the list has as well; ``projects``: theirs.
    :param hidden: the number of the hidden ones, which are counted apart.
    :param order: the order and the agent of the list.
    :param waiting: the number of sessions that need the user.
    :param warnings: a warning in several lengths, the longest first.
    """
    left: Line = [
        (" leafmark ", "brand"),
        (f"  {counted(total, 'session')} · {counted(projects, 'project')}", "dim"),
    ]
    if hidden:
        left.append((f" + {hidden_note(hidden, noun=False)}", "dim"))
    if live:
        left += [(" · ", "dim"), (live_note(live), "live")]
    if waiting:
        key = key_of("list.needs")
        left.append(
            (f" · {waiting:,} need{'s' if waiting == 1 else ''} you{f' ({key})' if key else ''}", "warning")
        )
    if note:
        left.append((f"  {note}", "warning"))
    if warnings:
        room = cells - line_width(left) - 4
        warning = next((each for each in warnings if width(each) <= room), warnings[-1])
        left.append((f" {'·' if note else ''} {warning}", "warning"))
    room = cells - line_width(left) - 2
    right = next((path for path in (here, f"…/{os.path.basename(here)}") if width(path) <= room), "")
    if order and room > width(right) + width(order) + 3:
        right = f"{order}   {right}"
    gap = cells - line_width(left) - width(right) - 1
    return fit_line([*left, (" " * max(0, gap), "text"), (right, "dim"), (" ", "text")], cells)


def too_small_line(cells: int) -> Line:
    """The only line of a screen without room for a pane."""
    columns, lines = SMALLEST
    text = f"Too small: {columns}x{lines}"
    return fit_line([(f"{text} needed" if len(text) + len(" needed") <= cells else text, "text")], cells)


def live_note(live: int) -> str:
    """The number of open sessions; "" for none."""
    return f"● {live:,} open" if live else ""


def order_note(arrangement: Arrangement) -> str:
    """The order and the agent of the list, for the header."""
    return f"{order_words(arrangement.order)} · {arrangement.agent or 'all agents'}"


def list_titles(model: ListModel, preset: Preset) -> tuple[str, ...]:
    """The title in the rule above the list, in several lengths, the longest first."""
    name = preset.search_title if model.is_filtered else preset.title
    arrangement, order = model.arrangement, model.shown_order
    if order != BEST:
        arrangement = arrangement.changed(order=order)
    return arrangement.titles(name, searches=model.is_filtered)


def list_facts(
    model: ListModel, *, searches: bool, answered: bool, begins: bool = False, hits: str = ""
) -> str:
    """The figures in the rule above the list: the number of sessions, or of the marked ones.

    :param searches: the search is not complete.
    :param answered: there is no query, or the search has answered it.
    :param begins: the query that the run began with has no answer yet, and not all sessions are known. The
        result then has no number of matches.
    :param hits: the number of hits in all sessions, with "+" if there may be more; "" if it is not known.
    """
    # without sessions there is nothing to count
    if not model.total:
        return ""
    if model.marked:
        return f"✓ {len(model.marked):,} of {model.total:,} marked"
    facts = []
    narrows = model.is_filtered or model.arrangement.narrows
    if narrows and not begins and (model.matched or answered):
        facts.append(f"{model.matched:,} of {model.total:,}")
        if hits and model.is_filtered:
            facts.append(f"{hits} hit{'' if hits == '1' else 's'}")
    elif not narrows:
        facts.append(f"{model.total:,}")
    if searches:
        facts.append("…")
    return " · ".join(facts)


LONGEST_JOINED = 40
"""Cells of the longest note that the rule above the list shows completely or not at all."""


def joined_facts(facts: str, *, projects: int, live: int, note: str) -> tuple[str, ...]:
    """The figures in the rule above the list on a screen without a header, in several selections.

    :param facts: those of the list.
    :param note: the note that the header would have.
    """
    alive = live_note(live)
    selections: list[tuple[str, ...]] = [
        (facts, note, counted(projects, "project") if projects else "", alive),
        (facts, note, alive),
        (note or facts, alive),
        (note or facts,),
    ]
    if width(note) > LONGEST_JOINED:
        # The reason at the end of a note is in a message as well.
        selections.append((note.partition(": ")[0],))
    return tuple(" · ".join(filter(None, selection)) for selection in selections)


TREE_SUFFIX = " · tree"
"""Stands behind the title of a session in the rule of its tree."""


def session_title(row: Row) -> tuple[str, str]:
    """The title of a pane that shows a session: its title, and its agent behind it, which is not cut."""
    return stable_width(one_line(row.title, 500)), f" · {row.agent}"


def hidden_note(hidden: int, *, noun: bool = True) -> str:
    """The number of sessions that are hidden by default, with the key that shows them; "" for none.

    :param noun: say of what it is the number.
    """
    if not hidden:
        return ""
    key = key_of("list.hidden")
    return (counted(hidden, "session") if noun else f"{hidden:,}") + " hidden" + (f" ({key})" if key else "")


def reading_note(done: int, total: int) -> str:
    """The note in the header while files are being read; empty when that is done."""
    return f"reading {done:,} of {total:,}" if done < total else ""


def unread_note(files: int, folders: int) -> str:
    """The note in the header about unreadable files and folders, in which sessions may be; empty if both are
    0.
    """
    unread = how_many_unread(files, folders)
    return f"{unread} not read: leafmark doctor" if unread else ""


def stuck_note(agents: Mapping[str, bool]) -> str:
    """The note in the header about agents of which no session can be resumed; empty if there are none.

    :param agents: agent -> whether it is not installed; else the folders of all its sessions are gone.
    """
    missing = [agent for agent, is_missing in agents.items() if is_missing]
    homeless = [agent for agent, is_missing in agents.items() if not is_missing]
    number = f"{len(missing)} agents " if len(missing) > 1 else ""
    parts = [f"{number}not installed: {', '.join(missing)}"] if missing else []
    parts += [f"folder gone: all of {', '.join(homeless)}"] if homeless else []
    return " · ".join(parts)


def cache_note(reason: str) -> str:
    """The note in the header if the index cannot be saved; empty if it is saved.

    :param reason: the error message: the missing data, its place and the cause.
    """
    return reason.partition(": ")[0]


def keys_line(cells: int, pairs: Sequence[tuple[str, str]]) -> Line:
    """The keys of the focused pane, with the help at the right. Keys that do not fit are left out whole, the
    last ones first. The first key and the help stay.
    """
    shown = [pair for pair in pairs if pair[1] != "help"]
    helps = [pair for pair in pairs if pair[1] == "help"][:1]
    right: Line = [span for key, label in helps for span in ((key, "key"), (f" {label} ", "dim"))]
    room = cells - line_width(right) - (2 if helps else 0)
    # one blank precedes the first key, and two precede the others
    while len(shown) > 1 and sum(width(key) + width(label) + 3 for key, label in shown) - 1 > room:
        shown.pop()
    line: Line = []
    for key, label in shown:
        line += [("  " if line else " ", "text"), (key, "key"), (f" {label}", "dim")]
    gap = cells - line_width(line) - line_width(right)
    return fit_line([*line, (" " * max(0, gap), "text"), *right], cells)


SEARCH_HINT = 'words, "a phrase", agent:pi, label:x'
"""The hint in the browser's search line while it is empty."""


def search_hint(preset: Preset, *, here: bool) -> str:
    """The hint in the search line of the sessions while it is empty.

    :param here: only this folder's sessions are shown.
    """
    scope = key_of("pane.next", typing=True)
    if not preset.keeps_box:
        return SEARCH_HINT
    return "Type to search" + (
        f", {scope} for {'all folders' if here else 'this folder only'}" if scope else ""
    )


def search_keys(
    preset: Preset,
    *,
    here: bool,
    typed: bool,
    completion: str = "",
    has_row: bool = True,
    has_marks: bool = False,
) -> list[tuple[str, str]]:
    """(key, label) of the commands in the search line.

    :param here: only this folder's sessions are shown.
    :param typed: the line is not empty.
    :param completion: "text" if a completion is shown behind the cursor, "list" if several are listed, "" if
        there is none.
    :param has_row: the cursor of the list is on a session; ``has_marks``: sessions are marked.
    """
    complete, scope = key_of("filter.complete"), key_of("pane.next", typing=True)
    completes = [(complete, "complete")] if completion else []
    helps = (key_of("help.show", typing=True), "help")
    if completion == "list":
        pairs = [
            (complete, "take"),
            (_moves(), "choose"),
            (key_of("filter.keep"), "resume" if preset.keeps_box else command_by_id("filter.keep").label),
            (key_of("filter.drop"), "close list"),
            helps,
        ]
    elif not preset.keeps_box:
        pairs = [
            *offered(pane_commands("filter")),
            *(completes or [(complete, "filters")]),
            (_moves(), "move"),
            helps,
            (key_of("app.quit", typing=True), "quit"),
        ]
    else:
        pairs = [
            (key_of("filter.keep"), "resume"),
            *completes,
            *([] if (scope, "complete") in completes else [(scope, _other_scope(here))]),
            (key_of("filter.drop"), "unmark" if has_marks else "clear" if typed else "leave"),
            *offered(pane_commands("side")),
            (key_of("pane.previous", typing=True), "list"),
            (key_of("change.undo", typing=True), "undo"),
            helps,
        ]
    without = set() if has_row else {"resume", *(command.label for command in pane_commands("side"))}
    if has_marks:
        without -= labels_for_marks()
    return [pair for pair in pairs if pair[0] and pair[1] not in without]


def _moves() -> str:
    return " ".join(filter(None, (key_of("filter.above"), key_of("filter.below"))))


def find_keys(pane: str) -> list[tuple[str, str]]:
    """(key, label) of the commands in the line that searches a tree or a transcript.

    :param pane: its name.
    """
    return [
        (key_of("filter.keep"), f"to the {pane}"),
        (_moves(), "hits"),
        (key_of("filter.drop"), "end search"),
        (key_of("help.show", typing=True), "help"),
    ]


def hit_keys(prefix: str, *, ends: bool = False) -> list[tuple[str, str]]:
    """(key, label) of the commands that go from hit to hit.

    :param prefix: the first part of their ids.
    :param ends: the key that goes back ends the search.
    """
    steps = filter(None, (key_of(f"{prefix}.next_hit"), key_of(f"{prefix}.previous_hit")))
    pairs = [(" ".join(steps), "next hit")]
    if ends:
        pairs.append((key_of("view.back"), "end search"))
    return [pair for pair in pairs if pair[0]]


def list_keys(preset: Preset, *, here: bool) -> list[tuple[str, str]]:
    """(key, label) of the commands in the list. In the selector, the key of the next pane changes the scope,
    as in pi.
    """
    pane = command_by_id("pane.next").label
    return [
        (key, _other_scope(here) if preset.keeps_box and label == pane else label)
        for key, label in footer("sessions")
    ]


def keys_without_session(model: ListModel) -> list[tuple[str, str]]:
    """(key, label) of the commands in the browser's list if no session is under the cursor."""
    without = {command.label for pane in ("sessions", "side") for command in pane_commands(pane)}
    pairs = [
        pair for pair in list_keys(BROWSER, here=model.arrangement.scope == "here") if pair[1] not in without
    ]
    return [*project_keys(model, model.lines[0].group), *pairs] if model.lines else pairs


def project_keys(model: ListModel, group: Group) -> list[tuple[str, str]]:
    """(key, label) of the commands on the head of a project. A query has all projects open."""
    folds = (
        []
        if model.is_filtered
        else [(key_of("session.resume"), "fold" if model.is_open(group) else "unfold")]
    )
    return [pair for pair in (*folds, (key_of("session.new"), "new session")) if pair[0]]


def preview_keys(*, here: bool) -> list[tuple[str, str]]:
    """(key, label) of the commands in the selector's preview."""
    without = {command.label for command in pane_commands("sessions") if not command.preview}
    return [pair for pair in list_keys(SELECTOR, here=here) if pair[1] not in without]


def without_undo(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The (key, label) pairs without undo, for when nothing can be undone, or nothing is known about that."""
    label = command_by_id("change.undo").label
    return [pair for pair in pairs if pair[1] != label]


def without_lacking(pairs: Sequence[tuple[str, str]], row: Row | None) -> list[tuple[str, str]]:
    """The (key, label) pairs without commands for which the agent of a session lacks the ability."""
    lacking = {command.label for command in COMMANDS if lacks(row, command)}
    return [pair for pair in pairs if pair[1] not in lacking]


def lacks(row: Row | None, command: Command) -> bool:
    """Whether the agent of a session lacks the ability that a command needs."""
    return row is not None and bool(command.needs and agent_named(row.agent).why_not(command.needs, row.path))


def _last_keys() -> list[tuple[str, str]]:
    return offered(command_by_id(id) for id in ("help.show", "app.quit"))


def mark_keys(preset: Preset, number: int) -> list[tuple[str, str]]:
    """The keys of the list while sessions are marked: those that act on all of them, or change the marks.

    :param number: of the marked sessions.
    """
    export = command_by_id("session.export")
    pairs = [
        (key_of("session.trash"), f"trash {number:,}"),
        (key_of("session.pin"), f"pin {number:,}"),
        *([(key_of(export.id), f"export {number:,}")] if preset.help_of(export) else []),
        (key_of("view.back"), "unmark"),
        (key_of("session.mark"), "mark"),
        (key_of("session.mark_all"), "all"),
    ]
    return [*(pair for pair in pairs if pair[0]), *_last_keys()]


def no_session_keys(*, typing: bool = False, typed: bool = False) -> list[tuple[str, str]]:
    """The keys while no sessions are there at all.

    :param typing: for the search line of the selector, in which letters are text.
    :param typed: that line is not empty.
    """
    pairs = [
        (key_of("demo.open", typing=typing), "try the examples"),
        (key_of("index.rescan", typing=typing), "rescan"),
        (key_of("settings.show", typing=typing), "settings"),
    ]
    if typing:
        pairs.append((key_of("help.show", typing=True), "help"))
        pairs.append((key_of("filter.drop"), "clear" if typed else "leave"))
    else:
        pairs += _last_keys()
    return [pair for pair in pairs if pair[0]]


def labels_for_marks() -> set[str]:
    """The labels of the commands that act on marked sessions, on any row."""
    return {command_by_id("session.trash").label}


def _other_scope(here: bool) -> str:
    return "all folders" if here else "this folder"
