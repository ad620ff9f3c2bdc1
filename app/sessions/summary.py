"""The summary of a session, without its tree: one row of the list.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from app.formats.prices import Unpriced

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

DONE, INTERRUPTED, ABORTED, FAILED, WAITING = "done", "interrupted", "aborted", "failed", "waiting"
CONTINUED = "continued"
"""How a session ended (`Summary.ending`)."""


class Summary(NamedTuple):
    """One session as the list shows it. Times are milliseconds since the epoch, UTC.

    title           one inert line (`app.sessions.summaries.titles`); `title_source` says where it comes from
    last_prompt     the beginning of the last prompt, as one inert line; "" if that prompt is the title
    created         the header's time, else that of the first entry if a line may have several entries; None
                    if it is not known
    modified        the time of the newest user or assistant message, else `created`, else the file's mtime
                    (formats/README.md, "List of pi")
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
                    `INTERRUPTED`, `ABORTED`, `FAILED` or `WAITING`; "" if there is no message that says so.
                    `CONTINUED` if `continued_in` is set
    spawned         its header says that a sub-agent wrote it
    unpriced        the tokens of `tokens` without a cost (`formats.prices`); `cost` lacks them
    folders         folders in which it was used, absolute, the best first: the first that exists counts
                    instead of `cwd`
    continued_in    the id of the session in which the agent went on; "" for none
    first_id        the id of the first entry, which copies keep; "" unless they tell their source by it
    own_prompt      the beginning of the first prompt after a fork was made, as one inert line; "" for none,
                    and for a session that is no fork
    is_behind       the last message in the file is on another branch than the leaf, which was not moved there
                    on purpose (`app.sessions.summaries.leaf_trail`)
    """

    agent: str
    dialect: str
    id: str
    cwd: str
    name: str | None
    title: str
    title_source: str
    first_message: str
    last_prompt: str
    created: int | None
    modified: int
    message_count: int
    entry_count: int
    leaf_count: int
    branch_count: int
    labels: tuple[tuple[str, str], ...]
    leaf_id: str | None
    parent_session: str | None
    models: tuple[str, ...]
    tools: tuple[str, ...]
    tokens: tuple[int, int, int, int]
    cost: float
    errors: int
    images: int
    problems: int
    torn: bool
    linear: bool
    ending: str
    spawned: bool
    folders: tuple[str, ...] = ()
    continued_in: str = ""
    first_id: str = ""
    unpriced: tuple[Unpriced, ...] = ()
    own_prompt: str = ""
    is_behind: bool = False

    def values(self) -> tuple[Any, ...]:
        """Every field, in order; `Summary(*values)` makes an equal one."""
        return tuple(self)
