"""The summary of a session, without its tree: one row of the list.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FIRST_MESSAGE_LIMIT = 65_536
"""Characters of `Summary.first_message`, so that a row never has megabytes."""

LAST_PROMPT_LIMIT = 160
"""Characters of `Summary.last_prompt`: a line of the screen."""

NO_MESSAGES, NO_PROMPT = "(no messages)", "(no prompt)"
"""The titles of a session without messages, and of one with messages but without a text."""

FROM_NAME, FROM_PROMPT, FROM_TEXT, FROM_NOTHING = "name", "prompt", "text", ""
"""The sources of a title (`Summary.title_source`): the session's name, a prompt, the first text of an answer,
or no text at all.
"""

DONE, INTERRUPTED, ABORTED, FAILED, WAITING = "done", "interrupted", "aborted", "error", "waiting"
"""How a session ended (`Summary.ending`)."""

FIELDS = (
    "agent",
    "dialect",
    "id",
    "cwd",
    "name",
    "title",
    "title_source",
    "first_message",
    "last_prompt",
    "created",
    "modified",
    "message_count",
    "entry_count",
    "leaf_count",
    "branch_count",
    "labels",
    "leaf_id",
    "parent_session",
    "models",
    "tools",
    "tokens",
    "cost",
    "errors",
    "images",
    "problems",
    "torn",
    "linear",
    "ending",
    "spawned",
)
"""The fields of a `Summary` in the order of its constructor, so that the catalog can store and load them."""

_values = attrgetter(*FIELDS)


class Summary:
    """One session as the list shows it. Times are milliseconds since the epoch, UTC.

    title           one inert line (`app.sessions.summaries.titles`); `title_source` says where it comes from
    last_prompt     the beginning of the last prompt, as one inert line; "" if that prompt is the title
    created         the header's time, None when it has none
    modified        the newest user or assistant message, else the header, else the file's mtime
    (formats/README.md, "pi")
    message_count   entries of type message, as pi counts them; it also counts one without its message,
                    which is a problem
    entry_count     all entries, without headers, title lines and lines that are no entries: no JSON object,
                    or in a transcript an object of another kind
    leaf_count      entries that no entry names as its parent; without ids, 1 if there is any entry
    branch_count    branches of the session's tree (`sessions.tree.branches`)
    labels          (entry id, label), the latest for each entry, in file order; cleared ones are gone
    leaf_id         the entry that the agent would continue from (formats/README.md, "Leaf"); None if the file
                    has no ids
    models          "provider/model" of the assistant messages, in order of first use
    tools           names of the tools that were called, in order of first use
    tokens          input, output, cache read, cache write over all branches; `cost` likewise, in dollars
    errors          assistant messages that failed: stopReason "error", or an errorMessage
    images          entries with at least one image
    problems        the number of whole lines and other faults that are reported as problems
    torn            the last line is unfinished and does not parse; a process may still be writing it
    linear          all entries are on the active path, as far as the lines tell: the parent of each is the
                    entry before it, and no id is used twice; or the format has no branches (`Dialect.linear`)
    ending          how the last message on the active path ended (`app.sessions.summaries.endings`): `DONE`,
                    `INTERRUPTED`, `ABORTED`, `FAILED` or `WAITING`; "" if there is no message that says so
    spawned         its header says that a sub-agent wrote it
    """

    __slots__ = FIELDS

    def __init__(
        self,
        agent: str,
        dialect: str,
        id: str,
        cwd: str,
        name: str | None,
        title: str,
        title_source: str,
        first_message: str,
        last_prompt: str,
        created: int | None,
        modified: int,
        message_count: int,
        entry_count: int,
        leaf_count: int,
        branch_count: int,
        labels: tuple[tuple[str, str], ...],
        leaf_id: str | None,
        parent_session: str | None,
        models: tuple[str, ...],
        tools: tuple[str, ...],
        tokens: tuple[int, int, int, int],
        cost: float,
        errors: int,
        images: int,
        problems: int,
        torn: bool,
        linear: bool,
        ending: str,
        spawned: bool,
    ) -> None:
        self.agent = agent
        self.dialect = dialect
        self.id = id
        self.cwd = cwd
        self.name = name
        self.title = title
        self.title_source = title_source
        self.first_message = first_message
        self.last_prompt = last_prompt
        self.created = created
        self.modified = modified
        self.message_count = message_count
        self.entry_count = entry_count
        self.leaf_count = leaf_count
        self.branch_count = branch_count
        self.labels = labels
        self.leaf_id = leaf_id
        self.parent_session = parent_session
        self.models = models
        self.tools = tools
        self.tokens = tokens
        self.cost = cost
        self.errors = errors
        self.images = images
        self.problems = problems
        self.torn = torn
        self.linear = linear
        self.ending = ending
        self.spawned = spawned

    def values(self) -> tuple[Any, ...]:
        """Every field, in the order of `FIELDS`; `Summary(*values)` makes an equal one."""
        values: tuple[Any, ...] = _values(self)
        return values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self.values() == other.values()

    __hash__ = None  # type: ignore[assignment]  # rows change, and a hash would not

    def __repr__(self) -> str:
        fields: Iterable[str] = (f"{field}={getattr(self, field)!r}" for field in FIELDS)
        return f"Summary({', '.join(fields)})"
