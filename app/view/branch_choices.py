"""The choices of "Continue from here", and what each of them runs and writes."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from app.actions.resume import NEW_FILE
from app.formats.text import one_line
from app.stores import agent_named
from app.view.cells import shorten, shorten_start, width
from app.view.formatting import counted, moment
from app.view.status_line import command_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.branch_options import BranchOption, BranchOptions
    from app.actions.handoff import Handed

NEW, HERE, FOLDER = "new", "here", "folder"
"""The places to continue in: a new session, this one, a new one in another folder."""
_SHOWN_MODELS, _SHOWN_LOSSES = 3, 20
NONE, WRITE, COMMAND = "none", "write", "command"
"""Which summary of the branch that is left is written."""


class Option(NamedTuple):
    """One of several choices.

    value     what is chosen
    label     its name
    why_not   why it is impossible, raw; "" if it is possible
    """

    value: str
    label: str
    why_not: str = ""


class Choice(NamedTuple):
    """The choices of the user.

    where         one of the places above
    folder        the folder of a new session as it was typed; "" for that of this one
    text          the prompt
    summary       one of the summaries above
    outline       the text of a summary that the user writes
    instructions  for the command that writes it
    agent         the agent that continues; "" for that of the session
    """

    where: str
    folder: str = ""
    text: str = ""
    summary: str = NONE
    outline: str = ""
    instructions: str = ""
    agent: str = ""


def as_agent(question: BranchOptions, name: str) -> BranchOptions:
    """The choices if the session is handed over to the agent called `name`; `question` for its own agent."""
    if name not in question.others:
        return question
    agent = agent_named(name)
    return replace(
        question,
        agent=name,
        here=replace(question.here, problem="another agent has sessions of its own"),
        elsewhere=replace(question.elsewhere, problem="", plan=question.others[name]),
        takes_draft=bool(agent.draft_path("new.jsonl")),
        takes_prompt=bool(agent.prompt_arguments("text")),
    )


def agents(question: BranchOptions) -> list[Option]:
    """The agents that can continue: that of the session, and those that it can be handed over to."""
    why_not = question.elsewhere.problem and question.here.problem
    return [
        Option(question.agent, question.agent, why_not),
        *(Option(name, name) for name in question.others),
    ]


def loss_lines(handed: Handed) -> list[str]:
    """The result and the losses of a hand-over, and the receiver of the texts; raw."""
    agent = agent_named(handed.change.agent).title
    size = f"{counted(handed.entries, 'entry', 'entries')}, {counted(handed.branches, 'branch', 'branches')}"
    made = f"a session of {agent} with {size}"
    lines = [made if handed.is_new else f"{made}, which is there from an earlier hand-over"]
    lines += [f"{each.kind} ({each.number:,}): {each.reason}" for each in handed.losses[:_SHOWN_LOSSES]]
    more = len(handed.losses) - _SHOWN_LOSSES
    if more > 0:
        lines.append(f"and {counted(more, 'kind')} more")
    asked = ", ".join(one_line(model, 80) for model in handed.asked[:_SHOWN_MODELS])
    before = f"They were sent to {asked} before. " if asked else ""
    return [*lines, f"Texts are not redacted. {before}{agent} sends them to the model that you choose there."]


def places(question: BranchOptions) -> list[Option]:
    """The places in which the user can continue."""
    elsewhere = question.elsewhere.problem
    return [
        Option(NEW, "New session", elsewhere),
        Option(HERE, "This session", question.here.problem),
        Option(FOLDER, "Other folder…", elsewhere),
    ]


def summaries(question: BranchOptions, where: str, command: Sequence[str]) -> list[Option]:
    """Which summaries of the branch that is left can be written.

    :param command: the setting `summary_command`.
    """
    why_not = "" if where == HERE else "only in this session"
    if where == HERE and not question.left:
        why_not = "no branch is left"
    by_command = why_not or ("" if command else "no summary_command in config.toml")
    return [
        Option(NONE, "None"),
        Option(WRITE, "Write it", why_not),
        Option(COMMAND, "By command", by_command),
    ]


def first_possible(options: Sequence[Option], wanted: str = "") -> str:
    """The wanted value if it is possible, else the first that is, else the first."""
    possible = [option.value for option in options if not option.why_not]
    return wanted if wanted in possible else (possible or [options[0].value])[0]


def is_sent(question: BranchOptions, text: str) -> bool:
    """Whether the agent is sent the prompt at once."""
    return question.takes_prompt and not question.takes_draft and bool(text.strip())


def option_of(question: BranchOptions, where: str) -> BranchOption:
    """The way to continue there."""
    return question.here if where == HERE else question.elsewhere


def prompt_note(question: BranchOptions, now_ms: int) -> str:
    """The purpose of the field of the prompt: `sent 18:44, 3 turns back; edit it or leave it`.

    :param now_ms: the time, in milliseconds since the epoch.
    """
    if question.target.text is None:
        return "optional"
    sent = moment(question.sent_ms, now_ms) if question.sent_ms is not None else ""
    back = counted(question.turns_back, "turn") + " back" if question.turns_back else ""
    facts = ", ".join(filter(None, (f"sent {sent}" if sent else "", back)))
    return f"{facts}; edit it or leave it" if facts else "edit it or leave it"


def key_label(question: BranchOptions, where: str) -> str:
    """The effect of Ctrl+S, in two or three words."""
    if not option_of(question, where).plan.problem:
        return f"start {question.agent}"
    return "move the leaf" if where == HERE else "make the session"


def runs(question: BranchOptions, choice: Choice, folder: str, cells: int) -> str:
    """The command that a choice runs, in at most `cells`.

    :param folder: the folder of the agent, as it is shown; raw.
    """
    plan = option_of(question, choice.where).plan
    if plan.problem:
        return shorten(f"nothing: {one_line(plan.problem, 500)}", cells)
    place = f"  in {shorten_start(one_line(choice.folder or folder, 500), max(12, cells // 3))}"
    prompt = ""
    if is_sent(question, choice.text):
        prompt = f' "{shorten(one_line(choice.text.strip(), 500), 24)}"'
    room = max(12, cells - width(place) - width(prompt))
    words = [
        NEW_FILE if os.path.basename(word).startswith(f"{NEW_FILE}.") else one_line(word, 2_000)
        for word in plan.argv
    ]
    return shorten(command_line(words, room) + prompt + place, cells)


def writes(question: BranchOptions, choice: Choice, undo: str) -> str:
    """The lines or files that a choice writes.

    :param undo: the key that undoes it; "" for none.
    """
    if choice.where == HERE:
        undoes = f" ({undo} to undo)" if undo else ""
        what = f"one line: the leaf moves here{undoes}"
        if choice.summary != NONE:
            what = f"one line: the leaf moves here, with the summary{undoes}"
    else:
        what = "a new file; this session stays as it is"
    if not choice.text.strip() or is_sent(question, choice.text):
        return what
    # A line of the dialog has no room for more.
    what = what if choice.where == HERE else "a new file"
    if question.takes_draft:
        return f"{what}; the prompt waits in the editor of {question.agent}"
    return f"{what}; the prompt is copied"
