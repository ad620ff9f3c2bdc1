"""``leafmark handoff``: a session of another agent with the whole tree of a session, or a text to paste."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.actions.handoff import Handed, Request, branch_to, hand_over
from app.actions.resume import find_program, unusable_folder
from app.changes.report import as_document, as_line, intend, record, title_after
from app.command_table import MARKDOWN
from app.formats.text import inert, one_line
from app.index.resolve import ResolvedSession, resolve
from app.options import DONE, Options, WrongUse
from app.reports.output import complain, write_json, write_text
from app.sessions.summaries.quick_summary import quick_title
from app.setup import Setup
from app.stores import agent_named
from app.view.branch_choices import loss_lines
from app.view.formatting import counted


def run(options: Options, setup: Setup) -> int:
    """Hand a session over, and print what is lost.

    :return: the exit code; the errors are those of `app.changes.run`.
    :raises WrongUse: the options do not fit together.
    :raises NotFound, Ambiguous, SessionError: there is no such session, or no new one; nothing was written.
    """
    if options.to is None:
        raise WrongUse("--to names the agent, or markdown")
    if options.entry == "":
        raise WrongUse("--entry needs the id of an entry")
    if options.to == MARKDOWN:
        _check_text(options)
        return _print_text(
            resolve(options.session, setup.stores, setup.cache_folder, complain), options, setup
        )
    if options.limit is not None:
        raise WrongUse("--limit has a place only beside --to markdown")
    session = resolve(options.session, setup.stores, setup.cache_folder, complain)
    request = Request(options.to, options.entry, path_only=options.path_only, folder=options.dir)
    if options.dry_run:
        handed = _hand_over(session, request, setup, dry_run=True)
    else:
        with intend(setup) as intent:
            handed = _hand_over(session, request, setup)
            if handed.is_new:
                record(intent, handed.change, setup)
    if options.json:
        write_json(_document(handed, session, options))
    else:
        write_text(_text(handed, session, options))
    problem = unusable_folder(handed.folder, setup.env)
    if problem is not None:
        complain(f"{problem}; --dir names another one")
    agent = agent_named(options.to)
    if find_program(agent.command, setup.env) is None:
        complain(f"{agent.command} is not installed: {agent.install_hint}")
    return DONE


def _hand_over(session: ResolvedSession, request: Request, setup: Setup, *, dry_run: bool = False) -> Handed:
    try:
        state_folder = setup.state_folder
    except OSError:
        state_folder = ""
    return hand_over(
        session.path,
        request,
        setup.agent_env,
        store=session.store,
        stores=setup.stores,
        state_folder=state_folder,
        now_ms=setup.now_ms(),
        dry_run=dry_run,
    )


def _document(handed: Handed, session: ResolvedSession, options: Options) -> dict[str, Any]:
    source = replace(handed.change, agent=handed.change.source_agent)
    document = as_document(source, session.path)
    document["session"]["title"] = _title(handed) or None
    if options.dry_run and handed.is_new:
        document["change"] |= {"after": None, "after_id": None}
    return document | {
        "to": handed.change.agent,
        "dry_run": options.dry_run,
        "existing": not handed.is_new,
        "entries": handed.entries,
        "branches": handed.branches,
        "losses": [
            {"kind": kind, "reason": reason, "count": number} for kind, reason, number in handed.losses
        ],
        "sent_before": list(handed.asked),
    }


def _title(handed: Handed) -> str:
    return quick_title(handed.change.before or "", (handed.change.source_agent,))


def _text(handed: Handed, session: ResolvedSession, options: Options) -> str:
    change = handed.change
    agent = agent_named(change.agent).title
    size = f"{counted(handed.entries, 'entry', 'entries')}, {counted(handed.branches, 'branch', 'branches')}"
    if not handed.is_new:
        lines = [f"Handed over before: {one_line(change.after or '', 4_000)}"]
    elif options.dry_run:
        lines = [
            f'"{one_line(_title(handed), 80)}" would be a session of {agent} with {size}. Nothing is written.'
        ]
    else:
        lines = [as_line(change, title_after(change)), f"{one_line(change.after or '', 4_000)} ({size})"]
    _, *losses, texts = [one_line(line, 400) for line in loss_lines(handed)]
    if losses:
        lines += ["Lost, changed or not sent:", *(f"  {loss}" for loss in losses)]
    lines.append(texts)
    if change.prompt:
        lines += ["prompt:", inert(change.prompt).rstrip()]
    return "\n".join(lines) + "\n"


def _check_text(options: Options) -> None:
    for name, is_given in (
        ("--path-only", options.path_only),
        ("--dir", options.dir is not None),
        ("--dry-run", options.dry_run),
        ("--json", options.json),
    ):
        if is_given:
            raise WrongUse(f"{name} has no place beside --to markdown, which prints a text")


def _print_text(session: ResolvedSession, options: Options, setup: Setup) -> int:
    # Imported here: loading the rules for secrets and the formats of exports would hold up other commands.
    from app.export.handoff_text import MOST_BYTES, handoff_text
    from app.export.to_file import redactor_for

    manager, path = branch_to(session.path, options.entry, setup.agent_env, session.store)
    redactor = redactor_for(session.path, setup.env, setup.home)
    redactor.add_user_of(manager.header_cwd)
    write_text(handoff_text(manager, path, redactor, options.limit or MOST_BYTES))
    return DONE
