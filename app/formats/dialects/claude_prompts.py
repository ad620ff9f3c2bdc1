"""The texts that Claude Code writes in the user's role: prompts, commands, their output, interruptions and
notices (formats/README.md, "Lines of Claude Code").

Claude Code's own marks decide where a line has them. A text decides only where there are none, and only if
all of it has the form: a prompt that quotes a tag stays a prompt.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from app.formats.text import string_of

PROMPT, COMMAND, SHELL, OUTPUT, INTERRUPTION, NOTICE = (
    *("prompt", "command", "shell", "output", "interruption", "notice"),
)
"""The kinds of a text in the user's role: typed for the model; a command that Claude Code carries out itself;
a command for the shell; the output of one of the two; the end of a turn; written by Claude Code or another
agent.
"""

_TYPED = frozenset(("typed", "queued", "suggestion_accepted", "sdk"))
"""The values of `promptSource` of prompts; the other one is `system`."""
_PEOPLE = frozenset(("human", "voice-call"))
"""The values of `origin.kind` of what a person said."""

_INTERRUPTION = re.compile(r"\s*\[Request interrupted by user[^\]\n]*\]\s*")
_COMMAND = re.compile(r"(?:\s*<(command-(?:name|message|args))>((?:(?!</\1>).)*)</\1>){1,3}\s*", re.DOTALL)
_FIELD = re.compile(r"<(command-(?:name|args))>((?:(?!</\1>).)*)</\1>", re.DOTALL)
_SHELL = re.compile(r"\s*<bash-input>((?:(?!</bash-input>).)*)</bash-input>\s*", re.DOTALL)
_OUTPUT = re.compile(
    r"(?:\s*<((?:bash|local-command)-std(?:out|err))>((?:(?!</\1>).)*)</\1>){1,2}\s*", re.DOTALL
)
_PIECE = re.compile(r"<((?:bash|local-command)-std(?:out|err))>((?:(?!</\1>).)*)</\1>", re.DOTALL)
_NOTICE = re.compile(
    r"\s*<(task-notification|teammate-message|system-reminder|local-command-caveat|user-memory-input"
    r"|agent-notification|bash-notification|fork-boilerplate|tick)(?:\s[^<>]*)?>.*</\1>\s*"
    r"(?:(?:Read the output file to retrieve the result|Full transcript available at): [^\n]*\s*)?",
    re.DOTALL,
)
_SENTENCE = re.compile(
    r"\s*(?:Unknown (?:skill|slash command): \S+\s*|Operation stopped by hook: .*)", re.DOTALL
)
"""Notices without a tag: a command that is none, and a prompt that a hook refused."""
_STATE = frozenset(("permissionMode", "thinkingMetadata", "todos"))
"""Fields of lines with typed texts, and not of those with such notices."""
_EDITOR = re.compile(r"\s*<(ide_[a-z_]+)>.*</\1>\s*", re.DOTALL)
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")

_LOCAL = frozenset(
    (
        *(
            "add-dir",
            "agents",
            "background",
            "bashes",
            "branch",
            "bug",
            "btw",
            "cd",
            "chrome",
            "clear",
            "color",
        ),
        *("compact", "config", "context", "copy", "cost", "desktop", "diff", "doctor", "effort", "exit"),
        *("export", "extra-usage", "fast", "feedback", "files", "fork", "help", "hooks", "ide"),
        *("install-github-app", "install-slack-app", "keybindings", "login", "logout", "mcp", "memory"),
        *("mobile", "model", "new", "output-style", "passes", "permissions", "plan", "plugin"),
        *("privacy-settings", "quit", "rate-limit-options", "release-notes", "reload-plugins"),
        *("remote-control", "remote-env", "rename", "reset", "resume", "rewind", "sandbox", "session"),
        *("share", "skills", "stats", "status", "stickers", "tag", "tasks", "terminal-setup", "theme"),
        *("todos", "upgrade", "usage", "vim", "voice"),
    )
)
"""The commands that Claude Code carries out itself. Their lines have the same form as those of commands that
send a prompt, such as `/review` and the user's own.
"""


class Written(NamedTuple):
    """A text in the user's role.

    :param kind: `PROMPT`, `COMMAND`, `SHELL`, `OUTPUT`, `INTERRUPTION` or `NOTICE`.
    :param text: as a person reads it, without tags; None if the content is that already.
    :param name: what wrote a notice.
    """

    kind: str
    text: str | None = None
    name: str = ""


def written_of(text: str | None, marks: dict[str, Any]) -> Written:
    """The kind of a text in the user's role.

    :param text: all of the message; None if it has other blocks than text.
    :param marks: the line, or the attachment, with `origin`, `promptSource` and `rowSource` where there are
        any.
    """
    origin = marks.get("origin")
    kind = string_of(origin.get("kind")) if isinstance(origin, dict) else ""
    source = string_of(marks.get("promptSource"))
    form = _form_of(text) if text is not None else None
    if form is not None and form.kind == PROMPT and (not kind or kind in _PEOPLE):
        return form
    if kind in _PEOPLE or marks.get("verifiedSlackHumanTurn") is True:
        return Written(PROMPT)
    if kind or source == "system":
        return Written(NOTICE, name=kind or "system")
    if source in _TYPED:
        return Written(PROMPT)
    if form is not None:
        return form
    if text is not None and _STATE.isdisjoint(marks) and _SENTENCE.fullmatch(text):
        return Written(NOTICE, name="notice")
    row = marks.get("rowSource")
    return Written(NOTICE, name=row) if isinstance(row, str) else Written(PROMPT)


def _form_of(text: str) -> Written | None:
    """The kind that the form of a text tells; None if it has none of the forms."""
    if text.lstrip()[:1] not in ("<", "["):
        return None
    if _INTERRUPTION.fullmatch(text):
        return Written(INTERRUPTION)
    if _COMMAND.fullmatch(text):
        fields = dict(_FIELD.findall(text))
        name, arguments = fields.get("command-name", "").strip(), fields.get("command-args", "").strip()
        if name:
            command = f"/{name.removeprefix('/')} {arguments}".strip()
            return Written(COMMAND if name.removeprefix("/") in _LOCAL else PROMPT, command)
    if shell := _SHELL.fullmatch(text):
        return Written(SHELL, shell[1].strip())
    if _OUTPUT.fullmatch(text):
        pieces = [without_colours(piece).strip("\n") for _, piece in _PIECE.findall(text)]
        return Written(OUTPUT, "\n".join(filter(None, pieces)))
    notice = _NOTICE.fullmatch(text)
    return Written(NOTICE, name=notice[1]) if notice else None


def editor_tag(text: str) -> str | None:
    """The tag of a text that tells what is open or selected in an editor; None for another text."""
    found = _EDITOR.fullmatch(text)
    return found[1] if found else None


def without_colours(text: str) -> str:
    """A text without the sequences that colour it on a terminal."""
    return _SEQUENCE.sub("", text) if "\x1b" in text else text
