"""``leafmark show``: the conversation of a session as its transcript on the screen, through a pager."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.export.choice import find_id, newest_end
from app.formats.errors import SessionError
from app.formats.long_lines import LONG_LINE
from app.formats.text import visible_line
from app.index.resolve import Ambiguous, NotFound
from app.options import DONE, Options, WrongUse
from app.reports.errors import complain_of, exit_code
from app.reports.output import PLAIN, complain, encodable_text, terminal_columns, wants_colour
from app.reports.tree import open_session_tree, title_of
from app.sessions.errors import Unreadable
from app.sessions.tree.entry_loader import read_node
from app.sessions.tree.node import Node, path_to
from app.sessions.tree.tree import SessionTree
from app.setup import Setup
from app.stores.layout import reason
from app.view.document_line import MEASURE, PAD, DocumentLine, own_line
from app.view.formatting import tilde
from app.view.line import Line, fit_line, line_width, plain_text
from app.view.palette import SIXTEEN, STYLES
from app.view.transcript import call_ids, result_id, turn, unreadable_turn
from app.view.transcript_block import Turn
from app.view.transcript_layout import Headings
from app.view.transcript_rules import path_rules, rule_line

DEFAULT_PAGER = "less"
LESS = "FRX"
"""The options of less if the variable LESS is not set, which are git's: quit if all fits on one screen, keep
colours, and leave the text on the screen."""
MOST_FOR_RESULTS = 64
"""Entries that are read ahead for the results of the calls of one answer."""
_CODES = {"bold": "1", "italic": "3", "underline": "4"}
_TITLE_CELLS = 200


def run(options: Options, setup: Setup) -> int:
    """Print the conversation of a session along one path."""
    given = [name for name in ("branch", "entry", "last") if getattr(options, name) is not None]
    if len(given) > 1:
        raise WrongUse(f"--{given[0]} has no place beside --{given[1]}")
    try:
        tree = open_session_tree(options.session, setup)
        lines = conversation(tree, path_of(tree, options), setup)
        print_lines(lines, setup.env, pages=not options.plain)
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    return DONE


def path_of(tree: SessionTree, options: Options) -> Sequence[Node]:
    """The entries to print, in order.

    :raises UnknownEntry, AmbiguousEntry: there is no such entry, or there are several.
    """
    named = options.entry if options.entry is not None else options.branch
    if named is None:
        path = tree.active_path()
    else:
        node = tree.by_id[find_id(named, tree.by_id, tree.path)]
        if options.entry is None:
            node = newest_end(node, lambda each: each.children, lambda each: each.index)
        path = path_to(node)
    if options.last is not None:
        prompts = [number for number, node in enumerate(path) if node.role == "user"]
        path = path[prompts[-options.last] :] if len(prompts) > options.last else path
    return path


def conversation(tree: SessionTree, path: Sequence[Node], setup: Setup) -> Iterator[DocumentLine]:
    """The lines of the conversation: the title of the session, then the blocks of its transcript.

    :param path: the entries.
    :raises Unreadable: the file cannot be read.
    """
    header = tree.header
    title = visible_line(tree.name or "", _TITLE_CELLS) or visible_line(title_of(tree), _TITLE_CELLS)
    about = "  ".join(filter(None, (header.agent, header.id, tilde(header.cwd, setup.home))))
    yield DocumentLine([(title or "(no title)", "name")])
    yield own_line(visible_line(about, 1_000))
    before = None
    headings = Headings()
    try:
        above = path_rules(tree, path_to(path[-1]))[0] if path else {}
    except OSError as error:
        raise Unreadable(tree.path, 0, reason(error)) from None
    rules: list[DocumentLine] = []
    for made in _turns(tree, path, setup.now_ms()):
        rules += [rule_line(above[made.offset])] if made.offset in above else []
        rules += filter(None, [headings.day_rule(made)])
        for number, block in enumerate(made.blocks):
            if rules or not (before is not None and before.is_tight and block.is_tight):
                yield DocumentLine([])
            yield from rules
            rules.clear()
            is_marked = made.entry_id in tree.labels
            lines = headings.heading(made, number, is_marked=is_marked)
            lines += headings.without_time(made, block, block.printed_lines)
            label = tree.labels.get(made.entry_id or "") if number == made.main_block else None
            if label:
                right: Line = [(f"◆ {visible_line(label, 40)}", "label"), ("  ", "text")]
                lines = [_with_right(lines[0], right), *lines[1:]]
            yield from lines
            before = block


def _with_right(line: DocumentLine, marks: Line) -> DocumentLine:
    return DocumentLine(line.spans, line.block, own=line.own, ground=line.ground, right=[*marks, *line.right])


def _turns(tree: SessionTree, path: Sequence[Node], now_ms: int) -> Iterator[Turn]:
    """The turns of the entries; the results of an answer's calls are shown in its turn."""
    cells = min(terminal_columns(), MEASURE + len(PAD) + 1)
    waiting = deque(path)
    ahead: dict[int, dict[str, Any]] = {}
    shown_with_calls: set[int] = set()

    def entry(node: Node) -> dict[str, Any]:
        found = ahead.pop(node.index, None)
        return read_node(tree.path, tree.header, node, LONG_LINE) if found is None else found

    while waiting:
        node = waiting.popleft()
        if node.index in shown_with_calls:
            shown_with_calls.discard(node.index)
            ahead.pop(node.index, None)
            continue
        try:
            raw = entry(node)
            missing = set(call_ids(raw))
            results = {}
            for number, following in enumerate(waiting):
                if not missing or number == MOST_FOR_RESULTS or following.role == "user":
                    break
                if following.index not in ahead:
                    ahead[following.index] = entry(following)
                answered = result_id(ahead[following.index])
                if answered in missing:
                    missing.discard(answered)
                    results[answered] = ahead[following.index]
                    shown_with_calls.add(following.index)
            made = turn(raw, node.id, node.offset, cells, results=results, now_ms=now_ms, node=node)
        except SessionError:
            raise
        except OSError as error:
            raise Unreadable(tree.path, 0, reason(error)) from None
        except Exception as error:
            text = f"cannot be shown: {type(error).__name__}: {error}"
            made = unreadable_turn(node.id, node.offset, text)
        yield made


