"""``leafmark tag``: the tags and the note of a session."""

from __future__ import annotations

from app.actions.tagging import annotate, tag, tag_and_annotate, tags_and_note
from app.changes.report import (
    as_line,
    change_fields,
    intend,
    record,
)
from app.formats.text import one_line
from app.index.resolve import Ambiguous, NotFound, resolve
from app.options import Options, WrongUse
from app.reports.errors import complain_of, exit_code
from app.reports.output import SCHEMA, complain, write_json, write_text
from app.sessions.errors import SessionError, Unreadable
from app.sessions.manager.change import Change
from app.sessions.summaries.quick_summary import quick_summary
from app.setup import Setup
from app.stores.tags import NOTHING, BadTag, parse_note, parse_tag, read_taggings


def run(options: Options, setup: Setup) -> int:
    """Change the tags and the note of a session as one action, or print them if there is nothing to change;
    see `app.changes.run`.

    :raises WrongUse: a word is no tag with its sign, or the note is too long.
    """
    try:
        add, remove = _parse_changes(options.changes)
        note = None if options.note is None else parse_note(options.note)
    except BadTag as error:
        raise WrongUse(str(error)) from None
    try:
        session = resolve(options.session, setup.stores, setup.cache_folder, complain)
        summary = quick_summary(session.path, session.agents, 0)
        if summary is None:
            raise Unreadable(session.path, 0, "is no session")
        agent, session_id = summary.agent, summary.id
        about, state = (agent, session_id), setup.state_folder
        changes: list[Change] = []
        if add or remove or note is not None:
            with intend(setup) as intent:
                if note is None:
                    change = tag(*about, add, remove, state)
                elif not (add or remove):
                    change = annotate(*about, note, state)
                else:
                    change = tag_and_annotate(*about, add, remove, note, state)
                record(intent, change, setup)
            changes = tags_and_note(change)
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    tagging = read_taggings(setup.state_folder).get((agent, session_id), NOTHING)
    if options.json:
        write_json(
            {
                "schema": SCHEMA,
                "session": {
                    "agent": agent,
                    "session_id": session_id,
                    "path": session.path,
                    "title": summary.title,
                },
                "tags": list(tagging.tags),
                "note": tagging.note or None,
                "changes": [change_fields(change, session.path, "")["change"] for change in changes],
            }
        )
    elif changes:
        write_text("".join(f"{as_line(change, summary.title)}\n" for change in changes))
    else:
        write_text(f"tags: {' '.join(tagging.tags) or 'none'}\n")
        write_text(f"note: {one_line(tagging.note, 10_000) or 'none'}\n")
    for change in changes:
        if change.note:
            complain(change.note)
    return 0


def _parse_changes(words: list[str]) -> tuple[list[str], list[str]]:
    """The tags to add and to remove.

    :raises WrongUse: a word is neither +tag nor -tag, or a tag is both added and removed.
    :raises BadTag: what follows the sign is no tag.
    """
    tags: dict[str, list[str]] = {"+": [], "-": []}
    for word in words:
        if word[:1] not in tags:
            raise WrongUse(f"{word!r} is neither +tag nor -tag")
        try:
            tags[word[0]].append(parse_tag(word[1:]))
        except BadTag as error:
            raise BadTag(f"{one_line(word, 60)}: {error}") from None
    both = [name for name in tags["+"] if name in tags["-"]]
    if both:
        raise WrongUse(f"the tag {both[0]!r} is both added and removed")
    return tags["+"], tags["-"]
