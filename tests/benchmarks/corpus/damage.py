"""Every kind of damage in a corpus. Each function returns a draft with its truth.

A complete line that cannot be read is one problem, and so is an unfinished last line of an old file. If the
documents leave a field to the reader, the function adds it to `Truth.open`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.corpus import damaged_lines as lines
from tests.benchmarks.corpus import damaged_shapes as shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker

DAMAGES: dict[str, Callable[[Maker], Draft]] = {
    function.__name__.replace("_", " "): function
    for function in (
        lines.torn_line, lines.torn_character, lines.nul_tail, lines.nul_line, lines.crlf,
        lines.bom, lines.invalid_utf8, lines.lone_surrogate, lines.bad_escape, lines.raw_control,
        lines.not_a_number, lines.blank_lines, lines.garbage_line, lines.glued_lines,
        lines.no_objects, lines.huge_line, lines.deep_line, lines.omp_torn, lines.omp_garbage,
        lines.omp_crlf, lines.agent_garbage, lines.transcript_torn,
        shapes.two_headers, shapes.duplicate_ids, shapes.parent_loop, shapes.own_parent,
        shapes.orphans, shapes.late_parent, shapes.message_null, shapes.wrong_types,
        shapes.label_on_nothing, shapes.header_after_garbage, shapes.header_after_blank,
        shapes.header_after_entry, shapes.header_without_time, shapes.header_without_folder,
    )
}  # fmt: skip

_COMMON = (
    lines.torn_line, lines.torn_character, lines.nul_tail, lines.nul_line, lines.crlf, lines.bom,
    lines.invalid_utf8, lines.lone_surrogate, lines.bad_escape, lines.raw_control, lines.not_a_number,
    lines.blank_lines, lines.garbage_line, lines.glued_lines, lines.no_objects, lines.huge_line,
    shapes.header_without_folder,
)  # fmt: skip
_OF_TREES = (
    shapes.replaced_line, shapes.parent_loop, shapes.own_parent, shapes.orphans, shapes.late_parent,
    shapes.message_null,
)  # fmt: skip


def _of(kind: str, damage: Callable[[Maker], Draft]) -> Callable[[Maker], Draft]:
    def damaged(maker: Maker) -> Draft:
        maker.damaged = kind
        try:
            return damage(maker)
        finally:
            maker.damaged = "pi"

    return damaged


for _kind, _damages in (("claude", _COMMON + _OF_TREES), ("codex", _COMMON)):
    for _damage in _damages:
        DAMAGES[f"{_kind} {_damage.__name__.replace('_', ' ')}"] = _of(_kind, _damage)
