"""Run one list of operations on the real pi or oh-my-pi and on `app.sessions`.

Both sides get the same operation in their own terms. An operation names entries by position, because each
side makes ids of its own; positions past the end start over, and MISSING is an entry that does not exist.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from leafmark import SessionError, SessionManager

from tests.interop.programs import UNDEFINED, Program, Refused
from tests.interop.views import View, of_manager, of_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MISSING = "missing"
NOBODY = "0badc0de"
"""An id that no entry has. Both sides make random ids, so they never make this one."""

REFUSED = "refused"

Step = tuple[Any, ...]
"""The name of a method of `Side`, and its arguments."""


class Side:
    """A session and its operations. Every `append` returns the new entry's id, which is not compared.

    A method that refuses raises Refused, and has changed nothing.
    """

    def view(self) -> View:
        """Return the current state of the session."""
        raise NotImplementedError

    @property
    def file(self) -> str | None:
        """The path of its file, whether it exists or not; None in memory."""
        raise NotImplementedError

    @property
    def parent_file(self) -> str | None:
        """The parent in the header."""
        raise NotImplementedError

    def id_at(self, place: Any) -> Any:
        """Return the id of an entry by position; None stays None."""
        if place is None:
            return None
        ids = self.ids()
        return NOBODY if place == MISSING or not ids else ids[place % len(ids)]

    def ids(self) -> list[str]:
        """Return the ids of the entries, in file order."""
        raise NotImplementedError

    def do(self, step: Step) -> str | None:
        """Run the step; return REFUSED if it was refused."""
        name, *arguments = step
        try:
            getattr(self, name)(*arguments)
        except Refused:
            return REFUSED
        return None

    @property
    def written(self) -> bool:
        """Whether the file exists."""
        return self.file is not None and os.path.exists(self.file)


class Real(Side):
    """The real pi."""

    def __init__(self, program: Program, cwd: str, folder: Path | None) -> None:
        self.program, self.cwd, self.folder = program, cwd, folder
        self.session = program.make("create", cwd, str(folder)) if folder else program.make("inMemory", cwd)
        self.state: dict[str, Any] = self.session.state()

    def do(self, step: Step) -> str | None:
        result = super().do(step)
        self.state = self.session.state()
        return result

    def view(self) -> View:
        return of_program(self.state)

    @property
    def file(self) -> str | None:
        found: str | None = self.state["file"]
        return found

    @property
    def parent_file(self) -> str | None:
        found: str | None = self.state["header"].get("parentSession")
        return found

    @property
    def awaits_answer(self) -> bool:
        """Whether the file is missing only because this version of the agent makes it at the first answer,
        and leafmark at the first prompt.
        """
        return False

    def ids(self) -> list[str]:
        return [entry["id"] for entry in self.state["entries"]]

    def message(self, message: dict[str, Any]) -> None:
        self.session.call("appendMessage", message)

    def thinking(self, level: str) -> None:
        self.session.call("appendThinkingLevelChange", level)

    def model(self, provider: str, model: str) -> None:
        self.session.call("appendModelChange", provider, model)

    def compaction(self, summary: str, kept: Any, tokens: int, details: Any, hook: bool | None) -> None:
        self.session.call(
            "appendCompaction",
            summary,
            _or_undefined(self.kept_at(kept)),
            tokens,
            *map(_or_undefined, (details, hook)),
        )

    def kept_at(self, place: Any) -> Any:
        """Return the id of the first kept entry.

        The agents write an id that does not exist, and then drop the entries that were to be kept. leafmark
        refuses it (formats/README.md, "Rules for every write").
        """
        found = self.id_at(place)
        if found == NOBODY:
            raise Refused("there is no entry to keep from")
        return found

    def custom(self, kind: str, data: Any) -> None:
        self.session.call("appendCustomEntry", kind, _or_undefined(data))

    def custom_message(self, kind: str, content: Any, display: bool, details: Any) -> None:
        self.session.call("appendCustomMessageEntry", kind, content, display, _or_undefined(details))

    def name(self, name: str) -> None:
        self.session.call("appendSessionInfo", name)

    def label(self, place: Any, label: str | None) -> None:
        self.session.call("appendLabelChange", self.id_at(place), _or_undefined(label))

    def branch(self, place: Any) -> None:
        self.session.call("branch", self.id_at(place))

    def reset(self) -> None:
        self.session.call("resetLeaf")

    def summary(self, place: Any, summary: str, details: Any, hook: bool | None) -> None:
        self.session.call(
            "branchWithSummary", self.id_at(place), summary, *map(_or_undefined, (details, hook))
        )

    def take_out(self, place: Any) -> None:
        self.session.call("createBranchedSession", self.id_at(place))

    def new(self) -> None:
        self.session.call("newSession")

    def fork(self) -> None:
        if self.written:
            self.session = self.program.make("forkFrom", str(self.file), self.cwd, str(self.folder))

    def reopen(self) -> None:
        if self.written:
            self.open(str(self.file))

    def open(self, file: str) -> None:
        """Go on with this file."""
        self.session.forget()
        self.session = self.program.make("open", file)
        self.state = self.session.state()


class Real087(Real):
    """The real pi 0.87.1."""

    @property
    def awaits_answer(self) -> bool:
        roles = {entry["message"]["role"] for entry in self.state["entries"] if entry["type"] == "message"}
        return not self.written and "user" in roles and "assistant" not in roles


class RealOmp(Real):
    """The real oh-my-pi, which spells some things differently."""

    def model(self, provider: str, model: str) -> None:
        self.session.call("appendModelChange", f"{provider}/{model}")

    def compaction(self, summary: str, kept: Any, tokens: int, details: Any, hook: bool | None) -> None:
        options = {"details": details, "fromExtension": hook}
        given = {key: value for key, value in options.items() if value is not None}
        self.session.call("appendCompaction", summary, UNDEFINED, self.kept_at(kept), tokens, given)

    def name(self, name: str) -> None:
        self.session.call("setSessionName", name, "user")

    def open(self, file: str) -> None:
        self.session.call("close")
        super().open(file)


class Ours(Side):
    """`app.sessions.SessionManager`."""

    def __init__(self, agent: str, cwd: str, folder: Path | None, env: dict[str, str]) -> None:
        self.agent, self.cwd, self.folder, self.env = agent, cwd, folder, env
        if folder:
            self.manager = SessionManager.create(cwd, str(folder), agent=agent, env=env)
        else:
            self.manager = SessionManager.in_memory(cwd)

    def view(self) -> View:
        return of_manager(self.manager, self.agent)

    @property
    def file(self) -> str | None:
        return self.manager.session_file

    @property
    def parent_file(self) -> str | None:
        return self.manager.header.get("parentSession")

    def ids(self) -> list[str]:
        return [entry.id for entry in self.manager.get_entries()]

    def do(self, step: Step) -> str | None:
        try:
            return super().do(step)
        except SessionError:
            return REFUSED

    def message(self, message: dict[str, Any]) -> None:
        self.manager.append_message(message)

    def thinking(self, level: str) -> None:
        self.manager.append_thinking_level_change(level)

    def model(self, provider: str, model: str) -> None:
        self.manager.append_model_change(provider, model)

    def compaction(self, summary: str, kept: Any, tokens: int, details: Any, hook: bool | None) -> None:
        self.manager.append_compaction(summary, self.id_at(kept), tokens, details, hook)

    def custom(self, kind: str, data: Any) -> None:
        self.manager.append_custom_entry(kind, data)

    def custom_message(self, kind: str, content: Any, display: bool, details: Any) -> None:
        self.manager.append_custom_message_entry(kind, content, display, details)

    def name(self, name: str) -> None:
        self.manager.append_session_info(name)

    def label(self, place: Any, label: str | None) -> None:
        self.manager.append_label_change(self.id_at(place), label)

    def branch(self, place: Any) -> None:
        self.manager.branch(self.id_at(place))

    def reset(self) -> None:
        self.manager.reset_leaf()

    def summary(self, place: Any, summary: str, details: Any, hook: bool | None) -> None:
        self.manager.branch_with_summary(self.id_at(place), summary, details, hook)

    def take_out(self, place: Any) -> None:
        self.manager.create_branched_session(self.id_at(place))

    def new(self) -> None:
        self.manager.new_session()

    def fork(self) -> None:
        if self.written:
            self.manager = SessionManager.fork_from(str(self.file), self.cwd, str(self.folder), env=self.env)

    def reopen(self) -> None:
        if self.written:
            self.open(str(self.file))

    def open(self, file: str) -> None:
        """Go on with this file."""
        self.manager = SessionManager.open(file, env=self.env)


def _or_undefined(value: Any) -> Any:
    return UNDEFINED if value is None else value


def steps_text(steps: Sequence[Step]) -> str:
    """Return the list as a test failure shows it."""
    return "\n".join(f"  {place}: {step!r}" for place, step in enumerate(steps))
