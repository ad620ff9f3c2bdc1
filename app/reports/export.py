"""``leafmark export``: sessions as files to share."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from app.export.choice import FULL, HTML, JSON, JSONL, REDACTED, Choice
from app.export.exporter import Export, Surroundings, open_export
from app.export.file_name import free_path
from app.export.output_file import NotRegular, Target
from app.export.to_file import private_name, redactor_for
from app.formats.text import one_line
from app.index.resolve import Ambiguous, NotFound, ResolvedSession, resolve_all
from app.options import DONE, Options, WrongUse
from app.paths import CurrentFolderGone, absolute
from app.redact import RULES, Redactor, Replacement
from app.reports.errors import complain_of, exit_code
from app.reports.output import complain, write_text
from app.sessions.errors import SessionError, Unreadable
from app.setup import Setup
from app.stores.layout import reason

STANDARD_OUTPUT = "-"
_SHOWN_PROBLEMS = 5
_COPIED = 1 << 20


class NotExported(Exception):
    """A session was not exported, and there is no file; the text says why."""


def run(options: Options, setup: Setup) -> int:
    """Export each of the sessions. A session that fails is reported, and the others are exported.

    :return: the exit code: 0 done, 1 no such session or entry, 2 wrong use or an ambiguous name, 3 failed;
        that of the first session that failed.
    """
    _check(options)
    code = DONE
    found = resolve_all(options.sessions, setup.stores, setup.cache_folder, complain)
    for session in found:
        try:
            _export(session, options, setup)
        except (NotFound, Ambiguous, SessionError, CurrentFolderGone, NotExported) as error:
            complain_of(error, setup.now_ms())
            code = code or exit_code(error)
    return code


def _check(options: Options) -> None:
    """:raises WrongUse: the options do not fit together."""
    format = options.to or HTML
    chosen = [
        name
        for name, is_given in (
            ("--branch", options.branch is not None),
            ("--entry", options.entry is not None),
            ("--all-branches", options.all_branches),
        )
        if is_given
    ]
    if len(chosen) > 1:
        raise WrongUse(f"{chosen[0]} has no place beside {chosen[1]}")
    if options.entry == "" or options.branch == "":
        raise WrongUse(f"{chosen[0]} needs the id of an entry")
    if format == JSON and options.all_branches:
        raise WrongUse("--all-branches has no place beside --to json, which has the messages of one path")
    if options.agent and format != JSONL:
        raise WrongUse("--agent has a place only beside --to jsonl")
    if format in (JSON, JSONL):
        for name, is_given in (
            ("--tools", options.tools is not None),
            ("--thinking and --no-thinking", options.thinking is not None),
        ):
            if is_given:
                raise WrongUse(f"{name} have no place beside --to {format}, which leaves nothing out")
    if options.review and not _redacts(options):
        raise WrongUse(f"--review has nothing to list: --to {format} replaces nothing without --redact")
    to_output = options.output == STANDARD_OUTPUT
    if to_output and options.open:
        raise WrongUse("--open has no place beside standard output")
    if to_output and options.force:
        raise WrongUse("--force has no place beside standard output")
    if options.output == "":
        raise WrongUse("-o needs a file")
    several = len(options.sessions) > 1
    if several and options.output is not None and not os.path.isdir(options.output):
        raise WrongUse("several sessions need several files: -o has to name a folder")


def _redacts(options: Options) -> bool:
    if options.redact is not None:
        return options.redact
    return (options.to or HTML) in REDACTED


def _export(
    session: ResolvedSession | NotFound | Ambiguous | Unreadable, options: Options, setup: Setup
) -> None:
    """Export one session.

    :raises NotFound, Ambiguous, SessionError: there is no such session, or it cannot be read.
    :raises CurrentFolderGone, NotExported: its file cannot be written, or the user does not want it.
    """
    if isinstance(session, Exception):
        raise session
    redactor = redactor_for(session.path, setup.env, setup.home) if _redacts(options) else None
    try:
        export = _open(session, options, setup, redactor)
        if options.output == STANDARD_OUTPUT:
            _to_standard_output(export, options, redactor)
            return
        kept = [session.path, *setup.kept_files()]
        target = Target(_path(export, session.path, options, setup), force=options.force, kept=kept)
        try:
            target.check()
            with target.opened() as file:
                _write(export, file, options, redactor, f"{target.path}: not written")
        except FileExistsError:
            raise NotExported(f"{target.path}: is there already, and is kept; --force replaces it") from None
        except NotRegular as error:
            reply = "`-o -` writes to standard output"
            raise NotExported(f"{target.path}: {error.strerror}; {reply}") from None
    except (CurrentFolderGone, BrokenPipeError):
        raise  # BrokenPipeError: the reader of the output has gone
    except OSError as error:
        raise NotExported(f"{error.filename or session.path}: {reason(error)}") from None
    write_text(f"{one_line(target.path, 4_000)}\n{_about_redaction(redactor, options)}\n")
    _complain_of_problems(session.path, export)
    if options.open:
        _show(target.path)


def _open(session: ResolvedSession, options: Options, setup: Setup, redactor: Redactor | None) -> Export:
    choice = Choice(
        entry=options.entry or "",
        branch=options.branch or "",
        all_branches=options.all_branches,
        thinking=options.thinking is not False,
        tools=options.tools or FULL,
        images=options.images,
    )
    surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms(), setup.prices)
    return open_export(
        session.path,
        session.agents,
        options.to or HTML,
        choice,
        surroundings,
        redactor=redactor,
        target=options.agent or "pi",
    )


def _path(export: Export, session_path: str, options: Options, setup: Setup) -> str:
    """The path of the file to be made, absolute.

    :raises CurrentFolderGone: it is relative, and the current folder is gone.
    """
    path = absolute(options.output if options.output is not None else os.curdir)
    if options.output is not None and not os.path.isdir(path):
        return path
    redactor = redactor_for(session_path, setup.env, setup.home)
    name = private_name(export.title, export.agent, export.session_id, options.to or HTML, redactor)
    return free_path(os.path.join(path, name), export.session_id)


def _write(
    export: Export, file: IO[bytes], options: Options, redactor: Redactor | None, refusal: str
) -> None:
    """Write the document, and with `--review` ask about it.

    :raises NotExported: the user does not want it; the text is `refusal`.
    """
    for piece in export.pieces:
        file.write(piece)
    if options.review and redactor is not None and not _is_approved(redactor):
        raise NotExported(refusal)


def _to_standard_output(export: Export, options: Options, redactor: Redactor | None) -> None:
    """Print the document when all of it is made, so that an error leaves no half of it."""
    try:
        with tempfile.TemporaryFile() as file:
            _write(export, file, options, redactor, "standard output: nothing was written")
            file.seek(0)
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer, _COPIED)
            sys.stdout.buffer.flush()
    except OSError as error:
        if error.filename is not None or isinstance(error, BrokenPipeError):
            raise
        raise NotExported(f"standard output: {reason(error)}") from None
    complain(_about_redaction(redactor, options))
    _complain_of_problems("", export)


def _about_redaction(redactor: Redactor | None, options: Options) -> str:
    if redactor is None:
        return "Nothing was redacted. Read the file before you share it."
    count = len(redactor.replacements)
    looked = f"Looked for {len({rule.kind for rule in RULES})} kinds of secrets; replaced {count:,}."
    images = " Images were not looked at." if options.images else ""
    return f"{looked}{images} Read the file before you share it."


def _complain_of_problems(path: str, export: Export) -> None:
    lead = f"{path}: " if path else ""
    for problem in export.problems[:_SHOWN_PROBLEMS]:
        complain(f"{lead}not all of it can be read: {problem}")
    more = len(export.problems) - _SHOWN_PROBLEMS
    if more > 0:
        complain(f"{lead}and {more:,} more; `leafmark doctor` lists all")


def _is_approved(redactor: Redactor) -> bool:
    """List the replacements on standard error, and ask whether to write if the input is a terminal."""
    sys.stderr.writelines(f"{line}\n" for line in _review_lines(redactor.replacements))
    count = len(redactor.replacements)
    personal = redactor.personal_count
    sys.stderr.write(
        f"{count:,} {'secret' if count == 1 else 'secrets'} replaced, and {personal:,} "
        f"{'home folder or user name' if personal == 1 else 'home folders and user names'}.\n"
    )
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    sys.stderr.write("Write the file? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


_SHOWN_END = 4
"""The most characters of a secret that are listed at either end: no more than an eighth of it."""
_SHOWN_PLACES = 3


def _review_lines(replacements: Sequence[Replacement]) -> Iterator[str]:
    """The replacements by kind, the most frequent kind first. A secret is listed once, in the context of its
    first place, with all but its ends hidden.
    """
    kinds: dict[str, dict[str, list[Replacement]]] = {}
    for each in replacements:
        kinds.setdefault(each.kind, {}).setdefault(each.secret, []).append(each)
    for kind, secrets in sorted(kinds.items(), key=lambda item: -len(item[1])):
        yield f"{kind}: {len(secrets):,} different"
        for secret, found in secrets.items():
            places = list(dict.fromkeys(each.place for each in found))
            more = len(places) - _SHOWN_PLACES
            where = ", ".join(places[:_SHOWN_PLACES]) + (f" and {more:,} more places" if more > 0 else "")
            yield f"  {where}: " + one_line(f"{found[0].before}[{_hidden(secret)}]{found[0].after}", 400)


def _hidden(secret: str) -> str:
    """The ends of a secret, and its length."""
    length = len(secret)
    shown = min(_SHOWN_END, length // 8)
    first, last = secret[:shown], secret[length - shown :]
    return f"{one_line(first)}…{one_line(last)}, {length:,} characters"


def _show(path: str) -> None:
    # Imported here: it is slow, and few exports are opened.
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).as_uri()):
        complain(f"{path}: no program was found that opens it")
