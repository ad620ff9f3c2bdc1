"""Sessions whose lines can be read, but whose ids, parents, fields or headers make no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.corpus.pieces import half, rest

if TYPE_CHECKING:
    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker


def two_headers(maker: Maker) -> Draft:
    """Two sessions in one file: the second header is not an entry, but damage."""
    draft = half(maker)
    other = '{"type":"session","version":3,"id":"another","timestamp":"2020-01-01T00:00:00.000Z","cwd":"/x"}'
    draft.broken(other)
    return rest(maker, draft)


def duplicate_ids(maker: Maker) -> Draft:
    draft = half(maker)
    first = next(entry for entry in draft.truth.ids if entry)
    draft.place(draft.line("custom", ',"customType":"x"', first, draft.leaf), first, draft.leaf)
    rest(maker, draft)
    draft.place(draft.line("custom", ',"customType":"y"', "dddddddd", draft.leaf), "dddddddd", draft.leaf)
    draft.branch(first)
    draft.place(draft.line("custom", ',"customType":"z"', "dddddddd", first), "dddddddd", first)
    return draft


def replaced_line(maker: Maker) -> Draft:
    """Two lines of Claude Code with one id, of which the last one counts."""
    draft = half(maker)
    parent = draft.leaf
    draft.raw(draft.line("custom", ',"customType":"x"', "dddddddd", parent))
    draft.place(draft.line("custom", ',"customType":"y"', "dddddddd", parent), "dddddddd", parent)
    return rest(maker, draft)


def parent_loop(maker: Maker) -> Draft:
    """Two entries that are each other's parents, and a conversation below them."""
    draft = half(maker)
    draft.place(draft.line("custom", ',"customType":"x"', "aaaaaaaa", "bbbbbbbb"), "aaaaaaaa", "bbbbbbbb")
    draft.place(draft.line("custom", ',"customType":"x"', "bbbbbbbb", "aaaaaaaa"), "bbbbbbbb", "aaaaaaaa")
    return rest(maker, draft)


def own_parent(maker: Maker) -> Draft:
    draft = half(maker)
    draft.place(draft.line("custom", ',"customType":"x"', "cccccccc", "cccccccc"), "cccccccc", "cccccccc")
    return rest(maker, draft)


def orphans(maker: Maker) -> Draft:
    draft = half(maker)
    draft.branch("0badf00d")
    draft.custom()
    draft.branch("0badbeef")
    return rest(maker, draft)


def late_parent(maker: Maker) -> Draft:
    """A parent that comes after its child."""
    draft = half(maker)
    above = draft.leaf
    draft.place(draft.line("custom", ',"customType":"x"', "eeeeeeee", "ffffffff"), "eeeeeeee", "ffffffff")
    draft.place(draft.line("custom", ',"customType":"x"', "ffffffff", above), "ffffffff", above)
    draft.branch("eeeeeeee")
    return rest(maker, draft)


def message_null(maker: Maker) -> Draft:
    """pi's list drops the whole session; the lines still count as messages, and as damage."""
    draft = half(maker)
    draft.at += 5_000
    draft.message("", "null")
    draft.message("", '"text"')
    draft.truth.problems += 2
    # Messages without a time have that of their entry, even without content.
    draft.message("user", '{"role":"user","content":null}')
    draft.message("assistant", '{"role":"assistant","content":null,"usage":null,"timestamp":null}')
    return rest(maker, draft)


def wrong_types(maker: Maker) -> Draft:
    """Ids that are numbers, a label without a target, fields of wrong types: the reader may choose the
    result.
    """
    draft = half(maker)
    draft.raw('{"type":"message","id":17,"parentId":4,"timestamp":5,"message":{"role":"user","content":7}}')
    draft.raw('{"type":"label","id":"99999999","targetId":null,"label":3}')
    draft.raw('{"type":"session_info","id":"88888888","parentId":[],"name":{"a":1}}')
    draft.raw('{"no":"type"}')
    draft.raw('{"type":"message","id":"77777777","parentId":null,"message":{}}')
    draft.truth.open |= {"entry_count", "message_count", "leaf_count", "labels", "problems", "modified"}
    draft.truth.open |= {"name", "title"}
    return rest(maker, draft)


def label_on_nothing(maker: Maker) -> Draft:
    """A label whose target is not in the file: a reader may list it or not."""
    draft = half(maker)
    draft.label("0badf00d", "lost")
    draft.truth.open.add("labels")
    return draft


def header_after_garbage(maker: Maker) -> Draft:
    """pi and leafmark skip unreadable lines, so the header is still the first readable line."""
    draft = half(maker)
    draft.lines.insert(0, b"#!/bin/sh")
    draft.truth.problems += 1
    return draft


def header_after_blank(maker: Maker) -> Draft:
    """Blank lines before the header: a reader may report them or not."""
    draft = half(maker)
    draft.lines[:0] = [b"", b"  "]
    draft.truth.open.add("problems")
    return draft


def header_after_entry(maker: Maker) -> Draft:
    """A readable line before the header: pi refuses the session. A reader may count the line as an entry or
    not.
    """
    draft = half(maker)
    draft.lines[:2] = [draft.lines[1], draft.lines[0]]
    draft.truth.problems += 2
    draft.truth.open |= {"entry_count", "leaf_count"}
    return draft


def header_without_time(maker: Maker) -> Draft:
    """Without a time and messages, the only time is that of the file."""
    draft = maker.start()
    draft.truth.created = None
    draft.header()
    return draft


def header_without_folder(maker: Maker) -> Draft:
    draft = maker.start(maker.damaged)
    draft.truth.cwd = None
    draft.header()
    return rest(maker, draft)