def print_lines(lines: Iterable[DocumentLine], env: Mapping[str, str], *, pages: bool) -> None:
    """Print lines, in colour on a terminal with colours, and through a pager on any terminal.

    :param pages: False: without pager and colours.
    """
    pager = pager_of(env) if pages and sys.stdout.isatty() else []
    is_less = bool(pager) and os.path.basename(pager[0]) == DEFAULT_PAGER
    colour = pages and wants_colour(env) and (is_less or not pager)
    encoding = sys.stdout.encoding or "utf-8"
    texts = (encodable_text(f"{painted_line(line, colour=colour)}\n", encoding, env) for line in lines)
    if pager:
        process = _started(pager, env)
        if process is not None:
            _feed(process, (text.encode(encoding, "replace") for text in texts))
            return
    for text in texts:
        sys.stdout.write(text)
    sys.stdout.flush()


def pager_of(env: Mapping[str, str]) -> list[str]:
    """The command of the pager, in words; empty if the variable PAGER is empty or `cat`."""
    named = env.get("PAGER", DEFAULT_PAGER)
    try:
        words = shlex.split(named)
    except ValueError:
        complain(f"PAGER={named}: has a quote without its end; the text is printed without a pager")
        return []
    return [] if words == ["cat"] else words


def _started(pager: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes] | None:
    """The running pager; None if it cannot be started."""
    try:
        return subprocess.Popen(pager, stdin=subprocess.PIPE, env={"LESS": LESS, **env})
    except OSError as error:
        if "PAGER" in env:
            complain(f"{pager[0]}: {reason(error)}; the text is printed without a pager")
        return None


def _feed(process: subprocess.Popen[bytes], pieces: Iterable[bytes]) -> None:
    """Write to a pager until all is written or it was left, and wait for its end. Ctrl+C is the pager's."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert process.stdin is not None
        try:
            for piece in pieces:
                process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            # The user has left the pager before the end.
            pass
    finally:
        process.wait()
        signal.signal(signal.SIGINT, before)


def painted_line(line: DocumentLine, *, colour: bool) -> str:
    """A line as text; the marks at its right end stand at the width of a transcript."""
    spans = line.spans
    if line.right:
        room = min(terminal_columns(), MEASURE + len(PAD) + 1)
        spans = [*fit_line(spans, max(1, room - line_width(line.right) - 2)), ("  ", "text"), *line.right]
    if not colour:
        return plain_text(spans).rstrip()
    return "".join(_painted(text, style) for text, style in spans).rstrip()


def _painted(text: str, style: str) -> str:
    """A text in the colours of a terminal with sixteen of them, which fit its own background."""
    colour, attributes = STYLES[style]
    codes = [_CODES[name] for name in attributes.split()]
    if colour in ("dim", "faint", "hint"):
        codes.append("2")
    elif colour in SIXTEEN["dark"]:
        codes.append(f"3{SIXTEEN['dark'][colour]}")
    return f"\x1b[{';'.join(codes)}m{text}{PLAIN}" if codes and text.strip() else text
