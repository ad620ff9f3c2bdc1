"""The line above the keys: what Enter runs, what stands in its way, the marked sessions, or a question; at
its right, what is hidden and the note of the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from app.formats.text import one_line
from app.index.row import Row
from app.stores.live import LIVE, Verdict
from app.view.cells import shorten, shorten_start, stable_width, width
from app.view.formatting import counted, short_id, size
from app.view.line import Line, fit_line, line_width

LEAST_FOLDER, LEAST_ARGUMENT, LEAST_NOTE = 12, 12, 12
"""Cells that a folder and the last argument of a command keep, and those below which a note says too little
to be shown.
"""


def resume_line(
    cells: int, *, key: str, command: Sequence[str], folder: str, problem: str, warning: str
) -> Line:
    """The command that Enter runs for the session under the cursor, or the reason why it runs none.

    :param key: the key that resumes here, empty for none.
    :param command: the command and its arguments, as `shown_command` gives them.
    :param folder: the folder in which it runs; its beginning is cut if there is no room.
    :param problem: why the session cannot be resumed; ``warning``: a warning for the user.
    """
    if not command and not problem:
        return fit_line([], cells)
    if problem:
        return fit_line([(" ! ", "warning"), (shorten(problem, cells - 4), "dim")], cells)
    begins: list[Line] = [[(" ", "text")]]
    if key:
        begins.insert(0, [(f" {key}", "key"), (" runs", "dim"), (" ", "text")])
    if warning:
        begins = [[(f" {warning} ", "warning"), *begin] for begin in begins]
    text = " ".join(command)
    for begin in begins:
        room = cells - line_width(begin) - 1
        if room - width(text) - 4 >= min(width(folder), LEAST_FOLDER):
            break
    where = f" in {shorten_start(folder, max(LEAST_FOLDER, room - width(text) - 4))}"
    return fit_line([*begin, (command_line(command, room - width(where)), "text"), (where, "dim")], cells)


def guide_line(cells: int, search: str, read: str, resume: str) -> Line:
    """The first steps, which stand in place of the command of Enter until the first search.

    :param search: the key that searches; ``read``: that reads the conversation; ``resume``: that resumes.
    """
    line: Line = [(" Type ", "dim"), (search, "key"), (" and a word", "text"), (" · ", "dim"), (read, "key")]
    line += [(" reads the conversation", "text"), (" · ", "dim"), (resume, "key")]
    return fit_line([*line, (" goes on in the agent", "text")], cells)


def start_line(cells: int, *, key: str, agent: str, folder: str, problem: str) -> Line:
    """The line about a project: the session that a key starts in its folder.

    :param key: the key that starts it, empty for none: then there is nothing to say.
    :param folder: its folder as it is shown.
    :param problem: why none can be started; "" if one can.
    """
    if problem:
        return fit_line([(" ! ", "warning"), (shorten(problem, cells - 4), "dim")], cells)
    if not key:
        return fit_line([], cells)
    line: Line = [(f" {key}", "key"), (" ", "text"), (f"starts a new {agent} session", "text")]
    where = f" in {shorten_start(folder, max(LEAST_FOLDER, cells - line_width(line) - 5))}"
    return fit_line([*line, (where, "dim")], cells)


def shown_command(command: Sequence[str], path: str, session_id: str) -> list[str]:
    """The words of a command as they are shown, inert: a short id stands for the session.

    :param path: the path of the session's file, which is an argument of most agents.
    """
    short = short_id(session_id)
    return [one_line(short if short and word in (path, session_id) else word, 2_000) for word in command]


def command_line(command: Sequence[str], cells: int) -> str:
    """A command and its arguments in at most ``cells``; if there is no room, the beginning of the last
    argument (a path) is cut.
    """
    first = " ".join(command[:-1])
    last = shorten_start(command[-1], max(LEAST_ARGUMENT, cells - width(first) - 1))
    return shorten(f"{first} {last}".strip(), cells)


def in_use_line(cells: int, agent: str, folder: str, in_use: Verdict, *, forks: bool) -> Line:
    """The line about a session that a running agent has open, or may have open.

    :param agent: the session's agent.
    :param folder: the session's folder, in which an agent that may have it open runs.
    :param forks: the session can be forked.
    """
    asks = "fork, read, cancel" if forks else "read, cancel"
    pid = f"pid {in_use.pid}" if in_use.pid is not None else ""
    if in_use.state == LIVE:
        terminal = one_line(in_use.terminal, 40)
        for about in (", ".join(filter(None, (pid, terminal))), pid):
            text = f"● Open in {agent}{f' ({about})' if about else ''}. Enter asks: {asks}."
            if width(text) <= cells - 2:
                break
        return fit_line([(f" {shorten(text, cells - 2)}", "live")], cells)
    reason = f"{pid} runs in {folder}" if pid else one_line(in_use.reason, 200)
    # The reason gives way to what Enter does.
    for about in (f" ({reason})", f" ({pid})" if pid else "", ""):
        text = f"◐ May be open in {agent}{about}. Enter asks first."
        if width(text) <= cells - 2:
            break
    return fit_line([(f" {shorten(text, cells - 2)}", "warning")], cells)


def marks_line(cells: int, rows: Sequence[Row]) -> Line:
    """The marked sessions: their number, those of each agent, their messages and the size of their files."""
    agents = Counter(row.agent for row in rows).most_common()
    messages = sum(row.message_count for row in rows)
    number = f" {len(rows):,} marked"
    counts = ", ".join(f"{count:,} {agent}" for agent, count in agents)
    facts = f": {counts} · {counted(messages, 'message')}"
    return fit_line(
        [(number, "marked"), (f"{facts} · {size(sum(row.size for row in rows))}", "text")],
        cells,
    )


LEAST_QUESTION = 30
"""Cells of a question from which its answers stand behind it; else they are in the line of keys."""


def fits_answers(cells: int, answers: Sequence[tuple[str, str]]) -> bool:
    """Whether the answers to a question have room behind it."""
    return cells - _answers_width(answers) - 2 >= LEAST_QUESTION


def _answers_width(answers: Sequence[tuple[str, str]]) -> int:
    return sum(width(key) + width(label) + 4 for key, label in answers)


def question_line(cells: int, text: Callable[[int], str], answers: Sequence[tuple[str, str]]) -> Line:
    """The line of a question, which replaces all others, and the keys that answer it.

    :param text: gives the question for a width in cells; inert.
    :param answers: (key, label) of each answer. They are left out if `fits_answers` is false.
    """
    shown = answers if fits_answers(cells, answers) else ()
    line: Line = [(" ", "text"), (text(max(0, cells - 2 - _answers_width(shown))), "strong")]
    for key, label in shown:
        line += [("   ", "text"), (key, "key"), (f" {label}", "text")]
    return fit_line(line, cells)


def with_right(line: Line, cells: int, *, note: str = "", hidden: str) -> Line:
    """A line of ``cells`` with what is hidden at its right, and before that the note of the session, if there
    is room behind its text.

    :param note: raw; "" for none.
    :param hidden: what is hidden, with its key; "" for nothing.
    """
    text = list(line)
    while text and not text[-1][0].strip():
        text.pop()
    room = cells - line_width(text) - 3
    if hidden and width(hidden) > room:
        hidden = ""
    left = room - (width(hidden) + 3 if hidden else 0)
    shown = shorten(stable_width(one_line(note, 500)), left) if note and left >= LEAST_NOTE else ""
    right = " · ".join(filter(None, (shown, hidden)))
    if not right:
        return line
    gap = cells - line_width(text) - width(right) - 1
    return fit_line([*text, (" " * gap, "text"), (right, "dim")], cells)
