"""A builder of example sessions: it takes the messages and adds ids and times.

    talk = Session("pi", "shop", "login", age=minutes(3))
    start = talk.user("the login test fails on CI")
    talk.tool("bash", "1 failed", command="pytest -q")
    talk.reply("The token is read before the cookie is set.")
    talk.label(start, "repro")

Ids and pauses come from a random generator that is seeded with the name of the session, so they are always
the same. Times are in milliseconds since the start of the session, which `Session.place` sets.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any


def minutes(number: float) -> int:
    """Minutes in milliseconds."""
    return round(number * 60_000)


def hours(number: float) -> int:
    """Hours in milliseconds."""
    return minutes(number * 60)


def days(number: float) -> int:
    """Days in milliseconds."""
    return hours(number * 24)


@dataclass(eq=False)
class Entry:
    """An entry before it is encoded. `at` counts from the start of `session`, in which it was first
    written.
    """

    kind: str
    id: str
    parent: Entry | None
    at: int
    session: Session
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def time(self) -> int:
        """The time when it was written, in milliseconds UTC."""
        return self.session.start + self.at


class Session:
    """An example session.

    age       the age of its last entry in milliseconds
    dialect   the format of the file if the agent has several: "v1" (pi), "no slot" (omp), "transcript"
              (indusagi), "sub-agent" (claude)
    """

    def __init__(
        self,
        agent: str,
        project: str,
        slug: str,
        *,
        age: int,
        model: str = "anthropic/claude-sonnet-4-5",
        thinking: str = "",
        dialect: str = "",
    ) -> None:
        self.agent = agent
        self.project = project
        self.slug = slug
        self.age = age
        self.current_model = model
        self.dialect = dialect
        self.random = random.Random(f"{agent}/{project}/{slug}")
        self.entries: list[Entry] = []
        self.raw_lines: dict[int, str] = {}
        self.leaf: Entry | None = None
        self.parent: Session | None = None
        self.title = ""
        self.clock = 0
        self.start = 0
        self.id = ""
        # The files of sub-agents and tools in the artifacts folder, by name.
        self.artifacts: dict[str, Session | str] = {}
        if model and dialect not in ("v1", "transcript") and agent not in ("agent", "claude", "codex"):
            self._add("model", 0, model=model)
            if thinking:
                self._add("thinking", 0, level=thinking)

    def place(self, now_ms: int) -> None:
        """Set all times so that the last entry was written `age` before `now_ms`, and set the id of the
        session.
        """
        last = max((entry.at for entry in self.entries if entry.session is self), default=0)
        self.start = now_ms - self.age - last
        source = random.Random(f"id/{self.agent}/{self.project}/{self.slug}")
        self.id = uuid4(source) if self.agent in ("agent", "claude") else uuid7(self.start, source)

    def _add(self, kind: str, seconds: float, **data: Any) -> Entry:
        self.clock += round(seconds * 1000) + self.random.randrange(1, 400)
        entry = Entry(kind, f"{self.random.getrandbits(32):08x}", self.leaf, self.clock, self, data)
        self.entries.append(entry)
        self.leaf = entry
        return entry

    def user(self, text: str, *, image: str = "", pause: float = 0) -> Entry:
        """A prompt after a pause in seconds; `image` is a PNG in base64."""
        return self._add(
            "message", pause or self.random.uniform(15, 160), role="user", text=text, image=image
        )

    def reply(self, text: str, *, think: str = "", stop: str = "stop", error: str = "") -> Entry:
        """An answer; `stop` is how it ended: stop, length, error, aborted."""
        return self._add(
            "message",
            2 + len(text + think) / 90,
            role="assistant",
            text=text,
            think=think,
            calls=[],
            stop=stop,
            error=error,
            model=self.current_model,
        )

    def tool(
        self,
        tool: str,
        out: str,
        /,
        *,
        say: str = "",
        think: str = "",
        failed: bool = False,
        **arguments: Any,
    ) -> Entry:
        """One call of a tool and its result; returns the result."""
        return self.tools((tool, arguments, out, failed), say=say, think=think)

    def tools(self, *calls: tuple[str, dict[str, Any], str, bool], say: str = "", think: str = "") -> Entry:
        """Several calls in one answer, (tool, arguments, output, failed) each; returns the last result."""
        made = [(f"toolu_{self.random.getrandbits(88):022x}", tool, given) for tool, given, _, _ in calls]
        last = self._add(
            "message",
            3 + len(say + think) / 90,
            role="assistant",
            text=say,
            think=think,
            calls=made,
            stop="toolUse",
            error="",
            model=self.current_model,
        )
        for (call_id, tool, _), (_, _, out, failed) in zip(made, calls, strict=True):
            seconds = self.random.uniform(0.1, 4)
            last = self._add(
                "message", seconds, role="toolResult", call=call_id, tool=tool, text=out, failed=failed
            )
        return last

    def shell(self, command: str, output: str, code: int = 0) -> Entry:
        """A command the user ran with `!` (pi family)."""
        return self._add("message", 20, role="bashExecution", command=command, text=output, code=code)

    def model(self, model: str) -> Entry:
        """A change of the model ("provider/id")."""
        self.current_model = model
        return self._add("model", 12, model=model)

    def thinking(self, level: str) -> Entry:
        """A change of the thinking level."""
        return self._add("thinking", 3, level=level)

    def name(self, name: str) -> None:
        """The user names the session."""
        self._add("name", 8, name=name, before=self.title)
        self.title = name

    def label(self, target: Entry, label: str) -> Entry:
        """A label on an entry; "" removes it."""
        return self._add("label", 6, target=target, label=label)

    def compact(self, summary: str, kept: Entry, tokens: int) -> Entry:
        """A compaction that keeps the entries from `kept` on."""
        return self._add("compaction", 25, summary=summary, kept=kept, tokens=tokens)

    def back_to(self, entry: Entry | None, summary: str = "") -> Entry | None:
        """Move to an earlier entry (None: before the first), with an optional summary of the path that is
        left.
        """
        left, self.leaf = self.leaf, entry
        if summary:
            return self._add("branch_summary", 9, left=left, summary=summary)
        return entry

    def custom(self, custom_type: str, data: Any) -> Entry:
        """State of an extension."""
        return self._add("custom", 1, custom_type=custom_type, data=data)

    def notice(self, custom_type: str, text: str) -> Entry:
        """A message that an extension put into the conversation."""
        return self._add("custom_message", 1, custom_type=custom_type, text=text)

    def other(self, entry_type: str, **fields: Any) -> Entry:
        """An entry with exactly these fields, for a type that only one agent has."""
        return self._add("other", 1, type=entry_type, fields=fields)

    def damaged(self, line: str) -> None:
        """Add a damaged line after the last entry."""
        self.raw_lines[len(self.entries)] = line

    def take(self, original: Entry) -> None:
        """Copy an entry of another session to the end of this one, with its id and time."""
        copy = Entry(original.kind, original.id, self.leaf, original.at, original.session, original.data)
        self.entries.append(copy)
        self.leaf = copy


def fork(parent: Session, at: Entry, slug: str, *, age: int, project: str = "") -> Session:
    """A new session with the path to `at`, followed by its labels (formats/README.md, "Forks of the
    agents").
    """
    child = Session(parent.agent, project or parent.project, slug, age=age, model="")
    child.current_model = parent.current_model
    child.parent = parent
    path = []
    entry: Entry | None = at
    while entry is not None:
        path.append(entry)
        entry = entry.parent
    for original in reversed(path):
        if original.kind != "label":
            child.take(original)
    kept = {entry.id for entry in child.entries}
    for original in parent.entries:
        if original.kind == "label" and original.data["target"].id in kept:
            child.take(original)
    return child


def uuid7(at_ms: int, source: random.Random) -> str:
    """A version 7 UUID with this time, as pi and omp use for sessions."""
    return _uuid(at_ms << 80 | 0x7 << 76 | source.getrandbits(12) << 64 | 0x2 << 62 | source.getrandbits(62))


def uuid4(source: random.Random) -> str:
    """A version 4 UUID, as nickcecere/agent uses for sessions."""
    return _uuid(
        source.getrandbits(48) << 80
        | 0x4 << 76
        | source.getrandbits(12) << 64
        | 0x2 << 62
        | source.getrandbits(62)
    )


def _uuid(value: int) -> str:
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
